// SPDX-License-Identifier: Apache-2.0
// Which addresses an agent may connect to. Judged by the address at the moment of connecting,
// not by the text of a URL, so that names, odd spellings and redirects make no difference.

#ifndef PROOFARC_GUARD_H
#define PROOFARC_GUARD_H

#include <stdbool.h>
#include <sys/socket.h>

typedef enum {
    GUARD_OPEN,       // public unicast
    GUARD_PRIVATE,    // loopback, private, link-local, carrier-grade NAT, unique local
    GUARD_FORBIDDEN,  // metadata services, multicast, unspecified, reserved: never
} guard_t;

// Class of an IPv4 or IPv6 address; forms of IPv6 that carry an IPv4 address are judged by
// that one. Other families are forbidden.
guard_t guard_classify(const struct sockaddr *address);

// Whether a connection is allowed; `allow_private` is what the environment says.
bool guard_allows(const struct sockaddr *address, bool allow_private);

#endif
