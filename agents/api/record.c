// SPDX-License-Identifier: Apache-2.0
#include "api/record.h"

#include <inttypes.h>

#include "auto.h"
#include "limits.h"

// At most BODY_KEPT_MAX of a body, cut on a code point.
static void
record_body(arena_t *arena, const mask_t *mask, json_t *record, const char *text, size_t size)
{
    AUTO(arena_destroy) arena_t *scratch = arena_new();
    const char *masked = mask_text(mask, scratch, text, size, &size);
    size_t kept = size < BODY_KEPT_MAX ? size : BODY_KEPT_MAX;

    while (kept < size && kept && ((unsigned char) masked[kept] & 0xc0) == 0x80)
        kept--;
    json_set(arena, record, "body", json_string_sized(arena, masked, kept));
    json_set_bool(arena, record, "bodyTruncated", kept < size);
}

void
record_request(arena_t *arena, const mask_t *mask, json_t *result,
               const exchange_request_t *request)
{
    json_t *record = json_set(arena, result, "request", json_object(arena));

    json_set_text(arena, record, "method", request->method);
    json_set_text(arena, record, "url", request->url);
    json_set(arena, record, "headers", json_copy(arena, request->headers));
    if (request->body)
        record_body(arena, mask, record, request->body, request->body_size);
    else
        json_set(arena, record, "body", json_null(arena));
}

static void
record_timings(arena_t *arena, json_t *result, const exchange_answer_t *answer)
{
    const struct {
        const char *name;
        int64_t us;
    } rows[] = {
        { "dnsMs", answer->dns_us },     { "connectMs", answer->connect_us },
        { "tlsMs", answer->tls_us },     { "firstByteMs", answer->first_byte_us },
        { "totalMs", answer->total_us },
    };
    json_t *timings = json_set(arena, result, "timings", json_object(arena));

    for (size_t i = 0; i < ROWS(rows); i++)
        json_set(arena, timings, rows[i].name,
                 json_number_text(arena, arena_printf(arena, "%" PRId64 ".%03" PRId64,
                                                      rows[i].us / 1000, rows[i].us % 1000)));
}

void
record_answer(arena_t *arena, const mask_t *mask, json_t *result, const observed_t *observed)
{
    const exchange_answer_t *answer = observed->answer;
    json_t *record = json_set(arena, result, "response", json_object(arena));

    json_set_int(arena, record, "status", answer->status);
    json_set_text(arena, record, "version", answer->version);
    json_set_text(arena, record, "url", answer->final_url);
    json_set(arena, record, "redirectedFrom", json_copy(arena, answer->hops));
    json_set(arena, record, "headers", json_copy(arena, answer->headers));
    record_body(arena, mask, record, observed->text, observed->size);
    if (answer->is_truncated)
        json_set_bool(arena, record, "bodyTruncated", true);
    json_set_int(arena, record, "sizeBytes", (int64_t) answer->size);
    record_timings(arena, result, answer);
}
