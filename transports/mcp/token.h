// SPDX-License-Identifier: Apache-2.0
// Bearer tokens: how they stand in a header, and what a JWT of our platform says. Pure.

#ifndef PROOFARC_MCP_TOKEN_H
#define PROOFARC_MCP_TOKEN_H

#include <stdint.h>

#include "arena.h"
#include "keyfile.h"
#include "status.h"

enum { TOKEN_LEEWAY_S = 60 };  // clocks of two machines differ

// The token of an Authorization header ("Bearer", in any case, one or more spaces, a b64token of
// at most TOKEN_MAX bytes and nothing behind it), or NULL. Points into `header`.
const char *token_of_header(const char *header);

// Checks a JWT (HS256, not expired, with iss, sub and role) and sets *principal_p to
// "iss|sub|role" in the arena. UNAUTHORIZED and `why` otherwise.
status_t token_verify(arena_t *arena, const char *token, const unsigned char key[KEY_SIZE],
                      int64_t wall_ms, const char **principal_p, failure_t *why);

// A name for whom a token stands for, unchecked: the principal of its JWT, else one made of the
// token's hash. For tokens that are ours or that the platform has vouched for.
const char *token_principal(arena_t *arena, const char *token);

#endif
