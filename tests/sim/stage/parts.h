// SPDX-License-Identifier: Apache-2.0
// The programs that play.

#ifndef PROOFARC_SIM_PARTS_H
#define PROOFARC_SIM_PARTS_H

#include "stage.h"

extern const role_t broker_role, worker_role, resolver_role;

#endif
