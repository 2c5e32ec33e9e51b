// SPDX-License-Identifier: Apache-2.0
#define PCRE2_CODE_UNIT_WIDTH 8
#include "jsonpath_regex.h"

#include <pcre2.h>
#include <stdlib.h>

enum { MATCH_LIMIT = 200 * 1000, DEPTH_LIMIT = 2000, HEAP_LIMIT_KIB = 8 * 1024 };

struct path_regex {
    pcre2_code *code;
};

static void *
take_from_arena(size_t size, void *arena)
{
    return arena_alloc(arena, size);
}

static void
leave_to_arena(void *memory, void *arena)
{
}

path_regex_t *
path_regex_new(arena_t *arena, const json_t *pattern, bool is_whole)
{
    pcre2_general_context *general =
        pcre2_general_context_create(take_from_arena, leave_to_arena, arena);
    pcre2_compile_context *context = pcre2_compile_context_create(general);
    uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_DOLLAR_ENDONLY
                       | (is_whole ? PCRE2_ANCHORED | PCRE2_ENDANCHORED : 0);
    int error;
    size_t offset;

    // So that a dot matches neither \n nor \r, and everything else.
    pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF);
    pcre2_code *code = pcre2_compile((PCRE2_SPTR) pattern->text, pattern->length, options,
                                     &error, &offset, context);
    if (!code)
        return NULL;
    path_regex_t *self = arena_alloc(arena, sizeof *self);
    self->code = code;
    return self;
}

path_regex_result_t
path_regex_match(const path_regex_t *self, const json_t *text)
{
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);

    if (!context || !data)
        abort();  // out of memory
    pcre2_set_match_limit(context, MATCH_LIMIT);
    pcre2_set_depth_limit(context, DEPTH_LIMIT);
    pcre2_set_heap_limit(context, HEAP_LIMIT_KIB);
    int result =
        pcre2_match(self->code, (PCRE2_SPTR) text->text, text->length, 0, 0, data, context);
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    if (result >= 0)
        return REGEX_YES;
    bool is_over = result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_DEPTHLIMIT
                   || result == PCRE2_ERROR_HEAPLIMIT || result == PCRE2_ERROR_NOMEMORY;
    return is_over ? REGEX_TOO_COSTLY : REGEX_NO;
}
