// SPDX-License-Identifier: Apache-2.0
#include "mcp/protocol.h"

#include <stddef.h>
#include <string.h>

static const char *const names[PROTOCOL_COUNT] = {
    "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28",
};

const char *
protocol_name(protocol_t protocol)
{
    return names[protocol];
}

bool
protocol_find(const char *name, protocol_t *protocol_p)
{
    for (size_t i = 0; name && i <= PROTOCOL_NEWEST; i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        *protocol_p = (protocol_t) i;
        return true;
    }
    return false;
}

bool
protocol_is_newer(const char *name)
{
    static const char form[] = "0000-00-00";

    if (!name || strlen(name) != sizeof form - 1)
        return false;
    for (size_t i = 0; form[i]; i++)
        if (form[i] == '-' ? name[i] != '-' : name[i] < '0' || name[i] > '9')
            return false;
    return strcmp(name, names[PROTOCOL_NEWEST]) > 0;
}

bool
protocol_is_stateless(protocol_t protocol)
{
    return protocol == PROTOCOL_2026_07_28;
}

bool
protocol_has_batches(protocol_t protocol)
{
    return protocol == PROTOCOL_2025_03_26;
}

bool
protocol_has_annotations(protocol_t protocol)
{
    return protocol >= PROTOCOL_2025_03_26;
}

bool
protocol_has_structure(protocol_t protocol)
{
    return protocol >= PROTOCOL_2025_06_18;
}

bool
protocol_has_icons(protocol_t protocol)
{
    return protocol >= PROTOCOL_2025_11_25;
}
