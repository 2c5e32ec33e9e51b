// SPDX-License-Identifier: Apache-2.0
#include "environments/environments.h"

// clang-format off
static const field_t credential_fields[] = {
    { "tag",       TEXT,        "Name by which tests refer to it." },
    { "kinds",     TEXT | MANY, "What it holds: password, token, apiKey." },
    { "username",  TEXT,        "User name, where there is one." },
    { "isDefault", FLAG,        "True when tests use it that name none." },
    { "active",    FLAG,        "False when it is switched off." },
    { 0 }
};

const tool_t environments_credentials[] = {
    {
        .name    = "add_environment_credential",
        .title   = "Store a login",
        .about   = "Store a login of an environment in the vault; tests refer to it by its tag and no tool shows it "
                   "again. Ask the user for the values, or use secret_ref so that the secret never passes through you.",
        .effect  = WRITES,
        .profile = STANDARD,
        .rest    = "POST /api/environments/{environment}/credentials",
        .params  = {
            { "environment", ENVIRONMENT | MUST, "Environment that it is for." },
            { "tag",         TEXT | MUST,        "Name by which tests refer to it, e.g. admin.", .max = 100 },
            { "username",    TEXT,               "User name.", .max = 500 },
            { "password",    TEXT | SECRET,      "Password.", .max = 4000 },
            { "token",       TEXT | SECRET,      "Token that is sent as it is.", .max = 8000 },
            { "api_key",     TEXT | SECRET,      "API key.", .max = 8000 },
            { "secret_ref",  TEXT,               "Variable that the agent reads when it runs, e.g. env:SHOP_PASSWORD.", .max = 200 },
            { "is_default",  FLAG,               "Use it where a test names none." },
        },
        .result  = {
            { "tag",           TEXT,        "Name by which tests refer to it." },
            { "kinds",         TEXT | MANY, "What it holds: password, token, apiKey." },
            { "username",      TEXT,        "User name." },
            { "isDefault",     FLAG,        "True when tests use it that name none." },
            { "active",        FLAG,        "True." },
            { "environmentId", NUMBER,      "Id of its environment." },
            { "environment",   TEXT,        "Name of its environment." },
        },
    },
    {
        .name    = "list_environment_credentials",
        .title   = "List logins",
        .about   = "List the saved logins of an environment: tags, kinds and states, never secrets. Use a tag as "
                   "credential_tag in execute_scenario or run_by_tag.",
        .effect  = READS,
        .profile = STANDARD,
        .rest    = "GET /api/environments/{environment}/credentials",
        .params  = {
            { "environment", ENVIRONMENT | MUST, "The environment." },
        },
        .result  = {
            { "environment", TEXT,          "Name of the environment." },
            { "credentials", OBJECT | MANY, "Its logins.", .fields = credential_fields },
            { "total",       NUMBER,        "How many there are." },
            { "returned",    NUMBER,        "How many are in this answer." },
        },
    },
    {
        .name    = "set_environment_credential_active",
        .title   = "Switch a login on or off",
        .about   = "Switch a saved login on or off. A test that names one that is off is refused, never run "
                   "with another.",
        .effect  = WRITES,
        .profile = FULL,
        .rest    = "PATCH /api/environments/{environment}/credentials/{tag}",
        .params  = {
            { "environment", ENVIRONMENT | MUST, "The environment." },
            { "tag",         TEXT | MUST,        "Tag of the login; list_environment_credentials has them.", .max = 100 },
            { "active",      FLAG | MUST,        "True switches it on, false off." },
        },
        .result  = {
            { "tag",           TEXT,        "Name by which tests refer to it." },
            { "kinds",         TEXT | MANY, "What it holds." },
            { "username",      TEXT,        "User name." },
            { "isDefault",     FLAG,        "True when tests use it that name none." },
            { "active",        FLAG,        "Its state now." },
        },
    },
    { 0 }
};
// clang-format on
