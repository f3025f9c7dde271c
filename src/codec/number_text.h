// SPDX-License-Identifier: Apache-2.0
//
// number_text: numbers out of texts, for the decoders of JSON and CSV. Exact: what is written is
// what is stored, DOUBLE and FLOAT correctly rounded, DECIMAL rounded half away from zero to its
// scale, as Flink's formats do (java.math.RoundingMode.HALF_UP).
//
// A number is [+-] digits [. digits] [(e|E) [+-] digits]; there are no blanks around it. Texts need
// not end in anything and are never read beyond.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/int128.h"
#include "base/str.h"

// A number taken apart: (-1)^is_negative * digits * 10^exponent.
struct number_text {
    bool is_negative;
    bool is_integer; // neither point nor exponent was written
    bool is_long;    // there are more significant digits than `digits` holds (19)
    uint64_t digits;
    int32_t exponent; // kept within +-100,000
    struct str text;  // as it was written, for the slow ways
};

enum number_result {
    NUMBER_OK,
    NUMBER_BAD,   // not a number, or not one of this type
    NUMBER_RANGE, // a number that does not fit
};

enum { NUMBER_TEXT_MAX = 1000 }; // longer texts are NUMBER_BAD, as in Flink

// False where `text` is not a number as above.
bool number_text_split(struct str text, struct number_text *out);

// The value cut to an integer; RANGE outside [min, max].
enum number_result number_text_integer(const struct number_text *number, int64_t min, int64_t max,
                                       int64_t *out);
// The value with `scale` digits after the point, unscaled; RANGE where it has more than `precision`
// digits.
enum number_result number_text_decimal(const struct number_text *number, int32_t precision,
                                       int32_t scale, int128 *out);
double number_text_double(const struct number_text *number); // too large: infinity
float number_text_float(const struct number_text *number);

// digits * 10^exponent, correctly rounded, where that can be said without the written text.
bool number_text_double_fast(uint64_t digits, int32_t exponent, double *out);

// As Java's Double.parseDouble reads besides numbers: NaN, Infinity, with a sign; a number with one
// of the suffixes dDfF.
bool number_text_java_double(struct str text, double *out);
bool number_text_java_float(struct str text, float *out);

// A quotient rounded half away from zero, for rescaling decimals; `by` is a power of ten.
static inline int64_t number_text_round_i64(int64_t value, int64_t by)
{
    int64_t quotient = value / by;
    int64_t rest = value % by;
    int64_t twice = rest < 0 ? -2 * rest : 2 * rest;
    return twice >= by ? quotient + (value < 0 ? -1 : 1) : quotient;
}
