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
        .title   = "Store login",
        .about   = "Store a login in the vault; tests name its tag, no tool shows it. Ask the user for it, or use "
                   "secret_ref.",
        .effect  = WRITES,
        .profile = STANDARD,
        .rest    = "POST /api/environments/{environment}/credentials",
        .params  = {
            { "environment", ENVIRONMENT | MUST },
            { "tag",         TEXT | MUST,        "E.g. admin.", .max = 100 },
            { "username",    TEXT,               "User name.", .max = 500 },
            { "password",    TEXT | SECRET,      "Password.", .max = 4000 },
            { "token",       TEXT | SECRET,      "Sent as it is.", .max = 8000 },
            { "api_key",     TEXT | SECRET,      "API key.", .max = 8000 },
            { "secret_ref",  TEXT,               "Read by the agent, e.g. env:SHOP_PASSWORD.", .max = 200 },
            { "is_default",  FLAG,               "For tests that name none." },
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
        .about   = "List saved logins, never secrets; execute_scenario and others take a tag as credential_tag.",
        .effect  = READS,
        .profile = STANDARD,
        .rest    = "GET /api/environments/{environment}/credentials",
        .params  = {
            { "environment", ENVIRONMENT | MUST },
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
        .title   = "Switch login on or off",
        .about   = "Switch a saved login on or off; tests naming one that is off are refused.",
        .effect  = WRITES,
        .profile = FULL,
        .rest    = "PATCH /api/environments/{environment}/credentials/{tag}",
        .params  = {
            { "environment", ENVIRONMENT | MUST },
            { "tag",         TEXT | MUST,        "See list_environment_credentials.", .max = 100 },
            { "active",      FLAG | MUST,        "False: off." },
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
