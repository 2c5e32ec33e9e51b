// SPDX-License-Identifier: Apache-2.0
// OpenAPI 2.0, 3.0 and 3.1 documents, JSON or YAML: what they offer, and scenarios made of it.
// What cannot be read or generated is a warning with a JSON pointer, never a failure. Pure: it
// fetches nothing; the caller brings the files. Order: openapi_open(), while openapi_missing()
// names files openapi_add() each, then openapi_view() or openapi_scenarios().

#ifndef PROOFARC_PLATFORM_OPENAPI_H
#define PROOFARC_PLATFORM_OPENAPI_H

#include <stdint.h>

#include "json.h"

enum {
    OPENAPI_OPERATIONS_MAX = 10 * 1000,
    OPENAPI_WARNINGS_MAX = 200,
};

typedef struct openapi openapi_t;

// Reads the root document; everything lives in `arena`. `url` is where it came from, NULL for
// pasted text. BAD_ARGS says what the text is instead of an OpenAPI document ("an HTML page",
// "valid JSON without openapi or swagger", "empty" …); TOO_LARGE over DOCUMENT_MAX.
status_t openapi_open(arena_t *arena, const char *url, const char *text, size_t size,
                      openapi_t **self_p, failure_t *why);

// Absolute URLs of files that are referenced and not there yet, as an array of strings. Only
// files of the root document's origin, in its folder or below; others are warnings. At most
// DOCUMENTS_MAX over the life of the document. Empty for a document without URL.
json_t *openapi_missing(openapi_t *self);

// Hands a file in; `text` NULL says that it could not be had, `reason` why (for the warning).
void openapi_add(openapi_t *self, const char *url, const char *text, size_t size,
                 const char *reason);

const char *openapi_title(const openapi_t *self);
const char *openapi_version(const openapi_t *self);       // of the API
const char *openapi_spec_version(const openapi_t *self);  // "2.0", "3.0.3" …
int64_t openapi_operations(openapi_t *self);

// "" when the document names none and has no URL.
const char *openapi_base_url(openapi_t *self);

// The result of /api/specs/parse without nextCursor: {title, version, specVersion, baseUrl,
// baseUrls, endpoints, total, returned, securitySchemes, warnings}. `globs` is an array of path
// globs (* within a segment, ** over segments) or NULL for all; `total` counts what they match;
// endpoints from `offset`, at most `limit`.
json_t *openapi_view(openapi_t *self, const json_t *globs, int64_t offset, int64_t limit);

typedef struct {
    const json_t *globs;         // or NULL
    const char *app_tag;         // each or NULL
    const char *credential_tag;  // for operations that ask for a login
    const json_t *tags;          // added to those of the operation
    bool api_key;                // the credential holds an API key: fill it in where the
                                 // document wants one in a header, query or cookie
    const char *target_url;      // of the environment's target, or NULL: when it has no path,
                                 // the base path of the document follows it
} openapi_options_t;

// One entry per operation: {key: "GET /pets/{id}", name, otherName, method, path, operationId,
// scenario (normalised), yamlText}. All three names stay the same when the document is imported
// again; `otherName` has the application in front ("shop GET /pets/{id}", null without app_tag),
// for a project where another application has the name. Warnings go to openapi_warnings().
json_t *openapi_scenarios(openapi_t *self, const openapi_options_t *options);

// Everything noted so far: [{pointer, message}].
json_t *openapi_warnings(openapi_t *self);

// Whether an operation matches one of `globs` (NULL matches all): a path glob, or a method, a
// blank and a path glob.
bool openapi_glob(const json_t *globs, const char *method, const char *path);

#endif
