// SPDX-License-Identifier: Apache-2.0
// Opens the documents of tests/data/openapi as if they came from http://doc.test/api/.

#ifndef PROOFARC_TESTS_OPENAPI_FILES_H
#define PROOFARC_TESTS_OPENAPI_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/openapi.h"

#define FILES_URL "http://doc.test/api/"

static inline char *
files_read(arena_t *arena, const char *name, size_t *size_p)
{
    FILE *file = fopen(arena_printf(arena, "%s/openapi/%s", TEST_DATA, name), "rb");
    char *bytes = arena_alloc(arena, 100000);

    if (!file)
        return NULL;
    *size_p = fread(bytes, 1, 99999, file);
    fclose(file);
    return bytes;
}

// The file that a URL below FILES_URL stands for.
static inline const char *
files_name(arena_t *arena, const char *url)
{
    char *name = arena_strdup(arena, url + strlen(FILES_URL)), *out = name;

    for (const char *c = name; *c; c++) {
        if (*c == '%') {
            *out++ = (char) strtol((char[]){ c[1], c[2], '\0' }, NULL, 16);
            c += 2;
        } else {
            *out++ = *c;
        }
    }
    *out = '\0';
    return name;
}

// Opens a document and hands in what it refers to, as far as it is there.
static inline openapi_t *
files_open(arena_t *arena, const char *name)
{
    failure_t why = { 0 };
    openapi_t *spec = NULL;
    size_t size = 0;
    char *text = files_read(arena, name, &size);
    json_t *missing;

    if (!text
        || openapi_open(arena, arena_printf(arena, FILES_URL "%s", name), text, size, &spec,
                        &why))
        return NULL;
    while ((missing = openapi_missing(spec))->first) {
        for (const json_t *url = missing->first; url; url = url->next) {
            text = files_read(arena, files_name(arena, url->text), &size);
            openapi_add(spec, url->text, text, text ? size : 0, "the server answered 404");
        }
    }
    return spec;
}

// A document that came as text, without URL.
static inline openapi_t *
files_paste(arena_t *arena, const char *text, failure_t *why)
{
    openapi_t *spec = NULL;

    return openapi_open(arena, NULL, text, strlen(text), &spec, why) ? NULL : spec;
}

// The warning whose pointer is `pointer` and whose message holds `part`, or NULL.
static inline const json_t *
files_warning(openapi_t *spec, const char *pointer, const char *part)
{
    for (const json_t *warning = openapi_warnings(spec)->first; warning;
         warning = warning->next)
        if (!strcmp(json_get_text(warning, "pointer"), pointer)
            && strstr(json_get_text(warning, "message"), part))
            return warning;
    return NULL;
}

#endif
