// SPDX-License-Identifier: Apache-2.0
#include "fetch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "flight.h"
#include "http.h"
#include "limits.h"
#include "view.h"

typedef struct {
    http_t *http;
    const char *platform;
} fetch_t;

void *
fetch_open(const void *shared)
{
    fetch_t *self = calloc(1, sizeof *self);

    if (!self)
        abort();
    self->http = http_new();
    self->platform = shared;
    return self;
}

void
fetch_close(void *state)
{
    fetch_t *self = state;

    http_destroy(&self->http);
    free(self);
}

static const char *
url_of(arena_t *arena, const fetch_t *self, const flight_t *flight)
{
    const char *path = kinds_row(flight->kind)->path;

    return flight->project ? arena_printf(arena, "%s%s?view=names&projectId=%" PRId64,
                                          self->platform, path, flight->project)
                           : arena_printf(arena, "%s%s?view=names", self->platform, path);
}

// What an answer that is no list means for the caller.
static status_t
refuse(const flight_t *flight, long code, failure_t *why)
{
    const kinds_row_t *row = kinds_row(flight->kind);
    status_t status = status_from_http(code);

    switch (status) {
    case UNAUTHORIZED:
        return fail(why, UNAUTHORIZED, "the platform does not take the token any more; log in");
    case DENIED:
        return fail(why, DENIED, "the platform does not let this user list %s", row->plural);
    case BUSY:
        return fail(why, BUSY, "the platform is too busy to list its %s; try again in a moment",
                    row->plural);
    default:
        return fail(why, BACKEND, "the platform answered %ld instead of its list of %s", code,
                    row->plural);
    }
}

static void
take_list(flight_t *flight, const http_response_t *response)
{
    char *etag = response->etag ? strdup(response->etag) : NULL;

    if (view_parse(flight->kind, response->body, response->size, SNAPSHOTS_PER_PRINCIPAL,
                   &flight->snapshot, &flight->failure))
        free(etag);
    else
        flight->snapshot_etag = etag;
}

void
fetch_work(void *state, void *job)
{
    fetch_t *self = state;
    flight_t *flight = job;
    AUTO(arena_destroy) arena_t *arena = arena_new();
    http_request_t request = {
        .method = "GET",
        .url = url_of(arena, self, flight),
        .token = *flight->token ? flight->token : NULL,
        .etag = flight->etag,
        .timeout_ms = flight->timeout_ms,
        .answer_max = SNAPSHOT_BODY_MAX,
    };
    http_response_t response;

    if (http_send(self->http, arena, &request, &response, &flight->failure))
        return;
    if (response.code == 200)
        take_list(flight, &response);
    else if (response.code == 304 && flight->etag)
        flight->is_unchanged = true;
    else
        refuse(flight, response.code, &flight->failure);
}
