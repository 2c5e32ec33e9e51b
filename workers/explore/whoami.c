// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "explore/explore.h"
#include "limits.h"

static tool_fn whoami;

// clang-format off
static const field_t default_fields[] = {
    { "listLimit",            NUMBER, "Entries of a list when limit is omitted." },
    { "stopOnFailure",        FLAG,   "execute_scenario ends at the first failed step." },
    { "allowUnauthenticated", FLAG,   "execute_scenario runs without a login." },
    { "wait",                 FLAG,   "execute_scenario answers only when the run has ended." },
    { "waitSeconds",          NUMBER, "Longest wait; then timedOut is true and the run goes on." },
    { 0 }
};

static const field_t limit_fields[] = {
    { "resultBytes",     NUMBER, "Largest answer." },
    { "inputBytes",      NUMBER, "Largest request." },
    { "listEntries",     NUMBER, "Largest limit of a list." },
    { "callSeconds",     NUMBER, "Longest call; with wait, waitSeconds." },
    { "callsAtOnce",     NUMBER, "Calls of yours under way." },
    { "scenarioBytes",   NUMBER, "Largest scenario YAML." },
    { "scenarioSteps",   NUMBER, "Most steps of a scenario." },
    { "openapiBytes",    NUMBER, "Largest OpenAPI document." },
    { 0 }
};

const tool_t explore_whoami[] = {
    {
        .name    = "whoami",
        .title   = "Who am I",
        .about   = "Your user and role, the server's version, the profile in force, defaults and limits.",
        .effect  = READS,
        .profile = CORE,
        .quick   = true,
        .run     = whoami,
        .result  = {
            { "username",      TEXT,   "Your user name." },
            { "role",          TEXT,   "viewer reads; analyst also writes and runs; admin may do all." },
            { "issuer",        TEXT,   "Who vouches for you." },
            { "serverVersion", TEXT,   "Version of this server." },
            { "profile",       TEXT,   "Tools in force: core, standard, wide or full." },
            { "defaults",      OBJECT, "What holds when you say nothing.", .fields = default_fields },
            { "limits",        OBJECT, "What is refused beyond.", .fields = limit_fields },
        },
    },
    { 0 }
};
// clang-format on

static json_t *
defaults(arena_t *arena)
{
    json_t *object = json_object(arena);

    json_set_int(arena, object, "listLimit", 100);
    json_set_bool(arena, object, "stopOnFailure", true);
    json_set_bool(arena, object, "allowUnauthenticated", false);
    json_set_bool(arena, object, "wait", false);
    json_set_int(arena, object, "waitSeconds", WAIT_CALL_MS / 1000);
    return object;
}

static json_t *
limits(arena_t *arena)
{
    json_t *object = json_object(arena);

    json_set_int(arena, object, "resultBytes", RESULT_MAX);
    json_set_int(arena, object, "inputBytes", INPUT_MAX);
    json_set_int(arena, object, "listEntries", LISTED_MAX);
    json_set_int(arena, object, "callSeconds", CALL_MS / 1000);
    json_set_int(arena, object, "callsAtOnce", CALLS_PER_PRINCIPAL);
    json_set_int(arena, object, "scenarioBytes", YAML_MAX);
    json_set_int(arena, object, "scenarioSteps", STEPS_MAX);
    json_set_int(arena, object, "openapiBytes", DOCUMENT_MAX);
    return object;
}

// Principal = issuer|subject|role; only the subject may hold a bar itself.
static void
add_caller(arena_t *arena, json_t *result, const char *principal)
{
    const char *first = strchr(principal, '|');
    const char *last = strrchr(principal, '|');

    if (!first || first == last) {
        json_set_text(arena, result, "username", principal);
        return;
    }
    json_set_text(arena, result, "username",
                  arena_strndup(arena, first + 1, (size_t) (last - first - 1)));
    json_set_text(arena, result, "role", last + 1);
    json_set_text(arena, result, "issuer",
                  arena_strndup(arena, principal, (size_t) (first - principal)));
}

static void
whoami(call_t *call)
{
    arena_t *arena = call_arena(call);
    json_t *result = json_object(arena);

    add_caller(arena, result, call_principal(call));
    json_set_text(arena, result, "serverVersion", PROOFARC_VERSION);
    json_set_text(arena, result, "profile", call_profile(call));
    json_set(arena, result, "defaults", defaults(arena));
    json_set(arena, result, "limits", limits(arena));
    reply_json(call, result);
}
