// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "formats/scenario.h"
#include "openapi_files.h"

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

static const openapi_options_t usual = { .app_tag = "app",
                                         .credential_tag = "keeper",
                                         .api_key = true };

static void
assert_json(const json_t *value, const char *want)
{
    const json_t *wanted = json_parse_text(arena, want);

    assert_non_null(wanted);
    if (!value || !json_equal(value, wanted))
        fail_msg("is %s\nnot %s", value ? json_text(arena, value) : "nothing", want);
}

static const json_t *
entry_of(const json_t *entries, const char *key)
{
    for (const json_t *entry = entries->first; entry; entry = entry->next)
        if (!strcmp(json_get_text(entry, "key"), key))
            return entry;
    fail_msg("no %s", key);
    return NULL;
}

static const json_t *
step_of(const json_t *entries, const char *key)
{
    return json_get(json_get(entry_of(entries, key), "scenario"), "steps")->first;
}

// clang-format off
static const char *const documents[] = {
    "library-2.0.yaml", "shop-3.0.yaml", "cafe-3.0.yaml", "types-3.1.yaml", "ids-3.0.yaml",
    "refs-3.0.json", "duplicates-3.0.json", "parts/root.yaml", "webhooks-3.1.yaml",
};
// clang-format on

static void
every_operation_has_a_scenario_that_comes_back_unchanged(void **state)
{
    for (size_t i = 0; i < ROWS(documents); i++) {
        openapi_t *spec = files_open(arena, documents[i]);
        json_t *entries = openapi_scenarios(spec, &usual);
        print_message("  %s\n", documents[i]);
        assert_int_equal(entries->count, openapi_operations(spec));
        for (const json_t *entry = entries->first; entry; entry = entry->next) {
            const char *yaml = json_get_text(entry, "yamlText");
            scenario_result_t again;
            scenario_parse(arena, yaml, strlen(yaml), json_parse_text(arena, "{}"), &again);
            if (!again.scenario || again.warnings->count)
                fail_msg("%s %s\n%s", json_text(arena, again.errors),
                         json_text(arena, again.warnings), yaml);
            assert_true(json_equal(again.scenario, json_get(entry, "scenario")));
            assert_string_equal(scenario_to_yaml(arena, again.scenario), yaml);
        }
    }
}

static void
names_are_the_same_when_a_document_comes_again(void **state)
{
    static const char before[] = "openapi: 3.0.3\nservers: [{url: http://h}]\npaths:\n  "
                                 "/a/{id}: {get: {operationId: one, responses: {}}}\n";
    static const char after[] =
        "openapi: 3.0.3\nservers: [{url: http://h}]\npaths:\n  /new: {get: {responses: {}}}\n  "
        "/a/{id}: {get: {operationId: renamed, responses: {}}}\n";
    failure_t why;
    json_t *first = openapi_scenarios(files_paste(arena, before, &why), &usual);
    json_t *second = openapi_scenarios(files_paste(arena, after, &why), &usual);

    assert_string_equal(json_get_text(entry_of(first, "GET /a/{id}"), "name"), "GET /a/{id}");
    assert_string_equal(json_get_text(entry_of(second, "GET /a/{id}"), "name"), "GET /a/{id}");
    assert_string_equal(json_get_text(entry_of(second, "GET /a/{id}"), "operationId"),
                        "renamed");

    const openapi_options_t nobody = { 0 };
    assert_string_equal(json_get_text(first->first, "otherName"), "app GET /a/{id}");
    first = openapi_scenarios(files_paste(arena, before, &why), &nobody);
    assert_null(json_get_text(first->first, "otherName"));
}

static void
long_paths_get_names_that_differ(void **state)
{
    buffer_t text = { 0 };
    failure_t why;

    buffer_text(&text, "openapi: 3.0.3\nservers: [{url: http://h}]\npaths:\n");
    for (int i = 0; i < 2; i++) {
        buffer_text(&text, "  /");
        for (int j = 0; j < 250; j++)
            buffer_text(&text, "é");
        buffer_printf(&text, "%d: {get: {responses: {}}}\n", i);
    }
    json_t *entries = openapi_scenarios(files_paste(arena, text.bytes, &why), &usual);
    assert_int_equal(entries->count, 2);
    assert_string_not_equal(json_get_text(entries->first, "name"),
                            json_get_text(entries->last, "name"));
    buffer_clear(&text);
}

// clang-format off
static const struct {
    const char *file, *key, *step;
} steps[] = {
    { "shop-3.0.yaml", "GET /items",
      "{\"name\":\"GET /items\",\"method\":\"GET\",\"path\":\"/items\",\"query\":{\"page\":\"0\",\"filter[state]\":\"open\",\"sort\":[\"name\"],"
      "\"fields\":\"a,a\",\"where\":\"{\\\"a\\\":1}\"},\"headers\":{\"lang\":\"de\",\"Cookie\":\"session=s1\"},\"expect\":[200,\"2xx\"]}" },
    { "shop-3.0.yaml", "POST /items",
      "{\"name\":\"POST /items\",\"method\":\"POST\",\"path\":\"/items\",\"query\":{\"page\":\"1\"},\"headers\":{\"lang\":\"de\"},"
      "\"body\":{\"kind\":\"json\",\"json\":{\"name\":\"text\",\"node\":{\"children\":[]}},\"contentType\":\"application/json; charset=utf-8\"},\"expect\":[201]}" },
    { "shop-3.0.yaml", "GET /items/{id}",
      "{\"name\":\"GET /items/{id}\",\"method\":\"GET\",\"path\":\"/items/3fa85f64-5717-4562-b3fc-2c963f66afa6\",\"expect\":[\"2xx\"]}" },
    { "shop-3.0.yaml", "DELETE /items/{id}",
      "{\"name\":\"DELETE /items/{id}\",\"method\":\"DELETE\",\"path\":\"/items/%C3%BC%2F%F0%9F%98%80\",\"expect\":[204]}" },
    { "shop-3.0.yaml", "GET /items/{name}",
      "{\"name\":\"GET /items/{name}\",\"method\":\"GET\",\"path\":\"/items/text\",\"expect\":[200]}" },
    { "shop-3.0.yaml", "GET /items?beta=true",
      "{\"name\":\"GET /items?beta=true\",\"method\":\"GET\",\"path\":\"/items?beta=true\",\"expect\":[200]}" },
    { "shop-3.0.yaml", "GET /compare/{base}...{head}",
      "{\"name\":\"GET /compare/{base}...{head}\",\"method\":\"GET\",\"path\":\"/compare/main...1\",\"query\":{\"api_key\":\"{{apiKey}}\"},\"expect\":[200]}" },
    { "shop-3.0.yaml", "GET /odd}/@me",
      "{\"name\":\"GET /odd}/@me\",\"method\":\"GET\",\"path\":\"/odd%7D/@me\",\"expect\":[200]}" },
    { "shop-3.0.yaml", "POST /any",
      "{\"name\":\"POST /any\",\"method\":\"POST\",\"path\":\"/any\",\"body\":{\"kind\":\"json\",\"json\":{\"template\":\"Hi { {name}}\"}},\"expect\":[200]}" },
    { "shop-3.0.yaml", "POST /text",
      "{\"name\":\"POST /text\",\"method\":\"POST\",\"path\":\"/text\",\"body\":{\"kind\":\"text\",\"text\":\"line\",\"contentType\":\"text/plain\"},\"expect\":[200]}" },
    { "shop-3.0.yaml", "PUT /word",
      "{\"name\":\"PUT /word\",\"method\":\"PUT\",\"path\":\"/word\",\"body\":{\"kind\":\"text\",\"text\":\"\\\".\\\"\",\"contentType\":\"application/json\"},\"expect\":[200]}" },
    { "shop-3.0.yaml", "POST /broken",
      "{\"name\":\"POST /broken\",\"method\":\"POST\",\"path\":\"/broken\",\"expect\":[200]}" },
    { "cafe-3.0.yaml", "GET /caf\xc3\xa9/{id}",
      "{\"name\":\"GET /caf\xc3\xa9/{id}\",\"method\":\"GET\",\"path\":\"/caf%C3%A9/%C3%BC%2F%F0%9F%98%80\",\"expect\":[200]}" },
    { "library-2.0.yaml", "GET /books",
      "{\"name\":\"GET /books\",\"method\":\"GET\",\"path\":\"/books\",\"query\":{\"limit\":\"5\",\"tags\":\"new|old\"},\"headers\":{\"X-Key\":\"{{apiKey}}\"},\"expect\":[200]}" },
    { "library-2.0.yaml", "GET /books/{isbn}",
      "{\"name\":\"GET /books/{isbn}\",\"method\":\"GET\",\"path\":\"/books/111-1111111111\",\"expect\":[200]}" },
    { "library-2.0.yaml", "POST /search",
      "{\"name\":\"POST /search\",\"method\":\"POST\",\"path\":\"/search\",\"headers\":{\"X-Key\":\"{{apiKey}}\"},"
      "\"body\":{\"kind\":\"form\",\"json\":{\"text\":\"text\",\"shelf\":[\"text\"]}},\"expect\":[302],\"followRedirects\":false}" },
    { "types-3.1.yaml", "POST /types",
      "{\"name\":\"POST /types\",\"method\":\"POST\",\"path\":\"/types\",\"body\":{\"kind\":\"json\",\"json\":{\"number\":1,\"fixed\":\"fixed\",\"choice\":\"a\","
      "\"pair\":[\"text\",1],\"any\":\"text\",\"first\":\"first\",\"sibling\":\"z\"}},\"expect\":[200]}" },
    { "parts/root.yaml", "PUT /items/{id}",
      "{\"name\":\"PUT /items/{id}\",\"method\":\"PUT\",\"path\":\"/items/1\",\"body\":{\"kind\":\"json\",\"json\":{\"id\":\"text\",\"unit\":\"kg\",\"again\":\"text\"}},\"expect\":[200]}" },
};
// clang-format on

static void
a_step_carries_what_the_operation_requires(void **state)
{
    for (size_t i = 0; i < ROWS(steps); i++) {
        json_t *entries = openapi_scenarios(files_open(arena, steps[i].file), &usual);
        print_message("  %s\n", steps[i].key);
        assert_json(step_of(entries, steps[i].key), steps[i].step);
    }
}

static void
multipart_bodies_name_their_files(void **state)
{
    json_t *entries = openapi_scenarios(files_open(arena, "shop-3.0.yaml"), &usual);
    const json_t *body = json_get(step_of(entries, "PUT /files"), "body");
    const char *text = json_get_text(body, "text");

    assert_non_null(
        strstr(json_get_text(body, "contentType"), "multipart/form-data; boundary="));
    assert_non_null(strstr(
        text, "name=\"na%22me\"; filename=\"na%22me.bin\"\r\nContent-Type: image/png\r\n\r\n"));
    assert_non_null(
        strstr(text, "name=\"meta\"\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n"));
    const char *first = strstr(text, "name=\"tags\"\r\n\r\ntext\r\n");
    assert_non_null(first);
    assert_non_null(strstr(first + 1, "name=\"tags\""));
}

static void
tags_and_login_follow_operation_and_options(void **state)
{
    openapi_options_t options = { .credential_tag = "keeper",
                                  .tags = json_parse_text(arena, "[\"imported\"]") };
    json_t *entries = openapi_scenarios(files_open(arena, "shop-3.0.yaml"), &options);
    const json_t *list = json_get(entry_of(entries, "GET /items"), "scenario");

    assert_json(json_get(list, "tags"), "[\"imported\",\"items\",\"read only\"]");
    assert_string_equal(json_get_text(list, "description"), "List items (operationId list)");
    assert_string_equal(json_get_text(list, "credentialTag"), "keeper");
    assert_null(json_get(json_get(entry_of(entries, "GET /items?beta=true"), "scenario"),
                         "credentialTag"));
    assert_null(json_get(step_of(entries, "GET /compare/{base}...{head}"),
                         "query"));  // api_key was not said
    assert_null(json_get(list, "appTag"));
}

static void
a_server_of_its_own_wins_and_gets_no_login_of_another_origin(void **state)
{
    json_t *entries = openapi_scenarios(files_open(arena, "shop-3.0.yaml"), &usual);
    const json_t *files = json_get(entry_of(entries, "PUT /files"), "scenario");

    assert_string_equal(json_get_text(files, "baseUrl"), "http://files.example.com/f");
    assert_null(json_get(files, "credentialTag"));
}

// clang-format off
static const struct {
    const char *target, *base_url;
} targets[] = {
    { NULL,                        NULL },
    { "http://localhost:8080",     "{{baseUrl}}/v1" },
    { "http://localhost:8080/",    "{{baseUrl}}/v1" },
    { "http://localhost:8080/v1",  NULL },
    { "http://localhost:8080/api", NULL },
};
// clang-format on

static void
a_target_without_path_is_followed_by_that_of_the_document(void **state)
{
    for (size_t i = 0; i < ROWS(targets); i++) {
        openapi_options_t options = { .target_url = targets[i].target };
        json_t *entries = openapi_scenarios(files_open(arena, "shop-3.0.yaml"), &options);
        const char *base = json_get_text(json_get(entries->first, "scenario"), "baseUrl");
        assert_string_equal(base ? base : "", targets[i].base_url ? targets[i].base_url : "");
    }
}

static void
globs_limit_what_is_made(void **state)
{
    openapi_options_t options = { .globs = json_parse_text(arena, "[\"/items/*\"]") };
    json_t *entries = openapi_scenarios(files_open(arena, "shop-3.0.yaml"), &options);

    assert_int_equal(entries->count, 4);
}

// clang-format off
static const struct {
    const char *parameter, *member, *json;
} styles[] = {
    { "{in: query, name: a, required: true, schema: {type: array, items: {type: integer}, minItems: 2}}", "query", "{\"a\":[\"1\",\"1\"]}" },
    { "{in: query, name: a, required: true, explode: false, style: spaceDelimited, schema: {type: array, items: {type: integer}, minItems: 2}}", "query", "{\"a\":\"1 1\"}" },
    { "{in: query, name: a, required: true, explode: false, style: pipeDelimited, schema: {type: array, items: {type: integer}, minItems: 2}}", "query", "{\"a\":\"1|1\"}" },
    { "{in: query, name: a, required: true, schema: {properties: {x: {type: integer}, y: {type: array, items: {type: boolean}}}}}", "query", "{\"x\":\"1\",\"y\":[\"true\"]}" },
    { "{in: query, name: a, required: true, explode: false, schema: {properties: {x: {type: integer}, y: {}}}}", "query", "{\"a\":\"x,1,y,text\"}" },
    { "{in: query, name: a, required: true, schema: {type: boolean, example: false}}", "query", "{\"a\":\"false\"}" },
    { "{in: query, name: a, required: true, schema: {type: array, maxItems: 0, items: {}}}", "query", NULL },
    { "{in: query, name: a, required: true}", "query", "{\"a\":\"text\"}" },
    { "{in: header, name: X-A, required: true, schema: {type: array, items: {type: integer}, minItems: 2}}", "headers", "{\"X-A\":\"1,1\"}" },
    { "{in: header, name: X-A, required: true, explode: true, schema: {properties: {x: {type: integer}, y: {}}}}", "headers", "{\"X-A\":\"x=1,y=text\"}" },
    { "{in: header, name: X-A, required: true, example: \"one\\ntwo\"}", "headers", "{\"X-A\":\"one two\"}" },
    { "{in: header, name: Authorization, required: true, example: x}", "headers", NULL },
    { "{in: header, name: 'not a header', required: true, example: x}", "headers", NULL },
    { "{in: cookie, name: c, required: true, schema: {type: integer}}", "headers", "{\"Cookie\":\"c=1\"}" },
    { "{in: path, name: p, required: true, schema: {type: array, items: {type: integer}, minItems: 2}}", "path", "\"/1,1\"" },
    { "{in: path, name: p, required: true, style: label, explode: true, schema: {type: array, items: {type: integer}, minItems: 2}}", "path", "\"/.1.1\"" },
    { "{in: path, name: p, required: true, style: matrix, schema: {type: array, items: {type: integer}, minItems: 2}}", "path", "\"/;p=1,1\"" },
    { "{in: path, name: p, required: true, style: matrix, explode: true, schema: {type: array, items: {type: integer}, minItems: 2}}", "path", "\"/;p=1;p=1\"" },
    { "{in: path, name: p, required: true, style: matrix, explode: true, schema: {properties: {x: {type: integer}, y: {}}}}", "path", "\"/;x=1;y=text\"" },
    { "{in: path, name: p, required: true, x-multi-segment: true, example: a/b c}", "path", "\"/a/b%20c\"" },
    { "{in: path, name: p, required: true, example: 'a/b#?{{x}}'}", "path", "\"/a%2Fb%23%3F%7B%7Bx%7D%7D\"" },
};
// clang-format on

static void
parameters_are_written_in_their_style(void **state)
{
    for (size_t i = 0; i < ROWS(styles); i++) {
        failure_t why = { 0 };
        openapi_t *spec =
            files_paste(arena,
                        arena_printf(arena,
                                     "openapi: 3.0.3\nservers: [{url: http://h}]\npaths:\n"
                                     "  /{p}: {get: {parameters: [%s], responses: {}}}\n",
                                     styles[i].parameter),
                        &why);
        print_message("  %s\n", styles[i].parameter);
        assert_non_null(spec);
        const json_t *member =
            json_get(step_of(openapi_scenarios(spec, &usual), "GET /{p}"), styles[i].member);
        if (styles[i].json)
            assert_json(member, styles[i].json);
        else
            assert_null(member);
    }
}

// clang-format off
static const struct {
    const char *responses, *expect;
} expectations[] = {
    { "{200: {}, 404: {}}",        "[200]" },
    { "{'201': {}, '2XX': {}}",    "[201,\"2xx\"]" },
    { "{default: {}}",             "[\"2xx\"]" },
    { "{404: {}, default: {}}",    "[\"2xx\"]" },
    { "{404: {}}",                 "[\"2xx\"]" },
    { "{302: {}, 404: {}}",        "[302]" },
    { "{101: {}}",                 "[101]" },
    { "{302: {}, default: {}}",    "[\"2xx\"]" },
    { "{}",                        "[\"2xx\"]" },
    { "{x-note: {}, 20: {}, 299: {}}", "[299]" },
};
// clang-format on

static void
documented_successes_are_expected(void **state)
{
    for (size_t i = 0; i < ROWS(expectations); i++) {
        failure_t why = { 0 };
        openapi_t *spec =
            files_paste(arena,
                        arena_printf(arena,
                                     "openapi: 3.0.3\nservers: [{url: http://h}]\npaths:\n  "
                                     "/a: {get: {responses: %s}}\n",
                                     expectations[i].responses),
                        &why);
        assert_json(json_get(step_of(openapi_scenarios(spec, &usual), "GET /a"), "expect"),
                    expectations[i].expect);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            every_operation_has_a_scenario_that_comes_back_unchanged, setup, teardown),
        cmocka_unit_test_setup_teardown(names_are_the_same_when_a_document_comes_again, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(long_paths_get_names_that_differ, setup, teardown),
        cmocka_unit_test_setup_teardown(a_step_carries_what_the_operation_requires, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(multipart_bodies_name_their_files, setup, teardown),
        cmocka_unit_test_setup_teardown(tags_and_login_follow_operation_and_options, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(
            a_server_of_its_own_wins_and_gets_no_login_of_another_origin, setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_target_without_path_is_followed_by_that_of_the_document, setup, teardown),
        cmocka_unit_test_setup_teardown(globs_limit_what_is_made, setup, teardown),
        cmocka_unit_test_setup_teardown(parameters_are_written_in_their_style, setup, teardown),
        cmocka_unit_test_setup_teardown(documented_successes_are_expected, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
