// SPDX-License-Identifier: Apache-2.0
#include "actor.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "auto.h"
#include "limits.h"
#include "log.h"

enum {
    DESCRIPTORS_WANTED = 16 * 1024
};  // above the connections of a transport and its streams

struct actor {
    zloop_t *loop;
    int signals;   // signalfd
    int ready_fd;  // -1 once told
    void (*drain)(void *arg);
    void *drain_arg;
    bool is_draining;
    bool is_parting;
    bool is_over;
    int exit_code;
};

// A descriptor below 3 that ZeroMQ opened would take what someone prints.
static void
fill_standard_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd < 3);
    if (fd >= 0)
        close(fd);
}

static int
take_signals(void)
{
    sigset_t set;

    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

// Every client and peer is a descriptor; what an administrator allows at most is the limit, not what
// a shell happens to start with.
static void
allow_descriptors(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= DESCRIPTORS_WANTED)
        return;
    limit.rlim_cur = limit.rlim_max < DESCRIPTORS_WANTED ? limit.rlim_max : DESCRIPTORS_WANTED;
    setrlimit(RLIMIT_NOFILE, &limit);
}

// Memory of ours holds tokens: none of it goes to a core file.
static void
forbid_core_files(void)
{
    const struct rlimit none = { 0, 0 };

    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0);
}

// ZeroMQ's I/O threads are woken for every few bytes. As batch threads they do not push aside who
// runs: they find more to carry when their turn comes, and the same work costs a fifth less. Where
// the kernel refuses it, or somebody chose a policy for the whole process, all stays as it is.
static void
let_io_threads_gather(void)
{
    const struct sched_param none = { 0 };

    if (sched_getscheduler(0) != SCHED_OTHER || sched_setscheduler(0, SCHED_BATCH, &none))
        return;
    sched_setscheduler(0, SCHED_OTHER, &none);
    zsys_set_thread_sched_policy(SCHED_BATCH);
}

static int
stop_now(zloop_t *loop, int timer, void *arg)
{
    actor_t *self = arg;

    log_warning("drain-over", "the time to finish was up");
    actor_stop(self, EXIT_DONE);
    return -1;
}

static int
on_signal(zloop_t *loop, zmq_pollitem_t *item, void *arg)
{
    actor_t *self = arg;
    struct signalfd_siginfo info;

    if (read(self->signals, &info, sizeof info) != (ssize_t) sizeof info)
        return 0;
    if (self->is_draining || !self->drain) {
        actor_stop(self, EXIT_DONE);
        return -1;
    }
    self->is_draining = true;
    log_info("drain", "finishing what is under way");
    zloop_timer(loop, DRAIN_MS, 1, stop_now, self);
    self->drain(self->drain_arg);
    return self->is_over ? -1 : 0;
}

actor_t *
actor_new(const settings_t *settings)
{
    actor_t *self = calloc(1, sizeof *self);

    assert(self);
    fill_standard_descriptors();
    forbid_core_files();
    allow_descriptors();
    *self = (actor_t){ .signals = take_signals(), .ready_fd = settings_ready_fd(settings) };
    if (self->ready_fd >= 0)
        fcntl(self->ready_fd, F_SETFD, FD_CLOEXEC);
    zsys_init();
    zsys_handler_set(NULL);
    let_io_threads_gather();
    self->loop = zloop_new();
    zloop_set_nonstop(self->loop, true);
    zmq_pollitem_t item = { .fd = self->signals, .events = ZMQ_POLLIN };
    zloop_poller(self->loop, &item, on_signal, self);
    return self;
}

void
actor_destroy(actor_t **self_p)
{
    actor_t *self = *self_p;

    if (!self)
        return;
    zloop_destroy(&self->loop);
    close(self->signals);
    if (self->ready_fd >= 0)
        close(self->ready_fd);
    free(self);
    *self_p = NULL;
}

zloop_t *
actor_loop(actor_t *self)
{
    return self->loop;
}

void
actor_on_drain(actor_t *self, void (*drain)(void *arg), void *arg)
{
    self->drain = drain;
    self->drain_arg = arg;
}

// A timer that is due at once: its -1 ends the loop whoever called actor_stop().
static int
end_loop(zloop_t *loop, int timer, void *arg)
{
    return -1;
}

void
actor_stop(actor_t *self, int exit_code)
{
    if (self->is_over)
        return;
    self->is_over = true;
    self->exit_code = exit_code;
    zloop_timer(self->loop, 0, 1, end_loop, NULL);
}

static int
on_parted(zloop_t *loop, int timer, void *arg)
{
    actor_stop(arg, EXIT_DONE);
    return -1;
}

void
actor_part(actor_t *self)
{
    if (!self->is_parting)
        zloop_timer(self->loop, PARTING_MS, 1, on_parted, self);
    self->is_parting = true;
}

void
actor_ready(actor_t *self, const char *endpoint)
{
    log_info("ready", "%s", endpoint);
    if (self->ready_fd < 0)
        return;
    dprintf(self->ready_fd, "ready %s\n", endpoint);
    close(self->ready_fd);
    self->ready_fd = -1;
}

int
actor_run(actor_t *self)
{
    while (!self->is_over)
        if (zloop_start(self->loop) == 0)
            break;  // interrupted from outside: nothing is left to run for
    return self->exit_code;
}

zmsg_t *
actor_receive(zsock_t *socket)
{
    void *raw = zsock_resolve(socket);
    zmsg_t *msg = NULL;
    int more = 1;

    while (more) {
        zmq_msg_t frame;
        zmq_msg_init(&frame);
        if (zmq_msg_recv(&frame, raw, msg ? 0 : ZMQ_DONTWAIT) < 0) {
            zmq_msg_close(&frame);
            break;
        }
        if (!msg)
            msg = zmsg_new();
        zmsg_addmem(msg, zmq_msg_data(&frame), zmq_msg_size(&frame));
        more = zmq_msg_more(&frame);
        zmq_msg_close(&frame);
    }
    return msg;
}

int
actor_send(zmsg_t **msg_p, zsock_t *socket)
{
    AUTO(zmsg_destroy) zmsg_t *msg = *msg_p;
    void *raw = zsock_resolve(socket);

    *msg_p = NULL;
    if (zmsg_content_size(msg) > MESSAGE_MAX)
        return EMSGSIZE;
    for (zframe_t *frame = zmsg_first(msg); frame;) {
        zframe_t *next = zmsg_next(msg);
        int flags = ZMQ_DONTWAIT | (next ? ZMQ_SNDMORE : 0);
        if (zmq_send(raw, zframe_data(frame), zframe_size(frame), flags) < 0) {
            assert(errno != ENOMEM);  // the message would be missed for ever
            return errno == EHOSTUNREACH ? EHOSTUNREACH : EAGAIN;
        }
        frame = next;
    }
    return 0;
}

bool
actor_take(parcel_t *parcel, zsock_t *socket)
{
    void *raw = zsock_resolve(socket);
    int more = 1;

    while (more) {
        zmq_msg_t frame;
        zmq_msg_init(&frame);
        if (zmq_msg_recv(&frame, raw, parcel->count ? 0 : ZMQ_DONTWAIT) < 0)
            more = 0;
        else {
            more = zmq_msg_more(&frame);
            parcel_move(parcel, &frame);
        }
        zmq_msg_close(&frame);
    }
    return parcel->count;
}

int
actor_post(parcel_t *parcel, zsock_t *socket)
{
    void *raw = zsock_resolve(socket);
    int error = parcel_size(parcel) > MESSAGE_MAX ? EMSGSIZE : 0;

    for (size_t i = 0; i < parcel->count && !error; i++) {
        int flags = ZMQ_DONTWAIT | (i + 1 < parcel->count ? ZMQ_SNDMORE : 0);
        if (zmq_msg_send(&parcel->frames[i], raw, flags) < 0)
            error = errno == EHOSTUNREACH ? EHOSTUNREACH : EAGAIN;
    }
    parcel_clear(parcel);
    return error;
}

int
actor_refuse(const program_t *program, exit_code_t code, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", program->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return code;
}
