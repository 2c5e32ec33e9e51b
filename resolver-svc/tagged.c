// SPDX-License-Identifier: Apache-2.0
#include "tagged.h"

#include <stdlib.h>
#include <string.h>

#include "limits.h"

static const kind_t test_kinds[] = { KIND_SCENARIO, KIND_UI_TEST };

enum { TEST_KINDS = 2 };

// A tag that is in use, while tests are counted.
typedef struct {
    const char *name;
    const char *folded;
    int64_t count;
} count_t;

// The tags that a test counts by.
static size_t
tags_of(kind_t kind, const entity_t *test, const uint32_t **numbers_p)
{
    size_t count = snapshot_tags_of(test, numbers_p);

    if (!count && kind == KIND_SCENARIO)
        count = snapshot_history_of(test, numbers_p);
    return count;
}

// For every tag of the snapshot: is it one of those asked for?
static bool *
wanted_tags(const state_t *self, const snapshot_t *snapshot)
{
    const question_t *question = self->question;
    bool *wanted = arena_alloc(self->arena, snapshot_tags(snapshot) * sizeof *wanted);

    for (size_t i = 0; i < snapshot_tags(snapshot); i++)
        for (size_t j = 0; j < question->tag_count && !wanted[i]; j++)
            wanted[i] = !strcmp(snapshot_tag_folded(snapshot, i), question->folded[j]);
    return wanted;
}

static bool
carries(kind_t kind, const entity_t *test, const bool *wanted)
{
    const uint32_t *numbers;
    size_t count = tags_of(kind, test, &numbers);

    for (size_t i = 0; i < count; i++)
        if (wanted[numbers[i]])
            return true;
    return false;
}

// True if a test of this project can still be meant.
static bool
is_possible(const state_t *self, int64_t project)
{
    if (self->has_project)
        return project == self->project;
    return !self->environment_entity
           || snapshot_in_project(self->environments, self->environment_entity, project);
}

static void
add_projects_of(state_t *self, const snapshot_t *snapshot, const entity_t *test)
{
    for (size_t i = 0; i < snapshot_projects_of(test); i++) {
        int64_t project = snapshot_project_of(snapshot, test, i);
        if (is_possible(self, project))
            self->tagged[self->tagged_count++] = project;
    }
}

static size_t
links_to_projects(const snapshot_t *snapshot)
{
    size_t links = 0;

    for (size_t i = 0; i < snapshot_count(snapshot); i++)
        links += snapshot_projects_of(snapshot_nth(snapshot, i));
    return links;
}

static int
compare_ids(const void *a, const void *b)
{
    int64_t left = *(const int64_t *) a, right = *(const int64_t *) b;

    return left < right ? -1 : left > right;
}

// Sorted, each once.
static void
tidy(state_t *self)
{
    size_t kept = 0;

    if (!self->tagged_count)
        return;
    qsort(self->tagged, self->tagged_count, sizeof *self->tagged, compare_ids);
    for (size_t i = 1; i < self->tagged_count; i++)
        if (self->tagged[i] != self->tagged[kept])
            self->tagged[++kept] = self->tagged[i];
    self->tagged_count = kept + 1;
}

static void
collect(state_t *self, const snapshot_t *const snapshots[TEST_KINDS])
{
    size_t room = 0;

    for (size_t i = 0; i < TEST_KINDS; i++)
        room += snapshots[i] ? links_to_projects(snapshots[i]) : 0;
    self->tagged = arena_alloc(self->arena, room * sizeof *self->tagged);
    self->tagged_count = 0;
    for (size_t i = 0; i < TEST_KINDS; i++) {
        if (!snapshots[i])
            continue;
        const bool *wanted = wanted_tags(self, snapshots[i]);
        for (size_t j = 0; j < snapshot_count(snapshots[i]); j++) {
            const entity_t *test = snapshot_nth(snapshots[i], j);
            if (carries(test_kinds[i], test, wanted))
                add_projects_of(self, snapshots[i], test);
        }
    }
    tidy(self);
    self->has_tagged = true;
}

static bool
has_text(const json_t *list, const char *text)
{
    for (const json_t *it = list->first; it; it = it->next)
        if (!strcmp(it->text, text))
            return true;
    return false;
}

static void
add_spellings(state_t *self, const snapshot_t *snapshot, const char *folded)
{
    for (size_t i = 0; i < snapshot_tags(snapshot); i++)
        if (!strcmp(snapshot_tag_folded(snapshot, i), folded)
            && !has_text(self->tags, snapshot_tag(snapshot, i)))
            json_add(self->tags, json_string(self->arena, snapshot_tag(snapshot, i)));
}

// What was asked for as it is spelled where it stands, because the platform takes tags
// literally; a tag that nothing carries stays as it is.
static void
spell(state_t *self, const snapshot_t *const snapshots[TEST_KINDS])
{
    const question_t *question = self->question;

    self->tags = json_array(self->arena);
    for (size_t i = 0; i < question->tag_count; i++) {
        size_t before = self->tags->count;
        for (size_t j = 0; j < TEST_KINDS; j++)
            if (snapshots[j])
                add_spellings(self, snapshots[j], question->folded[i]);
        if (self->tags->count == before && !has_text(self->tags, question->tags[i]))
            json_add(self->tags, json_string(self->arena, question->tags[i]));
    }
}

// How many of the tests that can be reached carry each tag of the snapshot; its tags are
// appended to `counts`.
static void
count_tags(const state_t *self, kind_t kind, const snapshot_t *snapshot, count_t *counts)
{
    for (size_t i = 0; i < snapshot_tags(snapshot); i++)
        counts[i] = (count_t){ snapshot_tag(snapshot, i), snapshot_tag_folded(snapshot, i), 0 };
    for (size_t i = 0; i < snapshot_count(snapshot); i++) {
        const entity_t *test = snapshot_nth(snapshot, i);
        const uint32_t *numbers;
        size_t count = tags_of(kind, test, &numbers);
        if (state_is_reachable(self, snapshot, test))
            for (size_t j = 0; j < count; j++)
                counts[numbers[j]].count++;
    }
}

static int
compare_folded(const void *a, const void *b)
{
    return strcmp(((const count_t *) a)->folded, ((const count_t *) b)->folded);
}

// The most used first.
static int
compare_counts(const void *a, const void *b)
{
    const count_t *left = a, *right = b;

    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    return strcmp(left->folded, right->folded);
}

// Equal tags of both kinds of tests become one; those that nothing in scope carries go.
static size_t
merge(count_t *counts, size_t count)
{
    size_t kept = 0;

    qsort(counts, count, sizeof *counts, compare_folded);
    for (size_t i = 0; i < count; i++) {
        if (kept && !strcmp(counts[kept - 1].folded, counts[i].folded))
            counts[kept - 1].count += counts[i].count;
        else if (counts[i].count)
            counts[kept++] = counts[i];
    }
    qsort(counts, kept, sizeof *counts, compare_counts);
    return kept;
}

// How the tests that were asked for are called: by their kind when it is one alone.
static const char *
word_for_tests(const question_t *question)
{
    static const char *const words[TEST_KINDS] = { "API test", "UI test" };
    const char *word = NULL;

    for (size_t i = 0; i < TEST_KINDS; i++)
        if (question->tests[test_kinds[i]])
            word = word ? "test" : words[i];
    return word ? word : "test";
}

static bool
ask_for_tags(state_t *self, const snapshot_t *const snapshots[TEST_KINDS])
{
    size_t room = 0, at = 0;

    for (size_t i = 0; i < TEST_KINDS; i++)
        room += snapshots[i] ? snapshot_tags(snapshots[i]) : 0;
    count_t *counts = arena_alloc(self->arena, room * sizeof *counts);
    for (size_t i = 0; i < TEST_KINDS; i++)
        if (snapshots[i]) {
            count_tags(self, test_kinds[i], snapshots[i], counts + at);
            at += snapshot_tags(snapshots[i]);
        }
    size_t count = merge(counts, room);
    narrowing_tag_t *known = arena_alloc(self->arena, count * sizeof *known);
    for (size_t i = 0; i < count; i++)
        known[i] = (narrowing_tag_t){ counts[i].name, counts[i].count };
    return state_asked(self, "tags",
                       narrowing_json_of_tags(self->arena, word_for_tests(self->question),
                                              self->question->tags, self->question->tag_count,
                                              known, count, self->scoped_by));
}

bool
tagged_find(state_t *self)
{
    const snapshot_t *snapshots[TEST_KINDS] = { 0 };

    if (!self->question->by_tag)
        return false;
    for (size_t i = 0; i < TEST_KINDS; i++)
        if (self->question->tests[test_kinds[i]]
            && state_need(self, test_kinds[i], &snapshots[i]))
            return true;
    collect(self, snapshots);
    if (self->tagged_count) {
        spell(self, snapshots);
        return false;
    }
    for (size_t i = 0; i < TEST_KINDS; i++)
        if (snapshots[i] && state_need_fresh(self, test_kinds[i]))
            return true;
    return ask_for_tags(self, snapshots);
}

static bool
owns_tagged(const state_t *self, int64_t project)
{
    return bsearch(&project, self->tagged, self->tagged_count, sizeof *self->tagged,
                   compare_ids);
}

static bool
qualifies(const state_t *self, kind_t kind, const snapshot_t *snapshot, const entity_t *entity)
{
    if (kind == KIND_PROJECT)
        return owns_tagged(self, entity->id);
    for (size_t i = 0; i < snapshot_projects_of(entity); i++)
        if (owns_tagged(self, snapshot_project_of(snapshot, entity, i)))
            return true;
    return false;
}

void
tagged_filter(const state_t *self, kind_t kind, const snapshot_t *snapshot, list_t *list)
{
    size_t kept = 0;

    if (!self->has_tagged || (kind != KIND_PROJECT && kind != KIND_ENVIRONMENT))
        return;
    for (size_t i = 0; i < list->count; i++)
        if (qualifies(self, kind, snapshot, list->entities[i]))
            list->entities[kept++] = list->entities[i];
    list->count = kept;
}

bool
tagged_project(state_t *self, size_t ref)
{
    const snapshot_t *projects;
    list_t list;

    if (state_need(self, KIND_PROJECT, &projects))
        return true;
    state_scope(self, KIND_PROJECT, projects, &list);
    tagged_filter(self, KIND_PROJECT, projects, &list);
    if (list.count == 1) {
        state_pin(self, ref, list.entities[0]->id, projects, list.entities[0]);
        return false;
    }
    if (!list.count && state_need_fresh(self, KIND_PROJECT))
        return true;
    return state_narrow(self, ref, list.count ? NARROWING_AMBIGUOUS_RUN : NARROWING_MISSING,
                        &list, projects, NULL);
}
