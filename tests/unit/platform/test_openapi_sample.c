// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "auto.h"
#include "formats/pattern.h"
#include "openapi_files.h"

#include <cmocka.h>

static arena_t *arena;

static int
setup(void **state)
{
    arena = arena_new();
    return 0;
}

static int
teardown(void **state)
{
    arena_destroy(&arena);
    return 0;
}

// A document with one operation whose body has this schema; `more` are further schemas.
static openapi_t *
with_schema(const char *version, const char *schema, const char *more)
{
    failure_t why = { 0 };
    openapi_t *spec = files_paste(
        arena,
        arena_printf(arena,
                     "{\"openapi\":\"%s\",\"info\":{\"title\":\"t\",\"version\":\"1\"},"
                     "\"servers\":[{\"url\":\"http://h\"}],"
                     "\"paths\":{\"/a\":{\"post\":{\"requestBody\":{\"content\":{\"application/"
                     "json\":{\"schema\":%s}}},"
                     "\"responses\":{\"200\":{\"description\":\"ok\"}}}}},\"components\":{"
                     "\"schemas\":{%s}}}",
                     version, schema, more ? more : ""),
        &why);

    if (!spec)
        fail_msg("%s: %s", schema, why.text);
    return spec;
}

static const json_t *
example_of(openapi_t *spec)
{
    return json_get(json_get(openapi_view(spec, NULL, 0, 1), "endpoints")->first,
                    "bodyExample");
}

// clang-format off
static const struct {
    const char *schema, *example;
} three[] = {
    // what is said wins, falsy values too
    { "{\"type\":\"integer\",\"example\":0}", "0" },
    { "{\"type\":\"boolean\",\"example\":false}", "false" },
    { "{\"type\":\"string\",\"example\":\"\",\"default\":\"d\"}", "\"\"" },
    { "{\"type\":\"string\",\"default\":\"d\",\"enum\":[\"e\",\"d\"]}", "\"d\"" },
    { "{\"type\":\"integer\",\"enum\":[1,2]}", "1" },
    { "{\"type\":\"string\",\"nullable\":true,\"enum\":[null,\"a\"]}", "\"a\"" },
    { "{\"type\":\"string\",\"example\":null}", "\"text\"" },
    { "{\"type\":\"integer\",\"example\":1629574695515050031}", "1629574695515050031" },
    // numbers
    { "{\"type\":\"integer\"}", "1" },
    { "{\"type\":\"integer\",\"minimum\":7,\"exclusiveMinimum\":true}", "8" },
    { "{\"type\":\"integer\",\"minimum\":7}", "7" },
    { "{\"type\":\"integer\",\"maximum\":-3}", "-3" },
    { "{\"type\":\"integer\",\"maximum\":0,\"exclusiveMaximum\":true}", "-1" },
    { "{\"type\":\"integer\",\"minimum\":2.5}", "3" },
    { "{\"type\":\"integer\",\"minimum\":10,\"multipleOf\":4}", "12" },
    { "{\"type\":\"integer\",\"multipleOf\":3,\"maximum\":2}", "0" },
    { "{\"type\":\"integer\",\"maximum\":-1,\"multipleOf\":5}", "-5" },
    { "{\"type\":\"integer\",\"format\":\"int32\",\"minimum\":2147483647}", "2147483647" },
    { "{\"type\":\"integer\",\"maximum\":9223372036854776000}", "1" },
    { "{\"type\":\"integer\",\"minimum\":9223372036854776000}", "9223372036854776000" },
    { "{\"type\":\"integer\",\"minimum\":-9223372036854776000,\"maximum\":-9223372036854775808}", "-9223372036854775808" },
    { "{\"type\":\"number\"}", "1" },
    { "{\"type\":\"number\",\"minimum\":0.1,\"maximum\":0.2}", "0.2" },
    { "{\"type\":\"number\",\"minimum\":0,\"maximum\":1,\"exclusiveMaximum\":true}", "0.5" },
    { "{\"type\":\"number\",\"multipleOf\":0.25,\"maximum\":0.9}", "0" },
    // text
    { "{\"type\":\"string\"}", "\"text\"" },
    { "{\"type\":\"string\",\"maxLength\":3}", "\"tex\"" },
    { "{\"type\":\"string\",\"minLength\":6}", "\"textte\"" },
    { "{\"type\":\"string\",\"maxLength\":0}", "\"\"" },
    { "{\"type\":\"string\",\"format\":\"date\"}", "\"2026-01-15\"" },
    { "{\"type\":\"string\",\"format\":\"uuid\"}", "\"3fa85f64-5717-4562-b3fc-2c963f66afa6\"" },
    { "{\"type\":\"string\",\"format\":\"strange\"}", "\"text\"" },
    { "{\"type\":\"string\",\"pattern\":\"^\\\\d{3}-\\\\d{4}$\"}", "\"111-1111\"" },
    { "{\"type\":\"string\",\"pattern\":\"^[A-Z]+$\",\"minLength\":3}", "\"AAA\"" },
    // lists
    { "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}", "[1]" },
    { "{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"minItems\":3,\"uniqueItems\":true}", "[1,2,3]" },
    { "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"]},\"minItems\":2,\"uniqueItems\":true}", "[\"a\",\"b\"]" },
    { "{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"maxItems\":0}", "[]" },
    { "{\"type\":\"array\"}", "[]" },
    { "{\"items\":{\"type\":\"boolean\"}}", "[true]" },
    // objects: what is required; everything when nothing is; what is only read never
    { "{\"type\":\"object\"}", "{}" },
    { "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{},\"b\":{}}}", "{\"a\":\"text\"}" },
    { "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{},\"b\":{\"type\":\"integer\",\"example\":5}}}", "{\"a\":\"text\",\"b\":5}" },
    { "{\"properties\":{\"a\":{},\"b\":{\"type\":\"integer\"},\"old\":{\"deprecated\":true}}}", "{\"a\":\"text\",\"b\":1}" },
    { "{\"required\":[\"id\"],\"properties\":{\"id\":{\"type\":\"integer\",\"readOnly\":true}}}", "{}" },
    { "{\"required\":[\"undescribed\"]}", "{\"undescribed\":\"text\"}" },
    { "{\"type\":\"object\",\"minProperties\":2,\"additionalProperties\":{\"type\":\"integer\"}}", "{\"key1\":1,\"key2\":1}" },
    // combinations
    { "{\"allOf\":[{\"properties\":{\"a\":{}},\"required\":[\"a\"]},{\"properties\":{\"b\":{\"minimum\":2}},\"required\":[\"b\"]}]}", "{\"a\":\"text\",\"b\":2}" },
    { "{\"allOf\":[{\"minimum\":2},{\"minimum\":5},{\"maximum\":9}],\"type\":\"integer\"}", "5" },
    { "{\"allOf\":[{\"type\":\"string\",\"example\":\"e\"}],\"nullable\":true}", "\"e\"" },
    { "{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}", "1" },
    { "{\"properties\":{\"base\":{}},\"anyOf\":[{\"required\":[\"x\"],\"properties\":{\"x\":{}}}],\"required\":[\"base\"]}", "{\"base\":\"text\",\"x\":\"text\"}" },
    { "{\"oneOf\":[{\"$ref\":\"#/components/schemas/Nowhere\"},{\"type\":\"boolean\"}]}", "true" },
    // siblings of a reference are ignored before 3.1
    { "{\"$ref\":\"#/components/schemas/Short\",\"default\":\"z\"}", "\"tex\"" },
    // what contains itself
    { "{\"$ref\":\"#/components/schemas/Node\"}", "{\"value\":\"text\"}" },
    { "{\"$ref\":\"#/components/schemas/Tree\"}", "{\"children\":[]}" },
    { "{\"$ref\":\"#/components/schemas/Choice\"}", "{\"leaf\":1}" },
    { "{\"$ref\":\"#/components/schemas/Null\"}", "{\"next\":null}" },
    { "{\"$ref\":\"#/components/schemas/Self\"}", "\"text\"" },
    { "{\"$ref\":\"#/components/schemas/Pet\"}", "{\"name\":\"text\",\"kind\":\"cat\"}" },
    { "{\"oneOf\":[{\"$ref\":\"#/components/schemas/Dog\"}],\"discriminator\":{\"propertyName\":\"kind\",\"mapping\":{\"hound\":\"#/components/schemas/Dog\"}}}", "{\"kind\":\"hound\"}" },
    { "{\"oneOf\":[{\"$ref\":\"#/components/schemas/Dog\"}],\"discriminator\":{\"propertyName\":\"kind\"}}", "{\"kind\":\"Dog\"}" },
};

static const char schemas[] =
    "\"Short\":{\"type\":\"string\",\"maxLength\":3},"
    "\"Node\":{\"type\":\"object\",\"properties\":{\"value\":{\"type\":\"string\"},\"next\":{\"$ref\":\"#/components/schemas/Node\"}}},"
    "\"Tree\":{\"type\":\"object\",\"required\":[\"children\"],\"properties\":{\"children\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/Tree\"}}}},"
    "\"Choice\":{\"oneOf\":[{\"type\":\"object\",\"required\":[\"branch\"],\"properties\":{\"branch\":{\"$ref\":\"#/components/schemas/Choice\"}}},"
        "{\"type\":\"object\",\"required\":[\"leaf\"],\"properties\":{\"leaf\":{\"type\":\"integer\"}}}]},"
    "\"Null\":{\"type\":\"object\",\"required\":[\"next\"],\"properties\":{\"next\":{\"nullable\":true,\"allOf\":[{\"$ref\":\"#/components/schemas/Null\"}]}}},"
    "\"Self\":{\"allOf\":[{\"$ref\":\"#/components/schemas/Self\"},{\"type\":\"string\"}]},"
    "\"Pet\":{\"type\":\"object\",\"required\":[\"name\",\"kind\"],\"properties\":{\"name\":{},\"kind\":{\"type\":\"string\"}},"
        "\"discriminator\":{\"propertyName\":\"kind\",\"mapping\":{\"cat\":\"#/components/schemas/Pet\"}}},"
    "\"Dog\":{\"type\":\"object\",\"required\":[\"kind\"],\"properties\":{\"kind\":{\"type\":\"string\"}}},"
    "\"Endless\":{\"type\":\"object\",\"required\":[\"id\",\"self\"],\"properties\":{\"id\":{\"type\":\"integer\"},\"self\":{\"$ref\":\"#/components/schemas/Endless\"}}}";

static const struct {
    const char *schema, *example;
} three_one[] = {
    { "{\"type\":[\"string\",\"null\"]}", "\"text\"" },
    { "{\"type\":[\"null\",\"integer\"]}", "1" },
    { "{\"type\":\"null\"}", "null" },
    { "{\"type\":\"integer\",\"exclusiveMinimum\":0,\"exclusiveMaximum\":10}", "1" },
    { "{\"type\":\"integer\",\"exclusiveMinimum\":7}", "8" },
    { "{\"type\":\"integer\",\"exclusiveMaximum\":0}", "-1" },
    { "{\"type\":\"integer\",\"minimum\":9,\"exclusiveMinimum\":7}", "9" },
    { "{\"const\":\"fixed\",\"default\":\"x\"}", "\"fixed\"" },
    { "{\"type\":[\"string\",\"null\"],\"enum\":[null,\"a\"]}", "\"a\"" },
    { "{\"type\":\"string\",\"examples\":[\"first\",\"second\"]}", "\"first\"" },
    { "{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"},{\"type\":\"integer\"}],\"items\":false}", "[\"text\",1]" },
    { "{\"properties\":{\"any\":true,\"never\":false}}", "{\"any\":\"text\"}" },
    { "{\"$ref\":\"#/components/schemas/Short\",\"default\":\"z\"}", "\"z\"" },
    { "{\"oneOf\":[{\"type\":\"null\"},{\"type\":\"integer\"}]}", "1" },
    { "{\"if\":{\"required\":[\"a\"]},\"then\":{\"required\":[\"b\"]},\"type\":\"object\"}", "{}" },
};
// clang-format on

static void
assert_example(const char *version, const char *schema, const char *want)
{
    const json_t *example = example_of(with_schema(version, schema, schemas));

    if (!json_equal(example, json_parse_text(arena, want)))
        fail_msg("%s\nis %s\nnot %s", schema, json_text(arena, example), want);
}

static void
examples_follow_their_schemas(void **state)
{
    for (size_t i = 0; i < ROWS(three); i++)
        assert_example("3.0.3", three[i].schema, three[i].example);
    for (size_t i = 0; i < ROWS(three_one); i++)
        assert_example("3.1.0", three_one[i].schema, three_one[i].example);
}

static void
a_schema_that_requires_itself_leaves_itself_out_with_a_warning(void **state)
{
    openapi_t *spec =
        with_schema("3.0.3", "{\"$ref\":\"#/components/schemas/Endless\"}", schemas);

    assert_true(json_equal(example_of(spec), json_parse_text(arena, "{\"id\":1}")));
    assert_non_null(files_warning(
        spec, "/paths/~1a/post/requestBody/content/application~1json/schema", "leaves it out"));
}

static void
what_nothing_fits_has_no_example(void **state)
{
    assert_int_equal(example_of(with_schema("3.1.0", "false", NULL))->kind, JSON_NULL);
    assert_int_equal(
        example_of(
            with_schema("3.0.3", "{\"type\":\"integer\",\"minimum\":5,\"maximum\":4}", NULL))
            ->kind,
        JSON_NULL);
}

static void
a_pattern_that_cannot_be_met_is_a_warning(void **state)
{
    static const char *const patterns[] = { "[unclosed", "(?=x)y{0,3}", "a{0,404600}",
                                            "^(\\\\w+)\\\\1$" };

    for (size_t i = 0; i < ROWS(patterns); i++) {
        openapi_t *spec = with_schema(
            "3.0.3",
            arena_printf(arena, "{\"type\":\"string\",\"pattern\":\"%s\"}", patterns[i]), NULL);
        assert_string_equal(example_of(spec)->text, "text");
        assert_non_null(files_warning(
            spec, "/paths/~1a/post/requestBody/content/application~1json/schema", "pattern"));
    }
}

// clang-format off
static const struct {
    const char *pattern;
    int64_t min, max;
    const char *sample;
} patterns[] = {
    { "^\\d{3}-\\d{4}$",         0, -1, "111-1111" },
    { "(a+)+$",                  0, -1, "a" },
    { "\\p{L}",                  0, -1, "a" },
    { "^(foo|bar)+x?$",          0, -1, "foo" },
    { "^[^/]+$",                 3, -1, "aaa" },
    { "^#[0-9a-fA-F]{6}$",       0, 7,  "#aaaaaa" },
    { "^(?<year>\\d{4})$",       0, -1, "1111" },
    { "^[\\]\\[]$",              0, -1, "]" },
    { "a{",                      0, -1, "a{" },
    { "^.{8,}$",                 0, 20, "aaaaaaaa" },
    { "\\u00e9",                 0, -1, "\xc3\xa9" },
    { "",                        0, -1, "" },
    { "x{3,}",                   0, 2,  NULL },
    { "^abc$",                   5, -1, NULL },
    { "[unclosed",               0, -1, NULL },
    { "(?!x)y",                  0, -1, NULL },
    { "(((((",                   0, -1, NULL },
    { "(?:a{1000}){1000}",       0, -1, NULL },
};
// clang-format on

static void
texts_are_made_for_patterns_or_not_at_all(void **state)
{
    for (size_t i = 0; i < ROWS(patterns); i++) {
        const char *sample =
            pattern_sample(arena, patterns[i].pattern, patterns[i].min, patterns[i].max);
        print_message("  %s\n", patterns[i].pattern);
        if (patterns[i].sample)
            assert_string_equal(sample ? sample : "(none)", patterns[i].sample);
        else
            assert_null(sample);
    }
}

static void
wide_and_deep_schemas_end_in_time(void **state)
{
    buffer_t more = { 0 };
    clock_t start = clock();

    // Every schema refers to all others, three times.
    for (int i = 0; i < 30; i++) {
        buffer_printf(&more, "%s\"S%d\":{\"type\":\"object\",\"properties\":{", i ? "," : "",
                      i);
        for (int j = 0; j < 90; j++)
            buffer_printf(&more,
                          "%s\"p%d\":{\"oneOf\":[{\"$ref\":\"#/components/schemas/"
                          "S%d\"},{\"$ref\":\"#/components/schemas/S%d\"}]}",
                          j ? "," : "", j, j % 30, (j * 7) % 30);
        buffer_text(&more, "}}");
    }
    assert_non_null(
        example_of(with_schema("3.0.3", "{\"$ref\":\"#/components/schemas/S0\"}", more.bytes)));
    assert_true((double) (clock() - start) / CLOCKS_PER_SEC < 2.0);
    buffer_clear(&more);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(examples_follow_their_schemas, setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_schema_that_requires_itself_leaves_itself_out_with_a_warning, setup, teardown),
        cmocka_unit_test_setup_teardown(what_nothing_fits_has_no_example, setup, teardown),
        cmocka_unit_test_setup_teardown(a_pattern_that_cannot_be_met_is_a_warning, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(texts_are_made_for_patterns_or_not_at_all, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(wide_and_deep_schemas_end_in_time, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
