// SPDX-License-Identifier: Apache-2.0
// The tables of this category. Names and texts are those that the suites look for.

#ifndef PROOFARC_FIXTURES_H
#define PROOFARC_FIXTURES_H

#include "call.h"

extern const tool_t content_tools[], talking_tools[], asking_tools[], task_tools[];
extern const template_t fixture_templates[];
extern const resource_t fixture_resources[];
extern const prompt_t fixture_prompts[];

// One pixel, and no sound at all.
#define PIXEL                                                                                  \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5"  \
    "ErkJggg=="
#define SILENCE "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

// Answers with this text as the only block.
void say(call_t *call, const char *text);

// A form with one text field is asked for: what was filled in, or NULL in a round without it.
const char *ask_text(call_t *call, const char *key, const char *message, const char *member);

// The parameters of a form, or of a question to the client's model.
json_t *form_of(call_t *call, const char *message, const char *schema);
json_t *sampling_of(call_t *call, const char *prompt, int tokens);

#endif
