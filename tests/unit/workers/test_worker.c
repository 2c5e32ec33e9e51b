// SPDX-License-Identifier: Apache-2.0
#include "world.h"

#include "catalogue.h"

#define NAMES(value, gone)                                                                     \
    "{\"names\":[{\"param\":\"project\",\"kind\":\"project\",\"value\":" value                 \
    ",\"must\":true,\"gone\":" gone "}]}"

static void
a_read_goes_straight_through(void **state)
{
    call_tool("list_things", "{\"project\":\"pay\",\"name_part\":\"a b\"}");
    resolve(NAMES("\"pay\"", "false"), OK,
            "{\"resolved\":{\"project\":{\"id\":3,\"name\":\"payments\"}}}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, OK);
    assert_int_equal(answer.outcome, DONE);
    assert_string_equal(answer.body,
                        "{\"things\":[{\"id\":1,\"name\":\"a\"}],\"project\":\"payments\"}");
    assert_int_equal(fake_platform_count(&world.platform,
                                         "GET /api/projects/3/things?namePart=a%20b key= "
                                         "auth=Bearer ada-token \n"),
                     1);
}

static void
a_question_of_the_resolver_is_the_result(void **state)
{
    call_tool("list_things", "{}");
    resolve("{\"names\":[{\"param\":\"project\",\"kind\":\"project\",\"must\":true,"
            "\"gone\":false}]}",
            NARROWED,
            "{\"asked\":\"project\",\"narrowing\":{\"reason\":\"missing_required\","
            "\"ask_user\":\"Which?\",\"candidates\":[],\"scoped_by\":{}}}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, NARROWED);
    assert_int_equal(answer.outcome, DONE);
    assert_string_equal(answer.asked, "project");
    assert_string_equal(answer.body, "{\"reason\":\"missing_required\",\"ask_user\":\"Which?\","
                                     "\"candidates\":[],\"scoped_by\":{}}");
    assert_int_equal(fake_platform_count(&world.platform, "things"), 0);
}

// 999: the platform does not say what it does not know, so that it is asked; 997: it says so.
static void
an_id_that_the_platform_does_not_know_becomes_a_question(void **state)
{
    call_tool("list_things", "{\"project\":\"999\"}");
    resolve(NAMES("\"999\"", "false"), OK, "{\"resolved\":{\"project\":{\"id\":999}}}");
    resolve(NAMES("\"999\"", "true"), NARROWED,
            "{\"asked\":\"project\",\"narrowing\":{\"reason\":\"not_found\"}}");
    answer_t answer = await_answer();
    assert_int_equal(answer.status, NARROWED);
    assert_string_equal(answer.asked, "project");
    assert_string_equal(answer.body, "{\"reason\":\"not_found\"}");

    call_tool("list_things", "{\"project\":997}");
    resolve(NAMES("997", "false"), OK, "{\"resolved\":{\"project\":{\"id\":997}}}");
    resolve(NAMES("997", "true"), NARROWED,
            "{\"asked\":\"project\",\"narrowing\":{\"reason\":\"not_found\"}}");
    assert_int_equal(await_answer().status, NARROWED);
    assert_int_equal(fake_platform_count(&world.platform, "GET /api/projects/997 "), 0);
}

static void
something_else_that_is_not_found_is_no_question(void **state)
{
    static const char *const ids[] = { "998", "996" };

    for (size_t i = 0; i < ROWS(ids); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        const char *asked = arena_printf(arena, NAMES("%s", "false"), ids[i]);

        call_tool("list_things", arena_printf(arena, "{\"project\":%s}", ids[i]));
        resolve(asked, OK,
                arena_printf(arena, "{\"resolved\":{\"project\":{\"id\":%s}}}", ids[i]));
        assert_int_equal(await_answer().status, NOT_FOUND);
    }
}

static void
expect_forget(const char *kind, const char *entity, bool is_removed)
{
    AUTO(forget_msg_clear) forget_msg_t forget = { 0 };
    AUTO(zmsg_destroy) zmsg_t *msg = zmsg_recv(world.resolver);
    AUTO(zframe_destroy) zframe_t *peer = zmsg_pop(msg);
    failure_t why;

    assert_non_null(peer);
    assert_int_equal(wire_unpack(&forget_wire, msg, &forget, &why), OK);
    AUTO(zstr_free) char *body = zmsg_popstr(msg);
    assert_string_equal(body, entity);
    assert_string_equal(forget.kind, kind);
    assert_string_equal(forget.principal, "proofarc|ada|analyst");
    assert_int_equal(forget.removed, is_removed);
}

// Somebody else has removed it. If there is another one of that name the next call finds it.
static void
a_name_of_what_is_gone_is_forgotten_and_asked_about(void **state)
{
    call_tool("list_things", "{\"project\":\"gone\"}");
    resolve(NAMES("\"gone\"", "false"), OK, "{\"resolved\":{\"project\":{\"id\":999}}}");
    expect_forget("project", "{\"id\":999}", true);
    resolve(NAMES("\"gone\"", "false"), NARROWED,
            "{\"asked\":\"project\",\"narrowing\":{\"reason\":\"not_found\"}}");
    assert_int_equal(await_answer().status, NARROWED);

    call_tool("list_things", "{\"project\":\"gone\"}");
    resolve(NAMES("\"gone\"", "false"), OK, "{\"resolved\":{\"project\":{\"id\":999}}}");
    expect_forget("project", "{\"id\":999}", true);
    resolve(NAMES("\"gone\"", "false"), OK, "{\"resolved\":{\"project\":{\"id\":1}}}");
    assert_int_equal(await_answer().status, NOT_FOUND);
}

// FORGET has to be out before the answer; FORGOTTEN never comes, which holds it 200 ms at most.
static void
a_write_carries_its_key_and_is_patched_into_the_snapshots(void **state)
{
    call_tool("create_thing", "{\"name\":\"n\",\"idempotency_key\":\"mine\"}");
    expect_forget("scenario", "{\"id\":7,\"name\":\"n\",\"projectIds\":[1]}", false);
    answer_t answer = await_answer();
    assert_int_equal(answer.status, OK);
    assert_string_equal(answer.body, "{\"id\":7}");
    assert_int_equal(fake_platform_count(&world.platform,
                                         "POST /api/things key=key-1 auth=Bearer ada-token "
                                         "{\"name\":\"n\"}\n"),
                     1);
}

static void
a_lost_answer_is_unknown_and_says_how_to_look_it_up(void **state)
{
    call_tool("lose_thing", "{}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, UNKNOWN);
    assert_int_equal(answer.outcome, UNKNOWN_OUTCOME);
    assert_non_null(strstr(answer.body, "\"outcome\":\"unknown\""));
    assert_non_null(strstr(answer.body, "idempotency_key \\\"key\\\""));
    // With a key the request may be repeated below us; it is the same request then.
    assert_true(fake_platform_count(&world.platform, "POST /api/lost key=key-1 ") >= 1);
    assert_int_equal(fake_platform_count(&world.platform, "key-2"), 0);
}

static void
a_write_without_a_key_is_sent_once_although_its_answer_is_lost(void **state)
{
    call_with((call_msg_t){ .name = "lose_thing", .key = "" }, "{}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, UNKNOWN);
    assert_non_null(strstr(answer.body, "Look it up before you repeat"));
    assert_int_equal(fake_platform_count(&world.platform, "POST /api/lost"), 1);
}

static void
a_refusal_of_the_platform_is_passed_on(void **state)
{
    call_tool("refuse_thing", "{}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, CONFLICT);
    assert_int_equal(answer.outcome, FAILED);
    assert_string_equal(answer.body,
                        "{\"error\":{\"code\":\"DUPLICATE_THING\",\"message\":\"it is there\","
                        "\"outcome\":\"failed\",\"errors\":[{\"line\":3}]}}");
}

static void
a_dead_token_is_unauthorized(void **state)
{
    call_tool("be_unknown", "{}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, UNAUTHORIZED);
    assert_int_equal(answer.outcome, FAILED);
}

static void
an_answer_that_is_no_json_is_a_failure_of_the_platform(void **state)
{
    call_tool("read_garbage", "{}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, BACKEND);
    assert_non_null(strstr(answer.body, "GET /api/garbage is not JSON"));
}

static void
nothing_is_written_after_the_deadline(void **state)
{
    call_with((call_msg_t){ .name = "write_late", .left_ms = 700 }, "{}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, TIMEOUT);
    assert_int_equal(answer.outcome, NOT_SENT);
    assert_int_equal(fake_platform_count(&world.platform, "POST"), 0);
}

static void
a_call_that_comes_too_late_is_not_begun(void **state)
{
    call_with((call_msg_t){ .name = "create_thing", .left_ms = 500 }, "{\"name\":\"n\"}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, TIMEOUT);
    assert_int_equal(answer.outcome, NOT_SENT);
    assert_int_equal(fake_platform_count(&world.platform, "POST"), 0);
}

static void
a_cancelled_call_writes_nothing_more(void **state)
{
    const int withdrawn = world.calls + 1;
    const cancel_msg_t cancel = { .id = call_tool("write_after_gate", "{}") };

    fake_platform_wait_at_gate(&world.platform);
    send_to(world.broker, world.worker, &cancel_wire, &cancel, "");
    // The quick answer says that the worker has read the cancel before it.
    call_tool("answer_quickly", "{}");
    await_answer();
    fake_platform_open_gate(&world.platform);
    answer_t answer = await_any_answer();

    assert_int_equal(answer.call, withdrawn);
    assert_int_equal(answer.status, CANCELLED);
    assert_int_equal(answer.outcome, CANCELLED_OUTCOME);
    assert_int_equal(fake_platform_count(&world.platform, "POST"), 0);
}

// What is on its way is not torn off: the platform would not know what of it counts.
static void
test_A_C06_a_write_on_the_wire_is_finished(void **state)
{
    const int withdrawn = world.calls + 1;
    const cancel_msg_t cancel = { .id = call_tool("write_at_gate", "{}") };

    fake_platform_wait_at_gate(&world.platform);
    send_to(world.broker, world.worker, &cancel_wire, &cancel, "");
    call_tool("answer_quickly", "{}");
    await_answer();
    fake_platform_open_gate(&world.platform);
    answer_t answer = await_any_answer();

    assert_int_equal(answer.call, withdrawn);
    assert_int_equal(answer.status, OK);
    assert_int_equal(answer.outcome, DONE);
    assert_string_equal(answer.body, "{\"id\":8}");
    assert_int_equal(fake_platform_count(&world.platform, "POST"), 1);
}

static void
a_call_whose_time_is_up_before_a_slot_is_free_was_not_sent(void **state)
{
    call_tool("write_after_gate", "{}");
    call_tool("write_after_gate", "{}");
    call_with((call_msg_t){ .name = "create_thing", .left_ms = 700 }, "{\"name\":\"n\"}");
    answer_t answer = await_answer();
    fake_platform_open_gate(&world.platform);

    assert_int_equal(answer.status, TIMEOUT);
    assert_int_equal(answer.outcome, NOT_SENT);
    assert_int_equal(await_any_answer().status, OK);
    assert_int_equal(await_any_answer().status, OK);
    assert_int_equal(fake_platform_count(&world.platform, "POST"), 2);
}

static void
more_calls_than_a_worker_holds_are_refused_at_once(void **state)
{
    enum { HELD = 2 + WAITS_MAX + 64, SENT = HELD + 3 };
    int busy = 0;

    for (int i = 0; i < SENT; i++)
        call_tool("write_after_gate", "{}");
    for (; busy < SENT - HELD; busy++) {
        answer_t answer = await_any_answer();
        assert_int_equal(answer.status, BUSY);
        assert_int_equal(answer.outcome, NOT_SENT);
    }
    fake_platform_open_gate(&world.platform);
    for (int i = 0; i < HELD; i++)
        assert_int_equal(await_any_answer().status, OK);
}

static void
a_resolver_that_is_not_there_is_a_failure_that_says_so(void **state)
{
    zsock_destroy(&world.resolver);
    call_with((call_msg_t){ .name = "list_things", .left_ms = 1000 }, "{\"project\":\"a\"}");
    answer_t answer = await_answer();
    world.resolver = bind_router(world.resolver_endpoint);

    assert_int_equal(answer.status, BACKEND);
    assert_int_equal(answer.outcome, NOT_SENT);
    assert_non_null(strstr(answer.body, "the resolver does not answer"));
}

static void
a_question_that_a_dead_resolver_took_with_it_is_asked_again(void **state)
{
    call_tool("list_things", "{\"project\":\"pay\"}");
    AUTO(zmsg_destroy) zmsg_t *lost = zmsg_recv(world.resolver);
    assert_non_null(lost);
    zsock_destroy(&world.resolver);
    world.resolver = bind_router(world.resolver_endpoint);
    resolve(NAMES("\"pay\"", "false"), OK, "{\"resolved\":{\"project\":{\"id\":3}}}");

    assert_int_equal(await_answer().status, OK);
}

// The connection is there all the time: in less than it takes a peer to be silent.
static void
a_question_that_got_lost_is_asked_again(void **state)
{
    call_with((call_msg_t){ .name = "list_things", .left_ms = SILENT_MS - 200 },
              "{\"project\":\"pay\"}");
    AUTO(zmsg_destroy) zmsg_t *lost = zmsg_recv(world.resolver);
    assert_non_null(lost);
    resolve(NAMES("\"pay\"", "false"), OK, "{\"resolved\":{\"project\":{\"id\":3}}}");

    assert_int_equal(await_answer().status, OK);
}

static void
a_resolver_may_refuse(void **state)
{
    call_tool("list_things", "{\"project\":\"pay\"}");
    resolve(NAMES("\"pay\"", "false"), UNAUTHORIZED, "");
    assert_int_equal(await_answer().status, UNAUTHORIZED);
    call_tool("list_things", "{\"project\":\"pay\"}");
    resolve(NAMES("\"pay\"", "false"), (status_t) 99, "{}");
    assert_int_equal(await_answer().status, BACKEND);
    call_tool("list_things", "{\"project\":\"pay\"}");
    resolve(NAMES("\"pay\"", "false"), NARROWED, "{}");
    assert_int_equal(await_answer().status, BACKEND);
}

static void
a_call_whose_names_are_not_found_in_time_has_not_happened(void **state)
{
    call_tool("list_things", "{\"project\":\"pay\"}");
    resolve(NAMES("\"pay\"", "false"), TIMEOUT, "");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, TIMEOUT);
    assert_int_equal(answer.outcome, NOT_SENT);
}

static void
a_wait_tells_progress_until_the_run_has_ended(void **state)
{
    call_with((call_msg_t){ .name = "run_thing", .progress = 1 }, "{\"run\":5,\"wait\":true}");
    while (world.credit != 3)  // the waiting call holds no slot
        await_noted(MSG_beat);
    answer_t answer = await_answer();

    assert_int_equal(answer.status, OK);
    assert_string_equal(answer.body, "{\"status\":\"COMPLETED\",\"timedOut\":false}");
    assert_non_null(world.progress.bytes);
    assert_int_equal(strncmp(world.progress.bytes, "0/300 0 of 3 steps\n", 19), 0);
    assert_int_equal(fake_platform_count(&world.platform, "GET /api/runs/5?waitMs=0 "), 1);
    assert_int_equal(fake_platform_count(&world.platform, "GET /api/runs/5?waitMs="), 4);
    assert_int_equal(world.credit, 2);
}

static void
a_wait_without_wish_for_progress_is_silent(void **state)
{
    call_with((call_msg_t){ .name = "run_thing" }, "{\"run\":5,\"wait\":true}");
    await_answer();
    assert_null(world.progress.bytes);
}

static void
a_wait_ends_with_what_is_known_when_the_time_is_nearly_up(void **state)
{
    call_with((call_msg_t){ .name = "run_thing", .left_ms = 2000 },
              "{\"run\":6,\"wait\":true}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, OK);
    assert_string_equal(answer.body, "{\"status\":\"QUEUED\",\"timedOut\":true}");
}

static void
a_wait_that_is_refused_fails(void **state)
{
    call_with((call_msg_t){ .name = "run_thing" }, "{\"run\":8,\"wait\":true}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, DENIED);
    assert_int_equal(answer.outcome, UNKNOWN_OUTCOME);  // the run was started
}

static void
a_wait_without_any_answer_says_that_the_run_was_started(void **state)
{
    call_with((call_msg_t){ .name = "run_thing", .left_ms = 2000 },
              "{\"run\":9,\"wait\":true}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, BACKEND);
    assert_int_equal(answer.outcome, UNKNOWN_OUTCOME);
    assert_non_null(strstr(answer.body, "it was started"));
    assert_non_null(strstr(answer.body, "look it up at /api/runs/9"));
}

static void
a_cancelled_wait_ends_at_once(void **state)
{
    const cancel_msg_t cancel = { .id = call_tool("run_thing", "{\"run\":6,\"wait\":true}") };

    await_noted(MSG_beat);
    send_to(world.broker, world.worker, &cancel_wire, &cancel, "");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, CANCELLED);
}

static void
a_quick_row_is_answered_without_a_slot(void **state)
{
    call_tool("answer_quickly", "{}");
    assert_string_equal(await_answer().body, "{\"who\":\"proofarc|ada|analyst\"}");
}

static void
malformed_arguments_are_refused(void **state)
{
    static const struct {
        const char *arguments, *message;
    } rows[] = {
        { "{\"name\":", "" },
        { "[1]", "must be an object" },
        { "{\"name\":\"a\",\"name\":\"b\"}", "two members of the same name" },
        { "{\"name\":\"a\\u0000\"}", "U+0000" },
        { "{\"name\":\"a\",\"colour\":1}", "no argument" },
        { "", "create_thing needs name" },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        call_tool("create_thing", rows[i].arguments);
        answer_t answer = await_answer();
        assert_int_equal(answer.status, BAD_ARGS);
        assert_int_equal(answer.outcome, FAILED);
        assert_non_null(strstr(answer.body, rows[i].message));
    }
    assert_int_equal(fake_platform_count(&world.platform, "POST"), 0);
}

static void
what_is_not_offered_is_refused(void **state)
{
    call_tool("drop_tables", "{}");
    assert_int_equal(await_answer().status, NO_TOOL);
    call_with((call_msg_t){ .name = "list_things", .kind = "prompt" }, "{}");
    assert_int_equal(await_answer().status, NO_TOOL);
    call_with((call_msg_t){ .name = "proofarc://other/1", .kind = "resource" }, "{}");
    assert_int_equal(await_answer().status, NOT_FOUND);
}

static void
a_resource_is_the_platforms_json_as_it_is(void **state)
{
    call_with((call_msg_t){ .name = "proofarc://thing/12", .kind = "resource" }, "");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, OK);
    assert_string_equal(answer.body, "{\"id\":12,\"anything\":null}");
    assert_string_equal(answer.mime, "application/json");
    call_with((call_msg_t){ .name = "proofarc://thing/13", .kind = "resource" }, "");
    assert_int_equal(await_answer().status, NOT_FOUND);
}

static void
garbage_costs_nothing_but_itself(void **state)
{
    static const char *const bytes[] = { "", "x",
                                         "\x93\xa1"
                                         "C",
                                         "\x91\xa1"
                                         "Z",
                                         "\xc1\xff" };

    for (size_t i = 0; i < ROWS(bytes); i++) {
        zmsg_t *msg = zmsg_new();
        zframe_t *identity = zframe_dup(world.worker);
        zmsg_addstr(msg, bytes[i]);
        zmsg_prepend(msg, &identity);
        assert_int_equal(actor_send(&msg, world.broker), 0);
    }
    const call_msg_t nameless = { .id = "", .kind = "tool", .name = "answer_quickly" };
    send_to(world.broker, world.worker, &call_wire, &nameless, "{}");
    a_quick_row_is_answered_without_a_slot(state);
}

static void
an_empty_hello_is_answered_with_what_is_on_offer(void **state)
{
    const hello_msg_t hello = { 0 };
    entry_msg_t *entries;
    size_t count;
    failure_t why;

    send_to(world.broker, world.worker, &hello_wire, &hello, "");
    await_noted(MSG_ready);
    assert_int_equal(world.ready.protocol, WIRE_PROTOCOL);
    assert_int_equal(world.ready.credit, 2);
    assert_string_equal(world.ready.host, "trial@test:0");
    assert_int_equal(strlen(world.ready.instance), 32);
    assert_int_equal(catalogue_unpack(world.ready.entries, &entries, &count, &why), OK);
    assert_int_equal(count, ROWS(tools) - 1 + ROWS(talk_tools) - 1 + ROWS(templates) - 1
                                + ROWS(talk_resources) - 1 + ROWS(talk_prompts) - 1);
    assert_string_equal(entries[0].category, "trial");
    assert_string_equal(entries[0].name, "list_things");
    assert_string_equal(entries[0].effect, "reads");
    assert_int_equal(entries[0].budget_ms, CALL_MS);
    assert_int_equal(entries[8].budget_ms, WAIT_CALL_MS);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(entries[i].quick, !strcmp(entries[i].name, "answer_quickly"));
    assert_string_equal(entries[count - 1].kind, "prompt");
    assert_string_equal(entries[count - 2].kind, "resource");
    catalogue_free(&entries, count);
}

static void
beats_say_that_the_platform_remembers_keys(void **state)
{
    while (!world.keeps_keys)
        await_noted(MSG_beat);
    assert_int_equal(world.credit, 2);
}

static void
a_draining_worker_says_bye_and_takes_nothing_new(void **state)
{
    zstr_send(world.actor, "DRAIN");
    AUTO(zmsg_destroy) zmsg_t *bye = await(MSG_bye);
    assert_non_null(bye);
    call_tool("answer_quickly", "{}");
    answer_t answer = await_answer();

    assert_int_equal(answer.status, BUSY);
    assert_int_equal(answer.outcome, NOT_SENT);
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_read_goes_straight_through),
        TEST(a_question_of_the_resolver_is_the_result),
        TEST(an_id_that_the_platform_does_not_know_becomes_a_question),
        TEST(something_else_that_is_not_found_is_no_question),
        TEST(a_name_of_what_is_gone_is_forgotten_and_asked_about),
        TEST(a_write_carries_its_key_and_is_patched_into_the_snapshots),
        TEST(a_lost_answer_is_unknown_and_says_how_to_look_it_up),
        TEST(a_write_without_a_key_is_sent_once_although_its_answer_is_lost),
        TEST(a_refusal_of_the_platform_is_passed_on),
        TEST(a_dead_token_is_unauthorized),
        TEST(an_answer_that_is_no_json_is_a_failure_of_the_platform),
        TEST(nothing_is_written_after_the_deadline),
        TEST(a_call_that_comes_too_late_is_not_begun),
        TEST(a_cancelled_call_writes_nothing_more),
        TEST(test_A_C06_a_write_on_the_wire_is_finished),
        TEST(a_call_whose_time_is_up_before_a_slot_is_free_was_not_sent),
        TEST(more_calls_than_a_worker_holds_are_refused_at_once),
        TEST(a_resolver_that_is_not_there_is_a_failure_that_says_so),
        TEST(a_question_that_a_dead_resolver_took_with_it_is_asked_again),
        TEST(a_question_that_got_lost_is_asked_again),
        TEST(a_resolver_may_refuse),
        TEST(a_call_whose_names_are_not_found_in_time_has_not_happened),
        TEST(a_wait_tells_progress_until_the_run_has_ended),
        TEST(a_wait_without_wish_for_progress_is_silent),
        TEST(a_wait_ends_with_what_is_known_when_the_time_is_nearly_up),
        TEST(a_wait_that_is_refused_fails),
        TEST(a_wait_without_any_answer_says_that_the_run_was_started),
        TEST(a_cancelled_wait_ends_at_once),
        TEST(a_quick_row_is_answered_without_a_slot),
        TEST(malformed_arguments_are_refused),
        TEST(what_is_not_offered_is_refused),
        TEST(a_resource_is_the_platforms_json_as_it_is),
        TEST(garbage_costs_nothing_but_itself),
        TEST(an_empty_hello_is_answered_with_what_is_on_offer),
        TEST(beats_say_that_the_platform_remembers_keys),
        TEST(a_draining_worker_says_bye_and_takes_nothing_new),
    };
    zsys_init();
    zsys_handler_set(NULL);
    return cmocka_run_group_tests(tests, start_world, stop_world);
}
