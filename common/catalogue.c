// SPDX-License-Identifier: Apache-2.0
#include "catalogue.h"

#include <assert.h>
#include <stdlib.h>

#include "auto.h"
#include "buffer.h"

void
catalogue_pack(const entry_msg_t *entries, size_t count, void **bytes_p, size_t *size_p)
{
    AUTO(buffer_clear) buffer_t packed = { 0 };

    for (size_t i = 0; i < count; i++) {
        void *bytes;
        size_t size;

        wire_encode(&entry_wire, &entries[i], &bytes, &size);
        buffer_add(&packed, bytes, size);
        free(bytes);
    }
    *bytes_p = buffer_take(&packed, size_p);
}

// Decodes the next entry onto the end of *entries_p, which grows by doubling.
static status_t
add_next(const char **cursor_p, const char *end, entry_msg_t **entries_p, size_t count,
         failure_t *why)
{
    entry_msg_t entry;

    if (count == CATALOGUE_ENTRIES_MAX)
        return fail(why, TOO_LARGE, "there are more than %d entries", CATALOGUE_ENTRIES_MAX);
    if (wire_decode(&entry_wire, cursor_p, end, &entry, why))
        return why->status;
    if (!(count & (count - 1))) {  // full at 0 and every power of two
        *entries_p = realloc(*entries_p, (count ? 2 * count : 1) * sizeof entry);
        assert(*entries_p);
    }
    (*entries_p)[count] = entry;
    return OK;
}

status_t
catalogue_unpack(wire_bin_t packed, entry_msg_t **entries_p, size_t *count_p, failure_t *why)
{
    const char *cursor = packed.size ? packed.bytes : "";
    const char *end = cursor + packed.size;
    entry_msg_t *entries = NULL;
    size_t count = 0;

    while (cursor != end) {
        if (add_next(&cursor, end, &entries, count, why)) {
            catalogue_free(&entries, count);
            return why->status;
        }
        count++;
    }
    *entries_p = entries;
    *count_p = count;
    return OK;
}

void
catalogue_free(entry_msg_t **entries_p, size_t count)
{
    for (size_t i = 0; i < count; i++)
        entry_msg_clear(&(*entries_p)[i]);
    free(*entries_p);
    *entries_p = NULL;
}
