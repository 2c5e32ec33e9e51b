// SPDX-License-Identifier: Apache-2.0
#include "formats/yaml.h"

#include <assert.h>
#include <libfyaml.h>
#include <stdarg.h>
#include <string.h>

#include "auto.h"
#include "formats/scalar.h"
#include "formats/yaml_node.h"
#include "formats/yaml_quoted.h"
#include "formats/yaml_scan.h"
#include "json_utf8.h"
#include "limits.h"

enum {
    OPENAPI_DEPTH_MAX = 128,
    DUPLICATES_MAX = 50,  // that are remembered; more help nobody
    ANCHOR_BUCKETS = 1024,
    MESSAGE_MAX_TEXT = 400,
    OPEN_BRACKETS_MAX = 50 * 1000,  // far more than any limit of depth
};

const yaml_limits_t yaml_scenario_limits = {
    .size_max = YAML_MAX,
    .depth_max = YAML_DEPTH_MAX,
    .nodes_max = 200 * 1000,
    .copies_max = 50 * 1000,
};

const yaml_limits_t yaml_openapi_limits = {
    .size_max = DOCUMENT_MAX,
    .depth_max = OPENAPI_DEPTH_MAX,
    .nodes_max = 3 * 1000 * 1000,
    .copies_max = 200 * 1000,
    .sloppy = true,
};

typedef struct anchor anchor_t;
struct anchor {
    const char *name;
    const yaml_node_t *node;
    bool complete;  // not while the value it names is still being read
    anchor_t *next;
};

// One event, with its texts in the arena.
typedef struct {
    enum fy_event_type type;
    size_t begin, end;
    const char *text;
    size_t length;
    bool plain;
    const char *tag;     // or NULL
    const char *anchor;  // or NULL
} item_t;

typedef struct {
    arena_t *arena;
    const yaml_limits_t *limits;
    yaml_document_t *document;
    yaml_duplicate_t *duplicates;
    yaml_place_t *place;
    failure_t *why;
    struct fy_parser *parser;
    struct fy_diag *diag;
    size_t nodes, copies;
    size_t last_end;  // where the event before ended: the place of a value that is not there
    anchor_t *anchors[ANCHOR_BUCKETS];
} reader_t;

static bool read_value(reader_t *self, const item_t *item, yaml_node_t *node, size_t depth);

static yaml_place_t
place_at(const yaml_document_t *document, size_t offset)
{
    yaml_place_t place = { 1, 1 };

    for (size_t i = 0; i < offset && i < document->size; i++) {
        if (document->text[i] == '\n') {
            place.line++;
            place.column = 1;
        } else if (((unsigned char) document->text[i] & 0xc0) != 0x80) {
            place.column++;
        }
    }
    return place;
}

// Always false, so that a reader fails in one line.
static bool __attribute__((format(printf, 4, 5)))
refuse(reader_t *self, status_t status, size_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(self->arena, format, args);
    va_end(args);
    *self->place = place_at(self->document, offset);
    fail(self->why, status, "%s", text);
    return false;
}

// {{name}} without quotes is the beginning of a mapping for YAML: the usual mistake here.
static bool
has_bare_braces(const yaml_document_t *document, size_t line)
{
    const char *at = document->text;
    const char *end = document->text + document->size;

    for (size_t i = 1; i < line && at; i++) {
        at = memchr(at, '\n', (size_t) (end - at));
        if (at)
            at++;
    }
    if (!at)
        return false;
    const char *stop = memchr(at, '\n', (size_t) (end - at));
    size_t length = (size_t) ((stop ? stop : end) - at);
    return memmem(at, length, ": {{", 4) || memmem(at, length, "- {{", 4);
}

// clang-format off
static const struct {
    const char *said;  // by libfyaml
    const char *hint;
} hints[] = {
    { "invalid escape",          "use single quotes for text with backslashes" },
    { "invalid multiline plain", "quote text that holds a colon or goes over several lines" },
    { "tab",                     "indent with spaces" },
    { "indentation",             "members of one mapping begin in the same column" },
    { "undefined tag prefix",    "only the tags of YAML itself (!!str, !!int …) are known" },
};
// clang-format on

static const char *
hint_for(const reader_t *self, const char *said, size_t line)
{
    if (has_bare_braces(self->document, line))
        return "quote values that begin with {, as in \"{{name}}\"";
    for (size_t i = 0; i < ROWS(hints); i++)
        if (strcasestr(said, hints[i].said))
            return hints[i].hint;
    return NULL;
}

static bool
refuse_syntax(reader_t *self)
{
    void *iterator = NULL;
    const struct fy_diag_error *error;

    while ((error = fy_diag_errors_iterate(self->diag, &iterator)))
        if (error->type == FYET_ERROR)
            break;
    if (!error)
        return refuse(self, BAD_ARGS, self->last_end, "this is not YAML");
    yaml_place_t end = place_at(self->document, self->document->size);
    self->place->line = error->line > 0 ? (size_t) error->line : end.line;
    self->place->column = error->column > 0 ? (size_t) error->column : 1;
    const char *hint = hint_for(self, error->msg, self->place->line);
    fail(self->why, BAD_ARGS, "%.*s%s%s", MESSAGE_MAX_TEXT, error->msg, hint ? "; " : "",
         hint ? hint : "");
    return false;
}

static const char *
token_text(reader_t *self, struct fy_token *token)
{
    size_t length = 0;
    const char *text = token ? fy_token_get_text(token, &length) : NULL;

    return text ? arena_strndup(self->arena, text, length) : NULL;
}

// fy_token_get_text() of libfyaml 0.7.12 loses memory where quotes are doubled twice in a row.
static const char *
scalar_text(reader_t *self, struct fy_token *token, enum fy_node_style style, size_t *length_p)
{
    const struct fy_mark *begin = fy_token_start_mark(token), *end = fy_token_end_mark(token);
    const char *source = self->document->text + (begin ? begin->input_pos : 0);
    const size_t size = begin && end ? end->input_pos - begin->input_pos : 0;

    if (style == FYNS_SINGLE_QUOTED && memmem(source, size, "''''", 4))
        return yaml_quoted_text(self->arena, source, size, length_p);
    const char *text = fy_token_get_text(token, length_p);
    return text ? arena_strndup(self->arena, text, *length_p) : "";
}

static void
item_fill(reader_t *self, struct fy_event *event, item_t *item)
{
    const struct fy_mark *begin = fy_event_start_mark(event);
    const struct fy_mark *end = fy_event_end_mark(event);
    struct fy_token *token = fy_event_get_token(event);
    enum fy_node_style style = fy_event_get_node_style(event);

    *item = (item_t){ .type = event->type, .text = "" };
    item->begin = begin ? begin->input_pos : self->last_end;
    item->end = end ? end->input_pos : item->begin;
    item->plain = style != FYNS_SINGLE_QUOTED && style != FYNS_DOUBLE_QUOTED
                  && style != FYNS_LITERAL && style != FYNS_FOLDED;
    if (!item->plain && item->begin
        && (style == FYNS_SINGLE_QUOTED || style == FYNS_DOUBLE_QUOTED))
        item->begin--;  // the mark is behind the quote
    if (token && (event->type == FYET_SCALAR || event->type == FYET_ALIAS))
        item->text = scalar_text(self, token, style, &item->length);
    if (event->type == FYET_SCALAR || event->type == FYET_SEQUENCE_START
        || event->type == FYET_MAPPING_START) {
        item->tag = token_text(self, fy_event_get_tag_token(event));
        item->anchor = token_text(self, fy_event_get_anchor_token(event));
    }
    self->last_end = item->end;
}

// The next event; false when there is none because the text is malformed.
static bool
next(reader_t *self, item_t *item)
{
    struct fy_event *event = fy_parser_parse(self->parser);

    if (!event)
        return refuse_syntax(self);
    item_fill(self, event, item);
    fy_parser_event_free(self->parser, event);
    if (memchr(item->text, 0, item->length))
        return refuse(self, BAD_ARGS, item->begin, "the character U+0000 cannot be used");
    if (json_utf8_valid(item->text, item->length) != item->length)
        return refuse(self, BAD_ARGS, item->begin, "an escape here stands for no character");
    return true;
}

static size_t
bucket_of(const char *name)
{
    size_t hash = 5381;

    for (; *name; name++)
        hash = hash * 33 + (unsigned char) *name;
    return hash % ANCHOR_BUCKETS;
}

static anchor_t *
anchor_add(reader_t *self, const char *name, const yaml_node_t *node)
{
    anchor_t *anchor = arena_alloc(self->arena, sizeof *anchor);
    anchor_t **bucket = &self->anchors[bucket_of(name)];

    *anchor = (anchor_t){ .name = name, .node = node, .next = *bucket };
    *bucket = anchor;
    return anchor;
}

static const anchor_t *
anchor_find(const reader_t *self, const char *name)
{
    for (const anchor_t *anchor = self->anchors[bucket_of(name)]; anchor; anchor = anchor->next)
        if (!strcmp(anchor->name, name))
            return anchor;
    return NULL;
}

static bool
copy(reader_t *self, const yaml_node_t *source, yaml_node_t *node, size_t depth, size_t at)
{
    if (++self->copies > self->limits->copies_max)
        return refuse(self, TOO_LARGE, at, "aliases add more than %zu values",
                      self->limits->copies_max);
    if (depth > self->limits->depth_max)
        return refuse(self, TOO_LARGE, at, "aliases nest more than %zu levels deep",
                      self->limits->depth_max);
    node->json.kind = source->json.kind;
    node->json.truth = source->json.truth;
    node->json.text = source->json.text;
    node->json.length = source->json.length;
    node->json.begin = source->json.begin;
    node->json.end = source->json.end;
    for (const json_t *child = source->json.first; child; child = child->next) {
        const yaml_node_t *from = (const yaml_node_t *) child;
        yaml_node_t *to = arena_alloc(self->arena, sizeof *to);
        to->json.key = child->key;
        to->json.key_length = child->key_length;
        to->key_begin = from->key_begin;
        yaml_node_append(node, to);
        if (!copy(self, from, to, depth + 1, at))
            return false;
    }
    return true;
}

static bool
read_alias(reader_t *self, const item_t *item, yaml_node_t *node, size_t depth)
{
    const anchor_t *anchor = anchor_find(self, item->text);

    if (!anchor)
        return refuse(self, BAD_ARGS, item->begin, "nothing is named &%.100s before",
                      item->text);
    if (!anchor->complete)
        return refuse(self, BAD_ARGS, item->begin, "*%.100s stands inside of what it names",
                      item->text);
    return copy(self, anchor->node, node, depth, item->begin);
}

// clang-format off
static const struct {
    const char *tag;
    int kind;    // json_kind_t, or -1: what the text resolves to
} tags[] = {
    { "!",                       JSON_STRING },
    { "tag:yaml.org,2002:str",   JSON_STRING },
    { "tag:yaml.org,2002:int",   JSON_NUMBER },
    { "tag:yaml.org,2002:float", JSON_NUMBER },
    { "tag:yaml.org,2002:bool",  JSON_BOOL   },
    { "tag:yaml.org,2002:null",  JSON_NULL   },
    { "tag:yaml.org,2002:map",   JSON_OBJECT },
    { "tag:yaml.org,2002:seq",   JSON_ARRAY  },
};
// clang-format on

// True if the item has no tag, or one of the core schema that fits its kind.
static bool
tag_fits(reader_t *self, const item_t *item, json_kind_t kind)
{
    if (!item->tag)
        return true;
    for (size_t i = 0; i < ROWS(tags); i++) {
        if (strcmp(item->tag, tags[i].tag))
            continue;
        bool collection = kind == JSON_OBJECT || kind == JSON_ARRAY;
        if (tags[i].kind == (int) kind || (i == 0 && collection))
            return true;
        return refuse(self, BAD_ARGS, item->begin, "the value does not fit its tag %s",
                      item->tag);
    }
    return refuse(self, BAD_ARGS, item->begin,
                  "the tag %.100s is not known; only those of YAML itself are", item->tag);
}

static bool
read_scalar(reader_t *self, const item_t *item, yaml_node_t *node)
{
    bool as_text = !item->plain;

    if (item->tag)
        as_text = !strcmp(item->tag, tags[0].tag) || !strcmp(item->tag, tags[1].tag);
    if (as_text) {
        node->json.kind = JSON_STRING;
        node->json.text = item->text;
        node->json.length = item->length;
    } else {
        scalar_resolve(self->arena, item->text, item->length, &node->json);
    }
    return tag_fits(self, item, node->json.kind);
}

static bool
read_sequence(reader_t *self, yaml_node_t *node, size_t depth)
{
    node->json.kind = JSON_ARRAY;
    for (;;) {
        item_t item;
        if (!next(self, &item))
            return false;
        if (item.type == FYET_SEQUENCE_END) {
            node->json.end = item.end;
            return true;
        }
        yaml_node_t *child = arena_alloc(self->arena, sizeof *child);
        yaml_node_append(node, child);
        if (!read_value(self, &item, child, depth + 1))
            return false;
    }
}

static bool
read_key(reader_t *self, const item_t *item, yaml_node_t *node)
{
    yaml_node_t key = { .json = {
                            .kind = JSON_STRING, .text = item->text, .length = item->length } };

    if (item->tag && !tag_fits(self, item, JSON_STRING))
        return false;
    if (item->type == FYET_ALIAS && !read_alias(self, item, &key, 0))
        return false;
    if ((item->type != FYET_ALIAS && item->type != FYET_SCALAR) || !key.json.text)
        return refuse(
            self, BAD_ARGS, item->begin,
            "a key has to be text; quote values that begin with {, as in \"{{name}}\"");
    if (item->anchor) {
        yaml_node_t *named = arena_alloc(self->arena, sizeof *named);
        named->json = key.json;
        anchor_add(self, item->anchor, named)->complete = true;
    }
    node->json.key = key.json.text;
    node->json.key_length = key.json.length;
    node->key_begin = item->begin;
    node->is_merge = item->plain && !strcmp(item->text, "<<");
    return true;
}

static void
note_duplicate(void *arg, const yaml_node_t *first, const yaml_node_t *second)
{
    reader_t *self = arg;

    if (self->document->duplicate_count == DUPLICATES_MAX)
        return;
    self->duplicates[self->document->duplicate_count++] = (yaml_duplicate_t){
        .value = &second->json,
        .first = place_at(self->document, first->key_begin),
        .second = place_at(self->document, second->key_begin),
    };
}

static bool
settle(reader_t *self, yaml_node_t *mapping)
{
    const yaml_node_t *wrong = yaml_node_settle(mapping, note_duplicate, self);

    return !wrong
           || refuse(self, BAD_ARGS, wrong->key_begin,
                     "<< takes a mapping or a list of mappings");
}

static bool
read_mapping(reader_t *self, yaml_node_t *node, size_t depth)
{
    node->json.kind = JSON_OBJECT;
    for (;;) {
        item_t item;
        if (!next(self, &item))
            return false;
        if (item.type == FYET_MAPPING_END) {
            node->json.end = item.end;
            return settle(self, node);
        }
        yaml_node_t *child = arena_alloc(self->arena, sizeof *child);
        if (!read_key(self, &item, child) || !next(self, &item))
            return false;
        yaml_node_append(node, child);
        if (!read_value(self, &item, child, depth + 1))
            return false;
    }
}

static bool
read_collection(reader_t *self, const item_t *item, yaml_node_t *node, size_t depth)
{
    bool is_mapping = item->type == FYET_MAPPING_START;

    if (depth > self->limits->depth_max)
        return refuse(self, TOO_LARGE, item->begin, "nested more than %zu levels deep",
                      self->limits->depth_max);
    if (!tag_fits(self, item, is_mapping ? JSON_OBJECT : JSON_ARRAY))
        return false;
    return is_mapping ? read_mapping(self, node, depth) : read_sequence(self, node, depth);
}

// `depth` counts the collections around the value, itself included.
static bool
read_value(reader_t *self, const item_t *item, yaml_node_t *node, size_t depth)
{
    if (++self->nodes > self->limits->nodes_max)
        return refuse(self, TOO_LARGE, item->begin, "more than %zu values",
                      self->limits->nodes_max);
    node->json.begin = item->begin;
    node->json.end = item->end;
    anchor_t *anchor = item->anchor ? anchor_add(self, item->anchor, node) : NULL;
    bool done = item->type == FYET_ALIAS    ? read_alias(self, item, node, depth)
                : item->type == FYET_SCALAR ? read_scalar(self, item, node)
                                            : read_collection(self, item, node, depth);
    if (anchor)
        anchor->complete = true;
    return done;
}

static bool
read_document(reader_t *self, yaml_node_t *root)
{
    item_t item;

    do {
        if (!next(self, &item))
            return false;
    } while (item.type == FYET_STREAM_START || item.type == FYET_DOCUMENT_START);
    if (item.type == FYET_STREAM_END)
        return true;
    if (!read_value(self, &item, root, 1))
        return false;
    do {
        if (!next(self, &item))
            return false;
    } while (item.type == FYET_DOCUMENT_END);
    if (item.type != FYET_STREAM_END)
        return refuse(self, BAD_ARGS, item.begin,
                      "a second document begins here; only one is read");
    return true;
}

static void
reader_close(reader_t *self)
{
    if (self->parser)
        fy_parser_destroy(self->parser);
    if (self->diag)
        fy_diag_destroy(self->diag);
}

static bool
reader_open(reader_t *self)
{
    struct fy_diag_cfg diag_cfg;

    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;
    self->diag = fy_diag_create(&diag_cfg);
    assert(self->diag);
    fy_diag_set_collect_errors(self->diag, true);
    struct fy_parse_cfg cfg = {
        .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE
                 | FYPCF_DISABLE_DEPTH_LIMIT  // ours is checked with every event
                 | (self->limits->sloppy ? FYPCF_SLOPPY_FLOW_INDENTATION : 0),
        .diag = self->diag,
    };
    self->parser = fy_parser_create(&cfg);
    assert(self->parser);
    return !fy_parser_set_string(self->parser, self->document->text, self->document->size);
}

status_t
yaml_parse(arena_t *arena, const char *bytes, size_t size, const yaml_limits_t *limits,
           yaml_document_t *document, yaml_place_t *place, failure_t *why)
{
    yaml_document_t parsed = { 0 };
    AUTO(reader_close)
    reader_t reader = {
        .arena = arena,
        .limits = limits,
        .document = &parsed,
        .place = place,
        .why = why,
    };
    yaml_node_t *root = arena_alloc(arena, sizeof *root);  // zeroed: null

    *place = (yaml_place_t){ 0 };
    if (size > limits->size_max)
        return fail(why, TOO_LARGE, "%zu bytes are more than the limit of %zu", size,
                    limits->size_max);
    if (size >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3)) {
        bytes += 3;
        size -= 3;
    }
    parsed.text = arena_strndup(arena, size ? bytes : "", size);
    parsed.size = size;
    reader.duplicates = arena_alloc(arena, DUPLICATES_MAX * sizeof *reader.duplicates);
    parsed.duplicates = reader.duplicates;
    size_t valid = json_utf8_valid(parsed.text, size);
    if (valid < size) {
        refuse(&reader, BAD_ARGS, valid, "the byte 0x%02x is not UTF-8",
               (unsigned char) parsed.text[valid]);
        return BAD_ARGS;
    }
    if (yaml_scan_nests_beyond(parsed.text, size, OPEN_BRACKETS_MAX))
        return fail(why, TOO_LARGE, "nested more than %zu levels deep", limits->depth_max);
    if (!reader_open(&reader))
        return fail(why, BAD_ARGS, "this is not YAML");
    if (!read_document(&reader, root))
        return why->status;
    parsed.root = &root->json;
    *document = parsed;
    return OK;
}

yaml_place_t
yaml_value_place(const yaml_document_t *document, const json_t *value)
{
    return place_at(document, value->begin);
}

yaml_place_t
yaml_key_place(const yaml_document_t *document, const json_t *value)
{
    const yaml_node_t *node = (const yaml_node_t *) value;

    return place_at(document, value->key ? node->key_begin : value->begin);
}

const char *
yaml_source(arena_t *arena, const yaml_document_t *document, const json_t *value)
{
    if (value->kind == JSON_OBJECT || value->kind == JSON_ARRAY)
        return NULL;
    if (value->kind == JSON_STRING)
        return value->text;
    if (value->kind == JSON_NULL)
        return "";
    return arena_strndup(arena, document->text + value->begin, value->end - value->begin);
}
