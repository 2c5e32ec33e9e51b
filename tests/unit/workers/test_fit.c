// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "fit.h"
#include "limits.h"

#include <cmocka.h>  // last: it defines fail()

static size_t
cost(arena_t *arena, const json_t *value)
{
    const char *json = json_text(arena, value);

    return fit_cost(json, strlen(json));
}

static const char *
text_of(arena_t *arena, size_t size, const char *piece)
{
    AUTO(buffer_clear) buffer_t text = { 0 };

    while (text.size < size)
        buffer_text(&text, piece);
    return arena_strdup(arena, text.bytes);
}

// What the client gets: the JSON itself, and the same bytes as a JSON string.
static void
both_copies_are_counted_with_their_escapes(void **state)
{
    static const char *const rows[] = { "{}", "{\"a\":1}", "{\"a\":\"b\\\"c\"}",
                                        "{\"a\":\"\\u0001\\n\\\\\"}", "{\"a\":\"ü€😀\"}" };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(buffer_clear) buffer_t twice = { 0 };
        buffer_text(&twice, rows[i]);
        json_write_string(&twice, rows[i], strlen(rows[i]));
        assert_int_equal(fit_cost(rows[i], strlen(rows[i])), twice.size);
    }
}

static void
what_fits_stays_as_it_is_and_one_byte_more_does_not(void **state)
{
    for (int more = -1; more <= 1; more++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        json_t *result = json_object(arena);

        json_set_text(arena, result, "log", text_of(arena, 20000, "x"));
        const size_t size = cost(arena, result);
        assert_true(fit_result(arena, result, size + (size_t) -more, "it"));
        const bool is_whole = cost(arena, result) == size;
        assert_int_equal(is_whole, more <= 0);
        assert_true(cost(arena, result) <= size + (size_t) -more);
    }
}

static void
the_longest_texts_become_stubs_that_say_how_to_read_them(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *result = json_object(arena);
    json_t *steps = json_set(arena, result, "steps", json_array(arena));

    for (int i = 0; i < 3; i++)
        json_set_text(arena, json_add(steps, json_object(arena)), "body",
                      text_of(arena, 10000 * (size_t) (i + 1), "y"));
    json_set_text(arena, result, "short", text_of(arena, STUB_OVER, "s"));
    assert_true(fit_result(arena, result, 90000, "GET /api/x of the platform"));

    const json_t *first = steps->first;
    assert_int_equal(strlen(json_get_text(first, "body")), 10000);
    assert_int_equal(strlen(json_get_text(first->next, "body")), 20000);
    const char *stub = json_get_text(first->next->next, "body");
    assert_int_equal(strspn(stub, "y"), KIB);
    assert_string_equal(stub + KIB,
                        "… (28976 bytes left out; read with GET /api/x of the platform)");
    assert_int_equal(strlen(json_get_text(result, "short")), STUB_OVER);
}

static void
a_stub_is_cut_on_a_code_point(void **state)
{
    static const char *const pieces[] = { "ü", "€", "😀" };

    for (size_t i = 0; i < ROWS(pieces); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        json_t *result = json_object(arena);
        json_document_t document;
        failure_t why;

        json_set_text(arena, result, "a", text_of(arena, 20000, pieces[i]));
        json_set_text(arena, result, "b",
                      arena_printf(arena, "x%s", text_of(arena, 20000, pieces[i])));
        assert_true(fit_result(arena, result, 8000, "it"));
        const char *json = json_text(arena, result);
        assert_null(strstr(json, "\xef\xbf\xbd"));
        assert_int_equal(json_parse(arena, json, strlen(json), &document, &why), OK);
    }
}

static json_t *
list_of(arena_t *arena, int count)
{
    json_t *result = json_object(arena);
    json_t *things = json_set(arena, result, "things", json_array(arena));

    for (int i = 0; i < count; i++)
        json_set_int(arena, json_add(things, json_object(arena)), "id", 1000 + i);
    json_set_int(arena, result, "total", count);
    json_set_int(arena, result, "returned", count);
    return result;
}

static void
lists_lose_their_end_and_say_so(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *result = list_of(arena, 1000);

    assert_true(fit_result(arena, result, 4000, "it"));
    const json_t *things = json_get(result, "things");
    assert_in_range(cost(arena, result), 3700, 4000);
    assert_int_equal(json_get_int(result, "returned", 0), things->count);
    assert_int_equal(json_get_int(things->first, "id", 0), 1000);
    assert_int_equal(json_get_int(things->last, "id", 0), 1000 + (int) things->count - 1);
    assert_int_equal(json_get_int(result, "total", 0), 1000);
    assert_true(json_get_bool(result, "truncated", false));
}

static void
what_cannot_be_made_smaller_is_told(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *result = json_object(arena);

    for (int i = 0; i < 100; i++)
        json_set_text(arena, result, arena_printf(arena, "field%d", i),
                      text_of(arena, STUB_OVER, "z"));
    assert_false(fit_result(arena, result, 100000, "it"));
}

static void
quotes_and_control_characters_count_what_they_take(void **state)
{
    static const char *const pieces[] = { "\"", "\\", "\x01", "\n" };

    for (size_t i = 0; i < ROWS(pieces); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        json_t *result = json_object(arena);

        json_set_text(arena, result, "log", text_of(arena, RESULT_MAX, pieces[i]));
        assert_true(fit_result(arena, result, RESULT_MAX, "it"));
        assert_true(cost(arena, result) <= RESULT_MAX);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_copies_are_counted_with_their_escapes),
        cmocka_unit_test(what_fits_stays_as_it_is_and_one_byte_more_does_not),
        cmocka_unit_test(the_longest_texts_become_stubs_that_say_how_to_read_them),
        cmocka_unit_test(a_stub_is_cut_on_a_code_point),
        cmocka_unit_test(lists_lose_their_end_and_say_so),
        cmocka_unit_test(what_cannot_be_made_smaller_is_told),
        cmocka_unit_test(quotes_and_control_characters_count_what_they_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
