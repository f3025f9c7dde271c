// SPDX-License-Identifier: Apache-2.0
//
// avro_decode_int: the steps of a decoder: avro_resolve.c makes them, avro_decode.c takes them.
#pragma once

#include "base/arena.h"
#include "codec/avro_decode.h"
#include "data/column_builder.h"

enum avro_op {
    AVRO_OP_SKIP,    // a value of `schema`
    AVRO_OP_FAIL,    // a value that cannot become what is wanted; `text` says why
    AVRO_OP_NULL,    // nothing is read, a null appended
    AVRO_OP_NO_NULL, // nothing is read, an error: null where there may be none
    AVRO_OP_BOOLEAN,
    AVRO_OP_INT, // an int, into any integer form
    AVRO_OP_LONG,
    AVRO_OP_LONG_F32,
    AVRO_OP_LONG_F64,
    AVRO_OP_F32,
    AVRO_OP_F64,
    AVRO_OP_F32_F64,
    AVRO_OP_STRING, // checked
    AVRO_OP_BYTES,
    AVRO_OP_BYTES_STRING, // bytes that are to be text: checked
    AVRO_OP_FIXED,
    AVRO_OP_ENUM,    // `symbols`
    AVRO_OP_DECIMAL, // bytes
    AVRO_OP_DECIMAL_FIXED,
    AVRO_OP_TIME,      // `unit` a second, into milliseconds of the day
    AVRO_OP_TIMESTAMP, // `unit` a second, into microseconds or nano, cut to the precision
    AVRO_OP_DATE_TIMESTAMP,
    AVRO_OP_UUID_BYTES, // a text into 16 bytes
    AVRO_OP_UUID_TEXT,  // 16 bytes into a text
    AVRO_OP_VARIANT,    // metadata and value, in the order of `schema`; metadata is field `at`
    AVRO_OP_OPTIONAL,   // branch `at` is null, the other one children[0]
    AVRO_OP_UNION,      // a child a branch
    AVRO_OP_MEMBER,     // member `at` of a union's row is children[0], the others are null
    AVRO_OP_RECORD,     // children one after the other, then a row where there is `out`
    AVRO_OP_ARRAY,      // items by children[0]
    AVRO_OP_MAP,        // keys by children[0], values by children[1]
    AVRO_OP_DEFAULT,    // `text` is read by children[0]
};

struct avro_step {
    enum avro_op op;
    uint32_t at;
    uint32_t count;
    struct avro_step *children;
    struct column_builder *out;
    const struct avro_schema *schema; // the writer's
    struct str name;                  // of the field of a record that this is, for messages
    struct str text;
    const struct str *symbols; // ptr NULL: the reader does not know it
    struct arena *heap;
    int64_t unit; // of TIME and TIMESTAMP, a second; of INT, the largest value
    int32_t precision;
};

struct avro_decoder {
    struct arena arena;
    struct arena heap; // of strings that are not in the input, until the reset
    uint32_t column_count;
    struct column_builder **builders; // a column each; NULL: no step fills it
    struct column *nulls;             // CONST, of the columns without builder
    bool *is_missing;
    struct column *columns;
    struct avro_step root; // a RECORD without `out`
    uint32_t row_count;
    uint64_t bytes; // read since the reset
};

// Fills decoder->root and what belongs to it.
MUST_USE enum status avro_resolve(struct avro_decoder *decoder, const struct avro_schema *writer,
                                  const struct avro_decoder_options *options, struct err *err);

// A default of a schema, in the JSON that schemas have, as Avro's bytes.
MUST_USE enum status avro_default_encode(struct arena *arena, const struct avro_schema *schema,
                                         const struct json_tree *json, struct str *out,
                                         struct err *err);
