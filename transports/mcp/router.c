// SPDX-License-Identifier: Apache-2.0
#include "mcp/router.h"

#include <string.h>
#include <strings.h>

#include "auto.h"
#include "mcp/invoke.h"
#include "mcp/service.h"

enum { FOUND_MAX = 20 };

#define ROUTER_READS "\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}"
#define ROUTER_NAME                                                                            \
    "\"name\":{\"type\":\"string\",\"description\":\"Name of the tool, as search_tools gives " \
    "it.\"}"

// clang-format off
static const struct {
    const char *name;
    const char *json;
} tools[] = {
    { "search_tools",
      "{\"name\":\"search_tools\",\"title\":\"Search tools\",\"description\":\"Finds tools, also those that are not in this list, "
      "by words of their names, descriptions and parameters.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"query\":"
      "{\"type\":\"string\",\"description\":\"Words to look for; all of them have to occur.\"}},\"required\":[\"query\"]}," ROUTER_READS "}" },
    { "describe_tool",
      "{\"name\":\"describe_tool\",\"title\":\"Describe tool\",\"description\":\"Gives description and parameters of a tool "
      "that search_tools has found.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{" ROUTER_NAME "},"
      "\"required\":[\"name\"]}," ROUTER_READS "}" },
    { "call_tool",
      "{\"name\":\"call_tool\",\"title\":\"Call tool\",\"description\":\"Calls a tool that is not in this list; "
      "describe_tool tells its parameters.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{" ROUTER_NAME ","
      "\"arguments\":{\"type\":\"object\",\"description\":\"Arguments of that tool.\"}},\"required\":[\"name\"]},"
      "\"annotations\":{\"readOnlyHint\":false}}" },
};
// clang-format on

const char *
router_entry(size_t index)
{
    return index < ROWS(tools) ? tools[index].json : NULL;
}

bool
router_is(const request_t *request, const char *name)
{
    const listing_t *listing = request_service(request)->listing;

    if (!listing_hides(listing, request_peer(request)->view))
        return false;
    for (size_t i = 0; i < ROWS(tools); i++)
        if (!strcmp(name, tools[i].name))
            return true;
    return false;
}

bool
router_calls(const char *name)
{
    return !strcmp(name, "call_tool");
}

static const json_t *
argument(const request_t *request, const char *name)
{
    return json_get(json_get(request->message->params, "arguments"), name);
}

bool
router_redirect(request_t *request)
{
    const json_t *name = argument(request, "name");
    const json_t *arguments = argument(request, "arguments");
    open_call_t *call = &request->call;

    if (!name || name->kind != JSON_STRING
        || (arguments && arguments->kind != JSON_OBJECT && arguments->kind != JSON_NULL)) {
        invoke_fail(request, BAD_ARGS, FAILED,
                    "call_tool takes the name of a tool and an object of its arguments.");
        return false;
    }
    call->name = name->text;
    call->is_routed = true;
    request->arguments = arguments && arguments->kind == JSON_OBJECT ? arguments : NULL;
    return true;
}

// ---- search_tools, describe_tool

static bool
has_word(const char *text, const char *word, size_t length)
{
    for (; *text; text++)
        if (!strncasecmp(text, word, length))
            return true;
    return false;
}

// What a tool answers is not looked at: it has words of every other tool.
static bool
has_all_words(const char *name, const char *about, const char *params, const char *query)
{
    for (const char *at = query; *at;) {
        at += strspn(at, " _,");
        size_t length = strcspn(at, " _,");
        if (length && !has_word(name, at, length) && !has_word(about, at, length)
            && !has_word(params, at, length))
            return false;
        at += length;
    }
    return true;
}

// Whether the tool is what is looked for; it is added while there is room.
static bool
is_found(json_t *found, arena_t *arena, const entry_msg_t *entry, const char *query)
{
    const json_t *tool = json_parse_text(arena, entry->json);
    const json_t *params = json_get(json_get(tool, "inputSchema"), "properties");
    const char *about = json_get_text(tool, "description");

    about = about ? about : "";
    if (!has_all_words(entry->name, about, params ? json_text(arena, params) : "", query))
        return false;
    if (found->count < FOUND_MAX) {
        json_t *item = json_add(found, json_object(arena));
        json_set_text(arena, item, "name", entry->name);
        json_set_text(arena, item, "category", entry->category);
        json_set_text(arena, item, "description", about);
    }
    return true;
}

static void
search(request_t *request)
{
    arena_t *arena = request_arena(request);
    const json_t *query = argument(request, "query");
    json_t *result = json_object(arena);
    json_t *found = json_set(arena, result, "tools", json_array(arena));
    size_t cursor = 0;
    int64_t total = 0;

    if (!query || query->kind != JSON_STRING) {
        invoke_fail(request, BAD_ARGS, FAILED, "query has to be words to look for.");
        return;
    }
    for (const entry_msg_t *entry; (entry = listing_nth(request_service(request)->listing,
                                                        request_peer(request)->view, &cursor));)
        total += is_found(found, arena, entry, query->text);
    json_set_int(arena, result, "total", total);
    invoke_succeed(request, json_text(arena, result));
}

static void
describe(request_t *request)
{
    const char *name = json_get_text(json_get(request->message->params, "arguments"), "name");
    const entry_msg_t *entry = name ? listing_allowed(request_service(request)->listing,
                                                      request_peer(request)->view, name)
                                    : NULL;

    if (entry)
        invoke_succeed(request, entry->json);
    else
        invoke_fail(request, NOT_FOUND, FAILED,
                    "There is no tool of this name; search_tools finds those that there are.");
}

void
router_run(request_t *request)
{
    if (!strcmp(request->call.name, tools[0].name))
        search(request);
    else
        describe(request);
}
