// SPDX-License-Identifier: Apache-2.0
#include "category.h"
#include "environments/environments.h"

static const tool_t *const tables[] = { environments_environments, environments_targets,
                                        environments_credentials, NULL };

const category_t environments_category = { .name = "environments", .tables = tables };
