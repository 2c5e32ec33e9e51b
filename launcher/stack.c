// SPDX-License-Identifier: Apache-2.0
#include "stack.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "auto.h"
#include "child.h"
#include "clock.h"
#include "exits.h"
#include "json.h"
#include "lease.h"
#include "log.h"
#include "logfile.h"
#include "settings.h"

enum {
    FIRST_LEASE_MS = 10 * 1000,  // how long a new stack waits for its first lease
    LINGER_MS = 1000,            // after the last lease: clients often come in pairs
    DRAIN_CHILDREN_MS = 3000,    // then they are killed
    PATH_SIZE = 512,
    CHILDREN_MAX = 16,
    POLL_MAX = 1 + CHILDREN_MAX + LEASES_MAX + 1,
};

static const char *const categories[] = { "explore",       "act",   "report",
                                          "api_authoring", "setup", "environments" };

// clang-format off
static const child_row_t rows[] = {
    { "platform", "proofarc-platform", .is_local_only = true, .arguments = {
        "--listen", "@listen", "--database", "sqlite:@data/platform.db",
        "--vault-key", "@data/vault.key", "--token-key", "@data/token.key",
        "--credentials", "@data/credentials", "--agent-token", "@data/agent.token",
        "--lease", "@data/stack.sock", "--reports", "@data/reports", "--allow-private" } },
    { "broker", "proofarc-broker", .arguments = {
        "--transports", "ipc://@run/transports.sock", "--workers", "ipc://@run/workers.sock",
        "--categories", "@all" } },
    { "resolver", "proofarc-resolver", .arguments = {
        "--bind", "ipc://@run/resolver.sock", "--platform", "@platform" } },
    { "worker", "proofarc-worker", .is_per_category = true, .arguments = {
        "@category", "--broker", "ipc://@run/workers.sock",
        "--resolver", "ipc://@run/resolver.sock", "--platform", "@platform" } },
    { "agent", "proofarc-agent", .is_local_only = true, .arguments = {
        "--platform", "@platform", "--token", "@data/agent.token" } },
};
// clang-format on

typedef struct {
    const stack_options_t *options;
    child_values_t values;
    char run[PATH_SIZE];
    char listen[32];
    char platform[PATH_SIZE];
    char all_categories[PATH_SIZE];
    child_t children[CHILDREN_MAX];
    size_t count;
    leases_t *leases;
    int signals;
    bool is_draining;
    int64_t idle_since_ms;  // 0 while there is a lease
    int64_t kill_at_ms;     // while draining
    int64_t gave_up_ms;     // 0: not
    int exit_code;
    failure_t *why;
} machine_t;

// A loopback port that is free now. The platform binds it a moment later; if it was taken
// meanwhile, the platform leaves with EXIT_ADDRESS and all start over with another one.
static int
free_port(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int rc = bind(fd, (struct sockaddr *) &address, sizeof address);

    if (!rc)
        rc = getsockname(fd, (struct sockaddr *) &address, &size);
    close(fd);
    return rc ? 0 : ntohs(address.sin_port);
}

static void
choose_platform(machine_t *self)
{
    if (self->options->platform) {
        snprintf(self->platform, sizeof self->platform, "%s", self->options->platform);
        return;
    }
    snprintf(self->listen, sizeof self->listen, "127.0.0.1:%d", free_port());
    snprintf(self->platform, sizeof self->platform, "http://%s", self->listen);
}

static void
add_child(machine_t *self, const child_row_t *row, const char *category)
{
    assert(self->count < CHILDREN_MAX);
    self->children[self->count++] =
        (child_t){ .row = row, .category = category, .ready_fd = -1, .start_at_ms = 1 };
}

static void
list_children(machine_t *self)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        if (rows[i].is_local_only && self->options->platform)
            continue;
        if (!rows[i].is_per_category) {
            add_child(self, &rows[i], "");
            continue;
        }
        for (size_t j = 0; j < ROWS(categories); j++)
            add_child(self, &rows[i], categories[j]);
    }
    for (size_t i = 0, used = 0; i < ROWS(categories); i++)
        used +=
            (size_t) snprintf(self->all_categories + used, sizeof self->all_categories - used,
                              "%s%s", i ? "," : "", categories[i]);
}

static void
greet(machine_t *self)
{
    char line[PATH_SIZE * 2];

    snprintf(line, sizeof line,
             "{\"version\":\"%s\",\"pid\":%d,\"broker\":\"ipc://%s/transports.sock\","
             "\"platform\":null}\n",
             proofarc_version(), (int) getpid(), self->run);
    leases_greet(self->leases, line);
}

static void
announce_platform(machine_t *self)
{
    char line[PATH_SIZE + 32];

    snprintf(line, sizeof line, "{\"platform\":\"%s\"}\n", self->platform);
    leases_announce(self->leases, line);
}

static void
begin_drain(machine_t *self, int64_t now_ms, const char *reason)
{
    if (self->is_draining)
        return;
    log_info("drain", "%s", reason);
    self->is_draining = true;
    self->kill_at_ms = now_ms + DRAIN_CHILDREN_MS;
    leases_destroy(&self->leases);
    for (size_t i = 0; i < self->count; i++)
        if (self->children[i].pid)
            kill(self->children[i].pid, SIGTERM);
}

// No restart will help: the leases are told why, or the first one if it is still to come, and
// everything ends.
static void
give_up(machine_t *self, const child_t *child, int code, const char *reason, int64_t now_ms)
{
    AUTO(buffer_clear) buffer_t line = { 0 };

    fail(self->why, BACKEND, "%s cannot start: %s (code %d); %s/stack.log says more.",
         child->row->program, reason, code, self->options->data_dir);
    buffer_text(&line, "{\"error\":");
    json_write_string(&line, self->why->text, strlen(self->why->text));
    buffer_text(&line, "}\n");
    if (self->leases)
        leases_announce(self->leases, line.bytes);
    self->exit_code = code;
    self->gave_up_ms = now_ms;
}

static bool
is_ending(const machine_t *self)
{
    return self->is_draining || self->gave_up_ms;
}

// The platform's port was taken between choosing and binding: all start over with another one.
static void
move_platform(machine_t *self)
{
    log_warning("port-taken", "%s is taken, another port is tried", self->listen);
    choose_platform(self);
    greet(self);
    for (size_t i = 0; i < self->count; i++)
        if (self->children[i].pid)
            kill(self->children[i].pid, SIGTERM);
}

static child_t *
child_of(machine_t *self, pid_t pid)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->children[i].pid == pid)
            return &self->children[i];
    return NULL;
}

static void
reap(machine_t *self, int64_t now_ms)
{
    pid_t pid;
    int status;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        child_t *child = child_of(self, pid);
        if (!child)
            continue;
        child_ended(child, status, now_ms);
        const char *reason;
        int code = child_fatal_code(status, &reason);
        if (is_ending(self))
            continue;
        if (code)
            give_up(self, child, code, reason, now_ms);
        else if (child->row == &rows[0] && WIFEXITED(status)
                 && WEXITSTATUS(status) == EXIT_ADDRESS)
            move_platform(self);
    }
}

static void
on_signals(machine_t *self, int64_t now_ms)
{
    struct signalfd_siginfo info;

    while (read(self->signals, &info, sizeof info) == (ssize_t) sizeof info)
        if (info.ssi_signo != SIGCHLD)
            begin_drain(self, now_ms, "asked by a signal");
    reap(self, now_ms);
}

static void
start_due(machine_t *self, int64_t now_ms)
{
    for (size_t i = 0; i < self->count && !is_ending(self); i++) {
        child_t *child = &self->children[i];
        if (child->pid || child->start_at_ms > now_ms)
            continue;
        if (!child_start(child, &self->values, now_ms))
            give_up(self, child, EXIT_BROKEN, "it is not there", now_ms);
    }
}

static void
read_ready(machine_t *self, const struct pollfd *items, const size_t *of, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        child_t *child = &self->children[of[i]];
        if (items[i].revents && child->ready_fd == items[i].fd && child_read_ready(child)
            && child->row == &rows[0] && self->leases)
            announce_platform(self);
    }
}

static void
watch_leases(machine_t *self, int64_t now_ms)
{
    if (!self->leases)
        return;
    leases_serve(self->leases);
    size_t open = leases_open(self->leases);
    if (self->gave_up_ms && (open || now_ms - self->gave_up_ms >= LINGER_MS))
        begin_drain(self, now_ms, self->why->text);
    else if (leases_want_drain(self->leases))
        begin_drain(self, now_ms, "a newer version takes over");
    else if (open)
        self->idle_since_ms = 0;
    else if (!self->idle_since_ms)
        self->idle_since_ms = now_ms;
    else if (now_ms - self->idle_since_ms >= LINGER_MS)
        begin_drain(self, now_ms, "nobody uses this stack any more");
}

// Milliseconds until something is due.
static int
time_to_wait(const machine_t *self, int64_t now_ms)
{
    int64_t wait_ms = self->idle_since_ms || is_ending(self) ? 100 : 1000;

    for (size_t i = 0; i < self->count; i++) {
        int64_t left_ms = self->children[i].start_at_ms - now_ms;
        if (!self->children[i].pid && !is_ending(self) && left_ms < wait_ms)
            wait_ms = left_ms;
    }
    return wait_ms < 0 ? 0 : (int) wait_ms;
}

static void
step(machine_t *self)
{
    struct pollfd items[POLL_MAX] = { { .fd = self->signals, .events = POLLIN } };
    size_t of[CHILDREN_MAX], children = 0;

    for (size_t i = 0; i < self->count; i++)
        if (self->children[i].ready_fd >= 0) {
            items[1 + children] =
                (struct pollfd){ .fd = self->children[i].ready_fd, .events = POLLIN };
            of[children++] = i;
        }
    size_t leases = self->leases ? leases_poll(self->leases, items + 1 + children) : 0;
    poll(items, 1 + children + leases, time_to_wait(self, clock_now_ms()));
    int64_t now_ms = clock_now_ms();
    read_ready(self, items + 1, of, children);
    on_signals(self, now_ms);
    watch_leases(self, now_ms);
    start_due(self, now_ms);
    logfile_trim();
}

static bool
has_children(const machine_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->children[i].pid)
            return true;
    return false;
}

static void
kill_late_children(machine_t *self)
{
    if (clock_now_ms() < self->kill_at_ms)
        return;
    for (size_t i = 0; i < self->count; i++)
        if (self->children[i].pid)
            kill(self->children[i].pid, SIGKILL);
    self->kill_at_ms = INT64_MAX;
}

static int
take_signals(void)
{
    sigset_t set;

    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static int
prepare(machine_t *self)
{
    char socket_path[PATH_SIZE];
    const stack_options_t *options = self->options;

    snprintf(self->run, sizeof self->run, "%s/run", options->data_dir);
    if (mkdir(self->run, 0700) && errno != EEXIST) {
        fail(self->why, DENIED, "%s: %s", self->run, strerror(errno));
        return EXIT_DATA_DIR;
    }
    snprintf(socket_path, sizeof socket_path, "%s/stack.sock", options->data_dir);
    self->leases = leases_new(socket_path, self->why);
    if (!self->leases)
        return EXIT_ADDRESS;
    self->values = (child_values_t){
        .data = options->data_dir,
        .run = self->run,
        .platform = self->platform,
        .listen = self->listen,
        .categories = self->all_categories,
        .program_dirs = { options->program_dir, options->libexec_dir },
    };
    self->signals = take_signals();
    choose_platform(self);
    list_children(self);
    return 0;
}

int
stack_run(const stack_options_t *options, failure_t *why)
{
    machine_t self = { .options = options, .why = why };

    self.exit_code = prepare(&self);
    if (self.exit_code)
        return self.exit_code;
    self.idle_since_ms = clock_now_ms() + FIRST_LEASE_MS - LINGER_MS;
    greet(&self);
    if (options->platform)
        announce_platform(&self);
    start_due(&self, clock_now_ms());
    while (!self.is_draining || has_children(&self)) {
        step(&self);
        if (self.is_draining)
            kill_late_children(&self);
    }
    close(self.signals);
    return self.exit_code;
}
