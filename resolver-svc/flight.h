// SPDX-License-Identifier: Apache-2.0
// The fetches that are due or under way, one for each list and scope. Pure.

#ifndef PROOFARC_FLIGHT_H
#define PROOFARC_FLIGHT_H

#include "cache.h"

// One GET. Between flight_take_off() and its return only the one who works on it may touch it.
typedef struct flight flight_t;
struct flight {
    flight_t *next;
    kind_t kind;
    int64_t project;  // 0: of the whole instance
    char *session, *principal;
    char *token;         // of the leader
    char *etag;          // If-None-Match, or NULL
    int64_t timeout_ms;  // for the work
    int64_t until_ms;    // how long anyone may want it
    bool is_flying;      // handed out
    bool is_stale;       // what it brings may be older than a write
    int promotions;      // how often a follower has taken over
    // The result, filled in by who does the work: a failure, or `is_unchanged` (304), or a
    // snapshot with its ETag (malloc'ed, or NULL).
    failure_t failure;
    bool is_unchanged;
    snapshot_t *snapshot;
    char *snapshot_etag;
};

// In the order in which they began.
typedef struct {
    flight_t *first;
} flights_t;

// All of them, also those that are flying.
void flight_clear(flights_t *flights);

flight_t *flight_find(const flights_t *flights, const cache_key_t *key, kind_t kind,
                      int64_t project);

// Appends one; the texts are copied, `etag` may be NULL.
flight_t *flight_begin(flights_t *flights, const cache_key_t *key, kind_t kind, int64_t project,
                       const char *token, const char *etag);

// Hands the next one out, with its time set; NULL when all are flying or wanted no more.
flight_t *flight_take_off(flights_t *flights, int64_t now_ms);

// It will take off again, with another token if `token` is not NULL, and asks for all of the
// list if `is_whole`. What it has brought is dropped.
void flight_restart(flight_t *self, const char *token, bool is_whole);

// Takes it out of the list; the caller destroys it.
void flight_remove(flights_t *flights, flight_t *self);
void flight_destroy(flight_t **self_p);

// A write came: what flies for this principal and kind (KIND_COUNT: any kind) is stale.
void flight_forget(flights_t *flights, const char *principal, kind_t kind);

// Drops those that wait and that nobody wants any more.
void flight_expire(flights_t *flights, int64_t now_ms);

#endif
