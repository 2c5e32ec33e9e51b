// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auto.h"
#include "keyfile.h"

#include <cmocka.h>  // last: it defines fail()

static char dir[] = "/tmp/keyfile-XXXXXX";
static char path[64];

static void
put(const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

static int
make_dir(void **state)
{
    snprintf(path, sizeof path, "%s/key", mkdtemp(dir));
    return 0;
}

static int
drop_dir(void **state)
{
    unlink(path);
    return rmdir(dir);
}

static void
a_missing_key_is_made_and_read_again(void **state)
{
    unsigned char made[KEY_SIZE], read[KEY_SIZE];
    struct stat file;
    failure_t why;

    unlink(path);
    assert_int_equal(keyfile_load(path, false, made, &why), EXIT_KEY);
    assert_non_null(strstr(why.text, "is missing"));
    assert_int_equal(keyfile_load(path, true, made, &why), EXIT_DONE);
    assert_int_equal(keyfile_load(path, false, read, &why), EXIT_DONE);
    assert_memory_equal(made, read, KEY_SIZE);
    assert_int_equal(stat(path, &file), 0);
    assert_int_equal(file.st_mode & 0777, 0600);
}

#define HEX31 "00112233445566778899aabbccddeeff00112233445566778899aabbccddee"

// clang-format off
static const struct {
    const char *text;
    mode_t mode;
    const char *reason;
} refused[] = {
    { HEX31 "ff\n",   0640, "chmod 600" },
    { HEX31 "ff\n",   0604, "chmod 600" },
    { HEX31 "\n",     0600, "64 hex digits" },
    { HEX31 "ffff\n", 0600, "64 hex digits" },
    { HEX31 "zz\n",   0600, "64 hex digits" },
    { "",             0600, "64 hex digits" },
};
// clang-format on

static void
bad_key_files_are_refused_with_the_reason(void **state)
{
    for (size_t i = 0; i < ROWS(refused); i++) {
        unsigned char key[KEY_SIZE];
        failure_t why;

        put(refused[i].text, refused[i].mode);
        assert_int_equal(keyfile_load(path, true, key, &why), EXIT_KEY);
        assert_non_null(strstr(why.text, refused[i].reason));
    }
}

static void
a_secret_file_is_written_whole_and_read_without_the_line_end(void **state)
{
    failure_t why;
    char *text = NULL;

    assert_int_equal(keyfile_write(path, "token\n", &why), EXIT_DONE);
    assert_int_equal(keyfile_read(path, &text, &why), EXIT_DONE);
    assert_string_equal(text, "token");
    free(text);
    assert_int_equal(keyfile_write("/nonexistent/file", "x", &why), EXIT_KEY);
    assert_int_equal(keyfile_read("/nonexistent/file", &text, &why), EXIT_DONE);
    assert_null(text);
    assert_int_equal(keyfile_read(dir, &text, &why), EXIT_KEY);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_key_is_made_and_read_again),
        cmocka_unit_test(bad_key_files_are_refused_with_the_reason),
        cmocka_unit_test(a_secret_file_is_written_whole_and_read_without_the_line_end),
    };
    return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
