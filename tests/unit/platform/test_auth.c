// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <jwt.h>
#include <sys/stat.h>
#include <time.h>

#include "keyfile.h"
#include "limits.h"
#include "rest.h"

#include <cmocka.h>  // last: it defines fail()

static rest_t rest;

static int
open_rest(void **state)
{
    rest_open(&rest);
    rest.token = rest_token(&rest, "admin");
    return 0;
}

static int
close_rest(void **state)
{
    rest_close(&rest);
    return 0;
}

#define USER(name, role)                                                                       \
    "{\"username\": \"" name "\", \"password\": \"correct horse\", \"role\": \"" role "\"}"
#define LOGIN(name, password) "{\"username\": \"" name "\", \"password\": \"" password "\"}"

static const char *
bearer(const char *token)
{
    return arena_printf(rest.arena, "Bearer %s", token);
}

static void
a_user_logs_in_and_is_known(void **state)
{
    assert_int_equal(POST(&rest, "/api/users", USER("Ada", "analyst")), 201);
    assert_string_equal(rest_text(&rest),
                        "{\"id\":2,\"username\":\"Ada\",\"role\":\"analyst\",\"active\":true}");
    rest.token = NULL;
    assert_int_equal(POST(&rest, "/api/auth/login", LOGIN("ada", "correct horse")), 200);
    assert_string_equal(rest_member(&rest, "token"), rest_member(&rest, "accessToken"));
    const json_t *user = json_get(rest_json(&rest), "user");
    assert_string_equal(json_get_text(user, "username"), "Ada");
    rest.token = bearer(rest_member(&rest, "token"));
    assert_int_equal(GET(&rest, "/api/auth/whoami"), 200);
    assert_string_equal(rest_member(&rest, "principal"), "proofarc|Ada|analyst");
}

static double
seconds_of_login(const char *body, int code)
{
    struct timespec from, to;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    assert_int_equal(POST(&rest, "/api/auth/login", body), code);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    return (double) (to.tv_sec - from.tv_sec) + (double) (to.tv_nsec - from.tv_nsec) / 1e9;
}

static void
a_wrong_pair_takes_as_long_as_a_right_one(void **state)
{
    double right = 1e9, wrong = 1e9, nobody = 1e9;

    POST(&rest, "/api/users", USER("ada", "analyst"));
    for (int i = 0; i < 3; i++) {
        double one = seconds_of_login(LOGIN("ada", "correct horse"), 200);
        double two = seconds_of_login(LOGIN("ada", "wrong horse"), 401);
        double three = seconds_of_login(LOGIN("nobody", "correct horse"), 401);
        right = one < right ? one : right;
        wrong = two < wrong ? two : wrong;
        nobody = three < nobody ? three : nobody;
    }
    print_message("  right %.3f s, wrong %.3f s, nobody %.3f s\n", right, wrong, nobody);
    assert_true(wrong > right * 0.5 && wrong < right * 2);
    assert_true(nobody > right * 0.5 && nobody < right * 2);
}

static void
answers_to_a_wrong_name_and_a_wrong_password_are_the_same(void **state)
{
    POST(&rest, "/api/users", USER("ada", "analyst"));
    assert_int_equal(POST(&rest, "/api/auth/login", LOGIN("ada", "wrong")), 401);
    const char *wrong = arena_strdup(rest.arena, rest_text(&rest));
    assert_int_equal(POST(&rest, "/api/auth/login", LOGIN("nobody", "wrong")), 401);
    assert_string_equal(rest_text(&rest), wrong);
}

static void
ten_misses_in_a_minute_close_a_name(void **state)
{
    POST(&rest, "/api/users", USER("ada", "analyst"));
    for (int i = 0; i < 10; i++)
        assert_int_equal(POST(&rest, "/api/auth/login", LOGIN("ADA", "wrong")), 401);
    assert_int_equal(POST(&rest, "/api/auth/login", LOGIN("ada", "correct horse")), 429);
    assert_string_equal(rest_error(&rest), "TOO_MANY_LOGINS");
    assert_int_equal(POST(&rest, "/api/auth/login", LOGIN("bob", "wrong")), 401);
    rest.wall_ms += 60 * 1000;
    assert_int_equal(POST(&rest, "/api/auth/login", LOGIN("ada", "correct horse")), 200);
}

// ---- tokens

static const char *
forged(jwt_alg_t algorithm, int key_byte, const char *issuer)
{
    unsigned char key[KEY_SIZE];
    jwt_t *jwt = NULL;

    memset(key, key_byte, sizeof key);
    assert_int_equal(jwt_new(&jwt), 0);
    bool is_none = algorithm == JWT_ALG_NONE;
    assert_int_equal(jwt_set_alg(jwt, algorithm, is_none ? NULL : key, is_none ? 0 : KEY_SIZE),
                     0);
    jwt_add_grant(jwt, "iss", issuer);
    jwt_add_grant(jwt, "sub", "admin");
    jwt_add_grant(jwt, "role", "admin");
    jwt_add_grant(jwt, "jti", "0123456789abcdef0123456789abcdef");
    char *text = jwt_encode_str(jwt);
    const char *header = bearer(text);
    free(text);
    jwt_free(jwt);
    return header;
}

static void
only_tokens_of_ours_are_let_in(void **state)
{
    AUTO(buffer_clear) buffer_t long_one = { 0 };
    buffer_text(&long_one, "Bearer ");
    for (int i = 0; i <= TOKEN_MAX; i++)
        buffer_char(&long_one, 'x');
    const char *good = rest.token;
    char *cut = arena_strdup(rest.arena, good);
    cut[strlen(cut) - 2] ^= 1;
    const char *const bad[] = {
        NULL,
        "",
        "Bearer",
        "Bearer ",
        "Bearer x.y.z",
        "Basic YTpi",
        cut,
        long_one.bytes,
        forged(JWT_ALG_HS256, 2, "proofarc"),  // the right key, a token nobody made
        forged(JWT_ALG_HS256, 3, "proofarc"),
        forged(JWT_ALG_HS512, 2, "proofarc"),
        forged(JWT_ALG_NONE, 2, "proofarc"),
        forged(JWT_ALG_HS256, 2, "other"),
    };

    assert_int_equal(GET(&rest, "/api/projects"), 200);
    for (size_t i = 0; i < ROWS(bad); i++) {
        rest.token = bad[i];
        assert_int_equal(GET(&rest, "/api/projects"), 401);
        assert_string_equal(rest_error(&rest), "UNAUTHORIZED");
    }
}

static void
a_token_ends_with_its_time(void **state)
{
    rest.wall_ms += (int64_t) 30 * 24 * 60 * 60 * 1000 - 1;
    assert_int_equal(GET(&rest, "/api/projects"), 200);
    rest.wall_ms += 1;
    assert_int_equal(GET(&rest, "/api/projects"), 401);
    assert_non_null(strstr(rest_text(&rest), "expired"));
}

static void
a_deleted_token_and_a_user_switched_off_are_refused_at_once(void **state)
{
    const char *admin = rest.token;

    assert_int_equal(POST(&rest, "/api/tokens", "{\"name\": \"ci\", \"role\": \"viewer\"}"),
                     201);
    int64_t id = rest_number(&rest, "id");
    const char *token = rest_member(&rest, "token");
    assert_non_null(token);
    GET(&rest, "/api/tokens");
    assert_null(strstr(rest_text(&rest), token));
    rest.token = bearer(token);
    assert_int_equal(GET(&rest, "/api/projects"), 200);
    rest.token = admin;
    const char *path = arena_printf(rest.arena, "/api/tokens/%d", (int) id);
    assert_int_equal(rest_send(&rest, "DELETE", path, NULL), 200);
    assert_int_equal(rest_send(&rest, "DELETE", path, NULL), 404);
    rest.token = bearer(token);
    assert_int_equal(GET(&rest, "/api/projects"), 401);

    rest.token = rest_token(&rest, "analyst");
    const char *analyst = rest.token;
    assert_int_equal(GET(&rest, "/api/projects"), 200);
    rest.token = admin;
    assert_int_equal(PATCH(&rest, "/api/users/2", "{\"active\": false}"), 200);
    rest.token = analyst;
    assert_int_equal(GET(&rest, "/api/projects"), 401);
    rest.token = admin;
    assert_int_equal(PATCH(&rest, "/api/users/1", "{\"active\": false}"), 409);
    assert_string_equal(rest_error(&rest), "LAST_ADMIN");
    assert_int_equal(PATCH(&rest, "/api/users/1", "{\"role\": \"viewer\"}"), 409);
    assert_int_equal(PATCH(&rest, "/api/users/99", "{\"active\": true}"), 404);
}

static void
a_changed_role_or_password_ends_the_tokens_of_a_user(void **state)
{
    const char *admin = rest.token, *analyst = rest_token(&rest, "analyst");
    static const char *const changes[] = { "{\"role\": \"viewer\"}",
                                           "{\"password\": \"new\"}" };

    for (size_t i = 0; i < ROWS(changes); i++) {
        rest.token = admin;
        assert_int_equal(PATCH(&rest, "/api/users/2", changes[i]), 200);
        rest.token = analyst;
        assert_int_equal(GET(&rest, "/api/projects"), 401);
        analyst = rest_token(&rest, "analyst");
    }
}

// clang-format off
static const struct {
    const char *method, *path, *body;
    bool viewer, analyst, admin, agent;
} rights[] = {
    { "GET",  "/api/projects", NULL,                      true,  true,  true,  false },
    { "POST", "/api/projects", "{\"name\": \"%d\"}",      false, true,  true,  false },
    { "GET",  "/api/auth/whoami", NULL,                   true,  true,  true,  false },
    { "GET",  "/api/users", NULL,                         false, false, true,  false },
    { "GET",  "/api/tokens", NULL,                        false, false, true,  false },
    { "POST", "/api/agent/register",
      "{\"name\": \"a%d\", \"version\": \"1\", \"engines\": [\"api\"]}",
                                                          false, false, true,  true  },
    { "GET",  "/api/health", NULL,                        true,  true,  true,  true  },
};
// clang-format on

static void
every_role_may_do_its_own_and_no_more(void **state)
{
    static const char *const roles[] = { "viewer", "analyst", "admin", "agent" };

    for (size_t role = 0; role < ROWS(roles); role++) {
        rest.token = rest_token(&rest, roles[role]);
        for (size_t i = 0; i < ROWS(rights); i++) {
            const bool may[] = { rights[i].viewer, rights[i].analyst, rights[i].admin,
                                 rights[i].agent };
            AUTO(buffer_clear) buffer_t body = { 0 };
            if (rights[i].body) {
                const char *hole = strstr(rights[i].body, "%d");
                buffer_add(&body, rights[i].body, (size_t) (hole - rights[i].body));
                buffer_printf(&body, "%zu", role);
                buffer_text(&body, hole + 2);
            }
            int code = rest_send(&rest, rights[i].method, rights[i].path, body.bytes);
            print_message("  %s %s %s %d\n", roles[role], rights[i].method, rights[i].path,
                          code);
            assert_true(may[role] ? code < 300 : code == 403);
        }
    }
}

// ---- first start

static void
the_first_start_makes_owner_and_agent_and_the_next_keeps_them(void **state)
{
    const char *credentials = arena_printf(rest.arena, "%s/credentials", rest.dir);
    const char *token_file = arena_printf(rest.arena, "%s/agent.token", rest.dir);
    failure_t why;
    char *pair = NULL, *token = NULL, *again = NULL;
    struct stat made;

    assert_int_equal(
        auth_first_start(&rest.platform, rest.store, credentials, token_file, &why), EXIT_DONE);
    assert_int_equal(stat(credentials, &made), 0);
    assert_int_equal(made.st_mode & 0777, 0600);
    assert_int_equal(keyfile_read(credentials, &pair, &why), EXIT_DONE);
    assert_int_equal(keyfile_read(token_file, &token, &why), EXIT_DONE);
    rest.wall_ms = clock_wall_ms();
    rest.token = NULL;
    assert_int_equal(POST(&rest, "/api/auth/login", pair), 200);
    assert_string_equal(json_get_text(json_get(rest_json(&rest), "user"), "role"), "admin");
    rest.token = bearer(token);
    assert_int_equal(POST(&rest, "/api/agent/register",
                          "{\"name\": \"a\", \"version\": \"1\", \"engines\": [\"api\"]}"),
                     200);

    assert_int_equal(
        auth_first_start(&rest.platform, rest.store, credentials, token_file, &why), EXIT_DONE);
    assert_int_equal(keyfile_read(token_file, &again, &why), EXIT_DONE);
    assert_string_equal(again, token);
    free(pair);
    free(token);
    free(again);
}

static void
the_owners_pair_is_taken_from_the_file_that_is_there(void **state)
{
    const char *credentials = arena_printf(rest.arena, "%s/credentials", rest.dir);
    failure_t why;

    assert_int_equal(keyfile_write(credentials, LOGIN("boss", "my own"), &why), EXIT_DONE);
    assert_int_equal(auth_first_start(&rest.platform, rest.store, credentials, NULL, &why),
                     EXIT_DONE);
    rest.wall_ms = clock_wall_ms();
    assert_int_equal(POST(&rest, "/api/auth/login", LOGIN("boss", "my own")), 200);
    assert_int_equal(chmod(credentials, 0644), 0);
    assert_int_equal(auth_first_start(&rest.platform, rest.store, credentials, NULL, &why),
                     EXIT_KEY);
    assert_int_equal(chmod(credentials, 0600), 0);
    assert_int_equal(keyfile_write(credentials, "{\"username\": \"boss\"}", &why), EXIT_DONE);
    assert_int_equal(auth_first_start(&rest.platform, rest.store, credentials, NULL, &why),
                     EXIT_KEY);
    assert_non_null(strstr(why.text, "must hold"));
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rest, close_rest)
    const struct CMUnitTest tests[] = {
        TEST(a_user_logs_in_and_is_known),
        TEST(a_wrong_pair_takes_as_long_as_a_right_one),
        TEST(answers_to_a_wrong_name_and_a_wrong_password_are_the_same),
        TEST(ten_misses_in_a_minute_close_a_name),
        TEST(only_tokens_of_ours_are_let_in),
        TEST(a_token_ends_with_its_time),
        TEST(a_deleted_token_and_a_user_switched_off_are_refused_at_once),
        TEST(a_changed_role_or_password_ends_the_tokens_of_a_user),
        TEST(every_role_may_do_its_own_and_no_more),
        TEST(the_first_start_makes_owner_and_agent_and_the_next_keeps_them),
        TEST(the_owners_pair_is_taken_from_the_file_that_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
