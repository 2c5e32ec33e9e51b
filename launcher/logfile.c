// SPDX-License-Identifier: Apache-2.0
#include "logfile.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limits.h"
#include "log.h"

static char path[PATH_MAX + 16];  // "" while stderr is somebody else's

void
logfile_open(const char *dir)
{
    snprintf(path, sizeof path, "%s/stack.log", dir);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    if (fd < 0) {
        path[0] = '\0';
        return;
    }
    dup2(fd, STDERR_FILENO);
    dup2(fd, STDOUT_FILENO);
    close(fd);
    logfile_trim();
}

static void
copy(const char *from_path, const char *to_path)
{
    int from = open(from_path, O_RDONLY | O_CLOEXEC);
    int to = open(to_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    while (from >= 0 && to >= 0 && copy_file_range(from, NULL, to, NULL, STACK_LOG_MAX, 0) > 0)
        ;
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
}

// Everybody appends to one open file, which therefore cannot be renamed: it is copied and cut.
void
logfile_trim(void)
{
    char older[sizeof path + 2];
    struct stat info;

    if (!*path || fstat(STDERR_FILENO, &info) || info.st_size <= STACK_LOG_MAX)
        return;
    snprintf(older, sizeof older, "%s.1", path);
    copy(path, older);
    if (ftruncate(STDERR_FILENO, 0))
        log_warning("log-full", "%s cannot be emptied", path);
}
