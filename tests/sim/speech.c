// SPDX-License-Identifier: Apache-2.0
#include "speech.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

// clang-format off
static const struct {
    const char *name, *category, *effect, *key;
    int quick;
} tools[TOOLS_N] = {
    [LOOK]           = { "look",  "explore", "reads",    ""    },
    [GLANCE]         = { "glance", "explore", "reads",   "", 1 },
    [WRITE_WITH_KEY] = { "store", "explore", "writes",   "key" },
    [WRITE]          = { "write", "explore", "writes",   ""    },
    [RUN]            = { "run",   "act",     "executes", ""    },
    [FLY]            = { "fly",   "none",    "reads",    ""    },  // nobody offers it
};
// clang-format on

// The message with memory of its own, as one from a socket.
static void
own(event_t *event, const wire_table_t *table, const void *message)
{
    void *bytes;
    size_t size;
    failure_t why;

    wire_encode(table, message, &bytes, &size);
    const char *cursor = bytes;
    status_t status = wire_decode(table, &cursor, cursor + size, &event->message.memory, &why);
    assert(!status);
    free(bytes);
    event->message.type = table->type;
    event->message.bytes = size;
    event->message.body = (body_t){ malloc(1), free };
}

// Workers with an even number explore, those with an odd one act; the last one does both.
static void
own_ready(event_t *event, const char *instance, const process_t *process)
{
    entry_msg_t entries[TOOLS_N] = { 0 };
    char host[16];
    size_t count = 0, size;
    void *bytes;

    for (int i = 0; i < FLY; i++)
        if (process->number == PEERS_N - 1 || (i == RUN) == process->number % 2)
            entries[count++] = (entry_msg_t){ .kind = "tool",
                                              .name = tools[i].name,
                                              .category = tools[i].category,
                                              .effect = tools[i].effect,
                                              .quick = tools[i].quick };
    snprintf(host, sizeof host, "h%d", process->number);
    catalogue_pack(entries, count, &bytes, &size);
    own(event, &ready_wire,
        &(ready_msg_t){ .protocol = WIRE_PROTOCOL,
                        .instance = instance,
                        .host = host,
                        .credit = process->credit,
                        .entries = { bytes, size } });
    free(bytes);
}

static void
own_hello(event_t *event, const char *instance)
{
    own(event, &hello_wire, &(hello_msg_t){ .protocol = WIRE_PROTOCOL, .instance = instance });
}

static void
own_call(event_t *event, const char *id, const case_t *c)
{
    static const char *const principals[PRINCIPALS_N] = { "ann", "bob", "cy" };

    own(event, &call_wire,
        &(call_msg_t){ .id = id,
                       .kind = "tool",
                       .name = tools[c->tool].name,
                       .key = tools[c->tool].key,
                       .principal = principals[c->principal],
                       .left_ms = c->left_ms });
}

static void
own_beat(event_t *event, const world_t *world, const char *instance, const process_t *process)
{
    own(event, &beat_wire,
        &(beat_msg_t){
            .instance = instance, .credit = process->credit, .keeps_keys = world->keeps_keys });
}

// Some could not do it.
static void
own_answer(event_t *event, const char *id, int call)
{
    own(event, &answer_wire,
        &(answer_msg_t){
            .id = id, .status = call % 3 ? OK : BUSY, .outcome = call % 3 ? DONE : NOT_SENT });
}

void
speech_fill(event_t *event, const judge_t *judge, const process_t *process, int incarnation,
            mail_t mail)
{
    char instance[32], id[16];

    instance_name(process->side, incarnation, instance);
    call_name(mail.call, id);
    // clang-format off
    switch (mail.type) {
    case MSG_ready:    own_ready(event, instance, process); break;
    case MSG_hello:    own_hello(event, instance); break;
    case MSG_beat:     own_beat(event, judge->world, instance, process); break;
    case MSG_bye:      own(event, &bye_wire, &(bye_msg_t){ .instance = instance }); break;
    case MSG_call:     own_call(event, id, &judge->cases[mail.call]); break;
    case MSG_answer:   own_answer(event, id, mail.call); break;
    case MSG_cancel:   own(event, &cancel_wire, &(cancel_msg_t){ .id = id }); break;
    case MSG_progress: own(event, &progress_wire, &(progress_msg_t){ .id = id }); break;
    case MSG_log:      own(event, &log_wire, &(log_msg_t){ .id = id }); break;
    case MSG_changed:  own(event, &changed_wire, &(changed_msg_t){ .kind = "tools" }); break;
    case MSG_ended:    own(event, &ended_wire, &(ended_msg_t){ .session = "s" }); break;
    }
    // clang-format on
}
