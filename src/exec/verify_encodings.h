// SPDX-License-Identifier: Apache-2.0
//
// verify_encodings: a test configuration: what an operator hands out is checked (batch_check) and
// rewritten in another encoding with the same values, so that every consumer meets every form.
//
//     CONST  columns whose values are all equal become constants (with batches of one row: all)
//     DICT   a dictionary of the rows' values in reverse order, duplicates kept
//     SLICE  the values stand in the middle of a larger array, the validity bits shifted
//     MIX    one of the three, column by column
#pragma once

#include "base/err.h"
#include "data/batch.h"

struct arena;

enum verify_mode { VERIFY_NONE, VERIFY_CONST, VERIFY_DICT, VERIFY_SLICE, VERIFY_MIX };

// Rewrites *batch; what it points to afterwards is in `arena` or was there before.
MUST_USE enum status verify_encodings(struct arena *arena, enum verify_mode mode,
                                      struct batch *batch, struct err *err);
