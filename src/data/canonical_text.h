// SPDX-License-Identifier: Apache-2.0
//
// canonical_text: one value as JSON in which equal values of all engines look equal, for comparing
// the rows of a table. One text for one value, and nothing lost:
//
//     BOOLEAN, whole numbers     true, -7
//     FLOAT, DOUBLE              the shortest decimal that reads back, as Python writes it: 1.5,
//                                1e+16, -0.0; "NaN", "Infinity", "-Infinity"
//     DECIMAL                    a string with the full scale: "14.20"
//     DATE, TIME                 "2026-01-31", "12:00:00.000000"
//     TIMESTAMP, TIMESTAMP_LTZ   "2026-01-31T12:00:00.000000", in UTC with +00:00 behind it; nine
//                                decimals from precision 7 on
//     CHAR … VARCHAR             a string, characters that are not ASCII as they are
//     BINARY … VARBINARY         lower-case hex; those of a UUID (type.h) with its dashes
//     ROW, ARRAY                 an object in the order of the fields, an array
//     MAP, MULTISET              an array of [key,value], sorted by text
//     VARIANT                    its JSON (variant.h, in UTC), numbers with a point or an exponent
//                                in plain notation without zeros at their end, unless that takes 40
//                                characters or more
//     NULL                       null
//     intervals                  a string, as text.h shows it
//
// Without blanks. Years beyond 9999 and before 1 are written in full, with their sign.
#pragma once

#include <stdint.h>

#include "base/str.h"
#include "data/column.h"
#include "data/type.h"

struct strbuf;

void canonical_text_value(struct strbuf *out, const struct type *type, const struct column *column,
                          uint32_t row);
// "text", quoted, with as little escaped as JSON allows.
void canonical_text_string(struct strbuf *out, struct str text);
