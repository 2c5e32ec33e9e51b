// SPDX-License-Identifier: Apache-2.0
// A tool is a row: name, sentence, effect, parameters, result fields, and either one REST line
// or one function. From the row come the tools/list entry, the argument check, name
// resolution, the docs and the golden file. Plain data; style and rules: docs/tools-how-to.md.

#ifndef PROOFARC_TOOL_H
#define PROOFARC_TOOL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct call call_t;  // workers/call.h
typedef void tool_fn(call_t *call);

enum { TOOL_PARAMS_MAX = 24, TOOL_FIELDS_MAX = 40, PROMPT_ARGUMENTS_MAX = 8 };

// What a parameter or field holds. One kind, and any of the flags below.
enum {
    TEXT = 1,
    NUMBER,   // an integer
    DECIMAL,  // any number
    FLAG,
    OBJECT,   // a JSON object; `fields` describes it where its members are known
    ANY,      // any JSON value
    PROJECT,  // references: a name or an id, settled by the resolver before the tool runs
    ENVIRONMENT,
    SCENARIO,
    UI_TEST,
    SUITE,
    PIPELINE,
    APPLICATION,
    TARGET,
    KIND_MASK = 0xff,
    MUST = 0x100,    // has to be there; a missing reference is asked for, never an error
    MANY = 0x200,    // a list; one string or a JSON-encoded list are taken as well
    SECRET = 0x400,  // never logged, never echoed
    BRIEF = 0x800,   // an OBJECT whose members are checked and documented, but not listed:
                     // `about` shows them in one line, for a third of the bytes
};

#define KIND_IS_REFERENCE(kind) (((kind) &KIND_MASK) >= PROJECT)

typedef enum { READS = 1, WRITES, EXECUTES, DELETES } effect_t;
typedef enum { CORE = 1, STANDARD, WIDE, FULL } profile_t;

// A parameter of a tool or a field of its result.
typedef struct field field_t;
struct field {
    const char *name;       // snake_case for parameters; results keep the platform's spelling
    int kind;               // kind | flags
    const char *about;      // for the model: one short phrase; a reference may have none
    const char *one_of;     // "quick|phased|custom", or NULL
    int64_t min, max;       // NUMBER: both 0 means no bound. TEXT: `max` characters, 0: 4096
    const field_t *fields;  // OBJECT: its members, ended by a row without a name
    const char *header;     // x-mcp-header: clients repeat the argument in Mcp-Param-<this>
};

typedef struct {
    const char *name;   // ^[a-z][a-z0-9_]{0,39}$
    const char *title;  // for people, e.g. "List projects"
    const char *about;  // one or two sentences for the model
    effect_t effect;
    profile_t profile;
    bool quick;         // does no I/O and runs in the loop
    bool plain;         // answers with content blocks alone: it has no result
    bool links;         // it links what it names: the references do not narrow one another
    bool by_tag;        // names are settled for the tests that carry `tags` (run_by_tag)
    int64_t budget_ms;  // 0: by effect (QUEUE_CALL_MS for EXECUTES without wait, else CALL_MS)
    field_t params[TOOL_PARAMS_MAX];  // ended by a row without a name
    field_t result[TOOL_FIELDS_MAX];
    const char *rest;          // "POST /api/environments/{environment}/targets", or NULL
    const char *touches;       // kind of the entity that a write returns, for FORGET; or NULL
    tool_fn *run;              // if there is no `rest`
    tool_fn *task;             // get, update and cancel of its tasks; NULL if it has none
    const char *input_schema;  // JSON; instead of `params`: arguments arrive as they were given
} tool_t;

// A resource template, beside the tools of its category.
typedef struct {
    const char *uri;  // RFC 6570, one variable: proofarc://execution/{execution_id}
    const char *name;
    const char *title;
    const char *about;
    const char *mime;
    const char *rest;       // "GET /api/scenarios/executions/{execution_id}", or NULL
    tool_fn *run;           // if there is no `rest`; call_text() has the variable by its name
    const char *completes;  // kind of the variable, as in argument_t; or NULL
} template_t;

// A resource with a fixed address.
typedef struct {
    const char *uri;
    const char *name;
    const char *title;
    const char *about;
    const char *mime;
    tool_fn *run;
} resource_t;

// An argument of a prompt: always text.
typedef struct {
    const char *name;
    const char *about;
    bool must;
    const char
        *completes;  // whose names are proposed: project, environment, scenario, ui_test,
                     // suite, pipeline, application, target, tag or execution; or NULL
} argument_t;

// What a person picks to have a conversation begun.
typedef struct {
    const char *name;
    const char *title;
    const char *about;
    argument_t arguments[PROMPT_ARGUMENTS_MAX + 1];  // ended by a row without a name
    tool_fn *run;                                    // replies with messages
} prompt_t;

#endif
