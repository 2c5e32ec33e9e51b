// SPDX-License-Identifier: Apache-2.0
#include "fit.h"

#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "limits.h"

enum { KEPT_MAX = KIB };  // bytes of a text that becomes a stub

typedef struct {
    json_t **texts;
    size_t count;
} texts_t;

size_t
fit_cost(const char *json, size_t size)
{
    size_t escapes = 2;  // the quotes around it

    for (size_t i = 0; i < size; i++)
        escapes += json[i] == '"' || json[i] == '\\';
    return 2 * size + escapes;
}

static size_t
cost_of(const json_t *value)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    json_write(&out, value);
    return fit_cost(out.bytes, out.size);
}

static size_t
count_long_texts(const json_t *value)
{
    size_t count = value->kind == JSON_STRING && value->length > STUB_OVER;

    for (const json_t *child = value->first; child; child = child->next)
        count += count_long_texts(child);
    return count;
}

static void
collect_long_texts(json_t *value, texts_t *texts)
{
    if (value->kind == JSON_STRING && value->length > STUB_OVER)
        texts->texts[texts->count++] = value;
    for (json_t *child = value->first; child; child = child->next)
        collect_long_texts(child, texts);
}

static int
longest_first(const void *a, const void *b)
{
    const json_t *const *left = a;
    const json_t *const *right = b;

    return ((*left)->length < (*right)->length) - ((*left)->length > (*right)->length);
}

static void
make_stub(arena_t *arena, json_t *text, const char *how)
{
    size_t kept = KEPT_MAX;

    while (kept && (text->text[kept] & 0xc0) == 0x80)
        kept--;
    const size_t left_out = text->length - kept;
    char *stub = arena_printf(arena, "… (%zu bytes left out; read with %s)", left_out, how);
    const size_t length = kept + strlen(stub);
    char *bytes = arena_alloc(arena, length + 1);
    memcpy(bytes, text->text, kept);
    memcpy(bytes + kept, stub, strlen(stub));
    text->text = bytes;
    text->length = length;
}

static size_t
stub_texts(arena_t *arena, json_t *result, size_t cost, size_t most, const char *how)
{
    texts_t texts = { 0 };
    const size_t count = count_long_texts(result);

    texts.texts = arena_alloc(arena, count * sizeof *texts.texts);
    collect_long_texts(result, &texts);
    qsort(texts.texts, texts.count, sizeof *texts.texts, longest_first);
    for (size_t i = 0; i < texts.count && cost > most; i++) {
        cost -= cost_of(texts.texts[i]);
        make_stub(arena, texts.texts[i], how);
        cost += cost_of(texts.texts[i]);
    }
    return cost;
}

static json_t *
costliest_list(const json_t *result)
{
    json_t *costliest = NULL;
    size_t most = 0;

    for (json_t *member = result->first; member; member = member->next) {
        if (member->kind != JSON_ARRAY || !member->count)
            continue;
        size_t cost = cost_of(member);
        if (cost > most) {
            most = cost;
            costliest = member;
        }
    }
    return costliest;
}

// Keeps the items from the front that bring the cost down to `most`.
static size_t
cut_list(json_t *list, size_t cost, size_t most)
{
    json_t *last_kept = NULL;
    size_t kept = 0;
    size_t costs = 0;  // of all items

    for (const json_t *item = list->first; item; item = item->next)
        costs += cost_of(item) + 2;  // the comma stands there twice
    size_t without = cost > costs ? cost - costs : 0;
    for (json_t *item = list->first; item; item = item->next, kept++) {
        size_t next = cost_of(item) + 2;
        if (without + next > most)
            break;
        without += next;
        last_kept = item;
    }
    list->count = kept;
    list->last = last_kept;
    if (last_kept)
        last_kept->next = NULL;
    else
        list->first = NULL;
    return without;
}

bool
fit_result(arena_t *arena, json_t *result, size_t most, const char *how)
{
    const size_t note = 64;  // what `returned` and `truncated` may add
    json_t *list;
    size_t cost = cost_of(result);

    if (cost <= most)
        return true;
    cost = stub_texts(arena, result, cost, most, how);
    while (cost > most && (list = costliest_list(result))) {
        cut_list(list, cost, most > note ? most - note : 0);
        json_set_int(arena, result, "returned", (int64_t) list->count);
        json_set_bool(arena, result, "truncated", true);
        cost = cost_of(result);
    }
    return cost <= most;
}
