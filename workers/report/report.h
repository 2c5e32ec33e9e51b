// SPDX-License-Identifier: Apache-2.0
// The tables of this category, one per noun.

#ifndef PROOFARC_REPORT_H
#define PROOFARC_REPORT_H

#include "call.h"

extern const tool_t report_executions[];

#endif
