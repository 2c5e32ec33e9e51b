// SPDX-License-Identifier: Apache-2.0
#include "api/checks.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/learn.h"
#include "api/operators.h"
#include "auto.h"
#include "jsonpath.h"

// What an assertion is about.
typedef struct {
    const char *name;     // "$.id", "header Location", "body", "time"
    const json_t *value;  // what is there, or NULL when nothing is
    const char *nothing;  // then: why
} subject_t;

// A value as JSON, masked before it is cut: half a secret is one, too.
static const char *
cut(const run_t *run, arena_t *arena, const json_t *value, size_t most)
{
    AUTO(arena_destroy) arena_t *scratch = arena_new();
    AUTO(buffer_clear) buffer_t out = { 0 };
    size_t size;

    json_write(&out, value);
    const char *text = mask_text(run->mask, scratch, out.bytes, out.size, &size);
    if (size <= most)
        return arena_strndup(arena, text, size);
    size_t kept = most;
    while (kept && ((unsigned char) text[kept] & 0xc0) == 0x80)
        kept--;
    return arena_printf(arena, "%.*s… (%zu bytes)", (int) kept, text, size);
}

static const char *
shown(const run_t *run, arena_t *arena, const json_t *value)
{
    return value ? cut(run, arena, value, CHECKS_SHOWN_MAX) : "nothing";
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

// A list of nodes that stay where they are: only their heads are copied.
static const json_t *
list_of(arena_t *arena, const jsonpath_nodes_t *nodes)
{
    json_t *list = json_array(arena);

    for (size_t i = 0; i < nodes->count; i++) {
        json_t *item = arena_alloc(arena, sizeof *item);
        *item = *nodes->nodes[i];
        item->key = NULL;
        item->next = NULL;
        json_add(list, item);
    }
    return list;
}

// One match as it is, several as a list.
static void
take_path(arena_t *arena, const json_t *path_text, const observed_t *observed,
          subject_t *subject)
{
    jsonpath_t *path;
    jsonpath_nodes_t nodes;
    failure_t why = { 0 };

    subject->name = path_text->kind == JSON_STRING ? path_text->text : NULL;
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
        subject->nothing = arena_printf(arena, "there is no match for %s", subject->name);
    else
        subject->value = nodes.count == 1 ? nodes.nodes[0] : list_of(arena, &nodes);
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
take_body(arena_t *arena, const observed_t *observed, subject_t *subject)
{
    json_t *text = arena_alloc(arena, sizeof *text);

    *text = (json_t){ .kind = JSON_STRING, .text = observed->text, .length = observed->size };
    subject->name = "body";
    subject->value = text;
}

static void
take_subject(arena_t *arena, const json_t *assertion, const observed_t *observed,
             subject_t *subject)
{
    const json_t *path = json_get(assertion, "path");

    *subject = (subject_t){ 0 };
    if (path) {
        take_path(arena, path, observed, subject);
    } else if (json_get(assertion, "header")) {
        take_header(arena, assertion, observed, subject);
    } else if (json_get_bool(assertion, "time", false)) {
        subject->name = "time (ms)";
        subject->value = json_number(arena, observed->answer->total_us / 1000);
    } else {
        take_body(arena, observed, subject);
    }
}

// What the assertion wants, filled in; NULL when it wants nothing.
static status_t
take_wanted(const run_t *run, arena_t *arena, const json_t *assertion, const json_t **wanted_p,
            failure_t *why)
{
    const json_t *given = json_get(assertion, "value");
    json_t *filled = NULL;

    if (given && variables_fill_json(run->variables, arena, given, &filled, why))
        return why->status;
    *wanted_p = filled;
    return OK;
}

static bool
check_one(const run_t *run, arena_t *arena, const json_t *assertion, const observed_t *observed,
          json_t *results)
{
    AUTO(arena_destroy) arena_t *scratch = arena_new();
    const char *op = json_get_text(assertion, "op");
    const json_t *wanted = NULL;
    subject_t subject;
    failure_t why = { 0 };

    take_subject(scratch, assertion, observed, &subject);
    bool passed = !take_wanted(run, scratch, assertion, &wanted, &why)
                  && operator_holds(scratch, op ? op : "", subject.value, wanted, &why);
    const char *check =
        arena_printf(scratch, "%s %s", subject.name ? subject.name : "?", op ? op : "?");
    const char *actual = subject.value ? shown(run, scratch, subject.value) : subject.nothing;
    const char *expected = wanted ? shown(run, scratch, wanted) : "";
    const char *message = why.text[0] ? why.text
                          : passed    ? arena_printf(scratch, "%s %s", check, expected)
                                   : arena_printf(scratch, "%s %s, but %s%s", check, expected,
                                                  subject.value ? "there is: " : "", actual);
    add_result(arena, results, check, passed, wanted ? expected : NULL, actual, message);
    return passed;
}

// The body is not what its header says: nothing about it can be right.
static bool
check_encoding(arena_t *arena, const observed_t *observed, json_t *results)
{
    const char *given = exchange_header(observed->answer->headers, "Content-Encoding");

    if (!observed->encoding)
        return true;
    add_result(arena, results, "content encoding", false, given, NULL, observed->encoding);
    return false;
}

bool
checks_run(const run_t *run, arena_t *arena, const json_t *step, const observed_t *observed,
           json_t *results)
{
    const json_t *asserts = json_get(step, "asserts");
    bool passed = check_status(arena, step, observed, results);

    passed = check_encoding(arena, observed, results) && passed;
    for (const json_t *one = asserts ? asserts->first : NULL; one; one = one->next) {
        if (atomic_load(&run->job->cancelled))
            return false;
        passed = check_one(run, arena, one, observed, results) && passed;
    }
    return passed;
}

// Long values do not go into the report.
static json_t *
for_report(const run_t *run, arena_t *arena, const json_t *value)
{
    AUTO(buffer_clear) buffer_t text = { 0 };

    json_write(&text, value);
    return text.size <= CHECKS_EXTRACT_SHOWN_MAX
               ? json_copy(arena, value)
               : json_string(arena, cut(run, arena, value, CHECKS_EXTRACT_SHOWN_MAX));
}

// Why a value cannot be kept, or NULL.
static const char *
too_large(const run_t *run, const json_t *value)
{
    AUTO(buffer_clear) buffer_t text = { 0 };

    json_write(&text, value);
    if (text.size > CHECKS_EXTRACT_MAX)
        return "the value is over 1 MiB and cannot be kept";
    return arena_size(run->arena) > CHECKS_VARIABLES_MAX
               ? "the run keeps too many values already"
               : NULL;
}

static bool
extract_one(run_t *run, arena_t *arena, const json_t *one, const observed_t *observed,
            json_t *extracted, json_t *results)
{
    AUTO(arena_destroy) arena_t *scratch = arena_new();
    subject_t subject = { 0 };

    take_path(scratch, one, observed, &subject);
    const char *lack = subject.value ? too_large(run, subject.value) : subject.nothing;
    if (lack) {
        add_result(arena, results, arena_printf(scratch, "extract %s", one->key), false,
                   subject.name, NULL, lack);
        return false;
    }
    learn_value(run->mask, one->key, subject.value);
    variables_set(run->variables, one->key, subject.value);
    json_set(arena, extracted, one->key, for_report(run, arena, subject.value));
    return true;
}

bool
checks_extract(run_t *run, arena_t *arena, const json_t *step, const observed_t *observed,
               json_t *extracted, json_t *results)
{
    const json_t *extract = json_get(step, "extract");
    bool passed = true;

    for (const json_t *one = extract ? extract->first : NULL; one; one = one->next)
        passed = extract_one(run, arena, one, observed, extracted, results) && passed;
    return passed;
}
