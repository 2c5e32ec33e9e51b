// SPDX-License-Identifier: Apache-2.0
#include "mcp/mirror.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "base64.h"
#include "limits.h"

static const char opening[] = "=?base64?";
static const char closing[] = "?=";

// White space around a value is not part of it.
static size_t
trim(const char **header_p)
{
    *header_p += strspn(*header_p, " \t");
    const char *header = *header_p;
    size_t length = strlen(header);

    while (length && (header[length - 1] == ' ' || header[length - 1] == '\t'))
        length--;
    return length;
}

// What stands between the marks, or NULL for a literal value.
static const char *
encoded_part(const char *header, size_t length, size_t *size_p)
{
    size_t around = sizeof opening - 1 + sizeof closing - 1;

    if (length < around || strncmp(header, opening, sizeof opening - 1) != 0
        || memcmp(header + length - (sizeof closing - 1), closing, sizeof closing - 1) != 0)
        return NULL;
    *size_p = length - around;
    return header + sizeof opening - 1;
}

// The value of a header in memory of its own, or NULL if it is malformed.
static char *
decode(const char *header, size_t *size_p)
{
    size_t coded_size;
    size_t length = trim(&header);
    const char *coded = encoded_part(header, length, &coded_size);

    if (!coded) {
        *size_p = length;
        return strndup(header, length);
    }
    unsigned char *bytes = malloc(coded_size + 1);
    if (!bytes)
        abort();  // out of memory
    if (!base64_read(BASE64_STANDARD, coded, coded_size, NULL, bytes, coded_size, size_p)) {
        free(bytes);
        return NULL;
    }
    bytes[*size_p] = '\0';
    return (char *) bytes;
}

static void
free_text(char **text_p)
{
    free(*text_p);
}

static bool
says(const char *header, const char *text, size_t size)
{
    size_t said_size;
    AUTO(free_text) char *said = header ? decode(header, &said_size) : NULL;

    return said && said_size == size && !memcmp(said, text, size);
}

bool
mirror_matches_text(const char *header, const char *text)
{
    return says(header, text, strlen(text));
}

// Numbers are the same by value: 1 and 1.0.
static bool
says_number(const char *header, const char *text)
{
    size_t size;
    AUTO(free_text) char *said = header ? decode(header, &size) : NULL;
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_document_t document;
    failure_t why;

    if (!said || json_parse(arena, said, size, &document, &why)
        || document.root->kind != JSON_NUMBER)
        return false;
    return json_number_compare(document.root->text, text) == 0;
}

bool
mirror_matches(const char *header, const json_t *value)
{
    switch (value->kind) {
    case JSON_STRING:
        return says(header, value->text, value->length);
    case JSON_NUMBER:
        return says_number(header, value->text);
    case JSON_BOOL:
        return mirror_matches_text(header, value->truth ? "true" : "false");
    case JSON_NULL:
    case JSON_ARRAY:
    case JSON_OBJECT:
        break;
    }
    return true;
}

typedef struct {
    const char *(*header)(const char *name, void *arg);
    void *arg;
    failure_t *why;
} check_t;

static status_t
check_property(const check_t *check, const char *label, const json_t *value)
{
    char name[160];

    snprintf(name, sizeof name, "Mcp-Param-%.128s", label);
    const char *header = check->header(name, check->arg);
    if (!value || value->kind == JSON_NULL) {
        if (!header)
            return OK;
        return fail(check->why, BAD_ARGS, "%s is given, the argument is not.", name);
    }
    if (!header)
        return fail(check->why, BAD_ARGS, "The argument is given, %s is not.", name);
    if (mirror_matches(header, value))
        return OK;
    return fail(check->why, BAD_ARGS, "%s does not say what the argument says.", name);
}

static status_t
check_object(const check_t *check, const json_t *schema, const json_t *arguments, int depth)
{
    const json_t *properties = json_get(schema, "properties");

    if (!properties || properties->kind != JSON_OBJECT || depth > JSON_DEPTH_MAX)
        return OK;
    for (const json_t *property = properties->first; property; property = property->next) {
        const char *label = json_get_text(property, "x-mcp-header");
        const json_t *value = json_get(arguments, property->key);
        status_t status = label ? check_property(check, label, value)
                                : check_object(check, property, value, depth + 1);
        if (status)
            return status;
    }
    return OK;
}

status_t
mirror_check(const json_t *schema, const json_t *arguments,
             const char *(*header)(const char *name, void *arg), void *arg, failure_t *why)
{
    const check_t check = { header, arg, why };

    return check_object(&check, schema, arguments, 0);
}
