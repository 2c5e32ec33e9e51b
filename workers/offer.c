// SPDX-License-Identifier: Apache-2.0
#include "offer.h"

#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "call_state.h"
#include "catalogue.h"
#include "complete.h"
#include "limits.h"
#include "rest.h"
#include "schema.h"
#include "uri_template.h"

enum { TOOL_NAME_MAX = 64 };  // clients take no longer ones; our own keep to 40

// A walk through the tables of all categories; `category` is that of the latest thing found.
typedef struct {
    const category_t *const *category;
    const tool_t *const *table;
    const tool_t *tool;
    const template_t *template;
    const resource_t *resource;
    const prompt_t *prompt;
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

static const resource_t *
next_resource(walk_t *self)
{
    for (; *self->category; self->category++, self->resource = NULL) {
        self->resource = self->resource ? self->resource + 1 : (*self->category)->resources;
        if (self->resource && self->resource->uri)
            return self->resource;
    }
    return NULL;
}

static const prompt_t *
next_prompt(walk_t *self)
{
    for (; *self->category; self->category++, self->prompt = NULL) {
        self->prompt = self->prompt ? self->prompt + 1 : (*self->category)->prompts;
        if (self->prompt && self->prompt->name)
            return self->prompt;
    }
    return NULL;
}

static bool
is_tool_name(const char *name)
{
    const size_t length = strlen(name);

    return length >= 1 && length <= TOOL_NAME_MAX && name[0] >= 'a' && name[0] <= 'z'
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
        const bool is_said = KIND_IS_REFERENCE(kind) && !field->about;
        if (!kind || kind > TARGET || (!is_said && (!field->about || !*field->about)))
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
    if (!tool->result[0].name != tool->plain)
        return fail(why, BAD_ARGS, "%s needs either a result or plain", tool->name);
    if (tool->input_schema && (tool->params[0].name || tool->rest))
        return fail(why, BAD_ARGS, "%s has a schema and params or rest", tool->name);
    if (tool->quick && (tool->rest || has_references(tool)))
        return fail(why, BAD_ARGS, "%s cannot be quick: it does I/O", tool->name);
    if (check_fields(tool, tool->params, why) || check_fields(tool, tool->result, why))
        return why->status;
    return tool->rest ? check_rest(tool, why) : OK;
}

static status_t
check_template(const template_t *template, failure_t *why)
{
    const char *open = strchr(template->uri, '{');

    if (!open || !strchr(open, '}'))
        return fail(why, BAD_ARGS, "%s needs one variable", template->uri);
    if (!template->rest == !template->run || (template->rest && !strchr(template->rest, '}')))
        return fail(why, BAD_ARGS, "%s needs either rest with the variable or run",
                    template->uri);
    if (template->completes && !complete_knows(template->completes))
        return fail(why, BAD_ARGS, "%s: there is no kind %s", template->uri,
                    template->completes);
    return OK;
}

static status_t
check_prompt(const prompt_t *prompt, failure_t *why)
{
    if (!is_tool_name(prompt->name) || !prompt->title || !prompt->about || !prompt->run)
        return fail(why, BAD_ARGS, "the prompt %s lacks a name, title, about or run",
                    prompt->name);
    for (const argument_t *argument = prompt->arguments; argument->name; argument++)
        if (!argument->about || (argument->completes && !complete_knows(argument->completes)))
            return fail(why, BAD_ARGS, "%s: %s has no description or an unknown kind",
                        prompt->name, argument->name);
    return OK;
}

// What is no tool.
static status_t
check_others(const category_t *const *categories, failure_t *why)
{
    walk_t walk = walk_begin(categories);
    const template_t *template;
    const resource_t *resource;
    const prompt_t *prompt;

    while ((template = next_template(&walk)))
        if (check_template(template, why))
            return why->status;
    walk = walk_begin(categories);
    while ((resource = next_resource(&walk)))
        if (!resource->name || !resource->mime || !resource->run)
            return fail(why, BAD_ARGS, "%s lacks name, mime or run", resource->uri);
    walk = walk_begin(categories);
    while ((prompt = next_prompt(&walk)))
        if (check_prompt(prompt, why))
            return why->status;
    return OK;
}

status_t
offer_check(const category_t *const *categories, failure_t *why)
{
    walk_t tools = walk_begin(categories);
    const tool_t *tool;

    while ((tool = next_tool(&tools))) {
        if (check_tool(tool, why))
            return why->status;
        if (offer_tool(categories, tool->name) != tool)
            return fail(why, BAD_ARGS, "there are two tools %s", tool->name);
    }
    return check_others(categories, why);
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
offer_template(const category_t *const *categories, const char *uri)
{
    walk_t walk = walk_begin(categories);
    const template_t *template;
    size_t size;

    while ((template = next_template(&walk)))
        if (uri_template_find(template->uri, uri, &size))
            break;
    return template;
}

const template_t *
offer_template_itself(const category_t *const *categories, const char *uri)
{
    walk_t walk = walk_begin(categories);
    const template_t *template;

    while ((template = next_template(&walk)))
        if (!strcmp(template->uri, uri))
            break;
    return template;
}

const resource_t *
offer_resource(const category_t *const *categories, const char *uri)
{
    walk_t walk = walk_begin(categories);
    const resource_t *resource;

    while ((resource = next_resource(&walk)))
        if (!strcmp(resource->uri, uri))
            break;
    return resource;
}

const prompt_t *
offer_prompt(const category_t *const *categories, const char *name)
{
    walk_t walk = walk_begin(categories);
    const prompt_t *prompt;

    while ((prompt = next_prompt(&walk)))
        if (!strcmp(prompt->name, name))
            break;
    return prompt;
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
        .quick = tool->quick,
    };
}

static entry_msg_t
entry_of(arena_t *arena, const char *kind, const category_t *category, const char *name,
         const json_t *schema)
{
    return (entry_msg_t){
        .kind = kind,
        .category = category->name,
        .name = name,
        .json = json_text(arena, schema),
        .effect = effect_name(READS),
        .budget_ms = CALL_MS,
        .profile = profile_name(CORE),
    };
}

static size_t
add_others(const category_t *const *categories, arena_t *arena, entry_msg_t *entries,
           size_t count)
{
    walk_t walk = walk_begin(categories);
    const template_t *template;
    const resource_t *resource;
    const prompt_t *prompt;

    while (count < CATALOGUE_ENTRIES_MAX && (template = next_template(&walk)))
        entries[count++] = entry_of(arena, "template", *walk.category, template->uri,
                                    schema_of_template(arena, template));
    walk = walk_begin(categories);
    while (count < CATALOGUE_ENTRIES_MAX && (resource = next_resource(&walk)))
        entries[count++] = entry_of(arena, "resource", *walk.category, resource->uri,
                                    schema_of_resource(arena, resource));
    walk = walk_begin(categories);
    while (count < CATALOGUE_ENTRIES_MAX && (prompt = next_prompt(&walk)))
        entries[count++] = entry_of(arena, "prompt", *walk.category, prompt->name,
                                    schema_of_prompt(arena, prompt));
    return count;
}

// The entries live in the arena.
static size_t
make_entries(const category_t *const *categories, arena_t *arena, entry_msg_t **entries_p)
{
    entry_msg_t *entries = arena_alloc(arena, CATALOGUE_ENTRIES_MAX * sizeof *entries);
    walk_t tools = walk_begin(categories);
    const tool_t *tool;
    size_t count = 0;

    while (count < CATALOGUE_ENTRIES_MAX && (tool = next_tool(&tools)))
        entries[count++] = entry_of_tool(arena, *tools.category, tool);
    *entries_p = entries;
    return add_others(categories, arena, entries, count);
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
