// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "formats/openapi_internal.h"
#include "percent.h"

enum {
    HOPS_MAX = 32,  // references that lead to references
};

openapi_spot_t
openapi_get(openapi_spot_t parent, const char *name)
{
    return (openapi_spot_t){ parent.file, json_get(parent.node, name) };
}

const char *
openapi_text(openapi_spot_t parent, const char *name)
{
    const json_t *value = json_get(parent.node, name);

    return value && (value->kind == JSON_STRING || value->kind == JSON_NUMBER) ? value->text
                                                                               : NULL;
}

// ~1 is /, ~0 is ~.
static char *
unescape(arena_t *arena, const char *token, size_t length)
{
    char *text = arena_strndup(arena, token, length);
    char *out = text;

    for (const char *in = text; *in; in++) {
        if (*in == '~' && (in[1] == '0' || in[1] == '1'))
            *out++ = *++in == '0' ? '~' : '/';
        else
            *out++ = *in;
    }
    *out = '\0';
    return text;
}

static const json_t *
step_into(const json_t *node, const char *token)
{
    char *end;

    if (node->kind != JSON_ARRAY)
        return json_get(node, token);
    size_t index = strtoul(token, &end, 10);
    if (*token < '0' || *token > '9' || *end || index >= node->count)
        return NULL;
    const json_t *item = node->first;
    while (index--)
        item = item->next;
    return item;
}

static const json_t *
follow_pointer(arena_t *arena, const json_t *node, const char *pointer)
{
    while (node && *pointer) {
        if (*pointer != '/')
            return NULL;
        size_t length = strcspn(++pointer, "/");
        node = step_into(node, unescape(arena, pointer, length));
        pointer += length;
    }
    return node;
}

static const openapi_file_t *
find_file(openapi_t *self, openapi_spot_t spot, const char *reference)
{
    const openapi_file_t *root = self->files[0];

    if (!spot.file->url) {
        openapi_warn(self, spot,
                     "%.200s is another file; import the document from its URL to have it read",
                     reference);
        return NULL;
    }
    const char *url = openapi_url_resolve(self->arena, spot.file->url, reference);
    for (size_t i = 0; i < self->file_count; i++) {
        if (strcmp(self->files[i]->url, url) != 0)
            continue;
        if (self->files[i]->root)
            return self->files[i];
        openapi_warn(self, spot, "%.300s could not be read: %.200s", url,
                     self->files[i]->reason);
        return NULL;
    }
    if (!openapi_url_is_below(self->arena, root->url, url))
        openapi_warn(
            self, spot,
            "%.300s is not read: only files in the folder of the document and below are", url);
    else
        openapi_warn(self, spot, "%.300s is not there", url);
    return NULL;
}

static openapi_spot_t
target_of(openapi_t *self, openapi_spot_t spot, const char *reference)
{
    size_t length = strcspn(reference, "#");
    const char *fragment = reference[length] ? reference + length + 1 : "";
    const openapi_file_t *file = spot.file;
    openapi_spot_t target = { 0 };

    if (length)
        file = find_file(self, spot, arena_strndup(self->arena, reference, length));
    if (!file)
        return target;
    target.file = file;
    // Decoded once; a key that holds a percent sign as it is counts as well.
    target.node =
        follow_pointer(self->arena, file->root,
                       percent_decode_most(self->arena, fragment, strlen(fragment), false));
    if (!target.node)
        target.node = follow_pointer(self->arena, file->root, fragment);
    if (!target.node)
        openapi_warn(self, spot, "%.300s leads nowhere", reference);
    return target;
}

openapi_spot_t
openapi_resolve(openapi_t *self, openapi_spot_t spot)
{
    openapi_spot_t start = spot;

    for (size_t hops = 0; spot.node; hops++) {
        const char *reference = json_get_text(spot.node, "$ref");
        if (!reference)
            return spot;
        if (hops == HOPS_MAX) {
            openapi_warn(self, start, "%.300s leads back to itself",
                         json_get_text(start.node, "$ref"));
            break;
        }
        spot = target_of(self, spot, reference);
    }
    return (openapi_spot_t){ start.file, NULL };
}

openapi_spot_t
openapi_get_resolved(openapi_t *self, openapi_spot_t parent, const char *name)
{
    return openapi_resolve(self, openapi_get(parent, name));
}

static void
add_token(buffer_t *out, const char *key)
{
    buffer_char(out, '/');
    for (; *key; key++) {
        if (*key == '~')
            buffer_text(out, "~0");
        else if (*key == '/')
            buffer_text(out, "~1");
        else
            buffer_char(out, *key);
    }
}

// Appends the way from `node` to `wanted`; false if it is not there. Spans tell which branches
// cannot hold it; values that came through an alias have the span of their original.
static bool
find(buffer_t *out, const json_t *node, const json_t *wanted, bool by_span)
{
    size_t index = 0;

    if (node == wanted)
        return true;
    if (by_span && (wanted->begin < node->begin || wanted->end > node->end))
        return false;
    for (const json_t *child = node->first; child; child = child->next, index++) {
        size_t size = out->size;
        if (child->key)
            add_token(out, child->key);
        else
            buffer_printf(out, "/%zu", index);
        if (find(out, child, wanted, by_span))
            return true;
        out->size = size;
        if (out->bytes)
            out->bytes[size] = '\0';
    }
    return false;
}

const char *
openapi_pointer(const openapi_t *self, openapi_spot_t spot)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    if (!spot.file || !spot.node || !spot.file->root)
        return "";
    if (spot.file != self->files[0])
        buffer_printf(&out, "%s#", spot.file->url);
    size_t size = out.size;
    if (!find(&out, spot.file->root, spot.node, true)) {
        out.size = size;
        find(&out, spot.file->root, spot.node, false);
    }
    return arena_strndup(self->arena, out.bytes ? out.bytes : "", out.size);
}
