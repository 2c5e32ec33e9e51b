// SPDX-License-Identifier: Apache-2.0
// Reads what the platform says about entities: the answer of a ?view=names route, and the one
// entity of a write. Pure.

#ifndef PROOFARC_VIEW_H
#define PROOFARC_VIEW_H

#include "json.h"
#include "kinds.h"
#include "snapshot.h"

// Makes a snapshot of {"items": [{"id", "name", "projectIds", "tags", "historyTags",
// "environmentId"}]}, of which id and name have to be there. Nothing but a complete document
// of that shape is taken: BACKEND otherwise. TOO_LARGE when the snapshot would be over
// `size_max`. *snapshot_p is untouched on failure. Works item by item, so that a large list
// never stands in memory as a tree.
status_t view_parse(kind_t kind, const char *body, size_t size, size_t size_max,
                    snapshot_t **snapshot_p, failure_t *why);

// Fills `draft` from one entity; what it points to lives in `arena`. Members that are absent or
// null are taken from `held` (an entity of `snapshot`, or NULL), else empty. BACKEND when the
// entity has no id or name or a member has the wrong type.
status_t view_entity(arena_t *arena, const json_t *entity, const snapshot_t *snapshot,
                     const entity_t *held, draft_t *draft, failure_t *why);

#endif
