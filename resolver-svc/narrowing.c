// SPDX-License-Identifier: Apache-2.0
#include "narrowing.h"

#include <inttypes.h>
#include <string.h>

#include "auto.h"
#include "clean.h"
#include "limits.h"

enum { NAME_DATA_MAX = KIB };

// One candidate as it is shown.
typedef struct {
    const entity_t *entity;
    bool is_twin;         // another one shown has the same name
    const char *project;  // of a twin; NULL if it is in none that is known
} shown_t;

typedef struct {
    shown_t rows[CANDIDATES_MAX];
    size_t count;
    size_t more;     // that are not shown
    bool all_twins;  // all have one name, and their projects tell them apart
} shortlist_t;

static const char *const reasons[] = {
    [NARROWING_MISSING] = "missing_required", [NARROWING_MISSING_RUN] = "missing_required",
    [NARROWING_AMBIGUOUS] = "ambiguous",      [NARROWING_AMBIGUOUS_RUN] = "ambiguous",
    [NARROWING_NOT_FOUND] = "not_found",      [NARROWING_GONE] = "not_found",
};

static size_t
smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool
is_twin(const entity_t *const *candidates, size_t count, size_t index)
{
    for (size_t i = 0; i < count; i++)
        if (i != index && !strcmp(candidates[i]->folded, candidates[index]->folded))
            return true;
    return false;
}

bool
narrowing_has_equal_names(const entity_t *const *candidates, size_t count)
{
    count = smaller(count, CANDIDATES_MAX);
    for (size_t i = 0; i < count; i++)
        if (is_twin(candidates, count, i))
            return true;
    return false;
}

// The names of its projects, "payments, auth"; NULL if none is known.
static const char *
project_of(arena_t *arena, const narrowing_t *narrowing, const entity_t *entity)
{
    const char *names = NULL;

    if (narrowing->of == KIND_PROJECT || !narrowing->projects)
        return NULL;
    for (size_t i = 0; i < smaller(snapshot_projects_of(entity), CANDIDATES_MAX); i++) {
        int64_t id = snapshot_project_of(narrowing->snapshot, entity, i);
        const entity_t *project = snapshot_find(narrowing->projects, id);
        if (project)
            names = names ? arena_printf(arena, "%s, %s", names, project->name) : project->name;
    }
    return names;
}

static bool
differ(const char *a, const char *b)
{
    return a && b && strcmp(a, b) != 0;
}

// True if every row has the same name and a project that no other row has.
static bool
are_told_apart(const shortlist_t *list)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(list->rows[i].entity->folded, list->rows[j].entity->folded)
                || !differ(list->rows[i].project, list->rows[j].project))
                return false;
    return list->count > 1;
}

// The entity that is named like an id that is gone is shown, whatever its place.
static const entity_t *
candidate_at(const narrowing_t *narrowing, size_t index, size_t count)
{
    if (narrowing->named && index + 1 == count) {
        for (size_t i = 0; i < count; i++)
            if (narrowing->candidates[i] == narrowing->named)
                return narrowing->candidates[index];
        return narrowing->named;
    }
    return narrowing->candidates[index];
}

static void
make_shortlist(arena_t *arena, const narrowing_t *narrowing, shortlist_t *list)
{
    const entity_t *entities[CANDIDATES_MAX];

    *list = (shortlist_t){ .count = smaller(narrowing->count, CANDIDATES_MAX) };
    list->more = narrowing->count - list->count;
    for (size_t i = 0; i < list->count; i++)
        entities[i] = candidate_at(narrowing, i, list->count);
    for (size_t i = 0; i < list->count; i++) {
        shown_t *row = &list->rows[i];
        row->entity = entities[i];
        row->is_twin = is_twin(entities, list->count, i);
        if (row->is_twin)
            row->project = project_of(arena, narrowing, row->entity);
    }
    list->all_twins = are_told_apart(list);
}

json_t *
narrowing_name(arena_t *arena, const char *name)
{
    size_t length = strlen(name);

    if (length > NAME_DATA_MAX) {
        length = NAME_DATA_MAX;
        while (length && ((unsigned char) name[length] & 0xc0) == 0x80)
            length--;
    }
    return json_string_sized(arena, name, length);
}

static json_t *
candidates_json(arena_t *arena, const shortlist_t *list)
{
    json_t *candidates = json_array(arena);

    for (size_t i = 0; i < list->count; i++) {
        json_t *row = json_add(candidates, json_object(arena));
        json_set_int(arena, row, "id", list->rows[i].entity->id);
        json_set(arena, row, "name", narrowing_name(arena, list->rows[i].entity->name));
        if (list->rows[i].project)
            json_set(arena, row, "project", narrowing_name(arena, list->rows[i].project));
    }
    return candidates;
}

static void
add_shown(buffer_t *out, const char *text)
{
    if (clean_add(out, text, strlen(text), NAME_SHOWN_MAX))
        buffer_text(out, "…");
}

// 'pay', or several: 'a', 'b'.
static void
add_quoted(buffer_t *out, const char *text)
{
    buffer_char(out, '\'');
    add_shown(out, text);
    buffer_char(out, '\'');
}

static void
add_all_quoted(buffer_t *out, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < smaller(count, CANDIDATES_MAX); i++) {
        if (i)
            buffer_text(out, ", ");
        add_quoted(out, texts[i]);
    }
    if (count > CANDIDATES_MAX)
        buffer_printf(out, " … and %zu more", count - CANDIDATES_MAX);
}

static void
add_more(buffer_t *out, size_t more)
{
    if (more)
        buffer_printf(out, " … and %zu more", more);
}

// What tells an entity from another one of the same name.
static void
add_distinction(buffer_t *out, const shown_t *row)
{
    if (!row->is_twin)
        return;
    if (row->project) {
        buffer_text(out, " (");
        add_shown(out, row->project);
        buffer_printf(out, ", id %" PRId64 ")", row->entity->id);
    } else {
        buffer_printf(out, " (id %" PRId64 ")", row->entity->id);
    }
}

// "dev, staging, prod … and 17 more"
static void
add_names(buffer_t *out, const shortlist_t *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (i)
            buffer_text(out, ", ");
        add_shown(out, list->rows[i].entity->name);
        add_distinction(out, &list->rows[i]);
    }
    add_more(out, list->more);
}

static void
add_projects(buffer_t *out, const shortlist_t *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (i)
            buffer_text(out, ", ");
        add_shown(out, list->rows[i].project);
    }
    add_more(out, list->more);
}

static void
add_available(buffer_t *out, const shortlist_t *list)
{
    if (!list->count) {
        buffer_text(out, " There is none to choose from.");
        return;
    }
    buffer_text(out, " Available: ");
    add_names(out, list);
    buffer_char(out, '.');
}

static void
ask_ambiguous(buffer_t *out, const narrowing_t *narrowing, const shortlist_t *list)
{
    const char *noun = kinds_row(narrowing->of)->noun;

    if (list->all_twins) {
        buffer_printf(out, "More than one %s is named ", noun);
        add_quoted(out, list->rows[0].entity->name);
        buffer_text(out, ", one in each of these projects: ");
        add_projects(out, list);
        buffer_text(out, ". Which project?");
        return;
    }
    buffer_printf(out, "More than one %s matches ", noun);
    add_quoted(out, narrowing->wanted);
    buffer_text(out, ": ");
    add_names(out, list);
    buffer_text(out, ". Which one?");
}

static void
ask_gone(buffer_t *out, const narrowing_t *narrowing, const shortlist_t *list)
{
    const char *noun = kinds_row(narrowing->of)->noun;

    buffer_printf(out, "There is no %s with id ", noun);
    add_shown(out, narrowing->wanted);
    if (narrowing->named) {
        buffer_printf(out, "; did you mean the %s named ", noun);
        add_shown(out, narrowing->named->name);
        buffer_char(out, '?');
        return;
    }
    buffer_char(out, '.');
    add_available(out, list);
}

static void
ask(buffer_t *out, const narrowing_t *narrowing, const shortlist_t *list)
{
    const char *noun = kinds_row(narrowing->of)->noun;

    switch (narrowing->kind) {
    case NARROWING_MISSING:
        buffer_printf(out, "Which %s?", noun);
        add_available(out, list);
        break;
    case NARROWING_MISSING_RUN:
        buffer_printf(out, "Which %s do you want to run these tests in?", noun);
        add_available(out, list);
        break;
    case NARROWING_AMBIGUOUS:
        ask_ambiguous(out, narrowing, list);
        break;
    case NARROWING_AMBIGUOUS_RUN:
        buffer_text(out, "Tag(s) [");
        add_all_quoted(out, narrowing->tags, narrowing->tag_count);
        buffer_text(out, "] match tests across multiple projects: ");
        add_names(out, list);
        buffer_text(out, ". Which project do you want to run in?");
        break;
    case NARROWING_NOT_FOUND:
        buffer_printf(out, "There is no %s ", noun);
        add_quoted(out, narrowing->wanted);
        buffer_char(out, '.');
        add_available(out, list);
        break;
    case NARROWING_GONE:
        ask_gone(out, narrowing, list);
        break;
    }
}

// Takes the parts over into the answer.
static json_t *
answer(arena_t *arena, const char *reason, const buffer_t *ask_user, json_t *candidates,
       json_t *scoped_by)
{
    json_t *result = json_object(arena);

    json_set_text(arena, result, "reason", reason);
    json_set(arena, result, "ask_user",
             json_string_sized(arena, ask_user->bytes, ask_user->size));
    json_set(arena, result, "candidates", candidates);
    json_set(arena, result, "scoped_by", scoped_by);
    return result;
}

json_t *
narrowing_json(arena_t *arena, const narrowing_t *narrowing)
{
    AUTO(buffer_clear) buffer_t question = { 0 };
    shortlist_t list;

    make_shortlist(arena, narrowing, &list);
    ask(&question, narrowing, &list);
    return answer(arena, reasons[narrowing->kind], &question, candidates_json(arena, &list),
                  narrowing->scoped_by);
}

static json_t *
tags_json(arena_t *arena, const narrowing_tag_t *known, size_t count)
{
    json_t *candidates = json_array(arena);

    for (size_t i = 0; i < smaller(count, CANDIDATES_MAX); i++) {
        json_t *row = json_add(candidates, json_object(arena));
        json_set(arena, row, "name", narrowing_name(arena, known[i].name));
        json_set_int(arena, row, "count", known[i].count);
    }
    return candidates;
}

static void
add_known_tags(buffer_t *out, const char *tests, const narrowing_tag_t *known, size_t count)
{
    if (!count) {
        buffer_printf(out, " No %s carries any tag.", tests);
        return;
    }
    buffer_text(out, " Tags in use: ");
    for (size_t i = 0; i < smaller(count, CANDIDATES_MAX); i++) {
        if (i)
            buffer_text(out, ", ");
        add_shown(out, known[i].name);
    }
    add_more(out, count > CANDIDATES_MAX ? count - CANDIDATES_MAX : 0);
    buffer_char(out, '.');
}

json_t *
narrowing_json_of_tags(arena_t *arena, const char *tests, const char *const *tags,
                       size_t tag_count, const narrowing_tag_t *known, size_t known_count,
                       json_t *scoped_by)
{
    AUTO(buffer_clear) buffer_t question = { 0 };

    if (tag_count) {
        buffer_printf(&question, "No %s carries %s ", tests,
                      tag_count == 1 ? "the tag" : "any of the tags");
        add_all_quoted(&question, tags, tag_count);
        buffer_char(&question, '.');
    } else {
        buffer_text(&question, "Which tags?");
    }
    add_known_tags(&question, tests, known, known_count);
    return answer(arena, tag_count ? "not_found" : "missing_required", &question,
                  tags_json(arena, known, known_count), scoped_by);
}
