// SPDX-License-Identifier: Apache-2.0
// Decides which entity a caller means. Pure: no sockets, no clock, no cache.
//
// Names are compared as match_fold() makes them: what cannot be seen is left out
// (clean.h), then NFC and full case folding, independent of any locale. So "STRASSE" is
// "straße", "É" is "é" however it is composed, and "İ" is not "i".

#ifndef PROOFARC_MATCH_H
#define PROOFARC_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct links links_t;  // what it belongs to: snapshot.h

typedef struct {
    int64_t id;
    const char *name;    // UTF-8, as the platform stores it
    const char *folded;  // match_fold() of it
    const links_t *links;
} entity_t;

typedef enum { MATCH_FOUND, MATCH_AMBIGUOUS, MATCH_NOT_FOUND } match_t;

// What a caller's text stands for, before anything is looked up.
typedef enum {
    WANTED_MISSING,      // nothing, or nothing that can be seen
    WANTED_ID,           // ASCII 0|[1-9][0-9]* within int64, blanks around it allowed
    WANTED_PLACEHOLDER,  // "null", "None", "undefined", "<nil>": nothing, unless so named
    WANTED_NAME,
} wanted_t;

// Sets *id_p with WANTED_ID and leaves it alone otherwise. `text` may be NULL.
wanted_t match_wanted(const char *text, int64_t *id_p);

// The form in which `length` bytes of text are compared. The caller frees it; never NULL.
char *match_fold(const char *text, size_t length);

// Finds what the folded text `wanted` stands for among `count` entities, which are already
// limited to the caller's scope. One exact name wins, then one name that contains it.
// `matches` has room for `count` entities and receives all that matched, in the given order:
// one with MATCH_FOUND, several with MATCH_AMBIGUOUS, none with MATCH_NOT_FOUND. Never fails,
// never allocates.
match_t match_name(const char *wanted, const entity_t *const *entities, size_t count,
                   const entity_t **matches, size_t *matched_p);

// The same for exact names alone.
match_t match_exact(const char *wanted, const entity_t *const *entities, size_t count,
                    const entity_t **matches, size_t *matched_p);

#endif
