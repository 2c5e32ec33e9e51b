// SPDX-License-Identifier: Apache-2.0
#include "stack.h"

#include <errno.h>
#include <libgen.h>
#include <pwd.h>
#include <signal.h>
#include <sodium.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "auto.h"
#include "buffer.h"
#include "clock.h"
#include "json.h"
#include "limits.h"
#include "log.h"
#include "settings.h"

enum {
    CONNECT_EVERY_MS = 10,
    PAUSE_FIRST_MS = 250,  // between two starts of a launcher that fails; doubles
    PAUSE_MAX_MS = 10 * 1000,
    LINE_LIMIT = 4 * KIB,
    ENVIRONMENT_MAX = 1024,
};

struct stack {
    zloop_t *loop;
    char *data_dir;
    char *launcher;
    char *platform;
    const stack_ops_t *ops;
    void *owner;
    struct sockaddr_un address;
    int fd;            // -1 while not connected
    int timer;         // -1 while connected
    pid_t child;       // a launcher of ours that runs, or 0
    int64_t start_ms;  // no launcher is started before
    int64_t pause_ms;
    bool has_told_why;  // the launcher said itself why it gives up
    buffer_t input;
};

// What is ours alone: the programs of the stack outlive us and serve others.
static const char *const kept_back[] = {
    "PROOFARC_PASSWORD=",    "PROOFARC_TOKEN=",     "PROOFARC_USERNAME=", "PROOFARC_READY_FD=",
    "PROOFARC_SESSION_KEY=", "PROOFARC_TOKEN_KEY=", "PROOFARC_LISTEN=",   "PROOFARC_CURVE_DIR=",
    "PROOFARC_TLS_CERT=",    "PROOFARC_TLS_KEY=",
};

// ---- the data directory

// Makes a directory and those above it.
static int
make_all(const char *path)
{
    char part[PATH_MAX];

    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(part, 0700) && errno != EEXIST)
            return -1;
        *slash = '/';
    }
    return mkdir(part, 0700) && errno != EEXIST ? -1 : 0;
}

static const char *
home(void)
{
    const char *path = getenv("HOME");

    if (path && *path == '/')
        return path;
    const struct passwd *user = getpwuid(geteuid());
    return user ? user->pw_dir : "/";
}

static int
write_base(const char *given, char path[PATH_MAX])
{
    const char *data_home = getenv("XDG_DATA_HOME");

    if (given && *given == '/')
        return snprintf(path, PATH_MAX, "%s", given);
    if (given) {
        char here[PATH_MAX];
        return getcwd(here, sizeof here) ? snprintf(path, PATH_MAX, "%s/%s", here, given) : -1;
    }
    if (data_home && *data_home == '/')
        return snprintf(path, PATH_MAX, "%s/proofarc", data_home);
    return snprintf(path, PATH_MAX, "%s/.local/share/proofarc", home());
}

// A remote platform has a stack of its own.
static int
add_platform(const char *platform, char path[PATH_MAX], int length)
{
    unsigned char hash[8];
    char name[2 * sizeof hash + 1];

    crypto_generichash(hash, sizeof hash, (const unsigned char *) platform, strlen(platform),
                       NULL, 0);
    sodium_bin2hex(name, sizeof name, hash, sizeof hash);
    return length + snprintf(path + length, PATH_MAX - (size_t) length, "/stacks/%s", name);
}

static exit_code_t
check_ours(const char *path, failure_t *why)
{
    struct stat info;

    if (make_all(path) || stat(path, &info)) {
        fail(why, DENIED, "%s: %s; give another --data-dir", path, strerror(errno));
        return EXIT_DATA_DIR;
    }
    if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() || info.st_mode & 077) {
        fail(why, DENIED, "%s has to be a directory of ours with mode 0700", path);
        return EXIT_DATA_DIR;
    }
    return EXIT_DONE;
}

exit_code_t
stack_data_dir(const char *given, const char *platform, char path[PATH_MAX], failure_t *why)
{
    struct sockaddr_un address;
    int length = write_base(given, path);

    if (length < 0 || length >= PATH_MAX) {
        fail(why, BAD_ARGS, "the path of the data directory is too long");
        return EXIT_DATA_DIR;
    }
    exit_code_t code = check_ours(path, why);
    if (code)
        return code;
    if (platform)
        length = add_platform(platform, path, length);
    if ((size_t) length + sizeof "/run/transports.sock" > sizeof address.sun_path) {
        fail(why, BAD_ARGS, "%s is too long a path for sockets; give another --data-dir", path);
        return EXIT_DATA_DIR;
    }
    return check_ours(path, why);
}

exit_code_t
stack_find_launcher(char path[PATH_MAX], failure_t *why)
{
    static const char *const places[] = { "", "/../libexec/proofarc" };
    char self[PATH_MAX] = "";

    if (readlink("/proc/self/exe", self, sizeof self - 1) > 0) {
        const char *beside = dirname(self);
        for (size_t i = 0; i < ROWS(places); i++) {
            int length = snprintf(path, PATH_MAX, "%s%s/proofarc-launcher", beside, places[i]);
            if (length < PATH_MAX && !access(path, X_OK))
                return EXIT_DONE;
        }
    }
    fail(why, NOT_FOUND,
         "proofarc-launcher is neither beside this program nor in "
         "../libexec/proofarc; give --broker, or install it whole");
    return EXIT_BROKEN;
}

// ---- starting it

static bool
is_kept_back(const char *variable)
{
    for (size_t i = 0; i < ROWS(kept_back); i++)
        if (!strncmp(variable, kept_back[i], strlen(kept_back[i])))
            return true;
    return false;
}

static void
filter_environment(char *filtered[ENVIRONMENT_MAX])
{
    size_t count = 0;

    for (char **variable = environ; *variable && count < ENVIRONMENT_MAX - 1; variable++)
        if (!is_kept_back(*variable))
            filtered[count++] = *variable;
    filtered[count] = NULL;
}

// Its own session, so that a signal to our terminal does not end what others use; nothing of
// our stdin and stdout.
static int
spawn(stack_lease_t *self, char *const *arguments, char *const *environment)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK
                                              | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    int rc = posix_spawn(&self->child, self->launcher, &actions, &attributes, arguments,
                         environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return rc;
}

static void
start_launcher(stack_lease_t *self)
{
    char *environment[ENVIRONMENT_MAX];
    char *arguments[] = {
        self->launcher, "--data-dir", self->data_dir, self->platform ? "--platform" : NULL,
        self->platform, NULL,
    };

    filter_environment(environment);
    self->has_told_why = false;
    int rc = spawn(self, arguments, environment);
    if (rc) {
        self->child = 0;
        log_error("stack-not-started", "%s: %s", self->launcher, strerror(rc));
    } else {
        log_info("stack-started", "%s", self->data_dir);
    }
    self->start_ms = clock_now_ms() + self->pause_ms;
    self->pause_ms = 2 * self->pause_ms < PAUSE_MAX_MS ? 2 * self->pause_ms : PAUSE_MAX_MS;
}

// One that ends at once was not needed (another client's came first) or cannot start.
static void
collect_child(stack_lease_t *self)
{
    int status;
    failure_t why;

    if (!self->child || waitpid(self->child, &status, WNOHANG) != self->child)
        return;
    self->child = 0;
    if (!WIFEXITED(status) || !WEXITSTATUS(status) || WEXITSTATUS(status) == EXIT_ADDRESS)
        return;
    fail(&why, BACKEND, "The local stack ended with code %d; %s/stack.log says why.",
         WEXITSTATUS(status), self->data_dir);
    log_error("stack-ended", "%s", why.text);
    if (!self->has_told_why)
        self->ops->failed(self->owner, why.text);
}

// ---- the lease

static int on_retry(zloop_t *loop, int timer, void *arg);

static void
disconnect(stack_lease_t *self)
{
    zmq_pollitem_t item = { .fd = self->fd, .events = ZMQ_POLLIN };

    zloop_poller_end(self->loop, &item);
    close(self->fd);
    self->fd = -1;
    buffer_clear(&self->input);
}

static void
lose(stack_lease_t *self)
{
    log_info("stack-lost", "%s", self->data_dir);
    disconnect(self);
    self->timer = zloop_timer(self->loop, CONNECT_EVERY_MS, 0, on_retry, self);
    self->ops->lost(self->owner);
}

// An older stack that nobody uses makes room; one that is in use serves us as well.
static void
ask_to_drain(const stack_lease_t *self, const char *version)
{
    char line[64];

    if (!version || strverscmp(version, proofarc_version()) >= 0)
        return;
    int length = snprintf(line, sizeof line, "{\"drain\":\"%s\"}\n", proofarc_version());
    if (send(self->fd, line, (size_t) length, MSG_DONTWAIT | MSG_NOSIGNAL) < length)
        log_warning("stack-older", "version %s stays in use", version);
}

static void
take_line(stack_lease_t *self, const char *line)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const json_t *said = json_parse_text(arena, line);
    const char *broker = json_get_text(said, "broker");
    const char *platform = json_get_text(said, "platform");
    const char *error = json_get_text(said, "error");

    ask_to_drain(self, json_get_text(said, "version"));
    if (broker)
        self->ops->broker(self->owner, broker);
    if (platform) {
        self->pause_ms = PAUSE_FIRST_MS;
        self->ops->platform(self->owner, platform);
    }
    if (error) {
        self->has_told_why = true;
        self->ops->failed(self->owner, error);
    }
}

static void
take_lines(stack_lease_t *self)
{
    char *begin = self->input.bytes;

    for (char *end; (end = strchr(begin, '\n')); begin = end + 1) {
        *end = '\0';
        take_line(self, begin);
    }
    size_t left = self->input.size - (size_t) (begin - self->input.bytes);
    memmove(self->input.bytes, begin, left + 1);
    self->input.size = left;
}

static int
on_readable(zloop_t *loop, zmq_pollitem_t *item, void *arg)
{
    stack_lease_t *self = arg;
    char chunk[KIB];
    ssize_t size = recv(self->fd, chunk, sizeof chunk, MSG_DONTWAIT);

    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (size <= 0 || self->input.size > LINE_LIMIT) {
        lose(self);
        return 0;
    }
    buffer_add(&self->input, chunk, (size_t) size);
    take_lines(self);
    return 0;
}

static bool
connect_now(stack_lease_t *self)
{
    zmq_pollitem_t item = { .events = ZMQ_POLLIN };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return false;
    if (connect(fd, (struct sockaddr *) &self->address, sizeof self->address)) {
        close(fd);
        return false;
    }
    self->fd = item.fd = fd;
    zloop_poller(self->loop, &item, on_readable, self);
    zloop_poller_set_tolerant(self->loop, &item);
    return true;
}

static int
on_retry(zloop_t *loop, int timer, void *arg)
{
    stack_lease_t *self = arg;

    collect_child(self);
    // A late loop fires a timer several times before it takes an ended one away.
    if (self->fd >= 0 || connect_now(self)) {
        zloop_timer_end(loop, timer);
        self->timer = -1;
        return 0;
    }
    if (!self->child && clock_now_ms() >= self->start_ms)
        start_launcher(self);
    return 0;
}

stack_lease_t *
stack_new(zloop_t *loop, const char *data_dir, const char *launcher, const char *platform,
          const stack_ops_t *ops, void *owner)
{
    stack_lease_t *self = calloc(1, sizeof *self);

    assert(self);
    *self = (stack_lease_t){
        .loop = loop,
        .data_dir = strdup(data_dir),
        .launcher = strdup(launcher),
        .platform = platform ? strdup(platform) : NULL,
        .ops = ops,
        .owner = owner,
        .address = { .sun_family = AF_UNIX },
        .fd = -1,
        .pause_ms = PAUSE_FIRST_MS,
    };
    snprintf(self->address.sun_path, sizeof self->address.sun_path, "%s/stack.sock", data_dir);
    self->timer = zloop_timer(loop, CONNECT_EVERY_MS, 0, on_retry, self);
    on_retry(loop, self->timer, self);
    return self;
}

void
stack_destroy(stack_lease_t **self_p)
{
    stack_lease_t *self = *self_p;

    if (!self)
        return;
    if (self->fd >= 0)
        disconnect(self);
    if (self->timer >= 0)
        zloop_timer_end(self->loop, self->timer);
    free(self->data_dir);
    free(self->launcher);
    free(self->platform);
    free(self);
    *self_p = NULL;
}
