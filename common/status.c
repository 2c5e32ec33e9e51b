// SPDX-License-Identifier: Apache-2.0
#include "status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "auto.h"

typedef struct {
    outcome_t outcome;
    int rpc;
    int http;
    const char *text;
} status_row_t;

#define STATUS_ROW(name, outcome, rpc, http, text) { outcome, rpc, http, text },
static const status_row_t rows[] = { STATUSES(STATUS_ROW) };

static const char *const lower[] = {
    [OK] = "ok",
    [NARROWED] = "narrowed",
    [BAD_ARGS] = "bad_args",
    [NOT_FOUND] = "not_found",
    [UNAUTHORIZED] = "unauthorized",
    [DENIED] = "denied",
    [CONFLICT] = "conflict",
    [TOO_LARGE] = "too_large",
    [BUSY] = "busy",
    [BACKEND] = "backend",
    [TIMEOUT] = "timeout",
    [CANCELLED] = "cancelled",
    [UNKNOWN] = "unknown",
    [NO_TOOL] = "no_tool",
    [INPUT_REQUIRED] = "input_required",
    [MISSING_CAPABILITY] = "missing_capability",
    [BAD_REQUEST] = "bad_request",
};

static const char *const outcomes[OUTCOME_COUNT] = {
    [DONE] = "ok",
    [FAILED] = "failed",
    [NOT_SENT] = "not_sent",
    [UNKNOWN_OUTCOME] = "unknown",
    [CANCELLED_OUTCOME] = "cancelled",
};

// A number from the wire may be none of ours.
static const status_row_t *
row(status_t status)
{
    return &rows[(unsigned) status < STATUS_COUNT ? status : UNKNOWN];
}

// Takes half a code point off the end of a text that was cut.
static void
trim_to_code_point(char *text, size_t length)
{
    size_t start = length;

    while (start > 0 && ((unsigned char) text[start - 1] & 0xc0) == 0x80)
        start--;
    if (start == 0)
        return;
    unsigned char lead = (unsigned char) text[start - 1];
    size_t want = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    if (length - (start - 1) < want)
        text[start - 1] = '\0';
}

__attribute__((format(printf, 4, 0))) static void
record(failure_t *why, status_t status, const char *code, const char *format, va_list args)
{
    why->status = status;
    why->outcome = status_outcome(status);
    snprintf(why->code, sizeof why->code, "%s", code);
    int wanted = vsnprintf(why->text, sizeof why->text, format, args);
    if (wanted >= (int) sizeof why->text)
        trim_to_code_point(why->text, strlen(why->text));
}

status_t
fail(failure_t *why, status_t status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    record(why, status, "", format, args);
    va_end(args);
    return status;
}

status_t
fail_coded(failure_t *why, status_t status, const char *code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    record(why, status, code, format, args);
    va_end(args);
    return status;
}

const char *
status_name(status_t status)
{
    return lower[(unsigned) status < STATUS_COUNT ? status : UNKNOWN];
}

const char *
status_text(status_t status)
{
    return row(status)->text;
}

int
status_http(status_t status)
{
    return row(status)->http;
}

int
status_rpc(status_t status)
{
    return row(status)->rpc;
}

outcome_t
status_outcome(status_t status)
{
    return row(status)->outcome;
}

status_t
status_from_http(long code)
{
    if (code >= 200 && code < 300)
        return OK;
    switch (code) {
    case 400:
    case 422:
        return BAD_ARGS;
    case 401:
        return UNAUTHORIZED;
    case 403:
        return DENIED;
    case 404:
        return NOT_FOUND;
    case 409:
        return CONFLICT;
    case 413:
        return TOO_LARGE;
    case 429:
    case 503:
        return BUSY;
    default:
        return BACKEND;
    }
}

const char *
outcome_name(outcome_t outcome)
{
    return outcomes[(unsigned) outcome < OUTCOME_COUNT ? outcome : UNKNOWN_OUTCOME];
}
