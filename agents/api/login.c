// SPDX-License-Identifier: Apache-2.0
#include <sodium.h>
#include <string.h>
#include <strings.h>

#include "api/run.h"
#include "auto.h"
#include "jsonpath.h"
#include "limits.h"

enum { HIDDEN_MIN = 6 };  // shorter values under a telling name are no secrets

// Members whose values are nobody's business, in whatever answer they stand.
static const char *const telling_names[] = {
    "token",         "accessToken",   "access_token", "refreshToken", "refresh_token",
    "idToken",       "id_token",      "password",     "passwd",       "secret",
    "clientSecret",  "client_secret", "apiKey",       "api_key",      "sessionToken",
    "session_token", "privateKey",    "private_key",  "jwt",          "sessionId",
};

static const char *const telling_headers[] = { "Authorization", "Proxy-Authorization",
                                               "X-Api-Key", "X-Auth-Token" };

static bool
is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(name, names[i]))
            return true;
    return false;
}

void
learn_secrets(run_t *run, const json_t *body)
{
    for (const json_t *child = body ? body->first : NULL; child; child = child->next) {
        if (child->key && child->kind == JSON_STRING && child->length >= HIDDEN_MIN
            && is_among(child->key, telling_names, ROWS(telling_names)))
            mask_add(run->mask, child->text);
        learn_secrets(run, child);
    }
}

void
learn_header_secrets(run_t *run, const json_t *headers)
{
    const json_t *cookies = exchange_cookies(run->exchange, run->arena);

    for (const json_t *pair = headers ? headers->first : NULL; pair; pair = pair->next) {
        if (!is_among(pair->first->text, telling_headers, ROWS(telling_headers)))
            continue;
        const char *blank = strrchr(pair->last->text, ' ');
        mask_add(run->mask, blank ? blank + 1 : pair->last->text);
    }
    for (const json_t *cookie = cookies->first; cookie; cookie = cookie->next)
        if (cookie->length >= HIDDEN_MIN)
            mask_add(run->mask, cookie->text);
}

// The vault's values: as they are, or from the agent's environment.
static status_t
take_secrets(run_t *run, failure_t *why)
{
    static const char *const names[] = { "username", "password", "token", "apiKey" };
    const json_t *secrets = json_get(run->payload, "secrets");
    const json_t *references = json_get(run->payload, "secretRefs");

    for (size_t i = 0; i < ROWS(names); i++) {
        const char *text = json_get_text(secrets, names[i]);
        const char *reference = json_get_text(references, names[i]);
        if (reference) {
            if (strncmp(reference, "env:", 4) != 0)
                return fail(why, BAD_ARGS, "%s is no secret reference; use env:NAME",
                            reference);
            json_t *name = json_array(run->arena);
            json_add(name, json_string(run->arena, reference + 4));
            if (variables_generate(run->variables, names[i], "env", name, why))
                return why->status;
            text = variables_get(run->variables, names[i])->text;
        }
        variables_set_text(run->variables, names[i], text);
        if (text && strcmp(names[i], "username") != 0)
            mask_add(run->mask, text);
    }
    return OK;
}

static const char *
secret_text(const run_t *run, const char *name)
{
    const json_t *value = variables_get(run->variables, name);

    return value ? value->text : "";
}

// RFC 7617.
static void
use_basic(run_t *run)
{
    const char *pair = arena_printf(run->arena, "%s:%s", secret_text(run, "username"),
                                    secret_text(run, "password"));
    size_t size = strlen(pair);
    size_t room = sodium_base64_ENCODED_LEN(size, sodium_base64_VARIANT_ORIGINAL);
    char *encoded = arena_alloc(run->arena, room);

    sodium_bin2base64(encoded, room, (const unsigned char *) pair, size,
                      sodium_base64_VARIANT_ORIGINAL);
    mask_add(run->mask, encoded);
    mask_add_pair(run->mask, secret_text(run, "username"), secret_text(run, "password"));
    run->auth_header = "Authorization";
    run->auth_value = arena_printf(run->arena, "Basic %s", encoded);
}

// A secret that needs no log-in.
static void
use_directly(run_t *run, const json_t *authorization)
{
    const char *type = json_get_text(authorization, "type");
    const char *header = json_get_text(authorization, "headerName");
    const char *token = secret_text(run, "token");

    if (!type)
        return;
    if (!strcmp(type, "BASIC")) {
        use_basic(run);
        return;
    }
    if (!*token)
        token = secret_text(run, "apiKey");
    run->auth_header = header ? header : "Authorization";
    run->auth_value =
        strcmp(type, "BEARER") ? token : arena_printf(run->arena, "Bearer %s", token);
}

static const json_t *
find_token(run_t *run, const json_t *login, const json_t *body)
{
    static const char *const usual[] = { "$.token", "$.accessToken", "$.access_token" };
    const char *given = json_get_text(login, "tokenJsonPath");
    jsonpath_nodes_t nodes = { 0 };
    jsonpath_t *path;
    failure_t why;

    for (size_t i = 0; i < (given ? 1 : ROWS(usual)); i++)
        if (!jsonpath_compile(run->arena, given ? given : usual[i], &path, &why)
            && !jsonpath_select(run->arena, path, body, &nodes, &why) && nodes.count
            && nodes.nodes[0]->kind == JSON_STRING)
            return nodes.nodes[0];
    return NULL;
}

static status_t
take_token(run_t *run, const json_t *login, const exchange_answer_t *answer, failure_t *why)
{
    const char *type = json_get_text(login, "authType");
    const char *header = json_get_text(login, "headerName");
    const char *given = json_get_text(login, "tokenJsonPath");
    json_t *body = json_parse_text(run->arena, answer->body);

    learn_secrets(run, body);
    learn_header_secrets(run, answer->headers);
    if (type && !strcmp(type, "COOKIE"))
        return OK;  // libcurl keeps it
    const json_t *token = body ? find_token(run, login, body) : NULL;
    if (!token)
        return fail_coded(why, BACKEND, "LOGIN_FAILED",
                          "the answer of the log-in has no text at %s",
                          given ? given : "$.token, $.accessToken or $.access_token");
    mask_add(run->mask, token->text);
    bool is_bearer = !type || !strcmp(type, "BEARER");
    run->auth_header = header ? header : "Authorization";
    run->auth_value =
        is_bearer ? arena_printf(run->arena, "Bearer %s", token->text) : token->text;
    return OK;
}

static status_t
log_in(run_t *run, const json_t *login, failure_t *why)
{
    const char *url = json_get_text(login, "url");
    const char *method = json_get_text(login, "method");
    const json_t *body = json_get(login, "body");
    json_t *headers = json_array(run->arena), *filled = NULL;
    exchange_answer_t answer;

    if (body && variables_fill_json(run->variables, run->arena, body, &filled, why))
        return why->status;
    json_t *pair = json_add(headers, json_array(run->arena));
    json_add(pair, json_string(run->arena, "Content-Type"));
    json_add(pair, json_string(run->arena, "application/json"));
    const char *text = filled ? json_text(run->arena, filled) : NULL;
    const exchange_request_t request = {
        .method = method ? method : "POST",
        .url = url ? url : "",
        .headers = headers,
        .body = text,
        .body_size = text ? strlen(text) : 0,
        .timeout_ms = STEP_MS,
        .answer_max = RESPONSE_MAX,
    };
    if (exchange_send(run->exchange, run->arena, &request, &answer, why))
        return why->status;
    if (answer.status >= 400)
        return fail_coded(
            why, BACKEND, "LOGIN_FAILED",
            "the log-in at %s was answered with %ld; check the credential and the "
            "environment's auth endpoint",
            request.url, answer.status);
    return take_token(run, login, &answer, why);
}

status_t
login(run_t *run, failure_t *why)
{
    const json_t *how = json_get(run->payload, "login");

    if (take_secrets(run, why))
        return why->status;
    if (how && how->kind == JSON_OBJECT)
        return log_in(run, how, why);
    use_directly(run, json_get(run->payload, "authorization"));
    return OK;
}
