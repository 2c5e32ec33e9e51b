// SPDX-License-Identifier: Apache-2.0
#include "api/checks.h"
#include "api/step.h"
#include "clock.h"
#include "scene.h"

// clang-format off
static const char falsy[] = "{\"a\":0,\"b\":false,\"c\":\"\",\"d\":null,\"e\":[]}";
static const char big[]   = "{\"i\":9223372036854775807,\"j\":-9223372036854775808,"
                            "\"k\":1234567890123456789012345}";

static const struct {
    const char *body;      // of the answer
    const char *assertion;
    bool passes;
    const char *message;   // a part of it
} rows[] = {
    { big,   "{'path':'$.i','op':'equals','value':9223372036854775807}",       true,  "9223372036854775807" },
    { big,   "{'path':'$.i','op':'equals','value':9223372036854775806}",       false, "9223372036854775806, but there is: 9223372036854775807" },
    { big,   "{'path':'$.j','op':'equals','value':-9223372036854775808}",      true,  "-9223372036854775808" },
    { big,   "{'path':'$.k','op':'equals','value':1234567890123456789012345}", true,  "1234567890123456789012345" },
    { big,   "{'path':'$.k','op':'equals','value':1234567890123456789012344}", false, "1234567890123456789012345" },
    { falsy, "{'path':'$.a','op':'equals','value':0}",      true,  "" },
    { falsy, "{'path':'$.b','op':'equals','value':false}",  true,  "" },
    { falsy, "{'path':'$.c','op':'equals','value':''}",     true,  "" },
    { falsy, "{'path':'$.d','op':'equals','value':null}",   true,  "" },
    { falsy, "{'path':'$.e','op':'equals','value':[]}",     true,  "" },
    { falsy, "{'path':'$.a','op':'equals','value':null}",   false, "there is: 0" },
    { falsy, "{'path':'$.d','op':'exists','value':true}",   true,  "" },
    { falsy, "{'path':'$.x','op':'notExists','value':true}", true, "" },
    { falsy, "{'path':'$.x','op':'exists','value':true}",   false, "true, but there is no match for $.x" },
    { falsy, "{'path':'$.x','op':'equals','value':null}",   false, "no match for $.x" },
    { "[5,\"value\",null,{\"key\":\"value\"},false]", "{'path':'$[?@.key == \\\"value\\\"].key','op':'equals','value':'value'}", true, "" },
    { "{\"a\":[1,2]}", "{'path':'$.a[*]','op':'equals','value':[1,2]}", true,  "" },
    { "{\"a\":1}", "{'path':'$[','op':'exists','value':true}",          false, "exists true, but JSONPath, column " },
    { "{\"a\":1}", "{'path':7,'op':'exists','value':true}",             false, "the path is no text" },
    { "{\"a\":1}", "{'path':'$.a','op':'resembles','value':1}",         false, "there is no check resembles" },
    { "{\"a\":1}", "{'path':'$.a','op':'equals','value':'{{nobody}}'}", false, "{{nobody}}" },
    { "{\"a\":\"v1\"}", "{'path':'$.a','op':'equals','value':'{{v}}'}", true,  "" },
    { "{\"a\":\"v1\"}", "{'body':true,'op':'startsWith','value':'{'}",  true,  "" },
    { "\xef\xbb\xbf{}", "{'body':true,'op':'startsWith','value':'{'}",  true,  "" },
    { "no",        "{'path':'$.a','op':'exists','value':true}",         false, "body is not JSON" },
    { "no",        "{'body':true,'op':'equals','value':'no'}",          true,  "" },
    { "",          "{'path':'$.a','op':'equals','value':1}",            false, "body is empty, not JSON" },
    { "{}",        "{'header':'x-a','op':'equals','value':['1','2']}",  true,  "" },
    { "{}",        "{'header':'X-A','op':'length','value':2}",          true,  "" },
    { "{}",        "{'header':'X-One','op':'contains','value':'n'}",    true,  "" },
    { "{}",        "{'header':'X-None','op':'exists','value':true}",    false, "exists true, but there is no header X-None" },
    { "{}",        "{'time':true,'op':'lessThan','value':60000}",       true,  "time (ms)" },
    { "{}",        "{'time':true,'op':'lessThan','value':0}",           false, "time (ms)" },
};
// clang-format on

static void
checks_say_what_they_found(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        const stub_row_t script[] = {
            { "GET /", arena_printf(arena,
                                    "HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\nX-One: one\r\n"
                                    "Content-Length: %zu\r\n\r\n%s",
                                    strlen(rows[i].body), rows[i].body) },
            { 0 }
        };
        scene_t scene;
        print_message("  %s\n", rows[i].assertion);
        scene_begin(&scene, script);
        scene_run(&scene, arena_printf(arena,
                                       "'variables':{'v':'v1'},'steps':[{'name':'s','method':"
                                       "'GET','path':'/','expect':[200],'asserts':[%s]}]",
                                       rows[i].assertion));
        const json_t *checks = json_get(scene_step(&scene, 0), "checks");
        const json_t *check = checks->last;
        assert_int_equal(checks->count, 2);
        assert_true(json_get_bool(checks->first, "passed", false));  // the status
        assert_int_equal(json_get_bool(check, "passed", !rows[i].passes), rows[i].passes);
        assert_non_null(strstr(json_get_text(check, "message"), rows[i].message));
        assert_string_equal(json_get_text(scene_step(&scene, 0), "status"),
                            rows[i].passes ? "PASSED" : "FAILED");
        scene_end(&scene);
    }
}

static void
an_empty_body_is_the_same_in_both_framings(void **state)
{
    static const char *const answers[] = {
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: "
        "chunked\r\n\r\n"
        "0\r\n\r\n",
    };

    for (size_t i = 0; i < ROWS(answers); i++) {
        const stub_row_t script[] = { { "GET /", answers[i] }, { 0 } };
        scene_t scene;
        scene_begin(&scene, script);
        scene_run(&scene, "'steps':[{'method':'GET','path':'/','expect':[200],'asserts':"
                          "[{'path':'$.x','op':'equals','value':1}]}]");
        assert_string_equal(scene_statuses(&scene), "FAILED FAILED: FAILED");
        assert_non_null(strstr(scene.text, "body is empty, not JSON"));
        scene_end(&scene);
    }
}

// clang-format off
static const struct {
    const char *expect;
    int code;
    bool passes;
} expectations[] = {
    { "[200]",          200, true },
    { "[200]",          201, false },
    { "[200,404]",      404, true },
    { "['2xx']",        299, true },
    { "['2XX','404']",  404, true },
    { "['2xx']",        302, false },
    { "[]",             500, true },
};
// clang-format on

static void
any_of_the_expected_statuses_is_right(void **state)
{
    for (size_t i = 0; i < ROWS(expectations); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        const stub_row_t script[] = {
            { "GET /", arena_printf(arena, "HTTP/1.1 %d X\r\nContent-Length: 0\r\n\r\n",
                                    expectations[i].code) },
            { 0 }
        };
        scene_t scene;
        print_message("  %s %d\n", expectations[i].expect, expectations[i].code);
        scene_begin(&scene, script);
        scene_run(&scene,
                  arena_printf(arena, "'steps':[{'method':'GET','path':'/','expect':%s}]",
                               expectations[i].expect));
        assert_string_equal(scene_statuses(&scene), expectations[i].passes
                                                        ? "COMPLETED PASSED: PASSED"
                                                        : "FAILED FAILED: FAILED");
        scene_end(&scene);
    }
}

static void
what_is_extracted_keeps_every_digit_and_is_never_expanded_again(void **state)
{
    static const stub_row_t script[] = {
        { "GET /new", STUB_JSON("{\"id\":1003200000000001759,\"t\":\"{{ .Name }} and {{v}}\","
                                "\"list\":[1,{\"a\":2}]}") },
        { "POST /items/1003200000000001759", STUB_ANSWER("201", "", "") },
        { 0 }
    };
    scene_t scene;

    scene_begin(&scene, script);
    scene_run(&scene,
              "'variables':{'v':'wrong'},'steps':["
              "{'method':'GET','path':'/new','expect':['2xx'],"
              "'extract':{'id':'$.id','t':'$.t','list':'$.list'}},"
              "{'method':'POST','path':'/items/{{id}}','query':{'again':'{{t}}'},"
              "'headers':{'X-T':'{{t}}'},'expect':[201],"
              "'body':{'kind':'json','json':{'id':'{{id}}','t':'{{t}}','l':'{{list}}'}}}]");
    assert_string_equal(scene_statuses(&scene), "COMPLETED PASSED: PASSED PASSED");
    assert_non_null(strstr(stub_seen(&scene.stub),
                           "{\"id\":1003200000000001759,\"t\":\"{{ .Name }} and {{v}}\","
                           "\"l\":[1,{\"a\":2}]}"));
    assert_non_null(strstr(stub_seen(&scene.stub), "X-T: {{ .Name }} and {{v}}\r\n"));
    assert_non_null(strstr(stub_seen(&scene.stub),
                           "?again=%7B%7B%20.Name%20%7D%7D%20and%20%7B%7Bv%7D%7D "));
    assert_string_equal(
        json_text(scene.job.arena, json_get(scene_step(&scene, 0), "extracted")),
        "{\"id\":1003200000000001759,\"t\":\"{{ .Name }} and {{v}}\",\"list\":[1,{\"a\":2}]}");
    scene_end(&scene);
}

static void
a_path_without_a_match_fails_the_step_and_the_others_are_taken(void **state)
{
    static const stub_row_t script[] = { { "GET /", STUB_JSON("{\"id\":7}") }, { 0 } };
    scene_t scene;

    scene_begin(&scene, script);
    scene_run(&scene, "'stopOnFailure':false,'steps':["
                      "{'method':'GET','path':'/','extract':{'no':'$.no','id':'$.id'}},"
                      "{'method':'GET','path':'/','headers':{'X-Id':'{{id}}'}},"
                      "{'method':'GET','path':'/','headers':{'X-Id':'{{no}}'}}]");
    assert_string_equal(scene_statuses(&scene), "FAILED FAILED: FAILED PASSED ERROR");
    assert_non_null(strstr(scene.text, "no match for $.no"));
    assert_non_null(strstr(stub_seen(&scene.stub), "X-Id: 7\r\n"));
    assert_non_null(strstr(json_get_text(scene_step(&scene, 2), "error"),
                           "Nothing supplied a value for {{no}}"));
    assert_int_equal(scene.stub.requests, 2);
    scene_end(&scene);
}

static void
one_content_type_is_sent_and_it_is_the_authors(void **state)
{
    static const stub_row_t script[] = { { "POST /", STUB_ANSWER("200", "", "") }, { 0 } };
    scene_t scene;

    scene_begin(&scene, script);
    scene_run(&scene, "'steps':[{'method':'POST','path':'/','headers':{'content-type':"
                      "'text/plain'},'body':{'kind':'json','json':{}}}]");
    assert_int_equal(stub_count(&scene.stub, "ontent-Type"), 0);
    assert_int_equal(stub_count(&scene.stub, "content-type: text/plain\r\n"), 1);
    assert_int_equal(stub_count(&scene.stub, "application/json"), 0);
    scene_end(&scene);
}

static void
packed_data_that_is_none_is_a_failed_check_beside_the_others(void **state)
{
    static const stub_row_t script[] = {
        { "GET /", STUB_ANSWER("200", "Content-Encoding: gzip\r\n", "{\"a\":1}") }, { 0 }
    };
    scene_t scene;

    scene_begin(&scene, script);
    scene_run(&scene, "'steps':[{'method':'GET','path':'/','expect':[200],'asserts':["
                      "{'header':'Content-Encoding','op':'equals','value':'gzip'},"
                      "{'path':'$.a','op':'equals','value':1}]}]");
    const json_t *checks = json_get(scene_step(&scene, 0), "checks");
    const char *const passed[] = { "status", "header Content-Encoding equals" };
    size_t count = 0;
    for (const json_t *check = checks->first; check; check = check->next)
        if (json_get_bool(check, "passed", false))
            assert_string_equal(json_get_text(check, "check"), passed[count++]);
        else
            assert_non_null(strstr(json_get_text(check, "message"), "not gzip data"));
    assert_int_equal(count, 2);
    assert_int_equal(checks->count, 4);
    assert_non_null(strstr(scene.text, "{\\\"a\\\":1}"));  // the bytes as they came
    scene_end(&scene);
}

static void
a_step_is_tried_again_until_it_passes(void **state)
{
    static const stub_row_t script[] = {
        { "GET /a", STUB_ANSWER("503", "", "busy-1") },
        { "GET /a", "", 0, STUB_CLOSE },  // an error is tried again like a failure
        { "GET /a", STUB_JSON("{\"ok\":true}") },
        { "GET /b", STUB_ANSWER("503", "", "") },
        { 0 }
    };
    scene_t scene;

    scene_begin(&scene, script);
    scene_run(&scene,
              "'stopOnFailure':false,'steps':["
              "{'method':'GET','path':'/a','expect':[200],'retry':{'max':3,'delayMs':1},"
              "'asserts':[{'path':'$.ok','op':'equals','value':true}]},"
              "{'method':'GET','path':'/b','expect':[200]}]");
    assert_string_equal(scene_statuses(&scene), "FAILED FAILED: PASSED FAILED");
    assert_int_equal(stub_count(&scene.stub, "GET /a"), 3);
    assert_int_equal(stub_count(&scene.stub, "GET /b"), 1);  // the retry was the other step's
    assert_non_null(strstr(scene.text, "this was try 3 of 4"));
    assert_null(strstr(scene.text, "busy-1"));  // of an earlier try
    assert_int_equal(json_get(scene_step(&scene, 0), "checks")->count, 2);
    scene_end(&scene);
}

static void
of_a_last_try_without_answer_no_earlier_answer_is_told(void **state)
{
    static const stub_row_t script[] = { { "GET /a", STUB_ANSWER("503", "", "busy-1") },
                                         { "GET /a", "", 0, STUB_CLOSE },
                                         { 0 } };
    scene_t scene;

    scene_begin(&scene, script);
    scene_run(&scene, "'steps':[{'method':'GET','path':'/a','expect':[200],"
                      "'retry':{'max':1,'delayMs':0}}]");
    assert_string_equal(scene_statuses(&scene), "ERROR ERROR: ERROR");
    assert_null(json_get(scene_step(&scene, 0), "response"));
    assert_int_equal(json_get(scene_step(&scene, 0), "checks")->count, 0);
    assert_non_null(json_get(scene_step(&scene, 0), "request"));
    assert_non_null(json_get_text(scene.result, "error"));
    scene_end(&scene);
}

static void
ten_more_tries_are_the_end(void **state)
{
    static const stub_row_t script[] = { { "GET /", STUB_ANSWER("503", "", "") }, { 0 } };
    scene_t scene;

    scene_begin(&scene, script);
    scene_run(&scene, "'steps':[{'method':'GET','path':'/','expect':[200],"
                      "'retry':{'max':5000,'delayMs':0}}]");
    assert_int_equal(scene.stub.requests, STEP_TRIES_MAX);
    scene_end(&scene);
}

static void
an_answer_that_breaks_off_is_an_error_that_shows_what_came(void **state)
{
    static const stub_row_t script[] = {
        { "GET /", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"half\":", 0, STUB_CLOSE },
        { 0 }
    };
    scene_t scene;

    scene_begin(&scene, script);
    scene_run(&scene, "'steps':[{'method':'GET','path':'/','expect':[200],'asserts':"
                      "[{'body':true,'op':'contains','value':'half'}]}]");
    const json_t *step = scene_step(&scene, 0), *response = json_get(step, "response");
    assert_string_equal(json_get_text(step, "status"), "ERROR");
    assert_non_null(strstr(json_get_text(step, "error"), "8 of 1000 bytes"));
    assert_string_equal(json_get_text(response, "body"), "{\"half\":");
    assert_int_equal(json_get(step, "checks")->count, 0);
    scene_end(&scene);
}

static void
a_step_has_the_time_it_asks_for(void **state)
{
    static const stub_row_t script[] = { { "GET /", "", 0, STUB_HANG }, { 0 } };
    scene_t scene;
    int64_t begun_ms = clock_now_ms();

    scene_begin(&scene, script);
    scene_run(&scene, "'steps':[{'method':'GET','path':'/','timeoutMs':200}]");
    assert_string_equal(scene_statuses(&scene), "ERROR ERROR: ERROR");
    assert_non_null(strstr(json_get_text(scene.result, "error"), "within 200 ms"));
    assert_true(clock_now_ms() - begun_ms < 5000);
    scene_end(&scene);
}

static void
redirects_are_told_and_can_be_left_alone(void **state)
{
    static const stub_row_t script[] = {
        { "GET /a", "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n" },
        { "GET /b", STUB_JSON("{}") },
        { 0 }
    };
    scene_t scene;

    scene_begin(&scene, script);
    scene_run(&scene, "'steps':[{'method':'GET','path':'/a','expect':[200]},"
                      "{'method':'GET','path':'/a','expect':[302],'followRedirects':false}]");
    assert_string_equal(scene_statuses(&scene), "COMPLETED PASSED: PASSED PASSED");
    const json_t *response = json_get(scene_step(&scene, 0), "response");
    assert_non_null(strstr(json_get_text(response, "url"), "/b"));
    assert_non_null(strstr(json_get(response, "redirectedFrom")->first->text, "/a"));
    scene_end(&scene);
}

static void
a_circle_of_redirects_is_an_error_that_lists_the_way(void **state)
{
    static const stub_row_t script[] = {
        { "GET /a", "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n" },
        { "GET /b", "HTTP/1.1 302 Found\r\nLocation: /a\r\nContent-Length: 0\r\n\r\n" },
        { 0 }
    };
    scene_t scene;

    scene_begin(&scene, script);
    scene_run(&scene, "'steps':[{'method':'GET','path':'/a'}]");
    assert_string_equal(scene_statuses(&scene), "ERROR ERROR: ERROR");
    assert_non_null(strstr(json_get_text(scene.result, "error"), "in a circle"));
    assert_int_equal(
        json_get(json_get(scene_step(&scene, 0), "response"), "redirectedFrom")->count, 4);
    assert_int_equal(scene.stub.requests, 4);
    scene_end(&scene);
}

static void
a_result_has_the_members_of_the_contract(void **state)
{
    static const char *const members[] = { "index",   "name",      "status",    "warnings",
                                           "checks",  "extracted", "request",   "response",
                                           "timings", "error",     "durationMs" };
    static const stub_row_t script[] = {
        { "POST /a", "HTTP/1.1 201 Created\r\nX-A: 1\r\nContent-Length: 2\r\n\r\n{}" }, { 0 }
    };
    scene_t scene;
    size_t i = 0;

    scene_begin(&scene, script);
    scene_run(&scene, "'steps':[{'name':'one','method':'POST','path':'/a','expect':[201],"
                      "'body':{'kind':'text','text':'hi','contentType':'text/plain'}}]");
    const json_t *step = scene_step(&scene, 0);
    for (const json_t *member = step->first; member; member = member->next)
        assert_string_equal(member->key, members[i++]);
    assert_int_equal(i, ROWS(members));
    assert_int_equal(json_get_int(step, "index", 0), 1);
    assert_string_equal(json_get_text(step, "name"), "one");
    assert_string_equal(
        json_text(scene.job.arena, json_get(step, "request")),
        arena_printf(scene.job.arena,
                     "{\"method\":\"POST\",\"url\":\"%s/a\",\"headers\":[[\"Content-Type\","
                     "\"text/plain\"]],\"body\":\"hi\",\"bodyTruncated\":false}",
                     scene.stub.url));
    assert_string_equal(
        json_text(scene.job.arena, json_get(step, "response")),
        arena_printf(scene.job.arena,
                     "{\"status\":201,\"version\":\"HTTP/1.1\",\"url\":\"%s/a\","
                     "\"redirectedFrom\":[],\"headers\":[[\"X-A\",\"1\"],[\"Content-Length\","
                     "\"2\"]],\"body\":\"{}\",\"bodyTruncated\":false,\"sizeBytes\":2}",
                     scene.stub.url));
    assert_int_equal(json_get(step, "error")->kind, JSON_NULL);
    assert_true(json_double(json_get(json_get(step, "timings"), "totalMs")) > 0);
    scene_end(&scene);
}

// An answer whose JSON body is `size` bytes: {"v":"xxx…"}
static char *
answer_of(arena_t *arena, size_t size)
{
    char *filler = arena_alloc(arena, size);

    memset(filler, 'x', size - 9);
    filler[size - 9] = '\0';
    return arena_printf(arena, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n{\"v\":\"%s\"} ",
                        size, filler);
}

static void
a_body_is_kept_up_to_64_kib(void **state)
{
    for (size_t size = BODY_KEPT_MAX - 1; size <= BODY_KEPT_MAX + 1; size++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        const stub_row_t script[] = { { "GET /", answer_of(arena, size) }, { 0 } };
        scene_t scene;
        scene_begin(&scene, script);
        scene_run(&scene, "'steps':[{'method':'GET','path':'/','asserts':[{'path':'$.v',"
                          "'op':'startsWith','value':'x'}]}]");
        assert_string_equal(scene_statuses(&scene), "COMPLETED PASSED: PASSED");
        const json_t *response = json_get(scene_step(&scene, 0), "response");
        size_t kept = size < BODY_KEPT_MAX ? size : BODY_KEPT_MAX;
        assert_int_equal(json_get(response, "body")->length, kept);
        assert_int_equal(json_get_bool(response, "bodyTruncated", false), kept < size);
        assert_int_equal(json_get_int(response, "sizeBytes", 0), size);
        scene_end(&scene);
    }
}

static void
an_extracted_value_is_kept_up_to_1_mib_and_shown_up_to_4_kib(void **state)
{
    // with its quotes the value is six bytes shorter than the body
    for (size_t size = MIB + 5; size <= MIB + 8; size++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        const stub_row_t script[] = { { "GET /", answer_of(arena, size) }, { 0 } };
        bool fits = size - 7 <= CHECKS_EXTRACT_MAX;
        scene_t scene;
        scene_begin(&scene, script);
        scene_run(&scene, "'steps':[{'method':'GET','path':'/','extract':{'v':'$.v'}}]");
        assert_string_equal(scene_statuses(&scene),
                            fits ? "COMPLETED PASSED: PASSED" : "FAILED FAILED: FAILED");
        const char *shown = json_get_text(json_get(scene_step(&scene, 0), "extracted"), "v");
        assert_int_equal(shown != NULL, fits);
        assert_true(!shown || strlen(shown) < CHECKS_EXTRACT_SHOWN_MAX + 40);
        scene_end(&scene);
    }
}

static void
long_reports_end_with_how_the_steps_went(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(buffer_clear) buffer_t steps = { 0 };
    // control characters: six bytes of JSON for each
    char *body = arena_alloc(arena, BODY_KEPT_MAX + 1);
    memset(body, 1, BODY_KEPT_MAX);
    const stub_row_t script[] = {
        { "GET /", arena_printf(arena, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s",
                                BODY_KEPT_MAX, body) },
        { 0 }
    };
    scene_t scene;

    buffer_text(&steps, "'steps':[");
    for (int i = 0; i < 80; i++)
        buffer_printf(&steps, "%s{'name':'s%d','method':'GET','path':'/','expect':[200]}",
                      i ? "," : "", i);
    buffer_char(&steps, ']');
    scene_begin(&scene, script);
    scene_run(&scene, steps.bytes);
    assert_true(strlen(scene.text) < 26 * MIB);
    assert_true(strlen(scene.text) > 20 * MIB);
    assert_string_equal(json_get_text(scene.result, "status"), "COMPLETED");
    assert_non_null(json_get(scene_step(&scene, 0), "response"));
    assert_null(json_get(scene_step(&scene, 79), "response"));
    assert_string_equal(json_get_text(scene_step(&scene, 79), "status"), "PASSED");
    assert_non_null(
        strstr(json_text(arena, scene_step(&scene, 79)), "the details are left out"));
    scene_end(&scene);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_say_what_they_found),
        cmocka_unit_test(an_empty_body_is_the_same_in_both_framings),
        cmocka_unit_test(any_of_the_expected_statuses_is_right),
        cmocka_unit_test(what_is_extracted_keeps_every_digit_and_is_never_expanded_again),
        cmocka_unit_test(a_path_without_a_match_fails_the_step_and_the_others_are_taken),
        cmocka_unit_test(one_content_type_is_sent_and_it_is_the_authors),
        cmocka_unit_test(packed_data_that_is_none_is_a_failed_check_beside_the_others),
        cmocka_unit_test(a_step_is_tried_again_until_it_passes),
        cmocka_unit_test(of_a_last_try_without_answer_no_earlier_answer_is_told),
        cmocka_unit_test(ten_more_tries_are_the_end),
        cmocka_unit_test(an_answer_that_breaks_off_is_an_error_that_shows_what_came),
        cmocka_unit_test(a_step_has_the_time_it_asks_for),
        cmocka_unit_test(redirects_are_told_and_can_be_left_alone),
        cmocka_unit_test(a_circle_of_redirects_is_an_error_that_lists_the_way),
        cmocka_unit_test(a_result_has_the_members_of_the_contract),
        cmocka_unit_test(a_body_is_kept_up_to_64_kib),
        cmocka_unit_test(an_extracted_value_is_kept_up_to_1_mib_and_shown_up_to_4_kib),
        cmocka_unit_test(long_reports_end_with_how_the_steps_went),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
