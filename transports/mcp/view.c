// SPDX-License-Identifier: Apache-2.0
#include "mcp/view.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "auto.h"

static const char *const profiles[] = { "core", "standard", "wide", "full" };

static const char read_only_profile[] = "readonly";

static size_t
rank_of(const char *profile)
{
    for (size_t i = 0; i < ROWS(profiles); i++)
        if (!strcmp(profile, profiles[i]))
            return i;
    return 0;
}

bool
view_is_profile(const char *name)
{
    return !strcmp(name, read_only_profile) || rank_of(name) || !strcmp(name, profiles[0]);
}

void
view_set_profile(view_t *self, const char *name)
{
    if (!strcmp(name, read_only_profile))
        self->is_read_only = true;
    else
        self->profile = name;
}

// A word that stands for neither could be meant as either, and then a write would be let through.
static bool
read_flag(const char *text, bool *is_true_p)
{
    static const char *const words[] = { "false", "0", "true", "1" };

    for (size_t i = 0; i < ROWS(words); i++)
        if (!strcasecmp(text, words[i])) {
            *is_true_p = i >= ROWS(words) / 2;
            return true;
        }
    return false;
}

const char *
view_read(view_t *self, const char *(*header)(const char *name, void *arg), void *arg)
{
    const char *profile = header("X-Proofarc-Profile", arg);
    const char *reads = header("X-Proofarc-Read-Only", arg);

    self->categories = header("X-Proofarc-Categories", arg);
    self->tools = header("X-Proofarc-Tools", arg);
    self->exclude = header("X-Proofarc-Exclude", arg);
    if (reads && !read_flag(reads, &self->is_read_only))
        return "X-Proofarc-Read-Only is true or false.";
    if (profile && !view_is_profile(profile))
        return "Profiles are core, standard, wide, full and readonly.";
    if (profile)
        view_set_profile(self, profile);
    return NULL;
}

static char *
copy(const char *text)
{
    char *made = text ? strdup(text) : NULL;

    assert(!text || made);
    return made;
}

view_t *
view_copy(const view_t *self)
{
    view_t *made = self ? malloc(sizeof *made) : NULL;

    if (!self)
        return NULL;
    assert(made);
    *made = (view_t){
        .profile = copy(self->profile),
        .categories = copy(self->categories),
        .tools = copy(self->tools),
        .exclude = copy(self->exclude),
        .is_read_only = self->is_read_only,
    };
    return made;
}

void
view_destroy(view_t **self_p)
{
    view_t *self = *self_p;

    if (!self)
        return;
    free((char *) self->profile);
    free((char *) self->categories);
    free((char *) self->tools);
    free((char *) self->exclude);
    free(self);
    *self_p = NULL;
}

static bool
is_given(const char *list)
{
    return list && *list;
}

static bool
holds(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        at += strspn(at, " ");
        size_t size = strcspn(at, ", ");
        if (size == length && !strncmp(at, word, length))
            return true;
    }
    return false;
}

bool
view_allows(const view_t *self, const entry_msg_t *entry)
{
    if (!self)
        return true;
    if (self->is_read_only && strcmp(entry->effect, "reads") != 0)
        return false;
    if (is_given(self->categories) && !holds(self->categories, entry->category))
        return false;
    return !is_given(self->exclude)
           || (!holds(self->exclude, entry->name) && !holds(self->exclude, entry->category));
}

bool
view_shows(const view_t *self, const entry_msg_t *entry)
{
    if (!self)
        return true;
    if (!view_allows(self, entry))
        return false;
    if (is_given(self->tools))
        return holds(self->tools, entry->name);
    return !self->profile || rank_of(entry->profile) <= rank_of(self->profile);
}

bool
view_hides(const view_t *self)
{
    return self
           && (is_given(self->tools)
               || (self->profile && rank_of(self->profile) < ROWS(profiles) - 1));
}
