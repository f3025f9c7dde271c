// SPDX-License-Identifier: Apache-2.0
//
// not_null: NULLs on their way into NOT NULL columns of a sink's table: an error, or (with
// 'table.exec.sink.not-null-enforcer' = 'DROP') the row is left out. Sinks ask before they write.
#pragma once

#include "base/err.h"
#include "data/batch.h"

struct arena;
struct plan_node;

// *out is `in`, or its rows without the refused ones (in `arena`; maybe none). INVALID_DATA names
// the column and the row's origin.
MUST_USE enum status not_null_apply(const struct plan_node *sink, struct arena *arena,
                                    const struct batch *in, struct batch *out, struct err *err);
