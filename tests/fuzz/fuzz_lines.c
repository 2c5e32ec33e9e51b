// SPDX-License-Identifier: Apache-2.0
// The lines of stdio: the first byte says how the rest is cut into chunks. Whatever it is, the same
// lines come out as when the whole is split at once, and little is kept.

#include <assert.h>
#include <string.h>

#include "auto.h"
#include "stdio/framing.h"
#include "target.h"

enum { LINE_MAX_HERE = 24 };

// What is not served yet.
typedef struct {
    const char *at, *end;
} input_t;

static bool
is_blank(const char *bytes, size_t size)
{
    while (size && (*bytes == ' ' || *bytes == '\t')) {
        bytes++;
        size--;
    }
    return !size;
}

// The slow way: the next line of the whole.
static framing_found_t
expect(input_t *input, const char **line_p, size_t *size_p)
{
    while (input->at < input->end) {
        const char *line = input->at;
        const char *end = memchr(line, '\n', (size_t) (input->end - line));
        input->at = end ? end + 1 : input->end;
        size_t size = (size_t) ((end ? end : input->end) - line);
        if (size && line[size - 1] == '\r')
            size--;
        if (size > LINE_MAX_HERE)
            return FRAMING_TOO_LONG;
        bool is_marked = size >= 3 && !memcmp(line, "\xef\xbb\xbf", 3);
        *line_p = line + (is_marked ? 3 : 0);
        *size_p = size - (is_marked ? 3 : 0);
        if (!is_blank(*line_p, *size_p))
            return FRAMING_LINE;
    }
    return FRAMING_NONE;
}

static void
drain(framing_t *framing, input_t *expected)
{
    const char *line, *wanted;
    size_t size, wanted_size;
    framing_found_t found;

    while ((found = framing_next(framing, &line, &size)) != FRAMING_NONE) {
        framing_found_t should = expect(expected, &wanted, &wanted_size);
        assert(found == should);
        if (found == FRAMING_LINE)
            assert(size == wanted_size && !memcmp(line, wanted, size));
    }
    assert(framing->input.size <= LINE_MAX_HERE + 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO(framing_clear) framing_t framing = { .line_max = LINE_MAX_HERE };
    unsigned chance = size ? *bytes : 0;
    input_t left = { (const char *) bytes + (size ? 1 : 0), (const char *) bytes + size };
    input_t expected = left;
    const char *line;
    size_t line_size;

    while (left.at < left.end) {
        size_t most = (size_t) (left.end - left.at), chunk = chance % 33 + 1;
        chunk = chunk < most ? chunk : most;
        framing_add(&framing, left.at, chunk);
        left.at += chunk;
        chance = chance * 1103515245 + 12345;
        if (chance & 0x10000)  // sometimes the lines wait for room
            drain(&framing, &expected);
    }
    framing_end(&framing);
    drain(&framing, &expected);
    assert(expect(&expected, &line, &line_size) == FRAMING_NONE && !framing.input.size);
    return 0;
}
