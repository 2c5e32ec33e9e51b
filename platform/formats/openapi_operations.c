// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "auto.h"
#include "formats/openapi_internal.h"

enum { NAME_MAX_LENGTH = 200 };

// clang-format off
static const struct {
    const char *member, *method;
} methods[] = {
    { "get", "GET" }, { "put", "PUT" }, { "post", "POST" }, { "delete", "DELETE" },
    { "options", "OPTIONS" }, { "head", "HEAD" }, { "patch", "PATCH" }, { "trace", "TRACE" },
};

// Members of a path item that are no methods.
static const char *const other_members[] = {
    "$ref", "summary", "description", "servers", "parameters", "query", "additionalOperations",
};
// clang-format on

// A set of texts, open addressing.
typedef struct {
    const char **slots;
    size_t capacity, count;
} names_t;

static void
names_clear(names_t *self)
{
    free(self->slots);
}

static size_t
hash(const char *text)
{
    size_t sum = 5381;

    for (; *text; text++)
        sum = sum * 33 + (unsigned char) *text;
    return sum;
}

// True if the text was not there before. `capacity` is never full: it is twice the operations.
static bool
names_add(names_t *self, const char *text)
{
    size_t at = hash(text) % self->capacity;

    while (self->slots[at]) {
        if (!strcmp(self->slots[at], text))
            return false;
        at = (at + 1) % self->capacity;
    }
    self->slots[at] = text;
    return true;
}

// What two names must not share: letters and digits, without case.
static const char *
folded(arena_t *arena, const char *name)
{
    char *text = arena_strdup(arena, name);
    char *out = text;

    for (const char *c = name; *c; c++)
        if (isalnum((unsigned char) *c) || (unsigned char) *c >= 0x80)
            *out++ = (char) tolower((unsigned char) *c);
    *out = '\0';
    return text;
}

// post_a of POST /a.
static const char *
slug(arena_t *arena, const char *method, const char *path)
{
    char *text = arena_printf(arena, "%s%s", method, path);
    char *out = text;

    for (const char *c = text; *c; c++) {
        bool keep = isalnum((unsigned char) *c) || (unsigned char) *c >= 0x80;
        if (keep)
            *out++ = (char) tolower((unsigned char) *c);
        else if (out > text && out[-1] != '_')
            *out++ = '_';
    }
    while (out > text && out[-1] == '_')
        out--;
    *out = '\0';
    return text;
}

static const char *
unique_name(openapi_t *self, names_t *taken, const openapi_operation_t *operation)
{
    const char *name =
        operation->id ? operation->id : slug(self->arena, operation->method, operation->path);
    const char *tried = name;

    for (size_t i = 2; !names_add(taken, folded(self->arena, tried)); i++)
        tried = arena_printf(self->arena, "%.*s_%zu", NAME_MAX_LENGTH, name, i);
    return tried;
}

static const char *
trimmed_id(openapi_t *self, openapi_spot_t spot)
{
    const char *id = openapi_text(spot, "operationId");

    if (!id)
        return NULL;
    id += strspn(id, " \t\r\n");
    size_t length = strlen(id);
    while (length && strchr(" \t\r\n", id[length - 1]))
        length--;
    return length ? arena_strndup(self->arena, id, length) : NULL;
}

static void
add_operation(openapi_t *self, const char *path, const char *method, openapi_spot_t item,
              openapi_spot_t spot)
{
    if (!spot.node || spot.node->kind != JSON_OBJECT) {
        openapi_warn(self, spot, "the operation is no mapping and is left out");
        return;
    }
    if (self->operation_count == OPENAPI_OPERATIONS_MAX) {
        openapi_warn(self, spot, "only the first %d operations are read",
                     OPENAPI_OPERATIONS_MAX);
        return;
    }
    self->operations[self->operation_count++] = (openapi_operation_t){
        .method = method,
        .path = path,
        .key = arena_printf(self->arena, "%s %s", method, path),
        .id = trimmed_id(self, spot),
        .spot = spot,
        .item = item,
    };
}

static bool
is_other_member(const char *name)
{
    for (size_t i = 0; i < ROWS(other_members); i++)
        if (!strcmp(other_members[i], name))
            return true;
    return !strncmp(name, "x-", 2);
}

static void
add_member(openapi_t *self, const char *path, openapi_spot_t item, const json_t *member)
{
    openapi_spot_t spot = { item.file, member };

    for (size_t i = 0; i < ROWS(methods); i++) {
        if (!strcmp(methods[i].member, member->key)) {
            add_operation(self, path, methods[i].method, item, openapi_resolve(self, spot));
            return;
        }
    }
    if (!is_other_member(member->key))
        openapi_warn(self, spot, "%.60s is no method and is left out", member->key);
}

// A path item may refer to another one and have members beside the reference.
static void
add_item(openapi_t *self, const char *path, openapi_spot_t item)
{
    openapi_spot_t target = openapi_resolve(self, item);

    for (const json_t *member = item.node->first; member; member = member->next)
        add_member(self, path, item, member);
    if (!target.node || target.node == item.node)
        return;
    for (const json_t *member = target.node->first; member; member = member->next)
        if (!json_get(item.node, member->key))
            add_member(self, path, target, member);
}

static void
add_path(openapi_t *self, openapi_spot_t paths, const json_t *member)
{
    openapi_spot_t item = { paths.file, member };

    if (!strncmp(member->key, "x-", 2))
        return;
    if (*member->key != '/')
        openapi_warn(self, item, "a path has to begin with /; this one is left out");
    else if (member->kind != JSON_OBJECT)
        openapi_warn(self, item, "the path item is no mapping and is left out");
    else if (json_get(paths.node, member->key) != member)
        openapi_warn(self, item, "the path stands twice; the operations of both are read");
    if (*member->key == '/' && member->kind == JSON_OBJECT)
        add_item(self, member->key, item);
}

static size_t
count_members(const json_t *paths)
{
    size_t count = 0;

    for (const json_t *item = paths ? paths->first : NULL; item; item = item->next)
        count++;
    return count;
}

static void
explain_none(openapi_t *self, openapi_spot_t paths)
{
    openapi_spot_t root = openapi_root(self);

    if (json_get(root.node, "webhooks"))
        openapi_warn(self, root,
                     "the document describes webhooks alone: calls that the service makes, "
                     "which cannot be tested from here");
    else if (!paths.node)
        openapi_warn(self, root, "the document has no paths; it may be a part of another one");
    else
        openapi_warn(self, paths, "the paths hold no operation");
}

void
openapi_list(openapi_t *self)
{
    if (self->listed)
        return;
    self->listed = true;
    openapi_spot_t paths = openapi_get_resolved(self, openapi_root(self), "paths");
    size_t most = count_members(paths.node) * 2 * ROWS(methods) + 1;
    most = most < OPENAPI_OPERATIONS_MAX ? most : OPENAPI_OPERATIONS_MAX;
    self->operations = arena_alloc(self->arena, most * sizeof *self->operations);
    const bool has_paths = paths.node && paths.node->kind == JSON_OBJECT;
    for (const json_t *member = has_paths ? paths.node->first : NULL; member;
         member = member->next)
        add_path(self, paths, member);
    if (!self->operation_count)
        explain_none(self, paths);

    AUTO(names_clear) names_t taken = { .capacity = self->operation_count * 2 + 1 };
    taken.slots = calloc(taken.capacity, sizeof *taken.slots);
    assert(taken.slots);
    for (size_t i = 0; i < self->operation_count; i++)
        self->operations[i].name = unique_name(self, &taken, &self->operations[i]);
}

static bool
same_parameter(openapi_spot_t a, openapi_spot_t b)
{
    const char *a_name = openapi_text(a, "name"), *b_name = openapi_text(b, "name");
    const char *a_in = openapi_text(a, "in"), *b_in = openapi_text(b, "in");

    return a_name && b_name && a_in && b_in && !strcmp(a_name, b_name) && !strcmp(a_in, b_in);
}

static void
add_parameters(openapi_t *self, openapi_spot_t holder, openapi_spot_t *list, size_t *count_p)
{
    openapi_spot_t parameters = openapi_get(holder, "parameters");

    for (const json_t *item = parameters.node ? parameters.node->first : NULL; item;
         item = item->next) {
        openapi_spot_t spot = openapi_resolve(self, (openapi_spot_t){ parameters.file, item });
        size_t i = 0;
        if (!spot.node)
            continue;
        if (!openapi_text(spot, "name") || !openapi_text(spot, "in")) {
            openapi_warn(self, spot, "a parameter without name or in is left out");
            continue;
        }
        while (i < *count_p && !same_parameter(list[i], spot))
            i++;
        list[i] = spot;
        *count_p += i == *count_p;
    }
}

openapi_spot_t *
openapi_parameters(openapi_t *self, const openapi_operation_t *operation, size_t *count_p)
{
    openapi_spot_t own = openapi_get(operation->spot, "parameters");
    openapi_spot_t shared = openapi_get(operation->item, "parameters");
    size_t most = count_members(own.node) + count_members(shared.node);
    openapi_spot_t *list = arena_alloc(self->arena, (most + 1) * sizeof *list);

    *count_p = 0;
    add_parameters(self, operation->item, list, count_p);
    add_parameters(self, operation->spot, list, count_p);
    return list;
}

// One token of the glob: which ends of `path` can be reached behind it, in place. `reach` has
// a flag for every length from 0 to `length`.
static const char *
match_token(const char *glob, const char *path, size_t length, bool *reach)
{
    if (*glob == '*') {
        bool deep = glob[1] == '*';
        for (size_t i = 1; i <= length; i++)
            reach[i] = reach[i] || (reach[i - 1] && (deep || path[i - 1] != '/'));
        return glob + (deep ? 2 : 1);
    }
    for (size_t i = length; i > 0; i--)
        reach[i] = reach[i - 1] && path[i - 1] == *glob;
    reach[0] = false;
    return glob + 1;
}

// * within a segment, ** over segments; x/** is x as well.
static bool
glob_matches(const char *glob, const char *path)
{
    size_t length = strlen(path), glob_length = strlen(glob);
    bool *reach = calloc(length + 1, sizeof *reach);

    assert(reach);
    reach[0] = true;
    for (const char *at = glob; *at;)
        at = match_token(at, path, length, reach);
    bool matches = reach[length];
    free(reach);
    return matches
           || (glob_length == length + 3 && !strncmp(glob, path, length)
               && !strcmp(glob + length, "/**"));
}

// "GET /users/**" asks for the method as well.
static bool
pattern_matches(const char *pattern, const char *method, const char *path)
{
    const char *blank = strchr(pattern, ' ');

    if (!blank)
        return glob_matches(pattern, path);
    size_t length = (size_t) (blank - pattern);
    if (strlen(method) != length || strncasecmp(pattern, method, length) != 0)
        return false;
    return glob_matches(blank + strspn(blank, " "), path);
}

bool
openapi_glob(const json_t *globs, const char *method, const char *path)
{
    if (!globs || !globs->first)
        return true;
    for (const json_t *glob = globs->first; glob; glob = glob->next)
        if (glob->kind == JSON_STRING && pattern_matches(glob->text, method, path))
            return true;
    return false;
}
