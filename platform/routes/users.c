// SPDX-License-Identifier: Apache-2.0
// Log-in, accounts and tokens.

#include <string.h>

#include "auth.h"
#include "clock.h"
#include "limits.h"
#include "routes/find.h"
#include "settings.h"
#include "store/users.h"

enum { MISSES_MAX = 10, MISSES_WINDOW_MS = 60 * 1000, PASSWORD_MAX = 1024, DAYS_MAX = 365 };

static route_fn login, whoami, list_users, create_user, change_user, hash_password;
static route_fn create_token, list_tokens, delete_token;

#define ROLES "viewer|analyst|admin"

const route_t user_routes[] = {
    {
        .method = "POST",
        .path = "/api/auth/login",
        .id = "login",
        .summary = "Get a token for a name and a password.",
        .answer = "{token, accessToken, expiresAt, user}.",
        .run = login,
        .is_loose = true,
        .body = {
            { "username", M_TEXT, true, "Name of the account.", "\"owner\"", .max = 800 },
            { "password", M_SECRET, true, "Its password.", "\"secret\"", .max = PASSWORD_MAX },
        },
    },
    {
        .method = "GET",
        .path = "/api/auth/whoami",
        .least = VIEWER,
        .id = "whoami",
        .summary = "Tell whose token this is.",
        .answer = "{username, role, principal, expiresAt, serverVersion}.",
        .run = whoami,
        .is_quick = true,
    },
    {
        .method = "GET",
        .path = "/api/users",
        .least = ADMIN,
        .id = "listUsers",
        .summary = "List accounts.",
        .answer = "users of {id, username, role, active}, total, returned.",
        .run = list_users,
        .is_list = true,
        .is_quick = true,
    },
    {
        .method = "POST",
        .path = "/api/users",
        .least = ADMIN,
        .id = "createUser",
        .summary = "Make an account.",
        .answer = "The account.",
        .code = 201,
        .run = create_user,
        .prepare = hash_password,
        .body = {
            { "username", M_NAME, true, "Name to log in with.", "\"ada\"" },
            { "password", M_SECRET, true, "Password.", "\"correct horse\"", .max = PASSWORD_MAX },
            { "role", M_TEXT, true, "What it may do.", "\"analyst\"", .one_of = ROLES },
        },
    },
    {
        .method = "PATCH",
        .path = "/api/users/{userId}",
        .least = ADMIN,
        .id = "changeUser",
        .summary = "Switch an account on or off, change its role or password.",
        .answer = "The account. Its tokens end unless it was only switched on.",
        .run = change_user,
        .prepare = hash_password,
        .body = {
            { "active", M_FLAG, .about = "false switches it off.", .example = "true" },
            { "role", M_TEXT, .about = "New role.", .one_of = ROLES },
            { "password", M_SECRET, .about = "New password.", .max = PASSWORD_MAX },
        },
    },
    {
        .method = "POST",
        .path = "/api/tokens",
        .least = ADMIN,
        .id = "createToken",
        .summary = "Make a token for a program.",
        .answer = "{id, name, role, expiresAt, token}; the token is shown this once.",
        .code = 201,
        .run = create_token,
        .body = {
            { "name", M_NAME, true, "What it is for.", "\"ci\"" },
            { "role", M_TEXT, true, "What it may do.", "\"analyst\"", .one_of = ROLES "|agent" },
            { "expiresDays", M_INT, .about = "Days until it ends, 30 when absent.",
              .example = "30", .min = 1, .max = DAYS_MAX },
        },
    },
    {
        .method = "GET",
        .path = "/api/tokens",
        .least = ADMIN,
        .id = "listTokens",
        .summary = "List the tokens of programs.",
        .answer = "tokens of {id, name, role, username, createdAt, expiresAt}, total, returned.",
        .run = list_tokens,
        .is_list = true,
        .is_quick = true,
    },
    {
        .method = "DELETE",
        .path = "/api/tokens/{tokenId}",
        .least = ADMIN,
        .id = "deleteToken",
        .summary = "End a token.",
        .answer = "{id, deleted}.",
        .run = delete_token,
    },
    { 0 }
};

static status_t
answer_all(exchange_t *x, const char *plural, json_t *rows)
{
    json_t *answer = json_object(x->arena);

    json_set(x->arena, answer, plural, rows);
    json_set_int(x->arena, answer, "total", (int64_t) rows->count);
    json_set_int(x->arena, answer, "returned", (int64_t) rows->count);
    return exchange_answer(x, 200, answer);
}

static void
set_time(exchange_t *x, json_t *object, const char *key, int64_t wall_ms)
{
    char text[CLOCK_TEXT_SIZE];

    clock_format(wall_ms, text);
    json_set_text(x->arena, object, key, text);
}

// ---- log-in

static status_t
answer_login(exchange_t *x, const json_t *user)
{
    json_t *answer = json_object(x->arena), *shown = json_copy(x->arena, user);
    int64_t user_id = json_get_int(user, "id", 0);
    const char *role = json_get_text(user, "role");
    token_t token;

    auth_token(x->platform, x->arena, json_get_text(user, "username"), role, x->wall_ms,
               TOKEN_DAYS, &token);
    users_add_token(x->store, &(user_token_t){ token.jti, user_id, NULL, role, token.created_at,
                                               token.expires_at });
    json_set_text(x->arena, answer, "token", token.text);
    json_set_text(x->arena, answer, "accessToken", token.text);
    set_time(x, answer, "expiresAt", token.expires_at);
    json_remove(shown, "active");
    json_set(x->arena, answer, "user", shown);
    return exchange_answer(x, 200, answer);
}

static status_t
login(exchange_t *x)
{
    const char *name = exchange_text(x, "username");

    if (users_misses(x->store, name, x->wall_ms - MISSES_WINDOW_MS) >= MISSES_MAX) {
        x->code = 429;
        return fail_coded(&x->why, BUSY, "TOO_MANY_LOGINS",
                          "too many wrong passwords for this name; wait a minute");
    }
    const char *hash = users_hash(x->store, x->arena, name);
    if (auth_verify(hash, exchange_text(x, "password")))
        return answer_login(x, users_find(x->store, x->arena, name));
    users_add_miss(x->store, name, x->wall_ms);
    return fail_coded(&x->why, UNAUTHORIZED, "WRONG_LOGIN",
                      "the name or the password is wrong");
}

static status_t
whoami(exchange_t *x)
{
    json_t *answer = json_object(x->arena);

    json_set_text(x->arena, answer, "username", x->caller.username);
    json_set_text(x->arena, answer, "role", x->caller.role_name);
    json_set_text(x->arena, answer, "principal", x->caller.principal);
    set_time(x, answer, "expiresAt", x->caller.expires_at);
    json_set_text(x->arena, answer, "serverVersion", proofarc_version());
    return exchange_answer(x, 200, answer);
}

// ---- accounts

static status_t
list_users(exchange_t *x)
{
    return answer_all(x, "users", users_all(x->store, x->arena));
}

static status_t
hash_password(exchange_t *x)
{
    const char *password = exchange_text(x, "password");

    if (password && !*password)
        return exchange_refuse(x, "password", "is empty");
    x->prepared = password ? (void *) auth_hash(x->arena, password) : NULL;
    return OK;
}

static status_t
create_user(exchange_t *x)
{
    const char *name = exchange_text(x, "username");

    if (strchr(name, '|'))
        return exchange_refuse(x, "username", "must not have a |");
    if (users_find(x->store, x->arena, name))
        return fail_coded(&x->why, CONFLICT, "USER_EXISTS",
                          "an account called \"%s\" exists already", name);
    users_put(x->store, name, x->prepared, exchange_text(x, "role"), x->wall_ms);
    return exchange_answer(x, 201, users_find(x->store, x->arena, name));
}

static status_t
change_user(exchange_t *x)
{
    const json_t *user = find_in_path(x, "userId", "user", users_get);
    const json_t *active = exchange_json(x, "active");
    const char *role = exchange_text(x, "role");

    if (!user)
        return x->why.status;
    int64_t id = json_get_int(user, "id", 0);
    bool is_agent = strcmp(json_get_text(user, "role"), "agent") == 0;
    if (is_agent && (role || x->prepared))
        return exchange_refuse(x, "the account of agents", "has neither role nor password");
    bool demotes = (active && !active->truth) || (role && strcmp(role, "admin") != 0);
    if (demotes && !is_agent && !users_other_admins(x->store, id))
        return fail_coded(&x->why, CONFLICT, "LAST_ADMIN",
                          "this is the last active admin; make another one first");
    users_change(x->store, id, active ? active->truth : -1, role, x->prepared);
    return exchange_answer(x, 200, users_get(x->store, x->arena, id));
}

// ---- tokens

static status_t
create_token(exchange_t *x)
{
    const char *name = exchange_text(x, "name"), *role = exchange_text(x, "role");
    bool is_agent = strcmp(role, "agent") == 0;
    int64_t user = is_agent ? users_agent(x->store, x->wall_ms) : x->caller.user_id;
    token_t token;

    auth_token(x->platform, x->arena, is_agent ? "agent" : x->caller.username, role, x->wall_ms,
               exchange_int(x, "expiresDays", TOKEN_DAYS), &token);
    int64_t id =
        users_add_token(x->store, &(user_token_t){ token.jti, user, name, role,
                                                   token.created_at, token.expires_at });
    json_t *answer = users_token(x->store, x->arena, id);
    if (!answer)
        return OK;  // the store has failed, which is answered in our place
    json_set_text(x->arena, answer, "token", token.text);
    return exchange_answer(x, 201, answer);
}

static status_t
list_tokens(exchange_t *x)
{
    return answer_all(x, "tokens", users_tokens(x->store, x->arena));
}

static status_t
delete_token(exchange_t *x)
{
    int64_t id = exchange_id(x, "tokenId");
    json_t *answer = json_object(x->arena);

    if (!users_delete_token(x->store, id))
        return fail_coded(&x->why, NOT_FOUND, "NOT_FOUND", "there is no token with the id %d",
                          (int) id);
    json_set_int(x->arena, answer, "id", id);
    json_set_bool(x->arena, answer, "deleted", true);
    return exchange_answer(x, 200, answer);
}
