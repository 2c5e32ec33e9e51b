// SPDX-License-Identifier: Apache-2.0
// What an HTTP request says before its body: the first byte is the rules of the door, the first line
// METHOD PATH?QUERY, each further one a header. What is let in is what may come in, what is refused
// has a reason, and all of it is read as the standards say (reading.h).

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "auto.h"
#include "http/guard.h"
#include "http/replay.h"
#include "http/route.h"
#include "limits.h"
#include "mcp/mirror.h"
#include "mcp/session.h"
#include "mcp/token.h"
#include "mcp/view.h"
#include "reading.h"
#include "target.h"

enum { HEADERS_MAX = 24, EVENTS = 4 };

typedef struct {
    arena_t *arena;
    const char *method, *path, *query;
    struct {
        const char *name, *value;
    } headers[HEADERS_MAX];
    size_t count;
    guard_rules_t rules;
    guard_headers_t seen;
} visit_t;

static const char *const origins[] = { "https://app.example" };
static const unsigned char key[KEY_SIZE] = "not a secret: it is of a test";

// ---- the request

static const char *
header(const char *name, void *arg)
{
    const visit_t *self = arg;

    for (size_t i = 0; i < self->count; i++)
        if (!strcasecmp(self->headers[i].name, name))
            return self->headers[i].value;
    return NULL;
}

static void
take_first_line(visit_t *self, char *line)
{
    self->method = strsep(&line, " ");
    self->path = line ? strsep(&line, "?") : "";
    self->query = line ? line : "";
}

// A value stands without the white space around it, as libmicrohttpd hands it over.
static void
take_header(visit_t *self, char *line)
{
    const char *name = strsep(&line, ":");

    if (!line || !*name || self->count == HEADERS_MAX)
        return;
    line += strspn(line, " \t");
    for (size_t size = strlen(line); size && strchr(" \t\r", line[size - 1]); size--)
        line[size - 1] = 0;
    self->headers[self->count].name = name;
    self->headers[self->count++].value = line;
}

static void
read_visit(visit_t *self, const char *bytes, size_t size)
{
    char *rest = arena_strndup(self->arena, size ? bytes + 1 : "", size ? size - 1 : 0);
    const unsigned flags = size ? (unsigned char) *bytes : 0;

    self->rules = (guard_rules_t){ .is_loopback = flags & 1,
                                   .needs_token = flags & 2,
                                   .origins = origins,
                                   .origins_count = flags & 4 ? ROWS(origins) : 0 };
    take_first_line(self, strsep(&rest, "\n"));
    for (char *line; (line = strsep(&rest, "\n"));)
        take_header(self, line);
    self->seen = (guard_headers_t){
        .method = self->method,
        .query = self->query,
        .host = header("Host", self),
        .origin = header("Origin", self),
        .authorization = header("Authorization", self),
        .content_length = header("Content-Length", self),
        .transfer_encoding = header("Transfer-Encoding", self),
        .content_type = header("Content-Type", self),
        .content_encoding = header("Content-Encoding", self),
        .accept = header("Accept", self),
        .version = header("MCP-Protocol-Version", self),
    };
}

// ---- the door

static bool
is_allowed_origin(const visit_t *self)
{
    const char *origin = self->seen.origin;

    for (size_t i = 0; origin && i < self->rules.origins_count; i++)
        if (!strcasecmp(origin, self->rules.origins[i]))
            return true;
    return !origin || reading_matches(READING_ORIGIN, origin);
}

static bool
is_allowed_host(const visit_t *self)
{
    const char *host = self->seen.host;

    return !self->rules.is_loopback || (host && reading_matches(READING_LOOPBACK, host));
}

static bool
is_too_large(const char *length)
{
    if (!length || !*length || length[strspn(length, "0123456789")])
        return false;  // such a request does not get here
    length += strspn(length, "0");
    return strlen(length) > 7 || strtoul(length, NULL, 10) > INPUT_MAX;
}

static bool
is_allowed_token(const visit_t *self)
{
    const char *value = self->seen.authorization;
    bool is_given =
        value && strlen(value) <= TOKEN_MAX && reading_matches(READING_BEARER, value);

    if (!strcmp(self->method, "OPTIONS"))
        return true;
    return !reading_matches(READING_TOKEN_QUERY, self->query)
           && (is_given || !self->rules.needs_token);
}

static bool
takes(const visit_t *self, const char *type)
{
    const char *accept = self->seen.accept;

    return accept && reading_accepts(self->arena, accept, type);
}

static bool
is_newer(const char *version)
{
    return version && reading_matches(READING_VERSION, version)
           && strcmp(version, "2025-11-25") > 0;
}

static bool
is_served(const visit_t *self, const route_t *route)
{
    char *rest = arena_strdup(self->arena, route->methods);

    for (const char *method; (method = strsep(&rest, " "));)
        if (!strcmp(method, self->method))
            return true;
    return false;
}

static bool
is_allowed_method(const visit_t *self, const route_t *route)
{
    const bool is_get = !strcmp(self->method, "GET");
    const bool has_no_stream =
        is_newer(self->seen.version) && (is_get || !strcmp(self->method, "DELETE"));

    return is_served(self, route) && !has_no_stream
           && (!is_get || takes(self, "text/event-stream"));
}

static void
look_at_door(visit_t *self, const route_t *route)
{
    self->seen.served = route->methods;
    const int code = guard_door(&self->seen, &self->rules).http;
    const int expected = is_too_large(self->seen.content_length) ? 413
                         : !is_allowed_method(self, route)       ? 405
                         : !is_allowed_host(self)                ? 403
                         : !is_allowed_origin(self)              ? 403
                         : !is_allowed_token(self)               ? 401
                                                                 : 0;
    const bool is_plain_length =
        !self->seen.content_length
        || !self->seen.content_length[strspn(self->seen.content_length, "0123456789")];

    assert(!is_plain_length || code == expected);
    assert(!guard_is_web(&self->seen, &self->rules)
           || (self->seen.origin && is_allowed_origin(self)));
}

static void
look_at_form(visit_t *self)
{
    const guard_headers_t *seen = &self->seen;
    const bool is_post = !strcmp(self->method, "POST");
    const bool takes_json = !seen->accept || !seen->accept[strspn(seen->accept, " \t")]
                            || takes(self, "application/json");
    const bool takes_events = takes(self, "text/event-stream");
    const bool is_packed =
        seen->content_encoding && strcasecmp(seen->content_encoding, "identity") != 0;
    const bool is_json =
        seen->content_type && reading_matches(READING_JSON, seen->content_type);
    protocol_t protocol;
    const bool is_known = !seen->version || protocol_find(seen->version, &protocol);

    assert(guard_takes_events(seen->accept) == takes_events);
    assert(guard_answer_form(seen->accept)
           == (takes_json     ? ANSWER_JSON
               : takes_events ? ANSWER_STREAM
                              : ANSWER_NONE));
    assert(protocol_is_newer(seen->version) == is_newer(seen->version));
    assert(guard_form(seen).http
           == (is_post && (is_packed || !is_json)        ? 415
               : is_post && !takes_json && !takes_events ? 406
               : !is_known && !is_newer(seen->version)   ? 400
                                                         : 0));
}

static void
look_at_token(const visit_t *self)
{
    const char *value = self->seen.authorization;
    const char *token = token_of_header(value);

    if (!token)
        return;
    assert(token > value && token < value + strlen(value));
    assert(!strpbrk(token, " \t\"'\\|,;"));
    const char *principal = token_principal(self->arena, token);
    assert(*principal && strchr(principal, '|'));
    for (const char *c = principal; *c; c++)
        assert((unsigned char) *c >= ' ');
    failure_t why;
    status_t status = token_verify(self->arena, token, key, 0, &principal, &why);
    assert(status == UNAUTHORIZED && *why.text);
}

// ---- the path

static void
look_at_path(visit_t *self)
{
    route_t route = { 0 };
    char again[64];

    if (!route_read(self->path, &route))
        return;
    assert(route.methods && strstr(route.methods, "OPTIONS"));
    assert(!*route.profile || (route.place == AT_MCP && view_is_profile(route.profile)));
    static const char *const places[] = {
        [AT_MCP] = "/mcp", [AT_SSE] = "/sse", [AT_MESSAGES] = "/messages"
    };
    size_t size = (size_t) snprintf(again, sizeof again, "%s%s%s", places[route.place],
                                    *route.profile ? "/" : "", route.profile);
    assert(!strncmp(self->path, again, size));
    assert(!self->path[size] || (route.place == AT_MCP && !strcmp(self->path + size, "/")));
    look_at_door(self, &route);
}

// ---- what is said twice

static void
look_at_mirror(visit_t *self, const char *name)
{
    const char *value = header(name, self);
    size_t size;

    assert(value || !mirror_matches_text(NULL, ""));
    if (!value)
        return;
    const char *said = reading_decoded(self->arena, value, &size);
    if (!said) {
        assert(!mirror_matches_text(value, value) && !mirror_matches_text(value, ""));
        return;
    }
    json_t *same = json_string_sized(self->arena, said, size);
    json_t *other = json_string_sized(self->arena, said, size - (size > 0));
    assert(mirror_matches(value, same));
    assert(!size || !mirror_matches(value, other));
    assert(strlen(said) != size || mirror_matches_text(value, said));
}

// Sets the argument to what the header says. False if that cannot be.
static bool
set_said(visit_t *self, const char *name, json_t *arguments, const char *key_name)
{
    const char *value = header(name, self);
    size_t size;
    const char *said = value ? reading_decoded(self->arena, value, &size) : NULL;

    if (said)
        json_set(self->arena, arguments, key_name, json_string_sized(self->arena, said, size));
    return !value == !said;
}

// A property that wants a header, and one within another that does.
static void
look_at_parameters(visit_t *self)
{
    const json_t *schema = json_parse_text(
        self->arena, "{\"properties\":{\"a\":{\"x-mcp-header\":\"A\"},\"o\":{\"properties\":"
                     "{\"b\":{\"x-mcp-header\":\"B\"}}}}}");
    json_t *arguments = json_object(self->arena);
    json_t *inner = json_set(self->arena, arguments, "o", json_object(self->arena));
    failure_t why;

    bool can_be = set_said(self, "Mcp-Param-A", arguments, "a");
    can_be &= set_said(self, "Mcp-Param-B", inner, "b");
    status_t status = mirror_check(schema, arguments, header, self, &why);
    assert(!status == can_be && (can_be || *why.text));
    json_set_text(self->arena, arguments, "a", "something that no header says");
    status = mirror_check(schema, arguments, header, self, &why);
    assert(status == BAD_ARGS);
}

static void
look_at_number(visit_t *self)
{
    const char *value = header("Mcp-Param-N", self);
    json_document_t document;
    failure_t why;
    size_t size;
    const char *said = value ? reading_decoded(self->arena, value, &size) : NULL;

    if (said && !json_parse(self->arena, said, size, &document, &why)
        && document.root->kind == JSON_NUMBER)
        assert(mirror_matches(value, document.root));
}

// ---- what it wants to see

static bool
is_given(const char *list)
{
    return list && *list;
}

static void
look_at_view(visit_t *self)
{
    static const entry_msg_t entry = {
        .kind = "tool", .name = "make", .category = "act", .effect = "writes", .profile = "wide"
    };
    const char *reads = header("X-Proofarc-Read-Only", self);
    view_t view = { 0 };
    const char *wrong = view_read(&view, header, self);
    arena_t *arena = self->arena;

    assert(!wrong || *wrong);
    assert(wrong || !reads || view.is_read_only || !strcasecmp(reads, "false")
           || !strcmp(reads, "0") || !strcasecmp(reads, "true"));
    bool is_allowed =
        !view.is_read_only
        && (!is_given(view.categories) || reading_holds(arena, view.categories, "act"))
        && (!is_given(view.exclude)
            || (!reading_holds(arena, view.exclude, "act")
                && !reading_holds(arena, view.exclude, "make")));
    bool is_shown = is_allowed
                    && (is_given(view.tools) ? reading_holds(arena, view.tools, "make")
                                             : !view.profile || strlen(view.profile) == 4);
    if (view.profile && !strcmp(view.profile, "core") && !is_given(view.tools))
        is_shown = false;
    assert(view_allows(&view, &entry) == is_allowed);
    assert(view_shows(&view, &entry) == is_shown);
}

// ---- where it was

static void
look_at_session(visit_t *self, sessions_t *sessions)
{
    const char *id = header("Mcp-Session-Id", self);
    char ours[SESSION_ID_SIZE];
    session_t session;

    if (!id)
        return;
    bool is_known = sessions_check(sessions, id, "ann", 0, &session);
    assert(!is_known);
    sessions_issue(sessions, "ann", PROTOCOL_2025_11_25, 5, 0, ours);
    is_known = sessions_check(sessions, ours, "ann", 1000, &session);
    assert(is_known && session.protocol == PROTOCOL_2025_11_25 && session.capabilities == 5);
    is_known = sessions_check(sessions, ours, "bob", 1000, &session);
    assert(!is_known);
    if (!*id || !id[1])
        return;
    char *spoilt = &ours[(unsigned char) *id % (SESSION_ID_SIZE - 1)];
    bool is_same = *spoilt == id[1];
    *spoilt = id[1];
    is_known = sessions_check(sessions, ours, "ann", 1000, &session);
    assert(is_known == is_same);
}

typedef struct {
    size_t next;  // event that is to come
    bool is_over;
} watch_t;

static void
on_event(const char *id, const char *bytes, size_t size, void *arg)
{
    watch_t *watch = arg;

    watch->is_over = !bytes;
    if (!bytes)
        return;
    assert(id && size == 1 && *bytes == (char) ('a' + watch->next));
    watch->next++;
}

static void
look_at_replay(visit_t *self)
{
    const char *id = header("Last-Event-ID", self);
    AUTO(replays_destroy) replays_t *replays = id ? replays_new("feedbeefcafe") : NULL;
    char ids[EVENTS][REPLAY_ID_SIZE];
    watch_t watch = { 0 };

    if (!id)
        return;
    replay_t *stream = replays_begin(replays, "s", 0);
    for (size_t i = 0; i < EVENTS; i++)
        replay_add(stream, &"abcd"[i], 1, ids[i]);
    replay_end(stream, 0);
    for (size_t i = 0; i < EVENTS; i++)
        if (!strcmp(id, ids[i]))
            watch.next = i + 1;
    bool is_known = watch.next;
    assert(replays_knows(replays, "s", id) == is_known && !replays_knows(replays, "t", id));
    bool is_resumed = replays_resume(replays, "s", id, 1, on_event, &watch);
    assert(is_resumed == is_known);
    assert(!is_known || (watch.next == EVENTS && watch.is_over));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    static sessions_t *sessions;  // large, and never changed
    visit_t visit = { .arena = arena };

    if (!sessions)
        sessions = sessions_new(key);
    read_visit(&visit, (const char *) bytes, size);
    look_at_path(&visit);
    look_at_form(&visit);
    look_at_token(&visit);
    look_at_mirror(&visit, "Mcp-Method");
    look_at_mirror(&visit, "Mcp-Name");
    look_at_parameters(&visit);
    look_at_number(&visit);
    look_at_view(&visit);
    look_at_session(&visit, sessions);
    look_at_replay(&visit);
    return 0;
}
