// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "auto.h"
#include "messages.h"

#include <cmocka.h>  // last: it defines fail()

static void
what_was_filled_in_is_read(void **state)
{
    AUTO(parcel_clear) parcel_t parcel = { .count = 0 };
    AUTO(cancel_msg_clear) cancel_msg_t cancel = { 0 };
    failure_t why;
    size_t size;

    wire_fill(&parcel, &cancel_wire, &(cancel_msg_t){ .id = "c1" }, "body", 4);
    assert_int_equal(wire_kind(&parcel), MSG_cancel);
    assert_int_equal(wire_read(&cancel_wire, &parcel, WIRE_FRAMES, &cancel, &why), OK);
    assert_string_equal(cancel.id, "c1");
    assert_memory_equal(wire_body(&parcel, &size), "body", 4);
    assert_int_equal(size, 4);
    assert_int_equal(wire_read(&beat_wire, &parcel, WIRE_FRAMES, &cancel, &why), BAD_ARGS);
}

// Longer than what is packed on the stack.
static void
long_envelopes_are_filled_in_as_well(void **state)
{
    AUTO(parcel_clear) parcel_t parcel = { .count = 0 };
    AUTO(cancel_msg_clear) cancel_msg_t cancel = { 0 };
    char id[5000] = { 0 };
    failure_t why;
    size_t size;

    memset(id, 'x', sizeof id - 1);
    wire_fill(&parcel, &cancel_wire, &(cancel_msg_t){ .id = id }, NULL, 0);
    assert_int_equal(wire_read(&cancel_wire, &parcel, WIRE_FRAMES, &cancel, &why), OK);
    assert_string_equal(cancel.id, id);
    assert_non_null(wire_body(&parcel, &size));
    assert_int_equal(size, 0);
}

static void
a_parcel_with_other_frames_than_it_should_have_is_refused(void **state)
{
    for (size_t frames = 0; frames <= PARCEL_FRAMES + 1; frames++) {
        AUTO(parcel_clear) parcel_t parcel = { .count = 0 };
        cancel_msg_t cancel = { 0 };
        failure_t why;
        for (size_t i = 0; i < frames; i++)
            parcel_add(&parcel, "\x91X", 2);  // an envelope of CANCEL
        status_t status = wire_read(&cancel_wire, &parcel, WIRE_FRAMES, &cancel, &why);
        assert_int_equal(status, frames == WIRE_FRAMES ? OK : BAD_ARGS);
        status = wire_read(&cancel_wire, &parcel, WIRE_FRAMES + 1, &cancel, &why);
        assert_int_equal(status, frames == WIRE_FRAMES + 1 ? OK : BAD_ARGS);
        assert_int_equal(wire_kind(&parcel), frames < WIRE_FRAMES ? 0 : MSG_cancel);
    }
}

static void
a_frame_is_moved_and_its_bytes_are_counted(void **state)
{
    AUTO(parcel_clear) parcel_t parcel = { .count = 0 };
    zmq_msg_t frame;

    zmq_msg_init_size(&frame, 1000);
    const void *bytes = zmq_msg_data(&frame);
    parcel_move(&parcel, &frame);
    parcel_add(&parcel, "abc", 3);
    assert_int_equal(zmq_msg_size(&frame), 0);
    assert_ptr_equal(zmq_msg_data(&parcel.frames[0]), bytes);
    assert_int_equal(parcel_size(&parcel), 1003);
    zmq_msg_close(&frame);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_filled_in_is_read),
        cmocka_unit_test(long_envelopes_are_filled_in_as_well),
        cmocka_unit_test(a_parcel_with_other_frames_than_it_should_have_is_refused),
        cmocka_unit_test(a_frame_is_moved_and_its_bytes_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
