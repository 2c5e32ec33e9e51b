// SPDX-License-Identifier: Apache-2.0
#include "mcp/stateless.h"

#include <string.h>

#include "auto.h"
#include "limits.h"
#include "mcp/methods.h"
#include "mcp/mirror.h"
#include "settings.h"

static const char claim_name[] = STATELESS_META "protocolVersion";

#define VERSION_HEADER "MCP-Protocol-Version"
// What is looked for before a body is parsed: some writers escape the slash of the whole name.
static const char claim_word[] = "protocolVersion";

// clang-format off
static const struct {
    int code;
    int http;
} https[] = {
    { RPC_PARSE,      400 },
    { RPC_INVALID,    400 },
    { RPC_HEADER,     400 },
    { RPC_CAPABILITY, 400 },
    { RPC_VERSION,    400 },
    { RPC_METHOD,     404 },
};

static const char *const levels[] = { "debug", "info", "notice", "warning", "error", "critical",
                                      "alert", "emergency" };
// clang-format on

int
stateless_http(int code)
{
    for (size_t i = 0; i < ROWS(https); i++)
        if (https[i].code == code)
            return https[i].http;
    return 200;
}

bool
stateless_claims(const char *bytes, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = NULL;
    json_document_t document;
    failure_t why;

    if (!memmem(bytes, size, claim_word, sizeof claim_word - 1))
        return false;
    arena = arena_new();
    if (json_parse_within(arena, bytes, size, INPUT_VALUES_MAX, &document, &why))
        return false;
    return json_get(json_get(json_get(document.root, "params"), "_meta"), claim_name);
}

// ---- _meta

static const json_t *
meta_of(const request_t *request)
{
    return json_get(request->message->params, "_meta");
}

static void
refuse_version(request_t *request, const char *requested)
{
    AUTO(buffer_clear) buffer_t data = { 0 };

    buffer_printf(&data,
                  "{\"supported\":[\"%s\"],\"requested\":", protocol_name(PROTOCOL_2026_07_28));
    json_write_string(&data, requested, strlen(requested));
    buffer_char(&data, '}');
    request_refuse(request, RPC_VERSION,
                   "This protocol version is not served without initialize.", data.bytes);
}

// The client says nothing of itself in the body, but its header or its method is of this version: it
// is half of a request.
static bool
refuse_unclaimed(request_t *request)
{
    if (!strcmp(request->message->method, "initialize"))
        request_refuse(request, RPC_HEADER,
                       "initialize belongs to older versions than MCP-Protocol-Version names.",
                       NULL);
    else
        request_refuse(request, RPC_PARAMS,
                       "Requests of 2026-07-28 carry params._meta with " STATELESS_META
                       "protocolVersion and " STATELESS_META "clientCapabilities.",
                       NULL);
    return false;
}

// True if what claims no version can be of this one alone.
static bool
is_half(const request_t *request)
{
    return protocol_is_newer(request_header(request, VERSION_HEADER))
           || (!request_peer(request)->is_negotiated
               && methods_is_stateless_only(request->message->method));
}

static bool
is_level(const char *level)
{
    for (size_t i = 0; level && i < ROWS(levels); i++)
        if (!strcmp(level, levels[i]))
            return true;
    return false;
}

// NULL, or what is wrong with `_meta`.
static const char *
read_meta(request_t *request)
{
    const json_t *meta = meta_of(request);
    const json_t *capabilities = json_get(meta, STATELESS_META "clientCapabilities");
    const json_t *level = json_get(meta, STATELESS_META "logLevel");
    size_t size;

    if (!json_get_text(meta, claim_name))
        return STATELESS_META "protocolVersion has to be a string";
    if (!capabilities || capabilities->kind != JSON_OBJECT)
        return "_meta has to hold the object " STATELESS_META "clientCapabilities";
    if (level && !is_level(level->kind == JSON_STRING ? level->text : NULL))
        return STATELESS_META "logLevel has to be a level of syslog, such as info";
    const char *source = request_source(request, capabilities, &size);
    request->capabilities = arena_strndup(request_arena(request), source, size);
    request->log_level = level ? level->text : "";
    return NULL;
}

// A header that does not say what the body says.
static void
refuse_header(request_t *request, const char *header, const char *value)
{
    failure_t why;

    fail(&why, BAD_ARGS, "The header %s has to say \"%.100s\", as the body does; it %s.",
         header, value, request_header(request, header) ? "says something else" : "is missing");
    request_refuse(request, RPC_HEADER, why.text, NULL);
}

static bool
is_version_of_header(const request_t *request, const char *version)
{
    return !request_peer(request)->header
           || mirror_matches_text(request_header(request, VERSION_HEADER), version);
}

bool
stateless_admit(request_t *request)
{
    const json_t *claim = json_get(meta_of(request), claim_name);

    if (!claim && !is_half(request))
        return true;
    request->protocol = PROTOCOL_2026_07_28;
    if (!claim)
        return refuse_unclaimed(request);
    const char *wrong = read_meta(request);
    if (wrong) {
        request_refuse(request, RPC_PARAMS, wrong, NULL);
        return false;
    }
    if (!is_version_of_header(request, claim->text)) {
        refuse_header(request, VERSION_HEADER, claim->text);
        return false;
    }
    if (strcmp(claim->text, protocol_name(PROTOCOL_2026_07_28)) == 0) {
        request_peer(request)->is_stateless = true;
        return true;
    }
    refuse_version(request, claim->text);
    return false;
}

// ---- headers

bool
stateless_check_headers(request_t *request, const char *named_by)
{
    const json_t *params = request->message->params;
    const char *name = named_by ? json_get_text(params, named_by) : NULL;
    const char *method = request_header(request, "Mcp-Method");

    if (!request_peer(request)->header)
        return true;
    if (!mirror_matches_text(method, request->message->method)) {
        refuse_header(request, "Mcp-Method", request->message->method);
        return false;
    }
    if (!name || mirror_matches_text(request_header(request, "Mcp-Name"), name))
        return true;
    refuse_header(request, "Mcp-Name", name);
    return false;
}

bool
stateless_check_arguments(request_t *request, const char *entry)
{
    const peer_t *peer = request_peer(request);
    arena_t *arena = request_arena(request);
    failure_t why;

    if (!peer->header || !strstr(entry, "x-mcp-header"))
        return true;
    const json_t *tool = json_parse_text(arena, entry);
    const json_t *arguments = json_get(request->message->params, "arguments");
    if (!mirror_check(json_get(tool, "inputSchema"), arguments, peer->header, peer->arg, &why))
        return true;
    request_refuse(request, RPC_HEADER, why.text, NULL);
    return false;
}

// ---- results

void
stateless_seal(buffer_t *out, size_t begin, const request_t *request)
{
    const char *type = request->result_type ? request->result_type : "complete";
    int64_t ttl_ms = request->result_type ? -1 : request->method->ttl_ms;

    while (out->bytes[out->size - 1] != '}')
        out->size--;
    out->size--;
    if (out->size > begin + 1)
        buffer_char(out, ',');
    buffer_printf(out, "\"resultType\":\"%s\",", type);
    if (ttl_ms >= 0)
        buffer_printf(out, "\"ttlMs\":%lld,\"cacheScope\":\"private\",", (long long) ttl_ms);
    buffer_text(out, "\"_meta\":{");
    if (request->result_meta)
        buffer_printf(out, "%s,", request->result_meta);
    buffer_printf(out,
                  "\"" STATELESS_META "serverInfo\":{\"name\":\"proofarc-mcp\","
                  "\"title\":\"Proofarc\",\"version\":\"%s\"}}}",
                  proofarc_version());
}
