// SPDX-License-Identifier: Apache-2.0
// UI tests, UI test suites and pipelines as records.

#include <inttypes.h>

#include "limits.h"
#include "routes/find.h"
#include "routes/list.h"
#include "store/projects.h"
#include "store/records.h"

#define DRIVERS "PLAYWRIGHT|WEBDRIVER|HTMLUNIT"

static route_fn list_ui_tests, create_ui_test, list_suites, create_suite, list_pipelines,
    create_pipeline;

const route_t record_routes[] = {
    {
        .method = "GET",
        .path = "/api/ui-tests",
        .least = VIEWER,
        .id = "listUiTests",
        .summary = "List UI tests.",
        .answer = "uiTests, total, returned.",
        .run = list_ui_tests,
        .is_list = true,
        .is_quick = true,
        .query = {
            { "projectId", M_ID, .about = "Only those of this project." },
            { "name", M_TEXT, .about = "Part of the name." },
            { "tags", M_TEXTS, .about = "Any of these tags, separated by commas." },
            { "driver", M_TEXT, .about = "Only those of this driver.", .one_of = DRIVERS },
            VIEW_ARGUMENT,
            PAGE_ARGUMENTS,
        },
    },
    {
        .method = "POST",
        .path = "/api/ui-tests",
        .least = ANALYST,
        .id = "createUiTest",
        .summary = "Store a UI test.",
        .answer = "The UI test.",
        .code = 201,
        .run = create_ui_test,
        .body = {
            { "name", M_NAME, true, "Name, unique in the project.", "\"Contact form\"" },
            { "projectId", M_ID, true, "Its project.", "1" },
            { "driver", M_TEXT, .about = "Engine; any when absent.", .one_of = DRIVERS },
            { "appTag", M_NAME, .about = "Tag of the application it tests." },
            { "credentialTag", M_NAME, .about = "Log-in it uses." },
            { "tags", M_TEXTS, .about = "Its tags.", .example = "[\"smoke\"]", .max = 50 },
            { "description", M_TEXT, .about = "For people." },
            { "yamlText", M_TEXT, .about = "Its steps.", .max = YAML_MAX },
        },
    },
    {
        .method = "GET",
        .path = "/api/ui-test-suites",
        .least = VIEWER,
        .id = "listUiTestSuites",
        .summary = "List suites of UI tests.",
        .answer = "uiTestSuites, total, returned.",
        .run = list_suites,
        .is_list = true,
        .is_quick = true,
        .query = {
            { "projectId", M_ID, .about = "Only those of this project." },
            { "name", M_TEXT, .about = "Part of the name." },
            VIEW_ARGUMENT,
            PAGE_ARGUMENTS,
        },
    },
    {
        .method = "POST",
        .path = "/api/ui-test-suites",
        .least = ANALYST,
        .id = "createUiTestSuite",
        .summary = "Store a suite of UI tests.",
        .answer = "The suite.",
        .code = 201,
        .run = create_suite,
        .body = {
            { "name", M_NAME, true, "Name, unique in the project.", "\"Forms\"" },
            { "projectId", M_ID, true, "Its project.", "1" },
            { "tests", M_IDS, .about = "Ids of its UI tests." },
        },
    },
    {
        .method = "GET",
        .path = "/api/pipelines",
        .least = VIEWER,
        .id = "listPipelines",
        .summary = "List pipelines.",
        .answer = "pipelines, total, returned.",
        .run = list_pipelines,
        .is_list = true,
        .is_quick = true,
        .query = {
            { "projectId", M_ID, .about = "Only those of this project." },
            { "name", M_TEXT, .about = "Part of the name." },
            VIEW_ARGUMENT,
            PAGE_ARGUMENTS,
        },
    },
    {
        .method = "POST",
        .path = "/api/pipelines",
        .least = ANALYST,
        .id = "createPipeline",
        .summary = "Store a pipeline.",
        .answer = "The pipeline.",
        .code = 201,
        .run = create_pipeline,
        .body = {
            { "name", M_NAME, true, "Name, unique in the project.", "\"Nightly\"" },
            { "projectId", M_ID, true, "Its project.", "1" },
            { "description", M_TEXT, .about = "For people." },
            { "stages", M_ANY, .about = "What it runs, in order.", .example = "[]" },
        },
    },
    { 0 }
};

// What the three kinds have in common.
typedef struct {
    const char *word, *code;
    int64_t (*named)(store_t *store, int64_t project, const char *name);
    int64_t (*add)(store_t *store, arena_t *arena, const json_t *given);
    find_fn *get;
} record_t;

static status_t
create(exchange_t *x, const record_t *kind)
{
    int64_t project = exchange_int(x, "projectId", 0);
    const char *name = exchange_text(x, "name");

    if (!find_in_body(x, "projectId", "project", projects_get))
        return x->why.status;
    int64_t old = kind->named(x->store, project, name);
    if (old)
        return fail_coded(&x->why, CONFLICT, kind->code,
                          "the project has a %s called \"%s\" already (id %" PRId64 ")",
                          kind->word, name, old);
    int64_t id = kind->add(x->store, x->arena, x->given);
    return exchange_answer(x, 201, kind->get(x->store, x->arena, id));
}

static status_t
list(exchange_t *x, const listing_t *listing)
{
    return list_answer(x, listing,
                       BIND(value_id(exchange_asked_int(x, "projectId", 0)),
                            value_text(exchange_asked(x, "name")),
                            value_json(x->arena, json_get(x->arguments, "tags")),
                            value_text(exchange_asked(x, "driver"))));
}

static status_t
list_ui_tests(exchange_t *x)
{
    return list(x, &ui_tests_listing);
}

static status_t
create_ui_test(exchange_t *x)
{
    static const record_t kind = { "UI test", "UI_TEST_EXISTS", ui_tests_named, ui_tests_add,
                                   ui_tests_get };

    return create(x, &kind);
}

static status_t
list_suites(exchange_t *x)
{
    return list(x, &ui_suites_listing);
}

static status_t
create_suite(exchange_t *x)
{
    static const record_t kind = { "suite", "SUITE_EXISTS", ui_suites_named, ui_suites_add,
                                   ui_suites_get };
    const json_t *tests = exchange_json(x, "tests");

    for (const json_t *test = tests ? tests->first : NULL; test; test = test->next) {
        int64_t id = 0;
        if (!json_int(test, &id) || !ui_tests_get(x->store, x->arena, id))
            return fail_coded(&x->why, NOT_FOUND, "NOT_FOUND",
                              "there is no UI test with the id %" PRId64, id);
    }
    return create(x, &kind);
}

static status_t
list_pipelines(exchange_t *x)
{
    return list(x, &pipelines_listing);
}

static status_t
create_pipeline(exchange_t *x)
{
    static const record_t kind = { "pipeline", "PIPELINE_EXISTS", pipelines_named,
                                   pipelines_add, pipelines_get };

    return create(x, &kind);
}
