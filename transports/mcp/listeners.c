// SPDX-License-Identifier: Apache-2.0
#include "mcp/listeners.h"

#include <czmq.h>

#include "auto.h"

struct listener {
    char *session;  // NULL: a subscription
    char *id;       // raw, of a subscription
    bool wants[CHANGED_COUNT];
    zlistx_t *watched;  // addresses, of a subscription
    listener_send_fn *send;
    void *arg;
    listener_t *next, *previous;
};

struct listeners {
    listener_t *first;
    size_t count;
    zhashx_t *watched;  // session → zlistx_t of addresses
};

// clang-format off
static const struct {
    const char *word;    // in CHANGED
    const char *wanted;  // in the parameters of a subscription
    const char *method;
} kinds[CHANGED_COUNT] = {
    [CHANGED_TOOLS]     = { "tools",     "toolsListChanged",      "notifications/tools/list_changed" },
    [CHANGED_PROMPTS]   = { "prompts",   "promptsListChanged",    "notifications/prompts/list_changed" },
    [CHANGED_RESOURCES] = { "resources", "resourcesListChanged",  "notifications/resources/list_changed" },
    [CHANGED_RESOURCE]  = { "resource",  "resourceSubscriptions", "notifications/resources/updated" },
};
// clang-format on

changed_t
listeners_kind(const char *word)
{
    for (int i = 0; i < CHANGED_COUNT; i++)
        if (!strcmp(word, kinds[i].word))
            return (changed_t) i;
    return CHANGED_COUNT;
}

static void
destroy_uris(void **list_p)
{
    zlistx_destroy((zlistx_t **) list_p);
}

static zlistx_t *
new_uris(void)
{
    zlistx_t *uris = zlistx_new();

    zlistx_set_duplicator(uris, (zlistx_duplicator_fn *) strdup);
    zlistx_set_destructor(uris, (zlistx_destructor_fn *) zstr_free);
    zlistx_set_comparator(uris, (zlistx_comparator_fn *) strcmp);
    return uris;
}

listeners_t *
listeners_new(void)
{
    listeners_t *self = calloc(1, sizeof *self);

    assert(self);
    self->watched = zhashx_new();
    zhashx_set_destructor(self->watched, destroy_uris);
    return self;
}

static void
free_listener(listener_t *listener)
{
    free(listener->session);
    free(listener->id);
    zlistx_destroy(&listener->watched);
    free(listener);
}

void
listeners_destroy(listeners_t **self_p)
{
    listeners_t *self = *self_p;

    if (!self)
        return;
    for (listener_t *listener = self->first, *next; listener; listener = next) {
        next = listener->next;
        free_listener(listener);
    }
    zhashx_destroy(&self->watched);
    free(self);
    *self_p = NULL;
}

static listener_t *
add(listeners_t *self, listener_send_fn *send, void *arg)
{
    if (self->count == LISTENERS_MAX)
        return NULL;
    listener_t *listener = calloc(1, sizeof *listener);
    assert(listener);
    *listener = (listener_t){ .send = send, .arg = arg, .next = self->first };
    if (self->first)
        self->first->previous = listener;
    self->first = listener;
    self->count++;
    return listener;
}

listener_t *
listeners_add_session(listeners_t *self, const char *session, listener_send_fn *send, void *arg)
{
    listener_t *listener = add(self, send, arg);

    if (!listener)
        return NULL;
    listener->session = strdup(session);
    for (int i = 0; i < CHANGED_RESOURCE; i++)
        listener->wants[i] = true;
    return listener;
}

static void
watch_all(listener_t *listener, const json_t *uris, buffer_t *honoured)
{
    const char *separator = "";

    buffer_text(honoured, "[");
    for (const json_t *uri = uris->first; uri; uri = uri->next) {
        if (uri->kind != JSON_STRING || uri->length > WATCHED_URI_MAX
            || zlistx_size(listener->watched) == WATCHED_MAX)
            continue;
        zlistx_add_end(listener->watched, (void *) uri->text);
        buffer_text(honoured, separator);
        json_write_string(honoured, uri->text, uri->length);
        separator = ",";
    }
    buffer_text(honoured, "]");
}

listener_t *
listeners_subscribe(listeners_t *self, const char *id, size_t id_size, const json_t *wanted,
                    listener_send_fn *send, void *arg, buffer_t *honoured)
{
    listener_t *listener = add(self, send, arg);
    const char *separator = "";

    if (!listener)
        return NULL;
    listener->id = strndup(id, id_size);
    listener->watched = new_uris();
    buffer_text(honoured, "{");
    for (int i = 0; i < CHANGED_RESOURCE; i++) {
        listener->wants[i] = json_get_bool(wanted, kinds[i].wanted, false);
        if (!listener->wants[i])
            continue;
        buffer_printf(honoured, "%s\"%s\":true", separator, kinds[i].wanted);
        separator = ",";
    }
    const json_t *uris = json_get(wanted, kinds[CHANGED_RESOURCE].wanted);
    if (uris && uris->kind == JSON_ARRAY) {
        buffer_printf(honoured, "%s\"%s\":", separator, kinds[CHANGED_RESOURCE].wanted);
        watch_all(listener, uris, honoured);
    }
    buffer_text(honoured, "}");
    return listener;
}

void
listeners_remove(listeners_t *self, listener_t **listener_p)
{
    listener_t *listener = *listener_p;

    if (!listener)
        return;
    if (listener->next)
        listener->next->previous = listener->previous;
    if (listener->previous)
        listener->previous->next = listener->next;
    else
        self->first = listener->next;
    self->count--;
    free_listener(listener);
    *listener_p = NULL;
}

bool
listeners_watch(listeners_t *self, const char *session, const char *uri)
{
    zlistx_t *uris = zhashx_lookup(self->watched, session);

    if (strlen(uri) > WATCHED_URI_MAX
        || (!uris && zhashx_size(self->watched) == WATCHING_SESSIONS_MAX))
        return false;
    if (!uris) {
        uris = new_uris();
        zhashx_insert(self->watched, session, uris);
    }
    if (zlistx_find(uris, (void *) uri))
        return true;
    if (zlistx_size(uris) == WATCHED_MAX)
        return false;
    zlistx_add_end(uris, (void *) uri);
    return true;
}

void
listeners_unwatch(listeners_t *self, const char *session, const char *uri)
{
    zlistx_t *uris = zhashx_lookup(self->watched, session);
    void *found = uris ? zlistx_find(uris, (void *) uri) : NULL;

    if (found)
        zlistx_delete(uris, found);
    if (uris && !zlistx_size(uris))
        zhashx_delete(self->watched, session);
}

void
listeners_forget_session(listeners_t *self, const char *session)
{
    zhashx_delete(self->watched, session);
}

static bool
is_wanted(const listeners_t *self, const listener_t *listener, changed_t what, const char *uri)
{
    if (what != CHANGED_RESOURCE)
        return listener->wants[what];
    zlistx_t *uris =
        listener->session ? zhashx_lookup(self->watched, listener->session) : listener->watched;
    return uris && zlistx_find(uris, (void *) uri);
}

static void
tell(const listener_t *listener, changed_t what, const char *uri)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    const char *separator = "";

    buffer_printf(&out, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\"", kinds[what].method);
    if (listener->id || what == CHANGED_RESOURCE)
        buffer_text(&out, ",\"params\":{");
    if (what == CHANGED_RESOURCE) {
        buffer_text(&out, "\"uri\":");
        json_write_string(&out, uri, strlen(uri));
        separator = ",";
    }
    if (listener->id)
        buffer_printf(&out, "%s\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":%s}",
                      separator, listener->id);
    if (listener->id || what == CHANGED_RESOURCE)
        buffer_char(&out, '}');
    buffer_char(&out, '}');
    listener->send(out.bytes, out.size, listener->arg);
}

void
listeners_tell(listeners_t *self, changed_t what, const char *uri)
{
    for (listener_t *listener = self->first, *next; listener; listener = next) {
        next = listener->next;
        if (is_wanted(self, listener, what, uri))
            tell(listener, what, uri);
    }
}

size_t
listeners_count(const listeners_t *self)
{
    return self->count;
}
