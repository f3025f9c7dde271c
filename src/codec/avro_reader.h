// SPDX-License-Identifier: Apache-2.0
//
// avro_reader: Avro container files, value by value, in the schema they were written with.
//
//     TRY(avro_reader_open(bytes, &options, &reader, err));   // or avro_reader_open_source()
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
// Rows into columns: avro_file.h. Codecs: null, deflate, snappy (with its checksum), zstandard,
// bzip2, xz. Everything is checked against its end; a block that is longer or shorter than its rows
// is damage (avro_cursor_end). Items and rows that take no bytes are limited in number.
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
struct buf;
struct byte_source;

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
    struct str name;                 // for messages; borrowed; empty: the source's
    size_t block_bytes_max;          // of a block, decompressed; 0: 256 MiB
    struct avro_schema_cache *cache; // NULL: none
};

// `bytes` are borrowed and outlive the reader.
MUST_USE enum status avro_reader_open(struct str bytes, const struct avro_reader_options *options,
                                      struct avro_reader **out, struct err *err);
// The source outlives the reader; it is read front to back, a window at a time.
MUST_USE enum status avro_reader_open_source(struct byte_source *source,
                                             const struct avro_reader_options *options,
                                             struct avro_reader **out, struct err *err);
void avro_reader_free(struct avro_reader *reader); // NULL is allowed

const struct avro_schema *avro_reader_schema(const struct avro_reader *reader); // borrowed
// The value of a header key; false where there is none. Borrowed from the reader.
bool avro_reader_meta(const struct avro_reader *reader, const char *key, struct str *out);

struct avro_cursor {
    const char *at;
    const char *end;
    int depth;
    uint64_t items_left; // of arrays and maps, all together
};

// Over the bytes of some rows.
struct avro_cursor avro_cursor_make(struct str bytes);

// The next block: a cursor over its rows, borrowed until the next call.
MUST_USE enum status avro_reader_block(struct avro_reader *reader, struct avro_cursor *cursor,
                                       uint64_t *rows, struct err *err);
// A reference to the bytes of that block, for whoever borrows from it for longer; NULL: they live
// as long as the source.
struct buf *avro_reader_hold(const struct avro_reader *reader);
uint64_t avro_reader_offset(const struct avro_reader *reader); // in the file, behind that block
// Puts in front of an error met in that block where it is: the name, the block, the byte of its
// content.
void avro_reader_context(const struct avro_reader *reader, const struct avro_cursor *cursor,
                         struct err *err);

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
// How many items of that type come next; 0: the array or map is over.
MUST_USE enum status avro_cursor_items(struct avro_cursor *cursor, const struct avro_schema *item,
                                       uint64_t *count, struct err *err);
MUST_USE enum status avro_cursor_skip(struct avro_cursor *cursor, const struct avro_schema *schema,
                                      struct err *err);
// INT and LONG where they are known to come.
MUST_USE enum status avro_cursor_long(struct avro_cursor *cursor, int64_t *out, struct err *err);
MUST_USE enum status avro_cursor_string(struct avro_cursor *cursor, struct str *out,
                                        struct err *err);
// INVALID_DATA where bytes are left over.
MUST_USE enum status avro_cursor_end(const struct avro_cursor *cursor, struct err *err);
