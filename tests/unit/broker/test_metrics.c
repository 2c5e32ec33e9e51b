// SPDX-License-Identifier: Apache-2.0
#include "json.h"
#include "metrics.h"
#include "scene.h"

enum { W1 = 11, W2 = 12, W3 = 13 };

static void
worker_counts(scene_t *s, uint64_t route, const char *name, const char *counters)
{
    ready_with(s, route, name, name, 1, explore_entries, ROWS(explore_entries));
    say(s, WORKERS, route, &beat_wire, &(beat_msg_t){ .instance = name, .counters = counters },
        NULL);
}

static json_t *
metrics_of(scene_t *s, arena_t *arena)
{
    AUTO(buffer_clear) buffer_t text = { 0 };

    metrics_write(&text, s->core);
    json_t *metrics = json_parse_text(arena, text.bytes);
    assert_non_null(metrics);
    return metrics;
}

static void
counters_of_workers_are_added_up_beside_ours(void **state)
{
    AUTO(scene_close) scene_t s;
    AUTO(arena_destroy) arena_t *arena = arena_new();

    scene_open(&s, NULL);
    worker_counts(&s, W1, "w1", "{\"calls\":3,\"retries\":1}");
    worker_counts(&s, W2, "w2", "{\"calls\":4}");
    worker_counts(&s, W3, "w3", "");
    json_t *metrics = metrics_of(&s, arena);
    assert_int_equal(json_get_int(metrics, "worker_calls", -1), 7);
    assert_int_equal(json_get_int(metrics, "worker_retries", -1), 1);
    assert_int_equal(json_get_int(metrics, "broker_workers", -1), 3);
    assert_int_equal(json_get_int(metrics, "broker_calls", -1), 0);
}

static void
what_is_no_counter_is_left_out(void **state)
{
    AUTO(scene_close) scene_t s;
    AUTO(arena_destroy) arena_t *arena = arena_new();

    scene_open(&s, NULL);
    worker_counts(&s, W1, "w1", "[1,2]");
    worker_counts(&s, W2, "w2", "not json");
    worker_counts(&s, W3, "w3",
                  "{\"a b\":1,\"\":2,\"text\":\"3\",\"nested\":{},\"half\":1.5,\"fine\":6,"
                  "\"broker_calls\":99,\"huge\":9223372036854775807}");
    json_t *metrics = metrics_of(&s, arena);
    assert_int_equal(json_get_int(metrics, "worker_fine", -1), 6);
    assert_int_equal(json_get_int(metrics, "broker_calls", -1), 0);  // ours are ours
    assert_null(json_get(metrics, "worker_a b"));
    assert_null(json_get(metrics, "worker_"));
    assert_null(json_get(metrics, "worker_text"));
    assert_null(json_get(metrics, "worker_nested"));
    assert_null(json_get(metrics, "worker_half"));
}

static void
a_sum_that_would_overflow_stays_as_it_is(void **state)
{
    AUTO(scene_close) scene_t s;
    AUTO(arena_destroy) arena_t *arena = arena_new();

    scene_open(&s, NULL);
    worker_counts(&s, W1, "w1", "{\"n\":9223372036854775807}");
    worker_counts(&s, W2, "w2", "{\"n\":1}");
    assert_int_equal(json_get_int(metrics_of(&s, arena), "worker_n", -1), INT64_MAX);
}

static void
all_counters_fit_what_transports_take(void **state)
{
    AUTO(scene_close) scene_t s;
    AUTO(buffer_clear) buffer_t counters = { 0 };
    AUTO(buffer_clear) buffer_t text = { 0 };

    scene_open(&s, NULL);
    for (int i = 0; i < 32; i++)
        buffer_printf(&counters, "%c\"n%046d\":9223372036854775807", i ? ',' : '{', i);
    buffer_char(&counters, '}');
    worker_counts(&s, W1, "w1", counters.bytes);
    metrics_write(&text, s.core);
    assert_in_range(text.size, 2000, 4096);
}

static void
the_number_of_names_is_limited(void **state)
{
    AUTO(scene_close) scene_t s;
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(buffer_clear) buffer_t counters = { 0 };

    scene_open(&s, NULL);
    for (int i = 0; i < 150; i++)
        buffer_printf(&counters, "%c\"n%d\":1", i ? ',' : '{', i);
    buffer_char(&counters, '}');
    worker_counts(&s, W1, "w1", counters.bytes);
    json_t *metrics = metrics_of(&s, arena);
    assert_int_equal(json_get_int(metrics, "worker_n31", -1), 1);
    assert_null(json_get(metrics, "worker_n32"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_of_workers_are_added_up_beside_ours),
        cmocka_unit_test(what_is_no_counter_is_left_out),
        cmocka_unit_test(a_sum_that_would_overflow_stays_as_it_is),
        cmocka_unit_test(all_counters_fit_what_transports_take),
        cmocka_unit_test(the_number_of_names_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
