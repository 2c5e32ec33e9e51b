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
    bool is_other = listing_take(listing, &catalogue, &why);
    free(bytes);
    return is_other;
}

static void
a_catalogue_is_taken_once(void **state)
{
    AUTO(listing_destroy) listing_t *listing = listing_new("full");
    const entry_msg_t both[] = { tool, wide };

    assert_false(listing_is_known(listing));
    assert_true(take(listing, both, 1, false));
    assert_false(take(listing, both, 1, false));
    assert_false(listing_is_complete(listing));
    assert_false(take(listing, both, 1, true));
    assert_true(listing_is_complete(listing));
    assert_false(take(listing, both, 2, false));  // of a broker that has just started
    assert_null(listing_tool(listing, "two"));
    assert_true(take(listing, both, 2, true));
    assert_non_null(listing_tool(listing, "two"));
    assert_true(take(listing, both, 1, true));
    assert_null(listing_tool(listing, "two"));
}

static void
a_malformed_catalogue_changes_nothing(void **state)
{
    AUTO(listing_destroy) listing_t *listing = listing_new("full");
    const entry_msg_t good[] = { tool }, bad[] = { wide, broken };
    const catalogue_msg_t garbage = { .complete = 1, .entries = { "\xc1\xff", 2 } };
    failure_t why;

    take(listing, good, 1, true);
    assert_false(take(listing, bad, 2, true));
    assert_false(listing_take(listing, &garbage, &why));
    assert_int_not_equal(why.status, OK);
    assert_non_null(listing_tool(listing, "one"));
    assert_null(listing_tool(listing, "two"));
}

static void
a_list_is_one_line_in_the_given_order(void **state)
{
    AUTO(listing_destroy) listing_t *listing = listing_new("full");
    const entry_msg_t entries[] = { wide, resource, tool };

    take(listing, entries, 3, true);
    assert_string_equal(listing_result(listing, LIST_TOOLS, PROTOCOL_2025_11_25)->bytes,
                        "{\"tools\":[{\"name\":\"two\"},{\"name\":\"one\"}]}");
    assert_string_equal(listing_result(listing, LIST_RESOURCES, PROTOCOL_2025_11_25)->bytes,
                        "{\"resources\":[{\"uri\":\"proofarc://one\"}]}");
    assert_string_equal(listing_result(listing, LIST_PROMPTS, PROTOCOL_2025_11_25)->bytes,
                        "{\"prompts\":[]}");
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
        AUTO(listing_destroy) listing_t *listing = listing_new(rows[i].profile);
        take(listing, entries, 2, true);
        assert_non_null(listing_tool(listing, "one"));
        assert_int_equal(listing_tool(listing, "two") != NULL, rows[i].shows_wide);
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
    AUTO(listing_destroy) listing_t *listing = listing_new("full");
    const entry_msg_t entries[] = { tool, resource, template };

    take(listing, entries, 3, true);
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_int_equal(listing_resource(listing, rows[i].uri) != NULL, rows[i].is_there);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
