// SPDX-License-Identifier: Apache-2.0
#include "json_number.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

// A number is 0.DIGITS * 10^(exponent + shift). The digits are those of `text` between `first`
// and `past`, apart from a point among them; neither the first nor the last of them is 0.
typedef struct {
    bool negative;
    bool zero;
    const char *first;
    const char *past;
    size_t digits;
    bool exponent_negative;
    const char *exponent;  // without leading zeros
    size_t exponent_digits;
    int64_t shift;
} decimal_t;

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *
skip_digits(const char *at)
{
    while (is_digit(*at))
        at++;
    return at;
}

// Behind the digits that must stand at `at`, or NULL.
static const char *
digits_end(const char *at)
{
    return is_digit(*at) ? skip_digits(at) : NULL;
}

bool
json_number_is(const char *text)
{
    const char *at = text + (*text == '-');

    at = *at == '0' ? at + 1 : digits_end(at);
    if (at && *at == '.')
        at = digits_end(at + 1);
    if (at && (*at == 'e' || *at == 'E')) {
        at++;
        at = digits_end(at + (*at == '-' || *at == '+'));
    }
    return at && !*at;
}

static void
read_exponent(decimal_t *self, const char *at)
{
    if (*at != 'e' && *at != 'E')
        return;
    at++;
    self->exponent_negative = *at == '-';
    at += *at == '-' || *at == '+';
    while (*at == '0' && is_digit(at[1]))
        at++;
    self->exponent = at;
    self->exponent_digits = (size_t) (skip_digits(at) - at);
    if (self->exponent_digits == 1 && *at == '0')
        self->exponent_digits = 0;
}

static decimal_t
decimal(const char *text)
{
    decimal_t self = { .negative = *text == '-' };
    const char *whole = text + self.negative;
    const char *whole_end = skip_digits(whole);
    const char *end = *whole_end == '.' ? skip_digits(whole_end + 1) : whole_end;

    self.first = whole;
    while (self.first < end && (*self.first == '0' || *self.first == '.'))
        self.first++;
    self.past = end;
    while (self.past > self.first && (self.past[-1] == '0' || self.past[-1] == '.'))
        self.past--;
    self.zero = self.first == self.past;
    bool has_point = self.first < whole_end && self.past > whole_end;
    self.digits = (size_t) (self.past - self.first) - has_point;
    self.shift = self.first < whole_end ? whole_end - self.first : whole_end + 1 - self.first;
    read_exponent(&self, end);
    return self;
}

// Digit of the exponent with the sign of the exponent; `from_end` counts from the last one.
static int
exponent_digit(const decimal_t *self, size_t from_end)
{
    if (from_end >= self->exponent_digits)
        return 0;
    int digit = self->exponent[self->exponent_digits - 1 - from_end] - '0';
    return self->exponent_negative ? -digit : digit;
}

// Exponent of `a` minus that of `b`, exact within 10^16 to both sides. Further out only the
// sign counts, and that cannot turn any more: a step adds 18 at most to ten times the
// difference.
static int64_t
exponent_difference(const decimal_t *a, const decimal_t *b)
{
    const int64_t far = INT64_C(10000000000000000);
    size_t places =
        a->exponent_digits > b->exponent_digits ? a->exponent_digits : b->exponent_digits;
    int64_t difference = 0;

    while (places-- > 0 && difference < far && difference > -far)
        difference = difference * 10 + exponent_digit(a, places) - exponent_digit(b, places);
    return difference;
}

// The next digit of the number, 0 behind its end.
static char
next_digit(const decimal_t *self, const char **at_p)
{
    if (*at_p < self->past && **at_p == '.')
        ++*at_p;
    return *at_p < self->past ? *(*at_p)++ : '0';
}

static int
compare_magnitude(const decimal_t *a, const decimal_t *b)
{
    int64_t larger = exponent_difference(a, b) + a->shift - b->shift;
    const char *in_a = a->first;
    const char *in_b = b->first;

    if (larger != 0)
        return larger < 0 ? -1 : 1;
    while (in_a < a->past || in_b < b->past) {
        int difference = next_digit(a, &in_a) - next_digit(b, &in_b);
        if (difference != 0)
            return difference < 0 ? -1 : 1;
    }
    return 0;
}

static int
sign(const decimal_t *self)
{
    return self->zero ? 0 : self->negative ? -1 : 1;
}

int
json_number_compare(const char *a, const char *b)
{
    decimal_t left = decimal(a);
    decimal_t right = decimal(b);

    if (sign(&left) != sign(&right))
        return sign(&left) < sign(&right) ? -1 : 1;
    return sign(&left) * compare_magnitude(&left, &right);
}

// Where the point stands: digits before it. Far away when it is 10^16 or more.
static int64_t
point(const decimal_t *self)
{
    static const decimal_t none = { 0 };

    return exponent_difference(self, &none) + self->shift;
}

bool
json_int(const json_t *number, int64_t *value_p)
{
    if (!number || number->kind != JSON_NUMBER)
        return false;
    decimal_t self = decimal(number->text);
    int64_t places = self.zero ? 0 : point(&self);
    if (!self.zero && (places < (int64_t) self.digits || places > 19))
        return false;

    int64_t value = 0;
    const char *at = self.first;
    for (int64_t i = 0; i < places; i++) {  // below zero, where INT64_MIN is
        if (__builtin_mul_overflow(value, 10, &value)
            || __builtin_sub_overflow(value, next_digit(&self, &at) - '0', &value))
            return false;
    }
    if (!self.negative && __builtin_sub_overflow(0, value, &value))
        return false;
    *value_p = value;
    return true;
}

double
json_double(const json_t *number)
{
    return number && number->kind == JSON_NUMBER ? strtod(number->text, NULL) : 0;
}

static void
add_digits(buffer_t *out, const decimal_t *self, const char **at_p, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        buffer_char(out, next_digit(self, at_p));
}

// Adds `more` to the magnitude of a decimal whose exponent has over 18 digits, so that the sum
// has the same sign. Works from the last digit on.
static void
add_long_exponent(buffer_t *out, const decimal_t *self, int64_t more)
{
    buffer_t sum = { 0 };
    int64_t carry = self->exponent_negative ? -more : more;

    for (size_t i = 0; i < self->exponent_digits || carry > 0; i++) {
        int64_t digit = i < self->exponent_digits
                            ? self->exponent[self->exponent_digits - 1 - i] - '0' + carry
                            : carry;
        carry = digit < 0 ? -((-digit + 9) / 10) : digit / 10;
        buffer_char(&sum, (char) ('0' + (digit - carry * 10)));
    }
    while (sum.size > 1 && sum.bytes[sum.size - 1] == '0')
        sum.size--;
    if (self->exponent_negative)
        buffer_char(out, '-');
    while (sum.size > 0)
        buffer_char(out, sum.bytes[--sum.size]);
    buffer_clear(&sum);
}

// d.ddde±N, for what is too large or small to be written out.
static void
add_scientific(buffer_t *out, const decimal_t *self)
{
    const char *at = self->first;

    add_digits(out, self, &at, 1);
    if (self->digits > 1)
        buffer_char(out, '.');
    add_digits(out, self, &at, (int64_t) self->digits - 1);
    buffer_char(out, 'e');
    if (self->exponent_digits > 16)
        add_long_exponent(out, self, self->shift - 1);
    else
        buffer_printf(out, "%" PRId64, point(self) - 1);
}

void
json_number_canonical(buffer_t *out, const char *text)
{
    enum { WRITTEN_OUT = 40 };
    decimal_t self = decimal(text);
    int64_t places = self.zero ? 1 : point(&self);

    if (self.zero) {
        buffer_char(out, '0');
        return;
    }
    if (self.negative)
        buffer_char(out, '-');
    if (places > WRITTEN_OUT || places < -5) {
        add_scientific(out, &self);
        return;
    }
    const char *at = self.first;
    if (places <= 0)
        buffer_char(out, '0');
    add_digits(out, &self, &at, places);
    if ((int64_t) self.digits <= places)
        return;
    buffer_char(out, '.');
    for (int64_t i = places; i < 0; i++)
        buffer_char(out, '0');
    add_digits(out, &self, &at, (int64_t) self.digits - (places > 0 ? places : 0));
}
