// SPDX-License-Identifier: Apache-2.0
//
// print_row: rows as Flink's connector `print` writes them, which is Java's Row.toString():
//
//     +I[1, some text, null, 2024-02-29T12:30, [1, 2], {a=1}, +I[x, y]]
//
// Texts stand without quotes; BYTES are lists of signed numbers; TIMESTAMP has a T and no zone,
// TIMESTAMP_LTZ a T and a Z; seconds of zero and digits behind the last group of three are left out
// where Java does so.
#pragma once

#include <stdint.h>

#include "data/batch.h"

struct strbuf;
struct type;

// One row with its kind, without a line end.
void print_row(struct strbuf *out, const struct batch *batch, const struct type *const *types,
               uint32_t row);
