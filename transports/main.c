// SPDX-License-Identifier: Apache-2.0
// proofarc-mcp: what an MCP client talks to, over stdio or HTTP.

#include <sodium.h>
#include <unistd.h>

#include "actor.h"
#include "auto.h"
#include "http/server.h"
#include "limits.h"
#include "log.h"
#include "mcp/service.h"
#include "stack.h"
#include "stdio/lines.h"

enum { ORIGINS_MAX = 64 };

// clang-format off
static const setting_t rows[] = {
    { "transport", SETTING_TEXT, "WAY", "stdio", "How clients talk to it.", .one_of = "stdio|http" },
    { "listen", SETTING_TEXT, "HOST:PORT", "127.0.0.1:8808", "Where HTTP is served, at /mcp." },
    { "auth", SETTING_TEXT, "WAY", "bearer",
      "HTTP: callers bring a token, or (on loopback only) all are the stored user.",
      .one_of = "bearer|none" },
    { "broker", SETTING_MANY, "ENDPOINT", NULL,
      "A broker; without any, the stack of this machine is used and started when needed." },
    { "curve-dir", SETTING_TEXT, "DIR", NULL, "Keys for tcp:// endpoints." },
    { "platform", SETTING_TEXT, "URL", NULL, "A platform elsewhere; PROOFARC_URL is taken as well." },
    { "data-dir", SETTING_TEXT, "DIR", NULL,
      "Data of the local stack. Default: ~/.local/share/proofarc." },
    { "token-key", SETTING_TEXT, "FILE", NULL,
      "Key to check tokens with; without it the platform is asked." },
    { "session-key", SETTING_TEXT, "FILE", NULL,
      "Key that signs session ids, the same for all transports of a platform." },
    { "profile", SETTING_TEXT, "NAME", "full", "How many tools are shown.",
      .one_of = "core|standard|wide|full|readonly" },
    { "categories", SETTING_TEXT, "LIST", NULL, "These categories of tools alone, separated by commas." },
    { "tools", SETTING_TEXT, "LIST", NULL, "These tools alone, separated by commas." },
    { "exclude", SETTING_TEXT, "LIST", NULL, "Without these tools or categories." },
    { "read-only", SETTING_SWITCH, NULL, NULL, "Without tools that write, run or delete anything." },
    { "narrow", SETTING_TEXT, "WAY", "plain",
      "How a question that is left is put: in the answer, or as a form where the client has them.",
      .one_of = "plain|elicit" },
    { "authorization-server", SETTING_TEXT, "URL", NULL,
      "Who gives tokens, for clients that look for it (RFC 9728)." },
    { "allow-origin", SETTING_MANY, "ORIGIN", NULL,
      "A web page's origin that may call over HTTP, beside our own and loopback." },
    { "tls-cert", SETTING_TEXT, "FILE", NULL, "Certificate chain (PEM) for HTTPS." },
    { "tls-key", SETTING_TEXT, "FILE", NULL, "Its private key (PEM)." },
    { 0 },
};

static const char *const examples[] = {
    "proofarc-mcp --transport stdio",
    "proofarc-mcp --transport http --auth none",
    "PROOFARC_URL=https://proofarc.example PROOFARC_USERNAME=me PROOFARC_PASSWORD=… proofarc-mcp",
    NULL,
};
// clang-format on

static const program_t program = {
    .name = "proofarc-mcp",
    .about = "The MCP server of Proofarc. Credentials come from PROOFARC_USERNAME and "
             "PROOFARC_PASSWORD, or PROOFARC_TOKEN, never from flags.",
    .rows = rows,
    .examples = examples,
};

typedef struct {
    settings_t *settings;
    actor_t *actor;
    curve_t *curve;
    service_t *service;
    stack_lease_t *stack;
    lines_t *lines;
    server_t *server;
    bool is_http;
    bool is_local;
    const char *origins[ORIGINS_MAX];
    char *username, *password, *token;  // from the environment
    char data_dir[PATH_MAX];
    char launcher[PATH_MAX];
    char credentials[PATH_MAX + 16];
    char token_key[PATH_MAX + 16];
    char session_key[PATH_MAX + 16];
} program_state_t;

// Takes a secret out of the environment, so that no child has it.
static char *
take_variable(const char *name)
{
    char *value = getenv(name);
    char *copy = value && *value ? strdup(value) : NULL;

    if (value)
        sodium_memzero(value, strlen(value));
    unsetenv(name);
    return copy;
}

static void
drop_secret(char **text_p)
{
    if (*text_p)
        sodium_memzero(*text_p, strlen(*text_p));
    free(*text_p);
    *text_p = NULL;
}

static void
read_environment(program_state_t *self)
{
    const char *url = getenv("PROOFARC_URL");

    self->username = take_variable("PROOFARC_USERNAME");
    self->password = take_variable("PROOFARC_PASSWORD");
    self->token = take_variable("PROOFARC_TOKEN");
    if (url && *url)
        setenv("PROOFARC_PLATFORM", url, 0);
}

static const char *
text(const program_state_t *self, const char *name)
{
    return settings_text(self->settings, name);
}

// ---- checks before anything starts

static exit_code_t
check_http_flags(const program_state_t *self)
{
    bool is_bearer = !strcmp(text(self, "auth"), "bearer");

    if (!is_bearer && !server_is_loopback(text(self, "listen")))
        return (exit_code_t) actor_refuse(&program, EXIT_USAGE,
                                          "--auth none serves anyone who can connect, so it "
                                          "needs a loopback --listen, not %s.",
                                          text(self, "listen"));
    if (is_bearer && !self->is_local && !text(self, "token-key") && !text(self, "platform"))
        return (exit_code_t) actor_refuse(
            &program, EXIT_USAGE,
            "Tokens cannot be checked: give --token-key FILE or --platform URL.");
    return EXIT_DONE;
}

static exit_code_t
check_flags(const program_state_t *self)
{
    if (settings_count(self->settings, "allow-origin") > ORIGINS_MAX)
        return (exit_code_t) actor_refuse(&program, EXIT_USAGE,
                                          "--allow-origin can be given %d times.", ORIGINS_MAX);
    if (text(self, "platform") && strncmp(text(self, "platform"), "http://", 7) != 0
        && strncmp(text(self, "platform"), "https://", 8) != 0)
        return (exit_code_t) actor_refuse(
            &program, EXIT_USAGE, "--platform takes an http:// or https:// URL, not %s.",
            text(self, "platform"));
    if (!text(self, "tls-cert") != !text(self, "tls-key"))
        return (exit_code_t) actor_refuse(&program, EXIT_USAGE,
                                          "--tls-cert and --tls-key go together.");
    return self->is_http ? check_http_flags(self) : EXIT_DONE;
}

static exit_code_t
find_stack(program_state_t *self)
{
    failure_t why;
    exit_code_t code =
        stack_data_dir(text(self, "data-dir"), text(self, "platform"), self->data_dir, &why);

    if (!code)
        code = stack_find_launcher(self->launcher, &why);
    if (code)
        return (exit_code_t) actor_refuse(&program, code, "%s.", why.text);
    snprintf(self->credentials, sizeof self->credentials, "%s/credentials", self->data_dir);
    snprintf(self->token_key, sizeof self->token_key, "%s/token.key", self->data_dir);
    snprintf(self->session_key, sizeof self->session_key, "%s/session.key", self->data_dir);
    return EXIT_DONE;
}

static exit_code_t
load_session_key(const program_state_t *self, unsigned char key[KEY_SIZE], failure_t *why)
{
    const char *given = text(self, "session-key");

    if (given)
        return keyfile_load(given, false, key, why);
    if (self->is_http && self->is_local)
        return keyfile_load(self->session_key, true, key, why);
    randombytes_buf(key, KEY_SIZE);
    return EXIT_DONE;
}

// A foreign platform's tokens can be checked by nobody but that platform.
static const char *
token_key_file(const program_state_t *self)
{
    const char *given = text(self, "token-key");

    if (given)
        return given;
    return self->is_local && !text(self, "platform") ? self->token_key : NULL;
}

static exit_code_t
make_service(program_state_t *self, failure_t *why)
{
    service_options_t options = {
        .profile = text(self, "profile"),
        .bound = {
            .categories = text(self, "categories"),
            .tools = text(self, "tools"),
            .exclude = text(self, "exclude"),
            .is_read_only = settings_switch(self->settings, "read-only"),
        },
        .elicits = !strcmp(text(self, "narrow"), "elicit"),
        .logs_in = !self->is_http || !strcmp(text(self, "auth"), "none"),
        .is_local = self->is_local,
        .access = {
            .token_key = token_key_file(self),
            .platform = text(self, "platform"),
            .credentials = self->is_local ? self->credentials : NULL,
            .username = self->username,
            .password = self->password,
            .token = self->token,
        },
    };
    exit_code_t code = load_session_key(self, options.session_key, why);

    if (code)
        return code;
    self->service = service_new(actor_loop(self->actor), self->curve, &options);
    sodium_memzero(options.session_key, KEY_SIZE);
    return text(self, "token-key") ? access_load_key(self->service->access, why) : EXIT_DONE;
}

// ---- brokers and stack

static void
on_broker(void *owner, const char *endpoint)
{
    program_state_t *self = owner;
    failure_t why;

    if (link_connect(self->service->link, endpoint, &why))
        log_error("broker-refused", "%s", why.text);
}

static void
on_platform(void *owner, const char *url)
{
    program_state_t *self = owner;

    service_set_trouble(self->service, NULL);
    access_set_platform(self->service->access, url);
}

// A stack that is started again has its platform at another address.
static void
on_stack_lost(void *owner)
{
    program_state_t *self = owner;

    if (!text(self, "platform"))
        access_set_platform(self->service->access, NULL);
}

static void
on_stack_failed(void *owner, const char *reason)
{
    program_state_t *self = owner;

    log_error("stack-failed", "%s", reason);
    service_set_trouble(self->service, reason);
}

static const stack_ops_t stack_ops = { on_broker, on_platform, on_stack_lost, on_stack_failed };

// Without any broker there is nothing to serve: whoever started us may know better.
static int
on_no_broker(zloop_t *loop, int timer, void *arg)
{
    program_state_t *self = arg;

    if (link_was_up(self->service->link))
        return 0;
    failure_t why;
    fail(&why, BACKEND, "No broker answers at %s; start one, or give the right --broker.",
         settings_nth(self->settings, "broker", 0));
    log_error("no-broker", "%s", why.text);
    service_set_trouble(self->service, why.text);
    service_give_up(self->service);
    actor_stop(self->actor, EXIT_NO_BROKER);
    return 0;
}

static exit_code_t
connect_brokers(program_state_t *self, failure_t *why)
{
    for (size_t i = 0; i < settings_count(self->settings, "broker"); i++) {
        exit_code_t code =
            link_connect(self->service->link, settings_nth(self->settings, "broker", i), why);
        if (code)
            return code;
    }
    if (self->is_local)
        self->stack = stack_new(actor_loop(self->actor), self->data_dir, self->launcher,
                                text(self, "platform"), &stack_ops, self);
    else
        zloop_timer(actor_loop(self->actor), CATALOGUE_MS, 1, on_no_broker, self);
    return EXIT_DONE;
}

// ---- the transport

static void
on_over(void *arg)
{
    program_state_t *self = arg;

    actor_stop(self->actor, EXIT_DONE);
}

static void
on_drain(void *arg)
{
    program_state_t *self = arg;

    if (self->lines)
        lines_drain(self->lines);
    if (self->server)
        server_drain(self->server);
}

static exit_code_t
start_transport(program_state_t *self, failure_t *why)
{
    const server_options_t options = {
        .listen = text(self, "listen"),
        .tls_cert = text(self, "tls-cert"),
        .tls_key = text(self, "tls-key"),
        .origins = self->origins,
        .issuer = text(self, "authorization-server"),
        .origins_count = settings_count(self->settings, "allow-origin"),
    };

    for (size_t i = 0; i < options.origins_count; i++)
        self->origins[i] = settings_nth(self->settings, "allow-origin", i);
    if (!self->is_http) {
        self->lines = lines_new(actor_loop(self->actor), self->service, STDIN_FILENO,
                                STDOUT_FILENO, on_over, self);
        return EXIT_DONE;
    }
    return server_new(actor_loop(self->actor), self->service, &options, on_over, self,
                      &self->server, why);
}

static exit_code_t
start(program_state_t *self, failure_t *why)
{
    self->curve = curve_new(text(self, "curve-dir"), false, why);
    if (!self->curve)
        return EXIT_KEY;
    exit_code_t code = make_service(self, why);
    if (!code)
        code = start_transport(self, why);
    if (!code)
        code = connect_brokers(self, why);
    return code;
}

static void
clear(program_state_t *self)
{
    server_destroy(&self->server);
    lines_destroy(&self->lines);
    stack_destroy(&self->stack);
    service_destroy(&self->service);
    curve_destroy(&self->curve);
    actor_destroy(&self->actor);
    drop_secret(&self->username);
    drop_secret(&self->password);
    drop_secret(&self->token);
    settings_destroy(&self->settings);
}

int
main(int argc, char **argv)
{
    AUTO(clear) program_state_t self = { 0 };
    failure_t why = { 0 };

    read_environment(&self);
    self.settings = settings_parse(&program, argc, argv);
    self.is_http = !strcmp(text(&self, "transport"), "http");
    self.is_local = !settings_count(self.settings, "broker");
    exit_code_t code = check_flags(&self);
    if (!code && self.is_local)
        code = find_stack(&self);
    if (code)
        return (int) code;
    self.actor = actor_new(self.settings);
    code = start(&self, &why);
    if (code)
        return actor_refuse(&program, code, "%s.", why.text);
    actor_on_drain(self.actor, on_drain, &self);
    actor_ready(self.actor, self.is_http ? server_address(self.server) : "stdio");
    return actor_run(self.actor);
}
