// SPDX-License-Identifier: Apache-2.0
// The conversations of the contract, byte for byte: what is asked and what is answered.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "world.h"

// clang-format off
static const char projects[] = "{\"items\":["
    "{\"id\":1,\"name\":\"payments\",\"projectIds\":[]},"
    "{\"id\":2,\"name\":\"auth\",\"projectIds\":[]},"
    "{\"id\":3,\"name\":\"Payroll\",\"projectIds\":[]},"
    "{\"id\":4,\"name\":\"2024\",\"projectIds\":[]}]}";
static const char environments[] = "{\"items\":["
    "{\"id\":11,\"name\":\"dev\",\"projectIds\":[1,2]},"
    "{\"id\":12,\"name\":\"staging\",\"projectIds\":[1,2]},"
    "{\"id\":13,\"name\":\"prod\",\"projectIds\":[1,2]},"
    "{\"id\":14,\"name\":\"qa\",\"projectIds\":[3]},"
    "{\"id\":15,\"name\":\"lonely\",\"projectIds\":[]}]}";
static const char scenarios[] = "{\"items\":["
    "{\"id\":204,\"name\":\"Login flow\",\"projectIds\":[1],\"tags\":[\"smoke\"],\"historyTags\":[]},"
    "{\"id\":205,\"name\":\"Cart\",\"projectIds\":[1],\"tags\":[\"smoke\",\"nightly\"],\"historyTags\":[]},"
    "{\"id\":206,\"name\":\"Login flow\",\"projectIds\":[2],\"tags\":[],\"historyTags\":[\"legacy\"]},"
    "{\"id\":207,\"name\":\"Wages\",\"projectIds\":[3],\"tags\":[\"wages\"],\"historyTags\":[\"smoke\"]}]}";
static const char ui_tests[] = "{\"items\":["
    "{\"id\":301,\"name\":\"Home page\",\"projectIds\":[2],\"tags\":[\"SMOKE\"]},"
    "{\"id\":302,\"name\":\"Old page\",\"projectIds\":[3],\"tags\":[],\"historyTags\":[\"smoke\"]}]}";
static const char targets[] = "{\"items\":["
    "{\"id\":41,\"name\":\"api\",\"projectIds\":[1],\"environmentId\":11},"
    "{\"id\":42,\"name\":\"api\",\"projectIds\":[1],\"environmentId\":12},"
    "{\"id\":43,\"name\":\"web\",\"projectIds\":[1],\"environmentId\":12}]}";
static const char applications[] = "{\"items\":["
    "{\"id\":51,\"name\":\"wallet\",\"projectIds\":[1]},"
    "{\"id\":52,\"name\":\"ledger\",\"projectIds\":[1,3]}]}";

typedef struct {
    const char *asked;
    status_t status;
    const char *answer;
} turn_t;

#define ENVIRONMENT_QUESTION(scoped_by) \
    "{\"asked\":\"environment\",\"narrowing\":{\"reason\":\"missing_required\"," \
    "\"ask_user\":\"Which environment do you want to run these tests in? Available: dev, staging, prod.\"," \
    "\"candidates\":[{\"id\":11,\"name\":\"dev\"},{\"id\":12,\"name\":\"staging\"},{\"id\":13,\"name\":\"prod\"}]," \
    "\"scoped_by\":" scoped_by "}}"
#define PROJECT_QUESTION(tags, scoped_by) \
    "{\"asked\":\"project\",\"narrowing\":{\"reason\":\"ambiguous\"," \
    "\"ask_user\":\"Tag(s) [" tags "] match tests across multiple projects: payments, auth. " \
    "Which project do you want to run in?\"," \
    "\"candidates\":[{\"id\":1,\"name\":\"payments\"},{\"id\":2,\"name\":\"auth\"}]," \
    "\"scoped_by\":" scoped_by "}}"
#define ENVIRONMENT_UNKNOWN(name) \
    "{\"asked\":\"environment\",\"narrowing\":{\"reason\":\"not_found\"," \
    "\"ask_user\":\"There is no environment '" name "'. Available: dev, staging, prod.\"," \
    "\"candidates\":[{\"id\":11,\"name\":\"dev\"},{\"id\":12,\"name\":\"staging\"},{\"id\":13,\"name\":\"prod\"}]," \
    "\"scoped_by\":{}}}"
#define SETTLED(refs) "{\"resolved\":{" refs "}}"
#define TAGGED(tags, refs) "{\"resolved\":{" refs "},\"tags\":[" tags "]}"
#define PAYMENTS "\"project\":{\"id\":1,\"name\":\"payments\"}"
#define AUTH     "\"project\":{\"id\":2,\"name\":\"auth\"}"
#define STAGING  "\"environment\":{\"id\":12,\"name\":\"staging\"}"

// As the tests of the two projects spell it.
#define EVERY_SMOKE "\"smoke\",\"SMOKE\""

static const turn_t run_by_tag[] = {
    // The three turns of the contract.
    { BY_TAG("\"smoke\"", REF("environment", "null") "," REF("project", "null")),
      NARROWED, ENVIRONMENT_QUESTION("{}") },
    { BY_TAG("\"smoke\"", REF("environment", "\"staging\"") "," REF("project", "null")),
      NARROWED, PROJECT_QUESTION("'smoke'", "{\"environment\":\"staging\"}") },
    { BY_TAG("\"smoke\"", REF("environment", "\"staging\"") "," REF("project", "\"payments\"")),
      OK, TAGGED(EVERY_SMOKE, PAYMENTS "," STAGING) },
    // The pins the other way round.
    { BY_TAG("\"smoke\"", REF("environment", "null") "," REF("project", "\"payments\"")),
      NARROWED, ENVIRONMENT_QUESTION("{\"project\":\"payments\"}") },
    // As ids, and mixed; a snapshot that is held knows their names.
    { BY_TAG("\"smoke\"", REF("environment", "12") "," REF("project", "\"1\"")),
      OK, TAGGED(EVERY_SMOKE, PAYMENTS "," STAGING) },
    { BY_TAG("\"smoke\"", REF("environment", "12") "," REF("project", "null")),
      NARROWED, PROJECT_QUESTION("'smoke'", "{\"environment\":\"staging\"}") },
    { BY_TAG("\"smoke\"", REF("environment", "999") "," REF("project", "null")),
      NARROWED, PROJECT_QUESTION("'smoke'", "{\"environment\":\"999\"}") },
    // Any tag matches, letter case does not count, blanks are none.
    { BY_TAG("\"nightly\",\"Smoke\"", REF("environment", "\"STAGING\"") "," REF("project", "\"\"")),
      NARROWED, PROJECT_QUESTION("'nightly', 'Smoke'", "{\"environment\":\"staging\"}") },
    // A project is taken without a word if no other one qualifies.
    { BY_TAG("\"nightly\"", REF("environment", "\"staging\"") "," REF("project", "null")),
      OK, TAGGED("\"nightly\"", STAGING "," PAYMENTS) },
    // History counts for an API scenario without tags of its own, and for no other test.
    { BY_TAG("\"legacy\"", REF("environment", "\"staging\"") "," REF("project", "null")),
      OK, TAGGED("\"legacy\"", STAGING "," AUTH) },
    // Only the kinds that are wanted.
    { "{\"names\":[" REF("environment", "\"staging\"") "," REF("project", "null") "],"
      "\"tags\":[\"smoke\"],\"kinds\":[\"ui_test\"],\"by_tag\":true}",
      OK, TAGGED("\"SMOKE\",\"smoke\"", STAGING "," AUTH) },
    { "{\"names\":[" REF("environment", "\"staging\"") "," REF("project", "null") "],"
      "\"tags\":[\"smoke\"],\"kinds\":[\"api_scenario\"],\"by_tag\":true}",
      OK, TAGGED("\"smoke\"", STAGING "," PAYMENTS) },
    // A name that is no environment: those in which such tests can run are offered.
    { BY_TAG("\"smoke\"", REF("environment", "\"prd\"") "," REF("project", "null")),
      NARROWED, ENVIRONMENT_UNKNOWN("prd") },
    // Of several that match by name, only those that own such a test are meant.
    { BY_TAG("\"smoke\"", REF("environment", "\"staging\"") "," REF("project", "\"pay\"")),
      OK, TAGGED(EVERY_SMOKE, STAGING "," PAYMENTS) },
    // Tags that nothing carries, in what is pinned.
    { BY_TAG("\"nope\"", REF("environment", "null") "," REF("project", "null")), NARROWED,
      "{\"asked\":\"tags\",\"narrowing\":{\"reason\":\"not_found\","
      "\"ask_user\":\"No test carries the tag 'nope'. Tags in use: smoke, legacy, nightly, wages.\","
      "\"candidates\":[{\"name\":\"smoke\",\"count\":3},{\"name\":\"legacy\",\"count\":1},"
      "{\"name\":\"nightly\",\"count\":1},{\"name\":\"wages\",\"count\":1}],\"scoped_by\":{}}}" },
    { "{\"names\":[" REF("environment", "null") "," REF("project", "null") "],"
      "\"tags\":[\"legacy\"],\"kinds\":[\"ui_test\"],\"by_tag\":true}",
      NARROWED,
      "{\"asked\":\"tags\",\"narrowing\":{\"reason\":\"not_found\","
      "\"ask_user\":\"No UI test carries the tag 'legacy'. Tags in use: SMOKE.\","
      "\"candidates\":[{\"name\":\"SMOKE\",\"count\":1}],\"scoped_by\":{}}}" },
    { BY_TAG("\"wages\"", REF("environment", "\"staging\"") "," REF("project", "null")), NARROWED,
      "{\"asked\":\"tags\",\"narrowing\":{\"reason\":\"not_found\","
      "\"ask_user\":\"No test carries the tag 'wages'. Tags in use: smoke, legacy, nightly.\","
      "\"candidates\":[{\"name\":\"smoke\",\"count\":3},{\"name\":\"legacy\",\"count\":1},"
      "{\"name\":\"nightly\",\"count\":1}],\"scoped_by\":{\"environment\":\"staging\"}}}" },
    { BY_TAG("\"a\",\"b\"", REF("environment", "null") "," REF("project", "3")), NARROWED,
      "{\"asked\":\"tags\",\"narrowing\":{\"reason\":\"not_found\","
      "\"ask_user\":\"No test carries any of the tags 'a', 'b'. Tags in use: wages.\","
      "\"candidates\":[{\"name\":\"wages\",\"count\":1}],\"scoped_by\":{\"project\":\"Payroll\"}}}" },
    { BY_TAG("", REF("environment", "null") "," REF("project", "\"auth\"")), NARROWED,
      "{\"asked\":\"tags\",\"narrowing\":{\"reason\":\"missing_required\","
      "\"ask_user\":\"Which tags? Tags in use: legacy, SMOKE.\","
      "\"candidates\":[{\"name\":\"legacy\",\"count\":1},{\"name\":\"SMOKE\",\"count\":1}],"
      "\"scoped_by\":{\"project\":\"auth\"}}}" },
};

static const turn_t by_name[] = {
    { NAMES(REF("environment", "null")), NARROWED,
      "{\"asked\":\"environment\",\"narrowing\":{\"reason\":\"missing_required\","
      "\"ask_user\":\"Which environment? Available: dev, staging, prod, qa, lonely.\","
      "\"candidates\":[{\"id\":11,\"name\":\"dev\"},{\"id\":12,\"name\":\"staging\"},"
      "{\"id\":13,\"name\":\"prod\"},{\"id\":14,\"name\":\"qa\"},{\"id\":15,\"name\":\"lonely\"}],"
      "\"scoped_by\":{}}}" },
    // What is pinned scopes the candidates, and is named.
    { NAMES(REF("environment", "null") "," REF("project", "\"PAYMENTS\"")), NARROWED,
      "{\"asked\":\"environment\",\"narrowing\":{\"reason\":\"missing_required\","
      "\"ask_user\":\"Which environment? Available: dev, staging, prod.\","
      "\"candidates\":[{\"id\":11,\"name\":\"dev\"},{\"id\":12,\"name\":\"staging\"},"
      "{\"id\":13,\"name\":\"prod\"}],\"scoped_by\":{\"project\":\"payments\"}}}" },
    { NAMES(REF("project", "null") "," REF("environment", "\"staging\"")), NARROWED,
      "{\"asked\":\"project\",\"narrowing\":{\"reason\":\"missing_required\","
      "\"ask_user\":\"Which project? Available: payments, auth.\","
      "\"candidates\":[{\"id\":1,\"name\":\"payments\"},{\"id\":2,\"name\":\"auth\"}],"
      "\"scoped_by\":{\"environment\":\"staging\"}}}" },
    { NAMES(REF("project", "\"pay\"")), NARROWED,
      "{\"asked\":\"project\",\"narrowing\":{\"reason\":\"ambiguous\","
      "\"ask_user\":\"More than one project matches 'pay': payments, Payroll. Which one?\","
      "\"candidates\":[{\"id\":1,\"name\":\"payments\"},{\"id\":3,\"name\":\"Payroll\"}],"
      "\"scoped_by\":{}}}" },
    { NAMES(REF("project", "\"roll\"")), OK, SETTLED("\"project\":{\"id\":3,\"name\":\"Payroll\"}") },
    { NAMES(REF("project", "\"bank\"")), NARROWED,
      "{\"asked\":\"project\",\"narrowing\":{\"reason\":\"not_found\","
      "\"ask_user\":\"There is no project 'bank'. Available: payments, auth, Payroll, 2024.\","
      "\"candidates\":[{\"id\":1,\"name\":\"payments\"},{\"id\":2,\"name\":\"auth\"},"
      "{\"id\":3,\"name\":\"Payroll\"},{\"id\":4,\"name\":\"2024\"}],\"scoped_by\":{}}}" },
    // Names that are equal are told apart by their projects; one that is pinned settles it.
    { NAMES(REF("scenario", "\"login flow\"")), NARROWED,
      "{\"asked\":\"scenario\",\"narrowing\":{\"reason\":\"ambiguous\","
      "\"ask_user\":\"More than one scenario is named 'Login flow', one in each of these projects: "
      "payments, auth. Which project?\","
      "\"candidates\":[{\"id\":204,\"name\":\"Login flow\",\"project\":\"payments\"},"
      "{\"id\":206,\"name\":\"Login flow\",\"project\":\"auth\"}],\"scoped_by\":{}}}" },
    { NAMES(REF("scenario", "\"login flow\"") "," OPTIONAL("project", "\"auth\"")), OK,
      SETTLED(AUTH ",\"scenario\":{\"id\":206,\"name\":\"Login flow\"}") },
    // Another reference that is pinned counts, though it stands behind in the row.
    { NAMES(REF("scenario", "\"login flow\"") "," REF("environment", "\"qa\"")), NARROWED,
      "{\"asked\":\"scenario\",\"narrowing\":{\"reason\":\"not_found\","
      "\"ask_user\":\"There is no scenario 'login flow'. Available: Wages.\","
      "\"candidates\":[{\"id\":207,\"name\":\"Wages\"}],\"scoped_by\":{\"environment\":\"qa\"}}}" },
    { NAMES(REF("scenario", "null") "," REF("environment", "\"staging\"")), NARROWED,
      "{\"asked\":\"scenario\",\"narrowing\":{\"reason\":\"missing_required\","
      "\"ask_user\":\"Which scenario? Available: Login flow (payments, id 204), Cart, "
      "Login flow (auth, id 206).\","
      "\"candidates\":[{\"id\":204,\"name\":\"Login flow\",\"project\":\"payments\"},"
      "{\"id\":205,\"name\":\"Cart\"},{\"id\":206,\"name\":\"Login flow\",\"project\":\"auth\"}],"
      "\"scoped_by\":{\"environment\":\"staging\"}}}" },
    // What belongs to one project pins it for what follows.
    { NAMES(REF("scenario", "\"cart\"") "," REF("environment", "null")), NARROWED,
      "{\"asked\":\"environment\",\"narrowing\":{\"reason\":\"missing_required\","
      "\"ask_user\":\"Which environment? Available: dev, staging, prod.\","
      "\"candidates\":[{\"id\":11,\"name\":\"dev\"},{\"id\":12,\"name\":\"staging\"},"
      "{\"id\":13,\"name\":\"prod\"}],\"scoped_by\":{\"scenario\":\"Cart\"}}}" },
    { NAMES(REF("scenario", "205") "," REF("environment", "\"qa\"")), NARROWED,
      "{\"asked\":\"environment\",\"narrowing\":{\"reason\":\"not_found\","
      "\"ask_user\":\"There is no environment 'qa'. Available: dev, staging, prod.\","
      "\"candidates\":[{\"id\":11,\"name\":\"dev\"},{\"id\":12,\"name\":\"staging\"},"
      "{\"id\":13,\"name\":\"prod\"}],\"scoped_by\":{\"scenario\":\"Cart\"}}}" },
    // Targets belong to an environment.
    { NAMES(REF("environment", "\"staging\"") "," REF("target", "\"api\"")), OK,
      SETTLED(STAGING ",\"target\":{\"id\":42,\"name\":\"api\"}") },
    { NAMES(REF("target", "\"api\"")), NARROWED,
      "{\"asked\":\"target\",\"narrowing\":{\"reason\":\"ambiguous\","
      "\"ask_user\":\"More than one target matches 'api': api (payments, id 41), "
      "api (payments, id 42). Which one?\","
      "\"candidates\":[{\"id\":41,\"name\":\"api\",\"project\":\"payments\"},"
      "{\"id\":42,\"name\":\"api\",\"project\":\"payments\"}],\"scoped_by\":{}}}" },
    { NAMES(REF("project", "\"Payroll\"") "," REF("application", "null")), NARROWED,
      "{\"asked\":\"application\",\"narrowing\":{\"reason\":\"missing_required\","
      "\"ask_user\":\"Which application? Available: ledger.\","
      "\"candidates\":[{\"id\":52,\"name\":\"ledger\"}],\"scoped_by\":{\"project\":\"Payroll\"}}}" },
    // Digits are an id and are not looked up; larger ones and other spellings are names.
    { NAMES(REF("project", "\"2024\"")), OK, SETTLED("\"project\":{\"id\":2024}") },
    { NAMES(REF("project", "2024")), OK, SETTLED("\"project\":{\"id\":2024}") },
    { NAMES(REF("project", "-5")), OK, SETTLED("\"project\":{\"id\":-5}") },
    { NAMES(REF("project", "\"9223372036854775808\"")), NARROWED,
      "{\"asked\":\"project\",\"narrowing\":{\"reason\":\"not_found\","
      "\"ask_user\":\"There is no project '9223372036854775808'. Available: payments, auth, Payroll, 2024.\","
      "\"candidates\":[{\"id\":1,\"name\":\"payments\"},{\"id\":2,\"name\":\"auth\"},"
      "{\"id\":3,\"name\":\"Payroll\"},{\"id\":4,\"name\":\"2024\"}],\"scoped_by\":{}}}" },
    { NAMES(REF("project", "\"024\"")), OK, SETTLED("\"project\":{\"id\":4,\"name\":\"2024\"}") },
    // The platform did not know the id.
    { NAMES(GONE("project", "\"2024\"")), NARROWED,
      "{\"asked\":\"project\",\"narrowing\":{\"reason\":\"not_found\","
      "\"ask_user\":\"There is no project with id 2024; did you mean the project named 2024?\","
      "\"candidates\":[{\"id\":1,\"name\":\"payments\"},{\"id\":2,\"name\":\"auth\"},"
      "{\"id\":3,\"name\":\"Payroll\"},{\"id\":4,\"name\":\"2024\"}],\"scoped_by\":{}}}" },
    { NAMES(REF("project", "1") "," GONE("environment", "77")), NARROWED,
      "{\"asked\":\"environment\",\"narrowing\":{\"reason\":\"not_found\","
      "\"ask_user\":\"There is no environment with id 77. Available: dev, staging, prod.\","
      "\"candidates\":[{\"id\":11,\"name\":\"dev\"},{\"id\":12,\"name\":\"staging\"},"
      "{\"id\":13,\"name\":\"prod\"}],\"scoped_by\":{\"project\":\"payments\"}}}" },
    // One that is gone is not offered, though the list still has it.
    { NAMES(REF("project", "1") "," GONE("environment", "12")), NARROWED,
      "{\"asked\":\"environment\",\"narrowing\":{\"reason\":\"not_found\","
      "\"ask_user\":\"There is no environment with id 12. Available: dev, prod.\","
      "\"candidates\":[{\"id\":11,\"name\":\"dev\"},{\"id\":13,\"name\":\"prod\"}],"
      "\"scoped_by\":{\"project\":\"payments\"}}}" },
    // Nothing, in all its spellings.
    { NAMES(OPTIONAL("project", "null")), OK, SETTLED("") },
    { NAMES(OPTIONAL("project", "\"\"")), OK, SETTLED("") },
    { NAMES(OPTIONAL("project", "\"  \"")), OK, SETTLED("") },
    { NAMES(OPTIONAL("project", "\"null\"")), OK, SETTLED("") },
    { NAMES(OPTIONAL("project", "\"None\"")), OK, SETTLED("") },
    { NAMES(OPTIONAL("project", "\"undefined\"")), OK, SETTLED("") },
    { NAMES(OPTIONAL("project", "\"<nil>\"")), OK, SETTLED("") },
    { NAMES("{\"param\":\"project\",\"kind\":\"project\"}"), OK, SETTLED("") },
    { NAMES(""), OK, SETTLED("") },
    // An environment that is linked to no project leaves none to choose.
    { NAMES(REF("environment", "\"lonely\"") "," REF("project", "null")), NARROWED,
      "{\"asked\":\"project\",\"narrowing\":{\"reason\":\"missing_required\","
      "\"ask_user\":\"Which project? There is none to choose from.\",\"candidates\":[],"
      "\"scoped_by\":{\"environment\":\"lonely\"}}}" },
    // What is to be linked is not linked yet.
    { "{\"names\":[" REF("project", "\"Payroll\"") "," REF("environment", "\"lonely\"") "],"
      "\"unscoped\":true}", OK,
      SETTLED("\"project\":{\"id\":3,\"name\":\"Payroll\"},"
              "\"environment\":{\"id\":15,\"name\":\"lonely\"}") },
};
// clang-format on

static int
setup(void **state)
{
    world_setup(state);
    world_t *world = *state;

    world->lists[KIND_PROJECT] = projects;
    world->lists[KIND_ENVIRONMENT] = environments;
    world->lists[KIND_SCENARIO] = scenarios;
    world->lists[KIND_UI_TEST] = ui_tests;
    world->lists[KIND_TARGET] = targets;
    world->lists[KIND_APPLICATION] = applications;
    return 0;
}

static void
play(world_t *world, const turn_t *turn)
{
    const world_answer_t *answer = world_ask(world, turn->asked);

    print_message("  %s\n", turn->asked);
    assert_string_equal(answer->text, "");
    assert_string_equal(answer->body, turn->answer);
    assert_int_equal(answer->status, turn->status);
}

static void
running_by_tag_converges_in_three_turns_in_every_order(void **state)
{
    world_t *world = *state;

    for (size_t i = 0; i < ROWS(run_by_tag); i++)
        play(world, &run_by_tag[i]);
    assert_int_equal(world->fetches[KIND_PROJECT], 1);
    assert_int_equal(world->fetches[KIND_ENVIRONMENT], 1);
    assert_int_equal(world->fetches[KIND_SCENARIO], 1);
    assert_int_equal(world->fetches[KIND_UI_TEST], 1);
}

static void
minutes_between_the_turns_change_nothing(void **state)
{
    world_t *world = *state;

    for (size_t i = 0; i < 3; i++) {
        play(world, &run_by_tag[i]);
        world->now_ms += 20 * 60 * 1000;
    }
    assert_int_equal(world_fetches(world), 4);
}

static void
names_are_settled_project_first_then_in_row_order(void **state)
{
    world_t *world = *state;

    for (size_t i = 0; i < ROWS(by_name); i++)
        play(world, &by_name[i]);
    for (kind_t kind = 0; kind < KIND_COUNT; kind++)
        assert_true(world->fetches[kind] <= 1);
}

static void
an_id_never_causes_a_fetch(void **state)
{
    world_t *world = *state;
    const world_answer_t *answer =
        world_ask(world, NAMES(REF("project", "1") "," REF("environment", "\"12\"") "," REF(
                             "scenario", " 205")));

    assert_int_equal(answer->status, OK);
    assert_string_equal(answer->body,
                        "{\"resolved\":{\"project\":{\"id\":1},"
                        "\"environment\":{\"id\":12},\"scenario\":{\"id\":205}}}");
    assert_int_equal(world_fetches(world), 0);
}

static void
a_question_is_refused_when_it_is_malformed(void **state)
{
    static const char *const bodies[] = {
        "",
        "{",
        "[]",
        "{}",
        "{\"names\":{}}",
        NAMES("{\"param\":\"project\",\"kind\":\"planet\"}"),
        NAMES("{\"kind\":\"project\"}"),
        NAMES(REF("project", "true")),
        NAMES(REF("project", "[1]")),
        NAMES(REF("project", "\"a\\u0000b\"")),
        "{\"names\":[],\"tags\":\"smoke\"}",
        "{\"names\":[],\"tags\":[7]}",
        "{\"names\":[],\"kinds\":[\"manual\"]}",
        "{\"names\":[],\"kinds\":\"api\"}",
    };
    world_t *world = *state;

    for (size_t i = 0; i < ROWS(bodies); i++) {
        const world_answer_t *answer = world_ask(world, bodies[i]);
        assert_int_equal(answer->status, BAD_ARGS);
        assert_string_equal(answer->code, "bad_args");
        assert_true(*answer->text != '\0');
    }
    assert_int_equal(world_fetches(world), 0);
}

// A body of exactly `size` bytes with one long name in it.
static char *
body_of_size(size_t size)
{
    static const char head[] =
        "{\"names\":[{\"param\":\"project\",\"kind\":\"project\",\"value\":\"";
    static const char tail[] = "\"}]}";
    char *body = malloc(size + 1);

    memset(body, 'x', size);
    memcpy(body, head, sizeof head - 1);
    memcpy(body + size - (sizeof tail - 1), tail, sizeof tail);
    return body;
}

static void
the_names_of_a_call_have_a_largest_size(void **state)
{
    world_t *world = *state;

    for (int over = -1; over <= 1; over++) {
        char *body = body_of_size((size_t) (RESOLVE_BODY_MAX + over));
        assert_int_equal(world_ask(world, body)->status, over > 0 ? TOO_LARGE : NARROWED);
        free(body);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(running_by_tag_converges_in_three_turns_in_every_order,
                                        setup, world_teardown),
        cmocka_unit_test_setup_teardown(minutes_between_the_turns_change_nothing, setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(names_are_settled_project_first_then_in_row_order,
                                        setup, world_teardown),
        cmocka_unit_test_setup_teardown(an_id_never_causes_a_fetch, setup, world_teardown),
        cmocka_unit_test_setup_teardown(a_question_is_refused_when_it_is_malformed, setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(the_names_of_a_call_have_a_largest_size, setup,
                                        world_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
