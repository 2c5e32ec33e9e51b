// SPDX-License-Identifier: Apache-2.0
// The tables of this category, one per noun.

#ifndef PROOFARC_API_AUTHORING_H
#define PROOFARC_API_AUTHORING_H

#include "call.h"

extern const tool_t api_authoring_documents[], api_authoring_imports[], api_authoring_yaml[];

// The result of a job of the platform that has ended, or NULL when the call has been answered
// because it failed or `timed_out`. `late` is what is said then: what goes on and what to do.
json_t *api_authoring_result_or_reply(call_t *call, const json_t *job, bool timed_out,
                                      const char *late);

#endif
