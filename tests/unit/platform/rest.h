// SPDX-License-Identifier: Apache-2.0
// A platform without a network: requests go straight into the routes. Include before cmocka.h.

#ifndef PROOFARC_TESTS_REST_H
#define PROOFARC_TESTS_REST_H

#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auth.h"
#include "auto.h"
#include "clock.h"
#include "routes.h"
#include "store/users.h"

typedef struct {
    char dir[32];
    char url[80];
    platform_t platform;
    store_t *store;
    const char *token;  // of the next calls; NULL: none
    const char *key;    // Idempotency-Key of the next calls
    const char *etag;
    int64_t now_ms, wall_ms;
    arena_t *arena;  // for what the test keeps
    buffer_t heard;  // every answer so far
    exchange_t *last;
} rest_t;

static inline void
rest_open(rest_t *self)
{
    failure_t why;

    *self = (rest_t){ .dir = "/tmp/rest-XXXXXX", .now_ms = 1000000, .wall_ms = 1700000000000 };
    assert(mkdtemp(self->dir));
    snprintf(self->url, sizeof self->url, "sqlite:%s/db", self->dir);
    self->platform.database = self->url;
    self->platform.allow_private = true;
    memset(self->platform.vault.key, 1, KEY_SIZE);
    memset(self->platform.token_key, 2, KEY_SIZE);
    self->arena = arena_new();
    assert(!store_open(self->url, &self->store, &why));
    assert(!store_migrate(self->store, &why));
}

// Removes a directory of files.
static inline void
rest_remove(const char *dir)
{
    DIR *entries = opendir(dir);

    assert(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        unlinkat(dirfd(entries), entry->d_name, 0);  // "." and ".." stay
    closedir(entries);
    assert(rmdir(dir) == 0);
}

static inline void
rest_close(rest_t *self)
{
    exchange_destroy(&self->last);
    store_close(&self->store);
    buffer_clear(&self->heard);
    arena_destroy(&self->arena);
    rest_remove(self->dir);
}

// A token of an account with this role, made without a log-in (which takes long on purpose).
static inline const char *
rest_token(rest_t *self, const char *role)
{
    token_t token;
    json_t *user = users_find(self->store, self->arena, role);

    if (!user) {
        users_put(self->store, role, "", role, self->wall_ms);
        user = users_find(self->store, self->arena, role);
    }
    auth_token(&self->platform, self->arena, role, role, self->wall_ms, 30, &token);
    users_add_token(self->store, &(user_token_t){ token.jti, json_get_int(user, "id", 0), NULL,
                                                  role, token.created_at, token.expires_at });
    return arena_printf(self->arena, "Bearer %s", token.text);
}

// Sends a request; the answer is self->last. Returns its code, 0 when it was parked.
static inline int
rest_send(rest_t *self, const char *method, const char *target, const char *body)
{
    exchange_t *x = exchange_new(&self->platform);
    const char *query = strchr(target, '?');

    exchange_destroy(&self->last);
    x->method = method;
    x->path = arena_strndup(self->arena, target, strcspn(target, "?"));
    x->query = query ? arena_strdup(self->arena, query + 1) : "";
    x->authorization = self->token;
    x->idempotency_key = self->key;
    x->if_none_match = self->etag;
    x->body = body ? body : "";
    x->body_size = body ? strlen(body) : 0;
    x->now_ms = self->now_ms;
    x->wall_ms = self->wall_ms;
    x->store = self->store;
    routes_dispatch(x);
    self->last = x;
    buffer_add(&self->heard, x->out.bytes ? x->out.bytes : "", x->out.size);
    buffer_char(&self->heard, '\n');
    return x->park_ms ? 0 : x->code;
}

#define GET(self, target)         rest_send(self, "GET", target, NULL)
#define POST(self, target, body)  rest_send(self, "POST", target, body)
#define PUT(self, target, body)   rest_send(self, "PUT", target, body)
#define PATCH(self, target, body) rest_send(self, "PATCH", target, body)

// The answer as a tree that lives as long as the test; its text; one member of it.
static inline json_t *
rest_json(rest_t *self)
{
    return json_parse_text(self->arena, self->last->out.bytes ? self->last->out.bytes : "null");
}

static inline const char *
rest_text(const rest_t *self)
{
    return self->last->out.bytes ? self->last->out.bytes : "";
}

static inline const char *
rest_member(rest_t *self, const char *name)
{
    return json_get_text(rest_json(self), name);
}

static inline int64_t
rest_number(rest_t *self, const char *name)
{
    return json_get_int(rest_json(self), name, -1);
}

// Code of an error answer, "" when it is none.
static inline const char *
rest_error(rest_t *self)
{
    const char *code = json_get_text(json_get(rest_json(self), "error"), "code");

    return code ? code : "";
}

#endif
