// SPDX-License-Identifier: Apache-2.0
// The command line of every program: one table of rows makes the parser, --help and the
// environment variables (--data-dir is PROOFARC_DATA_DIR). --help, --version, --log-level,
// --log-format and --ready-fd are known to every program and need no row.

#ifndef PROOFARC_SETTINGS_H
#define PROOFARC_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    SETTING_TEXT,
    SETTING_NUMBER,  // within min and max
    SETTING_SWITCH,  // takes no argument; "1" or "true" in the environment
    SETTING_MANY,    // may be repeated; separated by commas in the environment
} setting_kind_t;

typedef struct {
    const char *name;  // without the dashes
    setting_kind_t kind;
    const char *argument;  // how --help calls it, e.g. HOST:PORT
    const char *fallback;  // default, NULL for none
    const char *about;     // one line for --help
    const char *one_of;    // "stdio|http", or NULL
    int64_t min, max;      // SETTING_NUMBER
    bool must;             // has to be given
} setting_t;

typedef struct {
    const char *name;      // proofarc-broker
    const char *about;     // one sentence
    const char *operands;  // what stands beside the flags, e.g. "CATEGORY…"; NULL: nothing may
    const setting_t *rows;        // ended by a row without a name
    const char *const *examples;  // command lines for --help, NULL-ended, or NULL
} program_t;

typedef struct settings settings_t;

// Reads argv, then the environment, then the defaults. Prints and exits for --help, --version
// (0) and for a mistake (EXIT_USAGE, with the flag, the reason and how to see the help).
// Also sets up the log. The caller destroys the result.
settings_t *settings_parse(const program_t *program, int argc, char **argv);
void settings_destroy(settings_t **self_p);

// Values live as long as `self`. The name must be one of the rows.
const char *settings_text(const settings_t *self, const char *name);  // NULL if absent
int64_t settings_number(const settings_t *self, const char *name);
bool settings_switch(const settings_t *self, const char *name);
size_t settings_count(const settings_t *self, const char *name);  // SETTING_MANY
const char *settings_nth(const settings_t *self, const char *name, size_t index);
size_t settings_operands(const settings_t *self);
const char *settings_operand(const settings_t *self, size_t index);

// The descriptor of --ready-fd, or -1.
int settings_ready_fd(const settings_t *self);

// "1.0.0"; the one version of the product.
const char *proofarc_version(void);

#endif
