// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "api/learn.h"
#include "auto.h"

#include <cmocka.h>  // last: it defines fail()

typedef enum { BODY, HEADERS, URL } source_t;

// clang-format off
static const struct {
    source_t source;
    const char *text;    // what is learned from
    const char *secret;  // what is masked then, or not
    bool is_learned;
} rows[] = {
    { BODY,    "{\"token\":\"abc-123456\"}",             "abc-123456", true },
    { BODY,    "{\"TOKEN\":\"abc-123456\"}",             "abc-123456", true },
    { BODY,    "[{\"a\":{\"refresh_token\":\"abc-123456\"}}]", "abc-123456", true },
    { BODY,    "{\"password\":1234567}",                 "1234567",    true },
    { BODY,    "{\"token\":\"12345\"}",                  "12345",      false },  // too short
    { BODY,    "{\"token\":\"123456\"}",                 "123456",     true },
    { BODY,    "{\"name\":\"abc-123456\"}",              "abc-123456", false },
    { BODY,    "{\"token\":{\"value\":\"abc-123456\"}}", "abc-123456", false },
    { HEADERS, "[[\"Authorization\",\"Bearer abc-123456\"]]", "abc-123456", true },
    { HEADERS, "[[\"x-api-key\",\"abc-123456\"]]",       "abc-123456", true },
    { HEADERS, "[[\"X-Other\",\"abc-123456\"]]",         "abc-123456", false },
    { HEADERS, "[[\"Set-Cookie\",\"sid=abc-123456; Path=/; Domain=example.org\"]]", "abc-123456", true },
    { HEADERS, "[[\"Set-Cookie\",\"sid=abc-123456; Path=/; Domain=example.org\"]]", "example.org", false },
    { HEADERS, "[[\"Cookie\",\"a=1; b=abc-123456\"]]",   "abc-123456", true },
    { HEADERS, "[[\"Set-Cookie\",\"no value\"]]",        "no value",   false },
    { HEADERS, "[[\"Location\",\"/cb?access_token=abc-123456&x=1\"]]", "abc-123456", true },
    { URL,     "http://h/?a=1&token=abc-123456",         "abc-123456", true },
    { URL,     "http://h/#access_token=abc-123456&x=1",  "abc-123456", true },
    { URL,     "http://h/?token=abc%2D12%2f456",         "abc-12/456", true },
    { URL,     "http://h/?token=abc%2D12%2f456",         "abc%2D12%2f456", true },
    { URL,     "http://h/?name=abc-123456",              "abc-123456", false },
    { URL,     "http://h/?token",                        "token",      false },
    { URL,     "http://h/?token=%",                      "%",          false },
    { URL,     "http://h/?",                             "h/?",        false },
    { URL,     "http://me:abc-123456@h/x@y",             "abc-123456", true },
    { URL,     "http://h/me:abc-123456@x",               "abc-123456", false },
};
// clang-format on

static void
secrets_are_known_by_where_they_stand(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        mask_t *mask = mask_new(arena);
        size_t size;

        print_message("  %s\n", rows[i].text);
        if (rows[i].source == BODY)
            learn_body(mask, json_parse_text(arena, rows[i].text));
        else if (rows[i].source == HEADERS)
            learn_headers(mask, arena, json_parse_text(arena, rows[i].text));
        else
            learn_url(mask, arena, rows[i].text);
        const char *masked =
            mask_text(mask, arena, rows[i].secret, strlen(rows[i].secret), &size);
        assert_int_equal(strcmp(masked, MASK_TEXT) == 0, rows[i].is_learned);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(
        secrets_are_known_by_where_they_stand) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
