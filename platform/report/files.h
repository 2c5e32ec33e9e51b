// SPDX-License-Identifier: Apache-2.0
// Reports as files that their owner alone may read, for people on the platform's machine.

#ifndef PROOFARC_PLATFORM_REPORT_FILES_H
#define PROOFARC_PLATFORM_REPORT_FILES_H

#include <stdint.h>

#include "arena.h"
#include "buffer.h"

enum { REPORT_FILES_MAX = 200 };

// Writes DIR/execution-<id>.html, whole or not at all, and removes the oldest file of such a
// name when there are more than REPORT_FILES_MAX. Makes the directory. Returns the path, NULL
// when it cannot be written.
const char *report_file_write(arena_t *arena, const char *dir, int64_t id,
                              const buffer_t *page);

#endif
