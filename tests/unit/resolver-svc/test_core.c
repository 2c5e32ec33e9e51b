// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "world.h"

enum { CROWD = 50 };

// clang-format off
static const char projects[] =
    "{\"items\":[{\"id\":1,\"name\":\"payments\"},{\"id\":2,\"name\":\"auth\"}]}";
static const char more_projects[] =
    "{\"items\":[{\"id\":1,\"name\":\"payments\"},{\"id\":2,\"name\":\"auth\"},{\"id\":3,\"name\":\"shop\"}]}";
static const char scenarios[] =
    "{\"items\":[{\"id\":9,\"name\":\"Cart\",\"projectIds\":[1],\"tags\":[\"smoke\"]}]}";
static const char environments[] =
    "{\"items\":[{\"id\":12,\"name\":\"staging\",\"projectIds\":[1]}]}";
static const char ui_tests[] = "{\"items\":[]}";
// clang-format on

static const char ask_payments[] = NAMES(REF("project", "\"payments\""));
static const char ask_shop[] = NAMES(REF("project", "\"shop\""));
static const char settled_payments[] =
    "{\"resolved\":{\"project\":{\"id\":1,\"name\":\"payments\"}}}";

static int
setup(void **state)
{
    world_setup(state);
    world_t *world = *state;

    world->lists[KIND_PROJECT] = projects;
    world->lists[KIND_SCENARIO] = scenarios;
    world->lists[KIND_ENVIRONMENT] = environments;
    world->lists[KIND_UI_TEST] = ui_tests;
    return 0;
}

static void
send_crowd(world_t *world)
{
    for (int i = 0; i < CROWD; i++) {
        char id[16];
        snprintf(id, sizeof id, "q%d", i);
        world_send(world, id, ask_payments);
    }
}

static flight_t *
take_off(world_t *world)
{
    flight_t *flight = core_next_fetch(world->core, world->now_ms);

    assert_non_null(flight);
    return flight;
}

static void
land(world_t *world, flight_t *flight)
{
    core_fetched(world->core, flight, world->now_ms);
}

static void
land_failed(world_t *world, flight_t *flight, status_t status, const char *text)
{
    fail_coded(&flight->failure, status, "", "%s", text);
    land(world, flight);
}

static void
fifty_at_once_cause_one_fetch(void **state)
{
    world_t *world = *state;

    send_crowd(world);
    assert_int_equal(core_waiting(world->core), CROWD);
    flight_t *flight = take_off(world);
    assert_null(core_next_fetch(world->core, world->now_ms));
    world_work(world, flight);
    land(world, flight);
    assert_int_equal(world->count, CROWD);
    for (size_t i = 0; i < CROWD; i++)
        assert_string_equal(world->answers[i].body, settled_payments);
    assert_int_equal(world->fetches[KIND_PROJECT], 1);
    assert_int_equal(core_waiting(world->core), 0);
}

static void
a_session_fetches_each_list_once_in_all_its_turns(void **state)
{
    world_t *world = *state;

    for (int turn = 0; turn < 5; turn++) {
        assert_string_equal(world_ask(world, ask_payments)->body, settled_payments);
        world->now_ms += 10 * 60 * 1000;
    }
    assert_int_equal(world_fetches(world), 1);
    world->session = "s2";
    world_ask(world, ask_payments);
    assert_int_equal(world_fetches(world), 2);
}

static void
what_a_question_needs_is_fetched_side_by_side(void **state)
{
    world_t *world = *state;
    flight_t *flights[4];

    world_send(world, "q",
               BY_TAG("\"smoke\"", REF("environment", "null") "," REF("project", "null")));
    for (size_t i = 0; i < 4; i++)
        flights[i] = take_off(world);
    assert_null(core_next_fetch(world->core, world->now_ms));
    for (size_t i = 4; i-- > 0;) {
        world_work(world, flights[i]);
        land(world, flights[i]);
    }
    world_fly(world);
    assert_int_equal(world->count, 1);
    assert_int_equal(world_last(world)->status, NARROWED);
    assert_int_equal(world_fetches(world), 4);
}

static void
principals_never_share_a_list_or_a_flight(void **state)
{
    world_t *world = *state;

    world_send(world, "ann", ask_payments);
    world->principal = "proofarc|bob|analyst";  // in the same session, after another log-in
    world->token = "token-of-bob";
    world_send(world, "bob", ask_payments);
    flight_t *first = take_off(world), *second = take_off(world);
    assert_string_equal(first->token, "token-of-ann");
    assert_string_equal(second->token, "token-of-bob");
    world_work(world, first);
    land(world, first);
    assert_int_equal(world->count, 1);
    assert_string_equal(world_last(world)->id, "ann");
    world->lists[KIND_PROJECT] = "{\"items\":[{\"id\":5,\"name\":\"payments\"}]}";
    world_work(world, second);
    land(world, second);
    assert_string_equal(world_last(world)->id, "bob");
    assert_string_equal(world_last(world)->body,
                        "{\"resolved\":{\"project\":{\"id\":5,\"name\":\"payments\"}}}");
}

static void
what_was_written_is_read_without_another_fetch(void **state)
{
    world_t *world = *state;

    world_ask(world, NAMES(REF("scenario", "\"Cart\"")));
    world_forget(world, "scenario", "{\"id\":10,\"name\":\"Checkout\",\"projectIds\":[1]}",
                 false);
    assert_string_equal(world_ask(world, NAMES(REF("scenario", "\"checkout\"")))->body,
                        "{\"resolved\":{\"scenario\":{\"id\":10,\"name\":\"Checkout\"}}}");
    world_forget(world, "scenario", "{\"id\":10,\"name\":\"Till\"}", false);
    assert_int_equal(world_ask(world, NAMES(REF("scenario", "\"checkout\"")))->status,
                     NARROWED);
    assert_int_equal(world_ask(world, NAMES(REF("scenario", "\"till\"")))->status, OK);
    world_forget(world, "scenario", "{\"id\":10}", true);
    assert_int_equal(world_ask(world, NAMES(REF("scenario", "\"till\"")))->status, NARROWED);
    assert_int_equal(world->fetches[KIND_SCENARIO], 1);
}

static void
a_fetch_that_began_before_a_write_is_made_again(void **state)
{
    world_t *world = *state;

    world_send(world, "q", ask_shop);
    flight_t *flight = take_off(world);
    world_work(world, flight);  // the list as it was before the write
    world_forget(world, "project", "{\"id\":3,\"name\":\"shop\"}", false);
    land(world, flight);
    assert_int_equal(world->count, 0);
    world->lists[KIND_PROJECT] = more_projects;
    world_fly(world);
    assert_string_equal(world_last(world)->body,
                        "{\"resolved\":{\"project\":{\"id\":3,\"name\":\"shop\"}}}");
    assert_int_equal(world->fetches[KIND_PROJECT], 2);
}

static void
a_write_of_another_kind_or_principal_disturbs_no_fetch(void **state)
{
    world_t *world = *state;

    world_send(world, "q", ask_payments);
    flight_t *flight = take_off(world);
    world_work(world, flight);
    world_forget(world, "scenario", "{\"id\":3,\"name\":\"x\"}", false);
    world_forget(world, "planet", "{\"id\":3,\"name\":\"x\"}", false);
    world->principal = "proofarc|bob|analyst";
    world_forget(world, "project", "{\"id\":3,\"name\":\"x\"}", false);
    land(world, flight);
    assert_int_equal(world->count, 1);
    assert_int_equal(world_fetches(world), 1);
}

static void
a_failed_fetch_is_never_stored_and_is_held_for_a_second(void **state)
{
    world_t *world = *state;

    world->lists[KIND_PROJECT] = NULL;
    const world_answer_t *answer = world_ask(world, ask_payments);
    assert_int_equal(answer->status, BACKEND);
    assert_string_equal(answer->code, "backend");
    assert_string_equal(answer->text, "the platform is down");
    world->lists[KIND_PROJECT] = projects;
    world->now_ms += FETCH_HOLD_MS - 1;
    assert_int_equal(world_ask(world, ask_payments)->status, BACKEND);
    assert_int_equal(world->fetches[KIND_PROJECT], 1);
    world->now_ms += 1;
    assert_int_equal(world_ask(world, ask_payments)->status, OK);
    assert_int_equal(world->fetches[KIND_PROJECT], 2);
}

static void
what_is_no_list_is_no_empty_list(void **state)
{
    static const char *const answers[] = {
        "<html>Sign in</html>", "{\"items\":[{\"id\":1,\"name\":\"pay", "{}", "",
        "{\"items\":null}",
    };
    world_t *world = *state;

    for (size_t i = 0; i < ROWS(answers); i++) {
        world->lists[KIND_PROJECT] = answers[i];
        assert_int_equal(world_ask(world, ask_payments)->status, BACKEND);
        world->now_ms += FETCH_HOLD_MS;
    }
    world->lists[KIND_PROJECT] = projects;
    assert_int_equal(world_ask(world, ask_payments)->status, OK);
}

static void
a_crowd_fails_together_and_does_not_storm_the_platform(void **state)
{
    world_t *world = *state;

    world->lists[KIND_PROJECT] = NULL;
    send_crowd(world);
    world_fly(world);
    assert_int_equal(world->count, CROWD);
    assert_int_equal(world->fetches[KIND_PROJECT], 1);
}

static void
one_who_has_another_token_takes_over_when_it_is_refused(void **state)
{
    world_t *world = *state;

    world->token = "expired";
    world_send(world, "old1", ask_payments);
    world_send(world, "old2", ask_payments);
    world->token = "renewed";
    world_send(world, "new1", ask_payments);
    world_send(world, "new2", ask_payments);
    land_failed(world, take_off(world), UNAUTHORIZED, "no");
    assert_int_equal(world->count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(world->answers[i].status, UNAUTHORIZED);
        assert_memory_equal(world->answers[i].id, "old", 3);
    }
    flight_t *flight = take_off(world);
    assert_string_equal(flight->token, "renewed");
    assert_null(core_next_fetch(world->core, world->now_ms));
    world_work(world, flight);
    land(world, flight);
    assert_int_equal(world->count, 4);
    assert_int_equal(world->answers[2].status, OK);
    assert_int_equal(world->answers[3].status, OK);
}

static void
a_refused_token_says_nothing_about_another(void **state)
{
    world_t *world = *state;

    world->token = "expired";
    world_send(world, "old", ask_payments);
    land_failed(world, take_off(world), UNAUTHORIZED, "no");
    assert_int_equal(world_last(world)->status, UNAUTHORIZED);
    assert_int_equal(world_ask(world, ask_payments)->status, UNAUTHORIZED);
    assert_int_equal(world_fetches(world), 0);
    world->token = "renewed";
    assert_int_equal(world_ask(world, ask_payments)->status, OK);
}

static void
one_who_has_more_time_takes_over_when_it_runs_out(void **state)
{
    world_t *world = *state;

    world->left_ms = 1000;
    world_send(world, "hasty", ask_payments);
    flight_t *flight = take_off(world);
    assert_int_equal(flight->timeout_ms, 1000);
    world->left_ms = 5000;
    world_send(world, "patient", ask_payments);
    world->now_ms += 1000;
    land_failed(world, flight, TIMEOUT, "too slow");
    core_tick(world->core, world->now_ms);
    assert_int_equal(world->count, 1);
    assert_string_equal(world_last(world)->id, "hasty");
    assert_int_equal(world_last(world)->status, TIMEOUT);
    flight = take_off(world);
    assert_int_equal(flight->timeout_ms, 4000);
    world_work(world, flight);
    land(world, flight);
    assert_string_equal(world_last(world)->id, "patient");
    assert_int_equal(world_last(world)->status, OK);
}

static void
followers_take_over_only_so_often(void **state)
{
    world_t *world = *state;
    char token[16];

    for (int i = 0; i < 10; i++) {
        snprintf(token, sizeof token, "token%d", i);
        world->token = token;
        world_send(world, token, ask_payments);
    }
    for (int i = 0; i < 4; i++)
        land_failed(world, take_off(world), UNAUTHORIZED, "no");
    assert_int_equal(core_waiting(world->core), 6);  // they ask for themselves now
    assert_int_equal(world->count, 4);
    world_fly(world);
    assert_int_equal(core_waiting(world->core), 0);
    assert_int_equal(world_last(world)->status, OK);
}

static void
who_has_waited_long_enough_is_told(void **state)
{
    world_t *world = *state;

    world->left_ms = 2000;
    world_send(world, "q", ask_payments);
    assert_int_equal(core_due_ms(world->core), world->now_ms + 2000);
    flight_t *flight = take_off(world);
    world->now_ms += 1999;
    core_tick(world->core, world->now_ms);
    assert_int_equal(world->count, 0);
    world->now_ms += 1;
    core_tick(world->core, world->now_ms);
    assert_int_equal(world_last(world)->status, TIMEOUT);
    assert_string_equal(world_last(world)->text,
                        "the platform did not list its projects in time");
    assert_true(core_due_ms(world->core) == INT64_MAX);
    world_work(world, flight);  // what comes late is kept for the next one
    land(world, flight);
    assert_int_equal(world->count, 1);
    assert_int_equal(world_ask(world, ask_payments)->status, OK);
    assert_int_equal(world_fetches(world), 1);
}

static void
one_without_time_is_refused_at_once(void **state)
{
    world_t *world = *state;

    world->left_ms = 0;
    assert_int_equal(world_ask(world, ask_payments)->status, TIMEOUT);
    world->left_ms = -5;
    assert_int_equal(world_ask(world, ask_payments)->status, TIMEOUT);
    assert_int_equal(world_fetches(world), 0);
}

static void
a_list_that_nobody_waits_for_any_more_is_not_fetched(void **state)
{
    world_t *world = *state;

    world->left_ms = 1000;
    world_send(world, "q", ask_payments);
    world->now_ms += 1000;
    assert_null(core_next_fetch(world->core, world->now_ms));
    core_tick(world->core, world->now_ms);
    assert_null(core_next_fetch(world->core, world->now_ms - 1));
    assert_int_equal(world->count, 1);
}

static void
a_question_that_is_repeated_gets_one_answer(void **state)
{
    world_t *world = *state;

    world_send(world, "q", ask_payments);
    world_send(world, "q", ask_payments);
    world_fly(world);
    assert_int_equal(world->count, 1);
    world_ask(world, ask_payments);  // after the answer it is a new one
    assert_int_equal(world->count, 2);
}

static void
nothing_is_called_missing_on_the_word_of_an_old_list(void **state)
{
    world_t *world = *state;

    world_ask(world, ask_payments);
    world->now_ms += SNAPSHOT_FRESH_MS;
    assert_int_equal(world_ask(world, ask_shop)->status, NARROWED);
    assert_int_equal(world->fetches[KIND_PROJECT], 1);  // exactly a minute is young enough
    world->now_ms += 1;
    assert_int_equal(world_ask(world, ask_shop)->status, NARROWED);
    assert_int_equal(world->fetches[KIND_PROJECT], 2);
    assert_int_equal(world->confirmed, 1);
    world_ask(world, ask_shop);
    assert_int_equal(world->fetches[KIND_PROJECT], 2);  // it is young again
    world->now_ms += SNAPSHOT_FRESH_MS + 1;
    world->lists[KIND_PROJECT] = more_projects;  // somebody else has made it
    assert_string_equal(world_ask(world, ask_shop)->body,
                        "{\"resolved\":{\"project\":{\"id\":3,\"name\":\"shop\"}}}");
}

static void
an_old_list_is_not_passed_off_as_new_when_the_check_fails(void **state)
{
    world_t *world = *state;

    world_ask(world, ask_payments);
    world->now_ms += SNAPSHOT_FRESH_MS + 1;
    world->lists[KIND_PROJECT] = NULL;
    assert_int_equal(world_ask(world, ask_shop)->status, BACKEND);
    assert_int_equal(world_ask(world, ask_payments)->status, OK);  // what is in it still is
}

static void
a_list_that_was_patched_is_checked_as_a_whole(void **state)
{
    world_t *world = *state;

    world_ask(world, ask_payments);
    world_forget(world, "project", "{\"id\":3,\"name\":\"shop\"}", false);
    world->now_ms += SNAPSHOT_FRESH_MS + 1;
    // Somebody has deleted it again: the platform's list, and its ETag, are as they were.
    assert_int_equal(world_ask(world, NAMES(REF("project", "\"bank\"")))->status, NARROWED);
    assert_int_equal(world->confirmed, 0);
    assert_int_equal(world_ask(world, ask_shop)->status, NARROWED);
}

static void
tags_are_not_called_missing_on_the_word_of_an_old_list(void **state)
{
    static const char ask[] =
        BY_TAG("\"new\"", REF("environment", "12") "," REF("project", "1"));
    world_t *world = *state;

    assert_int_equal(world_ask(world, ask)->status, NARROWED);
    world->lists[KIND_SCENARIO] = "{\"items\":[{\"id\":9,\"name\":\"Cart\",\"projectIds\":[1],"
                                  "\"tags\":[\"new\"]}]}";
    assert_int_equal(world_ask(world, ask)->status, NARROWED);
    world->now_ms += SNAPSHOT_FRESH_MS + 1;
    assert_int_equal(world_ask(world, ask)->status, OK);
    assert_int_equal(world->fetches[KIND_SCENARIO], 2);
}

static void
over_the_budget_the_list_of_a_project_will_do(void **state)
{
    world_t *world = *state;
    AUTO(buffer_clear) buffer_t many = { 0 };

    buffer_text(&many, "{\"items\":[");
    for (int i = 0; i < 1000; i++)
        buffer_printf(&many, "%s{\"id\":%d,\"name\":\"Scenario %d\",\"projectIds\":[%d]}",
                      i ? "," : "", i + 1, i, i % 7 + 1);
    buffer_text(&many, "]}");
    world->size_max = 16 * KIB;
    world->lists[KIND_SCENARIO] = many.bytes;
    world->of_project = scenarios;
    const world_answer_t *answer = world_ask(world, NAMES(REF("scenario", "\"Cart\"")));
    assert_int_equal(answer->status, TOO_LARGE);
    assert_string_equal(answer->code, "TOO_MANY_NAMES");
    assert_string_equal(
        answer->text,
        "there are too many scenarios to find one by its name: name the project first");
    assert_string_equal(
        world_ask(world, NAMES(OPTIONAL("project", "1") "," REF("scenario", "\"Cart\"")))->body,
        "{\"resolved\":{\"project\":{\"id\":1},\"scenario\":{\"id\":9,\"name\":\"Cart\"}}}");
    world_ask(world, NAMES(OPTIONAL("project", "1") "," REF("scenario", "\"Cart\"")));
    assert_int_equal(world->fetches[KIND_SCENARIO], 2);
    world->of_project = many.bytes;
    answer = world_ask(world, NAMES(OPTIONAL("project", "2") "," REF("scenario", "\"Cart\"")));
    assert_string_equal(answer->text,
                        "there are too many scenarios to find one by its name: give its id");
}

static int
setup_with_a_small_budget(void **state)
{
    return world_setup_with(state, 4 * KIB, SNAPSHOTS_MAX);
}

static void
lists_that_drive_each_other_out_end_in_a_refusal(void **state)
{
    world_t *world = *state;
    AUTO(buffer_clear) buffer_t long_names = { 0 };

    buffer_printf(&long_names, "{\"items\":[{\"id\":1,\"name\":\"%01500d\"}]}", 7);
    world->lists[KIND_PROJECT] = world->lists[KIND_SCENARIO] = long_names.bytes;
    world->lists[KIND_PIPELINE] = long_names.bytes;
    const world_answer_t *answer =
        world_ask(world, NAMES(REF("project", "\"07\"") "," REF("scenario", "\"07\"") "," REF(
                             "pipeline", "\"07\"")));
    assert_int_equal(answer->status, TOO_LARGE);
    assert_int_equal(core_waiting(world->core), 0);
}

static void
only_so_many_may_wait(void **state)
{
    world_t *world = *state;
    char id[16];

    for (int i = 0; i <= RESOLVES_MAX; i++) {
        snprintf(id, sizeof id, "q%d", i);
        world_send(world, id, ask_payments);
        assert_int_equal(world->count, i == RESOLVES_MAX);
    }
    assert_int_equal(world_last(world)->status, BUSY);
    world_fly(world);
    assert_int_equal(world->count, RESOLVES_MAX + 1);
    assert_int_equal(world->fetches[KIND_PROJECT], 1);
}

static void
what_is_under_way_at_the_end_is_freed(void **state)
{
    world_t *world = *state;

    send_crowd(world);
    world_work(world, take_off(world));
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, world_teardown)
    const struct CMUnitTest tests[] = {
        TEST(fifty_at_once_cause_one_fetch),
        TEST(a_session_fetches_each_list_once_in_all_its_turns),
        TEST(what_a_question_needs_is_fetched_side_by_side),
        TEST(principals_never_share_a_list_or_a_flight),
        TEST(what_was_written_is_read_without_another_fetch),
        TEST(a_fetch_that_began_before_a_write_is_made_again),
        TEST(a_write_of_another_kind_or_principal_disturbs_no_fetch),
        TEST(a_failed_fetch_is_never_stored_and_is_held_for_a_second),
        TEST(what_is_no_list_is_no_empty_list),
        TEST(a_crowd_fails_together_and_does_not_storm_the_platform),
        TEST(one_who_has_another_token_takes_over_when_it_is_refused),
        TEST(a_refused_token_says_nothing_about_another),
        TEST(one_who_has_more_time_takes_over_when_it_runs_out),
        TEST(followers_take_over_only_so_often),
        TEST(who_has_waited_long_enough_is_told),
        TEST(one_without_time_is_refused_at_once),
        TEST(a_list_that_nobody_waits_for_any_more_is_not_fetched),
        TEST(a_question_that_is_repeated_gets_one_answer),
        TEST(nothing_is_called_missing_on_the_word_of_an_old_list),
        TEST(an_old_list_is_not_passed_off_as_new_when_the_check_fails),
        TEST(a_list_that_was_patched_is_checked_as_a_whole),
        TEST(tags_are_not_called_missing_on_the_word_of_an_old_list),
        TEST(over_the_budget_the_list_of_a_project_will_do),
        cmocka_unit_test_setup_teardown(lists_that_drive_each_other_out_end_in_a_refusal,
                                        setup_with_a_small_budget, world_teardown),
        TEST(only_so_many_may_wait),
        TEST(what_is_under_way_at_the_end_is_freed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
