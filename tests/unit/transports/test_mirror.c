// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "auto.h"
#include "mcp/mirror.h"

#include <cmocka.h>

static void
a_header_says_a_value_literally_or_encoded(void **state)
{
    static const struct {
        const char *header, *value;
        bool is_same;
    } rows[] = {
        { "eu", "\"eu\"", true },
        { " \teu \t", "\"eu\"", true },
        { "EU", "\"eu\"", false },
        { "=?base64?ZXU=?=", "\"eu\"", true },
        { "=?base64?ZXU?=", "\"eu\"", false },   // padding is missing
        { "=?base64?Z!U=?=", "\"eu\"", false },  // not of the alphabet
        { "=?base64?ZXU=", "\"eu\"", false },    // a literal value, as its end is missing
        { "=?base64?ZXU=", "\"=?base64?ZXU=\"", true },
        { "=?base64?w6k=?=", "\"\xc3\xa9\"", true },
        { "1", "1", true },
        { "1.0", "1", true },
        { "1e0", "1", true },
        { "2", "1", false },
        { "one", "1", false },
        { "true", "true", true },
        { "false", "true", false },
        { NULL, "\"eu\"", false },
    };
    AUTO(arena_destroy) arena_t *arena = arena_new();

    for (size_t i = 0; i < ROWS(rows); i++)
        assert_int_equal(mirror_matches(rows[i].header, json_parse_text(arena, rows[i].value)),
                         rows[i].is_same);
}

typedef struct {
    const char *name, *value;
} header_t;

static const char *
look_up(const char *name, void *arg)
{
    const header_t *header = arg;

    return header->name && !strcasecmp(header->name, name) ? header->value : NULL;
}

static void
a_marked_argument_stands_in_its_header(void **state)
{
    static const struct {
        header_t header;
        const char *arguments;
        status_t status;
    } rows[] = {
        { { "Mcp-Param-Region", "eu" }, "{\"region\":\"eu\"}", OK },
        { { "Mcp-Param-Region", "us" }, "{\"region\":\"eu\"}", BAD_ARGS },
        { { NULL, NULL }, "{\"region\":\"eu\"}", BAD_ARGS },
        { { NULL, NULL }, "{}", OK },
        { { NULL, NULL }, "{\"region\":null}", OK },
        { { "Mcp-Param-Region", "eu" }, "{}", BAD_ARGS },
        { { "Mcp-Param-Other", "eu" }, "{}", OK },
        { { "Mcp-Param-Depth", "3" }, "{\"in\":{\"depth\":3}}", OK },
        { { "Mcp-Param-Depth", "4" }, "{\"in\":{\"depth\":3}}", BAD_ARGS },
    };
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const json_t *schema = json_parse_text(
        arena, "{\"properties\":{\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"
               "\"plain\":{\"type\":\"string\"},\"in\":{\"properties\":{\"depth\":{\"type\":"
               "\"integer\",\"x-mcp-header\":\"Depth\"}}}}}");

    for (size_t i = 0; i < ROWS(rows); i++) {
        failure_t why;
        assert_int_equal(mirror_check(schema, json_parse_text(arena, rows[i].arguments),
                                      look_up, (void *) &rows[i].header, &why),
                         rows[i].status);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_says_a_value_literally_or_encoded),
        cmocka_unit_test(a_marked_argument_stands_in_its_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
