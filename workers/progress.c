// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <stdio.h>
#include <string.h>

progress_t
progress_new(void)
{
    return (progress_t){ .said = -1, .has_news = true };
}

// Cut on a code point.
static void
copy_text(char to[PROGRESS_TEXT_SIZE], const char *text)
{
    size_t length = strlen(text);

    if (length >= PROGRESS_TEXT_SIZE)
        for (length = PROGRESS_TEXT_SIZE - 1; (text[length] & 0xc0) == 0x80; length--)
            ;
    memcpy(to, text, length);
    to[length] = 0;
}

void
progress_note(progress_t *self, const json_t *answer)
{
    const json_t *progress = json_get(answer, "progress");
    int64_t steps =
        json_get_int(answer, "passedSteps", 0) + json_get_int(answer, "failedSteps", 0);
    int64_t total = json_get_int(answer, "totalSteps", 0);
    const char *text = json_get_text(progress, "text");
    const char *status = json_get_text(answer, "status");

    if (progress) {
        steps = json_get_int(progress, "done", 0);
        total = json_get_int(progress, "total", 0);
    }
    self->is_known = true;
    self->has_news |= steps != self->steps;
    self->steps = steps;
    self->total = total;
    if (text && *text)
        copy_text(self->text, text);
    else if (total)
        snprintf(self->text, PROGRESS_TEXT_SIZE, "%lld of %lld steps", (long long) steps,
                 (long long) total);
    else
        copy_text(self->text, status ? status : "waiting");
}

// One without news is a little further within its step.
bool
progress_is_due(progress_t *self, int64_t now_ms, int64_t *done_p, int64_t *total_p)
{
    const int64_t silent_ms = now_ms - self->said_ms;
    int64_t units = self->total ? self->steps * PROGRESS_UNIT : self->steps;

    if (!self->is_known || silent_ms < PROGRESS_NEWS_MS
        || (!self->has_news && silent_ms < PROGRESS_AGAIN_MS))
        return false;
    if (units <= self->said)
        units = self->said + 1;
    if (self->total && units > self->total * PROGRESS_UNIT)
        return false;
    self->said = units;
    self->said_ms = now_ms;
    self->has_news = false;
    *done_p = units;
    *total_p = self->total * PROGRESS_UNIT;
    return true;
}
