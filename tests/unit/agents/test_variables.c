// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "limits.h"
#include "variables.h"

#include <cmocka.h>

static variables_t *
sample(arena_t *arena)
{
    variables_t *self = variables_new(arena);

    variables_set_text(self, "name", "a b/c");
    variables_set_text(self, "template", "{{ .Name }} and {{name}}");
    variables_set(self, "id", json_number_text(arena, "1003200000000001759"));
    variables_set(self, "list", json_parse_text(arena, "[1,{\"x\":null}]"));
    return self;
}

// clang-format off
static const struct {
    const char *text;
    fill_t how;
    const char *filled;  // NULL: refused
} rows[] = {
    { "",                       FILL_PLAIN, "" },
    { "no braces",              FILL_PLAIN, "no braces" },
    { "x{{name}}y",             FILL_PLAIN, "xa b/cy" },
    { "{{ name }}{{\tname\t}}", FILL_PLAIN, "a b/ca b/c" },
    { "/items/{{id}}",          FILL_PATH,  "/items/1003200000000001759" },
    { "/items/{{name}}",        FILL_PATH,  "/items/a%20b%2Fc" },
    { "{{name}}/x",             FILL_PATH,  "a b/c/x" },
    { "q={{name}}",             FILL_QUERY, "q=a%20b%2Fc" },
    { "{{template}}",           FILL_PLAIN, "{{ .Name }} and {{name}}" },  // never expanded again
    { "{{list}}",               FILL_PLAIN, "[1,{\"x\":null}]" },
    { "{{nothing}}",            FILL_PLAIN, NULL },
    { "{{",                     FILL_PLAIN, "{{" },
    { "{{}} {{ }}",             FILL_PLAIN, "{{}} {{ }}" },
    { "{{{name}}}",             FILL_PLAIN, "{a b/c}" },
    { "{\"a\":{\"b\":1}}",      FILL_PLAIN, "{\"a\":{\"b\":1}}" },
};
// clang-format on

static void
names_in_braces_are_replaced_once(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        const char *filled = NULL;
        failure_t why = { 0 };

        print_message("  %s\n", rows[i].text);
        status_t status =
            variables_fill(sample(arena), arena, rows[i].text, rows[i].how, &filled, &why);
        assert_int_equal(status, rows[i].filled ? OK : BAD_ARGS);
        if (rows[i].filled)
            assert_string_equal(filled, rows[i].filled);
        else
            assert_string_equal(why.text,
                                "Nothing supplied a value for {{nothing}}; there are: "
                                "name, template, id, list");
    }
}

static void
a_whole_json_string_keeps_the_type_of_its_value(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *filled = NULL;
    failure_t why = { 0 };
    const json_t *body = json_parse_text(
        arena, "{\"id\":\"{{id}}\",\"text\":\"no {{id}}\",\"{{name}}\":[\"{{list}}\",true]}");

    assert_int_equal(variables_fill_json(sample(arena), arena, body, &filled, &why), OK);
    assert_string_equal(json_text(arena, filled),
                        "{\"id\":1003200000000001759,\"text\":\"no 1003200000000001759\","
                        "\"a b/c\":[[1,{\"x\":null}],true]}");
}

static const struct {
    const char *generator;
    const char *arguments;
    const char *refusal;  // NULL: it makes a value
} generators[] = {
    { "uuid", "[]", NULL },
    { "timestamp", "[]", NULL },
    { "isoTimestamp", "[]", NULL },
    { "randomInt", "[\"5\",\"5\"]", NULL },
    { "randomInt", "[\"5\",\"4\"]", "randomInt(min,max) takes two numbers, not 5,4" },
    { "randomInt", "[\"x\"]", "randomInt(min,max) takes two numbers, not x," },
    { "randomString", "[\"12\"]", NULL },
    { "randomString", "[\"0\"]", "randomString(length) takes a length from 1 to 4096, not 0" },
    { "randomString", "[\"4097\"]",
      "randomString(length) takes a length from 1 to 4096, not 4097" },
    { "env", "[\"TEST_VARIABLE\"]", NULL },
    { "env", "[\"NO_SUCH_VARIABLE\"]",
      "the agent's environment has no variable NO_SUCH_VARIABLE" },
    { "env", "[\"PROOFARC_TOKEN\"]", "PROOFARC_TOKEN is the agent's own and not for tests" },
    { "dice", "[]", "there is no generator dice" },
};

static void
generators_make_fresh_values_or_say_why_not(void **state)
{
    setenv("TEST_VARIABLE", "from outside", 1);
    for (size_t i = 0; i < ROWS(generators); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        variables_t *self = variables_new(arena);
        failure_t why = { 0 };

        print_message("  %s%s\n", generators[i].generator, generators[i].arguments);
        status_t status =
            variables_generate(self, "v", generators[i].generator,
                               json_parse_text(arena, generators[i].arguments), &why);
        assert_int_equal(status == OK, generators[i].refusal == NULL);
        if (generators[i].refusal)
            assert_string_equal(why.text, generators[i].refusal);
        else
            assert_true(variables_get(self, "v")->length > 0);
    }
}

static void
uuids_are_random_and_of_version_4(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    variables_t *self = variables_new(arena);
    failure_t why;

    variables_generate(self, "a", "uuid", NULL, &why);
    variables_generate(self, "b", "uuid", NULL, &why);
    const char *a = variables_get(self, "a")->text;
    assert_int_equal(strlen(a), 36);
    assert_int_equal(a[14], '4');
    assert_non_null(strchr("89ab", a[19]));
    assert_string_not_equal(a, variables_get(self, "b")->text);
}

static void
a_timestamp_counts_seconds(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    variables_t *self = variables_new(arena);
    int64_t seconds = 0;
    failure_t why;

    variables_generate(self, "now", "timestamp", NULL, &why);
    assert_true(json_int(variables_get(self, "now"), &seconds));
    assert_true(seconds > 1700000000 && seconds < 10000000000);
}

// Many times a long value: the text would grow without end.
static void
a_text_has_a_limit_once_it_is_filled_in(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    char *text = arena_alloc(arena, VARIABLES_FILLED_MAX / 2 + 2);

    memset(text, 'x', VARIABLES_FILLED_MAX / 2);
    for (int more = 0; more <= 1; more++) {
        variables_t *self = variables_new(arena);
        const char *filled = NULL;
        failure_t why = { 0 };
        text[VARIABLES_FILLED_MAX / 2 - 1 + more] = '\0';
        variables_set_text(self, "v", text);
        text[VARIABLES_FILLED_MAX / 2 - 1 + more] = 'x';
        status_t status =
            variables_fill(self, arena, "{{v}}xx{{v}}", FILL_PLAIN, &filled, &why);
        assert_int_equal(status, more ? TOO_LARGE : OK);
        assert_int_equal(filled != NULL, !more);
    }
}

static void
a_body_has_a_limit_once_it_is_filled_in(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    variables_t *self = variables_new(arena);
    json_t *body = json_array(arena), *filled = NULL;
    char *text = arena_alloc(arena, 4 * MIB);
    failure_t why = { 0 };

    memset(text, 'x', 4 * MIB - 1);
    variables_set_text(self, "v", text);
    for (int i = 0; i < 100; i++)
        json_add(body, json_string(arena, "{{v}}"));
    assert_int_equal(variables_fill_json(self, arena, body, &filled, &why), TOO_LARGE);
    assert_true(arena_size(arena) < 300 * MIB);
}

static void
values_are_encoded_for_urls(void **state)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    variables_encode(&out, "aZ09-._~ /?&=+%\xc3\xa4{}");
    assert_string_equal(out.bytes, "aZ09-._~%20%2F%3F%26%3D%2B%25%C3%A4%7B%7D");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_in_braces_are_replaced_once),
        cmocka_unit_test(a_whole_json_string_keeps_the_type_of_its_value),
        cmocka_unit_test(generators_make_fresh_values_or_say_why_not),
        cmocka_unit_test(uuids_are_random_and_of_version_4),
        cmocka_unit_test(a_timestamp_counts_seconds),
        cmocka_unit_test(a_text_has_a_limit_once_it_is_filled_in),
        cmocka_unit_test(a_body_has_a_limit_once_it_is_filled_in),
        cmocka_unit_test(values_are_encoded_for_urls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
