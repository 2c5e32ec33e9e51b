// SPDX-License-Identifier: Apache-2.0
// Envelopes and catalogues: what can be read is written the same way, and read again.

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "catalogue.h"
#include "target.h"

// clang-format off
static const wire_table_t *const tables[] = {
    &ready_wire, &hello_wire, &catalogue_wire, &call_wire, &progress_wire, &log_wire, &answer_wire,
    &changed_wire, &said_wire, &seek_wire, &piece_wire, &cancel_wire, &beat_wire, &bye_wire, &ended_wire, &resolve_wire,
    &resolved_wire, &forget_wire, &forgotten_wire, &entry_wire,
};
// clang-format on

// Large enough for every message; the first member is the memory of its texts.
typedef union {
    void *memory;
    char room[512];
} any_t;

static void
try_table(const wire_table_t *table, const char *bytes, size_t size)
{
    any_t first = { 0 }, second = { 0 };
    const char *cursor = bytes;
    void *written, *again;
    size_t written_size, again_size;
    failure_t why;

    assert(table->size <= sizeof(any_t));
    if (wire_decode(table, &cursor, bytes + size, &first, &why))
        return;
    assert(cursor > bytes && cursor <= bytes + size);
    wire_encode(table, &first, &written, &written_size);
    cursor = written;
    status_t status = wire_decode(table, &cursor, cursor + written_size, &second, &why);
    assert(!status && cursor == (char *) written + written_size);
    wire_encode(table, &second, &again, &again_size);
    assert(again_size == written_size && !memcmp(again, written, again_size));
    free(written);
    free(again);
    free(first.memory);
    free(second.memory);
}

static void
try_catalogue(const char *bytes, size_t size)
{
    entry_msg_t *entries;
    size_t count;
    failure_t why;

    if (catalogue_unpack((wire_bin_t){ bytes, size }, &entries, &count, &why))
        return;
    assert(count <= CATALOGUE_ENTRIES_MAX);
    catalogue_free(&entries, count);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < ROWS(tables); i++)
        try_table(tables[i], (const char *) bytes, size);
    try_catalogue((const char *) bytes, size);
    return 0;
}
