// SPDX-License-Identifier: Apache-2.0
//
// record_format: the bytes of records into columns, whatever the format is; what sources with a
// 'format' option (filesystem, kafka) are built on.
//
//     struct record_format_spec spec = {.table = def, .name = STR_LIT("json"), .prefix = "json.",
//     …}; TRY(record_format_new(&spec, &format, err));
//     TRY(record_format_lines(format, bytes, rows_max, &used, err));
//     rows = record_format_rows(format);
//     record_format_free(format);
//
// Ownership, limits and errors are those of the decoders (codec/json_decode.h, codec/csv_decode.h):
// what is handed out is valid until the next call; bad records are INVALID_DATA once they are the
// first, and record_format_bad_place() says which.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "catalog/table_def.h"
#include "connect/option.h"
#include "data/column.h"

struct record_format;

enum { RECORD_FORMAT_PADDING = 64 }; // as JSON_DECODE_PADDING

// What there is: for validation and the manual.
struct record_format_info {
    const char *name;
    const struct option_def *options;
    uint32_t option_count;
    uint8_t changes;         // bits of enum change that its records can be
    const char *unsupported; // NULL: works here
};

// NULL behind the last.
const struct record_format_info *record_format_at(uint32_t index);
const struct record_format_info *record_format_find(struct str name);
// Whole files only (file_rows.h): not made of records that could be decoded one by one.
bool record_format_is_file(const struct record_format_info *info);
// The metadata column of a format; NULL behind the last.
const char *record_format_metadata(const struct record_format_info *info, uint32_t index,
                                   const struct type **type);
// Checks beyond single options; stage VALIDATE.
MUST_USE enum status record_format_check(const struct record_format_info *info,
                                         const struct table_def *def, const char *prefix,
                                         struct err *err);

struct record_format_spec {
    const struct table_def *table; // where the options are
    struct str name;
    const char *prefix;              // of its options: "json.", "value.json."; borrowed for ever
    const struct type_field *fields; // all physical columns of the records, in the table's order
    uint32_t field_count;
    const uint32_t *wanted; // indexes into `fields`, in the order in which they come out
    uint32_t wanted_count;
    const struct str *metadata; // keys of the format's metadata, behind the fields
    uint32_t metadata_count;
};

// One character, or one of Flink's escapes for it ("\\t"); 0: neither.
char record_format_character(struct str text);
// How CSV is written, by the options; the fields are left empty.
struct csv_decode_spec;
void record_format_csv_dialect(const struct table_def *table, const char *prefix,
                               struct csv_decode_spec *out);

struct record_rows {
    uint32_t row_count;
    const struct column *columns; // wanted fields, then metadata
    const int8_t *kinds;          // NULL: all +I
    const uint64_t *places;       // the line from 0, or the message's index, of each row
    uint64_t lines_used;
};

MUST_USE enum status record_format_new(const struct record_format_spec *spec,
                                       struct record_format **out, struct err *err);
void record_format_free(struct record_format *format); // NULL is allowed

// Whole lines, and RECORD_FORMAT_PADDING readable bytes behind them of which the first is '\n' or
// NUL. `is_last`: nothing follows. *used may be 0 without rows: the first record (a quoted field
// over several lines) needs more bytes.
MUST_USE enum status record_format_lines(struct record_format *format, struct str bytes,
                                         bool is_last, uint32_t rows_max, size_t *used,
                                         struct err *err);
// One record each; empty ones are none.
MUST_USE enum status record_format_messages(struct record_format *format,
                                            const struct str *messages, uint32_t count,
                                            uint32_t rows_max, uint32_t *used, struct err *err);
const struct record_rows *record_format_rows(const struct record_format *format);
uint64_t record_format_bad_place(const struct record_format *format);
uint64_t record_format_skipped(const struct record_format *format); // since it was made
