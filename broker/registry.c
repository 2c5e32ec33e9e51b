// SPDX-License-Identifier: Apache-2.0
#include "registry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "limits.h"
#include "uri_template.h"

enum {
    CATEGORY_NAME_MAX = 63,
    PACKED_MAX = MESSAGE_MAX - 64 * KIB,  // leaves room for the rest of a CATALOGUE
};

typedef struct {
    char *name;
    size_t rank;      // in the list of the expected ones; behind all of them if it is not
    bool is_offered;  // by the last READY
    bool has_checked_in;
    entry_msg_t *entries;
    size_t count;
    void *packed;
    size_t packed_size;
} category_t;

// One entry as it is looked up.
typedef struct {
    const entry_msg_t *entry;
    size_t category;
} row_t;

struct registry {
    category_t categories[CATEGORIES_MAX];
    size_t count;
    size_t expected;
    row_t *rows;  // sorted by kind and name
    size_t rows_count;
    void *packed;
    size_t packed_size;
    int64_t version;
};

static void
add_category(registry_t *self, const char *name, size_t rank)
{
    size_t size = strlen(name) + 1;
    category_t *category = &self->categories[self->count++];

    *category = (category_t){ .name = malloc(size), .rank = rank };
    assert(category->name);
    memcpy(category->name, name, size);
}

registry_t *
registry_new(const char *const *expected, size_t count)
{
    registry_t *self = calloc(1, sizeof *self);

    assert(self && count <= CATEGORIES_MAX);
    for (size_t i = 0; i < count; i++)
        if (registry_category(self, expected[i]) == self->count)
            add_category(self, expected[i], i);
    self->expected = self->count;
    self->version = 1;
    return self;
}

static void
clear_entries(category_t *category)
{
    for (size_t i = 0; i < category->count; i++)
        entry_msg_clear(&category->entries[i]);
    free(category->entries);
    category->entries = NULL;
    category->count = 0;
}

void
registry_destroy(registry_t **self_p)
{
    registry_t *self = *self_p;

    if (!self)
        return;
    for (size_t i = 0; i < self->count; i++) {
        clear_entries(&self->categories[i]);
        free(self->categories[i].packed);
        free(self->categories[i].name);
    }
    free(self->rows);
    free(self->packed);
    free(self);
    *self_p = NULL;
}

size_t
registry_category(const registry_t *self, const char *name)
{
    size_t at = 0;

    while (at < self->count && strcmp(self->categories[at].name, name))
        at++;
    return at;
}

size_t
registry_count(const registry_t *self)
{
    return self->count;
}

const char *
registry_name(const registry_t *self, size_t category)
{
    return self->categories[category].name;
}

bool
registry_was_offered(const registry_t *self, size_t category)
{
    return self->categories[category].is_offered;
}

int64_t
registry_version(const registry_t *self)
{
    return self->version;
}

bool
registry_is_complete(const registry_t *self)
{
    for (size_t i = 0; i < self->expected; i++)
        if (!self->categories[i].has_checked_in)
            return false;
    return true;
}

wire_bin_t
registry_packed(const registry_t *self)
{
    return (wire_bin_t){ self->packed, self->packed_size };
}

// Marks the categories that the entries name; makes those that are new.
static status_t
mark_offered(registry_t *self, const entry_msg_t *entries, size_t count)
{
    for (size_t i = 0; i < self->count; i++)
        self->categories[i].is_offered = false;
    for (size_t i = 0; i < count; i++) {
        const char *name = entries[i].category;
        size_t category = registry_category(self, name);
        if (category == self->count) {
            if (!name[0] || strlen(name) > CATEGORY_NAME_MAX || category == CATEGORIES_MAX)
                return BAD_ARGS;
            add_category(self, name, CATEGORIES_MAX);
        }
        self->categories[category].is_offered = true;
    }
    return OK;
}

// Whether the catalogue still fits a message when the marked categories have these entries.
static bool
fits(const registry_t *self, const entry_msg_t *entries, size_t count)
{
    size_t total = count, bytes;
    void *packed;

    catalogue_pack(entries, count, &packed, &bytes);
    free(packed);
    for (size_t i = 0; i < self->count; i++) {
        if (self->categories[i].is_offered)
            continue;
        total += self->categories[i].count;
        bytes += self->categories[i].packed_size;
    }
    return total <= CATALOGUE_ENTRIES_MAX && bytes <= PACKED_MAX;
}

// Number of the category that has this entry already, registry_count() if none has.
static size_t
holder_of(const registry_t *self, const entry_msg_t *entry)
{
    for (size_t i = 0; i < self->count; i++) {
        const category_t *category = &self->categories[i];
        for (size_t j = 0; j < category->count; j++)
            if (!strcmp(category->entries[j].name, entry->name)
                && !strcmp(category->entries[j].kind, entry->kind))
                return i;
    }
    return self->count;
}

// Moves the entry to the end of its category.
static void
add_entry(registry_t *self, entry_msg_t *entry)
{
    category_t *category = &self->categories[registry_category(self, entry->category)];
    size_t size = (category->count + 1) * sizeof *entry;

    category->entries = realloc(category->entries, size);
    assert(category->entries);
    category->entries[category->count++] = *entry;
    *entry = (entry_msg_t){ 0 };
}

// Packs what the category has now; true if that is something new.
static bool
repack(category_t *category)
{
    void *packed;
    size_t size;
    bool is_first = !category->has_checked_in;

    catalogue_pack(category->entries, category->count, &packed, &size);
    bool is_same =
        size == category->packed_size && (!size || !memcmp(packed, category->packed, size));
    free(category->packed);
    category->packed = packed;
    category->packed_size = size;
    category->has_checked_in = true;
    return is_first || !is_same;
}

static int
compare_categories(const void *a, const void *b)
{
    const category_t *one = *(const category_t *const *) a;
    const category_t *other = *(const category_t *const *) b;

    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    return strcmp(one->name, other->name);
}

// Puts the categories behind one another in their fixed order.
static void
pack_all(registry_t *self)
{
    const category_t *order[CATEGORIES_MAX];
    size_t size = 0;

    for (size_t i = 0; i < self->count; i++) {
        order[i] = &self->categories[i];
        size += order[i]->packed_size;
    }
    qsort(order, self->count, sizeof *order, compare_categories);
    free(self->packed);
    self->packed = malloc(size + 1);
    assert(self->packed);
    self->packed_size = 0;
    for (size_t i = 0; i < self->count; i++) {
        if (order[i]->packed_size)
            memcpy((char *) self->packed + self->packed_size, order[i]->packed,
                   order[i]->packed_size);
        self->packed_size += order[i]->packed_size;
    }
}

static int
compare_names(const entry_msg_t *entry, const char *kind, const char *name)
{
    int order = strcmp(entry->kind, kind);

    return order ? order : strcmp(entry->name, name);
}

static int
compare_rows(const void *a, const void *b)
{
    const entry_msg_t *other = ((const row_t *) b)->entry;

    return compare_names(((const row_t *) a)->entry, other->kind, other->name);
}

static void
sort_rows(registry_t *self)
{
    size_t total = 0;

    for (size_t i = 0; i < self->count; i++)
        total += self->categories[i].count;
    self->rows = realloc(self->rows, (total + 1) * sizeof *self->rows);
    assert(self->rows);
    self->rows_count = 0;
    for (size_t i = 0; i < self->count; i++)
        for (size_t j = 0; j < self->categories[i].count; j++)
            self->rows[self->rows_count++] = (row_t){ &self->categories[i].entries[j], i };
    qsort(self->rows, self->rows_count, sizeof *self->rows, compare_rows);
}

// Gives each marked category its new entries.
static void
replace(registry_t *self, entry_msg_t *entries, size_t count, size_t *clash_p)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->categories[i].is_offered)
            clear_entries(&self->categories[i]);
    for (size_t i = 0; i < count; i++) {
        size_t holder = holder_of(self, &entries[i]);
        if (holder == self->count)
            add_entry(self, &entries[i]);
        else
            *clash_p = holder;
    }
}

status_t
registry_offer(registry_t *self, entry_msg_t **entries_p, size_t count, size_t *clash_p)
{
    size_t known = self->count;
    bool has_changed = false;

    status_t status = mark_offered(self, *entries_p, count);
    if (!status && !fits(self, *entries_p, count))
        status = TOO_LARGE;
    if (status) {
        while (self->count > known)
            free(self->categories[--self->count].name);
        return status;
    }
    replace(self, *entries_p, count, clash_p);
    catalogue_free(entries_p, count);
    for (size_t i = 0; i < self->count; i++)
        if (self->categories[i].is_offered && repack(&self->categories[i]))
            has_changed = true;
    sort_rows(self);
    if (has_changed) {
        pack_all(self);
        self->version++;
    }
    return OK;
}

static const row_t *
find_row(const registry_t *self, const char *kind, const char *name)
{
    size_t from = 0, to = self->rows_count;

    while (from < to) {
        size_t middle = (from + to) / 2;
        int order = compare_names(self->rows[middle].entry, kind, name);
        if (!order)
            return &self->rows[middle];
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

static const row_t *
find_template(const registry_t *self, const char *uri)
{
    size_t size;

    for (size_t i = 0; i < self->rows_count; i++)
        if (!strcmp(self->rows[i].entry->kind, "template")
            && uri_template_find(self->rows[i].entry->name, uri, &size))
            return &self->rows[i];
    return NULL;
}

// clang-format off
static const struct {
    const char *call;   // kind of the call
    const char *entry;  // kind of entry that may serve it, in this order
} kinds[] = {
    { "tool",     "tool"     },
    { "prompt",   "prompt"   },
    { "resource", "resource" },
    { "complete", "prompt"   },
    { "complete", "template" },
    { "complete", "resource" },
    { "complete", "tool"     },
    { "task",     "tool"     },
};
// clang-format on

// The name of the tool that a task's id begins with, "execute_scenario" of
// "execute_scenario.7f3c"; everything else is itself.
static const char *
name_of(const char *kind, const char *name, char tool[TOOL_NAME_SIZE])
{
    size_t length = 0;

    while (name[length] && name[length] != '.')
        length++;
    if (strcmp(kind, "task") || !name[length] || length >= TOOL_NAME_SIZE)
        return name;
    memcpy(tool, name, length);
    tool[length] = 0;
    return tool;
}

bool
registry_find(const registry_t *self, const char *kind, const char *name, offer_t *offer)
{
    const row_t *row = NULL;
    char tool[TOOL_NAME_SIZE];

    name = name_of(kind, name, tool);
    for (size_t i = 0; i < ROWS(kinds) && !row; i++)
        if (!strcmp(kinds[i].call, kind))
            row = find_row(self, kinds[i].entry, name);
    if (!row && !strcmp(kind, "resource"))
        row = find_template(self, name);
    if (!row)
        return false;
    bool is_tool = !strcmp(kind, "tool");
    *offer = (offer_t){ .category = row->category,
                        .reads = !is_tool || !strcmp(row->entry->effect, "reads"),
                        .quick = is_tool && row->entry->quick };
    return true;
}
