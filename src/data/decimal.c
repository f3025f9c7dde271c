// SPDX-License-Identifier: Apache-2.0
#include "data/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "data/float_text.h"

#define P19 ((int128)INT64_C(1000000000) * INT64_C(10000000000))
#define P(n) ((int128)INT64_C(1##n))

int128 decimal_power(int32_t exponent)
{
    static const int128 powers[DECIMAL_PRECISION_MAX + 1] = {
        P(),
        P(0),
        P(00),
        P(000),
        P(0000),
        P(00000),
        P(000000),
        P(0000000),
        P(00000000),
        P(000000000),
        P(0000000000),
        P(00000000000),
        P(000000000000),
        P(0000000000000),
        P(00000000000000),
        P(000000000000000),
        P(0000000000000000),
        P(00000000000000000),
        P(000000000000000000),
        P19,
        P19 * P(0),
        P19 * P(00),
        P19 * P(000),
        P19 * P(0000),
        P19 * P(00000),
        P19 * P(000000),
        P19 * P(0000000),
        P19 * P(00000000),
        P19 * P(000000000),
        P19 * P(0000000000),
        P19 * P(00000000000),
        P19 * P(000000000000),
        P19 * P(0000000000000),
        P19 * P(00000000000000),
        P19 * P(000000000000000),
        P19 * P(0000000000000000),
        P19 * P(00000000000000000),
        P19 * P(000000000000000000),
        P19 * P19,
    };
    DASSERT(exponent >= 0 && exponent <= DECIMAL_PRECISION_MAX);
    return powers[exponent];
}

// 256 bits, without sign.
struct wide {
    uint128 high;
    uint128 low;
};

static struct wide wide_multiply(uint128 a, uint128 b)
{
    uint128 a_low = (uint64_t)a;
    uint128 a_high = a >> 64;
    uint128 b_low = (uint64_t)b;
    uint128 b_high = b >> 64;
    uint128 low = a_low * b_low;
    uint128 middle = a_high * b_low + (low >> 64);
    uint128 other = a_low * b_high + (uint64_t)middle;
    return (struct wide){a_high * b_high + (middle >> 64) + (other >> 64),
                         other << 64 | (uint64_t)low};
}

// Quotient and remainder; false where the quotient has more than 128 bits. Bit by bit: this is the
// rare case, of more than 38 digits in between.
static bool wide_divide(struct wide a, uint128 divisor, uint128 *quotient, uint128 *remainder)
{
    if (a.high == 0) {
        *quotient = a.low / divisor;
        *remainder = a.low % divisor;
        return true;
    }
    if (a.high >= divisor) {
        return false;
    }
    uint128 rest = a.high;
    uint128 result = 0;
    for (int bit = 127; bit >= 0; bit--) {
        bool carry = (rest >> 127) != 0;
        rest = rest << 1 | (a.low >> bit & 1);
        result <<= 1;
        if (carry || rest >= divisor) {
            rest -= divisor;
            result |= 1;
        }
    }
    *quotient = result;
    *remainder = rest;
    return true;
}

static uint128 magnitude(int128 value)
{
    return value < 0 ? -(uint128)value : (uint128)value;
}

static const uint128 int128_max = ~(uint128)0 >> 1;

// The quotient rounded HALF_UP, with its sign.
static bool divide_rounded(struct wide numerator, uint128 divisor, bool is_negative, int128 *out)
{
    uint128 quotient;
    uint128 remainder;
    if (!wide_divide(numerator, divisor, &quotient, &remainder)) {
        return false;
    }
    if (quotient >= int128_max) {
        return false;
    }
    if (remainder >= divisor - remainder) {
        quotient++;
    }
    *out = is_negative ? -(int128)quotient : (int128)quotient;
    return true;
}

bool decimal_divide(int128 numerator, int32_t shift, int128 denominator, int128 *out)
{
    bool is_negative = (numerator < 0) != (denominator < 0);
    uint128 top = magnitude(numerator);
    if (shift > DECIMAL_PRECISION_MAX) {
        // If the first step leaves 128 bits, the second makes at least 2^254, and no denominator
        // of 127 bits brings that back into an int128.
        struct wide first =
            wide_multiply(top, (uint128)decimal_power(shift - DECIMAL_PRECISION_MAX));
        if (first.high != 0) {
            return false;
        }
        top = first.low;
        shift = DECIMAL_PRECISION_MAX;
    }
    return divide_rounded(wide_multiply(top, (uint128)decimal_power(shift)), magnitude(denominator),
                          is_negative, out);
}

bool decimal_multiply(int128 a, int128 b, int32_t shift, int128 *out)
{
    return divide_rounded(wide_multiply(magnitude(a), magnitude(b)), (uint128)decimal_power(shift),
                          (a < 0) != (b < 0), out);
}

bool decimal_rescale(int128 unscaled, int32_t from_scale, struct decimal_form to, int128 *out)
{
    int128 value = unscaled;
    if (to.scale > from_scale) {
        int32_t up = to.scale - from_scale;
        if (up > DECIMAL_PRECISION_MAX ||
            __builtin_mul_overflow(value, decimal_power(up), &value)) {
            *out = 0;
            return unscaled == 0;
        }
    } else if (to.scale < from_scale) {
        int32_t down = from_scale - to.scale;
        if (down > DECIMAL_PRECISION_MAX) {
            value = 0;
        } else {
            int128 divisor = decimal_power(down);
            int128 rest = value % divisor;
            value /= divisor;
            if (rest >= divisor - rest || -rest >= divisor + rest) {
                value += unscaled < 0 ? -1 : 1;
            }
        }
    }
    *out = value;
    return decimal_fits(value, to.precision);
}

// What a text says: digits without leading zeros, and where the point is.
struct digits {
    bool is_negative;
    char text[DECIMAL_PRECISION_MAX + 2]; // the first ones; a digit more than fits, for rounding
    uint32_t count;                       // of all, also those not kept
    int64_t exponent;                     // value = 0.d1d2d3… * 10^exponent
};

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static void add_digit(struct digits *digits, char digit, bool behind_point)
{
    if (digits->count == 0 && digit == '0') {
        digits->exponent -= behind_point;
        return;
    }
    if (digits->count < sizeof digits->text) {
        digits->text[digits->count] = digit;
    }
    digits->count++;
    digits->exponent += !behind_point;
}

static bool read_exponent(struct str text, int64_t *exponent)
{
    size_t at = 0;
    bool is_negative = text.size > 0 && text.ptr[0] == '-';
    at += text.size > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+');
    if (at == text.size || text.size - at > 10) { // as Java: ten digits at most
        return false;
    }
    int64_t value = 0;
    for (; at < text.size; at++) {
        if (!is_digit(text.ptr[at])) {
            return false;
        }
        value = value * 10 + (text.ptr[at] - '0');
    }
    *exponent += is_negative ? -value : value;
    return value <= INT32_MAX;
}

static bool read_digits(struct str text, struct digits *digits)
{
    *digits = (struct digits){0};
    size_t at = 0;
    if (text.size > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+')) {
        digits->is_negative = text.ptr[0] == '-';
        at = 1;
    }
    bool behind_point = false;
    bool any = false;
    for (; at < text.size; at++) {
        char byte = text.ptr[at];
        if (byte == '.' && !behind_point) {
            behind_point = true;
        } else if (is_digit(byte)) {
            any = true;
            add_digit(digits, byte, behind_point);
        } else {
            break;
        }
    }
    if (at == text.size) {
        return any;
    }
    if (!any || (text.ptr[at] != 'e' && text.ptr[at] != 'E')) {
        return false;
    }
    return read_exponent(str_slice(text, at + 1, text.size), &digits->exponent);
}

enum decimal_parse decimal_from_text(struct str text, struct decimal_form form, int128 *out)
{
    struct digits digits;
    *out = 0;
    if (!read_digits(text, &digits)) {
        return DECIMAL_PARSE_INVALID;
    }
    // How many of the digits are left of the last place that the form keeps.
    int64_t keep = digits.count == 0 ? -1 : digits.exponent + form.scale;
    if (keep < 0) {
        return DECIMAL_PARSE_OK; // too small to be rounded up
    }
    if (keep > form.precision) { // the first digit is not 0
        return DECIMAL_PARSE_OVERFLOW;
    }
    int128 value = 0;
    for (int64_t i = 0; i < keep; i++) {
        value = value * 10 + (i < digits.count ? digits.text[i] - '0' : 0);
    }
    if (keep < digits.count && digits.text[keep] >= '5') {
        value++;
    }
    *out = digits.is_negative ? -value : value;
    if (!decimal_fits(value, form.precision)) {
        *out = 0;
        return DECIMAL_PARSE_OVERFLOW;
    }
    return DECIMAL_PARSE_OK;
}

enum decimal_parse decimal_from_f64(double value, struct decimal_form form, int128 *out)
{
    *out = 0;
    if (!isfinite(value)) {
        return DECIMAL_PARSE_INVALID;
    }
    char text[FLOAT_TEXT_MAX];
    uint32_t size = float_text_f64(value, text);
    return decimal_from_text(str_make(text, size), form, out);
}

double decimal_to_f64(int128 unscaled, int32_t scale)
{
    // Both exact: one division rounds once.
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int64_t exact = INT64_C(1) << 53;
    if (unscaled >= -exact && unscaled <= exact && scale >= 0 &&
        (size_t)scale < sizeof powers / sizeof *powers) {
        return (double)(int64_t)unscaled / powers[scale];
    }
    char text[DECIMAL_TEXT_MAX + 1];
    text[decimal_format(unscaled, scale, text)] = '\0';
    return strtod(text, NULL);
}

uint32_t decimal_format(int128 unscaled, int32_t scale, char *out)
{
    char reversed[DECIMAL_TEXT_MAX];
    int32_t count = 0;
    uint128 rest = magnitude(unscaled);
    while (rest > UINT64_MAX || count < scale + 1 || rest != 0) {
        if (rest <= UINT64_MAX) {
            uint64_t small = (uint64_t)rest;
            for (; small != 0 || count < scale + 1; small /= 10) {
                reversed[count++] = (char)('0' + small % 10);
            }
            break;
        }
        reversed[count++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    }
    uint32_t size = 0;
    if (unscaled < 0) {
        out[size++] = '-';
    }
    for (int32_t i = count - 1; i >= 0; i--) {
        out[size++] = reversed[i];
        if (i == scale && scale > 0) {
            out[size++] = '.';
        }
    }
    return size;
}

uint32_t decimal_format_java(int128 unscaled, int32_t scale, char *out)
{
    char digits[DECIMAL_TEXT_MAX];
    uint32_t sign = unscaled < 0;
    uint32_t size = decimal_format(unscaled, 0, digits);
    int32_t exponent = (int32_t)(size - sign) - 1 - scale; // of the first digit
    if (exponent >= -6) {
        return decimal_format(unscaled, scale, out);
    }
    uint32_t used = 0;
    for (uint32_t i = 0; i < size; i++) {
        out[used++] = digits[i];
        if (i == sign && i + 1 < size) {
            out[used++] = '.';
        }
    }
    out[used++] = 'E';
    used += decimal_format(exponent, 0, out + used);
    return used;
}
