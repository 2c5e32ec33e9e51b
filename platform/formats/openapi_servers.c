// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "auto.h"
#include "formats/openapi_internal.h"

// Puts the defaults of the server's variables (else their first choice) in.
static const char *
fill_variables(openapi_t *self, openapi_spot_t server, const char *url)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    const char *open;

    while ((open = strchr(url, '{'))) {
        const char *close = strchr(open, '}');
        if (!close)
            break;
        const char *name = arena_strndup(self->arena, open + 1, (size_t) (close - open - 1));
        openapi_spot_t variable = openapi_get(openapi_get(server, "variables"), name);
        const char *value = openapi_text(variable, "default");
        const json_t *choices = json_get(variable.node, "enum");
        if (!value && choices && choices->first)
            value = choices->first->text;
        if (!value)
            openapi_warn(self, server, "the server variable %.60s has no default", name);
        buffer_add(&out, url, (size_t) (open - url));
        buffer_text(&out, value ? value : name);
        url = close + 1;
    }
    buffer_text(&out, url);
    return arena_strndup(self->arena, out.bytes, out.size);
}

static bool
is_absolute(const char *url)
{
    return !strncasecmp(url, "http://", 7) || !strncasecmp(url, "https://", 8);
}

static const char *
without_slash(arena_t *arena, const char *url)
{
    size_t length = strcspn(url, "?#");

    while (length && url[length - 1] == '/')
        length--;
    return arena_strndup(arena, url, length);
}

// Absolute address of one server, or NULL with a warning.
static const char *
server_url(openapi_t *self, openapi_spot_t server)
{
    const char *given = openapi_text(server, "url");

    if (!given) {
        openapi_warn(self, server, "a server without url");
        return NULL;
    }
    const char *url = fill_variables(self, server, given);
    if (is_absolute(url))
        return without_slash(self->arena, openapi_url_resolve(self->arena, url, ""));
    if (strstr(url, "://")) {
        openapi_warn(self, server, "only http and https can be tested, not %.200s", url);
        return NULL;
    }
    if (!self->files[0]->url) {
        openapi_warn(
            self, server,
            "the server %.200s is relative to the address of the document, which is not known",
            url);
        return NULL;
    }
    return without_slash(self->arena,
                         openapi_url_resolve(self->arena, self->files[0]->url, url));
}

static void
add_url(openapi_t *self, json_t *urls, const char *url)
{
    for (const json_t *item = urls->first; item; item = item->next)
        if (!strcmp(item->text, url))
            return;
    json_add(urls, json_string(self->arena, url));
}

static void
add_servers(openapi_t *self, openapi_spot_t holder, json_t *urls)
{
    openapi_spot_t servers = openapi_get(holder, "servers");

    for (const json_t *item = servers.node ? servers.node->first : NULL; item;
         item = item->next) {
        const char *url = server_url(self, (openapi_spot_t){ servers.file, item });
        if (url)
            add_url(self, urls, url);
    }
}

// schemes, host and basePath of 2.0; what is not said comes from the document's own address.
static void
add_hosts(openapi_t *self, json_t *urls)
{
    openapi_spot_t root = openapi_root(self);
    const char *own = self->files[0]->url;
    const char *host = openapi_text(root, "host");
    const char *path = openapi_text(root, "basePath");
    const json_t *schemes = json_get(root.node, "schemes");
    const char *origin = own ? openapi_url_origin(self->arena, own) : "";
    const char *own_scheme =
        *origin ? arena_strndup(self->arena, origin, strcspn(origin, ":")) : NULL;

    if (!host && !*origin)
        return;
    const char *authority = host ? host : strstr(origin, "//") + 2;
    path = path ? path : "";
    if (!host || !schemes || !schemes->first) {
        const char *scheme = own_scheme ? own_scheme : "https";
        add_url(self, urls,
                without_slash(self->arena,
                              arena_printf(self->arena, "%s://%s%s%s", scheme, authority,
                                           *path && *path != '/' ? "/" : "", path)));
        return;
    }
    for (const json_t *scheme = schemes->first; scheme; scheme = scheme->next)
        if (scheme->text && !strncasecmp(scheme->text, "http", 4))
            add_url(
                self, urls,
                without_slash(self->arena,
                              arena_printf(self->arena, "%s://%s%s%s", scheme->text, authority,
                                           *path && *path != '/' ? "/" : "", path)));
}

json_t *
openapi_base_urls(openapi_t *self)
{
    openapi_spot_t root = openapi_root(self);
    const json_t *servers = json_get(root.node, "servers");
    json_t *urls = json_array(self->arena);

    if (self->kind == OPENAPI_2)
        add_hosts(self, urls);
    else if (servers && servers->first)
        add_servers(self, root, urls);
    else if (self->files[0]->url)
        add_url(self, urls, openapi_url_origin(self->arena, self->files[0]->url));
    if (!urls->first)
        openapi_warn(self, root,
                     "the document names no address of the service and its own is not known; "
                     "ask where the service runs");
    return urls;
}

const char *
openapi_own_server(openapi_t *self, const openapi_operation_t *operation)
{
    json_t *urls = json_array(self->arena);

    add_servers(self, operation->spot, urls);
    if (!urls->first)
        add_servers(self, operation->item, urls);
    return urls->first ? urls->first->text : NULL;
}
