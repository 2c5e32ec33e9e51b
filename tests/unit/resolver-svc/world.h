// SPDX-License-Identifier: Apache-2.0
// A core with a platform made of texts, a clock that the test moves, and the answers it gave.

#ifndef PROOFARC_TEST_WORLD_H
#define PROOFARC_TEST_WORLD_H

#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "core.h"
#include "limits.h"
#include "view.h"

#include <cmocka.h>  // last: it defines fail()

enum { WORLD_ANSWERS_MAX = 8192 };

typedef struct {
    char *id;
    int64_t status;
    char *code;
    char *text;
    char *body;
} world_answer_t;

typedef struct {
    core_t *core;
    int64_t now_ms;
    const char *lists[KIND_COUNT];  // what the platform says; NULL: it is down
    const char *of_project;         // what it says when a project is named, or NULL
    size_t size_max;                // of a snapshot
    const char *session, *principal, *token;
    int64_t left_ms;
    int fetches[KIND_COUNT];
    int confirmed;  // 304s
    world_answer_t answers[WORLD_ANSWERS_MAX];
    size_t count;
} world_t;

static inline void
world_take(void *arg, const core_peer_t *peer, const resolved_msg_t *answer, const void *body,
           size_t size)
{
    world_t *world = arg;

    assert_true(world->count < WORLD_ANSWERS_MAX);
    assert_int_equal(peer->size, 4);
    world->answers[world->count++] = (world_answer_t){
        strdup(answer->id),
        answer->status,
        strdup(answer->code),
        strdup(answer->text),
        strndup(body ? body : "", size),
    };
}

static inline int
world_setup_with(void **state, size_t principal_max, size_t total_max)
{
    world_t *world = calloc(1, sizeof *world);

    assert_non_null(world);
    world->now_ms = 1000 * 1000;
    world->size_max = SNAPSHOTS_PER_PRINCIPAL;
    world->session = "s1";
    world->principal = "proofarc|ann|analyst";
    world->token = "token-of-ann";
    world->left_ms = CALL_MS;
    world->core = core_new(principal_max, total_max, world_take, world);
    *state = world;
    return 0;
}

static inline int
world_setup(void **state)
{
    return world_setup_with(state, SNAPSHOTS_PER_PRINCIPAL, SNAPSHOTS_MAX);
}

static inline void
world_forget_answers(world_t *world)
{
    for (size_t i = 0; i < world->count; i++) {
        free(world->answers[i].id);
        free(world->answers[i].code);
        free(world->answers[i].text);
        free(world->answers[i].body);
    }
    world->count = 0;
}

static inline int
world_teardown(void **state)
{
    world_t *world = *state;

    world_forget_answers(world);
    core_destroy(&world->core);
    free(world);
    return 0;
}

static inline void
world_send(world_t *world, const char *id, const char *body)
{
    const core_peer_t peer = { "peer", 4 };
    const resolve_msg_t message = {
        .id = id,
        .session = world->session,
        .principal = world->principal,
        .token = world->token,
        .left_ms = world->left_ms,
    };

    core_resolve(world->core, &peer, &message, body, strlen(body), world->now_ms);
}

// What the platform answers; its ETag is the list itself.
static inline void
world_work(world_t *world, flight_t *flight)
{
    const char *list = flight->project ? world->of_project : world->lists[flight->kind];

    world->fetches[flight->kind]++;
    if (!list)
        fail_coded(&flight->failure, BACKEND, "", "the platform is down");
    else if (flight->etag && !strcmp(flight->etag, list)) {
        flight->is_unchanged = true;
        world->confirmed++;
    } else if (!view_parse(flight->kind, list, strlen(list), world->size_max, &flight->snapshot,
                           &flight->failure))
        flight->snapshot_etag = strdup(list);
}

// Fetches until nothing is due.
static inline void
world_fly(world_t *world)
{
    flight_t *flight;

    while ((flight = core_next_fetch(world->core, world->now_ms))) {
        world_work(world, flight);
        core_fetched(world->core, flight, world->now_ms);
    }
}

static inline const world_answer_t *
world_last(const world_t *world)
{
    assert_true(world->count > 0);
    return &world->answers[world->count - 1];
}

// Asks and lets the platform answer.
static inline const world_answer_t *
world_ask(world_t *world, const char *body)
{
    size_t before = world->count;

    world_send(world, "q", body);
    world_fly(world);
    assert_int_equal(world->count, before + 1);
    return world_last(world);
}

static inline void
world_forget(world_t *world, const char *kind, const char *entity, bool removed)
{
    const forget_msg_t message = {
        .id = "f", .principal = world->principal, .kind = kind, .removed = removed
    };

    core_forget(world->core, &message, entity, strlen(entity));
}

static inline int
world_fetches(const world_t *world)
{
    int sum = 0;

    for (kind_t kind = 0; kind < KIND_COUNT; kind++)
        sum += world->fetches[kind];
    return sum;
}

// One reference, as RESOLVE carries it; `value` is JSON.
#define REF(param, value)                                                                      \
    "{\"param\":\"" param "\",\"kind\":\"" param "\",\"value\":" value ","                     \
    "\"must\":true}"
#define OPTIONAL(param, value)                                                                 \
    "{\"param\":\"" param "\",\"kind\":\"" param "\",\"value\":" value "}"
#define GONE(param, value)                                                                     \
    "{\"param\":\"" param "\",\"kind\":\"" param "\",\"value\":" value ","                     \
    "\"must\":true,\"gone\":true}"
#define NAMES(refs)        "{\"names\":[" refs "]}"
#define BY_TAG(tags, refs) "{\"names\":[" refs "],\"tags\":[" tags "],\"by_tag\":true}"

#endif
