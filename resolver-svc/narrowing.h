// SPDX-License-Identifier: Apache-2.0
// The one question that is left: {"reason", "ask_user", "candidates", "scoped_by"}. Pure.
//
// ask_user is one line and shows names as clean.h leaves them, NAME_SHOWN_MAX code points at
// most; candidates and scoped_by carry names as they are, because they are data to be sent back.

#ifndef PROOFARC_NARROWING_H
#define PROOFARC_NARROWING_H

#include "json.h"
#include "kinds.h"
#include "snapshot.h"

// What is asked, and with which sentence.
typedef enum {
    NARROWING_MISSING,        // nothing was given
    NARROWING_MISSING_RUN,    // nothing was given, of run_by_tag's environment
    NARROWING_AMBIGUOUS,      // `wanted` matches several
    NARROWING_AMBIGUOUS_RUN,  // the tags are carried in several projects
    NARROWING_NOT_FOUND,      // `wanted` matches none
    NARROWING_GONE,           // the platform does not know the id `wanted`
} narrowing_kind_t;

typedef struct {
    narrowing_kind_t kind;
    kind_t of;                          // the kind of the candidates
    const char *wanted;                 // what the caller gave, where a sentence has it
    const entity_t *const *candidates;  // all of them; the first CANDIDATES_MAX are shown
    size_t count;
    const snapshot_t *snapshot;  // theirs
    const snapshot_t *projects;  // to tell equal names apart; NULL if none are equal
    const entity_t *named;    // NARROWING_GONE: the entity whose name is that number, or NULL
    const char *const *tags;  // NARROWING_AMBIGUOUS_RUN
    size_t tag_count;
    json_t *scoped_by;  // taken into the result
} narrowing_t;

// A name as data: unchanged, but cut on a code point after 1 KiB (what is left still finds it).
json_t *narrowing_name(arena_t *arena, const char *name);

json_t *narrowing_json(arena_t *arena, const narrowing_t *narrowing);

// A tag that exists, and how many tests carry it.
typedef struct {
    const char *name;
    int64_t count;
} narrowing_tag_t;

// The question for tags: none of `tags` is carried, or none was given. `tests` is how those are called
// that were looked at: "test", "UI test" …
json_t *narrowing_json_of_tags(arena_t *arena, const char *tests, const char *const *tags,
                               size_t tag_count, const narrowing_tag_t *known,
                               size_t known_count, json_t *scoped_by);

// True if names that would be shown are equal under match_fold(), so that `projects` is needed.
bool narrowing_has_equal_names(const entity_t *const *candidates, size_t count);

#endif
