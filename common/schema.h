// SPDX-License-Identifier: Apache-2.0
// The entries of tools/list and resources/templates/list, made from the rows.

#ifndef PROOFARC_SCHEMA_H
#define PROOFARC_SCHEMA_H

#include "json.h"
#include "tool.h"

// {name, title, description, inputSchema, outputSchema, annotations} for the newest protocol
// version. Rules of docs/architecture.md (Schemas): type object at the top, no combinators, no
// type unions, `items` on every array, every property described, no reference in `required`;
// the narrowing's and error's fields are part of the outputSchema and nothing in it is required.
json_t *schema_of_tool(arena_t *arena, const tool_t *tool);

// {uriTemplate, name, title, description, mimeType}
json_t *schema_of_template(arena_t *arena, const template_t *template);

// {uri, name, title, description, mimeType}
json_t *schema_of_resource(arena_t *arena, const resource_t *resource);

// {name, title, description, arguments: [{name, description, required}]}
json_t *schema_of_prompt(arena_t *arena, const prompt_t *prompt);

// Words of the wire for the enums.
const char *effect_name(effect_t effect);     // "reads" …
const char *profile_name(profile_t profile);  // "core" …
const char *kind_name(int kind);              // "project", "environment", … for references

#endif
