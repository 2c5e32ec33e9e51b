// SPDX-License-Identifier: Apache-2.0
// Prompts name real tools and arguments, and what the person gave stands in them.
#include <ctype.h>

#include "auto.h"
#include "fake_call.h"

static void
broken(const char *what, const char *text)
{
    print_error("%s: %.40s\n", what, text);
    assert_true(false);
}

static const field_t *
find_param(const tool_t *tool, const char *name, size_t length)
{
    static const field_t key = { "idempotency_key", TEXT, "" };

    for (const field_t *param = tool->params; param->name; param++)
        if (strlen(param->name) == length && !strncmp(param->name, name, length))
            return param;
    return length == strlen(key.name) && !strncmp(key.name, name, length) ? &key : NULL;
}

// The arguments between the brackets: "url, dry_run=true".
static void
check_arguments(const tool_t *tool, const char *text)
{
    while (*text != ')') {
        size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz_");
        if (!length || !find_param(tool, text, length))
            broken("no argument", text);
        text += strcspn(text, ",)");
        text += strspn(text, ", ");
    }
}

// How many calls the text names; each has to be one that can be made.
static size_t
check_calls(arena_t *arena, const char *text)
{
    size_t count = 0;

    for (const char *open = strchr(text, '('); open; open = strchr(open + 1, '(')) {
        const char *begin = open;
        while (begin > text && (islower((unsigned char) begin[-1]) || begin[-1] == '_'))
            begin--;
        const char *name = arena_strndup(arena, begin, (size_t) (open - begin));
        const tool_t *tool = find_tool(name);
        if (!tool)
            broken("no tool", open);
        check_arguments(tool, open + 1);
        count++;
    }
    return count;
}

static void
each_prompt(void (*look)(const prompt_t *prompt))
{
    size_t count = 0;

    for (size_t i = 0; i < ROWS(all_categories); i++)
        for (const prompt_t *prompt = all_categories[i]->prompts; prompt && prompt->name;
             prompt++, count++)
            look(prompt);
    assert_int_equal(count, 4);
}

static void
check_both_ways(const prompt_t *prompt)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_t *all = json_object(arena);
    call_t without = { .arena = arena, .arguments = json_object(arena) };
    call_t with = { .arena = arena, .arguments = all };

    for (const argument_t *argument = prompt->arguments; argument->name; argument++)
        json_set_text(arena, all, argument->name, arena_printf(arena, "<%s>", argument->name));
    prompt->run(&without);
    prompt->run(&with);
    assert_int_equal(with.replies, 1);
    assert_true(check_calls(arena, with.reply) >= 5);
    assert_true(check_calls(arena, without.reply) >= 5);
    for (const json_t *value = all->first; value; value = value->next) {
        assert_non_null(strstr(with.reply, value->text));
        assert_null(strstr(without.reply, value->text));
    }
}

static void
every_call_that_a_prompt_names_can_be_made(void **state)
{
    each_prompt(check_both_ways);
}

static void
check_row(const prompt_t *prompt)
{
    assert_true(strlen(prompt->about) <= 300);
    for (const argument_t *argument = prompt->arguments; argument->name; argument++)
        assert_non_null(argument->about);
}

static void
prompts_are_short_and_their_arguments_described(void **state)
{
    each_prompt(check_row);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_that_a_prompt_names_can_be_made),
        cmocka_unit_test(prompts_are_short_and_their_arguments_described),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
