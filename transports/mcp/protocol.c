// SPDX-License-Identifier: Apache-2.0
#include "mcp/protocol.h"

#include <stddef.h>
#include <string.h>

static const char *const names[PROTOCOL_COUNT] = {
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
};

const char *
protocol_name(protocol_t protocol)
{
    return names[protocol];
}

bool
protocol_find(const char *name, protocol_t *protocol_p)
{
    for (size_t i = 0; name && i < PROTOCOL_COUNT; i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        *protocol_p = (protocol_t) i;
        return true;
    }
    return false;
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
