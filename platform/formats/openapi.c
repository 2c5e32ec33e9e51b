// SPDX-License-Identifier: Apache-2.0
#include "formats/openapi.h"

#include <stdarg.h>
#include <string.h>

#include "auto.h"
#include "formats/openapi_internal.h"

enum { WALK_DEPTH_MAX = 200 };

void
openapi_warn(openapi_t *self, openapi_spot_t spot, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(self->arena, format, args);
    va_end(args);
    if (self->warnings->count > OPENAPI_WARNINGS_MAX)
        return;
    const char *pointer = openapi_pointer(self, spot);
    if (self->warnings->count == OPENAPI_WARNINGS_MAX) {
        pointer = "";
        message = "there is more to warn of, which is left out";
    }
    for (const json_t *warning = self->warnings->first; warning; warning = warning->next)
        if (!strcmp(json_get_text(warning, "pointer"), pointer)
            && !strcmp(json_get_text(warning, "message"), message))
            return;
    json_t *warning = json_add(self->warnings, json_object(self->home));
    json_set_text(self->home, warning, "pointer", pointer);
    json_set_text(self->home, warning, "message", message);
}

json_t *
openapi_scratch(openapi_t *self, const openapi_operation_t *operation, const void *arg,
                json_t *(*make)(openapi_t *, const openapi_operation_t *, const void *) )
{
    AUTO(arena_destroy) arena_t *scratch = arena_new();

    self->arena = scratch;
    const json_t *made = make(self, operation, arg);
    self->arena = self->home;
    return made ? json_copy(self->home, made) : NULL;
}

json_t *
openapi_warnings(openapi_t *self)
{
    return self->warnings;
}

openapi_spot_t
openapi_root(const openapi_t *self)
{
    return (openapi_spot_t){ self->files[0], self->files[0]->root };
}

// clang-format off
// What people hand in instead, by how it begins.
static const struct {
    const char *begins, *what;
} mistaken[] = {
    { "<!doctype html", "an HTML page, not an OpenAPI document; the page often names the address of one, such as /openapi.json" },
    { "<html",          "an HTML page, not an OpenAPI document; the page often names the address of one, such as /openapi.json" },
    { "<",              "XML or HTML, not an OpenAPI document in JSON or YAML" },
    { "%PDF",           "a PDF, not an OpenAPI document in JSON or YAML" },
    { "PK\x03",         "a ZIP archive, not an OpenAPI document in JSON or YAML" },
    { "\x1f\x8b",       "compressed data, not an OpenAPI document in JSON or YAML" },
};
// clang-format on

static status_t
refuse_mistaken(const char *text, failure_t *why)
{
    if (!strncmp(text, "\xef\xbb\xbf", 3))
        text += 3;
    text += strspn(text, " \t\r\n");
    if (!*text)
        return fail(why, BAD_ARGS, "the document is empty");
    for (size_t i = 0; i < ROWS(mistaken); i++)
        if (!strncasecmp(text, mistaken[i].begins, strlen(mistaken[i].begins)))
            return fail(why, BAD_ARGS, "this is %s", mistaken[i].what);
    return OK;
}

static status_t
find_kind(openapi_t *self, failure_t *why)
{
    openapi_spot_t root = openapi_root(self);
    const char *three = openapi_text(root, "openapi");
    const char *two = openapi_text(root, "swagger");

    self->spec_version = three ? three : two;
    if (three && (!strcmp(three, "3.0") || !strncmp(three, "3.0.", 4) || !strcmp(three, "3")))
        self->kind = OPENAPI_30;
    else if (three && !strncmp(three, "3.", 2))
        self->kind = OPENAPI_31;
    else if (two && (!strcmp(two, "2.0") || !strcmp(two, "2")))
        self->kind = OPENAPI_2;
    else if (self->spec_version)
        return fail(why, BAD_ARGS, "this is %s %.40s; OpenAPI 2.0, 3.0 and 3.1 are read",
                    three ? "OpenAPI" : "Swagger", self->spec_version);
    else
        return fail(
            why, BAD_ARGS,
            "this is a mapping without the member openapi or swagger, so no OpenAPI document");
    return OK;
}

static const char *
kind_text(const json_t *root)
{
    switch (root->kind) {
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "plain text";
    case JSON_NULL:
        return "empty";
    case JSON_BOOL:
    case JSON_NUMBER:
        return "a single value";
    case JSON_OBJECT:
        break;
    }
    return "a mapping";
}

status_t
openapi_open(arena_t *arena, const char *url, const char *text, size_t size, openapi_t **self_p,
             failure_t *why)
{
    openapi_t *self = arena_alloc(arena, sizeof *self);
    openapi_file_t *root = arena_alloc(arena, sizeof *root);
    failure_t reason = { 0 };

    if (size > DOCUMENT_MAX)
        return fail(why, TOO_LARGE, "the document has more than %d MiB", DOCUMENT_MAX / MIB);
    *self = (openapi_t){ .arena = arena, .home = arena, .warnings = json_array(arena) };
    root->url = url && *url ? openapi_url_resolve(arena, url, "") : NULL;
    self->files[self->file_count++] = root;
    const char *copy = arena_strndup(arena, text ? text : "", size);
    if (refuse_mistaken(copy, why))
        return why->status;
    if (!openapi_read(self, root, copy, size, &reason))
        return fail(why, reason.status, "the document is neither JSON nor YAML: %s",
                    reason.text);
    if (root->root->kind != JSON_OBJECT)
        return fail(why, BAD_ARGS, "this is %s, not an OpenAPI document",
                    kind_text(root->root));
    if (find_kind(self, why))
        return why->status;
    *self_p = self;
    return OK;
}

static bool
is_known(const openapi_t *self, const char *url)
{
    for (size_t i = 0; i < self->file_count; i++)
        if (self->files[i]->url && !strcmp(self->files[i]->url, url))
            return true;
    return false;
}

static bool
holds(const json_t *texts, const char *text)
{
    for (const json_t *item = texts->first; item; item = item->next)
        if (!strcmp(item->text, text))
            return true;
    return false;
}

static void
note_reference(openapi_t *self, const openapi_file_t *file, const char *reference,
               json_t *missing)
{
    if (*reference == '#' || !file->url)
        return;
    const char *url = openapi_url_resolve(self->arena, file->url, reference);
    if (is_known(self, url) || holds(missing, url)
        || self->file_count + missing->count > DOCUMENTS_MAX
        || !openapi_url_is_below(self->arena, self->files[0]->url, url))
        return;
    json_add(missing, json_string(self->arena, url));
}

// Places where $ref is data, not a reference.
static bool
is_data(const char *key)
{
    static const char *const keys[] = { "example", "examples", "default", "enum", "const" };

    for (size_t i = 0; key && i < ROWS(keys); i++)
        if (!strcmp(keys[i], key))
            return true;
    return false;
}

static void
walk(openapi_t *self, const openapi_file_t *file, const json_t *node, json_t *missing,
     size_t depth)
{
    if (node->kind == JSON_OBJECT) {
        const char *reference = json_get_text(node, "$ref");
        if (reference)
            note_reference(self, file, reference, missing);
    }
    for (const json_t *child = node->first; child && depth < WALK_DEPTH_MAX;
         child = child->next)
        if (child->first && !is_data(child->key))
            walk(self, file, child, missing, depth + 1);
}

json_t *
openapi_missing(openapi_t *self)
{
    json_t *missing = json_array(self->arena);

    for (size_t i = 0; i < self->file_count; i++)
        if (self->files[i]->root)
            walk(self, self->files[i], self->files[i]->root, missing, 0);
    return missing;
}

void
openapi_add(openapi_t *self, const char *url, const char *text, size_t size, const char *reason)
{
    failure_t why = { 0 };

    if (self->file_count > DOCUMENTS_MAX || is_known(self, url))
        return;
    openapi_file_t *file = arena_alloc(self->arena, sizeof *file);
    file->url = arena_strdup(self->arena, url);
    file->reason = arena_strdup(self->arena, reason ? reason : "it could not be had");
    self->files[self->file_count++] = file;
    if (!text)
        return;
    const char *copy = arena_strndup(self->arena, text, size);
    if (size > DOCUMENT_MAX || !openapi_read(self, file, copy, size, &why))
        file->reason = arena_strdup(self->arena, why.status ? why.text : "it is too large");
}

const char *
openapi_title(const openapi_t *self)
{
    const char *title = openapi_text(openapi_get(openapi_root(self), "info"), "title");

    return title ? title : "";
}

const char *
openapi_version(const openapi_t *self)
{
    const char *version = openapi_text(openapi_get(openapi_root(self), "info"), "version");

    return version ? version : "";
}

const char *
openapi_spec_version(const openapi_t *self)
{
    return self->spec_version;
}

int64_t
openapi_operations(openapi_t *self)
{
    openapi_list(self);
    return (int64_t) self->operation_count;
}

const char *
openapi_base_url(openapi_t *self)
{
    const json_t *urls = openapi_base_urls(self);

    return urls->first ? urls->first->text : "";
}
