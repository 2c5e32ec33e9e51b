// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "formats/scenario.h"
#include "formats/scenario_reader.h"

enum {
    HOOKS_MAX = 50,
    SCRIPT_MAX = 300,
    RANDOM_STRING_MAX = 1000,
};

// clang-format off
static const struct {
    const char *name;
    size_t arguments;
    const char *example;
} generators[] = {
    { "uuid",         0, "id:uuid"              },
    { "timestamp",    0, "now:timestamp"        },
    { "isoTimestamp", 0, "now:isoTimestamp"     },
    { "randomInt",    2, "n:randomInt(1,100)"   },
    { "randomString", 1, "text:randomString(8)" },
    { "env",          1, "region:env(REGION)"   },
};
// clang-format on

static const char *const examples[ROWS(generators) + 1] = {
    "name:uuid",           "name:timestamp",       "name:isoTimestamp",
    "name:randomInt(1,9)", "name:randomString(8)", "name:env(NAME)",
};

json_t *
scenario_generators(arena_t *arena)
{
    json_t *list = json_array(arena);

    for (size_t i = 0; i < ROWS(generators); i++) {
        json_t *row = json_add(list, json_object(arena));
        json_set_text(arena, row, "generator", generators[i].name);
        json_set_int(arena, row, "arguments", (int64_t) generators[i].arguments);
        json_set_text(arena, row, "example", generators[i].example);
    }
    return list;
}

static bool
parse_integer(const char *text, int64_t *value_p)
{
    char *end;
    size_t digits = strspn(text + (*text == '-'), "0123456789");

    if (!digits || digits > 18 || text[(*text == '-') + digits])
        return false;
    *value_p = strtoll(text, &end, 10);
    return true;
}

// Text between ( and ) at commas, trimmed.
static json_t *
split_arguments(arena_t *arena, const char *text, size_t length)
{
    json_t *list = json_array(arena);
    const char *end = text + length;

    while (text <= end && length) {
        const char *comma = memchr(text, ',', (size_t) (end - text));
        const char *stop = comma ? comma : end;
        const char *last = stop;
        text += strspn(text, " ");
        while (last > text && last[-1] == ' ')
            last--;
        json_add(list, json_string_sized(arena, text < last ? text : "",
                                         text < last ? (size_t) (last - text) : 0));
        text = stop + 1;
    }
    return list;
}

static bool
arguments_fit(scenario_reader_t *self, scenario_spot_t spot, const char *generator,
              const json_t *arguments)
{
    int64_t low = 0, high = 0;

    if (!strcmp(generator, "randomInt")) {
        if (parse_integer(arguments->first->text, &low)
            && parse_integer(arguments->last->text, &high) && low <= high)
            return true;
        scenario_reader_error(self, spot, NULL,
                              "randomInt wants two whole numbers, as in randomInt(1,100)");
        return false;
    }
    if (!strcmp(generator, "randomString")) {
        if (parse_integer(arguments->first->text, &low) && low >= 1 && low <= RANDOM_STRING_MAX)
            return true;
        scenario_reader_error(self, spot, NULL, "randomString wants a length from 1 to %d",
                              RANDOM_STRING_MAX);
        return false;
    }
    if (strcmp(generator, "env") != 0 || scenario_variables_is_name(arguments->first->text))
        return true;
    scenario_reader_error(self, spot, NULL,
                          "env wants the name of an environment variable, as in env(REGION)");
    return false;
}

// "name:generator" or "name:generator(arguments)".
static json_t *
read_script(scenario_reader_t *self, scenario_spot_t spot, const char *script)
{
    const char *colon = strchr(script, ':');
    const char *open = strchr(script, '(');
    size_t length = strlen(script);

    if (!colon || (open && (open < colon || script[length - 1] != ')'))) {
        scenario_reader_error(self, spot, examples, "must be \"name:generator\"");
        return NULL;
    }
    const char *name = arena_strndup(self->arena, script, (size_t) (colon - script));
    const char *generator = colon + 1 + strspn(colon + 1, " ");
    generator =
        open ? arena_strndup(self->arena, generator, (size_t) (open - generator)) : generator;
    json_t *arguments = open ? split_arguments(self->arena, open + 1,
                                               (size_t) (script + length - 1 - (open + 1)))
                             : json_array(self->arena);

    for (size_t i = 0; i < ROWS(generators); i++) {
        if (strcmp(generators[i].name, generator) != 0)
            continue;
        if (arguments->count != generators[i].arguments) {
            scenario_reader_error(self, spot, examples, "%s takes %zu arguments, as in %s",
                                  generator, generators[i].arguments, generators[i].example);
            return NULL;
        }
        if (!arguments_fit(self, spot, generator, arguments))
            return NULL;
        scenario_variables_define(self, spot, name);
        json_t *hook = json_object(self->arena);
        json_set_text(self->arena, hook, "name", name);
        json_set_text(self->arena, hook, "generator", generators[i].name);
        json_set(self->arena, hook, "arguments", arguments);
        return hook;
    }
    scenario_reader_error(self, spot, examples, "there is no generator %.60s", generator);
    return NULL;
}

static void
read_one(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    const char *script = scenario_reader_text(self, spot, SCRIPT_MAX, true);
    json_t *hook = script ? read_script(self, spot, script) : NULL;

    if (hook)
        json_add(out, hook);
}

static void
read_before(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    static const scenario_field_t fields[] = { { "script", read_one } };
    static const scenario_table_t table = { fields, ROWS(fields), NULL, 0 };
    size_t index = 0;

    if (spot.value->kind != JSON_ARRAY || spot.value->count > HOOKS_MAX) {
        scenario_reader_error(
            self, spot, NULL,
            "must be a list of at most %d entries {script: \"name:generator\"}", HOOKS_MAX);
        return;
    }
    for (const json_t *item = spot.value->first; item; item = item->next) {
        scenario_spot_t at = scenario_reader_item(self, spot, item, index++);
        const json_t *script = json_get(item, "script");
        if (!script || script->kind == JSON_NULL)
            scenario_reader_error(self, at, examples, "must be {script: \"name:generator\"}");
        else
            scenario_reader_members(self, at, &table, out);
    }
}

void
scenario_hooks_read(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    static const scenario_field_t fields[] = { { "before", read_before } };
    static const scenario_table_t table = { fields, ROWS(fields), NULL, 0 };
    json_t *before = json_array(self->arena);

    scenario_reader_members(self, spot, &table, before);
    if (before->count)
        json_set(self->arena, json_set(self->arena, out, "hooks", json_object(self->arena)),
                 "before", before);
}
