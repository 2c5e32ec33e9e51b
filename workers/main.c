// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

#include "program.h"

// The one list of categories.
static const category_t *const all_categories[] = {
    &explore_category,
    &act_category,
    &report_category,
    &api_authoring_category,
    &setup_category,
    &environments_category,
    NULL,
};

int
main(int argc, char **argv)
{
    return program_run("proofarc-worker", all_categories, argc, argv);
}
