// SPDX-License-Identifier: Apache-2.0
#include "mcp/lists.h"

#include "auto.h"
#include "mcp/cursor.h"
#include "mcp/methods.h"
#include "mcp/service.h"

static const json_t *
cursor_of(const request_t *request)
{
    const json_t *cursor = json_get(request->message->params, "cursor");

    return cursor && cursor->kind != JSON_NULL ? cursor : NULL;
}

static cursor_list_t
list_of(const request_t *request)
{
    return (cursor_list_t){ request->method->name,
                            listing_mark(request_service(request)->listing) };
}

bool
lists_check_cursor(request_t *request)
{
    const json_t *cursor = cursor_of(request);

    if (!cursor || (cursor->kind == JSON_STRING && cursor->length))
        return true;
    request_error(request, RPC_PARAMS, "There is no such cursor; leave it out for the list.");
    return false;
}

static void
add_next_cursor(const request_t *request, size_t offset, buffer_t *out)
{
    const cursor_list_t list = list_of(request);

    out->size--;
    buffer_text(out, ",\"nextCursor\":\"");
    cursor_write(request_service(request)->sealer, &list, offset, out);
    buffer_text(out, "\"}");
}

static void
send_list(request_t *request, list_t list)
{
    AUTO(buffer_clear) buffer_t page = { 0 };
    service_t *service = request_service(request);
    const cursor_list_t place = list_of(request);
    size_t offset;

    if (!listing_is_known(service->listing) && !listing_is_complete(service->listing)) {
        request_error(request, RPC_INTERNAL,
                      "The processes that offer the tools are not there; try again soon.");
        return;
    }
    if (!cursor_read(service->sealer, &place, cursor_of(request), &offset)) {
        request_error(request, RPC_PARAMS,
                      "There is no such cursor, or the list has changed; begin again without.");
        return;
    }
    size_t next = listing_page(service->listing, request_peer(request)->view, list,
                               request->protocol, offset, &page);
    buffer_t *out = request_begin(request);
    buffer_add(out, page.bytes, page.size);
    if (next)
        add_next_cursor(request, next, out);
    request_end(request);
}

void
lists_send_tools(request_t *request)
{
    request_service(request)->list_was_read = true;
    send_list(request, LIST_TOOLS);
}

void
lists_send_resources(request_t *request)
{
    send_list(request, LIST_RESOURCES);
}

void
lists_send_templates(request_t *request)
{
    send_list(request, LIST_TEMPLATES);
}

void
lists_send_prompts(request_t *request)
{
    send_list(request, LIST_PROMPTS);
}
