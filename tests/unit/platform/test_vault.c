// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auto.h"
#include "vault.h"

#include <cmocka.h>  // last: it defines fail()

static arena_t *arena;
static vault_t vault;

static int
make_arena(void **state)
{
    arena = arena_new();
    memset(vault.key, 7, KEY_SIZE);
    return 0;
}

static int
drop_arena(void **state)
{
    arena_destroy(&arena);
    return 0;
}

static void
what_is_sealed_opens_again(void **state)
{
    static const char *const secrets[] = { "", "x", "hush hush", "pässwörd" };

    for (size_t i = 0; i < ROWS(secrets); i++) {
        size_t size;
        failure_t why;
        char *plain = NULL;
        void *sealed =
            vault_seal(&vault, arena, "credential/1", secrets[i], strlen(secrets[i]), &size);
        assert_int_equal(
            vault_unseal(&vault, arena, "credential/1", sealed, size, &plain, &why), OK);
        assert_string_equal(plain, secrets[i]);
        if (strlen(secrets[i]) > 3)
            assert_null(memmem(sealed, size, secrets[i], strlen(secrets[i])));
    }
}

static void
the_same_secret_never_looks_the_same(void **state)
{
    size_t size;
    void *one = vault_seal(&vault, arena, "credential/1", "hush", 4, &size);
    void *two = vault_seal(&vault, arena, "credential/1", "hush", 4, &size);

    assert_memory_not_equal(one, two, size);
}

static void
a_sealed_secret_does_not_open_in_another_place(void **state)
{
    size_t size;
    failure_t why;
    char *plain = NULL;
    void *sealed = vault_seal(&vault, arena, "credential/1", "hush", 4, &size);

    assert_int_equal(vault_unseal(&vault, arena, "credential/2", sealed, size, &plain, &why),
                     BACKEND);
    assert_null(plain);
    assert_null(strstr(why.text, "hush"));
}

static void
it_does_not_open_with_another_key(void **state)
{
    size_t size;
    failure_t why;
    char *plain = NULL;
    void *sealed = vault_seal(&vault, arena, "credential/1", "hush", 4, &size);
    vault_t other = vault;

    other.key[31] ^= 1;
    assert_int_equal(vault_unseal(&other, arena, "credential/1", sealed, size, &plain, &why),
                     BACKEND);
    assert_string_equal(why.code, "VAULT_SEALED");
}

static void
every_changed_bit_and_every_missing_byte_is_noticed(void **state)
{
    size_t size;
    failure_t why;
    char *plain = NULL;
    unsigned char *sealed = vault_seal(&vault, arena, "credential/1", "hush", 4, &size);

    for (size_t bit = 0; bit < size * 8; bit++) {
        sealed[bit / 8] ^= (unsigned char) (1 << bit % 8);
        assert_int_equal(
            vault_unseal(&vault, arena, "credential/1", sealed, size, &plain, &why), BACKEND);
        sealed[bit / 8] ^= (unsigned char) (1 << bit % 8);
    }
    for (size_t shorter = 0; shorter < size; shorter++)
        assert_int_equal(
            vault_unseal(&vault, arena, "credential/1", sealed, shorter, &plain, &why),
            BACKEND);
    assert_null(plain);
}

static void
a_key_that_others_can_read_is_refused(void **state)
{
    char path[] = "/tmp/vault-XXXXXX";
    failure_t why;
    vault_t other;

    close(mkstemp(path));
    unlink(path);
    assert_int_equal(vault_open(path, &other, &why), EXIT_DONE);  // made
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(vault_open(path, &other, &why), EXIT_KEY);
    assert_non_null(strstr(why.text, "chmod 600"));
    unlink(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sealed_opens_again),
        cmocka_unit_test(the_same_secret_never_looks_the_same),
        cmocka_unit_test(a_sealed_secret_does_not_open_in_another_place),
        cmocka_unit_test(it_does_not_open_with_another_key),
        cmocka_unit_test(every_changed_bit_and_every_missing_byte_is_noticed),
        cmocka_unit_test(a_key_that_others_can_read_is_refused),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
