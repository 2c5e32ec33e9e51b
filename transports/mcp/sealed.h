// SPDX-License-Identifier: Apache-2.0
// Texts that a client keeps for us and brings back: cursors of lists, and the state of a call that
// waits for an answer of the client. Any transport with the same key opens them; nobody else can
// read, change or use them for something else. Pure.

#ifndef PROOFARC_MCP_SEALED_H
#define PROOFARC_MCP_SEALED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"
#include "keyfile.h"

typedef struct sealer sealer_t;

sealer_t *sealer_new(const unsigned char key[KEY_SIZE]);
void sealer_destroy(sealer_t **self_p);

// Appends the sealed text (URL-safe base64). It opens for the same `purpose` only, and before
// `until_ms` (0: for ever).
void sealer_seal(const sealer_t *self, const char *purpose, const char *text, size_t size,
                 int64_t until_ms, buffer_t *out);

// True if it was sealed with our key for this purpose and is not too old; appends what it holds.
bool sealer_open(const sealer_t *self, const char *purpose, const char *sealed, int64_t now_ms,
                 buffer_t *text);

#endif
