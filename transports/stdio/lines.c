// SPDX-License-Identifier: Apache-2.0
#include "stdio/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <strings.h>
#include <unistd.h>

#include "limits.h"
#include "log.h"
#include "stdio/framing.h"

enum {
    CHUNK = 64 * KIB,
    QUEUE_MAX = MIB,          // bytes that wait to be written; over it nothing is read
    QUEUE_LOW = MIB / 4,      // below it reading goes on
    IDLE_BUFFER = 256 * KIB,  // an empty buffer larger than that is given back
};

struct lines {
    zloop_t *loop;
    service_t *service;
    peer_t peer;
    listener_t *listener;
    char session[ENDPOINT_NAME_SIZE];
    int in, out;
    int in_flags, out_flags;  // as they were
    void (*over)(void *arg);
    void *arg;
    framing_t framing;  // of what was read
    buffer_t queue;
    size_t written;   // bytes of it that are gone
    bool is_reading;  // the loop watches `in`
    bool is_writing;  // the loop watches `out`
    bool is_pumping;
    bool is_at_end;  // the client has closed its side
    bool is_ended;   // nothing more is served
    bool is_gone;    // nobody reads what we write
    bool is_over;
    bool has_hinted;
    int drain_timer;
};

// A line in work: the exchange refers to its bytes.
typedef struct {
    lines_t *lines;
    char bytes[];
} line_t;

static void pump(lines_t *self);
static int on_readable(zloop_t *loop, zmq_pollitem_t *item, void *arg);

// Has the loop call `handler`, also when the other side has closed; NULL ends that.
static void
watch(lines_t *self, zmq_pollitem_t *item, zloop_fn *handler)
{
    if (!handler) {
        zloop_poller_end(self->loop, item);
        return;
    }
    zloop_poller(self->loop, item, handler, self);
    zloop_poller_set_tolerant(self->loop, item);
}

static void
watch_input(lines_t *self, bool is_wanted)
{
    zmq_pollitem_t item = { .fd = self->in, .events = ZMQ_POLLIN };

    if (self->is_reading == is_wanted)
        return;
    self->is_reading = is_wanted;
    watch(self, &item, is_wanted ? on_readable : NULL);
}

static size_t
queued(const lines_t *self)
{
    return self->queue.size - self->written;
}

static void
finish(lines_t *self)
{
    if (self->is_over)
        return;
    self->is_over = true;
    watch_input(self, false);
    self->over(self->arg);
}

static void
finish_if_done(lines_t *self)
{
    if (self->is_gone || (self->is_ended && !self->service->open && !queued(self)))
        finish(self);
}

static int on_writable(zloop_t *loop, zmq_pollitem_t *item, void *arg);

static void
watch_output(lines_t *self, bool is_wanted)
{
    zmq_pollitem_t item = { .fd = self->out, .events = ZMQ_POLLOUT };

    if (self->is_writing == is_wanted)
        return;
    self->is_writing = is_wanted;
    watch(self, &item, is_wanted ? on_writable : NULL);
}

static void
tidy_queue(lines_t *self)
{
    if (queued(self) && self->written < QUEUE_MAX)
        return;
    size_t left = queued(self);
    if (left)
        memmove(self->queue.bytes, self->queue.bytes + self->written, left);
    self->queue.size = left;
    self->written = 0;
    if (!left && self->queue.capacity > IDLE_BUFFER)
        buffer_clear(&self->queue);
}

// Writes what goes without waiting.
static void
flush(lines_t *self)
{
    while (queued(self) && !self->is_gone) {
        ssize_t size = write(self->out, self->queue.bytes + self->written, queued(self));
        if (size >= 0)
            self->written += (size_t) size;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            break;
        else if (errno != EINTR)
            self->is_gone = true;
    }
    if (self->is_gone)
        self->written = self->queue.size;
    watch_output(self, queued(self) > 0);
    tidy_queue(self);
    finish_if_done(self);
}

// Goes on reading once there is room for answers.
static void
resume(lines_t *self)
{
    if (self->is_reading || self->is_pumping || self->is_ended || self->is_over
        || queued(self) >= QUEUE_LOW || self->service->open >= CALLS_PER_PRINCIPAL)
        return;
    watch_input(self, !self->is_at_end);
    pump(self);
}

static int
on_writable(zloop_t *loop, zmq_pollitem_t *item, void *arg)
{
    lines_t *self = arg;

    flush(self);
    resume(self);
    return 0;
}

static void
send_line(lines_t *self, const char *bytes, size_t size)
{
    assert(!memchr(bytes, '\n', size));
    if (self->is_gone)
        return;
    buffer_add(&self->queue, bytes, size);
    buffer_char(&self->queue, '\n');
}

static void
on_exchange_done(exchange_t *exchange, void *arg)
{
    line_t *line = arg;
    lines_t *self = line->lines;
    const buffer_t *answer = exchange_answer(exchange);

    if (answer->size)
        send_line(self, answer->bytes, answer->size);
    free(line);
    flush(self);
    resume(self);
}

static void
on_notification(const char *bytes, size_t size, void *arg)
{
    line_t *line = arg;

    send_line(line->lines, bytes, size);
    flush(line->lines);
}

static const exchange_ops_t exchange_ops = { on_exchange_done, on_notification };

static void
on_change(const char *bytes, size_t size, void *arg)
{
    lines_t *self = arg;

    if (!self->peer.is_negotiated)
        return;
    send_line(self, bytes, size);
    flush(self);
}

static void
hint_at_framing(lines_t *self, const char *bytes, size_t size)
{
    static const char header[] = "Content-Length:";

    if (self->has_hinted || size < sizeof header - 1
        || strncasecmp(bytes, header, sizeof header - 1) != 0)
        return;
    self->has_hinted = true;
    log_warning("framing", "newline-delimited JSON expected, one message per line; the client "
                           "sends Content-Length headers");
}

static void
take_line(lines_t *self, const char *bytes, size_t size)
{
    hint_at_framing(self, bytes, size);
    line_t *line = malloc(sizeof *line + size + 1);
    assert(line);
    line->lines = self;
    memcpy(line->bytes, bytes, size);
    line->bytes[size] = '\0';
    exchange_start(self->service, &self->peer, line->bytes, size, &exchange_ops, line);
}

static void
refuse_length(lines_t *self)
{
    buffer_t out = { 0 };

    jsonrpc_write_error(&out, "null", peer_wants_no_null(&self->peer) ? 0 : 4, RPC_INVALID,
                        "The line is longer than 4 MiB; nothing of it was read.", NULL);
    send_line(self, out.bytes, out.size);
    buffer_clear(&out);
    flush(self);
}

// Every open request may become an answer that waits for a client that does not read.
static bool
has_room(const lines_t *self)
{
    return queued(self) < QUEUE_MAX && self->service->open < CALLS_PER_PRINCIPAL;
}

// Serves the whole lines that are there. False if there are too many answers to come.
static bool
take_lines(lines_t *self)
{
    const char *line;
    size_t size;

    while (!self->is_over && has_room(self)) {
        framing_found_t found = framing_next(&self->framing, &line, &size);
        if (found == FRAMING_NONE)
            return true;
        if (found == FRAMING_TOO_LONG)
            refuse_length(self);
        else
            take_line(self, line, size);
    }
    return has_room(self);
}

static void
pump(lines_t *self)
{
    self->is_pumping = true;
    bool has_taken_all = take_lines(self);
    self->is_pumping = false;
    if (!has_taken_all)
        watch_input(self, false);
    else if (self->is_at_end)
        lines_drain(self);
}

static int
on_drained(zloop_t *loop, int timer, void *arg)
{
    lines_t *self = arg;

    self->drain_timer = -1;
    service_give_up(self->service);
    flush(self);
    finish(self);
    return 0;
}

void
lines_drain(lines_t *self)
{
    if (self->is_ended)
        return;
    self->is_ended = true;
    watch_input(self, false);
    service_end_listening(self->service);
    self->drain_timer = zloop_timer(self->loop, DRAIN_MS - 500, 1, on_drained, self);
    finish_if_done(self);
}

static int
on_readable(zloop_t *loop, zmq_pollitem_t *item, void *arg)
{
    lines_t *self = arg;
    static char chunk[CHUNK];
    ssize_t size = read(self->in, chunk, sizeof chunk);

    if (size > 0) {
        framing_add(&self->framing, chunk, (size_t) size);
        pump(self);
    } else if (size == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        self->is_at_end = true;
        framing_end(&self->framing);
        watch_input(self, false);
        pump(self);
    }
    return 0;
}

static int
set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    if (flags >= 0)
        fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    return flags;
}

lines_t *
lines_new(zloop_t *loop, service_t *service, int in, int out, void (*over)(void *arg),
          void *arg)
{
    lines_t *self = calloc(1, sizeof *self);

    assert(self);
    *self = (lines_t){
        .loop = loop,
        .service = service,
        .in = in,
        .out = out,
        .in_flags = set_nonblocking(in),
        .out_flags = set_nonblocking(out),
        .framing = { .line_max = INPUT_MAX },
        .over = over,
        .arg = arg,
        .drain_timer = -1,
    };
    endpoint_random_name(self->session);
    self->peer = (peer_t){
        .protocol = (protocol_t) PROTOCOL_NEWEST,
        .is_lasting = true,
        .takes_events = true,
        .session = self->session,
    };
    self->listener = listeners_add_session(service->listeners, self->session, on_change, self);
    watch_input(self, true);
    return self;
}

// The descriptors may be shared with whoever started us, so they are left as they were found.
void
lines_destroy(lines_t **self_p)
{
    lines_t *self = *self_p;

    if (!self)
        return;
    self->is_gone = self->is_over = true;
    service_drop_all(self->service);
    watch_input(self, false);
    watch_output(self, false);
    if (self->drain_timer >= 0)
        zloop_timer_end(self->loop, self->drain_timer);
    listeners_remove(self->service->listeners, &self->listener);
    if (self->in_flags >= 0)
        fcntl(self->in, F_SETFL, self->in_flags);
    if (self->out_flags >= 0)
        fcntl(self->out, F_SETFL, self->out_flags);
    framing_clear(&self->framing);
    buffer_clear(&self->queue);
    free(self);
    *self_p = NULL;
}
