// SPDX-License-Identifier: Apache-2.0
#include "report/report_step.h"

#include <inttypes.h>
#include <string.h>

#include "auto.h"
#include "report/html.h"

#define TIME_MAX_MS 1e12  // what a document may claim is not always a time

// clang-format off
static const struct {
    const char *status, *class, *mark;
} outcomes[] = {
    { "PASSED",    "pass",  "✓" },
    { "COMPLETED", "pass",  "✓" },
    { "FAILED",    "fail",  "✗" },
    { "ERROR",     "error", "!" },
    { "SKIPPED",   "skip",  "–" },
};

static const struct {
    const char *member, *name, *class;
} phases[] = {
    { "dnsMs",       "name look-up", "p1" },
    { "connectMs",   "connect",      "p2" },
    { "tlsMs",       "TLS",          "p3" },
    { "firstByteMs", "waiting",      "p4" },
    { "totalMs",     "receiving",    "p5" },
};
// clang-format on

static size_t
row_of(const char *status)
{
    for (size_t i = 0; status && i < ROWS(outcomes); i++)
        if (!strcmp(outcomes[i].status, status))
            return i;
    return ROWS(outcomes) - 1;
}

const char *
report_step_class(const char *status)
{
    return outcomes[row_of(status)].class;
}

const char *
report_step_message(const json_t *step)
{
    const char *error = json_get_text(step, "error");
    const json_t *checks = json_get(step, "checks");

    if (error && *error)
        return error;
    for (const json_t *check = checks ? checks->first : NULL; check; check = check->next)
        if (!json_get_bool(check, "passed", true))
            return json_get_text(check, "message");
    return NULL;
}

static double
number_of(const json_t *object, const char *name)
{
    const json_t *value = json_get(object, name);

    return value ? json_double(value) : 0;
}

double
report_step_ms(const json_t *step)
{
    double whole = number_of(step, "durationMs");  // whole milliseconds, with all retries
    double exact = number_of(json_get(step, "timings"), "totalMs");

    return whole > exact ? whole : exact;
}

void
report_step_write_size(buffer_t *out, double bytes)
{
    if (bytes < 1024)
        buffer_printf(out, "%.0f B", bytes);
    else if (bytes < 1024.0 * 1024)
        buffer_printf(out, "%.1f KB", bytes / 1024);
    else
        buffer_printf(out, "%.1f MB", bytes / 1024 / 1024);
}

void
report_step_write_ms(buffer_t *out, double ms)
{
    ms = ms > 0 ? ms < TIME_MAX_MS ? ms : TIME_MAX_MS : 0;
    if (ms > 0 && ms < 10)
        buffer_printf(out, "%.1f ms", ms);
    else if (ms < 1000)
        buffer_printf(out, "%.0f ms", ms);
    else if (ms < 60 * 1000)
        buffer_printf(out, "%.2f s", ms / 1000);
    else
        buffer_printf(out, "%.0f min %02.0f s", (double) (int64_t) (ms / 60000),
                      (double) ((int64_t) (ms / 1000) % 60));
}

static void
write_summary(buffer_t *out, const json_t *step, double longest_ms)
{
    const json_t *request = json_get(step, "request");
    const char *status = json_get_text(step, "status");
    const char *class = report_step_class(status);
    const char *message = !strcmp(class, "pass") ? NULL : report_step_message(step);
    const char *url = json_get_text(request, "url");
    int64_t code = json_get_int(json_get(step, "response"), "status", 0);
    double ms = report_step_ms(step);

    buffer_printf(out,
                  "<summary><span class=\"turn\"></span><span class=\"mark %s\" role=\"img\" "
                  "aria-label=\"",
                  class);
    html_string(out, status);
    buffer_printf(out, "\">%s</span><span class=\"what\"><strong><em>%" PRId64 "</em>",
                  outcomes[row_of(status)].mark, json_get_int(step, "index", 1));
    html_string(out, json_get_text(step, "name"));
    buffer_printf(out, "</strong><small class=\"%s\">", message ? class : "");
    if (message) {
        html_string(out, message);
    } else if (url) {
        html_string(out, json_get_text(request, "method"));
        buffer_char(out, ' ');
        html_string(out, url);
    }
    buffer_text(out, "</small></span>");
    if (code)
        buffer_printf(out, "<span class=\"code %s\">%" PRId64 "</span>", class, code);
    else
        buffer_text(out, "<span></span>");
    buffer_text(out, "<span class=\"ms\">");
    if (strcmp(class, "skip") != 0)
        report_step_write_ms(out, ms);
    double share = longest_ms > 0 ? ms / longest_ms * 100 : 0;
    buffer_printf(
        out, "</span><span class=\"track\"><i style=\"width:%.1f%%\"></i></span></summary>",
        share);
}

static void
begin_part(buffer_t *out, const char *title)
{
    buffer_printf(out, "<div class=\"part\"><h4>%s</h4>", title);
}

static void
write_headers(buffer_t *out, const json_t *headers)
{
    if (!headers || !headers->first)
        return;
    buffer_printf(out,
                  "<details class=\"more\"><summary><span class=\"turn\"></span>%zu "
                  "header%s</summary><table class=\"kv\">",
                  headers->count, headers->count == 1 ? "" : "s");
    for (const json_t *pair = headers->first; pair; pair = pair->next) {
        const json_t *name = pair->first;
        buffer_text(out, "<tr><th scope=\"row\">");
        html_string(out, name ? name->text : NULL);
        buffer_text(out, "</th><td>");
        html_string(out, name && name->next ? name->next->text : NULL);
        buffer_text(out, "</td></tr>");
    }
    buffer_text(out, "</table></details>");
}

// JSON is indented and coloured, everything else stays as it came.
static void
write_body(buffer_t *out, const json_t *message)
{
    const json_t *body = json_get(message, "body");
    bool cut = json_get_bool(message, "bodyTruncated", false);
    json_document_t document;
    failure_t why;

    if (!body || (body->kind == JSON_STRING && !body->length) || body->kind == JSON_NULL) {
        buffer_text(out, "<p class=\"hint\">no body</p>");
        return;
    }
    AUTO(arena_destroy) arena_t *arena = arena_new();
    bool structured = body->kind == JSON_STRING && !cut && body->length
                      && strchr("{[", *body->text)
                      && !json_parse(arena, body->text, body->length, &document, &why);
    buffer_text(out, "<pre tabindex=\"0\">");
    if (structured)
        html_json(out, document.root);
    else if (body->kind == JSON_STRING)
        html_text(out, body->text, body->length);
    else
        html_json(out, body);
    buffer_text(out, "</pre>");
    if (cut) {
        buffer_text(out, "<p class=\"hint\">The body is cut here");
        if (json_get(message, "sizeBytes")) {
            buffer_text(out, "; all of it has ");
            report_step_write_size(out, number_of(message, "sizeBytes"));
        }
        buffer_text(out, ".</p>");
    }
}

static void
write_request(buffer_t *out, const json_t *request)
{
    begin_part(out, "Request");
    buffer_text(out, "<p class=\"url\"><b>");
    html_string(out, json_get_text(request, "method"));
    buffer_text(out, "</b> ");
    html_string(out, json_get_text(request, "url"));
    buffer_text(out, "</p>");
    write_headers(out, json_get(request, "headers"));
    if (json_get(request, "body"))
        write_body(out, request);
    buffer_text(out, "</div>");
}

static void
write_response(buffer_t *out, const json_t *response)
{
    begin_part(out, "Response");
    if (!response || response->kind != JSON_OBJECT) {
        buffer_text(out, "<p class=\"hint\">There was no answer.</p></div>");
        return;
    }
    buffer_printf(out, "<p class=\"url\"><b>%" PRId64 "</b> · ",
                  json_get_int(response, "status", 0));
    report_step_write_size(out, number_of(response, "sizeBytes"));
    buffer_text(out, "</p>");
    write_headers(out, json_get(response, "headers"));
    write_body(out, response);
    buffer_text(out, "</div>");
}

static void
write_check(buffer_t *out, const json_t *check)
{
    bool passed = json_get_bool(check, "passed", true);

    buffer_printf(out, "<tr class=\"%s\"><td>%s</td><td>", passed ? "pass" : "fail",
                  passed ? "✓" : "✗");
    html_string(out, json_get_text(check, "check"));
    for (size_t i = 0; i < 2; i++) {
        const json_t *value = json_get(check, i ? "actual" : "expected");
        buffer_text(out, "</td><td><code>");
        if (value && value->kind == JSON_STRING)
            html_text(out, value->text, value->length);
        else if (value && value->kind != JSON_NULL)
            html_json(out, value);
        buffer_text(out, "</code>");
    }
    buffer_text(out, "</td></tr>");
}

static void
write_checks(buffer_t *out, const json_t *checks)
{
    if (!checks || !checks->first)
        return;
    begin_part(out, "Checks");
    buffer_text(out, "<table class=\"checks\"><tr><th></th><th scope=\"col\">Check</th><th "
                     "scope=\"col\">Expected</th>"
                     "<th scope=\"col\">Actual</th></tr>");
    for (int failed = 1; failed >= 0; failed--)
        for (const json_t *check = checks->first; check; check = check->next)
            if (json_get_bool(check, "passed", true) != failed)
                write_check(out, check);
    buffer_text(out, "</table></div>");
}

// What each phase took. First byte and total count from the start of the request.
static void
phase_lengths(const json_t *timings, double lengths[ROWS(phases)])
{
    double before = 0;

    for (size_t i = 0; i < 3; i++) {
        lengths[i] = number_of(timings, phases[i].member);
        before += lengths[i];
    }
    double first = number_of(timings, "firstByteMs"), total = number_of(timings, "totalMs");
    lengths[3] = first > before ? first - before : 0;
    lengths[4] = total > first ? total - first : 0;
}

static void
write_timings(buffer_t *out, const json_t *timings)
{
    double lengths[ROWS(phases)], total = 0;

    if (!timings || timings->kind != JSON_OBJECT || !timings->first)
        return;
    phase_lengths(timings, lengths);
    for (size_t i = 0; i < ROWS(phases); i++)
        total += lengths[i];
    begin_part(out, "Time");
    buffer_text(out, "<div class=\"phases\">");
    for (size_t i = 0; i < ROWS(phases); i++)
        if (lengths[i] > 0)
            buffer_printf(out, "<i class=\"%s\" style=\"width:%.2f%%\"></i>", phases[i].class,
                          lengths[i] / total * 100);
    buffer_text(out, "</div><ul class=\"legend\">");
    for (size_t i = 0; i < ROWS(phases); i++) {
        if (lengths[i] <= 0)
            continue;
        buffer_printf(out, "<li><i class=\"%s\"></i>%s ", phases[i].class, phases[i].name);
        report_step_write_ms(out, lengths[i]);
        buffer_text(out, "</li>");
    }
    buffer_text(out, "</ul></div>");
}

static void
write_extracted(buffer_t *out, const json_t *extracted)
{
    if (!extracted || extracted->kind != JSON_OBJECT || !extracted->first)
        return;
    begin_part(out, "Extracted");
    buffer_text(out, "<table class=\"kv\">");
    for (const json_t *member = extracted->first; member; member = member->next) {
        buffer_text(out, "<tr><th scope=\"row\">");
        html_text(out, member->key, member->key_length);
        buffer_text(out, "</th><td>");
        if (member->kind == JSON_STRING)
            html_text(out, member->text, member->length);
        else
            html_json(out, member);
        buffer_text(out, "</td></tr>");
    }
    buffer_text(out, "</table></div>");
}

static void
write_warnings(buffer_t *out, const json_t *warnings)
{
    if (!warnings || !warnings->first)
        return;
    begin_part(out, "Warnings");
    buffer_text(out, "<ul class=\"warnings\">");
    for (const json_t *warning = warnings->first; warning; warning = warning->next) {
        buffer_text(out, "<li>");
        html_string(out, warning->text);
        buffer_text(out, "</li>");
    }
    buffer_text(out, "</ul></div>");
}

void
report_step_write(buffer_t *out, const json_t *step, double longest_ms)
{
    const char *class = report_step_class(json_get_text(step, "status"));
    const char *error = json_get_text(step, "error");
    bool open = !strcmp(class, "fail") || !strcmp(class, "error");
    const json_t *request = json_get(step, "request");

    buffer_printf(out, "<details class=\"step\"%s>", open ? " open" : "");
    write_summary(out, step, longest_ms);
    buffer_text(out, "<div class=\"inside\">");
    if (error && *error && !open) {  // else it stands in the summary
        buffer_text(out, "<div class=\"note error\">");
        html_string(out, error);
        buffer_text(out, "</div>");
    }
    write_checks(out, json_get(step, "checks"));
    if (request && request->kind == JSON_OBJECT) {
        buffer_text(out, "<div class=\"two\">");
        write_request(out, request);
        write_response(out, json_get(step, "response"));
        buffer_text(out, "</div>");
    } else if (!strcmp(class, "skip")) {
        buffer_text(out, "<p class=\"hint\">The step was not run.</p>");
    }
    write_timings(out, json_get(step, "timings"));
    write_extracted(out, json_get(step, "extracted"));
    write_warnings(out, json_get(step, "warnings"));
    buffer_text(out, "</div></details>\n");
}
