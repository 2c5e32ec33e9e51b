// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <string.h>
#include <strings.h>

#include "auto.h"
#include "limits.h"

enum {
    TEXT_MAX = 4 * KIB,  // characters of a TEXT whose row names no other limit
    SHOWN_MAX = 60,      // bytes of a refused value that the message repeats
    ITEMS_MAX = 1000,    // of a list, and members of an object whose members are described
    KEY_MAX = 180,       // of an idempotency key: the platform's 200 less what the runtime adds
};

// The value that is being looked at and where it stands: "steps[2].name".
typedef struct {
    arena_t *arena;
    const char *path;
    failure_t *why;
} place_t;

typedef status_t convert_fn(const place_t *place, const field_t *field, const json_t *given,
                            json_t **value_p);

static convert_fn convert;

// Members that clients add on their own; a row may still have a parameter of that name.
static const char *const additions[] = { "_meta", "toolCallId", "sessionId", "chatInput",
                                         "action" };

static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *
trim(arena_t *arena, const json_t *string)
{
    const char *begin = string->text;
    const char *end = begin + string->length;

    while (begin < end && is_space(*begin))
        begin++;
    while (end > begin && is_space(end[-1]))
        end--;
    return arena_strndup(arena, begin, (size_t) (end - begin));
}

static bool
is_blank(const json_t *value)
{
    if (!value || value->kind == JSON_NULL)
        return true;
    if (value->kind != JSON_STRING)
        return false;
    for (size_t i = 0; i < value->length; i++)
        if (!is_space(value->text[i]))
            return false;
    return true;
}

bool
arguments_is_missing(const json_t *value)
{
    return is_blank(value) || (value->kind == JSON_STRING && !strcmp(value->text, "null"));
}

// "null" can be meant where text has to be given; everywhere else it is a client's nothing.
static bool
is_left_out(const field_t *field, const json_t *value)
{
    const int kind = field->kind & KIND_MASK;

    if (kind == ANY)
        return !value;
    return kind == TEXT && field->kind & MUST ? is_blank(value) : arguments_is_missing(value);
}

static const char *
shown(const place_t *place, const field_t *field, const json_t *value)
{
    if (field->kind & SECRET)
        return "something else";
    char *text = json_text(place->arena, value);
    size_t length = strlen(text);
    if (length <= SHOWN_MAX)
        return text;
    for (length = SHOWN_MAX; (text[length] & 0xc0) == 0x80; length--)
        ;
    return arena_printf(place->arena, "%.*s…", (int) length, text);
}

// "quick, phased or custom"
static const char *
choices(arena_t *arena, const char *one_of)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    while (*one_of) {
        size_t length = strcspn(one_of, "|");
        bool is_last = !strchr(one_of + length + (one_of[length] == '|'), '|');
        buffer_add(&out, one_of, length);
        one_of += length + (one_of[length] == '|');
        if (*one_of)
            buffer_text(&out, is_last ? " or " : ", ");
    }
    return arena_strdup(arena, out.bytes);
}

static const char *
expected(const place_t *place, const field_t *field)
{
    const bool is_bound = field->min || field->max;

    if (field->one_of)
        return choices(place->arena, field->one_of);
    switch (field->kind & KIND_MASK) {
    case TEXT:
        return "text";
    case NUMBER:
        if (is_bound && field->max >= field->min)
            return arena_printf(place->arena, "an integer from %lld to %lld",
                                (long long) field->min, (long long) field->max);
        return is_bound ? arena_printf(place->arena, "an integer of at least %lld",
                                       (long long) field->min)
                        : "an integer";
    case DECIMAL:
        return "a number";
    case FLAG:
        return "true or false";
    case OBJECT:
        return "an object";
    default:
        return "a name or an id";
    }
}

static status_t
refuse(const place_t *place, const field_t *field, const json_t *given)
{
    return fail(place->why, BAD_ARGS, "%s: expected %s, got %s", place->path,
                expected(place, field), shown(place, field, given));
}

static size_t
count_characters(const json_t *string)
{
    size_t count = 0;

    for (size_t i = 0; i < string->length; i++)
        count += (string->text[i] & 0xc0) != 0x80;
    return count;
}

// Finds the spelling of the row for what was given in any letter case.
static status_t
choose(const place_t *place, const field_t *field, const json_t *given, json_t **value_p)
{
    const char *wanted = trim(place->arena, given);
    const char *choice = field->one_of;

    while (*choice) {
        size_t length = strcspn(choice, "|");
        if (strlen(wanted) == length && !strncasecmp(wanted, choice, length)) {
            *value_p = json_string_sized(place->arena, choice, length);
            return OK;
        }
        choice += length + (choice[length] == '|');
    }
    return refuse(place, field, given);
}

static status_t
convert_text(const place_t *place, const field_t *field, const json_t *given, json_t **value_p)
{
    const size_t most = field->max ? (size_t) field->max : TEXT_MAX;

    if (given->kind != JSON_STRING && given->kind != JSON_NUMBER)
        return refuse(place, field, given);
    if (field->one_of)
        return choose(place, field, given, value_p);
    if (count_characters(given) > most)
        return fail(place->why, BAD_ARGS, "%s: longer than %zu characters", place->path, most);
    *value_p = json_string_sized(place->arena, given->text, given->length);
    return OK;
}

// 12, -3 and 2.0, but neither 2.5, 1e2, +5 nor 0x10: people write integers that way in text.
static bool
is_integer_text(const char *text)
{
    text += *text == '-';
    size_t digits = strspn(text, "0123456789");
    if (!digits)
        return false;
    text += digits;
    if (*text == '.') {
        size_t zeros = strspn(text + 1, "0");
        return zeros && !text[1 + zeros];
    }
    return !*text;
}

// Leading zeros are no JSON: "007" is read as 7.
static bool
read_integer(arena_t *arena, const char *text, int64_t *value_p)
{
    const char *sign = *text == '-' ? "-" : "";

    text += *text == '-';
    while (*text == '0' && text[1] >= '0' && text[1] <= '9')
        text++;
    return json_int(json_number_text(arena, arena_printf(arena, "%s%s", sign, text)), value_p);
}

static status_t
convert_number(const place_t *place, const field_t *field, const json_t *given,
               json_t **value_p)
{
    int64_t value;

    if (given->kind == JSON_STRING) {
        const char *text = trim(place->arena, given);
        if (!is_integer_text(text) || !read_integer(place->arena, text, &value))
            return refuse(place, field, given);
    } else if (given->kind != JSON_NUMBER || !json_int(given, &value)) {
        return refuse(place, field, given);
    }
    const bool is_bound = field->min || field->max;
    const bool has_top = field->max >= field->min;
    if (is_bound && (value < field->min || (has_top && value > field->max)))
        return refuse(place, field, given);
    *value_p = json_number(place->arena, value);
    return OK;
}

// JSON that came as text, by the rules for JSON that came as such; NULL if it is none.
static const json_t *
decode(arena_t *arena, const char *text)
{
    json_document_t document;
    failure_t why;

    if (json_parse_within(arena, text, strlen(text), INPUT_VALUES_MAX, &document, &why)
        || document.duplicate || document.nul)
        return NULL;
    return document.root;
}

static status_t
convert_decimal(const place_t *place, const field_t *field, const json_t *given,
                json_t **value_p)
{
    const json_t *number = given;

    if (given->kind == JSON_STRING)
        number = decode(place->arena, trim(place->arena, given));
    if (!number || number->kind != JSON_NUMBER)
        return refuse(place, field, given);
    *value_p = json_copy(place->arena, number);
    return OK;
}

static status_t
convert_flag(const place_t *place, const field_t *field, const json_t *given, json_t **value_p)
{
    bool truth = given->kind == JSON_BOOL && given->truth;

    if (given->kind == JSON_STRING) {
        const char *text = trim(place->arena, given);
        truth = !strcasecmp(text, "true");
        if (!truth && strcasecmp(text, "false"))
            return refuse(place, field, given);
    } else if (given->kind != JSON_BOOL) {
        return refuse(place, field, given);
    }
    *value_p = json_bool(place->arena, truth);
    return OK;
}

// Digits beyond int64 and numbers with a fraction can only be names.
static status_t
convert_reference(const place_t *place, const field_t *field, const json_t *given,
                  json_t **value_p)
{
    int64_t id;

    if (given->kind == JSON_NUMBER && json_int(given, &id)) {
        *value_p = json_number(place->arena, id);
        return OK;
    }
    return convert_text(place, field, given, value_p);
}

static const field_t *
find_field(const field_t *fields, const json_t *member)
{
    for (const field_t *field = fields; field->name; field++)
        if (strlen(field->name) == member->key_length && !strcmp(field->name, member->key))
            return field;
    return NULL;
}

// What the row does not describe goes on as it is: the platform refuses what it does not know.
static status_t
convert_members(const place_t *place, const field_t *fields, const json_t *given,
                json_t **value_p)
{
    json_t *object = json_object(place->arena);

    if (given->count > ITEMS_MAX)
        return fail(place->why, BAD_ARGS, "%s: more than %d members", place->path, ITEMS_MAX);
    for (const json_t *member = given->first; member; member = member->next) {
        const field_t *field = find_field(fields, member);
        json_t *value = NULL;
        place_t below = { place->arena, NULL, place->why };
        below.path = arena_printf(place->arena, "%s.%s", place->path, member->key);
        if (!field)
            value = json_copy(place->arena, member);
        else if (!is_left_out(field, member) && convert(&below, field, member, &value))
            return place->why->status;
        if (value)
            json_set(place->arena, object, member->key, value);
    }
    for (const field_t *field = fields; field->name; field++)
        if (field->kind & MUST && !json_get(object, field->name))
            return fail(place->why, BAD_ARGS, "%s.%s is missing: %s", place->path, field->name,
                        field->about);
    *value_p = object;
    return OK;
}

static status_t
convert_object(const place_t *place, const field_t *field, const json_t *given,
               json_t **value_p)
{
    const json_t *object = given;

    if (given->kind == JSON_STRING)
        object = decode(place->arena, given->text);
    if (!object || object->kind != JSON_OBJECT)
        return refuse(place, field, given);
    if (field->fields)
        return convert_members(place, field->fields, object, value_p);
    *value_p = json_copy(place->arena, object);
    return OK;
}

static status_t
convert_one(const place_t *place, const field_t *field, const json_t *given, json_t **value_p)
{
    switch (field->kind & KIND_MASK) {
    case TEXT:
        return convert_text(place, field, given, value_p);
    case NUMBER:
        return convert_number(place, field, given, value_p);
    case DECIMAL:
        return convert_decimal(place, field, given, value_p);
    case FLAG:
        return convert_flag(place, field, given, value_p);
    case OBJECT:
        return convert_object(place, field, given, value_p);
    case ANY:
        *value_p = json_copy(place->arena, given);
        return OK;
    default:
        return convert_reference(place, field, given, value_p);
    }
}

// One piece more than a list may have says that there are too many.
static json_t *
split_at_commas(arena_t *arena, const json_t *string)
{
    json_t *list = json_array(arena);
    const char *rest = string->text;

    while (*rest && list->count <= ITEMS_MAX) {
        size_t length = strcspn(rest, ",");
        json_t *piece = json_string_sized(arena, rest, length);
        json_add(list, json_string(arena, trim(arena, piece)));
        rest += length + (rest[length] == ',');
    }
    return list;
}

// A list stands for itself; a string for the list that is encoded in it or separated by commas
// in it; anything else for a list of one.
static const json_t *
as_list(arena_t *arena, const field_t *field, const json_t *given)
{
    const int kind = field->kind & KIND_MASK;

    if (given->kind == JSON_ARRAY)
        return given;
    if (given->kind == JSON_STRING) {
        const json_t *decoded = decode(arena, given->text);
        if (decoded && decoded->kind == JSON_ARRAY)
            return decoded;
        if (kind == TEXT || kind == NUMBER || kind == DECIMAL)
            return split_at_commas(arena, given);
    }
    json_t *list = json_array(arena);
    json_add(list, json_copy(arena, given));
    return list;
}

static status_t
convert_list(const place_t *place, const field_t *field, const json_t *given, json_t **value_p)
{
    json_t *list = json_array(place->arena);
    const bool takes_nothing = (field->kind & KIND_MASK) == ANY;
    size_t index = 0;

    given = as_list(place->arena, field, given);
    if (given->count > ITEMS_MAX)
        return fail(place->why, BAD_ARGS, "%s: more than %d items", place->path, ITEMS_MAX);
    for (const json_t *item = given->first; item; item = item->next, index++) {
        json_t *value = NULL;
        place_t below = { place->arena, NULL, place->why };
        below.path = arena_printf(place->arena, "%s[%zu]", place->path, index);
        if (!takes_nothing && arguments_is_missing(item))
            continue;
        if (convert_one(&below, field, item, &value))
            return place->why->status;
        json_add(list, value);
    }
    *value_p = list;
    return OK;
}

static status_t
convert(const place_t *place, const field_t *field, const json_t *given, json_t **value_p)
{
    if (field->kind & MANY)
        return convert_list(place, field, given, value_p);
    return convert_one(place, field, given, value_p);
}

static bool
has_nul(const json_t *value)
{
    if (value->key && strlen(value->key) != value->key_length)
        return true;
    if (value->kind == JSON_STRING)
        return strlen(value->text) != value->length;
    for (const json_t *child = value->first; child; child = child->next)
        if (has_nul(child))
            return true;
    return false;
}

static bool
is_addition(const json_t *member)
{
    for (size_t i = 0; i < ROWS(additions); i++)
        if (!strcmp(member->key, additions[i]))
            return true;
    return false;
}

static status_t
refuse_unknown(arena_t *arena, const tool_t *tool, const json_t *member, failure_t *why)
{
    AUTO(buffer_clear) buffer_t known = { 0 };
    const char *separator = "";

    for (const field_t *param = tool->params; param->name; param++, separator = ", ")
        buffer_printf(&known, "%s%s", separator, param->name);
    if (tool->effect != READS)
        buffer_printf(&known, "%sidempotency_key", separator);
    json_t *name = json_string_sized(arena, member->key, member->key_length);
    const field_t shown_as = { .kind = TEXT };
    const place_t place = { arena, NULL, why };
    return fail(why, BAD_ARGS, "%s has no argument %s; it takes %s", tool->name,
                shown(&place, &shown_as, name), known.size ? known.bytes : "none");
}

// The key itself came with the call's envelope; here it is only looked at.
static status_t
check_key(const json_t *key, failure_t *why)
{
    if (key->kind != JSON_STRING || key->length > KEY_MAX)
        return fail(why, BAD_ARGS, "idempotency_key: expected text of at most %d characters",
                    KEY_MAX);
    for (size_t i = 0; i < key->length; i++)
        if (key->text[i] < '!' || key->text[i] > '~')
            return fail(why, BAD_ARGS,
                        "idempotency_key: expected visible ASCII characters without spaces");
    return OK;
}

// Models fill every property: an empty list is nothing, unless it is objects that have to be there.
static bool
is_empty_list(const field_t *param, const json_t *value)
{
    if (!(param->kind & MANY) || value->count)
        return false;
    return !(param->kind & MUST) || (param->kind & KIND_MASK) == TEXT;
}

static status_t
check_member(const place_t *place, const tool_t *tool, const json_t *member, json_t *checked)
{
    const field_t *param = find_field(tool->params, member);
    json_t *value = NULL;

    if (!param && is_addition(member))
        return OK;
    if (!param && tool->effect != READS && !strcmp(member->key, "idempotency_key"))
        return arguments_is_missing(member) ? OK : check_key(member, place->why);
    if (!param)
        return refuse_unknown(place->arena, tool, member, place->why);
    if (is_left_out(param, member))
        return OK;
    if (convert(place, param, member, &value))
        return place->why->status;
    if (!is_empty_list(param, value))
        json_set(place->arena, checked, param->name, value);
    return OK;
}

static status_t
check_missing(const tool_t *tool, const json_t *checked, failure_t *why)
{
    AUTO(buffer_clear) buffer_t missing = { 0 };

    for (const field_t *param = tool->params; param->name; param++)
        if (param->kind & MUST && !KIND_IS_REFERENCE(param->kind)
            && !json_get(checked, param->name))
            buffer_printf(&missing, "%s%s (%s)", missing.size ? ", " : "", param->name,
                          param->about);
    if (!missing.size)
        return OK;
    return fail(why, BAD_ARGS, "%s needs %s", tool->name, missing.bytes);
}

status_t
arguments_check(arena_t *arena, const tool_t *tool, const json_t *given, json_t **checked_p,
                failure_t *why)
{
    json_t *checked = json_object(arena);

    if (given && given->kind == JSON_NULL)
        given = NULL;
    if (given && given->kind != JSON_OBJECT)
        return fail(why, BAD_ARGS, "the arguments must be an object");
    if (given && has_nul(given))
        return fail(why, BAD_ARGS, "the arguments hold U+0000, which no text may");
    for (const json_t *member = given ? given->first : NULL; member; member = member->next) {
        const place_t place = { arena, member->key, why };
        if (check_member(&place, tool, member, checked))
            return why->status;
    }
    if (check_missing(tool, checked, why))
        return why->status;
    *checked_p = checked;
    return OK;
}
