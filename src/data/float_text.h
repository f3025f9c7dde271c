// SPDX-License-Identifier: Apache-2.0
//
// float_text: DOUBLE and FLOAT as decimal text, digit for digit as Java 17's Double.toString() and
// Float.toString(): 1.0, 1.0E10, 1.0E-5, 9999999.0, -0.0, NaN, Infinity. That is not always the
// shortest text (Java 19 changed it), and it is what Flink 2.1 shows.
//
// The text reads back as the same value. Any thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { FLOAT_TEXT_MAX = 32 };

// Both return the length; `out` has room for FLOAT_TEXT_MAX bytes, no NUL.
uint32_t float_text_f64(double value, char *out);
uint32_t float_text_f32(float value, char *out);

// Reads what Java's Double.parseDouble() reads: a decimal number, with exponent, or a suffix f or
// d, hexadecimal floats, NaN, Infinity with a sign; blanks around are trimmed. False for anything
// else.
bool float_text_parse_f64(struct str text, double *out);
bool float_text_parse_f32(struct str text, float *out);
