// SPDX-License-Identifier: Apache-2.0
#include "mcp/listing.h"

#include <czmq.h>
#include <sodium.h>

#include "auto.h"
#include "catalogue.h"
#include "json.h"
#include "mcp/router.h"
#include "uri_template.h"

// clang-format off
static const struct {
    const char *kind;    // of the entries
    const char *member;  // of the result
} lists[LIST_COUNT] = {
    [LIST_TOOLS]     = { "tool",     "tools" },
    [LIST_RESOURCES] = { "resource", "resources" },
    [LIST_TEMPLATES] = { "template", "resourceTemplates" },
    [LIST_PROMPTS]   = { "prompt",   "prompts" },
};

// Members of an entry that came with a version: older clients are spared them.
static const struct {
    const char *name;
    bool (*is_known)(protocol_t protocol);
} younger[] = {
    { "title",        protocol_has_structure },
    { "outputSchema", protocol_has_structure },
    { "_meta",        protocol_has_structure },
    { "annotations",  protocol_has_annotations },
    { "icons",        protocol_has_icons },
};
// clang-format on

struct listing {
    view_t bound;
    size_t page_max;
    entry_msg_t *entries;
    size_t count;
    zhashx_t *tools;  // name → entry
    buffer_t packed;  // what they were unpacked from
    uint64_t mark, marks[LIST_COUNT];
    bool is_complete;
    buffer_t results[LIST_COUNT][PROTOCOL_COUNT];  // for who has no view of his own
    size_t nexts[LIST_COUNT][PROTOCOL_COUNT];
};

listing_t *
listing_new(const view_t *bound, size_t page_max)
{
    listing_t *self = calloc(1, sizeof *self);

    assert(self);
    if (bound)
        self->bound = *bound;
    self->page_max = page_max ? page_max : LISTING_PAGE_MAX;
    self->tools = zhashx_new();
    return self;
}

static void
forget(listing_t *self)
{
    for (size_t i = 0; i < LIST_COUNT; i++)
        for (size_t j = 0; j < PROTOCOL_COUNT; j++)
            buffer_clear(&self->results[i][j]);
    catalogue_free(&self->entries, self->count);
    self->count = 0;
    zhashx_purge(self->tools);
    buffer_clear(&self->packed);
}

void
listing_destroy(listing_t **self_p)
{
    if (!*self_p)
        return;
    forget(*self_p);
    zhashx_destroy(&(*self_p)->tools);
    free(*self_p);
    *self_p = NULL;
}

// ---- the catalogue

// Every entry is a JSON object, so that the lists can be put together from them.
static status_t
check_entries(const entry_msg_t *entries, size_t count, failure_t *why)
{
    for (size_t i = 0; i < count; i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        const json_t *json = json_parse_text(arena, entries[i].json);
        if (!json || json->kind != JSON_OBJECT)
            return fail(why, BAD_ARGS, "the entry of %s is no JSON object", entries[i].name);
    }
    return OK;
}

static uint64_t
hash(const void *bytes, size_t size, uint64_t before)
{
    unsigned char key[16] = { 0 };
    uint64_t mark;

    memcpy(key, &before, sizeof before);
    crypto_shorthash((unsigned char *) &mark, bytes, size, key);
    return mark;
}

static void
index_entries(listing_t *self)
{
    for (size_t i = 0; i < self->count; i++) {
        entry_msg_t *entry = &self->entries[i];
        if (!strcmp(entry->kind, "tool"))
            zhashx_insert(self->tools, entry->name, entry);
    }
    self->mark = hash(self->packed.bytes, self->packed.size, 0);
}

// The lists whose entries are others than when this was last asked.
static unsigned
compare(listing_t *self)
{
    unsigned changed = 0;

    for (unsigned i = 0; i < LIST_COUNT; i++) {
        uint64_t mark = 1;
        for (size_t j = 0; j < self->count; j++)
            if (!strcmp(self->entries[j].kind, lists[i].kind))
                mark = hash(self->entries[j].json, strlen(self->entries[j].json), mark);
        if (mark != self->marks[i])
            changed |= 1u << i;
        self->marks[i] = mark;
    }
    return changed;
}

unsigned
listing_take(listing_t *self, const catalogue_msg_t *catalogue, failure_t *why)
{
    entry_msg_t *entries;
    size_t count;

    *why = (failure_t){ 0 };
    if (self->is_complete && !catalogue->complete)
        return 0;  // a broker that has just started: tools are not hidden meanwhile
    if (catalogue->entries.size == self->packed.size && self->packed.size
        && !memcmp(catalogue->entries.bytes, self->packed.bytes, self->packed.size)) {
        self->is_complete |= catalogue->complete != 0;
        return 0;
    }
    if (catalogue_unpack(catalogue->entries, &entries, &count, why))
        return 0;
    if (check_entries(entries, count, why)) {
        catalogue_free(&entries, count);
        return 0;
    }
    forget(self);
    self->entries = entries;
    self->count = count;
    buffer_add(&self->packed, catalogue->entries.bytes, catalogue->entries.size);
    self->is_complete |= catalogue->complete != 0;
    index_entries(self);
    return compare(self);
}

bool
listing_is_complete(const listing_t *self)
{
    return self->is_complete;
}

bool
listing_is_known(const listing_t *self)
{
    return self->count > 0;
}

uint64_t
listing_mark(const listing_t *self)
{
    return self->mark;
}

// ---- single entries

const entry_msg_t *
listing_tool(const listing_t *self, const view_t *view, const char *name)
{
    const entry_msg_t *entry = zhashx_lookup(self->tools, name);

    return entry && view_shows(&self->bound, entry) && view_shows(view, entry) ? entry : NULL;
}

const entry_msg_t *
listing_allowed(const listing_t *self, const view_t *view, const char *name)
{
    const entry_msg_t *entry = zhashx_lookup(self->tools, name);

    return entry && view_allows(&self->bound, entry) && view_allows(view, entry) ? entry : NULL;
}

const entry_msg_t *
listing_nth(const listing_t *self, const view_t *view, size_t *cursor_p)
{
    while (*cursor_p < self->count) {
        const entry_msg_t *entry = &self->entries[(*cursor_p)++];
        if (!strcmp(entry->kind, "tool") && view_allows(&self->bound, entry)
            && view_allows(view, entry))
            return entry;
    }
    return NULL;
}

bool
listing_hides(const listing_t *self, const view_t *view)
{
    return view_hides(&self->bound) || view_hides(view);
}

const entry_msg_t *
listing_resource(const listing_t *self, const char *uri)
{
    size_t size;

    for (size_t i = 0; i < self->count; i++) {
        const entry_msg_t *entry = &self->entries[i];
        if (!strcmp(entry->kind, "resource") && !strcmp(entry->name, uri))
            return entry;
        if (!strcmp(entry->kind, "template") && uri_template_find(entry->name, uri, &size))
            return entry;
    }
    return NULL;
}

const entry_msg_t *
listing_entry(const listing_t *self, const char *kind, const char *name)
{
    for (size_t i = 0; i < self->count; i++)
        if (!strcmp(self->entries[i].kind, kind) && !strcmp(self->entries[i].name, name))
            return &self->entries[i];
    return NULL;
}

// ---- lists

// Entries are finished for the newest version; an older client is spared what it cannot know.
static void
add_entry(buffer_t *out, const char *entry, protocol_t protocol)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *json = json_parse_text(arena, entry);

    for (size_t i = 0; i < ROWS(younger); i++)
        if (!younger[i].is_known(protocol))
            json_remove(json, younger[i].name);
    json_write(out, json);
}

static bool
is_listed(const listing_t *self, const view_t *view, list_t list, const entry_msg_t *entry)
{
    if (strcmp(entry->kind, lists[list].kind) != 0)
        return false;
    return list != LIST_TOOLS || (view_shows(&self->bound, entry) && view_shows(view, entry));
}

static size_t
assemble(const listing_t *self, const view_t *view, list_t list, protocol_t protocol,
         size_t offset, buffer_t *out)
{
    const char *separator = "";
    size_t seen = 0, next = 0;

    buffer_printf(out, "{\"%s\":[", lists[list].member);
    for (size_t i = 0; i < self->count && !next; i++) {
        const entry_msg_t *entry = &self->entries[i];
        if (!is_listed(self, view, list, entry) || seen++ < offset)
            continue;
        if (seen > offset + self->page_max) {
            next = seen - 1;
            break;
        }
        buffer_text(out, separator);
        add_entry(out, entry->json, protocol);
        separator = ",";
    }
    if (list == LIST_TOOLS && !next && listing_hides(self, view))
        for (size_t i = 0; router_entry(i); i++) {
            buffer_text(out, separator);
            add_entry(out, router_entry(i), protocol);
            separator = ",";
        }
    buffer_text(out, "]}");
    return next;
}

size_t
listing_page(listing_t *self, const view_t *view, list_t list, protocol_t protocol,
             size_t offset, buffer_t *out)
{
    buffer_t *result = &self->results[list][protocol];

    if (view || offset)
        return assemble(self, view, list, protocol, offset, out);
    if (!result->size)
        self->nexts[list][protocol] = assemble(self, NULL, list, protocol, 0, result);
    buffer_add(out, result->bytes, result->size);
    return self->nexts[list][protocol];
}
