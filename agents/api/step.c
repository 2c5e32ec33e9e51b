// SPDX-License-Identifier: Apache-2.0
#include <string.h>
#include <strings.h>
#include <time.h>

#include "api/body.h"
#include "api/run.h"
#include "auto.h"
#include "clock.h"
#include "limits.h"

enum { PAUSE_STEP_MS = 50, RETRY_PAUSE_MS = 500 };

// One try of a step: the request as it is sent, and what came of it.
typedef struct {
    exchange_request_t request;
    json_t *headers;
    body_t body;
    json_t *warnings;
    json_t *checks;
    json_t *extracted;
    bool passed;
} attempt_t;

static void
add_header(arena_t *arena, json_t *headers, const char *name, const char *value)
{
    json_t *pair = json_add(headers, json_array(arena));

    json_add(pair, json_string(arena, name));
    json_add(pair, json_string(arena, value));
}

static status_t
fill_headers(run_t *run, const json_t *step, attempt_t *attempt, failure_t *why)
{
    const json_t *given = json_get(step, "headers");
    const char *value;

    attempt->headers = json_array(run->arena);
    for (const json_t *one = given ? given->first : NULL; one; one = one->next) {
        if (variables_fill(run->variables, run->arena, one->text ? one->text : "", FILL_PLAIN,
                           &value, why))
            return why->status;
        add_header(run->arena, attempt->headers, one->key, value);
    }
    if (attempt->body.content_type && !exchange_header(attempt->headers, "Content-Type"))
        add_header(run->arena, attempt->headers, "Content-Type", attempt->body.content_type);
    if (run->auth_header && !exchange_header(attempt->headers, run->auth_header))
        add_header(run->arena, attempt->headers, run->auth_header, run->auth_value);
    return OK;
}

// Blanks, control characters and bytes beyond ASCII are no part of a URL (RFC 3986): encoded.
// Everything else stays as the author wrote it.
static const char *
encode_rest(arena_t *arena, const char *url)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    for (const unsigned char *c = (const unsigned char *) url; *c; c++) {
        if (*c <= 0x20 || *c >= 0x7f || strchr("\"<>\\^`{|}", *c))
            buffer_printf(&out, "%%%02X", *c);
        else
            buffer_char(&out, (char) *c);
    }
    return arena_strndup(arena, out.bytes ? out.bytes : "", out.size);
}

static status_t
add_query_item(run_t *run, buffer_t *url, const char *name, const json_t *item, failure_t *why)
{
    const char *value, *filled;
    const char *text = item->kind == JSON_STRING ? item->text : json_text(run->arena, item);
    char *wrapped = arena_printf(run->arena, "%s", text);

    if (variables_fill(run->variables, run->arena, wrapped, FILL_PLAIN, &filled, why))
        return why->status;
    // Encoded as one value: what is filled in cannot add arguments of its own.
    variables_t *one = variables_new(run->arena);
    variables_set_text(one, "name", name);
    variables_set_text(one, "value", filled);
    if (variables_fill(one, run->arena, "{{name}}={{value}}", FILL_QUERY, &value, why))
        return why->status;
    buffer_printf(url, "%c%s", strchr(url->bytes, '?') ? '&' : '?', value);
    return OK;
}

static status_t
add_query(run_t *run, const json_t *query, buffer_t *url, failure_t *why)
{
    for (const json_t *one = query ? query->first : NULL; one; one = one->next) {
        const json_t *item = one->kind == JSON_ARRAY ? one->first : one;
        for (; item; item = one->kind == JSON_ARRAY ? item->next : NULL)
            if (add_query_item(run, url, one->key, item, why))
                return why->status;
    }
    return OK;
}

static bool
is_absolute(const char *url)
{
    return !strncasecmp(url, "http://", 7) || !strncasecmp(url, "https://", 8);
}

// Base URL and path, with exactly one slash between them.
static status_t
fill_url(run_t *run, const json_t *step, const char **url_p, failure_t *why)
{
    AUTO(buffer_clear) buffer_t url = { 0 };
    const char *base_text = json_get_text(run->payload, "baseUrl");
    const char *path_text = json_get_text(step, "path");
    const char *base, *path;

    if (variables_fill(run->variables, run->arena, base_text ? base_text : "", FILL_PLAIN,
                       &base, why)
        || variables_fill(run->variables, run->arena, path_text ? path_text : "/", FILL_PATH,
                          &path, why))
        return why->status;
    if (!is_absolute(path)) {
        size_t length = strlen(base);
        if (length && base[length - 1] == '/')
            length--;
        buffer_add(&url, base, length);
        if (*path != '/')
            buffer_char(&url, '/');
    }
    buffer_text(&url, path);
    if (add_query(run, json_get(step, "query"), &url, why))
        return why->status;
    *url_p = encode_rest(run->arena, url.bytes);
    if (!is_absolute(*url_p))
        return fail(why, BAD_ARGS, "%.200s is no http address: the target has no base URL",
                    *url_p);
    return OK;
}

static status_t
prepare(run_t *run, const json_t *step, attempt_t *attempt, failure_t *why)
{
    const char *method = json_get_text(step, "method");
    const char *url = NULL;

    if (body_of_step(run->arena, json_get(step, "body"), run->variables, &attempt->body, why)
        || fill_headers(run, step, attempt, why) || fill_url(run, step, &url, why))
        return why->status;
    attempt->request = (exchange_request_t){
        .method = method ? method : "GET",
        .url = url,
        .headers = attempt->headers,
        .body = attempt->body.bytes,
        .body_size = attempt->body.size,
        .timeout_ms = json_get_int(step, "timeoutMs", STEP_MS),
        .follow_redirects = json_get_bool(step, "followRedirects", true),
        .answer_max = RESPONSE_MAX,
    };
    return OK;
}

// At most BODY_KEPT_MAX of a body, cut on a code point.
static void
record_body(arena_t *arena, json_t *record, const char *text, size_t size)
{
    size_t kept = size < BODY_KEPT_MAX ? size : BODY_KEPT_MAX;

    while (kept < size && kept && ((unsigned char) text[kept] & 0xc0) == 0x80)
        kept--;
    json_set(arena, record, "body", json_string_sized(arena, text, kept));
    json_set_bool(arena, record, "bodyTruncated", kept < size);
}

static void
record_request(arena_t *arena, json_t *result, const attempt_t *attempt)
{
    json_t *record = json_set(arena, result, "request", json_object(arena));

    json_set_text(arena, record, "method", attempt->request.method);
    json_set_text(arena, record, "url", attempt->request.url);
    json_set(arena, record, "headers", json_copy(arena, attempt->headers));
    if (attempt->body.bytes)
        record_body(arena, record, attempt->body.bytes, attempt->body.size);
}

static void
record_answer(arena_t *arena, json_t *result, const observed_t *observed)
{
    const exchange_answer_t *answer = observed->answer;
    json_t *record = json_set(arena, result, "response", json_object(arena));
    json_t *timings = json_set(arena, result, "timings", json_object(arena));

    json_set_int(arena, record, "status", answer->status);
    json_set_text(arena, record, "version", answer->version);
    json_set_text(arena, record, "url", answer->final_url);
    json_set(arena, record, "redirectedFrom", answer->hops);
    json_set(arena, record, "headers", answer->headers);
    record_body(arena, record, observed->text, observed->size);
    json_set_int(arena, record, "sizeBytes", (int64_t) answer->size);
    const struct {
        const char *name;
        int64_t us;
    } times[] = { { "dnsMs", answer->dns_us },
                  { "connectMs", answer->connect_us },
                  { "tlsMs", answer->tls_us },
                  { "firstByteMs", answer->first_byte_us },
                  { "totalMs", answer->total_us } };
    for (size_t i = 0; i < ROWS(times); i++)
        json_set(arena, timings, times[i].name,
                 json_number_text(arena, arena_printf(arena, "%lld.%03lld",
                                                      (long long) times[i].us / 1000,
                                                      (long long) times[i].us % 1000)));
}

// Sends the request once. On OK the checks have been made.
static status_t
try_once(run_t *run, const json_t *step, attempt_t *attempt, json_t *result, failure_t *why)
{
    exchange_answer_t answer;
    observed_t observed;

    attempt->warnings = json_set(run->arena, result, "warnings", json_array(run->arena));
    attempt->checks = json_set(run->arena, result, "checks", json_array(run->arena));
    attempt->extracted = json_set(run->arena, result, "extracted", json_object(run->arena));
    record_request(run->arena, result, attempt);
    learn_header_secrets(run, attempt->headers);
    if (exchange_send(run->exchange, run->arena, &attempt->request, &answer, why))
        return why->status;
    body_observe(run->arena, &answer, json_get_text(step, "charset"), &observed,
                 attempt->warnings);
    learn_secrets(run, observed.body);
    learn_header_secrets(run, answer.headers);
    record_answer(run->arena, result, &observed);
    attempt->passed = checks_run(run->arena, step, &observed, run->variables, attempt->checks);
    if (attempt->passed || json_get_bool(step, "always", false))
        attempt->passed = checks_extract(run->arena, step, &observed, run->variables,
                                         attempt->extracted, attempt->checks)
                          && attempt->passed;
    return OK;
}

static bool
pause_or_cancel(const run_t *run, int64_t pause_ms)
{
    const struct timespec slice = { .tv_nsec = PAUSE_STEP_MS * 1000000L };

    for (int64_t waited_ms = 0; waited_ms < pause_ms; waited_ms += PAUSE_STEP_MS) {
        if (atomic_load(&run->job->cancelled))
            return false;
        nanosleep(&slice, NULL);
    }
    return !atomic_load(&run->job->cancelled);
}

static const char *
status_of(status_t status, const attempt_t *attempt)
{
    return status ? "ERROR" : attempt->passed ? "PASSED" : "FAILED";
}

json_t *
step_run(run_t *run, const json_t *step, int64_t index)
{
    const json_t *retry = json_get(step, "retry");
    int64_t tries = 1 + json_get_int(retry, "max", 0);
    int64_t pause_ms = json_get_int(retry, "delayMs", RETRY_PAUSE_MS);
    int64_t begun_ms = clock_now_ms();
    json_t *result = step_skipped(run, step, index);
    attempt_t attempt = { 0 };
    failure_t why = { 0 };

    status_t status = prepare(run, step, &attempt, &why);
    for (int64_t i = 0; !status && i < tries; i++) {
        status = try_once(run, step, &attempt, result, &why);
        bool is_over = !status && attempt.passed;
        if (is_over || i + 1 == tries || !pause_or_cancel(run, pause_ms))
            break;
        status = OK;
    }
    json_set_text(run->arena, result, "status", status_of(status, &attempt));
    if (status)
        json_set_text(run->arena, result, "error", why.text);
    json_set_int(run->arena, result, "durationMs", clock_now_ms() - begun_ms);
    return result;
}

json_t *
step_skipped(run_t *run, const json_t *step, int64_t index)
{
    json_t *result = json_object(run->arena);

    json_set_int(run->arena, result, "index", index);
    json_set_text(run->arena, result, "name", json_get_text(step, "name"));
    json_set_text(run->arena, result, "status", "SKIPPED");
    return result;
}
