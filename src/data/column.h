// SPDX-License-Identifier: Apache-2.0
//
// column: the values of one column of a batch.
//
// Encodings. A column is read as the sequence v(0) … v(row_count - 1):
//
//     FLAT    v(i) = values[i]
//     CONST   v(i) = values[0]
//     DICT    v(i) = dict->values[codes[i]], where dict is FLAT
//
// Nested columns (LIST, MAP, ROW) are FLAT or CONST, and DICT over a FLAT nested dictionary. The
// children of a ROW have the row_count of their parent (1 where it is CONST) and are of any
// encoding; a child of a LIST or MAP has as many rows as the views reach, also more than a batch.
//
// Invariants.
//   1. valid == NULL means that no row is null; otherwise bit i % 64 of valid[i / 64] is 1 where
//      row i has a value. For DICT these are the rows of this column, the dictionary itself holds
//      no null; for CONST only bit 0 counts.
//   2. A null row has the zero value in `values` (and code 0), so loops run over nulls without
//      looking. Children of a null ROW are null.
//   3. Bits of `valid` behind row_count are 0 (behind bit 0 for CONST).
//   4. Two codes may be compared only if both columns point to the same `dict`.
//   5. A dictionary has 1 to BATCH_ROWS_MAX entries, distinct or not; with a larger one a decoder
//      hands out FLAT, since evaluating it once a batch would save nothing.
//
// Ownership. A column borrows all that it points to: from the arena or the state of whoever made
// the batch, until that is asked for its next batch. Whoever keeps a column longer settles its
// batch (batch.h).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/err.h"
#include "data/physical.h"

struct arena;

enum { BATCH_ROWS_MAX = 2048, BATCH_WORDS_MAX = BATCH_ROWS_MAX / 64, BATCH_BYTES_MAX = 1 << 20 };

enum encoding { ENCODING_FLAT, ENCODING_CONST, ENCODING_DICT };

struct column {
    enum physical physical;
    enum encoding encoding;
    uint32_t row_count;
    const uint64_t *valid;
    const void *values;            // FLAT, CONST; NULL for ROW
    const uint16_t *codes;         // DICT
    const struct column *dict;     // DICT
    const struct column *children; // LIST: 1 (elements); MAP: 2 (keys, values); ROW: its fields
    uint32_t child_count;
};

// Where row's value stands in `values` (or in the children's rows) of the column that holds it: the
// column itself, or its dictionary.
static inline uint32_t column_at(const struct column *column, uint32_t row)
{
    return column->encoding == ENCODING_FLAT    ? row
           : column->encoding == ENCODING_CONST ? 0
                                                : column->codes[row];
}

static inline const struct column *column_holder(const struct column *column)
{
    return column->encoding == ENCODING_DICT ? column->dict : column;
}

static inline bool column_is_null(const struct column *column, uint32_t row)
{
    uint32_t at = column->encoding == ENCODING_CONST ? 0 : row;
    return column->valid != NULL && !bits_get(column->valid, at);
}

// Pointer to the value of `row`, also where it is null (zero then). Not for ROW.
static inline const void *column_value(const struct column *column, uint32_t row)
{
    const struct column *holder = column_holder(column);
    return (const char *)holder->values + physical_width(column->physical) * column_at(column, row);
}

// The validity of rows [64 * word, 64 * word + 64) whatever the encoding; bits behind row_count may
// be set.
static inline uint64_t column_valid_word(const struct column *column, uint32_t word)
{
    if (column->valid == NULL) {
        return UINT64_MAX;
    }
    if (column->encoding == ENCODING_CONST) {
        return (column->valid[0] & 1) != 0 ? UINT64_MAX : 0;
    }
    return column->valid[word];
}

bool column_has_nulls(const struct column *column); // looks at the bits

// A FLAT column of the same values; `column` itself where it is FLAT already. Counted (below).
struct column column_flatten(struct arena *arena, const struct column *column);
// Rows [from, from + row_count): shares the values, copies validity bits into `arena`.
struct column column_slice(struct arena *arena, const struct column *column, uint32_t from,
                           uint32_t row_count);
// Rows rows[0] … rows[row_count - 1], in this order; encodings are kept.
struct column column_gather(struct arena *arena, const struct column *column, const uint16_t *rows,
                            uint32_t row_count);
// `row_count` times one null of the form that `like` has (children included), CONST.
struct column column_null(struct arena *arena, const struct column *like, uint32_t row_count);
// `row_count` times the value of `row`, CONST; shares it with `column`.
struct column column_at_row(struct arena *arena, const struct column *column, uint32_t row,
                            uint32_t row_count);
// The same values, null where the bit of `mask` is 0 (bits behind the rows are 0; NULL: nothing is
// masked). Encodings are kept, but a CONST that is null in places becomes a DICT of one entry.
struct column column_mask(struct arena *arena, const struct column *column, const uint64_t *mask);
// A deep copy: everything it points to is in `arena` afterwards, dictionaries reduced to the
// entries in use, children of lists to the elements in reach.
struct column column_copy(struct arena *arena, const struct column *column);
// The rows of several columns of one physical form, one after the other, FLAT.
struct column column_concat(struct arena *arena, const struct column *columns, uint32_t count);
// Row i is row places[i].row of parts[places[i].part], columns of one physical form. FLAT; long
// strings and elements of lists may be shared with the parts.
struct column_place {
    uint32_t part;
    uint32_t row;
};
struct column column_pick(struct arena *arena, const struct column *parts, uint32_t part_count,
                          const struct column_place *places, uint32_t row_count);
// Variable bytes behind it (long strings, list elements), for the limit on batches.
size_t column_bytes(const struct column *column);

// Checks the invariants, children and dictionary included. For tests and the verifying
// configuration; INVALID_DATA says which is broken.
MUST_USE enum status column_check(const struct column *column, struct err *err);

// How often column_flatten() had to write values out in this process: a counter that is 0 on the
// main jobs.
uint64_t column_flattenings(void);
