// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "rest.h"

#include <cmocka.h>  // last: it defines fail()

// clang-format off
#define PARAMS                                                                     \
    .params = {                                                                    \
        { "environment",      ENVIRONMENT | MUST, "Where." },                      \
        { "tag",              TEXT | MUST,        "Which." },                      \
        { "include_archived", FLAG,               "Whether." },                    \
        { "name",             TEXT,               "Part." },                       \
        { "path_globs",       TEXT | MANY,        "Paths." },                      \
        { "limit",            NUMBER,             "Most." },                       \
        { "auth_config",      OBJECT,             "How." },                        \
        { "ui_thing",         UI_TEST,            "A test of another name." },     \
    }

#define ENV   "{\"environment\":{\"id\":12,\"name\":\"staging\"}}"
#define BOTH  "{\"environment\":{\"id\":12},\"ui_thing\":{\"id\":4}}"

static const struct {
    const char *rest, *arguments, *resolved;
    const char *request;  // or what the refusal says
} rows[] = {
    { "GET /api/environments/{environment}/credentials/{tag}", "{\"tag\":\"admin\"}", ENV,
      "GET /api/environments/12/credentials/admin" },
    { "GET /api/x/{tag}", "{\"tag\":\"a/b ?#%ü\"}", "{}", "GET /api/x/a%2Fb%20%3F%23%25%C3%BC" },
    { "GET /api/x/{tag}/y", "{\"tag\":\"t\",\"include_archived\":true,\"limit\":5}", "{}",
      "GET /api/x/t/y?includeArchived=true&limit=5" },
    { "GET /api/x", "{\"tag\":\"t\",\"name\":\"a&b=c\"}", BOTH,
      "GET /api/x?environmentId=12&tag=t&name=a%26b%3Dc&uiTestId=4" },
    { "GET /api/x?view=names", "{\"limit\":5}", "{}", "GET /api/x?view=names&limit=5" },
    { "GET /api/x", "{\"path_globs\":[\"/a/**\",\"b\"]}", "{}", "GET /api/x?pathGlobs=%2Fa%2F%2A%2A,b" },
    { "GET /api/x", "{\"auth_config\":{\"a\":1}}", "{}", "GET /api/x?authConfig=%7B%22a%22%3A1%7D" },
    { "GET /api/x", "{}", "{}", "GET /api/x" },
    { "POST /api/environments/{environment}/x", "{\"tag\":\"t\",\"path_globs\":[\"a\"],\"auth_config\":{\"a_b\":null}}", BOTH,
      "POST /api/environments/12/x {\"tag\":\"t\",\"pathGlobs\":[\"a\"],\"authConfig\":{\"a_b\":null},\"uiTestId\":4}" },
    { "POST /api/x", "{}", "{}", "POST /api/x {}" },
    { "DELETE /api/x/{environment}", "{}", ENV, "DELETE /api/x/12 {}" },
    { "GET /api/x/{tag}", "{\"tag\":\"..\"}", "{}", "tag: \"..\" cannot be looked up" },
    { "GET /api/x/{tag}", "{\"tag\":\".\"}", "{}", "tag: \".\" cannot be looked up" },
    { "GET /api/x/{tag}", "{\"tag\":\"...\"}", "{}", "GET /api/x/..." },
    { "GET /api/x/{tag}", "{\"tag\":\"\"}", "{}", "tag: \"\" cannot be looked up" },
    { "GET /api/x/{tag}", "{}", "{}", "tag is missing" },
    { "GET /api/x/{environment}", "{}", "{}", "environment is missing" },
};
// clang-format on

static const char *
shown(arena_t *arena, const rest_request_t *request)
{
    return request->body ? arena_printf(arena, "%s %s %s", request->method, request->path,
                                        json_text(arena, request->body))
                         : arena_printf(arena, "%s %s", request->method, request->path);
}

static void
a_rest_line_takes_ids_text_query_and_body(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        const tool_t tool = { .name = "try_it", .rest = rows[i].rest, PARAMS };
        rest_request_t request;
        failure_t why;
        const json_t *arguments = json_parse_text(arena, rows[i].arguments);
        const json_t *resolved = json_parse_text(arena, rows[i].resolved);

        print_message("  %s\n", rows[i].request);
        assert_non_null(arguments);
        assert_non_null(resolved);
        if (rest_map(arena, &tool, arguments, resolved, &request, &why)) {
            assert_int_equal(why.status, BAD_ARGS);
            assert_string_equal(why.text, rows[i].request);
        } else {
            assert_string_equal(shown(arena, &request), rows[i].request);
        }
    }
}

static void
snake_case_becomes_camel_case(void **state)
{
    static const char *const names[][2] = {
        { "name", "name" },
        { "app_tag", "appTag" },
        { "token_json_path", "tokenJsonPath" },
        { "trailing_", "trailing_" },
        { "a_1", "a1" },
        { "", "" },
    };

    for (size_t i = 0; i < ROWS(names); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        assert_string_equal(rest_camel(arena, names[i][0]), names[i][1]);
    }
}

static const template_t template = { .uri = "proofarc://execution/{execution_id}",
                                     .name = "execution",
                                     .rest = "GET /api/executions/{execution_id}/all" };

static void
a_template_becomes_a_get(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    rest_request_t request;
    failure_t why;

    assert_int_equal(rest_map_template(arena, &template, "a/b", &request, &why), OK);
    assert_string_equal(shown(arena, &request), "GET /api/executions/a%2Fb/all");
    assert_int_equal(rest_map_template(arena, &template, "..", &request, &why), BAD_ARGS);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rest_line_takes_ids_text_query_and_body),
        cmocka_unit_test(snake_case_becomes_camel_case),
        cmocka_unit_test(a_template_becomes_a_get),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
