// SPDX-License-Identifier: Apache-2.0
#include "mcp/lists.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "auto.h"
#include "mcp/methods.h"
#include "mcp/service.h"

enum { PURPOSE_SIZE = 96, OFFSET_SIZE = 24 };

static const json_t *
cursor_of(const request_t *request)
{
    const json_t *cursor = json_get(request->message->params, "cursor");

    return cursor && cursor->kind != JSON_NULL ? cursor : NULL;
}

// A cursor is good for one list, in the state that it was issued for.
static void
write_purpose(const request_t *request, char purpose[PURPOSE_SIZE])
{
    snprintf(purpose, PURPOSE_SIZE, "cursor %s %016" PRIx64, request->method->name,
             listing_mark(request_service(request)->listing));
}

static bool
read_cursor(const request_t *request, size_t *offset_p)
{
    AUTO(buffer_clear) buffer_t text = { 0 };
    const json_t *cursor = cursor_of(request);
    char purpose[PURPOSE_SIZE];

    *offset_p = 0;
    if (!cursor)
        return true;
    write_purpose(request, purpose);
    if (cursor->kind != JSON_STRING
        || !sealer_open(request_service(request)->sealer, purpose, cursor->text, 0, &text))
        return false;
    *offset_p = strtoull(text.bytes, NULL, 10);
    return true;
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
    char purpose[PURPOSE_SIZE], text[OFFSET_SIZE];

    write_purpose(request, purpose);
    int size = snprintf(text, sizeof text, "%zu", offset);
    out->size--;
    buffer_text(out, ",\"nextCursor\":\"");
    sealer_seal(request_service(request)->sealer, purpose, text, (size_t) size, 0, out);
    buffer_text(out, "\"}");
}

static void
send_list(request_t *request, list_t list)
{
    AUTO(buffer_clear) buffer_t page = { 0 };
    service_t *service = request_service(request);
    size_t offset;

    if (!listing_is_known(service->listing) && !listing_is_complete(service->listing)) {
        request_error(request, RPC_INTERNAL,
                      "The processes that offer the tools are not there; try again soon.");
        return;
    }
    if (!read_cursor(request, &offset)) {
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
