// SPDX-License-Identifier: Apache-2.0
#include "match.h"

#include <stdlib.h>
#include <string.h>
#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>
#include <unistr.h>

#include "auto.h"
#include "buffer.h"
#include "clean.h"

static const char *const placeholders[] = { "null", "None", "undefined", "<nil>" };

static bool
is_ascii_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// True if the trimmed text is an id in its one spelling.
static bool
is_id(const char *text, size_t length, int64_t *id_p)
{
    int64_t id = 0;

    if (!length || (text[0] == '0' && length > 1))
        return false;
    for (size_t i = 0; i < length; i++)
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(id, 10, &id)
            || __builtin_add_overflow(id, text[i] - '0', &id))
            return false;
    *id_p = id;
    return true;
}

static bool
is_placeholder(const char *text, size_t length)
{
    for (size_t i = 0; i < ROWS(placeholders); i++)
        if (strlen(placeholders[i]) == length && !memcmp(placeholders[i], text, length))
            return true;
    return false;
}

wanted_t
match_wanted(const char *text, int64_t *id_p)
{
    AUTO(buffer_clear) buffer_t seen = { 0 };

    if (!text)
        return WANTED_MISSING;
    while (is_ascii_space(*text))
        text++;
    size_t length = strlen(text);
    while (length && is_ascii_space(text[length - 1]))
        length--;
    if (is_id(text, length, id_p))
        return WANTED_ID;
    if (is_placeholder(text, length))
        return WANTED_PLACEHOLDER;
    clean_add(&seen, text, length, 1);
    return seen.size ? WANTED_NAME : WANTED_MISSING;
}

static bool
is_ascii(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char) text[i] >= 0x80)
            return false;
    return true;
}

static void
lower_ascii(char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] >= 'A' && text[i] <= 'Z')
            text[i] += 'a' - 'A';
}

// Canonical caseless form: NFC before folding, so that a decomposed capital folds like a
// composed one, and after it, because folding may decompose. NULL only for want of memory.
static char *
fold_unicode(const char *text, size_t length)
{
    size_t size;
    uint8_t *composed = u8_normalize(UNINORM_NFC, (const uint8_t *) text, length, NULL, &size);

    if (!composed)
        return NULL;
    uint8_t *folded = u8_casefold(composed, size, NULL, UNINORM_NFC, NULL, &size);
    free(composed);
    if (!folded)
        return NULL;
    char *result = strndup((const char *) folded, size);
    free(folded);
    return result;
}

char *
match_fold(const char *text, size_t length)
{
    AUTO(buffer_clear) buffer_t seen = { 0 };

    clean_add(&seen, text, length, SIZE_MAX);
    if (is_ascii(seen.bytes, seen.size)) {
        lower_ascii(seen.bytes, seen.size);
        return buffer_take(&seen, NULL);
    }
    char *folded = fold_unicode(seen.bytes, seen.size);
    return folded ? folded : buffer_take(&seen, NULL);
}

// A match that ends inside a character (before its combining mark) is none: "i" is not in "i̇".
static bool
ends_at_character(const char *rest)
{
    ucs4_t point;

    if ((unsigned char) *rest < 0x80)
        return true;
    u8_strmbtouc(&point, (const uint8_t *) rest);
    return !uc_combining_class(point);
}

static bool
contains(const char *text, const char *part, size_t part_length)
{
    while ((text = strstr(text, part))) {
        if (ends_at_character(text + part_length))
            return true;
        text++;
    }
    return false;
}

static match_t
verdict(size_t matched)
{
    return matched == 0 ? MATCH_NOT_FOUND : matched == 1 ? MATCH_FOUND : MATCH_AMBIGUOUS;
}

match_t
match_exact(const char *wanted, const entity_t *const *entities, size_t count,
            const entity_t **matches, size_t *matched_p)
{
    size_t matched = 0;

    for (size_t i = 0; i < count; i++)
        if (!strcmp(entities[i]->folded, wanted))
            matches[matched++] = entities[i];
    *matched_p = matched;
    return verdict(matched);
}

match_t
match_name(const char *wanted, const entity_t *const *entities, size_t count,
           const entity_t **matches, size_t *matched_p)
{
    size_t length = strlen(wanted), matched = 0;

    match_t exact = match_exact(wanted, entities, count, matches, matched_p);
    if (exact != MATCH_NOT_FOUND)
        return exact;
    for (size_t i = 0; i < count; i++)
        if (contains(entities[i]->folded, wanted, length))
            matches[matched++] = entities[i];
    *matched_p = matched;
    return verdict(matched);
}
