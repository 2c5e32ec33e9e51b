// SPDX-License-Identifier: Apache-2.0
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "clock.h"

enum { LINE_MAX_SIZE = 2048 };

static struct {
    const char *program;
    log_level_t level;
    bool as_json;
} setup = { "proofarc", LEVEL_INFO, false };

static const char *const level_names[] = { "error", "warning", "info", "debug" };

void
log_setup(const char *program, log_level_t level, bool as_json)
{
    setup.program = program;
    setup.level = level;
    setup.as_json = as_json;
}

// Text without anything that could break the line or a terminal; also fit for a JSON string.
static void
escape(char *out, size_t size, const char *text)
{
    size_t used = 0;

    for (const unsigned char *c = (const unsigned char *) text; *c && used + 7 < size; c++) {
        if (*c < 0x20 || *c == 0x7f)
            used += (size_t) snprintf(out + used, size - used, "\\u%04x", *c);
        else if (setup.as_json && (*c == '"' || *c == '\\'))
            used += (size_t) snprintf(out + used, size - used, "\\%c", *c);
        else
            out[used++] = (char) *c;
    }
    out[used] = '\0';
}

__attribute__((format(printf, 3, 0))) static void
write_event(log_level_t level, const char *event, const char *format, va_list args)
{
    char text[LINE_MAX_SIZE / 2], safe[LINE_MAX_SIZE - 200], line[LINE_MAX_SIZE];
    char now[CLOCK_TEXT_SIZE];

    if (level > setup.level)
        return;
    vsnprintf(text, sizeof text, format, args);
    escape(safe, sizeof safe, text);
    clock_format(clock_wall_ms(), now);
    int length =
        snprintf(line, sizeof line,
                 setup.as_json ? "{\"time\":\"%s\",\"level\":\"%s\",\"program\":\"%s\","
                                 "\"event\":\"%s\",\"text\":\"%s\"}\n"
                               : "%s %s %s %s: %s\n",
                 now, level_names[level], setup.program, event, safe);
    if (length >= (int) sizeof line)
        length = (int) sizeof line - 1;
    ssize_t written = write(STDERR_FILENO, line, (size_t) length);
    (void) written;  // a full disk loses the line and nothing else
}

void
log_error(const char *event, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_event(LEVEL_ERROR, event, format, args);
    va_end(args);
}

void
log_warning(const char *event, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_event(LEVEL_WARNING, event, format, args);
    va_end(args);
}

void
log_info(const char *event, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_event(LEVEL_INFO, event, format, args);
    va_end(args);
}

void
log_debug(const char *event, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_event(LEVEL_DEBUG, event, format, args);
    va_end(args);
}
