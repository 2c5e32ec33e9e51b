// SPDX-License-Identifier: Apache-2.0
#include "api/login.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "api/learn.h"
#include "auto.h"
#include "jsonpath.h"
#include "limits.h"

// The vault's values: as they are, or from the agent's environment.
status_t
login_secrets(run_t *run, failure_t *why)
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
static status_t
use_basic(run_t *run, failure_t *why)
{
    if (strchr(secret_text(run, "username"), ':'))
        return fail(why, BAD_ARGS,
                    "a user name of HTTP Basic holds no colon; change the credential");
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
    return OK;
}

// A secret that needs no log-in.
static status_t
use_directly(run_t *run, const json_t *authorization, failure_t *why)
{
    const char *type = json_get_text(authorization, "type");
    const char *header = json_get_text(authorization, "headerName");
    const char *token = secret_text(run, "token");

    if (!type)
        return OK;
    if (!strcmp(type, "BASIC"))
        return use_basic(run, why);
    if (!*token)
        token = secret_text(run, "apiKey");
    if (!*token)
        return fail(why, BAD_ARGS, "the credential holds neither a token nor an API key");
    run->auth_header = header ? header : "Authorization";
    run->auth_value =
        strcmp(type, "BEARER") ? token : arena_printf(run->arena, "Bearer %s", token);
    return OK;
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

    learn_body(run->mask, body);
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

// The sentence says what did not work, here also at what.
static status_t
login_failed(failure_t *why)
{
    char text[sizeof why->text];

    snprintf(text, sizeof text, "%s", why->text);
    snprintf(why->text, sizeof why->text, "the log-in failed: %.*s", (int) sizeof text - 32,
             text);
    return why->status;
}

static status_t
log_in(run_t *run, const json_t *login, failure_t *why)
{
    const char *url = json_get_text(login, "url");
    const char *method = json_get_text(login, "method");
    const json_t *body = json_get(login, "body");
    bool has_body = body && body->kind != JSON_NULL;
    json_t *headers = json_array(run->arena), *filled = NULL;
    exchange_answer_t answer;

    if (variables_fill(run->variables, run->arena, url ? url : "", FILL_PLAIN, &url, why)
        || (has_body && variables_fill_json(run->variables, run->arena, body, &filled, why)))
        return why->status;
    json_t *pair = json_add(headers, json_array(run->arena));
    json_add(pair, json_string(run->arena, "Content-Type"));
    json_add(pair, json_string(run->arena, "application/json"));
    const char *text = filled ? json_text(run->arena, filled) : NULL;
    const exchange_request_t request = {
        .method = method ? method : "POST",
        .url = url,
        .headers = headers,
        .body = text,
        .body_size = text ? strlen(text) : 0,
        .timeout_ms = STEP_MS,
        .answer_max = RESPONSE_MAX,
        .mask = run->mask,
    };
    learn_url(run->mask, run->arena, url);
    if (exchange_send(run->exchange, run->arena, &request, &answer, why))
        return login_failed(why);
    learn_headers(run->mask, run->arena, answer.headers);
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

    if (how && how->kind == JSON_OBJECT)
        return log_in(run, how, why);
    return use_directly(run, json_get(run->payload, "authorization"), why);
}
