// SPDX-License-Identifier: Apache-2.0
//
// parquet_footer: the metadata structs of Parquet, read (parquet.thrift: FileMetaData, PageHeader,
// ColumnIndex, OffsetIndex). Only checked for form: places and sizes are checked by whoever follows
// them. Strings point into the bytes read.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "codec/parquet_format.h"
#include "codec/parquet_writer.h"

struct arena;

// Statistics. A bound whose `ptr` is NULL is not there.
struct parquet_statistics {
    struct str lower;     // min_value
    struct str upper;     // max_value
    struct str old_lower; // min: signed order whatever the type
    struct str old_upper;
    int64_t null_count; // -1: unknown
    int64_t nan_count;  // -1: unknown
};

// ColumnChunk and ColumnMetaData.
struct parquet_chunk_meta {
    bool has_meta; // false: encrypted or in another file
    int32_t physical;
    int32_t codec;
    int64_t value_count;
    int64_t plain_bytes;
    int64_t packed_bytes;
    int64_t data_offset;
    int64_t dictionary_offset; // 0: none, or it stands where data_offset points
    int64_t offset_index_offset;
    int64_t column_index_offset;
    int32_t offset_index_size; // 0: none
    int32_t column_index_size;
    int64_t bloom_offset; // 0: none
    bool is_dictionary;   // all data pages hold codes of the dictionary, as the footer says
    struct parquet_statistics statistics;
};

struct parquet_group_meta {
    int64_t row_count;
    int64_t bytes;
    uint32_t chunk_count;
    struct parquet_chunk_meta *chunks;
};

struct parquet_footer {
    int32_t version;
    int64_t row_count;
    uint32_t element_count;
    struct parquet_element *elements; // in pre-order, root first
    uint32_t group_count;
    struct parquet_group_meta *groups;
    uint32_t key_value_count;
    struct parquet_key_value *key_values;
    struct str created_by;
    bool is_ordered; // every leaf has an order: min_value and max_value may be trusted
    bool is_encrypted;
};

// INVALID_DATA says what is wrong and where (bytes from the start of `bytes`).
MUST_USE enum status parquet_footer_parse(struct arena *arena, struct str bytes,
                                          struct parquet_footer *out, struct err *err);

// PageHeader.
struct parquet_page_header {
    int32_t type;
    int32_t plain_bytes;
    int32_t packed_bytes;
    bool has_crc;
    uint32_t crc;
    bool has_body; // the struct that belongs to `type` was there
    int32_t value_count;
    int32_t encoding;
    int32_t def_encoding;
    int32_t rep_encoding;
    int32_t null_count; // v2
    int32_t row_count;
    int32_t def_bytes;
    int32_t rep_bytes;
    bool is_compressed;
    uint32_t size; // of the header itself
};

// AGAIN where the header may be whole with more bytes.
MUST_USE enum status parquet_footer_page(struct str bytes, struct parquet_page_header *out,
                                         struct err *err);

struct parquet_page_location {
    int64_t offset;
    int32_t size;
    int64_t first_row;
};

struct parquet_offset_index {
    uint32_t count;
    struct parquet_page_location *pages;
};

MUST_USE enum status parquet_footer_offset_index(struct arena *arena, struct str bytes,
                                                 struct parquet_offset_index *out, struct err *err);

struct parquet_column_index {
    uint32_t count;
    bool *null_pages;
    struct str *lower;
    struct str *upper;
    int64_t *null_counts; // NULL: unknown
    int64_t *nan_counts;  // NULL: unknown
};

// Lists of different lengths are INVALID_DATA.
MUST_USE enum status parquet_footer_column_index(struct arena *arena, struct str bytes,
                                                 struct parquet_column_index *out, struct err *err);
