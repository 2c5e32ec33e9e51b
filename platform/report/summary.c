// SPDX-License-Identifier: Apache-2.0
#include "report/summary.h"

#include <inttypes.h>
#include <string.h>

#include "auto.h"
#include "report/report_step.h"

enum {
    STEPS_SHOWN_MAX = 100,
    TEXT_SHOWN_MAX = 300,  // bytes of a name or message
};

// On one line, cut on a code point.
static void
add_line_text(buffer_t *out, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    size_t kept = length < TEXT_SHOWN_MAX ? length : TEXT_SHOWN_MAX;

    while (kept < length && kept && ((unsigned char) text[kept] & 0xc0) == 0x80)
        kept--;
    for (size_t i = 0; i < kept; i++) {
        unsigned char c = (unsigned char) text[i];
        if (c == '\n' || c == '\r' || c == '\t')
            buffer_char(out, ' ');
        else if (c < 0x20 || c == 0x7f)
            buffer_printf(out, "\\x%02x", c);
        else
            buffer_char(out, (char) c);
    }
    if (kept < length)
        buffer_text(out, "…");
}

static const char *
mark_of(const char *class)
{
    return !strcmp(class, "pass") ? "✓" : !strcmp(class, "skip") ? "–" : "✗";
}

static void
write_step(buffer_t *out, const json_t *step)
{
    const char *class = report_step_class(json_get_text(step, "status"));
    int64_t code = json_get_int(json_get(step, "response"), "status", 0);
    const char *message = report_step_message(step);

    buffer_printf(out, "%s ", mark_of(class));
    add_line_text(out, json_get_text(step, "name"));
    if (!strcmp(class, "skip")) {
        buffer_text(out, " · skipped\n");
        return;
    }
    if (code)
        buffer_printf(out, " · %" PRId64, code);
    buffer_text(out, " · ");
    report_step_write_ms(out, report_step_ms(step));
    if (message && strcmp(class, "pass") != 0) {
        buffer_text(out, " · ");
        add_line_text(out, message);
    }
    buffer_char(out, '\n');
}

static bool
is_bad(const json_t *step)
{
    const char *class = report_step_class(json_get_text(step, "status"));

    return !strcmp(class, "fail") || !strcmp(class, "error");
}

static void
write_head(buffer_t *out, const json_t *execution, size_t passed, size_t total)
{
    const char *error = json_get_text(execution, "error");
    const char *environment = json_get_text(execution, "environment");

    buffer_printf(out, "Execution %" PRId64 " · ", json_get_int(execution, "id", 0));
    add_line_text(out, json_get_text(execution, "scenario"));
    buffer_text(out, " · ");
    add_line_text(out, json_get_text(execution, "status"));
    buffer_printf(out, "\n%zu/%zu passed · ", passed, total);
    report_step_write_ms(out, report_step_ms(execution));
    if (environment) {
        buffer_text(out, " · ");
        add_line_text(out, environment);
    }
    buffer_char(out, '\n');
    if (error && *error) {
        add_line_text(out, error);
        buffer_char(out, '\n');
    }
}

void
summary_text(buffer_t *out, const json_t *execution)
{
    const json_t *steps = json_get(execution, "steps");
    size_t total = steps ? steps->count : 0, passed = 0, shown = 0;

    for (const json_t *step = steps ? steps->first : NULL; step; step = step->next)
        passed += !strcmp(report_step_class(json_get_text(step, "status")), "pass");
    write_head(out, execution, passed, total);
    bool sorted = total > STEPS_SHOWN_MAX;  // then what failed comes first
    for (int bad = 1; bad >= 0; bad--)
        for (const json_t *step = steps ? steps->first : NULL; step && shown < STEPS_SHOWN_MAX;
             step = step->next)
            if ((sorted && is_bad(step) == bad) || (!sorted && bad)) {
                write_step(out, step);
                shown++;
            }
    if (shown < total)
        buffer_printf(out, "… and %zu more steps\n", total - shown);
}
