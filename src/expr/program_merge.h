// SPDX-License-Identifier: Apache-2.0
//
// program_merge: how the runner of programs spreads values over rows: from one constant row to all,
// from dictionary entries to the rows that name them. Results are in `arena` and borrow the values
// they are made of.
#pragma once

#include <stdint.h>

#include "data/column.h"

struct arena;

// Bit 0 to all rows.
void program_merge_spread_bit(uint64_t *bits, uint32_t row_count);
// The first row of a mask that has one.
uint32_t program_merge_first_row(const uint64_t *rows, uint32_t words);
// Rows in `active` but not in `meant` become null: bits cleared, values zeroed.
void program_merge_add_nulls(struct arena *arena, const uint64_t *active, const uint64_t *meant,
                             struct column *column);

// The entries that active rows name, BATCH_WORDS_MAX words.
void program_merge_used_entries(const struct column *coded, const uint64_t *active, uint64_t *used);
uint32_t program_merge_row_of_entry(const struct column *coded, const uint64_t *active,
                                    uint32_t entry);
// From masks over entries to masks over rows, in place.
void program_merge_bits_by_code(const struct column *coded, const uint64_t *active,
                                uint64_t *is_true, uint64_t *is_null);
// From a column over entries to a DICT column over rows.
void program_merge_column_by_code(struct arena *arena, const struct column *coded,
                                  const uint64_t *active, struct column *column);
