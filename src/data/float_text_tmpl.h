// SPDX-License-Identifier: Apache-2.0
//
// The digits of float_text.c in machine integers. Included once a width, with T and NAME(stem)
// defined.

static T NAME(make)(uint64_t word, int fives, int twos)
{
    T value = (T)word;
    for (; fives > 0; fives--) {
        value *= 5;
    }
    return value << twos;
}

static void NAME(digits)(const struct scale *scale, int exponent, struct digits *digits)
{
    T b = NAME(make)(scale->fraction, scale->b5, scale->b2);
    const T s = NAME(make)(1, scale->s5, scale->s2);
    T m = NAME(make)(1, scale->b5, scale->m2);
    const T tens = s * 10;
    bool low = false;
    bool high = false;
    bool is_first = true;
    do {
        int digit = (int)(b / s);
        b = b % s * 10;
        m *= 10;
        low = b < m;
        high = scale->counts_ties ? b + m >= tens : b + m > tens;
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
    finish_digits(digits, low, high, b * 2 < tens ? -1 : b * 2 > tens);
}
