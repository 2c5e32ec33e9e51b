// SPDX-License-Identifier: Apache-2.0
#include "flight.h"

#include <stdlib.h>
#include <string.h>

static void
set_text(char **text_p, const char *text)
{
    char *copy = text ? strdup(text) : NULL;

    if (text && !copy)
        abort();
    free(*text_p);
    *text_p = copy;
}

static void
clear_result(flight_t *self)
{
    snapshot_destroy(&self->snapshot);
    free(self->snapshot_etag);
    self->snapshot_etag = NULL;
    self->is_unchanged = false;
    self->failure = (failure_t){ 0 };
}

void
flight_destroy(flight_t **self_p)
{
    flight_t *self = *self_p;

    if (!self)
        return;
    clear_result(self);
    free(self->token);
    free(self->etag);
    free(self->session);
    free(self->principal);
    free(self);
    *self_p = NULL;
}

void
flight_clear(flights_t *flights)
{
    while (flights->first) {
        flight_t *flight = flights->first;
        flights->first = flight->next;
        flight_destroy(&flight);
    }
}

flight_t *
flight_find(const flights_t *flights, const cache_key_t *key, kind_t kind, int64_t project)
{
    flight_t *flight = flights->first;

    while (flight
           && (flight->kind != kind || flight->project != project
               || strcmp(flight->session, key->session)
               || strcmp(flight->principal, key->principal)))
        flight = flight->next;
    return flight;
}

flight_t *
flight_begin(flights_t *flights, const cache_key_t *key, kind_t kind, int64_t project,
             const char *token, const char *etag)
{
    flight_t *flight = calloc(1, sizeof *flight), **last = &flights->first;

    if (!flight)
        abort();
    flight->kind = kind;
    flight->project = project;
    set_text(&flight->session, key->session);
    set_text(&flight->principal, key->principal);
    set_text(&flight->token, token);
    set_text(&flight->etag, etag);
    while (*last)
        last = &(*last)->next;
    *last = flight;
    return flight;
}

flight_t *
flight_take_off(flights_t *flights, int64_t now_ms)
{
    flight_t *flight = flights->first;

    while (flight && (flight->is_flying || flight->until_ms <= now_ms))
        flight = flight->next;
    if (!flight)
        return NULL;
    flight->is_flying = true;
    flight->timeout_ms = flight->until_ms - now_ms;
    return flight;
}

void
flight_restart(flight_t *self, const char *token, bool is_whole)
{
    clear_result(self);
    self->is_flying = false;
    self->is_stale = false;
    if (token)
        set_text(&self->token, token);
    if (is_whole)
        set_text(&self->etag, NULL);
}

void
flight_remove(flights_t *flights, flight_t *self)
{
    flight_t **place = &flights->first;

    while (*place != self)
        place = &(*place)->next;
    *place = self->next;
    self->next = NULL;
}

void
flight_forget(flights_t *flights, const char *principal, kind_t kind)
{
    for (flight_t *flight = flights->first; flight; flight = flight->next)
        if (flight->is_flying && (flight->kind == kind || kind == KIND_COUNT)
            && !strcmp(flight->principal, principal))
            flight->is_stale = true;
}

void
flight_expire(flights_t *flights, int64_t now_ms)
{
    for (flight_t *flight = flights->first, *next; flight; flight = next) {
        next = flight->next;
        if (!flight->is_flying && flight->until_ms <= now_ms) {
            flight_remove(flights, flight);
            flight_destroy(&flight);
        }
    }
}
