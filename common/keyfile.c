// SPDX-License-Identifier: Apache-2.0
#include "keyfile.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auto.h"
#include "limits.h"

enum { SECRET_FILE_MAX = 16 * KIB };

static void
close_fd(int *fd_p)
{
    if (*fd_p >= 0)
        close(*fd_p);
}

static void
free_text(char **text_p)
{
    free(*text_p);
}

static exit_code_t
refuse(failure_t *why, const char *path, const char *reason)
{
    fail(why, BAD_ARGS, "%s %s", path, reason);
    return EXIT_KEY;
}

// All bytes of a small file; -1 when it cannot be read or is too large.
static ssize_t
read_all(int fd, char *bytes, size_t size)
{
    size_t have = 0;

    while (have < size) {
        ssize_t n = read(fd, bytes + have, size - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            return (ssize_t) have;
        have += (size_t) n;
    }
    return -1;
}

exit_code_t
keyfile_read(const char *path, char **text_p, failure_t *why)
{
    AUTO(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat file;

    if (fd < 0 && errno == ENOENT) {
        *text_p = NULL;
        return EXIT_DONE;
    }
    if (fd < 0 || fstat(fd, &file))
        return refuse(why, path, strerror(errno));
    if (!S_ISREG(file.st_mode))
        return refuse(why, path, "is no file");
    if (file.st_mode & 077)
        return refuse(why, path, "can be read by others: chmod 600 it");

    AUTO(free_text) char *text = calloc(1, SECRET_FILE_MAX + 1);
    assert(text);
    ssize_t size = read_all(fd, text, SECRET_FILE_MAX);
    if (size < 0)
        return refuse(why, path, "cannot be read or is too large for a key file");
    while (size > 0 && strchr(" \t\r\n", text[size - 1]))
        text[--size] = '\0';
    *text_p = text;
    text = NULL;
    return EXIT_DONE;
}

static bool
write_all(int fd, const char *text)
{
    size_t size = strlen(text), done = 0;

    while (done < size) {
        ssize_t n = write(fd, text + done, size - done);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            done += (size_t) n;
    }
    return fsync(fd) == 0;
}

exit_code_t
keyfile_write(const char *path, const char *text, failure_t *why)
{
    AUTO(free_text) char *draft = NULL;

    if (asprintf(&draft, "%s.XXXXXX", path) < 0)
        abort();
    AUTO(close_fd) int fd = mkostemp(draft, O_CLOEXEC);  // 0600
    if (fd < 0)
        return refuse(why, path, "cannot be written");
    if (write_all(fd, text) && rename(draft, path) == 0)
        return EXIT_DONE;
    unlink(draft);
    return refuse(why, path, "cannot be written");
}

static exit_code_t
make_key(const char *path, unsigned char key[KEY_SIZE], failure_t *why)
{
    char text[2 * KEY_SIZE + 2];

    randombytes_buf(key, KEY_SIZE);
    sodium_bin2hex(text, sizeof text, key, KEY_SIZE);
    memcpy(text + 2 * KEY_SIZE, "\n", 2);
    exit_code_t code = keyfile_write(path, text, why);
    sodium_memzero(text, sizeof text);
    return code;
}

exit_code_t
keyfile_load(const char *path, bool make, unsigned char key[KEY_SIZE], failure_t *why)
{
    AUTO(free_text) char *text = NULL;
    size_t size = 0;

    if (sodium_init() < 0)
        return refuse(why, path, "cannot be used: there is no random source");
    exit_code_t code = keyfile_read(path, &text, why);
    if (code)
        return code;
    if (!text)
        return make ? make_key(path, key, why)
                    : refuse(why, path, "is missing: 64 hex digits are expected, mode 0600");
    int bad = sodium_hex2bin(key, KEY_SIZE, text, strlen(text), NULL, &size, NULL);
    bool whole = !bad && size == KEY_SIZE && strlen(text) == 2 * KEY_SIZE;
    sodium_memzero(text, strlen(text));
    return whole ? EXIT_DONE : refuse(why, path, "is no key: 64 hex digits are expected");
}
