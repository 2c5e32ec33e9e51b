// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "jsonpath.h"
#include "limits.h"

#include <cmocka.h>  // last: it defines fail()

typedef struct {
    const char *document;
    const char *query;
    const char *nodes;  // as an array
} row_t;

static const char store[] =
    "{\"store\":{\"book\":["
    "{\"category\":\"reference\",\"author\":\"Nigel "
    "Rees\",\"title\":\"Sayings\",\"price\":8.95},"
    "{\"category\":\"fiction\",\"author\":\"Evelyn "
    "Waugh\",\"title\":\"Sword\",\"price\":12.99},"
    "{\"category\":\"fiction\",\"author\":\"Herman Melville\",\"title\":\"Moby Dick\","
    "\"isbn\":\"0-553-21311-3\",\"price\":8.99},"
    "{\"category\":\"fiction\",\"author\":\"Tolkien\",\"title\":\"Rings\","
    "\"isbn\":\"0-395-19395-8\",\"price\":22.99}],\"bicycle\":{\"color\":\"red\",\"price\":399}"
    "}}";

#define TEN   "[0,1,2,3,4,5,6,7,8,9]"
#define MIXED "[5,\"value\",null,{\"key\":\"value\"},false]"
#define ODD_NAMES                                                                              \
    "{\"@odata.next\":\"u\",\"a.b\":{\"\":1},\"it's\":2,\"\xe2\x82\xac\":3,\"a\\u0000b\":4}"
#define ABC                                                                                    \
    "[\"abc\",\"axc\",\"ab\",\"xab\",\"a\\nc\",\"a\\rc\",\"a\xe2\x80\xa8"                      \
    "c\"]"
#define TABLE "{\"obj\":{\"x\":\"y\"},\"arr\":[2,3]}"

// clang-format off
static const row_t segments[] = {
    { "{\"k\":\"v\"}", "$",                 "[{\"k\":\"v\"}]" },
    { "1",            "$",                  "[1]" },
    { "{\"a\":null}", "$.a",                "[null]" },
    { "{\"a\":null}", "$.b",                "[]" },
    { "[1]",          "$.a",                "[]" },
    { "{\"a\":1,\"a\":2}", "$.a",           "[2]" },
    { "{\"a\":{\"b\":[7]}}", "$.a.b[0]",    "[7]" },
    { "{\"a\":{\"b\":[7]}}", "$ .a\n['b'] [ 0 ]", "[7]" },
    { "{\"a\":1,\"b\":2}", "$['a','b','a']", "[1,2,1]" },
    { "{\"a\":1,\"b\":2}", "$[ 'a' , \"b\" ]", "[1,2]" },
    { "{\"a\":1,\"b\":2}", "$.*",           "[1,2]" },
    { "{\"a\":1,\"b\":2}", "$[*,'a']",      "[1,2,1]" },
    { "[1,[2]]",      "$[*]",               "[1,[2]]" },
    { "[1,2]",        "$[*,0]",             "[1,2,1]" },
    { "7",            "$.*",                "[]" },
    { "7",            "$..*",               "[]" },
    { TEN,            "$[0]",               "[0]" },
    { TEN,            "$[-1]",              "[9]" },
    { TEN,            "$[-10]",             "[0]" },
    { TEN,            "$[-11]",             "[]" },
    { TEN,            "$[10]",              "[]" },
    { "{\"0\":1}",    "$[0]",               "[]" },
    { TEN,            "$[1:3]",             "[1,2]" },
    { TEN,            "$[5:]",              "[5,6,7,8,9]" },
    { TEN,            "$[:2]",              "[0,1]" },
    { TEN,            "$[1:5:2]",           "[1,3]" },
    { TEN,            "$[5:1:-2]",          "[5,3]" },
    { TEN,            "$[::-1]",            "[9,8,7,6,5,4,3,2,1,0]" },
    { TEN,            "$[:]",               TEN },
    { TEN,            "$[::]",              TEN },
    { TEN,            "$[::0]",             "[]" },
    { TEN,            "$[-2:]",             "[8,9]" },
    { TEN,            "$[7:100]",           "[7,8,9]" },
    { TEN,            "$[-100:2]",          "[0,1]" },
    { TEN,            "$[ 1 : 3 : 1 ]",     "[1,2]" },
    { TEN,            "$[8:-9007199254740991:-3]", "[8,5,2]" },
    { TEN,            "$[3:1]",             "[]" },
    { TEN,            "$[0:2,5]",           "[0,1,5]" },
    { "[]",           "$[::-1]",            "[]" },
    { "{\"a\":1}",    "$[:]",               "[]" },
    { "{\"o\":{\"j\":1,\"k\":2},\"a\":[5,3,[{\"j\":4},{\"k\":6}]]}", "$..j", "[1,4]" },
    { "{\"o\":{\"j\":1,\"k\":2},\"a\":[5,3,[{\"j\":4},{\"k\":6}]]}", "$..[0]", "[5,{\"j\":4}]" },
    { "{\"o\":{\"j\":1,\"k\":2},\"a\":[5]}", "$..*", "[{\"j\":1,\"k\":2},[5],1,2,5]" },
    { "{\"o\":{\"j\":1,\"k\":2},\"a\":[5]}", "$..[*]", "[{\"j\":1,\"k\":2},[5],1,2,5]" },
    { "{\"o\":[{\"j\":1,\"k\":2}]}", "$.o..[*,*]", "[{\"j\":1,\"k\":2},{\"j\":1,\"k\":2},1,2,1,2]" },
    { "{\"a\":[[[1]]]}", "$.a..[0,0]",      "[[[1]],[[1]],[1],[1],1,1]" },
    { ODD_NAMES,      "$['@odata.next']",   "[\"u\"]" },
    { ODD_NAMES,      "$['a.b']['']",       "[1]" },
    { ODD_NAMES,      "$['it\\'s']",        "[2]" },
    { ODD_NAMES,      "$[\"it's\"]",        "[2]" },
    { ODD_NAMES,      "$.a.b",              "[]" },
    { ODD_NAMES,      "$.\xe2\x82\xac",     "[3]" },
    { ODD_NAMES,      "$['\\u20AC']",       "[3]" },
    { ODD_NAMES,      "$['a\\u0000b']",     "[4]" },
    { "{\"\\ud83d\\ude00\":1,\"/\\\\\\t\":2}", "$['\\uD83D\\ude00',\"\\/\\\\\\t\"]", "[1,2]" },
    { "{\"\\\"\":1,\"'\":2}", "$['\"',\"\\\"\",'\\'',\"'\"]", "[1,1,2,2]" },
    { "{\"_a1\":1,\"true\":2}", "$['_a1']",  "[1]" },
    { "{\"_a1\":1,\"true\":2}", "$.true",   "[2]" },
};

static const row_t filters[] = {
    { MIXED, "$[?@.key == 'value']",        "[{\"key\":\"value\"}]" },
    { MIXED, "$[?(@.key=='value')]",        "[{\"key\":\"value\"}]" },
    { "{\"x\":{\"a\":null}}", "$[?@.a]",    "[{\"a\":null}]" },
    { "{\"x\":{\"a\":null}}", "$[?!@.b]",   "[{\"a\":null}]" },
    { "{\"x\":{\"a\":null}}", "$[?@.a == null]", "[{\"a\":null}]" },
    { "{\"x\":{\"a\":null}}", "$[?@.b == null]", "[]" },
    { "[[1,2],[1],[]]", "$[?@[1]]",         "[[1,2]]" },
    { "[{\"a\":[1]},{\"a\":[]},{}]", "$[?@.a[*]]", "[{\"a\":[1]}]" },
    { "[{\"a\":[1]},{\"a\":[]},{}]", "$[?@..a]", "[{\"a\":[1]},{\"a\":[]}]" },
    { TABLE, "$[?$.absent1 == $.absent2]",  "[{\"x\":\"y\"},[2,3]]" },
    { TABLE, "$[?$.absent1 <= $.absent2]",  "[{\"x\":\"y\"},[2,3]]" },
    { TABLE, "$[?$.absent == 'g']",         "[]" },
    { TABLE, "$[?$.absent1 != $.absent2]",  "[]" },
    { TABLE, "$[?$.absent != 'g']",         "[{\"x\":\"y\"},[2,3]]" },
    { TABLE, "$[?1 <= 2]",                  "[{\"x\":\"y\"},[2,3]]" },
    { TABLE, "$[?1 > 2]",                   "[]" },
    { TABLE, "$[?13 == '13']",              "[]" },
    { TABLE, "$[?'a' <= 'b']",              "[{\"x\":\"y\"},[2,3]]" },
    { TABLE, "$[?'a' > 'b']",               "[]" },
    { TABLE, "$[?'ab' > 'a' && 'a' >= 'a']", "[{\"x\":\"y\"},[2,3]]" },
    { TABLE, "$[?'\xef\xbd\xa1' < '\xf0\x9f\x98\x80']", "[{\"x\":\"y\"},[2,3]]" },
    { TABLE, "$[?$.obj == $.arr]",          "[]" },
    { TABLE, "$[?$.obj == @]",              "[{\"x\":\"y\"}]" },
    { TABLE, "$[?$.obj <= @]",              "[{\"x\":\"y\"}]" },
    { TABLE, "$[?@ < $.arr]",               "[]" },
    { TABLE, "$[?1 <= $.arr]",              "[]" },
    { TABLE, "$[?true <= true]",            "[{\"x\":\"y\"},[2,3]]" },
    { TABLE, "$[?true > true]",             "[]" },
    { TABLE, "$[?null < null]",             "[]" },
    { "[1,2,3]", "$[?@ > 1 && @ < 3]",      "[2]" },
    { "[1,2,3]", "$[?@ == 1 || @ == 3]",    "[1,3]" },
    { "[1,2,3]", "$[?@ == 1 || @ == 2 && @ > 1]", "[1,2]" },
    { "[1,2,3]", "$[?(@ == 1 || @ == 2) && @ > 1]", "[2]" },
    { "[1,2,3]", "$[?!(@ == 1)]",           "[2,3]" },
    { "[1,2,3]", "$[?! ( @ == 1 ) ]",       "[2,3]" },
    { "[1,2,3]", "$[?@==1,?@==3,0]",        "[1,3,1]" },
    { "[1,2,3]", "$[?\n@\n==\n2\n]",        "[2]" },
    { "[[1,2],[3]]", "$[?@[?@ > 2]]",       "[[3]]" },
    { "{\"a\":1,\"b\":2}", "$[?@ > 1]",     "[2]" },
    { "[9223372036854775807,9223372036854775806]", "$[?@ == 9223372036854775806]", "[9223372036854775806]" },
    { "[1,1.0,10e-1,1.1]", "$[?@ == 1]",    "[1,1.0,10e-1]" },
    { "[0,-0,1]", "$[?@ == -0]",            "[0,-0]" },
    { "[100,1e2,0.1]", "$[?@ == 1E+2]",     "[100,1e2]" },
    { "[{\"a\":\"b\"},{\"a\":\"\xc3\xa9\"}]", "$[?@.a=='\\u00e9']", "[{\"a\":\"\xc3\xa9\"}]" },
    { "[{\"a\":[1,{\"b\":2}]}]", "$[?@.a[-1]['b'] == 2]", "[{\"a\":[1,{\"b\":2}]}]" },
    { store, "$.store.book[?@.price < 10].title", "[\"Sayings\",\"Moby Dick\"]" },
    { store, "$..book[?@.isbn].price",      "[8.99,22.99]" },
    { store, "$..book[?@.price > $.store.bicycle.price]", "[]" },
    { store, "$..book[-1:].author",         "[\"Tolkien\"]" },
};

static const row_t functions[] = {
    { "[\"ab\",\"\xf0\x9f\x98\x80\xc3\xa9\",[1,2],{\"a\":1},7,null]", "$[?length(@) == 2]",
      "[\"ab\",\"\xf0\x9f\x98\x80\xc3\xa9\",[1,2]]" },
    { "[\"ab\",7]", "$[?length(@) == length(@.nothing)]", "[7]" },
    { "[\"ab\"]",   "$[?length('xyz') > length(@)]", "[\"ab\"]" },
    { "[[1,2],[],[3]]", "$[?count(@.*) == 1]", "[[3]]" },
    { "[[1,2],[],[3]]", "$[?count(@[*]) >= 1 && count($.*) == 3]", "[[1,2],[3]]" },
    { "[[1,2],[],[3]]", "$[?value(@.*) == 3]", "[[3]]" },
    { "[[4],{\"a\":4},5]", "$[?value(@..*) == 4]", "[[4],{\"a\":4}]" },
    { "[[\"xy\"],[\"x\"]]", "$[?length(value(@.*)) == 2]", "[[\"xy\"]]" },
    { ABC, "$[?match(@, 'a.c')]",           "[\"abc\",\"axc\",\"a\xe2\x80\xa8" "c\"]" },
    { ABC, "$[?match(@, 'a')]",             "[]" },
    { ABC, "$[?match(@, 'a|ab')]",          "[\"ab\"]" },
    { ABC, "$[?search(@, 'ab')]",           "[\"abc\",\"ab\",\"xab\"]" },
    { ABC, "$[?search(@, '^ab')]",          "[\"abc\",\"ab\"]" },
    { ABC, "$[?match(@, '[^x]*') && match(@, \"[a-c]+\")]", "[\"abc\",\"ab\"]" },
    { ABC, "$[?!search(@, 'b')]",           "[\"axc\",\"a\\nc\",\"a\\rc\",\"a\xe2\x80\xa8" "c\"]" },
    { ABC, "$[?match(@, '[')]",             "[]" },  // no pattern: matches nothing
    { ABC, "$[?match(@, 1)]",               "[]" },
    { "[\"a.c\",\"abc\"]", "$[?match(@, 'a\\\\.c')]", "[\"a.c\"]" },
    { "[\"a.c\",\"abc\"]", "$[?match(@, 'a[.b]c')]", "[\"a.c\",\"abc\"]" },
    { "[\"\xd0\x96\",\"\xd0\xb6\",\"1\"]", "$[?match(@, '\\\\p{Lu}')]", "[\"\xd0\x96\"]" },
    { "[\"\xf0\x9f\x98\x80\"]", "$[?match(@, '.')]", "[\"\xf0\x9f\x98\x80\"]" },
    { "{\"p\":\"b+\",\"v\":[\"bb\",\"ab\"]}", "$.v[?match(@, $.p)]", "[\"bb\"]" },
    { "{\"p\":\"b+\",\"v\":[\"bb\",\"ab\",1]}", "$.v[?search(@, $.p)]", "[\"bb\",\"ab\"]" },
    { "[\"2026-11-30\",\"x\"]", "$[?match(@, '[0-9]{4}-[0-9]{2}-[0-9]{2}')]", "[\"2026-11-30\"]" },
    { "[\"a\\n\"]", "$[?match(@, 'a')]",    "[]" },
};

static const struct {
    const char *query;
    int column;
    const char *reason;  // part of it
} refused[] = {
    { "",                       1, "begins with $" },
    { "a",                      1, "begins with $" },
    { " $",                     1, "begins with $" },
    { "@.a",                    1, "begins with $" },
    { "$ ",                     2, "the end is expected" },
    { "$a",                     2, "the end is expected" },
    { "$.",                     3, "member name" },
    { "$. a",                   3, "member name" },
    { "$..",                    4, "member name" },
    { "$.. a",                  4, "member name" },
    { "$.1a",                   3, "member name" },
    { "$.'a'",                  3, "member name" },
    { "$.a-b",                  4, "the end is expected" },
    { "$.\xe2\x82\xac-b",       4, "the end is expected" },  // columns are characters
    { "$[",                     3, "a name in quotes" },
    { "$[]",                    3, "a name in quotes" },
    { "$[a]",                   3, "a name in quotes" },
    { "$['a'",                  6, "comma or ]" },
    { "$['a',]",                7, "a name in quotes" },
    { "$[0 1]",                 5, "comma or ]" },
    { "$['a]",                  3, "no end" },
    { "$['a\\']",               3, "no end" },
    { "$['\\x']",               5, "backslash" },
    { "$['\\\"']",              5, "backslash" },
    { "$[\"\\'\"]",             5, "backslash" },
    { "$['\\u12']",             6, "hexadecimal" },
    { "$['\\ud800']",           4, "surrogate" },
    { "$['\\udc00\\ud800']",    4, "surrogate" },
    { "$['\\ud800\\u0041']",    4, "surrogate" },
    { "$['\t']",                4, "control character" },
    { "$['\xff']",              4, "UTF-8" },
    { "$[01]",                  3, "begins with no 0" },
    { "$[-0]",                  3, "begins with no 0" },
    { "$[-]",                   4, "a digit" },
    { "$[1.0]",                 4, "comma or ]" },
    { "$[9007199254740992]",    3, "beyond" },
    { "$[-9007199254740992]",   3, "beyond" },
    { "$[0:9007199254740992]",  5, "beyond" },
    { "$[99999999999999999999]", 3, "beyond" },
    { "$[1:2:3:4]",             8, "comma or ]" },
    { "$[?]",                   4, "a query (@ or $)" },
    { "$[?@.a ==]",             10, "a query (@ or $)" },
    { "$[?@.a = 1]",            8, "comma or ]" },
    { "$[?@.a == 01]",          11, "no number" },
    { "$[?@.a == 1.]",          11, "no number" },
    { "$[?@.a == .5]",          11, "a query (@ or $)" },
    { "$[?@.a == True]",        11, "a query (@ or $)" },
    { "$[?@.a == nul]",         11, "a query (@ or $)" },
    { "$[?@.a == [1]]",         11, "a query (@ or $)" },
    { "$[?@.* == 1]",           4, "must select one node" },
    { "$[?1 == @..a]",          9, "must select one node" },
    { "$[?@[0:1] == 1]",        4, "must select one node" },
    { "$[?@['a','b'] == 1]",    4, "must select one node" },
    { "$[?true]",               8, "behind a literal" },
    { "$[?'a' && @.b]",         7, "behind a literal" },
    { "$[?!1]",                 6, "behind a literal" },
    { "$[?!@.a == 1]",          9, "comma or ]" },
    { "$[?(@.a]",               8, ") is expected" },
    { "$[?(@.a) == 1]",         10, "comma or ]" },
    { "$[?@.a &&]",             10, "a query (@ or $)" },
    { "$[?@.a & @.b]",          8, "comma or ]" },
    { "$[?@.a and @.b]",        8, "comma or ]" },
    { "$[?length(@)]",          4, "must be compared" },
    { "$[?count(@.*)]",         4, "must be compared" },
    { "$[?length(@.*) == 1]",   11, "several nodes" },
    { "$[?count(1) == 1]",      10, "must be a query" },
    { "$[?count(count(@.*)) == 1]", 10, "must be a query" },
    { "$[?match(@.a, 'b') == true]", 4, "cannot be compared" },
    { "$[?true == match(@.a, 'b')]", 12, "cannot be compared" },
    { "$[?length(match(@.a, 'b')) == 1]", 11, "must be a value" },
    { "$[?match(@.a)]",         13, "one more argument" },
    { "$[?match(@.a, 'a', 'b')]", 18, ") is expected" },
    { "$[?length() == 1]",      11, "a query (@ or $)" },
    { "$[?length (@) == 1]",    4, "a query (@ or $)" },
    { "$[?size(@) == 1]",       4, "no such function" },
    { "$[?Length(@) == 1]",     4, "a query (@ or $)" },
    { "$[?length(@ == 1]",      13, ") is expected" },
    { "$[?@.a == 1]x",          13, "the end is expected" },
    { "$[?@.a == '\\ud83d']",   12, "surrogate" },
};
// clang-format on

static jsonpath_nodes_t
select_or_fail(arena_t *arena, const char *query, const json_t *root)
{
    jsonpath_nodes_t nodes = { 0 };
    jsonpath_t *path;
    failure_t why;

    if (jsonpath_compile(arena, query, &path, &why) != OK
        || jsonpath_select(arena, path, root, &nodes, &why) != OK)
        fail_msg("%s", why.text);
    return nodes;
}

static void
check_rows(const row_t *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        const json_t *root = json_parse_text(arena, rows[i].document);
        const json_t *wanted = json_parse_text(arena, rows[i].nodes);

        print_message("  %s\n", rows[i].query);
        assert_non_null(root);
        assert_non_null(wanted);
        jsonpath_nodes_t nodes = select_or_fail(arena, rows[i].query, root);
        json_t *got = json_array(arena);
        for (size_t k = 0; k < nodes.count; k++)
            json_add(got, json_copy(arena, nodes.nodes[k]));
        assert_string_equal(json_text(arena, got), json_text(arena, wanted));
    }
}

static void
segments_select_as_the_rfc_says(void **state)
{
    check_rows(segments, ROWS(segments));
}

static void
filters_compare_as_the_rfc_says(void **state)
{
    check_rows(filters, ROWS(filters));
}

static void
functions_give_what_the_rfc_says(void **state)
{
    check_rows(functions, ROWS(functions));
}

static void
a_wrong_query_is_refused_at_its_column(void **state)
{
    for (size_t i = 0; i < ROWS(refused); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        jsonpath_t *path = NULL;
        failure_t why = { 0 };
        char place[40];

        print_message("  %s\n", refused[i].query);
        assert_int_equal(jsonpath_compile(arena, refused[i].query, &path, &why), BAD_ARGS);
        assert_null(path);
        snprintf(place, sizeof place, "JSONPath, column %d: ", refused[i].column);
        if (!strstr(why.text, place) || !strstr(why.text, refused[i].reason))
            fail_msg("%s", why.text);
    }
}

static void
selected_nodes_are_those_of_the_document(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const json_t *root = json_parse_text(arena, "{\"a\":[10,{\"b\":11}]}");
    jsonpath_nodes_t nodes = select_or_fail(arena, "$.a[1].b", root);

    assert_int_equal(nodes.count, 1);
    assert_ptr_equal(nodes.nodes[0], json_get(json_get(root, "a")->last, "b"));
}

// "$[?(((…@…)))]" with that many filters and parentheses around the innermost.
static status_t
compile_nested(size_t depth)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    AUTO(buffer_clear) buffer_t query = { 0 };
    jsonpath_t *path;
    failure_t why;

    buffer_text(&query, "$[?");
    for (size_t i = 1; i < depth; i++)
        buffer_char(&query, '(');
    buffer_char(&query, '@');
    for (size_t i = 1; i < depth; i++)
        buffer_char(&query, ')');
    buffer_char(&query, ']');
    return jsonpath_compile(arena, query.bytes, &path, &why);
}

static void
nesting_is_bounded(void **state)
{
    assert_int_equal(compile_nested(31), OK);
    assert_int_equal(compile_nested(32), OK);
    assert_int_equal(compile_nested(33), BAD_ARGS);
    assert_int_equal(compile_nested(100000), BAD_ARGS);
}

static json_t *
array_of(arena_t *arena, size_t count)
{
    json_t *array = json_array(arena);

    for (size_t i = 0; i < count; i++)
        json_add(array, json_null(arena));
    return array;
}

static status_t
select_status(arena_t *arena, const char *query, const json_t *root, failure_t *why)
{
    jsonpath_nodes_t nodes;
    jsonpath_t *path;

    assert_int_equal(jsonpath_compile(arena, query, &path, why), OK);
    return jsonpath_select(arena, path, root, &nodes, why);
}

static void
visited_nodes_are_bounded(void **state)
{
    static const struct {
        size_t count;
        const char *query;
        status_t status;
    } rows[] = {
        { JSONPATH_NODES_MAX - 2, "$[*]", OK },
        { JSONPATH_NODES_MAX - 1, "$[*]", OK },  // the root is the last one allowed
        { JSONPATH_NODES_MAX, "$[*]", TOO_LARGE },
        { 2000, "$[?count($[*]) == 1]", TOO_LARGE },
        { 20000, "$[?$[19999]]", TOO_LARGE },
        { 1000, "$..[*,*,*,*]", OK },
    };

    for (size_t i = 0; i < ROWS(rows); i++) {
        AUTO(arena_destroy) arena_t *arena = arena_new();
        failure_t why = { 0 };

        assert_int_equal(
            select_status(arena, rows[i].query, array_of(arena, rows[i].count), &why),
            rows[i].status);
        if (rows[i].status != OK)
            assert_non_null(strstr(why.text, "more than a million nodes"));
    }
}

static void
a_regular_expression_that_explodes_is_given_up(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const json_t *root =
        json_parse_text(arena, "[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"]");
    failure_t why = { 0 };

    assert_int_equal(select_status(arena, "$[?match(@, '(a|aa)+[b-z]')]", root, &why),
                     TOO_LARGE);
    assert_non_null(strstr(why.text, "too many steps"));
}

static void
a_compiled_query_can_be_used_again(void **state)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    jsonpath_t *path;
    jsonpath_nodes_t nodes;
    failure_t why;

    assert_int_equal(jsonpath_compile(arena, "$[?search(@, 'b')]", &path, &why), OK);
    for (int i = 0; i < 3; i++) {
        const json_t *root = json_parse_text(arena, "[\"a\",\"b\",\"bb\"]");
        assert_int_equal(jsonpath_select(arena, path, root, &nodes, &why), OK);
        assert_int_equal(nodes.count, 2);
    }
}

static void
try_query(const char *query)
{
    AUTO(arena_destroy) arena_t *arena = arena_new();
    const json_t *root = json_parse_text(arena, store);
    jsonpath_nodes_t nodes;
    jsonpath_t *path;
    failure_t why = { 0 };

    if (jsonpath_compile(arena, query, &path, &why) != OK
        || jsonpath_select(arena, path, root, &nodes, &why) != OK)
        assert_true(why.text[0]);
}

static const char long_query[] =
    "$.store..book[0:-1:2, ?@.price <= 10.5e0 && !(@['isbn'] || match(@.title, '[A-Z].*'))"
    " || count(@.*) == length('\\u00e9\\ud83d\\ude00')]['title', \"author\"]";

static void
survives_every_truncation(void **state)
{
    for (size_t size = 0; size <= strlen(long_query); size++) {
        char *cut = strndup(long_query, size);
        try_query(cut);
        free(cut);
    }
}

static void
survives_changed_bytes(void **state)
{
    static const char likely[] = "$@.*[]()?!&|=<>,:'\"\\ud8de019- \xc3\xa9";
    unsigned seed = 9535;

    for (int round = 0; round < 20000; round++) {
        char *changed = strdup(long_query);
        for (int flips = 0; flips < 1 + round % 3; flips++) {
            char c = round % 2 ? (char) (1 + rand_r(&seed) % 255)
                               : likely[(size_t) rand_r(&seed) % (sizeof likely - 1)];
            changed[(size_t) rand_r(&seed) % strlen(long_query)] = c;
        }
        try_query(changed);
        free(changed);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_select_as_the_rfc_says),
        cmocka_unit_test(filters_compare_as_the_rfc_says),
        cmocka_unit_test(functions_give_what_the_rfc_says),
        cmocka_unit_test(a_wrong_query_is_refused_at_its_column),
        cmocka_unit_test(selected_nodes_are_those_of_the_document),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(visited_nodes_are_bounded),
        cmocka_unit_test(a_regular_expression_that_explodes_is_given_up),
        cmocka_unit_test(a_compiled_query_can_be_used_again),
        cmocka_unit_test(survives_every_truncation),
        cmocka_unit_test(survives_changed_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
