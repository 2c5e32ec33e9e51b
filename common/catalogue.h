// SPDX-License-Identifier: Apache-2.0
// The list of what categories offer, as it travels in READY and CATALOGUE.

#ifndef PROOFARC_CATALOGUE_H
#define PROOFARC_CATALOGUE_H

#include "messages.h"

enum { CATALOGUE_ENTRIES_MAX = 1024 };

// Packs `count` entries back to back. The caller frees *bytes_p.
void catalogue_pack(const entry_msg_t *entries, size_t count, void **bytes_p, size_t *size_p);

// Unpacks into a fresh array that the caller destroys with catalogue_free(). BAD_ARGS when one
// is malformed, TOO_LARGE over CATALOGUE_ENTRIES_MAX; the out-parameters are untouched then.
status_t catalogue_unpack(wire_bin_t packed, entry_msg_t **entries_p, size_t *count_p,
                          failure_t *why);
void catalogue_free(entry_msg_t **entries_p, size_t count);

#endif
