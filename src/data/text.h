// SPDX-License-Identifier: Apache-2.0
//
// text: one value as Flink's SQL client shows it, which is what CAST(value AS STRING) gives, too.
//
//     12  1.5E10  12.30  TRUE  x'0aff'  2024-01-01 10:00:00.000  (1, a)  [1, NULL]  {a=1}
//
// FLOAT and DOUBLE as Java writes them (float_text.h). TIME without fraction, whatever its
// precision. TIMESTAMP_LTZ in `zone`. VARIANT as JSON (variant.h). NULL is the word NULL, at any
// depth; whoever shows it otherwise at the top asks column_is_null() first.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "data/column.h"
#include "data/type.h"
#include "data/zone.h"

struct strbuf;

struct text_options {
    const struct zone *zone;  // NULL: UTC
    bool bytes_as_characters; // as in a CAST; otherwise x'0aff'
};

// `options` may be NULL: UTC, bytes as x'…'.
void text_value(struct strbuf *out, const struct type *type, const struct column *column,
                uint32_t row, const struct text_options *options);

enum { TEXT_SCALAR_MAX = 64 };
// The same for a value that is neither null nor nested nor characters nor bytes: at most
// TEXT_SCALAR_MAX bytes to `out`, without NUL; returns how many.
uint32_t text_scalar(const struct type *type, const struct column *column, uint32_t row,
                     const struct zone *zone, char *out);
