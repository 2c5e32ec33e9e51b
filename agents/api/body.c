// SPDX-License-Identifier: Apache-2.0
#include "api/body.h"

#include <ctype.h>
#include <errno.h>
#include <iconv.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "auto.h"
#include "base64.h"
#include "encoding.h"
#include "limits.h"

enum { CHARSET_MAX = 40 };

static const char replacement[] = "\xef\xbf\xbd";  // U+FFFD

static status_t
fill_text(arena_t *arena, const char *text, const variables_t *variables, body_t *result,
          failure_t *why)
{
    if (variables_fill(variables, arena, text ? text : "", FILL_PLAIN, &result->bytes, why))
        return why->status;
    result->size = strlen(result->bytes);
    return OK;
}

static void
add_field(buffer_t *out, const char *name, const char *value)
{
    const char *const texts[] = { name, value };

    for (size_t i = 0; i < ROWS(texts); i++) {
        if (i || out->size)
            buffer_char(out, i ? '=' : '&');
        for (const unsigned char *c = (const unsigned char *) texts[i]; *c; c++) {
            if (isalnum(*c) || strchr("*-._", *c))
                buffer_char(out, (char) *c);
            else if (*c == ' ')
                buffer_char(out, '+');
            else
                buffer_printf(out, "%%%02X", *c);
        }
    }
}

// application/x-www-form-urlencoded; a list repeats its field.
static void
write_form(arena_t *arena, const json_t *fields, body_t *result)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    for (const json_t *field = fields->first; field; field = field->next) {
        const json_t *item = field->kind == JSON_ARRAY ? field->first : field;
        for (; item; item = field->kind == JSON_ARRAY ? item->next : NULL)
            add_field(&out, field->key,
                      item->kind == JSON_STRING ? item->text : json_text(arena, item));
    }
    result->bytes = arena_strndup(arena, out.bytes ? out.bytes : "", out.size);
    result->size = out.size;
}

static status_t
decode_base64(arena_t *arena, const char *text, body_t *result, failure_t *why)
{
    size_t room = strlen(text) + 1;
    unsigned char *bytes = arena_alloc(arena, room);

    if (!base64_read(BASE64_STANDARD, text, strlen(text), "\r\n ", bytes, room, &result->size))
        return fail(why, BAD_ARGS, "the body is no base64");
    result->bytes = (const char *) bytes;
    return OK;
}

status_t
body_of_step(arena_t *arena, const json_t *body, const variables_t *variables, body_t *result,
             failure_t *why)
{
    const char *kind = json_get_text(body, "kind");
    const json_t *given = json_get(body, "json");
    json_t *filled;

    *result = (body_t){ .content_type = json_get_text(body, "contentType") };
    if (!kind || !strcmp(kind, "none"))
        return OK;
    if (!strcmp(kind, "text"))
        return fill_text(arena, json_get_text(body, "text"), variables, result, why);
    if (!strcmp(kind, "base64")) {
        const char *text = json_get_text(body, "text");
        return decode_base64(arena, text ? text : "", result, why);
    }
    if (!given || variables_fill_json(variables, arena, given, &filled, why))
        return given ? why->status : OK;
    if (!strcmp(kind, "form")) {
        write_form(arena, filled, result);
        result->content_type = "application/x-www-form-urlencoded";
        return OK;
    }
    result->bytes = json_text(arena, filled);
    result->size = strlen(result->bytes);
    if (!result->content_type)
        result->content_type = "application/json";
    return OK;
}

// charset="UTF-8" of a Content-Type, without quotes; false if there is none.
static bool
charset_of(const char *content_type, char charset[CHARSET_MAX])
{
    const char *at = content_type ? strcasestr(content_type, "charset=") : NULL;

    if (!at)
        return false;
    at += strlen("charset=");
    at += *at == '"';
    size_t length = strcspn(at, "\"; \t");
    if (!length || length >= CHARSET_MAX)
        return false;
    memcpy(charset, at, length);
    charset[length] = '\0';
    return true;
}

// One code point's worth of U+FFFD for each byte that is none of the character set.
static void
convert(iconv_t converter, const char *bytes, size_t size, buffer_t *out, size_t *bad_at)
{
    char *in = (char *) bytes;  // iconv does not write to it
    size_t left = size;

    while (left) {
        char chunk[4096];
        char *to = chunk;
        size_t room = sizeof chunk;
        size_t rc = iconv(converter, &in, &left, &to, &room);
        buffer_add(out, chunk, sizeof chunk - room);
        if (rc != (size_t) -1 || errno == E2BIG)
            continue;
        if (*bad_at == SIZE_MAX)
            *bad_at = size - left;
        buffer_text(out, replacement);
        in++;
        left--;
    }
}

static void
warn(arena_t *arena, json_t *warnings, const char *text)
{
    json_add(warnings, json_string(arena, text));
}

// iconv_open() takes paths and options as well: only names get there.
static iconv_t
open_named(const char *charset)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789-_.:+()";

    return charset[strspn(charset, letters)] ? (iconv_t) -1 : iconv_open("UTF-8", charset);
}

// The first of the two that is known, else UTF-8; *used_p is its name.
static iconv_t
open_converter(arena_t *arena, const char *header, const char *step, const char **used_p,
               json_t *warnings)
{
    const char *const names[] = { header, step };

    for (size_t i = 0; i < ROWS(names); i++) {
        if (!names[i])
            continue;
        iconv_t converter = open_named(names[i]);
        if (converter != (iconv_t) -1) {
            *used_p = names[i];
            return converter;
        }
        warn(arena, warnings,
             arena_printf(arena, "the character set %s is not known", names[i]));
    }
    *used_p = "UTF-8";
    return iconv_open("UTF-8", "UTF-8");
}

static void
to_text(arena_t *arena, const content_t *content, const char *content_type, const char *charset,
        observed_t *observed, json_t *warnings)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    char header[CHARSET_MAX];
    const char *used;
    size_t bad_at = SIZE_MAX;

    bool is_told = charset_of(content_type, header);
    iconv_t converter =
        open_converter(arena, is_told ? header : NULL, charset, &used, warnings);
    convert(converter, content->bytes, content->size, &out, &bad_at);
    iconv_close(converter);
    if (bad_at != SIZE_MAX)
        warn(arena, warnings,
             arena_printf(arena,
                          "the body is no %s at byte %zu; such bytes are shown as U+FFFD", used,
                          bad_at));
    bool has_mark = out.size >= 3 && !memcmp(out.bytes, "\xef\xbb\xbf", 3);
    size_t skip = has_mark ? 3 : 0;
    observed->text = arena_strndup(arena, out.size ? out.bytes + skip : "", out.size - skip);
    observed->size = out.size - skip;
}

// Why the body is no JSON, or NULL with `document` filled.
static const char *
parse(arena_t *arena, const content_t *content, const observed_t *observed,
      json_document_t *document)
{
    failure_t why = { 0 };

    if (content->problem)
        return content->problem;
    if (content->is_truncated)
        return arena_printf(arena, "the body is over %d bytes and was cut", RESPONSE_MAX);
    if (!observed->size)
        return "body is empty, not JSON";
    if (json_parse(arena, observed->text, observed->size, document, &why))
        return arena_printf(arena, "body is not JSON: %s", why.text);
    return NULL;
}

void
body_observe(arena_t *arena, const exchange_answer_t *answer, const char *charset,
             observed_t *observed, json_t *warnings)
{
    json_document_t document = { 0 };
    content_t content;

    *observed = (observed_t){ .answer = answer };
    encoding_undo(arena, answer, RESPONSE_MAX, &content);
    if (content.warning)
        warn(arena, warnings, content.warning);
    to_text(arena, &content, exchange_header(answer->headers, "Content-Type"), charset,
            observed, warnings);
    observed->encoding = content.problem;
    observed->not_json = parse(arena, &content, observed, &document);
    if (content.is_truncated)
        warn(arena, warnings, observed->not_json);
    observed->body = observed->not_json ? NULL : document.root;
    if (document.duplicate)
        warn(arena, warnings,
             arena_printf(arena, "duplicate key %.100s at offset %zu; the last one counts",
                          document.duplicate->key, document.duplicate->begin));
}
