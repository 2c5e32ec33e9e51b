// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "exits.h"
#include "log.h"

enum { ROWS_MAX = 64, VALUES_MAX = 64, ENVIRONMENT_NAME_MAX = 64, HELP_COLUMN = 30 };

typedef struct {
    char *values[VALUES_MAX];
    size_t count;
} value_t;

struct settings {
    const program_t *program;
    const setting_t *rows[ROWS_MAX];
    value_t given[ROWS_MAX];
    size_t count;
    char *operands[VALUES_MAX];
    size_t operand_count;
};

// Rows that every program has.
static const setting_t everywhere[] = {
    { "log-level", SETTING_TEXT, "LEVEL", "info", "Least level that is logged to stderr.",
      .one_of = "error|warning|info|debug" },
    { "log-format", SETTING_TEXT, "FORMAT", "text", "Form of a log line.",
      .one_of = "text|json" },
    { "ready-fd", SETTING_NUMBER, "N", "-1", "Descriptor to write \"ready ENDPOINT\" to.",
      .min = -1, .max = 1024 },
    { 0 },
};

const char *
proofarc_version(void)
{
    return PROOFARC_VERSION;
}

__attribute__((format(printf, 2, 3), noreturn)) static void
refuse(const program_t *program, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", program->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\nSee: %s --help\n", program->name);
    exit(EXIT_USAGE);
}

static void
environment_name(const char *flag, char name[ENVIRONMENT_NAME_MAX])
{
    int length = snprintf(name, ENVIRONMENT_NAME_MAX, "PROOFARC_%s", flag);

    for (int i = 0; i < length && i < ENVIRONMENT_NAME_MAX; i++)
        name[i] = name[i] == '-' ? '_' : (char) toupper((unsigned char) name[i]);
}

static void
print_row(const setting_t *row)
{
    char left[120], name[ENVIRONMENT_NAME_MAX];

    snprintf(left, sizeof left, "  --%s%s%s%s", row->name, row->argument ? " " : "",
             row->argument ? row->argument : "", row->kind == SETTING_MANY ? " …" : "");
    // the dots are three bytes and one column
    printf("%-*s %s", HELP_COLUMN + (row->kind == SETTING_MANY ? 2 : 0), left, row->about);
    if (row->one_of)
        printf(" One of %s.", row->one_of);
    if (row->must)
        printf(" Required.");
    else if (row->fallback)
        printf(" Default: %s.", row->fallback);
    environment_name(row->name, name);
    printf("\n%-*s %s\n", HELP_COLUMN, "", name);
}

__attribute__((noreturn)) static void
print_help(const settings_t *self)
{
    const program_t *program = self->program;

    printf("%s: %s\n\nUsage: %s [FLAGS]%s%s\n\nFlags, each with its environment variable:\n",
           program->name, program->about, program->name, program->operands ? " " : "",
           program->operands ? program->operands : "");
    for (size_t i = 0; i < self->count; i++)
        print_row(self->rows[i]);
    printf("%-*s Print this.\n%-*s Print the version.\n", HELP_COLUMN, "  --help", HELP_COLUMN,
           "  --version");
    for (size_t i = 0; program->examples && program->examples[i]; i++)
        printf("%s  %s\n", i ? "" : "\nExamples:\n", program->examples[i]);
    exit(EXIT_DONE);
}

static size_t
find(const settings_t *self, const char *name, size_t length)
{
    for (size_t i = 0; i < self->count; i++)
        if (strlen(self->rows[i]->name) == length
            && !strncmp(self->rows[i]->name, name, length))
            return i;
    return self->count;
}

static bool
is_one_of(const char *one_of, const char *value)
{
    size_t length = strlen(value);

    for (const char *word = one_of; word;
         word = strchr(word, '|') ? strchr(word, '|') + 1 : NULL)
        if (strcspn(word, "|") == length && !strncmp(word, value, length))
            return true;
    return false;
}

static bool
read_number(const char *text, int64_t *value_p)
{
    char *end;

    errno = 0;
    *value_p = strtoll(text, &end, 10);
    return !errno && end != text && !*end;
}

static void
check(const settings_t *self, const setting_t *row, const char *value, const char *where)
{
    int64_t number;

    if (row->one_of && !is_one_of(row->one_of, value))
        refuse(self->program, "%s takes one of %s, not \"%s\".", where, row->one_of, value);
    if (row->kind == SETTING_NUMBER
        && (!read_number(value, &number) || number < row->min || number > row->max))
        refuse(self->program, "%s takes a number from %lld to %lld, not \"%s\".", where,
               (long long) row->min, (long long) row->max, value);
    if (row->kind == SETTING_SWITCH && !is_one_of("1|true|0|false", value))
        refuse(self->program, "%s takes 1, true, 0 or false, not \"%s\".", where, value);
}

static void
take(settings_t *self, size_t index, const char *value, size_t length, const char *where)
{
    value_t *given = &self->given[index];
    char *copy = strndup(value, length);

    check(self, self->rows[index], copy, where);
    if (self->rows[index]->kind != SETTING_MANY && given->count)
        free(given->values[--given->count]);
    if (given->count == VALUES_MAX)
        refuse(self->program, "%s is given more than %d times.", where, VALUES_MAX);
    given->values[given->count++] = copy;
}

// One of argv that begins with "--". Returns how many of argv it took.
static int
take_flag(settings_t *self, char **argv, int left)
{
    const char *flag = argv[0] + 2;
    size_t length = strcspn(flag, "=");
    size_t index = find(self, flag, length);

    if (!strcmp(flag, "help"))
        print_help(self);
    if (!strcmp(flag, "version")) {
        printf("%s %s\n", self->program->name, proofarc_version());
        exit(EXIT_DONE);
    }
    if (index == self->count)
        refuse(self->program, "There is no flag --%.*s.", (int) length, flag);
    if (flag[length] == '=') {
        take(self, index, flag + length + 1, strlen(flag + length + 1), argv[0]);
        return 1;
    }
    if (self->rows[index]->kind == SETTING_SWITCH) {
        take(self, index, "1", 1, argv[0]);
        return 1;
    }
    if (left < 2)
        refuse(self->program, "%s needs a value: %s.", argv[0], self->rows[index]->argument);
    take(self, index, argv[1], strlen(argv[1]), argv[0]);
    return 2;
}

static void
take_arguments(settings_t *self, int argc, char **argv)
{
    for (int i = 1; i < argc;) {
        if (!strncmp(argv[i], "--", 2) && argv[i][2]) {
            i += take_flag(self, argv + i, argc - i);
            continue;
        }
        if (!self->program->operands)
            refuse(self->program, "\"%s\" is no flag, and nothing else is taken.", argv[i]);
        if (self->operand_count == VALUES_MAX)
            refuse(self->program, "More than %d operands are given.", VALUES_MAX);
        self->operands[self->operand_count++] = strdup(argv[i++]);
    }
}

static void
take_environment(settings_t *self, size_t index)
{
    char name[ENVIRONMENT_NAME_MAX];
    const setting_t *row = self->rows[index];

    environment_name(row->name, name);
    const char *value = getenv(name);
    if (!value || !*value)
        return;
    if (row->kind != SETTING_MANY) {
        take(self, index, value, strlen(value), name);
        return;
    }
    for (size_t length; *value; value += length + (value[length] == ',')) {
        length = strcspn(value, ",");
        if (length)
            take(self, index, value, length, name);
    }
}

static void
collect_rows(settings_t *self)
{
    for (const setting_t *row = self->program->rows; row && row->name; row++)
        self->rows[self->count++] = row;
    for (const setting_t *row = everywhere; row->name; row++)
        self->rows[self->count++] = row;
}

static void
set_up_log(const settings_t *self)
{
    static const char *const levels[] = { "error", "warning", "info", "debug" };
    log_level_t level = LEVEL_INFO;

    for (size_t i = 0; i < ROWS(levels); i++)
        if (!strcmp(settings_text(self, "log-level"), levels[i]))
            level = (log_level_t) i;
    log_setup(self->program->name, level, !strcmp(settings_text(self, "log-format"), "json"));
}

settings_t *
settings_parse(const program_t *program, int argc, char **argv)
{
    settings_t *self = calloc(1, sizeof *self);

    if (!self)
        abort();
    self->program = program;
    collect_rows(self);
    take_arguments(self, argc, argv);
    for (size_t i = 0; i < self->count; i++) {
        const setting_t *row = self->rows[i];
        if (!self->given[i].count)
            take_environment(self, i);
        if (!self->given[i].count && row->fallback)
            take(self, i, row->fallback, strlen(row->fallback), row->name);
        if (!self->given[i].count && row->must)
            refuse(program, "--%s %s is required: %s", row->name,
                   row->argument ? row->argument : "", row->about);
    }
    set_up_log(self);
    return self;
}

void
settings_destroy(settings_t **self_p)
{
    settings_t *self = *self_p;

    if (!self)
        return;
    for (size_t i = 0; i < self->count; i++)
        for (size_t j = 0; j < self->given[i].count; j++)
            free(self->given[i].values[j]);
    for (size_t i = 0; i < self->operand_count; i++)
        free(self->operands[i]);
    free(self);
    *self_p = NULL;
}

static const value_t *
value_of(const settings_t *self, const char *name)
{
    size_t index = find(self, name, strlen(name));

    assert(index < self->count);
    return &self->given[index];
}

const char *
settings_text(const settings_t *self, const char *name)
{
    const value_t *value = value_of(self, name);

    return value->count ? value->values[0] : NULL;
}

int64_t
settings_number(const settings_t *self, const char *name)
{
    const char *text = settings_text(self, name);
    int64_t number = 0;

    if (text)
        read_number(text, &number);
    return number;
}

bool
settings_switch(const settings_t *self, const char *name)
{
    const char *text = settings_text(self, name);

    return text && (*text == '1' || *text == 't');
}

size_t
settings_count(const settings_t *self, const char *name)
{
    return value_of(self, name)->count;
}

const char *
settings_nth(const settings_t *self, const char *name, size_t index)
{
    const value_t *value = value_of(self, name);

    assert(index < value->count);
    return value->values[index];
}

size_t
settings_operands(const settings_t *self)
{
    return self->operand_count;
}

const char *
settings_operand(const settings_t *self, size_t index)
{
    assert(index < self->operand_count);
    return self->operands[index];
}

int
settings_ready_fd(const settings_t *self)
{
    return (int) settings_number(self, "ready-fd");
}
