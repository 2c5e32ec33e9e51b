// SPDX-License-Identifier: Apache-2.0
// JSON: what can be read is written, read and written the same again, also canonically.

#include <assert.h>
#include <string.h>

#include "auto.h"
#include "json.h"
#include "target.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(buffer_clear) buffer_t first = { 0 };
    AUTO(buffer_clear) buffer_t second = { 0 };
    AUTO(buffer_clear) buffer_t canonical = { 0 };
    json_document_t document, again;
    failure_t why;

    if (json_parse(arena, (const char *) bytes, size, &document, &why)) {
        assert(why.status == BAD_ARGS && *why.text);
        return 0;
    }
    json_write(&first, document.root);
    status_t status = json_parse(arena, first.bytes, first.size, &again, &why);
    assert(!status);
    json_write(&second, again.root);
    assert(first.size == second.size && !memcmp(first.bytes, second.bytes, first.size));
    json_write_canonical(&canonical, document.root);
    status = json_parse(arena, canonical.bytes, canonical.size, &again, &why);
    assert(!status);
    return 0;
}
