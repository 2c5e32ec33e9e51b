// SPDX-License-Identifier: Apache-2.0
#include "auto.h"
#include "resolver.h"

int
main(int argc, char **argv)
{
    AUTO(settings_destroy) settings_t *settings = settings_parse(&resolver_program, argc, argv);

    return resolver_run(settings);
}
