// SPDX-License-Identifier: Apache-2.0
// run_by_tag: the tests that carry one of the tags decide which environments and projects can
// be meant. A test counts by its own tags; an API scenario without any by those of its past runs.

#ifndef PROOFARC_TAGGED_H
#define PROOFARC_TAGGED_H

#include "state.h"

// Finds the projects, within what is pinned, that own such a test. Ends the run when there is
// none: the question is then about the tags. Does nothing when the question is not by tag.
bool tagged_find(state_t *self);

// Leaves those in `list` (of projects or environments) from which such a test can be reached.
void tagged_filter(const state_t *self, kind_t kind, const snapshot_t *snapshot, list_t *list);

// Settles or asks for a missing project: one that qualifies is taken without a word.
bool tagged_project(state_t *self, size_t ref);

#endif
