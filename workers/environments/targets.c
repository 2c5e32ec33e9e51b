// SPDX-License-Identifier: Apache-2.0
#include "environments/environments.h"

// clang-format off
static const field_t auth_members[] = {
    { "authType",      TEXT | MUST, "How to log in.", .one_of = "UI_LOGIN|BEARER|COOKIE|HEADER|BASIC|NONE" },
    { "credentialTag", TEXT,        "Saved login to use." },
    { 0 }
};

static const field_t auth_fields[] = {
    { "authType",      TEXT, "How tests log in." },
    { "credentialTag", TEXT, "Saved login they use." },
    { 0 }
};

static const field_t target_fields[] = {
    { "id",              NUMBER, "Id of the target." },
    { "name",            TEXT,   "Its name, unique in its environment." },
    { "targetType",      TEXT,   "WEB_APP or REST_SERVICE." },
    { "baseUrl",         TEXT,   "Its address." },
    { "appTag",          TEXT,   "Application that answers there." },
    { "applicationId",   NUMBER, "Id of that application." },
    { "environmentId",   NUMBER, "Id of its environment." },
    { "environmentName", TEXT,   "Name of its environment." },
    { "authConfig",      OBJECT, "How tests log in.", .fields = auth_fields },
    { 0 }
};

const tool_t environments_targets[] = {
    {
        .name    = "add_target",
        .title   = "Add a target",
        .about   = "Add an address to test to an environment, one per address and type. Then "
                   "get_project_setup_status tells what is still missing.",
        .effect  = WRITES,
        .profile = STANDARD,
        .touches = "target",
        .rest    = "POST /api/environments/{environment}/targets",
        .params  = {
            { "environment", ENVIRONMENT | MUST, "Environment that it belongs to." },
            { "name",        TEXT | MUST,        "Name, unique in the environment.", .max = 200 },
            { "target_type", TEXT | MUST,        "What answers there.", .one_of = "WEB_APP|REST_SERVICE" },
            { "base_url",    TEXT | MUST,        "Address, e.g. https://shop.example.com/api.", .max = 2000 },
            { "app_tag",     TEXT,               "Tag of the application; scenarios choose their target by it.", .max = 100 },
            { "application", APPLICATION,        "Application that answers there." },
        },
        .result  = {
            { "id",              NUMBER, "Id of the target." },
            { "name",            TEXT,   "Its name." },
            { "targetType",      TEXT,   "WEB_APP or REST_SERVICE." },
            { "baseUrl",         TEXT,   "Its address, without a trailing slash." },
            { "appTag",          TEXT,   "Application that answers there." },
            { "applicationId",   NUMBER, "Id of that application." },
            { "environmentId",   NUMBER, "Id of its environment." },
            { "environmentName", TEXT,   "Name of its environment." },
        },
    },
    {
        .name    = "list_targets",
        .title   = "List targets",
        .about   = "List the addresses tests run against, of one environment, of one project or of all. Use it "
                   "before add_target and to find the application behind an address.",
        .effect  = READS,
        .profile = CORE,
        .rest    = "GET /api/targets",
        .params  = {
            { "environment", ENVIRONMENT, "Only targets of this environment." },
            { "project",     PROJECT,     "Only targets in environments of this project." },
            { "limit",       NUMBER,      "Most targets in one answer; 100 when omitted.", .min = 1, .max = 500 },
            { "cursor",      TEXT,        "nextCursor of the answer before; omit for the first page." },
        },
        .result  = {
            { "targets",    OBJECT | MANY, "The targets.", .fields = target_fields },
            { "total",      NUMBER,        "How many match." },
            { "returned",   NUMBER,        "How many are in this answer." },
            { "nextCursor", TEXT,          "Give it back as cursor; absent on the last page." },
        },
    },
    {
        .name    = "set_target_auth",
        .title   = "Set how to log in to a target",
        .about   = "Tell how tests log in to a target and with which saved login. Store the login first, by "
                   "add_environment_credential.",
        .effect  = WRITES,
        .profile = STANDARD,
        .touches = "target",
        .rest    = "PUT /api/targets/{target}/auth",
        .params  = {
            { "target",      TARGET | MUST, "The target." },
            { "auth_config", OBJECT | MUST, "How to log in, e.g. {\"authType\": \"BEARER\", \"credentialTag\": \"admin\"}.",
              .fields = auth_members },
        },
        .result  = {
            { "id",              NUMBER, "Id of the target." },
            { "name",            TEXT,   "Its name." },
            { "environmentName", TEXT,   "Name of its environment." },
            { "authConfig",      OBJECT, "How tests log in now.", .fields = auth_fields },
        },
    },
    { 0 }
};
// clang-format on
