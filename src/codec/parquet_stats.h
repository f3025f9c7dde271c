// SPDX-License-Identifier: Apache-2.0
//
// parquet_stats: the least and the greatest value of a page, a chunk, a file.
//
// Rules (parquet.thrift, ColumnOrder; Iceberg spec, "Bounds"): nulls and NaNs are left out; a lower
// bound of zero is written as -0.0, an upper one as +0.0; strings and bytes are compared byte by
// byte without sign; decimals as numbers. Strings longer than a limit are cut: a lower bound to a
// prefix, an upper one to a prefix whose last character (code point in strings, byte in bytes) is
// raised by one.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytebuf.h"
#include "base/int128.h"
#include "codec/parquet_format.h"

union parquet_scalar {
    int64_t i;
    double f;
    int128 d;
};

enum parquet_order {
    PARQUET_ORDER_INT,
    PARQUET_ORDER_FLOAT,
    PARQUET_ORDER_WIDE,
    PARQUET_ORDER_BYTES
};

struct parquet_range {
    bool has;       // any value yet
    bool lower_cut; // BYTES: what is kept is a prefix of the value
    bool upper_cut;
    union parquet_scalar lower;
    union parquet_scalar upper;
    struct bytebuf lower_bytes; // up to PARQUET_BOUND_BYTES_MAX
    struct bytebuf upper_bytes;
};

enum parquet_order parquet_stats_order(const struct parquet_node *leaf);

void parquet_stats_reset(struct parquet_range *range); // keeps memory
void parquet_stats_release(struct parquet_range *range);
size_t parquet_stats_memory(const struct parquet_range *range);

// Values without nulls.
void parquet_stats_bool(struct parquet_range *range, const uint8_t *values, uint32_t count);
void parquet_stats_i32(struct parquet_range *range, const int32_t *values, uint32_t count);
void parquet_stats_i64(struct parquet_range *range, const int64_t *values, uint32_t count);
void parquet_stats_i128(struct parquet_range *range, const int128 *values, uint32_t count);
// These return the NaNs.
uint32_t parquet_stats_f32(struct parquet_range *range, const float *values, uint32_t count);
uint32_t parquet_stats_f64(struct parquet_range *range, const double *values, uint32_t count);
void parquet_stats_views(struct parquet_range *range, const struct strview *views, uint32_t count);
void parquet_stats_bytes(struct parquet_range *range, struct str value);

void parquet_stats_merge(struct parquet_range *into, const struct parquet_range *from,
                         enum parquet_order order);

// Bounds in the form of Parquet's statistics (PLAIN, without the length of byte arrays), at most
// `limit` bytes for strings.
struct parquet_bounds {
    bool has_lower;
    bool has_upper;
    bool lower_exact;
    bool upper_exact;
    uint32_t lower_size;
    uint32_t upper_size; // behind the lower one
};

// Appends the bytes to `out`.
struct parquet_bounds parquet_stats_put(const struct parquet_range *range,
                                        const struct parquet_node *leaf, uint32_t limit,
                                        struct bytebuf *out);

// Cuts `size` to `limit` without parting a code point (bytes that are no UTF-8: at the limit).
size_t parquet_stats_cut(const char *bytes, size_t size, size_t limit, bool is_text);
// The least text (bytes) of this length or shorter that is greater than all with this prefix; false
// where there is none. Changes `bytes` in place; *size may shrink.
bool parquet_stats_raise(char *bytes, size_t *size, bool is_text);
