// SPDX-License-Identifier: Apache-2.0
// HTML from untrusted text. Characters that a page cannot or should not hold (controls, marks
// that turn the direction of writing, noncharacters) are shown as \x12 or \u202e.

#ifndef PROOFARC_PLATFORM_HTML_H
#define PROOFARC_PLATFORM_HTML_H

#include "json.h"

// Appends text, escaped for element content and quoted attributes.
void html_text(buffer_t *out, const char *text, size_t length);

// The same for a C string; NULL appends nothing.
void html_string(buffer_t *out, const char *text);

// Appends a value as indented JSON with spans of class k (key), s, n and l (true, false, null).
void html_json(buffer_t *out, const json_t *value);

#endif
