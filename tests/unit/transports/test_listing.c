// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "catalogue.h"
#include "mcp/listing.h"

#include <cmocka.h>

static const entry_msg_t tool = { .kind = "tool",
                                  .category = "a",
                                  .name = "one",
                                  .profile = "core",
                                  .json = "{\"name\":\"one\"}" };
static const entry_msg_t wide = { .kind = "tool",
                                  .category = "a",
                                  .name = "two",
                                  .profile = "wide",
                                  .json = "{\n\"name\" : \"two\"\n}" };
static const entry_msg_t broken = {
    .kind = "tool", .category = "a", .name = "bad", .profile = "core", .json = "{\"name\":"
};
static const entry_msg_t resource = { .kind = "resource",
                                      .name = "proofarc://one",
                                      .profile = "core",
                                      .json = "{\"uri\":\"proofarc://one\"}" };
static const entry_msg_t template = { .kind = "template",
                                      .name = "proofarc://run/{id}",
                                      .profile = "core",
                                      .json = "{\"uriTemplate\":\"proofarc://run/{id}\"}" };

static bool
take(listing_t *listing, const entry_msg_t *entries, size_t count, bool is_complete)
{
    catalogue_msg_t catalogue = { .complete = is_complete };
    void *bytes;
    failure_t why;

    catalogue_pack(entries, count, &bytes, &catalogue.entries.size);
    catalogue.entries.bytes = bytes;
    bool is_other = 0 != listing_take(listing, &catalogue, &why);
    free(bytes);
    return is_other;
}

static void
a_catalogue_is_taken_once(void **state)
{
    AUTO(listing_destroy) listing_t *listing = listing_new(NULL, 0);
    const entry_msg_t both[] = { tool, wide };

    assert_false(listing_is_known(listing));
    assert_true(take(listing, both, 1, false));
    assert_false(take(listing, both, 1, false));
    assert_false(listing_is_complete(listing));
    assert_false(take(listing, both, 1, true));
    assert_true(listing_is_complete(listing));
    assert_false(take(listing, both, 2, false));  // of a broker that has just started
    assert_null(listing_tool(listing, NULL, "two"));
    assert_true(take(listing, both, 2, true));
    assert_non_null(listing_tool(listing, NULL, "two"));
    assert_true(take(listing, both, 1, true));
    assert_null(listing_tool(listing, NULL, "two"));
}

static void
a_malformed_catalogue_changes_nothing(void **state)
{
    AUTO(listing_destroy) listing_t *listing = listing_new(NULL, 0);
    const entry_msg_t good[] = { tool }, bad[] = { wide, broken };
    const catalogue_msg_t garbage = { .complete = 1, .entries = { "\xc1\xff", 2 } };
    failure_t why;

    take(listing, good, 1, true);
    assert_false(take(listing, bad, 2, true));
    assert_false(listing_take(listing, &garbage, &why));
    assert_int_not_equal(why.status, OK);
    assert_non_null(listing_tool(listing, NULL, "one"));
    assert_null(listing_tool(listing, NULL, "two"));
}

static void
assert_list(listing_t *listing, list_t list, const char *expected)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    assert_int_equal(listing_page(listing, NULL, list, PROTOCOL_2025_11_25, 0, &out), 0);
    assert_string_equal(out.bytes, expected);
}

static void
a_list_is_one_line_in_the_given_order(void **state)
{
    AUTO(listing_destroy) listing_t *listing = listing_new(NULL, 0);
    const entry_msg_t entries[] = { wide, resource, tool };

    take(listing, entries, 3, true);
    assert_list(listing, LIST_TOOLS, "{\"tools\":[{\"name\":\"two\"},{\"name\":\"one\"}]}");
    assert_list(listing, LIST_RESOURCES, "{\"resources\":[{\"uri\":\"proofarc://one\"}]}");
    assert_list(listing, LIST_PROMPTS, "{\"prompts\":[]}");
}

static void
a_profile_shows_itself_and_what_is_below(void **state)
{
    static const struct {
        const char *profile;
        bool shows_wide;
    } rows[] = {
        { "core", false },
        { "standard", false },
        { "wide", true },
        { "full", true },
    };
    const entry_msg_t entries[] = { tool, wide };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(listing_destroy)
        listing_t *listing = listing_new(&(view_t){ .profile = rows[i].profile }, 0);
        take(listing, entries, 2, true);
        assert_non_null(listing_tool(listing, NULL, "one"));
        assert_int_equal(listing_tool(listing, NULL, "two") != NULL, rows[i].shows_wide);
    }
}

static void
a_resource_is_found_by_address_or_template(void **state)
{
    static const struct {
        const char *uri;
        bool is_there;
    } rows[] = {
        { "proofarc://one", true },     { "proofarc://one/", false },
        { "proofarc://on", false },     { "proofarc://run/7", true },
        { "proofarc://run/", false },   { "proofarc://run", false },
        { "proofarc://runs/7", false }, { "", false },
    };
    AUTO(listing_destroy) listing_t *listing = listing_new(NULL, 0);
    const entry_msg_t entries[] = { tool, resource, template };

    take(listing, entries, 3, true);
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_int_equal(listing_resource(listing, rows[i].uri) != NULL, rows[i].is_there);
}

static void
a_long_list_comes_in_pages(void **state)
{
    AUTO(listing_destroy) listing_t *listing = listing_new(NULL, 1);
    AUTO(buffer_clear) buffer_t first = { 0 }, second = { 0 }, third = { 0 };
    const entry_msg_t entries[] = { tool, wide };

    take(listing, entries, 2, true);
    assert_int_equal(listing_page(listing, NULL, LIST_TOOLS, PROTOCOL_2025_11_25, 0, &first),
                     1);
    assert_string_equal(first.bytes, "{\"tools\":[{\"name\":\"one\"}]}");
    assert_int_equal(listing_page(listing, NULL, LIST_TOOLS, PROTOCOL_2025_11_25, 1, &second),
                     0);
    assert_string_equal(second.bytes, "{\"tools\":[{\"name\":\"two\"}]}");
    assert_int_equal(listing_page(listing, NULL, LIST_TOOLS, PROTOCOL_2025_11_25, 9, &third),
                     0);
    assert_string_equal(third.bytes, "{\"tools\":[]}");
}

static void
every_list_comes_in_pages(void **state)
{
    static const entry_msg_t entries[] = {
        { .kind = "tool", .name = "t1", .profile = "core", .json = "{\"name\":\"1\"}" },
        { .kind = "tool", .name = "t2", .profile = "core", .json = "{\"name\":\"2\"}" },
        { .kind = "resource", .name = "r:1", .profile = "core", .json = "{\"name\":\"1\"}" },
        { .kind = "resource", .name = "r:2", .profile = "core", .json = "{\"name\":\"2\"}" },
        { .kind = "template", .name = "m:{1}", .profile = "core", .json = "{\"name\":\"1\"}" },
        { .kind = "template", .name = "m:{2}", .profile = "core", .json = "{\"name\":\"2\"}" },
        { .kind = "prompt", .name = "p1", .profile = "core", .json = "{\"name\":\"1\"}" },
        { .kind = "prompt", .name = "p2", .profile = "core", .json = "{\"name\":\"2\"}" },
    };
    static const list_t lists[] = { LIST_TOOLS, LIST_RESOURCES, LIST_TEMPLATES, LIST_PROMPTS };
    AUTO(listing_destroy) listing_t *listing = listing_new(NULL, 1);

    take(listing, entries, ROWS(entries), true);
    for (size_t i = 0; i < ROWS(lists); i++) {
        AUTO(buffer_clear) buffer_t first = { 0 }, second = { 0 };
        assert_int_equal(listing_page(listing, NULL, lists[i], PROTOCOL_2025_11_25, 0, &first),
                         1);
        assert_int_equal(listing_page(listing, NULL, lists[i], PROTOCOL_2025_11_25, 1, &second),
                         0);
        assert_non_null(strstr(first.bytes, ":[{\"name\":\"1\"}]}"));
        assert_non_null(strstr(second.bytes, ":[{\"name\":\"2\"}]}"));
    }
}

static void
what_has_changed_is_told_by_list(void **state)
{
    AUTO(listing_destroy) listing_t *listing = listing_new(NULL, 0);
    const entry_msg_t entries[] = { tool, resource, template };
    catalogue_msg_t catalogue = { .complete = true };
    failure_t why;
    static const unsigned expected[] = {
        1u << LIST_TOOLS | 1u << LIST_RESOURCES | 1u << LIST_TEMPLATES | 1u << LIST_PROMPTS,
        1u << LIST_TEMPLATES,
        1u << LIST_RESOURCES,
    };

    for (size_t count = 3; count > 0; count--) {
        void *bytes;
        catalogue_pack(entries, count, &bytes, &catalogue.entries.size);
        catalogue.entries.bytes = bytes;
        uint64_t before = listing_mark(listing);
        assert_int_equal(listing_take(listing, &catalogue, &why), expected[3 - count]);
        assert_true(before != listing_mark(listing));
        free(bytes);
    }
}

static void
who_sees_a_part_finds_the_rest_by_search(void **state)
{
    AUTO(listing_destroy) listing_t *listing = listing_new(NULL, 0);
    AUTO(buffer_clear) buffer_t out = { 0 };
    const entry_msg_t entries[] = { tool, wide };
    const view_t core = { .profile = "core" };

    take(listing, entries, 2, true);
    assert_int_equal(listing_page(listing, &core, LIST_TOOLS, PROTOCOL_2025_11_25, 0, &out), 0);
    assert_non_null(strstr(out.bytes, "\"one\""));
    assert_null(strstr(out.bytes, "\"two\""));
    assert_non_null(strstr(out.bytes, "\"search_tools\""));
    assert_non_null(strstr(out.bytes, "\"call_tool\""));
    assert_null(listing_tool(listing, &core, "two"));
    assert_non_null(listing_allowed(listing, &core, "two"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_catalogue_is_taken_once),
        cmocka_unit_test(a_malformed_catalogue_changes_nothing),
        cmocka_unit_test(a_list_is_one_line_in_the_given_order),
        cmocka_unit_test(a_profile_shows_itself_and_what_is_below),
        cmocka_unit_test(a_resource_is_found_by_address_or_template),
        cmocka_unit_test(a_long_list_comes_in_pages),
        cmocka_unit_test(every_list_comes_in_pages),
        cmocka_unit_test(what_has_changed_is_told_by_list),
        cmocka_unit_test(who_sees_a_part_finds_the_rest_by_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
