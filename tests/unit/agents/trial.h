// SPDX-License-Identifier: Apache-2.0
// One exchange with a stub, for test_exchange*.c.

#ifndef PROOFARC_TRIAL_H
#define PROOFARC_TRIAL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "exchange.h"
#include "limits.h"
#include "stub.h"

#include <cmocka.h>  // last: it defines fail()

// What one exchange came to.
typedef struct {
    arena_t *arena;
    exchange_t *exchange;
    exchange_answer_t answer;
    failure_t why;
    status_t status;
} trial_t;

static inline trial_t
begin(bool allow_private)
{
    return (trial_t){ .arena = arena_new(), .exchange = exchange_new(allow_private, NULL) };
}

static inline void
finish(trial_t *trial)
{
    exchange_destroy(&trial->exchange);
    arena_destroy(&trial->arena);
}

// Sends with what is not given filled in: GET, 5 s, 1 MiB, redirects followed.
static inline status_t
ask(trial_t *trial, exchange_request_t request)
{
    request.method = request.method ? request.method : "GET";
    request.timeout_ms = request.timeout_ms ? request.timeout_ms : 5000;
    request.answer_max = request.answer_max ? request.answer_max : MIB;
    trial->why = (failure_t){ 0 };
    trial->status =
        exchange_send(trial->exchange, trial->arena, &request, &trial->answer, &trial->why);
    if (trial->status)
        print_message("    %s: %s\n", status_name(trial->status), trial->why.text);
    return trial->status;
}

static inline const char *
url(trial_t *trial, const stub_t *stub, const char *path)
{
    return arena_printf(trial->arena, "%s%s", stub->url, path);
}

static inline status_t
get(trial_t *trial, const stub_t *stub, const char *path)
{
    return ask(trial,
               (exchange_request_t){ .url = url(trial, stub, path), .follow_redirects = true });
}

static inline json_t *
headers(trial_t *trial, const char *text)
{
    json_t *list = json_parse_text(trial->arena, text);

    assert_non_null(list);
    return list;
}

#endif
