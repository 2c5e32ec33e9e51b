// SPDX-License-Identifier: Apache-2.0
// A run of a scenario against a stub. Payloads are written with ' for "; {PORT} is the stub's.

#ifndef PROOFARC_SCENE_H
#define PROOFARC_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "api/run.h"
#include "limits.h"
#include "stub.h"

#include <cmocka.h>  // last: it defines fail()

// Answers in one line each.
#define STUB_ANSWER(code, more, body)                                                          \
    "HTTP/1.1 " code " X\r\n" more "Connection: close\r\n\r\n" body
#define STUB_JSON(body) STUB_ANSWER("200", "Content-Type: application/json\r\n", body)

typedef struct {
    stub_t stub;
    job_t job;
    json_t *result;
    const char *text;  // the whole result
} scene_t;

// `members` of the payload, which are added to baseUrl and allowPrivate.
static inline json_t *
scene_payload(arena_t *arena, const char *members, int port)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    buffer_printf(&out, "{\"baseUrl\":\"http://127.0.0.1:%d\",\"allowPrivate\":true,", port);
    for (const char *c = members; *c; c++) {
        if (!strncmp(c, "{PORT}", 6)) {
            buffer_printf(&out, "%d", port);
            c += 5;
        } else {
            buffer_char(&out, *c == '\'' ? '"' : *c);
        }
    }
    buffer_char(&out, '}');
    json_t *payload = json_parse_text(arena, out.bytes);
    if (!payload)
        print_error("no JSON: %s\n", out.bytes);
    return payload;
}

static inline void
scene_begin(scene_t *self, const stub_row_t *script)
{
    *self = (scene_t){ .job.arena = arena_new() };
    stub_start(&self->stub, script);
}

static inline void
scene_run(scene_t *self, const char *members)
{
    self->job.payload = scene_payload(self->job.arena, members, self->stub.port);
    assert_non_null(self->job.payload);
    self->result = api_run(&self->job);
    self->text = json_text(self->job.arena, self->result);
}

static inline void
scene_end(scene_t *self)
{
    stub_stop(&self->stub);
    arena_destroy(&self->job.arena);
}

static inline const json_t *
scene_step(const scene_t *self, size_t index)
{
    const json_t *step = json_get(self->result, "steps")->first;

    while (step && index--)
        step = step->next;
    assert_non_null(step);
    return step;
}

// "COMPLETED PASSED: PASSED FAILED SKIPPED", the run and then its steps.
static inline const char *
scene_statuses(const scene_t *self)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    buffer_printf(&out, "%s %s:", json_get_text(self->result, "status"),
                  json_get_text(self->result, "outcome"));
    for (const json_t *step = json_get(self->result, "steps")->first; step; step = step->next)
        buffer_printf(&out, " %s", json_get_text(step, "status"));
    return arena_strndup(self->job.arena, out.bytes, out.size);
}

#endif
