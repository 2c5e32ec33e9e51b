// SPDX-License-Identifier: Apache-2.0
// Requests to a platform whose name server says nothing: they end in time, and the loop goes on.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <pthread.h>

#include "auto.h"
#include "http.h"
#include "waiter.h"

#include <cmocka.h>  // last: it defines fail()

enum { TIMEOUT_MS = 100, GUARD_S = 20, URL_SIZE = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_released, has_given_up;
static int asked, answered;

// In the place of the C library's: a name server that says nothing until it is let.
int
getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
            struct addrinfo **list_p)
{
    struct timespec guard;

    clock_gettime(CLOCK_REALTIME, &guard);
    guard.tv_sec += GUARD_S;
    pthread_mutex_lock(&lock);
    asked++;
    while (!is_released && !has_given_up)
        has_given_up = pthread_cond_timedwait(&changed, &lock, &guard) != 0;
    answered++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return EAI_AGAIN;
}

static bool
has_given_up_now(void)
{
    pthread_mutex_lock(&lock);
    bool is = has_given_up;
    pthread_mutex_unlock(&lock);
    return is;
}

static void
release(void)
{
    pthread_mutex_lock(&lock);
    is_released = true;
    pthread_cond_broadcast(&changed);
    while (answered < asked)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

typedef struct {
    zloop_t *loop;
    waiter_t *waiter;
    http_t *http;
    strand_t *strand;
    bool is_done;
    long code;
    status_t status;
    char url[URL_SIZE];
    int64_t timeout_ms;
    int worked;
} trial_t;

static int
end_when_done(zloop_t *loop, int timer, void *arg)
{
    const trial_t *trial = arg;

    return trial->is_done || has_given_up_now() ? -1 : 0;
}

static trial_t
begin(void)
{
    trial_t trial = { .loop = zloop_new(),
                      .url = "http://platform.invalid/",
                      .timeout_ms = TIMEOUT_MS };

    asked = answered = 0;
    is_released = has_given_up = false;
    trial.waiter = waiter_new(trial.loop, "http://platform.invalid");
    zloop_set_nonstop(trial.loop, true);
    return trial;
}

static void
end(trial_t *trial, int lookups)
{
    waiter_destroy(&trial->waiter);
    assert_int_equal(asked, lookups);
    assert_false(has_given_up_now());
    release();
    zloop_destroy(&trial->loop);
}

static void
on_got(void *arg, long code, const char *body, size_t size)
{
    trial_t *trial = arg;

    trial->is_done = true;
    trial->code = code;
}

static void
a_get_ends_in_time_whatever_the_name_server_does(void **state)
{
    trial_t trial = begin();

    trial.code = -1;
    waiter_get(trial.waiter, "/api/info", NULL, TIMEOUT_MS, on_got, &trial);
    zloop_timer(trial.loop, 10, 0, end_when_done, &trial);
    zloop_start(trial.loop);

    assert_true(trial.is_done);
    assert_int_equal(trial.code, 0);
    end(&trial, 1);
}

static int
perform(void *arg, void *easy)
{
    const trial_t *trial = arg;

    return waiter_perform(trial->waiter, trial->strand, easy);
}

static void *
open_state(void *shared, strand_t *strand)
{
    trial_t *trial = shared;

    trial->strand = strand;
    trial->http = http_new();
    http_perform_by(trial->http, perform, trial);
    return trial;
}

static void
close_state(void *state)
{
    trial_t *trial = state;

    http_destroy(&trial->http);
}

static void
work(void *state, void *job)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    trial_t *trial = state;
    const http_request_t request = { .method = "GET",
                                     .url = trial->url,
                                     .timeout_ms = trial->timeout_ms };
    http_response_t response;
    failure_t why;

    trial->status = http_send(trial->http, arena, &request, &response, &why);
    trial->worked++;
}

static void
on_worked(void *owner, void *job)
{
    trial_t *trial = owner;

    trial->is_done = true;
}

static void
a_strand_goes_on_in_time_whatever_the_name_server_does(void **state)
{
    static const strand_ops_t ops = { open_state, work, close_state, on_worked };
    trial_t trial = begin();
    strands_t *strands = strands_new(trial.loop, 1, &ops, &trial, &trial);

    assert_true(strands_give(strands, "a job"));
    zloop_timer(trial.loop, 10, 0, end_when_done, &trial);
    zloop_start(trial.loop);

    assert_true(trial.is_done);
    assert_int_equal(trial.status, BUSY);
    strands_destroy(&strands);
    end(&trial, 1);
}

static void
work_twice(void *state, void *job)
{
    work(state, job);
    work(state, job);
}

// A platform that takes connections and says nothing: they wait in the socket's queue.
static int
listen_somewhere(char url[URL_SIZE])
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

    assert_int_equal(bind(listener, (struct sockaddr *) &address, size), 0);
    assert_int_equal(listen(listener, 8), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *) &address, &size), 0);
    snprintf(url, URL_SIZE, "http://127.0.0.1:%d/", ntohs(address.sin_port));
    return listener;
}

static int
count_connections(int listener)
{
    int count = 0;

    for (int fd; (fd = accept(listener, NULL, NULL)) >= 0; count++)
        close(fd);
    return count;
}

static void
a_strand_that_ends_asks_for_nothing_more(void **state)
{
    static const strand_ops_t ops = { open_state, work_twice, close_state, on_worked };
    trial_t trial = begin();
    const int listener = listen_somewhere(trial.url);
    strands_t *strands = strands_new(trial.loop, 1, &ops, &trial, &trial);

    trial.timeout_ms = GUARD_S * 1000;
    assert_true(strands_give(strands, "a job"));
    assert_int_equal(trial.worked, 0);

    strands_destroy(&strands);
    assert_false(trial.is_done);
    assert_int_equal(trial.worked, 2);
    assert_int_equal(count_connections(listener), 1);
    close(listener);
    end(&trial, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_get_ends_in_time_whatever_the_name_server_does),
        cmocka_unit_test(a_strand_goes_on_in_time_whatever_the_name_server_does),
        cmocka_unit_test(a_strand_that_ends_asks_for_nothing_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
