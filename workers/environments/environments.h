// SPDX-License-Identifier: Apache-2.0
// The tables of this category, one per noun.

#ifndef PROOFARC_ENVIRONMENTS_H
#define PROOFARC_ENVIRONMENTS_H

#include "call.h"

extern const tool_t environments_environments[], environments_targets[],
    environments_credentials[];

#endif
