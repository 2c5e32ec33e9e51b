// SPDX-License-Identifier: Apache-2.0
// How a call can end. Statuses travel between processes; the outcome is what the caller may
// conclude from one: whether a write happened, and whether repeating it is safe.

#ifndef PROOFARC_STATUS_H
#define PROOFARC_STATUS_H

// clang-format off
// name, outcome, JSON-RPC code (0: the request succeeds and the tool result carries isError),
// HTTP code of our own REST side, what a person is told.
#define STATUSES(S)                                                                         \
    S(OK,           DONE,      0,      200, "done")                                         \
    S(NARROWED,     DONE,      0,      200, "one question is left")                         \
    S(BAD_ARGS,     FAILED,    0,      400, "an argument is missing or malformed")          \
    S(NOT_FOUND,    FAILED,    0,      404, "there is no such thing")                       \
    S(UNAUTHORIZED, FAILED,    0,      401, "the token is missing, wrong or has expired")   \
    S(DENIED,       FAILED,    0,      403, "the caller's role does not allow this")        \
    S(CONFLICT,     FAILED,    0,      409, "it exists already or has changed meanwhile")   \
    S(TOO_LARGE,    FAILED,    0,      413, "it is larger than the limit")                  \
    S(BUSY,         NOT_SENT,  0,      503, "too many calls are waiting")                   \
    S(BACKEND,      FAILED,    0,      502, "the platform gave no usable answer")           \
    S(TIMEOUT,      UNKNOWN_OUTCOME, 0, 504, "the time was up")                             \
    S(CANCELLED,    CANCELLED_OUTCOME, 0, 499, "the caller withdrew the call")              \
    S(UNKNOWN,      UNKNOWN_OUTCOME, 0, 502, "it may have happened")                        \
    S(NO_TOOL,      FAILED,    -32602, 404, "there is no tool of that name")                \
    S(INPUT_REQUIRED, DONE,    0,      200, "the client has to answer something first")     \
    S(MISSING_CAPABILITY, FAILED, -32021, 400, "the client cannot do what is needed")       \
    S(BAD_REQUEST,  FAILED,    -32602, 400, "the request is malformed")
// clang-format on

#define STATUS_ENUM(name, outcome, rpc, http, text) name,
typedef enum { STATUSES(STATUS_ENUM) STATUS_COUNT } status_t;

// What is known about the effect of a call; every answer names exactly one.
typedef enum {
    DONE,               // "ok": it happened
    FAILED,             // "failed": the other side said no, nothing happened
    NOT_SENT,           // "not_sent": it never left us, safe to repeat
    UNKNOWN_OUTCOME,    // "unknown": it may have happened
    CANCELLED_OUTCOME,  // "cancelled": the caller withdrew it
    OUTCOME_COUNT
} outcome_t;

typedef struct {
    status_t status;
    outcome_t outcome;
    char code[64];   // machine-readable, e.g. "CREDENTIAL_AMBIGUOUS"; status_name() if empty
    char text[512];  // one sentence, safe to show to the caller
} failure_t;

// Records a failure with the usual outcome of `status` and returns `status`, so that a
// function can fail in one line. The text is cut on a code point when it is too long.
status_t fail(failure_t *why, status_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The same with a code of its own, e.g. DUPLICATE_TARGET.
status_t fail_coded(failure_t *why, status_t status, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Lower-case name ("bad_args") of a status; "unknown" for a number that is none.
const char *status_name(status_t status);

// The sentence of the table.
const char *status_text(status_t status);

int status_http(status_t status);
int status_rpc(status_t status);
outcome_t status_outcome(status_t status);

// The status that an HTTP answer of the platform stands for: 2xx is OK, 401 UNAUTHORIZED …;
// everything unexpected is BACKEND.
status_t status_from_http(long code);

// "ok", "failed", "not_sent", "unknown", "cancelled".
const char *outcome_name(outcome_t outcome);

#endif
