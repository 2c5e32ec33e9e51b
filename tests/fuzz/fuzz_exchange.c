// SPDX-License-Identifier: Apache-2.0
// A body or line, from its bytes to its answer, by way of a broker that the target plays. The first
// byte says who speaks (speaker()), the second what his headers say (header()), the third what the
// broker answers (replies). Each request has one answer of its era with its own id, nothing else has
// one, and all stand in a line.

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench.h"
#include "log.h"
#include "mcp/exchange.h"
#include "mcp/stateless.h"
#include "target.h"

enum { OVER_HTTP = 1, NEGOTIATED = 2, WITH_SESSION = 16, WITH_EVENTS = 32, NARROWED_VIEW = 64 };

typedef struct {
    arena_t *arena;
    const json_t *said;  // the body, if it is JSON
    rpc_packet_t packet;
    unsigned headers;
    bool has_listened;  // or cancelled: then not every request has an answer
    size_t done;
} speech_t;

// clang-format off
static const entry_msg_t entries[] = {
    { .kind = "tool", .category = "a", .name = "read_it", .effect = "reads", .budget_ms = 5000, .profile = "core",
      .json = "{\"name\":\"read_it\",\"description\":\"R.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}}" },
    { .kind = "tool", .category = "a", .name = "make_it", .effect = "writes", .budget_ms = 5000, .profile = "full",
      .json = "{\"name\":\"make_it\",\"description\":\"M.\",\"inputSchema\":{\"type\":\"object\"}}" },
    { .kind = "template", .category = "a", .name = "p://run/{id}", .effect = "reads", .budget_ms = 5000, .profile = "core",
      .json = "{\"uriTemplate\":\"p://run/{id}\",\"name\":\"run\"}" },
    { .kind = "prompt", .category = "a", .name = "do_it", .effect = "reads", .budget_ms = 5000, .profile = "core",
      .json = "{\"name\":\"do_it\",\"arguments\":[{\"name\":\"project\"}]}" },
};
// clang-format on

static const struct {
    status_t status;
    outcome_t outcome;
    const char *body;  // NULL: what was called with what
} replies[] = {
    { OK, DONE, NULL },
    { OK, DONE, "{\n\"id\": 7\n}" },
    { BAD_ARGS, FAILED,
      "{\"error\":{\"code\":\"BAD_ARGS\",\"message\":\"no\",\"outcome\":\"failed\"}}" },
    { NARROWED, DONE,
      "{\"reason\":\"ambiguous\",\"asked\":\"a\",\"ask_user\":\"Which?\",\"candidates\":[{"
      "\"id\":1,\"name\":\"x\"}]}" },
    { INPUT_REQUIRED, DONE,
      "{\"inputRequests\":{\"who\":{\"method\":\"elicitation/"
      "create\",\"params\":{\"message\":\"Who?\"}}},\"state\":\"s\"}" },
    { MISSING_CAPABILITY, FAILED, "{\n\"requiredCapabilities\":{\"roots\":{}}}" },
    { NO_TOOL, FAILED, "" },
    { BUSY, NOT_SENT, "" },
};

static const view_t narrowed = { .profile = "core" };
static bench_t bench;

static void
close_bench(void)
{
    bench_close(&bench);
}

static void
open_bench(void)
{
    static const service_options_t options = { .profile = "full",
                                               .page_max = 1,
                                               .elicits = true,
                                               .logs_in = true,
                                               .access = { .token = "a.b.c" } };
    catalogue_msg_t catalogue = { .complete = true };
    void *bytes;
    failure_t why;

    log_setup("fuzz", LEVEL_ERROR, false);
    bench_open(&bench, &options);
    bool is_up = bench_wait_up(&bench);
    assert(is_up);
    catalogue_pack(entries, ROWS(entries), &bytes, &catalogue.entries.size);
    catalogue.entries.bytes = bytes;
    listing_take(bench.service->listing, &catalogue, &why);
    free(bytes);
    atexit(close_bench);
}

static void
forget_calls(void)
{
    for (size_t i = 0; i < bench.count; i++) {
        free(bench.calls[i].id);
        freen(bench.calls[i].body);
        call_msg_clear(&bench.calls[i].call);
    }
    bench.count = 0;
}

// ---- who speaks

// What the headers say: nothing, what the body says, or something else.
static const char *
header(const char *name, void *arg)
{
    static const char *const versions[] = { NULL, "2026-07-28", "2025-06-18", "2027-01-01" };
    const speech_t *self = arg;
    const json_t *params = json_get(self->said, "params");
    const char *method = json_get_text(self->said, "method");
    const unsigned methods = self->headers >> 2 & 3, names = self->headers >> 4 & 3;

    if (!strcasecmp(name, "MCP-Protocol-Version"))
        return versions[self->headers & 3];
    if (!strcasecmp(name, "Mcp-Method"))
        return methods == 1 ? method : methods == 2 ? "tools/other" : NULL;
    if (!strcasecmp(name, "Mcp-Name") && names == 1) {
        const char *tool = json_get_text(params, "name"), *uri = json_get_text(params, "uri");
        return tool ? tool : uri ? uri : json_get_text(params, "taskId");
    }
    if (!strcasecmp(name, "Mcp-Name"))
        return names == 2 ? "other" : NULL;
    return self->headers & 64 ? json_get_text(json_get(params, "arguments"), "a") : NULL;
}

static peer_t
speaker(speech_t *self, unsigned flags)
{
    return (peer_t){
        .protocol = (protocol_t) (flags >> 2 & 3),
        .is_negotiated = flags & NEGOTIATED,
        .is_lasting = !(flags & OVER_HTTP),
        .takes_events = flags & WITH_EVENTS,
        .has_session = flags & WITH_SESSION,
        .session = flags & WITH_SESSION ? "0123456789abcdef0123456789abcdef" : "",
        .principal = flags & OVER_HTTP ? "proofarc|ann|analyst" : NULL,
        .token = flags & OVER_HTTP ? "a.b.c" : NULL,
        .header = flags & OVER_HTTP ? header : NULL,
        .view = flags & NARROWED_VIEW ? &narrowed : NULL,
        .arg = self,
    };
}

// ---- what comes back

static bool
is_stateless(const speech_t *self)
{
    const json_t *meta = json_get(json_get(self->said, "params"), "_meta");

    return json_get(meta, STATELESS_META "protocolVersion") != NULL;
}

// True if the answer's id is that of a message, to the letter, or there is none to name.
static bool
has_own_id(const speech_t *self, const json_t *answer, const char *bytes)
{
    const json_t *id = json_get(answer, "id");

    if (!id || id->kind == JSON_NULL)
        return true;
    for (size_t i = 0; i < self->packet.count; i++) {
        const rpc_message_t *message = &self->packet.messages[i];
        if (id->end - id->begin == message->id_size
            && !memcmp(bytes + id->begin, message->id_text, message->id_size))
            return true;
    }
    return false;
}

static void
look_at_answer(const speech_t *self, const json_t *answer, const char *bytes)
{
    const json_t *result = json_get(answer, "result"), *error = json_get(answer, "error");
    const char *version = json_get_text(answer, "jsonrpc");

    assert(answer->kind == JSON_OBJECT && version && !strcmp(version, "2.0"));
    assert(!result != !error && has_own_id(self, answer, bytes));
    if (error) {
        const char *text = json_get_text(error, "message");
        assert(json_get_int(error, "code", 0) < 0 && text && *text);
        return;
    }
    assert(result->kind == JSON_OBJECT && json_get(answer, "id"));
    if (!self->packet.is_batch)
        assert(!json_get(result, "resultType") == !is_stateless(self));
}

static size_t
count_answers(const speech_t *self, const buffer_t *answer)
{
    json_document_t document;
    failure_t why;

    if (!answer->size)
        return 0;
    status_t status = json_parse(self->arena, answer->bytes, answer->size, &document, &why);
    assert(!status && !document.duplicate);
    for (size_t i = 0; i < answer->size; i++)
        assert((unsigned char) answer->bytes[i] >= ' ');
    if (!self->packet.is_batch) {
        look_at_answer(self, document.root, answer->bytes);
        return 1;
    }
    assert(document.root->kind == JSON_ARRAY);
    for (const json_t *each = document.root->first; each; each = each->next)
        look_at_answer(self, each, answer->bytes);
    return document.root->count;
}

static void
on_done(exchange_t *exchange, void *arg)
{
    static const int codes[] = { 200, 202, 400, 401, 404 };
    speech_t *self = arg;
    size_t wanted = 0, known = 0;

    for (size_t i = 0; i < self->packet.count; i++) {
        const rpc_kind_t kind = self->packet.messages[i].kind;
        wanted += kind == RPC_REQUEST || kind == RPC_BROKEN;
    }
    size_t count = count_answers(self, exchange_answer(exchange));
    assert(count == wanted || (self->has_listened && count < wanted));
    for (size_t i = 0; i < ROWS(codes); i++)
        known += exchange_http(exchange) == codes[i];
    assert(known == 1 && (count || exchange_http(exchange) == 202));
    assert(!*exchange_session(exchange)
           || !strcmp(self->packet.messages->method, "initialize"));
    self->done++;
}

static void
on_notification(const char *bytes, size_t size, void *arg)
{
    const speech_t *self = arg;
    json_document_t document;
    failure_t why;

    assert(!self->done && !memchr(bytes, '\n', size));
    status_t status = json_parse(self->arena, bytes, size, &document, &why);
    assert(!status && json_get_text(document.root, "method"));
}

static const exchange_ops_t ops = { on_done, on_notification };

static void
listen_to(speech_t *self, const char *bytes, size_t size, const peer_t *peer)
{
    json_document_t document;
    failure_t why;

    if (!json_parse(self->arena, bytes, size, &document, &why))
        self->said = document.root;
    jsonrpc_read(self->arena, bytes, size,
                 peer->is_negotiated && protocol_has_batches(peer->protocol), &self->packet);
    for (size_t i = 0; i < self->packet.count; i++) {
        const char *method = self->packet.messages[i].method;
        self->has_listened |= method
                              && (!strcmp(method, "subscriptions/listen")
                                  || !strcmp(method, "notifications/cancelled"));
    }
}

// No call is under way: all are answered, or wait for what nobody says.
static bool
has_settled(void *arg)
{
    const speech_t *self = arg;

    return self->done || !link_open_calls(bench.service->link);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    speech_t speech = { .arena = arena, .headers = size > 1 ? bytes[1] : 0 };
    peer_t peer = speaker(&speech, size ? bytes[0] : 0);
    const size_t reply = (size > 2 ? bytes[2] : 0u) % ROWS(replies);
    const size_t taken = size < 3 ? size : 3;
    const char *body = arena_strndup(arena, (const char *) bytes + taken, size - taken);

    if (!bench.service)
        open_bench();
    bench.status = replies[reply].status;
    bench.outcome = replies[reply].outcome;
    bench.body = replies[reply].body;
    listen_to(&speech, body, size - taken, &peer);
    exchange_start(bench.service, &peer, body, size - taken, &ops, &speech);
    bool is_settled = bench_run(&bench, has_settled, &speech);
    assert(is_settled);
    if (!speech.done) {
        service_end_listening(bench.service);
        service_give_up(bench.service);
        bench.service->is_ending = false;
    }
    listeners_forget_session(bench.service->listeners, peer.session);
    forget_calls();
    assert(speech.done == 1 && !bench.service->open && !bench.service->parked);
    return 0;
}
