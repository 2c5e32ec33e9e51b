// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "limits.h"
#include "messages.h"

#include <cmocka.h>  // last: it defines fail()

// Envelopes as bytes: array head, letter, fields. BEAT is {str, i64, i64, str}.
#define BYTES(text) text, sizeof text - 1

static zmsg_t *
message_of(const void *envelope, size_t size)
{
    zmsg_t *msg = zmsg_new();

    zmsg_addmem(msg, envelope, size);
    zmsg_addmem(msg, "", 0);
    return msg;
}

static const beat_msg_t untouched = { .instance = "before", .credit = 77 };

// Unpacks a BEAT that must be refused and must leave the struct alone.
static void
assert_refused(const void *envelope, size_t size)
{
    AUTO(zmsg_destroy) zmsg_t *msg = message_of(envelope, size);
    beat_msg_t beat = untouched;
    failure_t why = { 0 };

    assert_int_equal(wire_unpack(&beat_wire, msg, &beat, &why), BAD_ARGS);
    assert_int_equal(why.status, BAD_ARGS);
    assert_true(strlen(why.text) > 0);
    assert_memory_equal(&beat, &untouched, sizeof beat);
    assert_int_equal(zmsg_size(msg), 2);
}

static void
assert_accepted(const void *envelope, size_t size, const char *instance, int64_t credit)
{
    AUTO(zmsg_destroy) zmsg_t *msg = message_of(envelope, size);
    AUTO(beat_msg_clear) beat_msg_t beat = { 0 };
    failure_t why = { 0 };

    assert_int_equal(wire_unpack(&beat_wire, msg, &beat, &why), OK);
    assert_string_equal(beat.instance, instance);
    assert_int_equal(beat.credit, credit);
    assert_string_equal(beat.counters, "");
}

static void
a_message_comes_out_as_it_went_in(void **state)
{
    const char entries[] = { 0, 1, 2, 0, (char) 0xff };
    ready_msg_t ready = { .protocol = WIRE_PROTOCOL,
                          .instance = "0123",
                          .host = "wörker-€-𝄞",
                          .credit = -5,
                          .entries = { entries, sizeof entries } };
    AUTO(zmsg_destroy) zmsg_t *msg = wire_pack(&ready_wire, &ready, "{\"a\":1}", 7);
    AUTO(ready_msg_clear) ready_msg_t back = { 0 };
    failure_t why;

    assert_int_equal(wire_type(msg), MSG_ready);
    assert_int_equal(zmsg_size(msg), 2);
    assert_int_equal(wire_unpack(&ready_wire, msg, &back, &why), OK);
    assert_int_equal(back.protocol, WIRE_PROTOCOL);
    assert_string_equal(back.instance, "0123");
    assert_string_equal(back.host, ready.host);
    assert_int_equal(back.credit, -5);
    assert_int_equal(back.entries.size, sizeof entries);
    assert_memory_equal(back.entries.bytes, entries, sizeof entries);
    assert_string_equal(back.version, "");  // NULL went in

    assert_int_equal(zmsg_size(msg), 1);  // the body is left
    assert_true(zframe_streq(zmsg_first(msg), "{\"a\":1}"));
}

static void
a_message_without_a_body_has_an_empty_one(void **state)
{
    cancel_msg_t cancel = { .id = "7" };
    AUTO(zmsg_destroy) zmsg_t *msg = wire_pack(&cancel_wire, &cancel, NULL, 0);

    assert_int_equal(zmsg_size(msg), 2);
    assert_int_equal(zframe_size(zmsg_last(msg)), 0);
}

static void
what_was_unpacked_outlives_the_message(void **state)
{
    ready_msg_t ready = { .instance = "abc", .entries = { "xyz", 3 } };
    zmsg_t *msg = wire_pack(&ready_wire, &ready, NULL, 0);
    AUTO(ready_msg_clear) ready_msg_t back = { 0 };
    failure_t why;

    assert_int_equal(wire_unpack(&ready_wire, msg, &back, &why), OK);
    zmsg_destroy(&msg);
    assert_string_equal(back.instance, "abc");
    assert_memory_equal(back.entries.bytes, "xyz", 3);
}

static void
clearing_twice_is_fine(void **state)
{
    cancel_msg_t cancel = { .id = "7" };
    AUTO(zmsg_destroy) zmsg_t *msg = wire_pack(&cancel_wire, &cancel, NULL, 0);
    cancel_msg_t back;
    failure_t why;

    assert_int_equal(wire_unpack(&cancel_wire, msg, &back, &why), OK);
    cancel_msg_clear(&back);
    assert_null(back.id);
    cancel_msg_clear(&back);
}

static void
numbers_keep_their_value(void **state)
{
    static const int64_t numbers[] = {
        0,         1,  127, 128, 255,  256,  65535,  65536,  INT32_MAX, UINT32_MAX,
        INT64_MAX, -1, -32, -33, -128, -129, -32768, -32769, INT32_MIN, (int64_t) INT32_MIN - 1,
        INT64_MIN,
    };

    for (size_t i = 0; i < ROWS(numbers); i++) {
        beat_msg_t beat = { .credit = numbers[i] };
        AUTO(zmsg_destroy) zmsg_t *msg = wire_pack(&beat_wire, &beat, NULL, 0);
        AUTO(beat_msg_clear) beat_msg_t back = { 0 };
        failure_t why;

        assert_int_equal(wire_unpack(&beat_wire, msg, &back, &why), OK);
        assert_true(back.credit == numbers[i]);
    }
}

static void
texts_of_every_length_class_pass(void **state)
{
    static const size_t sizes[] = { 0, 1, 31, 32, 255, 256, 65535, 65536, 200000 };

    for (size_t i = 0; i < ROWS(sizes); i++) {
        char *text = calloc(1, sizes[i] + 1);
        memset(text, 'x', sizes[i]);
        ready_msg_t ready = { .instance = text, .entries = { text, sizes[i] } };
        AUTO(zmsg_destroy) zmsg_t *msg = wire_pack(&ready_wire, &ready, NULL, 0);
        AUTO(ready_msg_clear) ready_msg_t back = { 0 };
        failure_t why;

        assert_int_equal(wire_unpack(&ready_wire, msg, &back, &why), OK);
        assert_string_equal(back.instance, text);
        assert_int_equal(back.entries.size, sizes[i]);
        free(text);
    }
}

static void
every_truncation_is_refused(void **state)
{
    beat_msg_t beat = { .instance = "0123456789abcdef0123456789abcdef",
                        .credit = 100000,
                        .keeps_keys = -70000,
                        .counters = "{\"calls\": 12345678901234567890, \"more\": \"text\"}" };
    void *bytes;
    size_t size;

    wire_encode(&beat_wire, &beat, &bytes, &size);
    for (size_t cut = 0; cut < size; cut++) {
        char *exact = malloc(cut + 1);  // so that the sanitizer sees a read behind the end
        memcpy(exact, bytes, cut);
        assert_refused(exact, cut);
        free(exact);
    }
    free(bytes);
}

static void
every_flipped_byte_is_survived(void **state)
{
    beat_msg_t beat = { .instance = "0123", .credit = 100000, .counters = "{}" };
    void *bytes;
    size_t size;

    wire_encode(&beat_wire, &beat, &bytes, &size);
    for (size_t at = 0; at < size; at++) {
        for (unsigned value = 0; value < 256; value++) {
            char *copy = malloc(size);
            memcpy(copy, bytes, size);
            copy[at] = (char) value;
            AUTO(zmsg_destroy) zmsg_t *msg = message_of(copy, size);
            AUTO(beat_msg_clear) beat_msg_t back = { 0 };
            failure_t why;
            wire_type(msg);
            wire_unpack(&beat_wire, msg, &back, &why);
            free(copy);
        }
    }
    free(bytes);
}

static void
fields_an_older_peer_does_not_send_get_defaults(void **state)
{
    assert_accepted(BYTES("\x91"
                          "B"),
                    "", 0);
    assert_accepted(BYTES("\x92"
                          "B"
                          "\xa1"
                          "i"),
                    "i", 0);
    assert_accepted(BYTES("\x93"
                          "B"
                          "\xa1"
                          "i"
                          "\x05"),
                    "i", 5);

    AUTO(zmsg_destroy)
    zmsg_t *msg = message_of(BYTES("\x91"
                                   "R"));
    AUTO(ready_msg_clear) ready_msg_t ready = { 0 };
    failure_t why;
    assert_int_equal(wire_unpack(&ready_wire, msg, &ready, &why), OK);
    assert_non_null(ready.entries.bytes);
    assert_int_equal(ready.entries.size, 0);
}

static void
fields_a_newer_peer_adds_are_ignored(void **state)
{
    // clang-format off
    assert_accepted(BYTES("\x96" "B" "\xa1" "i" "\x05" "\x00" "\xa0" "\xa3" "new"), "i", 5);
    assert_accepted(BYTES("\xdc\x00\x0a" "B" "\xa1" "i" "\x05" "\x00" "\xa0"
                          "\xc0" "\xc3" "\xcb\0\0\0\0\0\0\0\0" "\xca\0\0\0\0" "\xc4\x01\0"),
                    "i", 5);
    // clang-format on
}

static void
malformed_envelopes_are_refused(void **state)
{
    // clang-format off
    assert_refused(BYTES(""));
    assert_refused(BYTES("\x90"));                                      // no letter
    assert_refused(BYTES("\x80"));                                      // a map
    assert_refused(BYTES("B"));                                         // no array
    assert_refused(BYTES("\x91\x00"));                                  // letter 0
    assert_refused(BYTES("\x91\xff"));                                  // letter -1
    assert_refused(BYTES("\x91\xa1" "B"));                              // letter as text
    assert_refused(BYTES("\x91" "C"));                                  // another message
    assert_refused(BYTES("\x91" "B" "\x00"));                           // bytes behind
    assert_refused(BYTES("\x92" "B" "\x05"));                           // number for text
    assert_refused(BYTES("\x92" "B" "\xc4\x01" "i"));                   // bin for text
    assert_refused(BYTES("\x92" "B" "\xc0"));                           // nil for text
    assert_refused(BYTES("\x93" "B" "\xa0" "\xa1" "5"));                // text for a number
    assert_refused(BYTES("\x93" "B" "\xa0" "\xcb\0\0\0\0\0\0\0\0"));    // double for a number
    assert_refused(BYTES("\x93" "B" "\xa0" "\xcf\x80\0\0\0\0\0\0\0"));  // 2^63
    assert_refused(BYTES("\x92" "B" "\x90"));                           // nested
    assert_refused(BYTES("\x96" "B" "\xa0" "\0" "\0" "\xa0" "\x90"));   // nested, unknown field
    assert_refused(BYTES("\x96" "B" "\xa0" "\0" "\0" "\xa0" "\x80"));   // a map there
    assert_refused(BYTES("\x96" "B" "\xa0" "\0" "\0" "\xa0" "\xd4\0\0"));  // an extension there
    assert_refused(BYTES("\x96" "B" "\xa0" "\0" "\0" "\xa0" "\xc1"));   // never used
    assert_refused(BYTES("\xdd\xff\xff\xff\xff" "B" "\xa0"));           // promises 4 G elements
    assert_refused(BYTES("\x92" "B" "\xdb\xff\xff\xff\xff" "i"));       // promises 4 GB
    assert_refused(BYTES("\x92" "B" "\xc6\xff\xff\xff\xff" "i"));
    // clang-format on
}

static void
deep_nesting_costs_nothing(void **state)
{
    enum { LEVELS = 24 * 1024 };
    static char bomb[3 * LEVELS];

    for (size_t i = 0; i < LEVELS; i++)
        memcpy(bomb + 3 * i, "\xdc\xff\xff", 3);
    assert_refused(bomb, sizeof bomb);
}

// clang-format off
static const struct {
    const char *text;
    bool valid;
} texts[] = {
    { "plain",            true  },
    { "\xc3\xa9",         true  },  // two bytes
    { "\xe0\xa0\x80",     true  },  // least of three
    { "\xed\x9f\xbf",     true  },  // last before the surrogates
    { "\xee\x80\x80",     true  },  // first behind them
    { "\xf0\x90\x80\x80", true  },  // least of four
    { "\xf4\x8f\xbf\xbf", true  },  // U+10FFFF
    { "\x80",             false },  // continuation alone
    { "\xc0\x80",         false },  // overlong NUL
    { "\xc1\xbf",         false },
    { "\xe0\x9f\xbf",     false },  // overlong
    { "\xed\xa0\x80",     false },  // surrogate
    { "\xf0\x8f\xbf\xbf", false },  // overlong
    { "\xf4\x90\x80\x80", false },  // behind U+10FFFF
    { "\xf5\x80\x80\x80", false },
    { "\xff",             false },
    { "a\xc3",            false },  // cut
    { "\xe2\x82",         false },
    { "\xf0\x9d\x84",     false },
    { "\xc3(",            false },
};
// clang-format on

static void
text_has_to_be_utf8(void **state)
{
    for (size_t i = 0; i < ROWS(texts); i++) {
        cancel_msg_t cancel = { .id = texts[i].text };
        AUTO(zmsg_destroy) zmsg_t *msg = wire_pack(&cancel_wire, &cancel, NULL, 0);
        AUTO(cancel_msg_clear) cancel_msg_t back = { 0 };
        failure_t why;
        bool valid = wire_unpack(&cancel_wire, msg, &back, &why) == OK;

        if (valid != texts[i].valid)
            fail_msg("row %zu was %s", i, valid ? "taken" : "refused");
    }
}

static void
text_may_not_hold_nul(void **state)
{
    assert_refused(BYTES("\x92"
                         "B"
                         "\xa3"
                         "a\0b"));
    assert_refused(BYTES("\x92"
                         "B"
                         "\xa1"
                         "\0"));
}

// Text is looked at in steps of several bytes: what does not belong is found wherever it stands.
static void
text_is_checked_at_every_place(void **state)
{
    static const char bad[] = { '\0', '\x80', '\xff' };
    enum { SIZE = 21 };
    AUTO(zmsg_destroy)
    zmsg_t *good = message_of(BYTES("\x92"
                                    "B"
                                    "\xb5"
                                    "aaaaaaaaaaaaaaaaaaaaa"));
    AUTO(beat_msg_clear) beat_msg_t beat = { 0 };
    failure_t why;

    assert_int_equal(wire_unpack(&beat_wire, good, &beat, &why), OK);
    for (size_t i = 0; i < sizeof bad; i++)
        for (size_t at = 0; at < SIZE; at++) {
            char bytes[3 + SIZE] = "\x92"
                                   "B"
                                   "\xb5";
            memset(bytes + 3, 'a', SIZE);
            bytes[3 + at] = bad[i];
            assert_refused(bytes, sizeof bytes);
        }
}

static void
a_message_is_two_frames(void **state)
{
    beat_msg_t beat = { .instance = "i" };
    AUTO(zmsg_destroy) zmsg_t *three = wire_pack(&beat_wire, &beat, NULL, 0);
    AUTO(zmsg_destroy) zmsg_t *one = wire_pack(&beat_wire, &beat, NULL, 0);
    AUTO(zmsg_destroy) zmsg_t *none = zmsg_new();
    failure_t why;

    zmsg_addmem(three, "x", 1);
    zframe_t *body = zmsg_last(one);
    zmsg_remove(one, body);
    zframe_destroy(&body);
    assert_int_equal(wire_unpack(&beat_wire, three, &beat, &why), BAD_ARGS);
    assert_int_equal(wire_unpack(&beat_wire, one, &beat, &why), BAD_ARGS);
    assert_int_equal(wire_unpack(&beat_wire, none, &beat, &why), BAD_ARGS);
    assert_int_equal(wire_type(none), 0);
    assert_int_equal(zmsg_size(three), 3);
}

static void
an_envelope_may_be_as_long_as_a_message_and_not_longer(void **state)
{
    for (int over = -1; over <= 1; over++) {
        size_t size = MESSAGE_MAX + over;
        size_t head = 7;  // array, letter, bin32 and its size
        char *text = calloc(1, size);
        memcpy(text,
               "\x96"
               "R\x01\xa0\xa0\x01\xc6",
               head);  // … up to the entries
        size_t left = size - head - 4;
        for (int i = 0; i < 4; i++)
            text[head + i] = (char) (left >> (24 - 8 * i));
        AUTO(zmsg_destroy) zmsg_t *msg = message_of(text, size);
        AUTO(ready_msg_clear) ready_msg_t ready = { 0 };
        failure_t why;

        assert_int_equal(wire_unpack(&ready_wire, msg, &ready, &why), over > 0 ? BAD_ARGS : OK);
        free(text);
    }
}

static void
the_type_of_garbage_is_none(void **state)
{
    AUTO(zmsg_destroy) zmsg_t *text = message_of(BYTES("GET / HTTP/1.1"));
    AUTO(zmsg_destroy) zmsg_t *empty = message_of(BYTES(""));
    AUTO(zmsg_destroy)
    zmsg_t *beat = message_of(BYTES("\x91"
                                    "B"));

    assert_int_equal(wire_type(text), 0);
    assert_int_equal(wire_type(empty), 0);
    assert_int_equal(wire_type(beat), MSG_beat);
    assert_int_equal(zmsg_size(beat), 2);
}

static void
decoding_moves_behind_what_it_read(void **state)
{
    const char bytes[] = "\x92"
                         "X\xa1"
                         "1"
                         "\x92"
                         "X\xa1"
                         "2"
                         "\x92"
                         "X\x05";
    const char *cursor = bytes, *end = bytes + sizeof bytes - 1;
    failure_t why;

    for (int i = 1; i <= 2; i++) {
        AUTO(cancel_msg_clear) cancel_msg_t cancel = { 0 };
        assert_int_equal(wire_decode(&cancel_wire, &cursor, end, &cancel, &why), OK);
        assert_int_equal(cancel.id[0], '0' + i);
        assert_ptr_equal(cursor, bytes + 4 * i);
    }
    cancel_msg_t cancel = { .id = "before" };
    assert_int_equal(wire_decode(&cancel_wire, &cursor, end, &cancel, &why), BAD_ARGS);
    assert_ptr_equal(cursor, bytes + 8);
    assert_string_equal(cancel.id, "before");
}

static void
every_message_of_the_list_packs_and_unpacks_empty(void **state)
{
#define ROW(lower, letter, FIELDS) { &lower##_wire },
    static const struct {
        const wire_table_t *table;
    } rows[] = { MESSAGES(ROW) };
    static const char zeros[512];

    for (size_t i = 0; i < ROWS(rows); i++) {
        char message[512];
        failure_t why;
        AUTO(zmsg_destroy) zmsg_t *msg = wire_pack(rows[i].table, zeros, NULL, 0);

        assert_true(rows[i].table->size <= sizeof message);
        assert_int_equal(wire_type(msg), rows[i].table->type);
        assert_int_equal(wire_unpack(rows[i].table, msg, message, &why), OK);
        assert_null(*(void **) message);  // nothing to own, nothing allocated
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(rows[i].table->type, rows[j].table->type);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_comes_out_as_it_went_in),
        cmocka_unit_test(a_message_without_a_body_has_an_empty_one),
        cmocka_unit_test(what_was_unpacked_outlives_the_message),
        cmocka_unit_test(clearing_twice_is_fine),
        cmocka_unit_test(numbers_keep_their_value),
        cmocka_unit_test(texts_of_every_length_class_pass),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(every_flipped_byte_is_survived),
        cmocka_unit_test(fields_an_older_peer_does_not_send_get_defaults),
        cmocka_unit_test(fields_a_newer_peer_adds_are_ignored),
        cmocka_unit_test(malformed_envelopes_are_refused),
        cmocka_unit_test(deep_nesting_costs_nothing),
        cmocka_unit_test(text_has_to_be_utf8),
        cmocka_unit_test(text_is_checked_at_every_place),
        cmocka_unit_test(text_may_not_hold_nul),
        cmocka_unit_test(a_message_is_two_frames),
        cmocka_unit_test(an_envelope_may_be_as_long_as_a_message_and_not_longer),
        cmocka_unit_test(the_type_of_garbage_is_none),
        cmocka_unit_test(decoding_moves_behind_what_it_read),
        cmocka_unit_test(every_message_of_the_list_packs_and_unpacks_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
