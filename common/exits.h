// SPDX-License-Identifier: Apache-2.0
// Exit codes, the same in every program.

#ifndef PROOFARC_EXITS_H
#define PROOFARC_EXITS_H

typedef enum {
    EXIT_DONE = 0,
    EXIT_BROKEN = 1,          // our own world is broken; the log says how
    EXIT_USAGE = 2,           // the command line is wrong
    EXIT_ADDRESS = 3,         // cannot bind: port or endpoint taken or not ours
    EXIT_DATA_DIR = 4,        // the data directory is not ours or not writable
    EXIT_NEWER_DATABASE = 5,  // written by a newer version
    EXIT_NO_BROKER = 6,       // no broker answers
    EXIT_CURVE = 7,           // tcp:// without keys, or a stranger was let in
    EXIT_KEY = 8,             // a key or token file is missing, malformed or readable by others
} exit_code_t;

#endif
