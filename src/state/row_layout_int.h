// SPDX-License-Identifier: Apache-2.0
//
// row_layout_int: what the tables need of rows beyond row_layout.h.
#pragma once

#include "state/row_layout.h"

enum { ROW_UNITS_MAX = UINT16_MAX };

#define FIELD_NONE UINT32_MAX

// Copies `from` into `to` with its variable bytes packed anew, field `skip` (FIELD_NONE: none)
// getting `skip_room` bytes of zeros instead of what it has; header untouched. Returns the size;
// `to` NULL: only that.
size_t row_layout_move(const struct row_layout *layout, const struct row *from, uint32_t skip,
                       size_t skip_room, struct row *to);

// Pairs of a row and a position in columns; equal[i] (0 or 1) is cleared where the keys differ.
struct row_match {
    const uint16_t *at;
    uint8_t *equal;
    uint32_t count;
};
void row_compare_many(const struct row_layout *layout, struct row *const *rows,
                      const struct column *keys, const struct row_match *match);
