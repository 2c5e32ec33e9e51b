// SPDX-License-Identifier: Apache-2.0
#include "refs.h"

#include <sodium.h>
#include <string.h>

#include "actor.h"
#include "auto.h"
#include "call_state.h"
#include "clock.h"
#include "limits.h"
#include "messages.h"
#include "platform.h"
#include "reply.h"
#include "schema.h"

enum {
    LOOK_MS = 50,                     // between two looks at cancellation and connection
    AGAIN_MS = BEAT_MS,               // a question without an answer is asked again
    ABSENT_MS = SILENT_MS + BEAT_MS,  // after this without a connection we give up
};

// A question to a resolver that may have to be asked again.
typedef struct question question_t;
struct question {
    zsock_t *dealer;
    const wire_table_t *table;
    const void *message;
    const char *id;  // of the message
    const char *body;
    int64_t until_ms;
    const call_t *call;    // that asks
    bool is_withdrawable;  // the call's cancellation ends it
    int64_t sent_ms;       // 0: not on its way
    int64_t connected_ms;  // when a connection was seen last
    bool is_answered;
    resolved_msg_t answer;  // of a RESOLVE
    zmsg_t *body_of_answer;
    question_t *next;  // of those that wait
};

struct refs {
    zloop_t *loop;
    size_t count;
    zsock_t *dealers[RESOLVERS_MAX];
    char *endpoints[RESOLVERS_MAX];
    question_t *waiting;
    uint64_t questions;  // asked so far
};

// Answers to questions that were given up come late: nobody waits for them.
static question_t *
find_question(const refs_t *self, const char *id)
{
    question_t *question = self->waiting;

    while (question && strcmp(question->id, id))
        question = question->next;
    return question;
}

static void
end_question(question_t *self)
{
    self->is_answered = true;
    strand_wake(self->call->desk->strand);
}

static void
take_resolved(refs_t *self, zmsg_t **msg_p)
{
    AUTO(resolved_msg_clear) resolved_msg_t resolved = { 0 };
    failure_t why;

    if (wire_unpack(&resolved_wire, *msg_p, &resolved, &why))
        return;
    question_t *question = find_question(self, resolved.id);
    if (!question || question->table != &resolve_wire || question->is_answered)
        return;
    question->answer = resolved;
    resolved = (resolved_msg_t){ 0 };
    question->body_of_answer = *msg_p;
    *msg_p = NULL;
    end_question(question);
}

static void
take_forgotten(refs_t *self, zmsg_t *msg)
{
    AUTO(forgotten_msg_clear) forgotten_msg_t forgotten = { 0 };
    failure_t why;

    if (wire_unpack(&forgotten_wire, msg, &forgotten, &why))
        return;
    question_t *question = find_question(self, forgotten.id);
    if (question && question->table == &forget_wire)
        end_question(question);
}

static int
on_resolver(zloop_t *loop, zsock_t *socket, void *arg)
{
    for (zmsg_t *msg; (msg = actor_receive(socket)); zmsg_destroy(&msg)) {
        const char type = wire_type(msg);
        if (type == MSG_resolved)
            take_resolved(arg, &msg);
        else if (type == MSG_forgotten)
            take_forgotten(arg, msg);
    }
    return 0;
}

static exit_code_t
add_resolver(refs_t *self, const char *endpoint, curve_t *curve, failure_t *why)
{
    zsock_t *dealer = zsock_new(ZMQ_DEALER);

    endpoint_prepare(dealer);
    self->endpoints[self->count] = strdup(endpoint);
    self->dealers[self->count++] = dealer;
    const exit_code_t code = endpoint_connect(dealer, endpoint, curve, why);
    if (!code)
        zloop_reader(self->loop, dealer, on_resolver, self);
    return code;
}

exit_code_t
refs_new(zloop_t *loop, const char *const *endpoints, size_t count, curve_t *curve,
         refs_t **self_p, failure_t *why)
{
    AUTO(refs_destroy) refs_t *self = calloc(1, sizeof *self);

    assert(self && count <= RESOLVERS_MAX);
    self->loop = loop;
    for (size_t i = 0; i < count; i++) {
        exit_code_t code = add_resolver(self, endpoints[i], curve, why);
        if (code)
            return code;
    }
    *self_p = self;
    self = NULL;
    return EXIT_DONE;
}

void
refs_destroy(refs_t **self_p)
{
    refs_t *self = *self_p;

    if (!self)
        return;
    for (size_t i = 0; i < self->count; i++) {
        zloop_reader_end(self->loop, self->dealers[i]);
        zsock_destroy(&self->dealers[i]);
        free(self->endpoints[i]);
    }
    free(self);
    *self_p = NULL;
}

// The weight that an endpoint has for a principal: the same in every worker.
static uint64_t
weigh(const char *endpoint, const char *principal)
{
    crypto_generichash_state state;
    unsigned char hash[crypto_generichash_BYTES_MIN];
    uint64_t weight;

    crypto_generichash_init(&state, NULL, 0, sizeof hash);
    crypto_generichash_update(&state, (const unsigned char *) principal, strlen(principal) + 1);
    crypto_generichash_update(&state, (const unsigned char *) endpoint, strlen(endpoint));
    crypto_generichash_final(&state, hash, sizeof hash);
    memcpy(&weight, hash, sizeof weight);
    return weight;
}

size_t
refs_shard(const char *const *endpoints, size_t count, const char *principal)
{
    size_t best = 0;
    uint64_t most = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t weight = weigh(endpoints[i], principal);
        if (!i || weight > most) {
            most = weight;
            best = i;
        }
    }
    return best;
}

// A connection that has gone took the question with it, and one that is back before the next look
// has gone unseen: it is harmless to ask again.
static void
send_question(question_t *self, int64_t now_ms)
{
    const bool was_sent = self->sent_ms;  // most are answered before they are looked at again
    const bool is_connected = was_sent && zsock_events(self->dealer) & ZMQ_POLLOUT;

    if (is_connected)
        self->connected_ms = now_ms;
    if (is_connected && now_ms - self->sent_ms < AGAIN_MS)
        return;
    zmsg_t *msg = wire_pack(self->table, self->message, self->body, strlen(self->body));
    self->sent_ms = actor_send(&msg, self->dealer) ? 0 : now_ms;
    if (self->sent_ms)
        self->connected_ms = now_ms;
}

static void
unlink_question(refs_t *self, question_t *question)
{
    question_t **place = &self->waiting;

    while (*place != question)
        place = &(*place)->next;
    *place = question->next;
}

static status_t
ask_until_answered(question_t *self, failure_t *why)
{
    strand_t *strand = self->call->desk->strand;
    int64_t now_ms = clock_now_ms();

    self->connected_ms = now_ms;
    for (; now_ms < self->until_ms && !strand_is_ending(strand); now_ms = clock_now_ms()) {
        if (self->is_withdrawable && self->call->is_cancelled)
            return fail(why, CANCELLED, "the call was withdrawn");
        send_question(self, now_ms);
        if (now_ms - self->connected_ms > ABSENT_MS)
            break;
        const int64_t look_ms = now_ms + LOOK_MS;
        strand_wait(strand, look_ms < self->until_ms ? look_ms : self->until_ms);
        if (self->is_answered)
            return OK;
    }
    fail(why, BACKEND, "the resolver does not answer; nothing was done, try again");
    why->outcome = NOT_SENT;
    return why->status;
}

// Waits for the answer, which is then the question's.
static status_t
ask(question_t *self, failure_t *why)
{
    refs_t *refs = self->call->desk->refs;

    self->next = refs->waiting;
    refs->waiting = self;
    const status_t status = ask_until_answered(self, why);
    unlink_question(refs, self);
    return status;
}

static void
question_clear(question_t *self)
{
    resolved_msg_clear(&self->answer);
    zmsg_destroy(&self->body_of_answer);
}

// Tells the questions of one connection apart.
static const char *
next_id(const call_t *call)
{
    return arena_printf(call->arena, "%" PRIu64, ++call->desk->refs->questions);
}

static zsock_t *
dealer_of(const call_t *call)
{
    const refs_t *refs = call->desk->refs;
    const char *const *endpoints = (const char *const *) refs->endpoints;

    return refs->dealers[refs_shard(endpoints, refs->count, call->message.principal)];
}

static void
add_name(call_t *call, json_t *names, const field_t *param, const char *gone)
{
    const json_t *value = json_get(call->arguments, param->name);
    json_t *name = json_add(names, json_object(call->arena));

    json_set_text(call->arena, name, "param", param->name);
    json_set_text(call->arena, name, "kind", kind_name(param->kind));
    if (value)
        json_set(call->arena, name, "value", json_copy(call->arena, value));
    json_set_bool(call->arena, name, "must", param->kind & MUST);
    json_set_bool(call->arena, name, "gone", gone && !strcmp(gone, param->name));
}

static void
add_list(call_t *call, json_t *body, const char *name)
{
    const json_t *list = json_get(call->arguments, name);

    if (list)
        json_set(call->arena, body, name, json_copy(call->arena, list));
}

static const char *
question_body(call_t *call, const char *gone)
{
    json_t *body = json_object(call->arena);
    json_t *names = json_set(call->arena, body, "names", json_array(call->arena));

    for (const field_t *param = call->tool->params; param->name; param++)
        if (KIND_IS_REFERENCE(param->kind))
            add_name(call, names, param, gone);
    if (call->tool->by_tag) {
        add_list(call, body, "tags");
        add_list(call, body, "kinds");
        json_set_bool(call->arena, body, "by_tag", true);
    }
    if (call->tool->links)
        json_set_bool(call->arena, body, "unscoped", true);
    return json_text(call->arena, body);
}

static json_t *
parse_body(call_t *call, zmsg_t *msg)
{
    zframe_t *frame = zmsg_first(msg);
    json_document_t document;
    failure_t why;

    if (!frame
        || json_parse(call->arena, (char *) zframe_data(frame), zframe_size(frame), &document,
                      &why))
        return NULL;
    return document.root;
}

// Names were looked for, and nothing else: whatever went wrong, nothing can have happened.
static status_t
refuse(failure_t *why, const resolved_msg_t *resolved)
{
    fail_coded(why, (status_t) resolved->status, resolved->code, "%s", resolved->text);
    if (why->outcome == UNKNOWN_OUTCOME)
        why->outcome = NOT_SENT;
    return why->status;
}

// OK, NARROWED, or why it failed; *body_p is the body of RESOLVED.
static status_t
resolve(call_t *call, const char *gone, json_t **body_p, failure_t *why)
{
    const char *id = next_id(call);
    const resolve_msg_t message = {
        .id = id,
        .session = call->message.session,
        .principal = call->message.principal,
        .token = call->message.token,
        .left_ms = call_left(call),
    };
    AUTO(question_clear)
    question_t question = {
        .dealer = dealer_of(call),
        .table = &resolve_wire,
        .message = &message,
        .id = id,
        .body = question_body(call, gone),
        .until_ms = call->deadline_ms,
        .call = call,
        .is_withdrawable = true,
    };

    if (strlen(question.body) > RESOLVE_BODY_MAX)
        return fail(why, TOO_LARGE, "the names of one call are over %d KiB",
                    RESOLVE_BODY_MAX / KIB);
    if (ask(&question, why))
        return why->status;
    const status_t status = (status_t) question.answer.status;
    *body_p = parse_body(call, question.body_of_answer);
    if (status != OK && status != NARROWED && status > OK && status < STATUS_COUNT)
        return refuse(why, &question.answer);
    if ((status != OK && status != NARROWED) || !*body_p)
        return fail(why, BACKEND, "the resolver gave no usable answer");
    return status;
}

static void
reply_question(call_t *call, const json_t *body)
{
    const char *asked = json_get_text(body, "asked");
    const json_t *narrowing = json_get(body, "narrowing");
    failure_t why;

    if (asked && narrowing && narrowing->kind == JSON_OBJECT) {
        reply_narrowing(call, asked, narrowing);
        return;
    }
    fail(&why, BACKEND, "the resolver gave no usable answer");
    reply_failure(call, &why);
}

static bool
needs_resolver(const call_t *call)
{
    if (call->tool->by_tag)
        return true;
    for (const field_t *param = call->tool->params; param->name; param++)
        if (KIND_IS_REFERENCE(param->kind)
            && (param->kind & MUST || json_get(call->arguments, param->name)))
            return true;
    return false;
}

int
refs_settle_or_reply(call_t *call)
{
    json_t *body = NULL;
    failure_t why;

    if (!needs_resolver(call))
        return 0;
    const status_t status = resolve(call, NULL, &body, &why);
    if (status == OK) {
        call->resolved = json_get(body, "resolved");
        call->tags = json_get(body, "tags");
        return 0;
    }
    if (status == NARROWED)
        reply_question(call, body);
    else
        reply_failure(call, &why);
    return -1;
}

// Trimmed ASCII digits without leading zeros, or a number: given as an id, not as a name.
static bool
is_given_as_id(const json_t *value)
{
    if (!value || value->kind != JSON_STRING)
        return value && value->kind == JSON_NUMBER;
    const char *text = value->text + strspn(value->text, " \t\r\n");
    const size_t digits = strspn(text, "0123456789");
    return digits && (digits == 1 || *text != '0')
           && !text[digits + strspn(text + digits, " \t\r\n")];
}

static bool
has_segment(const char *path, const char *segment)
{
    const size_t length = strlen(segment);

    for (const char *slash = path; (slash = strchr(slash, '/')); slash++)
        if (!strncmp(slash + 1, segment, length) && strchr("/?", slash[1 + length]))
            return true;
    return false;
}

// "ENVIRONMENT_NOT_FOUND" is about environments.
static bool
is_about(const char *code, int kind)
{
    const char *name = kind_name(kind);
    const size_t length = strlen(name);

    return code && !strncasecmp(code, name, length) && !strcmp(code + length, "_NOT_FOUND");
}

// Whether the 404 is about this reference: the platform says so, or it does not know the id when
// it is asked for that alone. Where it cannot be asked, a place in the path has to do.
static bool
is_gone(call_t *call, const field_t *param, const char *path, const char *code)
{
    const json_t *id = json_get(json_get(call->resolved, param->name), "id");

    if (!KIND_IS_REFERENCE(param->kind) || !id)
        return false;
    if (code && strcmp(code, "NOT_FOUND"))
        return is_about(code, param->kind);
    switch (platform_knows(call, param->kind, id->text)) {
    case PLATFORM_KNOWS:
        return false;
    case PLATFORM_KNOWS_NOT:
        return true;
    default:
        return has_segment(path, id->text);
    }
}

static void
tell_forget(call_t *call, const char *kind, const json_t *entity, bool is_removed)
{
    const char *id = next_id(call);
    failure_t why;
    const forget_msg_t message = {
        .id = id,
        .principal = call->message.principal,
        .kind = kind,
        .removed = is_removed,
    };
    question_t question = {
        .dealer = dealer_of(call),
        .table = &forget_wire,
        .message = &message,
        .id = id,
        .body = json_text(call->arena, entity),
        .until_ms = clock_now_ms() + FORGET_MS,
        .call = call,
    };

    ask(&question, &why);  // a resolver that does not answer has no snapshot to patch
}

// Somebody else has removed what the name stood for: it is looked for anew, now and from now on.
static void
forget_gone(call_t *call, const field_t *param)
{
    const json_t *id = json_get(json_get(call->resolved, param->name), "id");
    json_t *entity = json_object(call->arena);

    json_set(call->arena, entity, "id", json_copy(call->arena, id));
    tell_forget(call, kind_name(param->kind), entity, true);
}

bool
refs_reply_gone(call_t *call, const char *path, const char *code)
{
    const field_t *param = call->tool ? call->tool->params : NULL;
    json_t *body = NULL;
    failure_t why;

    while (param && param->name && !is_gone(call, param, path, code))
        param++;
    if (!param || !param->name)
        return false;
    const bool is_id = is_given_as_id(json_get(call->arguments, param->name));
    if (!is_id)
        forget_gone(call, param);
    if (resolve(call, is_id ? param->name : NULL, &body, &why) != NARROWED)
        return false;
    reply_question(call, body);
    return true;
}

void
refs_forget(call_t *call, const char *kind, const json_t *entity)
{
    tell_forget(call, kind, entity, call->tool->effect == DELETES);
}
