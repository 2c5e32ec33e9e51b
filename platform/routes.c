// SPDX-License-Identifier: Apache-2.0
#include "routes.h"

#include <ctype.h>
#include <sodium.h>
#include <string.h>

#include "auth.h"
#include "check.h"
#include "limits.h"
#include "percent.h"
#include "store/keys.h"

enum { KEY_LENGTH_MAX = 200, SEGMENTS_MAX = 8 };

const route_t *const route_tables[] = {
    open_routes,        user_routes,        project_routes,    onboarding_routes,
    application_routes, environment_routes, credential_routes, target_routes,
    record_routes,      tag_routes,         scenario_routes,   execution_routes,
    spec_routes,        agent_routes,       report_routes,     NULL,
};

// ---- which row

typedef struct {
    const char *text;
    size_t size;
} segment_t;

// Cuts "/api/x/1" at its slashes; 0 when there are too many.
static size_t
split(const char *path, segment_t segments[SEGMENTS_MAX])
{
    size_t count = 0;

    while (*path == '/') {
        if (count == SEGMENTS_MAX)
            return 0;
        segments[count].text = ++path;
        segments[count].size = strcspn(path, "/");
        path += segments[count++].size;
    }
    return *path ? 0 : count;
}

// Number of literal segments + 1 when `path` fits the template, else 0.
static size_t
fits(const char *template, const char *path)
{
    size_t literals = 0;

    for (; *template == '/' && *path == '/'; literals++) {
        template ++;
        path++;
        if (*template == '{') {
            size_t size = strcspn(path, "/");
            if (!size)
                return 0;
            path += size;
            template += strcspn(template, "/");
            literals--;
            continue;
        }
        while (*template == *path && *path && *path != '/') {
            template ++;
            path++;
        }
        if ((*template && *template != '/') || (*path && *path != '/'))
            return 0;
    }
    return *template || *path ? 0 : literals + 1;
}

// The row for a request: the one with most literal segments, so that /executions is not an id.
// *is_known_p says whether the path exists with another method.
static const route_t *
find_route(const char *method, const char *path, bool *is_known_p)
{
    const route_t *best = NULL;
    size_t best_fit = 0, known_fit = 0;

    for (size_t t = 0; route_tables[t]; t++)
        for (const route_t *row = route_tables[t]; row->method; row++) {
            size_t fit = fits(row->path, path);
            known_fit = fit > known_fit ? fit : known_fit;
            if (fit > best_fit && strcmp(row->method, method) == 0) {
                best = row;
                best_fit = fit;
            }
        }
    *is_known_p = known_fit > 0;
    return best;
}

const route_t *
routes_find(const char *method, const char *path)
{
    bool is_known;

    return find_route(method, path, &is_known);
}

size_t
routes_body_max(const char *method, const char *path)
{
    const route_t *row = routes_find(method, path);

    return row && row->body_max ? (size_t) row->body_max : REST_BODY_MAX;
}

static status_t
choose_route(exchange_t *x)
{
    bool is_known = false;

    if (!x->route)
        x->route = find_route(x->method, x->path, &is_known);
    if (x->route)
        return OK;
    x->code = is_known ? 405 : 404;
    return fail_coded(&x->why, NOT_FOUND, is_known ? "METHOD_NOT_ALLOWED" : "NO_SUCH_ROUTE",
                      "there is no %.16s %.200s; /api/openapi.json lists all routes", x->method,
                      x->path);
}

static bool
is_id(const char *text)
{
    size_t length = strlen(text);

    return length > 0 && length <= 18 && strspn(text, "0123456789") == length;
}

// Names and texts of the path's variables.
static status_t
take_params(exchange_t *x)
{
    segment_t wanted[SEGMENTS_MAX], path[SEGMENTS_MAX];
    size_t taken = 0, count = split(x->path, path);

    split(x->route->path, wanted);
    for (size_t i = 0; i < count; i++) {
        if (wanted[i].text[0] != '{')
            continue;
        const char *name = arena_strndup(x->arena, wanted[i].text + 1, wanted[i].size - 2);
        const char *text = percent_decode(x->arena, path[i].text, path[i].size, false);
        bool is_text = strcmp(name, "jobId") == 0 || strcmp(name, "tag") == 0;
        if (!text || (!is_text && !is_id(text)))
            return fail_coded(&x->why, BAD_ARGS, "MALFORMED", "%s in the path must be %s", name,
                              is_text ? "a text" : "a number");
        x->params[taken].name = name;
        x->params[taken++].text = text;
    }
    return OK;
}

// ---- the answer

static void
answer_failure(exchange_t *x)
{
    json_t *answer = json_object(x->arena), *error = json_object(x->arena);
    char code[64];

    snprintf(code, sizeof code, "%s",
             x->why.code[0] ? x->why.code : status_name(x->why.status));
    for (char *c = code; *c; c++)
        *c = (char) toupper((unsigned char) *c);
    json_set_text(x->arena, error, "code", code);
    json_set_text(x->arena, error, "message", x->why.text);
    for (const json_t *more = x->details ? x->details->first : NULL; more; more = more->next)
        json_set(x->arena, error, more->key, json_copy(x->arena, more));
    json_set(x->arena, answer, "error", error);
    buffer_clear(&x->out);
    x->content_type = NULL;
    exchange_answer(x, x->code >= 400 ? x->code : status_http(x->why.status), answer);
}

static void
add_etag(exchange_t *x)
{
    unsigned char digest[16];
    char hex[33];

    crypto_generichash(digest, sizeof digest, (const unsigned char *) x->out.bytes, x->out.size,
                       NULL, 0);
    sodium_bin2hex(hex, sizeof hex, digest, sizeof digest);
    snprintf(x->etag, sizeof x->etag, "\"%s\"", hex);
    if (!x->if_none_match || !strstr(x->if_none_match, x->etag))
        return;
    buffer_clear(&x->out);
    x->code = 304;
}

// ---- writes

static void
digest_request(const exchange_t *x, unsigned char digest[KEYS_DIGEST_SIZE])
{
    crypto_generichash_state state;

    crypto_generichash_init(&state, NULL, 0, KEYS_DIGEST_SIZE);
    const char *const parts[] = { x->method, x->path, x->query };
    for (size_t i = 0; i < 3; i++)
        crypto_generichash_update(&state, (const unsigned char *) parts[i],
                                  strlen(parts[i]) + 1);
    crypto_generichash_update(&state, (const unsigned char *) x->body, x->body_size);
    crypto_generichash_final(&state, digest, KEYS_DIGEST_SIZE);
}

static status_t
check_key(exchange_t *x)
{
    const char *key = x->idempotency_key;
    size_t length = strlen(key);

    if (length == 0 || length > KEY_LENGTH_MAX)
        return fail_coded(&x->why, BAD_ARGS, "MALFORMED",
                          "Idempotency-Key must have 1 to 200 characters");
    for (; *key; key++)
        if (*key <= ' ' || *key > '~')
            return fail_coded(&x->why, BAD_ARGS, "MALFORMED",
                              "Idempotency-Key must be visible ASCII without blanks");
    return OK;
}

// True when the key was used before: then the answer is the kept one, or the refusal.
static bool
replay(exchange_t *x, const unsigned char *digest, status_t *status_p)
{
    kept_answer_t kept;

    if (!keys_find(x->store, x->arena, x->caller.principal, x->idempotency_key, digest,
                   x->wall_ms, &kept))
        return false;
    if (!kept.same) {
        *status_p =
            fail_coded(&x->why, CONFLICT, "KEY_REUSED",
                       "this Idempotency-Key was used for another request; take a new one");
        return true;
    }
    x->code = kept.code;
    x->replayed = true;
    buffer_text(&x->out, kept.body);
    *status_p = OK;
    return true;
}

static status_t
run_write(exchange_t *x)
{
    unsigned char digest[KEYS_DIGEST_SIZE];
    status_t status = OK;

    if (x->idempotency_key && check_key(x))
        return x->why.status;
    if (x->route->prepare && x->route->prepare(x))
        return x->why.status;
    store_begin(x->store);
    if (x->idempotency_key) {
        digest_request(x, digest);
        if (replay(x, digest, &status)) {
            store_rollback(x->store);
            return status;
        }
    }
    status = x->route->run(x);
    if (!status && x->idempotency_key && !x->is_rehearsal)
        keys_keep(x->store, x->caller.principal, x->idempotency_key, digest, x->code,
                  x->out.bytes ? x->out.bytes : "", x->wall_ms);
    if (status || x->is_rehearsal || !store_commit(x->store))
        store_rollback(x->store);
    return status;
}

// Who asks, and for what, by the row.
static status_t
check(exchange_t *x, bool has_body)
{
    if (x->route->least != OPEN && (auth_caller(x) || auth_allows(x)))
        return x->why.status;
    if (take_params(x) || check_query(x) || (has_body && check_body(x)))
        return x->why.status;
    x->code = x->route->code ? x->route->code : 200;
    x->content_type = x->route->media;
    return OK;
}

// From the token to the answer all is of one moment, and the file is locked once.
static status_t
run_read(exchange_t *x)
{
    store_begin_read(x->store);
    status_t status = check(x, false);
    if (!status)
        status = x->route->run(x);
    store_commit(x->store);
    store_rollback(x->store);
    return status;
}

// ---- dispatch

static status_t
run(exchange_t *x)
{
    if (choose_route(x))
        return x->why.status;
    const bool is_get = strcmp(x->method, "GET") == 0;
    if (is_get && !x->route->is_loose)
        return run_read(x);
    if (check(x, !is_get))
        return x->why.status;
    return x->route->is_loose ? x->route->run(x) : run_write(x);
}

void
routes_dispatch(exchange_t *x)
{
    failure_t broken;

    store_failed(x->store, &broken);  // what an earlier request left behind is not ours
    status_t status = run(x);
    if (store_failed(x->store, &broken)) {
        x->store_failed = true;
        x->why = broken;
        x->code = 0;
        x->park_ms = 0;
        x->jobs_changed = false;
        status = x->why.status;
    }
    if (status)
        answer_failure(x);
    else if (x->route->is_list && !x->park_ms)
        add_etag(x);
    if (!x->content_type)
        x->content_type = "application/json";
}
