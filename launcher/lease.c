// SPDX-License-Identifier: Apache-2.0
#include "lease.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "auto.h"
#include "buffer.h"
#include "json.h"
#include "settings.h"

enum { LINE_LIMIT = 256 };

typedef struct {
    int fd;
    bool wants_drain;  // so that its newer version can take over
} lease_t;

struct leases {
    int listener;
    char *path;
    lease_t leases[LEASES_MAX];
    size_t count;
    buffer_t told;  // what a newcomer has to be told
};

static bool
fill_address(struct sockaddr_un *address, const char *path)
{
    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    int length = snprintf(address->sun_path, sizeof address->sun_path, "%s", path);
    return length < (int) sizeof address->sun_path;
}

leases_t *
leases_new(const char *path, failure_t *why)
{
    struct sockaddr_un address;

    if (!fill_address(&address, path)) {
        fail(why, BAD_ARGS, "%s is too long for a socket's path", path);
        return NULL;
    }
    unlink(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    mode_t mask = umask(077);
    int rc = bind(fd, (struct sockaddr *) &address, sizeof address);
    umask(mask);
    if (rc || listen(fd, 64)) {
        fail(why, DENIED, "%s: %s", path, strerror(errno));
        close(fd);
        return NULL;
    }
    leases_t *self = calloc(1, sizeof *self);
    if (!self)
        abort();
    self->listener = fd;
    self->path = strdup(path);
    return self;
}

void
leases_destroy(leases_t **self_p)
{
    leases_t *self = *self_p;

    if (!self)
        return;
    unlink(self->path);
    close(self->listener);
    for (size_t i = 0; i < self->count; i++)
        close(self->leases[i].fd);
    buffer_clear(&self->told);
    free(self->path);
    free(self);
    *self_p = NULL;
}

// A lease that does not read its few lines loses them, nothing else.
static void
tell(int fd, const char *text, size_t size)
{
    ssize_t sent = send(fd, text, size, MSG_DONTWAIT | MSG_NOSIGNAL);

    (void) sent;
}

void
leases_announce(leases_t *self, const char *line)
{
    buffer_text(&self->told, line);
    for (size_t i = 0; i < self->count; i++)
        tell(self->leases[i].fd, line, strlen(line));
}

void
leases_greet(leases_t *self, const char *line)
{
    buffer_clear(&self->told);
    leases_announce(self, line);
}

size_t
leases_poll(const leases_t *self, struct pollfd *items)
{
    items[0] = (struct pollfd){ .fd = self->listener, .events = POLLIN };
    for (size_t i = 0; i < self->count; i++)
        items[i + 1] = (struct pollfd){ .fd = self->leases[i].fd, .events = POLLIN };
    return self->count + 1;
}

static void
accept_newcomers(leases_t *self)
{
    int fd;

    while ((fd = accept4(self->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        if (self->count == LEASES_MAX) {
            close(fd);
            continue;
        }
        self->leases[self->count++] = (lease_t){ .fd = fd };
        if (self->told.size)
            tell(fd, self->told.bytes, self->told.size);
    }
}

static bool
asks_to_drain(const char *line)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const char *version = json_get_text(json_parse_text(arena, line), "drain");

    return version && strverscmp(version, proofarc_version()) > 0;
}

// True while the other side holds its lease.
static bool
read_lease(lease_t *lease)
{
    char line[LINE_LIMIT];
    ssize_t size = recv(lease->fd, line, sizeof line - 1, MSG_DONTWAIT);

    if (size > 0) {
        line[size] = '\0';
        lease->wants_drain |= asks_to_drain(line);
        return true;
    }
    return size < 0 && (errno == EAGAIN || errno == EINTR);
}

void
leases_serve(leases_t *self)
{
    size_t kept = 0;

    for (size_t i = 0; i < self->count; i++) {
        if (read_lease(&self->leases[i]))
            self->leases[kept++] = self->leases[i];
        else
            close(self->leases[i].fd);
    }
    self->count = kept;
    accept_newcomers(self);
}

size_t
leases_open(const leases_t *self)
{
    return self->count;
}

bool
leases_want_drain(const leases_t *self)
{
    size_t willing = 0;

    for (size_t i = 0; i < self->count; i++)
        willing += self->leases[i].wants_drain;
    return willing && willing == self->count;
}
