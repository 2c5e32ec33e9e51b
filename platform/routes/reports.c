// SPDX-License-Identifier: Apache-2.0
// Executions for people.

#include <inttypes.h>

#include "auto.h"
#include "clock.h"
#include "limits.h"
#include "report/report.h"
#include "report/summary.h"
#include "routes/find.h"
#include "store/executions.h"

enum { REPORT_RUNS_MAX = 500, REPORT_BYTES_MAX = 64 * MIB };

static route_fn get_report, get_summary, get_reports;

const route_t report_routes[] = {
    {
        .method = "GET",
        .path = "/api/scenarios/executions/{executionId}/report",
        .least = VIEWER,
        .id = "getExecutionReport",
        .summary = "Get an execution as a page for people.",
        .answer = "One HTML file.",
        .run = get_report,
        .media = "text/html; charset=utf-8",
    },
    {
        .method = "GET",
        .path = "/api/scenarios/executions/{executionId}/summary",
        .least = VIEWER,
        .id = "getExecutionSummary",
        .summary = "Get an execution on one screen of text.",
        .answer = "{executionId, status, outcome, text}.",
        .run = get_summary,
    },
    {
        .method = "GET",
        .path = "/api/reports",
        .least = VIEWER,
        .id = "getReport",
        .summary = "Get several executions as one page for people.",
        .answer = "One HTML file.",
        .run = get_reports,
        .media = "text/html; charset=utf-8",
        .query = {
            { "executions", M_IDS, true, "Their ids, separated by commas.", "[1]", .min = 1,
              .max = REPORT_RUNS_MAX },
            { "title", M_TEXT, .about = "Title of the page.", .max = 400 },
        },
    },
    { 0 }
};

static status_t
get_summary(exchange_t *x)
{
    const json_t *execution = find_in_path(x, "executionId", "execution", executions_get);
    json_t *answer = json_object(x->arena);
    AUTO(buffer_clear) buffer_t text = { 0 };

    if (!execution)
        return x->why.status;
    summary_text(&text, execution);
    json_set_int(x->arena, answer, "executionId", json_get_int(execution, "id", 0));
    json_set_text(x->arena, answer, "status", json_get_text(execution, "status"));
    json_set_text(x->arena, answer, "outcome", json_get_text(execution, "outcome"));
    json_set_text(x->arena, answer, "text", text.bytes);
    return exchange_answer(x, 200, answer);
}

static status_t
answer_report(exchange_t *x, const char *title, const json_t *executions)
{
    char now[CLOCK_TEXT_SIZE];

    clock_format(x->wall_ms, now);
    report_html(&x->out, title, executions, now);
    return OK;
}

static status_t
get_report(exchange_t *x)
{
    json_t *execution = find_in_path(x, "executionId", "execution", executions_get);
    json_t *executions = json_array(x->arena);

    if (!execution)
        return x->why.status;
    json_add(executions, execution);
    return answer_report(x, NULL, executions);
}

static status_t
get_reports(exchange_t *x)
{
    json_t *executions = json_array(x->arena);

    const json_t *ids = json_get(x->arguments, "executions");

    if (executions_size(x->store, x->arena, ids) > REPORT_BYTES_MAX)
        return fail_coded(&x->why, TOO_LARGE, "TOO_LARGE",
                          "these executions are over 64 MiB; name fewer of them");
    for (const json_t *one = ids->first; one; one = one->next) {
        int64_t id = 0;
        json_int(one, &id);
        json_t *execution = executions_get(x->store, x->arena, id);
        if (!execution)
            return fail_coded(&x->why, NOT_FOUND, "NOT_FOUND",
                              "there is no execution with the id %" PRId64, id);
        json_add(executions, execution);
    }
    return answer_report(x, exchange_asked(x, "title"), executions);
}
