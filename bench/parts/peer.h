// SPDX-License-Identifier: Apache-2.0
// A DEALER that speaks the messages of common/messages.h to one program of ours, and measures
// how long that takes to answer.

#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <zmq.h>

#include "histogram.h"
#include "messages.h"

enum { PEER_ID_SIZE = 33, PEER_SILENT_MS = 10 * 1000 };

// What was measured, and what the measured process used meanwhile.
typedef struct {
    histogram_t times;
    double seconds;
    int64_t used_us;
} peer_result_t;

// A message that has arrived: an envelope and a body, which live until peer_clear().
typedef struct {
    zmq_msg_t envelope, body;
} peer_message_t;

int64_t peer_now_ns(void);

// Connects to `endpoint`; ends the process if that cannot be.
void *peer_open(const char *endpoint);

// Sends; ends the process if nothing takes it.
void peer_send(void *socket, const wire_table_t *table, const void *message, const char *body);

// The next message that is there, false if there is none. The caller clears it.
bool peer_receive(void *socket, peer_message_t *message);
void peer_clear(peer_message_t *message);

// Reads its envelope into a struct of `table`; false if it is no such message.
bool peer_read(peer_message_t *message, const wire_table_t *table, void *values);

// An id that tells when it was made, and how long ago that is.
void peer_make_id(char id[PEER_ID_SIZE]);
int64_t peer_age_ns(const char *id);

#endif
