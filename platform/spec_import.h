// SPDX-License-Identifier: Apache-2.0
// Scenarios made of an OpenAPI document, kept in a project. Importing the same document again
// changes nothing.

#ifndef PROOFARC_PLATFORM_SPEC_IMPORT_H
#define PROOFARC_PLATFORM_SPEC_IMPORT_H

#include "exchange.h"
#include "formats/openapi.h"

// One entry per operation, as openapi_scenarios() makes them.
json_t *spec_import_generate(exchange_t *x, openapi_t *spec, const json_t *options);

// Keeps them: {dryRun, created: [{id, name}], updated, unchanged, total, warnings}.
json_t *spec_import_keep(exchange_t *x, const json_t *options, const json_t *scenarios,
                         const json_t *warnings);

#endif
