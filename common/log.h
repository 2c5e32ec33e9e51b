// SPDX-License-Identifier: Apache-2.0
// One line per event on stderr, as text or JSON. Only actors log, libraries never. No secret,
// token or whole body belongs into an event. A full disk or closed stderr loses the line and
// nothing else.

#ifndef PROOFARC_LOG_H
#define PROOFARC_LOG_H

#include <stdbool.h>

typedef enum { LEVEL_ERROR, LEVEL_WARNING, LEVEL_INFO, LEVEL_DEBUG } log_level_t;

// Set once at start; `program` must live as long as the process.
void log_setup(const char *program, log_level_t level, bool as_json);

// `event` is a stable name such as "worker-lost"; the rest is for people. Control characters
// are escaped, lines are cut at 2 KiB.
void log_error(const char *event, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void log_warning(const char *event, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void log_info(const char *event, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_debug(const char *event, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
