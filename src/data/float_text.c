// SPDX-License-Identifier: Apache-2.0
//
// Digits are generated one by one from value = B / S, until what is left is within half a unit M in
// the last place of the binary value (Steele and White, with the fixed termination rule that Java
// had until version 18). Three things make the result differ from the shortest text, and they are
// kept: a text in E notation always gets a second digit before the test; whole numbers drop as many
// digits as their binary exponent makes insignificant; rounding up leaves zeros at the end.
#include "data/float_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/int128.h"

enum {
    MANTISSA_BITS = 52,
    EXPONENT_BIAS = 1023,
    DIGITS_MAX = 24,
    WHOLE_EXPONENT_MAX = 62,
    E_FORM_BELOW = -3, // decimal exponents below it, or from 8 on, are written with E
    E_FORM_FROM = 8,
    BIG_WORDS = 40, // 1280 bits: 2^1074 * 10 and some
};

struct digits {
    char text[DIGITS_MAX];
    int count;
    int exponent; // value = 0.d1d2… * 10^exponent
};

// The powers in B = fraction * 5^b5 * 2^b2, S = 5^s5 * 2^s2, M = 5^b5 * 2^m2.
struct scale {
    uint64_t fraction;
    int b2;
    int b5;
    int s2;
    int s5;
    int m2;
    bool counts_ties; // whether B + M = 10 S ends the digits upwards
};

struct big {
    uint32_t words[BIG_WORDS]; // the lowest first
    int count;
};

static void big_multiply(struct big *a, uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < a->count; i++) {
        carry += (uint64_t)a->words[i] * factor;
        a->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) {
        a->words[a->count++] = (uint32_t)carry;
    }
}

// word * 5^fives * 2^twos
static struct big big_make(uint64_t word, int fives, int twos)
{
    struct big a = {.words = {(uint32_t)word, (uint32_t)(word >> 32)}, .count = 2};
    for (; fives >= 13; fives -= 13) {
        big_multiply(&a, 1220703125); // 5^13
    }
    for (; fives > 0; fives--) {
        big_multiply(&a, 5);
    }
    int shift = twos / 32;
    memmove(a.words + shift, a.words, (size_t)a.count * sizeof *a.words);
    memset(a.words, 0, (size_t)shift * sizeof *a.words);
    a.count += shift;
    big_multiply(&a, UINT32_C(1) << (twos % 32));
    while (a.count > 0 && a.words[a.count - 1] == 0) {
        a.count--;
    }
    return a;
}

static int big_compare(const struct big *a, const struct big *b)
{
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (int i = a->count - 1; i >= 0; i--) {
        if (a->words[i] != b->words[i]) {
            return a->words[i] < b->words[i] ? -1 : 1;
        }
    }
    return 0;
}

static struct big big_add(const struct big *a, const struct big *b)
{
    struct big sum = {.count = a->count > b->count ? a->count : b->count};
    uint64_t carry = 0;
    for (int i = 0; i < sum.count; i++) {
        carry += (uint64_t)(i < a->count ? a->words[i] : 0) + (i < b->count ? b->words[i] : 0);
        sum.words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) {
        sum.words[sum.count++] = (uint32_t)carry;
    }
    return sum;
}

static void big_subtract(struct big *a, const struct big *b)
{
    int64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        borrow += (int64_t)a->words[i] - (i < b->count ? b->words[i] : 0);
        a->words[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->count > 0 && a->words[a->count - 1] == 0) {
        a->count--;
    }
}

// The next digit: B becomes 10 * (B mod S).
static int big_next_digit(struct big *b, const struct big *s)
{
    int digit = 0;
    while (big_compare(b, s) >= 0) {
        big_subtract(b, s);
        digit++;
    }
    big_multiply(b, 10);
    return digit;
}

static void round_up(struct digits *digits)
{
    int at = digits->count - 1;
    while (at > 0 && digits->text[at] == '9') {
        digits->text[at--] = '0';
    }
    if (digits->text[at] == '9') {
        digits->text[0] = '1';
        digits->exponent++;
        return;
    }
    digits->text[at]++;
}

// The last digit is rounded by the condition that ended the loop; `half` compares what is left with
// half a unit.
static void finish_digits(struct digits *digits, bool low, bool high, int half)
{
    if (high && (!low || half > 0 || (half == 0 && (digits->text[digits->count - 1] & 1) != 0))) {
        round_up(digits);
    }
}

static void first_digit(struct digits *digits, int digit, bool high, int exponent)
{
    if (digit == 0 && !high) {
        exponent--; // the estimate was one too high
    } else {
        digits->text[digits->count++] = (char)('0' + digit);
    }
    digits->exponent = exponent + 1;
}

static bool wants_more(const struct digits *digits)
{
    int exponent = digits->exponent - 1;
    return exponent < E_FORM_BELOW || exponent >= E_FORM_FROM;
}

static void big_digits(const struct scale *scale, int exponent, struct digits *digits)
{
    struct big b = big_make(scale->fraction, scale->b5, scale->b2);
    struct big s = big_make(1, scale->s5, scale->s2);
    struct big m = big_make(1, scale->b5, scale->m2);
    struct big tens = s;
    big_multiply(&tens, 10);
    bool low = false;
    bool high = false;
    bool is_first = true;
    do {
        int digit = big_next_digit(&b, &s);
        big_multiply(&m, 10);
        struct big sum = big_add(&b, &m);
        low = big_compare(&b, &m) < 0;
        high = big_compare(&sum, &tens) >= (scale->counts_ties ? 0 : 1);
        if (is_first) {
            first_digit(digits, digit, high, exponent);
            is_first = false;
            if (wants_more(digits)) {
                low = high = false;
            }
        } else {
            digits->text[digits->count++] = (char)('0' + digit);
        }
    } while (!low && !high);
    big_multiply(&b, 2);
    finish_digits(digits, low, high, big_compare(&b, &tens));
}

#define T uint64_t
#define NAME(stem) narrow_##stem
#include "data/float_text_tmpl.h"
#undef T
#undef NAME

#define T uint128
#define NAME(stem) small_##stem
#include "data/float_text_tmpl.h"
#undef T
#undef NAME

static int bits_of_power5(int power)
{
    static const uint8_t bits[] = {0,  3,  5,  7,  10, 12, 14, 17, 19, 21, 24, 26, 28, 31,
                                   33, 35, 38, 40, 42, 45, 47, 49, 52, 54, 56, 59, 61};
    return power < (int)sizeof bits ? bits[power] : power * 3;
}

// floor of the decimal logarithm, at most one too high.
static int estimate_exponent(uint64_t fraction, int exponent)
{
    uint64_t bits = (uint64_t)EXPONENT_BIAS << MANTISSA_BITS |
                    (fraction & ((UINT64_C(1) << MANTISSA_BITS) - 1));
    double mantissa;
    memcpy(&mantissa, &bits, sizeof mantissa);
    return (int)floor((mantissa - 1.5) * 0.289529654 + 0.176091259 +
                      (double)exponent * 0.301029995663981);
}

// A whole number that fits a long: its digits, without those behind the precision of the mantissa
// and without zeros at the end.
static void whole_digits(uint64_t value, int insignificant, struct digits *digits)
{
    int exponent = 0;
    if (insignificant > 0) {
        uint64_t power = (uint64_t)small_make(1, insignificant, insignificant);
        uint64_t rest = value % power;
        value = value / power + (rest >= power / 2);
        exponent = insignificant;
    }
    char reversed[DIGITS_MAX];
    int count = 0;
    for (; value != 0; value /= 10) {
        reversed[count++] = (char)('0' + value % 10);
    }
    digits->exponent = exponent + count;
    int zeros = 0;
    while (zeros < count - 1 && reversed[zeros] == '0') {
        zeros++;
    }
    digits->count = count - zeros;
    for (int i = 0; i < digits->count; i++) {
        digits->text[i] = reversed[count - 1 - i];
    }
}

// The powers of 10 in 2^exponent that are not significant.
static int insignificant_digits(int exponent, int significant_bits)
{
    int power = exponent > significant_bits ? exponent - significant_bits - 1 : 0;
    return power > 1 ? power * 1233 >> 12 : 0; // 1233 / 4096: log10(2), exact below 64
}

// `fraction` has the leading bit at MANTISSA_BITS.
static void generate(uint64_t fraction, int exponent, int significant_bits, struct digits *digits)
{
    int zeros = __builtin_ctzll(fraction);
    int fraction_bits = MANTISSA_BITS + 1 - zeros;
    int tiny_bits = fraction_bits - exponent - 1 > 0 ? fraction_bits - exponent - 1 : 0;
    if (tiny_bits == 0 && exponent <= WHOLE_EXPONENT_MAX) {
        uint64_t value = exponent >= MANTISSA_BITS ? fraction << (exponent - MANTISSA_BITS)
                                                   : fraction >> (MANTISSA_BITS - exponent);
        whole_digits(value, insignificant_digits(exponent, significant_bits), digits);
        return;
    }
    int decimal = estimate_exponent(fraction, exponent);
    struct scale scale = {.fraction = fraction >> zeros};
    scale.b5 = decimal < 0 ? -decimal : 0;
    scale.s5 = decimal > 0 ? decimal : 0;
    scale.b2 = scale.b5 + tiny_bits + exponent;
    scale.s2 = scale.s5 + tiny_bits;
    scale.m2 = scale.b2 - significant_bits;
    scale.b2 -= fraction_bits - 1;
    int common = scale.b2 < scale.s2 ? scale.b2 : scale.s2;
    scale.b2 -= common;
    scale.s2 -= common;
    scale.m2 -= common;
    if (fraction_bits == 1) { // below a power of two the neighbour is half as far
        scale.m2--;
    }
    if (scale.m2 < 0) {
        scale.b2 -= scale.m2;
        scale.s2 -= scale.m2;
        scale.m2 = 0;
    }
    int b_bits = fraction_bits + scale.b2 + bits_of_power5(scale.b5);
    int tens_bits = scale.s2 + 1 + bits_of_power5(scale.s5 + 1);
    scale.counts_ties = b_bits >= 64 || tens_bits >= 64;
    if (b_bits < 60 && tens_bits < 60) {
        narrow_digits(&scale, decimal, digits);
    } else if (b_bits < 120 && tens_bits < 120) {
        small_digits(&scale, decimal, digits);
    } else {
        big_digits(&scale, decimal, digits);
    }
}

static uint32_t put(char *out, uint32_t at, const char *bytes, int count)
{
    memcpy(out + at, bytes, (size_t)count);
    return at + (uint32_t)count;
}

static uint32_t write_e_form(const struct digits *digits, char *out, uint32_t at)
{
    out[at++] = digits->text[0];
    out[at++] = '.';
    at = digits->count > 1 ? put(out, at, digits->text + 1, digits->count - 1)
                           : put(out, at, "0", 1);
    out[at++] = 'E';
    int exponent = digits->exponent - 1;
    if (exponent < 0) {
        out[at++] = '-';
        exponent = -exponent;
    }
    if (exponent >= 100) {
        out[at++] = (char)('0' + exponent / 100);
    }
    if (exponent >= 10) {
        out[at++] = (char)('0' + exponent / 10 % 10);
    }
    out[at++] = (char)('0' + exponent % 10);
    return at;
}

static uint32_t write_digits(const struct digits *digits, char *out, uint32_t at)
{
    int exponent = digits->exponent;
    if (exponent > 0 && exponent < E_FORM_FROM) {
        int before = digits->count < exponent ? digits->count : exponent;
        at = put(out, at, digits->text, before);
        at = put(out, at, "0000000", exponent - before);
        out[at++] = '.';
        return before < digits->count ? put(out, at, digits->text + before, digits->count - before)
                                      : put(out, at, "0", 1);
    }
    if (exponent <= 0 && exponent > E_FORM_BELOW) {
        at = put(out, at, "0.00", 2 - exponent);
        return put(out, at, digits->text, digits->count);
    }
    return write_e_form(digits, out, at);
}

static uint32_t write_special(bool is_nan, bool is_negative, char *out)
{
    const char *text = is_nan ? "NaN" : is_negative ? "-Infinity" : "Infinity";
    return put(out, 0, text, (int)strlen(text));
}

static uint32_t write_value(bool is_negative, const struct digits *digits, char *out)
{
    uint32_t at = 0;
    if (is_negative) {
        out[at++] = '-';
    }
    return digits->count == 0 ? put(out, at, "0.0", 3) : write_digits(digits, out, at);
}

uint32_t float_text_f64(double value, char *out)
{
    if (!isfinite(value)) {
        return write_special(isnan(value), signbit(value), out);
    }
    struct digits digits = {.count = 0};
    if (fpclassify(value) != FP_ZERO) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        uint64_t fraction = bits & ((UINT64_C(1) << MANTISSA_BITS) - 1);
        int exponent = (int)(bits >> MANTISSA_BITS & 0x7ff);
        int significant_bits = MANTISSA_BITS + 1;
        if (exponent == 0) {
            int leading = __builtin_clzll(fraction);
            int shift = leading - (63 - MANTISSA_BITS);
            fraction <<= shift;
            exponent = 1 - shift;
            significant_bits = 64 - leading;
        } else {
            fraction |= UINT64_C(1) << MANTISSA_BITS;
        }
        generate(fraction, exponent - EXPONENT_BIAS, significant_bits, &digits);
    }
    return write_value(signbit(value), &digits, out);
}

uint32_t float_text_f32(float value, char *out)
{
    enum { F32_MANTISSA_BITS = 23, F32_BIAS = 127 };
    if (!isfinite(value)) {
        return write_special(isnan(value), signbit(value), out);
    }
    struct digits digits = {.count = 0};
    if (fpclassify(value) != FP_ZERO) {
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        uint32_t fraction = bits & ((UINT32_C(1) << F32_MANTISSA_BITS) - 1);
        int exponent = (int)(bits >> F32_MANTISSA_BITS & 0xff);
        int significant_bits = F32_MANTISSA_BITS + 1;
        if (exponent == 0) {
            int leading = __builtin_clz(fraction);
            int shift = leading - (31 - F32_MANTISSA_BITS);
            fraction <<= shift;
            exponent = 1 - shift;
            significant_bits = 32 - leading;
        } else {
            fraction |= UINT32_C(1) << F32_MANTISSA_BITS;
        }
        generate((uint64_t)fraction << (MANTISSA_BITS - F32_MANTISSA_BITS), exponent - F32_BIAS,
                 significant_bits, &digits);
    }
    return write_value(signbit(value), &digits, out);
}

// Trims as Java does (all bytes up to the blank), takes the suffix off, and refuses what strtod
// takes and Java does not. Copies to `out`, NUL-terminated; false where it is no number.
static bool prepare_number(struct str text, char *out, size_t room)
{
    while (text.size > 0 && (unsigned char)text.ptr[0] <= ' ') {
        text = str_slice(text, 1, text.size);
    }
    while (text.size > 0 && (unsigned char)text.ptr[text.size - 1] <= ' ') {
        text.size--;
    }
    size_t sign = text.size > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+');
    struct str body = str_slice(text, sign, text.size);
    bool is_hex = str_starts(body, "0x") || str_starts(body, "0X");
    if (body.size == 0 || text.size >= room) {
        return false;
    }
    if (!str_is(body, "NaN") && !str_is(body, "Infinity")) {
        if (!(body.ptr[0] >= '0' && body.ptr[0] <= '9') && body.ptr[0] != '.') {
            return false;
        }
        bool has_power = str_find(body, 'p') < body.size || str_find(body, 'P') < body.size;
        if (is_hex && !has_power) {
            return false;
        }
        char last = body.ptr[body.size - 1];
        if (last == 'f' || last == 'F' || last == 'd' || last == 'D') {
            text.size--;
        }
    }
    memcpy(out, text.ptr, text.size);
    out[text.size] = '\0';
    return text.size > sign;
}

enum { NUMBER_TEXT_MAX = 2048 };

bool float_text_parse_f64(struct str text, double *out)
{
    char copy[NUMBER_TEXT_MAX];
    if (!prepare_number(text, copy, sizeof copy)) {
        return false;
    }
    char *end;
    *out = strtod(copy, &end);
    return *end == '\0' && end != copy;
}

bool float_text_parse_f32(struct str text, float *out)
{
    char copy[NUMBER_TEXT_MAX];
    if (!prepare_number(text, copy, sizeof copy)) {
        return false;
    }
    char *end;
    *out = strtof(copy, &end);
    return *end == '\0' && end != copy;
}
