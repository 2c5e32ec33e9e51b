// SPDX-License-Identifier: Apache-2.0
// Cursors that a client brings: only what was issued is one, for its list in its state alone; and
// whoever follows them sees each entry once. The input: see choice_t, then a cursor as JSON.

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "catalogue.h"
#include "mcp/cursor.h"
#include "mcp/listing.h"
#include "target.h"

enum { ENTRIES_MAX = 12 };

typedef struct {
    uint8_t entries, page_max, has_profile, method;
    uint8_t at, change;  // what a cursor of ours is spoilt with
    uint8_t offset[4], mark[2];
} choice_t;

static const char *const methods[] = { "tools/list", "resources/list", "prompts/list" };
static const char *const profiles[] = { "core", "full" };
static const unsigned char key[KEY_SIZE] = "not a secret: it is of a test";

// ---- reading

static void
look_at_stranger(arena_t *arena, const sealer_t *sealer, const cursor_list_t *list,
                 const char *bytes, size_t size)
{
    const json_t *cursor = json_string_sized(arena, bytes, size);
    json_document_t document;
    failure_t why;
    size_t offset = 7;

    bool is_ours = cursor_read(sealer, list, cursor, &offset);
    assert(!is_ours && offset == 7);
    if (json_parse(arena, bytes, size, &document, &why))
        return;
    is_ours = cursor_read(sealer, list, document.root, &offset);
    assert(is_ours == (document.root->kind == JSON_NULL) && offset == (is_ours ? 0 : 7));
}

static void
look_at_ours(arena_t *arena, const sealer_t *sealer, const cursor_list_t *list,
             const choice_t *choice)
{
    AUTO(buffer_clear) buffer_t written = { 0 };
    const cursor_list_t other = { methods[(choice->method + 1u) % ROWS(methods)], list->mark };
    const cursor_list_t later = { list->method, list->mark + 1 };
    size_t wanted = choice->offset[0] | (size_t) choice->offset[1] << 24
                    | (size_t) choice->offset[2] << 48 | (size_t) choice->offset[3] << 56;
    size_t offset;

    cursor_write(sealer, list, wanted, &written);
    const json_t *cursor = json_string_sized(arena, written.bytes, written.size);
    bool is_ours = cursor_read(sealer, list, cursor, &offset);
    assert(is_ours && offset == wanted);
    bool is_of_other = cursor_read(sealer, &other, cursor, &offset)
                       || cursor_read(sealer, &later, cursor, &offset);
    assert(!is_of_other);
    if (!choice->change)
        return;
    written.bytes[choice->at % written.size] ^= (char) choice->change;
    cursor = json_string_sized(arena, written.bytes, written.size);
    is_ours = cursor_read(sealer, list, cursor, &offset);
    assert(!is_ours);
}

// ---- following

static void
offer(listing_t *listing, const choice_t *choice)
{
    static char names[ENTRIES_MAX][8], jsons[ENTRIES_MAX][24];
    entry_msg_t entries[ENTRIES_MAX] = { 0 };
    catalogue_msg_t catalogue = { .complete = true };
    const size_t count = choice->entries % (ENTRIES_MAX + 1u);
    void *bytes;
    failure_t why;

    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "t%zu", i);
        snprintf(jsons[i], sizeof jsons[i], "{\"name\":\"t%zu\"}", i);
        entries[i] = (entry_msg_t){ .kind = "tool",
                                    .category = "a",
                                    .name = names[i],
                                    .json = jsons[i],
                                    .effect = "reads",
                                    .profile = profiles[choice->has_profile >> i % 8 & 1] };
    }
    catalogue_pack(entries, count, &bytes, &catalogue.entries.size);
    catalogue.entries.bytes = bytes;
    listing_take(listing, &catalogue, &why);
    free(bytes);
}

// The tools of a page, each marked as seen; the offset of the next one.
static size_t
read_page(arena_t *arena, listing_t *listing, const view_t *view, size_t page_max,
          size_t offset, unsigned *seen)
{
    AUTO(buffer_clear) buffer_t page = { 0 };
    size_t next = listing_page(listing, view, LIST_TOOLS, PROTOCOL_2025_11_25, offset, &page);
    const json_t *tools = json_get(json_parse_text(arena, page.bytes), "tools");

    assert(tools && tools->kind == JSON_ARRAY);
    assert(next == 0 || (next == offset + page_max && tools->count == page_max));
    for (const json_t *tool = tools->first; tool; tool = tool->next) {
        const char *name = json_get_text(tool, "name");
        assert(name);
        if (*name != 't' || name[1] < '0' || name[1] > '9')
            continue;  // one of the router's
        unsigned bit = 1u << strtoul(name + 1, NULL, 10);
        assert(!(*seen & bit));
        *seen |= bit;
    }
    return next;
}

static void
follow(arena_t *arena, const sealer_t *sealer, const choice_t *choice)
{
    AUTO(listing_destroy) listing_t *listing = listing_new(NULL, choice->page_max % 8u);
    const view_t core = { .profile = "core" };
    const view_t *view = choice->page_max & 8 ? &core : NULL;
    const size_t count = choice->entries % (ENTRIES_MAX + 1u);
    unsigned seen = 0, shown = 0, ignored = 0;
    const json_t *cursor = NULL;
    size_t offset;

    offer(listing, choice);
    for (size_t i = 0; i < count; i++)
        if (!view || !(choice->has_profile >> i % 8 & 1))
            shown |= 1u << i;
    const cursor_list_t list = { "tools/list", listing_mark(listing) };
    do {
        AUTO(buffer_clear) buffer_t written = { 0 };
        bool is_ours = cursor_read(sealer, &list, cursor, &offset);
        assert(is_ours);
        offset = read_page(arena, listing, view, choice->page_max % 8u, offset, &seen);
        cursor_write(sealer, &list, offset, &written);
        cursor = json_string_sized(arena, written.bytes, written.size);
    } while (offset);
    assert(seen == shown);
    offset = choice->offset[0] | (size_t) choice->offset[3] << 56;
    assert(offset < ENTRIES_MAX
           || !read_page(arena, listing, view, choice->page_max % 8u, offset, &ignored));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(sealer_destroy) sealer_t *sealer = sealer_new(key);
    choice_t choice = { 0 };
    const size_t taken = size < sizeof choice ? size : sizeof choice;

    memcpy(&choice, bytes, taken);
    const cursor_list_t list = { methods[choice.method % ROWS(methods)],
                                 choice.mark[0] | (uint64_t) choice.mark[1] << 48 };
    look_at_stranger(arena, sealer, &list, (const char *) bytes + taken, size - taken);
    look_at_ours(arena, sealer, &list, &choice);
    follow(arena, sealer, &choice);
    return 0;
}
