// SPDX-License-Identifier: Apache-2.0
// Which row a call is about.

#ifndef PROOFARC_FIND_H
#define PROOFARC_FIND_H

#include "call_state.h"
#include "category.h"

// Sets tool, template, resource or prompt of the call; `why` if there is no such thing.
status_t find_row(call_t *call, const category_t *const *categories, failure_t *why);

#endif
