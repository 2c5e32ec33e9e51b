// SPDX-License-Identifier: Apache-2.0
#include "http/reply.h"

#include <string.h>
#include <strings.h>

#include "auto.h"
#include "http/sse.h"
#include "mcp/jsonrpc.h"
#include "mcp/protocol.h"

enum { EVENT_AROUND = 64 };  // bytes of an event beside its message

static const char json_type[] = "application/json";
static const char stream_type[] = "text/event-stream";
static const char methods[] = "GET, POST, DELETE, OPTIONS";

void
reply_web_headers(httpd_request_t *http, const guard_rules_t *rules)
{
    const guard_headers_t headers = { .origin = httpd_header(http, "Origin") };

    httpd_add_header(http, "Vary", "Origin");
    if (!guard_is_web(&headers, rules))
        return;
    httpd_add_header(http, "Access-Control-Allow-Origin", headers.origin);
    httpd_add_header(http, "Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate");
}

// Our own address as the client wrote it, or NULL if that cannot stand in a quoted text.
static const char *
host_of(const httpd_request_t *http, const guard_rules_t *rules)
{
    const char *host = httpd_header(http, "Host");

    return rules->issuer && host && *host && !strpbrk(host, "\"\\ /<>") ? host : NULL;
}

static const char *
scheme_of(const guard_rules_t *rules)
{
    return rules->is_tls ? "https" : "http";
}

void
reply_challenge(httpd_request_t *http, const guard_rules_t *rules, bool was_wrong)
{
    AUTO(buffer_clear) buffer_t value = { 0 };
    const char *host = host_of(http, rules);

    buffer_text(&value, "Bearer realm=\"proofarc\"");
    if (was_wrong)
        buffer_text(&value, ", error=\"invalid_token\"");
    if (host)
        buffer_printf(
            &value, ", resource_metadata=\"%s://%s/.well-known/oauth-protected-resource/mcp\"",
            scheme_of(rules), host);
    httpd_add_header(http, "WWW-Authenticate", value.bytes);
}

bool
reply_metadata(buffer_t *out, const httpd_request_t *http, const guard_rules_t *rules)
{
    const char *host = host_of(http, rules);

    if (!host)
        return false;
    buffer_printf(out, "{\"resource\":\"%s://%s/mcp\",\"authorization_servers\":[",
                  scheme_of(rules), host);
    json_write_string(out, rules->issuer, strlen(rules->issuer));
    buffer_text(out, "],\"bearer_methods_supported\":[\"header\"],"
                     "\"resource_name\":\"Proofarc\"}");
    return true;
}

// The code of a refusal in its JSON-RPC body.
static int
rpc_code(int http)
{
    return http == 404 ? RPC_SESSION : RPC_REFUSED;
}

// True if the client's version has no id of null: then an error that belongs to no request has none.
static bool
wants_no_null(const char *version)
{
    protocol_t protocol;

    return protocol_is_newer(version)
           || (protocol_find(version, &protocol) && protocol_has_icons(protocol));
}

void
reply_refuse(httpd_request_t *http, const guard_rules_t *rules, int code, const char *text)
{
    AUTO(buffer_clear) buffer_t body = { 0 };

    if (code == 401)
        reply_challenge(http, rules, httpd_header(http, "Authorization"));
    if (code == 405)
        httpd_add_header(http, "Allow", methods);
    reply_web_headers(http, rules);
    size_t id_size = wants_no_null(httpd_header(http, "MCP-Protocol-Version")) ? 0 : 4;
    jsonrpc_write_error(&body, "null", id_size, rpc_code(code), text, NULL);
    httpd_answer(http, code, json_type, body.bytes, body.size);
}

// What a page may send. Headers that repeat arguments are named by the tools' schemas, so that those
// are allowed that it asks for.
static void
add_allowed_headers(httpd_request_t *http)
{
    static const char parameter[] = "mcp-param-";
    static const char token[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    const char *asked = httpd_header(http, "Access-Control-Request-Headers");
    AUTO(buffer_clear) buffer_t names = { 0 };

    buffer_text(
        &names,
        "Authorization, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, "
        "Mcp-Method, Mcp-Name, Last-Event-ID, X-Proofarc-Profile, X-Proofarc-Categories, "
        "X-Proofarc-Tools, X-Proofarc-Exclude, X-Proofarc-Read-Only");
    for (const char *at = asked ? asked : ""; *at;) {
        size_t size = strspn(at, token);
        if (size >= sizeof parameter && !strncasecmp(at, parameter, sizeof parameter - 1))
            buffer_printf(&names, ", %.*s", (int) size, at);
        at += size;
        at += strcspn(at, token);
    }
    httpd_add_header(http, "Access-Control-Allow-Headers", names.bytes);
}

void
reply_preflight(httpd_request_t *http, const guard_rules_t *rules)
{
    reply_web_headers(http, rules);
    httpd_add_header(http, "Allow", methods);
    httpd_add_header(http, "Access-Control-Allow-Methods", methods);
    add_allowed_headers(http);
    httpd_add_header(http, "Access-Control-Max-Age", "600");
    httpd_answer(http, 204, NULL, "", 0);
}

void
reply_stream(httpd_request_t *http)
{
    httpd_add_header(http, "Cache-Control", "no-cache, no-store, no-transform");
    httpd_add_header(http, "X-Accel-Buffering", "no");
    httpd_stream(http, 200, stream_type);
}

static void
write_message(buffer_t *out, const char *id, const char *bytes, size_t size)
{
    sse_write(out, &(sse_event_t){ .name = "message", .id = id, .data = bytes, .size = size });
}

bool
reply_event(httpd_request_t *http, const char *id, const char *bytes, size_t size)
{
    AUTO(buffer_clear) buffer_t event = { 0 };

    if (httpd_pending(http) > UNREAD_MAX)
        return false;
    write_message(&event, id, bytes, size);
    httpd_stream_write(http, event.bytes, event.size);
    return true;
}

void
reply_priming(httpd_request_t *http, const char *id)
{
    AUTO(buffer_clear) buffer_t event = { 0 };

    sse_write(&event, &(sse_event_t){ .id = id, .retry_ms = 1000, .data = "" });
    httpd_stream_write(http, event.bytes, event.size);
}

void
reply_endpoint(httpd_request_t *http, const char *path)
{
    AUTO(buffer_clear) buffer_t event = { 0 };

    sse_write(&event, &(sse_event_t){ .name = "endpoint", .data = path, .size = strlen(path) });
    httpd_stream_write(http, event.bytes, event.size);
}

void
reply_as_event(httpd_request_t *http, const char *bytes, size_t size)
{
    AUTO(buffer_clear) buffer_t event = { 0 };

    buffer_room(&event, size + EVENT_AROUND);
    write_message(&event, NULL, bytes, size);
    httpd_answer_taking(http, 200, stream_type, &event);
}

void
reply_comment(httpd_request_t *http)
{
    AUTO(buffer_clear) buffer_t comment = { 0 };

    if (httpd_pending(http))
        return;
    sse_comment(&comment);
    httpd_stream_write(http, comment.bytes, comment.size);
}

guard_headers_t
reply_headers(const httpd_request_t *http)
{
    return (guard_headers_t){
        .method = httpd_method(http),
        .query = httpd_query(http),
        .host = httpd_header(http, "Host"),
        .origin = httpd_header(http, "Origin"),
        .authorization = httpd_header(http, "Authorization"),
        .content_length = httpd_header(http, "Content-Length"),
        .transfer_encoding = httpd_header(http, "Transfer-Encoding"),
        .content_type = httpd_header(http, "Content-Type"),
        .content_encoding = httpd_header(http, "Content-Encoding"),
        .accept = httpd_header(http, "Accept"),
        .version = httpd_header(http, "MCP-Protocol-Version"),
    };
}
