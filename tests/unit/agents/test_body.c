// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "api/body.h"
#include "auto.h"
#include "encoding.h"

#include <zlib.h>

#include <cmocka.h>  // last: it defines fail()

static exchange_answer_t
answer_of(arena_t *arena, const char *headers, const char *body, size_t size)
{
    return (exchange_answer_t){
        .status = 200, .headers = json_parse_text(arena, headers), .body = body, .size = size
    };
}

// clang-format off
static const struct {
    const char *about, *type;  // Content-Type
    const char *charset;       // of the step, or NULL
    const char *body, *text;   // `text`: what checks see
    const char *warning;       // a part of it; "" for none
    const char *not_json;      // a part; NULL: it is JSON
} rows[] = {
    { "UTF-8",              "application/json", NULL, "{\"a\":\"\xc3\xa4\"}", "{\"a\":\"ä\"}", "", NULL },
    { "a byte order mark",  "application/json", NULL, "\xef\xbb\xbf{\"ok\":true}", "{\"ok\":true}", "", NULL },
    { "nothing",            "application/json", NULL, "", "", "", "body is empty, not JSON" },
    { "a mark and nothing", "application/json", NULL, "\xef\xbb\xbf", "", "", "body is empty, not JSON" },
    { "no JSON",            "application/json", NULL, "<html>", "<html>", "", "body is not JSON" },
    { "a key twice",        "application/json", NULL, "{\"role\":\"user\",\"role\":\"admin\"}",
      "{\"role\":\"user\",\"role\":\"admin\"}", "duplicate key role at offset 22", NULL },
    { "GB2312, not said",   "text/html", NULL, "\xd6\xd0", "\xef\xbf\xbd\xef\xbf\xbd", "no UTF-8 at byte 0", "not JSON" },
    { "GB2312, by the step", "text/html", "gb2312", "\xd6\xd0", "中", "", "not JSON" },
    { "GB2312, by the header", "text/html; charset=GB2312", NULL, "\xd6\xd0", "中", "", "not JSON" },
    { "the header wins",    "text/html; charset=utf-8", "gb2312", "中", "中", "", "not JSON" },
    { "a byte that is none", "application/json", NULL, "{\"a\":\"\xb0\"}", "{\"a\":\"\xef\xbf\xbd\"}", "at byte 6", NULL },
    { "cut in a character",  "text/plain", NULL, "x\xe4\xb8", "x\xef\xbf\xbd\xef\xbf\xbd", "at byte 1", "not JSON" },
    { "in quotes",          "text/html; charset=\"ISO-8859-1\"; x=y", NULL, "\xe4", "ä", "", "not JSON" },
    { "unknown",            "text/html; charset=made-up-99", NULL, "\xc3\xa4", "ä", "character set made-up-99 is not known", "not JSON" },
    { "unknown, the step helps", "text/html; charset=made-up-99", "latin1", "\xe4", "ä", "made-up-99", "not JSON" },
    { "an odd sign",        "text/html; charset=@", NULL, "x", "x", "character set @ is not known", "not JSON" },
    { "a path",             "text/html; charset=../../x", NULL, "x", "x", "is not known", "not JSON" },
    { "no charset at all",  "text/html; charset=", NULL, "x", "x", "", "not JSON" },
    { "latin-1 for JSON",   "application/json; charset=latin1", NULL, "\"\xe4\"", "\"ä\"", "", NULL },
};
// clang-format on

static void
a_body_becomes_text_and_json(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        json_t *headers = json_array(arena), *warnings = json_array(arena);
        json_t *pair = json_add(headers, json_array(arena));
        observed_t observed;

        print_message("  %s\n", rows[i].about);
        json_add(pair, json_string(arena, "content-type"));
        json_add(pair, json_string(arena, rows[i].type));
        exchange_answer_t answer =
            answer_of(arena, json_text(arena, headers), rows[i].body, strlen(rows[i].body));
        body_observe(arena, &answer, rows[i].charset, &observed, warnings);
        assert_string_equal(observed.text, rows[i].text);
        assert_int_equal(observed.size, strlen(rows[i].text));
        if (*rows[i].warning)
            assert_non_null(strstr(json_text(arena, warnings), rows[i].warning));
        else
            assert_int_equal(warnings->count, 0);
        assert_int_equal(observed.body == NULL, rows[i].not_json != NULL);
        if (rows[i].not_json)
            assert_non_null(strstr(observed.not_json, rows[i].not_json));
    }
}

static void
a_body_that_was_cut_is_no_json(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *warnings = json_array(arena);
    exchange_answer_t answer = answer_of(arena, "[]", "[1]", 3);
    observed_t observed;

    answer.is_truncated = true;
    body_observe(arena, &answer, NULL, &observed, warnings);
    assert_null(observed.body);
    assert_non_null(strstr(observed.not_json, "was cut"));
    assert_int_equal(warnings->count, 1);
}

// ---- content encodings

static size_t
pack(const char *text, size_t size, int window, char *packed, size_t room)
{
    z_stream stream = { .next_in = (Bytef *) text,
                        .avail_in = (uInt) size,
                        .next_out = (Bytef *) packed,
                        .avail_out = (uInt) room };

    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return stream.total_out;
}

enum { GZIP = 16 + MAX_WBITS, ZLIB = MAX_WBITS, RAW = -MAX_WBITS, PLAIN = 0 };

// clang-format off
static const struct {
    const char *encoding;
    int window;        // how the body really is
    size_t cut;        // bytes taken off its end
    bool is_twice;     // two pieces, one behind the other
    const char *text;  // NULL: as it came
    const char *problem, *warning;
} encodings[] = {
    { "gzip",     GZIP,  0, false, "hello",      NULL, NULL },
    { "GZIP",     GZIP,  0, false, "hello",      NULL, NULL },
    { "x-gzip",   GZIP,  0, false, "hello",      NULL, NULL },
    { "gzip",     GZIP,  0, true,  "hellohello", NULL, NULL },
    { "deflate",  ZLIB,  0, false, "hello",      NULL, NULL },
    { "deflate",  RAW,   0, false, "hello",      NULL, NULL },
    { "gzip",     PLAIN, 0, false, NULL,         "not gzip data", NULL },
    { "gzip",     GZIP,  5, false, NULL,         "not gzip data", NULL },
    { "deflate",  PLAIN, 0, false, NULL,         "not deflate data", NULL },
    { "identity", PLAIN, 0, false, NULL,         NULL, "is no encoding" },
    { "utf-8",    PLAIN, 0, false, NULL,         NULL, "is no encoding" },
    { "UTF-8",    PLAIN, 0, false, NULL,         NULL, "is no encoding" },
    { "br",       PLAIN, 0, false, NULL,         NULL, "is not undone" },
    { "gzip, br", PLAIN, 0, false, NULL,         NULL, "is not undone" },
};
// clang-format on

static void
content_encodings_are_undone_or_named(void **state)
{
    for (size_t i = 0; i < ROWS(encodings); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        char body[200] = "hello";
        size_t size = 5;
        content_t content;

        print_message("  %s\n", encodings[i].encoding);
        if (encodings[i].window)
            size = pack("hello", 5, encodings[i].window, body, sizeof body / 2);
        if (encodings[i].is_twice)
            memcpy(body + size, body, size);
        size = size * (encodings[i].is_twice ? 2 : 1) - encodings[i].cut;
        exchange_answer_t answer = answer_of(
            arena,
            arena_printf(arena, "[[\"Content-Encoding\",\"%s\"]]", encodings[i].encoding), body,
            size);
        encoding_undo(arena, &answer, 100, &content);
        if (encodings[i].text)
            assert_string_equal(content.bytes, encodings[i].text);
        else
            assert_ptr_equal(content.bytes, body);
        assert_int_equal(content.size, encodings[i].text ? strlen(encodings[i].text) : size);
        assert_int_equal(content.problem != NULL, encodings[i].problem != NULL);
        assert_int_equal(content.warning != NULL, encodings[i].warning != NULL);
        if (content.problem)
            assert_non_null(strstr(content.problem, encodings[i].problem));
        if (content.warning)
            assert_non_null(strstr(content.warning, encodings[i].warning));
    }
}

static void
an_empty_body_needs_no_encoding(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    exchange_answer_t answer = answer_of(arena, "[[\"Content-Encoding\",\"gzip\"]]", "", 0);
    content_t content;

    encoding_undo(arena, &answer, 100, &content);
    assert_null(content.problem);
    assert_int_equal(content.size, 0);
}

static void
what_is_packed_is_unpacked_up_to_a_limit(void **state)
{
    enum { MUCH = 1000 * 1000 };
    AUTO(arena_destroy) arena_t *arena = arena_new();
    char *text = arena_alloc(arena, MUCH), *packed = arena_alloc(arena, MUCH);

    memset(text, 'x', MUCH);
    size_t size = pack(text, MUCH, GZIP, packed, MUCH);
    for (size_t most = MUCH - 1; most <= MUCH + 1; most++) {
        exchange_answer_t answer =
            answer_of(arena, "[[\"Content-Encoding\",\"gzip\"]]", packed, size);
        content_t content;
        encoding_undo(arena, &answer, most, &content);
        assert_null(content.problem);
        assert_int_equal(content.size, most < MUCH ? most : MUCH);
        assert_int_equal(content.is_truncated, most < MUCH);
    }
}

// ---- bodies of requests

// clang-format off
static const struct {
    const char *body;  // JSON of the step
    const char *sent;  // NULL: nothing
    const char *type;
    const char *why;   // of a refusal
} requests[] = {
    { "{\"kind\":\"none\"}", NULL, NULL, NULL },
    { "{\"kind\":\"json\",\"json\":{\"id\":\"{{id}}\",\"text\":\"no {{id}}\"}}",
      "{\"id\":1003200000000001759,\"text\":\"no 1003200000000001759\"}", "application/json", NULL },
    { "{\"kind\":\"json\",\"json\":null}", "null", "application/json", NULL },
    { "{\"kind\":\"json\",\"json\":[],\"contentType\":\"application/x+json\"}", "[]", "application/x+json", NULL },
    { "{\"kind\":\"text\",\"text\":\"user={{u}}&p={{id}}\",\"contentType\":\"text/x\"}",
      "user=a b&p=1003200000000001759", "text/x", NULL },
    { "{\"kind\":\"text\",\"text\":\"\"}", "", NULL, NULL },
    { "{\"kind\":\"form\",\"json\":{\"a b\":\"{{u}}&=\",\"n\":7,\"l\":[\"x\",\"y\"]}}",
      "a+b=a+b%26%3D&n=7&l=x&l=y", "application/x-www-form-urlencoded", NULL },
    { "{\"kind\":\"base64\",\"text\":\"aGVsbG8=\",\"contentType\":\"image/x\"}", "hello", "image/x", NULL },
    { "{\"kind\":\"base64\",\"text\":\"?\"}", NULL, NULL, "no base64" },
    { "{\"kind\":\"text\",\"text\":\"{{nobody}}\"}", NULL, NULL, "{{nobody}}" },
    { "{\"kind\":\"json\",\"json\":[\"{{nobody}}\"]}", NULL, NULL, "{{nobody}}" },
    { "{\"kind\":\"json\",\"json\":\"{{once}}\"}", "\"{{ .Name }} and {{u}}\"", "application/json", NULL },
};
// clang-format on

static void
the_body_of_a_request_is_filled_in_once(void **state)
{
    for (size_t i = 0; i < ROWS(requests); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        variables_t *variables = variables_new(arena);
        failure_t why = { 0 };
        body_t body;

        print_message("  %s\n", requests[i].body);
        variables_set(variables, "id", json_number_text(arena, "1003200000000001759"));
        variables_set_text(variables, "u", "a b");
        variables_set_text(variables, "once", "{{ .Name }} and {{u}}");
        status_t status = body_of_step(arena, json_parse_text(arena, requests[i].body),
                                       variables, &body, &why);
        assert_int_equal(status, requests[i].why ? BAD_ARGS : OK);
        if (requests[i].why) {
            assert_non_null(strstr(why.text, requests[i].why));
            continue;
        }
        assert_int_equal(body.bytes != NULL, requests[i].sent != NULL);
        if (requests[i].sent) {
            assert_int_equal(body.size, strlen(requests[i].sent));
            assert_memory_equal(body.bytes, requests[i].sent, body.size);
        }
        if (requests[i].type)
            assert_string_equal(body.content_type, requests[i].type);
        else
            assert_null(body.content_type);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_becomes_text_and_json),
        cmocka_unit_test(a_body_that_was_cut_is_no_json),
        cmocka_unit_test(content_encodings_are_undone_or_named),
        cmocka_unit_test(an_empty_body_needs_no_encoding),
        cmocka_unit_test(what_is_packed_is_unpacked_up_to_a_limit),
        cmocka_unit_test(the_body_of_a_request_is_filled_in_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
