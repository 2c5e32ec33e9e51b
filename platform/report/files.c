// SPDX-License-Identifier: Apache-2.0
#include "report/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "execution-"

static bool
write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t) written;
    }
    return true;
}

static bool
is_older(struct timespec one, struct timespec other)
{
    return one.tv_sec < other.tv_sec
           || (one.tv_sec == other.tv_sec && one.tv_nsec < other.tv_nsec);
}

// Each write adds one file at most, so removing one keeps the bound.
static void
remove_oldest(const char *dir)
{
    struct timespec oldest_time = { 0 };
    char oldest[NAME_MAX + 1] = "";
    size_t count = 0;
    DIR *entries = opendir(dir);

    if (!entries)
        return;
    for (const struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        struct stat info;
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0
            || fstatat(dirfd(entries), entry->d_name, &info, AT_SYMLINK_NOFOLLOW))
            continue;
        if (!count++ || is_older(info.st_mtim, oldest_time)) {
            oldest_time = info.st_mtim;
            snprintf(oldest, sizeof oldest, "%s", entry->d_name);
        }
    }
    if (count > REPORT_FILES_MAX)
        unlinkat(dirfd(entries), oldest, 0);
    closedir(entries);
}

const char *
report_file_write(arena_t *arena, const char *dir, int64_t id, const buffer_t *page)
{
    const char *path = arena_printf(arena, "%s/" PREFIX "%" PRId64 ".html", dir, id);
    char *part = arena_printf(arena, "%s.XXXXXX", path);

    mkdir(dir, 0700);
    int fd = mkostemp(part, O_CLOEXEC);  // 0600
    if (fd < 0)
        return NULL;
    bool is_written = write_all(fd, page->bytes, page->size);
    if (close(fd) || !is_written || rename(part, path)) {
        unlink(part);
        return NULL;
    }
    remove_oldest(dir);
    return path;
}
