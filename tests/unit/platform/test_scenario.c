// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "formats/scenario.h"
#include "formats/yaml.h"
#include "limits.h"

#include <cmocka.h>

static arena_t *arena;

static int
setup(void **state)
{
    arena = arena_new();
    return 0;
}

static int
teardown(void **state)
{
    arena_destroy(&arena);
    return 0;
}

static scenario_result_t
parse_with(const char *yaml, const char *known)
{
    scenario_result_t result;

    scenario_parse(arena, yaml, strlen(yaml), known ? json_parse_text(arena, known) : NULL,
                   &result);
    return result;
}

static const json_t *
accept(const char *yaml)
{
    scenario_result_t result = parse_with(yaml, NULL);

    if (!result.scenario)
        fail_msg("%s\n%s", json_text(arena, result.errors), yaml);
    assert_int_equal(result.errors->count, 0);
    return result.scenario;
}

// A scenario with one step that has `lines` beside method and path.
static const char *
with_step(const char *lines)
{
    return arena_printf(arena, "name: n\nsteps:\n  - method: GET\n    path: /a\n    %s\n",
                        lines);
}

static const json_t *
step_of(const char *lines)
{
    return json_get(accept(with_step(lines)), "steps")->first;
}

static void
assert_json(const json_t *value, const char *want)
{
    const json_t *wanted = json_parse_text(arena, want);

    assert_non_null(wanted);
    if (!value || !json_equal(value, wanted))
        fail_msg("is %s\nnot %s", value ? json_text(arena, value) : "nothing", want);
}

static void
the_normalised_form_holds_what_was_said(void **state)
{
    const json_t *scenario =
        accept("name: Pets\n"
               "description: |\n  two\n  lines\n"
               "baseUrl: '{{baseUrl}}'\n"
               "appTag: shop\n"
               "credentialTag: keeper\n"
               "tags: [smoke, ' pets ', smoke]\n"
               "hooks: {before: [{script: 'id:uuid'}, {script: 'n:randomInt(1, 9)'}]}\n"
               "dataColumns: [row]\n"
               "steps:\n"
               "  - {method: get, path: /pets, expect: 200}\n");

    assert_json(
        scenario,
        "{\"name\":\"Pets\",\"description\":\"two\\nlines\\n\",\"appTag\":\"shop\","
        "\"credentialTag\":\"keeper\",\"tags\":[\"smoke\",\"pets\"],"
        "\"hooks\":{\"before\":[{\"name\":\"id\",\"generator\":\"uuid\",\"arguments\":[]},"
        "{\"name\":\"n\",\"generator\":\"randomInt\",\"arguments\":[\"1\",\"9\"]}]},"
        "\"dataColumns\":[\"row\"],\"steps\":[{\"name\":\"GET /pets\",\"method\":\"GET\","
        "\"path\":\"/pets\",\"expect\":[200]}]}");
}

// clang-format off
static const struct {
    const char *lines;
    const char *member;
    const char *json;
} steps[] = {
    { "expect: [200, 2XX, '404']", "expect", "[200,\"2xx\",404]" },
    { "headers: {X-Version: 1.10, X-Zip: 0123, X-Flag: true, X-Empty: }", "headers",
      "{\"X-Version\":\"1.10\",\"X-Zip\":\"0123\",\"X-Flag\":\"true\",\"X-Empty\":\"\"}" },
    { "query: {limit: 10, tags: [a, 01], day: 2024-10-01, e: }", "query",
      "{\"limit\":\"10\",\"tags\":[\"a\",\"01\"],\"day\":\"2024-10-01\",\"e\":\"\"}" },
    { "body: {a: [1, no, 1.50], b: {}}", "body",
      "{\"kind\":\"json\",\"json\":{\"a\":[1,\"no\",1.50],\"b\":{}}}" },
    { "body: [1]", "body", "{\"kind\":\"json\",\"json\":[1]}" },
    { "body: true", "body", "{\"kind\":\"json\",\"json\":true}" },
    { "body: plain text", "body", "{\"kind\":\"text\",\"text\":\"plain text\"}" },
    { "body: ''", "body", "{\"kind\":\"text\",\"text\":\"\"}" },
    { "{body: '<a/>', contentType: application/xml}", "body", NULL },
    { "form: {a: 1, b: [x, y]}", "body", "{\"kind\":\"form\",\"json\":{\"a\":\"1\",\"b\":[\"x\",\"y\"]}}" },
    { "extract: {id: $.id, other: '$.a[0]'}", "extract", "{\"id\":\"$.id\",\"other\":\"$.a[0]\"}" },
    { "always: true", "always", "true" },
    { "followRedirects: false", "followRedirects", "false" },
    { "timeout: 10s", "timeoutMs", "10000" },
    { "timeout: 500ms", "timeoutMs", "500" },
    { "timeout: 10_000", "timeoutMs", "10000" },
    { "timeout: 2 m", "timeoutMs", "120000" },
    { "retry: 3", "retry", "{\"max\":3,\"delayMs\":1000}" },
    { "retry: {max: 2, delay: 500ms}", "retry", "{\"max\":2,\"delayMs\":500}" },
    { "charset: gb2312", "charset", "\"gb2312\"" },
    { "assert: [{path: $.id, equals: 5}]", "asserts", "[{\"path\":\"$.id\",\"op\":\"equals\",\"value\":5}]" },
    { "assert: [{path: $.d, equals: 2024-10-01}]", "asserts",
      "[{\"path\":\"$.d\",\"op\":\"equals\",\"value\":\"2024-10-01\"}]" },
    { "assert: [{path: $.d, equals: null}]", "asserts", "[{\"path\":\"$.d\",\"op\":\"equals\",\"value\":null}]" },
    { "assert: [{path: $.d, exists: false}, {path: $.d, notExists: true}]", "asserts",
      "[{\"path\":\"$.d\",\"op\":\"notExists\",\"value\":true},{\"path\":\"$.d\",\"op\":\"notExists\",\"value\":true}]" },
    { "assert: [{path: $.d, notExists: false}]", "asserts", "[{\"path\":\"$.d\",\"op\":\"exists\",\"value\":true}]" },
    { "assert: [{path: $.d, type: null}, {path: $.d, type: 'null'}]", "asserts",
      "[{\"path\":\"$.d\",\"op\":\"type\",\"value\":\"null\"},{\"path\":\"$.d\",\"op\":\"type\",\"value\":\"null\"}]" },
    { "assert: [{path: $.d, exists: true, length: 3}]", "asserts",
      "[{\"path\":\"$.d\",\"op\":\"exists\",\"value\":true},{\"path\":\"$.d\",\"op\":\"length\",\"value\":3}]" },
    { "assert: [{header: X-N, equals: 0123}]", "asserts", "[{\"header\":\"X-N\",\"op\":\"equals\",\"value\":\"0123\"}]" },
    { "assert: [{body: true, matches: '\\d+'}]", "asserts", "[{\"body\":true,\"op\":\"matches\",\"value\":\"\\\\d+\"}]" },
    { "assert: [{time: 1s}, {time: 500}]", "asserts",
      "[{\"time\":true,\"op\":\"lessThan\",\"value\":1000},{\"time\":true,\"op\":\"lessThan\",\"value\":500}]" },
    { "assert: [{path: $.n, equals: 9223372036854775808}]", "asserts",
      "[{\"path\":\"$.n\",\"op\":\"equals\",\"value\":9223372036854775808}]" },
};
// clang-format on

static void
every_key_of_a_step_is_normalised(void **state)
{
    for (size_t i = 0; i < ROWS(steps); i++) {
        print_message("  %s\n", steps[i].lines);
        if (steps[i].json)
            assert_json(json_get(step_of(steps[i].lines), steps[i].member), steps[i].json);
    }
    const json_t *body =
        json_get(step_of("body: '<a/>'\n    contentType: application/xml"), "body");
    assert_json(body,
                "{\"kind\":\"text\",\"text\":\"<a/>\",\"contentType\":\"application/xml\"}");
}

static void
defaults_are_not_stored(void **state)
{
    assert_json(
        step_of("always: false\n    followRedirects: true\n    timeout: 30s\n    retry: 0\n    "
                "headers: {}\n"
                "    body:\n    expect:\n    assert: []\n    extract: {}\n    query: {}"),
        "{\"name\":\"GET /a\",\"method\":\"GET\",\"path\":\"/a\"}");
}

// clang-format off
static const struct {
    const char *yaml;
    int line, column;
    const char *key;
    const char *says;
    const char *allows;  // one of the allowed values, or NULL
} refused[] = {
    { "",                                          1, 1,  "", "mapping", NULL },
    { "- a\n",                                     1, 1,  "", "mapping", NULL },
    { "name: x\n",                                 1, 1,  "steps", "missing", NULL },
    { "steps: [{method: GET, path: /a}]\n",        1, 1,  "name", "missing", NULL },
    { "name: ''\nsteps: [{method: GET, path: /a}]\n", 1, 7, "name", "empty", NULL },
    { "name: {a: 1}\nsteps: [{method: GET, path: /a}]\n", 1, 7, "name", "text", NULL },
    { "name: n\nsteps: []\n",                      2, 8,  "steps", "at least one", NULL },
    { "name: n\nsteps: x\n",                       2, 8,  "steps", "list", NULL },
    { "name: n\nsteps: [x]\n",                     2, 9,  "steps[0]", "mapping", NULL },
    { "name: n\nstepz: 1\nsteps: [{method: GET, path: /a}]\n", 2, 1, "stepz", "unknown key", "steps" },
    { "name: n\nName: m\nsteps: [{method: GET, path: /a}]\n", 2, 1, "Name", "write name", "name" },
    { "name: n\nbaseUrl: shop\nsteps: [{method: GET, path: /a}]\n", 2, 10, "baseUrl", "http", "{{baseUrl}}" },
    { "name: n\ntags: ['a,b']\nsteps: [{method: GET, path: /a}]\n", 2, 7, "tags", "comma", NULL },
    { "name: n\ntags: {a: b}\nsteps: [{method: GET, path: /a}]\n", 2, 7, "tags", "text", NULL },
    { "name: n\nsteps:\n- path: /a\n",             3, 3,  "steps[0]", "method is missing", NULL },
    { "name: n\nsteps:\n- method: GET\n",          3, 3,  "steps[0]", "path is missing", NULL },
    { "name: n\nsteps:\n- {method: FETCH, path: /a}\n", 3, 12, "steps[0].method", "FETCH", "PATCH" },
    { "name: n\nsteps:\n- {method: GET, path: a}\n", 3, 23, "steps[0].path", "start with /", "/pets" },
    { "name: n\nsteps:\n- {method: GET, path: 'http://h/a'}\n", 3, 23, "steps[0].path", "start with /", NULL },
    { "name: n\nsteps:\n- {method: GET, path: '/a#b'}\n", 3, 23, "steps[0].path", "#", NULL },
    { "name: n\nsteps:\n- {method: GET, url: /a}\n", 3, 17, "steps[0].url", "write path", "path" },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  expect: [20]\n", 5, 12, "steps[0].expect[0]", "status", "2xx" },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  expect: 600\n", 5, 11, "steps[0].expect", "status", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  expect: []\n", 5, 11, "steps[0].expect", "1 to", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  headers: {'a b': x}\n", 5, 13, "steps[0].headers.a b", "header", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  headers: {a: \"x\\ny\"}\n", 5, 16, "steps[0].headers.a", "one line", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  headers: [a]\n", 5, 12, "steps[0].headers", "mapping", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  query: x=1\n", 5, 10, "steps[0].query", "mapping", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  query: {a: {b: c}}\n", 5, 14, "steps[0].query.a", "text", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  body: x\n  form: {a: b}\n", 6, 3, "steps[0].form", "not both", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  contentType: text/xml\n", 5, 3, "steps[0].contentType", "without body", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  body: x\n  contentType: xml\n", 6, 16, "steps[0].contentType", "media type", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  form: {a: b}\n  contentType: text/xml\n", 6, 3, "steps[0].contentType", "always", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  extract: {id: .id}\n", 5, 17, "steps[0].extract.id", "JSONPath", "$.id" },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  extract: {'a b': $.id}\n", 5, 13, "steps[0].extract.a b", "variable", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  extract: {baseUrl: $.id}\n", 5, 13, "steps[0].extract.baseUrl", "another name", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  always: yes\n", 5, 11, "steps[0].always", "true or false", "true" },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  timeout: soon\n", 5, 12, "steps[0].timeout", "time", "10s" },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  timeout: 0\n", 5, 12, "steps[0].timeout", "between", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  timeout: 6m\n", 5, 12, "steps[0].timeout", "between", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  timeout: 99999999999s\n", 5, 12, "steps[0].timeout", "time", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  retry: 11\n", 5, 10, "steps[0].retry", "0 to 10", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  retry: {times: 2}\n", 5, 11, "steps[0].retry.times", "unknown key", "max" },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  charset: a b\n", 5, 12, "steps[0].charset", "character set", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  assert: {path: $.a}\n", 5, 11, "steps[0].assert", "list", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  assert: [x]\n", 5, 12, "steps[0].assert[0]", "mapping", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  assert: [{path: $.a}]\n", 5, 12, "steps[0].assert[0]", "nothing to check", "equals" },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  assert: [{equals: 1}]\n", 5, 12, "steps[0].assert[0]", "exactly one of", "body: true" },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  assert: [{path: $, header: X, equals: 1}]\n", 5, 12, "steps[0].assert[0]", "exactly one of", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  assert: [{path: a, equals: 1}]\n", 5, 19, "steps[0].assert[0].path", "JSONPath", "$.id" },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  assert: [{path: $.a, eq: 1}]\n", 5, 24, "steps[0].assert[0].eq", "unknown key", "equals" },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  assert: [{status: 200}]\n", 5, 13, "steps[0].assert[0].status", "expect", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  assert: [{path: $.a, matches: '['}]\n", 5, 33, "steps[0].assert[0].matches", "regular expression", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  assert: [{path: $.a, type: text}]\n", 5, 30, "steps[0].assert[0].type", "no type text", "string" },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  assert: [{path: $.a, length: -1}]\n", 5, 32, "steps[0].assert[0].length", "whole number", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  assert: [{path: $.a, isIsoDate: false}]\n", 5, 35, "steps[0].assert[0].isIsoDate", "only true", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  assert: [{body: x, contains: y}]\n", 5, 19, "steps[0].assert[0].body", "body: true", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  assert: [{time: 1s, equals: 3}]\n", 5, 12, "steps[0].assert[0]", "stands alone", NULL },
    { "name: n\nhooks: {before: [{script: id}]}\nsteps: [{method: GET, path: /a}]\n", 2, 27, "hooks.before[0].script", "name:generator", "name:uuid" },
    { "name: n\nhooks: {before: ['id:uuid']}\nsteps: [{method: GET, path: /a}]\n", 2, 18, "hooks.before[0]", "script", NULL },
    { "name: n\nhooks: {before: [{script: 'id:guid'}]}\nsteps: [{method: GET, path: /a}]\n", 2, 27, "hooks.before[0].script", "no generator guid", NULL },
    { "name: n\nhooks: {before: [{script: 'id:uuid(1)'}]}\nsteps: [{method: GET, path: /a}]\n", 2, 27, "hooks.before[0].script", "0 arguments", NULL },
    { "name: n\nhooks: {before: [{script: 'id:randomInt(5,1)'}]}\nsteps: [{method: GET, path: /a}]\n", 2, 27, "hooks.before[0].script", "two whole numbers", NULL },
    { "name: n\nhooks: {before: [{script: 'id:randomInt(a,b)'}]}\nsteps: [{method: GET, path: /a}]\n", 2, 27, "hooks.before[0].script", "two whole numbers", NULL },
    { "name: n\nhooks: {before: [{script: 'id:randomString(0)'}]}\nsteps: [{method: GET, path: /a}]\n", 2, 27, "hooks.before[0].script", "length", NULL },
    { "name: n\nhooks: {before: [{script: 'id:env(A B)'}]}\nsteps: [{method: GET, path: /a}]\n", 2, 27, "hooks.before[0].script", "environment variable", NULL },
    { "name: n\nhooks: {after: []}\nsteps: [{method: GET, path: /a}]\n", 2, 9, "hooks.after", "unknown key", "before" },
    { "name: n\nsteps:\n- method: GET\n  path: '/a/{{$uuid}}'\n", 4, 9, "steps[0].path", "\"uuid:uuid\"", NULL },
    { "name: n\nsteps:\n- method: POST\n  path: /a\n  body: {x: '{{$randomCity}}'}\n", 5, 13, "steps[0].body.x", "not known here", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: /a\n  path: /b\n", 5, 3, "steps[0].path", "line 4 and in line 5", NULL },
    { "name: n\nsteps:\n- method: GET\n  path: {{x}}\n", 4, 10, "", "quote values that begin with {", NULL },
    { "name: n\nsteps: [\n",                      3, 1, "", "bracket", NULL },
};
// clang-format on

static void
every_error_names_line_column_key_and_what_is_allowed(void **state)
{
    for (size_t i = 0; i < ROWS(refused); i++) {
        scenario_result_t result = parse_with(refused[i].yaml, NULL);
        assert_null(result.scenario);
        const json_t *error = result.errors->first;
        assert_non_null(error);
        print_message("  %s\n", scenario_first_error(arena, &result));
        assert_string_equal(json_get_text(error, "key"), refused[i].key);
        assert_int_equal(json_get_int(error, "line", 0), refused[i].line);
        assert_int_equal(json_get_int(error, "column", 0), refused[i].column);
        assert_non_null(strstr(json_get_text(error, "message"), refused[i].says));
        if (refused[i].allows)
            assert_non_null(
                strstr(json_text(arena, json_get(error, "allowed")), refused[i].allows));
    }
}

static void
all_errors_are_collected_up_to_fifty(void **state)
{
    scenario_result_t result = parse_with(
        "nam: x\nsteps:\n- {method: X, path: y}\n- {method: GET, path: /a, expect: [1]}\n",
        NULL);
    assert_int_equal(result.errors->count, 5);  // nam, method, path, expect, name is missing

    buffer_t yaml = { 0 };
    buffer_text(&yaml, "name: n\nsteps:\n");
    for (int i = 0; i < 60; i++)
        buffer_text(&yaml, "- {method: GET, path: a}\n");
    assert_int_equal(parse_with(yaml.bytes, NULL).errors->count, SCENARIO_PROBLEMS_MAX);
    buffer_clear(&yaml);
}

static void
the_hook_that_a_message_advises_is_accepted(void **state)
{
    static const char *const names[] = { "uuid",         "guid",      "timestamp",
                                         "isoTimestamp", "randomInt", "randomUUID" };

    for (size_t i = 0; i < ROWS(names); i++) {
        const char *yaml = arena_printf(
            arena, "name: n\nsteps:\n- {method: GET, path: '/{{$%s}}'}\n", names[i]);
        scenario_result_t result = parse_with(yaml, NULL);
        const char *message = json_get_text(result.errors->first, "message");
        const char *hook = strstr(message, "hooks: ");
        assert_non_null(hook);
        const char *end = strstr(hook, " and use");
        yaml = arena_printf(arena, "name: n\n%.*s\nsteps:\n- {method: GET, path: '/{{%s}}'}\n",
                            (int) (end - hook), hook, names[i]);
        result = parse_with(yaml, "{}");
        assert_non_null(result.scenario);
        assert_int_equal(result.warnings->count, 0);
    }
}

static void
an_unknown_variable_is_a_warning_when_the_environment_is_known(void **state)
{
    const char *yaml =
        "name: n\nhooks: {before: [{script: 'made:uuid'}]}\ndataColumns: [row]\nsteps:\n"
        "- {method: GET, path: '/{{late}}/{{made}}/{{row}}/{{ tenant "
        "}}/{{baseUrl}}/{{username}}'}\n"
        "- {method: GET, path: /b, extract: {late: $.id}, body: {'{{nokey}}': '{{ .Name }} "
        "{{#if}} {{'}}\n"
        "- {method: GET, path: '/{{late}}', headers: {X: '{{other}}'}}\n";
    scenario_result_t result = parse_with(yaml, "{\"tenant\":\"t\"}");

    assert_non_null(result.scenario);
    assert_int_equal(result.warnings->count, 3);
    assert_non_null(strstr(json_text(arena, result.warnings->first), "{{late}}"));
    assert_int_equal(json_get_int(result.warnings->first, "line", 0), 5);
    assert_non_null(strstr(json_text(arena, result.warnings->first->next), "{{nokey}}"));
    assert_non_null(strstr(json_text(arena, result.warnings->last), "{{other}}"));
    assert_int_equal(parse_with(yaml, NULL).warnings->count, 0);
}

static void
tiny_timeouts_and_lost_zeros_are_warnings(void **state)
{
    scenario_result_t result =
        parse_with(with_step("timeout: 15\n    body: {zip: 0123, ok: 0.5, zero: 0}"), NULL);

    assert_non_null(result.scenario);
    assert_int_equal(result.warnings->count, 2);
    assert_non_null(strstr(json_text(arena, result.warnings), "15s"));
    assert_non_null(strstr(json_text(arena, result.warnings), "0123 is the number 123"));
    assert_int_equal(parse_with(with_step("timeout: 100"), NULL).warnings->count, 0);
    assert_int_equal(parse_with(with_step("timeout: 99"), NULL).warnings->count, 1);
}

static const char *
many_steps(size_t count)
{
    buffer_t yaml = { 0 };

    buffer_text(&yaml, "name: n\nsteps:\n");
    for (size_t i = 0; i < count; i++)
        buffer_text(&yaml, "- {method: GET, path: /a}\n");
    const char *text = arena_strndup(arena, yaml.bytes, yaml.size);
    buffer_clear(&yaml);
    return text;
}

static const char *
many(const char *before, const char *what, size_t count, const char *after)
{
    buffer_t text = { 0 };

    buffer_text(&text, before);
    for (size_t i = 0; i < count; i++)
        buffer_text(&text, what);
    buffer_text(&text, after);
    const char *copy = arena_strndup(arena, text.bytes, text.size);
    buffer_clear(&text);
    return copy;
}

static void
steps_names_and_tags_have_limits(void **state)
{
    for (int over = -1; over <= 1; over++) {
        const json_t *scenario =
            parse_with(many_steps((size_t) (STEPS_MAX + over)), NULL).scenario;
        assert_int_equal(scenario == NULL, over > 0);
        scenario = parse_with(many("name: ", "é", (size_t) (SCENARIO_NAME_MAX + over),
                                   "\nsteps: [{method: GET, path: /a}]\n"),
                              NULL)
                       .scenario;
        assert_int_equal(scenario == NULL, over > 0);
        buffer_t yaml = { 0 };
        buffer_text(&yaml, "name: n\nsteps: [{method: GET, path: /a}]\ntags:\n");
        for (int i = 0; i < SCENARIO_TAGS_MAX + over; i++)
            buffer_printf(&yaml, "- t%d\n", i);
        assert_int_equal(parse_with(yaml.bytes, NULL).scenario == NULL, over > 0);
        buffer_clear(&yaml);
    }
}

static void
a_scenario_that_grows_over_the_limit_when_written_is_refused(void **state)
{
    const char *yaml =
        many("name: n\nsteps:\n- {method: POST, path: /a, body: [", "[[1]],", 40000, "[]]}\n");
    scenario_result_t result = parse_with(yaml, NULL);

    assert_true(strlen(yaml) <= YAML_MAX);
    assert_null(result.scenario);
    assert_non_null(strstr(scenario_first_error(arena, &result), "KiB"));
}

static void
structured_steps_meet_the_same_checks(void **state)
{
    scenario_result_t result;
    const char *good = "{\"name\":\"n\",\"steps\":[{\"method\":\"post\",\"path\":\"/"
                       "a\",\"body\":{\"id\":1.50},\"expect\":[201],"
                       "\"assert\":[{\"path\":\"$.id\",\"equals\":\"01\"}],\"timeout\":\"5s\"}]"
                       ",\"tags\":\"smoke\",\"description\":null}";

    scenario_from_json(arena, json_parse_text(arena, good), NULL, &result);
    if (!result.scenario)
        fail_msg("%s", json_text(arena, result.errors));
    assert_json(result.scenario,
                "{\"name\":\"n\",\"tags\":[\"smoke\"],\"steps\":[{\"name\":\"POST "
                "/a\",\"method\":\"POST\",\"path\":\"/a\","
                "\"body\":{\"kind\":\"json\",\"json\":{\"id\":1.50}},\"expect\":[201],"
                "\"timeoutMs\":5000,"
                "\"asserts\":[{\"path\":\"$.id\",\"op\":\"equals\",\"value\":\"01\"}]}]}");

    scenario_from_json(
        arena,
        json_parse_text(arena,
                        "{\"name\":\"n\",\"steps\":[{\"method\":\"GET\",\"path\":\"a\"}]}"),
        NULL, &result);
    assert_null(result.scenario);
    assert_null(json_get(result.errors->first, "line"));
    assert_string_equal(json_get_text(result.errors->first, "key"), "steps[0].path");
    assert_string_equal(scenario_first_error(arena, &result),
                        "steps[0].path: must start with /; the address before it is baseUrl");
}

static void
a_structured_body_too_deep_for_yaml_is_refused(void **state)
{
    scenario_result_t result;
    const char *deep =
        many("{\"name\":\"n\",\"steps\":[{\"method\":\"POST\",\"path\":\"/a\",\"body\":", "[",
             40, many("", "]", 40, "}]}"));

    scenario_from_json(arena, json_parse_text(arena, deep), NULL, &result);
    assert_null(result.scenario);
    assert_non_null(strstr(json_text(arena, result.errors), "cannot be written as YAML"));
}

static void
assert_same_after_export(const json_t *scenario)
{
    const char *yaml = scenario_to_yaml(arena, scenario);
    scenario_result_t again = parse_with(yaml, NULL);

    if (!again.scenario || !json_equal(again.scenario, scenario))
        fail_msg("%s\nbecame\n%s\n%s", json_text(arena, scenario),
                 again.scenario ? json_text(arena, again.scenario)
                                : json_text(arena, again.errors),
                 yaml);
    assert_string_equal(scenario_to_yaml(arena, again.scenario), yaml);
}

static void
what_is_exported_imports_unchanged(void **state)
{
    for (size_t i = 0; i < ROWS(steps); i++)
        if (steps[i].json)
            assert_same_after_export(accept(with_step(steps[i].lines)));
    assert_same_after_export(accept(
        "name: 'yes'\ndescription: \"a\\n b: c\\r\\n\"\ntags: ['1', 'null']\nappTag: 0123\n"
        "baseUrl: '{{baseUrl}}/v2'\nhooks: {before: [{script: 'a:env(HOME)'}, {script: "
        "'b:randomInt(-5,5)'}]}\n"
        "dataColumns: [c]\nsteps:\n- {name: '- x', method: PUT, path: '/a?x={{a}}&y=%20', "
        "body: \"line\\n\\n  two\\n\", contentType: 'text/x; a=\"b\"'}\n"));
}

static char *
read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *bytes = arena_alloc(arena, 200000);

    assert_non_null(file);
    size_t size = fread(bytes, 1, 199999, file);
    fclose(file);
    bytes[size] = '\0';
    return bytes;
}

static void
every_example_of_the_documentation_is_valid(void **state)
{
    const char *at = read_file(TEST_DATA "/../../docs/scenario-yaml.md");
    size_t count = 0;

    while ((at = strstr(at, "```yaml\n"))) {
        const char *end = strstr(at + 8, "```");
        assert_non_null(end);
        const char *yaml = arena_strndup(arena, at + 8, (size_t) (end - at - 8));
        scenario_result_t result = parse_with(yaml, "{}");
        if (!result.scenario || result.warnings->count)
            fail_msg("%s %s\n%s", json_text(arena, result.errors),
                     json_text(arena, result.warnings), yaml);
        assert_same_after_export(result.scenario);
        at = end + 3;
        count++;
    }
    assert_int_equal(count, 2);
}

static void
every_generator_that_is_listed_is_accepted(void **state)
{
    const json_t *list = scenario_generators(arena);

    assert_int_equal(list->count, 6);
    for (const json_t *row = list->first; row; row = row->next)
        accept(arena_printf(
            arena,
            "name: n\nhooks: {before: [{script: '%s'}]}\nsteps: [{method: GET, path: /a}]\n",
            json_get_text(row, "example")));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_normalised_form_holds_what_was_said, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(every_key_of_a_step_is_normalised, setup, teardown),
        cmocka_unit_test_setup_teardown(defaults_are_not_stored, setup, teardown),
        cmocka_unit_test_setup_teardown(every_error_names_line_column_key_and_what_is_allowed,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(all_errors_are_collected_up_to_fifty, setup, teardown),
        cmocka_unit_test_setup_teardown(the_hook_that_a_message_advises_is_accepted, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(
            an_unknown_variable_is_a_warning_when_the_environment_is_known, setup, teardown),
        cmocka_unit_test_setup_teardown(tiny_timeouts_and_lost_zeros_are_warnings, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(steps_names_and_tags_have_limits, setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_scenario_that_grows_over_the_limit_when_written_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(structured_steps_meet_the_same_checks, setup, teardown),
        cmocka_unit_test_setup_teardown(a_structured_body_too_deep_for_yaml_is_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_is_exported_imports_unchanged, setup, teardown),
        cmocka_unit_test_setup_teardown(every_example_of_the_documentation_is_valid, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(every_generator_that_is_listed_is_accepted, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
