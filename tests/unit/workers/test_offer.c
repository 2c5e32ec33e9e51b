// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "call_state.h"
#include "catalogue.h"
#include "limits.h"
#include "offer.h"

#include <cmocka.h>  // last: it defines fail()

static void
run_nothing(call_t *call)
{
}

// A row that breaks no rule, for one more setting to break it.
#define ROW                                                                                    \
    .title = "T", .about = "A.", .effect = READS, .profile = CORE, .rest = "GET /api/x",       \
    .result = { { "id", NUMBER, "Id." } }

// clang-format off
static const struct {
    tool_t tools[3];
    const char *why;  // NULL: fine
} rows[] = {
    { { { ROW, .name = "list_it" } }, NULL },
    { { { ROW, .name = "a" }, { ROW, .name = "b" } }, NULL },
    { { { ROW, .name = "abcdefghijklmnopqrstuvwxyz0123456789abcdabcdefghijklmnopqrstuvwx" } }, NULL },
    { { { ROW, .name = "abcdefghijklmnopqrstuvwxyz0123456789abcdabcdefghijklmnopqrstuvwxy" } }, "is no name of a tool" },
    { { { ROW, .name = "List" } }, "is no name of a tool" },
    { { { ROW, .name = "list-it" } }, "is no name of a tool" },
    { { { ROW, .name = "" } }, "is no name of a tool" },
    { { { ROW, .name = "a" }, { ROW, .name = "a" } }, "there are two tools a" },
    { { { .name = "a", .about = "A.", .effect = READS, .profile = CORE, .rest = "GET /x" } }, "lacks title" },
    { { { ROW, .name = "a", .run = run_nothing } }, "either rest or run" },
    { { { .name = "a", .title = "T", .about = "A.", .effect = READS, .profile = CORE, .rest = "GET /x" } }, "needs either a result or plain" },
    { { { .name = "a", .title = "T", .about = "A.", .effect = READS, .profile = CORE, .rest = "GET /x", .plain = true,
          .result = { { "x", TEXT, "X." } } } }, "needs either a result or plain" },
    { { { .name = "a", .title = "T", .about = "A.", .effect = READS, .profile = CORE, .rest = "GET /x", .input_schema = "{}",
          .result = { { "x", TEXT, "X." } } } }, "has a schema and params or rest" },
    { { { .name = "a", .title = "T", .about = "A.", .effect = READS, .profile = CORE,
          .result = { { "id", NUMBER, "Id." } } } }, "either rest or run" },
    { { { ROW, .name = "a", .quick = true } }, "cannot be quick" },
    { { { .name = "a", .title = "T", .about = "A.", .effect = READS, .profile = CORE, .quick = true, .run = run_nothing,
          .params = { { "project", PROJECT, "P." } }, .result = { { "id", NUMBER, "Id." } } } }, "cannot be quick" },
    { { { .name = "a", .title = "T", .about = "A.", .effect = READS, .profile = CORE, .quick = true, .run = run_nothing,
          .result = { { "id", NUMBER, "Id." } } } }, NULL },
    { { { ROW, .name = "a", .params = { { "x", TEXT, "" } } } }, "no description" },
    { { { ROW, .name = "a", .params = { { "x", MUST, "X." } } } }, "no kind" },
    { { { ROW, .name = "a", .params = { { "x", PROJECT | MANY, "X." } } } }, "refers to many" },
    { { { .name = "a", .title = "T", .about = "A.", .effect = READS, .profile = CORE, .rest = "GET /x/{id}",
          .result = { { "id", NUMBER, "Id." } } } }, "{id} is no MUST parameter" },
    { { { .name = "a", .title = "T", .about = "A.", .effect = READS, .profile = CORE, .rest = "GET /x/{id}",
          .params = { { "id", TEXT, "Id." } }, .result = { { "id", NUMBER, "Id." } } } }, "{id} is no MUST parameter" },
};
// clang-format on

static void
a_row_that_breaks_a_rule_is_named(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        const tool_t *const tables[] = { rows[i].tools, NULL };
        const category_t category = { "trial", tables };
        const category_t *const categories[] = { &category, NULL };
        failure_t why = { 0 };

        status_t status = offer_check(categories, &why);
        print_message("  %s\n", rows[i].why ? rows[i].why : "fine");
        assert_int_equal(status, rows[i].why ? BAD_ARGS : OK);
        if (rows[i].why)
            assert_non_null(strstr(why.text, rows[i].why));
    }
}

// Two categories, several tables, an empty one, one without templates.
static const tool_t first[] = { { ROW, .name = "a" }, { ROW, .name = "b" }, { 0 } };
static const tool_t empty[] = { { 0 } };
static const tool_t second[] = { { ROW, .name = "c" }, { 0 } };
static const template_t templates[] = {
    { "p://x/{id}", "x", "X", "X.", "text/plain", "GET /x/{id}" },
    { "p://y/{id}", "y", "Y", "Y.", "text/plain", "GET /y/{id}" },
    { 0 },
};
static const tool_t *const first_tables[] = { first, empty, second, NULL };
static const tool_t *const no_tables[] = { NULL };
static const category_t one = { "one", first_tables };
static const category_t none = { "none", no_tables };
static const category_t two = { "two", no_tables, templates };
static const category_t *const categories[] = { &one, &none, &two, NULL };

static void
tools_and_templates_are_found_in_all_tables(void **state)
{
    assert_ptr_equal(offer_tool(categories, "a"), &first[0]);
    assert_ptr_equal(offer_tool(categories, "b"), &first[1]);
    assert_ptr_equal(offer_tool(categories, "c"), &second[0]);
    assert_null(offer_tool(categories, "d"));
    assert_null(offer_tool(categories, ""));
    assert_ptr_equal(offer_template(categories, "p://y/1"), &templates[1]);
    assert_null(offer_template(categories, "p://z/1"));
}

static void
ready_lists_all_of_them_with_their_category(void **state)
{
    void *bytes;
    size_t size;
    entry_msg_t *entries;
    size_t count;
    failure_t why;

    offer_pack(categories, &bytes, &size);
    assert_int_equal(catalogue_unpack((wire_bin_t){ bytes, size }, &entries, &count, &why), OK);
    assert_int_equal(count, 5);
    assert_string_equal(entries[2].name, "c");
    assert_string_equal(entries[2].category, "one");
    assert_string_equal(entries[2].kind, "tool");
    assert_string_equal(entries[2].profile, "core");
    assert_string_equal(entries[4].name, "p://y/{id}");
    assert_string_equal(entries[4].category, "two");
    assert_string_equal(entries[4].kind, "template");
    catalogue_free(&entries, count);
    free(bytes);
}

static void
a_budget_follows_from_the_row(void **state)
{
    const tool_t waits = { .effect = EXECUTES, .params = { { "wait", FLAG, "W." } } };
    const tool_t queues = { .effect = EXECUTES };
    const tool_t reads = { .effect = READS };
    const tool_t own = { .effect = READS, .budget_ms = 20000 };

    assert_int_equal(call_budget(&waits), WAIT_CALL_MS);
    assert_int_equal(call_budget(&queues), QUEUE_CALL_MS);
    assert_int_equal(call_budget(&reads), CALL_MS);
    assert_int_equal(call_budget(&own), 20000);
}

static void
printed_schemas_are_one_json_document_a_line(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    offer_print_schemas(categories, out);
    fclose(out);
    char *rest = text;
    for (int i = 0; i < 5; i++) {
        char *end = strchr(rest, '\n');
        assert_non_null(end);
        *end = 0;
        const json_t *line = json_parse_text(arena, rest);
        assert_non_null(json_get(line, "entry"));
        assert_non_null(json_get_text(line, "category"));
        rest = end + 1;
    }
    assert_string_equal(rest, "");
    free(text);
}

static void
a_principal_has_one_resolver_and_losing_another_does_not_move_it(void **state)
{
    static const char *const three[] = { "ipc:///a", "ipc:///b", "ipc:///c" };
    size_t taken[3] = { 0 };

    for (int i = 0; i < 300; i++) {
        char principal[32];
        snprintf(principal, sizeof principal, "proofarc|user%d|admin", i);
        const size_t shard = refs_shard(three, 3, principal);
        taken[shard]++;
        if (shard < 2)
            assert_int_equal(refs_shard(three, 2, principal), shard);
    }
    for (size_t i = 0; i < 3; i++)
        assert_in_range(taken[i], 60, 140);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_that_breaks_a_rule_is_named),
        cmocka_unit_test(tools_and_templates_are_found_in_all_tables),
        cmocka_unit_test(ready_lists_all_of_them_with_their_category),
        cmocka_unit_test(a_budget_follows_from_the_row),
        cmocka_unit_test(printed_schemas_are_one_json_document_a_line),
        cmocka_unit_test(a_principal_has_one_resolver_and_losing_another_does_not_move_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
