// SPDX-License-Identifier: Apache-2.0
//
// program_merge: how the runner of programs puts values together: masks to columns and back,
// dictionary entries to rows, branches of CASE to one column. Results are in `arena` and borrow the
// values of their parts.
#pragma once

#include <stdint.h>

#include "data/column.h"

struct arena;

struct program_merge_part {
    const uint64_t *rows; // taken from `column`; the parts' rows are disjoint
    const struct column *column;
};

void program_merge_bits_to_column(struct arena *arena, uint32_t row_count,
                                  const uint64_t *is_true, const uint64_t *is_null,
                                  struct column *out);
void program_merge_column_to_bits(const struct column *column, uint64_t *is_true,
                                  uint64_t *is_null);
// Bit 0 to all rows.
void program_merge_spread_bit(uint64_t *bits, uint32_t row_count);
// The first row of a mask that has one.
uint32_t program_merge_first_row(const uint64_t *rows, uint32_t words);
// Rows in `active` but not in `meant` become null: bits cleared, values zeroed.
void program_merge_add_nulls(struct arena *arena, const uint64_t *active, const uint64_t *meant,
                             struct column *column);

// The entries that active rows name, BATCH_WORDS_MAX words.
void program_merge_used_entries(const struct column *coded, const uint64_t *active,
                                uint64_t *used);
uint32_t program_merge_row_of_entry(const struct column *coded, const uint64_t *active,
                                    uint32_t entry);
// From masks over entries to masks over rows, in place.
void program_merge_bits_by_code(const struct column *coded, const uint64_t *active,
                                uint64_t *is_true, uint64_t *is_null);
// From a column over entries to a DICT column over rows.
void program_merge_column_by_code(struct arena *arena, const struct column *coded,
                                  const uint64_t *active, struct column *column);

// One column of all parts; rows in no part are null. `nulls` is one null of the type.
struct column program_merge_columns(struct arena *arena, const struct program_merge_part *parts,
                                    uint32_t count, const struct column *nulls,
                                    uint32_t row_count);
