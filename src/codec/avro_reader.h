// SPDX-License-Identifier: Apache-2.0
//
// avro_reader: Avro container files, value by value, in the schema they were written with.
//
//     TRY(avro_reader_open(bytes, &options, &reader, err));
//     while ((status = avro_reader_block(reader, &cursor, &rows, err)) == STATUS_OK) {
//         for (uint64_t i = 0; i < rows; i++) {
//             for each field of avro_reader_schema(reader):
//                 TRY(avro_cursor_value(&cursor, field->schema, &value, err));
//                 use value by field->id, or where it is of no use:
//                 TRY(avro_cursor_skip(&cursor, field->schema, err));
//         }
//     }                                                     // END behind the last block
//     avro_reader_free(reader);
//
// The whole file is in memory (manifests are at most some megabytes). Codecs: null, deflate,
// snappy, zstandard. Everything is checked against its end; a block that is longer or shorter than
// its rows is damage (avro_cursor_end).
//
// Threads: a reader is for one thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "codec/avro_schema.h"

struct avro_reader;

// The schema parsed last, for whoever reads many files of one kind one after the other: parsing a
// manifest's schema costs more than reading a small manifest. Zeroed at first; at most one reader
// at a time uses it, and the next one may replace what is in it.
struct avro_schema_cache {
    struct arena arena;
    struct str text;
    const struct avro_schema *schema;
};

void avro_schema_cache_release(struct avro_schema_cache *cache);

struct avro_reader_options {
    struct str name;                 // for messages; borrowed
    size_t block_bytes_max;          // of a block, decompressed; 0: 256 MiB
    struct avro_schema_cache *cache; // NULL: none
};

// `bytes` are borrowed and outlive the reader.
MUST_USE enum status avro_reader_open(struct str bytes, const struct avro_reader_options *options,
                                      struct avro_reader **out, struct err *err);
void avro_reader_free(struct avro_reader *reader); // NULL is allowed

const struct avro_schema *avro_reader_schema(const struct avro_reader *reader); // borrowed
// The value of a header key; false where there is none. Borrowed from the bytes.
bool avro_reader_meta(const struct avro_reader *reader, const char *key, struct str *out);

struct avro_cursor {
    const char *at;
    const char *end;
    int depth;
};

// The next block: a cursor over its rows, borrowed until the next call.
MUST_USE enum status avro_reader_block(struct avro_reader *reader, struct avro_cursor *cursor,
                                       uint64_t *rows, struct err *err);

struct avro_value {
    enum avro_kind kind;              // of the branch taken where the schema is a union
    const struct avro_schema *schema; // that branch
    union {
        int64_t i64;      // BOOLEAN, INT, LONG, ENUM (its index)
        double f64;       // FLOAT, DOUBLE
        struct str bytes; // BYTES, STRING, FIXED; borrowed from the block
    } as;
};

// Reads a value. RECORD: its fields follow, to be read one after the other. ARRAY and MAP: items
// follow, in runs that avro_cursor_items() counts; in a MAP each is a STRING and a value.
MUST_USE enum status avro_cursor_value(struct avro_cursor *cursor, const struct avro_schema *schema,
                                       struct avro_value *out, struct err *err);
// How many items come next; 0: the array or map is over.
MUST_USE enum status avro_cursor_items(struct avro_cursor *cursor, uint64_t *count,
                                       struct err *err);
MUST_USE enum status avro_cursor_skip(struct avro_cursor *cursor, const struct avro_schema *schema,
                                      struct err *err);
MUST_USE enum status avro_cursor_string(struct avro_cursor *cursor, struct str *out,
                                        struct err *err);
// INVALID_DATA where bytes are left over.
MUST_USE enum status avro_cursor_end(const struct avro_cursor *cursor, struct err *err);
