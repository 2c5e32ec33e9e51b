// SPDX-License-Identifier: Apache-2.0
#include "choice.h"

#include <inttypes.h>
#include <string.h>

#include "authoring.h"
#include "auto.h"
#include "base_url.h"
#include "store/applications.h"
#include "store/credentials.h"
#include "store/targets.h"

// ---- target

static bool
is_service(const json_t *target)
{
    return strcmp(json_get_text(target, "targetType"), "REST_SERVICE") == 0;
}

// "a (http://…), b (http://…)"
static const char *
listed(arena_t *arena, const json_t *targets)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    for (const json_t *target = targets->first; target; target = target->next)
        buffer_printf(&out, "%s%s (%s)", out.size ? ", " : "", json_get_text(target, "name"),
                      json_get_text(target, "baseUrl"));
    return arena_strndup(arena, out.bytes, out.size);
}

static bool
has_own_address(const json_t *definition)
{
    const char *base_url = json_get_text(definition, "baseUrl");

    return base_url && base_url_is_absolute(base_url);
}

// Services come before web applications; of one kind there must be one alone.
static status_t
choose_target(exchange_t *x, choice_t *choice)
{
    const char *app_tag = json_get_text(choice->scenario, "appTag");
    const char *where = json_get_text(choice->environment, "name");
    const json_t *targets =
        targets_for(x->store, x->arena, json_get_int(choice->environment, "id", 0), app_tag);
    const json_t *first = targets->first, *second = first ? first->next : NULL;
    const char *among =
        app_tag ? arena_printf(x->arena, " with the appTag \"%.80s\"", app_tag) : "";
    bool is_free = has_own_address(choice->definition);

    if (!first && !is_free)
        return fail_coded(&x->why, BAD_ARGS, "TARGET_NOT_FOUND",
                          "the environment \"%.80s\" has no target%s; add one, or give the "
                          "scenario a baseUrl",
                          where, among);
    bool is_alone = first && (!second || is_service(first) != is_service(second));
    if (!is_alone && !is_free)
        return fail_coded(&x->why, BAD_ARGS, "TARGET_AMBIGUOUS",
                          "several targets of \"%.80s\" fit%s: %.200s; give the scenario an "
                          "appTag that selects one",
                          where, among, listed(x->arena, targets));
    choice->target = is_alone ? first : NULL;
    return OK;
}

// ---- log-in

static status_t
refuse_tag(exchange_t *x, const choice_t *choice, const char *tag, const json_t *found)
{
    return fail_coded(&x->why, BAD_ARGS, "CREDENTIAL_TAG_NOT_FOUND",
                      found
                          ? "the log-in \"%.80s\" of \"%.80s\" is DEACTIVATED; switch it on or "
                            "name another one"
                          : "there is no log-in \"%.80s\" in \"%.80s\"; store one there or "
                            "name another one",
                      tag, json_get_text(choice->environment, "name"));
}

static const json_t *
tagged(const json_t *all, const char *tag)
{
    for (const json_t *one = all->first; one; one = one->next)
        if (strcasecmp(json_get_text(one, "tag"), tag) == 0)
            return one;
    return NULL;
}

// The tag that is named first: by the run, the scenario, the target.
static const char *
named_tag(const choice_t *choice)
{
    const char *saved = json_get_text(choice->scenario, "credentialTag");

    if (choice->credential_tag)
        return choice->credential_tag;
    return saved ? saved
                 : json_get_text(json_get(choice->target, "authConfig"), "credentialTag");
}

static bool
is_public(exchange_t *x, const choice_t *choice)
{
    const char *app_tag = json_get_text(choice->scenario, "appTag");
    const char *requirement = json_get_text(choice->environment, "authRequirement");

    if (strcmp(requirement, "PUBLIC") == 0)
        return true;
    return app_tag && applications_are_public(x->store, app_tag);
}

// Whether requests would be logged in without the scenario saying so.
static bool
has_login(const choice_t *choice)
{
    const json_t *endpoint = json_get(choice->environment, "authEndpoint");
    const char *type = json_get_text(json_get(choice->target, "authConfig"), "authType");

    if (type)
        return strcmp(type, "NONE") != 0;
    return endpoint && endpoint->kind == JSON_OBJECT;
}

static status_t
refuse_several(exchange_t *x, const choice_t *choice, const json_t *all)
{
    AUTO(buffer_clear) buffer_t tags = { 0 };

    for (const json_t *one = all->first; one; one = one->next)
        if (json_get_bool(one, "active", false))
            buffer_printf(&tags, "%s%s", tags.size ? ", " : "", json_get_text(one, "tag"));
    return fail_coded(&x->why, BAD_ARGS, "CREDENTIAL_AMBIGUOUS",
                      "the environment \"%.80s\" has several log-ins and no default: %.250s; "
                      "name one of these tags",
                      json_get_text(choice->environment, "name"), tags.bytes);
}

// Nobody named a log-in: the default, or the only one there is.
static status_t
choose_unnamed(exchange_t *x, choice_t *choice, const json_t *all)
{
    const json_t *active = NULL, *fallback = NULL;
    size_t count = 0;

    for (const json_t *one = all->first; one; one = one->next) {
        bool is_active = json_get_bool(one, "active", false);
        count += is_active;
        active = is_active ? one : active;
        fallback = json_get_bool(one, "isDefault", false) ? one : fallback;
    }
    bool uses = authoring_uses_secrets(x->arena, choice->definition);
    bool is_open = is_public(x, choice) && !uses;
    bool is_off = fallback && !json_get_bool(fallback, "active", false);
    if (fallback && !is_off)
        active = fallback;
    if (active && (count == 1 || active == fallback) && !is_off) {
        choice->credential = active;
        return OK;
    }
    if (is_open || choice->allow_unauthenticated)
        return OK;
    if (is_off)
        return refuse_tag(x, choice, json_get_text(fallback, "tag"), fallback);
    if (count > 1)
        return refuse_several(x, choice, all);
    if (!uses && !has_login(choice))
        return OK;
    return fail_coded(&x->why, BAD_ARGS, "CREDENTIAL_TAG_NOT_FOUND",
                      "the environment \"%.80s\" has no log-in that could be used; store one, "
                      "or run with allowUnauthenticated",
                      json_get_text(choice->environment, "name"));
}

static status_t
choose_credential(exchange_t *x, choice_t *choice)
{
    const json_t *all =
        credentials_of(x->store, x->arena, json_get_int(choice->environment, "id", 0));
    const char *tag = named_tag(choice);

    if (!tag)
        return choose_unnamed(x, choice, all);
    const json_t *found = tagged(all, tag);
    if (!found || !json_get_bool(found, "active", false))
        return refuse_tag(x, choice, tag, found);
    choice->credential = found;
    return OK;
}

status_t
choice_make(exchange_t *x, choice_t *choice)
{
    if (choose_target(x, choice))
        return x->why.status;
    return choose_credential(x, choice);
}
