// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "limits.h"
#include "rest.h"

#include <cmocka.h>  // last: it defines fail()

static rest_t rest;

static int
open_rest(void **state)
{
    rest_open(&rest);
    rest.token = rest_token(&rest, "admin");
    return 0;
}

static int
close_rest(void **state)
{
    rest_close(&rest);
    return 0;
}

static void
a_project_is_made_found_and_listed(void **state)
{
    assert_int_equal(POST(&rest, "/api/projects", "{\"name\": \"  payments \"}"), 201);
    assert_string_equal(rest_member(&rest, "name"), "payments");
    assert_int_equal(rest_number(&rest, "id"), 1);
    assert_int_equal(GET(&rest, "/api/projects/1"), 200);
    assert_int_equal(GET(&rest, "/api/projects"), 200);
    assert_int_equal(rest_number(&rest, "total"), 1);
    assert_int_equal(GET(&rest, "/api/projects?view=names"), 200);
    assert_string_equal(rest_text(&rest),
                        "{\"items\":[{\"id\":1,\"name\":\"payments\",\"projectIds\":[]}]}");
}

static void
pages_follow_each_other_in_id_order(void **state)
{
    for (int i = 0; i < 5; i++)
        POST(&rest, "/api/projects", arena_printf(rest.arena, "{\"name\": \"p%d\"}", i));
    assert_int_equal(GET(&rest, "/api/projects?limit=2"), 200);
    const char *cursor = rest_member(&rest, "nextCursor");
    assert_non_null(cursor);
    assert_int_equal(
        GET(&rest, arena_printf(rest.arena, "/api/projects?limit=3&cursor=%s", cursor)), 200);
    assert_null(rest_member(&rest, "nextCursor"));  // exactly the rest
    assert_int_equal(rest_number(&rest, "returned"), 3);
    assert_int_equal(rest_number(&rest, "total"), 5);
    assert_int_equal(json_get_int(json_get(rest_json(&rest), "projects")->first, "id", 0), 3);
}

static void
a_page_of_large_entities_ends_early(void **state)
{
    AUTO(buffer_clear) buffer_t large = { 0 };

    for (size_t i = 0; i < PAGE_MAX / 2; i++)
        buffer_char(&large, 'x');
    POST(&rest, "/api/projects", "{\"name\": \"shop\"}");
    for (int i = 0; i < 5; i++)
        assert_int_equal(POST(&rest, "/api/pipelines",
                              arena_printf(rest.arena,
                                           "{\"name\":\"p%d\",\"projectId\":1,"
                                           "\"stages\":[\"%s\"]}",
                                           i, large.bytes)),
                         201);
    assert_int_equal(GET(&rest, "/api/pipelines"), 200);
    assert_int_equal(rest_number(&rest, "returned"), 2);
    assert_int_equal(rest_number(&rest, "total"), 5);
    const char *cursor = rest_member(&rest, "nextCursor");
    assert_non_null(cursor);
    assert_int_equal(GET(&rest, arena_printf(rest.arena, "/api/pipelines?cursor=%s", cursor)),
                     200);
    assert_int_equal(rest_number(&rest, "returned"), 2);
    cursor = rest_member(&rest, "nextCursor");
    assert_int_equal(GET(&rest, arena_printf(rest.arena, "/api/pipelines?cursor=%s", cursor)),
                     200);
    assert_int_equal(rest_number(&rest, "returned"), 1);
    assert_null(rest_member(&rest, "nextCursor"));
}

// Also of somebody whom nobody knows.
static void
a_body_of_very_many_values_is_refused(void **state)
{
    AUTO(buffer_clear) buffer_t body = { 0 };

    buffer_text(&body, "{\"username\":\"ada\",\"password\":[0");
    for (int i = 0; i < INPUT_VALUES_MAX; i++)
        buffer_text(&body, ",0");
    buffer_text(&body, "]}");
    assert_int_equal(POST(&rest, "/api/auth/login", body.bytes), 400);
    assert_non_null(strstr(rest_text(&rest), "values"));
}

static void
a_list_of_what_there_is_not_is_refused(void **state)
{
    static const char *const lists[] = {
        "/api/environments", "/api/applications",   "/api/targets",   "/api/scenarios",
        "/api/ui-tests",     "/api/ui-test-suites", "/api/pipelines", "/api/tags",
    };

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        print_message("  %s\n", lists[i]);
        assert_int_equal(GET(&rest, arena_printf(rest.arena, "%s?projectId=7", lists[i])), 404);
        assert_string_equal(rest_error(&rest), "NOT_FOUND");
        assert_int_equal(GET(&rest, lists[i]), 200);
    }
    assert_int_equal(GET(&rest, "/api/targets?environmentId=7"), 404);
    assert_int_equal(GET(&rest, "/api/targets?view=names&projectId=7"), 200);
}

static void
a_list_that_has_not_changed_answers_304(void **state)
{
    assert_int_equal(GET(&rest, "/api/projects"), 200);
    rest.etag = arena_strdup(rest.arena, rest.last->etag);
    assert_int_equal(GET(&rest, "/api/projects"), 304);
    assert_string_equal(rest_text(&rest), "");
    POST(&rest, "/api/projects", "{\"name\": \"new\"}");
    assert_int_equal(GET(&rest, "/api/projects"), 200);
    rest.etag = NULL;
}

// clang-format off
static const struct {
    const char *method, *target, *body;
    int code;
    const char *error;
} refused[] = {
    { "GET",    "/api/nothing",              NULL, 404, "NO_SUCH_ROUTE" },
    { "GET",    "/",                         NULL, 404, "NO_SUCH_ROUTE" },
    { "GET",    "",                          NULL, 404, "NO_SUCH_ROUTE" },
    { "GET",    "/api/projects/",            NULL, 404, "NO_SUCH_ROUTE" },
    { "GET",    "/a/b/c/d/e/f/g/h/i/j",      NULL, 404, "NO_SUCH_ROUTE" },
    { "DELETE", "/api/projects",             NULL, 405, "METHOD_NOT_ALLOWED" },
    { "GET",    "/api/projects/x",           NULL, 400, "MALFORMED" },
    { "GET",    "/api/projects/1%2",         NULL, 400, "MALFORMED" },
    { "GET",    "/api/projects/1%00",        NULL, 400, "MALFORMED" },
    { "GET",    "/api/projects/9999999999999999999", NULL, 400, "MALFORMED" },
    { "GET",    "/api/projects/77",          NULL, 404, "NOT_FOUND" },
    { "GET",    "/api/projects?colour=red",  NULL, 400, "UNKNOWN_MEMBER" },
    { "GET",    "/api/projects?limit=0",     NULL, 400, "BAD_MEMBER" },
    { "GET",    "/api/projects?limit=501",   NULL, 400, "BAD_MEMBER" },
    { "GET",    "/api/projects?limit=ten",   NULL, 400, "BAD_MEMBER" },
    { "GET",    "/api/projects?limit=1&limit=2", NULL, 400, "MALFORMED" },
    { "GET",    "/api/projects?cursor=7",    NULL, 400, "BAD_MEMBER" },
    { "GET",    "/api/projects?view=all",    NULL, 400, "BAD_MEMBER" },
    { "GET",    "/api/projects?query=%zz",   NULL, 400, "MALFORMED" },
    { "POST",   "/api/projects", "",                                   400, "MALFORMED" },
    { "POST",   "/api/projects", "{",                                  400, "MALFORMED" },
    { "POST",   "/api/projects", "[]",                                 400, "MALFORMED" },
    { "POST",   "/api/projects", "{\"name\":\"a\",\"name\":\"b\"}",    400, "MALFORMED" },
    { "POST",   "/api/projects", "{\"name\":\"a\\u0000b\"}",           400, "MALFORMED" },
    { "POST",   "/api/projects", "{\"name\":\"\xff\"}",                400, "MALFORMED" },
    { "POST",   "/api/projects", "{}",                                 400, "MISSING_MEMBER" },
    { "POST",   "/api/projects", "{\"name\":null}",                    400, "MISSING_MEMBER" },
    { "POST",   "/api/projects", "{\"name\":7}",                       400, "BAD_MEMBER" },
    { "POST",   "/api/projects", "{\"name\":\"  \"}",                  400, "BAD_MEMBER" },
    { "POST",   "/api/projects", "{\"name\":\"a\\u0007b\"}",           400, "BAD_MEMBER" },
    { "POST",   "/api/projects", "{\"name\":\"a\\u0085b\"}",           400, "BAD_MEMBER" },
    { "POST",   "/api/projects", "{\"name\":\"a\",\"colour\":1}",      400, "UNKNOWN_MEMBER" },
};
// clang-format on

static void
what_is_malformed_is_refused_with_a_code_and_a_sentence(void **state)
{
    for (size_t i = 0; i < ROWS(refused); i++) {
        print_message("  %s %s %s\n", refused[i].method, refused[i].target,
                      refused[i].body ? refused[i].body : "");
        assert_int_equal(
            rest_send(&rest, refused[i].method, refused[i].target, refused[i].body),
            refused[i].code);
        assert_string_equal(rest_error(&rest), refused[i].error);
        assert_true(strlen(json_get_text(json_get(rest_json(&rest), "error"), "message")) > 10);
    }
    assert_int_equal(GET(&rest, "/api/projects"), 200);
    assert_int_equal(rest_number(&rest, "total"), 0);
}

static void
an_unknown_member_is_answered_with_the_known_ones(void **state)
{
    POST(&rest, "/api/projects", "{\"titel\": \"x\"}");
    assert_non_null(strstr(rest_text(&rest), "known are: name, description"));
    GET(&rest, "/api/projects?x=1");
    assert_non_null(strstr(rest_text(&rest), "query, includeArchived, view, limit, cursor"));
}

static void
names_have_up_to_200_characters_and_are_unique_whatever_their_case(void **state)
{
    AUTO(buffer_clear) buffer_t name = { 0 };

    buffer_text(&name, "{\"name\": \"");
    for (int i = 0; i < 200; i++)
        buffer_text(&name, "ü");
    buffer_text(&name, "\"}");
    assert_int_equal(POST(&rest, "/api/projects", name.bytes), 201);
    name.size -= 2;
    buffer_text(&name, "x\"}");
    assert_int_equal(POST(&rest, "/api/projects", name.bytes), 400);
    assert_int_equal(POST(&rest, "/api/projects", "{\"name\": \"Shop\"}"), 201);
    assert_int_equal(POST(&rest, "/api/projects", "{\"name\": \"sHOP\"}"), 409);
    assert_string_equal(rest_error(&rest), "PROJECT_EXISTS");
}

static void
the_same_key_replays_the_first_answer(void **state)
{
    rest.key = "key-1";
    assert_int_equal(POST(&rest, "/api/projects", "{\"name\": \"once\"}"), 201);
    assert_false(rest.last->replayed);
    const char *first = arena_strdup(rest.arena, rest_text(&rest));
    assert_int_equal(POST(&rest, "/api/projects", "{\"name\": \"once\"}"), 201);
    assert_true(rest.last->replayed);
    assert_string_equal(rest_text(&rest), first);
    assert_int_equal(POST(&rest, "/api/projects", "{\"name\": \"twice\"}"), 409);
    assert_string_equal(rest_error(&rest), "KEY_REUSED");

    const char *mine = rest.token;
    rest.token = rest_token(&rest, "analyst");  // another principal has keys of its own
    assert_int_equal(POST(&rest, "/api/projects", "{\"name\": \"other\"}"), 201);
    rest.token = mine;
    rest.wall_ms += 24 * 60 * 60 * 1000;
    assert_int_equal(POST(&rest, "/api/projects", "{\"name\": \"later\"}"), 201);
    rest.key = NULL;
}

static void
a_refused_write_keeps_nothing_under_its_key(void **state)
{
    rest.key = "key-2";
    assert_int_equal(POST(&rest, "/api/projects", "{\"name\": \"a\"}"), 201);
    rest.key = "key-3";
    assert_int_equal(POST(&rest, "/api/projects", "{\"name\": \"A\"}"), 409);
    assert_int_equal(POST(&rest, "/api/projects", "{\"name\": \"b\"}"), 201);
    rest.key = "bad key";
    assert_int_equal(POST(&rest, "/api/projects", "{\"name\": \"c\"}"), 400);
    rest.key = NULL;
}

static void
the_openapi_document_names_every_route_and_its_examples(void **state)
{
    size_t count = 0;

    assert_int_equal(GET(&rest, "/api/openapi.json"), 200);
    const json_t *paths = json_get(rest_json(&rest), "paths");
    for (size_t t = 0; route_tables[t]; t++)
        for (const route_t *row = route_tables[t]; row->method; row++, count++) {
            char method[8] = "";
            for (size_t i = 0; row->method[i]; i++)
                method[i] = (char) (row->method[i] | 0x20);
            const json_t *operation = json_get(json_get(paths, row->path), method);
            assert_non_null(operation);
            assert_string_equal(json_get_text(operation, "operationId"), row->id);
            assert_non_null(json_get(operation, "responses"));
        }
    assert_true(count > 5);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rest, close_rest)
    const struct CMUnitTest tests[] = {
        TEST(a_project_is_made_found_and_listed),
        TEST(pages_follow_each_other_in_id_order),
        TEST(a_page_of_large_entities_ends_early),
        TEST(a_body_of_very_many_values_is_refused),
        TEST(a_list_of_what_there_is_not_is_refused),
        TEST(a_list_that_has_not_changed_answers_304),
        TEST(what_is_malformed_is_refused_with_a_code_and_a_sentence),
        TEST(an_unknown_member_is_answered_with_the_known_ones),
        TEST(names_have_up_to_200_characters_and_are_unique_whatever_their_case),
        TEST(the_same_key_replays_the_first_answer),
        TEST(a_refused_write_keeps_nothing_under_its_key),
        TEST(the_openapi_document_names_every_route_and_its_examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
