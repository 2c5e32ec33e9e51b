// SPDX-License-Identifier: Apache-2.0
#include "api/step.h"

#include <time.h>

#include "address.h"
#include "api/learn.h"
#include "api/record.h"
#include "api/url.h"
#include "auto.h"
#include "clock.h"
#include "limits.h"

enum {
    PAUSE_SLICE_MS = 50,
    RESULT_KEPT_MAX = 24 * MIB,  // of all steps; the platform takes 32 MiB
};

// The request of a step, filled in once for all tries.
typedef struct {
    const json_t *step;
    json_t *headers;
    body_t body;
    exchange_request_t request;
    bool lacks_login;  // it goes to another origin than the base URL's
} sending_t;

static void
add_header(arena_t *arena, json_t *headers, const char *name, const char *value)
{
    json_t *pair = json_add(headers, json_array(arena));

    json_add(pair, json_string(arena, name));
    json_add(pair, json_string(arena, value));
}

// The login is for the system under test: an address that an answer brought does not get it.
static status_t
add_login(const run_t *run, arena_t *arena, sending_t *sending, const char *url, failure_t *why)
{
    const char *base = json_get_text(run->payload, "baseUrl");

    if (!run->auth_header || exchange_header(sending->headers, run->auth_header))
        return OK;
    if (variables_fill(run->variables, arena, base ? base : "", FILL_PLAIN, &base, why))
        return why->status;
    sending->lacks_login = *base && !address_same_origin(base, url);
    if (!sending->lacks_login)
        add_header(arena, sending->headers, run->auth_header, run->auth_value);
    return OK;
}

static status_t
fill_headers(const run_t *run, arena_t *arena, sending_t *sending, failure_t *why)
{
    const json_t *given = json_get(sending->step, "headers");
    const char *value;

    sending->headers = json_array(arena);
    for (const json_t *one = given ? given->first : NULL; one; one = one->next) {
        if (variables_fill(run->variables, arena, one->text ? one->text : "", FILL_PLAIN,
                           &value, why))
            return why->status;
        add_header(arena, sending->headers, one->key, value);
    }
    if (sending->body.content_type && !exchange_header(sending->headers, "Content-Type"))
        add_header(arena, sending->headers, "Content-Type", sending->body.content_type);
    return OK;
}

static int64_t
within(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

static status_t
prepare(const run_t *run, arena_t *arena, sending_t *sending, failure_t *why)
{
    const json_t *step = sending->step;
    const char *method = json_get_text(step, "method");
    int64_t timeout_ms = json_get_int(step, "timeoutMs", STEP_MS);
    const char *url = NULL;

    if (body_of_step(arena, json_get(step, "body"), run->variables, &sending->body, why)
        || fill_headers(run, arena, sending, why)
        || url_of_step(arena, run->variables, json_get_text(run->payload, "baseUrl"),
                       json_get_text(step, "path"), json_get(step, "query"), &url, why)
        || add_login(run, arena, sending, url, why))
        return why->status;
    sending->request = (exchange_request_t){
        .method = method ? method : "GET",
        .url = url,
        .headers = sending->headers,
        .body = sending->body.bytes,
        .body_size = sending->body.size,
        .timeout_ms = within(timeout_ms, 1, STEP_TIMEOUT_MAX_MS),
        .follow_redirects = json_get_bool(step, "followRedirects", true),
        .answer_max = RESPONSE_MAX,
        .mask = run->mask,
    };
    learn_headers(run->mask, arena, sending->headers);
    learn_url(run->mask, arena, url);
    return OK;
}

static void
learn_answer(run_t *run, arena_t *arena, const observed_t *observed)
{
    const exchange_answer_t *answer = observed->answer;
    const json_t *cookies = exchange_cookies(run->exchange, arena);

    learn_body(run->mask, observed->body);
    learn_headers(run->mask, arena, answer->headers);
    learn_url(run->mask, arena, answer->final_url);
    for (const json_t *cookie = cookies->first; cookie; cookie = cookie->next)
        if (cookie->length >= LEARN_MIN)
            mask_add(run->mask, cookie->text);
}

// Sends the request once. On OK the checks have been made. What there is to tell is in `result`
// in either case.
static status_t
try_once(run_t *run, arena_t *arena, const sending_t *sending, json_t *result, bool *passed_p,
         failure_t *why)
{
    json_t *warnings = json_set(arena, result, "warnings", json_array(arena));
    json_t *checks = json_set(arena, result, "checks", json_array(arena));
    json_t *extracted = json_set(arena, result, "extracted", json_object(arena));
    exchange_answer_t answer;
    observed_t observed;

    if (sending->lacks_login)
        json_add(warnings, json_string(arena, "this is not where the base URL leads: the login "
                                              "was not sent"));
    record_request(arena, run->mask, result, &sending->request);
    status_t status = exchange_send(run->exchange, arena, &sending->request, &answer, why);
    if (!answer.status)
        return status;
    body_observe(arena, &answer, json_get_text(sending->step, "charset"), &observed, warnings);
    learn_answer(run, arena, &observed);
    record_answer(arena, run->mask, result, &observed);
    if (status)
        return status;
    *passed_p = checks_run(run, arena, sending->step, &observed, checks);
    *passed_p =
        checks_extract(run, arena, sending->step, &observed, extracted, checks) && *passed_p;
    return OK;
}

static bool
pause_or_cancel(const run_t *run, int64_t pause_ms)
{
    const struct timespec slice = { .tv_nsec = PAUSE_SLICE_MS * 1000000L };
    int64_t until_ms = clock_now_ms() + pause_ms;

    while (clock_now_ms() < until_ms && !atomic_load(&run->job->cancelled))
        nanosleep(&slice, NULL);
    return !atomic_load(&run->job->cancelled);
}

static json_t *
new_result(arena_t *arena, const json_t *step, int64_t index, const char *status)
{
    json_t *result = json_object(arena);

    json_set_int(arena, result, "index", index);
    json_set_text(arena, result, "name", json_get_text(step, "name"));
    json_set_text(arena, result, "status", status);
    return result;
}

// Tries until the step passes or may not be tried again. Returns what the last try told; the
// answers of all tries but that are gone.
static json_t *
try_often(run_t *run, arena_t *arena, const sending_t *sending, int64_t index)
{
    const json_t *retry = json_get(sending->step, "retry");
    int64_t tries = within(1 + json_get_int(retry, "max", 0), 1, STEP_TRIES_MAX);
    int64_t pause_ms = within(json_get_int(retry, "delayMs", 0), 0, STEP_PAUSE_MAX_MS);

    for (int64_t i = 1;; i++) {
        AUTO(arena_destroy) arena_t *scratch = arena_new();
        json_t *result = new_result(scratch, sending->step, index, "PASSED");
        failure_t why = { 0 };
        bool passed = false;
        status_t status = try_once(run, scratch, sending, result, &passed, &why);
        json_set_text(scratch, result, "error", status ? why.text : NULL);
        if (!passed)
            json_set_text(scratch, result, "status", status ? "ERROR" : "FAILED");
        if (i > 1)
            json_add(json_get(result, "warnings"),
                     json_string(scratch, arena_printf(scratch, "this was try %d of %d",
                                                       (int) i, (int) tries)));
        if (passed || i == tries || !pause_or_cancel(run, pause_ms))
            return json_copy(arena, result);
    }
}

// What is told of all steps together has an end; of those behind it only how they went is kept.
static json_t *
keep(run_t *run, arena_t *arena, json_t *result)
{
    static const char *const heavy[] = { "request", "response", "checks", "extracted" };
    AUTO(buffer_clear) buffer_t text = { 0 };

    json_write(&text, result);
    if (run->kept + text.size > RESULT_KEPT_MAX) {
        for (size_t i = 0; i < ROWS(heavy); i++)
            json_remove(result, heavy[i]);
        json_t *warnings = json_set(arena, result, "warnings", json_array(arena));
        json_add(warnings, json_string(arena, "the details are left out: the steps before have "
                                              "filled the report"));
    } else {
        run->kept += text.size;
    }
    return json_copy(run->arena, result);
}

json_t *
step_run(run_t *run, const json_t *step, int64_t index)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    sending_t sending = { .step = step };
    int64_t begun_ms = clock_now_ms();
    json_t *result;
    failure_t why = { 0 };

    if (prepare(run, arena, &sending, &why)) {
        result = new_result(arena, step, index, "ERROR");
        json_set_text(arena, result, "error", why.text);
    } else {
        result = try_often(run, arena, &sending, index);
    }
    json_set_int(arena, result, "durationMs", clock_now_ms() - begun_ms);
    return keep(run, arena, result);
}

json_t *
step_skipped(run_t *run, const json_t *step, int64_t index)
{
    return new_result(run->arena, step, index, "SKIPPED");
}
