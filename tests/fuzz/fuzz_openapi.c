// SPDX-License-Identifier: Apache-2.0
// OpenAPI documents: what can be opened has a view, and scenarios that are such.

#include <assert.h>

#include "auto.h"
#include "formats/openapi.h"
#include "formats/scenario.h"
#include "target.h"

static void
look(arena_t *arena, openapi_t *document)
{
    const openapi_options_t options = { .app_tag = "app", .credential_tag = "login" };

    openapi_missing(document);
    assert(openapi_view(document, NULL, 0, 50));
    const json_t *made = openapi_scenarios(document, &options);
    for (const json_t *entry = made->first; entry; entry = entry->next) {
        scenario_result_t result;
        scenario_from_json(arena, json_get(entry, "scenario"), NULL, &result);
        assert(json_get_text(entry, "key") && json_get_text(entry, "yamlText"));
    }
    assert(openapi_warnings(document)->count <= OPENAPI_WARNINGS_MAX + 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    openapi_t *document;
    failure_t why;

    if (openapi_open(arena, "http://a.test/api.json", (const char *) bytes, size, &document,
                     &why))
        assert(*why.text);
    else
        look(arena, document);
    return 0;
}
