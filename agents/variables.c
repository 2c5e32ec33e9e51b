// SPDX-License-Identifier: Apache-2.0
#include "variables.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "clock.h"
#include "limits.h"

enum {
    RANDOM_STRING_MAX = 4096,
    NAME_MAX_SIZE = 128,
    ARENA_MAX = 256 * MIB,  // what may be filled in altogether
};

struct variables {
    arena_t *arena;
    json_t *values;  // object
};

variables_t *
variables_new(arena_t *arena)
{
    variables_t *self = arena_alloc(arena, sizeof *self);

    *self = (variables_t){ .arena = arena, .values = json_object(arena) };
    return self;
}

void
variables_set(variables_t *self, const char *name, const json_t *value)
{
    json_set(self->arena, self->values, name, json_copy(self->arena, value));
}

void
variables_set_text(variables_t *self, const char *name, const char *text)
{
    if (text)
        json_set_text(self->arena, self->values, name, text);
}

const json_t *
variables_get(const variables_t *self, const char *name)
{
    return json_get(self->values, name);
}

// Finds the next {{name}} in `text`; the name without the blanks around it.
static const char *
next_placeholder(const char *text, const char **end_p, char name[NAME_MAX_SIZE])
{
    for (const char *open = strstr(text, "{{"); open; open = strstr(open + 1, "{{")) {
        const char *first = open + 2 + strspn(open + 2, " \t");
        const char *close = strstr(first, "}}");
        if (!close)
            return NULL;
        size_t length = (size_t) (close - first);
        while (length && (first[length - 1] == ' ' || first[length - 1] == '\t'))
            length--;
        if (!length || length >= NAME_MAX_SIZE || memchr(first, '{', length))
            continue;
        memcpy(name, first, length);
        name[length] = '\0';
        *end_p = close + 2;
        return open;
    }
    return NULL;
}

static const char *
text_of(arena_t *arena, const json_t *value)
{
    return value->kind == JSON_STRING ? value->text : json_text(arena, value);
}

void
variables_encode(buffer_t *out, const char *text)
{
    static const char hex[] = "0123456789ABCDEF";

    for (const unsigned char *c = (const unsigned char *) text; *c; c++) {
        bool is_plain = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z')
                        || (*c >= 'a' && *c <= 'z') || strchr("-._~", *c);
        if (is_plain)
            buffer_char(out, (char) *c);
        else
            buffer_printf(out, "%%%c%c", hex[*c >> 4], hex[*c & 15]);
    }
}

static status_t
missing(const variables_t *self, const char *name, failure_t *why)
{
    AUTO(buffer_clear) buffer_t known = { 0 };

    for (const json_t *value = self->values->first; value && known.size < 200;
         value = value->next)
        buffer_printf(&known, "%s%s", known.size ? ", " : "", value->key);
    return fail_coded(why, BAD_ARGS, "VARIABLE_MISSING",
                      "Nothing supplied a value for {{%s}}; there are: %s", name,
                      known.size ? known.bytes : "none");
}

status_t
variables_fill(const variables_t *self, arena_t *arena, const char *text, fill_t how,
               const char **filled_p, failure_t *why)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    char name[NAME_MAX_SIZE];
    const char *rest = text, *open, *end = NULL;

    while ((open = next_placeholder(rest, &end, name))) {
        const json_t *value = variables_get(self, name);
        if (!value)
            return missing(self, name, why);
        buffer_add(&out, rest, (size_t) (open - rest));
        if (how == FILL_PLAIN || (how == FILL_PATH && open == text))
            buffer_text(&out, text_of(arena, value));
        else
            variables_encode(&out, text_of(arena, value));
        rest = end;
        if (out.size > VARIABLES_FILLED_MAX)
            return fail(why, TOO_LARGE, "the text is over %d MiB once {{%s}} is filled in",
                        VARIABLES_FILLED_MAX / MIB, name);
    }
    buffer_text(&out, rest);
    *filled_p = arena_strndup(arena, out.bytes ? out.bytes : "", out.size);
    return OK;
}

// The name if the whole text is one placeholder.
static bool
is_placeholder(const json_t *value, char name[NAME_MAX_SIZE])
{
    const char *end = NULL;

    return value->kind == JSON_STRING
           && next_placeholder(value->text, &end, name) == value->text && end && !*end;
}

static status_t
fill_children(const variables_t *self, arena_t *arena, const json_t *value, json_t *filled,
              failure_t *why)
{
    for (const json_t *child = value->first; child; child = child->next) {
        const char *key = NULL;
        json_t *copy;
        if (variables_fill_json(self, arena, child, &copy, why))
            return why->status;
        if (value->kind == JSON_ARRAY) {
            json_add(filled, copy);
            continue;
        }
        if (variables_fill(self, arena, child->key, FILL_PLAIN, &key, why))
            return why->status;
        json_set(arena, filled, key, copy);
    }
    return OK;
}

status_t
variables_fill_json(const variables_t *self, arena_t *arena, const json_t *value,
                    json_t **filled_p, failure_t *why)
{
    char name[NAME_MAX_SIZE];
    const char *text;

    if (arena_size(arena) > ARENA_MAX)
        return fail(why, TOO_LARGE, "the values that are filled in are too large altogether");
    if (is_placeholder(value, name)) {
        const json_t *given = variables_get(self, name);
        if (!given)
            return missing(self, name, why);
        *filled_p = json_copy(arena, given);
        return OK;
    }
    if (value->kind == JSON_STRING) {
        if (variables_fill(self, arena, value->text, FILL_PLAIN, &text, why))
            return why->status;
        *filled_p = json_string(arena, text);
        return OK;
    }
    if (value->kind != JSON_ARRAY && value->kind != JSON_OBJECT) {
        *filled_p = json_copy(arena, value);
        return OK;
    }
    json_t *filled = value->kind == JSON_ARRAY ? json_array(arena) : json_object(arena);
    if (fill_children(self, arena, value, filled, why))
        return why->status;
    *filled_p = filled;
    return OK;
}

// Generators. Each gets the n-th argument as text ("" when absent).
typedef status_t generator_fn(variables_t *self, const char *name, const char *first,
                              const char *second, failure_t *why);

static status_t
generate_uuid(variables_t *self, const char *name, const char *first, const char *second,
              failure_t *why)
{
    unsigned char b[16];

    randombytes_buf(b, sizeof b);
    b[6] = (unsigned char) ((b[6] & 0x0f) | 0x40);  // version 4, RFC 9562
    b[8] = (unsigned char) ((b[8] & 0x3f) | 0x80);
    variables_set_text(self, name,
                       arena_printf(self->arena,
                                    "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
                                    "%02x%02x%02x%02x%02x%02x",
                                    b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9],
                                    b[10], b[11], b[12], b[13], b[14], b[15]));
    return OK;
}

static status_t
generate_timestamp(variables_t *self, const char *name, const char *first, const char *second,
                   failure_t *why)
{
    variables_set(self, name, json_number(self->arena, clock_wall_ms() / 1000));
    return OK;
}

static status_t
generate_iso_timestamp(variables_t *self, const char *name, const char *first,
                       const char *second, failure_t *why)
{
    char text[CLOCK_TEXT_SIZE];

    clock_format(clock_wall_ms(), text);
    variables_set_text(self, name, text);
    return OK;
}

static bool
to_number(const char *text, int64_t *value_p)
{
    char *end;

    *value_p = strtoll(text, &end, 10);
    return end != text && !*end;
}

static status_t
generate_int(variables_t *self, const char *name, const char *first, const char *second,
             failure_t *why)
{
    int64_t min, max;

    if (!to_number(first, &min) || !to_number(second, &max) || min > max
        || (uint64_t) max - (uint64_t) min >= UINT32_MAX)
        return fail(why, BAD_ARGS, "randomInt(min,max) takes two numbers, not %s,%s", first,
                    second);
    uint32_t span = (uint32_t) (max - min + 1);
    variables_set(self, name, json_number(self->arena, min + randombytes_uniform(span)));
    return OK;
}

static status_t
generate_string(variables_t *self, const char *name, const char *first, const char *second,
                failure_t *why)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    int64_t length;

    if (!to_number(first, &length) || length < 1 || length > RANDOM_STRING_MAX)
        return fail(why, BAD_ARGS, "randomString(length) takes a length from 1 to %d, not %s",
                    RANDOM_STRING_MAX, first);
    char *text = arena_alloc(self->arena, (size_t) length + 1);
    for (int64_t i = 0; i < length; i++)
        text[i] = letters[randombytes_uniform(sizeof letters - 1)];
    variables_set_text(self, name, text);
    return OK;
}

static status_t
generate_env(variables_t *self, const char *name, const char *first, const char *second,
             failure_t *why)
{
    if (!strncmp(first, "PROOFARC_", 9))
        return fail(why, DENIED, "%s is the agent's own and not for tests", first);
    const char *value = getenv(first);
    if (!value)
        return fail(why, BAD_ARGS, "the agent's environment has no variable %s", first);
    variables_set_text(self, name, value);
    return OK;
}

static const struct {
    const char *name;
    generator_fn *run;
} generators[] = {
    { "uuid", generate_uuid },           { "timestamp", generate_timestamp },
    { "randomInt", generate_int },       { "isoTimestamp", generate_iso_timestamp },
    { "randomString", generate_string }, { "env", generate_env },
};

status_t
variables_generate(variables_t *self, const char *name, const char *generator,
                   const json_t *arguments, failure_t *why)
{
    const json_t *first = arguments ? arguments->first : NULL;
    const json_t *second = first ? first->next : NULL;

    for (size_t i = 0; i < ROWS(generators); i++)
        if (!strcmp(generators[i].name, generator))
            return generators[i].run(self, name, first ? text_of(self->arena, first) : "",
                                     second ? text_of(self->arena, second) : "", why);
    return fail(why, BAD_ARGS, "there is no generator %s", generator);
}
