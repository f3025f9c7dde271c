// SPDX-License-Identifier: Apache-2.0
//
// text: one value as Flink's SQL client shows it, which is what CAST(value AS STRING) gives, too.
//
//     12  1.5E10  12.30  TRUE  x'0aff'  2024-01-01 10:00:00.000  (1, a)  [1, NULL]  {a=1}
//
// FLOAT and DOUBLE as Java writes them (float_text.h). TIME without fraction up to precision 3,
// which is all that Flink has; with it above. TIMESTAMP_LTZ in `zone`. A UUID with its dashes.
// VARIANT as JSON (variant.h). NULL is the word NULL, at any depth; whoever shows it otherwise at
// the top asks column_is_null() first.
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

enum { TEXT_UUID_SIZE = 36, TEXT_UUID_BYTES = 16 };
// "f79c3e09-677c-4bbd-a479-3f349cb785e7" of 16 bytes, without NUL, and back: dashes may be missing,
// letters be large.
void text_uuid(const char *bytes, char out[TEXT_UUID_SIZE]);
bool text_uuid_parse(struct str text, char out[TEXT_UUID_BYTES]);
// Whether the value is shown as a UUID.
bool text_is_uuid(const struct type *type, struct str bytes);

enum { TEXT_SCALAR_MAX = 64 };
// The same for a value that is neither null nor nested nor characters nor bytes: at most
// TEXT_SCALAR_MAX bytes to `out`, without NUL; returns how many.
uint32_t text_scalar(const struct type *type, const struct column *column, uint32_t row,
                     const struct zone *zone, char *out);
