// SPDX-License-Identifier: Apache-2.0
// What holds for every row of every category, and what models rely on. What clients accept of the
// entries that are made of rows is in tests/lint/schemas.mjs.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "categories.h"

#include <cmocka.h>  // last: it defines fail()

enum {
    ABOUT_MAX = 140,  // bytes of a tool's sentences
    PARAM_ABOUT_MAX = 60,
    BRIEF_ABOUT_MAX = 320,  // of a parameter that shows its members
    FIELD_ABOUT_MAX = 120,  // of a member, or a field of a result
    TOOLS_MAX = 256,
};

typedef struct {
    const tool_t *tools[TOOLS_MAX];
    size_t count;
} rows_t;

static void
collect(const category_t *category, const tool_t *tool, void *arg)
{
    rows_t *rows = arg;

    assert_true(rows->count < TOOLS_MAX);
    rows->tools[rows->count++] = tool;
    (void) category;
}

static rows_t
all_rows(void)
{
    rows_t rows = { 0 };

    each_tool(collect, &rows);
    assert_true(rows.count > 30);
    return rows;
}

// Says which row broke the rule, and fails.
static void
broken(const tool_t *tool, const char *what, const char *rule)
{
    print_error("%s: %s: %s\n", tool->name, what, rule);
    assert_true(false);
}

static void
expect(bool holds, const tool_t *tool, const char *what, const char *rule)
{
    if (!holds)
        broken(tool, what, rule);
}

static bool
is_snake(const char *name, size_t longest)
{
    size_t length = strlen(name);

    return length && length <= longest && name[0] >= 'a' && name[0] <= 'z'
           && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

static bool
is_sentence(const char *text, size_t most)
{
    size_t length = text ? strlen(text) : 0;

    return length > 3 && length <= most && text[length - 1] == '.' && text[0] != ' '
           && !strchr(text, '\n') && !strstr(text, "  ");
}

static const field_t *
find(const field_t *fields, const char *name, size_t length)
{
    for (const field_t *field = fields; field && field->name; field++)
        if (strlen(field->name) == length && !strncmp(field->name, name, length))
            return field;
    return NULL;
}

static void
names_fit_every_client_and_are_unique(void **state)
{
    const rows_t rows = all_rows();

    for (size_t i = 0; i < rows.count; i++) {
        const tool_t *tool = rows.tools[i];
        expect(is_snake(tool->name, 40), tool, "name", "^[a-z][a-z0-9_]{0,39}$");
        expect(strlen("mcp__proofarc__") + strlen(tool->name) <= 64, tool, "name",
               "64 at most");
        for (size_t j = 0; j < i; j++) {
            expect(strcmp(rows.tools[j]->name, tool->name), tool, "name", "is unique");
            expect(strcmp(rows.tools[j]->title, tool->title), tool, "title", "is unique");
        }
    }
    (void) state;
}

static void
every_row_is_complete(void **state)
{
    const rows_t rows = all_rows();

    for (size_t i = 0; i < rows.count; i++) {
        const tool_t *tool = rows.tools[i];
        expect(tool->title && strlen(tool->title) <= 60, tool, "title", "is there, short");
        expect(is_sentence(tool->about, ABOUT_MAX), tool, tool->about,
               "sentences of 140 at most");
        expect(tool->effect >= READS && tool->effect <= DELETES, tool, "effect", "is there");
        expect(tool->profile >= CORE && tool->profile <= FULL, tool, "profile", "is there");
        expect(!tool->rest != !tool->run, tool, "rest, run", "exactly one");
        expect(tool->result[0].name, tool, "result", "has fields");
        expect(!tool->params[TOOL_PARAMS_MAX - 1].name, tool, "params",
               "end with an empty row");
        expect(!tool->result[TOOL_FIELDS_MAX - 1].name, tool, "result",
               "ends with an empty row");
        expect(!tool->quick || tool->run, tool, "quick", "is a function");
        expect(!tool->touches || tool->effect == WRITES, tool, "touches", "of a write");
        expect(!tool->touches || tool->rest, tool, "touches", "of a REST line");
    }
    (void) state;
}

// What is not listed is shown by the text in its place.
static void
check_brief(const tool_t *tool, const field_t *brief, const field_t *members)
{
    for (const field_t *member = members; member->name; member++) {
        expect(strstr(brief->about, member->name), tool, member->name, "is shown in brief");
        if (member->fields)
            check_brief(tool, brief, member->fields);
    }
}

static void
check_fields(const tool_t *tool, const field_t *fields, size_t about_max)
{
    for (const field_t *field = fields; field->name; field++) {
        const int kind = field->kind & KIND_MASK;
        const bool is_brief = field->kind & BRIEF;
        const bool is_said = KIND_IS_REFERENCE(kind) && !field->about;
        expect(kind >= TEXT && kind <= TARGET, tool, field->name, "has a kind");
        expect(is_said || is_sentence(field->about, is_brief ? BRIEF_ABOUT_MAX : about_max),
               tool, field->name, "is described by a short sentence");
        expect(!is_brief || field->fields, tool, field->name, "brief only of members");
        if (is_brief)
            check_brief(tool, field, field->fields);
        expect(!field->fields || kind == OBJECT, tool, field->name,
               "members only of an object");
        expect(!field->one_of || kind == TEXT, tool, field->name, "choices only of a text");
        expect(!field->one_of || (*field->one_of && !strstr(field->one_of, "||")), tool,
               field->name, "choices are not empty");
        expect(find(fields, field->name, strlen(field->name)) == field, tool, field->name,
               "stands once");
        if (field->fields)
            check_fields(tool, field->fields, FIELD_ABOUT_MAX);
    }
}

static void
every_parameter_and_field_is_described(void **state)
{
    const rows_t rows = all_rows();

    for (size_t i = 0; i < rows.count; i++) {
        check_fields(rows.tools[i], rows.tools[i]->params, PARAM_ABOUT_MAX);
        check_fields(rows.tools[i], rows.tools[i]->result, FIELD_ABOUT_MAX);
        for (const field_t *param = rows.tools[i]->params; param->name; param++)
            expect(is_snake(param->name, 40), rows.tools[i], param->name, "snake_case");
    }
    (void) state;
}

static void
results_use_no_word_of_the_runtime(void **state)
{
    static const char *const taken[] = { "error",     "reason",     "ask_user",
                                         "scoped_by", "candidates", "truncated" };
    const rows_t rows = all_rows();

    for (size_t i = 0; i < rows.count; i++) {
        for (size_t j = 0; j < ROWS(taken); j++)
            expect(!find(rows.tools[i]->result, taken[j], strlen(taken[j])), rows.tools[i],
                   taken[j], "is a word of failures and narrowings");
        for (const field_t *field = rows.tools[i]->result; field->name; field++) {
            expect(!KIND_IS_REFERENCE(field->kind), rows.tools[i], field->name, "no reference");
            expect(!(field->kind & (MUST | SECRET)), rows.tools[i], field->name,
                   "results promise nothing and hold no secret");
        }
    }
    (void) state;
}

static void
lists_say_how_many_there_are(void **state)
{
    const rows_t rows = all_rows();

    for (size_t i = 0; i < rows.count; i++) {
        const tool_t *tool = rows.tools[i];
        const bool is_list =
            !strncmp(tool->name, "list_", 5) || !strncmp(tool->name, "find_", 5);
        const bool has_cursor = find(tool->params, "cursor", 6);
        expect(!is_list
                   || (find(tool->result, "total", 5) && find(tool->result, "returned", 8)),
               tool, "total, returned", "are in the result of a list");
        expect(!has_cursor == !find(tool->result, "nextCursor", 10), tool, "cursor, nextCursor",
               "both or none");
        const field_t *limit = find(tool->params, "limit", 5);
        expect(!has_cursor == !limit, tool, "cursor, limit", "both or none");
        expect(!limit || (limit->min == 1 && limit->max == 500), tool, "limit", "is 1 to 500");
    }
    (void) state;
}

static bool
starts_with_one_of(const char *name, const char *const *verbs)
{
    for (; *verbs; verbs++)
        if (!strncmp(name, *verbs, strlen(*verbs)))
            return true;
    return false;
}

static void
the_verb_of_a_name_tells_the_effect(void **state)
{
    static const char *const reading[] = { "list_",  "find_",      "get_",   "validate_",
                                           "parse_", "summarize_", "whoami", NULL };
    static const char *const writing[] = { "create_", "update_",  "add_", "set_",
                                           "link_",   "onboard_", NULL };
    static const char *const executing[] = { "run_", "execute_", "detect_", NULL };
    static const char *const deleting[] = { "delete_", "cancel_", NULL };
    static const char *const *const verbs[] = {
        [READS] = reading,
        [WRITES] = writing,
        [EXECUTES] = executing,
        [DELETES] = deleting,
    };
    const rows_t rows = all_rows();

    for (size_t i = 0; i < rows.count; i++)
        expect(starts_with_one_of(rows.tools[i]->name, verbs[rows.tools[i]->effect]),
               rows.tools[i], "name", "starts with a verb of its effect");
    (void) state;
}

// GET reads; the one read that needs a body says so by its name.
static bool
method_fits(const tool_t *tool)
{
    static const char *const checking[] = { "validate_", NULL };
    const bool gets = !strncmp(tool->rest, "GET ", 4);

    if (tool->effect == READS)
        return gets || starts_with_one_of(tool->name, checking);
    return !gets;
}

static void
rest_lines_name_parameters_that_must_be_there(void **state)
{
    const rows_t rows = all_rows();

    for (size_t i = 0; i < rows.count; i++) {
        const tool_t *tool = rows.tools[i];
        if (!tool->rest)
            continue;
        expect(method_fits(tool), tool, tool->rest, "the method fits the effect");
        expect(strstr(tool->rest, " /api/") && !strpbrk(tool->rest, "?#%"), tool, tool->rest,
               "is a method and a path below /api");
        for (const char *open = tool->rest; (open = strchr(open, '{')); open++) {
            const char *close = strchr(open, '}');
            expect(close, tool, tool->rest, "placeholders are closed");
            const field_t *param = find(tool->params, open + 1, (size_t) (close - open - 1));
            expect(param && param->kind & MUST, tool, open,
                   "is a parameter that must be there");
        }
    }
    (void) state;
}

static void
secrets_are_marked_and_never_come_back(void **state)
{
    static const char *const secrets[] = { "password", "token", "api_key" };
    const rows_t rows = all_rows();

    for (size_t i = 0; i < rows.count; i++)
        for (size_t j = 0; j < ROWS(secrets); j++) {
            const field_t *param = find(rows.tools[i]->params, secrets[j], strlen(secrets[j]));
            expect(!param || param->kind & SECRET, rows.tools[i], secrets[j], "is a secret");
            expect(!find(rows.tools[i]->result, secrets[j], strlen(secrets[j])), rows.tools[i],
                   secrets[j], "is not in the result");
        }
    (void) state;
}

static void
by_tag_rows_name_tags_environment_and_project(void **state)
{
    const rows_t rows = all_rows();

    for (size_t i = 0; i < rows.count; i++) {
        const tool_t *tool = rows.tools[i];
        if (!tool->by_tag)
            continue;
        const field_t *tags = find(tool->params, "tags", 4);
        const field_t *environment = find(tool->params, "environment", 11);
        const field_t *project = find(tool->params, "project", 7);
        expect(tags && tags->kind == (TEXT | MANY | MUST), tool, "tags",
               "is a list that must be");
        expect(environment && project && environment < project, tool, "environment, project",
               "are asked in this order");
    }
    (void) state;
}

static bool
is_tool(const rows_t *rows, const char *word, size_t length)
{
    for (size_t i = 0; i < rows->count; i++)
        if (strlen(rows->tools[i]->name) == length
            && !strncmp(rows->tools[i]->name, word, length))
            return true;
    return false;
}

// A word of letters with an underscore inside is a tool, or a parameter, choice or field of the row.
static bool
is_known(const rows_t *rows, const tool_t *tool, const char *word, size_t length)
{
    static const char *const of_others[] = { "credential_tag", "dry_run" };

    for (size_t i = 0; i < ROWS(of_others); i++)
        if (strlen(of_others[i]) == length && !strncmp(of_others[i], word, length))
            return true;
    if (is_tool(rows, word, length) || find(tool->params, word, length)
        || find(tool->result, word, length))
        return true;
    for (const field_t *param = tool->params; param->name; param++)
        if (param->one_of && memmem(param->one_of, strlen(param->one_of), word, length))
            return true;
    return false;
}

static void
check_words(const rows_t *rows, const tool_t *tool, const char *text)
{
    const char *letters = "abcdefghijklmnopqrstuvwxyz0123456789_";

    for (const char *word = text; *word;) {
        size_t length = strspn(word, letters);
        if (*word != '_' && memchr(word, '_', length)
            && !strchr("/{\"", word == text ? ' ' : word[-1]))
            expect(is_known(rows, tool, word, length), tool, word,
                   "is no tool, parameter or field");
        word += length ? length : 1;
    }
}

static void
prose_names_only_tools_and_parameters_that_exist(void **state)
{
    const rows_t rows = all_rows();

    for (size_t i = 0; i < rows.count; i++) {
        const tool_t *tool = rows.tools[i];
        check_words(&rows, tool, tool->about);
        for (const field_t *param = tool->params; param->name; param++)
            check_words(&rows, tool, param->about ? param->about : "");
        for (const field_t *field = tool->result; field->name; field++)
            if (strcmp(field->name, "match_source") != 0)
                check_words(&rows, tool, field->about);
    }
    (void) state;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_fit_every_client_and_are_unique),
        cmocka_unit_test(every_row_is_complete),
        cmocka_unit_test(every_parameter_and_field_is_described),
        cmocka_unit_test(results_use_no_word_of_the_runtime),
        cmocka_unit_test(lists_say_how_many_there_are),
        cmocka_unit_test(the_verb_of_a_name_tells_the_effect),
        cmocka_unit_test(rest_lines_name_parameters_that_must_be_there),
        cmocka_unit_test(secrets_are_marked_and_never_come_back),
        cmocka_unit_test(by_tag_rows_name_tags_environment_and_project),
        cmocka_unit_test(prose_names_only_tools_and_parameters_that_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
