// SPDX-License-Identifier: Apache-2.0
// Tools that ask the client.
#include <string.h>

#include "fixtures.h"

#define NAME_SCHEMA                                                                            \
    "{\"type\":\"object\",\"properties\":{\"%s\":{\"type\":\"string\"}},\"required\":[\"%s\"]" \
    "}"

static tool_fn sampling, elicitation, defaults, enums, missing, streaming, one_form, one_sample,
    list_roots, keep_state, three_inputs, two_rounds, capabilities;

// clang-format off
const tool_t asking_tools[] = {
    {
        .name = "test_sampling", .title = "Sampling", .about = "Has the client's model say something.",
        .effect = READS, .profile = CORE, .plain = true, .run = sampling,
        .params = { { "prompt", TEXT | MUST, "What the model is asked." } },
    },
    {
        .name = "test_elicitation", .title = "Form", .about = "Asks for a user name and an address.",
        .effect = READS, .profile = CORE, .plain = true, .run = elicitation,
        .params = { { "message", TEXT | MUST, "What the user is told." } },
    },
    {
        .name = "test_elicitation_sep1034_defaults", .title = "Defaults", .about = "Asks with a form whose fields have defaults.",
        .effect = READS, .profile = CORE, .plain = true, .run = defaults,
    },
    {
        .name = "test_elicitation_sep1330_enums", .title = "Choices", .about = "Asks with a form of choices of every kind.",
        .effect = READS, .profile = CORE, .plain = true, .run = enums,
    },
    {
        .name = "test_missing_capability", .title = "Capability", .about = "Needs a client with sampling.",
        .effect = READS, .profile = CORE, .plain = true, .run = missing,
    },
    {
        .name = "test_streaming_elicitation", .title = "Form", .about = "Asks for a name.",
        .effect = READS, .profile = CORE, .plain = true, .run = streaming,
    },
    {
        .name = "test_input_required_result_elicitation", .title = "Form", .about = "Greets whom the user names.",
        .effect = READS, .profile = CORE, .plain = true, .run = one_form,
    },
    {
        .name = "test_input_required_result_sampling", .title = "Sampling", .about = "Has the client's model say something.",
        .effect = READS, .profile = CORE, .plain = true, .run = one_sample,
    },
    {
        .name = "test_input_required_result_list_roots", .title = "Roots", .about = "Counts the client's roots.",
        .effect = READS, .profile = CORE, .plain = true, .run = list_roots,
    },
    {
        .name = "test_input_required_result_request_state", .title = "State", .about = "Keeps a state between its rounds.",
        .effect = READS, .profile = CORE, .plain = true, .run = keep_state,
    },
    {
        .name = "test_input_required_result_tampered_state", .title = "State", .about = "Refuses a state that is not its own.",
        .effect = READS, .profile = CORE, .plain = true, .run = keep_state,
    },
    {
        .name = "test_input_required_result_multiple_inputs", .title = "Three", .about = "Asks three things at once.",
        .effect = READS, .profile = CORE, .plain = true, .run = three_inputs,
    },
    {
        .name = "test_input_required_result_multi_round", .title = "Rounds", .about = "Asks one thing after the other.",
        .effect = READS, .profile = CORE, .plain = true, .run = two_rounds,
    },
    {
        .name = "test_input_required_result_capabilities", .title = "Capabilities", .about = "Asks only what the client can answer.",
        .effect = READS, .profile = CORE, .plain = true, .run = capabilities,
    },
    { 0 }
};
// clang-format on

json_t *
form_of(call_t *call, const char *message, const char *schema)
{
    json_t *params = json_object(call_arena(call));

    json_set_text(call_arena(call), params, "message", message);
    json_set(call_arena(call), params, "requestedSchema",
             json_parse_text(call_arena(call), schema));
    return params;
}

json_t *
sampling_of(call_t *call, const char *prompt, int tokens)
{
    arena_t *arena = call_arena(call);
    json_t *params = json_object(arena);
    json_t *messages = json_set(arena, params, "messages", json_array(arena));
    json_t *message = json_add(messages, json_object(arena));

    json_set_text(arena, message, "role", "user");
    json_set(arena, message, "content", block_of_text(call, prompt));
    json_set_int(arena, params, "maxTokens", tokens);
    return params;
}

const char *
ask_text(call_t *call, const char *key, const char *message, const char *member)
{
    const char *schema = arena_printf(call_arena(call), NAME_SCHEMA, member, member);
    const json_t *response =
        call_ask(call, key, "elicitation/create", form_of(call, message, schema));

    if (!response)
        return NULL;
    const char *text = json_get_text(json_get(response, "content"), member);
    return text ? text : "";
}

// Shows what came back from a form.
static void
say_response(call_t *call, const json_t *response)
{
    const json_t *content = json_get(response, "content");
    const char *action = json_get_text(response, "action");

    say(call, arena_printf(call_arena(call), "User response: action=%s, content=%s",
                           action ? action : "none",
                           content ? json_text(call_arena(call), content) : "{}"));
}

static void
ask_form(call_t *call, const char *message, const char *schema)
{
    const json_t *response =
        call_ask(call, "form", "elicitation/create", form_of(call, message, schema));

    if (response)
        say_response(call, response);
}

static void
ask_model(call_t *call, const char *key, const char *prompt)
{
    const json_t *response =
        call_ask(call, key, "sampling/createMessage", sampling_of(call, prompt, 100));

    if (!response)
        return;
    const char *text = json_get_text(json_get(response, "content"), "text");
    say(call, arena_printf(call_arena(call), "LLM response: %s", text ? text : ""));
}

static void
sampling(call_t *call)
{
    ask_model(call, "model", call_text(call, "prompt"));
}

static void
elicitation(call_t *call)
{
    ask_form(call, call_text(call, "message"),
             "{\"type\":\"object\",\"properties\":{\"username\":{\"type\":\"string\","
             "\"description\":\"Your name\"},\"email\":{\"type\":\"string\",\"description\":"
             "\"Your address\"}},\"required\":[\"username\",\"email\"]}");
}

static void
defaults(call_t *call)
{
    ask_form(call, "Please look at the values",
             "{\"type\":\"object\",\"properties\":{"
             "\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},"
             "\"age\":{\"type\":\"integer\",\"default\":30},"
             "\"score\":{\"type\":\"number\",\"default\":95.5},"
             "\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"inactive\",\"pending\"],"
             "\"default\":\"active\"},"
             "\"verified\":{\"type\":\"boolean\",\"default\":true}}}");
}

static void
enums(call_t *call)
{
    ask_form(call, "Please choose",
             "{\"type\":\"object\",\"properties\":{"
             "\"untitledSingle\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\","
             "\"option3\"]},"
             "\"titledSingle\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"value1\",\"title\":"
             "\"First\"},{\"const\":\"value2\",\"title\":\"Second\"},{\"const\":\"value3\","
             "\"title\":\"Third\"}]},"
             "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],"
             "\"enumNames\":[\"One\",\"Two\",\"Three\"]},"
             "\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":"
             "[\"option1\",\"option2\",\"option3\"]}},"
             "\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"value1\","
             "\"title\":\"First\"},{\"const\":\"value2\",\"title\":\"Second\"},{\"const\":"
             "\"value3\",\"title\":\"Third\"}]}}}}");
}

static void
missing(call_t *call)
{
    ask_model(call, "model", "Say anything");
}

static void
streaming(call_t *call)
{
    const char *name = ask_text(call, "user_name", "What is your name?", "name");

    if (name)
        say(call, name);
}

static void
one_form(call_t *call)
{
    const char *name = ask_text(call, "user_name", "What is your name?", "name");

    if (name)
        say(call, arena_printf(call_arena(call), "Hello, %s!", name));
}

static void
one_sample(call_t *call)
{
    ask_model(call, "capital_question", "What is the capital of France?");
}

static void
list_roots(call_t *call)
{
    const json_t *response = call_ask(call, "client_roots", "roots/list", NULL);
    const json_t *roots = json_get(response, "roots");

    if (response)
        say(call, arena_printf(call_arena(call), "The client has %zu roots",
                               roots ? roots->count : 0));
}

// False, and the call has been answered: the state is not the one that was given out.
static bool
check_state_or_reply(call_t *call, const char *expected)
{
    const char *state = call_state(call);
    failure_t why;

    if (!state || !strcmp(state, expected))
        return true;
    fail(&why, BAD_REQUEST, "requestState is not the one that was sent");
    reply_failure(call, &why);
    return false;
}

static void
keep_state(call_t *call)
{
    static const char schema[] = "{\"type\":\"object\",\"properties\":{\"ok\":{\"type\":"
                                 "\"boolean\"}},\"required\":[\"ok\"]}";
    const json_t *response = call_ask(call, "confirm", "elicitation/create",
                                      form_of(call, "Please confirm", schema));

    call_set_state(call, "confirming");
    if (check_state_or_reply(call, "confirming") && response && call_state(call))
        say(call, "state-ok");
}

static void
three_inputs(call_t *call)
{
    const char *name = ask_text(call, "user_name", "What is your name?", "name");
    const json_t *greeting = call_ask(call, "greeting", "sampling/createMessage",
                                      sampling_of(call, "Generate a greeting", 50));
    const json_t *roots = call_ask(call, "client_roots", "roots/list", NULL);

    call_set_state(call, "three");
    if (name && greeting && roots)
        say(call, arena_printf(call_arena(call), "All was answered by %s", name));
}

// The second round knows by the state that the first is over: its answer does not come again.
static void
two_rounds(call_t *call)
{
    const char *state = call_state(call);

    if (state && !strncmp(state, "name:", 5)) {
        const char *color = ask_text(call, "step2", "What is your favourite color?", "color");
        if (color)
            say(call, arena_printf(call_arena(call), "%s likes %s", state + 5, color));
        else
            call_set_state(call, state);
        return;
    }
    const char *name = ask_text(call, "step1", "What is your name?", "name");
    call_set_state(call, "begun");
    if (!name)
        return;
    call_set_state(call, arena_printf(call_arena(call), "name:%s", name));
    ask_text(call, "step2", "What is your favourite color?", "color");
}

static void
capabilities(call_t *call)
{
    const json_t *form = NULL, *sample = NULL;

    if (call_client_can(call, "elicitation"))
        form = call_ask(call, "user_name", "elicitation/create",
                        form_of(call, "What is your name?", "{\"type\":\"object\"}"));
    if (call_client_can(call, "sampling"))
        sample = call_ask(call, "greeting", "sampling/createMessage",
                          sampling_of(call, "Generate a greeting", 50));
    if ((form || !call_client_can(call, "elicitation"))
        && (sample || !call_client_can(call, "sampling")))
        say(call, "Nothing else is asked.");
}
