// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "limits.h"
#include "view.h"

#include <cmocka.h>  // last: it defines fail()

// clang-format off
static const struct {
    const char *body;
    status_t status;
    size_t count;  // with OK
} rows[] = {
    { "{\"items\":[]}",                                                    OK, 0 },
    { " { \"items\" : [ ] } \n",                                           OK, 0 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\"}]}",                           OK, 1 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\"} , {\"id\":2,\"name\":\"b\"}]}", OK, 2 },
    { "{\"total\":1,\"items\":[{\"id\":1,\"name\":\"a\"}],\"more\":{\"x\":[1]}}", OK, 1 },
    { "{\"note\":\"]}\\\"{\",\"items\":[{\"id\":1,\"name\":\"[,]}\\\"\"}]}", OK, 1 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\",\"projectIds\":null,\"tags\":null}]}", OK, 1 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\",\"new\":{\"deep\":[[]]}}]}",   OK, 1 },
    { "{\"items\":[{\"id\":2,\"name\":\"b\"},{\"id\":1,\"name\":\"a\"}]}", OK, 2 },
    { "{\"items\":[{\"id\":1,\"name\":\"b\"},{\"id\":1,\"name\":\"a\"}]}", OK, 1 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\",\"tags\":[\"\",\" \",\"x\"]}]}", OK, 1 },
    // What a proxy, a broken connection or another program may send instead.
    { "",                                                                  BACKEND, 0 },
    { "null",                                                              BACKEND, 0 },
    { "[]",                                                                BACKEND, 0 },
    { "{}",                                                                BACKEND, 0 },
    { "{\"projects\":[]}",                                                 BACKEND, 0 },
    { "{\"items\":{}}",                                                    BACKEND, 0 },
    { "{\"items\":null}",                                                  BACKEND, 0 },
    { "<!DOCTYPE html><html><body>Sign in</body></html>",                  BACKEND, 0 },
    { "{\"error\":{\"code\":\"X\",\"message\":\"items\"}}",                BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\"}]",                            BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\"}",                             BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\"},",                            BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"na",                                        BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\"}]}x",                          BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\"}]}{\"items\":[]}",             BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\"},]}",                          BACKEND, 0 },
    { "{\"items\":[,{\"id\":1,\"name\":\"a\"}]}",                          BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\"} {\"id\":2,\"name\":\"b\"}]}", BACKEND, 0 },
    { "{\"items\":[[]]}",                                                  BACKEND, 0 },
    { "{\"items\":[7]}",                                                   BACKEND, 0 },
    { "{\"items\":[null]}",                                                BACKEND, 0 },
    { "{\"items\":[{\"name\":\"a\"}]}",                                    BACKEND, 0 },
    { "{\"items\":[{\"id\":\"1\",\"name\":\"a\"}]}",                       BACKEND, 0 },
    { "{\"items\":[{\"id\":1.5,\"name\":\"a\"}]}",                         BACKEND, 0 },
    { "{\"items\":[{\"id\":1}]}",                                          BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"name\":null}]}",                            BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"name\":7}]}",                               BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\\u0000b\"}]}",                   BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\",\"projectIds\":7}]}",          BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\",\"projectIds\":[\"x\"]}]}",    BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\",\"tags\":\"smoke\"}]}",        BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\",\"tags\":[1]}]}",              BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\",\"historyTags\":[null]}]}",    BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\",\"environmentId\":\"x\"}]}",   BACKEND, 0 },
    { "{\"items\":[{\"id\":1,\"name\":\"a\"},{\"id\":2,\"name\":\"\xff\"}]}", BACKEND, 0 },
};
// clang-format on

static void
only_a_complete_list_of_entities_becomes_a_snapshot(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(snapshot_destroy) snapshot_t *snapshot = NULL;
        failure_t why = { 0 };

        print_message("  %s\n", rows[i].body);
        assert_int_equal(view_parse(KIND_SCENARIO, rows[i].body, strlen(rows[i].body),
                                    SNAPSHOTS_PER_PRINCIPAL, &snapshot, &why),
                         rows[i].status);
        assert_int_equal(why.status, rows[i].status);
        if (rows[i].status)
            assert_null(snapshot);
        else
            assert_int_equal(snapshot_count(snapshot), rows[i].count);
    }
}

static void
no_beginning_of_a_list_is_taken_for_a_list(void **state)
{
    static const char body[] = "{\"items\":[{\"id\":1,\"name\":\"a\\\"b\",\"projectIds\":[1,2],"
                               "\"tags\":[\"x\"]},{\"id\":2,\"name\":\"b\"}],\"total\":2}";

    for (size_t size = 0; size < sizeof body - 1; size++) {
        AUTO(snapshot_destroy) snapshot_t *snapshot = NULL;
        failure_t why;

        assert_int_equal(
            view_parse(KIND_PROJECT, body, size, SNAPSHOTS_PER_PRINCIPAL, &snapshot, &why),
            BACKEND);
    }
}

static void
the_refusal_names_the_list_and_the_item(void **state)
{
    static const char body[] = "{\"items\":[{\"id\":1,\"name\":\"a\"},{\"id\":2}]}";
    AUTO(snapshot_destroy) snapshot_t *snapshot = NULL;
    failure_t why;

    view_parse(KIND_UI_TEST, body, strlen(body), SNAPSHOTS_PER_PRINCIPAL, &snapshot, &why);
    assert_string_equal(why.text,
                        "the platform's list of UI tests is not as expected, at item 2: "
                        "the entity with id 2 has no name; is it a platform of a "
                        "supported version?");
}

static void
a_list_over_the_budget_is_too_large(void **state)
{
    static const char body[] = "{\"items\":[{\"id\":1,\"name\":\"a\"}]}";
    AUTO(snapshot_destroy) snapshot_t *snapshot = NULL, *another = NULL, *refused = NULL;
    failure_t why;

    assert_int_equal(
        view_parse(KIND_PROJECT, body, strlen(body), SIZE_MAX / 2, &snapshot, &why), OK);
    size_t size = snapshot_size(snapshot);
    assert_int_equal(view_parse(KIND_PROJECT, body, strlen(body), size, &another, &why), OK);
    assert_int_equal(view_parse(KIND_PROJECT, body, strlen(body), size - 1, &refused, &why),
                     TOO_LARGE);
}

static void
members_that_are_absent_keep_what_is_known(void **state)
{
    static const char body[] =
        "{\"items\":[{\"id\":1,\"name\":\"a\",\"projectIds\":[7,8],"
        "\"tags\":[\"x\"],\"historyTags\":[\"y\"],\"environmentId\":3}]}";
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(snapshot_destroy) snapshot_t *snapshot = NULL;
    failure_t why;
    draft_t draft;

    assert_int_equal(
        view_parse(KIND_TARGET, body, strlen(body), SNAPSHOTS_PER_PRINCIPAL, &snapshot, &why),
        OK);
    const json_t *entity = json_parse_text(arena, "{\"id\":1,\"tags\":[\"z\"]}");
    assert_int_equal(
        view_entity(arena, entity, snapshot, snapshot_find(snapshot, 1), &draft, &why), OK);
    assert_string_equal(draft.name, "a");
    assert_int_equal(draft.project_count, 2);
    assert_int_equal(draft.projects[1], 8);
    assert_int_equal(draft.tag_count, 1);
    assert_string_equal(draft.tags[0], "z");
    assert_int_equal(draft.history_count, 1);
    assert_string_equal(draft.history[0], "y");
    assert_int_equal(draft.environment_id, 3);
    assert_int_equal(view_entity(arena, entity, snapshot, NULL, &draft, &why), BACKEND);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_complete_list_of_entities_becomes_a_snapshot),
        cmocka_unit_test(no_beginning_of_a_list_is_taken_for_a_list),
        cmocka_unit_test(the_refusal_names_the_list_and_the_item),
        cmocka_unit_test(a_list_over_the_budget_is_too_large),
        cmocka_unit_test(members_that_are_absent_keep_what_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
