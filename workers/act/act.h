// SPDX-License-Identifier: Apache-2.0
// The tables of this category, one per noun.

#ifndef PROOFARC_ACT_H
#define PROOFARC_ACT_H

#include "call.h"

extern const tool_t act_scenarios[], act_tags[];

#endif
