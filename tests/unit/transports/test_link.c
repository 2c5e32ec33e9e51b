// SPDX-License-Identifier: Apache-2.0
// Several brokers, which the test plays.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <czmq.h>
#include <unistd.h>

#include "actor.h"
#include "auto.h"
#include "limits.h"
#include "log.h"
#include "mcp/link.h"

#include <cmocka.h>

enum { BROKERS = 3, GUARD_MS = 10 * 1000 };

typedef struct fixture fixture_t;

typedef struct {
    fixture_t *fixture;
    zsock_t *router;
    zframe_t *transport;
    char endpoint[96];
    char instance[ENDPOINT_NAME_SIZE];
    int calls, ended;
    bool answers;
    bool is_new;  // does not know the transport yet
} fake_t;

struct fixture {
    zloop_t *loop;
    char dir[64];
    curve_t *curve;
    link_t *link;
    fake_t brokers[BROKERS];
    int answered, unknown, busy, progress, catalogues, ended;
    bool (*is_done)(fixture_t *self);
    bool is_late;
};

static void
on_answer(void *owner, open_call_t *call, const answer_msg_t *answer, const char *body,
          size_t size)
{
    fixture_t *self = owner;

    self->answered++;
    self->unknown += answer->outcome == UNKNOWN_OUTCOME;
    self->busy += answer->status == BUSY;
}

static void
on_progress(void *owner, open_call_t *call, const progress_msg_t *progress)
{
    fixture_t *self = owner;

    self->progress++;
}

static void
on_catalogue(void *owner, const catalogue_msg_t *catalogue)
{
    fixture_t *self = owner;

    self->catalogues++;
}

static void
on_news(void *owner, const news_t *news)
{
    fixture_t *self = owner;

    self->ended += news->type == MSG_ended;
}

static void
on_changed(void *owner)
{
}

static void
on_log(void *owner, open_call_t *call, const log_msg_t *log)
{
}

static const link_ops_t ops = { on_answer,    on_progress, on_log,
                                on_catalogue, on_news,     on_changed };

static void
send_back(fake_t *self, const wire_table_t *table, const void *message)
{
    zframe_t *to = zframe_dup(self->transport);
    zmsg_t *msg = wire_pack(table, message, "{}", 2);

    zmsg_prepend(msg, &to);
    zmsg_send(&msg, self->router);
}

static void
answer_call(fake_t *self, zmsg_t *msg)
{
    AUTO(call_msg_clear) call_msg_t call = { 0 };
    failure_t why;

    assert_int_equal(wire_unpack(&call_wire, msg, &call, &why), OK);
    const answer_msg_t answer = { .id = call.id,
                                  .status = self->is_new ? BUSY : OK,
                                  .outcome = self->is_new ? NOT_SENT : DONE };
    self->calls++;
    if (self->is_new)
        send_back(self, &hello_wire, &(hello_msg_t){ 0 });
    if (self->answers)
        send_back(self, &answer_wire, &answer);
}

static int
on_router(zloop_t *loop, zsock_t *router, void *arg)
{
    fake_t *self = arg;
    const beat_msg_t beat = { .instance = self->instance };

    for (;;) {
        AUTO(zmsg_destroy) zmsg_t *msg = actor_receive(router);
        if (!msg)
            return 0;
        zframe_destroy(&self->transport);
        self->transport = zmsg_pop(msg);
        self->is_new &= wire_type(msg) != MSG_hello;
        if (wire_type(msg) == MSG_call)
            answer_call(self, msg);
        else if (wire_type(msg) == MSG_ended)
            self->ended++;
        else
            send_back(self, &beat_wire, &beat);
    }
}

static void
open_broker(fixture_t *self, int index)
{
    fake_t *broker = &self->brokers[index];

    broker->fixture = self;
    broker->answers = true;
    snprintf(broker->endpoint, sizeof broker->endpoint, "ipc://%s/%d.sock", self->dir, index);
    endpoint_random_name(broker->instance);
    broker->router = zsock_new(ZMQ_ROUTER);
    assert_int_equal(zsock_attach(broker->router, broker->endpoint, true), 0);
    zloop_reader(self->loop, broker->router, on_router, broker);
}

static void
close_broker(fixture_t *self, int index)
{
    fake_t *broker = &self->brokers[index];

    if (!broker->router)
        return;
    zloop_reader_end(self->loop, broker->router);
    zsock_destroy(&broker->router);
    zframe_destroy(&broker->transport);
}

static void
open_fixture(fixture_t *self)
{
    failure_t why;

    *self = (fixture_t){ .dir = "/tmp/proofarc-test-XXXXXX" };
    assert_non_null(mkdtemp(self->dir));
    self->loop = zloop_new();
    zloop_set_nonstop(self->loop, true);
    self->curve = curve_new(NULL, false, &why);
    self->link = link_new(self->loop, self->curve, &ops, self);
    for (int i = 0; i < BROKERS; i++) {
        open_broker(self, i);
        assert_int_equal(link_connect(self->link, self->brokers[i].endpoint, &why), EXIT_DONE);
        assert_int_equal(link_connect(self->link, self->brokers[i].endpoint, &why), EXIT_DONE);
    }
}

static void
close_fixture(fixture_t *self)
{
    link_destroy(&self->link);
    for (int i = 0; i < BROKERS; i++) {
        close_broker(self, i);
        unlink(self->brokers[i].endpoint + 6);
    }
    curve_destroy(&self->curve);
    zloop_destroy(&self->loop);
    rmdir(self->dir);
}

static int
on_tick(zloop_t *loop, int timer, void *arg)
{
    fixture_t *self = arg;

    return self->is_done(self) ? -1 : 0;
}

static int
on_late(zloop_t *loop, int timer, void *arg)
{
    fixture_t *self = arg;

    self->is_late = true;
    return -1;
}

static void
run(fixture_t *self, bool (*is_done)(fixture_t *self))
{
    self->is_done = is_done;
    int tick = zloop_timer(self->loop, 2, 0, on_tick, self);
    int late = zloop_timer(self->loop, GUARD_MS, 1, on_late, self);
    zloop_start(self->loop);
    zloop_timer_end(self->loop, tick);
    zloop_timer_end(self->loop, late);
    assert_false(self->is_late);
}

static size_t
count_up(const fixture_t *self)
{
    size_t count = 0;
    bool is_up;

    for (size_t i = 0; link_counters(self->link, i, &is_up); i++)
        count += is_up;
    return count;
}

static bool
all_are_up(fixture_t *self)
{
    return count_up(self) == BROKERS;
}

static bool
one_is_lost(fixture_t *self)
{
    return count_up(self) == BROKERS - 1;
}

static bool
none_is_open(fixture_t *self)
{
    return link_open_calls(self->link) == 0;
}

static void
call(fixture_t *self, open_call_t *call, bool is_read)
{
    *call = (open_call_t){ .kind = "tool",
                           .name = "x",
                           .session = "",
                           .principal = "p",
                           .token = "t",
                           .profile = "full",
                           .body = "{}",
                           .body_size = 2,
                           .is_read = is_read,
                           .budget_ms = 8000 };
    assert_int_equal(link_call(self->link, call), OK);
}

static void
calls_are_spread_over_all_that_live(void **state)
{
    AUTO(close_fixture) fixture_t f;
    open_call_t calls[9];

    open_fixture(&f);
    run(&f, all_are_up);
    for (size_t i = 0; i < ROWS(calls); i++)
        call(&f, &calls[i], true);
    run(&f, none_is_open);
    for (int i = 0; i < BROKERS; i++)
        assert_int_equal(f.brokers[i].calls, ROWS(calls) / BROKERS);
    assert_int_equal(f.answered, ROWS(calls));
}

static void
the_calls_of_a_silent_broker_are_settled(void **state)
{
    AUTO(close_fixture) fixture_t f;
    open_call_t reads[BROKERS], writes[BROKERS];

    open_fixture(&f);
    run(&f, all_are_up);
    f.brokers[1].answers = false;
    for (size_t i = 0; i < BROKERS; i++) {
        call(&f, &reads[i], true);
        call(&f, &writes[i], false);
    }
    while (f.brokers[1].calls < 2)
        run(&f, all_are_up);
    close_broker(&f, 1);
    run(&f, one_is_lost);
    run(&f, none_is_open);
    assert_int_equal(f.answered, 2 * BROKERS);
    assert_true(f.unknown <= 2);
    open_call_t more[4];
    for (size_t i = 0; i < ROWS(more); i++)
        call(&f, &more[i], true);
    run(&f, none_is_open);
    assert_int_equal(f.answered, 2 * BROKERS + ROWS(more));
}

static int
sleep_long(zloop_t *loop, int timer, void *arg)
{
    zclock_sleep(SILENT_MS + BEAT_MS);
    return 0;
}

// A laptop was closed, or the process was stopped.
static void
one_who_has_slept_does_not_blame_the_brokers(void **state)
{
    AUTO(close_fixture) fixture_t f;
    open_call_t writes[BROKERS];

    open_fixture(&f);
    run(&f, all_are_up);
    for (size_t i = 0; i < ROWS(writes); i++)
        call(&f, &writes[i], false);
    zloop_timer(f.loop, 0, 1, sleep_long, NULL);
    run(&f, none_is_open);
    assert_int_equal(f.answered, BROKERS);
    assert_int_equal(f.unknown, 0);
    assert_int_equal(count_up(&f), BROKERS);
}

// It was started again so fast that nobody has noticed.
static void
what_a_new_broker_refuses_goes_out_again(void **state)
{
    AUTO(close_fixture) fixture_t f;
    open_call_t read, write;

    open_fixture(&f);
    run(&f, all_are_up);
    for (int i = 0; i < BROKERS; i++)
        f.brokers[i].is_new = i < 2;
    call(&f, &read, true);
    call(&f, &write, false);
    run(&f, none_is_open);
    assert_int_equal(f.answered, 2);
    assert_int_equal(f.busy, 0);
    assert_true(f.brokers[0].calls + f.brokers[1].calls + f.brokers[2].calls > 2);
}

static bool
all_have_heard(fixture_t *self)
{
    for (int i = 0; i < BROKERS; i++)
        if (!self->brokers[i].ended)
            return false;
    return true;
}

static void
all_brokers_hear_that_a_session_ended(void **state)
{
    AUTO(close_fixture) fixture_t f;

    open_fixture(&f);
    run(&f, all_are_up);
    link_tell(f.link, &ended_wire,
              &(ended_msg_t){ .session = "00000000000000000000000000000000" });
    run(&f, all_have_heard);
}

static void
a_cancelled_call_is_open_no_more(void **state)
{
    AUTO(close_fixture) fixture_t f;
    open_call_t one;

    open_fixture(&f);
    run(&f, all_are_up);
    call(&f, &one, true);
    link_cancel(f.link, &one);
    link_cancel(f.link, &one);
    assert_int_equal(link_open_calls(f.link), 0);
    assert_int_equal(f.answered, 0);
}

static bool
has_catalogue(fixture_t *self)
{
    return self->catalogues > 0;
}

static void
garbage_from_a_broker_costs_one_message(void **state)
{
    AUTO(close_fixture) fixture_t f;
    const catalogue_msg_t catalogue = { .version = 1 };
    const answer_msg_t stray = { .id = "0", .status = 99, .outcome = -1 };

    open_fixture(&f);
    run(&f, all_are_up);
    zmsg_t *msg = zmsg_new();
    zmsg_addmem(msg, zframe_data(f.brokers[0].transport), zframe_size(f.brokers[0].transport));
    zmsg_addstr(msg, "garbage");
    zmsg_send(&msg, f.brokers[0].router);
    send_back(&f.brokers[0], &answer_wire, &stray);
    send_back(&f.brokers[0], &catalogue_wire, &catalogue);
    run(&f, has_catalogue);
    assert_int_equal(f.answered, 0);
}

static void
an_endpoint_that_is_none_is_refused(void **state)
{
    AUTO(close_fixture) fixture_t f;
    failure_t why;

    open_fixture(&f);
    assert_int_equal(link_connect(f.link, "tcp://127.0.0.1:1", &why), EXIT_CURVE);
    assert_int_equal(link_connect(f.link, "nonsense", &why), EXIT_USAGE);
    for (int i = 0; i < BROKERS_MAX - BROKERS; i++) {
        char endpoint[96];
        snprintf(endpoint, sizeof endpoint, "ipc://%s/more%d.sock", f.dir, i);
        assert_int_equal(link_connect(f.link, endpoint, &why), EXIT_DONE);
    }
    assert_int_equal(link_connect(f.link, "ipc:///tmp/one-too-many.sock", &why), EXIT_USAGE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_spread_over_all_that_live),
        cmocka_unit_test(the_calls_of_a_silent_broker_are_settled),
        cmocka_unit_test(one_who_has_slept_does_not_blame_the_brokers),
        cmocka_unit_test(what_a_new_broker_refuses_goes_out_again),
        cmocka_unit_test(all_brokers_hear_that_a_session_ended),
        cmocka_unit_test(a_cancelled_call_is_open_no_more),
        cmocka_unit_test(garbage_from_a_broker_costs_one_message),
        cmocka_unit_test(an_endpoint_that_is_none_is_refused),
    };
    zsys_init();
    zsys_handler_set(NULL);
    log_setup("test", LEVEL_ERROR, false);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zsys_shutdown();
    return failed;
}
