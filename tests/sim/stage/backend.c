// SPDX-License-Identifier: Apache-2.0
#include "backend.h"

#include "auto.h"
#include "clients.h"
#include "http.h"
#include "net.h"
#include "waiter.h"

enum { REQUESTS = 64, KEYS = 1024, GETS = 32, PATH = 96, BODY = 512 };

// A request on its way. It goes on when the one who sent it has died.
typedef struct {
    bool is_used;
    host_t *host;
    int life;
    bool is_write, is_list;
    char path[PATH], key[64];
    int owner, call;     // call -1: of no client
    int64_t until_ms;    // who sent it waits no longer
    int64_t arrive_ms;   // INT64_MAX: it has, or never will
    int64_t answer_ms;   // INT64_MAX: none comes
    bool is_broken;      // instead of an answer the connection breaks
    bool is_waited_for;  // by the slot or strand that sent it
    strand_t *strand;    // or NULL
    long code;
    char body[BODY];
} request_t;

typedef struct {
    int owner;
    char text[64];
    int call;
} remembered_t;

struct waiter_get {
    host_t *host;  // NULL: free
    int64_t at_ms;
    waiter_fn *done;
    void *arg;
};

struct http {
    http_perform_fn *perform;  // NULL: in a slot
    void *arg;
};

static request_t requests[REQUESTS];
static remembered_t keys[KEYS];
static size_t keys_count;
static waiter_get_t gets[GETS];

void
backend_begin(void)
{
    memset(requests, 0, sizeof requests);
    memset(gets, 0, sizeof gets);
    keys_count = 0;
}

void
backend_end(void)
{
    for (int i = 0; i < REQUESTS; i++)
        assert(!requests[i].is_waited_for);
}

static int
owner_of(const char *token)
{
    for (int i = 0; token && i < CLIENT_OWNERS; i++)
        if (!strcmp(token + 2, client_owners[i]))
            return i;
    stage_condemn("the platform is asked with a token that is nobody's");
}

// The number of the client's call in path or body, -1 if there is none.
static int
call_in(const http_request_t *request)
{
    const char *found = strstr(request->url, "n=");

    if (!found || (found[-1] != '?' && found[-1] != '&'))
        found = NULL;
    if (!found && request->body && (found = strstr(request->body, "\"n\":")))
        found += 2;
    return found ? (int) strtol(found + 2, NULL, 10) : -1;
}

// One list of one user is fetched once at a time, whoever waits for it.
static void
judge_flight(const request_t *request)
{
    for (int i = 0; i < REQUESTS; i++) {
        const request_t *other = &requests[i];
        if (other != request && other->is_waited_for && other->is_list
            && other->host == request->host && other->owner == request->owner
            && !strcmp(other->path, request->path))
            stage_condemn("%s fetches one list of %s twice at a time",
                          request->host->role->name, client_owners[request->owner]);
    }
}

static void
choose_fate(request_t *self)
{
    self->arrive_ms = stage.now_ms + (int64_t) stage_random(stage_chance(20) ? 1500 : 10);
    self->answer_ms = INT64_MAX;
    self->is_broken = stage_chance(25);
    if (stage_chance(40))
        self->arrive_ms = INT64_MAX;
    if (self->is_broken)
        self->answer_ms = stage.now_ms + (int64_t) stage_random(20);
}

static request_t *
new_request(const http_request_t *request)
{
    int i = 0;

    while (i < REQUESTS && requests[i].is_used)
        i++;
    assert(i < REQUESTS && strlen(request->url) < PATH);
    request_t *self = &requests[i];
    *self = (request_t){
        .is_used = true,
        .host = stage.host,
        .life = stage.host->life,
        .is_write = strcmp(request->method, "GET") != 0,
        .is_list = strstr(request->url, "view=names") != NULL,
        .owner = owner_of(request->token),
        .call = call_in(request),
        .is_waited_for = true,
        .until_ms = stage.now_ms + request->timeout_ms,
    };
    snprintf(self->path, PATH, "%s", request->url);
    snprintf(self->key, sizeof self->key, "%s", request->key ? request->key : "");
    choose_fate(self);
    return self;
}

static bool
is_answered(void *arg)
{
    const request_t *request = arg;

    return request->answer_ms <= stage.now_ms;
}

static bool
is_over(const request_t *self)
{
    return !self->is_waited_for && self->arrive_ms == INT64_MAX;
}

static status_t
explain(const http_request_t *request, bool is_late, failure_t *why)
{
    if (strcmp(request->method, "GET"))
        return fail(why, UNKNOWN, "the answer is lost");
    fail(why, is_late ? TIMEOUT : BACKEND, "no answer");
    why->outcome = FAILED;
    return why->status;
}

status_t
http_send(http_t *self, arena_t *arena, const http_request_t *request,
          http_response_t *response, failure_t *why)
{
    int call = call_in(request);

    if (stage.host->is_dead || stage_chance(40))
        return fail(why, BUSY, "the platform cannot be reached");
    request_t *sent = new_request(request);
    if (call >= 0)
        clients_asked(call, sent->is_write);
    if (sent->is_list)
        judge_flight(sent);
    if (self->perform)
        self->perform(self->arg, sent);
    else
        slots_wait(is_answered, sent, stage.now_ms + request->timeout_ms);
    sent->is_waited_for = false;
    sent->is_used = !is_over(sent);
    if (stage.host->is_dead || sent->is_broken || !is_answered(sent))
        return explain(request, !sent->is_broken, why);
    *response = (http_response_t){ .code = sent->code,
                                   .body = arena_strdup(arena, sent->body),
                                   .size = strlen(sent->body) };
    return OK;
}

http_t *
http_new(void)
{
    http_t *self = calloc(1, sizeof *self);

    assert(self);
    return self;
}

void
http_destroy(http_t **self_p)
{
    free(*self_p);
    *self_p = NULL;
}

void
http_perform_by(http_t *self, http_perform_fn *perform, void *arg)
{
    self->perform = perform;
    self->arg = arg;
}

// What is called here has no signs to be encoded.
char *
http_escape(arena_t *arena, const char *text)
{
    return arena_strdup(arena, text);
}

static remembered_t *
find_key(const request_t *request)
{
    for (size_t i = 0; *request->key && i < keys_count; i++)
        if (keys[i].owner == request->owner && !strcmp(keys[i].text, request->key))
            return &keys[i];
    return NULL;
}

static void
remember(const request_t *request)
{
    if (!stage.keeps_keys || !*request->key)
        return;
    assert(keys_count < KEYS);
    remembered_t *key = &keys[keys_count++];
    key->owner = request->owner;
    key->call = request->call;
    snprintf(key->text, sizeof key->text, "%s", request->key);
}

static void
write_list(request_t *self)
{
    const char *owner = client_owners[self->owner];
    int id = 10 * (self->owner + 1);

    snprintf(self->body, BODY,
             "{\"items\":[{\"id\":%d,\"name\":\"alpha of %s\"},"
             "{\"id\":%d,\"name\":\"beta of %s\"}]}",
             id + 1, owner, id + 2, owner);
}

// Does what is asked, once for each key that is remembered.
static void
perform(request_t *self)
{
    const remembered_t *known = find_key(self);

    if (known && known->call != self->call)
        stage_condemn("one key is used for the calls %d and %d", known->call, self->call);
    if (self->is_write && !known) {
        clients_effect(self->call);
        remember(self);
    }
    self->code = self->is_write ? 201 : 200;
    snprintf(self->body, BODY, "{\"id\":%d,\"name\":\"project %d of %s\",\"n\":%d}",
             1000 + self->call, self->call, client_owners[self->owner], self->call);
}

static void
refuse(request_t *self, long code)
{
    self->code = code;
    snprintf(self->body, BODY, "{\"error\":{\"code\":\"NO\",\"message\":\"no\"}}");
}

static void
arrive(void *what)
{
    static const long codes[] = { 503, 429, 401, 404, 500 };
    static const long late[] = { 500, 502, 504 };
    request_t *self = what;

    self->arrive_ms = INT64_MAX;
    if (stage_chance(20)) {
        refuse(self, codes[stage_random(ROWS(codes))]);
    } else if (self->is_list) {
        self->code = 200;
        write_list(self);
    } else if (self->call >= 0 && !clients_is_fine(self->call)) {
        refuse(self, 409);
    } else {
        perform(self);
        if (stage_chance(20))
            refuse(self, late[stage_random(ROWS(late))]);  // somebody on the way back
    }
    if (!self->is_broken && !stage_chance(30))
        self->answer_ms = stage.now_ms + (int64_t) stage_random(stage_chance(10) ? 900 : 10);
    self->is_used = !is_over(self);
}

waiter_t *
waiter_new(zloop_t *loop, const char *platform)
{
    return (waiter_t *) &stage;
}

void
waiter_destroy(waiter_t **self_p)
{
    for (int i = 0; i < GETS; i++)
        if (gets[i].host == stage.host)
            gets[i].host = NULL;
    *self_p = NULL;
}

// What is performed is the request itself.
int
waiter_perform(waiter_t *self, strand_t *strand, void *easy)
{
    request_t *sent = easy;

    sent->strand = strand;
    while (!is_answered(sent) && stage.now_ms < sent->until_ms && !strand_is_ending(strand))
        strand_wait(strand, sent->until_ms);
    sent->strand = NULL;
    return 0;
}

static void
wake(void *what)
{
    request_t *request = what;

    net_begin_turn(request->host);
    strand_wake(request->strand);
}

waiter_get_t *
waiter_get(waiter_t *self, const char *path, const char *token, int64_t timeout_ms,
           waiter_fn *done, void *arg)
{
    int i = 0;

    while (i < GETS && gets[i].host)
        i++;
    assert(i < GETS && !strcmp(path, "/api/info"));
    gets[i] =
        (waiter_get_t){ stage.host, stage.now_ms + (int64_t) stage_random(30), done, arg };
    return &gets[i];
}

void
waiter_stop(waiter_get_t **get_p)
{
    if (*get_p)
        (*get_p)->host = NULL;
    *get_p = NULL;
}

static void
end_get(void *what)
{
    waiter_get_t *get = what;
    waiter_get_t now = *get;
    const char *body = stage.keeps_keys ? "{\"remembersKeys\":true}" : "{}";
    bool is_lost = stage_chance(10);

    get->host = NULL;
    now.done(now.arg, is_lost ? 0 : 200, is_lost ? "" : body, is_lost ? 0 : strlen(body));
}

void
backend_offer(void)
{
    for (int i = 0; i < REQUESTS; i++) {
        request_t *request = &requests[i];
        if (request->is_used && request->arrive_ms != INT64_MAX)
            stage_offer(NULL, request->arrive_ms, arrive, request);
        if (request->is_waited_for && request->answer_ms != INT64_MAX)
            stage_offer(NULL,
                        request->answer_ms > stage.now_ms ? request->answer_ms : INT64_MAX,
                        NULL, NULL);
        if (request->is_used && request->strand)
            stage_offer(request->host, request->answer_ms, wake, request);
    }
    for (int i = 0; i < GETS; i++)
        if (gets[i].host)
            stage_offer(gets[i].host, gets[i].at_ms, end_get, &gets[i]);
}
