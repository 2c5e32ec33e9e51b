// SPDX-License-Identifier: Apache-2.0
// How a run gets its login. Order of calls: login_secrets, hooks, login.

#ifndef PROOFARC_LOGIN_H
#define PROOFARC_LOGIN_H

#include "api/run.h"

// Makes variables of the vault's values and has them masked.
status_t login_secrets(run_t *run, failure_t *why);

// Logs in as the payload says, if it does, and sets auth_header.
status_t login(run_t *run, failure_t *why);

#endif
