// SPDX-License-Identifier: Apache-2.0
#include "setup.h"

#include <inttypes.h>
#include <string.h>

#include "base_url.h"
#include "store/applications.h"
#include "store/environments.h"
#include "store/targets.h"

// ---- applications

static bool
has_interface(const json_t *interfaces, const char *name)
{
    for (const json_t *entry = interfaces->first; entry; entry = entry->next)
        if (strcmp(entry->text, name) == 0)
            return true;
    return false;
}

// Nobody wants an application without a type: it follows from what it speaks.
static const char *
inferred_type(const json_t *interfaces)
{
    static const char *const services[] = { "REST", "GRAPHQL", "SOAP", "GRPC", NULL };

    if (has_interface(interfaces, "WEB_UI"))
        return "WEB_APP";
    for (size_t i = 0; services[i]; i++)
        if (has_interface(interfaces, services[i]))
            return "REST_SERVICE";
    return has_interface(interfaces, "MOBILE_UI") ? "MOBILE_APP" : "OTHER";
}

static const char *
provider_of(const char *git_url)
{
    static const struct {
        const char *part, *name;
    } providers[] = { { "github", "GITHUB" },
                      { "gitlab", "GITLAB" },
                      { "bitbucket", "BITBUCKET" } };

    for (size_t i = 0; git_url && i < sizeof providers / sizeof *providers; i++)
        if (strstr(git_url, providers[i].part))
            return providers[i].name;
    return NULL;
}

json_t *
setup_application(exchange_t *x, const json_t *given, int64_t project, bool *existed_p)
{
    const json_t *interfaces = json_get(given, "applicationInterfaces");
    const char *type = json_get_text(given, "applicationType");
    const json_t *old = applications_find(x->store, x->arena, json_get_text(given, "name"));
    const application_t made = {
        .name = json_get_text(given, "name"),
        .app_tag = json_get_text(given, "appTag"),
        .type = type ? type : inferred_type(interfaces),
        .interfaces = interfaces,
        .auth_requirement = json_get_text(given, "authRequirement"),
        .git_url = json_get_text(given, "gitUrl"),
        .git_provider = provider_of(json_get_text(given, "gitUrl")),
        .swagger_path = json_get_text(given, "swaggerPath"),
    };

    *existed_p = old != NULL;
    int64_t id = old ? json_get_int(old, "id", 0) : applications_add(x->store, x->arena, &made);
    applications_link(x->store, id, project);
    return applications_get(x->store, x->arena, id);
}

// ---- environments

static bool
is_variable_name(const char *name)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

    return *name && strchr(first, *name)
           && strspn(name + 1,
                     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.-")
                  == strlen(name + 1);
}

static status_t
check_properties(exchange_t *x, const json_t *properties)
{
    for (const json_t *value = properties ? properties->first : NULL; value;
         value = value->next) {
        if (!is_variable_name(value->key))
            return exchange_refuse(
                x, "properties",
                "has \"%.80s\", which cannot be a variable: letters, digits, "
                "_ . - are allowed, and it begins with a letter",
                value->key);
        if (value->kind == JSON_ARRAY || value->kind == JSON_OBJECT || value->kind == JSON_NULL)
            return exchange_refuse(x, "properties", "must hold texts, \"%.80s\" is none",
                                   value->key);
    }
    return OK;
}

json_t *
setup_environment(exchange_t *x, const json_t *given, int64_t project, bool *existed_p)
{
    const char *name = json_get_text(given, "name");
    const json_t *properties = json_get(given, "properties");
    const json_t *old = environments_find(x->store, x->arena, name);

    if (check_properties(x, properties))
        return NULL;
    *existed_p = old != NULL;
    bool allow_private = json_get_bool(given, "allowPrivate", x->platform->allow_private);
    int64_t id = old ? json_get_int(old, "id", 0)
                     : environments_add(x->store, x->arena, name,
                                        json_get_text(given, "authRequirement"), allow_private,
                                        properties);
    if (project)
        environments_link(x->store, id, project);
    return environments_get(x->store, x->arena, id);
}

// ---- targets

json_t *
setup_old_target(exchange_t *x, int64_t environment, const json_t *given)
{
    json_t *old = targets_named(x->store, x->arena, environment, json_get_text(given, "name"));

    if (old)
        return old;
    const char *url = base_url_clean(x->arena, json_get_text(given, "baseUrl"), &x->why);
    return url ? targets_at(x->store, x->arena, environment, json_get_text(given, "targetType"),
                            url)
               : NULL;
}

static status_t
refuse_target(exchange_t *x, const json_t *old, const json_t *given)
{
    bool is_name = !strcasecmp(json_get_text(old, "name"), json_get_text(given, "name"));

    return fail_coded(&x->why, CONFLICT, is_name ? "DUPLICATE_TARGET" : "DUPLICATE_BASE_URL",
                      "the environment \"%.80s\" has the %s target \"%.80s\" at %.120s already "
                      "(id %" PRId64 ")",
                      json_get_text(old, "environmentName"), json_get_text(old, "targetType"),
                      json_get_text(old, "name"), json_get_text(old, "baseUrl"),
                      json_get_int(old, "id", 0));
}

json_t *
setup_target(exchange_t *x, int64_t environment, const json_t *given)
{
    target_t target = {
        .environment = environment,
        .name = json_get_text(given, "name"),
        .type = json_get_text(given, "targetType"),
        .base_url = base_url_clean(x->arena, json_get_text(given, "baseUrl"), &x->why),
        .app_tag = json_get_text(given, "appTag"),
        .application = json_get_int(given, "applicationId", 0),
    };

    if (!target.base_url)
        return NULL;
    const json_t *old = setup_old_target(x, environment, given);
    if (old)
        return refuse_target(x, old, given), NULL;
    const json_t *application =
        target.application ? applications_get(x->store, x->arena, target.application) : NULL;
    if (target.application && !application)
        return fail_coded(&x->why, NOT_FOUND, "NOT_FOUND",
                          "there is no application with the id %" PRId64, target.application),
               NULL;
    if (!target.app_tag)
        target.app_tag = json_get_text(application, "appTag");
    return targets_get(x->store, x->arena, targets_add(x->store, &target));
}

// ---- what their bodies hold

// clang-format off
const member_t setup_application_members[] = {
    { "name", M_NAME, true, "Name, unique on the platform.", "\"shop-api\"" },
    { "appTag", M_NAME, true, "Short tag by which tests and targets refer to it.", "\"shop\"" },
    { "applicationInterfaces", M_TEXTS, true, "What it speaks.", "[\"REST\"]", INTERFACES, 1, 8 },
    { "applicationType", M_TEXT, .about = "Inferred from the interfaces when absent.",
      .example = "\"REST_SERVICE\"", .one_of = APPLICATION_TYPES },
    { "authRequirement", M_TEXT, .about = "Whether it wants a log-in; as its environments say when "
      "absent.",
      .example = "\"PUBLIC\"", .one_of = REQUIREMENTS },
    { "gitUrl", M_TEXT, .about = "Its repository." },
    { "swaggerPath", M_TEXT, .about = "Where its OpenAPI document is." },
    { 0 }
};

const member_t setup_target_members[] = {
    { "name", M_NAME, true, "Name, unique in the environment.", "\"shop\"" },
    { "targetType", M_TEXT, true, "What is there.", "\"REST_SERVICE\"", TARGET_TYPES },
    { "baseUrl", M_TEXT, true, "Address, without a slash at the end.",
      "\"http://127.0.0.1:8080\"" },
    { "appTag", M_NAME, .about = "Tag of the application that is there.", .example = "\"shop\"" },
    { 0 }
};

const member_t setup_environment_members[] = {
    { "name", M_NAME, true, "Name, unique on the platform.", "\"staging\"" },
    { "authRequirement", M_TEXT, true, "Whether its targets want a log-in.", "\"PUBLIC\"",
      REQUIREMENTS },
    { "targets", M_OBJECTS, .about = "Its targets.", .members = setup_target_members },
    { 0 }
};
// clang-format on
