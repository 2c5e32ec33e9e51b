// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "http/sse.h"

#include <cmocka.h>

// clang-format off
static const struct {
    sse_event_t event;
    const char *written;
} rows[] = {
    { { .data = "{}" },                                              "data: {}\n\n" },
    { { .name = "message", .id = "a-1-2", .data = "{}" },            "event: message\nid: a-1-2\ndata: {}\n\n" },
    { { .id = "a-1-0", .retry_ms = 1000, .data = "" },               "id: a-1-0\nretry: 1000\ndata: \n\n" },
    { { .data = " a" },                                              "data:  a\n\n" },  // one blank is taken off
    { { .data = "a\nb" },                                            "data: a\ndata: b\n\n" },
    { { .data = "a\r\nb\rc\n" },                                     "data: a\ndata: b\ndata: c\ndata: \n\n" },
    { { .data = "\n\ndata: b\n\nevent: evil" },                      "data: \ndata: \ndata: data: b\ndata: \ndata: event: evil\n\n" },
    { { .data = "a\r" },                                             "data: a\ndata: \n\n" },
    { { .data = "\n\r" },                                            "data: \ndata: \ndata: \n\n" },
};
// clang-format on

static void
data_cannot_leave_its_event(void **state)
{
    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(buffer_clear) buffer_t out = { 0 };
        sse_event_t event = rows[i].event;

        event.size = strlen(event.data);
        sse_write(&out, &event);
        assert_string_equal(out.bytes, rows[i].written);
    }
}

static void
a_comment_is_no_event(void **state)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    sse_comment(&out);
    assert_string_equal(out.bytes, ":\n\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_cannot_leave_its_event),
        cmocka_unit_test(a_comment_is_no_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
