// SPDX-License-Identifier: Apache-2.0
#include "net.h"

#include "actor.h"
#include "auto.h"
#include "clients.h"
#include "endpoint.h"
#include "gate.h"
#include "messages.h"

enum { PIPE = 64, SOCKETS = 128, CONNS = 128, ENDPOINT = 32 };

typedef struct {
    zmsg_t *messages[PIPE];
    int64_t sent_ms[PIPE], at_ms[PIPE];
    size_t first, count;
} sim_pipe_t;

typedef struct {
    zsock_t *dealer, *router;  // NULL: that end is gone
    uint32_t route;            // 0: free
    sim_pipe_t to_router, to_dealer;
    int64_t stalled_until_ms;
} conn_t;

struct _zsock_t {
    host_t *host;  // NULL: free
    int type;
    char endpoint[ENDPOINT];
    bool is_bound;
    conn_t *conn;  // of a DEALER
    int64_t retry_ms;
};

static zsock_t sockets[SOCKETS];
static conn_t conns[CONNS];
static int conns_used;  // behind it all are free
static uint32_t last_route;
static size_t high_water;
static int budget;  // messages that may be read in this turn

static zmsg_t *
pipe_pop(sim_pipe_t *self)
{
    zmsg_t *msg = self->messages[self->first];

    if (wire_type(msg) == MSG_call)
        clients_waited(msg, stage.now_ms - self->sent_ms[self->first]);
    self->first = (self->first + 1) % PIPE;
    self->count--;
    return msg;
}

// Keeps the first so many.
static void
pipe_cut(sim_pipe_t *self, size_t kept)
{
    while (self->count > kept)
        zmsg_destroy(&self->messages[(self->first + --self->count) % PIPE]);
}

static void
pipe_push(sim_pipe_t *self, zmsg_t *msg)
{
    size_t place = (self->first + self->count) % PIPE, last = (place + PIPE - 1) % PIPE;
    int64_t at_ms = stage.now_ms + (int64_t) stage_random(stage_chance(50) ? 600 : 6);

    if (self->count && self->at_ms[last] > at_ms)
        at_ms = self->at_ms[last];
    self->messages[place] = msg;
    self->sent_ms[place] = stage.now_ms;
    self->at_ms[place] = at_ms;
    self->count++;
}

static int64_t
pipe_due_ms(const sim_pipe_t *self, const conn_t *conn)
{
    if (!self->count)
        return INT64_MAX;
    int64_t at_ms = self->at_ms[self->first];
    return at_ms > conn->stalled_until_ms ? at_ms : conn->stalled_until_ms;
}

static void
conn_free_if_over(conn_t *self)
{
    if (self->route && !self->dealer && (!self->router || !self->to_router.count)) {
        pipe_cut(&self->to_router, 0);
        pipe_cut(&self->to_dealer, 0);
        *self = (conn_t){ 0 };
    }
}

// The DEALER's end is gone. A broken connection loses what was under way; so does a process
// that dies, from some point on.
static void
conn_lose_dealer(conn_t *self)
{
    self->dealer->conn = NULL;
    self->dealer->retry_ms = stage.now_ms + 5 + (int64_t) stage_random(200);
    self->dealer = NULL;
    pipe_cut(&self->to_router, stage_random(self->to_router.count + 1));
    pipe_cut(&self->to_dealer, 0);
    conn_free_if_over(self);
}

static void
conn_break(conn_t *self)
{
    if (self->dealer)
        conn_lose_dealer(self);
    conn_free_if_over(self);
}

// It goes on reading what has arrived already; then it is free.
static void
conn_lose_router(conn_t *self)
{
    self->router = NULL;
    pipe_cut(&self->to_router, 0);
    if (self->dealer)
        conn_lose_dealer(self);
    conn_free_if_over(self);
}

static zsock_t *
bound_to(const char *endpoint)
{
    for (int i = 0; i < SOCKETS; i++)
        if (sockets[i].host && sockets[i].is_bound && !strcmp(sockets[i].endpoint, endpoint)
            && !sockets[i].host->is_dead)
            return &sockets[i];
    return NULL;
}

static void
connect_again(void *what)
{
    zsock_t *dealer = what, *router = bound_to(dealer->endpoint);
    int i = 0;

    if (!router || router->host->paused_until_ms > stage.now_ms) {
        dealer->retry_ms = stage.now_ms + 20 + (int64_t) stage_random(200);
        return;
    }
    while (i < CONNS && conns[i].route)
        i++;
    assert(i < CONNS);
    conns_used = i < conns_used ? conns_used : i + 1;
    conns[i] = (conn_t){ .dealer = dealer, .router = router, .route = ++last_route };
    dealer->conn = &conns[i];
}

void
net_offer(void)
{
    for (int i = 0; i < SOCKETS; i++)
        if (sockets[i].host && sockets[i].type == ZMQ_DEALER && *sockets[i].endpoint
            && !sockets[i].conn && !sockets[i].host->is_dead)
            stage_offer(NULL, sockets[i].retry_ms, connect_again, &sockets[i]);
}

void
net_begin_turn(host_t *host)
{
    budget = host->slow_until_ms > stage.now_ms ? 1 : INT_MAX;
}

int64_t
net_readable_ms(zsock_t *socket)
{
    int64_t due_ms = INT64_MAX;

    if (socket->type == ZMQ_DEALER)
        return socket->conn ? pipe_due_ms(&socket->conn->to_dealer, socket->conn) : due_ms;
    for (int i = 0; i < conns_used; i++)
        if (conns[i].router == socket) {
            int64_t at_ms = pipe_due_ms(&conns[i].to_router, &conns[i]);
            due_ms = at_ms < due_ms ? at_ms : due_ms;
        }
    return due_ms;
}

void
net_drop_host(host_t *host)
{
    for (int i = 0; i < SOCKETS; i++)
        assert(sockets[i].host != host);
}

static conn_t *
any_conn(void)
{
    conn_t *found[CONNS];
    size_t count = 0;

    for (int i = 0; i < conns_used; i++)
        if (conns[i].dealer && conns[i].router)
            found[count++] = &conns[i];
    return count ? found[stage_random(count)] : NULL;
}

void
net_break_any(void)
{
    conn_t *conn = any_conn();

    if (!conn)
        return;
    stage_say("the connection of %s %d to %s breaks", conn->dealer->host->role->name,
              conn->dealer->host->number, conn->dealer->endpoint);
    conn_break(conn);
}

void
net_stall_any(int64_t ms)
{
    conn_t *conn = any_conn();

    if (!conn)
        return;
    stage_say("the connection of %s %d to %s stalls", conn->dealer->host->role->name,
              conn->dealer->host->number, conn->dealer->endpoint);
    conn->stalled_until_ms = stage.now_ms + ms;
}

void
net_heal(void)
{
    for (int i = 0; i < conns_used; i++)
        conns[i].stalled_until_ms = 0;
}

void
net_clean_up(void)
{
    for (int i = 0; i < conns_used; i++)
        conn_break(&conns[i]);
    conns_used = 0;
    last_route = 0;
    high_water = 4 + stage_random(PIPE - 4);
}

zsock_t *
zsock_new_checked(int type, const char *filename, size_t line)
{
    int i = 0;

    while (i < SOCKETS && sockets[i].host)
        i++;
    assert(i < SOCKETS);
    sockets[i] = (zsock_t){ .host = stage.host, .type = type };
    return &sockets[i];
}

static void
close_socket(zsock_t *self)
{
    for (int i = 0; i < CONNS; i++) {
        if (conns[i].router == self)
            conn_lose_router(&conns[i]);
        else if (conns[i].dealer == self)
            conn_lose_dealer(&conns[i]);
    }
    *self = (zsock_t){ 0 };
}

void
zsock_destroy_checked(zsock_t **self_p, const char *filename, size_t line)
{
    if (*self_p)
        close_socket(*self_p);
    *self_p = NULL;
}

#undef zsock_destroy
void
zsock_destroy(zsock_t **self_p)
{
    zsock_destroy_checked(self_p, "", 0);
}

const char *
zsock_endpoint(zsock_t *self)
{
    return self->endpoint;
}

void
zsock_set_linger(void *self, int linger)
{
}

void *
zsock_resolve(void *self)
{
    return self;
}

static int
events_of(zsock_t *self)
{
    bool is_writable = self->conn && self->conn->to_router.count < high_water;

    return (net_readable_ms(self) <= stage.now_ms ? ZMQ_POLLIN : 0)
           | (is_writable ? ZMQ_POLLOUT : 0);
}

int
zsock_events(void *self)
{
    return events_of(self);
}

void
endpoint_prepare(zsock_t *socket)
{
}

exit_code_t
endpoint_bind(zsock_t *socket, const char *endpoint, curve_t *curve, failure_t *why)
{
    snprintf(socket->endpoint, ENDPOINT, "%s", endpoint);
    socket->is_bound = true;
    return EXIT_DONE;
}

exit_code_t
endpoint_connect(zsock_t *socket, const char *endpoint, curve_t *curve, failure_t *why)
{
    snprintf(socket->endpoint, ENDPOINT, "%s", endpoint);
    socket->retry_ms = stage.now_ms + (int64_t) stage_random(20);
    return EXIT_DONE;
}

curve_t *
curve_new(const char *dir, bool as_server, failure_t *why)
{
    return (curve_t *) &stage;
}

void
curve_destroy(curve_t **self_p)
{
    *self_p = NULL;
}

gate_t *
gate_new(zloop_t *loop, zsock_t *socket, const char *endpoint, gate_fn *turned_away,
         void *owner)
{
    return NULL;
}

void
gate_destroy(gate_t **self_p)
{
}

bool
gate_is_told(size_t count)
{
    return false;
}

void
endpoint_random_name(char name[ENDPOINT_NAME_SIZE])
{
    for (int i = 0; i < ENDPOINT_NAME_SIZE - 1; i++)
        name[i] = "0123456789abcdef"[stage_random(16)];
    name[ENDPOINT_NAME_SIZE - 1] = '\0';
}

static void
push_route(zmsg_t *msg, uint32_t route)
{
    unsigned char bytes[5] = { 0, route >> 24, route >> 16 & 0xff, route >> 8 & 0xff,
                               route & 0xff };

    zmsg_pushmem(msg, bytes, sizeof bytes);
}

static uint32_t
pop_route(zmsg_t *msg)
{
    zframe_t *frame = zmsg_pop(msg);
    const unsigned char *bytes = zframe_data(frame);
    uint32_t route = (uint32_t) bytes[1] << 24 | bytes[2] << 16 | bytes[3] << 8 | bytes[4];

    zframe_destroy(&frame);
    return route;
}

// One of the connections that have something to read.
static conn_t *
readable_conn(const zsock_t *router)
{
    conn_t *found[CONNS];
    size_t count = 0;

    for (int i = 0; i < conns_used; i++)
        if (conns[i].router == router
            && pipe_due_ms(&conns[i].to_router, &conns[i]) <= stage.now_ms)
            found[count++] = &conns[i];
    return count ? found[stage_random(count)] : NULL;
}

static zmsg_t *
receive_routed(const zsock_t *router)
{
    conn_t *conn = readable_conn(router);

    if (!conn)
        return NULL;
    zmsg_t *msg = pipe_pop(&conn->to_router);
    push_route(msg, conn->route);
    conn_free_if_over(conn);
    return msg;
}

zmsg_t *
actor_receive(zsock_t *socket)
{
    if (socket->host->is_dead || budget-- <= 0)
        return NULL;
    if (socket->type == ZMQ_ROUTER)
        return receive_routed(socket);
    return net_readable_ms(socket) <= stage.now_ms ? pipe_pop(&socket->conn->to_dealer) : NULL;
}

bool
actor_take(parcel_t *parcel, zsock_t *socket)
{
    AUTO(zmsg_destroy) zmsg_t *msg = actor_receive(socket);

    for (zframe_t *frame = msg ? zmsg_first(msg) : NULL; frame; frame = zmsg_next(msg))
        parcel_add(parcel, zframe_data(frame), zframe_size(frame));
    return msg;
}

static conn_t *
conn_of_route(const zsock_t *router, uint32_t route)
{
    for (int i = 0; i < conns_used; i++)
        if (conns[i].router == router && conns[i].route == route && conns[i].dealer)
            return &conns[i];
    return NULL;
}

static int
send_over(conn_t *conn, sim_pipe_t *pipe, zmsg_t **msg_p)
{
    if (!conn || pipe->count >= high_water)
        return EAGAIN;
    pipe_push(pipe, *msg_p);
    *msg_p = NULL;
    return 0;
}

int
actor_send(zmsg_t **msg_p, zsock_t *socket)
{
    int error;

    if (socket->host->is_dead) {
        error = 0;
    } else if (socket->type == ZMQ_DEALER) {
        error = send_over(socket->conn, socket->conn ? &socket->conn->to_router : NULL, msg_p);
    } else {
        conn_t *conn = conn_of_route(socket, pop_route(*msg_p));
        error = conn ? send_over(conn, &conn->to_dealer, msg_p) : EHOSTUNREACH;
    }
    zmsg_destroy(msg_p);
    return error;
}

int
actor_post(parcel_t *parcel, zsock_t *socket)
{
    zmsg_t *msg = zmsg_new();

    for (size_t i = 0; i < parcel->count; i++)
        zmsg_addmem(msg, zmq_msg_data(&parcel->frames[i]), zmq_msg_size(&parcel->frames[i]));
    parcel_clear(parcel);
    return actor_send(&msg, socket);
}
