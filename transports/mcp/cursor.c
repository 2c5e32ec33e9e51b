// SPDX-License-Identifier: Apache-2.0
#include "mcp/cursor.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"

enum { PURPOSE_SIZE = 96, OFFSET_SIZE = 24 };

static void
write_purpose(const cursor_list_t *list, char purpose[PURPOSE_SIZE])
{
    int size =
        snprintf(purpose, PURPOSE_SIZE, "cursor %s %016" PRIx64, list->method, list->mark);

    assert(size < PURPOSE_SIZE);
}

void
cursor_write(const sealer_t *sealer, const cursor_list_t *list, size_t offset, buffer_t *out)
{
    char purpose[PURPOSE_SIZE], text[OFFSET_SIZE];
    int size = snprintf(text, sizeof text, "%zu", offset);

    write_purpose(list, purpose);
    sealer_seal(sealer, purpose, text, (size_t) size, 0, out);
}

bool
cursor_read(const sealer_t *sealer, const cursor_list_t *list, const json_t *cursor,
            size_t *offset_p)
{
    AUTO(buffer_clear) buffer_t text = { 0 };
    char purpose[PURPOSE_SIZE];

    if (!cursor || cursor->kind == JSON_NULL) {
        *offset_p = 0;
        return true;
    }
    write_purpose(list, purpose);
    if (cursor->kind != JSON_STRING || strlen(cursor->text) != cursor->length
        || !sealer_open(sealer, purpose, cursor->text, 0, &text))
        return false;
    *offset_p = strtoull(text.bytes, NULL, 10);  // nobody else can have written it
    return true;
}
