// SPDX-License-Identifier: Apache-2.0
// The program around the categories: flags, start and end of a worker process.

#ifndef PROOFARC_PROGRAM_H
#define PROOFARC_PROGRAM_H

#include "category.h"

// main() of a worker with these categories, of which its command line names some. `all` ends
// with NULL. Returns the exit code.
int program_run(const char *name, const category_t *const *all, int argc, char **argv);

#endif
