// SPDX-License-Identifier: Apache-2.0
#include "category.h"
#include "setup/setup.h"

static const tool_t *const tables[] = { setup_projects, setup_onboarding, setup_applications,
                                        NULL };

const category_t setup_category = { .name = "setup", .tables = tables };
