// SPDX-License-Identifier: Apache-2.0
#include "documents.h"

#include <string.h>

#include "auto.h"
#include "exchange.h"
#include "limits.h"

enum { DOCUMENT_MS = 20 * 1000 };

// Enough to stop looking; the platform reads it for real. Many services answer every path with
// a web page that may well talk about their API.
static bool
is_description(const char *text)
{
    const char *start = text + strspn(text, "\xef\xbb\xbf \t\r\n");

    return *start != '<' && (strstr(start, "openapi") || strstr(start, "swagger"));
}

static json_t *
accept_headers(arena_t *arena)
{
    json_t *headers = json_array(arena);
    json_t *pair = json_add(headers, json_array(arena));

    json_add(pair, json_string(arena, "Accept"));
    json_add(pair, json_string(arena, "application/json, application/yaml, text/yaml, */*"));
    return headers;
}

// Fills `document`. True if it is a document, not only an answer.
static bool
fetch(job_t *job, exchange_t *exchange, const char *url, json_t *document, failure_t *why)
{
    const exchange_request_t request = {
        .method = "GET",
        .url = url,
        .headers = accept_headers(job->arena),
        .timeout_ms = DOCUMENT_MS,
        .follow_redirects = true,
        .answer_max = DOCUMENT_MAX,
    };
    exchange_answer_t answer;

    json_set_text(job->arena, document, "url", url);
    if (exchange_send(exchange, job->arena, &request, &answer, why)) {
        json_set_text(job->arena, document, "error", why->text);
        return false;
    }
    json_set_text(job->arena, document, "finalUrl", answer.final_url);
    json_set_int(job->arena, document, "status", answer.status);
    json_set_text(job->arena, document, "contentType",
                  exchange_header(answer.headers, "Content-Type"));
    if (answer.is_truncated) {
        json_set_text(job->arena, document, "error", "the document is over 32 MiB");
        return false;
    }
    if (answer.status != 200)
        return false;
    json_set(job->arena, document, "text",
             json_string_sized(job->arena, answer.body, answer.size));
    return is_description(answer.body);
}

// A host that cannot be reached is not asked for the next candidate.
static bool
is_hopeless(const failure_t *why)
{
    return why->status == DENIED || !strcmp(why->code, "UNREACHABLE")
           || !strcmp(why->code, "HOST_UNKNOWN") || why->status == TIMEOUT;
}

json_t *
documents_run(job_t *job)
{
    const json_t *urls = json_get(job->payload, "urls");
    bool first_only = json_get_bool(job->payload, "firstOnly", false);
    AUTO(exchange_destroy)
    exchange_t *exchange =
        exchange_new(json_get_bool(job->payload, "allowPrivate", false), &job->cancelled);
    json_t *result = json_object(job->arena);
    json_t *documents = json_set(job->arena, result, "documents", json_array(job->arena));

    atomic_store(&job->total, urls ? (long long) urls->count : 0);
    for (const json_t *one = urls ? urls->first : NULL; one; one = one->next) {
        const char *url = json_get_text(one, "url");
        failure_t why = { 0 };
        if (!url || documents->count == DOCUMENTS_MAX)
            break;
        bool found =
            fetch(job, exchange, url, json_add(documents, json_object(job->arena)), &why);
        atomic_fetch_add(&job->done, 1);
        if (first_only && (found || is_hopeless(&why)))
            break;
    }
    return result;
}
