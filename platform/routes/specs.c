// SPDX-License-Identifier: Apache-2.0
// OpenAPI documents, and the jobs that fetch them.

#include <string.h>

#include "base_url.h"
#include "limits.h"
#include "routes/find.h"
#include "specs.h"
#include "store/credentials.h"
#include "store/environments.h"
#include "store/jobs.h"
#include "store/listing.h"
#include "store/projects.h"
#include "store/targets.h"

enum { GLOBS_MAX = 100 };

static route_fn detect, parse, import, get_job;

// clang-format off
#define GLOBS                                                                                   \
    { "pathGlobs", M_TEXTS, .about = "Only these paths: * within a segment, ** over several.",  \
      .max = GLOBS_MAX }
// clang-format on

const route_t spec_routes[] = {
    {
        .method = "POST",
        .path = "/api/specs/detect",
        .least = ANALYST,
        .id = "detectSpec",
        .summary = "Look for the OpenAPI document of a service.",
        .answer = "{jobId, status}; the job's result says what was found.",
        .code = 202,
        .run = detect,
        .body = {
            { "baseUrl", M_TEXT, true, "Address of the service.", "\"http://127.0.0.1:8080\"",
              .max = 2000 },
            { "environmentId", M_ID, .about = "Environment it belongs to." },
        },
    },
    {
        .method = "POST",
        .path = "/api/specs/parse",
        .least = ANALYST,
        .id = "parseSpec",
        .summary = "Read an OpenAPI document at a URL or as text.",
        .answer = "{jobId, status}, or with content the result at once.",
        .code = 202,
        .other_code = 200,
        .run = parse,
        .is_loose = true,
        // clang-format off
        .body = {
            { "url", M_TEXT, .about = "Where the document is.", .max = 2000,
              .example = "\"http://127.0.0.1:8080/openapi.json\"" },
            { "content", M_TEXT, .about = "The document itself.", .max = REST_BODY_MAX },
            { "environmentId", M_ID, .about = "Environment it belongs to." },
            GLOBS,
            { "limit", M_INT, .about = "Most endpoints of the answer.", .min = 1, .max = 500 },
            { "cursor", M_TEXT, .about = "nextCursor of the page before.", .max = 64 },
        },
        // clang-format on
    },
    {
        .method = "POST",
        .path = "/api/specs/import",
        .least = ANALYST,
        .id = "importSpec",
        .summary = "Make a scenario of each operation of an OpenAPI document.",
        .answer = "{jobId, status}; the job's result says what was made.",
        .code = 202,
        .run = import,
        // clang-format off
        .body = {
            { "projectId", M_ID, true, "Project of the scenarios.", "1" },
            { "environmentId", M_ID, true, "Environment of the service.", "1" },
            { "url", M_TEXT, true, "Where the document is.",
              "\"http://127.0.0.1:8080/openapi.json\"", .max = 2000 },
            GLOBS,
            { "credentialTag", M_NAME, .about = "Log-in for operations that ask for one." },
            { "tags", M_TEXTS, .about = "Tags of the scenarios.", .max = 50 },
            { "appTag", M_NAME, .about = "Tag of the application." },
            { "dryRun", M_FLAG, .about = "Only tell what would be made.", .example = "true" },
        },
        // clang-format on
    },
    {
        .method = "GET",
        .path = "/api/jobs/{jobId}",
        .least = VIEWER,
        .id = "getJob",
        .summary = "Get a job.",
        .answer = "{jobId, kind, status, progress, error, result}.",
        .run = get_job,
        .query = { { "waitMs", M_INT, .about = "Wait for progress or its end.",
                     .max = LONG_POLL_MS } },
    },
    { 0 }
};

// ---- queue

static status_t
answer_queued(exchange_t *x, const char *id)
{
    json_t *answer = json_object(x->arena);

    json_set_text(x->arena, answer, "jobId", id);
    json_set_text(x->arena, answer, "status", "PENDING");
    return exchange_answer(x, 202, answer);
}

static status_t
check_url(exchange_t *x, const char *name)
{
    const char *url = exchange_text(x, name);

    if (!base_url_is_absolute(url) || strpbrk(url, " \t\r\n"))
        return exchange_refuse(x, name, "must be an absolute http or https URL");
    return OK;
}

// Whether private addresses may be reached: as the environment says, or the platform without
// one.
static status_t
find_privacy(exchange_t *x, bool *allow_private_p)
{
    const json_t *environment;

    *allow_private_p = x->platform->allow_private;
    if (!exchange_int(x, "environmentId", 0))
        return OK;
    environment = find_in_body(x, "environmentId", "environment", environments_get);
    if (!environment)
        return x->why.status;
    *allow_private_p = json_get_bool(environment, "allowPrivate", false);
    return OK;
}

static status_t
detect(exchange_t *x)
{
    bool allow_private;

    if (check_url(x, "baseUrl") || find_privacy(x, &allow_private))
        return x->why.status;
    return answer_queued(x, specs_queue(x, "detect", exchange_text(x, "baseUrl"), allow_private,
                                        json_object(x->arena)));
}

// ---- parse

static status_t
parse_options(exchange_t *x, json_t *options)
{
    const char *cursor = exchange_text(x, "cursor");
    int64_t offset = cursor && *cursor ? listing_after(cursor) : 0;

    if (offset < 0)
        return exchange_refuse(x, "cursor",
                               "is not one of ours; take nextCursor as it is, or leave "
                               "it out for the first page");
    json_set_int(x->arena, options, "offset", offset);
    if (exchange_int(x, "limit", 0))
        json_set_int(x->arena, options, "limit", exchange_int(x, "limit", 0));
    if (exchange_json(x, "pathGlobs"))
        json_set(x->arena, options, "pathGlobs",
                 json_copy(x->arena, exchange_json(x, "pathGlobs")));
    return OK;
}

static status_t
parse_content(exchange_t *x, const json_t *options)
{
    json_t *result = specs_parse(x, exchange_text(x, "content"), options);

    return result ? exchange_answer(x, 200, result) : x->why.status;
}

static status_t
parse(exchange_t *x)
{
    json_t *options = json_object(x->arena);
    bool allow_private, has_url = exchange_text(x, "url");

    if (has_url == (exchange_text(x, "content") != NULL))
        return fail_coded(&x->why, BAD_ARGS, "MISSING_MEMBER", "give either url or content");
    if (parse_options(x, options))
        return x->why.status;
    if (!has_url)
        return parse_content(x, options);
    if (check_url(x, "url") || find_privacy(x, &allow_private))
        return x->why.status;
    return answer_queued(
        x, specs_queue(x, "parse", exchange_text(x, "url"), allow_private, options));
}

// ---- import

static status_t
check_credential(exchange_t *x, const json_t *environment)
{
    const char *tag = exchange_text(x, "credentialTag");

    if (!tag || credentials_get(x->store, x->arena, json_get_int(environment, "id", 0), tag))
        return OK;
    return fail_coded(&x->why, BAD_ARGS, "CREDENTIAL_TAG_NOT_FOUND",
                      "there is no log-in \"%.80s\" in \"%.80s\"; store one there or name "
                      "another one",
                      tag, json_get_text(environment, "name"));
}

// The application whose target the document was found below.
static const char *
app_tag_of(exchange_t *x, const char *url)
{
    const json_t *targets =
        targets_for(x->store, x->arena, exchange_int(x, "environmentId", 0), NULL);

    for (const json_t *target = targets->first; target; target = target->next) {
        const char *base = json_get_text(target, "baseUrl"),
                   *tag = json_get_text(target, "appTag");
        size_t size = strlen(base);
        if (tag && strncmp(base, url, size) == 0 && (url[size] == '/' || !url[size]))
            return tag;
    }
    return NULL;
}

static status_t
import(exchange_t *x)
{
    const json_t *project = find_in_body(x, "projectId", "project", projects_get);
    const json_t *environment =
        project ? find_in_body(x, "environmentId", "environment", environments_get) : NULL;
    json_t *options = json_copy(x->arena, x->given);
    const char *url = exchange_text(x, "url");

    if (!environment || check_url(x, "url") || check_credential(x, environment))
        return x->why.status;
    if (!exchange_text(x, "appTag") && app_tag_of(x, url))
        json_set_text(x->arena, options, "appTag", app_tag_of(x, url));
    return answer_queued(x, specs_queue(x, "import", url,
                                        json_get_bool(environment, "allowPrivate", false),
                                        options));
}

// ---- read

static bool
is_open(const json_t *job)
{
    const char *status = json_get_text(job, "status");

    return strcmp(status, "PENDING") == 0 || strcmp(status, "RUNNING") == 0;
}

static status_t
get_job(exchange_t *x)
{
    json_t *job = jobs_shown(x->store, x->arena, exchange_param(x, "jobId"));
    int64_t wait_ms = exchange_asked_int(x, "waitMs", 0);

    if (!job)
        return fail_coded(&x->why, NOT_FOUND, "NOT_FOUND", "there is no job of that id");
    int64_t changes = json_get_int(job, "changes", 0);
    if (!x->parked_before)
        x->seen = changes;
    if (wait_ms && !x->last_try && is_open(job) && changes == x->seen) {
        x->park_ms = wait_ms;
        x->park_job = json_get_int(job, "seq", 0);
        return OK;
    }
    json_remove(job, "changes");
    json_remove(job, "seq");
    return exchange_answer(x, 200, job);
}
