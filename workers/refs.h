// SPDX-License-Identifier: Apache-2.0
// Names of a call become ids: the worker's side of RESOLVE and FORGET. Which of several resolvers
// keeps a principal's snapshots follows from the principal alone, so that every worker asks the
// same one.

#ifndef PROOFARC_REFS_H
#define PROOFARC_REFS_H

#include "call.h"
#include "endpoint.h"

typedef struct refs refs_t;

enum { RESOLVERS_MAX = 64 };

// Connects one DEALER to each resolver, for all strands. EXIT_DONE and *self_p, or the exit code
// and `why`.
exit_code_t refs_new(zloop_t *loop, const char *const *endpoints, size_t count, curve_t *curve,
                     refs_t **self_p, failure_t *why);
void refs_destroy(refs_t **self_p);

// Settles the references of the call. 0, or -1 and the call has been answered: with the
// narrowing, or with the failure.
int refs_settle_or_reply(call_t *call);

// The platform answered 404 to `path`: if it is about a reference, its narrowing answers the call
// and this is true; a name that stood for what is gone is looked for anew. `code` is the
// platform's, or NULL.
bool refs_reply_gone(call_t *call, const char *path, const char *code);

// Has an entity patched into the snapshots of the principal; waits FORGET_MS at most.
void refs_forget(call_t *call, const char *kind, const json_t *entity);

// Index of the endpoint that serves the principal (rendezvous hashing).
size_t refs_shard(const char *const *endpoints, size_t count, const char *principal);

#endif
