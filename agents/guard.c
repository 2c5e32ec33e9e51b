// SPDX-License-Identifier: Apache-2.0
#include "guard.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"

typedef struct {
    uint32_t network;
    unsigned bits;
    guard_t class;
} range4_t;

// IANA special-purpose registry for IPv4; the first row that holds the address counts.
// clang-format off
static const range4_t ranges4[] = {
    { 0xa9fea9fe, 32, GUARD_FORBIDDEN },  // 169.254.169.254: metadata of clouds
    { 0xa9feaa00, 24, GUARD_FORBIDDEN },  // 169.254.170/24: credentials of containers
    { 0x646464c8, 32, GUARD_FORBIDDEN },  // 100.100.100.200: metadata of a cloud
    { 0xa83f8110, 32, GUARD_FORBIDDEN },  // 168.63.129.16: the same, at a public address
    { 0x00000000,  8, GUARD_FORBIDDEN },  // "this" network; 0.0.0.0 would reach ourselves
    { 0x0a000000,  8, GUARD_PRIVATE },    // 10/8
    { 0x64400000, 10, GUARD_PRIVATE },    // 100.64/10: carrier-grade NAT
    { 0x7f000000,  8, GUARD_PRIVATE },    // loopback
    { 0xa9fe0000, 16, GUARD_PRIVATE },    // link-local
    { 0xac100000, 12, GUARD_PRIVATE },    // 172.16/12
    { 0xc0000000, 24, GUARD_FORBIDDEN },  // protocol assignments
    { 0xc0000200, 24, GUARD_FORBIDDEN },  // documentation
    { 0xc0a80000, 16, GUARD_PRIVATE },    // 192.168/16
    { 0xc6120000, 15, GUARD_PRIVATE },    // benchmarking
    { 0xc6336400, 24, GUARD_FORBIDDEN },  // documentation
    { 0xcb007100, 24, GUARD_FORBIDDEN },  // documentation
    { 0xe0000000,  4, GUARD_FORBIDDEN },  // multicast
    { 0xf0000000,  4, GUARD_FORBIDDEN },  // reserved, broadcast
};

typedef struct {
    unsigned char prefix[16];
    unsigned bits;
    guard_t class;
    unsigned embeds;
} range6_t;

// The same for IPv6. Rows with `embeds` carry an IPv4 address at that byte, which is judged instead.
static const range6_t ranges6[] = {
    { { [10] = 0xff, 0xff },              96, GUARD_OPEN,      .embeds = 12 },  // ::ffff:0:0/96 mapped
    { { 0x00, 0x64, 0xff, 0x9b },         96, GUARD_OPEN,      .embeds = 12 },  // 64:ff9b::/96 NAT64
    { { 0x20, 0x02 },                     16, GUARD_OPEN,      .embeds = 2 },   // 2002::/16 6to4
    { { [15] = 1 },                      128, GUARD_PRIVATE },                  // ::1
    { { 0 },                             128, GUARD_FORBIDDEN },                // ::
    { { 0 },                              96, GUARD_OPEN,      .embeds = 12 },  // ::/96 compatible
    { { 0x00, 0x64, 0xff, 0x9b, 0, 1 },   48, GUARD_PRIVATE },                  // local NAT64
    { { 0xfd, 0, 0x0e, 0xc2, [14] = 2, 0x54 }, 128, GUARD_FORBIDDEN },          // metadata of clouds
    { { 0xfc },                            7, GUARD_PRIVATE },                  // unique local
    { { 0xfe, 0x80 },                     10, GUARD_PRIVATE },                  // link-local
    { { 0x20, 0x01, 0x0d, 0xb8 },         32, GUARD_FORBIDDEN },                // documentation
    { { 0x20, 0x01, 0 },                  32, GUARD_FORBIDDEN },                // Teredo
    { { 0xff },                            8, GUARD_FORBIDDEN },                // multicast
    { { 0x20 },                            3, GUARD_OPEN },                     // 2000::/3 global
};
// clang-format on

static bool
in_range4(uint32_t address, const range4_t *range)
{
    return (address ^ range->network) >> (32 - range->bits) == 0;
}

static guard_t
classify4(uint32_t address)
{
    for (size_t i = 0; i < ROWS(ranges4); i++)
        if (in_range4(address, &ranges4[i]))
            return ranges4[i].class;
    return GUARD_OPEN;
}

static bool
in_range6(const unsigned char address[16], const range6_t *range)
{
    unsigned whole = range->bits / 8, rest = range->bits % 8;

    if (memcmp(address, range->prefix, whole) != 0)
        return false;
    return !rest || ((address[whole] ^ range->prefix[whole]) >> (8 - rest)) == 0;
}

static guard_t
classify6(const unsigned char address[16])
{
    for (size_t i = 0; i < ROWS(ranges6); i++) {
        const range6_t *range = &ranges6[i];
        if (!in_range6(address, range))
            continue;
        if (!range->embeds)
            return range->class;
        const unsigned char *four = address + range->embeds;
        return classify4((uint32_t) four[0] << 24 | (uint32_t) four[1] << 16
                         | (uint32_t) four[2] << 8 | four[3]);
    }
    return GUARD_FORBIDDEN;  // what no registry hands out
}

guard_t
guard_classify(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *four = (const struct sockaddr_in *) (const void *) address;
        return classify4(ntohl(four->sin_addr.s_addr));
    }
    if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *) (const void *) address;
        return classify6(six->sin6_addr.s6_addr);
    }
    return GUARD_FORBIDDEN;
}

bool
guard_allows(const struct sockaddr *address, bool allow_private)
{
    guard_t class = guard_classify(address);

    return class == GUARD_OPEN || (class == GUARD_PRIVATE && allow_private);
}
