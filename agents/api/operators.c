// SPDX-License-Identifier: Apache-2.0
#include "api/operators.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "auto.h"

enum { MATCH_LIMIT = 100 * 1000, DEPTH_LIMIT = 1000 };

typedef bool operator_fn(arena_t *arena, const json_t *actual, const json_t *wanted,
                         failure_t *why);

// Text of a value for the operators on text: a string as it is, everything else as JSON.
static const char *
text_of(arena_t *arena, const json_t *value)
{
    return value->kind == JSON_STRING ? value->text : json_text(arena, value);
}

static bool
equals(arena_t *arena, const json_t *actual, const json_t *wanted, failure_t *why)
{
    return actual && wanted && json_equal(actual, wanted);
}

static bool
differs(arena_t *arena, const json_t *actual, const json_t *wanted, failure_t *why)
{
    return actual && wanted && !json_equal(actual, wanted);
}

static bool
exists(arena_t *arena, const json_t *actual, const json_t *wanted, failure_t *why)
{
    return actual != NULL;
}

static bool
is_absent(arena_t *arena, const json_t *actual, const json_t *wanted, failure_t *why)
{
    return actual == NULL;
}

static bool
holds_member(const json_t *list, const json_t *wanted)
{
    for (const json_t *item = list->first; item; item = item->next)
        if (json_equal(item, wanted))
            return true;
    return false;
}

// An element of a list, a member of an object, a part of a text.
static bool
contains(arena_t *arena, const json_t *actual, const json_t *wanted, failure_t *why)
{
    if (!actual || !wanted)
        return false;
    if (actual->kind == JSON_ARRAY)
        return holds_member(actual, wanted);
    if (actual->kind == JSON_OBJECT && wanted->kind == JSON_STRING)
        return json_get(actual, wanted->text) != NULL;
    return strstr(text_of(arena, actual), text_of(arena, wanted)) != NULL;
}

static bool
lacks(arena_t *arena, const json_t *actual, const json_t *wanted, failure_t *why)
{
    return actual && wanted && !contains(arena, actual, wanted, why);
}

static bool
starts_with(arena_t *arena, const json_t *actual, const json_t *wanted, failure_t *why)
{
    if (!actual || !wanted)
        return false;
    const char *start = text_of(arena, wanted);
    return !strncmp(text_of(arena, actual), start, strlen(start));
}

static bool
ends_with(arena_t *arena, const json_t *actual, const json_t *wanted, failure_t *why)
{
    if (!actual || !wanted)
        return false;
    const char *text = text_of(arena, actual), *end = text_of(arena, wanted);
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && !strcmp(text + size - end_size, end);
}

static void
free_code(pcre2_code **code_p)
{
    pcre2_code_free(*code_p);
}

static bool
run_pattern(pcre2_code *code, const char *text, failure_t *why)
{
    pcre2_match_data *data = pcre2_match_data_create_from_pattern(code, NULL);
    pcre2_match_context *context = pcre2_match_context_create(NULL);

    pcre2_set_match_limit(context, MATCH_LIMIT);
    pcre2_set_depth_limit(context, DEPTH_LIMIT);
    int rc = pcre2_match(code, (PCRE2_SPTR) text, strlen(text), 0, 0, data, context);
    pcre2_match_context_free(context);
    pcre2_match_data_free(data);
    if (rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_DEPTHLIMIT
        || rc == PCRE2_ERROR_HEAPLIMIT)
        fail(why, TOO_LARGE, "the pattern takes too long on this text; make it simpler");
    else if (rc < 0 && rc != PCRE2_ERROR_NOMATCH)
        fail(why, BAD_ARGS, "the pattern cannot be used on this text (PCRE2 says %d)", rc);
    return rc >= 0;
}

static bool
matches(arena_t *arena, const json_t *actual, const json_t *wanted, failure_t *why)
{
    int error;
    PCRE2_SIZE offset;

    if (!actual || !wanted || wanted->kind != JSON_STRING)
        return false;
    AUTO(free_code)
    pcre2_code *code = pcre2_compile(
        (PCRE2_SPTR) wanted->text, wanted->length,
        PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C, &error, &offset, NULL);
    if (!code) {
        PCRE2_UCHAR message[128];
        pcre2_get_error_message(error, message, sizeof message);
        fail(why, BAD_ARGS, "the pattern is wrong at character %zu: %s", (size_t) offset,
             (const char *) message);
        return false;
    }
    return run_pattern(code, text_of(arena, actual), why);
}

static bool
has_type(arena_t *arena, const json_t *actual, const json_t *wanted, failure_t *why)
{
    static const char *const names[] = { "null",   "boolean", "number",
                                         "string", "array",   "object" };
    int64_t number;

    if (!actual || !wanted || wanted->kind != JSON_STRING)
        return false;
    if (!strcmp(wanted->text, "integer"))
        return json_int(actual, &number);
    return !strcmp(wanted->text, names[actual->kind]);
}

// Code points of a text, elements of a list, members of an object.
static size_t
length_of(const json_t *value)
{
    size_t length = 0;

    if (value->kind == JSON_ARRAY || value->kind == JSON_OBJECT)
        return value->count;
    for (size_t i = 0; i < value->length; i++)
        length += ((unsigned char) value->text[i] & 0xc0) != 0x80;
    return length;
}

static bool
has_length(arena_t *arena, const json_t *actual, const json_t *wanted, failure_t *why)
{
    int64_t length;

    if (!actual || !wanted || actual->kind == JSON_NULL || actual->kind == JSON_BOOL)
        return false;
    return json_int(wanted, &length) && length >= 0 && length_of(actual) == (size_t) length;
}

static bool
both_numbers(const json_t *actual, const json_t *wanted)
{
    return actual && wanted && actual->kind == JSON_NUMBER && wanted->kind == JSON_NUMBER;
}

static bool
is_less(arena_t *arena, const json_t *actual, const json_t *wanted, failure_t *why)
{
    return both_numbers(actual, wanted) && json_number_compare(actual->text, wanted->text) < 0;
}

static bool
is_greater(arena_t *arena, const json_t *actual, const json_t *wanted, failure_t *why)
{
    return both_numbers(actual, wanted) && json_number_compare(actual->text, wanted->text) > 0;
}

static int
days_in(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return month == 2 && is_leap ? 29 : days[month - 1];
}

// Whether `text` begins with the form: 0 stands for any digit, the rest for itself.
static bool
has_form(const char *text, const char *form)
{
    for (; *form; form++, text++)
        if (*form == '0' ? *text < '0' || *text > '9' : *text != *form)
            return false;
    return true;
}

static int
two_digits(const char *text)
{
    return (text[0] - '0') * 10 + text[1] - '0';
}

static bool
is_day(const char *text)
{
    int year = two_digits(text) * 100 + two_digits(text + 2);
    int month = two_digits(text + 5), day = two_digits(text + 8);

    return month >= 1 && month <= 12 && day >= 1 && day <= days_in(year, month);
}

static bool
is_zone(const char *text)
{
    if (!strcmp(text, "Z") || !strcmp(text, "z"))
        return true;
    return strlen(text) == 6 && (has_form(text, "+00:00") || has_form(text, "-00:00"))
           && two_digits(text + 1) <= 23 && two_digits(text + 4) <= 59;
}

// date-time of RFC 3339: a real day, seconds up to a leap second's 60, a zone.
static bool
is_date_time(const char *text)
{
    if (!has_form(text, "0000-00-00T00:00:00") && !has_form(text, "0000-00-00t00:00:00"))
        return false;
    if (!is_day(text) || two_digits(text + 11) > 23 || two_digits(text + 14) > 59
        || two_digits(text + 17) > 60)
        return false;
    const char *rest = text + strlen("0000-00-00T00:00:00");
    size_t digits = *rest == '.' ? strspn(rest + 1, "0123456789") : 0;
    return (*rest != '.' || digits) && is_zone(digits ? rest + 1 + digits : rest);
}

static bool
is_iso_date(arena_t *arena, const json_t *actual, const json_t *wanted, failure_t *why)
{
    return actual && actual->kind == JSON_STRING && is_date_time(actual->text);
}

// clang-format off
static const struct {
    const char *name;
    operator_fn *holds;
} operators[] = {
    { "equals",      equals },       { "notEquals",   differs },
    { "exists",      exists },       { "notExists",   is_absent },
    { "contains",    contains },     { "notContains", lacks },
    { "startsWith",  starts_with },  { "endsWith",    ends_with },
    { "matches",     matches },      { "type",        has_type },
    { "length",      has_length },   { "isIsoDate",   is_iso_date },
    { "lessThan",    is_less },      { "greaterThan", is_greater },
};
// clang-format on

bool
operator_holds(arena_t *arena, const char *name, const json_t *actual, const json_t *wanted,
               failure_t *why)
{
    for (size_t i = 0; i < ROWS(operators); i++)
        if (!strcmp(operators[i].name, name))
            return operators[i].holds(arena, actual, wanted, why);
    fail(why, BAD_ARGS, "there is no check %s", name);
    return false;
}
