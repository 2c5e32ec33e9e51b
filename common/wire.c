// SPDX-License-Identifier: Apache-2.0
#include "wire.h"

#include <assert.h>
#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "limits.h"

enum {
    FIELDS_MAX = 32,
    SMALL = 2048,  // bytes of an envelope that is packed on the stack
    HEAD_MAX = 9,  // bytes of a number, or before the bytes of a text
};

// One element of an envelope, pointing into the bytes it was read from.
// IS_SCALAR are those that no field of ours has but one of a newer peer may have.
typedef enum { IS_NOTHING, IS_STR, IS_I64, IS_BIN, IS_ARRAY, IS_SCALAR } kind_t;

typedef struct {
    kind_t kind;
    const char *bytes;  // str, bin
    size_t size;        // str, bin; elements of an array
    int64_t number;     // i64
} element_t;

typedef struct {
    const char *at;
    const char *end;
} cursor_t;

static const void *
member(const wire_field_t *field, const void *message)
{
    return (const char *) message + field->offset;
}

static void
pack_str(msgpack_packer *packer, const char *text)
{
    size_t size = text ? strlen(text) : 0;

    msgpack_pack_str(packer, size);
    msgpack_pack_str_body(packer, text ? text : "", size);
}

static void
pack_bin(msgpack_packer *packer, const wire_bin_t *bin)
{
    msgpack_pack_bin(packer, bin->size);
    if (bin->size)
        msgpack_pack_bin_body(packer, bin->bytes, bin->size);
}

static void
pack_field(msgpack_packer *packer, const wire_field_t *field, const void *message)
{
    const void *value = member(field, message);

    switch (field->kind) {
    case WIRE_STR:
        pack_str(packer, *(const wire_str *) value);
        break;
    case WIRE_I64:
        msgpack_pack_int64(packer, *(const wire_i64 *) value);
        break;
    case WIRE_BIN:
        pack_bin(packer, value);
        break;
    }
}

// The most bytes that the envelope can take.
static size_t
bound(const wire_table_t *table, const void *message)
{
    size_t most = HEAD_MAX + HEAD_MAX;  // of the array and the type

    for (size_t i = 0; i < table->count; i++) {
        const void *value = member(&table->fields[i], message);
        const char *text = table->fields[i].kind == WIRE_STR ? *(const wire_str *) value : NULL;
        most += HEAD_MAX + (text ? strlen(text) : 0);
        if (table->fields[i].kind == WIRE_BIN)
            most += ((const wire_bin_t *) value)->size;
    }
    return most;
}

// msgpack_packer_write for room that was measured before.
static int
append(void *end_p, const char *bytes, size_t size)
{
    char **end = end_p;

    memcpy(*end, bytes, size);
    *end += size;
    return 0;
}

// The size of what is written to `bytes`, which have room for all of it.
static size_t
pack(const wire_table_t *table, const void *message, char *bytes)
{
    msgpack_packer packer;
    char *end = bytes;

    msgpack_packer_init(&packer, &end, append);
    msgpack_pack_array(&packer, table->count + 1);
    msgpack_pack_int64(&packer, table->type);
    for (size_t i = 0; i < table->count; i++)
        pack_field(&packer, &table->fields[i], message);
    return (size_t) (end - bytes);
}

zmsg_t *
wire_pack(const wire_table_t *table, const void *message, const void *body, size_t size)
{
    zmsg_t *msg = zmsg_new();
    void *bytes;
    size_t envelope_size;

    wire_encode(table, message, &bytes, &envelope_size);
    zmsg_addmem(msg, bytes, envelope_size);
    free(bytes);
    zmsg_addmem(msg, body, body ? size : 0);
    return msg;
}

void
wire_encode(const wire_table_t *table, const void *message, void **bytes_p, size_t *size_p)
{
    char *bytes = malloc(bound(table, message));

    assert(bytes);
    *size_p = pack(table, message, bytes);
    *bytes_p = bytes;
}

// Reading is our own and not msgpack's unpacker: that one allocates what a header promises, and
// an envelope is flat, so that a table of heads is all there is to know.

typedef struct {
    kind_t kind;
    unsigned char width;  // bytes of the number behind the head: a value, size or count
    bool is_signed;
} head_t;

// clang-format off
static const head_t heads[32] = {  // 0xc0 to 0xdf
    [0x00] = { IS_SCALAR, 0 },  // nil, then false and true
    [0x02] = { IS_SCALAR, 0 }, [0x03] = { IS_SCALAR, 0 },
    [0x04] = { IS_BIN,    1 }, [0x05] = { IS_BIN,    2 }, [0x06] = { IS_BIN, 4 },
    [0x0a] = { IS_SCALAR, 4 }, [0x0b] = { IS_SCALAR, 8 },
    [0x0c] = { IS_I64,    1 }, [0x0d] = { IS_I64,    2 },
    [0x0e] = { IS_I64,    4 }, [0x0f] = { IS_I64,    8 },
    [0x10] = { IS_I64, 1, true }, [0x11] = { IS_I64, 2, true },
    [0x12] = { IS_I64, 4, true }, [0x13] = { IS_I64, 8, true },
    [0x19] = { IS_STR,    1 }, [0x1a] = { IS_STR,    2 }, [0x1b] = { IS_STR, 4 },
    [0x1c] = { IS_ARRAY,  2 }, [0x1d] = { IS_ARRAY,  4 },
};
// clang-format on

// Takes a big-endian number of `width` bytes. False at the end of the bytes.
static bool
take_number(cursor_t *cursor, size_t width, uint64_t *number_p)
{
    uint64_t number = 0;

    if ((size_t) (cursor->end - cursor->at) < width)
        return false;
    for (size_t i = 0; i < width; i++)
        number = number << 8 | (unsigned char) *cursor->at++;
    *number_p = number;
    return true;
}

static kind_t
take_bytes(cursor_t *cursor, kind_t kind, uint64_t size, element_t *element)
{
    if ((uint64_t) (cursor->end - cursor->at) < size)
        return IS_NOTHING;
    element->bytes = cursor->at;
    element->size = size;
    cursor->at += size;
    return kind;
}

static kind_t
set_number(const head_t *head, uint64_t number, element_t *element)
{
    unsigned spare_bits = 64 - 8 * head->width;

    if (!head->is_signed && number > INT64_MAX)
        return IS_NOTHING;
    element->number =
        head->is_signed ? (int64_t) (number << spare_bits) >> spare_bits : (int64_t) number;
    return IS_I64;
}

// Elements whose head holds their size or value.
static kind_t
take_short(cursor_t *cursor, unsigned char head, element_t *element)
{
    if (head <= 0x7f || head >= 0xe0) {
        element->number = (signed char) head;
        return IS_I64;
    }
    if (head >= 0xa0)
        return take_bytes(cursor, IS_STR, head & 0x1f, element);
    if (head < 0x90)
        return IS_NOTHING;  // a map: no message of ours has one
    element->size = head & 0x0f;
    return IS_ARRAY;
}

// Takes the next element; IS_NOTHING when it is cut short or of a kind that we do not have.
static kind_t
take(cursor_t *cursor, element_t *element)
{
    uint64_t first, number;

    if (!take_number(cursor, 1, &first))
        return IS_NOTHING;
    if (first < 0xc0 || first > 0xdf)
        return take_short(cursor, (unsigned char) first, element);

    const head_t *head = &heads[first - 0xc0];
    if (!take_number(cursor, head->width, &number))
        return IS_NOTHING;
    switch (head->kind) {
    case IS_STR:
    case IS_BIN:
        return take_bytes(cursor, head->kind, number, element);
    case IS_I64:
        return set_number(head, number, element);
    case IS_ARRAY:
        element->size = number;
        return IS_ARRAY;
    case IS_SCALAR:
    case IS_NOTHING:
        break;
    }
    return head->kind;
}

// Bytes of the UTF-8 sequence at `text`, 0 if there is no valid one (also for NUL, surrogates,
// overlong forms and what lies beyond U+10FFFF).
static size_t
utf8_length(const unsigned char *text, size_t size)
{
    unsigned char first = text[0];
    size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

    if (!first || (first >= 0x80 && first < 0xc2) || first > 0xf4 || length > size)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if ((first == 0xe0 && text[1] < 0xa0) || (first == 0xed && text[1] > 0x9f)
        || (first == 0xf0 && text[1] < 0x90) || (first == 0xf4 && text[1] > 0x8f))
        return 0;
    return length;
}

// Bytes at the beginning of `text` that are ASCII and no NUL, eight at a time.
static size_t
ascii_length(const char *text, size_t size)
{
    const uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
    size_t at = 0;

    for (uint64_t word; at + sizeof word <= size; at += sizeof word) {
        memcpy(&word, text + at, sizeof word);
        if ((word | (word - ones)) & tops)
            break;  // a byte over 0x7f, or a zero that lent the one before it
    }
    return at;
}

static bool
is_text(const char *text, size_t size)
{
    for (size_t at = ascii_length(text, size); at < size;) {
        size_t length = utf8_length((const unsigned char *) text + at, size - at);
        if (!length)
            return false;
        at += length;
    }
    return true;
}

static bool
is_of(const wire_field_t *field, const element_t *element)
{
    switch (field->kind) {
    case WIRE_STR:
        return element->kind == IS_STR && is_text(element->bytes, element->size);
    case WIRE_I64:
        return element->kind == IS_I64;
    case WIRE_BIN:
        return element->kind == IS_BIN;
    }
    return false;
}

// Reads the head of an envelope: an array whose first element is the letter of a message.
// Sets the number of fields that follow.
static bool
take_head(cursor_t *cursor, char *type_p, size_t *count_p)
{
    element_t array, type;

    if (take(cursor, &array) != IS_ARRAY || !array.size)
        return false;
    if (take(cursor, &type) != IS_I64 || type.number <= 0 || type.number > 0x7f)
        return false;
    *type_p = (char) type.number;
    *count_p = array.size - 1;
    return true;
}

// Reads the fields that we know into `elements` and over those that we do not.
static status_t
take_fields(cursor_t *cursor, const wire_table_t *table, size_t count, element_t *elements,
            failure_t *why)
{
    for (size_t i = 0; i < count; i++) {
        element_t unknown;
        element_t *element = i < table->count ? &elements[i] : &unknown;

        element->kind = take(cursor, element);
        if (element->kind == IS_NOTHING || element->kind == IS_ARRAY)
            return fail(why, BAD_ARGS, "field %zu of %s is malformed", i, table->name);
        if (i < table->count && !is_of(&table->fields[i], element))
            return fail(why, BAD_ARGS, "%s of %s has the wrong type", table->fields[i].name,
                        table->name);
    }
    return OK;
}

static status_t
read_envelope(cursor_t *cursor, const wire_table_t *table, element_t *elements, failure_t *why)
{
    char type;
    size_t count;

    if (!take_head(cursor, &type, &count))
        return fail(why, BAD_ARGS, "this is no message of ours");
    if (type != table->type)
        return fail(why, BAD_ARGS, "this is no %s message", table->name);
    return take_fields(cursor, table, count, elements, why);
}

// Copies the bytes of an element and a NUL to *memory_p and moves that behind them.
static const char *
keep(const element_t *element, char **memory_p)
{
    char *copy = *memory_p;

    if (!element->size)
        return "";
    memcpy(copy, element->bytes, element->size);
    copy[element->size] = '\0';
    *memory_p += element->size + 1;
    return copy;
}

static void
set_field(const wire_field_t *field, const element_t *element, void *message, char **memory_p)
{
    void *value = (char *) message + field->offset;

    switch (field->kind) {
    case WIRE_STR:
        *(wire_str *) value = keep(element, memory_p);
        break;
    case WIRE_I64:
        *(wire_i64 *) value = element->number;
        break;
    case WIRE_BIN:
        *(wire_bin_t *) value = (wire_bin_t){ keep(element, memory_p), element->size };
        break;
    }
}

// Fills the struct; one allocation holds the bytes of all its fields.
static void
set_message(const wire_table_t *table, const element_t *elements, void *message)
{
    size_t size = 0;

    for (size_t i = 0; i < table->count; i++)
        if (elements[i].size)
            size += elements[i].size + 1;
    char *memory = size ? malloc(size) : NULL;
    assert(memory || !size);

    memset(message, 0, table->size);
    *(void **) message = memory;
    for (size_t i = 0; i < table->count; i++)
        set_field(&table->fields[i], &elements[i], message, &memory);
}

status_t
wire_decode(const wire_table_t *table, const char **cursor_p, const char *end, void *message,
            failure_t *why)
{
    element_t elements[FIELDS_MAX] = { 0 };
    cursor_t cursor = { *cursor_p, end };

    assert(table->count <= FIELDS_MAX);
    if (read_envelope(&cursor, table, elements, why))
        return why->status;
    set_message(table, elements, message);
    *cursor_p = cursor.at;
    return OK;
}

static char
type_of(const char *bytes, size_t size)
{
    cursor_t cursor = { bytes, bytes + size };
    char type;
    size_t count;

    return take_head(&cursor, &type, &count) ? type : 0;
}

char
wire_type(zmsg_t *msg)
{
    zframe_t *frame = zmsg_first(msg);

    return frame ? type_of((const char *) zframe_data(frame), zframe_size(frame)) : 0;
}

// The frame is decoded whole or not at all.
static status_t
decode_frame(const wire_table_t *table, const char *bytes, size_t size, void *message,
             failure_t *why)
{
    element_t elements[FIELDS_MAX] = { 0 };
    cursor_t cursor = { bytes, bytes + size };

    assert(table->count <= FIELDS_MAX);
    if (size > MESSAGE_MAX)
        return fail(why, BAD_ARGS, "the envelope of %s is over %d bytes", table->name,
                    MESSAGE_MAX);
    if (read_envelope(&cursor, table, elements, why))
        return why->status;
    if (cursor.at != cursor.end)
        return fail(why, BAD_ARGS, "there are bytes behind the envelope of %s", table->name);
    set_message(table, elements, message);
    return OK;
}

status_t
wire_unpack(const wire_table_t *table, zmsg_t *msg, void *message, failure_t *why)
{
    if (zmsg_size(msg) != 2)
        return fail(why, BAD_ARGS, "a message is an envelope and a body");
    zframe_t *first = zmsg_first(msg);
    if (decode_frame(table, (const char *) zframe_data(first), zframe_size(first), message,
                     why))
        return why->status;
    zframe_t *envelope = zmsg_pop(msg);
    zframe_destroy(&envelope);
    return OK;
}

void
wire_fill_envelope(parcel_t *parcel, const wire_table_t *table, const void *message)
{
    char small[SMALL];
    const size_t most = bound(table, message);
    char *bytes = most > sizeof small ? malloc(most) : small;

    assert(bytes);
    parcel_add(parcel, bytes, pack(table, message, bytes));
    if (bytes != small)
        free(bytes);
}

void
wire_fill(parcel_t *parcel, const wire_table_t *table, const void *message, const void *body,
          size_t size)
{
    wire_fill_envelope(parcel, table, message);
    parcel_add(parcel, body, body ? size : 0);
}

// A frame counted from the end. zmq_msg_data() takes no const.
static zmq_msg_t *
frame_of(const parcel_t *parcel, size_t from_end)
{
    return (zmq_msg_t *) &parcel->frames[parcel->count - from_end];
}

char
wire_kind(const parcel_t *parcel)
{
    if (parcel->count < WIRE_FRAMES)
        return 0;
    zmq_msg_t *envelope = frame_of(parcel, 2);
    return type_of(zmq_msg_data(envelope), zmq_msg_size(envelope));
}

status_t
wire_read(const wire_table_t *table, const parcel_t *parcel, size_t frames, void *message,
          failure_t *why)
{
    if (parcel->count != frames || parcel->is_cut)
        return fail(why, BAD_ARGS, "a message is an envelope and a body");
    zmq_msg_t *envelope = frame_of(parcel, 2);
    return decode_frame(table, zmq_msg_data(envelope), zmq_msg_size(envelope), message, why);
}

const char *
wire_body(const parcel_t *parcel, size_t *size_p)
{
    zmq_msg_t *body = frame_of(parcel, 1);

    *size_p = zmq_msg_size(body);
    return zmq_msg_data(body);
}
