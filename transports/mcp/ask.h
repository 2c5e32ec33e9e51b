// SPDX-License-Identifier: Apache-2.0
// The two questions a transport has for the platform, asked from slots: who a token belongs to,
// and a token for a name and password.

#ifndef PROOFARC_MCP_ASK_H
#define PROOFARC_MCP_ASK_H

#include <czmq.h>

#include "status.h"

typedef struct asks asks_t;

typedef enum {
    ACCESS_GRANTED,
    ACCESS_REFUSED,  // the token or the pair is no good
    ACCESS_WAIT,     // it is not known yet
    ACCESS_DOWN,     // nobody could be asked
} verdict_t;

enum { ASKS_MAX = 2, ASK_TAG_SIZE = 32 };

typedef struct {
    unsigned char tag[ASK_TAG_SIZE];  // the asker's
    bool is_log_in;
    verdict_t verdict;      // GRANTED, REFUSED or DOWN
    const char *token;      // of a log-in, with GRANTED
    const char *principal;  // with GRANTED
    failure_t why;          // otherwise
} reply_t;

// `done` is called in the loop with each reply, which is valid during the call.
asks_t *asks_new(zloop_t *loop, void (*done)(void *owner, const reply_t *reply), void *owner);

// Waits for the question under way.
void asks_destroy(asks_t **self_p);

// False when ASKS_MAX questions are under way: ask again after the next reply. Texts are copied.
bool asks_whoami(asks_t *self, const unsigned char tag[ASK_TAG_SIZE], const char *platform,
                 const char *token);
bool asks_log_in(asks_t *self, const char *platform, const char *username,
                 const char *password);

// True if a question with this tag is under way.
bool asks_has(const asks_t *self, const unsigned char tag[ASK_TAG_SIZE]);

#endif
