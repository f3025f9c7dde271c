// SPDX-License-Identifier: Apache-2.0
//
// avro_encode: batches to an Avro container.
//
//     TRY(avro_encoder_new(&options, &encoder, err));
//     TRY(avro_encoder_append(encoder, &batch, err));      // any number of times
//     TRY(avro_encoder_finish(encoder, err));              // the sink has the whole file
//     avro_encoder_free(encoder);
//
// The schema is that of the columns (avro_columns.h). A null in a column that may have none is
// INVALID_DATA with its name. What is appended is kept until its block of 64,000 bytes is full.
// Threads: one at a time.
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "codec/avro_columns.h"
#include "codec/avro_writer.h"

struct avro_encoder;
struct batch;
struct compress;

struct avro_encode_options {
    const struct avro_column *columns; // they outlive the encoder
    uint32_t column_count;
    struct str record_name;        // empty: "row"
    const struct avro_meta *metas; // further header keys; copied
    uint32_t meta_count;
    enum avro_codec codec;
    int32_t level;    // 0: the default
    uint8_t sync[16]; // random, given by the caller so that files are repeatable
    struct byte_sink *sink;
    bool without_header;       // rows that go behind those of a file begun before
    struct compress *compress; // shared by encoders of one thread; NULL: its own
};

// UNSUPPORTED, with the column's name: a type that has no form in Avro.
MUST_USE enum status avro_encoder_new(const struct avro_encode_options *options,
                                      struct avro_encoder **out, struct err *err);
void avro_encoder_free(struct avro_encoder *encoder); // NULL is allowed
MUST_USE enum status avro_encoder_append(struct avro_encoder *encoder, const struct batch *batch,
                                         struct err *err);
// Ends the block of the rows so far, so that the sink has them; with `shrink` what a block needs is
// freed.
MUST_USE enum status avro_encoder_end_block(struct avro_encoder *encoder, bool shrink,
                                            struct err *err);
size_t avro_encoder_memory(const struct avro_encoder *encoder);  // of the block begun
size_t avro_encoder_pending(const struct avro_encoder *encoder); // values in it
MUST_USE enum status avro_encoder_finish(struct avro_encoder *encoder, struct err *err);
uint64_t avro_encoder_rows(const struct avro_encoder *encoder);
uint64_t avro_encoder_rows_written(const struct avro_encoder *encoder); // in blocks that have ended
uint64_t avro_encoder_size(const struct avro_encoder *encoder);         // about, while it grows
