// SPDX-License-Identifier: Apache-2.0
#include "httpd_address.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auto.h"

enum { BACKLOG = 1024 };

typedef struct {
    char host[256];
    char port[6];
} place_t;

static void
list_destroy(struct addrinfo **list_p)
{
    if (*list_p)
        freeaddrinfo(*list_p);
    *list_p = NULL;
}

static bool
is_port(const char *text)
{
    size_t length = strlen(text);

    return length > 0 && length <= 5 && strspn(text, "0123456789") == length
           && strtol(text, NULL, 10) <= 65535;
}

// Takes "HOST:PORT" apart; false if it is none.
static bool
split(const char *text, place_t *place)
{
    bool in_brackets = *text == '[';
    const char *host = text + in_brackets;
    const char *end = in_brackets ? strchr(host, ']') : strchr(host, ':');

    if (!end || end == host || (size_t) (end - host) >= sizeof place->host)
        return false;
    const char *colon = end + in_brackets;
    if (*colon != ':' || !is_port(colon + 1))
        return false;
    snprintf(place->host, sizeof place->host, "%.*s", (int) (end - host), host);
    snprintf(place->port, sizeof place->port, "%s", colon + 1);
    return true;
}

// A listening socket, or -1 and errno.
static int
listen_at_one(const struct addrinfo *one)
{
    int fd = socket(one->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int on = 1;

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, one->ai_addr, one->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static void
write_address(int fd, char address[HTTPD_ADDRESS_SIZE])
{
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    char host[HTTPD_ADDRESS_SIZE - 16];
    char port[6];

    address[0] = '\0';
    if (getsockname(fd, (struct sockaddr *) &bound, &size) != 0
        || getnameinfo((struct sockaddr *) &bound, size, host, sizeof host, port, sizeof port,
                       NI_NUMERICHOST | NI_NUMERICSERV)
               != 0)
        return;
    snprintf(address, HTTPD_ADDRESS_SIZE, bound.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s",
             host, port);
}

exit_code_t
httpd_address_listen(const char *listen_at, int *fd_p, char address[HTTPD_ADDRESS_SIZE],
                     failure_t *why)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                                    .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
    AUTO(list_destroy) struct addrinfo *list = NULL;
    place_t place;
    int fd = -1;

    if (!split(listen_at, &place)) {
        fail(why, BAD_ARGS, "\"%.200s\" is no address; write HOST:PORT or [IPV6]:PORT",
             listen_at);
        return EXIT_USAGE;
    }
    int code = getaddrinfo(place.host, place.port, &hints, &list);
    if (code != 0) {
        fail(why, BAD_ARGS, "the host of %.200s is not known: %s", listen_at,
             gai_strerror(code));
        return EXIT_ADDRESS;
    }
    for (const struct addrinfo *one = list; one && fd < 0; one = one->ai_next)
        fd = listen_at_one(one);
    if (fd < 0) {
        if (errno == EADDRINUSE)
            fail(why, CONFLICT,
                 "%.200s is taken by another program; stop that or listen at another port",
                 listen_at);
        else
            fail(why, CONFLICT, "cannot listen at %.200s: %s", listen_at, strerror(errno));
        return EXIT_ADDRESS;
    }
    write_address(fd, address);
    *fd_p = fd;
    return EXIT_DONE;
}

void
httpd_address_host(const struct sockaddr *address, char text[HTTPD_ADDRESS_SIZE])
{
    socklen_t size = address && address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                                               : sizeof(struct sockaddr_in);

    if (!address
        || getnameinfo(address, size, text, HTTPD_ADDRESS_SIZE, NULL, 0, NI_NUMERICHOST) != 0)
        text[0] = '\0';
}
