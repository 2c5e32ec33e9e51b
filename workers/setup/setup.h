// SPDX-License-Identifier: Apache-2.0
// The tables of this category, one per noun.

#ifndef PROOFARC_SETUP_H
#define PROOFARC_SETUP_H

#include "call.h"

extern const tool_t setup_projects[], setup_onboarding[], setup_applications[];

#endif
