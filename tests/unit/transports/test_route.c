// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "auto.h"
#include "http/route.h"

#include <cmocka.h>

// clang-format off
static const struct {
    const char *path;
    bool is_ours;
    place_t place;
    const char *profile;
} rows[] = {
    { "/mcp",                 true,  AT_MCP,      "" },
    { "/mcp/",                true,  AT_MCP,      "" },
    { "/mcp/core",            true,  AT_MCP,      "core" },
    { "/mcp/readonly/",       true,  AT_MCP,      "readonly" },
    { "/sse",                 true,  AT_SSE,      "" },
    { "/messages",            true,  AT_MESSAGES, "" },
    { "/mcp//",               false, AT_MCP,      NULL },
    { "/mcp/core/x",          false, AT_MCP,      NULL },
    { "/mcp/core//",          false, AT_MCP,      NULL },
    { "/mcp/Core",            false, AT_MCP,      NULL },
    { "/mcp/huge",            false, AT_MCP,      NULL },
    { "/mcp/corecorecorecorecore", false, AT_MCP, NULL },
    { "/mcpx",                false, AT_MCP,      NULL },
    { "/sse/",                false, AT_MCP,      NULL },
    { "/messages/1",          false, AT_MCP,      NULL },
    { "/MCP",                 false, AT_MCP,      NULL },
    { "mcp",                  false, AT_MCP,      NULL },
    { "/",                    false, AT_MCP,      NULL },
    { "",                     false, AT_MCP,      NULL },
};
// clang-format on

static void
a_path_is_for_something_or_none_of_ours(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        route_t route = { 0 };

        print_message("  %s\n", rows[i].path);
        assert_int_equal(route_read(rows[i].path, &route), rows[i].is_ours);
        if (!rows[i].is_ours)
            continue;
        assert_int_equal(route.place, rows[i].place);
        assert_string_equal(route.profile, rows[i].profile);
        assert_non_null(route.methods);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_for_something_or_none_of_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
