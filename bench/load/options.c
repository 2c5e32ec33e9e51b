// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"

enum { TIME_MAX_MS = 120 * 1000, BODY_MAX = 1024 * 1024 };

static void __attribute__((noreturn)) refuse(const char *what, const char *value)
{
    fprintf(stderr, "bench-load: %s: %s\n", what, value);
    exit(2);
}

static long
number(const char *name, const char *text, long least, long most)
{
    char *end;

    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || *end || end == text || value < least || value > most)
        refuse(name, text);
    return value;
}

static void
close_file(FILE **file_p)
{
    if (*file_p)
        fclose(*file_p);
}

static char *
whole_file(const char *path)
{
    AUTO(close_file) FILE *file = fopen(path, "r");
    char *bytes = calloc(1, BODY_MAX + 1);

    if (!file || !bytes)
        refuse("cannot read", path);
    if (fread(bytes, 1, BODY_MAX, file) == BODY_MAX)
        refuse("too large", path);
    return bytes;
}

static void
read_sessions(options_t *self, const char *path)
{
    AUTO(close_file) FILE *file = fopen(path, "r");
    size_t room = 0;
    ssize_t size;

    if (!file)
        refuse("cannot read", path);
    while (self->session_count < SESSIONS_MAX) {
        char **line_p = &self->sessions[self->session_count];
        room = 0;
        if ((size = getline(line_p, &room, file)) <= 0)
            break;
        (*line_p)[strcspn(*line_p, "\r\n")] = '\0';
        self->session_count++;
    }
}

static void
read_pids(options_t *self, char *list)
{
    char *rest = list;
    size_t count = 0;

    for (char *item; (item = strsep(&rest, ","));) {
        if (count == PIDS_MAX)
            refuse("too many processes", item);
        if (*item)
            self->pids[count++] = (pid_t) number("--pids", item, 1, 1L << 30);
    }
}

static void
add_header(options_t *self, const char *header)
{
    int i = 0;

    while (self->headers[i])
        i++;
    if (i == HEADERS_MAX)
        refuse("too many headers", header);
    self->headers[i] = header;
}

// clang-format off
static const struct option names[] = {
    { "port",        required_argument, NULL, 'p' },
    { "path",        required_argument, NULL, 'P' },
    { "connections", required_argument, NULL, 'c' },
    { "warm-ms",     required_argument, NULL, 'w' },
    { "time-ms",     required_argument, NULL, 't' },
    { "body",        required_argument, NULL, 'b' },
    { "expect",      required_argument, NULL, 'e' },
    { "header",      required_argument, NULL, 'h' },
    { "sessions",    required_argument, NULL, 's' },
    { "pids",        required_argument, NULL, 'i' },
    { NULL,          0,                 NULL, 0 },
};
// clang-format on

static void
take(options_t *self, int option, char *value)
{
    switch (option) {
    case 'p':
        self->port = (int) number("--port", value, 1, 65535);
        break;
    case 'P':
        self->path = value;
        break;
    case 'c':
        self->connections = (int) number("--connections", value, 1, CONNECTIONS_MAX);
        break;
    case 'w':
        self->warm_ms = number("--warm-ms", value, 0, TIME_MAX_MS);
        break;
    case 't':
        self->time_ms = number("--time-ms", value, 1, TIME_MAX_MS);
        break;
    case 'b':
        self->body = whole_file(value);
        break;
    case 'e':
        self->expect = value;
        break;
    case 'h':
        add_header(self, value);
        break;
    case 's':
        read_sessions(self, value);
        break;
    case 'i':
        read_pids(self, value);
        break;
    default:
        exit(2);  // getopt has said why
    }
}

void
options_read(options_t *self, int argc, char **argv)
{
    *self = (options_t){ .path = "/mcp",
                         .connections = 64,
                         .warm_ms = 1000,
                         .time_ms = 4000,
                         .expect = "\"result\"" };
    for (int option; (option = getopt_long(argc, argv, "", names, NULL)) >= 0;)
        take(self, option, optarg);
    if (!self->port || !self->body)
        refuse("needed", "--port and --body");
}

void
options_clear(options_t *self)
{
    free(self->body);
    for (int i = 0; i < self->session_count; i++)
        free(self->sessions[i]);
}
