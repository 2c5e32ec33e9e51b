// SPDX-License-Identifier: Apache-2.0
// Tools that answer with every kind of block.
#include "fixtures.h"

static tool_fn simple, image, audio, embedded, mixed, failing, any_schema, with_header;

// clang-format off
const tool_t content_tools[] = {
    {
        .name = "test_simple_text", .title = "Text", .about = "Answers with a text.",
        .effect = READS, .profile = CORE, .plain = true, .run = simple,
    },
    {
        .name = "test_image_content", .title = "Image", .about = "Answers with an image.",
        .effect = READS, .profile = CORE, .plain = true, .run = image,
    },
    {
        .name = "test_audio_content", .title = "Audio", .about = "Answers with a sound.",
        .effect = READS, .profile = CORE, .plain = true, .run = audio,
    },
    {
        .name = "test_embedded_resource", .title = "Resource", .about = "Answers with a resource.",
        .effect = READS, .profile = CORE, .plain = true, .run = embedded,
    },
    {
        .name = "test_multiple_content_types", .title = "Mixture", .about = "Answers with a mixture of blocks.",
        .effect = READS, .profile = CORE, .plain = true, .run = mixed,
    },
    {
        .name = "test_error_handling", .title = "Failure", .about = "Always fails.",
        .effect = READS, .profile = CORE, .plain = true, .run = failing,
    },
    {
        .name = "json_schema_2020_12_tool", .title = "Schema", .about = "Has a schema that uses all of JSON Schema 2020-12.",
        .effect = READS, .profile = CORE, .plain = true, .run = any_schema,
        .input_schema =
            "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\",\"$defs\":{\"address\":"
            "{\"$anchor\":\"addressDef\",\"type\":\"object\",\"properties\":{\"street\":{\"type\":\"string\"},\"city\":"
            "{\"type\":\"string\"}}}},\"properties\":{\"name\":{\"type\":\"string\"},\"address\":{\"$ref\":"
            "\"#/$defs/address\"},\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},\"phone\":{\"type\":"
            "\"string\"},\"email\":{\"type\":\"string\"}},\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":"
            "[\"email\"]}]}],\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},\"required\":"
            "[\"contactMethod\"]},\"then\":{\"required\":[\"phone\"]},\"else\":{\"required\":[\"email\"]},"
            "\"additionalProperties\":false}",
    },
    {
        .name = "test_x_mcp_header", .title = "Header", .about = "Has an argument that clients repeat in a header.",
        .effect = READS, .profile = CORE, .plain = true, .run = with_header,
        .params = { { "region", TEXT, "Any region.", .header = "Region" } },
    },
    { 0 }
};
// clang-format on

void
say(call_t *call, const char *text)
{
    call_add_block(call, block_of_text(call, text));
    reply_blocks(call);
}

static void
simple(call_t *call)
{
    say(call, "This is a simple text response for testing.");
}

static void
image(call_t *call)
{
    call_add_block(call, block_of_image(call, "image/png", PIXEL));
    reply_blocks(call);
}

static void
audio(call_t *call)
{
    call_add_block(call, block_of_audio(call, "audio/wav", SILENCE));
    reply_blocks(call);
}

static void
embedded(call_t *call)
{
    call_add_block(call, block_of_resource(call, "test://embedded-resource", "text/plain",
                                           "This is an embedded resource content."));
    reply_blocks(call);
}

static void
mixed(call_t *call)
{
    call_add_block(call, block_of_text(call, "Multiple content types test:"));
    call_add_block(call, block_of_image(call, "image/png", PIXEL));
    call_add_block(call, block_of_resource(call, "test://mixed-content-resource",
                                           "application/json", "{\"test\":\"data\"}"));
    reply_blocks(call);
}

static void
failing(call_t *call)
{
    failure_t why;

    fail(&why, CONFLICT, "This tool intentionally returns an error for testing.");
    reply_failure(call, &why);
}

static void
any_schema(call_t *call)
{
    say(call, "The arguments were taken as they are.");
}

static void
with_header(call_t *call)
{
    const char *region = call_text(call, "region");

    say(call, region ? region : "no region");
}
