// SPDX-License-Identifier: Apache-2.0
// Who may call. Two ways: the caller brings a token, which is checked (with the platform's key,
// or by asking the platform) and the verdict cached for VERDICT_MS; or the process logs in for
// its one user. What blocks runs in a slot; until it is done the answer is "ask again".

#ifndef PROOFARC_MCP_ACCESS_H
#define PROOFARC_MCP_ACCESS_H

#include <czmq.h>

#include "keyfile.h"
#include "mcp/ask.h"

typedef struct access access_t;

typedef struct {
    const char *token_key;    // file, or NULL: the platform is asked
    const char *platform;     // URL, or NULL until access_set_platform()
    const char *credentials;  // file with {"username", "password"}, or NULL
    const char *username;     // goes before the file, with the password
    const char *password;
    const char *token;  // goes before both: no log-in
} access_options_t;

// `changed` is called when a wait may be over. The options are copied.
access_t *access_new(zloop_t *loop, const access_options_t *options,
                     void (*changed)(void *owner), void *owner);
void access_destroy(access_t **self_p);

void access_set_platform(access_t *self, const char *url);
const char *access_platform(const access_t *self);  // NULL while unknown

// Loads the key of `token_key`. EXIT_DONE, or EXIT_KEY and `why`. Not needed where the file
// comes with the stack: access_check() looks for it then.
exit_code_t access_load_key(access_t *self, failure_t *why);

// Judges a caller's token. With ACCESS_GRANTED *principal_p is set, valid until the next call;
// with REFUSED and DOWN `why`.
verdict_t access_check(access_t *self, const char *token, const char **principal_p,
                       failure_t *why);

// The platform has refused this token: the next check is a real one.
void access_forget(access_t *self, const char *token);

// The token of the process's own user. With ACCESS_GRANTED both are set, valid until it is
// forgotten. `why` says, also with WAIT, what went wrong last.
verdict_t access_own(access_t *self, const char **token_p, const char **principal_p,
                     failure_t *why);

// The platform has refused our own token: log in again, unless that has happened already.
void access_forget_own(access_t *self, const char *token);

#endif
