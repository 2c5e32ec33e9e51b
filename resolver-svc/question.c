// SPDX-License-Identifier: Apache-2.0
#include "question.h"

#include <stdlib.h>
#include <string.h>

#include "limits.h"

static status_t
read_value(const json_t *value, question_ref_t *ref, failure_t *why)
{
    ref->wanted = WANTED_MISSING;
    if (!value || value->kind == JSON_NULL)
        return OK;
    if (value->kind != JSON_STRING && value->kind != JSON_NUMBER)
        return fail(why, BAD_ARGS, "%s must be a name or an id", ref->param);
    if (strlen(value->text) != value->length)
        return fail(why, BAD_ARGS, "%s holds a NUL character", ref->param);
    ref->text = value->text;
    if (value->kind == JSON_NUMBER && json_int(value, &ref->id))
        ref->wanted = WANTED_ID;
    else
        ref->wanted = match_wanted(value->text, &ref->id);
    return OK;
}

static status_t
read_ref(const json_t *name, question_ref_t *ref, failure_t *why)
{
    ref->param = json_get_text(name, "param");
    ref->kind = kinds_find(json_get_text(name, "kind"));
    ref->must = json_get_bool(name, "must", false);
    ref->gone = json_get_bool(name, "gone", false);
    if (!ref->param || ref->kind == KIND_COUNT)
        return fail(why, BAD_ARGS, "a name to settle has no param or no known kind");
    return read_value(json_get(name, "value"), ref, why);
}

static status_t
read_refs(const json_t *names, question_t *question, failure_t *why)
{
    if (!names || names->kind != JSON_ARRAY || names->count > QUESTION_REFS_MAX)
        return fail(why, BAD_ARGS, "names must be a list of at most %d", QUESTION_REFS_MAX);
    for (const json_t *name = names->first; name; name = name->next)
        if (read_ref(name, &question->refs[question->count++], why))
            return why->status;
    return OK;
}

static status_t
read_tags(arena_t *arena, const json_t *tags, question_t *question, failure_t *why)
{
    if (!tags || tags->kind == JSON_NULL)
        return OK;
    if (tags->kind != JSON_ARRAY || tags->count > QUESTION_TAGS_MAX)
        return fail(why, BAD_ARGS, "tags must be a list of at most %d", QUESTION_TAGS_MAX);
    for (const json_t *tag = tags->first; tag; tag = tag->next) {
        if (tag->kind != JSON_STRING || strlen(tag->text) != tag->length)
            return fail(why, BAD_ARGS, "tags must be texts");
        char *folded = match_fold(tag->text, tag->length);
        if (*folded) {  // a blank tag asks for nothing
            question->tags[question->tag_count] = tag->text;
            question->folded[question->tag_count++] = arena_strdup(arena, folded);
        }
        free(folded);
    }
    return OK;
}

static status_t
read_tests(const json_t *kinds, question_t *question, failure_t *why)
{
    bool is_given = kinds && kinds->kind != JSON_NULL;

    if (is_given && kinds->kind != JSON_ARRAY)
        return fail(why, BAD_ARGS, "kinds must be a list");
    if (!is_given || !kinds->count) {
        question->tests[KIND_SCENARIO] = question->tests[KIND_UI_TEST] = true;
        return OK;
    }
    for (const json_t *name = kinds->first; name; name = name->next) {
        kind_t kind = name->kind == JSON_STRING ? kinds_of_tests(name->text) : KIND_COUNT;
        if (kind == KIND_COUNT)
            return fail(why, BAD_ARGS, "kinds must be of api_scenario and ui_test");
        question->tests[kind] = true;
    }
    return OK;
}

status_t
question_parse(arena_t *arena, const void *body, size_t size, question_t *question,
               failure_t *why)
{
    json_document_t document;

    if (size > RESOLVE_BODY_MAX)
        return fail(why, TOO_LARGE, "the names of one call are larger than %d KiB together",
                    RESOLVE_BODY_MAX / KIB);
    if (json_parse(arena, body, size, &document, why))
        return why->status;
    if (document.root->kind != JSON_OBJECT)
        return fail(why, BAD_ARGS, "the body of a RESOLVE must be an object");
    *question = (question_t){ 0 };
    question->by_tag = json_get_bool(document.root, "by_tag", false);
    question->unscoped = json_get_bool(document.root, "unscoped", false);
    if (read_refs(json_get(document.root, "names"), question, why)
        || read_tags(arena, json_get(document.root, "tags"), question, why))
        return why->status;
    return read_tests(json_get(document.root, "kinds"), question, why);
}
