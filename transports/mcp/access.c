// SPDX-License-Identifier: Apache-2.0
#include "mcp/access.h"

#include <sodium.h>

#include "auto.h"
#include "clock.h"
#include "json.h"
#include "limits.h"
#include "mcp/token.h"

enum {
    VERDICTS = 4096,    // rows of the cache; an entry that meets another takes its place
    DOWN_MS = 1000,     // how long "nobody could be asked" stands
    AGAIN_MS = 200,     // between two tries to reach the platform for a log-in
    REFUSED_MS = 2000,  // between two log-ins that were refused
};

typedef struct {
    unsigned char hash[crypto_generichash_BYTES];
    int64_t until_ms;
    verdict_t verdict;
    char *principal;
    char *reason;
} row_t;

// The token of the one user of this process.
typedef struct {
    char *token;
    char *principal;
    bool is_asked;  // a log-in runs
    bool is_refused;
    int64_t again_ms;  // no log-in before that
    failure_t why;     // of the last one that failed
} own_t;

struct access {
    zloop_t *loop;
    access_options_t options;  // the texts are ours
    void (*changed)(void *owner);
    void *owner;
    unsigned char key[KEY_SIZE];
    bool has_key;
    row_t *rows;
    asks_t *asks;  // started when first needed
    own_t own;
};

static_assert(ASK_TAG_SIZE == crypto_generichash_BYTES, "a tag is the hash of a token");

static char *
copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

static void
drop(const char *text)
{
    if (text)
        sodium_memzero((char *) text, strlen(text));
    free((char *) text);
}

access_t *
access_new(zloop_t *loop, const access_options_t *options, void (*changed)(void *owner),
           void *owner)
{
    access_t *self = calloc(1, sizeof *self);

    assert(self);
    *self = (access_t){ .loop = loop, .changed = changed, .owner = owner };
    self->options = (access_options_t){
        .token_key = copy(options->token_key),
        .platform = copy(options->platform),
        .credentials = copy(options->credentials),
        .username = copy(options->username),
        .password = copy(options->password),
        .token = copy(options->token),
    };
    self->rows = calloc(VERDICTS, sizeof *self->rows);
    assert(self->rows);
    return self;
}

void
access_destroy(access_t **self_p)
{
    access_t *self = *self_p;

    if (!self)
        return;
    asks_destroy(&self->asks);
    for (size_t i = 0; i < VERDICTS; i++) {
        free(self->rows[i].principal);
        free(self->rows[i].reason);
    }
    free(self->rows);
    drop(self->options.token_key);
    drop(self->options.platform);
    drop(self->options.credentials);
    drop(self->options.username);
    drop(self->options.password);
    drop(self->options.token);
    drop(self->own.token);
    free(self->own.principal);
    sodium_memzero(self, sizeof *self);
    free(self);
    *self_p = NULL;
}

void
access_set_platform(access_t *self, const char *url)
{
    drop(self->options.platform);
    self->options.platform = copy(url);
    self->own.again_ms = 0;
    self->changed(self->owner);
}

const char *
access_platform(const access_t *self)
{
    return self->options.platform;
}

exit_code_t
access_load_key(access_t *self, failure_t *why)
{
    exit_code_t code = keyfile_load(self->options.token_key, false, self->key, why);

    self->has_key = code == EXIT_DONE;
    return code;
}

static row_t *
row_of(access_t *self, const unsigned char *hash)
{
    return &self->rows[(hash[0] | hash[1] << 8) % VERDICTS];
}

static void
remember(access_t *self, const unsigned char *hash, verdict_t verdict, const char *principal,
         const char *reason)
{
    row_t *row = row_of(self, hash);

    free(row->principal);
    free(row->reason);
    memcpy(row->hash, hash, sizeof row->hash);
    row->until_ms = clock_now_ms() + (verdict == ACCESS_DOWN ? DOWN_MS : VERDICT_MS);
    row->verdict = verdict;
    row->principal = copy(principal);
    row->reason = copy(reason);
}

static void
take_log_in(own_t *own, const reply_t *reply)
{
    own->is_asked = false;
    own->is_refused = reply->verdict == ACCESS_REFUSED;
    if (reply->verdict == ACCESS_GRANTED) {
        own->token = copy(reply->token);
        own->principal = copy(reply->principal);
        return;
    }
    own->why = reply->why;
    own->again_ms = clock_now_ms() + (own->is_refused ? REFUSED_MS : AGAIN_MS);
}

static void
on_reply(void *owner, const reply_t *reply)
{
    access_t *self = owner;

    if (reply->is_log_in)
        take_log_in(&self->own, reply);
    else
        remember(self, reply->tag, reply->verdict, reply->principal, reply->why.text);
    self->changed(self->owner);
}

static asks_t *
asks_of(access_t *self)
{
    if (!self->asks)
        self->asks = asks_new(self->loop, on_reply, self);
    return self->asks;
}

// The stack's key file comes with its first start.
static bool
has_key(access_t *self)
{
    failure_t why;

    return self->has_key
           || (self->options.token_key && access_load_key(self, &why) == EXIT_DONE);
}

static verdict_t
verify(access_t *self, const unsigned char *hash, const char *token, failure_t *why)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const char *principal = NULL;
    status_t status = token_verify(arena, token, self->key, clock_wall_ms(), &principal, why);
    verdict_t verdict = status ? ACCESS_REFUSED : ACCESS_GRANTED;

    remember(self, hash, verdict, principal, status ? why->text : NULL);
    return verdict;
}

static verdict_t
ask(access_t *self, const unsigned char *hash, const char *token, failure_t *why)
{
    const char *platform = self->options.platform;

    fail(why, BUSY, "The platform is not there yet; try again soon.");
    if (self->options.token_key || !platform)
        return ACCESS_WAIT;
    if (!asks_has(asks_of(self), hash))
        asks_whoami(self->asks, hash, platform, token);
    return ACCESS_WAIT;
}

verdict_t
access_check(access_t *self, const char *token, const char **principal_p, failure_t *why)
{
    unsigned char hash[crypto_generichash_BYTES];

    crypto_generichash(hash, sizeof hash, (const unsigned char *) token, strlen(token), NULL,
                       0);
    row_t *row = row_of(self, hash);
    bool is_known =
        clock_now_ms() < row->until_ms && !sodium_memcmp(row->hash, hash, sizeof hash);
    verdict_t verdict;
    if (is_known)
        verdict = row->verdict;
    else if (has_key(self))
        verdict = verify(self, hash, token, why);
    else
        return ask(self, hash, token, why);

    if (verdict == ACCESS_GRANTED)
        *principal_p = row->principal;
    else
        fail(why, verdict == ACCESS_DOWN ? BACKEND : UNAUTHORIZED, "%s", row->reason);
    return verdict;
}

void
access_forget(access_t *self, const char *token)
{
    unsigned char hash[crypto_generichash_BYTES];

    crypto_generichash(hash, sizeof hash, (const unsigned char *) token, strlen(token), NULL,
                       0);
    row_t *row = row_of(self, hash);
    if (!sodium_memcmp(row->hash, hash, sizeof hash))
        row->until_ms = 0;
}

// The credentials of the file, if it is there: {"username", "password"}.
static const json_t *
stored_pair(access_t *self, arena_t *arena, failure_t *why)
{
    char *text = NULL;

    if (!self->options.credentials || keyfile_read(self->options.credentials, &text, why)
        || !text)
        return NULL;
    const json_t *pair = json_parse_text(arena, text);
    drop(text);
    return pair;
}

static verdict_t
log_in(access_t *self, failure_t *why)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const char *username = self->options.username, *password = self->options.password;

    if (!username || !password) {
        const json_t *pair = stored_pair(self, arena, why);
        username = json_get_text(pair, "username");
        password = json_get_text(pair, "password");
    }
    if (!username || !password) {
        fail(why, UNAUTHORIZED,
             "There is nothing to log in with: set PROOFARC_USERNAME and PROOFARC_PASSWORD, or "
             "PROOFARC_TOKEN.");
        return ACCESS_REFUSED;
    }
    self->own.is_asked = asks_log_in(asks_of(self), self->options.platform, username, password);
    return ACCESS_WAIT;
}

static void
use_given_token(own_t *own, const char *token)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();

    own->token = copy(token);
    own->principal = copy(token_principal(arena, token));
}

verdict_t
access_own(access_t *self, const char **token_p, const char **principal_p, failure_t *why)
{
    own_t *own = &self->own;

    *why = own->why;
    if (!own->token && self->options.token && !own->is_refused)
        use_given_token(own, self->options.token);
    if (own->token) {
        *token_p = own->token;
        *principal_p = own->principal;
        return ACCESS_GRANTED;
    }
    if (own->is_asked)
        return ACCESS_WAIT;
    if (clock_now_ms() < own->again_ms || (self->options.token && own->is_refused))
        return own->is_refused ? ACCESS_REFUSED : ACCESS_WAIT;
    if (!self->options.platform) {
        fail(why, BUSY, "The platform is not there yet; try again soon.");
        return ACCESS_WAIT;
    }
    return log_in(self, why);
}

void
access_forget_own(access_t *self, const char *token)
{
    own_t *own = &self->own;

    if (!own->token || strcmp(own->token, token) != 0)
        return;
    drop(own->token);
    free(own->principal);
    own->token = own->principal = NULL;
    if (!self->options.token)
        return;
    own->is_refused = true;
    fail(&own->why, UNAUTHORIZED, "The platform does not take the token of PROOFARC_TOKEN.");
}
