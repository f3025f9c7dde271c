// SPDX-License-Identifier: Apache-2.0
//
// parquet_compact: PLAIN values in the encoding that suits their type better (parquet-format,
// Encodings.md): integers as DELTA_BINARY_PACKED, floats as BYTE_STREAM_SPLIT, byte arrays as
// DELTA_LENGTH_BYTE_ARRAY. Whether the page gets smaller by it is for the caller to see.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytebuf.h"
#include "codec/parquet_format.h"

// The encoding for a type; PARQUET_PLAIN: none.
enum parquet_encoding parquet_compact_encoding(enum parquet_physical physical);

// Appends `count` values, given in PLAIN form, to `out`.
void parquet_compact_encode(enum parquet_physical physical, struct str plain, uint32_t count,
                            struct bytebuf *out);
