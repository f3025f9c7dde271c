// SPDX-License-Identifier: Apache-2.0
//
// puffin: the file format of Iceberg's deletion vectors and statistics (Puffin spec): blobs, and a
// footer in JSON that says what they are.
//
//     magic | blob … | magic | footer JSON | its size i32 | flags | magic          magic: "PFA1"
//
// Reading: TRY(puffin_read(source, arena, &file, err));
//          TRY(puffin_read_blob(source, &file.blobs[i], size_max, &bytes, err));
// Writing: puffin_writer_init(&writer, &options);
//          TRY(puffin_writer_add(&writer, &blob, bytes, err));        // any number
//          TRY(puffin_writer_finish(&writer, &bytes, err));
//          puffin_writer_release(&writer);
// The footer is written as Java's writer does, keys in its order.
//
// Blobs are compressed with zstd or LZ4 frames or not; the footer as an LZ4 frame or not. Hostile
// input: what the footer says lies within the file or is INVALID_DATA; sizes after decompression
// have a maximum (LIMIT). Codecs and flags of later versions are UNSUPPORTED.
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/bytebuf.h"
#include "codec/compress.h"

struct arena;
struct buf;
struct byte_source;

struct puffin_property {
    struct str key;
    struct str value;
};

struct puffin_blob {
    struct str type; // "deletion-vector-v1", "apache-datasketches-theta-v1"
    uint32_t field_count;
    const int32_t *fields;
    int64_t snapshot_id;
    int64_t sequence_number;
    uint64_t offset; // the writer fills in offset and length
    uint64_t length;
    enum compress_codec codec; // NONE, ZSTD, LZ4_FRAME
    uint32_t property_count;
    const struct puffin_property *properties;
};

struct puffin_file {
    uint32_t blob_count;
    const struct puffin_blob *blobs;
    uint32_t property_count;
    const struct puffin_property *properties;
};

// The footer; everything is in `arena`.
MUST_USE enum status puffin_read(struct byte_source *source, struct arena *arena,
                                 struct puffin_file *out, struct err *err);
// A blob's bytes, decompressed, owned.
MUST_USE enum status puffin_read_blob(struct byte_source *source, const struct puffin_blob *blob,
                                      uint64_t size_max, struct buf **out, struct err *err);
// The value of a property; NULL where there is none.
const struct str *puffin_property(const struct puffin_property *properties, uint32_t count,
                                  const char *key);

struct puffin_writer_options {
    uint32_t property_count; // of the file
    const struct puffin_property *properties;
    bool compress_footer;
};

struct puffin_writer {
    struct puffin_writer_options options;
    struct bytebuf bytes;
    struct bytebuf blobs; // their part of the footer
    struct compress *compress;
};

void puffin_writer_init(struct puffin_writer *writer, const struct puffin_writer_options *options);
void puffin_writer_release(struct puffin_writer *writer);
// Appends a blob; blob->offset and blob->length are filled in.
MUST_USE enum status puffin_writer_add(struct puffin_writer *writer, struct puffin_blob *blob,
                                       struct str bytes, struct err *err);
// The whole file, borrowed from the writer.
MUST_USE enum status puffin_writer_finish(struct puffin_writer *writer, struct str *out,
                                          struct err *err);
