// SPDX-License-Identifier: Apache-2.0
// tools/list, resources/list, resources/templates/list, prompts/list: in pages, each with a cursor
// to the next.

#ifndef PROOFARC_MCP_LISTS_H
#define PROOFARC_MCP_LISTS_H

#include "mcp/exchange.h"

bool lists_check_cursor(request_t *request);
void lists_send_tools(request_t *request);
void lists_send_resources(request_t *request);
void lists_send_templates(request_t *request);
void lists_send_prompts(request_t *request);

#endif
