// SPDX-License-Identifier: Apache-2.0
// Arguments of a tool with parameters of every kind: what is taken is taken again, and stays.

#include <assert.h>
#include <string.h>

#include "arguments.h"
#include "auto.h"
#include "target.h"

static const field_t members[] = { { "user", TEXT, "Name." },
                                   { "age", NUMBER, "Age." },
                                   { 0 } };

// clang-format off
static const tool_t tool = {
    .name = "try_all", .about = "Everything.", .effect = READS, .profile = CORE,
    .params = {
        { "text",    TEXT | MUST,   "Text." },
        { "short",   TEXT,          "Short.", .max = 5 },
        { "choice",  TEXT,          "One.", .one_of = "quick|phased|custom" },
        { "number",  NUMBER,        "Number.", .min = -10, .max = 500 },
        { "decimal", DECIMAL,       "Decimal." },
        { "flag",    FLAG,          "Flag." },
        { "object",  OBJECT,        "Object.", .fields = members },
        { "any",     ANY,           "Any." },
        { "tags",    TEXT | MANY,   "Texts." },
        { "numbers", NUMBER | MANY, "Numbers." },
        { "objects", OBJECT | MANY, "Objects." },
        { "project", PROJECT | MUST, "Where." },
    },
};
// clang-format on

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    json_document_t document;
    json_t *checked, *again;
    failure_t why;

    if (json_parse(arena, (const char *) bytes, size, &document, &why))
        return 0;
    if (arguments_check(arena, &tool, document.root, &checked, &why)) {
        assert(why.status == BAD_ARGS && *why.text);
        return 0;
    }
    status_t status = arguments_check(arena, &tool, checked, &again, &why);
    assert(!status);
    assert(!strcmp(json_text(arena, checked), json_text(arena, again)));
    return 0;
}
