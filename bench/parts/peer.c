// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void __attribute__((noreturn)) die(const char *what)
{
    fprintf(stderr, "bench-parts: %s: %s\n", what, zmq_strerror(errno));
    exit(1);
}

int64_t
peer_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

void *
peer_open(const char *endpoint)
{
    static void *context;
    int none = 0, patience_ms = PEER_SILENT_MS;

    if (!context)
        context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_DEALER);
    zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none);
    zmq_setsockopt(socket, ZMQ_SNDTIMEO, &patience_ms, sizeof patience_ms);
    if (zmq_connect(socket, endpoint))
        die(endpoint);
    return socket;
}

void
peer_send(void *socket, const wire_table_t *table, const void *message, const char *body)
{
    size_t size;
    void *bytes;

    wire_encode(table, message, &bytes, &size);
    if (zmq_send(socket, bytes, size, ZMQ_SNDMORE) < 0
        || zmq_send(socket, body, strlen(body), 0) < 0)
        die(table->name);
    free(bytes);
}

bool
peer_receive(void *socket, peer_message_t *message)
{
    zmq_msg_init(&message->envelope);
    zmq_msg_init(&message->body);
    if (zmq_msg_recv(&message->envelope, socket, ZMQ_DONTWAIT) < 0)
        return false;
    if (!zmq_msg_more(&message->envelope) || zmq_msg_recv(&message->body, socket, 0) < 0
        || zmq_msg_more(&message->body))
        die("a message that is not ours");
    return true;
}

void
peer_clear(peer_message_t *message)
{
    zmq_msg_close(&message->envelope);
    zmq_msg_close(&message->body);
}

bool
peer_read(peer_message_t *message, const wire_table_t *table, void *values)
{
    const char *bytes = zmq_msg_data(&message->envelope);
    failure_t why;

    return wire_decode(table, &bytes, bytes + zmq_msg_size(&message->envelope), values, &why)
           == OK;
}

void
peer_make_id(char id[PEER_ID_SIZE])
{
    static uint64_t count;

    snprintf(id, PEER_ID_SIZE, "%016llx%016llx", (unsigned long long) peer_now_ns(),
             (unsigned long long) count++);
}

int64_t
peer_age_ns(const char *id)
{
    char time[17];

    snprintf(time, sizeof time, "%s", id);
    return peer_now_ns() - (int64_t) strtoull(time, NULL, 16);
}
