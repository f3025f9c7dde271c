// SPDX-License-Identifier: Apache-2.0
//
// parquet_format: names for the numbers of the Parquet format (parquet-format 2.12,
// src/main/thrift/parquet.thrift), and the tree of columns that writer and reader work with.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "codec/compress.h"
#include "codec/parquet_schema.h"
#include "data/physical.h"

struct arena;

enum parquet_physical {
    PARQUET_BOOLEAN = 0,
    PARQUET_INT32 = 1,
    PARQUET_INT64 = 2,
    PARQUET_INT96 = 3,
    PARQUET_FLOAT = 4,
    PARQUET_DOUBLE = 5,
    PARQUET_BYTE_ARRAY = 6,
    PARQUET_FIXED = 7,
    PARQUET_GROUP = 255, // not a value: an inner element
};

enum parquet_encoding {
    PARQUET_PLAIN = 0,
    PARQUET_PLAIN_DICTIONARY = 2,
    PARQUET_RLE = 3,
    PARQUET_BIT_PACKED = 4,
    PARQUET_DELTA_BINARY_PACKED = 5,
    PARQUET_DELTA_LENGTH_BYTE_ARRAY = 6,
    PARQUET_DELTA_BYTE_ARRAY = 7,
    PARQUET_RLE_DICTIONARY = 8,
    PARQUET_BYTE_STREAM_SPLIT = 9,
};

enum parquet_repetition { PARQUET_REQUIRED = 0, PARQUET_OPTIONAL = 1, PARQUET_REPEATED = 2 };

enum parquet_page_type {
    PARQUET_DATA_V1 = 0,
    PARQUET_INDEX = 1,
    PARQUET_DICTIONARY = 2,
    PARQUET_DATA_V2 = 3
};

enum parquet_converted {
    PARQUET_CONVERTED_NONE = -1,
    PARQUET_CONVERTED_UTF8 = 0,
    PARQUET_CONVERTED_MAP = 1,
    PARQUET_CONVERTED_MAP_KEY_VALUE = 2,
    PARQUET_CONVERTED_LIST = 3,
    PARQUET_CONVERTED_ENUM = 4,
    PARQUET_CONVERTED_DECIMAL = 5,
    PARQUET_CONVERTED_DATE = 6,
    PARQUET_CONVERTED_TIME_MILLIS = 7,
    PARQUET_CONVERTED_TIME_MICROS = 8,
    PARQUET_CONVERTED_TIMESTAMP_MILLIS = 9,
    PARQUET_CONVERTED_TIMESTAMP_MICROS = 10,
    PARQUET_CONVERTED_UINT_8 = 11,
    PARQUET_CONVERTED_UINT_16 = 12,
    PARQUET_CONVERTED_UINT_32 = 13,
    PARQUET_CONVERTED_UINT_64 = 14,
    PARQUET_CONVERTED_INT_8 = 15,
    PARQUET_CONVERTED_INT_16 = 16,
    PARQUET_CONVERTED_INT_32 = 17,
    PARQUET_CONVERTED_INT_64 = 18,
    PARQUET_CONVERTED_JSON = 19,
    PARQUET_CONVERTED_BSON = 20,
    PARQUET_CONVERTED_INTERVAL = 21,
};

// The field ids of the union LogicalType.
enum parquet_logical {
    PARQUET_LOGICAL_NONE = 0,
    PARQUET_LOGICAL_STRING = 1,
    PARQUET_LOGICAL_MAP = 2,
    PARQUET_LOGICAL_LIST = 3,
    PARQUET_LOGICAL_ENUM = 4,
    PARQUET_LOGICAL_DECIMAL = 5,
    PARQUET_LOGICAL_DATE = 6,
    PARQUET_LOGICAL_TIME = 7,
    PARQUET_LOGICAL_TIMESTAMP = 8,
    PARQUET_LOGICAL_INTEGER = 10,
    PARQUET_LOGICAL_UNKNOWN = 11,
    PARQUET_LOGICAL_JSON = 12,
    PARQUET_LOGICAL_BSON = 13,
    PARQUET_LOGICAL_UUID = 14,
    PARQUET_LOGICAL_FLOAT16 = 15,
    PARQUET_LOGICAL_VARIANT = 16,
    PARQUET_LOGICAL_GEOMETRY = 17,
    PARQUET_LOGICAL_GEOGRAPHY = 18,
};

// The field ids of the union TimeUnit.
enum parquet_unit { PARQUET_MILLIS = 1, PARQUET_MICROS = 2, PARQUET_NANOS = 3 };

// SchemaElement.
struct parquet_element {
    struct str name;
    enum parquet_physical physical; // PARQUET_GROUP: has children
    int32_t length;                 // of FIXED
    enum parquet_repetition repetition;
    uint32_t child_count;
    enum parquet_converted converted;
    enum parquet_logical logical;
    int32_t scale;
    int32_t precision;
    int32_t id; // PARQUET_NO_ID
    enum parquet_unit unit;
    bool is_utc;
    enum parquet_geo geo; // of GEOMETRY and GEOGRAPHY that are written
    struct str crs;
    int8_t int_width; // bits
    bool int_signed;
};

// The codec's number in the format and back; false: none of ours.
uint32_t parquet_schema_codec_number(enum compress_codec codec);
bool parquet_schema_codec_find(int32_t number, enum compress_codec *out);

enum parquet_node_kind {
    PARQUET_NODE_LEAF,
    PARQUET_NODE_LIST,
    PARQUET_NODE_MAP,
    PARQUET_NODE_ROW,
    PARQUET_NODE_VARIANT, // a group; its column holds the parts put together (data/variant.h)
};

// A column or a part of one, with what its levels mean:
//   a slot of the node exists  where the repetition level is <= rep_level and the definition level
//                              reaches the enclosing list's element
//   its value is not null      where the definition level is >= def_level
//   LIST, MAP: not empty       where the definition level is >= element_def; further elements have
//                              the repetition level rep_level + 1
struct parquet_node {
    enum parquet_node_kind kind;
    struct str name;
    int32_t id;
    int32_t variant_id; // of the metadata in a variant: that of the variant; else 0
    bool required;
    const struct type *type; // ours
    enum physical physical;  // of its column
    uint8_t def_level;
    uint8_t rep_level;
    uint8_t element_def; // LIST, MAP
    uint32_t child_count;
    struct parquet_node *children; // LIST: element; MAP: key and value (or key alone); ROW: fields;
                                   // VARIANT: its parts
    uint32_t leaf_first;           // the leaves below (for a leaf: itself), in the file's order
    uint32_t leaf_count;
    const struct parquet_element *element; // LEAF: how it is stored
};

// What the writer makes of its fields: a tree, and the schema elements (root included) in
// pre-order.
struct parquet_tree {
    struct parquet_node root; // ROW, required
    struct parquet_element *elements;
    uint32_t element_count;
    uint32_t leaf_count;
    struct parquet_node **leaves; // into the tree
    struct str **paths;           // of each leaf: path_in_schema
    uint32_t *path_sizes;
};

// Copies what it needs of `fields` into the arena. UNSUPPORTED names the field and its type.
MUST_USE enum status parquet_schema_tree(struct arena *arena, const struct parquet_field *fields,
                                         uint32_t field_count, struct parquet_tree *out,
                                         struct err *err);
