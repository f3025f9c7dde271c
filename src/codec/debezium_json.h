// SPDX-License-Identifier: Apache-2.0
//
// debezium_json: records of Debezium's JSON envelope into rows with change kinds, as Flink's format
// `debezium-json`.
//
//     {"before": null | {row}, "after": null | {row}, "op": "c" | "r" | "u" | "d", …}
//     {"schema": …, "payload": {the same}}                    with schema_include
//
// c and r (snapshots) give +I of `after`; u gives -U of `before` and +U of `after`, adjacent; d
// gives -D of `before`. A row that the operation needs and that is null is an error, which says
// what to set in the database. Other operations are errors.
//
// Metadata of the envelope can be had as columns behind the fields: see debezium_json_metadata().
// Limits, errors and ownership are those of json_decode.h; a call hands out at most two rows more
// than rows_max asks for (an update is not torn apart).
#pragma once

#include "codec/json_decode.h"

struct debezium_decoder;

struct debezium_spec {
    struct json_decode_spec json; // fields: the columns wanted of the rows
    bool schema_include;
    const struct str *metadata; // keys, each of debezium_json_metadata()
    uint32_t metadata_count;
};

struct debezium_rows {
    uint32_t row_count;
    const struct column *columns; // fields, then metadata
    const int8_t *kinds;          // NULL: all +I
    const uint64_t *places;       // as json_decode_places()
    uint64_t lines_used;
};

// The metadata key at `index` ("source.table", …) with its type; NULL behind the last.
const char *debezium_json_metadata(uint32_t index, const struct type **type);

MUST_USE enum status debezium_json_new(const struct debezium_spec *spec,
                                       struct debezium_decoder **out, struct err *err);
void debezium_json_free(struct debezium_decoder *decoder); // NULL is allowed
MUST_USE enum status debezium_json_lines(struct debezium_decoder *decoder, struct str bytes,
                                         uint32_t rows_max, size_t *used, struct err *err);
MUST_USE enum status debezium_json_messages(struct debezium_decoder *decoder,
                                            const struct str *messages, uint32_t count,
                                            uint32_t rows_max, uint32_t *used, struct err *err);
// Of the last call.
const struct debezium_rows *debezium_json_rows(const struct debezium_decoder *decoder);
uint64_t debezium_json_bad_place(const struct debezium_decoder *decoder);
uint64_t debezium_json_skipped(const struct debezium_decoder *decoder);
