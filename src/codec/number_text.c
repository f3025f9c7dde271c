// SPDX-License-Identifier: Apache-2.0
#include "codec/number_text.h"

#include <locale.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "codec/digits.h"
#include "codec/number_power5.h"

enum { NUMBER_EXPONENT_MAX = 100000 };

static bool number_is_digit(char byte)
{
    return (unsigned char)(byte - '0') <= 9;
}

// The exponent behind an 'e'; false where it is none. Huge ones are cut.
static bool number_exponent(const char **at, const char *end, int32_t *exponent)
{
    const char *p = *at;
    bool is_negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) {
        p++;
    }
    if (p == end || !number_is_digit(*p)) {
        return false;
    }
    int32_t value = 0;
    for (; p < end && number_is_digit(*p); p++) {
        value = value > NUMBER_EXPONENT_MAX ? value : value * 10 + (*p - '0');
    }
    *exponent = is_negative ? -value : value;
    *at = p;
    return true;
}

bool number_text_split(struct str text, struct number_text *out)
{
    const char *p = text.ptr;
    const char *end = text.ptr + text.size;
    *out = (struct number_text){.is_integer = true, .text = text};
    if (text.size == 0 || text.size > NUMBER_TEXT_MAX) {
        return false;
    }
    if (*p == '-' || *p == '+') {
        out->is_negative = *p++ == '-';
    }
    uint32_t digit_count = 0; // significant ones
    int32_t exponent = 0;
    bool any = false;
    bool behind_point = false;
    for (; p < end; p++) {
        if (*p == '.' && !behind_point) {
            behind_point = true;
            out->is_integer = false;
        } else if (number_is_digit(*p)) {
            any = true;
            if (digit_count == 19) {
                out->is_long = true;
                exponent += behind_point ? 0 : 1;
                continue;
            }
            out->digits = out->digits * 10 + (uint64_t)(*p - '0');
            digit_count += out->digits != 0;
            exponent -= behind_point ? 1 : 0;
        } else {
            break;
        }
    }
    if (any && p < end && (*p == 'e' || *p == 'E')) {
        int32_t written = 0;
        p++;
        if (!number_exponent(&p, end, &written)) {
            return false;
        }
        exponent += written;
        out->is_integer = false;
    }
    out->exponent = exponent;
    return any && p == end;
}

// Digits of the written number, significant ones only, as an unsigned 128-bit value; those behind
// the 38th are cut and counted into *exponent. *sticky: a cut one was not zero. *next: the first
// cut.
static uint128 number_all_digits(const struct number_text *number, int32_t *exponent, char *next)
{
    uint128 value = 0;
    uint32_t count = 0;
    int32_t cut = 0;
    bool behind_point = false;
    int32_t fraction = 0;
    *next = '0';
    for (size_t i = 0; i < number->text.size; i++) {
        char byte = number->text.ptr[i];
        if (byte == '.') {
            behind_point = true;
        } else if (number_is_digit(byte)) {
            fraction += behind_point;
            if (count == 38) {
                *next = cut == 0 ? byte : *next;
                cut++;
                continue;
            }
            value = value * 10 + (unsigned char)(byte - '0');
            count += value != 0;
        } else if (byte == 'e' || byte == 'E') {
            break;
        }
    }
    // number->exponent counts from the 19 digits kept there; take what was written instead.
    struct str text = number->text;
    int32_t written = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.ptr[i] == 'e' || text.ptr[i] == 'E') {
            const char *at = text.ptr + i + 1;
            ASSERT(number_exponent(&at, text.ptr + text.size, &written));
            break;
        }
    }
    *exponent = written - fraction + cut;
    return value;
}

enum number_result number_text_integer(const struct number_text *number, int64_t min, int64_t max,
                                       int64_t *out)
{
    int32_t exponent = number->exponent;
    uint128 value = number->digits;
    if (number->is_long) {
        char next;
        value = number_all_digits(number, &exponent, &next);
    }
    for (; exponent < 0 && value != 0; exponent++) {
        value /= 10;
    }
    for (; exponent > 0 && value != 0; exponent--) {
        value *= 10;
        if (value > UINT64_MAX) {
            return NUMBER_RANGE;
        }
    }
    int128 wide = number->is_negative ? -(int128)value : (int128)value;
    if (value > UINT64_MAX || wide < min || wide > max) {
        return NUMBER_RANGE;
    }
    *out = (int64_t)wide;
    return NUMBER_OK;
}

static uint128 number_power10(int32_t exponent) // 0 … 38
{
    uint128 power = 1;
    for (int32_t i = 0; i < exponent; i++) {
        power *= 10;
    }
    return power;
}

enum number_result number_text_decimal(const struct number_text *number, int32_t precision,
                                       int32_t scale, int128 *out)
{
    int32_t exponent = number->exponent;
    char next = '0'; // the digit behind those in `value`
    uint128 value = number->digits;
    if (number->is_long) {
        value = number_all_digits(number, &exponent, &next);
    }
    *out = 0;
    if (value == 0) {
        return NUMBER_OK;
    }
    int64_t shift = (int64_t)exponent + scale; // unscaled = value * 10^shift
    bool round_up = false;
    if (shift >= 0) {
        if (shift > 38) {
            return NUMBER_RANGE;
        }
        uint128 limit = number_power10(precision);
        for (; shift > 0; shift--) {
            value *= 10;
            if (value >= limit) {
                return NUMBER_RANGE;
            }
        }
        round_up = next >= '5' && exponent + scale == 0;
    } else if (shift < -38) {
        value = 0; // less than a half of the last place: value has at most 38 digits
    } else {
        uint128 by = number_power10((int32_t)-shift);
        uint128 rest = value % by;
        value /= by;
        round_up = rest >= by - rest;
    }
    value += round_up;
    if (value >= number_power10(precision)) {
        return NUMBER_RANGE;
    }
    *out = number->is_negative ? -(int128)value : (int128)value;
    return NUMBER_OK;
}

// Eisel and Lemire's way: the product of the digits with a 128-bit power of five decides almost all
// cases. Normal numbers only.
static bool number_eisel_lemire(uint64_t digits, int32_t exponent, double *out)
{
    if (exponent < NUMBER_POWER5_MIN || exponent > NUMBER_POWER5_MAX) {
        return false;
    }
    const uint64_t *power5 = number_power5[exponent - NUMBER_POWER5_MIN];
    int32_t zeros = __builtin_clzll(digits);
    digits <<= zeros;
    uint128 product = (uint128)digits * power5[0];
    uint64_t high = (uint64_t)(product >> 64);
    uint64_t low = (uint64_t)product;
    if ((high & 0x1ff) == 0x1ff) {
        uint64_t second = (uint64_t)((uint128)digits * power5[1] >> 64);
        low += second;
        high += low < second;
        if (low == UINT64_MAX && (exponent < -27 || exponent > 55)) {
            return false;
        }
    }
    int32_t upper = (int32_t)(high >> 63);
    uint64_t mantissa = high >> (upper + 9);
    int32_t power2 = (((152170 + 65536) * exponent) >> 16) + 63 + upper - zeros + 1023;
    if (power2 <= 0) {
        return false;
    }
    if (low <= 1 && exponent >= -4 && exponent <= 23 && (mantissa & 3) == 1 &&
        mantissa << (upper + 9) == high) {
        mantissa &= ~UINT64_C(1); // exactly half way: to even
    }
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >= UINT64_C(2) << 52) {
        mantissa = UINT64_C(1) << 52;
        power2++;
    }
    if (power2 >= 0x7ff) {
        return false;
    }
    uint64_t bits = (mantissa & ~(UINT64_C(1) << 52)) | (uint64_t)power2 << 52;
    memcpy(out, &bits, 8);
    return true;
}

bool number_text_double_fast(uint64_t digits, int32_t exponent, double *out)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (digits <= UINT64_C(1) << 53 && exponent >= -22 && exponent <= 22) {
        // Both are exact doubles, and so one rounding is all there is (Clinger).
        *out =
            exponent < 0 ? (double)digits / powers[-exponent] : (double)digits * powers[exponent];
        return true;
    }
    if (digits == 0) {
        *out = 0;
        return true;
    }
    return number_eisel_lemire(digits, exponent, out);
}

// The C locale, whatever the process has set: a decimal point is a point.
static locale_t number_locale(void)
{
    static _Atomic(locale_t) shared;
    locale_t locale = atomic_load(&shared);
    if (locale == (locale_t)0) {
        locale_t expected = (locale_t)0;
        locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        ASSERT(locale != (locale_t)0);
        if (!atomic_compare_exchange_strong(&shared, &expected, locale)) {
            freelocale(locale);
            locale = expected;
        }
    }
    return locale;
}

double number_text_double(const struct number_text *number)
{
    double value;
    if (!number->is_long && number_text_double_fast(number->digits, number->exponent, &value)) {
        return number->is_negative ? -value : value;
    }
    char text[NUMBER_TEXT_MAX + 1];
    memcpy(text, number->text.ptr, number->text.size);
    text[number->text.size] = 0;
    return strtod_l(text, NULL, number_locale());
}

float number_text_float(const struct number_text *number)
{
    static const float powers[] = {1e0F, 1e1F, 1e2F, 1e3F, 1e4F, 1e5F,
                                   1e6F, 1e7F, 1e8F, 1e9F, 1e10F};
    if (!number->is_long && number->digits <= 1 << 24 && number->exponent >= -10 &&
        number->exponent <= 10) {
        float value = number->exponent < 0 ? (float)number->digits / powers[-number->exponent]
                                           : (float)number->digits * powers[number->exponent];
        return number->is_negative ? -value : value;
    }
    char text[NUMBER_TEXT_MAX + 1];
    memcpy(text, number->text.ptr, number->text.size);
    text[number->text.size] = 0;
    return strtof_l(text, NULL, number_locale());
}

// Handles the words, and cuts a suffix off *text.
static bool number_java_word(struct str *text, double *out)
{
    struct str rest = *text;
    bool is_negative = rest.size > 0 && rest.ptr[0] == '-';
    if (rest.size > 0 && (rest.ptr[0] == '-' || rest.ptr[0] == '+')) {
        rest = str_slice(rest, 1, rest.size);
    }
    if (str_is(rest, "NaN")) {
        *out = (double)NAN;
        return true;
    }
    if (str_is(rest, "Infinity")) {
        *out = is_negative ? -(double)INFINITY : (double)INFINITY;
        return true;
    }
    if (text->size > 1) {
        char last = text->ptr[text->size - 1];
        if (last == 'd' || last == 'D' || last == 'f' || last == 'F') {
            text->size--;
        }
    }
    return false;
}

bool number_text_java_double(struct str text, double *out)
{
    struct number_text number;
    if (number_java_word(&text, out)) {
        return true;
    }
    if (!number_text_split(text, &number)) {
        return false;
    }
    *out = number_text_double(&number);
    return true;
}

bool number_text_java_float(struct str text, float *out)
{
    struct number_text number;
    double word;
    if (number_java_word(&text, &word)) {
        *out = (float)word;
        return true;
    }
    if (!number_text_split(text, &number)) {
        return false;
    }
    *out = number_text_float(&number);
    return true;
}
