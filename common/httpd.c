// SPDX-License-Identifier: Apache-2.0
#include "httpd.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "auto.h"
#include "httpd_inside.h"
#include "httpd_tls.h"
#include "limits.h"

// Rounds of libmicrohttpd before the loop looks at its other sockets again.
enum { ROUNDS = 16, TICK = 1000 };

enum {
    OWN_DESCRIPTORS = 56,  // a platform with eight slots, a database in each
    LEAST_CONNECTIONS = 4,
    NUDGES = 4,  // one for each short read that may be outstanding, and some more
};

// The target as it was sent: what comes later has lost the query.
static void *
on_target(void *arg, const char *uri, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    httpd_link_t *link = info->socket_context;

    link->request = httpd_request_new(arg, connection, link, uri);
    return link->request;
}

// libmicrohttpd decodes nothing for us.
static size_t
on_unescape(void *arg, struct MHD_Connection *connection, char *text)
{
    return strlen(text);
}

static enum MHD_Result
send_answer(httpd_request_t *request)
{
    httpd_t *self = request->server;

    // When there is little room left, nobody keeps a connection that is not used.
    if (self->is_quiesced || self->connections > self->connections_max / 4 * 3)
        MHD_add_response_header(request->response, MHD_HTTP_HEADER_CONNECTION, "close");
    return MHD_queue_response(request->connection, (unsigned) request->code, request->response);
}

typedef struct {
    size_t lengths;
    size_t encodings;
    size_t hosts;
    bool is_odd;  // a name with a blank
    bool is_chunked;
    size_t length;
} framing_t;

static enum MHD_Result
on_framing_header(void *arg, enum MHD_ValueKind kind, const char *name, const char *value)
{
    framing_t *framing = arg;

    framing->is_odd |= name[strcspn(name, " \t")] != 0;
    framing->hosts += strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0;
    if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0) {
        framing->lengths++;
        framing->length = value ? strtoull(value, NULL, 10) : 0;
    } else if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
        framing->encodings++;
        framing->is_chunked = value && strcasecmp(value, "chunked") == 0;
    }
    return MHD_YES;
}

// Two ways to read a request, or where its body ends, are how others are smuggled past a proxy.
static void
check_framing(httpd_request_t *request)
{
    framing_t framing = { 0 };

    MHD_get_connection_values(request->connection, MHD_HEADER_KIND, on_framing_header,
                              &framing);
    if (framing.is_odd || framing.hosts > 1)
        httpd_request_refuse(request, 400, "MALFORMED",
                             "a header has a name or value that can be read in two ways");
    else if (framing.lengths + framing.encodings > 1)
        httpd_request_refuse(request, 400, "MALFORMED",
                             "give the length of the body once, not in several headers");
    else if (framing.encodings && !framing.is_chunked)
        httpd_request_refuse(request, 501, "MALFORMED",
                             "the only transfer encoding known here is chunked");
    if (request->response)
        MHD_add_response_header(request->response, MHD_HTTP_HEADER_CONNECTION, "close");
    request->is_too_large = framing.length > request->server->body_max;
}

static void
refuse_size(httpd_request_t *request)
{
    char message[80];

    snprintf(message, sizeof message, "the body is larger than %zu bytes",
             request->server->body_max);
    httpd_request_refuse(request, 413, "TOO_LARGE", message);
}

// All headers are here.
static enum MHD_Result
begin(httpd_request_t *request, const char *method)
{
    httpd_t *self = request->server;

    request->is_begun = true;
    request->method = method;
    self->open++;
    check_framing(request);
    if (!request->response && self->ops->on_headers)
        self->ops->on_headers(request, self->arg);
    if (!request->response && request->is_too_large)
        refuse_size(request);
    return request->response ? send_answer(request) : MHD_YES;
}

// A body without a known length is thrown away from the limit on; twice the limit ends the
// connection.
static enum MHD_Result
take_body(httpd_request_t *request, const char *bytes, size_t *size_p)
{
    size_t max = request->server->body_max;
    size_t size = *size_p;

    *size_p = 0;
    if (size > max - request->body.size) {
        if (request->is_too_large)
            return MHD_NO;
        request->is_too_large = true;
        buffer_clear(&request->body);
        return MHD_YES;
    }
    buffer_add(&request->body, bytes, size);
    return MHD_YES;
}

static enum MHD_Result
on_request(void *arg, struct MHD_Connection *connection, const char *url, const char *method,
           const char *version, const char *bytes, size_t *size_p, void **request_p)
{
    httpd_request_t *request = *request_p;
    httpd_t *self = arg;

    if (!request->is_begun)
        return begin(request, method);
    if (*size_p > 0)
        return take_body(request, bytes, size_p);
    if (!request->is_whole) {
        request->is_whole = true;
        if (!request->response && request->is_too_large)
            refuse_size(request);
        if (!request->response)
            self->ops->on_request(request, self->arg);
    }
    if (request->response)
        return send_answer(request);
    httpd_request_suspend(request);
    return MHD_YES;
}

static void
end_request(httpd_request_t *request)
{
    httpd_t *self = request->server;

    request->is_over = true;
    request->link->request = NULL;
    if (request->is_begun) {
        self->open--;
        if (self->ops->on_end)
            self->ops->on_end(request, self->arg);
    }
    httpd_request_free(request);
}

// libmicrohttpd takes a suspended socket out of its own epoll, so that another one tells who leaves.
static void
watch(httpd_t *self, httpd_link_t *link)
{
    struct epoll_event event = { .events = EPOLLRDHUP | EPOLLET, .data.ptr = link };

    link->is_watched = epoll_ctl(self->leaving_fd, EPOLL_CTL_ADD, link->fd, &event) == 0;
}

static void
forget_left(httpd_t *self, const httpd_link_t *link)
{
    httpd_link_t **place = &self->left;

    while (*place && *place != link)
        place = &(*place)->next_left;
    if (*place)
        *place = link->next_left;
}

static void
on_completed(void *arg, struct MHD_Connection *connection, void **request_p,
             enum MHD_RequestTerminationCode code)
{
    if (*request_p)
        end_request(*request_p);
    *request_p = NULL;
}

static void
on_connection(void *arg, struct MHD_Connection *connection, void **link_p,
              enum MHD_ConnectionNotificationCode code)
{
    httpd_t *self = arg;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        httpd_link_t *link = calloc(1, sizeof *link);
        if (!link)
            abort();  // out of memory
        link->fd = info->connect_fd;
        *link_p = link;
        self->connections++;
        watch(self, link);
        return;
    }
    httpd_link_t *link = *link_p;
    if (link->request)  // its headers were never complete
        end_request(link->request);
    if (link->is_watched)
        epoll_ctl(self->leaving_fd, EPOLL_CTL_DEL, link->fd, NULL);
    if (link->has_left)
        forget_left(self, link);
    free(link);
    *link_p = NULL;
    if (self->connections-- == self->connections_max)
        httpd_run_soon(self);  // only then does libmicrohttpd accept again
}

static void
tell_left(httpd_t *self)
{
    if (!self->some_have_left)
        return;
    self->some_have_left = false;
    for (httpd_request_t *request = self->first, *next; request; request = next) {
        next = request->next;
        httpd_request_tell_left(request);
    }
}

// Having read less than it had room for, libmicrohttpd waits for an event before it reads again. If
// the client had left by then there is none: the connection would stay until the idle limit. That
// nothing more will be read, which is so already, is an event. A request that is whole is to be
// answered, also to a client that has closed only its own side.
static void
nudge_left(httpd_t *self)
{
    for (httpd_link_t **place = &self->left; *place;) {
        httpd_link_t *link = *place;
        const bool is_read = !link->request || !link->request->is_whole;
        if (link->nudges && is_read) {
            link->nudges--;
            shutdown(link->fd, SHUT_RD);
            place = &link->next_left;
        } else {
            *place = link->next_left;
        }
    }
}

static void
run(httpd_t *self)
{
    MHD_UNSIGNED_LONG_LONG wait_ms;

    self->is_due = false;
    for (int round = 0; round < ROUNDS; round++) {
        MHD_run(self->daemon);
        tell_left(self);
        nudge_left(self);
        if (MHD_get_timeout(self->daemon, &wait_ms) != MHD_YES || wait_ms > 0)
            return;  // the other times it waits for are whole seconds: the tick serves them
    }
    httpd_run_soon(self);
}

static int
on_tick(zloop_t *loop, int timer, void *arg)
{
    httpd_t *self = arg;

    if (timer == self->soon)
        self->soon = -1;
    else
        self->is_due = true;
    if (self->is_due)  // it may have run meanwhile, because a client said something
        run(self);
    return 0;
}

// libmicrohttpd does not wake its epoll for what was resumed. All that one turn of the loop
// resumes is served together in the next.
void
httpd_run_soon(httpd_t *self)
{
    self->is_due = true;
    if (self->loop && self->soon < 0)
        self->soon = zloop_timer(self->loop, 0, 1, on_tick, self);
}

static int
on_daemon(zloop_t *loop, zmq_pollitem_t *item, void *arg)
{
    run(arg);
    return 0;
}

static int
on_leaving(zloop_t *loop, zmq_pollitem_t *item, void *arg)
{
    httpd_t *self = arg;
    struct epoll_event events[64];
    int count = epoll_wait(self->leaving_fd, events, ROWS(events), 0);

    for (int i = 0; i < count; i++) {
        httpd_link_t *link = events[i].data.ptr;
        if (link->has_left)
            continue;
        link->has_left = true;
        link->nudges = NUDGES;
        link->next_left = self->left;
        self->left = link;
        if (link->request)
            httpd_request_tell_left(link->request);
    }
    httpd_run_soon(self);
    return 0;
}

// As many as are wanted, and as there is room for beside what else a program has open: over that,
// clients wait until they are accepted.
static unsigned
room_for(unsigned wanted)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted + OWN_DESCRIPTORS)
        return wanted;
    return limit.rlim_cur < OWN_DESCRIPTORS + LEAST_CONNECTIONS
               ? LEAST_CONNECTIONS
               : (unsigned) limit.rlim_cur - OWN_DESCRIPTORS;
}

// Starts libmicrohttpd on a listening socket, which it closes.
static exit_code_t
start(httpd_t *self, const httpd_options_t *options, int listener, failure_t *why)
{
    const struct MHD_OptionItem tls[] = {
        { MHD_OPTION_HTTPS_MEM_CERT, 0, self->tls_cert },
        { MHD_OPTION_HTTPS_MEM_KEY, 0, self->tls_key },
        { MHD_OPTION_HTTPS_PRIORITIES, 0, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2" },
        { MHD_OPTION_END, 0, NULL },
    };
    unsigned flags =
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (self->tls_key ? MHD_USE_TLS : 0);

    self->daemon =
        MHD_start_daemon(flags, 0, NULL, NULL, on_request, self,                       //
                         MHD_OPTION_LISTEN_SOCKET, listener,                           //
                         MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) HEADER_MEMORY,   //
                         MHD_OPTION_CONNECTION_LIMIT, self->connections_max,           //
                         MHD_OPTION_CONNECTION_TIMEOUT, options->idle_s,               //
                         MHD_OPTION_STRICT_FOR_CLIENT, 1,                              //
                         MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,                         //
                         MHD_OPTION_URI_LOG_CALLBACK, on_target, self,                 //
                         MHD_OPTION_UNESCAPE_CALLBACK, on_unescape, self,              //
                         MHD_OPTION_NOTIFY_CONNECTION, on_connection, self,            //
                         MHD_OPTION_NOTIFY_COMPLETED, on_completed, self,              //
                         MHD_OPTION_ARRAY, self->tls_key ? tls : tls + ROWS(tls) - 1,  //
                         MHD_OPTION_END);
    if (self->daemon)
        return EXIT_DONE;
    close(listener);
    if (!self->tls_key) {
        fail(why, BACKEND, "the HTTP server cannot be started: %s", strerror(errno));
        return EXIT_BROKEN;
    }
    fail(why, BAD_ARGS, "%s and %s are no certificate and key that belong together",
         options->tls_cert, options->tls_key);
    return EXIT_KEY;
}

static exit_code_t
enter_loop(httpd_t *self, failure_t *why)
{
    zmq_pollitem_t daemon = { .events = ZMQ_POLLIN };
    zmq_pollitem_t leaving = { .events = ZMQ_POLLIN };

    self->leaving_fd = epoll_create1(EPOLL_CLOEXEC);
    if (self->leaving_fd < 0) {
        fail(why, BACKEND, "the HTTP server cannot be started: %s", strerror(errno));
        return EXIT_BROKEN;
    }
    self->daemon_fd = MHD_get_daemon_info(self->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    daemon.fd = self->daemon_fd;
    leaving.fd = self->leaving_fd;
    zloop_poller(self->loop, &daemon, on_daemon, self);
    zloop_poller(self->loop, &leaving, on_leaving, self);
    self->tick = zloop_timer(self->loop, TICK, 0, on_tick, self);
    return EXIT_DONE;
}

exit_code_t
httpd_new(zloop_t *loop, const httpd_options_t *options, const httpd_ops_t *ops, void *arg,
          httpd_t **self_p, failure_t *why)
{
    AUTO(httpd_destroy) httpd_t *self = calloc(1, sizeof *self);
    int listener;

    if (!self)
        abort();  // out of memory
    *self = (httpd_t){ .loop = loop, .leaving_fd = -1, .soon = -1, .ops = ops, .arg = arg };
    self->body_max = options->body_max;
    self->connections_max = room_for(options->connections_max);
    exit_code_t code = httpd_tls_load(options, &self->tls_cert, &self->tls_key, why);
    if (code == EXIT_DONE)
        code = httpd_address_listen(options->listen, &listener, self->address, why);
    if (code == EXIT_DONE)
        code = start(self, options, listener, why);
    if (code == EXIT_DONE)
        code = enter_loop(self, why);
    if (code != EXIT_DONE)
        return code;
    *self_p = self;
    self = NULL;
    return EXIT_DONE;
}

void
httpd_quiesce(httpd_t *self)
{
    if (self->is_quiesced)
        return;
    self->is_quiesced = true;
    int listener = MHD_quiesce_daemon(self->daemon);
    if (listener >= 0)
        close(listener);
}

static void
leave_loop(httpd_t *self)
{
    if (self->leaving_fd < 0)
        return;
    zloop_poller_end(self->loop, &(zmq_pollitem_t){ .fd = self->daemon_fd });
    zloop_poller_end(self->loop, &(zmq_pollitem_t){ .fd = self->leaving_fd });
    zloop_timer_end(self->loop, self->tick);
    if (self->soon >= 0)
        zloop_timer_end(self->loop, self->soon);
    self->loop = NULL;
}

void
httpd_destroy(httpd_t **self_p)
{
    httpd_t *self = *self_p;

    if (!self)
        return;
    leave_loop(self);
    for (httpd_request_t *request = self->first; request; request = request->next)
        httpd_request_resume(request);  // libmicrohttpd does not stop over suspended ones
    if (self->daemon)
        MHD_stop_daemon(self->daemon);
    if (self->leaving_fd >= 0)
        close(self->leaving_fd);
    arenas_clear(&self->arenas);
    free(self->tls_cert);
    free(self->tls_key);
    free(self);
    *self_p = NULL;
}

const char *
httpd_address(const httpd_t *self)
{
    return self->address;
}

size_t
httpd_open_requests(const httpd_t *self)
{
    return self->open;
}
