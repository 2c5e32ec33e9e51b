// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "call_state.h"
#include "fit.h"
#include "reply.h"

#include <cmocka.h>
#undef fail  // of cmocka; ours is meant

// clang-format off
static const field_t thing_fields[] = {
    { "id",     NUMBER, "Id." },
    { "status", TEXT,   "Status." },
    { 0 }
};

static const tool_t tool = {
    .name = "try_it",
    .effect = WRITES,
    .result = {
        { "project", TEXT,          "Echoed." },
        { "things",  OBJECT | MANY, "Things.", .fields = thing_fields },
        { "one",     OBJECT,        "One.", .fields = thing_fields },
        { "free",    OBJECT,        "As it is." },
        { "version", TEXT,          "Text." },
        { "status",  TEXT,          "Status." },
        { "tags",    TEXT | MANY,   "Tags." },
    },
};

static const struct {
    const char *result, *answer;
} rows[] = {
    { "{}", "{\"project\":\"payments\"}" },
    { "{\"project\":\"other\",\"secret\":1}", "{\"project\":\"other\"}" },
    { "{\"project\":null,\"version\":7}", "{\"version\":\"7\",\"project\":\"payments\"}" },
    { "{\"project\":\"p\",\"things\":[{\"id\":1,\"x\":2,\"status\":null},{\"status\":\"PENDING\"}]}",
      "{\"project\":\"p\",\"things\":[{\"id\":1},{\"status\":\"QUEUED\"}]}" },
    { "{\"project\":\"p\",\"one\":{\"x\":2,\"id\":1},\"free\":{\"x\":null}}",
      "{\"project\":\"p\",\"one\":{\"id\":1},\"free\":{\"x\":null}}" },
    { "{\"project\":\"p\",\"status\":\"RUNNING\",\"tags\":[\"a\",\"b\"]}",
      "{\"project\":\"p\",\"status\":\"RUNNING\",\"tags\":[\"a\",\"b\"]}" },
};
// clang-format on

static arenas_t arenas;

static int
free_arenas(void **state)
{
    arenas_clear(&arenas);
    return 0;
}

static call_t *
make_call(void)
{
    call_msg_t message = { .left_ms = 1000 };
    call_t *call = call_new(&arenas, &message, NULL, 0);

    call->tool = &tool;
    call->resolved =
        json_parse_text(call->arena, "{\"project\":{\"id\":1,\"name\":\"payments\"}}");
    return call;
}

static void
only_what_the_row_declares_is_let_through(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(call_destroy) call_t *call = make_call();

        reply_json(call, json_parse_text(call->arena, rows[i].result));
        assert_true(call->is_answered);
        assert_int_equal(call->status, OK);
        assert_int_equal(call->outcome, DONE);
        assert_string_equal(call->answer, rows[i].answer);
        assert_int_equal(call->answer_size, strlen(rows[i].answer));
    }
}

static void
a_failure_names_code_message_and_outcome(void **state)
{
    AUTO(call_destroy) call_t *call = make_call();
    failure_t why;

    fail(&why, BAD_ARGS, "name: \"x\" is too short");
    reply_failure(call, &why);
    assert_int_equal(call->status, BAD_ARGS);
    assert_string_equal(call->answer,
                        "{\"error\":{\"code\":\"bad_args\",\"message\":"
                        "\"name: \\\"x\\\" is too short\",\"outcome\":\"failed\"}}");
}

static void
after_a_write_nothing_claims_that_nothing_happened(void **state)
{
    static const struct {
        status_t status;
        outcome_t before, after;
    } outcomes[] = {
        { CONFLICT, FAILED, UNKNOWN_OUTCOME },
        { BUSY, NOT_SENT, UNKNOWN_OUTCOME },
        { TIMEOUT, UNKNOWN_OUTCOME, UNKNOWN_OUTCOME },
        { CANCELLED, CANCELLED_OUTCOME, CANCELLED_OUTCOME },
    };

    for (size_t i = 0; i < ROWS(outcomes); i++)
        for (int writes = 0; writes <= 1; writes++) {
            AUTO(call_destroy) call_t *call = make_call();
            failure_t why;

            call->writes_done = writes;
            fail(&why, outcomes[i].status, "no");
            reply_failure(call, &why);
            assert_int_equal(call->outcome, writes ? outcomes[i].after : outcomes[i].before);
        }
}

// The size at which a result of one field stops fitting, and its neighbours.
static void
an_answer_takes_900_kib_at_the_client_and_no_more(void **state)
{
    static const field_t most = { "version", TEXT, "Text." };
    const size_t frame = strlen("{\"version\":\"\"}");
    const size_t room = RESULT_MAX - ANSWER_FRAME;
    const size_t text = (room - 2 - 2 * frame - 4) / 2;  // quotes around, four escaped inside

    for (int more = -1; more <= 1; more++) {
        AUTO(call_destroy) call_t *call = make_call();
        const tool_t plain = { .name = "plain", .effect = READS, .result = { most } };
        const size_t size = text + (size_t) more;
        char *bytes = arena_alloc(call->arena, size + 1);
        json_t *result = json_object(call->arena);

        call->tool = &plain;
        memset(bytes, 'v', size);
        json_set_text(call->arena, result, "version", bytes);
        reply_json(call, result);
        assert_int_equal(call->status, OK);
        assert_int_equal(call->answer_size == size + frame, more <= 0);
        assert_true(fit_cost(call->answer, call->answer_size) <= room);
    }
}

static void
what_no_stub_makes_small_enough_is_refused(void **state)
{
    AUTO(call_destroy) call_t *call = make_call();
    json_t *result = json_object(call->arena);
    json_t *free_form = json_set(call->arena, result, "free", json_object(call->arena));
    char text[STUB_OVER + 1] = { 0 };

    memset(text, 'v', STUB_OVER);
    for (int i = 0; i < 100; i++)
        json_set_text(call->arena, free_form, arena_printf(call->arena, "f%d", i), text);
    call->read_path = "/api/x";
    reply_json(call, result);
    assert_int_equal(call->status, TOO_LARGE);
    assert_non_null(strstr(call->answer, "GET /api/x of the platform"));
}

static void
a_resource_counts_once(void **state)
{
    for (int more = -1; more <= 1; more++) {
        AUTO(call_destroy) call_t *call = make_call();
        const size_t room = RESULT_MAX - ANSWER_FRAME;
        const size_t size = room - 4 + (size_t) more;  // two quotes around, two escaped
        char *bytes = arena_alloc(call->arena, size - 1);

        memset(bytes, 'r', size - 2);
        reply_resource(call, json_string(call->arena, bytes), "text/plain");
        assert_int_equal(call->status, more <= 0 ? OK : TOO_LARGE);
        assert_string_equal(call->mime, more <= 0 ? "text/plain" : "");
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_the_row_declares_is_let_through),
        cmocka_unit_test(a_failure_names_code_message_and_outcome),
        cmocka_unit_test(after_a_write_nothing_claims_that_nothing_happened),
        cmocka_unit_test(an_answer_takes_900_kib_at_the_client_and_no_more),
        cmocka_unit_test(what_no_stub_makes_small_enough_is_refused),
        cmocka_unit_test(a_resource_counts_once),
    };
    return cmocka_run_group_tests(tests, NULL, free_arenas);
}
