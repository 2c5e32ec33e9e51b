// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include "clock.h"
#include "documents.h"
#include "scene.h"

#define PAGE "<html>openapi: see \"swagger\": here</html>"

// Fetches `paths`, separated by blanks, of the scene's stub.
static void
fetch(scene_t *scene, const char *paths, const char *members)
{
    arena_t *arena = scene->job.arena;
    json_t *payload = scene_payload(arena, members, scene->stub.port);
    json_t *urls = json_set(arena, payload, "urls", json_array(arena));

    while (*paths) {
        size_t length = strcspn(paths, " ");
        const char *path = arena_strndup(arena, paths, length);
        json_t *one = json_add(urls, json_object(arena));
        json_set_text(arena, one, "url",
                      *path == '/' ? arena_printf(arena, "%s%s", scene->stub.url, path) : path);
        paths += length + strspn(paths + length, " ");
    }
    scene->job.payload = payload;
    scene->result = documents_run(&scene->job);
    scene->text = json_text(arena, scene->result);
}

static const json_t *
document(const scene_t *scene, size_t index)
{
    const json_t *one = json_get(scene->result, "documents")->first;

    while (one && index--)
        one = one->next;
    assert_non_null(one);
    return one;
}

static size_t
count(const scene_t *scene)
{
    return json_get(scene->result, "documents")->count;
}

static void
a_search_ends_at_the_first_description(void **state)
{
    static const stub_row_t script[] = {
        { "GET /page", STUB_ANSWER("200", "", PAGE) },
        { "GET /json", STUB_JSON("{\"error\":\"no openapi or swagger: here\"}") },
        { "GET /moved", "HTTP/1.1 302 X\r\nLocation: /spec\r\nContent-Length: 0\r\n\r\n" },
        { "GET /spec", STUB_ANSWER("200", "Content-Type: text/yaml\r\n", "openapi: 3.0.0\n") },
        { 0 }
    };
    scene_t scene;

    scene_begin(&scene, script);
    fetch(&scene, "/none /page /json /moved /never", "'firstOnly':true,'acceptMissing':true");
    assert_int_equal(count(&scene), 4);
    assert_int_equal(json_get_int(document(&scene, 0), "status", 0), 404);
    assert_non_null(strstr(json_get_text(document(&scene, 1), "error"), "describes no API"));
    assert_null(json_get(document(&scene, 1), "text"));
    assert_non_null(json_get_text(document(&scene, 2), "error"));
    assert_string_equal(json_get_text(document(&scene, 3), "text"), "openapi: 3.0.0\n");
    assert_string_equal(json_get_text(document(&scene, 3), "contentType"), "text/yaml");
    assert_non_null(strstr(json_get_text(document(&scene, 3), "finalUrl"), "/spec"));
    assert_null(json_get_text(document(&scene, 3), "error"));
    assert_int_equal(stub_count(&scene.stub, "GET /never"), 0);
    assert_int_equal(stub_count(&scene.stub, "Accept: application/json, application/yaml"), 5);
    scene_end(&scene);
}

// clang-format off
static const char *const descriptions[] = {
    "{\"openapi\":\"3.1.0\"}", "{ \"swagger\" : \"2.0\" }", "swagger: '2.0'\n", "# x\nopenapi: 3.0.1\n",
    "\xef\xbb\xbf{\"openapi\":\"3.1.0\"}", "'openapi': 3.0.0", "info: {}\nopenapi : 3.0.0",
};
// clang-format on

static void
descriptions_are_known_by_their_first_member(void **state)
{
    for (size_t i = 0; i < ROWS(descriptions); i++) {
        scene_t scene;
        AUTO(arena_destroy) arena_t *arena = arena_new();
        const stub_row_t script[] = {
            { "GET /a", arena_printf(arena, STUB_JSON("%s"), descriptions[i]) }, { 0 }
        };
        print_message("  %s\n", descriptions[i]);
        scene_begin(&scene, script);
        fetch(&scene, "/a", "'firstOnly':true");
        assert_string_equal(json_get_text(document(&scene, 0), "text"), descriptions[i]);
        scene_end(&scene);
    }
}

static void
all_that_are_asked_for_are_brought_and_the_missing_named(void **state)
{
    static const stub_row_t script[] = { { "GET /a", STUB_JSON("{\"type\":\"object\"}") },
                                         { "GET /b", "", 0, STUB_CLOSE },
                                         { "GET /c", STUB_JSON("plain") },
                                         { 0 } };
    scene_t scene;

    scene_begin(&scene, script);
    fetch(&scene, "/a /missing /b /c", "'acceptMissing':true");
    assert_int_equal(count(&scene), 4);
    assert_string_equal(json_get_text(document(&scene, 0), "text"), "{\"type\":\"object\"}");
    assert_int_equal(json_get_int(document(&scene, 1), "status", 0), 404);
    assert_null(json_get(document(&scene, 1), "text"));
    assert_non_null(json_get_text(document(&scene, 2), "error"));
    assert_string_equal(json_get_text(document(&scene, 3), "text"), "plain");
    assert_int_equal(atomic_load(&scene.job.total), 4);
    assert_int_equal(atomic_load(&scene.job.done), 4);
    scene_end(&scene);
}

static void
a_missing_one_is_the_end_where_all_are_needed(void **state)
{
    scene_t scene;

    scene_begin(&scene, (const stub_row_t[]){ { 0 } });
    fetch(&scene, "/missing /b", "'acceptMissing':false");
    assert_int_equal(count(&scene), 1);
    scene_end(&scene);
}

static void
a_host_that_is_not_there_is_asked_once(void **state)
{
    static const char *const members[] = { "'firstOnly':true", "'firstOnly':false" };

    for (size_t i = 0; i < ROWS(members); i++) {
        scene_t scene;
        int64_t begun_ms = clock_now_ms();
        scene_begin(&scene, (const stub_row_t[]){ { 0 } });
        fetch(&scene, "http://nowhere.invalid/a http://nowhere.invalid/b /c", members[i]);
        assert_int_equal(count(&scene), i ? 3 : 1);
        assert_non_null(strstr(json_get_text(document(&scene, 0), "error"), "has no address"));
        if (i)
            assert_string_equal(json_get_text(document(&scene, 1), "error"),
                                json_get_text(document(&scene, 0), "error"));
        assert_true(clock_now_ms() - begun_ms < 10000);
        scene_end(&scene);
    }
}

static void
private_documents_need_the_environments_word(void **state)
{
    scene_t scene;

    scene_begin(&scene, (const stub_row_t[]){ { 0 } });
    fetch(&scene, "/a /b", "'allowPrivate':false,'firstOnly':true");
    assert_int_equal(count(&scene), 1);
    assert_non_null(strstr(scene.text, "may not reach"));
    assert_int_equal(scene.stub.connections, 0);
    scene_end(&scene);
}

static void
a_packed_document_is_unpacked(void **state)
{
    static const char text[] = "{\"openapi\":\"3.1.0\"}";
    char answer[400] = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n";
    size_t head = strlen(answer);
    z_stream stream = { .next_in = (Bytef *) text,
                        .avail_in = sizeof text - 1,
                        .next_out = (Bytef *) answer + head,
                        .avail_out = (uInt) (sizeof answer - head) };
    scene_t scene;

    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    const stub_row_t script[] = { { "GET /a", answer, head + stream.total_out, STUB_CLOSE },
                                  { "GET /b", STUB_ANSWER("200", "Content-Encoding: gzip\r\n",
                                                          "{\"openapi\":\"3.1.0\"}") },
                                  { 0 } };
    scene_begin(&scene, script);
    fetch(&scene, "/a /b", "'acceptMissing':true");
    assert_string_equal(json_get_text(document(&scene, 0), "text"), text);
    assert_non_null(strstr(json_get_text(document(&scene, 1), "error"), "not gzip data"));
    scene_end(&scene);
}

// Two documents that fit one by one and not together.
static void
documents_have_a_limit_together(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    size_t half = DOCUMENTS_SIZE_MAX / 2 - 2;  // with its quotes

    for (size_t size = half; size <= half + 1; size++) {
        char *body = arena_alloc(arena, size + 1);
        memset(body, 'x', size);
        const stub_row_t script[] = {
            { "GET /a", arena_printf(arena, STUB_ANSWER("200", "", "%s"), body) }, { 0 }
        };
        scene_t scene;
        scene_begin(&scene, script);
        fetch(&scene, "/a /a", "'acceptMissing':true");
        assert_int_equal(json_get(document(&scene, 0), "text")->length, size);
        assert_int_equal(json_get(document(&scene, 1), "text") != NULL, size == half);
        assert_int_equal(json_get_text(document(&scene, 1), "error") != NULL, size > half);
        assert_true(strlen(scene.text) < DOCUMENT_MAX);
        scene_end(&scene);
    }
}

static void
no_more_than_64_documents_are_fetched(void **state)
{
    AUTO(buffer_clear) buffer_t paths = { 0 };
    scene_t scene;

    for (int i = 0; i < DOCUMENTS_MAX + 1; i++)
        buffer_printf(&paths, "/%d ", i);
    scene_begin(&scene, (const stub_row_t[]){ { 0 } });
    fetch(&scene, paths.bytes, "'acceptMissing':true");
    assert_int_equal(count(&scene), DOCUMENTS_MAX);
    assert_int_equal(scene.stub.requests, DOCUMENTS_MAX);
    scene_end(&scene);
}

static void
a_cancelled_job_fetches_nothing_more(void **state)
{
    scene_t scene;

    scene_begin(&scene, (const stub_row_t[]){ { 0 } });
    atomic_store(&scene.job.cancelled, true);
    fetch(&scene, "/a /b", "'acceptMissing':true");
    assert_int_equal(count(&scene), 1);
    assert_int_equal(scene.stub.requests, 0);
    scene_end(&scene);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_ends_at_the_first_description),
        cmocka_unit_test(descriptions_are_known_by_their_first_member),
        cmocka_unit_test(all_that_are_asked_for_are_brought_and_the_missing_named),
        cmocka_unit_test(a_missing_one_is_the_end_where_all_are_needed),
        cmocka_unit_test(a_host_that_is_not_there_is_asked_once),
        cmocka_unit_test(private_documents_need_the_environments_word),
        cmocka_unit_test(a_packed_document_is_unpacked),
        cmocka_unit_test(documents_have_a_limit_together),
        cmocka_unit_test(no_more_than_64_documents_are_fetched),
        cmocka_unit_test(a_cancelled_job_fetches_nothing_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
