// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "buffer.h"
#include "progress.h"

#include <cmocka.h>

enum { START_MS = 1000 * 1000 };

// What is noted in front of a look: the run as the platform tells it, or NULL for nothing new.
typedef struct {
    const char *noted;
    int64_t after_ms;  // since the start
    bool is_told;
    int64_t done;
    const char *text;
} look_t;

static void
play(const look_t *looks, size_t count)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    progress_t progress = progress_new();
    int64_t done = -1, total;

    for (size_t i = 0; i < count; i++) {
        if (looks[i].noted)
            progress_note(&progress, json_parse_text(arena, looks[i].noted));
        print_message("  %s after %d ms\n", looks[i].noted ? looks[i].noted : "the same",
                      (int) looks[i].after_ms);
        assert_int_equal(
            progress_is_due(&progress, START_MS + looks[i].after_ms, &done, &total),
            looks[i].is_told);
        if (!looks[i].is_told)
            continue;
        assert_int_equal(done, looks[i].done);
        assert_string_equal(progress.text, looks[i].text);
    }
}

#define RUN(done)                                                                              \
    "{\"status\":\"RUNNING\",\"totalSteps\":3,\"passedSteps\":" #done ",\"failedSteps\":0}"

static void
a_run_without_news_is_spoken_of_every_five_seconds(void **state)
{
    static const look_t looks[] = {
        { NULL, 0, false },  // nothing is known
        { RUN(0), 100, true, 0, "0 of 3 steps" },
        { RUN(0), 1200, false },
        { NULL, 5099, false },
        { NULL, 5100, true, 1, "0 of 3 steps" },
        { NULL, 10099, false },
        { NULL, 10100, true, 2, "0 of 3 steps" },
        { RUN(0), 45000, true, 3, "0 of 3 steps" },
    };

    play(looks, ROWS(looks));
}

static void
news_are_told_once_a_second(void **state)
{
    static const look_t looks[] = {
        { RUN(0), 0, true, 0, "0 of 3 steps" },
        { RUN(1), 500, false },
        { RUN(2), 999, false },
        { NULL, 1000, true, 200, "2 of 3 steps" },
        { NULL, 2000, false },
        { RUN(3), 2100, true, 300, "3 of 3 steps" },
        { RUN(3), 60000, false },  // it cannot be further than at its end
    };

    play(looks, ROWS(looks));
}

static void
a_job_says_itself_how_far_it_is(void **state)
{
    static const look_t looks[] = {
        { "{\"status\":\"PENDING\"}", 0, true, 0, "PENDING" },
        { NULL, 5000, true, 1, "PENDING" },
        { "{\"progress\":{\"done\":7,\"total\":0,\"text\":\"seven\"}}", 6000, true, 7,
          "seven" },
        { "{\"progress\":{\"done\":4,\"total\":0}}", 7000, true, 8, "waiting" },  // never back
    };

    play(looks, ROWS(looks));
}

static void
a_long_text_is_cut_between_characters(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    progress_t progress = progress_new();
    AUTO(buffer_clear) buffer_t text = { 0 };

    buffer_text(&text, "{\"progress\":{\"done\":1,\"text\":\"");
    for (int i = 0; i < 100; i++)
        buffer_text(&text, "é");
    buffer_text(&text, "\"}}");
    progress_note(&progress, json_parse_text(arena, text.bytes));
    assert_int_equal(strlen(progress.text), PROGRESS_TEXT_SIZE - 2);  // each has two bytes
    progress_note(&progress, json_parse_text(arena, "{\"progress\":{\"text\":\"short\"}}"));
    assert_string_equal(progress.text, "short");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_without_news_is_spoken_of_every_five_seconds),
        cmocka_unit_test(news_are_told_once_a_second),
        cmocka_unit_test(a_job_says_itself_how_far_it_is),
        cmocka_unit_test(a_long_text_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
