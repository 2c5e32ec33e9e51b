// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"
#include "formats/openapi_schema.h"
#include "formats/pattern.h"
#include "json_utf8.h"

enum { STRING_MAX = 10 * 1000 };  // longest text that is made for a minLength

// clang-format off
static const struct {
    const char *format, *example;
} formats[] = {
    { "date-time",             "2026-01-15T09:30:00Z" },
    { "date",                  "2026-01-15" },
    { "time",                  "09:30:00Z" },
    { "duration",              "P1D" },
    { "email",                 "user@example.com" },
    { "idn-email",             "user@example.com" },
    { "hostname",              "example.com" },
    { "idn-hostname",          "example.com" },
    { "ipv4",                  "192.0.2.1" },
    { "ip",                    "192.0.2.1" },
    { "ipv6",                  "2001:db8::1" },
    { "uri",                   "https://example.com/" },
    { "url",                   "https://example.com/" },
    { "iri",                   "https://example.com/" },
    { "uri-reference",         "/path" },
    { "iri-reference",         "/path" },
    { "uri-template",          "/path/{id}" },
    { "uuid",                  "3fa85f64-5717-4562-b3fc-2c963f66afa6" },
    { "guid",                  "3fa85f64-5717-4562-b3fc-2c963f66afa6" },
    { "byte",                  "dGV4dA==" },
    { "base64",                "dGV4dA==" },
    { "json-pointer",          "/a" },
    { "relative-json-pointer", "0" },
    { "regex",                 "^a$" },
    { "snowflake",             "175928847299117063" },
    { "int64",                 "1" },
    { "int32",                 "1" },
};
// clang-format on

// A whole number of any size as int64, rounded towards `up` and kept within its range.
static int64_t
as_integer(const json_t *number, bool up)
{
    int64_t value;

    if (json_int(number, &value))
        return value;
    double wide = json_double(number);
    if (wide >= 9.2e18)
        return INT64_MAX;
    if (wide <= -9.2e18)
        return INT64_MIN;
    return (int64_t) (up ? ceil(wide) : floor(wide));
}

static int64_t
lowest(const openapi_schema_t *schema)
{
    bool narrow = schema->format && !strcmp(schema->format, "int32");
    int64_t low = narrow ? INT32_MIN : INT64_MIN;

    if (schema->minimum) {
        int64_t bound = as_integer(schema->minimum, true), exact;
        bool is_exact = json_int(schema->minimum, &exact);
        if (schema->above_minimum && is_exact && bound < INT64_MAX)
            bound++;
        low = bound > low ? bound : low;
    }
    return low;
}

static int64_t
highest(const openapi_schema_t *schema)
{
    bool narrow = schema->format && !strcmp(schema->format, "int32");
    int64_t high = narrow ? INT32_MAX : INT64_MAX;

    if (schema->maximum) {
        int64_t bound = as_integer(schema->maximum, false), exact;
        bool is_exact = json_int(schema->maximum, &exact);
        if (schema->below_maximum && is_exact && bound > INT64_MIN)
            bound--;
        high = bound < high ? bound : high;
    }
    return high;
}

static json_t *
integer(openapi_t *self, const openapi_schema_t *schema)
{
    int64_t low = lowest(schema), high = highest(schema);
    int64_t step = schema->multiple_of ? as_integer(schema->multiple_of, true) : 1;
    int64_t value = low > 1 ? low : high < 1 ? high : 1;

    if (low > high)
        return NULL;
    if (step > 1) {
        value = low > step ? low : step;
        if (value % step)
            value = value > INT64_MAX - step ? high : value + step - value % step;
        if (value > high)
            value = high >= 0 ? high - high % step : high - (high % step + step) % step;
        if (value < low)
            return NULL;
    }
    return json_number(self->arena, value);
}

// A bound beyond int64 is a value itself, as it stands in the document.
static json_t *
huge(openapi_t *self, const openapi_schema_t *schema)
{
    static const char most[] = "9223372036854775807";

    if (!schema->minimum || schema->above_minimum
        || json_number_compare(schema->minimum->text, most) <= 0)
        return NULL;
    return json_number_text(self->arena, schema->minimum->text);
}

static bool
is_multiple(double value, double step)
{
    double times = value / step;

    return fabs(times - round(times)) < 1e-9 * (fabs(times) + 1);
}

static json_t *
decimal(openapi_t *self, const openapi_schema_t *schema)
{
    double low = schema->minimum ? json_double(schema->minimum) : -INFINITY;
    double high = schema->maximum ? json_double(schema->maximum) : INFINITY;
    double step = schema->multiple_of ? json_double(schema->multiple_of) : 0;
    double value = low > 1 || (low >= 1 && schema->above_minimum)     ? low
                   : high < 1 || (high <= 1 && schema->below_maximum) ? high
                                                                      : 1;

    if (value == low && schema->above_minimum)
        value = isinf(high) ? low + 1 : low + (high - low) / 2;
    else if (value == high && schema->below_maximum)
        value = isinf(low) ? high - 1 : low + (high - low) / 2;
    if (step > 0 && !is_multiple(value, step))
        value = ceil((isinf(low) ? 0 : low) / step) * step;
    if (step > 0 && value == low && schema->above_minimum)
        value += step;
    if (!isfinite(value) || value < low || value > high)
        return NULL;
    return json_number_text(self->arena, arena_printf(self->arena, "%.15g", value));
}

json_t *
openapi_scalars_number(openapi_t *self, const openapi_schema_t *schema, bool is_integer)
{
    json_t *value = is_integer ? huge(self, schema) : decimal(self, schema);

    return value || !is_integer ? value : integer(self, schema);
}

static const char *
of_format(const openapi_schema_t *schema)
{
    for (size_t i = 0; schema->format && i < ROWS(formats); i++)
        if (!strcmp(formats[i].format, schema->format))
            return formats[i].example;
    return NULL;
}

// `text` made at least `min` and at most `max` code points long.
static const char *
fit(openapi_t *self, const char *text, int64_t min, int64_t max)
{
    AUTO(buffer_clear) buffer_t out = { 0 };
    int64_t length = (int64_t) strlen(text);

    min = min > STRING_MAX ? STRING_MAX : min;
    buffer_add(&out, text, (size_t) (max >= 0 && length > max ? max : length));
    for (int64_t i = length; i < min; i++)
        buffer_char(&out, text[i % length]);
    return arena_strndup(self->arena, out.bytes ? out.bytes : "", out.size);
}

json_t *
openapi_scalars_string(openapi_t *self, const openapi_schema_t *schema)
{
    const char *text = of_format(schema);
    openapi_spot_t spot = schema->gathered ? schema->gathered->spot : openapi_root(self);

    if (schema->pattern && (!text || !pattern_matches(schema->pattern, text))) {
        const char *sample = pattern_sample(self->arena, schema->pattern, schema->min_length,
                                            schema->max_length);
        if (sample)
            return json_string(self->arena, sample);
        const char *fault = pattern_fault(self->arena, schema->pattern);
        openapi_warn(
            self, spot,
            "no text was found for the pattern %.100s%s%s; the example may not match it",
            schema->pattern, fault ? ": " : "", fault ? fault : "");
    }
    int64_t length = text ? (int64_t) strlen(text) : 0;
    if (!text || length < schema->min_length
        || (schema->max_length >= 0 && length > schema->max_length))
        text = fit(self, text ? text : "text", schema->min_length, schema->max_length);
    return json_string(self->arena, text);
}
