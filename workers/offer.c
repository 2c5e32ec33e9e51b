// SPDX-License-Identifier: Apache-2.0
#include "offer.h"

#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "call_state.h"
#include "catalogue.h"
#include "limits.h"
#include "rest.h"
#include "schema.h"

// A walk through the tables of all categories; `category` is that of the latest thing found.
typedef struct {
    const category_t *const *category;
    const tool_t *const *table;
    const tool_t *tool;
    const template_t *template;
} walk_t;

static walk_t
walk_begin(const category_t *const *categories)
{
    return (walk_t){ .category = categories };
}

// The next tool; NULL after the last of all categories.
static const tool_t *
next_tool(walk_t *self)
{
    for (; *self->category; self->category++, self->table = NULL) {
        if (!self->table) {
            self->table = (*self->category)->tables;
            self->tool = *self->table;
        } else if (self->tool) {
            self->tool++;
        }
        while (*self->table && !self->tool->name) {
            self->table++;
            self->tool = *self->table;
        }
        if (*self->table)
            return self->tool;
    }
    return NULL;
}

static const template_t *
next_template(walk_t *self)
{
    for (; *self->category; self->category++, self->template = NULL) {
        self->template = self->template ? self->template + 1 : (*self->category)->templates;
        if (self->template && self->template->uri)
            return self->template;
    }
    return NULL;
}

static bool
is_tool_name(const char *name)
{
    const size_t length = strlen(name);

    return length >= 1 && length <= 40 && name[0] >= 'a' && name[0] <= 'z'
           && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

static const field_t *
find_param(const tool_t *tool, const char *name, size_t length)
{
    for (const field_t *param = tool->params; param->name; param++)
        if (strlen(param->name) == length && !strncmp(param->name, name, length))
            return param;
    return NULL;
}

static status_t
check_rest(const tool_t *tool, failure_t *why)
{
    for (const char *open = strchr(tool->rest, '{'); open; open = strchr(open + 1, '{')) {
        const size_t length = strcspn(open + 1, "}");
        const field_t *param = find_param(tool, open + 1, length);
        if (!param || !(param->kind & MUST) || param->kind & MANY)
            return fail(why, BAD_ARGS, "%s: {%.*s} is no MUST parameter", tool->name,
                        (int) length, open + 1);
    }
    return OK;
}

static status_t
check_fields(const tool_t *tool, const field_t *fields, failure_t *why)
{
    for (const field_t *field = fields; field->name; field++) {
        const int kind = field->kind & KIND_MASK;
        if (!kind || kind > TARGET || !field->about || !*field->about)
            return fail(why, BAD_ARGS, "%s: %s has no kind or no description", tool->name,
                        field->name);
        if (KIND_IS_REFERENCE(kind) && field->kind & MANY)
            return fail(why, BAD_ARGS, "%s: %s refers to many", tool->name, field->name);
        if (field->fields && check_fields(tool, field->fields, why))
            return why->status;
    }
    return OK;
}

static bool
has_references(const tool_t *tool)
{
    for (const field_t *param = tool->params; param->name; param++)
        if (KIND_IS_REFERENCE(param->kind))
            return true;
    return tool->by_tag;
}

static status_t
check_tool(const tool_t *tool, failure_t *why)
{
    if (!is_tool_name(tool->name))
        return fail(why, BAD_ARGS, "%s is no name of a tool", tool->name);
    if (!tool->title || !tool->about || !tool->effect || !tool->profile)
        return fail(why, BAD_ARGS, "%s lacks title, about, effect or profile", tool->name);
    if (!tool->rest == !tool->run)
        return fail(why, BAD_ARGS, "%s needs either rest or run", tool->name);
    if (!tool->result[0].name)
        return fail(why, BAD_ARGS, "%s has no result", tool->name);
    if (tool->quick && (tool->rest || has_references(tool)))
        return fail(why, BAD_ARGS, "%s cannot be quick: it does I/O", tool->name);
    if (check_fields(tool, tool->params, why) || check_fields(tool, tool->result, why))
        return why->status;
    return tool->rest ? check_rest(tool, why) : OK;
}

status_t
offer_check(const category_t *const *categories, failure_t *why)
{
    walk_t tools = walk_begin(categories);
    walk_t templates = walk_begin(categories);
    const template_t *template;
    const tool_t *tool;

    while ((tool = next_tool(&tools))) {
        if (check_tool(tool, why))
            return why->status;
        if (offer_tool(categories, tool->name) != tool)
            return fail(why, BAD_ARGS, "there are two tools %s", tool->name);
    }
    while ((template = next_template(&templates)))
        if (!strchr(template->uri, '}') || !strchr(template->rest, '}'))
            return fail(why, BAD_ARGS, "%s needs one variable", template->uri);
    return OK;
}

const tool_t *
offer_tool(const category_t *const *categories, const char *name)
{
    walk_t walk = walk_begin(categories);
    const tool_t *tool;

    while ((tool = next_tool(&walk)))
        if (!strcmp(tool->name, name))
            break;
    return tool;
}

const template_t *
offer_template(const category_t *const *categories, arena_t *arena, const char *uri)
{
    walk_t walk = walk_begin(categories);
    const template_t *template;

    while ((template = next_template(&walk)))
        if (rest_match(arena, template, uri))
            break;
    return template;
}

static entry_msg_t
entry_of_tool(arena_t *arena, const category_t *category, const tool_t *tool)
{
    return (entry_msg_t){
        .kind = "tool",
        .category = category->name,
        .name = tool->name,
        .json = json_text(arena, schema_of_tool(arena, tool)),
        .effect = effect_name(tool->effect),
        .budget_ms = call_budget(tool),
        .profile = profile_name(tool->profile),
    };
}

static entry_msg_t
entry_of_template(arena_t *arena, const category_t *category, const template_t *template)
{
    return (entry_msg_t){
        .kind = "template",
        .category = category->name,
        .name = template->uri,
        .json = json_text(arena, schema_of_template(arena, template)),
        .effect = effect_name(READS),
        .budget_ms = CALL_MS,
        .profile = profile_name(CORE),
    };
}

// The entries live in the arena.
static size_t
make_entries(const category_t *const *categories, arena_t *arena, entry_msg_t **entries_p)
{
    entry_msg_t *entries = arena_alloc(arena, CATALOGUE_ENTRIES_MAX * sizeof *entries);
    walk_t tools = walk_begin(categories);
    walk_t templates = walk_begin(categories);
    const template_t *template;
    const tool_t *tool;
    size_t count = 0;

    while (count < CATALOGUE_ENTRIES_MAX && (tool = next_tool(&tools)))
        entries[count++] = entry_of_tool(arena, *tools.category, tool);
    while (count < CATALOGUE_ENTRIES_MAX && (template = next_template(&templates)))
        entries[count++] = entry_of_template(arena, *templates.category, template);
    *entries_p = entries;
    return count;
}

void
offer_pack(const category_t *const *categories, void **bytes_p, size_t *size_p)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    entry_msg_t *entries;
    const size_t count = make_entries(categories, arena, &entries);

    catalogue_pack(entries, count, bytes_p, size_p);
}

void
offer_print_list(const category_t *const *categories, FILE *out)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    entry_msg_t *entries;
    const size_t count = make_entries(categories, arena, &entries);

    for (size_t i = 0; i < count; i++)
        fprintf(out, "%-14s %-36s %-8s %s\n", entries[i].category, entries[i].name,
                entries[i].effect, entries[i].profile);
}

void
offer_print_schemas(const category_t *const *categories, FILE *out)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    entry_msg_t *entries;
    const size_t count = make_entries(categories, arena, &entries);

    for (size_t i = 0; i < count; i++)
        fprintf(out,
                "{\"category\":\"%s\",\"kind\":\"%s\",\"effect\":\"%s\",\"profile\":\"%s\","
                "\"budgetMs\":%lld,\"entry\":%s}\n",
                entries[i].category, entries[i].kind, entries[i].effect, entries[i].profile,
                (long long) entries[i].budget_ms, entries[i].json);
}
