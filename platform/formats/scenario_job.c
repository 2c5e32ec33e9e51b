// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "auto.h"
#include "formats/scenario.h"
#include "limits.h"

// A property as text: strings as they are, everything else as JSON.
static const char *
as_text(arena_t *arena, const json_t *value)
{
    return value->kind == JSON_STRING ? value->text : json_text(arena, value);
}

static json_t *
make_variables(arena_t *arena, const scenario_run_t *run)
{
    const json_t *sources[] = { run->properties, run->variables };
    json_t *variables = json_object(arena);

    if (run->base_url)
        json_set_text(arena, variables, "baseUrl", run->base_url);
    for (size_t i = 0; i < ROWS(sources); i++) {
        const json_t *member = sources[i] ? sources[i]->first : NULL;
        for (; member; member = member->next)
            if (member->kind != JSON_NULL)
                json_set_text(arena, variables, member->key, as_text(arena, member));
    }
    return variables;
}

// Replaces what is known already; other {{names}} stay for the agent.
static char *
expand(arena_t *arena, const char *text, const json_t *variables)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    const char *begin;

    while ((begin = strstr(text, "{{"))) {
        const char *end = strstr(begin, "}}");
        if (!end)
            break;
        const char *name = arena_strndup(arena, begin + 2, (size_t) (end - begin - 2));
        const char *value = json_get_text(variables, name);
        buffer_add(&out, text, (size_t) (begin - text));
        if (value)
            buffer_text(&out, value);
        else
            buffer_add(&out, begin, (size_t) (end + 2 - begin));
        text = end + 2;
    }
    buffer_text(&out, text);
    return arena_strndup(arena, out.bytes, out.size);
}

// `base` and a path with exactly one slash between them; an absolute address stays.
static const char *
join_url(arena_t *arena, const char *base, const char *path)
{
    if (!strncmp(path, "http://", 7) || !strncmp(path, "https://", 8))
        return path;
    size_t length = strlen(base);
    while (length && base[length - 1] == '/')
        length--;
    return arena_printf(arena, "%.*s%s%s", (int) length, base, *path == '/' ? "" : "/", path);
}

static json_t *
make_secrets(arena_t *arena, const scenario_run_t *run)
{
    json_t *secrets = json_object(arena);
    const struct {
        const char *name, *value;
    } rows[] = {
        { "username", run->username },
        { "password", run->password },
        { "token", run->token },
        { "apiKey", run->api_key },
    };

    for (size_t i = 0; i < ROWS(rows); i++)
        if (rows[i].value)
            json_set_text(arena, secrets, rows[i].name, rows[i].value);
    return secrets;
}

static bool
has_secret(const scenario_run_t *run, const char *value, const char *name)
{
    return value || json_get(run->secret_refs, name);
}

static json_t *
default_login_body(arena_t *arena)
{
    json_t *body = json_object(arena);

    json_set_text(arena, body, "username", "{{username}}");
    json_set_text(arena, body, "password", "{{password}}");
    return body;
}

static void
set_or(arena_t *arena, json_t *out, const char *name, const json_t *endpoint,
       const char *fallback)
{
    const char *text = json_get_text(endpoint, name);

    json_set(arena, out, name, json_string(arena, text && *text ? text : fallback));
}

// The log-in of the environment, or null when it has none or there is no password for it.
static json_t *
make_login(arena_t *arena, const scenario_run_t *run, const char *base_url)
{
    const char *endpoint = json_get_text(run->auth_endpoint, "loginEndpoint");

    if (!endpoint || !*endpoint || !has_secret(run, run->password, "password"))
        return json_null(arena);
    json_t *login = json_object(arena);
    const json_t *body = json_get(run->auth_endpoint, "body");
    json_set_text(arena, login, "url", join_url(arena, base_url, endpoint));
    set_or(arena, login, "method", run->auth_endpoint, "POST");
    json_set(arena, login, "body",
             body && body->kind == JSON_OBJECT ? json_copy(arena, body)
                                               : default_login_body(arena));
    set_or(arena, login, "authType", run->auth_endpoint, "BEARER");
    set_or(arena, login, "tokenJsonPath", run->auth_endpoint, NULL);
    set_or(arena, login, "headerName", run->auth_endpoint, NULL);
    return login;
}

static json_t *
authorization(arena_t *arena, const char *type, const char *header)
{
    json_t *object = json_object(arena);

    json_set_text(arena, object, "type", type);
    json_set(arena, object, "headerName", json_string(arena, header));
    return object;
}

// How a credential is sent where nobody logs in: a password as Basic when the target says so, a
// token as Bearer, an API key in its header.
static json_t *
make_authorization(arena_t *arena, const scenario_run_t *run)
{
    const char *type = run->auth_type ? run->auth_type : "";
    const char *header = json_get_text(run->auth_endpoint, "headerName");

    if (!strcmp(type, "BASIC") && has_secret(run, run->password, "password"))
        return authorization(arena, "BASIC", NULL);
    if (has_secret(run, run->token, "token")) {
        bool in_header = !strcmp(type, "HEADER") && header;
        return in_header ? authorization(arena, "HEADER", header)
                         : authorization(arena, "BEARER", NULL);
    }
    if (has_secret(run, run->api_key, "apiKey"))
        return authorization(arena, "HEADER", header ? header : "X-API-Key");
    return json_null(arena);
}

static bool
sends_key_itself(arena_t *arena, const json_t *scenario)
{
    return strstr(json_text(arena, scenario), "{{apiKey}}") != NULL;
}

static void
set_login(arena_t *arena, json_t *job, const scenario_run_t *run, const char *base_url)
{
    bool none = !run->authenticated || (run->auth_type && !strcmp(run->auth_type, "NONE"));
    bool basic = run->auth_type && !strcmp(run->auth_type, "BASIC");
    json_t *login = none || basic ? json_null(arena) : make_login(arena, run, base_url);

    json_set(arena, job, "login", login);
    if (none || login->kind != JSON_NULL
        || (!run->token && run->api_key && sends_key_itself(arena, run->scenario)))
        json_set(arena, job, "authorization", json_null(arena));
    else
        json_set(arena, job, "authorization", make_authorization(arena, run));
}

static json_t *
member_or(arena_t *arena, const json_t *object, const char *name, json_t *fallback)
{
    const json_t *member = json_get(object, name);

    return member ? json_copy(arena, member) : fallback;
}

static json_t *
default_expect(arena_t *arena)
{
    json_t *expect = json_array(arena);

    json_add(expect, json_string(arena, "2xx"));
    return expect;
}

static json_t *
make_body(arena_t *arena, const json_t *step)
{
    const json_t *given = json_get(step, "body");
    json_t *body = given ? json_copy(arena, given) : json_object(arena);

    const char *kind = json_get_text(body, "kind");
    if (!kind)
        json_set_text(arena, body, "kind", "none");
    else if (!strcmp(kind, "text") && !json_get(body, "contentType"))
        json_set_text(arena, body, "contentType", "text/plain; charset=utf-8");
    return body;
}

static json_t *
make_retry(arena_t *arena, const json_t *step)
{
    const json_t *given = json_get(step, "retry");
    json_t *retry = json_object(arena);

    json_set_int(arena, retry, "max", json_get_int(given, "max", 0));
    json_set_int(arena, retry, "delayMs", json_get_int(given, "delayMs", 0));
    return retry;
}

static json_t *
make_step(arena_t *arena, const json_t *step)
{
    json_t *out = json_object(arena);

    json_set_text(arena, out, "name", json_get_text(step, "name"));
    json_set_text(arena, out, "method", json_get_text(step, "method"));
    json_set_text(arena, out, "path", json_get_text(step, "path"));
    json_set(arena, out, "headers", member_or(arena, step, "headers", json_object(arena)));
    json_set(arena, out, "query", member_or(arena, step, "query", json_object(arena)));
    json_set(arena, out, "body", make_body(arena, step));
    json_set(arena, out, "expect", member_or(arena, step, "expect", default_expect(arena)));
    json_set(arena, out, "asserts", member_or(arena, step, "asserts", json_array(arena)));
    json_set(arena, out, "extract", member_or(arena, step, "extract", json_object(arena)));
    json_set_bool(arena, out, "always", json_get_bool(step, "always", false));
    json_set_int(arena, out, "timeoutMs", json_get_int(step, "timeoutMs", STEP_MS));
    json_set_bool(arena, out, "followRedirects", json_get_bool(step, "followRedirects", true));
    json_set(arena, out, "retry", make_retry(arena, step));
    json_set(arena, out, "charset", json_string(arena, json_get_text(step, "charset")));
    return out;
}

static json_t *
make_hooks(arena_t *arena, const json_t *scenario)
{
    json_t *hooks = json_object(arena);

    json_set(arena, hooks, "before",
             member_or(arena, json_get(scenario, "hooks"), "before", json_array(arena)));
    return hooks;
}

json_t *
scenario_job(arena_t *arena, const scenario_run_t *run)
{
    json_t *job = json_object(arena);
    json_t *variables = make_variables(arena, run);
    const char *base = json_get_text(run->scenario, "baseUrl");
    const json_t *steps = json_get(run->scenario, "steps");

    base = base ? expand(arena, base, variables) : run->base_url ? run->base_url : "";
    json_set_int(arena, job, "executionId", run->execution_id);
    json_set_text(arena, job, "name", json_get_text(run->scenario, "name"));
    json_set_text(arena, job, "baseUrl", base);
    json_set_bool(arena, job, "allowPrivate", run->allow_private);
    json_set_bool(arena, job, "stopOnFailure", run->stop_on_failure);
    json_set(arena, job, "variables", variables);
    json_set(arena, job, "secrets", make_secrets(arena, run));
    json_set(arena, job, "secretRefs",
             run->secret_refs ? json_copy(arena, run->secret_refs) : json_object(arena));
    set_login(arena, job, run, run->base_url ? run->base_url : base);
    json_set(arena, job, "hooks", make_hooks(arena, run->scenario));
    json_t *list = json_set(arena, job, "steps", json_array(arena));
    for (const json_t *step = steps ? steps->first : NULL; step; step = step->next)
        json_add(list, make_step(arena, step));
    return job;
}
