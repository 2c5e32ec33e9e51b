// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <inttypes.h>
#include <string.h>

#include "auto.h"
#include "limits.h"
#include "percent.h"

static json_t *check_value(exchange_t *x, const char *name, const member_t *row,
                           const json_t *value);

// ---- texts

static size_t
code_points(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += ((unsigned char) *text & 0xc0) != 0x80;
    return count;
}

static bool
has_controls(const char *text)
{
    for (const unsigned char *c = (const unsigned char *) text; *c; c++)
        if (*c < 0x20 || *c == 0x7f || (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f))
            return true;
    return false;
}

const char *
check_name(arena_t *arena, const char *member, const char *text, failure_t *why)
{
    static const char blanks[] = " \t\r\n";

    text += strspn(text, blanks);
    size_t size = strlen(text);
    while (size > 0 && strchr(blanks, text[size - 1]))
        size--;
    const char *name = arena_strndup(arena, text, size);
    const char *reason = NULL;
    if (!size)
        reason = "is empty";
    else if (code_points(name) > NAME_MAX_POINTS)
        reason = "is longer than 200 characters";
    else if (has_controls(name))
        reason = "has control characters";
    if (!reason)
        return name;
    fail_coded(why, BAD_ARGS, "BAD_MEMBER", "%s %s", member, reason);
    return NULL;
}

// True if `text` is one of "A|B|C".
static bool
is_one_of(const char *text, const char *choices)
{
    size_t size = strlen(text);

    for (const char *choice = choices; choice; choice = strchr(choice, '|')) {
        choice += *choice == '|';
        if (strncmp(choice, text, size) == 0 && (choice[size] == '|' || !choice[size]))
            return size > 0;
    }
    return false;
}

static const char *
listed(arena_t *arena, const char *choices)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    for (const char *c = choices; *c; c++)
        *c == '|' ? buffer_text(&out, ", ") : buffer_char(&out, *c);
    return arena_strndup(arena, out.bytes, out.size);
}

static json_t *
check_text(exchange_t *x, const char *name, const member_t *row, const json_t *value)
{
    size_t most = row->max ? (size_t) row->max : TEXT_MAX_DEFAULT;

    if (value->kind != JSON_STRING)
        return exchange_refuse(x, name, "must be a text"), NULL;
    if (value->length > most)
        return exchange_refuse(x, name, "is longer than %zu bytes", most), NULL;
    if (row->one_of && !is_one_of(value->text, row->one_of))
        return exchange_refuse(x, name, "must be one of %s, not \"%.80s\"",
                               listed(x->arena, row->one_of), value->text),
               NULL;
    if (row->must && !value->length)
        return exchange_refuse(x, name, "is empty"), NULL;
    return json_string_sized(x->arena, value->text, value->length);
}

static json_t *
check_named(exchange_t *x, const char *name, const json_t *value)
{
    if (value->kind != JSON_STRING)
        return exchange_refuse(x, name, "must be a text"), NULL;
    const char *text = check_name(x->arena, name, value->text, &x->why);
    return text ? json_string(x->arena, text) : NULL;
}

// ---- numbers and switches

static json_t *
check_int(exchange_t *x, const char *name, const member_t *row, const json_t *value)
{
    bool is_id = row->kind == M_ID || row->kind == M_IDS;
    int64_t number, least = is_id ? 1 : row->min, most = is_id ? INT64_MAX : row->max;
    json_t given = *value;

    if (given.kind == JSON_STRING && given.length && given.length < 20
        && strspn(given.text, "0123456789") == given.length)
        given.kind = JSON_NUMBER;  // clients send ids as text
    if (given.kind != JSON_NUMBER || !json_int(&given, &number))
        return exchange_refuse(x, name, "must be a whole number"), NULL;
    if (is_id && number < least)
        return exchange_refuse(x, name, "must be an id, a positive number"), NULL;
    if (number < least || (most && number > most))
        return exchange_refuse(x, name,
                               "is out of bounds, %" PRId64 " to %" PRId64 " are allowed",
                               least, most),
               NULL;
    return json_number(x->arena, number);
}

static json_t *
check_flag(exchange_t *x, const char *name, const json_t *value)
{
    bool is_true = value->kind == JSON_STRING && strcmp(value->text, "true") == 0;
    bool is_false = value->kind == JSON_STRING && strcmp(value->text, "false") == 0;

    if (value->kind == JSON_BOOL)
        return json_bool(x->arena, value->truth);
    if (is_true || is_false)
        return json_bool(x->arena, is_true);
    return exchange_refuse(x, name, "must be true or false"), NULL;
}

// ---- lists and objects

static json_t *
split_texts(exchange_t *x, const char *text)
{
    json_t *list = json_array(x->arena);

    while (*text) {
        size_t size = strcspn(text, ",");
        if (size)
            json_add(list, json_string_sized(x->arena, text, size));
        text += size + (text[size] == ',');
    }
    return list;
}

static json_t *
check_list(exchange_t *x, const char *name, const member_t *row, const json_t *value)
{
    static const member_kind_t kinds[] = {
        [M_TEXTS] = M_NAME, [M_IDS] = M_ID, [M_OBJECTS] = M_OBJECT
    };
    size_t most = row->max ? (size_t) row->max : 1000;
    member_t each = *row;
    json_t *list = json_array(x->arena);

    each.kind = row->one_of ? M_TEXT : kinds[row->kind];
    each.min = each.max = 0;  // those of the list
    if (value->kind == JSON_STRING && (row->kind == M_TEXTS || row->kind == M_IDS))
        value = split_texts(x, value->text);
    if (value->kind != JSON_ARRAY)
        return exchange_refuse(x, name, "must be a list"), NULL;
    if (value->count < (size_t) row->min)
        return exchange_refuse(x, name, "needs at least %d", (int) row->min), NULL;
    if (value->count > most)
        return exchange_refuse(x, name, "has more than %zu entries", most), NULL;
    for (const json_t *entry = value->first; entry; entry = entry->next) {
        json_t *checked = check_value(x, name, &each, entry);
        if (!checked)
            return NULL;
        json_add(list, checked);
    }
    return list;
}

static const char *
known_members(arena_t *arena, const member_t *rows, size_t most)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    for (size_t i = 0; i < most && rows[i].name; i++)
        buffer_printf(&out, "%s%s", i ? ", " : "", rows[i].name);
    return out.size ? arena_strndup(arena, out.bytes, out.size) : "none";
}

static const member_t *
find_member(const member_t *rows, size_t most, const char *name)
{
    for (size_t i = 0; i < most && rows[i].name; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

// The members of `given` that the rows know, converted; NULL and x->why otherwise.
static json_t *
check_members(exchange_t *x, const char *what, const member_t *rows, size_t most,
              const json_t *given)
{
    json_t *checked = json_object(x->arena);

    for (const json_t *value = given->first; value; value = value->next) {
        const member_t *row = find_member(rows, most, value->key);
        if (!row)
            return fail_coded(&x->why, BAD_ARGS, "UNKNOWN_MEMBER",
                              "%s \"%.80s\" is not known here; known are: %s", what, value->key,
                              known_members(x->arena, rows, most)),
                   NULL;
        if (value->kind == JSON_NULL && row->kind != M_ANY)
            continue;  // null stands for "not given"
        json_t *member = check_value(x, row->name, row, value);
        if (!member)
            return NULL;
        json_set(x->arena, checked, row->name, member);
    }
    for (size_t i = 0; i < most && rows[i].name; i++)
        if (rows[i].must && !json_get(checked, rows[i].name))
            return fail_coded(&x->why, BAD_ARGS, "MISSING_MEMBER", "%s is missing: %s",
                              rows[i].name, rows[i].about),
                   NULL;
    return checked;
}

static size_t
depth(const json_t *value)
{
    size_t deepest = 0;

    for (const json_t *child = value->first; child; child = child->next) {
        size_t below = depth(child);
        deepest = below > deepest ? below : deepest;
    }
    return deepest + 1;
}

static json_t *
check_object(exchange_t *x, const char *name, const member_t *row, const json_t *value)
{
    if (row->kind != M_ANY && value->kind != JSON_OBJECT)
        return exchange_refuse(x, name, "must be an object"), NULL;
    size_t most = row->max ? (size_t) row->max : MEMBER_DEPTH_MAX;
    if (depth(value) > most)
        return exchange_refuse(x, name, "is nested deeper than %zu", most), NULL;
    if (!row->members)
        return json_copy(x->arena, value);
    const char *what = arena_printf(x->arena, "member of %s", name);
    return check_members(x, what, row->members, SIZE_MAX, value);
}

static json_t *
check_value(exchange_t *x, const char *name, const member_t *row, const json_t *value)
{
    switch (row->kind) {
    case M_NAME:
        return check_named(x, name, value);
    case M_TEXT:
    case M_SECRET:
        return check_text(x, name, row, value);
    case M_INT:
    case M_ID:
        return check_int(x, name, row, value);
    case M_FLAG:
        return check_flag(x, name, value);
    case M_TEXTS:
    case M_IDS:
    case M_OBJECTS:
        return check_list(x, name, row, value);
    case M_OBJECT:
    case M_ANY:
        return check_object(x, name, row, value);
    }
    return NULL;
}

// ---- body and query

status_t
check_body(exchange_t *x)
{
    // Who may send more than others is known, and sends results.
    const size_t values_max = x->route->body_max ? SIZE_MAX : INPUT_VALUES_MAX;
    json_document_t document;
    failure_t why;

    if (!x->body_size && !x->route->body[0].name)
        return x->given = json_object(x->arena), OK;
    if (!x->body_size)
        return fail_coded(&x->why, BAD_ARGS, "MALFORMED",
                          "the body is empty, a JSON object is expected");
    if (json_parse_within(x->arena, x->body, x->body_size, values_max, &document, &why))
        return fail_coded(&x->why, BAD_ARGS, "MALFORMED", "the body cannot be read: %s",
                          why.text);
    if (document.root->kind != JSON_OBJECT)
        return fail_coded(&x->why, BAD_ARGS, "MALFORMED", "the body must be a JSON object");
    if (document.duplicate)
        return fail_coded(&x->why, BAD_ARGS, "MALFORMED", "the body has \"%.80s\" twice",
                          document.duplicate->key);
    if (document.nul && !x->route->takes_nul)
        return fail_coded(&x->why, BAD_ARGS, "MALFORMED", "the body has a text with U+0000");
    x->given = check_members(x, "member", x->route->body, BODY_MEMBERS_MAX, document.root);
    return x->given ? OK : x->why.status;
}

status_t
check_query(exchange_t *x)
{
    json_t *given = json_object(x->arena);

    for (const char *part = x->query; *part;) {
        size_t size = strcspn(part, "&"), length = strcspn(part, "=&");
        char *name = percent_decode(x->arena, part, length, true);
        const char *rest = length < size ? part + length + 1 : part + length;
        char *text = percent_decode(x->arena, rest, (size_t) (part + size - rest), true);
        if (!name || !text)
            return fail_coded(&x->why, BAD_ARGS, "MALFORMED",
                              "the query has a broken %%-escape");
        if (json_get(given, name))
            return fail_coded(&x->why, BAD_ARGS, "MALFORMED", "the query has \"%.80s\" twice",
                              name);
        if (*name && *text)
            json_set_text(x->arena, given, name, text);
        part += size + (part[size] == '&');
    }
    x->arguments =
        check_members(x, "query argument", x->route->query, QUERY_MEMBERS_MAX, given);
    return x->arguments ? OK : x->why.status;
}
