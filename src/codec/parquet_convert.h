// SPDX-License-Identifier: Apache-2.0
//
// parquet_convert: values from the form in which Parquet stores them to ours.
//
// What may be read as what: the same type; wider integers, float as double, decimals of more digits
// and the same scale; dates as timestamps; times and timestamps of any unit, rounded down; strings
// and bytes as each other; unsigned integers as signed ones that hold them; INT96 as a timestamp
// (Julian day and nanoseconds, as Impala and Spark write it).
#pragma once

#include "base/bytebuf.h"
#include "base/err.h"
#include "codec/parquet_format.h"
#include "data/type.h"

enum parquet_conversion_kind {
    PARQUET_CONVERT_NONE,  // the stored form is ours
    PARQUET_CONVERT_I32,   // int32 to a wider or narrower integer
    PARQUET_CONVERT_U32,   // uint32 to a wider one
    PARQUET_CONVERT_U64,   // uint64 to int128
    PARQUET_CONVERT_I64,   // int64 to int128 or int32
    PARQUET_CONVERT_SCALE, // int32 or int64, times `multiply` or divided by `divide`, to int
    PARQUET_CONVERT_NANO,  // int32 or int64 in units of `divide` a second to struct nano
    PARQUET_CONVERT_I96,
    PARQUET_CONVERT_F32,     // to double
    PARQUET_CONVERT_F16,     // to float or double
    PARQUET_CONVERT_DECIMAL, // big-endian bytes to int64 or int128
};

struct parquet_conversion {
    enum parquet_conversion_kind kind;
    enum parquet_physical stored;
    enum physical target;
    uint32_t stored_width;
    uint32_t target_width;
    int64_t multiply;
    int64_t divide;
};

// UNSUPPORTED, with both types, where the one is not read as the other.
MUST_USE enum status parquet_convert_choose(const struct parquet_node *leaf,
                                            const struct type *target,
                                            struct parquet_conversion *out, struct err *err);
// The bytes that PLAIN has for a value of ours, appended; false where there is not exactly one such
// value stored.
bool parquet_convert_back(const struct parquet_conversion *conversion,
                          const struct parquet_element *element, const void *value,
                          struct bytebuf *out);
// INVALID_DATA where a decimal does not fit.
MUST_USE enum status parquet_convert_run(const struct parquet_conversion *conversion,
                                         const void *in, void *out, uint32_t count,
                                         struct err *err);
