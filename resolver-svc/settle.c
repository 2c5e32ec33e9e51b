// SPDX-License-Identifier: Apache-2.0
#include "settle.h"

#include <stdlib.h>
#include <string.h>

#include "state.h"
#include "tagged.h"

static const char *
folded_text(const state_t *self, const question_ref_t *ref)
{
    char *folded = match_fold(ref->text, strlen(ref->text));
    const char *copy = arena_strdup(self->arena, folded);

    free(folded);
    return copy;
}

// Several matched. By tag, those from which no such test can be reached are not meant; if that
// leaves none, what is there instead is offered.
static bool
ask_which(state_t *self, size_t ref, const snapshot_t *snapshot, const list_t *scope,
          list_t *matches)
{
    kind_t kind = self->question->refs[ref].kind;
    list_t instead = *scope;

    if (tagged_find(self))
        return true;
    tagged_filter(self, kind, snapshot, matches);
    if (matches->count == 1) {
        state_pin(self, ref, matches->entities[0]->id, snapshot, matches->entities[0]);
        return false;
    }
    if (matches->count)
        return state_narrow(self, ref, NARROWING_AMBIGUOUS, matches, snapshot, NULL);
    tagged_filter(self, kind, snapshot, &instead);
    return state_narrow(self, ref, NARROWING_NOT_FOUND, &instead, snapshot, NULL);
}

// None matched: what is in scope is offered.
static bool
ask_instead(state_t *self, size_t ref, const snapshot_t *snapshot, list_t *scope)
{
    kind_t kind = self->question->refs[ref].kind;

    if (state_need_fresh(self, kind) || tagged_find(self))
        return true;
    tagged_filter(self, kind, snapshot, scope);
    return state_narrow(self, ref, NARROWING_NOT_FOUND, scope, snapshot, NULL);
}

// What the name matches in the scope of what is pinned so far. The scope is looked through only
// when it has to be: to find a part of a name, or to be offered.
static match_t
look_up(state_t *self, size_t ref, const snapshot_t *snapshot, list_t *scope, list_t *matches)
{
    const question_ref_t *row = &self->question->refs[ref];
    const char *folded = folded_text(self, row);

    state_named(self, row->kind, snapshot, folded, matches);
    if (matches->count == 1)
        return MATCH_FOUND;
    state_scope(self, row->kind, snapshot, scope);
    if (matches->count)
        return MATCH_AMBIGUOUS;
    if (row->wanted == WANTED_PLACEHOLDER)
        return MATCH_NOT_FOUND;
    matches->entities = arena_alloc(self->arena, scope->count * sizeof *matches->entities);
    return match_name(folded, scope->entities, scope->count, matches->entities,
                      &matches->count);
}

static bool
settle_name(state_t *self, size_t ref)
{
    const question_ref_t *row = &self->question->refs[ref];
    const snapshot_t *snapshot;
    list_t scope, matches;

    if (state_need(self, row->kind, &snapshot))
        return true;
    switch (look_up(self, ref, snapshot, &scope, &matches)) {
    case MATCH_FOUND:
        state_pin(self, ref, matches.entities[0]->id, snapshot, matches.entities[0]);
        return false;
    case MATCH_AMBIGUOUS:
        return ask_which(self, ref, snapshot, &scope, &matches);
    case MATCH_NOT_FOUND:
        return row->wanted == WANTED_PLACEHOLDER ? false
                                                 : ask_instead(self, ref, snapshot, &scope);
    }
    return false;
}

// Leaves out what the platform says is gone, whatever the list says.
static void
leave_out(list_t *list, int64_t id)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++)
        if (list->entities[i]->id != id)
            list->entities[kept++] = list->entities[i];
    list->count = kept;
}

// The platform does not know this id. Maybe the digits were meant as a name.
static bool
settle_gone(state_t *self, size_t ref)
{
    const question_ref_t *row = &self->question->refs[ref];
    const snapshot_t *snapshot;
    list_t scope, named;

    if (state_need(self, row->kind, &snapshot) || state_need_fresh(self, row->kind)
        || tagged_find(self))
        return true;
    state_scope(self, row->kind, snapshot, &scope);
    leave_out(&scope, row->id);
    tagged_filter(self, row->kind, snapshot, &scope);
    named.entities = arena_alloc(self->arena, scope.count * sizeof *named.entities);
    match_exact(folded_text(self, row), scope.entities, scope.count, named.entities,
                &named.count);
    return state_narrow(self, ref, NARROWING_GONE, &scope, snapshot,
                        named.count ? named.entities[0] : NULL);
}

// An id is trusted and never the cause of a fetch; what is held already may know its name.
static bool
settle_id(state_t *self, size_t ref)
{
    const question_ref_t *row = &self->question->refs[ref];
    settle_held_t held = self->shelf->look(self->shelf->arg, row->kind, 0);

    if (row->gone)
        return settle_gone(self, ref);
    state_pin(self, ref, row->id, held.snapshot,
              held.snapshot ? snapshot_find(held.snapshot, row->id) : NULL);
    return false;
}

// Pins what is certain, so that a question about one reference sees the others, wherever they
// stand in the row.
static bool
settle_certain(state_t *self, size_t ref)
{
    const question_ref_t *row = &self->question->refs[ref];
    const snapshot_t *snapshot;
    list_t scope, matches;

    if (row->wanted == WANTED_MISSING || row->gone)
        return false;
    if (row->wanted == WANTED_ID)
        return settle_id(self, ref);
    if (state_need(self, row->kind, &snapshot))
        return true;
    if (look_up(self, ref, snapshot, &scope, &matches) == MATCH_FOUND)
        state_pin(self, ref, matches.entities[0]->id, snapshot, matches.entities[0]);
    return false;
}

static bool
settle_given(state_t *self, size_t ref)
{
    if (self->is_settled[ref])
        return false;
    switch (self->question->refs[ref].wanted) {
    case WANTED_MISSING:
        return false;
    case WANTED_ID:
        return settle_id(self, ref);
    case WANTED_PLACEHOLDER:
    case WANTED_NAME:
        return settle_name(self, ref);
    }
    return false;
}

static bool
settle_missing(state_t *self, size_t ref)
{
    const question_ref_t *row = &self->question->refs[ref];
    bool is_by_tag = self->question->by_tag;
    const snapshot_t *snapshot;
    list_t scope;

    if (self->is_settled[ref] || !row->must)
        return false;
    if (is_by_tag && row->kind == KIND_PROJECT)
        return tagged_project(self, ref);
    if (state_need(self, row->kind, &snapshot))
        return true;
    state_scope(self, row->kind, snapshot, &scope);
    tagged_filter(self, row->kind, snapshot, &scope);
    return state_narrow(self, ref,
                        is_by_tag && row->kind == KIND_ENVIRONMENT ? NARROWING_MISSING_RUN
                                                                   : NARROWING_MISSING,
                        &scope, snapshot, NULL);
}

// Calls `step` for the references of one kind, or of all others, in row order.
static bool
each(state_t *self, bool (*step)(state_t *self, size_t ref), kind_t kind, bool is_kind)
{
    for (size_t i = 0; i < self->question->count; i++)
        if ((self->question->refs[i].kind == kind) == is_kind && step(self, i))
            return true;
    return false;
}

// What is missing is asked in row order; by tag the environment comes before the project.
static bool
ask_missing(state_t *self)
{
    if (!self->question->by_tag)
        return each(self, settle_missing, KIND_COUNT, false);
    return each(self, settle_missing, KIND_PROJECT, false)
           || each(self, settle_missing, KIND_PROJECT, true);
}

void
settle(arena_t *arena, const question_t *question, const settle_shelf_t *shelf,
       settle_result_t *result)
{
    state_t state = {
        .arena = arena,
        .question = question,
        .shelf = shelf,
        .result = result,
        .resolved = json_object(arena),
        .scoped_by = json_object(arena),
    };

    *result = (settle_result_t){ 0 };
    if (each(&state, settle_certain, KIND_PROJECT, true)
        || each(&state, settle_certain, KIND_PROJECT, false)
        || each(&state, settle_given, KIND_PROJECT, true)
        || each(&state, settle_given, KIND_PROJECT, false) || tagged_find(&state)
        || ask_missing(&state))
        return;
    result->verdict = SETTLE_OK;
    result->body = json_object(arena);
    json_set(arena, result->body, "resolved", state.resolved);
    if (state.tags)
        json_set(arena, result->body, "tags", state.tags);
}

void
settle_likely(const question_t *question, bool kinds[KIND_COUNT])
{
    for (size_t i = 0; i < question->count; i++) {
        const question_ref_t *ref = &question->refs[i];
        bool is_name = ref->wanted == WANTED_NAME || ref->wanted == WANTED_PLACEHOLDER;
        bool is_asked = question->by_tag && ref->wanted == WANTED_MISSING && ref->must;
        if (is_name || is_asked)
            kinds[ref->kind] = true;
    }
    if (question->by_tag) {
        kinds[KIND_SCENARIO] |= question->tests[KIND_SCENARIO];
        kinds[KIND_UI_TEST] |= question->tests[KIND_UI_TEST];
    }
}
