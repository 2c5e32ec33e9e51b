// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "mcp/sealed.h"

#include <cmocka.h>

static const unsigned char key[KEY_SIZE] = { 1 }, other_key[KEY_SIZE] = { 2 };

static bool
opens(const unsigned char *with, const char *purpose, const char *sealed, int64_t now_ms)
{
    AUTO(sealer_destroy) sealer_t *sealer = sealer_new(with);
    AUTO(buffer_clear) buffer_t text = { 0 };

    return sealer_open(sealer, purpose, sealed, now_ms, &text);
}

static void
a_sealed_text_opens_for_its_purpose_and_time(void **state)
{
    AUTO(sealer_destroy) sealer_t *sealer = sealer_new(key);
    AUTO(buffer_clear) buffer_t sealed = { 0 }, text = { 0 };

    sealer_seal(sealer, "list", "12", 2, 1000, &sealed);
    assert_true(sealer_open(sealer, "list", sealed.bytes, 999, &text));
    assert_string_equal(text.bytes, "12");
    assert_false(opens(key, "list", sealed.bytes, 1000));
    assert_false(opens(key, "other", sealed.bytes, 0));
    assert_false(opens(other_key, "list", sealed.bytes, 0));
}

static void
one_that_was_sealed_for_ever_stays_good(void **state)
{
    AUTO(sealer_destroy) sealer_t *sealer = sealer_new(key);
    AUTO(buffer_clear) buffer_t sealed = { 0 };

    sealer_seal(sealer, "list", "", 0, 0, &sealed);
    assert_true(opens(key, "list", sealed.bytes, INT64_MAX));
}

static void
no_changed_character_goes_unseen(void **state)
{
    AUTO(sealer_destroy) sealer_t *sealer = sealer_new(key);
    AUTO(buffer_clear) buffer_t sealed = { 0 };

    sealer_seal(sealer, "list", "state", 5, 0, &sealed);
    for (size_t i = 0; i < sealed.size; i++) {
        char kept = sealed.bytes[i];
        sealed.bytes[i] = kept == 'A' ? 'B' : 'A';
        assert_false(opens(key, "list", sealed.bytes, 0));
        sealed.bytes[i] = kept;
    }
    for (size_t size = 0; size < sealed.size; size++) {
        char *cut = strndup(sealed.bytes, size);
        assert_false(opens(key, "list", cut, 0));
        free(cut);
    }
    assert_true(opens(key, "list", sealed.bytes, 0));
    buffer_text(&sealed, "-TAMPERED");
    assert_false(opens(key, "list", sealed.bytes, 0));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sealed_text_opens_for_its_purpose_and_time),
        cmocka_unit_test(one_that_was_sealed_for_ever_stays_good),
        cmocka_unit_test(no_changed_character_goes_unseen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
