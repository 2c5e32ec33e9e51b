// SPDX-License-Identifier: Apache-2.0
#include "state.h"

#include <inttypes.h>
#include <string.h>

#include "limits.h"

static bool
needs(state_t *self, kind_t kind, int64_t project)
{
    self->result->verdict = SETTLE_NEEDS;
    self->result->kind = kind;
    self->result->project = project;
    return true;
}

static bool
fails(state_t *self, const failure_t *failure)
{
    self->result->verdict = SETTLE_FAILED;
    self->result->failure = *failure;
    return true;
}

// The list is over the budget: that of a project may fit, so a project is what has to be known.
static bool
is_too_large(state_t *self, kind_t kind, int64_t project)
{
    const kinds_row_t *row = kinds_row(kind);
    failure_t why;

    fail_coded(&why, TOO_LARGE, "TOO_MANY_NAMES",
               "there are too many %s to find one by its name: %s", row->plural,
               project ? "give its id" : "name the project first");
    return fails(self, &why);
}

// The project whose list stands in for the whole one; 0 if none can.
static int64_t
substitute(const state_t *self, kind_t kind)
{
    settle_held_t whole = self->shelf->look(self->shelf->arg, kind, 0);
    bool is_over = !whole.snapshot && whole.failure && whole.failure->status == TOO_LARGE;

    return is_over && self->has_project && kind != KIND_PROJECT ? self->project : 0;
}

bool
state_need(state_t *self, kind_t kind, const snapshot_t **snapshot_p)
{
    int64_t project = substitute(self, kind);
    settle_held_t held = self->shelf->look(self->shelf->arg, kind, project);

    if (!held.snapshot && !held.failure)
        return needs(self, kind, project);
    if (!held.snapshot && held.failure->status == TOO_LARGE)
        return is_too_large(self, kind, project);
    if (!held.snapshot)
        return fails(self, held.failure);
    *snapshot_p = held.snapshot;
    return false;
}

bool
state_need_fresh(state_t *self, kind_t kind)
{
    int64_t project = substitute(self, kind);
    settle_held_t held = self->shelf->look(self->shelf->arg, kind, project);

    if (held.age_ms <= SNAPSHOT_FRESH_MS)
        return false;
    if (held.failure)  // to call it missing would be to pass the old list off as a new one
        return fails(self, held.failure);
    return needs(self, kind, project);
}

static bool
is_linked(const state_t *self, int64_t project)
{
    return snapshot_in_project(self->environments, self->environment_entity, project);
}

bool
state_is_reachable(const state_t *self, const snapshot_t *snapshot, const entity_t *entity)
{
    if (self->has_project)
        return snapshot_in_project(snapshot, entity, self->project);
    if (!self->environment_entity)
        return true;
    for (size_t i = 0; i < snapshot_projects_of(entity); i++)
        if (is_linked(self, snapshot_project_of(snapshot, entity, i)))
            return true;
    return false;
}

static bool
is_in_scope(const state_t *self, kind_t kind, const snapshot_t *snapshot,
            const entity_t *entity)
{
    if (self->question->unscoped)
        return true;
    if (kind == KIND_PROJECT) {
        if (self->has_project && entity->id != self->project)
            return false;
        return !self->environment_entity || is_linked(self, entity->id);
    }
    if (kind == KIND_TARGET && self->has_environment
        && snapshot_environment_of(snapshot, entity) != self->environment)
        return false;
    return state_is_reachable(self, snapshot, entity);
}

void
state_scope(const state_t *self, kind_t kind, const snapshot_t *snapshot, list_t *list)
{
    size_t count = snapshot_count(snapshot);

    *list = (list_t){ arena_alloc(self->arena, count * sizeof *list->entities), 0 };
    for (size_t i = 0; i < count; i++) {
        const entity_t *entity = snapshot_nth(snapshot, i);
        if (is_in_scope(self, kind, snapshot, entity))
            list->entities[list->count++] = entity;
    }
}

void
state_named(const state_t *self, kind_t kind, const snapshot_t *snapshot, const char *folded,
            list_t *list)
{
    const entity_t *entity = NULL;
    size_t count = 0;

    while ((entity = snapshot_named(snapshot, folded, entity)))
        count++;
    *list = (list_t){ arena_alloc(self->arena, count * sizeof *list->entities), 0 };
    while ((entity = snapshot_named(snapshot, folded, entity)))
        if (is_in_scope(self, kind, snapshot, entity))
            list->entities[list->count++] = entity;
}

// What an entity says about the project: one that belongs to exactly one pins it.
static void
pin_project_of(state_t *self, const snapshot_t *snapshot, const entity_t *entity)
{
    if (self->has_project || snapshot_projects_of(entity) != 1)
        return;
    self->has_project = true;
    self->project = snapshot_project_of(snapshot, entity, 0);
}

void
state_pin(state_t *self, size_t ref, int64_t id, const snapshot_t *snapshot,
          const entity_t *entity)
{
    const question_ref_t *row = &self->question->refs[ref];
    json_t *settled =
        json_set(self->arena, self->resolved, row->param, json_object(self->arena));

    self->is_settled[ref] = true;
    json_set_int(self->arena, settled, "id", id);
    if (entity)
        json_set(self->arena, settled, "name", narrowing_name(self->arena, entity->name));
    json_set(self->arena, self->scoped_by, row->param,
             entity ? narrowing_name(self->arena, entity->name)
                    : json_string(self->arena, arena_printf(self->arena, "%" PRId64, id)));
    if (row->kind == KIND_PROJECT && !self->has_project) {
        self->has_project = true;
        self->project = id;
    }
    if (row->kind == KIND_ENVIRONMENT && !self->has_environment) {
        self->has_environment = true;
        self->environment = id;
        self->environment_entity = entity;
        self->environments = snapshot;
    }
    if (entity && row->kind != KIND_PROJECT)
        pin_project_of(self, snapshot, entity);
}

bool
state_asked(state_t *self, const char *param, json_t *narrowing)
{
    json_t *body = json_object(self->arena);

    json_set_text(self->arena, body, "asked", param);
    json_set(self->arena, body, "narrowing", narrowing);
    self->result->verdict = SETTLE_NARROWED;
    self->result->body = body;
    return true;
}

bool
state_narrow(state_t *self, size_t ref, narrowing_kind_t kind, const list_t *list,
             const snapshot_t *snapshot, const entity_t *named)
{
    const question_ref_t *row = &self->question->refs[ref];
    narrowing_t narrowing = {
        .kind = kind,
        .of = row->kind,
        .wanted = row->text,
        .candidates = list->entities,
        .count = list->count,
        .snapshot = snapshot,
        .named = named,
        .tags = self->question->tags,
        .tag_count = self->question->tag_count,
        .scoped_by = self->scoped_by,
    };

    if (row->kind != KIND_PROJECT && narrowing_has_equal_names(list->entities, list->count)
        && state_need(self, KIND_PROJECT, &narrowing.projects))
        return true;
    return state_asked(self, row->param, narrowing_json(self->arena, &narrowing));
}
