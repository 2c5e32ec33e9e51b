// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "auto.h"
#include "uri_template.h"

#include <cmocka.h>

// clang-format off
static const struct {
    const char *template;
    const char *uri;
    const char *value;  // NULL: of another template
} rows[] = {
    { "proofarc://execution/{id}", "proofarc://execution/12",      "12" },
    { "proofarc://execution/{id}", "proofarc://execution/a%2fb",   "a/b" },
    { "proofarc://execution/{id}", "proofarc://execution/%10%e4",  "\x10\xe4" },
    { "proofarc://execution/{id}", "proofarc://execution/%zz",     NULL },
    { "proofarc://execution/{id}", "proofarc://execution/%00",     NULL },
    { "proofarc://execution/{id}", "proofarc://execution/%4",      NULL },
    { "proofarc://execution/{id}", "proofarc://execution/%",       NULL },
    { "proofarc://execution/{id}", "proofarc://execution/",        NULL },
    { "proofarc://execution/{id}", "proofarc://execution/12/more", NULL },
    { "proofarc://execution/{id}", "proofarc://execution/12?a=b",  NULL },
    { "proofarc://execution/{id}", "proofarc://execution/12#a",    NULL },
    { "proofarc://execution/{id}", "proofarc://executions/12",     NULL },
    { "proofarc://execution/{id}", "PROOFARC://execution/12",      NULL },
    { "proofarc://execution/{id}", "proofarc:",                    NULL },
    { "proofarc://execution/{id}", "",                             NULL },
    { "p://run/{id}/report",       "p://run/12/report",            "12" },
    { "p://run/{id}/report",       "p://run//report",              NULL },
    { "p://run/{id}/report",       "p://run/12/reports",           NULL },
    { "p://run/{id}/report",       "p://run/12%2/report",          NULL },  // the escape would eat the /
    { "p://run/{id}/report",       "p://run/1/2/report",           NULL },
    { "aa{id}aa",                  "aaa",                          NULL },  // nothing stands twice
    { "aa{id}aa",                  "aaaa",                         NULL },
    { "aa{id}aa",                  "aaaaa",                        "a" },
    { "p://run",                   "p://run",                      NULL },
    { "p://run/{id",               "p://run/12",                   NULL },
    { "p://run}/{id",              "p://run/12",                   NULL },
};
// clang-format on

static void
a_uri_belongs_to_a_template_or_not(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        const char *value = uri_template_value(arena, rows[i].template, rows[i].uri);

        print_message("  %s %s\n", rows[i].template, rows[i].uri);
        if (rows[i].value)
            assert_string_equal(value, rows[i].value);
        else
            assert_null(value);
    }
}

static void
the_variable_has_a_name(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();

    assert_string_equal(uri_template_variable(arena, "p://run/{run_id}/report"), "run_id");
    assert_null(uri_template_variable(arena, "p://run}"));
    assert_null(uri_template_variable(arena, "p://}run{"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_uri_belongs_to_a_template_or_not),
        cmocka_unit_test(the_variable_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
