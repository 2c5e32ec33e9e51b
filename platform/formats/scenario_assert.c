// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "auto.h"
#include "formats/pattern.h"
#include "formats/scenario.h"
#include "formats/scenario_reader.h"
#include "jsonpath.h"
#include "limits.h"

enum {
    ASSERTS_MAX = 200,  // entries of one step
    PATTERN_MAX = 2000,
    HEADER_NAME_MAX = 200,
    PATH_MAX_LENGTH = 1000,
};

// What an operator wants as its value.
typedef enum {
    WANTS_ANY,
    WANTS_TEXT,
    WANTS_NUMBER,
    WANTS_COUNT,
    WANTS_PATTERN,
    WANTS_TYPE,
    WANTS_FLAG
} wants_t;

// clang-format off
static const struct {
    const char *name;
    wants_t wants;
    const char *opposite;  // what `false` stands for with a flag
} operators[] = {
    { "equals",      WANTS_ANY,     NULL },
    { "notEquals",   WANTS_ANY,     NULL },
    { "exists",      WANTS_FLAG,    "notExists" },
    { "notExists",   WANTS_FLAG,    "exists" },
    { "contains",    WANTS_ANY,     NULL },
    { "notContains", WANTS_ANY,     NULL },
    { "startsWith",  WANTS_TEXT,    NULL },
    { "endsWith",    WANTS_TEXT,    NULL },
    { "matches",     WANTS_PATTERN, NULL },
    { "type",        WANTS_TYPE,    NULL },
    { "length",      WANTS_COUNT,   NULL },
    { "greaterThan", WANTS_NUMBER,  NULL },
    { "lessThan",    WANTS_NUMBER,  NULL },
    { "isIsoDate",   WANTS_FLAG,    NULL },
};

static const char *const types[] = {
    "string", "number", "integer", "boolean", "array", "object", "null", NULL,
};

static const char *const allowed_keys[] = {
    "path", "header", "body", "time", "equals", "notEquals", "exists", "notExists", "contains",
    "notContains", "startsWith", "endsWith", "matches", "type", "length", "greaterThan",
    "lessThan", "isIsoDate", NULL,
};

static const char *const subjects[] = {
    "path: $.id", "header: Content-Type", "body: true", "time: 500ms", NULL,
};
// clang-format on

// A text operand keeps the spelling it had, so that `contains: 0123` means these four characters.
static json_t *
text_operand(scenario_reader_t *self, scenario_spot_t spot)
{
    const char *text = scenario_reader_text(self, spot, PATTERN_MAX, false);

    return text ? json_string(self->arena, text) : NULL;
}

static json_t *
pattern_operand(scenario_reader_t *self, scenario_spot_t spot)
{
    json_t *text = text_operand(self, spot);
    const char *fault = NULL;

    if (text && !strstr(text->text, "{{"))
        fault = pattern_fault(self->arena, text->text);
    if (fault)
        scenario_reader_error(self, spot, NULL, "is no regular expression: %s", fault);
    return fault ? NULL : text;
}

static json_t *
type_operand(scenario_reader_t *self, scenario_spot_t spot)
{
    json_t *text = spot.value->kind == JSON_NULL ? json_string(self->arena, "null")
                                                 : text_operand(self, spot);

    for (size_t i = 0; text && types[i]; i++)
        if (!strcmp(types[i], text->text))
            return text;
    if (text)
        scenario_reader_error(self, spot, types, "there is no type %.60s", text->text);
    return NULL;
}

static json_t *
number_operand(scenario_reader_t *self, scenario_spot_t spot)
{
    if (spot.value->kind == JSON_NUMBER || spot.value->kind == JSON_STRING)
        return json_copy(self->arena, spot.value);  // a string may be a {{variable}}
    scenario_reader_error(self, spot, NULL, "must be a number");
    return NULL;
}

// The value of the check, or NULL after an error.
static json_t *
operand(scenario_reader_t *self, scenario_spot_t spot, wants_t wants)
{
    switch (wants) {
    case WANTS_ANY:
        return json_copy(self->arena, spot.value);
    case WANTS_TEXT:
        return text_operand(self, spot);
    case WANTS_NUMBER:
        return number_operand(self, spot);
    case WANTS_COUNT: {
        int64_t count = scenario_reader_number(self, spot, 0, INT32_MAX);
        return count < 0 ? NULL : json_number(self->arena, count);
    }
    case WANTS_PATTERN:
        return pattern_operand(self, spot);
    case WANTS_TYPE:
        return type_operand(self, spot);
    case WANTS_FLAG:
        return json_bool(self->arena, scenario_reader_flag(self, spot, true));
    }
    return NULL;
}

static void
add_check(scenario_reader_t *self, const json_t *subject, const char *op, json_t *value,
          json_t *out)
{
    json_t *check = json_add(out, json_object(self->arena));

    json_set(self->arena, check, subject->key, json_copy(self->arena, subject));
    json_set_text(self->arena, check, "op", op);
    json_set(self->arena, check, "value", value);
}

static bool
add_operators(scenario_reader_t *self, scenario_spot_t spot, const json_t *subject, json_t *out)
{
    bool any = false;

    for (size_t i = 0; i < ROWS(operators); i++) {
        const json_t *member = json_get(spot.value, operators[i].name);
        if (!member)
            continue;
        any = true;
        scenario_spot_t at = scenario_reader_member(self, spot, member);
        wants_t wants = operators[i].wants;
        if (wants == WANTS_ANY && strcmp(subject->key, "path") != 0)
            wants = WANTS_TEXT;  // headers and the body as a whole are text
        json_t *value = operand(self, at, wants);
        const char *op = operators[i].name;
        if (!value)
            continue;
        if (operators[i].wants == WANTS_FLAG && !value->truth) {
            op = operators[i].opposite;
            value = json_bool(self->arena, true);
        }
        if (!op)
            scenario_reader_error(self, at, NULL, "only true has a meaning here");
        else
            add_check(self, subject, op, value, out);
    }
    return any;
}

// {time: 500}: the answer is there in less.
static void
read_time(scenario_reader_t *self, scenario_spot_t spot, const json_t *time, json_t *out)
{
    int64_t ms = scenario_reader_ms(self, scenario_reader_member(self, spot, time), 1,
                                    SCENARIO_STEP_MS_MAX);
    json_t *subject = json_set_bool(self->arena, json_object(self->arena), "time", true);

    if (spot.value->count > 1)
        scenario_reader_error(self, spot, NULL,
                              "time stands alone: {time: 500ms} means less than that");
    else if (ms > 0)
        add_check(self, subject, "lessThan", json_number(self->arena, ms), out);
}

static json_t *
read_path(scenario_reader_t *self, scenario_spot_t spot)
{
    static const char *const examples[] = { "$.id", "$.items[0].name", "$.items[?@.price < 10]",
                                            NULL };
    const char *path = scenario_reader_text(self, spot, PATH_MAX_LENGTH, true);
    jsonpath_t *compiled = NULL;
    failure_t why = { 0 };

    if (!path)
        return NULL;
    if (!strstr(path, "{{") && jsonpath_compile(self->arena, path, &compiled, &why)) {
        scenario_reader_error(self, spot, examples, "is no JSONPath: %s", why.text);
        return NULL;
    }
    return json_string(self->arena, path);
}

// The member that says what is looked at, as it is normalised; NULL after an error.
static json_t *
read_subject(scenario_reader_t *self, scenario_spot_t spot, const json_t *subject)
{
    scenario_spot_t at = scenario_reader_member(self, spot, subject);
    json_t *value;

    if (!strcmp(subject->key, "path")) {
        value = read_path(self, at);
    } else if (!strcmp(subject->key, "header")) {
        const char *name = scenario_reader_text(self, at, HEADER_NAME_MAX, true);
        value = name ? json_string(self->arena, name) : NULL;
    } else {
        value = subject->truth ? json_bool(self->arena, true) : NULL;
        if (!value)
            scenario_reader_error(
                self, at, NULL,
                "write body: true and what it contains, as in {body: true, contains: x}");
    }
    return value ? json_set(self->arena, json_object(self->arena), subject->key, value) : NULL;
}

static bool
known_keys_only(scenario_reader_t *self, scenario_spot_t spot)
{
    bool fine = true;

    for (const json_t *member = spot.value->first; member; member = member->next) {
        size_t i = 0;
        while (allowed_keys[i] && strcmp(allowed_keys[i], member->key) != 0)
            i++;
        if (allowed_keys[i])
            continue;
        scenario_reader_key_error(
            self, scenario_reader_member(self, spot, member), allowed_keys, "unknown key%s",
            strcmp(member->key, "status") ? "" : "; statuses stand in expect of the step");
        fine = false;
    }
    return fine;
}

static void
read_entry(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    const json_t *subject = NULL;
    size_t count = 0;

    if (spot.value->kind != JSON_OBJECT) {
        scenario_reader_error(self, spot, subjects,
                              "must be a mapping such as {path: $.id, equals: 5}");
        return;
    }
    if (!known_keys_only(self, spot))
        return;
    for (size_t i = 0; i < 4; i++) {
        const json_t *member = json_get(spot.value, allowed_keys[i]);
        subject = member ? member : subject;
        count += member != NULL;
    }
    if (count != 1) {
        scenario_reader_error(self, spot, subjects,
                              "must have exactly one of path, header, body and time");
        return;
    }
    if (!strcmp(subject->key, "time")) {
        read_time(self, spot, subject, out);
        return;
    }
    json_t *normalised = read_subject(self, spot, subject);
    if (normalised && !add_operators(self, spot, normalised, out))
        scenario_reader_error(self, spot, allowed_keys + 4,
                              "says nothing to check, as in equals: 5");
}

void
scenario_assert_read(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    json_t *checks = json_array(self->arena);
    size_t index = 0;

    if (spot.value->kind != JSON_ARRAY || spot.value->count > ASSERTS_MAX) {
        scenario_reader_error(
            self, spot, NULL,
            "must be a list of at most %d entries such as {path: $.id, equals: 5}",
            ASSERTS_MAX);
        return;
    }
    scenario_variables_check(self, spot);
    for (const json_t *item = spot.value->first; item; item = item->next)
        read_entry(self, scenario_reader_item(self, spot, item, index++), checks);
    if (checks->count)
        json_set(self->arena, out, "asserts", checks);
}
