// SPDX-License-Identifier: Apache-2.0
// The platform of the stage: counts what it does, remembers keys or does not, answers with 200 to
// 503, loses requests and answers. Defines http.h and the worker's waiter.

#ifndef PROOFARC_SIM_BACKEND_H
#define PROOFARC_SIM_BACKEND_H

#include "stage.h"

void backend_begin(void);
void backend_offer(void);
void backend_end(void);

#endif
