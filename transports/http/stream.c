// SPDX-License-Identifier: Apache-2.0
#include "http/stream.h"

#include "clock.h"
#include "http/reply.h"
#include "http/visit_state.h"

// A client of a session can come back for what it has not got. Newer ones are told so by an event
// that is empty, which older ones cannot read.
static void
begin_replay(visit_t *visit)
{
    const peer_t *peer = &visit->peer;
    char id[REPLAY_ID_SIZE];

    if (!peer->has_session || visit->is_stateless || strcmp(visit->headers.method, "POST") != 0)
        return;
    visit->replay = replays_begin(visit->door->replays, peer->session, clock_now_ms());
    if (!visit->replay || !protocol_has_icons(peer->protocol))
        return;
    replay_add(visit->replay, "", 0, id);
    reply_priming(visit->http, id);
}

// Sends it, with an id if it is kept.
bool
stream_write(visit_t *visit, const char *bytes, size_t size)
{
    char id[REPLAY_ID_SIZE];

    if (visit->replay)
        replay_add(visit->replay, bytes, size, id);
    // A write that fails would end the request, which its exchange still needs.
    return !visit->has_left && reply_event(visit->http, visit->replay ? id : NULL, bytes, size);
}

static void
open_stream(visit_t *visit)
{
    reply_web_headers(visit->http, &visit->door->rules);
    if (visit->exchange && *exchange_session(visit->exchange))
        httpd_add_header(visit->http, "Mcp-Session-Id", exchange_session(visit->exchange));
    reply_stream(visit->http);
    visit->is_stream = true;
    begin_replay(visit);
}

void
stream_end(visit_t *visit)
{
    if (visit->is_stream && !visit->is_over)
        httpd_stream_end(visit->http);
    visit->is_over = true;
}

// The first message that comes before an answer makes a stream of the answer.
void
stream_send(const char *bytes, size_t size, void *arg)
{
    visit_t *visit = arg;

    if (visit->is_over || (visit->has_left && !visit->is_stream))
        return;
    if (!visit->is_stream)
        open_stream(visit);
    visit->spoke_ms = clock_now_ms();
    if (!stream_write(visit, bytes, size) && !visit->exchange)
        stream_end(visit);
}

// ---- GET

static void
on_replay(const char *id, const char *bytes, size_t size, void *arg)
{
    visit_t *visit = arg;

    visit->spoke_ms = clock_now_ms();
    if (!bytes)
        stream_end(visit);
    else if (size)
        reply_event(visit->http, id, bytes, size);
}

// Ends the streams of changes of the session that are older than one elsewhere: what is said of that
// may arrive after a newer one has begun here.
static void
end_listening(door_t *door, const char *session, int64_t opened_ms)
{
    for (visit_t *visit = door->first; visit; visit = visit->next)
        if (visit->listener && visit->opened_ms < opened_ms && *session
            && !strcmp(visit->peer.session, session))
            stream_end(visit);
}

static void
tell_seek(visit_t *visit, const char *id)
{
    const seek_msg_t seek = { .session = visit->peer.session,
                              .id = id,
                              .reader = visit->reader,
                              .opened_ms = visit->opened_ms };

    if (visit->peer.has_session)
        link_tell(visit->door->service->link, &seek_wire, &seek);
}

// The client sees at once that it is there.
static void
show_stream(visit_t *visit)
{
    open_stream(visit);
    reply_comment(visit->http);
}

// A stream for what concerns no request. A session has one: the older one ends, wherever it is.
static void
begin_listening(visit_t *visit)
{
    service_t *service = visit->door->service;

    visit->opened_ms = clock_wall_ms();
    end_listening(visit->door, visit->peer.session, INT64_MAX);
    tell_seek(visit, "");
    visit->listener =
        listeners_add_session(service->listeners, visit->peer.session, stream_send, visit);
    if (!visit->listener && visit->is_stream)
        stream_end(visit);
    else if (!visit->listener)
        reply_refuse(visit->http, &visit->door->rules, 503,
                     "Too many streams are open; end one, or try again later.");
    else if (!visit->is_stream)
        show_stream(visit);
}

// The stream is one of another transport. Nobody knows whether that still lives.
static void
begin_seeking(visit_t *visit, const char *id)
{
    endpoint_random_name(visit->reader);
    visit->seek_until_ms = clock_now_ms() + SEEK_MS;
    show_stream(visit);
    tell_seek(visit, id);
}

void
stream_take_seek(door_t *door, const seek_msg_t *seek)
{
    if (*seek->id)
        seeks_serve(door->seeks, seek);
    else
        end_listening(door, seek->session, seek->opened_ms);
}

void
stream_take_piece(door_t *door, const piece_msg_t *piece)
{
    for (visit_t *visit = door->first; visit; visit = visit->next) {
        if (!*visit->reader || visit->is_over || strcmp(visit->reader, piece->reader) != 0)
            continue;
        visit->seek_until_ms = 0;
        on_replay(piece->id, *piece->id ? piece->text : NULL, strlen(piece->text), visit);
        return;
    }
}

void
stream_serve(visit_t *visit)
{
    const char *id = httpd_header(visit->http, "Last-Event-ID");
    replays_t *replays = visit->door->replays;

    if (id && visit->peer.has_session && replays_knows(replays, visit->peer.session, id)) {
        open_stream(visit);
        replays_resume(replays, visit->peer.session, id, clock_now_ms(), on_replay, visit);
    } else if (id && visit->peer.has_session && replays_is_foreign(replays, id)) {
        begin_seeking(visit, id);
    } else {
        begin_listening(visit);  // an id that is none of ours means nothing
    }
}

// ---- all of them

static bool
has_lost_session(visit_t *visit)
{
    return visit->listener && visit->peer.has_session && !visit_find_session(visit);
}

void
stream_tick_all(door_t *door, int64_t now_ms)
{
    for (visit_t *visit = door->first, *next; visit; visit = next) {
        next = visit->next;
        if (visit->is_over || visit->has_left || !(visit->is_stream || visit->exchange))
            continue;
        if (has_lost_session(visit)) {
            stream_end(visit);
            continue;
        }
        if (visit->seek_until_ms && now_ms >= visit->seek_until_ms) {
            visit->seek_until_ms = 0;
            begin_listening(visit);
        }
        if (now_ms - visit->spoke_ms < KEEP_ALIVE_MS
            || (visit->exchange && !visit->peer.takes_events))
            continue;
        if (!visit->is_stream)
            open_stream(visit);
        visit->spoke_ms = now_ms;
        reply_comment(visit->http);
    }
}

void
stream_end_all(door_t *door)
{
    service_end_listening(door->service);
    for (visit_t *visit = door->first, *next; visit; visit = next) {
        next = visit->next;
        if (visit->is_stream && !visit->exchange)
            stream_end(visit);
    }
}
