// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "httpd_inside.h"
#include "json.h"
#include "percent.h"

httpd_request_t *
httpd_request_new(httpd_t *server, struct MHD_Connection *connection, httpd_link_t *link,
                  const char *uri)
{
    size_t size = strlen(uri) + 1;
    httpd_request_t *self = calloc(1, sizeof *self + size);

    if (!self)
        abort();  // out of memory
    memcpy(self->path, uri, size);
    self->query = self->path + size - 1;
    char *mark = strchr(self->path, '?');
    if (mark) {
        *mark = '\0';
        self->query = mark + 1;
    }
    self->server = server;
    self->connection = connection;
    self->link = link;
    self->next = server->first;
    if (self->next)
        self->next->previous = self;
    server->first = self;
    return self;
}

void
httpd_request_free(httpd_request_t *self)
{
    if (self->previous)
        self->previous->next = self->next;
    else
        self->server->first = self->next;
    if (self->next)
        self->next->previous = self->previous;
    if (self->response)
        MHD_destroy_response(self->response);
    buffer_clear(&self->body);
    buffer_clear(&self->out);
    arenas_give(&self->server->arenas, &self->arena);
    free(self);
}

static arena_t *
arena_of(httpd_request_t *self)
{
    if (!self->arena)
        self->arena = arenas_take(&self->server->arenas);
    return self->arena;
}

void
httpd_request_suspend(httpd_request_t *self)
{
    MHD_suspend_connection(self->connection);
    self->is_suspended = true;
    if (self->link->has_left)
        self->server->some_have_left = true;
}

void
httpd_request_resume(httpd_request_t *self)
{
    if (!self->is_suspended)
        return;
    self->is_suspended = false;
    MHD_resume_connection(self->connection);
    httpd_run_soon(self->server);
}

void
httpd_request_tell_left(httpd_request_t *self)
{
    bool waits = self->is_suspended || (self->is_stream && !self->is_ended);

    if (!waits || self->is_told_left || self->is_over || !self->link->has_left)
        return;
    self->is_told_left = true;
    if (self->server->ops->on_leave)
        self->server->ops->on_leave(self, self->server->arg);
}

const char *
httpd_method(const httpd_request_t *request)
{
    return request->method;
}

const char *
httpd_path(const httpd_request_t *request)
{
    return request->path;
}

const char *
httpd_query(const httpd_request_t *request)
{
    return request->query;
}

const char *
httpd_argument(const httpd_request_t *request, const char *name)
{
    // Decoded texts live as long as the request, which is the caller's to change.
    arena_t *arena = arena_of((httpd_request_t *) request);

    for (const char *at = request->query; *at;) {
        size_t size = strcspn(at, "&");
        size_t name_size = strcspn(at, "=&");
        if (strcmp(percent_decode_most(arena, at, name_size, true), name) == 0) {
            const char *value = at + name_size + (name_size < size);
            return percent_decode_most(arena, value, (size_t) (at + size - value), true);
        }
        at += size + (at[size] == '&');
    }
    return NULL;
}

const char *
httpd_header(const httpd_request_t *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

const char *
httpd_peer(const httpd_request_t *request)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    char text[HTTPD_ADDRESS_SIZE];

    httpd_address_host(info ? info->client_addr : NULL, text);
    return arena_strdup(arena_of((httpd_request_t *) request), text);
}

const char *
httpd_body(const httpd_request_t *request)
{
    return request->body.bytes ? request->body.bytes : "";
}

size_t
httpd_body_size(const httpd_request_t *request)
{
    return request->body.size;
}

void
httpd_set_data(httpd_request_t *request, void *data)
{
    request->data = data;
}

void *
httpd_data(const httpd_request_t *request)
{
    return request->data;
}

void
httpd_add_header(httpd_request_t *request, const char *name, const char *value)
{
    arena_t *arena = arena_of(request);
    httpd_header_t *header = arena_alloc(arena, sizeof *header);

    header->name = arena_strdup(arena, name);
    header->value = arena_strdup(arena, value);
    header->next = request->headers;
    request->headers = header;
}

// Takes the response over and has it sent.
static void
give(httpd_request_t *self, int code, const char *content_type, struct MHD_Response *response)
{
    if (!response)
        abort();  // out of memory
    if (content_type)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, content_type);
    for (const httpd_header_t *header = self->headers; header; header = header->next)
        MHD_add_response_header(response, header->name, header->value);
    self->response = response;
    self->code = code;
    httpd_request_resume(self);
}

void
httpd_answer(httpd_request_t *request, int code, const char *content_type, const void *bytes,
             size_t size)
{
    if (request->response || request->is_over)
        return;
    give(request, code, content_type,
         MHD_create_response_from_buffer(size, (void *) bytes, MHD_RESPMEM_MUST_COPY));
}

void
httpd_answer_taking(httpd_request_t *request, int code, const char *content_type,
                    buffer_t *body)
{
    size_t size;

    if (request->response || request->is_over) {
        buffer_clear(body);
        return;
    }
    char *bytes = buffer_take(body, &size);
    give(request, code, content_type,
         MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE));
}

void
httpd_request_refuse(httpd_request_t *self, int code, const char *name, const char *message)
{
    arena_t *arena = arena_of(self);
    json_t *body = json_object(arena);
    json_t *error = json_set(arena, body, "error", json_object(arena));

    json_set_text(arena, error, "code", name);
    json_set_text(arena, error, "message", message);
    const char *text = json_text(arena, body);
    httpd_answer(self, code, "application/json", text, strlen(text));
}

size_t
httpd_pending(const httpd_request_t *request)
{
    return request->out.size - request->taken;
}

// libmicrohttpd asks for the next bytes of a stream.
static ssize_t
on_read(void *arg, uint64_t position, char *bytes, size_t max)
{
    httpd_request_t *self = arg;
    size_t size = httpd_pending(self);

    if (size == 0 && self->is_ended)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (size == 0) {
        httpd_request_suspend(self);
        return 0;
    }
    if (size > max)
        size = max;
    memcpy(bytes, self->out.bytes + self->taken, size);
    self->taken += size;
    if (self->taken == self->out.size)
        self->out.size = self->taken = 0;
    return (ssize_t) size;
}

void
httpd_stream(httpd_request_t *request, int code, const char *content_type)
{
    enum { BLOCK = 4096 };

    if (request->response || request->is_over)
        return;
    request->is_stream = true;
    give(request, code, content_type,
         MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, on_read, request, NULL));
}

// Moves what the client has not taken to the front, when that is the smaller part.
static void
compact(httpd_request_t *self)
{
    size_t left = httpd_pending(self);

    if (self->taken < left)
        return;
    memmove(self->out.bytes, self->out.bytes + self->taken, left);
    self->out.size = left;
    self->taken = 0;
}

void
httpd_stream_write(httpd_request_t *request, const void *bytes, size_t size)
{
    if (!request->is_stream || request->is_ended || request->is_over || size == 0)
        return;
    if (request->taken > 0)
        compact(request);
    buffer_add(&request->out, bytes, size);
    httpd_request_resume(request);
}

void
httpd_stream_end(httpd_request_t *request)
{
    if (!request->is_stream || request->is_ended || request->is_over)
        return;
    request->is_ended = true;
    httpd_request_resume(request);
}
