// SPDX-License-Identifier: Apache-2.0
// Single-quoted scalars of YAML 1.2 (7.3.2), from what stands between the quotes. Pure.

#ifndef PROOFARC_FORMATS_YAML_QUOTED_H
#define PROOFARC_FORMATS_YAML_QUOTED_H

#include "arena.h"

// The text in the arena: '' is one quote, a line break is a blank, and further empty lines are line
// breaks; blanks around breaks are dropped.
const char *yaml_quoted_text(arena_t *arena, const char *source, size_t size, size_t *length_p);

#endif
