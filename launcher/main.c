// SPDX-License-Identifier: Apache-2.0
// proofarc-launcher: starts and watches the programs of one data directory.

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "auto.h"
#include "clock.h"
#include "exits.h"
#include "log.h"
#include "logfile.h"
#include "settings.h"
#include "stack.h"

enum { LOCK_WAIT_MS = 6000, LOCK_STEP_MS = 20 };

static const setting_t rows[] = {
    { "data-dir", SETTING_TEXT, "DIR", NULL, "Directory of the stack, made with mode 0700.",
      .must = true },
    { "platform", SETTING_TEXT, "URL", NULL,
      "Remote platform; without it an embedded one is started." },
    { "foreground", SETTING_SWITCH, NULL, NULL, "Log to stderr instead of DIR/stack.log." },
    { 0 },
};

static const char *const examples[] = {
    "proofarc-launcher --data-dir ~/.local/share/proofarc --foreground",
    NULL,
};

static const program_t program = {
    .name = "proofarc-launcher",
    .about = "Starts, watches and stops the programs of one machine.",
    .rows = rows,
    .examples = examples,
};

__attribute__((format(printf, 2, 3))) static int
refuse(int code, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", program.name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return code;
}

static int
open_data_dir(const char *dir)
{
    struct stat info;

    if (mkdir(dir, 0700) && errno != EEXIST)
        return refuse(EXIT_DATA_DIR, "%s: %s", dir, strerror(errno));
    if (stat(dir, &info) || !S_ISDIR(info.st_mode))
        return refuse(EXIT_DATA_DIR, "%s is no directory.", dir);
    if (info.st_uid != geteuid())
        return refuse(EXIT_DATA_DIR, "%s belongs to somebody else; give another --data-dir.",
                      dir);
    if (info.st_mode & 077)
        return refuse(EXIT_DATA_DIR, "%s can be read by others; chmod 700 it first.", dir);
    if (access(dir, W_OK))
        return refuse(EXIT_DATA_DIR, "%s cannot be written.", dir);
    return 0;
}

// Waits for a stack that is just leaving. The lock is held until the process ends.
static int
take_lock(const char *dir)
{
    char path[PATH_MAX + 16];
    const struct timespec pause = { .tv_nsec = LOCK_STEP_MS * 1000000L };
    int64_t until_ms = clock_now_ms() + LOCK_WAIT_MS;

    snprintf(path, sizeof path, "%s/stack.lock", dir);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return refuse(EXIT_DATA_DIR, "%s: %s", path, strerror(errno));
    while (flock(fd, LOCK_EX | LOCK_NB)) {
        if (clock_now_ms() >= until_ms)
            return refuse(EXIT_ADDRESS, "%s has a stack already.", dir);
        nanosleep(&pause, NULL);
    }
    return 0;
}

static void
detach_from_caller(const char *dir, bool foreground)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null >= 0)
        dup2(null, STDIN_FILENO);
    unsetenv("PROOFARC_PASSWORD");
    unsetenv("PROOFARC_TOKEN");
    if (!foreground)
        logfile_open(dir);
}

int
main(int argc, char **argv)
{
    AUTO(settings_destroy) settings_t *settings = settings_parse(&program, argc, argv);
    const char *dir = settings_text(settings, "data-dir");
    char absolute[PATH_MAX], self[PATH_MAX] = "", libexec[PATH_MAX];
    failure_t why = { 0 };

    int code = open_data_dir(dir);
    if (code)
        return code;
    if (!realpath(dir, absolute) || readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return refuse(EXIT_BROKEN, "%s: %s", dir, strerror(errno));
    code = take_lock(absolute);
    if (code)
        return code;
    const char *beside = dirname(self);
    if ((size_t) snprintf(libexec, sizeof libexec, "%s/../libexec/proofarc", beside)
        >= sizeof libexec)
        return refuse(EXIT_BROKEN, "%s is too long a path.", beside);
    detach_from_caller(absolute, settings_switch(settings, "foreground"));
    const stack_options_t options = {
        .data_dir = absolute,
        .platform = settings_text(settings, "platform"),
        .program_dir = beside,
        .libexec_dir = libexec,
    };
    code = stack_run(&options, &why);
    if (code)
        log_error("ended", "%s", why.text);
    return code;
}
