// SPDX-License-Identifier: Apache-2.0
#include "http/route.h"

#include <stdio.h>
#include <string.h>

#include "auto.h"
#include "mcp/view.h"

// clang-format off
static const struct {
    const char *path;
    route_t route;
} fixed[] = {
    { "/sse",      { .place = AT_SSE,      .methods = "GET OPTIONS" } },
    { "/messages", { .place = AT_MESSAGES, .methods = "POST OPTIONS" } },
    { "/mcp",      { .place = AT_MCP,      .methods = "GET POST DELETE OPTIONS" } },
    { "/mcp/",     { .place = AT_MCP,      .methods = "GET POST DELETE OPTIONS" } },
};
// clang-format on

static const char with_profile[] = "/mcp/";

bool
route_read(const char *path, route_t *route)
{
    char profile[ROUTE_PROFILE_SIZE];

    for (size_t i = 0; i < ROWS(fixed); i++)
        if (!strcmp(path, fixed[i].path)) {
            *route = fixed[i].route;
            return true;
        }
    if (strncmp(path, with_profile, sizeof with_profile - 1) != 0)
        return false;
    path += sizeof with_profile - 1;
    size_t size = strcspn(path, "/");
    if (size >= sizeof profile || (path[size] && path[size + 1]))
        return false;
    snprintf(profile, sizeof profile, "%.*s", (int) size, path);
    if (!view_is_profile(profile))
        return false;
    *route = fixed[ROWS(fixed) - 1].route;
    memcpy(route->profile, profile, sizeof profile);
    return true;
}
