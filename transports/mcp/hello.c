// SPDX-License-Identifier: Apache-2.0
#include "mcp/hello.h"

#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "clock.h"
#include "mcp/service.h"
#include "mcp/shared.h"
#include "mcp/stateless.h"
#include "settings.h"

static const char instructions[] =
    "Proofarc finds, writes, runs and reports tests of APIs and web pages. Projects, "
    "environments, scenarios and the like are given by name or id. When a name is missing or "
    "fits several, a tool answers with `ask_user` and `candidates`: put that question to the "
    "user and call the tool again with the choice. Runs answer with an execution id; "
    "get_execution_status and summarize_execution tell how they went. Tools that write or run "
    "also take `idempotency_key`: a call repeated with its key is not done twice.";

// clang-format off
static const char *const levels[] = { "debug", "info", "notice", "warning", "error", "critical",
                                      "alert", "emergency" };

// The capabilities of a client that matter here, as bits of a session id.
static const struct {
    unsigned bit;
    const char *name;
    const char *json;
} known[] = {
    { CAPABILITY_SAMPLING,    "sampling",    "\"sampling\":{}" },
    { CAPABILITY_ELICITATION, "elicitation", "\"elicitation\":{}" },
    { CAPABILITY_ROOTS,       "roots",       "\"roots\":{}" },
};
// clang-format on

bool
hello_takes_forms(const json_t *elicitation)
{
    return elicitation && (!elicitation->count || json_get(elicitation, "form"));
}

static unsigned
capabilities_of(const json_t *params)
{
    const json_t *given = json_get(params, "capabilities");
    unsigned bits = 0;

    for (size_t i = 0; i < ROWS(known); i++)
        if (json_get(given, known[i].name))
            bits |= known[i].bit;
    return hello_takes_forms(json_get(given, "elicitation")) ? bits
                                                             : bits & ~CAPABILITY_ELICITATION;
}

const char *
hello_capabilities(unsigned capabilities)
{
    static char texts[1 << ROWS(known)][96];
    char *text = texts[capabilities & (ROWS(texts) - 1)];

    if (*text)
        return text;
    size_t size = (size_t) snprintf(text, sizeof texts[0], "{");
    for (size_t i = 0; i < ROWS(known); i++)
        if (capabilities & known[i].bit)
            size += (size_t) snprintf(text + size, sizeof texts[0] - size, "%s%s",
                                      size > 1 ? "," : "", known[i].json);
    snprintf(text + size, sizeof texts[0] - size, "}");
    return text;
}

// ---- initialize, server/discover, ping

// What is served in every version.
static void
add_capabilities(buffer_t *out, protocol_t protocol)
{
    buffer_text(out, "\"capabilities\":{\"tools\":{\"listChanged\":true},"
                     "\"resources\":{\"subscribe\":true,\"listChanged\":true},"
                     "\"prompts\":{\"listChanged\":true},\"logging\":{}");
    if (protocol_has_annotations(protocol))
        buffer_text(out, ",\"completions\":{}");
    if (protocol_is_stateless(protocol))
        buffer_text(out, ",\"extensions\":{\"" STATELESS_TASKS "\":{}}");
    buffer_text(out, "},");
}

static void
add_instructions(buffer_t *out)
{
    buffer_text(out, "\"instructions\":");
    json_write_string(out, instructions, sizeof instructions - 1);
}

static void
begin_session(request_t *request, protocol_t protocol)
{
    const peer_t *peer = request_peer(request);

    sessions_issue(request_service(request)->sessions, peer->principal ? peer->principal : "",
                   protocol, capabilities_of(request->message->params), clock_wall_ms(),
                   request_new_session(request));
}

void
hello_initialize(request_t *request)
{
    peer_t *peer = request_peer(request);
    protocol_t protocol = (protocol_t) PROTOCOL_NEWEST;

    if (peer->has_session) {
        request_error(request, RPC_INVALID, "This session is initialized already.");
        return;
    }
    protocol_find(json_get_text(request->message->params, "protocolVersion"), &protocol);
    if (peer->is_lasting) {
        peer->protocol = protocol;
        peer->is_negotiated = true;
        peer->capabilities = hello_capabilities(capabilities_of(request->message->params));
    } else {
        begin_session(request, protocol);
    }
    buffer_t *out = request_begin(request);
    buffer_printf(out, "{\"protocolVersion\":\"%s\",", protocol_name(protocol));
    add_capabilities(out, protocol);
    buffer_printf(out, "\"serverInfo\":{\"name\":\"proofarc-mcp\",%s\"version\":\"%s\"},",
                  protocol_has_structure(protocol) ? "\"title\":\"Proofarc\"," : "",
                  proofarc_version());
    add_instructions(out);
    buffer_char(out, '}');
    request_end(request);
}

void
hello_discover(request_t *request)
{
    buffer_t *out = request_begin(request);

    buffer_printf(out, "{\"supportedVersions\":[\"%s\"],", protocol_name(PROTOCOL_2026_07_28));
    add_capabilities(out, PROTOCOL_2026_07_28);
    add_instructions(out);
    buffer_char(out, '}');
    request_end(request);
}

void
hello_ping(request_t *request)
{
    request_result(request, "{}");
}

// ---- logs

static size_t
rank_of(const char *level)
{
    for (size_t i = 0; level && i < ROWS(levels); i++)
        if (!strcmp(level, levels[i]))
            return i;
    return ROWS(levels);
}

const char *
hello_level(const char *name)
{
    size_t rank = rank_of(name);

    return rank < ROWS(levels) ? levels[rank] : NULL;
}

bool
hello_passes(const char *level, const char *least)
{
    return *least && rank_of(level) < ROWS(levels) && rank_of(level) >= rank_of(least);
}

bool
hello_check_level(request_t *request)
{
    if (rank_of(json_get_text(request->message->params, "level")) < ROWS(levels))
        return true;
    request_error(request, RPC_PARAMS, "level has to be a level of syslog, such as info");
    return false;
}

void
hello_set_level(request_t *request)
{
    peer_t *peer = request_peer(request);
    const char *level = hello_level(json_get_text(request->message->params, "level"));

    if (peer->is_lasting)
        peer->log_level = level;
    else if (*peer->session)
        service_set_level(request_service(request), peer->session, level);
    shared_tell(request_service(request), peer, request->message);
    request_result(request, "{}");
}
