// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "api_authoring/api_authoring.h"
#include "category.h"

static const tool_t *const tables[] = { api_authoring_documents, api_authoring_imports,
                                        api_authoring_yaml, NULL };

const category_t api_authoring_category = { .name = "api_authoring", .tables = tables };

json_t *
api_authoring_result_or_reply(call_t *call, const json_t *job, bool timed_out, const char *late)
{
    const char *status = json_get_text(job, "status");
    const json_t *result = json_get(job, "result");
    const json_t *error = json_get(job, "error");
    const char *code = json_get_text(error, "code");
    const char *message = json_get_text(error, "message");
    failure_t why = { 0 };

    if (!timed_out && status && !strcmp(status, "COMPLETED") && result
        && result->kind == JSON_OBJECT)
        return json_copy(call_arena(call), result);
    if (timed_out)
        fail(&why, TIMEOUT, "%s", late);
    else
        fail_coded(&why, BACKEND, code ? code : "", "%s",
                   message ? message : "the job ended without a result; try again");
    reply_failure(call, &why);
    return NULL;
}
