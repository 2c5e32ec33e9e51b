// SPDX-License-Identifier: Apache-2.0
// bench-http FILE: libmicrohttpd and nothing else. Takes any request and answers with the bytes
// of FILE, in the arrangement our own servers use: external epoll, one loop, no thread.
#include <arpa/inet.h>
#include <microhttpd.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    BODY_MAX = 1024 * 1024,
    LIFE_S = 15 * 60,  // a forgotten server ends by itself
    CONNECTION_MEMORY = 32 * 1024,
    CONNECTIONS_MAX = 4096,
};

static volatile sig_atomic_t is_over;

static void
on_signal(int number)
{
    is_over = 1;
}

static enum MHD_Result
on_request(void *arg, struct MHD_Connection *connection, const char *url, const char *method,
           const char *version, const char *data, size_t *size_p, void **request_p)
{
    static int seen;

    if (!*request_p) {
        *request_p = &seen;
        return MHD_YES;
    }
    if (*size_p) {
        *size_p = 0;
        return MHD_YES;
    }
    return MHD_queue_response(connection, MHD_HTTP_OK, arg);
}

static struct MHD_Response *
response_of(const char *path)
{
    static char bytes[BODY_MAX];
    FILE *file = fopen(path, "r");

    if (!file)
        return NULL;
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_PERSISTENT);
    MHD_add_response_header(response, "Content-Type", "application/json");
    return response;
}

static void
serve(struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    struct pollfd item = { .fd = info->epoll_fd, .events = POLLIN };

    while (!is_over) {
        MHD_UNSIGNED_LONG_LONG wait_ms = 1000;
        if (MHD_get_timeout(daemon, &wait_ms) != MHD_YES || wait_ms > 1000)
            wait_ms = 1000;
        poll(&item, 1, (int) wait_ms);
        MHD_run(daemon);
    }
}

int
main(int argc, char **argv)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct MHD_Response *response = argc == 2 ? response_of(argv[1]) : NULL;

    if (!response) {
        fprintf(stderr, "usage: bench-http FILE\n");
        return 2;
    }
    signal(SIGTERM, on_signal);
    signal(SIGINT, on_signal);
    signal(SIGALRM, on_signal);
    alarm(LIFE_S);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL, 0, NULL, NULL, on_request, response,  //
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *) &address,  //
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) CONNECTION_MEMORY,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned) CONNECTIONS_MAX, MHD_OPTION_END);
    if (!daemon)
        return 3;
    printf("ready %u\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    serve(daemon);
    MHD_stop_daemon(daemon);
    MHD_destroy_response(response);
    return 0;
}
