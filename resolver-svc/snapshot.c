// SPDX-License-Identifier: Apache-2.0
#include "snapshot.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "auto.h"
#include "buffer.h"
#include "names.h"
#include "pool.h"

// Replaced and removed entities leave their bytes behind; when there are more of them than
// living ones, everything is laid out anew.
enum { FIRST_ENTITIES = 8, DEAD_MIN = 1000 };

// Ids and tags as numbers of the snapshot's tables, in this order.
struct links {
    uint32_t environment;  // number + 1, 0 for none
    uint32_t projects;     // how many there are
    uint32_t tags;
    uint32_t history;
    uint32_t numbers[];
};

typedef struct {
    const char *name;
    const char *folded;
} tag_t;

struct snapshot {
    pool_t *pool;
    entity_t *entities;
    size_t count, capacity;
    names_t names;  // once it is sealed
    int64_t *ids;   // of projects and environments, by number
    size_t id_count, id_capacity;
    tag_t *tags;
    size_t tag_count, tag_capacity;
    size_t dead;
    bool is_sorted;
};

// Room for one more row; arrays grow by a quarter, because a snapshot should be small.
static void *
make_room(void *rows, size_t count, size_t *capacity_p, size_t size)
{
    if (count < *capacity_p)
        return rows;
    *capacity_p += *capacity_p / 4 + FIRST_ENTITIES;
    rows = realloc(rows, *capacity_p * size);
    if (!rows)
        abort();
    return rows;
}

snapshot_t *
snapshot_new(void)
{
    snapshot_t *self = calloc(1, sizeof *self);

    if (!self)
        abort();
    self->pool = pool_new();
    self->is_sorted = true;
    return self;
}

void
snapshot_destroy(snapshot_t **self_p)
{
    snapshot_t *self = *self_p;

    if (!self)
        return;
    pool_destroy(&self->pool);
    names_clear(&self->names);
    free(self->entities);
    free(self->ids);
    free(self->tags);
    free(self);
    *self_p = NULL;
}

static uint32_t
number_of_id(snapshot_t *self, int64_t id)
{
    uint32_t *number;
    char key[1 + sizeof id] = { 0 };  // begins with NUL, so that it is never a tag's text

    memcpy(key + 1, &id, sizeof id);
    pool_intern(self->pool, key, sizeof key, &number);
    if (*number == POOL_FRESH) {
        self->ids = make_room(self->ids, self->id_count, &self->id_capacity, sizeof *self->ids);
        self->ids[self->id_count] = id;
        *number = (uint32_t) self->id_count++;
    }
    return *number;
}

static uint32_t
number_of_tag(snapshot_t *self, const char *name)
{
    uint32_t *number;
    const char *kept = pool_intern(self->pool, name, strlen(name) + 1, &number);

    if (*number == POOL_FRESH) {
        char *folded = match_fold(name, strlen(name));
        self->tags =
            make_room(self->tags, self->tag_count, &self->tag_capacity, sizeof *self->tags);
        self->tags[self->tag_count] = (tag_t){
            kept,
            strcmp(name, folded) ? pool_text(self->pool, folded, strlen(folded)) : kept,
        };
        *number = (uint32_t) self->tag_count++;
        free(folded);
    }
    return *number;
}

static const links_t *
links_of(snapshot_t *self, const draft_t *draft)
{
    AUTO(buffer_clear) buffer_t bytes = { 0 };
    uint32_t *unused, number;
    links_t head = {
        .environment =
            draft->environment_id ? number_of_id(self, draft->environment_id) + 1 : 0,
        .projects = (uint32_t) draft->project_count,
        .tags = (uint32_t) draft->tag_count,
        .history = (uint32_t) draft->history_count,
    };

    buffer_add(&bytes, &head, sizeof head);
    for (size_t i = 0; i < draft->project_count; i++) {
        number = number_of_id(self, draft->projects[i]);
        buffer_add(&bytes, &number, sizeof number);
    }
    for (size_t i = 0; i < draft->tag_count; i++) {
        number = number_of_tag(self, draft->tags[i]);
        buffer_add(&bytes, &number, sizeof number);
    }
    for (size_t i = 0; i < draft->history_count; i++) {
        number = number_of_tag(self, draft->history[i]);
        buffer_add(&bytes, &number, sizeof number);
    }
    return pool_intern(self->pool, bytes.bytes, bytes.size, &unused);
}

static entity_t
entity_of(snapshot_t *self, const draft_t *draft)
{
    size_t length = strlen(draft->name);
    char *folded = match_fold(draft->name, length);
    entity_t entity = { .id = draft->id, .name = pool_text(self->pool, draft->name, length) };

    entity.folded = strcmp(draft->name, folded) ? pool_text(self->pool, folded, strlen(folded))
                                                : entity.name;
    free(folded);
    entity.links = links_of(self, draft);
    return entity;
}

void
snapshot_add(snapshot_t *self, const draft_t *draft)
{
    self->entities =
        make_room(self->entities, self->count, &self->capacity, sizeof *self->entities);
    if (self->count && self->entities[self->count - 1].id >= draft->id)
        self->is_sorted = false;
    self->entities[self->count++] = entity_of(self, draft);
}

// qsort() is not stable, so the place decides between equal ids.
typedef struct {
    entity_t entity;
    size_t place;
} placed_t;

static int
compare_placed(const void *a, const void *b)
{
    const placed_t *left = a, *right = b;

    if (left->entity.id != right->entity.id)
        return left->entity.id < right->entity.id ? -1 : 1;
    return left->place < right->place ? -1 : 1;
}

static void
sort(snapshot_t *self)
{
    placed_t *placed = malloc(self->count * sizeof *placed);
    size_t kept = 0;

    if (!placed)
        abort();
    for (size_t i = 0; i < self->count; i++)
        placed[i] = (placed_t){ self->entities[i], i };
    qsort(placed, self->count, sizeof *placed, compare_placed);
    for (size_t i = 0; i < self->count; i++)
        if (i + 1 == self->count || placed[i].entity.id != placed[i + 1].entity.id)
            self->entities[kept++] = placed[i].entity;
    self->count = kept;
    free(placed);
}

void
snapshot_seal(snapshot_t *self)
{
    if (!self->is_sorted)
        sort(self);
    self->is_sorted = true;
    self->capacity = self->count ? self->count : 1;
    self->entities = realloc(self->entities, self->capacity * sizeof *self->entities);
    if (!self->entities)
        abort();
    names_build(&self->names, self->entities, self->count);
}

// The first entity whose id is not below `id`.
static size_t
lower_bound(const snapshot_t *self, int64_t id)
{
    size_t low = 0, high = self->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (self->entities[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool
is_at(const snapshot_t *self, size_t index, int64_t id)
{
    return index < self->count && self->entities[index].id == id;
}

static const char **
names_of(const snapshot_t *self, arena_t *arena, const uint32_t *numbers, size_t count)
{
    const char **names = arena_alloc(arena, count * sizeof *names);

    for (size_t i = 0; i < count; i++)
        names[i] = self->tags[numbers[i]].name;
    return names;
}

static void
copy_entity(snapshot_t *to, const snapshot_t *from, const entity_t *entity)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const uint32_t *tags, *history;
    draft_t draft = {
        .id = entity->id,
        .name = entity->name,
        .environment_id = snapshot_environment_of(from, entity),
        .project_count = snapshot_projects_of(entity),
        .tag_count = snapshot_tags_of(entity, &tags),
        .history_count = snapshot_history_of(entity, &history),
    };
    int64_t *projects = arena_alloc(arena, draft.project_count * sizeof *projects);

    for (size_t i = 0; i < draft.project_count; i++)
        projects[i] = snapshot_project_of(from, entity, i);
    draft.projects = projects;
    draft.tags = names_of(from, arena, tags, draft.tag_count);
    draft.history = names_of(from, arena, history, draft.history_count);
    snapshot_add(to, &draft);
}

// One more entity's bytes are left behind.
static void
bury(snapshot_t *self)
{
    if (++self->dead < DEAD_MIN || self->dead < self->count)
        return;
    AUTO(snapshot_destroy) snapshot_t *fresh = snapshot_new();
    for (size_t i = 0; i < self->count; i++)
        copy_entity(fresh, self, &self->entities[i]);
    snapshot_seal(fresh);
    snapshot_t old = *self;
    *self = *fresh;
    *fresh = old;
}

void
snapshot_put(snapshot_t *self, const draft_t *draft)
{
    size_t index = lower_bound(self, draft->id);

    assert(self->is_sorted);
    if (is_at(self, index, draft->id)) {
        const char *before = self->entities[index].folded;
        self->entities[index] = entity_of(self, draft);
        if (strcmp(before, self->entities[index].folded))
            names_build(&self->names, self->entities, self->count);
        bury(self);
        return;
    }
    self->entities =
        make_room(self->entities, self->count, &self->capacity, sizeof *self->entities);
    memmove(&self->entities[index + 1], &self->entities[index],
            (self->count - index) * sizeof *self->entities);
    self->entities[index] = entity_of(self, draft);
    if (index == self->count++)
        names_add(&self->names, self->entities, self->count);
    else
        names_build(&self->names, self->entities, self->count);
}

bool
snapshot_remove(snapshot_t *self, int64_t id)
{
    size_t index = lower_bound(self, id);

    assert(self->is_sorted);
    if (!is_at(self, index, id))
        return false;
    self->count--;
    memmove(&self->entities[index], &self->entities[index + 1],
            (self->count - index) * sizeof *self->entities);
    names_build(&self->names, self->entities, self->count);
    bury(self);
    return true;
}

size_t
snapshot_size(const snapshot_t *self)
{
    return sizeof *self + pool_size(self->pool) + names_size(&self->names)
           + self->capacity * sizeof *self->entities + self->id_capacity * sizeof *self->ids
           + self->tag_capacity * sizeof *self->tags;
}

size_t
snapshot_count(const snapshot_t *self)
{
    return self->count;
}

const entity_t *
snapshot_nth(const snapshot_t *self, size_t index)
{
    assert(index < self->count);
    return &self->entities[index];
}

const entity_t *
snapshot_find(const snapshot_t *self, int64_t id)
{
    size_t index = lower_bound(self, id);

    return is_at(self, index, id) ? &self->entities[index] : NULL;
}

const entity_t *
snapshot_named(const snapshot_t *self, const char *folded, const entity_t *after)
{
    return names_find(&self->names, self->entities, folded, after);
}

size_t
snapshot_tags(const snapshot_t *self)
{
    return self->tag_count;
}

const char *
snapshot_tag(const snapshot_t *self, size_t number)
{
    assert(number < self->tag_count);
    return self->tags[number].name;
}

const char *
snapshot_tag_folded(const snapshot_t *self, size_t number)
{
    assert(number < self->tag_count);
    return self->tags[number].folded;
}

size_t
snapshot_projects_of(const entity_t *entity)
{
    return entity->links->projects;
}

int64_t
snapshot_project_of(const snapshot_t *self, const entity_t *entity, size_t index)
{
    assert(index < entity->links->projects);
    return self->ids[entity->links->numbers[index]];
}

bool
snapshot_in_project(const snapshot_t *self, const entity_t *entity, int64_t project)
{
    for (size_t i = 0; i < entity->links->projects; i++)
        if (self->ids[entity->links->numbers[i]] == project)
            return true;
    return false;
}

int64_t
snapshot_environment_of(const snapshot_t *self, const entity_t *entity)
{
    uint32_t environment = entity->links->environment;

    return environment ? self->ids[environment - 1] : 0;
}

size_t
snapshot_tags_of(const entity_t *entity, const uint32_t **numbers_p)
{
    *numbers_p = entity->links->numbers + entity->links->projects;
    return entity->links->tags;
}

size_t
snapshot_history_of(const entity_t *entity, const uint32_t **numbers_p)
{
    *numbers_p = entity->links->numbers + entity->links->projects + entity->links->tags;
    return entity->links->history;
}
