// SPDX-License-Identifier: Apache-2.0
//
// decimal: unscaled integers with a scale. The value is unscaled / 10^scale; precision is the
// number of decimal digits of the unscaled integer, at most 38, which fits an int128.
//
// Rounding is HALF_UP everywhere: halves away from zero. What has more than `precision` digits does
// not fit, and the function returns false; callers make that NULL.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/int128.h"
#include "base/str.h"

enum { DECIMAL_PRECISION_MAX = 38, DECIMAL_TEXT_MAX = 48 };

struct decimal_form {
    int32_t precision;
    int32_t scale;
};

int128 decimal_power(int32_t exponent); // 10^exponent, 0 to 38

static inline bool decimal_fits(int128 unscaled, int32_t precision)
{
    int128 limit = decimal_power(precision);
    return unscaled < limit && unscaled > -limit;
}

// The same value at another scale.
bool decimal_rescale(int128 unscaled, int32_t from_scale, struct decimal_form to, int128 *out);
// numerator * 10^shift / denominator, rounded HALF_UP; false where it does not fit an int128.
// `shift` is 0 to 76; the denominator is not 0.
bool decimal_divide(int128 numerator, int32_t shift, int128 denominator, int128 *out);
// a * b / 10^shift, rounded HALF_UP, through 256 bits; false where it does not fit an int128.
bool decimal_multiply(int128 a, int128 b, int32_t shift, int128 *out);

enum decimal_parse { DECIMAL_PARSE_OK, DECIMAL_PARSE_OVERFLOW, DECIMAL_PARSE_INVALID };

// [+-]digits[.digits][e[+-]digits], as Java's BigDecimal reads it; blanks are invalid. Rounded to
// the form.
enum decimal_parse decimal_from_text(struct str text, struct decimal_form form, int128 *out);
// By its shortest decimal text, as Java's BigDecimal.valueOf(double). NaN and infinities are
// invalid.
enum decimal_parse decimal_from_f64(double value, struct decimal_form form, int128 *out);
double decimal_to_f64(int128 unscaled, int32_t scale); // nearest, through the decimal text

// With exactly `scale` digits after the point: "-0.50", "12". Returns the length; `out` has room
// for DECIMAL_TEXT_MAX bytes, no NUL.
uint32_t decimal_format(int128 unscaled, int32_t scale, char *out);
// The same as Java's BigDecimal.toString() writes it: small ones with an exponent, "2.7E-8".
uint32_t decimal_format_java(int128 unscaled, int32_t scale, char *out);
