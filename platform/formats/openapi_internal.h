// SPDX-License-Identifier: Apache-2.0
// What the parts of the OpenAPI reader share. Only for openapi*.c.
//
// A spot is a value and the file it stands in, for references are relative to their file.
// Nothing of a document is ever rewritten: references are followed where they are met.

#ifndef PROOFARC_PLATFORM_OPENAPI_INTERNAL_H
#define PROOFARC_PLATFORM_OPENAPI_INTERNAL_H

#include "formats/openapi.h"
#include "limits.h"

typedef struct {
    const char *url;     // NULL for pasted text
    json_t *root;        // NULL: could not be had
    const char *reason;  // then: why
} openapi_file_t;

typedef struct {
    const openapi_file_t *file;
    const json_t *node;  // NULL: nothing is there
} openapi_spot_t;

typedef enum { OPENAPI_2, OPENAPI_30, OPENAPI_31 } openapi_kind_t;

typedef struct {
    const char *method;   // "GET"
    const char *path;     // as in the document
    const char *key;      // "GET /pets/{id}"
    const char *id;       // operationId, or NULL
    const char *name;     // unique in the document, an identifier where the id is none
    openapi_spot_t spot;  // the operation
    openapi_spot_t item;  // the path item it stands in
} openapi_operation_t;

struct openapi {
    arena_t *arena;  // for what is being made; one of its own for each operation
    arena_t *home;   // for what stays: files, operations, warnings
    openapi_kind_t kind;
    const char *spec_version;
    openapi_file_t *files[DOCUMENTS_MAX + 1];  // the root first
    size_t file_count;
    json_t *warnings;
    openapi_operation_t *operations;
    size_t operation_count;
    bool listed;
    size_t sample_left;  // schemas that may still be looked at for the example under way
    bool sample_gaps;    // members that cannot be made may be left out though required
};

// openapi.c
void openapi_warn(openapi_t *self, openapi_spot_t spot, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
openapi_spot_t openapi_root(const openapi_t *self);

// Calls `make` with an arena that ends with the call, and returns a copy of what it returned.
json_t *openapi_scratch(openapi_t *self, const openapi_operation_t *operation, const void *arg,
                        json_t *(*make)(openapi_t *, const openapi_operation_t *,
                                        const void *) );

// openapi_read.c: a file's text as a tree; duplicates are warned of when `self` is not NULL.
json_t *openapi_read(openapi_t *self, openapi_file_t *file, const char *text, size_t size,
                     failure_t *why);

// openapi_url.c: RFC 3986, 5.2; what may not stand in a URL is percent-encoded.
const char *openapi_url_resolve(arena_t *arena, const char *base, const char *reference);
const char *openapi_url_origin(arena_t *arena, const char *url);  // "http://h:1", "" without
bool openapi_url_is_below(arena_t *arena, const char *root, const char *url);

// openapi_ref.c
openapi_spot_t openapi_get(openapi_spot_t parent, const char *name);
// Follows $ref until something else is there; node is NULL, with a warning, when that fails.
openapi_spot_t openapi_resolve(openapi_t *self, openapi_spot_t spot);
openapi_spot_t openapi_get_resolved(openapi_t *self, openapi_spot_t parent, const char *name);
// JSON pointer of a spot, with the file's URL in front if it is not the root's.
const char *openapi_pointer(const openapi_t *self, openapi_spot_t spot);
// Text of a scalar: strings and numbers as they are; NULL for anything else.
const char *openapi_text(openapi_spot_t parent, const char *name);

// openapi_operations.c: fills operations once.
void openapi_list(openapi_t *self);
// All parameters of an operation, resolved; those of the operation win over the path's.
openapi_spot_t *openapi_parameters(openapi_t *self, const openapi_operation_t *operation,
                                   size_t *count_p);

// openapi_servers.c
json_t *openapi_base_urls(openapi_t *self);
// The server of the operation or its path, or NULL when it uses those of the document.
const char *openapi_own_server(openapi_t *self, const openapi_operation_t *operation);

// openapi_security.c
json_t *openapi_security_schemes(openapi_t *self);
// Names of what the operation asks for, alternatives one by one: ["key", "oauth + key"].
json_t *openapi_security(openapi_t *self, const openapi_operation_t *operation);
// The scheme of that name, resolved; node NULL when there is none.
openapi_spot_t openapi_security_scheme(openapi_t *self, const char *name);
bool openapi_wants_login(openapi_t *self, const openapi_operation_t *operation);

// openapi_sample.c: an example for a schema, or NULL when none can be made. Values that are only
// read are left out of objects.
json_t *openapi_sample(openapi_t *self, openapi_spot_t schema);
// The example of a parameter, header or media type: its own, else its schema's.
json_t *openapi_example(openapi_t *self, openapi_spot_t holder);
const char *openapi_type(openapi_t *self, openapi_spot_t schema);

// openapi_body.c
typedef struct {
    openapi_spot_t spot;       // of the media type (3.x) or the body parameter (2.0)
    const char *content_type;  // NULL: the operation has no body
    bool required;
    json_t *value;   // example, or NULL
    bool is_binary;  // `value` only stands for bytes
} openapi_body_t;

openapi_body_t openapi_body(openapi_t *self, const openapi_operation_t *operation);
// In the normalised form of a scenario; NULL when nothing can be sent.
json_t *openapi_body_step(openapi_t *self, const openapi_body_t *body);

// openapi_style.c: how a value of a parameter is written.
void openapi_style_query(openapi_t *self, openapi_spot_t parameter, const json_t *value,
                         json_t *query);
const char *openapi_style_path(openapi_t *self, openapi_spot_t parameter, const json_t *value);
const char *openapi_style_header(openapi_t *self, openapi_spot_t parameter,
                                 const json_t *value);
const char *openapi_scalar(arena_t *arena, const json_t *value);

// openapi_statuses.c
json_t *openapi_statuses(openapi_t *self, const openapi_operation_t *operation);
json_t *openapi_expect(openapi_t *self, const openapi_operation_t *operation);

#endif
