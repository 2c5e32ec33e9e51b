// SPDX-License-Identifier: Apache-2.0
#include "lease.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct lease {
    zloop_t *loop;
    char *path;
    zmq_pollitem_t item;  // fd -1 while there is no connection
};

lease_t *
lease_new(zloop_t *loop, const char *path)
{
    lease_t *self = zmalloc(sizeof *self);

    self->loop = loop;
    self->path = path ? strdup(path) : NULL;
    self->item.fd = -1;
    self->item.events = ZMQ_POLLIN;
    return self;
}

static void
drop(lease_t *self)
{
    if (self->item.fd < 0)
        return;
    zloop_poller_end(self->loop, &self->item);
    close(self->item.fd);
    self->item.fd = -1;
}

void
lease_destroy(lease_t **self_p)
{
    lease_t *self = *self_p;

    if (!self)
        return;
    drop(self);
    free(self->path);
    free(self);
    *self_p = NULL;
}

// What the launcher writes is for clients; an end of file says that it is gone.
static int
on_readable(zloop_t *loop, zmq_pollitem_t *item, void *arg)
{
    char bytes[4096];
    ssize_t size = recv(item->fd, bytes, sizeof bytes, MSG_DONTWAIT);

    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
        drop(arg);
    return 0;
}

void
lease_hold(lease_t *self, bool is_needed)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    if (!is_needed)
        drop(self);
    if (!is_needed || self->item.fd >= 0 || !self->path
        || strlen(self->path) >= sizeof address.sun_path)
        return;
    memcpy(address.sun_path, self->path, strlen(self->path));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *) &address, sizeof address)) {
        if (fd >= 0)
            close(fd);
        return;
    }
    self->item.fd = fd;
    zloop_poller(self->loop, &self->item, on_readable, self);
}

bool
lease_is_held(const lease_t *self)
{
    return self->item.fd >= 0;
}
