// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "status.h"

static status_t (*const record)(failure_t *, status_t, const char *, ...) = fail;

#include <cmocka.h>  // last: it has a macro called fail

// clang-format off
static const struct {
    long http;
    status_t status;
} answers[] = {
    { 200, OK }, { 204, OK }, { 299, OK }, { 302, BACKEND }, { 400, BAD_ARGS },
    { 401, UNAUTHORIZED }, { 403, DENIED }, { 404, NOT_FOUND }, { 409, CONFLICT },
    { 413, TOO_LARGE }, { 422, BAD_ARGS }, { 429, BUSY }, { 500, BACKEND }, { 503, BUSY }, { 0, BACKEND },
};
// clang-format on

static void
http_codes_become_statuses(void **state)
{
    for (size_t i = 0; i < ROWS(answers); i++)
        assert_int_equal(status_from_http(answers[i].http), answers[i].status);
}

static void
every_status_has_name_text_code_and_outcome(void **state)
{
    for (int i = 0; i < STATUS_COUNT; i++) {
        assert_true(strlen(status_name((status_t) i)) > 1);
        assert_true(strlen(status_text((status_t) i)) > 3);
        assert_true(status_http((status_t) i) >= 200);
        assert_true(strlen(outcome_name(status_outcome((status_t) i))) > 1);
    }
    assert_int_equal(status_rpc(NO_TOOL), -32602);
}

static void
a_number_from_the_wire_that_is_no_status_is_harmless(void **state)
{
    assert_string_equal(status_name((status_t) 999), "unknown");
    assert_string_equal(status_name((status_t) -1), "unknown");
    assert_string_equal(outcome_name((outcome_t) 999), "unknown");
    assert_int_equal(status_http((status_t) 999), 502);
}

static void
a_long_sentence_is_cut_on_a_code_point(void **state)
{
    failure_t why;
    char text[sizeof why.text + 8];

    for (size_t shift = 0; shift < 4; shift++) {
        memset(text, 'x', sizeof text);
        for (size_t i = shift; i + 4 < sizeof text; i += 4)
            memcpy(text + i, "\xf0\x9f\x98\x80", 4);
        text[sizeof text - 1] = '\0';
        assert_int_equal(record(&why, BUSY, "%s", text), BUSY);
        size_t length = strlen(why.text);
        assert_true(length >= sizeof why.text - 4);
        assert_int_equal((length - shift) % 4, 0);
        assert_int_equal(why.outcome, NOT_SENT);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(http_codes_become_statuses),
        cmocka_unit_test(every_status_has_name_text_code_and_outcome),
        cmocka_unit_test(a_number_from_the_wire_that_is_no_status_is_harmless),
        cmocka_unit_test(a_long_sentence_is_cut_on_a_code_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
