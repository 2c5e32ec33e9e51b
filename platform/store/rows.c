// SPDX-License-Identifier: Apache-2.0
// Values in, rows out: the part of store/sqlite.h that knows JSON.

#include <inttypes.h>
#include <sqlite3.h>
#include <string.h>

#include "auto.h"
#include "clock.h"
#include "store/sqlite.h"

value_t
value_int(int64_t number)
{
    return (value_t){ .kind = VALUE_INT, .number = number };
}

value_t
value_id(int64_t id)
{
    return id ? value_int(id) : (value_t){ .kind = VALUE_NULL };
}

value_t
value_text(const char *text)
{
    if (!text)
        return (value_t){ .kind = VALUE_NULL };
    return (value_t){ .kind = VALUE_TEXT, .bytes = text, .size = strlen(text) };
}

value_t
value_blob(const void *bytes, size_t size)
{
    return (value_t){ .kind = VALUE_BLOB, .bytes = bytes, .size = size };
}

value_t
value_json(arena_t *arena, const json_t *value)
{
    return value_text(value ? json_text(arena, value) : NULL);
}

int64_t
store_int(statement_t *statement, int column)
{
    return sqlite3_column_int64(statement, column);
}

const char *
store_text(statement_t *statement, int column)
{
    return (const char *) sqlite3_column_text(statement, column);
}

int64_t
store_number(store_t *self, const char *sql, const value_t *values, int64_t fallback)
{
    statement_t *statement = store_query(self, sql, values);

    if (!store_next(self, statement))
        return fallback;
    int64_t number =
        sqlite3_column_type(statement, 0) == SQLITE_NULL ? fallback : store_int(statement, 0);
    store_end(statement);
    return number;
}

char *
store_string(store_t *self, arena_t *arena, const char *sql, const value_t *values)
{
    statement_t *statement = store_query(self, sql, values);

    if (!store_next(self, statement))
        return NULL;
    char *text = arena_strdup(arena, store_text(statement, 0));
    store_end(statement);
    return text;
}

// ---- one row as an object

// Length of the member's name in "name", "name?", "name{}", "name@"; *mark_p is what follows.
static size_t
column_name(const char *column, char *mark_p)
{
    size_t length = strcspn(column, "?{@");

    *mark_p = column[length];
    return length;
}

static void
write_value(buffer_t *out, statement_t *statement, int column, char mark)
{
    int kind = sqlite3_column_type(statement, column);
    char text[CLOCK_TEXT_SIZE];

    if (kind == SQLITE_NULL) {
        buffer_text(out, "null");
    } else if (mark == '?') {
        buffer_text(out, store_int(statement, column) ? "true" : "false");
    } else if (mark == '@') {
        clock_format(store_int(statement, column), text);
        buffer_printf(out, "\"%s\"", text);
    } else if (mark == '{') {
        buffer_text(out, store_text(statement, column));
    } else if (kind == SQLITE_INTEGER) {
        buffer_printf(out, "%" PRId64, store_int(statement, column));
    } else if (kind == SQLITE_FLOAT) {
        buffer_text(out, store_text(statement, column));
    } else {
        const char *bytes = store_text(statement, column);
        json_write_string(out, bytes, (size_t) sqlite3_column_bytes(statement, column));
    }
}

static void
write_row(buffer_t *out, statement_t *statement)
{
    int count = sqlite3_column_count(statement);

    for (int i = 0; i < count; i++) {
        const char *column = sqlite3_column_name(statement, i);
        char mark;
        size_t length = column_name(column, &mark);
        buffer_add(out, i ? ",\"" : "{\"", 2);
        buffer_add(out, column, length);
        buffer_add(out, "\":", 2);
        write_value(out, statement, i, mark);
    }
    buffer_char(out, '}');
}

int64_t
store_write_rows(store_t *self, buffer_t *out, const char *sql, const value_t *values,
                 int64_t most, size_t bytes_max, int64_t *last_id_p)
{
    statement_t *statement = store_query(self, sql, values);
    const size_t before = out->size;
    int64_t count = 0;

    while (count < most && out->size - before <= bytes_max && store_next(self, statement)) {
        if (count++)
            buffer_char(out, ',');
        write_row(out, statement);
        if (last_id_p)
            *last_id_p = store_int(statement, 0);
    }
    if (statement)
        sqlite3_reset(statement);
    return count;
}

json_t *
store_rows(store_t *self, arena_t *arena, const char *sql, const value_t *values)
{
    AUTO(buffer_clear) buffer_t out = { 0 };

    buffer_char(&out, '[');
    store_write_rows(self, &out, sql, values, INT64_MAX, SIZE_MAX, NULL);
    buffer_char(&out, ']');
    json_t *rows = json_parse_text(arena, out.bytes);
    return rows ? rows : json_array(arena);  // not JSON: somebody else wrote into the file
}

json_t *
store_row(store_t *self, arena_t *arena, const char *sql, const value_t *values)
{
    json_t *rows = store_rows(self, arena, sql, values);

    return rows->first;
}
