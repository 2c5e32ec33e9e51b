// SPDX-License-Identifier: Apache-2.0
// What holds for every instance and every question. Seeds are fixed; a failure prints its own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "world.h"

enum { SEEDS = 400, QUESTIONS = 12, PROJECTS = 4, ENTITIES_MAX = 60, TAGS = 4 };

typedef struct {
    int64_t id;
    int64_t projects[PROJECTS];
    size_t project_count;
    char name[64];
    unsigned tags, history;  // bits
} thing_t;

typedef struct {
    thing_t things[KIND_COUNT][ENTITIES_MAX];
    size_t count[KIND_COUNT];
    char *lists[KIND_COUNT];
} instance_t;

// A value for a parameter: JSON, and what it means.
typedef struct {
    char json[128];
    bool is_given, is_digits;
    int64_t id;
} value_t;

static const char *const words[] = { "pay",    "Pay", "ment", "roll", "é",    "É", "e\u0301",
                                     "ß",      "SS",  "İ",    "i",    "\\n",  " ", "%",
                                     "\u200b", "12",  "0",    "_",    "shop", "☕" };
static const char *const tag_names[TAGS] = { "smoke", "Nightly", "é", "req:1" };
static const kind_t used_kinds[] = { KIND_PROJECT, KIND_ENVIRONMENT, KIND_SCENARIO,
                                     KIND_UI_TEST };

// xorshift64: the same numbers everywhere.
static uint64_t
dice(uint64_t *seed, uint64_t sides)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed % sides;
}

static void
invent_name(uint64_t *seed, char *name, size_t size)
{
    size_t parts = 1 + dice(seed, 3), used = 0;

    name[0] = '\0';
    for (size_t i = 0; i < parts; i++) {
        const char *word = words[dice(seed, ROWS(words))];
        if (used + strlen(word) < size) {
            memcpy(name + used, word, strlen(word) + 1);
            used += strlen(word);
        }
    }
}

static thing_t
invent_thing(uint64_t *seed, kind_t kind, int64_t id)
{
    thing_t thing = { .id = id };

    invent_name(seed, thing.name, sizeof thing.name);
    for (int64_t project = 1; kind != KIND_PROJECT && project <= PROJECTS; project++)
        if (kind == KIND_ENVIRONMENT ? dice(seed, 2) : dice(seed, PROJECTS) == 0)
            thing.projects[thing.project_count++] = project;
    thing.tags = dice(seed, 2) ? (unsigned) dice(seed, 1 << TAGS) : 0;
    thing.history = (unsigned) dice(seed, 1 << TAGS);
    return thing;
}

static void
write_tags(buffer_t *out, const char *key, unsigned tags)
{
    const char *comma = "";

    buffer_printf(out, ",\"%s\":[", key);
    for (unsigned i = 0; i < TAGS; i++)
        if (tags & 1U << i) {
            buffer_printf(out, "%s\"%s\"", comma, tag_names[i]);
            comma = ",";
        }
    buffer_char(out, ']');
}

static char *
write_list(const thing_t *things, size_t count)
{
    buffer_t out = { 0 };

    buffer_text(&out, "{\"items\":[");
    for (size_t i = 0; i < count; i++) {
        buffer_printf(&out, "%s{\"id\":%d,\"name\":\"%s\",\"projectIds\":[", i ? "," : "",
                      (int) things[i].id, things[i].name);
        for (size_t j = 0; j < things[i].project_count; j++)
            buffer_printf(&out, "%s%d", j ? "," : "", (int) things[i].projects[j]);
        buffer_char(&out, ']');
        write_tags(&out, "tags", things[i].tags);
        write_tags(&out, "historyTags", things[i].history);
        buffer_char(&out, '}');
    }
    buffer_text(&out, "]}");
    return buffer_take(&out, NULL);
}

static void
invent(uint64_t *seed, instance_t *instance, size_t most)
{
    for (size_t i = 0; i < ROWS(used_kinds); i++) {
        kind_t kind = used_kinds[i];
        size_t count = kind == KIND_PROJECT ? PROJECTS : dice(seed, most + 1);
        for (size_t j = 0; j < count; j++)
            instance->things[kind][j] = invent_thing(seed, kind, (int64_t) j + 1);
        instance->count[kind] = count;
        instance->lists[kind] = write_list(instance->things[kind], count);
    }
}

static void
clear(instance_t *instance)
{
    for (kind_t kind = 0; kind < KIND_COUNT; kind++)
        free(instance->lists[kind]);
    *instance = (instance_t){ 0 };
}

// A name may happen to be digits, with line breaks around them.
static void
read_digits(char *name, value_t *value)
{
    for (char *at = name; (at = strstr(at, "\\n"));)
        memcpy(at, "  ", 2);
    value->is_digits = match_wanted(name, &value->id) == WANTED_ID;
}

static value_t
invent_value(uint64_t *seed)
{
    value_t value = { .json = "null" };
    char name[64];

    switch (dice(seed, 4)) {
    case 0:
        break;
    case 1:
        value = (value_t){ .is_given = true, .is_digits = true };
        value.id = (int64_t) dice(seed, PROJECTS + 3);
        snprintf(value.json, sizeof value.json, "%d", (int) value.id);
        break;
    default:
        value.is_given = true;
        invent_name(seed, name, sizeof name);
        snprintf(value.json, sizeof value.json, "\"%s\"", name);
        read_digits(name, &value);
    }
    return value;
}

static const thing_t *
find_thing(const instance_t *instance, kind_t kind, int64_t id)
{
    for (size_t i = 0; i < instance->count[kind]; i++)
        if (instance->things[kind][i].id == id)
            return &instance->things[kind][i];
    return NULL;
}

static bool
is_in_project(const thing_t *thing, int64_t project)
{
    for (size_t i = 0; i < thing->project_count; i++)
        if (thing->projects[i] == project)
            return true;
    return false;
}

static const json_t *
parse(arena_t *arena, const world_answer_t *answer)
{
    json_document_t document;
    failure_t why;

    assert_int_equal(json_parse(arena, answer->body, strlen(answer->body), &document, &why),
                     OK);
    assert_null(document.duplicate);
    return document.root;
}

static void
assert_one_clean_line(const char *text)
{
    assert_non_null(text);
    for (; *text; text++)
        assert_true((unsigned char) *text >= ' ' && *text != 0x7f);
}

// Every candidate exists, no two are the same, and it is in the project that is pinned.
static void
check_candidates(const instance_t *instance, const json_t *narrowing, kind_t kind,
                 int64_t project)
{
    const json_t *candidates = json_get(narrowing, "candidates");
    int64_t last = 0;

    assert_true(candidates->count <= CANDIDATES_MAX);
    assert_one_clean_line(json_get_text(narrowing, "ask_user"));
    for (const json_t *row = candidates->first; row; row = row->next) {
        int64_t id = json_get_int(row, "id", 0);
        const thing_t *thing = find_thing(instance, kind, id);
        assert_non_null(thing);
        assert_true(id > last);
        last = id;
        if (project && kind != KIND_PROJECT)
            assert_true(is_in_project(thing, project));
    }
}

static kind_t
kind_of(const char *param)
{
    kind_t kind = kinds_find(param);

    assert_true(kind < KIND_COUNT);
    return kind;
}

// Ids that were settled exist, or were given as digits.
static void
check_settled(const instance_t *instance, const json_t *resolved, const value_t *project,
              const value_t *environment, const value_t *scenario)
{
    for (const json_t *row = resolved->first; row; row = row->next) {
        kind_t kind = kind_of(row->key);
        const value_t *value = kind == KIND_PROJECT       ? project
                               : kind == KIND_ENVIRONMENT ? environment
                                                          : scenario;
        int64_t id = json_get_int(row, "id", -1);
        if (value->is_digits)
            assert_int_equal(id, value->id);
        else
            assert_non_null(find_thing(instance, kind, id));
    }
}

static const char *
ask_text(char *text, size_t size, const value_t *project, const value_t *environment,
         const value_t *scenario)
{
    snprintf(
        text, size,
        "{\"names\":[{\"param\":\"scenario\",\"kind\":\"scenario\",\"value\":%s,\"must\":true},"
        "{\"param\":\"environment\",\"kind\":\"environment\",\"value\":%s,\"must\":true},"
        "{\"param\":\"project\",\"kind\":\"project\",\"value\":%s}]}",
        scenario->json, environment->json, project->json);
    return text;
}

static void
question_and_check(world_t *world, const instance_t *instance, uint64_t *seed)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    value_t project = invent_value(seed), environment = invent_value(seed),
            scenario = invent_value(seed);
    char text[1024];

    const world_answer_t *answer =
        world_ask(world, ask_text(text, sizeof text, &project, &environment, &scenario));
    const json_t *body = parse(arena, answer);
    if (answer->status == OK) {
        check_settled(instance, json_get(body, "resolved"), &project, &environment, &scenario);
        return;
    }
    assert_int_equal(answer->status, NARROWED);
    check_candidates(instance, json_get(body, "narrowing"),
                     kind_of(json_get_text(body, "asked")), project.is_digits ? project.id : 0);
}

static void
candidates_are_few_and_in_scope_and_ids_are_known_or_given(void **state)
{
    for (uint64_t run = 1; run <= SEEDS; run++) {
        uint64_t seed = run * 0x9e3779b97f4a7c15;
        instance_t instance = { 0 };
        world_setup(state);
        world_t *world = *state;

        invent(&seed, &instance, ENTITIES_MAX);
        for (kind_t kind = 0; kind < KIND_COUNT; kind++)
            world->lists[kind] = instance.lists[kind];
        for (int i = 0; i < QUESTIONS; i++)
            question_and_check(world, &instance, &seed);
        for (kind_t kind = 0; kind < KIND_COUNT; kind++)
            assert_true(world->fetches[kind] <= 1);
        world_teardown(state);
        clear(&instance);
    }
}

// The ids that are offered for this parameter, as bits; false if something else is asked.
static bool
offered(world_t *world, const char *text, const char *param, uint64_t *bits_p)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const world_answer_t *answer = world_ask(world, text);
    const json_t *body = parse(arena, answer);

    if (answer->status != NARROWED || strcmp(json_get_text(body, "asked"), param))
        return false;
    *bits_p = 0;
    const json_t *candidates = json_get(json_get(body, "narrowing"), "candidates");
    for (const json_t *row = candidates->first; row; row = row->next)
        *bits_p |= (uint64_t) 1 << json_get_int(row, "id", 0);
    return true;
}

static void
pin_and_compare(world_t *world, uint64_t *seed)
{
    const value_t nothing = { .json = "null" };
    value_t project = { .is_given = true }, environment = { .is_given = true };
    uint64_t all, with_project, with_both;
    char text[1024];

    snprintf(project.json, sizeof project.json, "%d", (int) (1 + dice(seed, PROJECTS)));
    snprintf(environment.json, sizeof environment.json, "%d", (int) (1 + dice(seed, 20)));
    assert_true(offered(world, ask_text(text, sizeof text, &nothing, &nothing, &nothing),
                        "scenario", &all));
    assert_true(offered(world, ask_text(text, sizeof text, &project, &nothing, &nothing),
                        "scenario", &with_project));
    assert_true(offered(world, ask_text(text, sizeof text, &project, &environment, &nothing),
                        "scenario", &with_both));
    assert_true((with_project & ~all) == 0);
    assert_true((with_both & ~with_project) == 0);
}

static const char *
ask_by_tag(char *text, size_t size, unsigned tag, const value_t *project,
           const value_t *environment)
{
    snprintf(text, size,
             "{\"names\":[{\"param\":\"environment\",\"kind\":\"environment\",\"value\":%s,"
             "\"must\":true},"
             "{\"param\":\"project\",\"kind\":\"project\",\"value\":%s,\"must\":true}],"
             "\"tags\":[\"%s\"],\"by_tag\":true}",
             environment->json, project->json, tag_names[tag]);
    return text;
}

// By tag: what is offered can run such a test, and pins only narrow it.
static void
pin_and_compare_by_tag(world_t *world, const instance_t *instance, uint64_t *seed)
{
    const value_t nothing = { .json = "null" };
    value_t project = { .is_given = true };
    unsigned tag = (unsigned) dice(seed, TAGS);
    int64_t id = 1 + (int64_t) dice(seed, PROJECTS);
    uint64_t all, with_project;
    char text[1024];

    snprintf(project.json, sizeof project.json, "%d", (int) id);
    bool any = offered(world, ask_by_tag(text, sizeof text, tag, &nothing, &nothing),
                       "environment", &all);
    bool some = offered(world, ask_by_tag(text, sizeof text, tag, &project, &nothing),
                        "environment", &with_project);
    if (!some)
        return;
    assert_true(any);
    assert_true((with_project & ~all) == 0);
    for (size_t i = 0; i < instance->count[KIND_ENVIRONMENT]; i++) {
        const thing_t *environment = &instance->things[KIND_ENVIRONMENT][i];
        bool is_offered = with_project >> environment->id & 1;
        assert_int_equal(is_offered, is_in_project(environment, id));
    }
}

static void
a_pin_never_widens_what_is_offered(void **state)
{
    for (uint64_t run = 1; run <= SEEDS; run++) {
        uint64_t seed = run * 0xd1342543de82ef95;
        instance_t instance = { 0 };
        world_setup(state);
        world_t *world = *state;

        invent(&seed, &instance, CANDIDATES_MAX);  // so that none is left out for the number
        for (kind_t kind = 0; kind < KIND_COUNT; kind++)
            world->lists[kind] = instance.lists[kind];
        for (int i = 0; i < QUESTIONS; i++) {
            pin_and_compare(world, &seed);
            pin_and_compare_by_tag(world, &instance, &seed);
        }
        world_teardown(state);
        clear(&instance);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_few_and_in_scope_and_ids_are_known_or_given),
        cmocka_unit_test(a_pin_never_widens_what_is_offered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
