// SPDX-License-Identifier: Apache-2.0
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "auto.h"
#include "buffer.h"
#include "exits.h"
#include "log.h"

enum {
    READY_FD = 3,  // in the child
    FIRST_PAUSE_MS = 50,
    LAST_PAUSE_MS = 5000,
    STABLE_MS = 10 * 1000,  // a child that lived so long starts with the first pause again
};

// `text` with the first @word in it replaced.
static char *
fill_in(arena_t *arena, const char *text, const child_t *child, const child_values_t *values)
{
    const struct {
        const char *word;
        const char *value;
    } words[] = {
        { "@data", values->data },         { "@run", values->run },
        { "@platform", values->platform }, { "@listen", values->listen },
        { "@all", values->categories },    { "@category", child->category },
    };

    for (size_t i = 0; i < ROWS(words); i++) {
        const char *at = strstr(text, words[i].word);
        if (at)
            return arena_printf(arena, "%.*s%s%s", (int) (at - text), text, words[i].value,
                                at + strlen(words[i].word));
    }
    return arena_strdup(arena, text);
}

static const char *
find_program(arena_t *arena, const char *program, const child_values_t *values)
{
    for (size_t i = 0; i < ROWS(values->program_dirs); i++) {
        const char *path = arena_printf(arena, "%s/%s", values->program_dirs[i], program);
        if (access(path, X_OK) == 0)
            return path;
    }
    return NULL;
}

// In the new process, where only simple system calls are safe.
__attribute__((noreturn)) static void
become(const char *path, char *const *argv, int ready_fd, pid_t parent)
{
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_BROKEN);  // the launcher died before the call above
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (ready_fd == READY_FD)
        fcntl(READY_FD, F_SETFD, 0);
    else
        dup2(ready_fd, READY_FD);
    execv(path, argv);
    _exit(EXIT_BROKEN);
}

bool
child_start(child_t *self, const child_values_t *values, int64_t now_ms)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const char *path = find_program(arena, self->row->program, values);
    char *argv[CHILD_ARGUMENTS_MAX + 4] = { (char *) self->row->program, "--ready-fd", "3" };
    pid_t parent = getpid();
    int pipe_fds[2];

    if (!path) {
        log_error("no-program", "%s is not beside the launcher", self->row->program);
        return false;
    }
    self->start_at_ms = now_ms + LAST_PAUSE_MS;  // if it cannot be started now
    if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK)) {
        log_error("not-started", "%s: %s; it is tried again", self->row->program,
                  strerror(errno));
        return true;
    }
    for (size_t i = 0; self->row->arguments[i]; i++)
        argv[i + 3] = fill_in(arena, self->row->arguments[i], self, values);
    pid_t pid = fork();
    if (pid == 0)
        become(path, argv, pipe_fds[1], parent);
    close(pipe_fds[1]);
    self->pid = pid > 0 ? pid : 0;
    self->ready_fd = pipe_fds[0];
    self->is_ready = false;
    self->started_ms = now_ms;
    if (pid > 0)
        self->start_at_ms = 0;
    return true;
}

bool
child_read_ready(child_t *self)
{
    char line[256];
    ssize_t size = read(self->ready_fd, line, sizeof line);

    if (size < 0)
        return false;
    close(self->ready_fd);
    self->ready_fd = -1;
    self->is_ready = size > 6 && !memcmp(line, "ready ", 6);
    return self->is_ready;
}

void
child_ended(child_t *self, int wait_status, int64_t now_ms)
{
    if (WIFSIGNALED(wait_status))
        log_warning("child-ended", "%s %s (pid %d) was ended by signal %d", self->row->name,
                    self->category, (int) self->pid, WTERMSIG(wait_status));
    else if (WEXITSTATUS(wait_status))
        log_warning("child-ended", "%s %s (pid %d) left with code %d", self->row->name,
                    self->category, (int) self->pid, WEXITSTATUS(wait_status));
    else
        log_info("child-ended", "%s %s (pid %d) has finished", self->row->name, self->category,
                 (int) self->pid);
    if (self->ready_fd >= 0)
        close(self->ready_fd);
    if (now_ms - self->started_ms >= STABLE_MS)
        self->pause_ms = 0;
    self->start_at_ms = now_ms + self->pause_ms;
    self->pause_ms = self->pause_ms ? self->pause_ms * 2 : FIRST_PAUSE_MS;
    if (self->pause_ms > LAST_PAUSE_MS)
        self->pause_ms = LAST_PAUSE_MS;
    self->pid = 0;
    self->ready_fd = -1;
    self->is_ready = false;
}

int
child_fatal_code(int wait_status, const char **reason_p)
{
    static const struct {
        int code;
        const char *reason;
    } rows[] = {
        { EXIT_USAGE, "its command line is wrong" },
        { EXIT_DATA_DIR, "the data directory cannot be used" },
        { EXIT_NEWER_DATABASE, "the database is from a newer version" },
        { EXIT_KEY, "a key file is missing, malformed or readable by others" },
    };

    for (size_t i = 0; WIFEXITED(wait_status) && i < ROWS(rows); i++)
        if (rows[i].code == WEXITSTATUS(wait_status)) {
            *reason_p = rows[i].reason;
            return rows[i].code;
        }
    return 0;
}
