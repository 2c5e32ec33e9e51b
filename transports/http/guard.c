// SPDX-License-Identifier: Apache-2.0
#include "http/guard.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "auto.h"
#include "limits.h"
#include "mcp/token.h"

typedef refusal_t check_fn(const guard_headers_t *headers, const guard_rules_t *rules);

static const refusal_t passed = { 0, NULL };

static refusal_t
check_size(const guard_headers_t *headers, const guard_rules_t *rules)
{
    const char *length = headers->content_length;

    if (length && strtoull(length, NULL, 10) > INPUT_MAX)
        return (refusal_t){ 413, "The body is longer than 4 MiB." };
    return passed;
}

static bool
is_served(const char *served, const char *method)
{
    size_t length = strlen(method);

    for (const char *at = served; *at; at += strcspn(at, " "), at += *at == ' ')
        if (!strncmp(at, method, length) && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

// A GET is for a stream, or it is for nothing. Without `initialize` there is none.
static refusal_t
check_method(const guard_headers_t *headers, const guard_rules_t *rules)
{
    static const refusal_t refusal = {
        405, "POST messages here; GET takes a text/event-stream, DELETE ends a session."
    };
    const char *served = headers->served ? headers->served : "GET POST DELETE OPTIONS";

    if (!is_served(served, headers->method))
        return refusal;
    if (!strcmp(headers->method, "GET") && !guard_takes_events(headers->accept))
        return refusal;
    bool is_stateless = protocol_is_newer(headers->version);
    bool needs_session = !strcmp(headers->method, "GET") || !strcmp(headers->method, "DELETE");
    return is_stateless && needs_session ? refusal : passed;
}

bool
guard_is_loopback(const char *host)
{
    static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };

    for (size_t i = 0; i < ROWS(names); i++) {
        size_t length = strlen(names[i]);
        if (!strncasecmp(host, names[i], length)
            && (!host[length]
                || (host[length] == ':'
                    && strspn(host + length + 1, "0123456789") == strlen(host + length + 1))))
            return true;
    }
    return false;
}

static refusal_t
check_host(const guard_headers_t *headers, const guard_rules_t *rules)
{
    if (!rules->is_loopback || (headers->host && guard_is_loopback(headers->host)))
        return passed;
    return (refusal_t){
        403, "This server listens on loopback: Host has to be localhost, 127.0.0.1 or "
             "[::1]."
    };
}

static bool
is_loopback_origin(const char *origin)
{
    static const char *const schemes[] = { "http://", "https://" };

    for (size_t i = 0; i < ROWS(schemes); i++)
        if (!strncasecmp(origin, schemes[i], strlen(schemes[i])))
            return guard_is_loopback(origin + strlen(schemes[i]));
    return false;
}

static bool
is_known_origin(const char *origin, const guard_rules_t *rules)
{
    for (size_t i = 0; i < rules->origins_count; i++)
        if (!strcasecmp(origin, rules->origins[i]))
            return true;
    return is_loopback_origin(origin);
}

// A page of another site may have reached us under a name of its own (DNS rebinding).
static refusal_t
check_origin(const guard_headers_t *headers, const guard_rules_t *rules)
{
    if (!headers->origin || is_known_origin(headers->origin, rules))
        return passed;
    return (refusal_t){ 403, "Pages of this origin may not call; see --allow-origin." };
}

bool
guard_is_web(const guard_headers_t *headers, const guard_rules_t *rules)
{
    return headers->origin && is_known_origin(headers->origin, rules);
}

// A browser asks before it sends, and never with the token.
static bool
is_preflight(const guard_headers_t *headers)
{
    return !strcmp(headers->method, "OPTIONS");
}

static bool
names_token(const char *query)
{
    static const char *const names[] = { "access_token=", "token=" };

    for (const char *at = query; *at; at += strcspn(at, "&"), at += *at == '&')
        for (size_t i = 0; i < ROWS(names); i++)
            if (!strncasecmp(at, names[i], strlen(names[i])))
                return true;
    return false;
}

static refusal_t
check_token(const guard_headers_t *headers, const guard_rules_t *rules)
{
    if (is_preflight(headers))
        return passed;
    if (names_token(headers->query))
        return (refusal_t){ 401, "A token in an address ends up in logs; send it as "
                                 "Authorization: Bearer." };
    if (!rules->needs_token || token_of_header(headers->authorization))
        return passed;
    return (refusal_t){ 401, "Send Authorization: Bearer with a token of the platform." };
}

// White space around a word of a header, and its parameters, are not part of it.
static bool
is_media_type(const char *value, const char *wanted)
{
    size_t length = strlen(wanted);

    value += strspn(value, " \t");
    if (strncasecmp(value, wanted, length) != 0)
        return false;
    value += length;
    value += strspn(value, " \t");
    return !*value || *value == ';';
}

static refusal_t
check_body_type(const guard_headers_t *headers, const guard_rules_t *rules)
{
    if (strcmp(headers->method, "POST") != 0)
        return passed;
    if (headers->content_encoding && strcasecmp(headers->content_encoding, "identity") != 0)
        return (refusal_t){ 415, "Send the body as it is, not compressed." };
    if (headers->content_type && is_media_type(headers->content_type, "application/json"))
        return passed;
    return (refusal_t){ 415, "Send the body as Content-Type: application/json." };
}

// ---- Accept

// How exactly a range of an Accept header names a type: 0 not at all, 3 to the letter.
static int
fit(const char *range, size_t size, const char *type)
{
    size_t main_size = strcspn(type, "/") + 1;

    if (size == strlen(type) && !strncasecmp(range, type, size))
        return 3;
    if (size == main_size + 1 && !strncasecmp(range, type, main_size) && range[size - 1] == '*')
        return 2;
    return size == 3 && !strncmp(range, "*/*", 3) ? 1 : 0;
}

// True for 0 and 0.000. Any other weight, a malformed one too, lets a type pass.
static bool
is_zero(const char *weight)
{
    size_t size = strspn(weight, "0");

    if (size != 1)
        return false;
    if (weight[size] == '.')
        size += 1 + strspn(weight + size + 1, "0");
    return !weight[size] || strchr(",; \t", weight[size]);
}

// Whether the parameters behind a range refuse it (q=0).
static bool
is_refused(const char *parameters)
{
    for (const char *at = parameters; *at == ';'; at += strcspn(at, ";,")) {
        at++;
        at += strspn(at, " \t");
        if ((*at == 'q' || *at == 'Q') && at[1] == '=')
            return is_zero(at + 2);
    }
    return false;
}

static bool
accepts(const char *accept, const char *type)
{
    int best = 0;
    bool is_wanted = false;

    for (const char *at = accept; *at; at += *at == ',') {
        at += strspn(at, " \t");
        size_t size = strcspn(at, ",; \t");
        const char *parameters = at + size + strspn(at + size, " \t");
        bool is_range = !*parameters || *parameters == ';' || *parameters == ',';
        int exactness = is_range ? fit(at, size, type) : 0;
        if (exactness > best) {
            best = exactness;
            is_wanted = !is_refused(parameters);
        }
        at += strcspn(at, ",");
    }
    return is_wanted;
}

answer_form_t
guard_answer_form(const char *accept)
{
    if (!accept || !accept[strspn(accept, " \t")] || accepts(accept, "application/json"))
        return ANSWER_JSON;
    return accepts(accept, "text/event-stream") ? ANSWER_STREAM : ANSWER_NONE;
}

bool
guard_takes_events(const char *accept)
{
    return accept && accepts(accept, "text/event-stream");
}

static refusal_t
check_accept(const guard_headers_t *headers, const guard_rules_t *rules)
{
    if (strcmp(headers->method, "POST") != 0
        || guard_answer_form(headers->accept) != ANSWER_NONE)
        return passed;
    return (refusal_t){
        406, "Answers are application/json or text/event-stream: let Accept name one."
    };
}

static refusal_t
check_version(const guard_headers_t *headers, const guard_rules_t *rules)
{
    protocol_t protocol;

    if (!headers->version || protocol_find(headers->version, &protocol)
        || protocol_is_newer(headers->version))
        return passed;  // of a newer one the body says more
    return (refusal_t){ 400, "Unsupported protocol version; served are 2026-07-28, 2025-11-25, "
                             "2025-06-18, 2025-03-26 and 2024-11-05." };
}

// ---- the order

static refusal_t
run(check_fn *const checks[], const guard_headers_t *headers, const guard_rules_t *rules)
{
    for (size_t i = 0; checks[i]; i++) {
        refusal_t refusal = checks[i](headers, rules);
        if (refusal.http)
            return refusal;
    }
    return passed;
}

refusal_t
guard_door(const guard_headers_t *headers, const guard_rules_t *rules)
{
    static check_fn *const checks[] = { check_size,   check_method, check_host,
                                        check_origin, check_token,  NULL };

    return run(checks, headers, rules);
}

refusal_t
guard_origin(const guard_headers_t *headers, const guard_rules_t *rules)
{
    static check_fn *const checks[] = { check_host, check_origin, NULL };

    return run(checks, headers, rules);
}

refusal_t
guard_form(const guard_headers_t *headers)
{
    static check_fn *const checks[] = { check_body_type, check_accept, check_version, NULL };

    return run(checks, headers, NULL);
}
