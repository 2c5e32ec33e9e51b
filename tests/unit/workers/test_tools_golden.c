// SPDX-License-Identifier: Apache-2.0
// The reviewed contract: tests/golden/ holds the list entry of every tool, template and prompt,
// and docs/tools.md describes them. UPDATE_GOLDEN=1 in the environment accepts what the rows say.

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "buffer.h"
#include "categories.h"
#include "schema.h"

#include <cmocka.h>  // last: it defines fail()

// Path below the folder that holds tests/data.
static char *
source_path(arena_t *arena, const char *rest)
{
    const size_t root = strlen(TEST_DATA) - strlen("tests/data");

    return arena_printf(arena, "%.*s%s", (int) root, TEST_DATA, rest);
}

static void
close_file(FILE **file_p)
{
    if (*file_p)
        fclose(*file_p);
}

static void
read_file(const char *path, buffer_t *out)
{
    AUTO(close_file) FILE *file = fopen(path, "r");
    char piece[4096];
    size_t size;

    while (file && (size = fread(piece, 1, sizeof piece, file)) > 0)
        buffer_add(out, piece, size);
}

// True if the file holds exactly `text`; with UPDATE_GOLDEN it is made so.
static bool
is_golden(const char *path, const buffer_t *text)
{
    AUTO(buffer_clear) buffer_t golden = { 0 };

    read_file(path, &golden);
    if (golden.size == text->size && !memcmp(golden.bytes, text->bytes, text->size))
        return true;
    if (!getenv("UPDATE_GOLDEN")) {
        print_error("%s differs from the rows; UPDATE_GOLDEN=1 accepts them\n", path);
        return false;
    }
    AUTO(close_file) FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text->bytes, 1, text->size, file), text->size);
    return true;
}

static bool
entry_is_golden(arena_t *arena, const char *name, const json_t *entry)
{
    AUTO(buffer_clear) buffer_t text = { 0 };

    json_write_pretty(&text, entry);
    buffer_char(&text, '\n');
    return is_golden(source_path(arena, arena_printf(arena, "tests/golden/%s.json", name)),
                     &text);
}

static void
compare_tool(const category_t *category, const tool_t *tool, void *arg)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    size_t *wrong = arg;

    *wrong += !entry_is_golden(arena, tool->name, schema_of_tool(arena, tool));
    (void) category;
}

static const template_t *
templates_of(size_t category)
{
    static const template_t none[] = { { 0 } };
    const template_t *templates = all_categories[category]->templates;

    return templates ? templates : none;
}

static const prompt_t *
prompts_of(size_t category)
{
    static const prompt_t none[] = { { 0 } };
    const prompt_t *prompts = all_categories[category]->prompts;

    return prompts ? prompts : none;
}

static void
entries_are_those_that_were_reviewed(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    size_t wrong = 0;

    each_tool(compare_tool, &wrong);
    for (size_t i = 0; i < ROWS(all_categories); i++) {
        for (const template_t *it = templates_of(i); it->uri; it++)
            wrong += !entry_is_golden(arena, arena_printf(arena, "template-%s", it->name),
                                      schema_of_template(arena, it));
        for (const prompt_t *it = prompts_of(i); it->name; it++)
            wrong += !entry_is_golden(arena, arena_printf(arena, "prompt-%s", it->name),
                                      schema_of_prompt(arena, it));
    }
    assert_int_equal(wrong, 0);
    (void) state;
}

static void
count_one(const category_t *category, const tool_t *tool, void *arg)
{
    size_t *count = arg;

    ++*count;
    (void) category, (void) tool;
}

static void
there_is_no_golden_file_of_what_is_gone(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    size_t count = 0, files = 0;

    each_tool(count_one, &count);
    for (size_t i = 0; i < ROWS(all_categories); i++) {
        for (const template_t *it = templates_of(i); it->uri; it++)
            count++;
        for (const prompt_t *it = prompts_of(i); it->name; it++)
            count++;
    }
    DIR *folder = opendir(source_path(arena, "tests/golden"));
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));)
        files += strlen(entry->d_name) > 5 && strstr(entry->d_name, ".json") != NULL;
    closedir(folder);
    assert_int_equal(files, count);
    (void) state;
}

static const char *
type_text(arena_t *arena, const field_t *field)
{
    static const char *const types[] = {
        [TEXT] = "text",       [NUMBER] = "integer", [DECIMAL] = "number",
        [FLAG] = "true/false", [OBJECT] = "object",  [ANY] = "any JSON",
    };
    const char *type =
        KIND_IS_REFERENCE(field->kind) ? "name or id" : types[field->kind & KIND_MASK];

    if (field->one_of) {
        AUTO(buffer_clear) buffer_t choices = { 0 };
        for (const char *c = field->one_of; *c; c++)
            *c == '|' ? buffer_text(&choices, ", ") : buffer_char(&choices, *c);
        type = arena_strdup(arena, choices.bytes);
    }
    return field->kind & MANY ? arena_printf(arena, "list of %s", type) : type;
}

static void
write_cell(buffer_t *out, const char *text)
{
    if (!text)
        return;
    buffer_char(out, ' ');
    for (; *text; text++) {
        if (*text == '|')
            buffer_char(out, '\\');
        buffer_char(out, *text);
    }
}

static void
write_fields(buffer_t *out, arena_t *arena, const field_t *fields, const char *prefix)
{
    for (const field_t *field = fields; field->name; field++) {
        const char *path = arena_printf(arena, "%s%s", prefix, field->name);
        buffer_printf(out, "| `%s`%s | %s |", path, field->kind & MUST ? " *" : "",
                      type_text(arena, field));
        write_cell(out, field->about);
        buffer_text(out, " |\n");
        if (field->fields)
            write_fields(out, arena, field->fields,
                         arena_printf(arena, "%s%s.", path, field->kind & MANY ? "[]" : ""));
    }
}

static void
write_tool(const category_t *category, const tool_t *tool, void *arg)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    buffer_t *out = arg;

    if (tool == category->tables[0])
        buffer_printf(out, "\n## %s\n", category->name);
    buffer_printf(out, "\n### %s\n\n%s (%s, profile %s)\n", tool->name, tool->about,
                  effect_name(tool->effect), profile_name(tool->profile));
    if (tool->params[0].name)
        buffer_text(out, "\n| parameter | type | |\n|---|---|---|\n");
    write_fields(out, arena, tool->params, "");
    buffer_text(out, "\n| answer | type | |\n|---|---|---|\n");
    write_fields(out, arena, tool->result, "");
}

static void
write_prompt(buffer_t *out, const prompt_t *prompt)
{
    buffer_printf(out, "\n### %s\n\n%s\n\n| argument | |\n|---|---|\n", prompt->name,
                  prompt->about);
    for (const argument_t *it = prompt->arguments; it->name; it++)
        buffer_printf(out, "| `%s`%s | %s |\n", it->name, it->must ? " *" : "", it->about);
}

static void
the_documentation_is_made_from_the_rows(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(buffer_clear) buffer_t out = { 0 };

    buffer_text(
        &out,
        "# Tools\n\n"
        "Made from the rows in `workers/`; a test compares the two, and `UPDATE_GOLDEN=1` "
        "accepts what the rows say. A parameter with * has to be\n"
        "there; a reference that is missing, unknown or ambiguous is asked for. Every tool "
        "may answer with the one question that is left (`reason`,\n"
        "`ask_user`, `candidates`, `scoped_by`) or with `error`; a tool that writes also takes "
        "`idempotency_key`. What is unknown is left out of an answer.\n");
    each_tool(write_tool, &out);
    buffer_text(&out, "\n## Resource templates\n\n");
    for (size_t i = 0; i < ROWS(all_categories); i++)
        for (const template_t *it = templates_of(i); it->uri; it++)
            buffer_printf(&out, "- `%s`: %s\n", it->uri, it->about);
    buffer_text(&out, "\n## Prompts\n");
    for (size_t i = 0; i < ROWS(all_categories); i++)
        for (const prompt_t *it = prompts_of(i); it->name; it++)
            write_prompt(&out, it);
    assert_true(is_golden(source_path(arena, "docs/tools.md"), &out));
    (void) state;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_those_that_were_reviewed),
        cmocka_unit_test(there_is_no_golden_file_of_what_is_gone),
        cmocka_unit_test(the_documentation_is_made_from_the_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
