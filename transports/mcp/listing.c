// SPDX-License-Identifier: Apache-2.0
#include "mcp/listing.h"

#include <czmq.h>

#include "auto.h"
#include "catalogue.h"
#include "json.h"

static const char *const profiles[] = { "core", "standard", "wide", "full" };

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
// clang-format on

struct listing {
    size_t profile;
    entry_msg_t *entries;
    size_t count;
    zhashx_t *tools;  // name → entry
    buffer_t packed;  // what they were unpacked from
    bool is_complete;
    buffer_t results[LIST_COUNT][PROTOCOL_COUNT];
};

static size_t
rank_of(const char *profile)
{
    for (size_t i = 0; i < ROWS(profiles); i++)
        if (!strcmp(profile, profiles[i]))
            return i;
    return 0;
}

listing_t *
listing_new(const char *profile)
{
    listing_t *self = calloc(1, sizeof *self);

    assert(self);
    self->profile = rank_of(profile);
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

static bool
is_shown(const listing_t *self, const entry_msg_t *entry)
{
    return rank_of(entry->profile) <= self->profile;
}

// One entry that is no JSON would spoil the whole list for every client.
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

static void
index_tools(listing_t *self)
{
    for (size_t i = 0; i < self->count; i++) {
        entry_msg_t *entry = &self->entries[i];
        if (!strcmp(entry->kind, "tool") && is_shown(self, entry))
            zhashx_insert(self->tools, entry->name, entry);
    }
}

bool
listing_take(listing_t *self, const catalogue_msg_t *catalogue, failure_t *why)
{
    entry_msg_t *entries;
    size_t count;

    *why = (failure_t){ 0 };
    if (self->is_complete && !catalogue->complete)
        return false;  // a broker that has just started: tools are not hidden meanwhile
    if (catalogue->entries.size == self->packed.size && self->packed.size
        && !memcmp(catalogue->entries.bytes, self->packed.bytes, self->packed.size)) {
        self->is_complete |= catalogue->complete != 0;
        return false;
    }
    if (catalogue_unpack(catalogue->entries, &entries, &count, why))
        return false;
    if (check_entries(entries, count, why)) {
        catalogue_free(&entries, count);
        return false;
    }
    forget(self);
    self->entries = entries;
    self->count = count;
    buffer_add(&self->packed, catalogue->entries.bytes, catalogue->entries.size);
    self->is_complete |= catalogue->complete != 0;
    index_tools(self);
    return true;
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

const entry_msg_t *
listing_tool(const listing_t *self, const char *name)
{
    return zhashx_lookup(self->tools, name);
}

// A template has one variable, which stands for one segment or more at its end.
static bool
belongs_to(const char *uri, const char *template)
{
    size_t fixed = strcspn(template, "{");

    return !strncmp(uri, template, fixed) && (template[fixed] ? uri[fixed] : !uri[fixed]);
}

const entry_msg_t *
listing_resource(const listing_t *self, const char *uri)
{
    for (size_t i = 0; i < self->count; i++) {
        const entry_msg_t *entry = &self->entries[i];
        if (!strcmp(entry->kind, "resource") && !strcmp(entry->name, uri))
            return entry;
        if (!strcmp(entry->kind, "template") && belongs_to(uri, entry->name))
            return entry;
    }
    return NULL;
}

// Entries are finished for the newest version; an older client is spared what it cannot know.
static void
add_entry(buffer_t *out, const entry_msg_t *entry, protocol_t protocol)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *json = json_parse_text(arena, entry->json);

    if (!protocol_has_structure(protocol)) {
        json_remove(json, "title");
        json_remove(json, "outputSchema");
    }
    if (!protocol_has_annotations(protocol))
        json_remove(json, "annotations");
    json_write(out, json);
}

static void
assemble(const listing_t *self, list_t list, protocol_t protocol, buffer_t *out)
{
    const char *separator = "";

    buffer_printf(out, "{\"%s\":[", lists[list].member);
    for (size_t i = 0; i < self->count; i++) {
        const entry_msg_t *entry = &self->entries[i];
        if (strcmp(entry->kind, lists[list].kind) != 0 || !is_shown(self, entry))
            continue;
        buffer_text(out, separator);
        add_entry(out, entry, protocol);
        separator = ",";
    }
    buffer_text(out, "]}");
}

const buffer_t *
listing_result(listing_t *self, list_t list, protocol_t protocol)
{
    buffer_t *result = &self->results[list][protocol];

    if (!result->size)
        assemble(self, list, protocol, result);
    return result;
}
