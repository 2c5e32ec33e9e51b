// SPDX-License-Identifier: Apache-2.0
#include "api/checks.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/operators.h"
#include "auto.h"
#include "jsonpath.h"

enum { SHOWN_MAX = 300 };  // bytes of a value in a check's message

// What an assertion is about.
typedef struct {
    const char *name;     // "$.id", "header Location", "body", "time"
    json_t *value;        // what is there, or NULL when nothing is
    const char *nothing;  // then: why
} subject_t;

static const char *
shown(arena_t *arena, const json_t *value)
{
    if (!value)
        return "nothing";
    const char *text = json_text(arena, value);
    size_t size = strlen(text);
    if (size <= SHOWN_MAX)
        return text;
    size = SHOWN_MAX;
    while (size && ((unsigned char) text[size] & 0xc0) == 0x80)
        size--;
    return arena_printf(arena, "%.*s… (%zu bytes)", (int) size, text, strlen(text));
}

static void
add_result(arena_t *arena, json_t *results, const char *check, bool passed,
           const char *expected, const char *actual, const char *message)
{
    json_t *result = json_add(results, json_object(arena));

    json_set_text(arena, result, "check", check);
    json_set_bool(arena, result, "passed", passed);
    json_set_text(arena, result, "expected", expected);
    json_set_text(arena, result, "actual", actual);
    json_set_text(arena, result, "message", message);
}

// 200 or "2xx".
static bool
status_matches(const json_t *expected, long status)
{
    int64_t code;

    if (json_int(expected, &code))
        return code == status;
    const char *text = expected->kind == JSON_STRING ? expected->text : "";
    if (strlen(text) == 3 && !strcasecmp(text + 1, "xx"))
        return status / 100 == text[0] - '0';
    return strtol(text, NULL, 10) == status;
}

static bool
check_status(arena_t *arena, const json_t *step, const observed_t *observed, json_t *results)
{
    AUTO(buffer_clear) buffer_t list = { 0 };
    const json_t *expect = json_get(step, "expect");
    bool passed = false;

    if (!expect || !expect->count)
        return true;
    for (const json_t *code = expect->first; code; code = code->next) {
        passed = passed || status_matches(code, observed->answer->status);
        buffer_printf(&list, "%s%s", list.size ? " or " : "", code->text ? code->text : "?");
    }
    const char *actual = arena_printf(arena, "%ld", observed->answer->status);
    const char *message = arena_printf(arena, passed ? "status is %s" : "status is %s, not %s",
                                       actual, list.bytes);
    add_result(arena, results, "status", passed, list.bytes, actual, message);
    return passed;
}

static void
take_path(arena_t *arena, const json_t *assertion, const observed_t *observed,
          subject_t *subject)
{
    jsonpath_t *path;
    jsonpath_nodes_t nodes;
    failure_t why;

    subject->name = json_get_text(assertion, "path");
    if (!observed->body) {
        subject->nothing = observed->not_json;
        return;
    }
    if (!subject->name || jsonpath_compile(arena, subject->name, &path, &why)
        || jsonpath_select(arena, path, observed->body, &nodes, &why)) {
        subject->nothing =
            arena_strdup(arena, subject->name ? why.text : "the path is no text");
        return;
    }
    if (nodes.count == 0)
        subject->nothing = arena_printf(arena, "no match for %s", subject->name);
    else if (nodes.count == 1)
        subject->value = json_copy(arena, nodes.nodes[0]);
    else
        subject->value = json_array(arena);
    for (size_t i = 0; nodes.count > 1 && i < nodes.count; i++)
        json_add(subject->value, json_copy(arena, nodes.nodes[i]));
}

// One value as text, several as a list.
static void
take_header(arena_t *arena, const json_t *assertion, const observed_t *observed,
            subject_t *subject)
{
    const char *name = json_get_text(assertion, "header");
    json_t *list = json_array(arena);

    for (const json_t *pair = observed->answer->headers->first; name && pair; pair = pair->next)
        if (!strcasecmp(pair->first->text, name))
            json_add(list, json_copy(arena, pair->last));
    subject->name = arena_printf(arena, "header %s", name ? name : "?");
    if (!list->count)
        subject->nothing = arena_printf(arena, "there is no %s", subject->name);
    else
        subject->value = list->count == 1 ? list->first : list;
}

static void
take_subject(arena_t *arena, const json_t *assertion, const observed_t *observed,
             subject_t *subject)
{
    *subject = (subject_t){ 0 };
    if (json_get(assertion, "path")) {
        take_path(arena, assertion, observed, subject);
    } else if (json_get(assertion, "header")) {
        take_header(arena, assertion, observed, subject);
    } else if (json_get(assertion, "time")) {
        subject->name = "time (ms)";
        subject->value = json_number(arena, observed->answer->total_us / 1000);
    } else {
        subject->name = "body";
        subject->value = json_string_sized(arena, observed->text, observed->size);
    }
}

static bool
check_one(arena_t *arena, const json_t *assertion, const observed_t *observed,
          const variables_t *variables, json_t *results)
{
    const char *op = json_get_text(assertion, "op");
    const json_t *given = json_get(assertion, "value");
    json_t *wanted = NULL;
    subject_t subject;
    failure_t why = { 0 };

    take_subject(arena, assertion, observed, &subject);
    if (given && variables_fill_json(variables, arena, given, &wanted, &why)) {
        add_result(arena, results, subject.name, false, shown(arena, given), NULL,
                   arena_strdup(arena, why.text));
        return false;
    }
    bool passed = operator_holds(arena, op ? op : "", subject.value, wanted, &why);
    const char *check =
        arena_printf(arena, "%s %s", subject.name ? subject.name : "?", op ? op : "?");
    const char *actual = subject.value ? shown(arena, subject.value) : subject.nothing;
    const char *message =
        why.text[0] ? arena_strdup(arena, why.text)
        : passed    ? arena_printf(arena, "%s %s", check, wanted ? shown(arena, wanted) : "")
                    : arena_printf(arena, "%s %s, but there is: %s", check,
                                wanted ? shown(arena, wanted) : "", actual);
    add_result(arena, results, check, passed, wanted ? shown(arena, wanted) : NULL, actual,
               message);
    return passed;
}

bool
checks_run(arena_t *arena, const json_t *step, const observed_t *observed,
           const variables_t *variables, json_t *results)
{
    const json_t *asserts = json_get(step, "asserts");
    bool passed = check_status(arena, step, observed, results);

    for (const json_t *one = asserts ? asserts->first : NULL; one; one = one->next)
        passed = check_one(arena, one, observed, variables, results) && passed;
    return passed;
}

bool
checks_extract(arena_t *arena, const json_t *step, const observed_t *observed,
               variables_t *variables, json_t *extracted, json_t *results)
{
    const json_t *extract = json_get(step, "extract");
    bool passed = true;

    for (const json_t *one = extract ? extract->first : NULL; one; one = one->next) {
        json_t *assertion = json_object(arena);
        subject_t subject;
        json_set_text(arena, assertion, "path", one->text);
        take_subject(arena, assertion, observed, &subject);
        if (!subject.value) {
            passed = false;
            add_result(arena, results, arena_printf(arena, "extract %s", one->key), false,
                       one->text, NULL, subject.nothing);
            continue;
        }
        variables_set(variables, one->key, subject.value);
        json_set(arena, extracted, one->key, json_copy(arena, subject.value));
    }
    return passed;
}
