// SPDX-License-Identifier: Apache-2.0
// The events of streams whose client may come back for the rest (Last-Event-ID): kept while the
// request runs and for a while after. Bounded: the oldest that are over give way.

#ifndef PROOFARC_HTTP_REPLAY_H
#define PROOFARC_HTTP_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct replays replays_t;
typedef struct replay replay_t;

enum {
    REPLAYS_MAX = 64,                // streams
    REPLAY_EVENTS_MAX = 64,          // of one, the latest
    REPLAY_BYTES_MAX = 1024 * 1024,  // of one
    REPLAY_MS = 5 * 60 * 1000,       // kept after its end
    REPLAY_ID_SIZE = 48,
};

// Takes an event of a stream; bytes NULL: it is over.
typedef void replay_send_fn(const char *id, const char *bytes, size_t size, void *arg);

// `instance` makes ids of several processes differ.
replays_t *replays_new(const char *instance);
void replays_destroy(replays_t **self_p);

// Begins to keep a stream of a session. NULL: there are too many.
replay_t *replays_begin(replays_t *self, const char *session, int64_t now_ms);

// Keeps one more event, whose id is written; whoever has come back gets it at once.
void replay_add(replay_t *self, const char *bytes, size_t size, char id[REPLAY_ID_SIZE]);

// There will be no more.
void replay_end(replay_t *self, int64_t now_ms);

// True if the id is one of an event that is kept for this session.
bool replays_knows(const replays_t *self, const char *session, const char *id);

// True if the id may be one of another process of ours.
bool replays_is_foreign(const replays_t *self, const char *id);

// The client of this session has come back with the id of the last event that it has: sends what
// came later, and goes on sending if more is to come. False: there is no such stream of it.
bool replays_resume(replays_t *self, const char *session, const char *id, int64_t now_ms,
                    replay_send_fn *send, void *arg);

// Sends nothing more to it.
void replays_leave(replays_t *self, const void *arg);

#endif
