// SPDX-License-Identifier: Apache-2.0
//
// avro_writer: an Avro container file, written value by value into memory or a sink.
//
//     avro_writer_init(&writer, &options);
//     for each row:
//         avro_writer_long(&writer, ...); avro_writer_bytes(&writer, ...); ...
//         TRY(avro_writer_row(&writer, err));
//     TRY(avro_writer_finish(&writer, &bytes, err));   // borrowed until release; with a sink: ""
//     avro_writer_release(&writer);
//
// The caller writes values in the order of its schema (avro_writer_branch() in front of each union)
// and vouches for it: nothing is checked against the schema. Blocks are closed at 64,000 bytes, as
// Java's writer does.
//
// Threads: one at a time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/strbuf.h"

struct byte_sink;
struct compress;

enum avro_codec {
    AVRO_CODEC_DEFLATE,
    AVRO_CODEC_NULL,
    AVRO_CODEC_SNAPPY,
    AVRO_CODEC_ZSTANDARD,
    AVRO_CODEC_BZIP2,
    AVRO_CODEC_XZ,
};

// By the name that files have, "gzip", "zstd", "uncompressed" and "none" too; case ignored.
bool avro_codec_find(struct str name, enum avro_codec *out);

struct avro_meta {
    struct str key;
    struct str value;
};

struct avro_writer_options {
    struct str schema;             // the text of avro.schema
    const struct avro_meta *metas; // further header keys
    uint32_t meta_count;
    enum avro_codec codec;
    int32_t level;             // of the codec; 0: 6 of deflate, the library's own of others
    struct byte_sink *sink;    // where blocks go once they are closed; NULL: memory
    uint8_t sync[16];          // random, given by the caller so that tests are repeatable
    size_t size_max;           // of the file in memory, or of a block; 0: 1 GiB
    bool without_header;       // blocks only, which go behind those of a file begun before
    struct compress *compress; // shared by writers of one thread, outlives them; NULL: its own
};

struct avro_writer {
    struct strbuf file;
    struct strbuf block;
    uint64_t block_rows;
    enum avro_codec codec;
    int32_t level;
    uint8_t sync[16];
    struct byte_sink *sink;
    uint64_t flushed; // bytes handed to it
    struct compress *compress;
    bool owns_compress;
};

void avro_writer_init(struct avro_writer *writer, const struct avro_writer_options *options);
void avro_writer_release(struct avro_writer *writer);

void avro_writer_long(struct avro_writer *writer, int64_t value); // INT, LONG, counts, branches
void avro_writer_bool(struct avro_writer *writer, bool value);
void avro_writer_float(struct avro_writer *writer, float value);
void avro_writer_double(struct avro_writer *writer, double value);
void avro_writer_bytes(struct avro_writer *writer, struct str bytes); // BYTES, STRING
void avro_writer_fixed(struct avro_writer *writer, struct str bytes);
// The branch of [null, T]: writes what says "null" or "a value follows".
static inline void avro_writer_present(struct avro_writer *writer, bool present)
{
    avro_writer_long(writer, present ? 1 : 0);
}
// Ends a row.
MUST_USE enum status avro_writer_row(struct avro_writer *writer, struct err *err);
// Ends the block of the rows so far; nothing where there are none.
MUST_USE enum status avro_writer_end_block(struct avro_writer *writer, struct err *err);
// Frees the memory of blocks that have been ended and handed over.
void avro_writer_shrink(struct avro_writer *writer);
// What the file has grown to, the open block uncompressed.
uint64_t avro_writer_size(const struct avro_writer *writer);
MUST_USE enum status avro_writer_finish(struct avro_writer *writer, struct str *bytes,
                                        struct err *err);
