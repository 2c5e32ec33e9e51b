// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <sodium.h>

#include "auto.h"
#include "limits.h"
#include "mcp/session.h"

#include <cmocka.h>

enum { NOW_S = 1800 * 1000 * 1000 };

static const unsigned char key[KEY_SIZE] = { 1, 2, 3 };
static const unsigned char other_key[KEY_SIZE] = { 3, 2, 1 };
static const int64_t now_ms = (int64_t) NOW_S * 1000;

static void
issue(sessions_t *sessions, char id[SESSION_ID_SIZE])
{
    sessions_issue(sessions, "proofarc|ann|analyst", PROTOCOL_2025_06_18,
                   CAPABILITY_ROOTS | CAPABILITY_SAMPLING, now_ms, id);
}

static bool
is_known(sessions_t *sessions, const char *id, const char *principal, int64_t at_ms)
{
    session_t session;

    return sessions_check(sessions, id, principal, at_ms, &session);
}

static void
an_id_says_what_the_session_is(void **state)
{
    AUTO(sessions_destroy) sessions_t *sessions = sessions_new(key);
    AUTO(sessions_destroy) sessions_t *same_key = sessions_new(key);
    char id[SESSION_ID_SIZE];
    session_t session;

    issue(sessions, id);
    assert_int_equal(strlen(id), SESSION_ID_SIZE - 1);
    assert_int_equal(
        strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
        strlen(id));
    assert_true(sessions_check(same_key, id, "proofarc|ann|analyst", now_ms, &session));
    assert_int_equal(session.protocol, PROTOCOL_2025_06_18);
    assert_int_equal(session.capabilities, CAPABILITY_ROOTS | CAPABILITY_SAMPLING);
    assert_int_equal(strlen(session.key), SESSION_KEY_SIZE - 1);
}

static void
two_sessions_have_nothing_in_common(void **state)
{
    AUTO(sessions_destroy) sessions_t *sessions = sessions_new(key);
    char a[SESSION_ID_SIZE], b[SESSION_ID_SIZE];

    issue(sessions, a);
    issue(sessions, b);
    assert_string_not_equal(a, b);
}

static void
another_principal_does_not_know_it(void **state)
{
    AUTO(sessions_destroy) sessions_t *sessions = sessions_new(key);
    char id[SESSION_ID_SIZE];

    issue(sessions, id);
    assert_true(is_known(sessions, id, "proofarc|ann|analyst", now_ms));
    assert_false(is_known(sessions, id, "proofarc|bob|analyst", now_ms));
    assert_false(is_known(sessions, id, "proofarc|ann|admin", now_ms));
    assert_false(is_known(sessions, id, "", now_ms));
}

static void
it_lives_for_a_day(void **state)
{
    AUTO(sessions_destroy) sessions_t *sessions = sessions_new(key);
    char id[SESSION_ID_SIZE];

    issue(sessions, id);
    assert_true(is_known(sessions, id, "proofarc|ann|analyst", now_ms + SESSION_MS - 1));
    assert_false(is_known(sessions, id, "proofarc|ann|analyst", now_ms + SESSION_MS));
    assert_false(is_known(sessions, id, "proofarc|ann|analyst", now_ms - SESSION_MS));
}

static void
no_changed_character_passes(void **state)
{
    AUTO(sessions_destroy) sessions_t *sessions = sessions_new(key);
    char id[SESSION_ID_SIZE];

    issue(sessions, id);
    for (size_t i = 0; i < SESSION_ID_SIZE - 1; i++) {
        char kept = id[i];
        id[i] = kept == 'A' ? 'B' : 'A';
        assert_false(is_known(sessions, id, "proofarc|ann|analyst", now_ms));
        id[i] = kept;
    }
    assert_true(is_known(sessions, id, "proofarc|ann|analyst", now_ms));
}

static void
what_is_no_id_is_unknown(void **state)
{
    static const char *const texts[] = { "", "nope", "====", "AQ", "\xff\xfe", "a b" };
    AUTO(sessions_destroy) sessions_t *sessions = sessions_new(key);
    AUTO(sessions_destroy) sessions_t *foreign = sessions_new(other_key);
    char id[SESSION_ID_SIZE], longer[SESSION_ID_SIZE + 4];

    for (size_t i = 0; i < ROWS(texts); i++)
        assert_false(is_known(sessions, texts[i], "proofarc|ann|analyst", now_ms));
    issue(foreign, id);
    assert_false(is_known(sessions, id, "proofarc|ann|analyst", now_ms));
    issue(sessions, id);
    snprintf(longer, sizeof longer, "%sAAAA", id);
    assert_false(is_known(sessions, longer, "proofarc|ann|analyst", now_ms));
    id[SESSION_ID_SIZE - 3] = '\0';
    assert_false(is_known(sessions, id, "proofarc|ann|analyst", now_ms));
}

static void
an_ended_session_is_unknown_and_others_are_not(void **state)
{
    AUTO(sessions_destroy) sessions_t *sessions = sessions_new(key);
    char a[SESSION_ID_SIZE], b[SESSION_ID_SIZE];
    session_t session;

    issue(sessions, a);
    issue(sessions, b);
    assert_true(sessions_check(sessions, a, "proofarc|ann|analyst", now_ms, &session));
    sessions_end(sessions, session.key, now_ms);
    sessions_end(sessions, session.key, now_ms);
    sessions_end(sessions, "no key", now_ms);
    assert_int_equal(sessions_ended(sessions), 1);
    assert_false(is_known(sessions, a, "proofarc|ann|analyst", now_ms));
    assert_true(is_known(sessions, b, "proofarc|ann|analyst", now_ms));
}

static void
what_was_known_once_is_looked_at_again(void **state)
{
    AUTO(sessions_destroy) sessions_t *sessions = sessions_new(key);
    char id[SESSION_ID_SIZE];
    session_t session;

    issue(sessions, id);
    for (int i = 0; i < 2; i++) {
        assert_true(sessions_check(sessions, id, "proofarc|ann|analyst", now_ms, &session));
        assert_int_equal(session.capabilities, CAPABILITY_ROOTS | CAPABILITY_SAMPLING);
        assert_int_equal(strlen(session.key), SESSION_KEY_SIZE - 1);
    }
    assert_false(is_known(sessions, id, "proofarc|bob|analyst", now_ms));
    assert_false(is_known(sessions, id, "", now_ms));
    assert_false(is_known(sessions, id, "proofarc|ann|analyst", now_ms + SESSION_MS));
    sessions_end(sessions, session.key, now_ms);
    assert_false(is_known(sessions, id, "proofarc|ann|analyst", now_ms));
}

// More than are remembered, and principals that are too long for it.
static void
any_number_of_sessions_is_known(void **state)
{
    AUTO(sessions_destroy) sessions_t *sessions = sessions_new(key);
    enum { MANY = 3000 };
    static char ids[MANY][SESSION_ID_SIZE];
    char principal[300] = { 0 };

    memset(principal, 'x', sizeof principal - 1);
    for (int i = 0; i < MANY; i++)
        sessions_issue(sessions, i % 2 ? "ann" : principal, PROTOCOL_2025_06_18, 0, now_ms,
                       ids[i]);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MANY; i++) {
            assert_true(is_known(sessions, ids[i], i % 2 ? "ann" : principal, now_ms));
            assert_false(is_known(sessions, ids[i], i % 2 ? principal : "ann", now_ms));
        }
}

static void
what_has_ended_is_bounded(void **state)
{
    AUTO(sessions_destroy) sessions_t *sessions = sessions_new(key);
    char name[SESSION_KEY_SIZE];

    for (int i = 0; i < SESSIONS_MAX + 10; i++) {
        snprintf(name, sizeof name, "%032x", (unsigned) i);
        sessions_end(sessions, name, now_ms);
    }
    assert_int_equal(sessions_ended(sessions), SESSIONS_MAX);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_says_what_the_session_is),
        cmocka_unit_test(two_sessions_have_nothing_in_common),
        cmocka_unit_test(another_principal_does_not_know_it),
        cmocka_unit_test(it_lives_for_a_day),
        cmocka_unit_test(no_changed_character_passes),
        cmocka_unit_test(what_is_no_id_is_unknown),
        cmocka_unit_test(an_ended_session_is_unknown_and_others_are_not),
        cmocka_unit_test(what_was_known_once_is_looked_at_again),
        cmocka_unit_test(any_number_of_sessions_is_known),
        cmocka_unit_test(what_has_ended_is_bounded),
    };
    return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
