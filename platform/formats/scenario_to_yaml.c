// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "auto.h"
#include "formats/scenario.h"
#include "formats/yaml.h"

static void
put(arena_t *arena, json_t *out, const char *key, const json_t *value)
{
    if (value)
        json_set(arena, out, key, json_copy(arena, value));
}

static void
put_hooks(arena_t *arena, json_t *out, const json_t *hooks)
{
    const json_t *before = json_get(hooks, "before");

    if (!before)
        return;
    json_t *list = json_set(arena, json_set(arena, out, "hooks", json_object(arena)), "before",
                            json_array(arena));
    for (const json_t *hook = before->first; hook; hook = hook->next) {
        AUTO(buffer_clear) buffer_t script = { 0 };
        buffer_printf(&script, "%s:%s", json_get_text(hook, "name"),
                      json_get_text(hook, "generator"));
        const json_t *arguments = json_get(hook, "arguments");
        for (const json_t *argument = arguments->first; argument; argument = argument->next)
            buffer_printf(&script, "%s%s%s", argument == arguments->first ? "(" : "",
                          argument->text, argument->next ? "," : ")");
        json_set_text(arena, json_add(list, json_object(arena)), "script", script.bytes);
    }
}

static void
put_body(arena_t *arena, json_t *out, const json_t *step)
{
    const json_t *body = json_get(step, "body");
    const char *kind = body ? json_get_text(body, "kind") : NULL;

    if (!kind)
        return;
    put(arena, out, "contentType", json_get(body, "contentType"));
    if (!strcmp(kind, "text"))
        put(arena, out, "body", json_get(body, "text"));
    else
        put(arena, out, !strcmp(kind, "form") ? "form" : "body", json_get(body, "json"));
}

// One entry for each check; the reader takes them apart the same way.
static void
put_asserts(arena_t *arena, json_t *out, const json_t *step)
{
    static const char *const subjects[] = { "path", "header", "body", "time" };
    const json_t *asserts = json_get(step, "asserts");
    json_t *list = asserts ? json_set(arena, out, "assert", json_array(arena)) : NULL;

    for (const json_t *check = asserts ? asserts->first : NULL; check; check = check->next) {
        json_t *entry = json_add(list, json_object(arena));
        const json_t *value = json_get(check, "value");
        if (json_get(check, "time")) {
            put(arena, entry, "time", value);
            continue;
        }
        for (size_t i = 0; i < ROWS(subjects); i++)
            put(arena, entry, subjects[i], json_get(check, subjects[i]));
        put(arena, entry, json_get_text(check, "op"), value);
    }
}

static void
put_retry(arena_t *arena, json_t *out, const json_t *step)
{
    const json_t *retry = json_get(step, "retry");

    if (!retry)
        return;
    json_t *entry = json_set(arena, out, "retry", json_object(arena));
    put(arena, entry, "max", json_get(retry, "max"));
    put(arena, entry, "delay", json_get(retry, "delayMs"));
}

static json_t *
step_for_people(arena_t *arena, const json_t *step)
{
    static const char *const before[] = { "name", "method", "path", "query", "headers" };
    static const char *const after[] = { "extract", "always", "followRedirects", "charset" };
    json_t *out = json_object(arena);

    for (size_t i = 0; i < ROWS(before); i++)
        put(arena, out, before[i], json_get(step, before[i]));
    put_body(arena, out, step);
    put(arena, out, "expect", json_get(step, "expect"));
    put_asserts(arena, out, step);
    for (size_t i = 0; i < ROWS(after); i++)
        put(arena, out, after[i], json_get(step, after[i]));
    put(arena, out, "timeout", json_get(step, "timeoutMs"));
    put_retry(arena, out, step);
    return out;
}

char *
scenario_to_yaml(arena_t *arena, const json_t *scenario)
{
    static const char *const before[] = { "name",   "description",   "baseUrl",
                                          "appTag", "credentialTag", "tags" };
    AUTO(buffer_clear) buffer_t text = { 0 };
    json_t *out = json_object(arena);

    for (size_t i = 0; i < ROWS(before); i++)
        put(arena, out, before[i], json_get(scenario, before[i]));
    put_hooks(arena, out, json_get(scenario, "hooks"));
    put(arena, out, "dataColumns", json_get(scenario, "dataColumns"));
    const json_t *steps = json_get(scenario, "steps");
    json_t *list = json_set(arena, out, "steps", json_array(arena));
    for (const json_t *step = steps ? steps->first : NULL; step; step = step->next)
        json_add(list, step_for_people(arena, step));
    yaml_write(&text, out);
    return arena_strndup(arena, text.bytes, text.size);
}
