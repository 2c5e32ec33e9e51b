// SPDX-License-Identifier: Apache-2.0
#include "mcp/narrow.h"

#include <string.h>

#include "auto.h"
#include "mcp/hello.h"
#include "mcp/inquiry.h"
#include "mcp/service.h"

enum { ROUNDS_MAX = 8 };  // questions of one call

static bool
can_show_forms(const request_t *request)
{
    arena_t *arena = request_arena(request);
    const json_t *capabilities = json_parse_text(arena, request->capabilities);

    if (request->protocol < PROTOCOL_2025_06_18
        || !hello_takes_forms(json_get(capabilities, "elicitation")))
        return false;
    return protocol_is_stateless(request->protocol) || request_can_notify(request);
}

// What goes into the argument: the id where there is one, because names may be the same.
static const char *
value_of(arena_t *arena, const json_t *candidate)
{
    const json_t *id = json_get(candidate, "id");

    return id && id->kind == JSON_NUMBER ? arena_strdup(arena, id->text)
                                         : json_get_text(candidate, "name");
}

static const char *
title_of(arena_t *arena, const json_t *candidate)
{
    const char *name = json_get_text(candidate, "name");
    const char *project = json_get_text(candidate, "project");

    return project ? arena_printf(arena, "%s (%s)", name ? name : "", project) : name;
}

// The candidates as choices, in the way that the version knows.
static bool
add_choices(const request_t *request, json_t *property, const json_t *candidates)
{
    arena_t *arena = request_arena(request);
    bool has_titles = protocol_has_icons(request->protocol);
    json_t *values = json_array(arena), *titles = json_array(arena);

    for (const json_t *item = candidates->first; item; item = item->next) {
        const char *value = value_of(arena, item), *title = title_of(arena, item);
        if (!value)
            return false;
        if (!has_titles) {
            json_add(values, json_string(arena, value));
            json_add(titles, json_string(arena, title ? title : value));
            continue;
        }
        json_t *choice = json_add(values, json_object(arena));
        json_set_text(arena, choice, "const", value);
        json_set_text(arena, choice, "title", title ? title : value);
    }
    json_set(arena, property, has_titles ? "oneOf" : "enum", values);
    if (!has_titles)
        json_set(arena, property, "enumNames", titles);
    return true;
}

// {"inputRequests": {asked: the form}}, or NULL if there is nothing to choose from.
static json_t *
make_form(const request_t *request, const char *asked, const json_t *narrowing)
{
    arena_t *arena = request_arena(request);
    const json_t *candidates = json_get(narrowing, "candidates");
    const char *message = json_get_text(narrowing, "ask_user");
    json_t *questions = json_object(arena);
    json_t *question = json_set(arena, questions, asked, json_object(arena));

    if (!message || !candidates || candidates->kind != JSON_ARRAY || !candidates->count)
        return NULL;
    json_set_text(arena, question, "method", "elicitation/create");
    json_t *params = json_set(arena, question, "params", json_object(arena));
    json_set_text(arena, params, "message", message);
    json_t *schema = json_set(arena, params, "requestedSchema", json_object(arena));
    json_set_text(arena, schema, "type", "object");
    json_t *properties = json_set(arena, schema, "properties", json_object(arena));
    json_t *property = json_set(arena, properties, asked, json_object(arena));
    json_set_text(arena, property, "type", "string");
    if (!add_choices(request, property, candidates))
        return NULL;
    json_add(json_set(arena, schema, "required", json_array(arena)), json_string(arena, asked));
    return questions;
}

bool
narrow_ask(request_t *request, const answer_msg_t *answer, const char *body, size_t size)
{
    arena_t *arena = request_arena(request);

    if (!request_service(request)->elicits || request->is_plain || !*answer->asked
        || !can_show_forms(request))
        return false;
    if (!request->chosen)
        request->chosen = json_object(arena);
    if (request->chosen->count == ROUNDS_MAX || json_get(request->chosen, answer->asked))
        return false;
    json_t *questions = make_form(request, answer->asked,
                                  json_parse_text(arena, arena_strndup(arena, body, size)));
    if (!questions)
        return false;
    json_t *state = json_object(arena);
    json_set_text(arena, state, "asked", answer->asked);
    json_set(arena, state, "chosen", json_copy(arena, request->chosen));
    inquiry_put(request, questions, INQUIRY_OF_OURS, json_text(arena, state));
    return true;
}

// The arguments of the client, with what was chosen since.
static void
rebuild(request_t *request)
{
    arena_t *arena = request_arena(request);
    json_t *arguments =
        request->arguments ? json_copy(arena, request->arguments) : json_object(arena);

    for (const json_t *item = request->chosen->first; item; item = item->next)
        json_set(arena, arguments, item->key, json_copy(arena, item));
    request->call.body = json_text(arena, arguments);
    request->call.body_size = strlen(request->call.body);
}

// Some parameters take several.
static bool
is_list(const request_t *request, const char *name)
{
    const entry_msg_t *entry =
        listing_allowed(request_service(request)->listing, NULL, request->call.name);
    const json_t *tool = entry ? json_parse_text(request_arena(request), entry->json) : NULL;
    const json_t *property =
        json_get(json_get(json_get(tool, "inputSchema"), "properties"), name);
    const char *type = json_get_text(property, "type");

    return type && !strcmp(type, "array");
}

bool
narrow_take(request_t *request, const char *state, const json_t *responses)
{
    arena_t *arena = request_arena(request);
    const json_t *root = json_parse_text(arena, state);
    const char *asked = json_get_text(root, "asked");
    const json_t *response = asked ? json_get(responses, asked) : NULL;
    const char *action = json_get_text(response, "action");
    const char *value = asked ? json_get_text(json_get(response, "content"), asked) : NULL;

    if (!asked)
        return false;
    request->chosen = json_copy(arena, json_get(root, "chosen"));
    if (action && !strcmp(action, "accept") && value) {
        json_t *text = json_string(arena, value);
        if (is_list(request, asked))
            json_add(json_set(arena, request->chosen, asked, json_array(arena)), text);
        else
            json_set(arena, request->chosen, asked, text);
    } else if (response) {
        request->is_plain = true;
    }
    rebuild(request);
    return true;
}
