// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "auto.h"
#include "formats/openapi_internal.h"
#include "formats/scenario.h"
#include "json_utf8.h"

enum {
    DESCRIPTION_MAX = 2000,  // code points that are taken over
    HASH_TEXT = 9,           // "~" and eight digits behind a name that was cut
};

// At most `max` code points of the text, on one line.
static const char *
cut(arena_t *arena, const char *text, size_t max)
{
    size_t length = 0, points = 0, size = strlen(text);

    for (; length < size && points < max; points++)
        length += json_utf8_length(text + length, size - length);
    char *line = arena_strndup(arena, text, length);
    for (char *c = line; *c; c++)
        if ((unsigned char) *c < 0x20 || *c == 0x7f)
            *c = ' ';
    return line;
}

// The key, with the application in front if there is one. A name that is too long ends with a
// hash of all of it, so that it stays unique.
static const char *
scenario_name(openapi_t *self, const openapi_operation_t *operation, const char *app_tag)
{
    const char *name =
        app_tag ? arena_printf(self->arena, "%s %s", app_tag, operation->key) : operation->key;
    uint32_t hash = 2166136261u;

    if (json_utf8_count(name, strlen(name)) <= SCENARIO_NAME_MAX)
        return cut(self->arena, name, SCENARIO_NAME_MAX);
    for (const unsigned char *c = (const unsigned char *) name; *c; c++)
        hash = (hash ^ *c) * 16777619u;
    return arena_printf(self->arena, "%s~%08x",
                        cut(self->arena, name, SCENARIO_NAME_MAX - HASH_TEXT), hash);
}

static const char *
description(openapi_t *self, const openapi_operation_t *operation)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    const char *summary = openapi_text(operation->spot, "summary");
    const char *text = openapi_text(operation->spot, "description");

    summary = summary && *summary ? summary : text;
    if (summary)
        buffer_text(&out, cut(self->arena, summary, DESCRIPTION_MAX));
    if (operation->id)
        buffer_printf(&out, "%s(operationId %s)", out.size ? " " : "",
                      cut(self->arena, operation->id, SCENARIO_NAME_MAX));
    if (json_get_bool(operation->spot.node, "deprecated", false))
        buffer_printf(&out, "%sDeprecated.", out.size ? " " : "");
    return arena_strndup(self->arena, out.bytes ? out.bytes : "", out.size);
}

static void
add_tag(openapi_t *self, json_t *tags, const json_t *tag)
{
    if ((tag->kind != JSON_STRING && tag->kind != JSON_NUMBER)
        || tags->count == SCENARIO_TAGS_MAX)
        return;
    char *text = arena_strdup(self->arena, cut(self->arena, tag->text, SCENARIO_TAG_MAX));
    for (char *c = text; *c; c++)
        if (*c == ',')
            *c = ' ';
    text += strspn(text, " ");
    size_t length = strlen(text);
    while (length && text[length - 1] == ' ')
        text[--length] = '\0';
    for (const json_t *item = tags->first; item; item = item->next)
        if (!strcmp(item->text, text))
            return;
    if (*text)
        json_add(tags, json_string(self->arena, text));
}

static json_t *
make_tags(openapi_t *self, const openapi_operation_t *operation, const json_t *more)
{
    const json_t *sources[] = { more, json_get(operation->spot.node, "tags") };
    json_t *tags = json_array(self->arena);

    for (size_t i = 0; i < ROWS(sources); i++)
        for (const json_t *item = sources[i] ? sources[i]->first : NULL; item;
             item = item->next)
            add_tag(self, tags, item);
    return tags;
}

// What follows the address of the target: the rest of the document's base path that the target
// does not have yet. A target with a path of its own is taken to have all of it.
static const char *
rest_of_base(openapi_t *self, const char *target)
{
    const char *base = openapi_base_url(self);

    if (!target || !*target || !*base)
        return "";
    const char *base_path = base + strlen(openapi_url_origin(self->arena, base));
    const char *target_path = target + strlen(openapi_url_origin(self->arena, target));
    return !*target_path || !strcmp(target_path, "/") ? base_path : "";
}

static const char *
value_text(openapi_t *self, openapi_spot_t parameter, const json_t *value)
{
    const char *text = value ? openapi_style_path(self, parameter, value) : "1";

    return *text ? text : "text";  // an empty segment is another path
}

static const char *
path_value(openapi_t *self, const openapi_operation_t *operation,
           const openapi_spot_t *parameters, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(openapi_text(parameters[i], "in"), "path")
            && !strcmp(openapi_text(parameters[i], "name"), name))
            return value_text(self, parameters[i], openapi_example(self, parameters[i]));
    openapi_warn(self, operation->spot,
                 "the parameter %.60s of the path is not described; 1 is sent for it", name);
    return "1";
}

static void
add_literal(buffer_t *out, unsigned char c)
{
    if (c <= 0x20 || c >= 0x7f || strchr("\"<>\\^`{|}#", c))
        buffer_printf(out, "%%%02X", c);
    else
        buffer_char(out, (char) c);
}

// The path with values in the place of {names}. A brace without its partner is a character.
static const char *
fill_path(openapi_t *self, const openapi_operation_t *operation,
          const openapi_spot_t *parameters, size_t count)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    for (const char *at = operation->path; *at;) {
        size_t length = *at == '{' ? strcspn(at + 1, "{}/") : 0;
        if (length && at[1 + length] == '}') {
            const char *name = arena_strndup(self->arena, at + 1, length);
            buffer_text(&out, path_value(self, operation, parameters, count, name));
            at += length + 2;
            continue;
        }
        if (*at == '{' || *at == '}')
            openapi_warn(self, operation->item,
                         "%c in the path has no partner and is taken as a character", *at);
        add_literal(&out, (unsigned char) *at++);
    }
    return arena_strndup(self->arena, out.bytes, out.size);
}

static bool
is_header_name(const char *name)
{
    return *name
           && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&"
                           "'*+-.^_`|~")
                  == strlen(name);
}

// These are described elsewhere in the document (media types, security).
static bool
is_header_of_others(const char *name)
{
    return !strcasecmp(name, "Accept") || !strcasecmp(name, "Content-Type")
           || !strcasecmp(name, "Authorization");
}

static void
set_header(openapi_t *self, json_t *headers, const char *name, const char *value)
{
    if (is_header_name(name))
        json_set_text(self->arena, headers, name, cut(self->arena, value, DESCRIPTION_MAX));
}

static void
add_cookie(openapi_t *self, json_t *headers, const char *name, const char *value)
{
    const char *before = json_get_text(headers, "Cookie");

    set_header(self, headers, "Cookie",
               arena_printf(self->arena, "%s%s%s=%s", before ? before : "", before ? "; " : "",
                            name, value));
}

static void
add_parameter(openapi_t *self, openapi_spot_t parameter, json_t *query, json_t *headers)
{
    const char *in = openapi_text(parameter, "in"), *name = openapi_text(parameter, "name");

    if (!json_get_bool(parameter.node, "required", false) || !strcmp(in, "path")
        || !strcmp(in, "body") || !strcmp(in, "formData"))
        return;
    json_t *value = openapi_example(self, parameter);
    if (!value) {
        openapi_warn(self, parameter,
                     "no example of the parameter can be made; a text is sent");
        value = json_string(self->arena, "text");
    }
    if (!strcmp(in, "query"))
        openapi_style_query(self, parameter, value, query);
    else if (!strcmp(in, "header") && !is_header_of_others(name))
        set_header(self, headers, name, openapi_style_header(self, parameter, value));
    else if (!strcmp(in, "cookie"))
        add_cookie(self, headers, name, openapi_style_header(self, parameter, value));
}

// The API key where the document wants it. Authorization is left to the login of the platform.
static void
add_key(openapi_t *self, const openapi_operation_t *operation, json_t *query, json_t *headers)
{
    const json_t *wanted = openapi_security(self, operation)->first;
    openapi_spot_t scheme =
        wanted ? openapi_security_scheme(self, wanted->text) : (openapi_spot_t){ 0 };
    const char *type = openapi_text(scheme, "type"), *in = openapi_text(scheme, "in"),
               *name = openapi_text(scheme, "name");

    if (!type || strcmp(type, "apiKey") != 0 || !in || !name)
        return;
    if (!strcmp(in, "query"))
        json_set_text(self->arena, query, name, "{{apiKey}}");
    else if (!strcmp(in, "cookie"))
        add_cookie(self, headers, name, "{{apiKey}}");
    else if (strcasecmp(name, "Authorization") != 0)
        set_header(self, headers, name, "{{apiKey}}");
}

// {{ begins a variable; an example that holds it would ask for one that does not exist.
static bool
defuse(openapi_t *self, json_t *value)
{
    bool found = false;

    if (value->kind == JSON_STRING && strstr(value->text, "{{")) {
        AUTO(buffer_clear) buffer_t out = { 0 };
        for (const char *c = value->text; *c; c++) {
            buffer_char(&out, *c);
            if (*c == '{' && c[1] == '{')
                buffer_char(&out, ' ');
        }
        value->text = arena_strndup(self->arena, out.bytes, out.size);
        value->length = out.size;
        found = true;
    }
    for (json_t *child = value->first; child; child = child->next)
        found = defuse(self, child) || found;
    return found;
}

static bool
wants_body(const openapi_operation_t *operation, const openapi_body_t *body)
{
    static const char *const without[] = { "GET", "HEAD", "DELETE", "OPTIONS", "TRACE" };

    for (size_t i = 0; i < ROWS(without); i++)
        if (!strcmp(without[i], operation->method))
            return body->content_type && body->required;
    return body->content_type && (body->required || !body->is_binary);
}

static void
set_if_any(openapi_t *self, json_t *step, const char *name, json_t *value)
{
    if (value->count)
        json_set(self->arena, step, name, value);
}

static json_t *
make_step(openapi_t *self, const openapi_operation_t *operation,
          const openapi_options_t *options)
{
    json_t *step = json_object(self->arena);
    json_t *query = json_object(self->arena), *headers = json_object(self->arena);
    openapi_body_t body = openapi_body(self, operation);
    size_t count;
    openapi_spot_t *parameters = openapi_parameters(self, operation, &count);

    json_set_text(self->arena, step, "name", scenario_name(self, operation, NULL));
    json_set_text(self->arena, step, "method", operation->method);
    json_set_text(self->arena, step, "path", fill_path(self, operation, parameters, count));
    for (size_t i = 0; i < count; i++)
        add_parameter(self, parameters[i], query, headers);
    json_t *sent = wants_body(operation, &body) ? openapi_body_step(self, &body) : NULL;
    bool defused = defuse(self, query);
    defused = defuse(self, headers) || defused;
    defused = (sent && defuse(self, sent)) || defused;
    if (defused)
        openapi_warn(self, operation->spot,
                     "an example holds {{, which begins a variable; a blank was put between");
    if (options->api_key && options->credential_tag)
        add_key(self, operation, query, headers);
    set_if_any(self, step, "query", query);
    set_if_any(self, step, "headers", headers);
    if (sent)
        json_set(self->arena, step, "body", sent);
    json_t *expect = json_set(self->arena, step, "expect", openapi_expect(self, operation));
    if (expect->first->text && *expect->first->text == '3')
        json_set_bool(self->arena, step, "followRedirects", false);
    return step;
}

// A server of the operation's own wins over the target; the login is not sent to another origin.
static bool
set_base_url(openapi_t *self, const openapi_operation_t *operation,
             const openapi_options_t *options, json_t *scenario)
{
    const char *own = openapi_own_server(self, operation);
    const char *rest = rest_of_base(self, options->target_url);

    if (own) {
        json_set_text(self->arena, scenario, "baseUrl", own);
        openapi_warn(self, operation->spot, "the operation has a server of its own, %.200s",
                     own);
        return !strcmp(openapi_url_origin(self->arena, own),
                       openapi_url_origin(self->arena, openapi_base_url(self)));
    }
    if (*rest)
        json_set_text(self->arena, scenario, "baseUrl",
                      arena_printf(self->arena, "{{baseUrl}}%s", rest));
    return true;
}

static json_t *
make_scenario(openapi_t *self, const openapi_operation_t *operation,
              const openapi_options_t *options)
{
    json_t *scenario = json_object(self->arena);
    const char *about = description(self, operation);

    json_set_text(self->arena, scenario, "name", scenario_name(self, operation, NULL));
    if (*about)
        json_set_text(self->arena, scenario, "description", about);
    bool same_origin = set_base_url(self, operation, options, scenario);
    if (options->app_tag)
        json_set_text(self->arena, scenario, "appTag", options->app_tag);
    if (options->credential_tag && same_origin && openapi_wants_login(self, operation))
        json_set_text(self->arena, scenario, "credentialTag", options->credential_tag);
    set_if_any(self, scenario, "tags", make_tags(self, operation, options->tags));
    json_t *steps = json_set(self->arena, scenario, "steps", json_array(self->arena));
    json_add(steps, make_step(self, operation, options));
    return scenario;
}

// The entry of one operation, or NULL with a warning when what was made is no valid scenario.
static json_t *
make_entry(openapi_t *self, const openapi_operation_t *operation, const void *arg)
{
    const openapi_options_t *options = arg;
    json_t *scenario = make_scenario(self, operation, options);
    const char *yaml = scenario_to_yaml(self->arena, scenario);
    scenario_result_t checked;

    scenario_parse(self->arena, yaml, strlen(yaml), NULL, &checked);
    if (!checked.scenario) {
        openapi_warn(self, operation->spot, "no scenario can be made: %.300s",
                     scenario_first_error(self->arena, &checked));
        return NULL;
    }
    json_t *entry = json_object(self->arena);
    json_set_text(self->arena, entry, "key", operation->key);
    json_set_text(self->arena, entry, "name", checked.name);
    json_set_text(self->arena, entry, "otherName",
                  options->app_tag ? scenario_name(self, operation, options->app_tag) : NULL);
    json_set_text(self->arena, entry, "method", operation->method);
    json_set_text(self->arena, entry, "path", operation->path);
    json_set(self->arena, entry, "operationId", json_string(self->arena, operation->id));
    json_set(self->arena, entry, "scenario", checked.scenario);
    json_set_text(self->arena, entry, "yamlText", yaml);
    return entry;
}

// The same method and path twice: the first one counts.
static bool
stood_before(const openapi_t *self, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (!strcmp(self->operations[i].key, self->operations[index].key))
            return true;
    return false;
}

json_t *
openapi_scenarios(openapi_t *self, const openapi_options_t *options)
{
    json_t *entries = json_array(self->arena);

    openapi_list(self);
    for (size_t i = 0; i < self->operation_count; i++) {
        if (!openapi_glob(options->globs, self->operations[i].method, self->operations[i].path)
            || stood_before(self, i))
            continue;
        json_t *entry = openapi_scratch(self, &self->operations[i], options, make_entry);
        if (entry)
            json_add(entries, entry);
    }
    return entries;
}
