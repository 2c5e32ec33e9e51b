// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program, makes one of its calls fail: the Nth of a kind since it was armed. The
// file that FAIL_NTH names holds three 32-bit numbers: the kind (kind_t), how many calls are left
// until one fails, and 1 once that has happened. Writing the file arms a running program anew. Of
// the kind SPACE all calls fail that write to a file.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

typedef enum { NOTHING, MEMORY, READ, WRITE, CONNECT, OPEN, SYNC, SPACE } kind_t;

typedef struct {
    int32_t kind;
    int32_t left;
    int32_t is_reached;
} control_t;

static control_t *control;

// The function that the program would have called, found once.
#define REAL(name)                                                                             \
    static __typeof__(name) *real;                                                             \
    if (!real)                                                                                 \
    real = (__typeof__(name) *) dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void
find_control(void)
{
    const char *path = getenv("FAIL_NTH");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;

    if (fd < 0)
        return;
    void *memory = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    control = memory == MAP_FAILED ? NULL : memory;
}

static int
fails(kind_t kind, int reason)
{
    if (!control || __atomic_load_n(&control->kind, __ATOMIC_RELAXED) != (int32_t) kind
        || __atomic_sub_fetch(&control->left, 1, __ATOMIC_RELAXED) != 0)
        return 0;
    control->is_reached = 1;
    errno = reason;
    return 1;
}

// The kernel's own objects (eventfd, signalfd) never fail. A connection that fails is gone in both
// directions.
static int
fails_at(kind_t kind, int fd, int of_socket, int of_file)
{
    struct stat about;

    if (!control || control->kind != (int32_t) kind || fstat(fd, &about)
        || !(about.st_mode & S_IFMT))
        return 0;
    if (!fails(kind, S_ISSOCK(about.st_mode) ? of_socket : of_file))
        return 0;
    const int reason = errno;
    if (S_ISSOCK(about.st_mode))
        shutdown(fd, SHUT_RDWR);
    errno = reason;
    return 1;
}

static int
is_full(int fd)
{
    struct stat about;

    if (!control || control->kind != SPACE || fstat(fd, &about) || !S_ISREG(about.st_mode))
        return 0;
    control->is_reached = 1;
    errno = ENOSPC;
    return 1;
}

void *
malloc(size_t size)
{
    REAL(malloc);
    return fails(MEMORY, ENOMEM) ? NULL : real(size);
}

void *
calloc(size_t count, size_t size)
{
    REAL(calloc);
    return fails(MEMORY, ENOMEM) ? NULL : real(count, size);
}

void *
realloc(void *memory, size_t size)
{
    REAL(realloc);
    return fails(MEMORY, ENOMEM) ? NULL : real(memory, size);
}

ssize_t
read(int fd, void *bytes, size_t size)
{
    REAL(read);
    return fails_at(READ, fd, ECONNRESET, EIO) ? -1 : real(fd, bytes, size);
}

ssize_t
pread64(int fd, void *bytes, size_t size, off64_t at)
{
    REAL(pread64);
    return fails_at(READ, fd, ECONNRESET, EIO) ? -1 : real(fd, bytes, size, at);
}

ssize_t
recv(int fd, void *bytes, size_t size, int flags)
{
    REAL(recv);
    return fails_at(READ, fd, ECONNRESET, EIO) ? -1 : real(fd, bytes, size, flags);
}

ssize_t
recvmsg(int fd, struct msghdr *message, int flags)
{
    REAL(recvmsg);
    return fails_at(READ, fd, ECONNRESET, EIO) ? -1 : real(fd, message, flags);
}

ssize_t
write(int fd, const void *bytes, size_t size)
{
    REAL(write);
    return is_full(fd) || fails_at(WRITE, fd, EPIPE, EIO) ? -1 : real(fd, bytes, size);
}

ssize_t
pwrite64(int fd, const void *bytes, size_t size, off64_t at)
{
    REAL(pwrite64);
    return is_full(fd) || fails_at(WRITE, fd, EPIPE, ENOSPC) ? -1 : real(fd, bytes, size, at);
}

ssize_t
writev(int fd, const struct iovec *parts, int count)
{
    REAL(writev);
    return is_full(fd) || fails_at(WRITE, fd, EPIPE, EIO) ? -1 : real(fd, parts, count);
}

ssize_t
send(int fd, const void *bytes, size_t size, int flags)
{
    REAL(send);
    return fails_at(WRITE, fd, EPIPE, EIO) ? -1 : real(fd, bytes, size, flags);
}

ssize_t
sendmsg(int fd, const struct msghdr *message, int flags)
{
    REAL(sendmsg);
    return fails_at(WRITE, fd, EPIPE, EIO) ? -1 : real(fd, message, flags);
}

int
connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t size)
{
    REAL(connect);
    return fails(CONNECT, ECONNREFUSED) ? -1 : real(fd, address, size);
}

// What gives a descriptor fails as if there were none left.
int
open(const char *path, int flags, ...)
{
    REAL(open);
    va_list more;

    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return fails(OPEN, EMFILE) ? -1 : real(path, flags, mode);
}

int
open64(const char *path, int flags, ...)
{
    REAL(open64);
    va_list more;

    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return fails(OPEN, EMFILE) ? -1 : real(path, flags, mode);
}

int
socket(int domain, int type, int protocol)
{
    REAL(socket);
    return fails(OPEN, EMFILE) ? -1 : real(domain, type, protocol);
}

int
accept4(int fd, __SOCKADDR_ARG address, socklen_t *size, int flags)
{
    REAL(accept4);
    return fails(OPEN, EMFILE) ? -1 : real(fd, address, size, flags);
}

int
fsync(int fd)
{
    REAL(fsync);
    return fails(SYNC, EIO) ? -1 : real(fd);
}

int
fdatasync(int fd)
{
    REAL(fdatasync);
    return fails(SYNC, EIO) ? -1 : real(fd);
}
