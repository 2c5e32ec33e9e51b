// SPDX-License-Identifier: Apache-2.0
// One REST request and its answer, without a network: what a route's function sees. The loop
// (or a test) fills in what was asked; routes_dispatch() does the rest.

#ifndef PROOFARC_PLATFORM_EXCHANGE_H
#define PROOFARC_PLATFORM_EXCHANGE_H

#include "store/sqlite.h"
#include "vault.h"

typedef struct route route_t;  // routes.h
typedef struct exchange exchange_t;
typedef struct auth_seals auth_seals_t;  // auth.h

// Least role that may use a route, in rising order; AGENT stands beside them.
typedef enum { OPEN, VIEWER, ANALYST, ADMIN, AGENT } role_t;

// What all requests share; read only once the program serves.
typedef struct {
    const char *database;  // sqlite:FILE
    vault_t vault;
    unsigned char token_key[KEY_SIZE];
    bool allow_private;   // of new environments that do not say
    const char *reports;  // directory for reports as files, or NULL
} platform_t;

typedef struct {
    int64_t user_id;
    const char *username;
    const char *role_name;
    role_t role;
    const char *principal;  // iss|sub|role
    int64_t expires_at;     // wall milliseconds
} caller_t;

enum { EXCHANGE_PARAMS_MAX = 3, EXCHANGE_ETAG_SIZE = 40, EXCHANGE_MANY_JOBS = -1 };

struct exchange {
    // Asked. Not owned; NULL where absent, query "" .
    const char *method, *path, *query;
    const char *authorization, *idempotency_key, *if_none_match;
    const char *body;
    size_t body_size;
    int64_t now_ms;   // monotonic, for leases
    int64_t wall_ms;  // since 1970
    // A long poll that was parked before: what the route saw then, and whether time is up.
    int64_t seen;
    bool parked_before, last_try;

    const platform_t *platform;
    store_t *store;
    auth_seals_t *seals;  // tokens that were found to be ours, or NULL
    arena_t *arena;

    // Filled in on the way.
    const route_t *route;
    struct {
        const char *name, *text;
    } params[EXCHANGE_PARAMS_MAX];  // of the path, decoded
    json_t *arguments;              // of the query, checked
    json_t *given;                  // the body, checked
    void *prepared;                 // made by the row's `prepare`
    caller_t caller;

    // The answer.
    int code;
    buffer_t out;
    const char *content_type;
    char etag[EXCHANGE_ETAG_SIZE];
    bool replayed;        // from an earlier request with the same key
    bool store_failed;    // the answer is that the database could not be used
    bool is_rehearsal;    // a dry run: nothing of it is kept
    bool jobs_changed;    // some were queued, given out, moved on or ended
    bool jobs_ready;      // an agent that found none may find one now
    int64_t changed_job;  // the number of the one that changed, EXCHANGE_MANY_JOBS for several
    int64_t park_ms;      // > 0: no answer yet, ask again when jobs change or the time is up
    int64_t park_job;     // the job whose change ends the wait; 0: any that is ready
    const char *claimed_job;  // that this answer hands to an agent, or NULL
    int64_t claimed_attempt;
    failure_t why;
    const json_t *details;  // members that stand beside code and message of an error
};

exchange_t *exchange_new(const platform_t *platform);
void exchange_destroy(exchange_t **self_p);

// Parameters of the path.
const char *exchange_param(const exchange_t *self, const char *name);
int64_t exchange_id(const exchange_t *self, const char *name);

// Members of the body and arguments of the query, as their rows say; NULL or the fallback if
// absent.
const char *exchange_text(const exchange_t *self, const char *name);
int64_t exchange_int(const exchange_t *self, const char *name, int64_t fallback);
bool exchange_flag(const exchange_t *self, const char *name, bool fallback);
json_t *exchange_json(const exchange_t *self, const char *name);
const char *exchange_asked(const exchange_t *self, const char *name);
int64_t exchange_asked_int(const exchange_t *self, const char *name, int64_t fallback);

// Answers with a JSON value; without one, fails.
status_t exchange_answer(exchange_t *self, int code, const json_t *value);

// Notes that a job changed (by its number; 0: a new one), and whether agents should look again.
void exchange_note_job(exchange_t *self, int64_t number, bool is_ready);

// Fails with BAD_ARGS about one member of the body or argument of the query.
status_t exchange_refuse(exchange_t *self, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
