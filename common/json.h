// SPDX-License-Identifier: Apache-2.0
// JSON (RFC 8259) as a tree in an arena. Numbers keep their source text, so that 64-bit ids
// and decimals pass through unharmed. Text is UTF-8; a lone surrogate escape is refused.

#ifndef PROOFARC_JSON_H
#define PROOFARC_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "buffer.h"
#include "status.h"

typedef enum {
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} json_kind_t;

typedef struct json json_t;
struct json {
    json_kind_t kind;
    bool truth;         // JSON_BOOL
    const char *text;   // JSON_STRING: decoded; JSON_NUMBER: as in the source; ends with NUL
    size_t length;      // bytes of text
    const char *key;    // name of this member if its parent is an object, else NULL
    size_t key_length;  // a key may hold NUL as well
    json_t *first;      // JSON_ARRAY, JSON_OBJECT: first child, then by `next`
    json_t *last;
    json_t *next;
    size_t count;       // children
    size_t begin, end;  // span in the source; both 0 for a value that was not parsed
};

typedef struct {
    json_t *root;
    const json_t *duplicate;  // a member whose name stood before in the same object, or NULL
    const json_t *nul;        // a string or member name that holds U+0000, or NULL
} json_document_t;

// Parses exactly one value (white space around it is fine; a byte order mark is not: callers
// that allow one skip it). Deeper than JSON_DEPTH_MAX is refused. On OK fills *document, whose
// tree lives in `arena`; `bytes` need not live on. On BAD_ARGS `why` names the byte offset.
status_t json_parse(arena_t *arena, const char *bytes, size_t size, json_document_t *document,
                    failure_t *why);

// The same for what somebody sends: a value takes some 100 bytes of memory however short it is, so
// that more than `values_max` of them are refused as well.
status_t json_parse_within(arena_t *arena, const char *bytes, size_t size, size_t values_max,
                           json_document_t *document, failure_t *why);

// json_parse() for documents of our own making and answers of our platform: NULL if it is not
// JSON; duplicates and NUL are let through.
json_t *json_parse_text(arena_t *arena, const char *text);

// Last member named `key` of an object; NULL if there is none or `object` is none (or NULL).
json_t *json_get(const json_t *object, const char *key);

// Its text if it is a string, else NULL. Never ends early: a string with NUL gives NULL.
const char *json_get_text(const json_t *object, const char *key);

// Its value if it is an integer (42, 42.0 and 4.2e1 are) within int64, else `fallback`.
int64_t json_get_int(const json_t *object, const char *key, int64_t fallback);

// Its value if it is true or false, else `fallback`.
bool json_get_bool(const json_t *object, const char *key, bool fallback);

// True and *value_p set if `number` is an integer within int64.
bool json_int(const json_t *number, int64_t *value_p);

// A number as double, 0 for everything else. For display and statistics only.
double json_double(const json_t *number);

// Compares two number texts by value, exactly, whatever their size: -1, 0, 1.
int json_number_compare(const char *a, const char *b);

// Same kind and value; numbers by value, objects without regard to order.
bool json_equal(const json_t *a, const json_t *b);

// Builders. A value stands in one container at most: json_copy() for a second one.
json_t *json_null(arena_t *arena);
json_t *json_bool(arena_t *arena, bool truth);
json_t *json_number(arena_t *arena, int64_t value);
json_t *json_number_text(arena_t *arena, const char *text);  // must be a JSON number
json_t *json_string(arena_t *arena, const char *text);       // NULL makes null
json_t *json_string_sized(arena_t *arena, const char *text, size_t length);
json_t *json_array(arena_t *arena);
json_t *json_object(arena_t *arena);
json_t *json_copy(arena_t *arena, const json_t *value);

// Appends to an array; returns `value`.
json_t *json_add(json_t *array, json_t *value);

// Sets a member (replaces one of that name, keeps its place); copies `key`; returns `value`.
json_t *json_set(arena_t *arena, json_t *object, const char *key, json_t *value);
json_t *json_set_text(arena_t *arena, json_t *object, const char *key, const char *text);
json_t *json_set_int(arena_t *arena, json_t *object, const char *key, int64_t value);
json_t *json_set_bool(arena_t *arena, json_t *object, const char *key, bool truth);

// Takes the member out of the object; true if it was there.
bool json_remove(json_t *object, const char *key);

// Appends `value` without white space. Text that is not UTF-8 is written with U+FFFD.
void json_write(buffer_t *out, const json_t *value);

// The same with members sorted by name and numbers in one spelling: equal values give equal
// bytes.
void json_write_canonical(buffer_t *out, const json_t *value);

// Indented by two spaces, for people.
void json_write_pretty(buffer_t *out, const json_t *value);

// json_write() into the arena.
char *json_text(arena_t *arena, const json_t *value);

// Appends `length` bytes of text as a JSON string with its quotes.
void json_write_string(buffer_t *out, const char *text, size_t length);

#endif
