// SPDX-License-Identifier: Apache-2.0
// The stream of events that a visit is answered with: opened, kept alive, resumed, ended.

#ifndef PROOFARC_HTTP_STREAM_H
#define PROOFARC_HTTP_STREAM_H

#include "http/visit.h"

// One more event. False: the client does not read, and the event is lost.
bool stream_write(visit_t *visit, const char *bytes, size_t size);

// The same for a message that comes before an answer: the first makes a stream of it. `arg` is the
// visit.
void stream_send(const char *bytes, size_t size, void *arg);

void stream_end(visit_t *visit);

// Answers a GET: what is left of a stream that was lost, here or at another transport, or else the
// stream of changes.
void stream_serve(visit_t *visit);

// A client reads at another transport now.
void stream_take_seek(door_t *door, const seek_msg_t *seek);

// An event of a stream that is sought here.
void stream_take_piece(door_t *door, const piece_msg_t *piece);

// Every second: signs of life, and an end to streams whose session is over.
void stream_tick_all(door_t *door, int64_t now_ms);

// Ends the streams that would never end by themselves: this process is about to.
void stream_end_all(door_t *door);

#endif
