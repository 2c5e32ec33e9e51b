// SPDX-License-Identifier: Apache-2.0
// What arrives at the broker's sockets, through frames and core and out again: any bytes, from a
// few peers on both sides. A message is: flags, route, size of the envelope, envelope, size of
// the body, body.

#include <assert.h>
#include <string.h>

#include "auto.h"
#include "frames.h"
#include "limits.h"
#include "target.h"

enum { ROUTES = 4, TICK = 0x40, LOST = 0x20 };

typedef struct {
    const uint8_t *at, *end;
} input_t;

static uint8_t
take_byte(input_t *self)
{
    return self->at < self->end ? *self->at++ : 0;
}

static void
take_frame(input_t *self, parcel_t *parcel)
{
    size_t size = take_byte(self) * 4u, left = (size_t) (self->end - self->at);

    size = size < left ? size : left;
    parcel_add(parcel, self->at, size);
    self->at += size;
}

static void
look(core_t *core, outbox_t *out)
{
    const counters_t *counters = core_counters(core);

    for (size_t i = 0; i < out->count; i++) {
        AUTO(parcel_clear) parcel_t parcel = { .count = 0 };
        letter_pack(&out->letters[i], &parcel);
    }
    outbox_empty(out);
    assert(counters->open >= 0 && counters->waiting >= 0 && counters->under_way >= 0);
    assert(counters->bytes >= 0 && counters->bytes <= BROKER_BODIES_MAX);
    assert(counters->open <= counters->calls);
}

static void
arrive(core_t *core, outbox_t *out, input_t *input, int64_t now_ms)
{
    AUTO(parcel_clear) parcel_t parcel = { .count = 0 };
    AUTO(event_clear) event_t event = { 0 };
    const uint8_t flags = take_byte(input);
    const uint8_t route[] = { 0, 0, 0, 0, take_byte(input) % ROUTES };
    const side_t side = flags & 1 ? WORKERS : TRANSPORTS;
    failure_t why;

    parcel_add(&parcel, route, sizeof route);
    for (int i = 0; i < 2; i++)
        take_frame(input, &parcel);
    if (flags & TICK)
        event = (event_t){ .kind = EVENT_TICK };
    else if (flags & LOST)
        event = (event_t){ .kind = EVENT_LOST, .side = side, .route = route[4] };
    else if (event_from(&event, side, &parcel, &why))
        return;
    core_step(core, &event, now_ms, out);
    look(core, out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const categories[] = { "explore" };
    const core_options_t options = { .instance = "b",
                                     .categories = categories,
                                     .categories_count = 1,
                                     .seed = 1,
                                     .limits = core_limits() };
    AUTO(core_destroy) core_t *core = core_new(&options, 1000);
    AUTO(outbox_clear) outbox_t out = { 0 };
    input_t input = { bytes, bytes + size };
    event_t end = { .kind = EVENT_END };

    for (int64_t now_ms = 1000; input.at < input.end; now_ms += 200)
        arrive(core, &out, &input, now_ms);
    core_step(core, &end, 1000000, &out);
    look(core, &out);
    assert(core_is_idle(core) && !core_counters(core)->waiting);
    return 0;
}
