// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "limits.h"
#include "mcp/jsonrpc.h"

#include <cmocka.h>

// clang-format off
static const struct {
    const char *line;
    rpc_kind_t kind;
    int code;         // of a broken one
    const char *id;   // as it goes back
} rows[] = {
    // Requests: the id goes back as it came.
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",          RPC_REQUEST, 0, "1" },
    { " {\"id\" : -7 , \"method\":\"ping\",\"jsonrpc\":\"2.0\"} ",   RPC_REQUEST, 0, "-7" },
    { "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"ping\"}",      RPC_REQUEST, 0, "\"1\"" },
    { "{\"jsonrpc\":\"2.0\",\"id\":\"007\",\"method\":\"ping\"}",    RPC_REQUEST, 0, "\"007\"" },
    { "{\"jsonrpc\":\"2.0\",\"id\":\"1e3\",\"method\":\"ping\"}",    RPC_REQUEST, 0, "\"1e3\"" },
    { "{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"ping\"}",       RPC_REQUEST, 0, "\"\"" },
    { "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0041\",\"method\":\"p\"}",   RPC_REQUEST, 0, "\"\\u0041\"" },
    { "{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"method\":\"p\"}", RPC_REQUEST, 0, "9007199254740993" },
    { "{\"jsonrpc\":\"2.0\",\"id\":123456789012345678901234567890,\"method\":\"p\"}", RPC_REQUEST, 0, "123456789012345678901234567890" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\",\"params\":{}}",   RPC_REQUEST, 0, "1" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\",\"params\":null}", RPC_REQUEST, 0, "1" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\",\"more\":[1]}",    RPC_REQUEST, 0, "1" },
    { "{\"Method\":\"tools/call\",\"ID\":5,\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", RPC_REQUEST, 0, "1" },
    // Notifications and responses.
    { "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/foo\"}",      RPC_NOTIFICATION, 0, "null" },
    { "{\"jsonrpc\":\"2.0\",\"method\":\"initialized\"}",            RPC_NOTIFICATION, 0, "null" },
    { "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":[1]}",       RPC_NOTIFICATION, 0, "null" },
    { "{\"jsonrpc\":\"2.0\",\"method\":\"n\\u0000\"}",               RPC_NOTIFICATION, 0, "null" },
    { "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}",                RPC_RESPONSE, 0, "9" },
    { "{\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{\"code\":1}}",       RPC_RESPONSE, 0, "9" },
    // Ids that are none.
    { "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"tools/list\"}", RPC_BROKEN, RPC_INVALID, "null" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",        RPC_BROKEN, RPC_INVALID, "null" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"ping\"}",        RPC_BROKEN, RPC_INVALID, "null" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1e3,\"method\":\"ping\"}",        RPC_BROKEN, RPC_INVALID, "null" },
    { "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}",       RPC_BROKEN, RPC_INVALID, "null" },
    { "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",         RPC_BROKEN, RPC_INVALID, "null" },
    { "{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"ping\"}",         RPC_BROKEN, RPC_INVALID, "null" },
    // What is JSON but no request.
    { "42",                                                          RPC_BROKEN, RPC_INVALID, "null" },
    { "\"x\"",                                                       RPC_BROKEN, RPC_INVALID, "null" },
    { "{}",                                                          RPC_BROKEN, RPC_INVALID, "null" },
    { "[]",                                                          RPC_BROKEN, RPC_INVALID, "null" },
    { "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",        RPC_BROKEN, RPC_INVALID, "null" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1}",                              RPC_BROKEN, RPC_INVALID, "1" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}",                 RPC_BROKEN, RPC_INVALID, "1" },
    { "{\"jsonrpc\":\"2.0\",\"ID\":1,\"Method\":\"ping\"}",          RPC_BROKEN, RPC_INVALID, "null" },
    { "{\"jsonrpc\":\"1.0\",\"id\":\"a\",\"method\":\"ping\"}",      RPC_BROKEN, RPC_INVALID, "\"a\"" },
    { "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}",              RPC_BROKEN, RPC_INVALID, "1" },
    { "{\"id\":1,\"method\":\"ping\"}",                              RPC_BROKEN, RPC_INVALID, "1" },
    // Parameters.
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\",\"params\":[]}",  RPC_BROKEN, RPC_PARAMS, "1" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\",\"params\":7}",   RPC_BROKEN, RPC_PARAMS, "1" },
    // Names that another layer would read differently.
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\\u0000x\"}", RPC_BROKEN, RPC_PARAMS, "1" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\",\"params\":{\"name\":\"a\\u0000b\"}}", RPC_BROKEN, RPC_PARAMS, "1" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\",\"params\":{\"na\\u0000me\":1}}", RPC_BROKEN, RPC_PARAMS, "1" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\",\"params\":{\"text\":\"a\\u0000b\"}}", RPC_REQUEST, 0, "1" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"method\":\"b\"}", RPC_BROKEN, RPC_INVALID, "1" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{\"name\":1,\"name\":2}}", RPC_BROKEN, RPC_INVALID, "1" },
    // No JSON.
    { "",                                                            RPC_BROKEN, RPC_PARSE, "null" },
    { "{",                                                           RPC_BROKEN, RPC_PARSE, "null" },
    { "Content-Length: 52",                                          RPC_BROKEN, RPC_PARSE, "null" },
    { "\xff\xfe",                                                    RPC_BROKEN, RPC_PARSE, "null" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",          RPC_BROKEN, RPC_PARSE, "null" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\ud800\"}",       RPC_BROKEN, RPC_PARSE, "null" },
    { "{} {}",                                                       RPC_BROKEN, RPC_PARSE, "null" },
};
// clang-format on

static void
each_line_becomes_what_it_is(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        rpc_packet_t packet;

        print_message("  %s\n", rows[i].line);
        jsonrpc_read(arena, rows[i].line, strlen(rows[i].line), false, &packet);
        assert_int_equal(packet.count, 1);
        assert_int_equal(packet.messages->kind, rows[i].kind);
        assert_int_equal(packet.messages->code, rows[i].code);
        assert_int_equal(packet.messages->id_size, strlen(rows[i].id));
        assert_memory_equal(packet.messages->id_text, rows[i].id, strlen(rows[i].id));
        assert_int_equal(packet.messages->kind == RPC_BROKEN, packet.messages->text != NULL);
    }
}

static rpc_kind_t
kind_with_id_of(size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(buffer_clear) buffer_t line = { 0 };
    rpc_packet_t packet;

    buffer_text(&line, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":\"");
    for (size_t i = 0; i < size - 2; i++)
        buffer_char(&line, 'x');
    buffer_text(&line, "\"}");
    jsonrpc_read(arena, line.bytes, line.size, false, &packet);
    return packet.messages->kind;
}

static void
an_id_may_have_one_kib_with_its_quotes(void **state)
{
    assert_int_equal(kind_with_id_of(REQUEST_ID_MAX - 1), RPC_REQUEST);
    assert_int_equal(kind_with_id_of(REQUEST_ID_MAX), RPC_REQUEST);
    assert_int_equal(kind_with_id_of(REQUEST_ID_MAX + 1), RPC_BROKEN);
}

static void
depth_is_refused_without_a_deep_stack(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    enum { DEPTH = 200 * 1000 };
    char *line = malloc(DEPTH);
    rpc_packet_t packet;

    memset(line, '[', DEPTH);
    jsonrpc_read(arena, line, DEPTH, false, &packet);
    assert_int_equal(packet.messages->code, RPC_PARSE);
    free(line);
}

static void
read_batch(arena_t *arena, size_t count, rpc_packet_t *packet)
{
    AUTO(buffer_clear) buffer_t line = { 0 };

    buffer_char(&line, '[');
    for (size_t i = 0; i < count; i++)
        buffer_printf(&line, "%s{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"ping\"}",
                      i ? "," : "", i);
    buffer_char(&line, ']');
    // The ids point into the source.
    jsonrpc_read(arena, arena_strndup(arena, line.bytes, line.size), line.size, true, packet);
}

// A value of two bytes takes a hundred in memory.
static void
a_message_of_very_many_values_is_refused(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(buffer_clear) buffer_t line = { 0 };
    rpc_packet_t packet;

    buffer_text(&line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\",\"params\":{\"a\":[0");
    for (size_t i = 7; i < INPUT_VALUES_MAX; i++)  // seven stand there
        buffer_text(&line, ",0");
    buffer_text(&line, "]}}");
    jsonrpc_read(arena, line.bytes, line.size, false, &packet);
    assert_int_equal(packet.messages[0].kind, RPC_REQUEST);

    line.size -= strlen("]}}");
    buffer_text(&line, ",0]}}");
    jsonrpc_read(arena, line.bytes, line.size, false, &packet);
    assert_int_equal(packet.messages[0].code, RPC_PARSE);
    assert_non_null(strstr(packet.messages[0].text, "100000 values"));
}

static void
an_array_is_taken_where_it_was_agreed(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    rpc_packet_t packet;

    read_batch(arena, 3, &packet);
    assert_true(packet.is_batch);
    assert_int_equal(packet.count, 3);
    assert_int_equal(packet.messages[2].kind, RPC_REQUEST);
    assert_memory_equal(packet.messages[2].id_text, "2", 1);
}

static void
an_array_may_hold_a_hundred_messages(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    rpc_packet_t packet;

    read_batch(arena, BATCH_MAX, &packet);
    assert_int_equal(packet.count, BATCH_MAX);
    read_batch(arena, BATCH_MAX + 1, &packet);
    assert_int_equal(packet.count, 1);
    assert_int_equal(packet.messages->code, RPC_INVALID);
    read_batch(arena, 0, &packet);
    assert_int_equal(packet.messages->code, RPC_INVALID);
}

static void
initialize_may_not_stand_in_an_array(void **state)
{
    static const char line[] = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"},7]";
    AUTO(arena_destroy) arena_t *arena = arena_new();
    rpc_packet_t packet;

    jsonrpc_read(arena, line, sizeof line - 1, true, &packet);
    assert_int_equal(packet.messages[0].code, RPC_INVALID);
    assert_int_equal(packet.messages[1].code, RPC_INVALID);
}

static void
ids_are_the_same_by_type_and_value(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const json_t *one = json_parse_text(arena, "1"), *text = json_parse_text(arena, "\"1\"");
    const json_t *escaped = json_parse_text(arena, "\"\\u0031\"");

    assert_true(jsonrpc_same_id(one, json_parse_text(arena, "1")));
    assert_true(jsonrpc_same_id(text, escaped));
    assert_false(jsonrpc_same_id(one, text));
    assert_false(jsonrpc_same_id(one, json_parse_text(arena, "11")));
    assert_false(jsonrpc_same_id(one, NULL));
}

static void
an_error_is_one_line_of_json(void **state)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    jsonrpc_write_error(&out, "\"a\"", 3, RPC_PARAMS, "a \"b\"\nc", "{\"uri\":1}");
    assert_string_equal(out.bytes,
                        "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32602,"
                        "\"message\":\"a \\\"b\\\"\\nc\",\"data\":{\"uri\":1}}}");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_becomes_what_it_is),
        cmocka_unit_test(an_id_may_have_one_kib_with_its_quotes),
        cmocka_unit_test(depth_is_refused_without_a_deep_stack),
        cmocka_unit_test(a_message_of_very_many_values_is_refused),
        cmocka_unit_test(an_array_is_taken_where_it_was_agreed),
        cmocka_unit_test(an_array_may_hold_a_hundred_messages),
        cmocka_unit_test(initialize_may_not_stand_in_an_array),
        cmocka_unit_test(ids_are_the_same_by_type_and_value),
        cmocka_unit_test(an_error_is_one_line_of_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
