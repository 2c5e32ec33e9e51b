// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "auto.h"
#include "guard.h"

#include <cmocka.h>

// clang-format off
static const struct {
    const char *address;
    guard_t class;
} rows[] = {
    { "93.184.216.34",        GUARD_OPEN },
    { "127.0.0.1",            GUARD_PRIVATE },
    { "127.255.255.254",      GUARD_PRIVATE },
    { "128.0.0.1",            GUARD_OPEN },
    { "10.1.2.3",             GUARD_PRIVATE },
    { "11.0.0.1",             GUARD_OPEN },
    { "172.15.255.255",       GUARD_OPEN },
    { "172.16.0.1",           GUARD_PRIVATE },
    { "172.31.255.255",       GUARD_PRIVATE },
    { "172.32.0.1",           GUARD_OPEN },
    { "192.168.0.1",          GUARD_PRIVATE },
    { "100.64.0.1",           GUARD_PRIVATE },
    { "100.128.0.1",          GUARD_OPEN },
    { "169.254.1.1",          GUARD_PRIVATE },
    { "169.254.169.254",      GUARD_FORBIDDEN },
    { "169.254.170.2",        GUARD_FORBIDDEN },
    { "169.254.171.2",        GUARD_PRIVATE },
    { "100.100.100.200",      GUARD_FORBIDDEN },
    { "100.100.100.201",      GUARD_PRIVATE },
    { "168.63.129.16",        GUARD_FORBIDDEN },
    { "168.63.129.17",        GUARD_OPEN },
    { "0.0.0.0",              GUARD_FORBIDDEN },
    { "0.1.2.3",              GUARD_FORBIDDEN },
    { "224.0.0.1",            GUARD_FORBIDDEN },
    { "255.255.255.255",      GUARD_FORBIDDEN },
    { "::1",                  GUARD_PRIVATE },
    { "::",                   GUARD_FORBIDDEN },
    { "::ffff:127.0.0.1",     GUARD_PRIVATE },
    { "::ffff:169.254.169.254", GUARD_FORBIDDEN },
    { "::ffff:93.184.216.34", GUARD_OPEN },
    { "::127.0.0.1",          GUARD_PRIVATE },
    { "64:ff9b::7f00:1",      GUARD_PRIVATE },
    { "64:ff9b::a9fe:a9fe",   GUARD_FORBIDDEN },
    { "2002:7f00:1::",        GUARD_PRIVATE },
    { "fe80::1",              GUARD_PRIVATE },
    { "fd12:3456::1",         GUARD_PRIVATE },
    { "fd00:ec2::254",        GUARD_FORBIDDEN },
    { "ff02::1",              GUARD_FORBIDDEN },
    { "2001:db8::1",          GUARD_FORBIDDEN },
    { "2606:2800:220:1::1",   GUARD_OPEN },
    { "4000::1",              GUARD_FORBIDDEN },
};
// clang-format on

static guard_t
classify(const char *text)
{
    struct sockaddr_in four = { .sin_family = AF_INET };
    struct sockaddr_in6 six = { .sin6_family = AF_INET6 };

    if (inet_pton(AF_INET, text, &four.sin_addr) == 1)
        return guard_classify((const struct sockaddr *) &four);
    assert_int_equal(inet_pton(AF_INET6, text, &six.sin6_addr), 1);
    return guard_classify((const struct sockaddr *) &six);
}

static void
addresses_are_judged_by_their_range(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        print_message("  %s\n", rows[i].address);
        assert_int_equal(classify(rows[i].address), rows[i].class);
    }
}

static void
private_addresses_need_the_environments_word(void **state)
{
    const struct sockaddr_in loopback = { .sin_family = AF_INET,
                                          .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    const struct sockaddr_in metadata = { .sin_family = AF_INET,
                                          .sin_addr.s_addr = htonl(0xa9fea9fe) };
    const struct sockaddr other = { .sa_family = AF_UNIX };

    assert_true(guard_allows((const struct sockaddr *) &loopback, true));
    assert_false(guard_allows((const struct sockaddr *) &loopback, false));
    assert_false(guard_allows((const struct sockaddr *) &metadata, true));
    assert_false(guard_allows(&other, true));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_judged_by_their_range),
        cmocka_unit_test(private_addresses_need_the_environments_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
