// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "auto.h"
#include "formats/scenario.h"
#include "formats/scenario_reader.h"
#include "json_utf8.h"
#include "jsonpath.h"
#include "limits.h"

enum {
    PATH_MAX_LENGTH = 8000,
    VALUE_MAX = 8000,  // code points of a header or query value
    HEADERS_MAX = 100,
    STATUSES_MAX = 50,
    EXTRACTS_MAX = 100,
    TIMEOUT_TINY_MS = 100,
};

// clang-format off
static const char *const methods[] = {
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", NULL,
};
// clang-format on

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
read_method(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    const char *text = scenario_reader_text(self, spot, 20, true);

    for (size_t i = 0; text && methods[i]; i++) {
        if (!strcasecmp(text, methods[i])) {
            json_set_text(self->arena, out, "method", methods[i]);
            return;
        }
    }
    if (text)
        scenario_reader_error(self, spot, methods, "there is no method %s", text);
}

static void
read_path(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    static const char *const allowed[] = { "/pets", "/pets/{{id}}", "/pets?limit=10", NULL };
    const char *path = scenario_reader_text(self, spot, PATH_MAX_LENGTH, true);

    if (!path)
        return;
    if (*path != '/')
        scenario_reader_error(self, spot, allowed,
                              "must start with /; the address before it is baseUrl");
    else if (strchr(path, '#'))
        scenario_reader_error(self, spot, allowed,
                              "must not hold #; write %%23 for the character");
    else
        json_set_text(self->arena, out, "path", path);
    scenario_variables_check(self, spot);
}

static bool
is_header_name(const char *name)
{
    static const char token[] = "!#$%&'*+-.^_`|~";

    for (const char *at = name; *at; at++)
        if (!isalnum((unsigned char) *at) && !strchr(token, *at))
            return false;
    return *name;
}

static void
read_headers(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    json_t *headers = json_object(self->arena);

    if (spot.value->kind != JSON_OBJECT || spot.value->count > HEADERS_MAX) {
        scenario_reader_error(self, spot, NULL, "must be a mapping of at most %d names to text",
                              HEADERS_MAX);
        return;
    }
    for (const json_t *member = spot.value->first; member; member = member->next) {
        scenario_spot_t at = scenario_reader_member(self, spot, member);
        const char *value =
            member->kind == JSON_NULL ? "" : scenario_reader_text(self, at, VALUE_MAX, true);
        if (!is_header_name(member->key))
            scenario_reader_key_error(self, at, NULL, "is no name of a header");
        else if (value)
            json_set_text(self->arena, headers, member->key, value);
        scenario_variables_check(self, at);
    }
    if (headers->count)
        json_set(self->arena, out, "headers", headers);
}

// {name: text or [text]}; null is the empty text.
static json_t *
read_pairs(scenario_reader_t *self, scenario_spot_t spot)
{
    json_t *pairs = json_object(self->arena);

    if (spot.value->kind != JSON_OBJECT) {
        scenario_reader_error(self, spot, NULL,
                              "must be a mapping of names to text or lists of text");
        return NULL;
    }
    for (const json_t *member = spot.value->first; member; member = member->next) {
        scenario_spot_t at = scenario_reader_member(self, spot, member);
        json_t *value;
        if (member->kind == JSON_NULL) {
            value = json_string(self->arena, "");
        } else if (member->kind == JSON_ARRAY) {
            value = scenario_reader_texts(self, at, VALUE_MAX);
        } else {
            const char *text = scenario_reader_text(self, at, VALUE_MAX, false);
            value = text ? json_string(self->arena, text) : NULL;
        }
        if (value)
            json_set(self->arena, pairs, member->key, value);
    }
    scenario_variables_check(self, spot);
    return pairs;
}

static void
read_query(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    json_t *pairs = read_pairs(self, spot);

    if (pairs && pairs->count)
        json_set(self->arena, out, "query", pairs);
}

static void
set_body(scenario_reader_t *self, json_t *out, const char *kind, const char *member,
         json_t *value)
{
    json_t *body = json_set(self->arena, out, "body", json_object(self->arena));

    json_set_text(self->arena, body, "kind", kind);
    json_set(self->arena, body, member, value);
}

// Zeros in front are lost in JSON; the writer should know.
static void
warn_of_zeros(scenario_reader_t *self, scenario_spot_t spot)
{
    size_t index = 0;

    if (spot.value->kind == JSON_NUMBER && self->document) {
        const char *source = yaml_source(self->arena, self->document, spot.value);
        const char *digits = source + strspn(source, "+-");
        if (*digits == '0' && digits[1] && !strchr(".eE", digits[1]))
            scenario_reader_warn(
                self, spot, "%.60s is the number %.60s; put it in quotes to keep it as it is",
                source, spot.value->text);
    }
    for (const json_t *child = spot.value->first; child; child = child->next)
        warn_of_zeros(self, child->key ? scenario_reader_member(self, spot, child)
                                       : scenario_reader_item(self, spot, child, index++));
}

static void
read_body(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    scenario_variables_check(self, spot);
    if (spot.value->kind == JSON_STRING) {
        set_body(self, out, "text", "text", json_copy(self->arena, spot.value));
        return;
    }
    warn_of_zeros(self, spot);
    set_body(self, out, "json", "json", json_copy(self->arena, spot.value));
}

static void
read_form(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    json_t *pairs = read_pairs(self, spot);

    if (json_get(out, "body"))
        scenario_reader_key_error(self, spot, NULL, "a step has body or form, not both");
    else if (pairs)
        set_body(self, out, "form", "json", pairs);
}

static void
read_content_type(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    const char *type = scenario_reader_text(self, spot, VALUE_MAX, true);
    json_t *body = json_get(out, "body");

    if (!type)
        return;
    if (!strchr(type, '/') && !strstr(type, "{{"))
        scenario_reader_error(self, spot, NULL, "must be a media type such as text/plain");
    else if (!body)
        scenario_reader_key_error(self, spot, NULL, "contentType without body has no meaning");
    else if (!strcmp(json_get_text(body, "kind"), "form"))
        scenario_reader_key_error(self, spot, NULL,
                                  "a form is always sent as application/x-www-form-urlencoded");
    else
        json_set_text(self->arena, body, "contentType", type);
    scenario_variables_check(self, spot);
}

// 200, "200", "2xx", "2XX".
static json_t *
read_status(scenario_reader_t *self, scenario_spot_t spot)
{
    static const char *const allowed[] = { "200", "2xx", "[200, 201]", NULL };
    bool scalar = spot.value->kind == JSON_NUMBER || spot.value->kind == JSON_STRING;
    const char *text = scalar ? spot.value->text : "";

    if (strlen(text) == 3 && *text >= '1' && *text <= '5') {
        if (isdigit((unsigned char) text[1]) && isdigit((unsigned char) text[2]))
            return json_number(self->arena,
                               (text[0] - '0') * 100 + (text[1] - '0') * 10 + text[2] - '0');
        if (tolower((unsigned char) text[1]) == 'x' && tolower((unsigned char) text[2]) == 'x')
            return json_string(self->arena, arena_printf(self->arena, "%cxx", *text));
    }
    scenario_reader_error(self, spot, allowed,
                          "must be a status from 100 to 599 or a class such as 2xx");
    return NULL;
}

static void
read_expect(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    bool many = spot.value->kind == JSON_ARRAY;
    json_t *expect = json_array(self->arena);
    size_t index = 0;

    if (many && (!spot.value->count || spot.value->count > STATUSES_MAX)) {
        scenario_reader_error(self, spot, NULL, "must have 1 to %d statuses", STATUSES_MAX);
        return;
    }
    for (const json_t *item = many ? spot.value->first : spot.value; item;
         item = many ? item->next : NULL) {
        json_t *status =
            read_status(self, many ? scenario_reader_item(self, spot, item, index++) : spot);
        if (status)
            json_add(expect, status);
    }
    json_set(self->arena, out, "expect", expect);
}

static void
read_extract(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    static const char *const allowed[] = { "$.id", "$.items[0].id", NULL };
    json_t *extract = json_object(self->arena);

    if (spot.value->kind != JSON_OBJECT || spot.value->count > EXTRACTS_MAX) {
        scenario_reader_error(self, spot, NULL,
                              "must be a mapping of at most %d variables to JSONPaths",
                              EXTRACTS_MAX);
        return;
    }
    for (const json_t *member = spot.value->first; member; member = member->next) {
        scenario_spot_t at = scenario_reader_member(self, spot, member);
        const char *path = scenario_reader_text(self, at, VALUE_MAX, true);
        jsonpath_t *compiled = NULL;
        failure_t why = { 0 };
        scenario_variables_define(self, at, member->key);
        if (!path)
            continue;
        if (jsonpath_compile(self->arena, path, &compiled, &why))
            scenario_reader_error(self, at, allowed, "is no JSONPath: %s", why.text);
        else
            json_set_text(self->arena, extract, member->key, path);
    }
    if (extract->count)
        json_set(self->arena, out, "extract", extract);
}

static void
read_always(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    if (scenario_reader_flag(self, spot, false))
        json_set_bool(self->arena, out, "always", true);
}

static void
read_redirects(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    if (!scenario_reader_flag(self, spot, true))
        json_set_bool(self->arena, out, "followRedirects", false);
}

static void
read_timeout(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    int64_t ms = scenario_reader_ms(self, spot, 1, SCENARIO_STEP_MS_MAX);

    if (ms > 0 && ms < TIMEOUT_TINY_MS)
        scenario_reader_warn(self, spot,
                             "the timeout is %" PRId64
                             " ms, which few answers meet; for seconds write %" PRId64 "s",
                             ms, ms);
    if (ms > 0 && ms != STEP_MS)
        json_set_int(self->arena, out, "timeoutMs", ms);
}

static void
read_retry_max(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    int64_t max = scenario_reader_number(self, spot, 0, SCENARIO_RETRIES_MAX);

    if (max > 0)
        json_set_int(self->arena, out, "max", max);
}

static void
read_retry_delay(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    int64_t ms = scenario_reader_ms(self, spot, 0, SCENARIO_STEP_MS_MAX / 10);

    if (ms >= 0)
        json_set_int(self->arena, out, "delayMs", ms);
}

// A number of retries, or {max, delay}.
static void
read_retry(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    static const scenario_field_t fields[] = { { "max", read_retry_max },
                                               { "delay", read_retry_delay } };
    static const scenario_table_t table = { fields, ROWS(fields), NULL, 0 };
    json_t *retry = json_object(self->arena);

    if (spot.value->kind == JSON_OBJECT)
        scenario_reader_members(self, spot, &table, retry);
    else
        read_retry_max(self, spot, retry);
    if (!json_get(retry, "max"))
        return;
    if (!json_get(retry, "delayMs"))
        json_set_int(self->arena, retry, "delayMs", 1000);
    json_set(self->arena, out, "retry", retry);
}

static void
read_charset(scenario_reader_t *self, scenario_spot_t spot, json_t *out)
{
    const char *charset = scenario_reader_text(self, spot, 40, true);

    if (charset
        && (!*charset
            || strspn(charset,
                      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:")
                   != strlen(charset)))
        scenario_reader_error(self, spot, NULL,
                              "must be the name of a character set such as iso-8859-1");
    else if (charset)
        json_set_text(self->arena, out, "charset", charset);
}

// clang-format off
// In this order: form and contentType look at body, variables of extract hold from the next step.
static const scenario_field_t fields[] = {
    { "name",            read_name },
    { "method",          read_method },
    { "path",            read_path },
    { "query",           read_query },
    { "headers",         read_headers },
    { "body",            read_body },
    { "form",            read_form },
    { "contentType",     read_content_type },
    { "expect",          read_expect },
    { "assert",          scenario_assert_read },
    { "extract",         read_extract },
    { "always",          read_always },
    { "timeout",         read_timeout },
    { "followRedirects", read_redirects },
    { "retry",           read_retry },
    { "charset",         read_charset },
};

static const scenario_hint_t hints[] = {
    { "url",        "write path, beginning with /" },
    { "endpoint",   "write path, beginning with /" },
    { "status",     "write expect: [200]" },
    { "statusCode", "write expect: [200]" },
    { "asserts",    "write assert: [{path: $.id, equals: 5}]" },
    { "assertions", "write assert: [{path: $.id, equals: 5}]" },
    { "validate",   "write assert: [{path: $.id, equals: 5}]" },
    { "capture",    "write extract: {id: $.id}" },
    { "save",       "write extract: {id: $.id}" },
    { "json",       "write body" },
    { "data",       "write body" },
    { "params",     "write query" },
    { "timeoutMs",  "write timeout: 500ms" },
    { "action",     "an API step has method and path" },
};
// clang-format on

static const char *
default_name(arena_t *arena, const char *method, const char *path)
{
    const char *name = arena_printf(arena, "%s %s", method, path);
    size_t length = 0, points = 0;

    for (; name[length] && points < SCENARIO_NAME_MAX; points++)
        length += json_utf8_length(name + length, strlen(name + length));
    return arena_strndup(arena, name, length);
}

json_t *
scenario_step_read(scenario_reader_t *self, scenario_spot_t spot, size_t index)
{
    static const scenario_table_t table = { fields, ROWS(fields), hints, ROWS(hints) };
    json_t *step = json_object(self->arena);

    if (!scenario_reader_members(self, spot, &table, step))
        return NULL;
    for (const char *const *must = (const char *const[]){ "method", "path", NULL }; *must;
         must++) {
        const json_t *member = json_get(spot.value, *must);
        if (!member || member->kind == JSON_NULL)
            scenario_reader_error(self, spot, NULL, "%s is missing", *must);
    }
    const char *method = json_get_text(step, "method");
    const char *path = json_get_text(step, "path");
    if (!json_get(step, "name") && method && path)
        json_set_text(self->arena, step, "name", default_name(self->arena, method, path));
    return step;
}
