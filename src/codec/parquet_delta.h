// SPDX-License-Identifier: Apache-2.0
//
// parquet_delta: DELTA_BINARY_PACKED (parquet-format, Encodings.md, encoding 5), integers as
// differences in blocks of miniblocks, each packed with its own width. Arithmetic wraps.
#pragma once

#include "codec/parquet_decode.h"

// At most `count_max` values are accepted.
MUST_USE enum status parquet_delta_begin(struct parquet_delta *delta, struct str bytes,
                                         uint64_t count_max,
                                         const struct parquet_page_memory *memory, struct err *err);
// The next `count` values as 64-bit (wide) or 32-bit integers.
MUST_USE enum status parquet_delta_values(struct parquet_delta *delta, void *out, bool wide,
                                          uint32_t count, struct err *err);
// Where the bytes behind the last value begin, when all were read.
MUST_USE enum status parquet_delta_end(struct parquet_delta *delta, const uint8_t **end,
                                       struct err *err);
