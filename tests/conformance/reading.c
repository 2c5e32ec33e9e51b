// SPDX-License-Identifier: Apache-2.0
// Resources and prompts.
#include "fixtures.h"

static tool_fn static_text, static_binary, watched, item, simple_prompt, argument_prompt,
    resource_prompt, image_prompt, asking_prompt;

// clang-format off
const resource_t fixture_resources[] = {
    { "test://static-text", "static-text", "Text", "A text that does not change.", "text/plain", static_text },
    { "test://static-binary", "static-binary", "Image", "An image that does not change.", "image/png", static_binary },
    { "test://watched-resource", "watched-resource", "Watched", "A text that clients may watch.", "text/plain", watched },
    { 0 }
};

const template_t fixture_templates[] = {
    { "test://template/{id}/data", "template-data", "Data", "Data of any id.", "application/json", .run = item },
    { 0 }
};

const prompt_t fixture_prompts[] = {
    { .name = "test_simple_prompt", .title = "Simple", .about = "A prompt without arguments.", .run = simple_prompt },
    {
        .name = "test_prompt_with_arguments", .title = "Arguments", .about = "A prompt with two arguments.",
        .arguments = { { "arg1", "The first.", true, "project" }, { "arg2", "The second.", true } },
        .run = argument_prompt,
    },
    {
        .name = "test_prompt_with_embedded_resource", .title = "Resource", .about = "A prompt with a resource in it.",
        .arguments = { { "resourceUri", "Its address.", true } },
        .run = resource_prompt,
    },
    { .name = "test_prompt_with_image", .title = "Image", .about = "A prompt with an image in it.", .run = image_prompt },
    {
        .name = "test_input_required_result_prompt", .title = "Asking", .about = "A prompt that asks first.",
        .run = asking_prompt,
    },
    { 0 }
};
// clang-format on

static void
static_text(call_t *call)
{
    reply_text(call, "This is the content of the static text resource.");
}

static void
static_binary(call_t *call)
{
    reply_base64(call, PIXEL);
}

static void
watched(call_t *call)
{
    reply_text(call, "Watch this.");
}

static void
item(call_t *call)
{
    json_t *data = json_object(call_arena(call));

    json_set_text(call_arena(call), data, "id", call_text(call, "id"));
    json_set_bool(call_arena(call), data, "templateTest", true);
    reply_text(call, json_text(call_arena(call), data));
}

static void
simple_prompt(call_t *call)
{
    reply_prompt(call, "This is a simple prompt for testing.");
}

static void
argument_prompt(call_t *call)
{
    reply_prompt(call,
                 arena_printf(call_arena(call), "Prompt with arguments: arg1='%s', arg2='%s'",
                              call_text(call, "arg1"), call_text(call, "arg2")));
}

// One message with the block, and one that says something about it.
static void
reply_with_block(call_t *call, json_t *block, const char *text)
{
    arena_t *arena = call_arena(call);
    json_t *messages = json_array(arena);
    json_t *blocks[] = { block, block_of_text(call, text) };

    for (size_t i = 0; i < 2; i++) {
        json_t *message = json_add(messages, json_object(arena));
        json_set_text(arena, message, "role", "user");
        json_set(arena, message, "content", blocks[i]);
    }
    reply_messages(call, messages);
}

static void
resource_prompt(call_t *call)
{
    reply_with_block(call,
                     block_of_resource(call, call_text(call, "resourceUri"), "text/plain",
                                       "Embedded resource content for testing."),
                     "Please process the embedded resource above.");
}

static void
image_prompt(call_t *call)
{
    reply_with_block(call, block_of_image(call, "image/png", PIXEL),
                     "Please analyze the image above.");
}

static void
asking_prompt(call_t *call)
{
    const char *context =
        ask_text(call, "user_context", "What context should the prompt use?", "context");

    if (context)
        reply_prompt(call, arena_printf(call_arena(call), "Use this context: %s", context));
}
