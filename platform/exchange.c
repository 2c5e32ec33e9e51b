// SPDX-License-Identifier: Apache-2.0
#include "exchange.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

exchange_t *
exchange_new(const platform_t *platform)
{
    exchange_t *self = calloc(1, sizeof *self);

    assert(self);
    self->platform = platform;
    self->arena = arena_new();
    self->query = "";
    self->body = "";
    self->seen = -1;
    return self;
}

void
exchange_destroy(exchange_t **self_p)
{
    exchange_t *self = *self_p;

    if (!self)
        return;
    buffer_clear(&self->out);
    arena_destroy(&self->arena);
    free(self);
    *self_p = NULL;
}

const char *
exchange_param(const exchange_t *self, const char *name)
{
    for (size_t i = 0; i < EXCHANGE_PARAMS_MAX && self->params[i].name; i++)
        if (strcmp(self->params[i].name, name) == 0)
            return self->params[i].text;
    assert(!"a parameter of the route's path");
    return NULL;
}

int64_t
exchange_id(const exchange_t *self, const char *name)
{
    return strtoll(exchange_param(self, name), NULL, 10);  // routes.c let digits alone pass
}

const char *
exchange_text(const exchange_t *self, const char *name)
{
    return json_get_text(self->given, name);
}

int64_t
exchange_int(const exchange_t *self, const char *name, int64_t fallback)
{
    return json_get_int(self->given, name, fallback);
}

bool
exchange_flag(const exchange_t *self, const char *name, bool fallback)
{
    return json_get_bool(self->given, name, fallback);
}

json_t *
exchange_json(const exchange_t *self, const char *name)
{
    return json_get(self->given, name);
}

const char *
exchange_asked(const exchange_t *self, const char *name)
{
    return json_get_text(self->arguments, name);
}

int64_t
exchange_asked_int(const exchange_t *self, const char *name, int64_t fallback)
{
    return json_get_int(self->arguments, name, fallback);
}

status_t
exchange_answer(exchange_t *self, int code, const json_t *value)
{
    if (!value)  // a failing database finds nothing, which takes the place of this sentence
        return fail(&self->why, BACKEND, "what was asked for cannot be read; try again");
    self->code = code;
    json_write(&self->out, value);
    return OK;
}

void
exchange_note_job(exchange_t *self, int64_t number, bool is_ready)
{
    bool is_another = self->changed_job && self->changed_job != number;

    self->jobs_changed = true;
    self->jobs_ready |= is_ready;
    if (number)
        self->changed_job = is_another ? EXCHANGE_MANY_JOBS : number;
}

status_t
exchange_refuse(exchange_t *self, const char *name, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const char *reason = arena_vprintf(self->arena, format, args);
    va_end(args);
    return fail_coded(&self->why, BAD_ARGS, "BAD_MEMBER", "%s %s", name, reason);
}
