// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "auto.h"
#include "formats/scenario_reader.h"

enum { NAME_MAX_LENGTH = 100 };

// clang-format off
// Names the platform and the credential fill in.
static const char *const given[] = { "baseUrl", "username", "password", "token", "apiKey" };

// Dynamic variables of Postman, and the hook that does the same.
static const struct {
    const char *name;
    const char *script;
} dynamic[] = {
    { "uuid",               "uuid"             },
    { "guid",               "uuid"             },
    { "randomUUID",         "uuid"             },
    { "timestamp",          "timestamp"        },
    { "isoTimestamp",       "isoTimestamp"     },
    { "randomInt",          "randomInt(0,1000)" },
    { "randomAlphaNumeric", "randomString(1)"  },
    { "randomString",       "randomString(8)"  },
    { "randomPassword",     "randomString(15)" },
};
// clang-format on

bool
scenario_variables_is_name(const char *name)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

    size_t length = strlen(name);
    return length && length <= NAME_MAX_LENGTH && strchr(first, *name)
           && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-.")
                  == length;
}

static bool
is_given(const char *name)
{
    for (size_t i = 0; i < ROWS(given); i++)
        if (!strcmp(given[i], name))
            return true;
    return false;
}

void
scenario_variables_define(scenario_reader_t *self, scenario_spot_t spot, const char *name)
{
    if (!scenario_variables_is_name(name))
        scenario_reader_key_error(self, spot, NULL,
                                  "%.100s cannot name a variable: a letter or _ first, then "
                                  "letters, digits, _, - and dots",
                                  name);
    else if (!strcmp(name, "baseUrl"))
        scenario_reader_key_error(self, spot, NULL,
                                  "baseUrl is the address of the target; choose another name");
    else
        json_set_bool(self->arena, self->defined, name, true);
}

static void
refuse_dynamic(scenario_reader_t *self, scenario_spot_t spot, const char *name)
{
    for (size_t i = 0; i < ROWS(dynamic); i++) {
        if (!strcmp(dynamic[i].name, name)) {
            scenario_reader_error(self, spot, NULL,
                                  "{{$%s}} is not known here; write hooks: {before: [{script: "
                                  "\"%s:%s\"}]} and use {{%s}}",
                                  name, name, dynamic[i].script, name);
            return;
        }
    }
    scenario_reader_error(self, spot, NULL,
                          "{{$%.60s}} is not known here; a hook makes values, as in hooks: "
                          "{before: [{script: \"id:uuid\"}]} and {{id}}",
                          name);
}

static void
check_name(scenario_reader_t *self, scenario_spot_t spot, const char *name)
{
    if (*name == '$' && scenario_variables_is_name(name + 1)) {
        refuse_dynamic(self, spot, name + 1);
        return;
    }
    if (!scenario_variables_is_name(name) || is_given(name) || json_get(self->defined, name))
        return;
    if (self->known && !json_get(self->known, name))
        scenario_reader_warn(self, spot,
                             "nothing supplies {{%s}}: no property of the environment, hook, "
                             "column or earlier step has this name",
                             name);
}

static void
check_text(scenario_reader_t *self, scenario_spot_t spot, const char *text)
{
    for (const char *at = strstr(text, "{{"); at; at = strstr(at + 2, "{{")) {
        const char *begin = at + 2 + strspn(at + 2, " ");
        const char *end = strstr(begin, "}}");
        if (!end)
            return;
        while (end > begin && end[-1] == ' ')
            end--;
        check_name(self, spot, arena_strndup(self->arena, begin, (size_t) (end - begin)));
    }
}

void
scenario_variables_check(scenario_reader_t *self, scenario_spot_t spot)
{
    size_t index = 0;

    if (spot.value->kind == JSON_STRING)
        check_text(self, spot, spot.value->text);
    for (const json_t *child = spot.value->first; child; child = child->next) {
        scenario_spot_t at = child->key ? scenario_reader_member(self, spot, child)
                                        : scenario_reader_item(self, spot, child, index++);
        if (child->key)
            check_text(self, at, child->key);
        scenario_variables_check(self, at);
    }
}
