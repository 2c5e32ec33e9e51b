// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auto.h"
#include "queue.h"
#include "report/files.h"
#include "rest.h"

#include <cmocka.h>  // last: it defines fail()

static rest_t rest;
static const char *dir;

static int
open_rest(void **state)
{
    rest_open(&rest);
    dir = arena_printf(rest.arena, "%s-reports", rest.dir);
    return 0;
}

static int
close_rest(void **state)
{
    char *gone = strdup(dir);

    rest_close(&rest);
    if (!access(gone, F_OK))
        rest_remove(gone);
    free(gone);
    return 0;
}

static const char *
write_one(int64_t id, const char *text)
{
    AUTO(buffer_clear) buffer_t page = { 0 };

    buffer_text(&page, text);
    return report_file_write(rest.arena, dir, id, &page);
}

static size_t
files_in_dir(void)
{
    size_t count = 0;
    DIR *entries = opendir(dir);

    for (const struct dirent *entry = readdir(entries); entry; entry = readdir(entries))
        count += entry->d_name[0] != '.';
    closedir(entries);
    return count;
}

static void
a_report_is_a_file_for_its_owner_alone(void **state)
{
    char text[8] = "";
    struct stat info;

    write_one(7, "old");
    const char *path = write_one(7, "new");
    assert_string_equal(path, arena_printf(rest.arena, "%s/execution-7.html", dir));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    int fd = open(path, O_RDONLY);
    assert_int_equal(read(fd, text, sizeof text), 3);
    close(fd);
    assert_string_equal(text, "new");
    assert_int_equal(files_in_dir(), 1);
}

// Their times say which is the oldest, not their numbers.
static void
only_the_newest_are_kept(void **state)
{
    const struct timespec long_ago[] = { { .tv_sec = 1 }, { .tv_sec = 1 } };

    for (int64_t id = 1; id <= REPORT_FILES_MAX; id++)
        write_one(id, "x");
    assert_int_equal(files_in_dir(), REPORT_FILES_MAX);
    const char *oldest = arena_printf(rest.arena, "%s/execution-42.html", dir);
    utimensat(AT_FDCWD, oldest, long_ago, 0);
    assert_non_null(write_one(REPORT_FILES_MAX + 1, "x"));
    assert_int_equal(files_in_dir(), REPORT_FILES_MAX);
    assert_int_not_equal(access(oldest, F_OK), 0);
}

static void
what_is_not_ours_stays(void **state)
{
    const struct timespec long_ago[] = { { .tv_sec = 1 }, { .tv_sec = 1 } };

    write_one(1, "x");
    const char *other = arena_printf(rest.arena, "%s/notes.txt", dir);
    close(open(other, O_CREAT | O_WRONLY, 0600));
    utimensat(AT_FDCWD, other, long_ago, 0);
    for (int64_t id = 1; id <= REPORT_FILES_MAX + 1; id++)
        write_one(id, "x");
    assert_int_equal(access(other, F_OK), 0);
}

static void
a_place_that_takes_no_file_is_no_failure(void **state)
{
    dir = "/proc/nowhere";
    assert_null(write_one(1, "x"));
}

// ---- the route

static void
run_one(void)
{
    rest.token = rest_token(&rest, "analyst");
    POST(&rest, "/api/projects", "{\"name\": \"p\"}");
    POST(&rest, "/api/environments", "{\"name\": \"dev\", \"authRequirement\": \"PUBLIC\"}");
    POST(&rest, "/api/environments/1/targets",
         "{\"name\": \"t\", \"targetType\": \"REST_SERVICE\", \"baseUrl\": \"http://t.test\"}");
    POST(&rest, "/api/scenarios/yaml",
         "{\"projectId\": 1, \"yamlText\": \"name: Pets\\nsteps:\\n"
         "- {name: a, method: GET, path: /a}\\n\"}");
    POST(&rest, "/api/scenarios/1/execute", "{\"environmentId\": 1}");
    assert_int_equal(rest.last->code, 202);
}

// Nobody takes it, and its time runs out.
static void
end_it(void)
{
    AUTO(exchange_destroy) exchange_t *x = exchange_new(&rest.platform);

    x->store = rest.store;
    x->wall_ms = rest.wall_ms + QUEUE_WAIT_MS + 1;
    queue_sweep(x);
}

static const char *
told_file(void)
{
    assert_int_equal(GET(&rest, "/api/scenarios/executions/1"), 200);
    return rest_member(&rest, "reportFile");
}

static void
the_path_is_told_when_the_run_has_ended(void **state)
{
    run_one();
    rest.platform.reports = dir;
    assert_null(told_file());
    end_it();
    const char *path = told_file();
    assert_string_equal(path, arena_printf(rest.arena, "%s/execution-1.html", dir));
    assert_int_equal(access(path, R_OK), 0);
    rest.platform.reports = NULL;
    assert_null(told_file());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rest, close_rest)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_report_is_a_file_for_its_owner_alone),
        TEST(only_the_newest_are_kept),
        TEST(what_is_not_ours_stays),
        TEST(a_place_that_takes_no_file_is_no_failure),
        TEST(the_path_is_told_when_the_run_has_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
