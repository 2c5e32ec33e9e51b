// SPDX-License-Identifier: Apache-2.0
// endpoint.h within one process: inproc:// alone, so that no thread of ZeroMQ's takes part and
// every run is the same.

#include "endpoint.h"

#include <sodium.h>

curve_t *
curve_new(const char *dir, bool as_server, failure_t *why)
{
    static char none;

    return (curve_t *) &none;
}

void
curve_destroy(curve_t **self_p)
{
    *self_p = NULL;
}

void
endpoint_prepare(zsock_t *socket)
{
    zsock_set_linger(socket, 0);
    if (zsock_type(socket) == ZMQ_ROUTER)
        zsock_set_router_mandatory(socket, 1);
}

exit_code_t
endpoint_bind(zsock_t *socket, const char *endpoint, curve_t *curve, failure_t *why)
{
    return zsock_bind(socket, "%s", endpoint) < 0 ? EXIT_ADDRESS : EXIT_DONE;
}

exit_code_t
endpoint_connect(zsock_t *socket, const char *endpoint, curve_t *curve, failure_t *why)
{
    return zsock_connect(socket, "%s", endpoint) ? EXIT_USAGE : EXIT_DONE;
}

void
endpoint_random_name(char name[ENDPOINT_NAME_SIZE])
{
    unsigned char random[ENDPOINT_NAME_SIZE / 2];

    randombytes_buf(random, sizeof random);
    sodium_bin2hex(name, ENDPOINT_NAME_SIZE, random, sizeof random);
}
