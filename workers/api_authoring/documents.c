// SPDX-License-Identifier: Apache-2.0
#include "api_authoring/api_authoring.h"
#include "auto.h"
#include "http.h"
#include "limits.h"

static tool_fn detect_api_spec, parse_swagger;

// clang-format off
static const field_t tried_fields[] = {
    { "url",    TEXT,   "Address that was tried." },
    { "status", NUMBER, "HTTP status, if there was an answer." },
    { "reason", TEXT,   "Why it was not taken." },
    { 0 }
};

static const field_t parameter_fields[] = {
    { "name",     TEXT, "Its name." },
    { "in",       TEXT, "path, query, header or cookie." },
    { "required", FLAG, "Whether it has to be sent." },
    { "type",     TEXT, "Its type." },
    { "example",  ANY,  "A value that fits." },
    { 0 }
};

static const field_t endpoint_fields[] = {
    { "method",      TEXT,          "HTTP method." },
    { "path",        TEXT,          "Path template." },
    { "operationId", TEXT,          "Its id in the document." },
    { "name",        TEXT,          "Name its scenario gets." },
    { "summary",     TEXT,          "What it does." },
    { "tags",        TEXT | MANY,   "Its tags in the document." },
    { "parameters",  OBJECT | MANY, "Its parameters.", .fields = parameter_fields },
    { "bodyExample", ANY,           "A body that fits." },
    { "contentType", TEXT,          "Of the body." },
    { "statuses",    TEXT | MANY,   "Statuses that are documented, e.g. 200, 4XX or default." },
    { "security",    TEXT | MANY,   "Names of the security schemes it wants." },
    { "deprecated",  FLAG,          "Whether it is to be avoided." },
    { 0 }
};

static const field_t warning_fields[] = {
    { "pointer", TEXT, "JSON pointer into the document." },
    { "message", TEXT, "What could not be read or generated." },
    { 0 }
};

static const field_t scheme_fields[] = {
    { "name",      TEXT, "Name of the scheme in the document." },
    { "type",      TEXT, "http, apiKey, oauth2 or openIdConnect." },
    { "in",        TEXT, "Where an API key is sent." },
    { "parameter", TEXT, "Name of the header, query argument or cookie." },
    { "scheme",    TEXT, "Of http: basic or bearer." },
    { 0 }
};

const tool_t api_authoring_documents[] = {
    {
        .name      = "detect_api_spec",
        .title     = "Find OpenAPI document",
        .about     = "Find the OpenAPI document of a running service, for parse_swagger or "
                     "create_scenario_from_swagger.",
        .effect    = EXECUTES,
        .profile   = CORE,
        .budget_ms = CALL_MS,
        .run       = detect_api_spec,
        .params    = {
            { "base_url", TEXT | MUST, "E.g. https://shop.example.com/api.", .max = 2000 },
        },
        .result    = {
            { "found",       FLAG,          "Whether a document was found." },
            { "url",         TEXT,          "Where it is." },
            { "title",       TEXT,          "Title of the API." },
            { "version",     TEXT,          "Version of the API." },
            { "specVersion", TEXT,          "Version of OpenAPI it is written in." },
            { "operations",  NUMBER,        "How many operations it has." },
            { "tried",       OBJECT | MANY, "What was tried.", .fields = tried_fields },
        },
    },
    {
        .name    = "parse_swagger",
        .title   = "Preview OpenAPI document",
        .about   = "Preview the endpoints of an OpenAPI document, saving nothing. Then create_scenario_from_swagger.",
        .effect  = READS,
        .profile = STANDARD,
        .run     = parse_swagger,
        .params  = {
            { "url",        TEXT,        "Or content.", .max = 2000 },
            { "content",    TEXT,        "JSON or YAML.", .max = INPUT_MAX },
            { "path_globs", TEXT | MANY, "E.g. GET /users/**." },
            { "limit",      NUMBER,      "Default 100.", .min = 1, .max = 500 },
            { "cursor",     TEXT,        "Last nextCursor." },
        },
        .result  = {
            { "title",           TEXT,          "Title of the API." },
            { "version",         TEXT,          "Version of the API." },
            { "specVersion",     TEXT,          "Version of OpenAPI it is written in." },
            { "baseUrl",         TEXT,          "Address the paths are below." },
            { "baseUrls",        TEXT | MANY,   "All addresses it names." },
            { "endpoints",       OBJECT | MANY, "The endpoints.", .fields = endpoint_fields },
            { "total",           NUMBER,        "How many match." },
            { "returned",        NUMBER,        "How many are in this answer." },
            { "nextCursor",      TEXT,          "Give it back as cursor; absent on the last page." },
            { "securitySchemes", OBJECT | MANY, "Ways to log in that it describes.", .fields = scheme_fields },
            { "warnings",        OBJECT | MANY, "What could not be read.", .fields = warning_fields },
        },
    },
    { 0 }
};
// clang-format on

static const char late[] = "the document has not come yet; call again, or give its content";

static void
fetched(call_t *call, json_t *job, bool timed_out)
{
    json_t *result = api_authoring_result_or_reply(call, job, timed_out, late);

    if (result)
        reply_json(call, result);
}

static void
wait_for(call_t *call, const json_t *job)
{
    const char *id = json_get_text(job, "jobId");

    reply_when_done(call, fetched, "/api/jobs/%s", http_escape(call_arena(call), id ? id : ""));
}

static void
detect_api_spec(call_t *call)
{
    arena_t *arena = call_arena(call);
    json_t *body = json_object(arena);
    json_t *job;

    json_set_text(arena, body, "baseUrl", call_text(call, "base_url"));
    if (!platform_send_or_reply(call, &job, "POST", body, "/api/specs/detect"))
        wait_for(call, job);
}

// Content is parsed at once, a document at a URL is fetched by an agent first.
static void
parse_swagger(call_t *call)
{
    static const struct {
        const char *argument, *member;
    } passed[] = {
        { "url", "url" },     { "content", "content" }, { "path_globs", "pathGlobs" },
        { "limit", "limit" }, { "cursor", "cursor" },
    };
    arena_t *arena = call_arena(call);
    json_t *body = json_object(arena);
    failure_t why = { 0 };
    json_t *answer;

    if (!call_text(call, "url") == !call_text(call, "content")) {
        fail(&why, BAD_ARGS, "parse_swagger needs either url or content");
        reply_failure(call, &why);
        return;
    }
    for (size_t i = 0; i < ROWS(passed); i++) {
        const json_t *value = call_argument(call, passed[i].argument);
        if (value)
            json_set(arena, body, passed[i].member, json_copy(arena, value));
    }
    if (platform_send_or_reply(call, &answer, "POST", body, "/api/specs/parse"))
        return;
    if (json_get(answer, "jobId"))
        wait_for(call, answer);
    else
        reply_json(call, answer);
}
