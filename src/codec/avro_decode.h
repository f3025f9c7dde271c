// SPDX-License-Identifier: Apache-2.0
//
// avro_decode: rows of Avro straight into columns: a writer's schema and the columns that are
// wanted, compiled once into steps (Avro specification, "Schema Resolution").
//
//     TRY(avro_decoder_new(writer_schema, &options, &decoder, err));
//     while (rows > 0) {
//         TRY(avro_decoder_rows(decoder, &cursor, &rows, err));   // as many as a batch holds
//         use avro_decoder_columns(), avro_decoder_row_count();
//         avro_decoder_reset(decoder);
//     }
//     avro_decoder_free(decoder);
//
// Columns are found at any depth by id, or by name and then by their aliases. One that the writer
// did not have is its default, else null; a column that was made from a reader's schema without a
// default is an error. What the writer had and nobody wants is passed over.
//
// Values may become wider: int and long float and double, int long, float double, string and bytes
// each other, DATE a TIMESTAMP, times and timestamps of any unit, DECIMALs of equal scale and more
// digits, UUIDs text or bytes. A member of a union becomes what is wanted where it can; where it
// cannot, the rows that have it are an error. Symbols that a reader's enum does not know are its
// default, else an error.
//
// Strings are checked to be UTF-8 and borrowed from the cursor's bytes, which live until the reset.
// An error says the path of the field. A decoder is for one thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "codec/avro_columns.h"
#include "codec/avro_reader.h"
#include "data/column.h"

struct avro_decoder;

struct avro_decoder_options {
    const struct avro_column *columns; // what is wanted; they outlive the decoder
    uint32_t column_count;
    bool by_id; // columns are found by their ids
};

// The schema outlives the decoder. UNSUPPORTED, with the column's name: the writer's type cannot
// become the column's.
MUST_USE enum status avro_decoder_new(const struct avro_schema *writer,
                                      const struct avro_decoder_options *options,
                                      struct avro_decoder **out, struct err *err);
void avro_decoder_free(struct avro_decoder *decoder); // NULL is allowed
// Whether the writer had nothing for column `at`.
bool avro_decoder_is_missing(const struct avro_decoder *decoder, uint32_t at);

// Appends rows until the batch is full or *rows are done; counts *rows down. After an error the
// rows before it are there, the one that failed is not.
MUST_USE enum status avro_decoder_rows(struct avro_decoder *decoder, struct avro_cursor *cursor,
                                       uint64_t *rows, struct err *err);
bool avro_decoder_is_full(const struct avro_decoder *decoder);
uint32_t avro_decoder_row_count(const struct avro_decoder *decoder);
// One a column, of the rows since the reset; valid until the next call.
const struct column *avro_decoder_columns(struct avro_decoder *decoder);
void avro_decoder_reset(struct avro_decoder *decoder);
void avro_decoder_drop_row(struct avro_decoder *decoder); // the last one
