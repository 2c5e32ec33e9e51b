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
        .title   = "Add target",
        .about   = "Add an address to test, one per environment, address and type.",
        .effect  = WRITES,
        .profile = STANDARD,
        .touches = "target",
        .rest    = "POST /api/environments/{environment}/targets",
        .params  = {
            { "environment", ENVIRONMENT | MUST },
            { "name",        TEXT | MUST,        "Unique in the environment.", .max = 200 },
            { "target_type", TEXT | MUST,        "What answers.", .one_of = "WEB_APP|REST_SERVICE" },
            { "base_url",    TEXT | MUST,        "E.g. https://shop.example.com/api.", .max = 2000 },
            { "app_tag",     TEXT,               "Scenarios find it by this.", .max = 100 },
            { "application", APPLICATION },
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
        .about   = "List addresses to test, of one environment, one project or all.",
        .effect  = READS,
        .profile = CORE,
        .rest    = "GET /api/targets",
        .params  = {
            { "environment", ENVIRONMENT },
            { "project",     PROJECT },
            { "limit",       NUMBER,      "Default 100.", .min = 1, .max = 500 },
            { "cursor",      TEXT,        "Last nextCursor." },
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
        .title   = "Set log-in to target",
        .about   = "Set how tests log in to a target; add_environment_credential stores the login.",
        .effect  = WRITES,
        .profile = STANDARD,
        .touches = "target",
        .rest    = "PUT /api/targets/{target}/auth",
        .params  = {
            { "target",      TARGET | MUST },
            { "auth_config", OBJECT | MUST | BRIEF,
              "{authType: UI_LOGIN, BEARER, COOKIE, HEADER, BASIC or NONE, credentialTag}.",
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
