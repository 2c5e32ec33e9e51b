// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "address.h"
#include "api/url.h"
#include "auto.h"

#include <cmocka.h>  // last: it defines fail()

// clang-format off
static const struct {
    const char *base, *path, *query;  // query: JSON
    const char *url;                  // NULL: refused
} rows[] = {
    { "http://h/api/", "/x/",              NULL, "http://h/api/x/" },
    { "http://h/api",  "x",                NULL, "http://h/api/x" },
    { "http://h/api",  "/",                NULL, "http://h/api/" },
    { "http://h/api",  NULL,               NULL, "http://h/api/" },
    { "http://h",      "//a/../b/./c",     NULL, "http://h//a/../b/./c" },
    { "http://h",      "/a b/ä?q=1|2#top", NULL, "http://h/a%20b/%C3%A4?q=1%7C2#top" },
    { "http://h",      "/100%25/%zz",      NULL, "http://h/100%25/%zz" },
    { "http://h",      "https://o/x",      NULL, "https://o/x" },
    { "http://h",      "HTTP://o/x",       NULL, "HTTP://o/x" },
    { "http://[{{six}}]:80", "/a",         NULL, "http://[::1]:80/a" },
    { "http://[fe80::1%25lo]", "/a",       NULL, "http://[fe80::1%25lo]/a" },
    { "http://h",      "/i/{{id}}",        NULL, "http://h/i/1003200000000001759" },
    { "http://h",      "/i/{{odd}}",       NULL, "http://h/i/a%2Fb%3Fc%20d%26e" },
    { "http://h",      "{{next}}",         NULL, "http://h/next?page=2" },
    { "http://h",      "{{absolute}}",     NULL, "http://o/abs" },
    { "http://h/{{v}}", "/x",              NULL, "http://h/v1/x" },
    { "http://h",      "/x", "{\"a\":\"1 2\",\"b\":[\"x\",\"y\"]}", "http://h/x?a=1%202&b=x&b=y" },
    { "http://h",      "/x?k=v", "{\"a\":1}", "http://h/x?k=v&a=1" },
    { "http://h",      "/x", "{\"a\":\"{{odd}}\"}", "http://h/x?a=a%2Fb%3Fc%20d%26e" },
    { "http://h",      "/x", "{\"a&b\":\"\"}", "http://h/x?a%26b=" },
    { "http://h",      "/x", "{\"a\":[]}", "http://h/x" },
    { "http://h",      "/{{nobody}}",      NULL, NULL },
    { "http://h",      "/x", "{\"a\":\"{{nobody}}\"}", NULL },
    { "",              "/x",               NULL, NULL },
    { NULL,            "/x",               NULL, NULL },
    { "ftp://h",       "/x",               NULL, NULL },
};
// clang-format on

static void
base_path_and_query_make_a_url(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        variables_t *variables = variables_new(arena);
        const char *url = NULL;
        failure_t why = { 0 };
        variables_set(variables, "id", json_number_text(arena, "1003200000000001759"));
        variables_set_text(variables, "odd", "a/b?c d&e");
        variables_set_text(variables, "next", "/next?page=2");
        variables_set_text(variables, "absolute", "http://o/abs");
        variables_set_text(variables, "six", "::1");
        variables_set_text(variables, "v", "v1");
        print_message("  %s + %s\n", rows[i].base, rows[i].path);
        status_t status = url_of_step(
            arena, variables, rows[i].base, rows[i].path,
            rows[i].query ? json_parse_text(arena, rows[i].query) : NULL, &url, &why);
        assert_int_equal(status, rows[i].url ? OK : BAD_ARGS);
        if (rows[i].url)
            assert_string_equal(url, rows[i].url);
        else
            assert_true(strlen(why.text) > 10);
    }
}

// clang-format off
static const struct {
    const char *a, *b;
    bool same;
} origins[] = {
    { "http://h/a",         "http://h/b?c",        true },
    { "http://h/a",         "http://H:80/",        true },
    { "https://h/a",        "https://h:443/",      true },
    { "http://h/a",         "https://h/a",         false },
    { "http://h:80/a",      "http://h:8080/a",     false },
    { "http://h/a",         "http://h.example/a",  false },
    { "http://localhost/a", "http://127.0.0.1/a",  false },
    { "http://[::1]/a",     "http://[::1]/b",      true },
    { "no URL",             "no URL",              false },
};
// clang-format on

static void
an_origin_is_scheme_host_and_port(void **state)
{
    for (size_t i = 0; i < ROWS(origins); i++) {
        print_message("  %s, %s\n", origins[i].a, origins[i].b);
        assert_int_equal(address_same_origin(origins[i].a, origins[i].b), origins[i].same);
        assert_int_equal(address_same_origin(origins[i].b, origins[i].a), origins[i].same);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_path_and_query_make_a_url),
        cmocka_unit_test(an_origin_is_scheme_host_and_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
