// SPDX-License-Identifier: Apache-2.0
//
// parquet_writer: batches to one Parquet file, which grows over many checkpoints and is assembled
// when it is closed.
//
//     struct parquet_encoder *encoder = parquet_encoder_new();       // one a thread
//     TRY(parquet_writer_new(encoder, &options, &writer, err));
//     TRY(parquet_writer_append(writer, &batch, err));               // any number of times
//     TRY(parquet_writer_close(writer, &segments, sink, &result, err));
//     parquet_writer_free(writer);
//
// Segments (engine.md section 6). An open file is a sequence of segments: relocatable runs of bytes
// that hold encoded pages, new dictionary entries and what is known about both. The owner takes one
// whenever it likes:
//
//     at a checkpoint      parquet_writer_seal(), then parquet_writer_take(): all rows appended so
//                          far are in the segments taken since the file was begun
//     when memory is short parquet_writer_take() alone: pages leave memory for a spill file
//
// A crashed file is rebuilt by parquet_writer_restore() from all its segments in order, of which
// the last must have been taken right after a seal; then it goes on. At close the same segments are
// given back as byte sources and their pages are copied, chunk by chunk, behind one another. A
// segment is readable by the same build family only.
//
// Memory. A writer holds the values of unfinished pages (at most a page a leaf), encoded pages not
// taken yet, open dictionaries and about 100 bytes a page already taken. parquet_writer_memory()
// says how much, and the budget is charged with it. seal(shrink) reduces it to nearly nothing but
// the last: thousands of open writers are meant to be shrunk, the largest first.
//
// Pages end at `page_bytes` or `page_rows`; a row group at `row_group_bytes` as it is in the file.
// A column chunk starts with a dictionary and falls back to plain where that does not pay.
//
// A chunk whose first page shows that compression saves next to nothing is kept uncompressed;
// should later pages compress, all of it is compressed when the file is assembled.
//
// Threads: a writer and its encoder belong to one thread at a time.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "codec/compress.h"
#include "codec/parquet_schema.h"

struct batch;
struct budget;
struct byte_sink;
struct byte_source;
struct parquet_encoder;
struct parquet_writer;

// The contexts and scratch memory of encoding, shared by all writers of a thread (about 4 MiB).
MUST_USE struct parquet_encoder *parquet_encoder_new(void);
void parquet_encoder_free(struct parquet_encoder *encoder); // after its writers; NULL is allowed

struct parquet_key_value {
    struct str key;
    struct str value;
};

// What leaves are encoded with behind a dictionary that does not pay.
enum parquet_encodings {
    PARQUET_ENCODINGS_PLAIN,   // what every reader knows
    PARQUET_ENCODINGS_COMPACT, // delta and byte-stream-split where they win
};

// A column, not of booleans, that gets a bloom filter in each row group.
struct parquet_bloom_options {
    int32_t id;
    double fpp; // how often it may answer wrongly, between 0 and 1
    uint32_t bytes_max;
};

// What else is different for one leaf.
struct parquet_column_options {
    int32_t id;
    bool without_statistics; // no counts, no bounds, no column index
    bool without_dictionary;
};

struct parquet_writer_options {
    const struct parquet_field *fields; // copied
    uint32_t field_count;
    const struct parquet_key_value *key_values; // into the footer ("iceberg.schema"); copied
    uint32_t key_value_count;
    enum compress_codec codec; // NONE, SNAPPY, GZIP, BROTLI, ZSTD, LZ4_RAW
    int32_t level;             // COMPRESS_LEVEL_DEFAULT
    enum parquet_encodings encodings;
    uint32_t page_version;     // 0 or 1: v1 data pages; 2
    uint32_t page_bytes;       // 0: 1 MiB, before compression
    uint32_t page_rows;        // 0: 20,000
    uint32_t dictionary_bytes; // of a chunk; 0: 4 MiB; UINT32_MAX: no dictionaries
    uint64_t row_group_bytes;  // 0: 128 MiB
    bool row_group_is_plain;   // counted before compression
    bool without_page_index;
    const struct parquet_bloom_options *blooms; // copied
    uint32_t bloom_count;
    const struct parquet_column_options *columns; // borrowed for the call
    uint32_t column_count;
    struct budget *budget; // NULL: none; borrowed
};

MUST_USE enum status parquet_writer_new(struct parquet_encoder *encoder,
                                        const struct parquet_writer_options *options,
                                        struct parquet_writer **out, struct err *err);
// `options` are those the file was begun with (INVALID_DATA otherwise). `segments`: borrowed for
// the call.
MUST_USE enum status parquet_writer_restore(struct parquet_encoder *encoder,
                                            const struct parquet_writer_options *options,
                                            struct byte_source *const *segments,
                                            uint32_t segment_count, struct parquet_writer **out,
                                            struct err *err);
void parquet_writer_free(struct parquet_writer *writer); // NULL is allowed

// Columns in the order of the fields, of their physical forms and any encoding; the change kinds
// are not looked at. A null in a required field is INVALID_DATA and names the field; the writer is
// of no use after an error.
MUST_USE enum status parquet_writer_append(struct parquet_writer *writer, const struct batch *batch,
                                           struct err *err);

// Ends the pages begun, so that all rows are in encoded pages. With `shrink`, open dictionaries end
// as well and all buffers are freed: what follows in this row group is plain.
MUST_USE enum status parquet_writer_seal(struct parquet_writer *writer, bool shrink,
                                         struct err *err);
// Writes all that is new since the last take as one segment of *size bytes (0: nothing is new, and
// nothing was written; such a segment does not count). On failure nothing has changed.
MUST_USE enum status parquet_writer_take(struct parquet_writer *writer, struct byte_sink *sink,
                                         uint64_t *size, struct err *err);

struct parquet_writer_memory {
    size_t pending;      // values of unfinished pages: freed by a seal
    size_t pages;        // encoded, not taken yet: freed by a take
    size_t dictionaries; // freed by seal(shrink) and a take
    size_t directory;    // what is known about pages; stays
};

struct parquet_writer_memory parquet_writer_memory(const struct parquet_writer *writer);
uint64_t parquet_writer_rows(const struct parquet_writer *writer);
// What the file would be, about, if it were closed now: for target sizes.
uint64_t parquet_writer_file_bytes(const struct parquet_writer *writer);
uint32_t parquet_writer_segments(const struct parquet_writer *writer); // taken so far

// What Iceberg wants to know of a leaf. Counts are of values: a null or empty list counts as one.
struct parquet_leaf_metrics {
    int32_t id;
    bool is_variant; // the counts of a variant, as its metadata has them; no bytes, no bounds
    const struct type *type;
    bool below_list; // inside a list or map: Iceberg keeps no bounds for it
    bool is_unknown; // a leaf without statistics: nothing but `bytes` is known
    uint64_t bytes;  // of the chunk in the file, all row groups
    uint64_t value_count;
    uint64_t null_count;
    uint64_t nan_count;
    // Values of type_physical(type), NULL where there are none. They leave out nulls and NaN; a
    // zero is -0.0 as lower and +0.0 as upper bound. Strings are whole up to
    // PARQUET_BOUND_BYTES_MAX and cut behind that (then lower and upper are bounds still, not
    // attained).
    const void *lower;
    const void *upper;
    bool lower_exact;
    bool upper_exact;
};

enum { PARQUET_BOUND_BYTES_MAX = 1024 };

struct parquet_writer_result {
    uint64_t file_bytes;
    uint64_t row_count;
    uint32_t leaf_count;
    const struct parquet_leaf_metrics *leaves; // in pre-order
    uint32_t split_offset_count;
    const int64_t *split_offsets; // where row groups start
};

// Writes the whole file to the sink. `segments`: a source for each segment taken, in order
// (byte_source_slice() makes one of a part of a spill file). The writer takes no more rows then.
// Without rows it makes a valid file without row groups. Closing may be repeated with another sink
// where the sink failed.
MUST_USE enum status parquet_writer_close(struct parquet_writer *writer,
                                          struct byte_source *const *segments,
                                          uint32_t segment_count, struct byte_sink *sink,
                                          struct err *err);
// Of a closed writer; borrowed from it.
const struct parquet_writer_result *parquet_writer_result(const struct parquet_writer *writer);
