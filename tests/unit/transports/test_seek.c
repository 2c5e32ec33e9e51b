// SPDX-License-Identifier: Apache-2.0
// Streams that a client reads at one transport and reads on at another; and their signs of life.
#include "http/reply.h"
#include "http/seek.h"
#include "visitor.h"

static const char elsewhere[] = "0123456789abcdef0123456789abcdef";

static bool
has_seek(void *arg)
{
    const site_t *site = arg;

    return site->bench.seeks > 0 && *site->bench.seek.id;
}

// Comes back with an id that another transport may have given.
static void
come_back(site_t *site, visitor_t *stream)
{
    const char *session = begin_session(site, site->ann);

    listen_on(site, stream,
              arena_printf(site->arena, "%sLast-Event-ID: 01234567-a-2\r\n", session));
    assert_true(bench_run(&site->bench, has_seek, site));
    assert_string_equal(site->bench.seek.id, "01234567-a-2");
}

static void
the_rest_of_a_stream_comes_from_another_transport(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t stream;
    piece_msg_t piece = { .reader = elsewhere, .id = "01234567-a-3", .text = "{\"id\":8}" };

    open_site(&site);
    come_back(&site, &stream);
    bench_send(&site.bench, &piece_wire, &piece, NULL);  // for somebody else
    piece.reader = site.bench.seek.reader;
    piece.text = "{\"id\":7}";
    bench_send(&site.bench, &piece_wire, &piece, NULL);
    piece.id = piece.text = "";
    bench_send(&site.bench, &piece_wire, &piece, NULL);
    await_text(&site, &stream, "id: 01234567-a-3\ndata: {\"id\":7}\n\n");
    await_text(&site, &stream, "\r\n0\r\n\r\n");
    assert_null(strstr(stream.in.bytes, "\"id\":8"));
}

// The transport that held it is gone: the client is told of changes, as without an id.
static void
a_stream_that_nobody_holds_is_one_of_changes(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t stream;
    const changed_msg_t prompts = { .kind = "prompts", .uri = "" };

    open_site(&site);
    come_back(&site, &stream);
    server_tick(site.server, clock_now_ms() + SEEK_MS);
    bench_send(&site.bench, &changed_wire, &prompts, NULL);
    await_text(&site, &stream, "notifications/prompts/list_changed");
}

static bool
has_last_piece(void *arg)
{
    const site_t *site = arg;

    return site->bench.pieces.size && strstr(site->bench.pieces.bytes, "  \n");
}

static void
a_stream_is_sent_to_where_it_is_read(void **state)
{
    AUTO(close_site) site_t site;

    open_site(&site);
    const char *id = begin_call_and_leave(&site, begin_session(&site, site.ann));
    seek_msg_t seek = { .session = "another", .id = id, .reader = "thief" };
    bench_send(&site.bench, &seek_wire, &seek, NULL);
    seek.session = site.bench.calls[0].call.session;
    seek.reader = elsewhere;
    bench_send(&site.bench, &seek_wire, &seek, NULL);
    bench_send(&site.bench, &seek_wire, &seek, NULL);  // it came by two brokers
    bench_answer(&site.bench, &site.bench.calls[0], OK, DONE, NULL);
    assert_true(bench_run(&site.bench, has_last_piece, &site));
    const char *pieces = site.bench.pieces.bytes;
    assert_null(strstr(pieces, "thief"));
    assert_ptr_equal(strstr(pieces, elsewhere), pieces);
    const char *result = strstr(pieces, "\"id\":7,\"result\"");
    assert_non_null(result);
    assert_null(strstr(result + 1, "\"id\":7,\"result\""));
}

static void
a_stream_of_changes_ends_where_it_is_read_no_more(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t stream, other;

    open_site(&site);
    listen_on(&site, &other, begin_session(&site, site.ann));
    listen_on(&site, &stream, begin_session(&site, site.ann));
    seek_msg_t seek = { .session = site.bench.seek.session, .id = "", .reader = "" };
    assert_int_equal(strlen(seek.session), SESSION_KEY_SIZE - 1);
    seek.opened_ms = site.bench.seek.opened_ms - 1;  // it began before, and is told of late
    bench_send(&site.bench, &seek_wire, &seek, NULL);
    code_for(&site, "POST /mcp", site.ann, "", call_with_progress);  // comes behind it
    assert_false(stream.is_closed || strstr(stream.in.bytes, "\r\n0\r\n\r\n"));
    seek.opened_ms = site.bench.seek.opened_ms + 1;
    bench_send(&site.bench, &seek_wire, &seek, NULL);
    await_text(&site, &stream, "\r\n0\r\n\r\n");
    assert_null(strstr(other.in.bytes, "\r\n0\r\n\r\n"));
}

static void
ids_of_other_processes_are_known_by_their_form(void **state)
{
    AUTO(replays_destroy) replays_t *replays = replays_new("0123456789");
    static const char *const others[] = { "abcdef01-1-0", "ffffffff-a0-ffff" };
    static const char *const none[] = {
        "01234567-1-0",
        "abcdef01-1-",
        "abcdef01--1",
        "abcdef01-1",
        "abcdef0-1-1",
        "ABCDEF01-1-1",
        "abcdef01-1-1 ",
        "",
        "abcdef01-1-00000000000000000000000000000000000000000"
    };

    for (size_t i = 0; i < ROWS(others); i++)
        assert_true(replays_is_foreign(replays, others[i]));
    for (size_t i = 0; i < ROWS(none); i++)
        assert_false(replays_is_foreign(replays, none[i]));
}

// ---- signs of life

// As a proxy sees it that ends what is silent for a minute: a comment every 15 s, no sooner.
static void
assert_lives(site_t *site, visitor_t *stream, int64_t since_ms)
{
    assert_int_equal(KEEP_ALIVE_MS, 15 * 1000);
    buffer_clear(&stream->in);
    server_tick(site->server, since_ms + KEEP_ALIVE_MS - 1000);
    has_answer(stream);
    assert_int_equal(stream->in.size, 0);
    server_tick(site->server, clock_now_ms() + KEEP_ALIVE_MS);
    await_text(site, stream, ":\n\n");
}

static void
test_A_S11_streams_show_signs_of_life(void **state)
{
    AUTO(close_site) site_t site;
    AUTO(disconnect) visitor_t changes, pair, call;

    open_site(&site);
    site.bench.holds = true;
    int64_t begun_ms = clock_now_ms();
    listen_on(&site, &changes, begin_session(&site, site.ann));
    assert_string_equal(header_of(&site, &changes, "X-Accel-Buffering"), "no");
    assert_string_equal(header_of(&site, &changes, "Cache-Control"),
                        "no-cache, no-store, no-transform");
    assert_lives(&site, &changes, begun_ms);

    begun_ms = clock_now_ms();
    connect_to(&site, &pair);
    send_request(&pair, "GET /sse", site.ann, accepts, NULL);
    await_text(&site, &pair, "sessionId=");
    await_text(&site, &pair, "\n\n");
    assert_lives(&site, &pair, begun_ms);

    connect_to(&site, &call);
    send_request(&call, "POST /mcp", site.ann, accepts, call_with_progress);
    assert_true(bench_run(&site.bench, has_call_of_site, &site));
    assert_lives(&site, &call, clock_now_ms());  // becomes a stream with it
    assert_string_equal(header_of(&site, &call, "Content-Type"), "text/event-stream");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_of_a_stream_comes_from_another_transport),
        cmocka_unit_test(a_stream_that_nobody_holds_is_one_of_changes),
        cmocka_unit_test(a_stream_is_sent_to_where_it_is_read),
        cmocka_unit_test(a_stream_of_changes_ends_where_it_is_read_no_more),
        cmocka_unit_test(ids_of_other_processes_are_known_by_their_form),
        cmocka_unit_test(test_A_S11_streams_show_signs_of_life),
    };
    site_set_up();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zsys_shutdown();
    return failed;
}
