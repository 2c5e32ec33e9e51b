// SPDX-License-Identifier: Apache-2.0
// URI templates with one variable that stands for a piece of a path (RFC 6570, level 1):
// proofarc://execution/{execution_id}. Pure.

#ifndef PROOFARC_URI_TEMPLATE_H
#define PROOFARC_URI_TEMPLATE_H

#include <stddef.h>

#include "arena.h"

// The part of `uri` that stands for the variable, as it is written: one character or more, none of
// them / ? or #, with well-formed escapes and none of NUL. Points into `uri`. NULL if the URI is
// of another template, or the template has no variable.
const char *uri_template_find(const char *template, const char *uri, size_t *size_p);

// The same decoded, in the arena.
const char *uri_template_value(arena_t *arena, const char *template, const char *uri);

// The variable's name, in the arena; NULL if there is none.
const char *uri_template_variable(arena_t *arena, const char *template);

#endif
