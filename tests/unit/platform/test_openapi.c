// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "limits.h"
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

// clang-format off
static const struct {
    const char *file, *spec_version, *version, *base_url;
    int64_t operations;
    size_t without_id, warnings;
} documents[] = {
    { "library-2.0.yaml",     "2.0",   "1.10", "http://doc.test/v2",                5,  0, 0 },
    { "shop-3.0.yaml",        "3.0.3", "1",    "https://shop.example.com:8443/v1", 15, 13, 5 },
    { "cafe-3.0.yaml",        "3.0.3", "1.0",  "http://[::1]:18080",                1,  1, 0 },
    { "types-3.1.yaml",       "3.1.0", "1",    "http://doc.test",                   2,  2, 0 },
    { "ids-3.0.yaml",         "3.0",   "1",    "http://doc.test",                   9,  4, 0 },
    { "refs-3.0.json",        "3.0.3", "1",    "http://doc.test",                   4,  4, 2 },
    { "duplicates-3.0.json",  "3.0.3", "1",    "http://doc.test",                   2,  2, 2 },
    { "parts/root.yaml",      "3.0.3", "1",    "http://doc.test",                   5,  4, 3 },
    { "webhooks-3.1.yaml",    "3.1.0", "1",    "http://doc.test",                   0,  0, 1 },
};
// clang-format on

static void
every_document_lists_its_operations(void **state)
{
    for (size_t i = 0; i < ROWS(documents); i++) {
        openapi_t *spec = files_open(arena, documents[i].file);
        size_t without_id = 0;
        print_message("  %s\n", documents[i].file);
        assert_non_null(spec);
        json_t *view = openapi_view(spec, NULL, 0, 1000);
        for (const json_t *endpoint = json_get(view, "endpoints")->first; endpoint;
             endpoint = endpoint->next)
            without_id += json_get(endpoint, "operationId")->kind == JSON_NULL;
        assert_string_equal(openapi_spec_version(spec), documents[i].spec_version);
        assert_string_equal(json_get_text(view, "version"), documents[i].version);
        assert_string_equal(json_get_text(view, "baseUrl"), documents[i].base_url);
        assert_int_equal(openapi_operations(spec), documents[i].operations);
        assert_int_equal(json_get_int(view, "total", -1), documents[i].operations);
        assert_int_equal(without_id, documents[i].without_id);
        assert_int_equal(json_get(view, "warnings")->count, documents[i].warnings);
    }
}

// clang-format off
static const struct {
    const char *text, *says;
} refused[] = {
    { "",                                              "empty" },
    { " \n\t",                                         "empty" },
    { "<!DOCTYPE html><html></html>",                  "HTML page" },
    { "<?xml version='1.0'?><a/>",                     "XML" },
    { "%PDF-1.7",                                      "PDF" },
    { "{}",                                            "without the member openapi or swagger" },
    { "[]",                                            "a list" },
    { "just some words",                               "plain text" },
    { "42",                                            "a single value" },
    { "# nothing\n",                                   "empty" },
    { "{\"info\": {}}",                                "without the member openapi or swagger" },
    { "{\"openapi\": \"3.0.0\" \"info\"}",            "neither JSON nor YAML" },
    { "openapi: [",                                    "line" },
    { "swagger: '1.2'",                                "Swagger 1.2" },
    { "openapi: 4.0.0",                                "OpenAPI 4.0.0" },
    { "openapi: {}",                                   "without the member" },
};
// clang-format on

static void
what_is_no_document_is_called_by_its_name(void **state)
{
    for (size_t i = 0; i < ROWS(refused); i++) {
        failure_t why = { 0 };
        assert_null(files_paste(arena, refused[i].text, &why));
        print_message("  %s\n", why.text);
        assert_int_equal(why.status, BAD_ARGS);
        assert_non_null(strstr(why.text, refused[i].says));
    }
}

static void
deep_documents_are_refused_with_the_depth(void **state)
{
    failure_t why = { 0 };
    buffer_t text = { 0 };

    buffer_text(&text, "{\"openapi\":\"3.0.3\",\"paths\":{},\"x\":");
    for (int i = 0; i < 5000; i++)
        buffer_char(&text, '[');
    for (int i = 0; i < 5000; i++)
        buffer_char(&text, ']');
    buffer_char(&text, '}');
    assert_null(files_paste(arena, text.bytes, &why));
    assert_non_null(strstr(why.text, "64 levels"));
    buffer_clear(&text);
}

static void
a_document_over_the_limit_is_refused(void **state)
{
    failure_t why = { 0 };
    openapi_t *spec = NULL;

    assert_int_equal(openapi_open(arena, NULL, "", (size_t) DOCUMENT_MAX + 1, &spec, &why),
                     TOO_LARGE);
    assert_null(spec);

    buffer_t text = { 0 };
    buffer_text(&text, "{\"openapi\": \"3.0.3\", \"x\": [0");
    for (int i = 0; i < 1000 * 1000; i++)
        buffer_text(&text, ",0,0,0,0,0");
    buffer_text(&text, "]}");
    assert_null(files_paste(arena, text.bytes, &why));
    assert_int_equal(why.status, TOO_LARGE);
    buffer_clear(&text);
}

static const json_t *
endpoint_of(const json_t *view, const char *method, const char *path)
{
    for (const json_t *endpoint = json_get(view, "endpoints")->first; endpoint;
         endpoint = endpoint->next)
        if (!strcmp(json_get_text(endpoint, "method"), method)
            && !strcmp(json_get_text(endpoint, "path"), path))
            return endpoint;
    fail_msg("%s %s", method, path);
    return NULL;
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
an_endpoint_shows_parameters_body_statuses_and_security(void **state)
{
    const json_t *view = openapi_view(files_open(arena, "shop-3.0.yaml"), NULL, 0, 1000);
    const json_t *list = endpoint_of(view, "GET", "/items");
    const json_t *add = endpoint_of(view, "POST", "/items");

    assert_json(json_get(list, "statuses"), "[\"200\",\"2XX\",\"default\"]");
    assert_json(json_get(list, "tags"), "[\"items\",\"read,only\"]");
    assert_json(json_get(list, "security"), "[\"bearer\"]");
    assert_json(json_get(list, "bodyExample"), "null");
    assert_int_equal(json_get(list, "parameters")->count, 10);
    // The operation's parameter stands in the place of the path's.
    assert_json(json_get(list, "parameters")->first->next,
                "{\"name\":\"page\",\"in\":\"query\",\"required\":true,\"type\":\"integer\","
                "\"example\":0}");
    assert_json(json_get(add, "bodyExample"), "{\"name\":\"text\",\"node\":{\"children\":[]}}");
    assert_string_equal(json_get_text(add, "contentType"), "application/json; charset=utf-8");
    assert_true(json_get_bool(endpoint_of(view, "GET", "/items/{id}"), "deprecated", false));
    assert_json(json_get(endpoint_of(view, "GET", "/items?beta=true"), "security"), "[]");
    assert_json(json_get(endpoint_of(view, "GET", "/compare/{base}...{head}"), "security"),
                "[\"key\"]");
    assert_json(json_get(view, "securitySchemes"),
                "[{\"name\":\"bearer\",\"type\":\"http\",\"in\":null,\"parameter\":null,"
                "\"scheme\":\"bearer\"},"
                "{\"name\":\"key\",\"type\":\"apiKey\",\"in\":\"query\",\"parameter\":\"api_"
                "key\",\"scheme\":null}]");
    assert_json(json_get(view, "baseUrls"), "[\"https://shop.example.com:8443/v1\",\"http://"
                                            "doc.test/relative/v1\",\"http://doc.test/api\"]");
}

static void
the_forms_of_2_0_are_read(void **state)
{
    const json_t *view = openapi_view(files_open(arena, "library-2.0.yaml"), NULL, 0, 1000);

    assert_json(json_get(endpoint_of(view, "POST", "/books"), "bodyExample"),
                "{\"title\":\"Emma\",\"pages\":1}");
    assert_string_equal(json_get_text(endpoint_of(view, "POST", "/books"), "contentType"),
                        "application/json");
    assert_json(json_get(endpoint_of(view, "GET", "/books"), "statuses"),
                "[\"200\",\"default\"]");
    assert_json(json_get(endpoint_of(view, "GET", "/books"), "security"), "[\"key\"]");
    assert_string_equal(json_get_text(endpoint_of(view, "POST", "/covers"), "contentType"),
                        "multipart/form-data");
    assert_json(json_get(endpoint_of(view, "POST", "/search"), "bodyExample"),
                "{\"text\":\"text\",\"shelf\":[\"text\"]}");
}

static void
pages_and_globs_select_endpoints(void **state)
{
    openapi_t *spec = files_open(arena, "shop-3.0.yaml");
    json_t *globs = json_parse_text(arena, "[\"/items/**\", \"/any\"]");
    json_t *page = openapi_view(spec, globs, 1, 2);

    assert_int_equal(json_get_int(page, "total", 0), 7);
    assert_int_equal(json_get_int(page, "returned", 0), 2);
    assert_string_equal(json_get_text(json_get(page, "endpoints")->first, "method"), "POST");
    assert_int_equal(json_get_int(openapi_view(spec, globs, 6, 5), "returned", 0), 1);
    assert_int_equal(json_get_int(openapi_view(spec, globs, 7, 5), "returned", 9), 0);
}

// clang-format off
static const struct {
    const char *glob, *path;
    bool matches;
} globs[] = {
    { "/api/users/**", "/api/users", true },       { "/api/users/**", "/api/users/1/x", true },
    { "/api/users/**", "/api/usersx", false },     { "/api/*", "/api/a", true },
    { "/api/*", "/api/a/b", false },               { "/api/*/x/**", "/api/a/x/y/z", true },
    { "/api/*/x/**", "/api/a/b/x/y", false },      { "**", "/anything/at/all", true },
    { "/a*c", "/abbc", true },                     { "/a*c", "/abbd", false },
    { "**/pets", "/v1/pets", true },               { "/x/{id}", "/x/{id}", true },
    { "GET /a/*", "/a/b", true },                  { "get   /a/*", "/a/b", true },
    { "POST /a/*", "/a/b", false },                { "GE /a/*", "/a/b", false },
    { "", "/a", false },                           { "/a", "/a", true },
    { "GET /a/**", "/a/b", true },                 { "get  /a", "/a", true },
    { "POST /a/**", "/a/b", false },               { "GE /a", "/a", false },
};
// clang-format on

static void
globs_stop_at_a_slash_unless_doubled(void **state)
{
    for (size_t i = 0; i < ROWS(globs); i++) {
        json_t *list = json_array(arena);
        json_add(list, json_string(arena, globs[i].glob));
        print_message("  %s %s\n", globs[i].glob, globs[i].path);
        assert_int_equal(openapi_glob(list, "GET", globs[i].path), globs[i].matches);
    }
    assert_true(openapi_glob(NULL, "GET", "/a"));
    assert_true(openapi_glob(json_array(arena), "GET", "/a"));
}

static void
names_are_unique_and_stay_so(void **state)
{
    const json_t *view = openapi_view(files_open(arena, "ids-3.0.yaml"), NULL, 0, 1000);
    buffer_t names = { 0 };

    for (const json_t *endpoint = json_get(view, "endpoints")->first; endpoint;
         endpoint = endpoint->next)
        buffer_printf(&names, "%s ", json_get_text(endpoint, "name"));
    assert_string_equal(names.bytes,
                        "list post_a list_2 List_3 do_it doIt_2 get_a get_x_id get_x_name ");
    buffer_clear(&names);
}

static void
references_are_decoded_once_and_circles_end(void **state)
{
    openapi_t *spec = files_open(arena, "refs-3.0.json");
    const json_t *view = openapi_view(spec, NULL, 0, 1000);

    assert_json(json_get(endpoint_of(view, "GET", "/users/{id}"), "bodyExample"),
                "{\"ok\":true}");
    assert_int_equal(json_get(endpoint_of(view, "GET", "/alias"), "parameters")->count, 1);
    assert_json(json_get(endpoint_of(view, "GET", "/copy"), "statuses"), "[\"200\"]");
    assert_int_equal(json_get(endpoint_of(view, "GET", "/indexed"), "parameters")->count, 1);
    assert_non_null(files_warning(spec, "/paths/~1circle", "leads back to itself"));
}

static void
files_are_read_below_the_document_and_nowhere_else(void **state)
{
    openapi_t *spec = files_open(arena, "parts/root.yaml");
    const json_t *view = openapi_view(spec, NULL, 0, 1000);

    assert_json(json_get(endpoint_of(view, "PUT", "/items/{id}"), "bodyExample"),
                "{\"id\":\"text\",\"unit\":\"kg\",\"again\":\"text\"}");
    assert_non_null(
        files_warning(spec, "/paths/~1missing/get/responses/200", "the server answered 404"));
    assert_non_null(
        files_warning(spec, "/paths/~1outside/get/responses/200", "only files in the folder"));
    assert_non_null(files_warning(spec, "/paths/~1elsewhere/get/responses/200",
                                  "only files in the folder"));
}

static void
only_what_may_be_read_is_asked_for(void **state)
{
    static const char text[] =
        "openapi: 3.0.3\npaths:\n  /a: {$ref: 'a/{x}.yaml#/y'}\n  /b: {$ref: './a/../b.yaml'}\n"
        "  /c: {$ref: '../c.yaml'}\n  /d: {$ref: '/api/d.yaml'}\n  /e: {$ref: "
        "'//doc.test/api/e.yaml'}\n"
        "  /f: {$ref: 'https://doc.test/api/f.yaml'}\n  /g: {$ref: "
        "'http://DOC.test/api/g.yaml'}\n"
        "  /h: {$ref: '%2e%2e/h.yaml'}\n  /i: {$ref: '#/paths/~1a'}\n  /j: {$ref: "
        "'b.yaml#/again'}\n"
        "  /k: {$ref: 'file:///etc/passwd'}\n  /l: {get: {example: {$ref: l.yaml}}}\n  /m: "
        "{$ref: root.yaml}\n";
    failure_t why = { 0 };
    openapi_t *spec = NULL;

    assert_int_equal(openapi_open(arena, "http://doc.test/api/root.yaml?v=1", text,
                                  strlen(text), &spec, &why),
                     OK);
    assert_json(openapi_missing(spec),
                "[\"http://doc.test/api/a/%7Bx%7D.yaml\",\"http://doc.test/api/b.yaml\","
                "\"http://doc.test/api/d.yaml\",\"http://doc.test/api/e.yaml\",\"http://"
                "DOC.test/api/g.yaml\"]");
    openapi_add(spec, "http://doc.test/api/b.yaml", NULL, 0, "gone");
    assert_int_equal(openapi_missing(spec)->count, 4);
    assert_int_equal(openapi_missing(files_paste(arena, text, &why))->count, 0);
}

static void
at_most_sixty_four_files_are_asked_for(void **state)
{
    for (int count = DOCUMENTS_MAX - 1; count <= DOCUMENTS_MAX + 1; count++) {
        buffer_t text = { 0 };
        failure_t why = { 0 };
        openapi_t *spec = NULL;
        buffer_text(&text, "openapi: 3.0.3\npaths:\n");
        for (int i = 0; i < count; i++)
            buffer_printf(&text, "  /p%d: {$ref: p%d.yaml}\n", i, i);
        assert_int_equal(
            openapi_open(arena, FILES_URL "r.yaml", text.bytes, text.size, &spec, &why), OK);
        assert_int_equal(openapi_missing(spec)->count,
                         count < DOCUMENTS_MAX ? count : DOCUMENTS_MAX);
        for (int i = 0; i < count; i++)
            openapi_add(spec, arena_printf(arena, FILES_URL "p%d.yaml", i),
                        "get: {responses: {}}", 20, NULL);
        assert_int_equal(openapi_missing(spec)->count, 0);
        assert_int_equal(openapi_operations(spec),
                         count < DOCUMENTS_MAX ? count : DOCUMENTS_MAX);
        buffer_clear(&text);
    }
}

static void
duplicates_and_dead_ends_are_warnings_with_pointers(void **state)
{
    openapi_t *spec = files_open(arena, "duplicates-3.0.json");

    assert_int_equal(openapi_operations(spec), 2);
    assert_non_null(files_warning(spec, "/paths/~1a", "line 3"));
    spec = files_open(arena, "shop-3.0.yaml");
    openapi_view(spec, NULL, 0, 1000);
    assert_non_null(files_warning(spec, "/paths/no-slash", "begin with /"));
    assert_non_null(files_warning(spec, "/paths/~1broken/get", "no mapping"));
    assert_non_null(files_warning(spec, "/paths/~1broken/fetch", "no method"));
    assert_non_null(files_warning(spec, "/paths/~1broken/post/requestBody", "leads nowhere"));
    assert_non_null(files_warning(spec, "/paths/~1broken/post/responses/200", "leads nowhere"));
    spec = files_open(arena, "webhooks-3.1.yaml");
    openapi_view(spec, NULL, 0, 1000);
    assert_non_null(files_warning(spec, "", "webhooks alone"));
}

static void
paths_that_are_no_mapping_hold_no_operation(void **state)
{
    static const char *const paths[] = { "[{}, 7]", "7", "\"/a\"", "null", "{}" };

    for (size_t i = 0; i < ROWS(paths); i++) {
        failure_t why = { 0 };
        const char *text =
            arena_printf(arena, "{\"openapi\":\"3.0.0\",\"paths\":%s}", paths[i]);
        openapi_t *spec = files_paste(arena, text, &why);
        assert_non_null(spec);
        assert_int_equal(openapi_operations(spec), 0);
        assert_true(openapi_warnings(spec)->count > 0);
    }
}

static void
warnings_end_at_two_hundred(void **state)
{
    buffer_t text = { 0 };
    failure_t why = { 0 };

    buffer_text(&text, "openapi: 3.0.3\nservers: [{url: http://h}]\npaths:\n");
    for (int i = 0; i < 300; i++)
        buffer_printf(&text, "  p%d: {}\n", i);
    openapi_t *spec = files_paste(arena, text.bytes, &why);
    openapi_operations(spec);
    assert_int_equal(openapi_warnings(spec)->count, OPENAPI_WARNINGS_MAX + 1);
    assert_non_null(strstr(json_get_text(openapi_warnings(spec)->last, "message"), "left out"));
    buffer_clear(&text);
}

// clang-format off
static const struct {
    const char *head, *url, *base;
} bases[] = {
    { "swagger: '2.0'\nhost: h:81\nschemes: [http, wss, https]\nbasePath: /v1/", NULL, "http://h:81/v1" },
    { "swagger: '2.0'\nhost: h", "http://doc.test:90/x.json",             "http://h" },
    { "swagger: '2.0'\nhost: h", NULL,                                    "https://h" },
    { "swagger: '2.0'\nbasePath: /v1", "http://doc.test:90/x.json",       "http://doc.test:90/v1" },
    { "swagger: '2.0'\nbasePath: /v1", NULL,                              "" },
    { "openapi: 3.0.0", "https://doc.test/api/x.json",                    "https://doc.test" },
    { "openapi: 3.0.0", NULL,                                             "" },
    { "openapi: 3.0.0\nservers: []", "https://doc.test/api/x.json",       "https://doc.test" },
    { "openapi: 3.0.0\nservers: [{url: /v1/}]", "https://doc.test/a/x",   "https://doc.test/v1" },
    { "openapi: 3.0.0\nservers: [{url: ../v1}]", "https://doc.test/a/x",  "https://doc.test/v1" },
    { "openapi: 3.0.0\nservers: [{url: /v1/}]", NULL,                     "" },
    { "openapi: 3.0.0\nservers: [{url: 'ws://h'}, {url: 'http://[::1]:80/'}]", NULL, "http://[::1]:80" },
    { "openapi: 3.0.0\nservers: [{}, {url: 'http://h/{v}', variables: {v: {enum: [a, b]}}}]", NULL, "http://h/a" },
    { "openapi: 3.0.0\nservers: [{url: 'http://h/{v}'}]", NULL,           "http://h/v" },
};
// clang-format on

static void
the_base_url_comes_from_servers_or_the_document_itself(void **state)
{
    for (size_t i = 0; i < ROWS(bases); i++) {
        failure_t why = { 0 };
        openapi_t *spec = NULL;
        print_message("  %s\n", bases[i].head);
        assert_int_equal(openapi_open(arena, bases[i].url, bases[i].head, strlen(bases[i].head),
                                      &spec, &why),
                         OK);
        assert_string_equal(openapi_base_url(spec), bases[i].base);
        if (!*bases[i].base)
            assert_non_null(files_warning(spec, "", "ask where the service runs"));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_document_lists_its_operations, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_no_document_is_called_by_its_name, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(deep_documents_are_refused_with_the_depth, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_document_over_the_limit_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(an_endpoint_shows_parameters_body_statuses_and_security,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(the_forms_of_2_0_are_read, setup, teardown),
        cmocka_unit_test_setup_teardown(pages_and_globs_select_endpoints, setup, teardown),
        cmocka_unit_test_setup_teardown(globs_stop_at_a_slash_unless_doubled, setup, teardown),
        cmocka_unit_test_setup_teardown(names_are_unique_and_stay_so, setup, teardown),
        cmocka_unit_test_setup_teardown(references_are_decoded_once_and_circles_end, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(files_are_read_below_the_document_and_nowhere_else,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(only_what_may_be_read_is_asked_for, setup, teardown),
        cmocka_unit_test_setup_teardown(at_most_sixty_four_files_are_asked_for, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(duplicates_and_dead_ends_are_warnings_with_pointers,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(paths_that_are_no_mapping_hold_no_operation, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(warnings_end_at_two_hundred, setup, teardown),
        cmocka_unit_test_setup_teardown(the_base_url_comes_from_servers_or_the_document_itself,
                                        setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
