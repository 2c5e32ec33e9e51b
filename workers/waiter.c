// SPDX-License-Identifier: Apache-2.0
#include "waiter.h"

#include <assert.h>
#include <curl/curl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "auto.h"
#include "buffer.h"
#include "clock.h"
#include "http.h"
#include "limits.h"

enum { EVENTS_AT_ONCE = 64, CONNECTIONS_KEPT = 32 };

// curl says which sockets it watches; they stand in an epoll set of ours, so that the loop has
// one descriptor to poll.
struct waiter {
    zloop_t *loop;
    const char *platform;
    CURLM *multi;
    int epoll;
    int timer;         // of the loop, or -1
    int64_t timer_ms;  // when it fires
    zlistx_t *gets;
};

// One request, behind the private pointer of its handle.
typedef struct {
    strand_t *strand;  // that waits for it, or NULL
    bool is_over;
    CURLcode code;
    waiter_get_t *get;  // without a strand
} transfer_t;

struct waiter_get {
    transfer_t transfer;
    waiter_t *waiter;
    void *place;  // in the list
    CURL *curl;
    struct curl_slist *headers;
    buffer_t body;
    waiter_fn *done;
    void *arg;
};

static void
get_destroy(waiter_get_t **self_p)
{
    waiter_get_t *self = *self_p;

    if (!self)
        return;
    if (self->place)
        zlistx_detach(self->waiter->gets, self->place);
    curl_multi_remove_handle(self->waiter->multi, self->curl);
    curl_easy_cleanup(self->curl);
    curl_slist_free_all(self->headers);
    buffer_clear(&self->body);
    free(self);
    *self_p = NULL;
}

// The get is gone before `done` runs, which may start the next one.
static void
end_get(waiter_get_t *get)
{
    long code = 0;

    if (get->transfer.code == CURLE_OK)
        curl_easy_getinfo(get->curl, CURLINFO_RESPONSE_CODE, &code);
    AUTO(buffer_clear) buffer_t body = get->body;
    waiter_fn *done = get->done;
    void *arg = get->arg;
    get->body = (buffer_t){ 0 };
    get_destroy(&get);
    done(arg, code, body.bytes ? body.bytes : "", body.size);
}

static void
end_what_is_done(waiter_t *self)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(self->multi, &left))) {
        transfer_t *transfer;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **) &transfer);
        transfer->is_over = true;
        transfer->code = message->data.result;
        if (transfer->strand)
            strand_wake(transfer->strand);
        else
            end_get(transfer->get);
    }
}

static int on_time(zloop_t *loop, int timer, void *arg);

// curl moves its time with every request, mostly further away: a timer that fires too early
// costs less than one that is set anew each time.
static void
arm(waiter_t *self)
{
    long after_ms;

    if (curl_multi_timeout(self->multi, &after_ms) != CURLM_OK || after_ms < 0)
        return;
    const int64_t due_ms = clock_now_ms() + after_ms;
    if (self->timer != -1 && self->timer_ms <= due_ms)
        return;
    if (self->timer != -1)
        zloop_timer_end(self->loop, self->timer);
    self->timer_ms = due_ms;
    self->timer = zloop_timer(self->loop, (size_t) after_ms, 1, on_time, self);
}

// What happened at a socket, or that time has passed. Without memory curl forgets a transfer, which
// nobody would ever answer.
static void
tell_curl(waiter_t *self, curl_socket_t socket, int what)
{
    int running;
    CURLMcode code = curl_multi_socket_action(self->multi, socket, what, &running);

    assert(code != CURLM_OUT_OF_MEMORY && code != CURLM_INTERNAL_ERROR);
}

// Lets curl do what its time has come for.
static void
kick(waiter_t *self)
{
    tell_curl(self, CURL_SOCKET_TIMEOUT, 0);
}

static void
add(waiter_t *self, CURL *curl)
{
    CURLMcode code = curl_multi_add_handle(self->multi, curl);

    assert(code == CURLM_OK);
}

static int
on_time(zloop_t *loop, int timer, void *arg)
{
    waiter_t *self = arg;

    if (self->timer != timer)
        return 0;
    self->timer = -1;
    kick(self);
    end_what_is_done(self);
    arm(self);
    return 0;
}

static int
on_sockets(zloop_t *loop, zmq_pollitem_t *item, void *arg)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    waiter_t *self = arg;
    int count = epoll_wait(self->epoll, events, EVENTS_AT_ONCE, 0);

    for (int i = 0; i < count; i++) {
        int what = (events[i].events & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0)
                   | (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0)
                   | (events[i].events & EPOLLERR ? CURL_CSELECT_ERR : 0);
        tell_curl(self, events[i].data.fd, what);
    }
    end_what_is_done(self);
    arm(self);
    return 0;
}

static int
watch_socket(CURL *curl, curl_socket_t fd, int what, void *arg, void *known)
{
    waiter_t *self = arg;
    struct epoll_event event = { .data.fd = fd };

    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(self->epoll, EPOLL_CTL_DEL, fd, NULL);
        return 0;
    }
    event.events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    if (!known)
        curl_multi_assign(self->multi, fd, self);  // until it is removed
    epoll_ctl(self->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
    return 0;
}

waiter_t *
waiter_new(zloop_t *loop, const char *platform)
{
    waiter_t *self = calloc(1, sizeof *self);
    const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);

    assert(self && started == CURLE_OK);
    *self = (waiter_t){ .loop = loop, .platform = platform, .timer = -1 };

    self->gets = zlistx_new();
    self->epoll = epoll_create1(EPOLL_CLOEXEC);
    self->multi = curl_multi_init();
    assert(self->multi && self->epoll >= 0);
    curl_multi_setopt(self->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl_multi_setopt(self->multi, CURLMOPT_SOCKETDATA, self);
    curl_multi_setopt(self->multi, CURLMOPT_MAXCONNECTS, (long) CONNECTIONS_KEPT);
    zmq_pollitem_t item = { .fd = self->epoll, .events = ZMQ_POLLIN };
    zloop_poller(loop, &item, on_sockets, self);
    zloop_poller_set_tolerant(loop, &item);
    return self;
}

void
waiter_destroy(waiter_t **self_p)
{
    waiter_t *self = *self_p;

    if (!self)
        return;
    for (waiter_get_t *get; (get = zlistx_first(self->gets));)
        get_destroy(&get);
    curl_multi_cleanup(self->multi);
    if (self->timer != -1)
        zloop_timer_end(self->loop, self->timer);
    zmq_pollitem_t item = { .fd = self->epoll, .events = ZMQ_POLLIN };
    zloop_poller_end(self->loop, &item);
    close(self->epoll);
    zlistx_destroy(&self->gets);
    curl_global_cleanup();
    free(self);
    *self_p = NULL;
}

static size_t
on_body(char *bytes, size_t one, size_t size, void *arg)
{
    waiter_get_t *get = arg;

    if (size > REST_BODY_MAX - get->body.size)
        return 0;
    buffer_add(&get->body, bytes, size);
    return size;
}

static void
set_options(waiter_get_t *get, const char *url, int64_t timeout_ms)
{
    CURL *curl = get->curl;

    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PRIVATE, &get->transfer);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, get->headers);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, get);
    http_set_policy(curl, timeout_ms);
}

waiter_get_t *
waiter_get(waiter_t *self, const char *path, const char *token, int64_t timeout_ms,
           waiter_fn *done, void *arg)
{
    waiter_get_t *get = calloc(1, sizeof *get);
    AUTO(buffer_clear) buffer_t url = { 0 };
    AUTO(buffer_clear) buffer_t header = { 0 };

    assert(get);
    *get = (waiter_get_t){ .waiter = self, .done = done, .arg = arg };
    get->transfer.get = get;
    get->curl = curl_easy_init();
    assert(get->curl);
    get->place = zlistx_add_end(self->gets, get);
    buffer_printf(&url, "%s%s", self->platform, path);
    if (token && *token && !http_has_control(token)) {
        buffer_printf(&header, "Authorization: Bearer %s", token);
        get->headers = curl_slist_append(NULL, header.bytes);
    }
    set_options(get, url.bytes, timeout_ms > 0 ? timeout_ms : 1);
    add(self, get->curl);
    arm(self);
    return get;
}

void
waiter_stop(waiter_get_t **get_p)
{
    get_destroy(get_p);
}

int
waiter_perform(waiter_t *self, strand_t *strand, void *easy)
{
    transfer_t transfer = { .strand = strand, .code = CURLE_ABORTED_BY_CALLBACK };

    if (strand_is_ending(strand))
        return (int) transfer.code;
    curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfer);
    add(self, easy);
    kick(self);  // it is sent now, not with a timer in the next turn of the loop
    end_what_is_done(self);
    arm(self);
    while (!transfer.is_over && !strand_is_ending(strand))
        strand_wait(strand, INT64_MAX);
    curl_multi_remove_handle(self->multi, easy);
    return (int) transfer.code;
}
