// SPDX-License-Identifier: Apache-2.0
//
// infer_int: the parts of infer.h, for infer_*.c only.
#pragma once

#include "base/arena.h"
#include "codec/infer.h"

struct byte_source;

// The columns of one file.
MUST_USE enum status infer_parquet(struct arena *arena, struct byte_source *source,
                                   const struct type **out, struct err *err);
MUST_USE enum status infer_avro(struct arena *arena, struct byte_source *source,
                                const struct type **out, struct err *err);

// The columns of both, by name; INVALID_DATA where a column's types have none in common.
MUST_USE enum status infer_unite(struct arena *arena, const struct type *a, const struct type *b,
                                 const struct type **out, struct err *err);
