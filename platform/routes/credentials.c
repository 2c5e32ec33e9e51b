// SPDX-License-Identifier: Apache-2.0
// Log-ins of an environment.

#include <string.h>

#include "routes/find.h"
#include "secrets.h"
#include "store/credentials.h"
#include "store/environments.h"

enum { SECRET_MAX = 8 * 1024 };

static route_fn list_credentials, create_credential, change_credential;

const route_t credential_routes[] = {
    {
        .method = "GET",
        .path = "/api/environments/{environmentId}/credentials",
        .least = VIEWER,
        .id = "listCredentials",
        .summary = "List the log-ins of an environment, without their secrets.",
        .answer = "environment, credentials of {tag, kinds, username, isDefault, active}.",
        .run = list_credentials,
        .is_list = true,
        .is_quick = true,
    },
    {
        .method = "POST",
        .path = "/api/environments/{environmentId}/credentials",
        .least = ANALYST,
        .id = "createCredential",
        .summary = "Store a log-in.",
        .answer = "{tag, kinds, username, isDefault, active, environmentId, environment}.",
        .code = 201,
        .run = create_credential,
        // clang-format off
        .body = {
            { "tag", M_NAME, true, "How tests refer to it.", "\"default\"" },
            { "username", M_TEXT, .about = "Name to log in with.", .example = "\"ada\"",
              .max = 1024 },
            { "password", M_SECRET, .about = "Its password.", .example = "\"correct horse\"",
              .max = SECRET_MAX },
            { "token", M_SECRET, .about = "A token that is sent as it is.", .max = SECRET_MAX },
            { "apiKey", M_SECRET, .about = "An API key.", .max = SECRET_MAX },
            { "secretRef", M_TEXT, .about = "env:NAME: the agent reads the password (the token, "
              "without a username) from its environment when it runs.", .max = 200 },
            { "isDefault", M_FLAG, .about = "Used where a test names none.", .example = "true" },
        },
        // clang-format on
    },
    {
        .method = "PATCH",
        .path = "/api/environments/{environmentId}/credentials/{tag}",
        .least = ANALYST,
        .id = "changeCredential",
        .summary = "Switch a log-in on or off.",
        .answer = "The log-in.",
        .run = change_credential,
        .body = { { "active", M_FLAG, true, "false switches it off.", "true" } },
    },
    { 0 }
};

static json_t *
find_environment(exchange_t *x)
{
    return find_in_path(x, "environmentId", "environment", environments_get);
}

static status_t
list_credentials(exchange_t *x)
{
    const json_t *environment = find_environment(x);
    json_t *answer = json_object(x->arena);

    if (!environment)
        return x->why.status;
    json_t *all = credentials_list(x->store, x->arena, exchange_id(x, "environmentId"));
    json_set_text(x->arena, answer, "environment", json_get_text(environment, "name"));
    json_set(x->arena, answer, "credentials", all);
    json_set_int(x->arena, answer, "total", (int64_t) all->count);
    json_set_int(x->arena, answer, "returned", (int64_t) all->count);
    return exchange_answer(x, 200, answer);
}

// ---- a new one

static bool
is_reference(const char *text)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

    return strncmp(text, "env:", 4) == 0 && text[4]
           && strspn(text + 4, allowed) == strlen(text + 4);
}

static json_t *
kinds_of(exchange_t *x)
{
    static const char *const secret[] = { "password", "token", "apiKey" };
    const char *reference = exchange_text(x, "secretRef");
    const char *referred = exchange_text(x, "username") ? "password" : "token";
    json_t *kinds = json_array(x->arena);

    for (size_t i = 0; i < sizeof secret / sizeof *secret; i++)
        if (exchange_text(x, secret[i]) || (reference && strcmp(referred, secret[i]) == 0))
            json_add(kinds, json_string(x->arena, secret[i]));
    return kinds;
}

static json_t *
secrets_given(exchange_t *x)
{
    static const char *const secret[] = { "password", "token", "apiKey" };
    json_t *secrets = json_object(x->arena);

    for (size_t i = 0; i < sizeof secret / sizeof *secret; i++)
        if (exchange_text(x, secret[i]))
            json_set_text(x->arena, secrets, secret[i], exchange_text(x, secret[i]));
    return secrets;
}

static status_t
check_credential(exchange_t *x, const json_t *kinds)
{
    const char *reference = exchange_text(x, "secretRef");

    if (strchr(exchange_text(x, "tag"), '/'))
        return exchange_refuse(x, "tag", "must not have a /");
    if (reference && !is_reference(reference))
        return exchange_refuse(x, "secretRef", "must be env:NAME");
    if (!kinds->count)
        return fail_coded(&x->why, BAD_ARGS, "MISSING_MEMBER",
                          "a log-in needs a password, token, apiKey or secretRef");
    if (exchange_text(x, "password") && !exchange_text(x, "username"))
        return fail_coded(&x->why, BAD_ARGS, "MISSING_MEMBER", "a password needs a username");
    return OK;
}

static status_t
create_credential(exchange_t *x)
{
    const json_t *environment = find_environment(x), *kinds = kinds_of(x);
    const char *tag = exchange_text(x, "tag");
    int64_t environment_id = exchange_id(x, "environmentId");

    if (!environment || check_credential(x, kinds))
        return x->why.status;
    if (credentials_get(x->store, x->arena, environment_id, tag))
        return fail_coded(&x->why, CONFLICT, "CREDENTIAL_EXISTS",
                          "the environment \"%.80s\" has a log-in \"%.80s\" already; choose "
                          "another tag",
                          json_get_text(environment, "name"), tag);
    int64_t id = credentials_add(x->store, x->arena,
                                 &(credential_t){
                                     .environment = environment_id,
                                     .tag = tag,
                                     .kinds = kinds,
                                     .username = exchange_text(x, "username"),
                                     .secret_ref = exchange_text(x, "secretRef"),
                                     .is_default = exchange_flag(x, "isDefault", false),
                                 });
    secrets_seal(x, id, secrets_given(x));
    return exchange_answer(x, 201, credentials_get(x->store, x->arena, environment_id, tag));
}

static status_t
change_credential(exchange_t *x)
{
    const json_t *environment = find_environment(x);
    const char *tag = exchange_param(x, "tag");
    int64_t id = exchange_id(x, "environmentId");

    if (!environment)
        return x->why.status;
    if (!credentials_get(x->store, x->arena, id, tag))
        return fail_coded(&x->why, NOT_FOUND, "NOT_FOUND",
                          "the environment \"%.80s\" has no log-in \"%.80s\"",
                          json_get_text(environment, "name"), tag);
    credentials_set_active(x->store, id, tag, exchange_flag(x, "active", true));
    return exchange_answer(x, 200, credentials_get(x->store, x->arena, id, tag));
}
