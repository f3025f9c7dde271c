// SPDX-License-Identifier: Apache-2.0
//
// quantity: durations and sizes as Flink's settings and options write them, and words to choose
// from.
//
//     quantity_duration_ms("10 s")  10000      quantity_bytes("64 mb")  67108864
//
// A number, blanks, a unit in any case. A bare number is milliseconds, or bytes. false: it is none,
// or too large. What is less than a millisecond counts as none.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct err;

bool quantity_duration_ms(struct str text, int64_t *ms); // ns us ms s min h d, long forms too
bool quantity_bytes(struct str text, int64_t *bytes);    // b k kb kib … t tb tib, long forms too

// Words in one text, "a|b|c": whether `value` is one of them (any case), and the hint that lists
// them. An empty one is not listed.
bool quantity_is_choice(struct str value, const char *choices);
void quantity_hint_choices(const char *choices, struct err *err);
