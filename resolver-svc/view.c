// SPDX-License-Identifier: Apache-2.0
#include "view.h"

#include <inttypes.h>
#include <string.h>

#include "auto.h"
#include "items.h"
#include "limits.h"

enum {
    ITEMS_PER_ARENA = 256,  // how many items share one arena while a list is read
    GROWTH_MIN = 4 * KIB,   // room that a small snapshot may have to spare while it grows
};

static status_t
read_ids(arena_t *arena, const json_t *list, const int64_t **ids_p, size_t *count_p,
         failure_t *why)
{
    if (list->kind != JSON_ARRAY)
        return fail(why, BACKEND, "projectIds is no list");
    int64_t *ids = arena_alloc(arena, list->count * sizeof *ids);
    size_t count = 0;
    for (const json_t *id = list->first; id; id = id->next)
        if (!json_int(id, &ids[count++]))
            return fail(why, BACKEND, "projectIds holds something that is no id");
    *ids_p = ids;
    *count_p = count;
    return OK;
}

static bool
is_text(const json_t *value)
{
    return value && value->kind == JSON_STRING && strlen(value->text) == value->length;
}

// A tag that nobody can see cannot be named either: it is left out.
static bool
is_visible(const char *text)
{
    int64_t id;

    return match_wanted(text, &id) != WANTED_MISSING;
}

static status_t
read_texts(arena_t *arena, const json_t *list, const char *const **texts_p, size_t *count_p,
           failure_t *why)
{
    if (list->kind != JSON_ARRAY)
        return fail(why, BACKEND, "the tags are no list");
    const char **texts = arena_alloc(arena, list->count * sizeof *texts);
    size_t count = 0;
    for (const json_t *text = list->first; text; text = text->next) {
        if (!is_text(text))
            return fail(why, BACKEND, "the tags hold something that is no text");
        if (is_visible(text->text))
            texts[count++] = arena_strdup(arena, text->text);
    }
    *texts_p = texts;
    *count_p = count;
    return OK;
}

static const char *const *
held_tags(arena_t *arena, const snapshot_t *snapshot, const uint32_t *numbers, size_t count)
{
    const char **names = arena_alloc(arena, count * sizeof *names);

    for (size_t i = 0; i < count; i++)
        names[i] = arena_strdup(arena, snapshot_tag(snapshot, numbers[i]));
    return names;
}

// Begins with what is known already: a write may answer with less than the list does.
static void
draft_from_held(arena_t *arena, const snapshot_t *snapshot, const entity_t *held,
                draft_t *draft)
{
    const uint32_t *tags, *history;

    *draft = (draft_t){ 0 };
    if (!held)
        return;
    draft->name = arena_strdup(arena, held->name);
    draft->environment_id = snapshot_environment_of(snapshot, held);
    draft->project_count = snapshot_projects_of(held);
    int64_t *projects = arena_alloc(arena, draft->project_count * sizeof *projects);
    for (size_t i = 0; i < draft->project_count; i++)
        projects[i] = snapshot_project_of(snapshot, held, i);
    draft->projects = projects;
    draft->tag_count = snapshot_tags_of(held, &tags);
    draft->tags = held_tags(arena, snapshot, tags, draft->tag_count);
    draft->history_count = snapshot_history_of(held, &history);
    draft->history = held_tags(arena, snapshot, history, draft->history_count);
}

static const json_t *
present(const json_t *entity, const char *key)
{
    const json_t *value = json_get(entity, key);

    return value && value->kind != JSON_NULL ? value : NULL;
}

status_t
view_entity(arena_t *arena, const json_t *entity, const snapshot_t *snapshot,
            const entity_t *held, draft_t *draft, failure_t *why)
{
    const json_t *value;
    draft_t read;

    draft_from_held(arena, snapshot, held, &read);
    if (!(value = present(entity, "id")) || !json_int(value, &read.id))
        return fail(why, BACKEND, "an entity has no id");
    if ((value = present(entity, "name")))
        read.name = is_text(value) ? arena_strdup(arena, value->text) : NULL;
    if (!read.name)
        return fail(why, BACKEND, "the entity with id %" PRId64 " has no name", read.id);
    if ((value = present(entity, "projectIds"))
        && read_ids(arena, value, &read.projects, &read.project_count, why))
        return why->status;
    if ((value = present(entity, "tags"))
        && read_texts(arena, value, &read.tags, &read.tag_count, why))
        return why->status;
    if ((value = present(entity, "historyTags"))
        && read_texts(arena, value, &read.history, &read.history_count, why))
        return why->status;
    if ((value = present(entity, "environmentId")) && !json_int(value, &read.environment_id))
        return fail(why, BACKEND, "environmentId is no id");
    *draft = read;
    return OK;
}

static status_t
add_item(arena_t *arena, const char *item, size_t size, snapshot_t *snapshot, failure_t *why)
{
    json_document_t document;
    draft_t draft;

    if (json_parse(arena, item, size, &document, why)
        || view_entity(arena, document.root, NULL, NULL, &draft, why))
        return why->status;
    snapshot_add(snapshot, &draft);
    return OK;
}

static status_t
refuse(kind_t kind, size_t number, failure_t *why)
{
    failure_t reason = *why;

    return fail(why, BACKEND,
                "the platform's list of %s is not as expected, at item %zu: %s; "
                "is it a platform of a supported version?",
                kinds_row(kind)->plural, number, reason.text);
}

static status_t
refuse_size(kind_t kind, failure_t *why)
{
    return fail(why, TOO_LARGE, "there are too many %s to find one by its name",
                kinds_row(kind)->plural);
}

// Up to ITEMS_PER_ARENA of them. ITEMS_NEXT while there may be more.
static items_step_t
add_some(items_t *items, size_t *number_p, snapshot_t *snapshot, failure_t *why)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    items_step_t step = ITEMS_NEXT;
    const char *item;
    size_t size;

    for (size_t i = 0; i < ITEMS_PER_ARENA; i++) {
        step = items_next(items, &item, &size);
        if (step == ITEMS_BROKEN)
            fail(why, BACKEND, "it is no complete JSON object with a list \"items\"");
        if (step != ITEMS_NEXT)
            break;
        ++*number_p;
        if (add_item(arena, item, size, snapshot, why))
            return ITEMS_BROKEN;
    }
    return step;
}

status_t
view_parse(kind_t kind, const char *body, size_t size, size_t size_max, snapshot_t **snapshot_p,
           failure_t *why)
{
    AUTO(snapshot_destroy) snapshot_t *snapshot = snapshot_new();
    items_step_t step = ITEMS_NEXT;
    size_t number = 0;
    items_t items;

    items_begin(&items, body, size);
    while (step == ITEMS_NEXT) {
        step = add_some(&items, &number, snapshot, why);
        if (step == ITEMS_BROKEN)
            return refuse(kind, number, why);
        if (snapshot_size(snapshot) > size_max + size_max / 4 + GROWTH_MIN)
            return refuse_size(kind, why);
    }
    snapshot_seal(snapshot);
    if (snapshot_size(snapshot) > size_max)
        return refuse_size(kind, why);
    *snapshot_p = snapshot;
    snapshot = NULL;
    return OK;
}
