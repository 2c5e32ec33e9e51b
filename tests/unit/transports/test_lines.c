// SPDX-License-Identifier: Apache-2.0
// Lines over stdio: framing, limits, and a client that does not read or goes away.
#include "client.h"

static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
static const char pong[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";

// clang-format off
static const struct {
    const char *bytes;
    size_t answers;
    int code;  // of the first answer, 0 for a result
} framings[] = {
    { "PING\n",                                         1, 0 },
    { "PING\r\n",                                       1, 0 },
    { "\xef\xbb\xbfPING\n",                             1, 0 },
    { "\n\r\n  \n\t\nPING\n",                           1, 0 },
    { "PING\nPING\nPING\n",                             3, 0 },
    { "\xff\xfe\nPING\n",                               2, RPC_PARSE },
    { "{\nPING\n",                                      2, RPC_PARSE },
    { "Content-Length: 52\r\n\r\nPING\nPING\n",         3, RPC_PARSE },
    { "[]\n42\n\"x\"\n{}\nPING\n",                      5, RPC_INVALID },
    { "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/foo\"}\n{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\nPING\n", 1, 0 },
};
// clang-format on

static char *
expand(const char *bytes)
{
    buffer_t out = { 0 };

    for (const char *at = bytes; *at;) {
        bool is_ping = !strncmp(at, "PING", 4);
        buffer_add(&out, is_ping ? ping : at, is_ping ? sizeof ping - 1 : 1);
        at += is_ping ? 4 : 1;
    }
    return buffer_take(&out, NULL);
}

// Lets the server work for a moment.
static void
turn(client_t *client)
{
    zloop_timer(client->bench.loop, 1, 1, bench_on_late, &client->bench);
    zloop_start(client->bench.loop);
}

static void
say_in_pieces(client_t *client, const char *bytes, size_t piece)
{
    size_t left = strlen(bytes);

    for (size_t size; left; bytes += size, left -= size) {
        char part[64] = "";
        size = left < piece ? left : piece;
        memcpy(part, bytes, size);
        say(client, part);
        turn(client);
    }
}

static void
check_framing(size_t row, size_t piece)
{
    AUTO(close_client) client_t client;
    char *bytes = expand(framings[row].bytes);

    open_client(&client, NULL);
    if (piece)
        say_in_pieces(&client, bytes, piece);
    else
        say(&client, bytes);
    await_lines(&client, framings[row].answers);
    assert_int_equal(lines_read(&client), framings[row].answers);
    assert_int_equal(json_get_int(get(line(&client, 0), "error"), "code", 0),
                     framings[row].code);
    assert_string_equal(client.read.bytes + client.read.size - strlen(pong), pong);
    free(bytes);
}

static void
lines_come_in_any_shape(void **state)
{
    for (size_t i = 0; i < ROWS(framings); i++)
        check_framing(i, 0);
}

static void
lines_come_in_any_pieces(void **state)
{
    for (size_t i = 0; i < ROWS(framings); i++) {
        check_framing(i, 1);
        check_framing(i, 7);
    }
}

// A ping whose line has exactly this many bytes.
static char *
long_ping(size_t size)
{
    char *text = malloc(size + 2);
    int length =
        snprintf(text, size, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"");

    memset(text + length, 'x', size - (size_t) length);
    memcpy(text + size - 2, "\"}\n", 4);
    return text;
}

// A pipe holds 64 KiB: the server has to read while we write.
static void
say_long(client_t *client, const char *text)
{
    fcntl(client->to, F_SETFL, O_NONBLOCK);
    for (size_t left = strlen(text); left;) {
        ssize_t size = write(client->to, text, left);
        if (size > 0) {
            text += size;
            left -= (size_t) size;
        }
        turn(client);
        take_output(client);
    }
    fcntl(client->to, F_SETFL, 0);
}

static void
a_line_may_have_four_mib(void **state)
{
    for (int extra = -1; extra <= 1; extra++) {
        AUTO(close_client) client_t client;
        char *text = long_ping((size_t) (INPUT_MAX + extra));
        open_client(&client, NULL);
        say_long(&client, text);
        await_lines(&client, 1);
        assert_int_equal(json_get_int(get(line(&client, 0), "error"), "code", 0),
                         extra > 0 ? RPC_INVALID : 0);
        ask(&client, ping);
        assert_string_equal(client.read.bytes, pong);
        free(text);
    }
}

static void
an_endless_line_is_refused_once_and_not_kept(void **state)
{
    AUTO(close_client) client_t client;
    char *text = long_ping(3 * (size_t) INPUT_MAX);

    open_client(&client, NULL);
    say_long(&client, text);
    await_lines(&client, 1);
    ask(&client, ping);
    assert_string_equal(client.read.bytes, pong);
    assert_int_equal(lines_read(&client), 1);
    free(text);
}

static void
what_was_read_is_answered_before_the_end(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    say(&client, call_read);
    say(&client, "\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n");
    say(&client, ping);  // without a line end
    close_fd(&client.to);
    assert_true(bench_run(&client.bench, is_over, &client));
    assert_int_equal(lines_read(&client), 3);
}

static void
an_end_without_anything_asked_is_an_end(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    close_fd(&client.to);
    assert_true(bench_run(&client.bench, is_over, &client));
    assert_int_equal(client.read.size, 0);
}

static void
a_client_that_reads_no_more_ends_us(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    say(&client, ping);
    say(&client, "\n");
    close_fd(&client.from);
    assert_true(bench_run(&client.bench, is_over, &client));
}

static void
what_is_unanswered_at_the_end_of_the_time_is_said(void **state)
{
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    client.bench.holds = true;
    say(&client, call_write);
    say(&client, "\n");
    await_calls(&client, 1);
    service_give_up(client.bench.service);
    await_lines(&client, 1);
    assert_string_equal(
        json_get_text(get(line(&client, 0), "result.structuredContent.error"), "outcome"),
        "unknown");
}

// Everything arrives, whole and in order, when the client begins to read.
static void
a_client_that_does_not_read_is_not_read_from(void **state)
{
    enum { CALLS = 500, SIZE = 50 * 1000 };
    AUTO(close_client) client_t client;
    AUTO(buffer_clear) buffer_t body = { 0 };

    open_client(&client, NULL);
    assert_true(bench_wait_up(&client.bench));
    buffer_text(&body, "{\"x\":\"");
    for (int i = 0; i < SIZE; i++)
        buffer_char(&body, 'x');
    buffer_text(&body, "\"}");
    client.bench.body = body.bytes;
    client.is_paused = true;
    fcntl(client.to, F_SETPIPE_SZ, 1 << 20);
    for (int i = 0; i < CALLS; i++) {
        say(&client, call_read);
        say(&client, "\n");
    }
    client.wanted = 1;
    assert_true(bench_run(&client.bench, has_call, &client));
    for (size_t seen = 0; seen != client.bench.count;) {
        seen = client.wanted = client.bench.count;
        for (int i = 0; i < 20; i++)
            turn(&client);
    }
    assert_true(client.bench.count < CALLS_PER_PRINCIPAL + 10);
    client.is_paused = false;
    await_lines(&client, CALLS);
    assert_int_equal(client.bench.count, CALLS);
    size_t each = strchr(client.read.bytes, '\n') - client.read.bytes + 1;
    assert_int_equal(client.read.size, CALLS * each);
}

static void
large_answers_arrive_whole(void **state)
{
    static const size_t sizes[] = { 65535, 65536, 65537, 300 * 1000 };

    for (size_t i = 0; i < ROWS(sizes); i++) {
        AUTO(close_client) client_t client;
        char *body = malloc(sizes[i] + 1);
        open_client(&client, NULL);
        fcntl(client.out, F_SETPIPE_SZ, 4096);
        memset(body, 'x', sizes[i]);
        memcpy(body, "{\"x\":\"", 6);
        memcpy(body + sizes[i] - 2, "\"}", 3);
        client.bench.body = body;
        const json_t *block = get(ask(&client, call_read), "result.content")->first;
        assert_string_equal(json_get_text(block, "text"), body);
        free(body);
    }
}

static void
arrays_are_taken_in_the_one_version_that_has_them(void **state)
{
    static const char batch[] = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
                                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"},7,"
                                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}]";
    AUTO(close_client) client_t client;

    open_client(&client, NULL);
    assert_int_equal(json_get_int(get(ask(&client, batch), "error"), "code", 0), RPC_INVALID);
    initialize(&client, "2025-03-26");
    const json_t *answers = ask(&client, batch);
    assert_int_equal(answers->kind, JSON_ARRAY);
    assert_int_equal(answers->count, 3);
    say(&client, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}]\n");
    ask(&client, ping);
    assert_string_equal(client.read.bytes, pong);
    initialize(&client, "2025-06-18");
    assert_int_equal(json_get_int(get(ask(&client, batch), "error"), "code", 0), RPC_INVALID);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_in_any_shape),
        cmocka_unit_test(lines_come_in_any_pieces),
        cmocka_unit_test(a_line_may_have_four_mib),
        cmocka_unit_test(an_endless_line_is_refused_once_and_not_kept),
        cmocka_unit_test(what_was_read_is_answered_before_the_end),
        cmocka_unit_test(an_end_without_anything_asked_is_an_end),
        cmocka_unit_test(a_client_that_reads_no_more_ends_us),
        cmocka_unit_test(what_is_unanswered_at_the_end_of_the_time_is_said),
        cmocka_unit_test(a_client_that_does_not_read_is_not_read_from),
        cmocka_unit_test(large_answers_arrive_whole),
        cmocka_unit_test(arrays_are_taken_in_the_one_version_that_has_them),
    };
    client_set_up();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zsys_shutdown();
    return failed;
}
