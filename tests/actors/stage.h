// SPDX-License-Identifier: Apache-2.0
// A real broker process, and the sockets of transports and workers that the test plays.

#ifndef PROOFARC_STAGE_H
#define PROOFARC_STAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <czmq.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "actor.h"
#include "auto.h"
#include "catalogue.h"
#include "clock.h"
#include "endpoint.h"
#include "limits.h"

#include <cmocka.h>  // last: it defines fail()

extern char **environ;

enum { GUARD_MS = 20000, ARGUMENTS_MAX = 16 };

static char dir[64];             // of all endpoints and logs; 0700
static char transports_at[128];  // endpoints
static char workers_at[128];

typedef struct {
    pid_t pid;
    int ready;  // reading end of --ready-fd
    char log[128];
} process_t;

// Starts the broker with these arguments, NULL-ended.
static inline process_t
start(const char *const *arguments)
{
    static int number = 0;
    process_t self = { 0 };
    char *argv[ARGUMENTS_MAX] = { BIN_DIR "/proofarc-broker", "--ready-fd", "3" };
    posix_spawn_file_actions_t actions;
    int pipe_fds[2];

    for (size_t i = 0; arguments[i]; i++)
        argv[3 + i] = (char *) arguments[i];
    snprintf(self.log, sizeof self.log, "%s/log.%d", dir, number++);
    assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], 3);
    posix_spawn_file_actions_addopen(&actions, 2, self.log, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(posix_spawn(&self.pid, argv[0], &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(pipe_fds[1]);
    self.ready = pipe_fds[0];
    return self;
}

// Waits for the "ready" line and gives the endpoint it names.
static inline void
wait_ready(process_t *self, char endpoint[128])
{
    struct pollfd item = { self->ready, POLLIN, 0 };
    char line[256] = { 0 };

    assert_int_equal(poll(&item, 1, GUARD_MS), 1);
    assert_true(read(self->ready, line, sizeof line - 1) > 0);
    assert_int_equal(sscanf(line, "ready %127s", endpoint), 1);
}

// Waits for the end and gives the exit code.
static inline int
wait_end(process_t *self)
{
    int status;

    assert_int_equal(waitpid(self->pid, &status, 0), self->pid);
    close(self->ready);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static inline int
run(const char *const *arguments)
{
    process_t process = start(arguments);

    return wait_end(&process);
}

static inline process_t
start_ready(void)
{
    const char *arguments[] = { "--transports", transports_at, "--workers", workers_at,
                                "--categories", "explore",     NULL };
    process_t self = start(arguments);
    char endpoint[128];

    wait_ready(&self, endpoint);
    assert_string_equal(endpoint, transports_at);
    return self;
}

static inline void
stop(process_t *self)
{
    kill(self->pid, SIGTERM);
    assert_int_equal(wait_end(self), EXIT_DONE);
}

// How often `word` stands in the log.
static inline size_t
logged(const process_t *self, const char *word)
{
    char text[16 * 1024] = { 0 };
    size_t count = 0;
    FILE *file = fopen(self->log, "r");

    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) < sizeof text - 1);
    fclose(file);
    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    return count;
}

static inline zsock_t *
connected(const char *endpoint, curve_t *curve)
{
    AUTO(curve_destroy) curve_t *none = curve ? NULL : curve_new(NULL, false, NULL);
    zsock_t *socket = zsock_new(ZMQ_DEALER);
    failure_t why;

    endpoint_prepare(socket);
    zsock_set_rcvtimeo(socket, GUARD_MS);
    zsock_set_sndtimeo(socket, GUARD_MS);
    assert_int_equal(endpoint_connect(socket, endpoint, curve ? curve : none, &why), 0);
    return socket;
}

static inline void
tell(zsock_t *socket, const wire_table_t *table, const void *message, const char *body)
{
    zmsg_t *msg = wire_pack(table, message, body, body ? strlen(body) : 0);

    assert_int_equal(zmsg_send(&msg, socket), 0);
}

// Waits for the next message of this type, over beats and whatever else. Gives its body to the
// caller, if `body_p` is given.
static inline void
heard(zsock_t *socket, const wire_table_t *table, void *message, char **body_p)
{
    for (bool is_it = false; !is_it;) {
        AUTO(zmsg_destroy) zmsg_t *msg = zmsg_recv(socket);
        failure_t why;
        if (!msg)
            fail_msg("no %s came", table->name);
        if (wire_type(msg) != table->type)
            continue;
        is_it = wire_unpack(table, msg, message, &why) == OK;
        if (is_it && body_p)
            *body_p = zmsg_popstr(msg);
    }
}

static inline void
say_hello(zsock_t *transport, const char *instance, int64_t protocol)
{
    tell(transport, &hello_wire, &(hello_msg_t){ .protocol = protocol, .instance = instance },
         NULL);
}

static inline void
say_ready(zsock_t *worker, const char *instance, int64_t protocol)
{
    static const entry_msg_t entries[] = {
        { .kind = "tool", .category = "explore", .name = "look", .effect = "reads" },
        { .kind = "tool", .category = "explore", .name = "write", .effect = "writes" },
    };
    void *bytes;
    size_t size;

    catalogue_pack(entries, ROWS(entries), &bytes, &size);
    tell(worker, &ready_wire,
         &(ready_msg_t){ .protocol = protocol,
                         .instance = instance,
                         .host = "host",
                         .credit = 8,
                         .entries = { bytes, size } },
         NULL);
    free(bytes);
}

// Waits until the catalogue is complete: the worker is there.
static inline void
await_catalogue(zsock_t *transport)
{
    for (bool is_complete = false; !is_complete;) {
        AUTO(catalogue_msg_clear) catalogue_msg_t catalogue = { 0 };
        heard(transport, &catalogue_wire, &catalogue, NULL);
        is_complete = catalogue.complete;
    }
}

static inline void
ask(zsock_t *transport, const char *id, const char *tool)
{
    tell(transport, &call_wire,
         &(call_msg_t){ .id = id,
                        .kind = "tool",
                        .name = tool,
                        .principal = "ann",
                        .token = "secret-token",
                        .left_ms = 15000 },
         "{\"a\": 1}");
}

static inline void
assert_asked(zsock_t *worker, const char *id)
{
    AUTO(call_msg_clear) call_msg_t call = { 0 };
    AUTO(zstr_free) char *body = NULL;

    heard(worker, &call_wire, &call, &body);
    assert_string_equal(call.id, id);
    assert_string_equal(call.token, "secret-token");
    assert_in_range(call.left_ms, 14000, 15000);
    assert_string_equal(body, "{\"a\": 1}");
}

static inline void
assert_answered(zsock_t *transport, const char *id, status_t status, outcome_t outcome,
                const char *body)
{
    AUTO(answer_msg_clear) answer_msg_t answer = { 0 };
    AUTO(zstr_free) char *text = NULL;

    heard(transport, &answer_wire, &answer, &text);
    assert_string_equal(answer.id, id);
    assert_string_equal(status_name(answer.status), status_name(status));
    assert_string_equal(outcome_name(answer.outcome), outcome_name(outcome));
    assert_non_null(strstr(text, body));
}

static inline void
round_trip(zsock_t *transport, zsock_t *worker, const char *id)
{
    ask(transport, id, "look");
    assert_asked(worker, id);
    tell(worker, &answer_wire, &(answer_msg_t){ .id = id }, "{\"items\": []}");
    assert_answered(transport, id, OK, DONE, "{\"items\": []}");
}

// A broker with one transport and one worker.
typedef struct {
    process_t broker;
    zsock_t *transport, *worker;
} stage_t;

static inline stage_t
stage_open(void)
{
    stage_t self = { .broker = start_ready(),
                     .transport = connected(transports_at, NULL),
                     .worker = connected(workers_at, NULL) };

    say_hello(self.transport, "transport", WIRE_PROTOCOL);
    say_ready(self.worker, "worker", WIRE_PROTOCOL);
    await_catalogue(self.transport);
    return self;
}

static inline void
stage_close(stage_t *self)
{
    zsock_destroy(&self->transport);
    zsock_destroy(&self->worker);
}

#endif
