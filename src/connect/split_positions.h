// SPDX-License-Identifier: Apache-2.0
//
// split_positions: what a restored source finds in the checkpoint: for each split that any instance
// had, the text that was put for it ("split/<name>"). Entries are copied; the order is that of the
// names. One thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct arena;
struct op_context;
struct snapshot_writer;

struct split_position {
    struct str name;
    struct str position;
};

struct split_positions {
    bool is_restored; // false: a fresh start, and no entries
    uint32_t count;
    const struct split_position *items;
};

void split_positions_read(struct arena *arena, const struct op_context *context,
                          struct split_positions *out);
// NULL where the checkpoint has none for this split.
const struct str *split_positions_find(const struct split_positions *positions, struct str name);
void split_positions_put(struct snapshot_writer *writer, const struct op_context *context,
                         struct str name, struct str position);
