// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <string.h>

#include "auto.h"
#include "formats/openapi_internal.h"
#include "formats/yaml.h"

enum { VALUES_MAX = 5 * 1000 * 1000 };

static const char bom[] = "\xef\xbb\xbf";

// Line of an offset, from 1.
static size_t
line_of(const char *text, size_t offset)
{
    size_t line = 1;

    for (size_t i = 0; i < offset; i++)
        line += text[i] == '\n';
    return line;
}

// Whether the text may hold more values than we want to keep: each needs a hundred bytes.
static bool
has_too_many_values(const char *text, size_t size)
{
    size_t values = 0;

    for (size_t i = 0; i < size; i++)
        values += text[i] == ',' || text[i] == '[' || text[i] == '{';
    return values > VALUES_MAX;
}

static json_t *
read_json(openapi_t *self, openapi_file_t *file, const char *text, size_t size, failure_t *why)
{
    json_document_t document;

    if (has_too_many_values(text, size)) {
        fail(why, TOO_LARGE, "more than %d values", VALUES_MAX);
        return NULL;
    }
    if (json_parse(self->arena, text, size, &document, why))
        return NULL;
    file->root = document.root;
    if (document.duplicate)
        openapi_warn(self, (openapi_spot_t){ file, document.duplicate },
                     "the key %.100s stands twice, the second time in line %zu; readers differ "
                     "in which one counts",
                     document.duplicate->key, line_of(text, document.duplicate->begin));
    return document.root;
}

static json_t *
read_yaml(openapi_t *self, openapi_file_t *file, const char *text, size_t size, failure_t *why)
{
    yaml_document_t document = { 0 };
    yaml_place_t place;
    failure_t what = { 0 };

    if (yaml_parse(self->arena, text, size, &yaml_openapi_limits, &document, &place, &what)) {
        fail(why, what.status, "line %zu, column %zu: %s", place.line, place.column, what.text);
        return NULL;
    }
    file->root = document.root;
    for (size_t i = 0; i < document.duplicate_count; i++)
        openapi_warn(self, (openapi_spot_t){ file, document.duplicates[i].value },
                     "the key %.100s stands twice: in line %zu and in line %zu; only the last "
                     "one is used",
                     document.duplicates[i].value->key, document.duplicates[i].first.line,
                     document.duplicates[i].second.line);
    return document.root;
}

json_t *
openapi_read(openapi_t *self, openapi_file_t *file, const char *text, size_t size,
             failure_t *why)
{
    failure_t json_why = { 0 };

    if (size >= 3 && !memcmp(text, bom, 3)) {
        text += 3;
        size -= 3;
    }
    size_t blank = strspn(text, " \t\r\n");
    if (size > blank && (text[blank] == '{' || text[blank] == '[')) {
        json_t *root = read_json(self, file, text, size, &json_why);
        if (root)
            return root;
        if (json_why.status == TOO_LARGE) {
            fail(why, TOO_LARGE, "%s", json_why.text);
            return NULL;
        }
    }
    json_t *root = read_yaml(self, file, text, size, why);
    if (!root && json_why.status) {  // it looked like JSON, so say what is wrong with that
        fail(why, json_why.status, "%s", json_why.text);
        return NULL;
    }
    return root;
}
