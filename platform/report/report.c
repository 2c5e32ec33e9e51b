// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

#include "auto.h"
#include "report/html.h"
#include "report/report_css.h"
#include "report/report_step.h"

typedef struct {
    size_t pass, fail, error, skip;
} counts_t;

typedef struct {
    counts_t runs, steps;
    double ms;
} totals_t;

static void
count(counts_t *counts, const char *class)
{
    size_t *which = !strcmp(class, "pass")    ? &counts->pass
                    : !strcmp(class, "fail")  ? &counts->fail
                    : !strcmp(class, "error") ? &counts->error
                                              : &counts->skip;
    ++*which;
}

static size_t
all_of(const counts_t *counts)
{
    return counts->pass + counts->fail + counts->error + counts->skip;
}

static counts_t
count_steps(const json_t *run)
{
    const json_t *steps = json_get(run, "steps");
    counts_t counts = { 0 };

    for (const json_t *step = steps ? steps->first : NULL; step; step = step->next)
        count(&counts, report_step_class(json_get_text(step, "status")));
    return counts;
}

static totals_t
add_up(const json_t *runs)
{
    totals_t totals = { 0 };

    for (const json_t *run = runs->first; run; run = run->next) {
        counts_t steps = count_steps(run);
        count(&totals.runs, report_step_class(json_get_text(run, "status")));
        totals.steps.pass += steps.pass;
        totals.steps.fail += steps.fail;
        totals.steps.error += steps.error;
        totals.steps.skip += steps.skip;
        totals.ms += report_step_ms(run);
    }
    return totals;
}

static void
write_tile(buffer_t *out, const char *class, size_t value, const char *about)
{
    buffer_printf(out, "<div class=\"tile %s\"><b>%zu</b><span>%s</span></div>",
                  value ? class : "", value, about);
}

static void
write_bar(buffer_t *out, const counts_t *counts)
{
    const struct {
        const char *class;
        size_t value;
    } rows[] = {
        { "pass", counts->pass },
        { "fail", counts->fail },
        { "error", counts->error },
        { "skip", counts->skip },
    };

    buffer_printf(out,
                  "<div class=\"bar\" role=\"img\" aria-label=\"%zu of %zu steps passed\">",
                  counts->pass, all_of(counts));
    for (size_t i = 0; i < ROWS(rows); i++)
        if (rows[i].value)
            buffer_printf(out, "<i class=\"%s\" style=\"flex:%zu\"></i>", rows[i].class,
                          rows[i].value);
    buffer_text(out, "</div>");
}

static void
write_tiles(buffer_t *out, const totals_t *totals)
{
    size_t steps = all_of(&totals->steps);

    buffer_text(out, "<section class=\"summary\" aria-label=\"Summary\"><div class=\"tiles\">");
    write_tile(out, "", all_of(&totals->runs), all_of(&totals->runs) == 1 ? "run" : "runs");
    write_tile(out, "pass", totals->runs.pass, "passed");
    write_tile(out, "fail", totals->runs.fail, "failed");
    if (totals->runs.error)
        write_tile(out, "error", totals->runs.error,
                   totals->runs.error == 1 ? "error" : "errors");
    if (totals->runs.skip)
        write_tile(out, "", totals->runs.skip, "open or cancelled");
    buffer_printf(
        out,
        "<div class=\"tile\"><b>%zu<small> / %zu</small></b><span>steps passed</span></div>",
        totals->steps.pass, steps);
    buffer_text(out, "<div class=\"tile\"><b>");
    report_step_write_ms(out, totals->ms);
    buffer_text(out, "</b><span>of running</span></div></div>");
    write_bar(out, &totals->steps);
    buffer_text(out, "</section>\n");
}

// "2026-11-30T15:04:05.123Z" as "2026-11-30 15:04:05 UTC"; anything else as it is.
static void
write_time(buffer_t *out, const char *time)
{
    if (strlen(time) < 20 || time[10] != 'T') {
        html_string(out, time);
        return;
    }
    html_text(out, time, 10);
    buffer_char(out, ' ');
    html_text(out, time + 11, 8);
    buffer_text(out, time[strlen(time) - 1] == 'Z' ? " UTC" : "");
}

static void
write_badge(buffer_t *out, const char *status)
{
    buffer_printf(out, "<span class=\"badge %s\">", report_step_class(status));
    html_string(out, status && !strcmp(status, "COMPLETED") ? "PASSED" : status);
    buffer_text(out, "</span>");
}

static void
write_meta(buffer_t *out, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    buffer_printf(out, "<div><dt>%s</dt><dd>", name);
    if (!strcmp(name, "Started"))
        write_time(out, value);
    else
        html_string(out, value);
    buffer_text(out, "</dd></div>");
}

static void
write_tags(buffer_t *out, const json_t *tags)
{
    if (!tags || !tags->first)
        return;
    buffer_text(out, "<div><dt>Tags</dt><dd>");
    for (const json_t *tag = tags->first; tag; tag = tag->next) {
        html_string(out, tag->text);
        buffer_text(out, tag->next ? ", " : "");
    }
    buffer_text(out, "</dd></div>");
}

static void
write_head(buffer_t *out, const json_t *run)
{
    counts_t counts = count_steps(run);
    const char *status = json_get_text(run, "status"), *error = json_get_text(run, "error");

    buffer_text(out, "<div class=\"head\"><div class=\"title\"><h2>");
    html_string(out, json_get_text(run, "scenario"));
    buffer_text(out, "</h2>");
    write_badge(out, status);
    buffer_printf(out, "</div><dl class=\"meta\"><div><dt>Run</dt><dd>%" PRId64 "</dd></div>",
                  json_get_int(run, "id", 0));
    write_meta(out, "Environment", json_get_text(run, "environment"));
    write_meta(out, "Project", json_get_text(run, "project"));
    write_meta(out, "Login", json_get_text(run, "credentialTag"));
    write_tags(out, json_get(run, "tags"));
    write_meta(out, "Started", json_get_text(run, "startedAt"));
    buffer_printf(out,
                  "<div><dt>Steps</dt><dd>%zu of %zu passed</dd></div><div><dt>Time</dt><dd>",
                  counts.pass, all_of(&counts));
    report_step_write_ms(out, report_step_ms(run));
    buffer_text(out, "</dd></div></dl>");
    write_bar(out, &counts);
    if (error && *error) {
        buffer_printf(out, "<div class=\"note %s\">",
                      strcmp(report_step_class(status), "fail") ? "error" : "fail");
        html_string(out, error);
        buffer_text(out, "</div>");
    }
    buffer_text(out, "</div>\n");
}

static bool
is_bad(const json_t *value)
{
    const char *class = report_step_class(json_get_text(value, "status"));

    return !strcmp(class, "fail") || !strcmp(class, "error");
}

static void
write_run(buffer_t *out, const json_t *run)
{
    const json_t *steps = json_get(run, "steps");
    double longest = 0;

    for (const json_t *step = steps ? steps->first : NULL; step; step = step->next)
        if (report_step_ms(step) > longest)
            longest = report_step_ms(step);
    buffer_printf(out, "<section class=\"card %s\" id=\"run-%" PRId64 "\">",
                  report_step_class(json_get_text(run, "status")), json_get_int(run, "id", 0));
    write_head(out, run);
    for (int bad = 1; bad >= 0; bad--)  // what failed comes first
        for (const json_t *step = steps ? steps->first : NULL; step; step = step->next)
            if (is_bad(step) == bad)
                report_step_write(out, step, longest);
    buffer_text(out, "</section>\n");
}

static void
write_row(buffer_t *out, const json_t *run)
{
    counts_t counts = count_steps(run);

    buffer_text(out, "<tr><td>");
    write_badge(out, json_get_text(run, "status"));
    buffer_printf(out, "</td><td><a href=\"#run-%" PRId64 "\">", json_get_int(run, "id", 0));
    html_string(out, json_get_text(run, "scenario"));
    buffer_text(out, "</a></td><td>");
    html_string(out, json_get_text(run, "environment"));
    buffer_printf(out, "</td><td class=\"num\">%zu / %zu</td><td class=\"num\">", counts.pass,
                  all_of(&counts));
    report_step_write_ms(out, report_step_ms(run));
    buffer_text(out, "</td></tr>");
}

static void
write_overview(buffer_t *out, const json_t *runs)
{
    if (runs->count < 2)
        return;
    buffer_text(out,
                "<section class=\"card\" aria-label=\"Runs\"><table class=\"runs\"><tr><th "
                "scope=\"col\">Outcome</th><th scope=\"col\">Scenario</th>"
                "<th scope=\"col\">Environment</th><th scope=\"col\" class=\"num\">Steps</th>"
                "<th scope=\"col\" class=\"num\">Time</th></tr>");
    for (int bad = 1; bad >= 0; bad--)
        for (const json_t *run = runs->first; run; run = run->next)
            if (is_bad(run) == bad)
                write_row(out, run);
    buffer_text(out, "</table></section>\n");
}

static void
write_title(buffer_t *out, const char *title, const json_t *runs)
{
    if (title && *title)
        html_string(out, title);
    else if (runs->count == 1)
        html_string(out, json_get_text(runs->first, "scenario"));
    else
        buffer_printf(out, "%zu API test runs", runs->count);
}

static void
write_top(buffer_t *out, const char *title, const json_t *runs, const char *generated)
{
    buffer_text(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                     "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                     "'none'; style-src 'unsafe-inline'\">"
                     "<title>");
    write_title(out, title, runs);
    buffer_printf(out,
                  "</title>\n<style>%s</style></head>\n<body><a class=\"skip-link\" "
                  "href=\"#content\">To the runs</a>"
                  "<header class=\"top\"><div class=\"brand\"><i></i>ProofArc</div><h1>",
                  report_css);
    write_title(out, title, runs);
    buffer_text(out, "</h1><p class=\"sub\">API test report");
    if (generated) {
        buffer_text(out, " · ");
        write_time(out, generated);
    }
    buffer_text(out, "</p></header>\n<main id=\"content\">");
}

void
report_html(buffer_t *out, const char *title, const json_t *executions, const char *generated)
{
    totals_t totals = add_up(executions);

    write_top(out, title, executions, generated);
    write_tiles(out, &totals);
    write_overview(out, executions);
    for (int bad = 1; bad >= 0; bad--)
        for (const json_t *run = executions->first; run; run = run->next)
            if (is_bad(run) == bad)
                write_run(out, run);
    buffer_text(out, "</main><footer>Made by proofarc-platform " PROOFARC_VERSION
                     ". Secrets are shown as •••.</footer></body></html>\n");
}
