// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "json.h"
#include "limits.h"
#include "mcp/content.h"

#include <cmocka.h>

static const answer_msg_t well = { .status = OK, .content = "", .mime = "" };

static void
write_result(buffer_t *out, const answer_msg_t *answer, const char *body, protocol_t protocol)
{
    content_of_tool(out, answer, body, strlen(body), protocol);
}

static void
a_result_carries_the_same_json_twice(void **state)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    write_result(&out, &well, "{\"a\":\"\\\"\"}", PROTOCOL_2025_11_25);
    assert_string_equal(
        out.bytes,
        "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"a\\\":\\\"\\\\\\\"\\\"}\"}],"
        "\"structuredContent\":{\"a\":\"\\\"\"}}");
}

static void
an_older_client_gets_the_text_alone(void **state)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    write_result(&out, &well, "{}", PROTOCOL_2025_03_26);
    assert_string_equal(out.bytes, "{\"content\":[{\"type\":\"text\",\"text\":\"{}\"}]}");
}

static void
no_line_end_gets_through(void **state)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    const answer_msg_t answer = { .content = "[{\"type\":\n\"text\",\"text\":\"x\"}]" };

    write_result(&out, &answer, "{\n\"a\" :\n1\n}", PROTOCOL_2025_11_25);
    assert_null(strchr(out.bytes, '\n'));
    assert_non_null(strstr(out.bytes, "\"structuredContent\":{ \"a\" : 1 }"));
    assert_non_null(strstr(out.bytes, "},{\"type\": \"text\",\"text\":\"x\"}]"));
}

static void
extra_blocks_that_are_no_array_are_left_out(void **state)
{
    static const char *const blocks[] = { "", "[]", "x", "{\"a\":1}", "[", "]" };

    for (size_t i = 0; i < ROWS(blocks); i++) {
        AUTO(buffer_clear) buffer_t out = { 0 };
        const answer_msg_t answer = { .content = blocks[i] };
        write_result(&out, &answer, "{}", PROTOCOL_2025_03_26);
        assert_string_equal(out.bytes, "{\"content\":[{\"type\":\"text\",\"text\":\"{}\"}]}");
    }
}

static void
each_status_says_whether_it_failed(void **state)
{
    for (int status = 0; status < STATUS_COUNT; status++) {
        AUTO(buffer_clear) buffer_t out = { 0 };
        AUTO(arena_destroy) arena_t *arena = arena_new();
        const answer_msg_t answer = { .status = status,
                                      .outcome = status_outcome((status_t) status),
                                      .content = "" };
        write_result(&out, &answer, "", PROTOCOL_2025_11_25);
        const json_t *result = json_parse_text(arena, out.bytes);
        const json_t *error = json_get(json_get(result, "structuredContent"), "error");
        assert_int_equal(json_get_bool(result, "isError", false),
                         status != OK && status != NARROWED);
        assert_string_equal(json_get_text(error, "code"), status_name((status_t) status));
        assert_string_equal(json_get_text(error, "outcome"),
                            outcome_name(status_outcome((status_t) status)));
    }
}

// A body of this many bytes, full of a character that takes `c` as it is.
static char *
body_of(size_t size, char c)
{
    char *body = malloc(size + 1);

    memset(body, c, size);
    memcpy(body, "{\"x\":\"", 6);
    memcpy(body + size - 2, "\"}", 3);
    return body;
}

static void
what_the_client_receives_is_counted(void **state)
{
    // Twice 450 KiB and more around it: the text copy goes first.
    static const struct {
        size_t size;
        protocol_t protocol;
        bool has_copy, failed;
    } rows[] = {
        { 450 * KIB, PROTOCOL_2025_11_25, true, false },
        { 460 * KIB, PROTOCOL_2025_11_25, false, false },
        { 898 * KIB, PROTOCOL_2025_11_25, false, false },
        { 900 * KIB, PROTOCOL_2025_11_25, false, true },
        { 3 * MIB, PROTOCOL_2025_11_25, false, true },
        { 899 * KIB, PROTOCOL_2025_03_26, true, false },
        { 900 * KIB, PROTOCOL_2025_03_26, false, true },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(buffer_clear) buffer_t out = { 0 };
        AUTO(arena_destroy) arena_t *arena = arena_new();
        char *body = body_of(rows[i].size - (rows[i].size == 450 * KIB ? 200 : 0), 'x');
        write_result(&out, &well, body, rows[i].protocol);
        assert_true(out.size <= RESULT_MAX);
        const json_t *result = json_parse_text(arena, out.bytes);
        assert_non_null(result);
        assert_int_equal(json_get_bool(result, "isError", false), rows[i].failed);
        const char *text = json_get_text(json_get(result, "content")->first, "text");
        assert_int_equal(!strcmp(text, body), rows[i].has_copy);
        free(body);
    }
}

static void
escaping_counts_as_well(void **state)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(buffer_clear) buffer_t body = { 0 };

    buffer_text(&body, "{\"x\":\"");
    while (body.size < 500 * KIB)
        buffer_text(&body, "\\\"");
    buffer_text(&body, "\"}");
    write_result(&out, &well, body.bytes, PROTOCOL_2025_03_26);
    assert_true(out.size <= RESULT_MAX);
    assert_true(json_get_bool(json_parse_text(arena, out.bytes), "isError", false));
}

static void
a_resource_has_its_address_and_type(void **state)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    const answer_msg_t answer = { .mime = "" };

    content_of_resource(&out, "proofarc://x/1", &answer, "{\"a\":1}", 7);
    assert_string_equal(out.bytes, "{\"contents\":[{\"uri\":\"proofarc://x/1\",\"mimeType\":"
                                   "\"application/json\",\"text\":\"{\\\"a\\\":1}\"}]}");
}

static void
a_resource_that_is_no_text_is_a_blob(void **state)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    const answer_msg_t answer = { .mime = "image/png", .is_base64 = 1 };

    content_of_resource(&out, "x:y", &answer, "iVBO", 4);
    assert_string_equal(out.bytes, "{\"contents\":[{\"uri\":\"x:y\",\"mimeType\":"
                                   "\"image/png\",\"blob\":\"iVBO\"}]}");
}

#define SOUND "{\"type\":\"audio\",\"data\":\"AA==\",\"mimeType\":\"audio/wav\"}"
#define LINK  "{\"type\":\"resource_link\",\"uri\":\"x:y\",\"name\":\"X\"}"

static void
blocks_that_a_version_does_not_know_become_text(void **state)
{
    static const struct {
        protocol_t protocol;
        const char *expected;
    } rows[] = {
        { PROTOCOL_2024_11_05,
          "{\"content\":[{\"type\":\"text\",\"text\":\"A sound (audio/wav) that this version "
          "of the "
          "protocol cannot carry.\"},{\"type\":\"text\",\"text\":\"X: x:y\"}]}" },
        { PROTOCOL_2025_03_26,
          "{\"content\":[" SOUND ",{\"type\":\"text\",\"text\":\"X: x:y\"}]}" },
        { PROTOCOL_2025_06_18, "{\"content\":[" SOUND "," LINK "]}" },
    };
    const answer_msg_t answer = {
        .status = OK,
        .content = "[" SOUND "," LINK "]",
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(buffer_clear) buffer_t out = { 0 };
        content_of_tool(&out, &answer, "", 0, rows[i].protocol);
        assert_string_equal(out.bytes, rows[i].expected);
    }
}

static void
the_sentence_of_a_failure_is_found(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    static const char said[] = "{\"error\":{\"message\":\"gone\"}}";

    assert_string_equal(content_message(arena, NOT_FOUND, said, strlen(said)), "gone");
    assert_string_equal(content_message(arena, NOT_FOUND, "{}", 2), status_text(NOT_FOUND));
    assert_string_equal(content_message(arena, NOT_FOUND, "x", 1), status_text(NOT_FOUND));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_carries_the_same_json_twice),
        cmocka_unit_test(an_older_client_gets_the_text_alone),
        cmocka_unit_test(no_line_end_gets_through),
        cmocka_unit_test(extra_blocks_that_are_no_array_are_left_out),
        cmocka_unit_test(each_status_says_whether_it_failed),
        cmocka_unit_test(what_the_client_receives_is_counted),
        cmocka_unit_test(escaping_counts_as_well),
        cmocka_unit_test(a_resource_has_its_address_and_type),
        cmocka_unit_test(a_resource_that_is_no_text_is_a_blob),
        cmocka_unit_test(blocks_that_a_version_does_not_know_become_text),
        cmocka_unit_test(the_sentence_of_a_failure_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
