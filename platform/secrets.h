// SPDX-License-Identifier: Apache-2.0
// The secrets of stored log-ins, sealed and opened; and everything of an environment masked.

#ifndef PROOFARC_PLATFORM_SECRETS_H
#define PROOFARC_PLATFORM_SECRETS_H

#include "exchange.h"

// Seals {password, token, apiKey} into the row with this id.
void secrets_seal(exchange_t *x, int64_t id, const json_t *secrets);

// One log-in, opened: {id, environmentId, username, secretRef, password, token, apiKey}. NULL
// when there is none; NULL and x->why when it cannot be opened.
json_t *secrets_open(exchange_t *x, int64_t id);

// False when the vault's key is not the one that the stored log-ins were sealed with.
bool secrets_are_readable(const platform_t *platform, store_t *store);

// Masks everything secret of an environment in the result of a run, in place. Log-ins that
// cannot be opened are left out.
void secrets_mask(exchange_t *x, int64_t environment, json_t *result);

#endif
