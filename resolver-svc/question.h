// SPDX-License-Identifier: Apache-2.0
// The body of a RESOLVE, checked: which references to settle, and for which tests.

#ifndef PROOFARC_QUESTION_H
#define PROOFARC_QUESTION_H

#include "json.h"
#include "kinds.h"
#include "match.h"

enum { QUESTION_REFS_MAX = 24, QUESTION_TAGS_MAX = 100 };

typedef struct {
    const char *param;
    kind_t kind;
    bool must;
    bool gone;  // the platform does not know this id
    wanted_t wanted;
    const char *text;  // as given; of a number its digits
    int64_t id;        // WANTED_ID
} question_ref_t;

typedef struct {
    question_ref_t refs[QUESTION_REFS_MAX];  // in the order of the row
    size_t count;
    bool by_tag;
    bool unscoped;
    const char *tags[QUESTION_TAGS_MAX];  // by_tag: as given
    const char *folded[QUESTION_TAGS_MAX];
    size_t tag_count;
    bool tests[KIND_COUNT];  // by_tag: the wanted kinds of tests
} question_t;

// Fills `question`, whose texts live in `arena`. BAD_ARGS or TOO_LARGE with the reason.
status_t question_parse(arena_t *arena, const void *body, size_t size, question_t *question,
                        failure_t *why);

#endif
