// SPDX-License-Identifier: Apache-2.0
#include "clean.h"

#include <stdint.h>
#include <unictype.h>
#include <unistr.h>

typedef struct {
    buffer_t *out;
    size_t left;  // code points that may still be added
    bool is_begun;
    bool space_is_due;  // before the next visible character
} cleaner_t;

static bool
is_space(ucs4_t point)
{
    if (point < 0x80)
        return point == ' ' || (point >= '\t' && point <= '\r');
    return uc_is_property_white_space(point);
}

static bool
is_invisible(ucs4_t point)
{
    if (point < 0x80)
        return point < ' ' || point == 0x7f;
    return uc_is_general_category_withtable(point, UC_CATEGORY_MASK_Cc | UC_CATEGORY_MASK_Cf)
           || uc_is_property_default_ignorable_code_point(point);
}

// False when the limit is reached.
static bool
add_point(cleaner_t *self, ucs4_t point)
{
    uint8_t bytes[6];

    if (!self->left)
        return false;
    self->left--;
    int size = u8_uctomb(bytes, point, sizeof bytes);
    if (size > 0)
        buffer_add(self->out, bytes, (size_t) size);
    return true;
}

static bool
add_visible(cleaner_t *self, ucs4_t point)
{
    if (self->space_is_due && self->is_begun && !add_point(self, ' '))
        return false;
    self->space_is_due = false;
    self->is_begun = true;
    return add_point(self, point);
}

bool
clean_add(buffer_t *out, const char *text, size_t length, size_t points_max)
{
    const uint8_t *at = (const uint8_t *) text, *end = at + length;
    cleaner_t cleaner = { .out = out, .left = points_max };

    while (at < end) {
        ucs4_t point;
        int size = u8_mbtouc(&point, at, (size_t) (end - at));

        at += size;
        if (is_space(point))
            cleaner.space_is_due = true;
        else if (!is_invisible(point) && !add_visible(&cleaner, point))
            return true;
    }
    return false;
}
