// SPDX-License-Identifier: Apache-2.0
// JSONPath: the first line is a query, the rest a document.

#include <assert.h>
#include <string.h>

#include "auto.h"
#include "jsonpath.h"
#include "target.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const uint8_t *line = memchr(bytes, '\n', size);
    size_t query_size = line ? (size_t) (line - bytes) : size;
    const char *query = arena_strndup(arena, size ? (const char *) bytes : "", query_size);
    json_document_t document;
    jsonpath_t *path;
    jsonpath_nodes_t nodes;
    failure_t why;

    if (jsonpath_compile(arena, query, &path, &why)) {
        assert(*why.text);
        return 0;
    }
    if (!line
        || json_parse(arena, (const char *) line + 1, size - query_size - 1, &document, &why))
        document.root =
            json_parse_text(arena, "{\"a\":[1,{\"b\":\"x\"},null],\"b\":{\"a\":2}}");
    if (jsonpath_select(arena, path, document.root, &nodes, &why))
        return 0;
    for (size_t i = 0; i < nodes.count; i++)
        assert(nodes.nodes[i]);
    return 0;
}
