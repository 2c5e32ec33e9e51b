// SPDX-License-Identifier: Apache-2.0
#include "formats/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "auto.h"

enum {
    MATCH_LIMIT = 100 * 1000,
    DEPTH_LIMIT = 1000,
    HEAP_LIMIT_KIB = 2048,
    MESSAGE_SIZE = 160,
};

static void
code_free(pcre2_code **self_p)
{
    pcre2_code_free(*self_p);
}

static pcre2_code *
compile(const char *pattern, uint32_t options, int *error, PCRE2_SIZE *offset)
{
    return pcre2_compile((PCRE2_SPTR) pattern, PCRE2_ZERO_TERMINATED,
                         PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | options, error, offset, NULL);
}

const char *
pattern_fault(arena_t *arena, const char *pattern)
{
    int error;
    PCRE2_SIZE offset;
    PCRE2_UCHAR message[MESSAGE_SIZE];
    AUTO(code_free) pcre2_code *code = compile(pattern, 0, &error, &offset);

    if (code)
        return NULL;
    pcre2_get_error_message(error, message, sizeof message);
    return arena_printf(arena, "%s at character %zu", (const char *) message, offset + 1);
}

bool
pattern_matches(const char *pattern, const char *text)
{
    int error;
    PCRE2_SIZE offset;
    AUTO(code_free) pcre2_code *code = compile(pattern, PCRE2_ALT_BSUX, &error, &offset);

    if (!code)
        return false;
    pcre2_match_data *data = pcre2_match_data_create_from_pattern(code, NULL);
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(context, MATCH_LIMIT);
    pcre2_set_depth_limit(context, DEPTH_LIMIT);
    pcre2_set_heap_limit(context, HEAP_LIMIT_KIB);
    int found = pcre2_match(code, (PCRE2_SPTR) text, strlen(text), 0, 0, data, context);
    pcre2_match_context_free(context);
    pcre2_match_data_free(data);
    return found >= 0;
}
