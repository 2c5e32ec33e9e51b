// SPDX-License-Identifier: Apache-2.0
#include "formats/scenario_reader.h"

#include <inttypes.h>
#include <string.h>

#include "auto.h"
#include "formats/scenario.h"
#include "json_utf8.h"

scenario_spot_t
scenario_reader_member(scenario_reader_t *self, scenario_spot_t parent, const json_t *member)
{
    const char *dot = *parent.path ? "." : "";

    return (scenario_spot_t){ member, arena_printf(self->arena, "%s%s%.100s", parent.path, dot,
                                                   member->key) };
}

scenario_spot_t
scenario_reader_item(scenario_reader_t *self, scenario_spot_t parent, const json_t *item,
                     size_t index)
{
    return (scenario_spot_t){ item, arena_printf(self->arena, "%s[%zu]", parent.path, index) };
}

static void
note(scenario_reader_t *self, json_t *problems, scenario_spot_t spot, bool at_key,
     const char *const *allowed, const char *message)
{
    if (problems->count == SCENARIO_PROBLEMS_MAX)
        return;
    json_t *problem = json_add(problems, json_object(self->arena));
    if (self->document && spot.value) {
        yaml_place_t place = at_key ? yaml_key_place(self->document, spot.value)
                                    : yaml_value_place(self->document, spot.value);
        json_set_int(self->arena, problem, "line", (int64_t) place.line);
        json_set_int(self->arena, problem, "column", (int64_t) place.column);
    }
    json_set_text(self->arena, problem, "key", spot.path);
    json_set_text(self->arena, problem, "message", message);
    json_t *list = json_set(self->arena, problem, "allowed", json_array(self->arena));
    for (; allowed && *allowed; allowed++)
        json_add(list, json_string(self->arena, *allowed));
}

void
scenario_reader_error(scenario_reader_t *self, scenario_spot_t spot, const char *const *allowed,
                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note(self, self->errors, spot, false, allowed, arena_vprintf(self->arena, format, args));
    va_end(args);
}

void
scenario_reader_key_error(scenario_reader_t *self, scenario_spot_t spot,
                          const char *const *allowed, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note(self, self->errors, spot, true, allowed, arena_vprintf(self->arena, format, args));
    va_end(args);
}

void
scenario_reader_warn(scenario_reader_t *self, scenario_spot_t spot, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note(self, self->warnings, spot, false, NULL, arena_vprintf(self->arena, format, args));
    va_end(args);
}

static void
refuse_unknown(scenario_reader_t *self, scenario_spot_t spot, const scenario_table_t *table)
{
    const char **allowed = arena_alloc(self->arena, (table->count + 1) * sizeof *allowed);

    for (size_t i = 0; i < table->count; i++)
        allowed[i] = table->fields[i].name;
    for (size_t i = 0; i < table->count; i++) {
        if (!strcasecmp(spot.value->key, table->fields[i].name)) {
            scenario_reader_key_error(self, spot, allowed, "unknown key; write %s",
                                      table->fields[i].name);
            return;
        }
    }
    for (size_t i = 0; i < table->hint_count; i++) {
        if (!strcasecmp(spot.value->key, table->hints[i].wrong)) {
            scenario_reader_key_error(self, spot, allowed, "unknown key; %s",
                                      table->hints[i].hint);
            return;
        }
    }
    scenario_reader_key_error(self, spot, allowed, "unknown key");
}

static bool
is_in_table(const scenario_table_t *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (!strcmp(table->fields[i].name, name))
            return true;
    return false;
}

bool
scenario_reader_members(scenario_reader_t *self, scenario_spot_t spot,
                        const scenario_table_t *table, json_t *out)
{
    if (spot.value->kind != JSON_OBJECT) {
        scenario_reader_error(self, spot, NULL, "must be a mapping");
        return false;
    }
    for (const json_t *member = spot.value->first; member; member = member->next)
        if (!is_in_table(table, member->key))
            refuse_unknown(self, scenario_reader_member(self, spot, member), table);
    for (size_t i = 0; i < table->count; i++) {
        const json_t *member = json_get(spot.value, table->fields[i].name);
        if (member && member->kind != JSON_NULL)
            table->fields[i].read(self, scenario_reader_member(self, spot, member), out);
    }
    return true;
}

static const char *
scalar_text(const scenario_reader_t *self, const json_t *value)
{
    if (value->kind == JSON_NULL)
        return NULL;
    if (self->document)
        return yaml_source(self->arena, self->document, value);
    if (value->kind == JSON_BOOL)
        return value->truth ? "true" : "false";
    return value->kind == JSON_STRING || value->kind == JSON_NUMBER ? value->text : NULL;
}

static bool
has_control(const char *text)
{
    for (; *text; text++)
        if ((unsigned char) *text < 0x20 || *text == 0x7f)
            return true;
    return false;
}

const char *
scenario_reader_text(scenario_reader_t *self, scenario_spot_t spot, size_t max, bool line)
{
    const char *text = scalar_text(self, spot.value);

    if (!text)
        scenario_reader_error(self, spot, NULL, "must be text");
    else if (spot.value->kind == JSON_STRING && strlen(text) != spot.value->length)
        scenario_reader_error(self, spot, NULL, "must not hold the character U+0000");
    else if (json_utf8_count(text, strlen(text)) > max)
        scenario_reader_error(self, spot, NULL, "must have at most %zu characters", max);
    else if (line && has_control(text))
        scenario_reader_error(self, spot, NULL, "must be one line without control characters");
    else
        return text;
    return NULL;
}

json_t *
scenario_reader_texts(scenario_reader_t *self, scenario_spot_t spot, size_t max)
{
    json_t *texts = json_array(self->arena);
    size_t index = 0;

    if (spot.value->kind != JSON_ARRAY) {
        const char *text = scenario_reader_text(self, spot, max, true);
        return text ? (json_add(texts, json_string(self->arena, text)), texts) : NULL;
    }
    for (const json_t *item = spot.value->first; item; item = item->next) {
        scenario_spot_t at = scenario_reader_item(self, spot, item, index++);
        const char *text = scenario_reader_text(self, at, max, true);
        if (!text)
            return NULL;
        json_add(texts, json_string(self->arena, text));
    }
    return texts;
}

bool
scenario_reader_flag(scenario_reader_t *self, scenario_spot_t spot, bool fallback)
{
    static const char *const allowed[] = { "true", "false", NULL };

    if (spot.value->kind == JSON_BOOL)
        return spot.value->truth;
    scenario_reader_error(self, spot, allowed, "must be true or false");
    return fallback;
}

// "1500", "10_000", "500ms", "10s", "2m"; false if it is none.
static bool
parse_ms(const char *text, int64_t *ms_p)
{
    static const struct {
        const char *unit;
        int64_t ms;
    } units[] = { { "", 1 }, { "ms", 1 }, { "s", 1000 }, { "m", 60 * 1000 } };
    int64_t sum = 0;
    const char *at = text;

    for (; (*at >= '0' && *at <= '9') || (*at == '_' && at > text); at++) {
        if (*at != '_')
            sum = sum * 10 + (*at - '0');
        if (sum > INT32_MAX)
            return false;
    }
    if (at == text)
        return false;
    at += strspn(at, " ");
    for (size_t i = 0; i < ROWS(units); i++) {
        if (!strcmp(at, units[i].unit)) {
            *ms_p = sum * units[i].ms;
            return true;
        }
    }
    return false;
}

int64_t
scenario_reader_ms(scenario_reader_t *self, scenario_spot_t spot, int64_t min, int64_t max)
{
    static const char *const allowed[] = { "500", "500ms", "10s", "2m", NULL };
    const char *text = scalar_text(self, spot.value);
    int64_t ms = 0;

    if (!text || !parse_ms(text, &ms)) {
        scenario_reader_error(self, spot, allowed,
                              "must be a time: milliseconds, or a number with ms, s or m");
        return -1;
    }
    if (ms < min || ms > max) {
        scenario_reader_error(self, spot, allowed,
                              "must be between %" PRId64 " and %" PRId64 " ms", min, max);
        return -1;
    }
    return ms;
}

int64_t
scenario_reader_number(scenario_reader_t *self, scenario_spot_t spot, int64_t min, int64_t max)
{
    int64_t number;

    if (spot.value->kind == JSON_NUMBER && json_int(spot.value, &number) && number >= min
        && number <= max)
        return number;
    scenario_reader_error(self, spot, NULL,
                          "must be a whole number from %" PRId64 " to %" PRId64, min, max);
    return -1;
}
