// SPDX-License-Identifier: Apache-2.0
// Where an HTTP server listens, for httpd*.c alone.

#ifndef PROOFARC_HTTPD_ADDRESS_H
#define PROOFARC_HTTPD_ADDRESS_H

#include <sys/socket.h>

#include "exits.h"
#include "status.h"

enum { HTTPD_ADDRESS_SIZE = 80 };

// Listens at "HOST:PORT" or "[IPV6]:PORT" with a socket that does not block. EXIT_DONE, *fd_p
// and the address with its real port; or EXIT_USAGE (malformed) or EXIT_ADDRESS (cannot bind)
// and `why`.
exit_code_t httpd_address_listen(const char *listen_at, int *fd_p,
                                 char address[HTTPD_ADDRESS_SIZE], failure_t *why);

// Writes the numeric host of an address, "" if it has none.
void httpd_address_host(const struct sockaddr *address, char text[HTTPD_ADDRESS_SIZE]);

#endif
