// SPDX-License-Identifier: Apache-2.0
// Messages between our processes: an envelope (a msgpack array: type, then the fields of the
// table in order) and a body frame that no hop opens. A reader takes messages with more fields
// than it knows and gives defaults (0, "", empty) to missing ones, so that version N talks to
// N - 1. Malformed bytes are a status, never an assert.

#ifndef PROOFARC_WIRE_H
#define PROOFARC_WIRE_H

#include <czmq.h>
#include <stddef.h>
#include <stdint.h>

#include "parcel.h"
#include "status.h"

// Increased when a field changes its meaning; carried by READY and HELLO.
enum { WIRE_PROTOCOL = 1 };

typedef struct {
    const void *bytes;
    size_t size;
} wire_bin_t;

typedef enum { WIRE_STR, WIRE_I64, WIRE_BIN } wire_kind_t;

typedef struct {
    wire_kind_t kind;
    size_t offset;  // in the struct
    const char *name;
    const char *about;
} wire_field_t;

typedef struct {
    char type;         // first element of the envelope
    const char *name;  // "call"
    size_t size;       // of the struct
    const wire_field_t *fields;
    size_t count;
} wire_table_t;

// Field types as they stand in the lists of messages.h: str is UTF-8 without NUL ("" when
// absent, never NULL after unpacking; NULL packs as ""), i64 a number, bin any bytes.
typedef const char *wire_str;
typedef int64_t wire_i64;
typedef wire_bin_t wire_bin;

// A message is declared as a struct whose first member owns the memory of its texts.
#define WIRE_MEMBER(T, type, name, about) wire_##type name;
#define WIRE_DECLARE(lower, letter, FIELDS)                                                    \
    typedef struct {                                                                           \
        void *memory;                                                                          \
        FIELDS(WIRE_MEMBER, lower##_msg_t)                                                     \
    } lower##_msg_t;                                                                           \
    extern const wire_table_t lower##_wire;                                                    \
    enum { MSG_##lower = letter };                                                             \
    void lower##_msg_clear(lower##_msg_t *self);

#define WIRE_KIND_str                  WIRE_STR
#define WIRE_KIND_i64                  WIRE_I64
#define WIRE_KIND_bin                  WIRE_BIN
#define WIRE_ROW(T, type, name, about) { WIRE_KIND_##type, offsetof(T, name), #name, about },
#define WIRE_DEFINE(lower, letter, FIELDS)                                                     \
    static const wire_field_t lower##_fields[] = { FIELDS(WIRE_ROW, lower##_msg_t) };          \
    const wire_table_t lower##_wire = { letter, #lower, sizeof(lower##_msg_t), lower##_fields, \
                                        sizeof lower##_fields / sizeof *lower##_fields };      \
    void lower##_msg_clear(lower##_msg_t *self)                                                \
    {                                                                                          \
        free(self->memory);                                                                    \
        *self = (lower##_msg_t){ 0 };                                                          \
    }

// Makes [envelope][body]. `body` may be NULL (an empty frame is sent) and is copied.
zmsg_t *wire_pack(const wire_table_t *table, const void *message, const void *body,
                  size_t size);

// Type of the message at the front of `msg` (after a ROUTER's identity was taken off), or 0 if
// it is no message of ours. Takes nothing off.
char wire_type(zmsg_t *msg);

// Fills *message (declared with WIRE_DECLARE) from the envelope at the front of `msg` and takes
// the envelope off; what is left is the body frame. BAD_ARGS and an untouched *message when it
// is malformed. The caller clears with <lower>_msg_clear().
status_t wire_unpack(const wire_table_t *table, zmsg_t *msg, void *message, failure_t *why);

// The same with parcels, whose last two frames are envelope and body. Filling adds them. What is
// read stays where it is; `frames` is how many there have to be: behind a ROUTER one more.
enum { WIRE_FRAMES = 2 };

void wire_fill(parcel_t *parcel, const wire_table_t *table, const void *message,
               const void *body, size_t size);
void wire_fill_envelope(parcel_t *parcel, const wire_table_t *table, const void *message);
char wire_kind(const parcel_t *parcel);
status_t wire_read(const wire_table_t *table, const parcel_t *parcel, size_t frames,
                   void *message, failure_t *why);

// The body of one that was read: never NULL, lives as long as the parcel.
const char *wire_body(const parcel_t *parcel, size_t *size_p);

// The same for bytes alone (entries inside a message): encodes one struct / decodes one and
// moves *cursor_p behind it.
void wire_encode(const wire_table_t *table, const void *message, void **bytes_p,
                 size_t *size_p);
status_t wire_decode(const wire_table_t *table, const char **cursor_p, const char *end,
                     void *message, failure_t *why);

#endif
