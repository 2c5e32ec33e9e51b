// SPDX-License-Identifier: Apache-2.0
// Session ids over HTTP: signed tokens that carry what a session is, so that any transport with
// the same key serves any session and nothing is stored for one. Only what has ended is kept,
// for the life of its token. Not for stdio, where the process is the session.

#ifndef PROOFARC_MCP_SESSION_H
#define PROOFARC_MCP_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "keyfile.h"
#include "mcp/protocol.h"

typedef struct sessions sessions_t;

enum { SESSION_ID_SIZE = 97, SESSION_KEY_SIZE = 33 };  // with the NUL

// What the client declared in `initialize`.
enum { CAPABILITY_SAMPLING = 1, CAPABILITY_ELICITATION = 2, CAPABILITY_ROOTS = 4 };

typedef struct {
    protocol_t protocol;
    unsigned capabilities;
    char key[SESSION_KEY_SIZE];  // its random part: the name of the session between processes
} session_t;

sessions_t *sessions_new(const unsigned char key[KEY_SIZE]);
void sessions_destroy(sessions_t **self_p);

// Writes the id of a new session of `principal`.
void sessions_issue(const sessions_t *self, const char *principal, protocol_t protocol,
                    unsigned capabilities, int64_t wall_ms, char id[SESSION_ID_SIZE]);

// True and *session filled if the id was issued with our key, to this principal, less than
// SESSION_MS ago, and has not ended. Everything else looks the same: unknown.
bool sessions_check(sessions_t *self, const char *id, const char *principal, int64_t wall_ms,
                    session_t *session);

// The session with this key is over. At most SESSIONS_MAX are remembered, the latest.
void sessions_end(sessions_t *self, const char *key, int64_t wall_ms);

size_t sessions_ended(const sessions_t *self);

#endif
