// SPDX-License-Identifier: Apache-2.0
// Keys in files: 32 random bytes as 64 hex digits and a line end, 0600. The same form for
// vault.key, token.key (HMAC of our JWTs) and session.key.

#ifndef PROOFARC_KEYFILE_H
#define PROOFARC_KEYFILE_H

#include <stdbool.h>

#include "exits.h"
#include "status.h"

enum { KEY_SIZE = 32 };

// Reads the key in `path`; makes the file if it is missing and `make` is set. EXIT_DONE, or
// EXIT_KEY and `why` (missing, malformed, readable by others, cannot be written).
exit_code_t keyfile_load(const char *path, bool make, unsigned char key[KEY_SIZE],
                         failure_t *why);

// Reads a small file that holds a secret (a token, a pair) into *text_p without the white space
// at its end; the caller frees it. EXIT_KEY when others can read it or it is over 16 KiB;
// EXIT_DONE with *text_p NULL when there is none.
exit_code_t keyfile_read(const char *path, char **text_p, failure_t *why);

// Writes such a file, 0600, whole or not at all.
exit_code_t keyfile_write(const char *path, const char *text, failure_t *why);

#endif
