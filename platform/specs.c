// SPDX-License-Identifier: Apache-2.0
#include "specs.h"

#include <inttypes.h>
#include <string.h>

#include "formats/openapi.h"
#include "limits.h"
#include "spec_import.h"
#include "store/jobs.h"

enum { ROUNDS_MAX = 10, PAGE_DEFAULT = 100 };

struct spec_outcome {
    const char *code, *message;  // not NULL: the job ends in ERROR
    const json_t *context;       // not NULL: another round with this
    const json_t *result;
    const json_t *scenarios;  // to be imported
};

// Where services put their document, below the base URL and below the host.
static const char *const places[] = {
    "/v3/api-docs",  "/openapi.json",     "/swagger/v1/swagger.json",
    "/api-json",     "/v2/api-docs",      "/api/openapi.json",
    "/swagger.json", "/openapi.yaml",     "/docs/openapi.json",
    "/api-docs",     "/api/swagger.json", "/.well-known/openapi.json",
};

// ---- queued

static void
add_url(arena_t *arena, json_t *urls, const char *url, const char *root)
{
    json_t *one = json_object(arena);

    for (const json_t *old = urls->first; old; old = old->next)
        if (strcmp(json_get_text(old, "url"), url) == 0)
            return;
    json_set_text(arena, one, "url", url);
    json_set_text(arena, one, "rootUrl", root);
    json_add(urls, one);
}

// The address itself may be that of the document.
static json_t *
candidates(arena_t *arena, const char *base_url)
{
    json_t *urls = json_array(arena);
    size_t size = strlen(base_url), origin = strcspn(strstr(base_url, "://") + 3, "/");

    origin += (size_t) (strstr(base_url, "://") + 3 - base_url);
    while (size > origin && base_url[size - 1] == '/')
        size--;
    const char *base = arena_strndup(arena, base_url, size);
    const char *host = arena_strndup(arena, base_url, origin);
    if (size > origin)
        add_url(arena, urls, base, base);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        add_url(arena, urls, arena_printf(arena, "%s%s", base, places[i]), base);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        add_url(arena, urls, arena_printf(arena, "%s%s", host, places[i]), base);
    return urls;
}

static json_t *
payload_of(arena_t *arena, json_t *urls, bool allow_private, bool is_search)
{
    json_t *payload = json_object(arena);

    json_set(arena, payload, "urls", urls);
    json_set_bool(arena, payload, "allowPrivate", allow_private);
    json_set_bool(arena, payload, "acceptMissing", true);
    json_set_bool(arena, payload, "firstOnly", is_search);
    return payload;
}

const char *
specs_queue(exchange_t *x, const char *purpose, const char *url, bool allow_private,
            const json_t *options)
{
    char *id = arena_alloc(x->arena, JOBS_ID_SIZE);
    json_t *context = json_object(x->arena), *urls = json_array(x->arena);
    bool is_search = strcmp(purpose, "detect") == 0;

    if (is_search)
        urls = candidates(x->arena, url);
    else
        add_url(x->arena, urls, url, url);
    json_set_text(x->arena, context, "url", url);
    json_set_bool(x->arena, context, "allowPrivate", allow_private);
    json_set(x->arena, context, "payload",
             payload_of(x->arena, urls, allow_private, is_search));
    json_set(x->arena, context, "options", json_copy(x->arena, options));
    jobs_new_id(id);
    jobs_add(x->store, x->arena,
             &(new_job_t){
                 .id = id,
                 .kind = "fetch_documents",
                 .engine = "api",
                 .purpose = purpose,
                 .context = context,
             },
             x->wall_ms);
    exchange_note_job(x, 0, true);
    return id;
}

// ---- documents as agents hand them in

static const char *
url_of(const json_t *document)
{
    const char *final = json_get_text(document, "finalUrl");

    return final && *final ? final : json_get_text(document, "url");
}

// Why a document could not be had, NULL when it is there.
static const char *
lack_of(arena_t *arena, const json_t *document)
{
    const char *error = json_get_text(document, "error");
    int64_t status = json_get_int(document, "status", 0);
    const json_t *text = json_get(document, "text");

    if (error && *error)
        return error;
    if (status != 200)
        return arena_printf(arena, "it answered %" PRId64, status);
    return text && text->kind == JSON_STRING ? NULL : "it has no text";
}

static status_t
open_document(exchange_t *x, const json_t *document, openapi_t **spec_p, failure_t *why)
{
    const json_t *text = json_get(document, "text");

    return openapi_open(x->arena, url_of(document), text->text, text->length, spec_p, why);
}

// ---- detect

static json_t *
found(exchange_t *x, openapi_t *spec, const char *url, json_t *tried)
{
    json_t *result = json_object(x->arena);

    json_set_bool(x->arena, result, "found", spec != NULL);
    json_set_text(x->arena, result, "url", url);
    json_set_text(x->arena, result, "title", spec ? openapi_title(spec) : NULL);
    json_set_text(x->arena, result, "version", spec ? openapi_version(spec) : NULL);
    json_set_text(x->arena, result, "specVersion", spec ? openapi_spec_version(spec) : NULL);
    json_set_int(x->arena, result, "operations", spec ? openapi_operations(spec) : 0);
    json_set(x->arena, result, "tried", tried);
    return result;
}

static void
note_try(exchange_t *x, json_t *tried, const json_t *document, const char *reason)
{
    json_t *entry = json_object(x->arena);
    int64_t status = json_get_int(document, "status", 0);

    json_set_text(x->arena, entry, "url", json_get_text(document, "url"));
    json_set(x->arena, entry, "status",
             status ? json_number(x->arena, status) : json_null(x->arena));
    json_set_text(x->arena, entry, "reason", reason);
    json_add(tried, entry);
}

static void
read_search(exchange_t *x, const json_t *documents, spec_outcome_t *outcome)
{
    json_t *tried = json_array(x->arena);
    const char *lack = "no address was tried";
    bool is_reached = false;

    for (const json_t *one = documents->first; one; one = one->next) {
        openapi_t *spec = NULL;
        failure_t why = { 0 };
        lack = lack_of(x->arena, one);
        is_reached |= json_get_int(one, "status", 0) > 0;
        if (!lack && open_document(x, one, &spec, &why))
            lack = arena_strdup(x->arena, why.text);
        note_try(x, tried, one, lack ? lack : "found");
        if (spec) {
            outcome->result = found(x, spec, url_of(one), tried);
            return;
        }
    }
    if (is_reached) {
        outcome->result = found(x, NULL, NULL, tried);
        return;
    }
    outcome->code = "UNREACHABLE";
    outcome->message = lack;
}

// ---- parse and import

static void
add_file(exchange_t *x, json_t *files, const json_t *document, const char *lack)
{
    json_t *file = json_object(x->arena);

    json_set_text(x->arena, file, "url", json_get_text(document, "url"));
    if (lack)
        json_set_text(x->arena, file, "reason", lack);
    else
        json_set(x->arena, file, "text", json_copy(x->arena, json_get(document, "text")));
    json_add(files, file);
}

static bool
is_among(const json_t *documents, const char *url)
{
    for (const json_t *one = documents->first; one; one = one->next) {
        const char *text = json_get_text(one, "url");
        if (text && strcmp(text, url) == 0)
            return true;
    }
    return false;
}

// Files that this round brought, and those it was asked for and did not bring.
static void
take_files(exchange_t *x, json_t *files, const json_t *context, const json_t *documents)
{
    size_t total = 0;

    for (const json_t *file = files->first; file; file = file->next)
        total += json_get(file, "text") ? json_get(file, "text")->length : 0;
    for (const json_t *one = documents->first; one; one = one->next) {
        const char *lack = lack_of(x->arena, one);
        total += lack ? 0 : json_get(one, "text")->length;
        if (!lack && total > DOCUMENT_MAX)
            lack = "all files together are over 32 MiB";
        if (json_get_text(one, "url"))
            add_file(x, files, one, lack);
    }
    const json_t *asked = json_get(json_get(context, "payload"), "urls");
    for (const json_t *one = asked ? asked->first : NULL; one; one = one->next)
        if (!is_among(documents, json_get_text(one, "url")))
            add_file(x, files, one, "it was not fetched");
}

static void
go_again(exchange_t *x, const json_t *context, json_t *root, json_t *files,
         const json_t *missing, spec_outcome_t *outcome)
{
    json_t *next = json_object(x->arena), *urls = json_array(x->arena);
    bool allow_private = json_get_bool(context, "allowPrivate", false);

    for (const json_t *one = missing->first; one; one = one->next)
        add_url(x->arena, urls, one->text, url_of(root));
    json_set_text(x->arena, next, "url", json_get_text(context, "url"));
    json_set_bool(x->arena, next, "allowPrivate", allow_private);
    json_set(x->arena, next, "options", json_copy(x->arena, json_get(context, "options")));
    json_set_int(x->arena, next, "rounds", json_get_int(context, "rounds", 0) + 1);
    json_set(x->arena, next, "payload", payload_of(x->arena, urls, allow_private, false));
    json_set(x->arena, next, "root", json_copy(x->arena, root));
    json_set(x->arena, next, "files", files);
    outcome->context = next;
}

static json_t *
view(exchange_t *x, openapi_t *spec, const json_t *options)
{
    int64_t offset = json_get_int(options, "offset", 0);
    json_t *result = openapi_view(spec, json_get(options, "pathGlobs"), offset,
                                  json_get_int(options, "limit", PAGE_DEFAULT));
    int64_t end = offset + json_get_int(result, "returned", 0);
    bool has_more = end < json_get_int(result, "total", 0);

    json_set_text(x->arena, result, "nextCursor",
                  has_more ? arena_printf(x->arena, "c%" PRId64, end) : NULL);
    return result;
}

static void
read_whole(exchange_t *x, const json_t *job, openapi_t *spec, spec_outcome_t *outcome)
{
    const json_t *options = json_get(json_get(job, "context"), "options");

    if (strcmp(json_get_text(job, "purpose"), "import") == 0) {
        outcome->scenarios = spec_import_generate(x, spec, options);
        outcome->result = openapi_warnings(spec);
    } else
        outcome->result = view(x, spec, options);
}

static void
fail_outcome(exchange_t *x, spec_outcome_t *outcome, const char *code, const char *reason)
{
    outcome->code = code;
    outcome->message = arena_strdup(x->arena, reason);
}

static void
read_document(exchange_t *x, const json_t *job, const json_t *documents,
              spec_outcome_t *outcome)
{
    const json_t *context = json_get(job, "context");
    json_t *root = json_get(context, "root");
    json_t *files = root ? json_get(context, "files") : json_array(x->arena);
    openapi_t *spec = NULL;
    failure_t why = { 0 };

    if (root)
        take_files(x, files, context, documents);
    else
        root = documents->first;
    const char *lack = root ? lack_of(x->arena, root) : "nothing was fetched";
    if (lack) {
        fail_outcome(x, outcome, "DOCUMENT_NOT_FETCHED",
                     arena_printf(x->arena, "%s cannot be read: %s",
                                  json_get_text(context, "url"), lack));
        return;
    }
    if (open_document(x, root, &spec, &why)) {
        fail_outcome(x, outcome, "NO_OPENAPI_DOCUMENT", why.text);
        return;
    }
    for (const json_t *file = files->first; file; file = file->next) {
        const json_t *text = json_get(file, "text");
        openapi_add(spec, json_get_text(file, "url"), text ? text->text : NULL,
                    text ? text->length : 0, json_get_text(file, "reason"));
    }
    const json_t *missing = openapi_missing(spec);
    if (missing->count && json_get_int(context, "rounds", 0) < ROUNDS_MAX)
        go_again(x, context, root, files, missing, outcome);
    else
        read_whole(x, job, spec, outcome);
}

spec_outcome_t *
specs_read(exchange_t *x, const json_t *job, const json_t *result)
{
    spec_outcome_t *outcome = arena_alloc(x->arena, sizeof *outcome);
    const json_t *documents = json_get(result, "documents");
    const char *purpose = json_get_text(job, "purpose");

    if (!documents || documents->kind != JSON_ARRAY) {
        const char *error = json_get_text(result, "error");
        fail_outcome(x, outcome, "DOCUMENT_NOT_FETCHED",
                     error ? error : "the agent brought no documents");
    } else if (strcmp(purpose, "detect") == 0)
        read_search(x, documents, outcome);
    else
        read_document(x, job, documents, outcome);
    return outcome;
}

void
specs_finish(exchange_t *x, const json_t *job, const spec_outcome_t *outcome)
{
    const char *id = json_get_text(job, "id");
    const json_t *result = outcome->result;

    exchange_note_job(x, json_get_int(job, "seq", 0), true);
    if (outcome->context) {
        jobs_again(x->store, x->arena, id, outcome->context);
        return;
    }
    if (outcome->scenarios)
        result = spec_import_keep(x, json_get(json_get(job, "context"), "options"),
                                  outcome->scenarios, outcome->result);
    jobs_finish(x->store, x->arena, id, outcome->code ? "ERROR" : "COMPLETED", outcome->code,
                outcome->message, outcome->code ? NULL : result, x->wall_ms);
}

json_t *
specs_parse(exchange_t *x, const char *text, const json_t *options)
{
    openapi_t *spec = NULL;
    failure_t why = { 0 };

    if (openapi_open(x->arena, NULL, text, strlen(text), &spec, &why)) {
        fail_coded(&x->why, why.status, "NO_OPENAPI_DOCUMENT", "%s", why.text);
        return NULL;
    }
    return view(x, spec, options);
}
