// SPDX-License-Identifier: Apache-2.0
#include "formats/scenario.h"

#include <inttypes.h>
#include <string.h>

#include "auto.h"
#include "formats/scenario_reader.h"
#include "json_utf8.h"
#include "limits.h"

enum {
    DESCRIPTION_MAX = 5000,
    BASE_URL_MAX = 2000,
    COLUMNS_MAX = 200,
};

static void
read_name(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    const char *name = scenario_reader_text(self, spot, SCENARIO_NAME_MAX, true);

    if (name && !name[strspn(name, " ")])
        scenario_reader_error(self, spot, NULL, "must not be empty");
    else if (name)
        json_set_text(self->arena, out, "name", name);
}

static void
read_description(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    const char *text = scenario_reader_text(self, spot, DESCRIPTION_MAX, false);

    if (text && *text)
        json_set_text(self->arena, out, "description", text);
}

static void
read_base_url(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    static const char *const allowed[] = { "{{baseUrl}}", "{{baseUrl}}/v2",
                                           "https://api.example.com", NULL };
    const char *url = scenario_reader_text(self, spot, BASE_URL_MAX, true);

    if (!url)
        return;
    if (strncasecmp(url, "http://", 7) && strncasecmp(url, "https://", 8)
        && strncmp(url, "{{", 2))
        scenario_reader_error(self, spot, allowed,
                              "must begin with http://, https:// or {{baseUrl}}");
    else if (strpbrk(url, " ?#"))
        scenario_reader_error(self, spot, allowed, "must not hold a blank, ? or #");
    else if (strcmp(url, "{{baseUrl}}") != 0)
        json_set_text(self->arena, out, "baseUrl", url);
    scenario_variables_check(self, spot);
}

static void
read_tag_of(scenario_reader_t *self, scenario_spot_t spot, json_t *out, const char *name)
{
    const char *tag = scenario_reader_text(self, spot, SCENARIO_TAG_MAX, true);

    if (tag && *tag)
        json_set_text(self->arena, out, name, tag);
}

static void
read_app_tag(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    read_tag_of(self, spot, out, "appTag");
}

static void
read_credential_tag(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    read_tag_of(self, spot, out, "credentialTag");
}

static const char *
trimmed(arena_t *arena, const char *text)
{
    size_t length;

    text += strspn(text, " ");
    length = strlen(text);
    while (length && text[length - 1] == ' ')
        length--;
    return arena_strndup(arena, text, length);
}

static bool
has_text(const json_t *array, const char *text)
{
    for (const json_t *item = array->first; item; item = item->next)
        if (!strcmp(item->text, text))
            return true;
    return false;
}

static void
read_tags(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    const json_t *given = scenario_reader_texts(self, spot, SCENARIO_TAG_MAX);
    json_t *tags = json_array(self->arena);

    for (const json_t *item = given ? given->first : NULL; item; item = item->next) {
        const char *tag = trimmed(self->arena, item->text);
        if (!*tag || strchr(tag, ',')) {
            scenario_reader_error(self, spot, NULL,
                                  "a tag is text without a comma; several are a list");
            return;
        }
        if (!has_text(tags, tag))
            json_add(tags, json_string(self->arena, tag));
    }
    if (tags->count > SCENARIO_TAGS_MAX)
        scenario_reader_error(self, spot, NULL, "must have at most %d tags", SCENARIO_TAGS_MAX);
    else if (tags->count)
        json_set(self->arena, out, "tags", tags);
}

static void
read_columns(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    json_t *columns = scenario_reader_texts(self, spot, SCENARIO_TAG_MAX);

    if (!columns)
        return;
    if (columns->count > COLUMNS_MAX) {
        scenario_reader_error(self, spot, NULL, "must have at most %d columns", COLUMNS_MAX);
        return;
    }
    for (const json_t *item = columns->first; item; item = item->next)
        scenario_variables_define(self, spot, item->text);
    if (columns->count)
        json_set(self->arena, out, "dataColumns", columns);
}

static void
read_steps(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    json_t *steps = json_array(self->arena);
    size_t index = 0;

    if (spot.value->kind != JSON_ARRAY || !spot.value->count) {
        scenario_reader_error(self, spot, NULL, "must be a list of at least one step");
        return;
    }
    if (spot.value->count > STEPS_MAX) {
        scenario_reader_error(self, spot, NULL, "has %zu steps; the limit is %d",
                              spot.value->count, STEPS_MAX);
        return;
    }
    for (const json_t *item = spot.value->first; item; item = item->next, index++) {
        json_t *step =
            scenario_step_read(self, scenario_reader_item(self, spot, item, index), index);
        if (step)
            json_add(steps, step);
    }
    json_set(self->arena, out, "steps", steps);
}

// clang-format off
// Hooks and columns before steps: they define variables.
static const scenario_field_t fields[] = {
    { "name",          read_name },
    { "description",   read_description },
    { "baseUrl",       read_base_url },
    { "appTag",        read_app_tag },
    { "credentialTag", read_credential_tag },
    { "tags",          read_tags },
    { "hooks",         scenario_hooks_read },
    { "dataColumns",   read_columns },
    { "steps",         read_steps },
};

static const scenario_hint_t hints[] = {
    { "title",      "write name" },
    { "base_url",   "write baseUrl" },
    { "url",        "write baseUrl" },
    { "tag",        "write tags: [smoke]" },
    { "credential", "write credentialTag" },
    { "auth",       "write credentialTag with the tag of a credential of the environment" },
    { "authConfig", "write credentialTag with the tag of a credential of the environment" },
    { "variables",  "values come from the environment, hooks and extract" },
    { "requests",   "write steps" },
    { "tests",      "write steps" },
};
// clang-format on

// Reads `root` and fills the result; scenario stays NULL when there was an error.
static void
read_scenario(scenario_reader_t *self, const json_t *root, scenario_result_t *result)
{
    static const scenario_table_t table = { fields, ROWS(fields), hints, ROWS(hints) };
    scenario_spot_t spot = { root, "" };
    json_t *scenario = json_object(self->arena);

    if (scenario_reader_members(self, spot, &table, scenario)) {
        for (const char *const *must = (const char *const[]){ "name", "steps", NULL }; *must;
             must++) {
            const json_t *member = json_get(root, *must);
            if (!member || member->kind == JSON_NULL)
                scenario_reader_error(self, (scenario_spot_t){ root, *must }, NULL,
                                      "%s is missing", *must);
        }
    }
    const json_t *steps = json_get(scenario, "steps");
    result->name = json_get_text(scenario, "name");
    result->step_count = steps ? (int64_t) steps->count : 0;
    result->scenario = self->errors->count ? NULL : scenario;
}

static void
prepare(scenario_reader_t *self, scenario_result_t *result)
{
    self->defined = json_object(self->arena);
    self->errors = json_array(self->arena);
    self->warnings = json_array(self->arena);
    *result = (scenario_result_t){ .errors = self->errors, .warnings = self->warnings };
}

// What is stored must come back as it was after export and import.
static void
check_export(scenario_reader_t *self, scenario_result_t *result)
{
    yaml_document_t document;
    yaml_place_t place;
    failure_t why = { 0 };
    scenario_spot_t whole = { NULL, "" };

    if (!result->scenario)
        return;
    const char *yaml = scenario_to_yaml(self->arena, result->scenario);
    if (strlen(yaml) > YAML_MAX)
        scenario_reader_error(self, whole, NULL,
                              "written out, the scenario has more than %d KiB", YAML_MAX / KIB);
    else if (yaml_parse(self->arena, yaml, strlen(yaml), &yaml_scenario_limits, &document,
                        &place, &why))
        scenario_reader_error(self, whole, NULL, "the scenario cannot be written as YAML: %s",
                              why.text);
    if (self->errors->count)
        result->scenario = NULL;
}

// The dotted path of `wanted` below spot.value, or NULL.
static const char *
find_path(scenario_reader_t *self, scenario_spot_t spot, const json_t *wanted)
{
    size_t index = 0;

    if (spot.value == wanted)
        return spot.path;
    for (const json_t *child = spot.value->first; child; child = child->next) {
        scenario_spot_t at = child->key ? scenario_reader_member(self, spot, child)
                                        : scenario_reader_item(self, spot, child, index++);
        const char *path = find_path(self, at, wanted);
        if (path)
            return path;
    }
    return NULL;
}

static void
refuse_duplicates(scenario_reader_t *self, const yaml_document_t *document)
{
    for (size_t i = 0; i < document->duplicate_count; i++) {
        const yaml_duplicate_t *duplicate = &document->duplicates[i];
        const char *path =
            find_path(self, (scenario_spot_t){ document->root, "" }, duplicate->value);
        scenario_spot_t spot = { duplicate->value, path ? path : duplicate->value->key };
        scenario_reader_key_error(
            self, spot, NULL, "the key %.100s stands twice: in line %zu and in line %zu",
            duplicate->value->key, duplicate->first.line, duplicate->second.line);
    }
}

static void
refuse_yaml(scenario_reader_t *self, yaml_place_t place, const failure_t *why)
{
    scenario_reader_error(self, (scenario_spot_t){ NULL, "" }, NULL, "%s", why->text);
    json_t *error = self->errors->last;
    if (place.line) {
        json_set_int(self->arena, error, "line", (int64_t) place.line);
        json_set_int(self->arena, error, "column", (int64_t) place.column);
    }
}

void
scenario_parse(arena_t *arena, const char *yaml, size_t size, const json_t *known,
               scenario_result_t *result)
{
    yaml_document_t document = { 0 };
    yaml_place_t place;
    failure_t why = { 0 };
    scenario_reader_t reader = { .arena = arena, .known = known };

    prepare(&reader, result);
    if (yaml_parse(arena, yaml, size, &yaml_scenario_limits, &document, &place, &why)) {
        refuse_yaml(&reader, place, &why);
        return;
    }
    reader.document = &document;
    refuse_duplicates(&reader, &document);
    read_scenario(&reader, document.root, result);
    check_export(&reader, result);
}

void
scenario_from_json(arena_t *arena, const json_t *given, const json_t *known,
                   scenario_result_t *result)
{
    scenario_reader_t reader = { .arena = arena, .known = known };

    prepare(&reader, result);
    read_scenario(&reader, given, result);
    check_export(&reader, result);
}

const char *
scenario_first_error(arena_t *arena, const scenario_result_t *result)
{
    const json_t *error = result->errors->first;

    if (!error)
        return NULL;
    int64_t line = json_get_int(error, "line", 0);
    const char *key = json_get_text(error, "key");
    const char *message = json_get_text(error, "message");
    const char *at =
        line ? arena_printf(arena, "line %" PRId64 ", column %" PRId64 "%s", line,
                            json_get_int(error, "column", 0), key && *key ? ", " : ": ")
             : "";
    return arena_printf(arena, "%s%s%s%s", at, key ? key : "", key && *key ? ": " : "",
                        message);
}
