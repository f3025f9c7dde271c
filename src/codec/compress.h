// SPDX-License-Identifier: Apache-2.0
//
// compress: one interface over the compression libraries. A struct compress holds their contexts,
// which are costly to make (zstd: about a megabyte), and is reused for any number of blocks.
//
//     struct compress *compress = compress_new();
//     TRY(compress_block(compress, COMPRESS_ZSTD, 1, page, out, compress_bound(..), &size, err));
//     compress_free(compress);
//
// Decompression is safe against hostile input: nothing is written behind the output given, and
// damage is INVALID_DATA. Threads: a struct compress is for one thread at a time.
//
// COMPRESS_GZIP reads gzip with any number of members, and zlib; COMPRESS_DEFLATE is the bare
// stream (Avro). COMPRESS_LZ4 is the framing of Hadoop that Parquet's deprecated codec LZ4 means;
// blocks without it are accepted when reading. LZ4_FRAME is the .lz4 file format (Puffin).
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

enum compress_codec {
    COMPRESS_NONE,
    COMPRESS_SNAPPY,
    COMPRESS_GZIP,
    COMPRESS_BROTLI,
    COMPRESS_LZ4,
    COMPRESS_ZSTD,
    COMPRESS_LZ4_RAW,
    COMPRESS_DEFLATE,
    COMPRESS_LZ4_FRAME,
    COMPRESS_BZIP2,
    COMPRESS_XZ,
};

// The level that means the library's own default; levels count for all but snappy
// and lz4.
#define COMPRESS_LEVEL_DEFAULT INT32_MIN

struct buf;
struct budget;
struct byte_source;
struct compress;

MUST_USE struct compress *compress_new(void);
void compress_free(struct compress *compress); // NULL is allowed

const char *compress_name(enum compress_codec codec);          // "zstd"; borrowed, for ever
bool compress_find(struct str name, enum compress_codec *out); // by name, case ignored

// What the blocks to come are. Numbers of fixed width zstd mostly compresses faster and smaller by
// its quickest strategy with a small table, and often with a longer step; noise is known not to
// become smaller, and goes into the format with as little work as the library allows. The format
// stays the same, and codecs that know no better take no notice.
enum compress_kind {
    COMPRESS_BYTES,
    COMPRESS_NUMBERS,
    COMPRESS_NUMBERS_STEPPED,
    COMPRESS_NOISE,
};

void compress_set_kind(struct compress *compress, enum compress_kind kind);

// The most that a block of `size` bytes becomes.
size_t compress_bound(enum compress_codec codec, size_t size);
// `out` has room for compress_bound() bytes.
MUST_USE enum status compress_block(struct compress *compress, enum compress_codec codec,
                                    int32_t level, struct str in, char *out, size_t *out_size,
                                    struct err *err);

// A block whose decompressed size is known: exactly `out_size` bytes or INVALID_DATA.
MUST_USE enum status compress_unblock(struct compress *compress, enum compress_codec codec,
                                      struct str in, char *out, size_t out_size, struct err *err);
// One whose size is not: at most `size_max` bytes (LIMIT). Returned owned.
MUST_USE enum status compress_unblock_unknown(struct compress *compress, enum compress_codec codec,
                                              struct str in, size_t size_max, struct buf **out,
                                              struct err *err);

// A compressed stream, decompressed piece by piece: GZIP and ZSTD, several members or frames one
// after the other.
struct compress_stream;

MUST_USE enum status compress_stream_new(enum compress_codec codec, struct compress_stream **out,
                                         struct err *err);
void compress_stream_free(struct compress_stream *stream); // NULL is allowed
// Takes from *in (advancing it) and fills up to `out_size` bytes; *produced may be 0 while there is
// input left to come. END where the stream ended cleanly with all of `in` used: more input starts
// the next member.
MUST_USE enum status compress_stream_read(struct compress_stream *stream, struct str *in, char *out,
                                          size_t out_size, size_t *produced, struct err *err);
