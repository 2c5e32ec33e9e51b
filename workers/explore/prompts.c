// SPDX-License-Identifier: Apache-2.0
// Workflows to begin a conversation with. Each names tools as name(argument, argument=value); a
// test holds every name and argument to the rows.
#include "explore/explore.h"

static tool_fn test_an_api, crawl_to_tests, triage_failures, set_up_project;

// clang-format off
const prompt_t explore_prompts[] = {
    {
        .name  = "test_an_api",
        .title = "Test an API",
        .about = "From an OpenAPI document to scenarios that have run: import, look at, run and report.",
        .arguments = {
            { "spec_url",    "Address of the OpenAPI document, or of the service.", true, NULL },
            { "project",     "Project that the tests belong to.", false, "project" },
            { "environment", "Environment to run them in.", false, "environment" },
        },
        .run = test_an_api,
    },
    {
        .name  = "crawl_to_tests",
        .title = "Find tests for a site",
        .about = "From the address of a site to tests of the API behind it, and to the UI tests that exist.",
        .arguments = {
            { "base_url",    "Address of the site.", true, NULL },
            { "project",     "Project that the tests belong to.", false, "project" },
            { "environment", "Environment to run them in.", false, "environment" },
        },
        .run = crawl_to_tests,
    },
    {
        .name  = "triage_failures",
        .title = "Find out why tests fail",
        .about = "Run what carries a tag, or look at a run, and tell defects from wrong tests and wrong set-up.",
        .arguments = {
            { "tag",          "Tag of the tests.", false, "tag" },
            { "environment",  "Environment to run them in.", false, "environment" },
            { "execution_id", "A run that has failed; nothing is started before it is understood.", false, "execution" },
        },
        .run = triage_failures,
    },
    {
        .name  = "set_up_project",
        .title = "Set up a project",
        .about = "Project, applications, environments, targets and logins, until tests can run.",
        .arguments = {
            { "project_name", "Name of the new project.", true, NULL },
            { "base_url",     "Where its service runs.", false, NULL },
        },
        .run = set_up_project,
    },
    { 0 }
};
// clang-format on

// What was given for the argument, or what to do without it.
static const char *
given(call_t *call, const char *argument, const char *otherwise)
{
    const char *text = call_text(call, argument);

    return text && *text ? arena_printf(call_arena(call), "\"%s\"", text) : otherwise;
}

static void
test_an_api(call_t *call)
{
    reply_prompt(
        call,
        arena_printf(
            call_arena(call),
            "Test the API that is described at %s. Project: %s. Environment: %s.\n\n"
            "1. Call parse_swagger(url) to see its operations. If the address is no document, "
            "detect_api_spec(base_url) looks for one there.\n"
            "2. Call create_scenario_from_swagger(project, environment, url, path_globs, tags, "
            "dry_run=true), show me what would be made, and repeat it without dry_run once I "
            "agree.\n"
            "3. If operations need a login, list_environment_credentials(environment) shows "
            "what there is; add_environment_credential(environment, tag, secret_ref) adds "
            "one.\n"
            "4. Run the scenarios with run_by_tag(tags, environment, project), and look at "
            "each "
            "with get_execution_status(execution_id) until it has ended.\n"
            "5. Report with summarize_execution(execution_id): what passed, what failed, and "
            "which request and response show it.\n\n"
            "When a tool answers with ask_user, put that question to me word for word.",
            given(call, "spec_url", ""),
            given(call, "project", "choose with list_projects(query), or ask me"),
            given(call, "environment", "choose with list_environments(project), or ask me")));
}

static void
crawl_to_tests(call_t *call)
{
    reply_prompt(
        call,
        arena_printf(
            call_arena(call),
            "Find out how the site at %s can be tested. Project: %s. Environment: %s.\n\n"
            "No tool walks through pages: tests come from the API behind the site and from "
            "what "
            "I tell you.\n\n"
            "1. Call detect_api_spec(base_url) to find an OpenAPI document of its API.\n"
            "2. With a document: parse_swagger(url, path_globs) to choose operations, then "
            "create_scenario_from_swagger(project, environment, url, path_globs, "
            "dry_run=true), and without dry_run once I agree.\n"
            "3. Without one: ask me for the requests that matter and write them with "
            "create_api_scenario(name, project, environment, steps).\n"
            "4. UI tests that exist already are listed by find_ui_tests(project) and "
            "find_ui_test_suites(project); say which parts of the site they cover.\n"
            "5. Run what was made with execute_scenario(scenario, environment, wait=true, "
            "summarize=true) and tell me what is tested now and what is not.\n\n"
            "When a tool answers with ask_user, put that question to me word for word.",
            given(call, "base_url", ""),
            given(call, "project", "choose with list_projects(query), or ask me"),
            given(call, "environment", "choose with list_environments(project), or ask me")));
}

static void
triage_failures(call_t *call)
{
    reply_prompt(
        call,
        arena_printf(
            call_arena(call),
            "Find out why tests fail. Run: %s. Tag: %s. Environment: %s.\n\n"
            "1. If no run is given, start the tests with run_by_tag(tags, environment).\n"
            "2. Read each run with get_execution_status(execution_id) until it has ended, and "
            "those that failed with summarize_execution(execution_id).\n"
            "3. For each failed step say what was expected, what came, and which of these it "
            "is: "
            "a defect of the service, a wrong test, a missing login or target, or an agent "
            "that "
            "did not run it.\n"
            "4. Before you call a test wrong, read it with get_scenario_yaml(scenario); what "
            "is "
            "set up shows in list_targets(environment) and "
            "list_environment_credentials(environment).\n"
            "5. Repeat a doubtful one with execute_scenario(scenario, environment, wait=true, "
            "summarize=true). Propose changes; make them with "
            "update_api_scenario_from_yaml(scenario, yaml_text) only when I agree.\n\n"
            "When a tool answers with ask_user, put that question to me word for word.",
            given(call, "execution_id", "none"),
            given(call, "tag", "see list_tags(), or ask me"),
            given(call, "environment", "choose with list_environments(project), or ask me")));
}

static void
set_up_project(call_t *call)
{
    reply_prompt(
        call,
        arena_printf(
            call_arena(call),
            "Set up the project %s so that tests can run in it. Its service runs at: %s.\n\n"
            "1. Call list_projects(query) to see whether it exists; then "
            "get_project_setup_status(project) says what is missing.\n"
            "2. A new one is made in one go by onboard_project(project_name, applications, "
            "environments, dry_run=true): show me the plan, and repeat it without dry_run once "
            "I agree. Single parts are made by create_application(project, name, app_tag, "
            "application_interfaces), create_environment(name, auth_requirement, project) and "
            "add_target(environment, name, target_type, base_url, app_tag).\n"
            "3. If the service wants a login: set_environment_auth_endpoint(environment, "
            "login_endpoint, auth_type), then add_environment_credential(environment, tag, "
            "secret_ref), so that the secret does not pass through this conversation.\n"
            "4. Check with get_project_setup_status(project) and list_targets(environment), "
            "and "
            "tell me what to do next: the prompt test_an_api goes on from here.\n\n"
            "When a tool answers with ask_user, put that question to me word for word.",
            given(call, "project_name", ""), given(call, "base_url", "ask me")));
}
