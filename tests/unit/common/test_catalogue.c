// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "auto.h"
#include "catalogue.h"

#include <cmocka.h>  // last: it defines fail()

static const entry_msg_t entries[] = {
    { .kind = "tool",
      .category = "explore",
      .name = "list_projects",
      .json = "{\"a\":1}",
      .effect = "reads",
      .budget_ms = 45000,
      .profile = "core" },
    { .kind = "template", .category = "act", .name = "proofarc://execution/{execution_id}" },
};

static void
entries_come_out_in_their_order(void **state)
{
    void *bytes;
    size_t size, count;
    entry_msg_t *back;
    failure_t why;

    catalogue_pack(entries, ROWS(entries), &bytes, &size);
    assert_int_equal(catalogue_unpack((wire_bin_t){ bytes, size }, &back, &count, &why), OK);
    free(bytes);
    assert_int_equal(count, ROWS(entries));
    assert_string_equal(back[0].name, "list_projects");
    assert_string_equal(back[0].json, "{\"a\":1}");
    assert_int_equal(back[0].budget_ms, 45000);
    assert_string_equal(back[1].kind, "template");
    assert_string_equal(back[1].category, "act");
    assert_string_equal(back[1].profile, "");
    catalogue_free(&back, count);
    assert_null(back);
}

static void
no_entries_are_no_bytes(void **state)
{
    void *bytes;
    size_t size, count = 7;
    entry_msg_t *back;
    failure_t why;

    catalogue_pack(NULL, 0, &bytes, &size);
    assert_int_equal(size, 0);
    free(bytes);
    assert_int_equal(catalogue_unpack((wire_bin_t){ NULL, 0 }, &back, &count, &why), OK);
    assert_int_equal(count, 0);
    catalogue_free(&back, count);
}

static void
one_malformed_entry_refuses_all(void **state)
{
    entry_msg_t *const untouched = (entry_msg_t *) &untouched;
    entry_msg_t *back = untouched;
    void *bytes;
    size_t size, count = 7;
    failure_t why;

    catalogue_pack(entries, ROWS(entries), &bytes, &size);
    for (size_t cut = 1; cut < size; cut++) {
        status_t status = catalogue_unpack((wire_bin_t){ bytes, cut }, &back, &count, &why);
        if (status == OK) {  // cut exactly between the two
            assert_int_equal(count, 1);
            catalogue_free(&back, count);
            back = untouched;
            count = 7;
            continue;
        }
        assert_int_equal(status, BAD_ARGS);
        assert_ptr_equal(back, untouched);
        assert_int_equal(count, 7);
    }
    free(bytes);
}

static void
the_number_of_entries_is_limited(void **state)
{
    for (int over = -1; over <= 1; over++) {
        size_t wanted = CATALOGUE_ENTRIES_MAX + over, size, count;
        entry_msg_t *many = calloc(wanted, sizeof *many);
        entry_msg_t *back;
        void *bytes;
        failure_t why;

        catalogue_pack(many, wanted, &bytes, &size);
        status_t status = catalogue_unpack((wire_bin_t){ bytes, size }, &back, &count, &why);
        assert_int_equal(status, over > 0 ? TOO_LARGE : OK);
        if (status == OK) {
            assert_int_equal(count, wanted);
            catalogue_free(&back, count);
        }
        free(bytes);
        free(many);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_come_out_in_their_order),
        cmocka_unit_test(no_entries_are_no_bytes),
        cmocka_unit_test(one_malformed_entry_refuses_all),
        cmocka_unit_test(the_number_of_entries_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
