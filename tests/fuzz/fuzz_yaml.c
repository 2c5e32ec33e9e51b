// SPDX-License-Identifier: Apache-2.0
// YAML: what can be read as a mapping or sequence is written, and read as the same. Scenarios:
// what is taken is written as YAML, and taken as the same again.

#include <assert.h>
#include <string.h>

#include "auto.h"
#include "formats/scenario.h"
#include "formats/yaml.h"
#include "target.h"

// Whatever the order of their members.
static bool
is_equal(const json_t *a, const json_t *b)
{
    AUTO(buffer_clear) buffer_t left = { 0 };
    AUTO(buffer_clear) buffer_t right = { 0 };

    json_write_canonical(&left, a);
    json_write_canonical(&right, b);
    return left.size == right.size && !memcmp(left.bytes, right.bytes, left.size);
}

static void
try_yaml(arena_t *arena, const char *bytes, size_t size)
{
    AUTO(buffer_clear) buffer_t written = { 0 };
    yaml_document_t document, again;
    yaml_place_t place;
    failure_t why;

    if (yaml_parse(arena, bytes, size, &yaml_scenario_limits, &document, &place, &why)) {
        assert(*why.text);
        return;
    }
    if (document.duplicate_count || document.root->kind < JSON_ARRAY || !document.root->count)
        return;
    yaml_write(&written, document.root);
    yaml_limits_t limits = yaml_scenario_limits;
    limits.size_max = limits.nodes_max = limits.depth_max = 100 * 1000 * 1000;
    status_t status =
        yaml_parse(arena, written.bytes, written.size, &limits, &again, &place, &why);
    assert(!status);
    assert(is_equal(document.root, again.root));
}

static void
try_scenario(arena_t *arena, const char *bytes, size_t size)
{
    scenario_result_t first, second;

    scenario_parse(arena, bytes, size, NULL, &first);
    if (!first.scenario) {
        assert(first.errors->count);
        return;
    }
    const char *yaml = scenario_to_yaml(arena, first.scenario);
    scenario_parse(arena, yaml, strlen(yaml), NULL, &second);
    assert(second.scenario);
    assert(is_equal(first.scenario, second.scenario));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();

    try_yaml(arena, (const char *) bytes, size);
    try_scenario(arena, (const char *) bytes, size);
    return 0;
}
