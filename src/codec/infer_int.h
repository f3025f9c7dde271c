// SPDX-License-Identifier: Apache-2.0
//
// infer_int: the parts of infer.h, for infer_*.c only.
#pragma once

#include "base/arena.h"
#include "codec/infer.h"

struct byte_source;

// Of each file, at least so many records are looked at, until there are enough.
enum { INFER_RECORDS_MIN = 100 };

// The columns of one file.
MUST_USE enum status infer_parquet(struct arena *arena, struct byte_source *source,
                                   const struct type **out, struct err *err);
MUST_USE enum status infer_avro(struct arena *arena, struct byte_source *source,
                                const struct type **out, struct err *err);

// Both with all defaults of the options filled in.
MUST_USE enum status infer_json(struct arena *arena, struct byte_source *const *sources,
                                uint32_t source_count, const struct infer_options *options,
                                struct infer_found *out, struct err *err);
MUST_USE enum status infer_csv(struct arena *arena, struct byte_source *const *sources,
                               uint32_t source_count, const struct infer_options *options,
                               struct infer_found *out, struct err *err);

// How the records are written that a sample begins with; returns how many fields most have.
uint32_t infer_dialect(struct str text, const struct infer_options *options, struct infer_csv *out);

// The columns of both, by name; INVALID_DATA where a column's types have none in common.
MUST_USE enum status infer_unite(struct arena *arena, const struct type *a, const struct type *b,
                                 const struct type **out, struct err *err);
