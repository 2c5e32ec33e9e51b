// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "http/guard.h"
#include "http/server.h"
#include "limits.h"

#include <cmocka.h>

static const char *const origins[] = { "https://app.example" };

static const guard_rules_t rules = {
    .is_loopback = true,
    .needs_token = true,
    .origins = origins,
    .origins_count = 1,
};

static guard_headers_t
good(void)
{
    return (guard_headers_t){
        .method = "POST",
        .query = "",
        .host = "127.0.0.1:8808",
        .authorization = "Bearer abc",
        .content_length = "10",
        .content_type = "application/json",
        .accept = "application/json, text/event-stream",
        .version = "2025-11-25",
    };
}

static int
code_of(const guard_headers_t *headers)
{
    refusal_t refusal = guard_door(headers, &rules);

    return refusal.http ? refusal.http : guard_form(headers).http;
}

// From the first to the last thing that is looked at, each made wrong.
static void
spoil(guard_headers_t *headers, size_t step)
{
    switch (step) {
    case 0:
        headers->content_length = "4194305";
        break;
    case 1:
        headers->method = "PUT";
        break;
    case 2:
        headers->host = "evil.example";
        break;
    case 3:
        headers->origin = "http://evil.example";
        break;
    case 4:
        headers->authorization = NULL;
        break;
    case 5:
        headers->content_encoding = "gzip";
        break;
    case 6:
        headers->content_type = "text/plain";
        break;
    case 7:
        headers->accept = "text/html";
        break;
    case 8:
        headers->version = "1999-01-01";
        break;
    }
}

static void
the_first_thing_that_is_wrong_is_told(void **state)
{
    static const int codes[] = { 413, 405, 403, 403, 401, 415, 415, 406, 400 };

    for (size_t first = 0; first < ROWS(codes); first++)
        for (size_t second = first; second < ROWS(codes); second++) {
            guard_headers_t headers = good();
            spoil(&headers, second);
            spoil(&headers, first);
            // A wrong method has no body and no answer to look at, and comes first anyway.
            assert_int_equal(code_of(&headers), codes[first]);
        }
}

static void
a_good_request_passes(void **state)
{
    guard_headers_t headers = good();

    assert_int_equal(code_of(&headers), 0);
    headers.content_length = "4194304";
    headers.version = NULL;
    headers.accept = NULL;
    assert_int_equal(code_of(&headers), 0);
    headers.method = "DELETE";
    headers.content_type = NULL;
    headers.accept = "text/html";
    assert_int_equal(code_of(&headers), 0);
}

static void
a_preflight_needs_no_token(void **state)
{
    guard_headers_t headers = {
        .method = "OPTIONS", .query = "", .host = "localhost:1", .origin = "https://app.example"
    };

    assert_int_equal(guard_door(&headers, &rules).http, 0);
    headers.origin = "https://evil.example";
    assert_int_equal(guard_door(&headers, &rules).http, 403);
}

// clang-format off
static const struct { const char *host; int code; } hosts[] = {
    { "127.0.0.1", 0 }, { "127.0.0.1:8808", 0 }, { "localhost", 0 }, { "LocalHost:1", 0 }, { "[::1]:8808", 0 },
    { NULL, 403 }, { "", 403 }, { "evil.example", 403 }, { "localhost.evil.example", 403 },
    { "127.0.0.1.evil.example:8808", 403 }, { "localhost:80@evil", 403 }, { "0.0.0.0", 403 },
};

static const struct { const char *origin; int code; } known_origins[] = {
    { NULL, 0 }, { "http://localhost:6274", 0 }, { "https://127.0.0.1", 0 }, { "http://[::1]:3000", 0 },
    { "https://app.example", 0 }, { "HTTPS://APP.example", 0 },
    { "null", 403 }, { "", 403 }, { "http://app.example", 403 }, { "https://app.example:444", 403 },
    { "http://localhost.evil.example", 403 }, { "file://", 403 }, { "localhost", 403 },
};

static const struct { const char *authorization, *query; int code; } tokens[] = {
    { "Bearer abc.def-_~+/==", "", 0 }, { "bearer x", "", 0 }, { "BEARER x", "", 0 }, { "Bearer  x", "", 0 },
    { NULL, "", 401 }, { "", "", 401 }, { "Bearer", "", 401 }, { "Bearer ", "", 401 }, { "Basic eDp5", "", 401 },
    { "Bearer a b", "", 401 }, { "Bearer a,b", "", 401 }, { "Bearer a\r\nX: y", "", 401 }, { "Bearer =", "", 401 },
    { "Bearer a=b", "", 401 }, { "Bearer \xc3\xa4", "", 401 }, { "Bearerx", "", 401 },
    { "Bearer x", "access_token=x", 401 }, { NULL, "access_token=x", 401 }, { "Bearer x", "a=1&token=x", 401 },
    { "Bearer x", "a=1&tokens=x", 0 },
};

static const struct { const char *type; int code; } types[] = {
    { "application/json", 0 }, { "application/json; charset=utf-8", 0 }, { "Application/JSON", 0 },
    { "application/json;charset=\"UTF-8\"", 0 }, { " application/json ", 0 },
    { NULL, 415 }, { "", 415 }, { "text/plain; a=application/json", 415 }, { "application/json-patch+json", 415 },
    { "application/jsonx", 415 }, { "multipart/form-data", 415 },
};

static const struct { const char *accept; answer_form_t form; } accepts[] = {
    { NULL, ANSWER_JSON }, { "", ANSWER_JSON }, { "*/*", ANSWER_JSON }, { "application/*", ANSWER_JSON },
    { "application/json, text/event-stream", ANSWER_JSON }, { "text/event-stream,application/json", ANSWER_JSON },
    { "application/json", ANSWER_JSON }, { "APPLICATION/JSON", ANSWER_JSON },
    { "text/event-stream", ANSWER_STREAM }, { "text/*", ANSWER_STREAM },
    { "application/json;q=0, text/event-stream", ANSWER_STREAM }, { "application/json ; q=0.0 , */*;q=0.1", ANSWER_STREAM },
    { "application/json;q=, text/html", ANSWER_JSON }, { "application/json;q=high", ANSWER_JSON }, { "application/json;q=-1", ANSWER_JSON },
    { "application/json;q=0.", ANSWER_NONE }, { "application/json;q=0 ", ANSWER_NONE }, { "application/json;q=0x1", ANSWER_JSON },
    { "application/json x;q=1", ANSWER_NONE },
    { "application/json;q=0.1, text/event-stream;q=0.9", ANSWER_JSON }, { "text/html, */*;q=0.5", ANSWER_JSON },
    { "text/html", ANSWER_NONE }, { "application/xml, text/html;q=0.9", ANSWER_NONE }, { "*/*;q=0", ANSWER_NONE },
    { "application/jsonx", ANSWER_NONE }, { ",,;", ANSWER_NONE }, { "application/json;version=2", ANSWER_JSON },
};
// clang-format on

static void
hosts_and_origins_are_those_of_this_machine(void **state)
{
    for (size_t i = 0; i < ROWS(hosts); i++) {
        guard_headers_t headers = good();
        headers.host = hosts[i].host;
        print_message("  %s\n", hosts[i].host ? hosts[i].host : "(none)");
        assert_int_equal(code_of(&headers), hosts[i].code);
    }
    for (size_t i = 0; i < ROWS(known_origins); i++) {
        guard_headers_t headers = good();
        headers.origin = known_origins[i].origin;
        print_message("  %s\n", headers.origin ? headers.origin : "(none)");
        assert_int_equal(code_of(&headers), known_origins[i].code);
        assert_int_equal(guard_is_web(&headers, &rules),
                         headers.origin && !known_origins[i].code);
    }
}

static void
any_host_is_served_where_others_can_connect(void **state)
{
    guard_rules_t open = rules;
    guard_headers_t headers = good();

    open.is_loopback = false;
    headers.host = "mcp.example";
    assert_int_equal(guard_door(&headers, &open).http, 0);
    headers.origin = "https://mcp.example";
    assert_int_equal(guard_door(&headers, &open).http, 403);
}

static void
tokens_stand_in_the_header_alone(void **state)
{
    for (size_t i = 0; i < ROWS(tokens); i++) {
        guard_headers_t headers = good();
        headers.authorization = tokens[i].authorization;
        headers.query = tokens[i].query;
        print_message("  %s ?%s\n", headers.authorization ? headers.authorization : "(none)",
                      headers.query);
        assert_int_equal(code_of(&headers), tokens[i].code);
    }
}

static void
a_token_may_have_eight_kib(void **state)
{
    char header[TOKEN_MAX + 16];

    for (int extra = -1; extra <= 1; extra++) {
        guard_headers_t headers = good();
        memset(header, 'a', sizeof header);
        memcpy(header, "Bearer ", 7);
        header[7 + TOKEN_MAX + extra] = '\0';
        headers.authorization = header;
        assert_int_equal(code_of(&headers), extra > 0 ? 401 : 0);
    }
}

static void
only_json_is_taken(void **state)
{
    for (size_t i = 0; i < ROWS(types); i++) {
        guard_headers_t headers = good();
        headers.content_type = types[i].type;
        print_message("  %s\n", types[i].type ? types[i].type : "(none)");
        assert_int_equal(code_of(&headers), types[i].code);
    }
}

static void
an_answer_comes_in_a_form_that_is_accepted(void **state)
{
    for (size_t i = 0; i < ROWS(accepts); i++) {
        print_message("  %s\n", accepts[i].accept ? accepts[i].accept : "(none)");
        assert_int_equal(guard_answer_form(accepts[i].accept), accepts[i].form);
    }
}

static void
all_versions_are_served(void **state)
{
    static const struct {
        const char *version;
        int code;
    } versions[] = {
        { "2024-11-05", 0 }, { "2025-03-26", 0 }, { "2025-06-18", 0 },    { "2025-11-25", 0 },
        { "2026-07-28", 0 }, { "", 400 },         { "2025-11-25 ", 400 }, { "latest", 400 },
    };

    for (size_t i = 0; i < ROWS(versions); i++) {
        guard_headers_t headers = good();
        headers.version = versions[i].version;
        assert_int_equal(code_of(&headers), versions[i].code);
    }
}

static void
loopback_is_known_by_its_name(void **state)
{
    assert_true(server_is_loopback("127.0.0.1:8808"));
    assert_true(server_is_loopback("127.1.2.3:0"));
    assert_true(server_is_loopback("localhost:0"));
    assert_true(server_is_loopback("[::1]:0"));
    assert_false(server_is_loopback("0.0.0.0:8808"));
    assert_false(server_is_loopback("[::]:8808"));
    assert_false(server_is_loopback(":8808"));
    assert_false(server_is_loopback("192.168.1.1:8808"));
    assert_false(server_is_loopback("127.evil.example:80"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_thing_that_is_wrong_is_told),
        cmocka_unit_test(a_good_request_passes),
        cmocka_unit_test(a_preflight_needs_no_token),
        cmocka_unit_test(hosts_and_origins_are_those_of_this_machine),
        cmocka_unit_test(any_host_is_served_where_others_can_connect),
        cmocka_unit_test(tokens_stand_in_the_header_alone),
        cmocka_unit_test(a_token_may_have_eight_kib),
        cmocka_unit_test(only_json_is_taken),
        cmocka_unit_test(an_answer_comes_in_a_form_that_is_accepted),
        cmocka_unit_test(all_versions_are_served),
        cmocka_unit_test(loopback_is_known_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
