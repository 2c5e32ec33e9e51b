// SPDX-License-Identifier: Apache-2.0
#include "documents.h"

#include <string.h>

#include "address.h"
#include "auto.h"
#include "encoding.h"
#include "exchange.h"

enum { DOCUMENT_MS = 20 * 1000 };

// What the fetching of one document after the other knows.
typedef struct {
    job_t *job;
    exchange_t *exchange;
    json_t *documents;
    bool first_only;
    bool accept_missing;
    size_t size;            // of the texts so far, as JSON
    const char *dead_url;   // its host cannot be reached, or NULL
    const char *dead_text;  // why
} fetching_t;

// True if `word` stands there as a member name: "openapi": or, at the start of a line, openapi:
static bool
names_member(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        const char *end = at + length;
        bool begins = at == text || strchr("\"'\n{,", at[-1]);
        end += *end == '"' || *end == '\'';
        end += strspn(end, " \t");
        if (begins && *end == ':')
            return true;
    }
    return false;
}

// Enough to stop looking; the platform reads it for real. Many services answer every path with
// a web page that may well talk about their API.
static bool
is_description(const char *text)
{
    const char *start = text + strspn(text, "\xef\xbb\xbf \t\r\n");

    return *start != '<' && (names_member(start, "openapi") || names_member(start, "swagger"));
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

// Why the content is no document to hand in, or NULL.
static const char *
lack_of(const fetching_t *self, const content_t *content, size_t size)
{
    if (content->problem)
        return content->problem;
    if (content->is_truncated)
        return "the document is over 32 MiB";
    if (self->first_only && !is_description(content->bytes))
        return "it describes no API: there is no openapi and no swagger in it";
    return size > DOCUMENTS_SIZE_MAX - self->size ? "all documents together are over 32 MiB"
                                                  : NULL;
}

// True if there is a document, not only an answer.
static bool
take_text(fetching_t *self, arena_t *arena, const exchange_answer_t *answer, json_t *document)
{
    AUTO(buffer_clear) buffer_t written = { 0 };
    content_t content;

    if (answer->status != 200)
        return false;
    encoding_undo(arena, answer, DOCUMENT_MAX, &content);
    json_write_string(&written, content.bytes, content.size);
    const char *lack = lack_of(self, &content, written.size);
    json_set_text(self->job->arena, document, "error", lack);
    if (lack)
        return false;
    self->size += written.size;
    json_set(self->job->arena, document, "text",
             json_string_sized(self->job->arena, content.bytes, content.size));
    return true;
}

// A host that cannot be reached is not asked for the next document.
static bool
is_hopeless(const failure_t *why)
{
    return why->status == DENIED || why->status == TIMEOUT || !strcmp(why->code, "UNREACHABLE")
           || !strcmp(why->code, "HOST_UNKNOWN");
}

static void
give_up(fetching_t *self, const char *url, const failure_t *why)
{
    if (!is_hopeless(why))
        return;
    self->dead_url = url;
    self->dead_text = arena_strdup(self->job->arena, why->text);
}

static bool
fetch(fetching_t *self, const char *url, json_t *document)
{
    AUTO(arena_destroy) arena_t *scratch = arena_new();
    arena_t *arena = self->job->arena;
    const exchange_request_t request = {
        .method = "GET",
        .url = url,
        .headers = accept_headers(scratch),
        .timeout_ms = DOCUMENT_MS,
        .follow_redirects = true,
        .answer_max = DOCUMENT_MAX,
    };
    exchange_answer_t answer;
    failure_t why = { 0 };

    json_set_text(arena, document, "url", url);
    if (self->dead_url && address_same_origin(self->dead_url, url)) {
        json_set_text(arena, document, "error", self->dead_text);
        return false;
    }
    if (exchange_send(self->exchange, scratch, &request, &answer, &why)) {
        json_set_text(arena, document, "error", why.text);
        give_up(self, url, &why);
        return false;
    }
    json_set_text(arena, document, "finalUrl", answer.final_url);
    json_set_int(arena, document, "status", answer.status);
    json_set_text(arena, document, "contentType",
                  exchange_header(answer.headers, "Content-Type"));
    return take_text(self, scratch, &answer, document);
}

// Whether what came of one document is the end of it all.
static bool
is_over(const fetching_t *self, bool found)
{
    return atomic_load(&self->job->cancelled) || (found && self->first_only)
           || (self->dead_url && self->first_only) || (!found && !self->accept_missing);
}

json_t *
documents_run(job_t *job)
{
    const json_t *urls = json_get(job->payload, "urls");
    AUTO(exchange_destroy)
    exchange_t *exchange =
        exchange_new(json_get_bool(job->payload, "allowPrivate", false), &job->cancelled);
    json_t *result = json_object(job->arena);
    fetching_t fetching = {
        .job = job,
        .exchange = exchange,
        .documents = json_set(job->arena, result, "documents", json_array(job->arena)),
        .first_only = json_get_bool(job->payload, "firstOnly", false),
        .accept_missing = json_get_bool(job->payload, "acceptMissing", true),
    };
    bool is_last = false;

    atomic_store(&job->total, urls ? (long long) urls->count : 0);
    for (const json_t *one = urls ? urls->first : NULL; one && !is_last; one = one->next) {
        const char *url = json_get_text(one, "url");
        if (!url || fetching.documents->count == DOCUMENTS_MAX)
            break;
        json_t *document = json_add(fetching.documents, json_object(job->arena));
        is_last = is_over(&fetching, fetch(&fetching, url, document));
        atomic_fetch_add(&job->done, 1);
    }
    return result;
}
