// SPDX-License-Identifier: Apache-2.0
#include "http/sse.h"

#include <assert.h>
#include <string.h>

static const char *
find(const char *at, const char *end, char c)
{
    const char *found = at < end ? memchr(at, c, (size_t) (end - at)) : NULL;

    return found ? found : end;
}

// A line end within the data would end its field: each line is a field of its own. Both kinds of end
// are looked for once, whatever there are.
static void
write_data(buffer_t *out, const char *at, size_t size)
{
    const char *end = at + size;
    const char *lf = find(at, end, '\n'), *cr = find(at, end, '\r');

    for (;;) {
        const char *line_end = lf < cr ? lf : cr;
        buffer_text(out, "data: ");
        buffer_add(out, at, (size_t) (line_end - at));
        buffer_char(out, '\n');
        if (line_end == end)
            return;
        at = line_end + (lf == cr + 1 && lf < end ? 2 : 1);
        lf = lf < at ? find(at, end, '\n') : lf;
        cr = cr < at ? find(at, end, '\r') : cr;
    }
}

static void
write_field(buffer_t *out, const char *name, const char *value)
{
    if (!value)
        return;
    assert(!strpbrk(value, "\r\n"));
    buffer_printf(out, "%s: %s\n", name, value);
}

void
sse_write(buffer_t *out, const sse_event_t *event)
{
    write_field(out, "event", event->name);
    write_field(out, "id", event->id);
    if (event->retry_ms)
        buffer_printf(out, "retry: %d\n", event->retry_ms);
    write_data(out, event->data, event->size);
    buffer_char(out, '\n');
}

void
sse_comment(buffer_t *out)
{
    buffer_text(out, ":\n\n");
}
