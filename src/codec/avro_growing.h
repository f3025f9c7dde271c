// SPDX-License-Identifier: Apache-2.0
//
// avro_growing: batches to one Avro container, which grows over many checkpoints and is put
// together when it is closed; what parquet_writer.h is for Parquet.
//
//     TRY(avro_growing_new(&options, &file, err));
//     TRY(avro_growing_append(file, &batch, err));           // any number of times
//     TRY(avro_growing_seal(file, false, err));              // at a checkpoint, then
//     TRY(avro_growing_take(file, sink, &size, err));        // what is new as one segment
//     TRY(avro_growing_close(file, segments, count, sink, err));
//     avro_growing_free(file);
//
// A segment is blocks of the container (the first one with the header in front) and a trailer: the
// number of rows, a checksum, a mark. So the file is the segments without their trailers, one
// behind the other, and nothing but the marker between blocks has to be known to go on with it.
//
// Memory: the block begun (64,000 bytes of values) and blocks not taken yet. Threads: one at a
// time; so is what they share.
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "codec/avro_columns.h"
#include "codec/avro_writer.h"

struct avro_growing;
struct batch;
struct budget;
struct byte_source;

struct avro_growing_options {
    const struct avro_column *columns; // they outlive the file
    uint32_t column_count;
    struct str record_name;
    const struct avro_meta *metas; // further header keys; copied
    uint32_t meta_count;
    enum avro_codec codec;
    int32_t level;             // 0: the default
    uint8_t sync[16];          // random; of a file that goes on, its own counts
    struct compress *compress; // shared by files of one thread; outlives them
    struct budget *budget;     // NULL: none
};

// UNSUPPORTED, with the column's name: a type that has no form in Avro.
MUST_USE enum status avro_growing_new(const struct avro_growing_options *options,
                                      struct avro_growing **out, struct err *err);
// From all segments in order, the last taken right after a seal; borrowed for the call. Columns and
// codec are those that the file was begun with. INVALID_DATA where a segment is damaged.
MUST_USE enum status avro_growing_restore(const struct avro_growing_options *options,
                                          struct byte_source *const *segments,
                                          uint32_t segment_count, struct avro_growing **out,
                                          struct err *err);
void avro_growing_free(struct avro_growing *file); // NULL is allowed

// A null in a required column is INVALID_DATA and names it; the file is of no use after an error.
MUST_USE enum status avro_growing_append(struct avro_growing *file, const struct batch *batch,
                                         struct err *err);
// Ends the block begun; with `shrink`, its memory is freed.
MUST_USE enum status avro_growing_seal(struct avro_growing *file, bool shrink, struct err *err);
// *size 0: nothing is new, and nothing was written; such a segment does not count.
MUST_USE enum status avro_growing_take(struct avro_growing *file, struct byte_sink *sink,
                                       uint64_t *size, struct err *err);
// Writes the whole file; repeatable where the sink failed. `segments`: all that were taken.
MUST_USE enum status avro_growing_close(struct avro_growing *file,
                                        struct byte_source *const *segments, uint32_t segment_count,
                                        struct byte_sink *sink, struct err *err);

size_t avro_growing_memory(const struct avro_growing *file); // freed by seal(shrink) and take
uint64_t avro_growing_rows(const struct avro_growing *file);
uint64_t avro_growing_bytes(const struct avro_growing *file); // about what the file would be now
