// SPDX-License-Identifier: Apache-2.0
// What is sent to the brokers and comes back: tools, resources, prompts, completions, tasks.

#ifndef PROOFARC_MCP_INVOKE_H
#define PROOFARC_MCP_INVOKE_H

#include "mcp/exchange.h"
#include "messages.h"

// Looks at the parameters. False: the request has been answered.
bool invoke_check_tool(request_t *request);
bool invoke_check_resource(request_t *request);
bool invoke_check_prompt(request_t *request);
bool invoke_check_complete(request_t *request);
bool invoke_check_task(request_t *request);

// Answers with an error if the client has not declared the extension of tasks.
bool invoke_has_tasks(request_t *request);

// True if it is known already what is called: no need to wait for the other categories.
bool invoke_knows_tool(const request_t *request);

// Sends the call. The catalogue and a broker are there.
void invoke_tool(request_t *request);
void invoke_resource(request_t *request);
void invoke_prompt(request_t *request);
void invoke_complete(request_t *request);
void invoke_task(request_t *request);

// Asks for the task of this id, on behalf of a request that goes on. What the call needs lives in
// `arena` and has to outlive it. Nothing happens when no broker is there.
void invoke_look_at_task(request_t *request, arena_t *arena, const char *id);

// Sends it once more, with what the client has answered to a question.
void invoke_again(request_t *request);

// The call was not sent, or cannot go on: answers with this failure, in the form of its method.
void invoke_fail(request_t *request, status_t status, outcome_t outcome, const char *text);

// The same for a capability that the client did not declare: {"requiredCapabilities": {…}}.
void invoke_lacks(request_t *request, const char *needed);

// Answers a tool that is one of our own.
void invoke_succeed(request_t *request, const char *json);

// What the link hands back.
void invoke_answer(request_t *request, const answer_msg_t *answer, const char *body,
                   size_t size);
void invoke_progress(request_t *request, const progress_msg_t *progress);
void invoke_log(request_t *request, const log_msg_t *log);

// The client has withdrawn the call, or has gone: what becomes of a write is unknown to it.
void invoke_abandoned(request_t *request);

#endif
