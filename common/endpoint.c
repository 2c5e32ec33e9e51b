// SPDX-License-Identifier: Apache-2.0
#include "endpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sodium.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auto.h"
#include "limits.h"

enum {
    IPC_PATH_MAX = 107,  // of sockaddr_un, less the NUL
    HIGH_WATER = 4096,   // messages per pipe, above every credit
    HANDSHAKE_MS = 3000,
    LOCAL_RECONNECT_MS = 10,  // ipc: whoever binds is being started beside us
    LOCAL_RECONNECT_MAX_MS = 100,
    RECONNECT_MS = 100,
    RECONNECT_MAX_MS = 2000,
    CONNECT_MS = 2000,  // then another try: one that a cut link has swallowed is not waited for
    STRANGER_MS = 500,  // how long the stranger of the self-test waits to be let in
};

struct curve {
    zcert_t *own;         // NULL: only ipc://
    char server_key[41];  // public key of the server, for clients
    zactor_t *auth;       // servers only
};

void
endpoint_random_name(char name[ENDPOINT_NAME_SIZE])
{
    unsigned char random[ENDPOINT_NAME_SIZE / 2];

    randombytes_buf(random, sizeof random);
    sodium_bin2hex(name, ENDPOINT_NAME_SIZE, random, sizeof random);
}

static status_t
load(const char *dir, const char *name, bool is_secret, zcert_t **cert_p, failure_t *why)
{
    char path[4096];
    struct stat info;

    snprintf(path, sizeof path, "%s/%s%s", dir, name, is_secret ? "_secret" : "");
    if (stat(path, &info))
        return fail(why, NOT_FOUND, "%s: %s", path, strerror(errno));
    if (is_secret && info.st_mode & 077)
        return fail(why, DENIED, "%s can be read by others; chmod 600 it", path);
    snprintf(path, sizeof path, "%s/%s", dir, name);
    *cert_p = zcert_load(path);
    return *cert_p ? OK : fail(why, BAD_ARGS, "%s is no CURVE certificate", path);
}

static zactor_t *
start_gate(const char *dir)
{
    char clients[4096];
    zactor_t *auth = zactor_new(zauth, NULL);

    snprintf(clients, sizeof clients, "%s/clients", dir);
    zstr_sendx(auth, "CURVE", clients, NULL);
    zsock_wait(auth);
    return auth;
}

curve_t *
curve_new(const char *dir, bool as_server, failure_t *why)
{
    AUTO(curve_destroy) curve_t *self = calloc(1, sizeof *self);
    AUTO(zcert_destroy) zcert_t *server = NULL;

    assert(self);
    if (dir) {
        if (load(dir, as_server ? "server.key" : "client.key", true, &self->own, why)
            || load(dir, "server.key", false, &server, why))
            return NULL;
        snprintf(self->server_key, sizeof self->server_key, "%s", zcert_public_txt(server));
        if (as_server)
            self->auth = start_gate(dir);
    }
    curve_t *result = self;
    self = NULL;
    return result;
}

void
curve_destroy(curve_t **self_p)
{
    if (!*self_p)
        return;
    zactor_destroy(&(*self_p)->auth);
    zcert_destroy(&(*self_p)->own);
    free(*self_p);
    *self_p = NULL;
}

void
endpoint_prepare(zsock_t *socket)
{
    zsock_set_maxmsgsize(socket, MESSAGE_MAX + MIB);
    zsock_set_linger(socket, 1000);
    zsock_set_sndhwm(socket, HIGH_WATER);
    zsock_set_rcvhwm(socket, HIGH_WATER);
    zsock_set_immediate(socket, 1);
    zsock_set_handshake_ivl(socket, HANDSHAKE_MS);
    if (zsock_type(socket) == ZMQ_ROUTER)
        zsock_set_router_mandatory(socket, 1);
}

// A machine that is gone, or a cable that is pulled, ends a connection for nobody: without this
// both sides would keep it for as long as TCP tries, and be slow to come back.
static void
notice_silence(zsock_t *socket)
{
    zsock_set_heartbeat_ivl(socket, BEAT_MS);
    zsock_set_heartbeat_timeout(socket, SILENT_MS);
    zsock_set_connect_timeout(socket, CONNECT_MS);
}

static bool
is_tcp(const char *endpoint)
{
    return !strncmp(endpoint, "tcp://", 6);
}

static bool
is_ipc(const char *endpoint)
{
    return !strncmp(endpoint, "ipc:///", 7);
}

static exit_code_t
check(const char *endpoint, const curve_t *curve, failure_t *why)
{
    if (is_tcp(endpoint) && !curve->own) {
        fail(why, DENIED, "%s needs CURVE keys: give --curve-dir", endpoint);
        return EXIT_CURVE;
    }
    if (!is_tcp(endpoint) && !is_ipc(endpoint)) {
        fail(why, BAD_ARGS, "%s is neither ipc:///PATH nor tcp://HOST:PORT", endpoint);
        return EXIT_USAGE;
    }
    if (is_ipc(endpoint) && strlen(endpoint + 6) > IPC_PATH_MAX) {
        fail(why, BAD_ARGS, "%s is longer than the %d bytes of a socket's path", endpoint,
             IPC_PATH_MAX);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

// The directory of an ipc endpoint must be ours alone: whoever can write there gets our messages.
static exit_code_t
check_directory(const char *path, failure_t *why)
{
    char copy[IPC_PATH_MAX + 1];
    struct stat info;

    snprintf(copy, sizeof copy, "%s", path);
    const char *dir = dirname(copy);
    if (mkdir(dir, 0700) && errno != EEXIST) {
        fail(why, DENIED, "%s: %s", dir, strerror(errno));
        return EXIT_ADDRESS;
    }
    if (stat(dir, &info) || !S_ISDIR(info.st_mode) || info.st_uid != geteuid()
        || info.st_mode & 077) {
        fail(why, DENIED, "%s must be a directory of ours with mode 0700", dir);
        return EXIT_ADDRESS;
    }
    return EXIT_DONE;
}

// The lock lives as long as the process: a second bind on the path would take its traffic.
static exit_code_t
lock_path(const char *path, failure_t *why)
{
    char name[IPC_PATH_MAX + 8];

    snprintf(name, sizeof name, "%s.lock", path);
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        fail(why, DENIED, "%s: %s", name, strerror(errno));
        return EXIT_ADDRESS;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return EXIT_DONE;
    fail(why, CONFLICT, "another process serves %s", path);
    close(fd);
    return EXIT_ADDRESS;
}

// Tries to come in with a key that nobody listed: a gate that lets it in is no gate.
static exit_code_t
test_gate(const char *endpoint, const curve_t *curve, failure_t *why)
{
    AUTO(zcert_destroy) zcert_t *stranger = zcert_new();
    AUTO(zsock_destroy) zsock_t *probe = zsock_new(ZMQ_DEALER);
    AUTO(zactor_destroy) zactor_t *monitor = zactor_new(zmonitor, probe);

    zstr_sendx(monitor, "LISTEN", "HANDSHAKE_SUCCEEDED", NULL);
    zstr_sendx(monitor, "START", NULL);
    zsock_wait(monitor);
    zsock_set_rcvtimeo(monitor, STRANGER_MS);
    zsock_set_linger(probe, 0);
    zcert_apply(stranger, probe);
    zsock_set_curve_serverkey(probe, curve->server_key);
    if (zsock_connect(probe, "%s", endpoint)) {
        fail(why, CONFLICT, "cannot try %s: %s", endpoint, zmq_strerror(zmq_errno()));
        return EXIT_ADDRESS;
    }
    AUTO(zmsg_destroy) zmsg_t *let_in = zmsg_recv(monitor);
    if (!let_in)
        return EXIT_DONE;
    fail(why, DENIED, "%s lets in a client with an unknown key", endpoint);
    return EXIT_CURVE;
}

exit_code_t
endpoint_bind(zsock_t *socket, const char *endpoint, curve_t *curve, failure_t *why)
{
    exit_code_t code = check(endpoint, curve, why);

    if (!code && is_ipc(endpoint)) {
        code = check_directory(endpoint + 6, why);
        if (!code)
            code = lock_path(endpoint + 6, why);
    }
    if (code)
        return code;
    if (is_tcp(endpoint)) {
        notice_silence(socket);
        zcert_apply(curve->own, socket);
        zsock_set_curve_server(socket, 1);
        zsock_set_zap_domain(socket, "proofarc");
        zsock_set_zap_enforce_domain(socket, 1);
    }
    mode_t mask = umask(077);
    int port = zsock_bind(socket, "%s", endpoint);
    umask(mask);
    if (port < 0) {
        fail(why, CONFLICT, "cannot bind %s: %s", endpoint, zmq_strerror(zmq_errno()));
        return EXIT_ADDRESS;
    }
    return is_tcp(endpoint) ? test_gate(zsock_endpoint(socket), curve, why) : EXIT_DONE;
}

exit_code_t
endpoint_connect(zsock_t *socket, const char *endpoint, curve_t *curve, failure_t *why)
{
    exit_code_t code = check(endpoint, curve, why);

    if (code)
        return code;
    zsock_set_reconnect_ivl(socket, is_ipc(endpoint) ? LOCAL_RECONNECT_MS : RECONNECT_MS);
    zsock_set_reconnect_ivl_max(socket,
                                is_ipc(endpoint) ? LOCAL_RECONNECT_MAX_MS : RECONNECT_MAX_MS);
    if (is_tcp(endpoint)) {
        notice_silence(socket);
        zcert_apply(curve->own, socket);
        zsock_set_curve_serverkey(socket, curve->server_key);
    }
    if (zsock_connect(socket, "%s", endpoint)) {
        fail(why, BAD_ARGS, "cannot connect %s: %s", endpoint, zmq_strerror(zmq_errno()));
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}
