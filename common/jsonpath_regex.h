// SPDX-License-Identifier: Apache-2.0
// Regular expressions of JSONPath's match() and search(): I-Regexp (RFC 9485), run by PCRE2
// with limits. What PCRE2 knows beyond I-Regexp is let through.

#ifndef PROOFARC_JSONPATH_REGEX_H
#define PROOFARC_JSONPATH_REGEX_H

#include <stdbool.h>

#include "arena.h"
#include "json.h"

typedef struct path_regex path_regex_t;

typedef enum { REGEX_NO, REGEX_YES, REGEX_TOO_COSTLY } path_regex_result_t;

// NULL if `pattern` (a string) is none. With `is_whole` it must match all of a text. Lives in
// `arena`.
path_regex_t *path_regex_new(arena_t *arena, const json_t *pattern, bool is_whole);

path_regex_result_t path_regex_match(const path_regex_t *self, const json_t *text);

#endif
