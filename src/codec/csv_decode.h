// SPDX-License-Identifier: Apache-2.0
//
// csv_decode: lines of CSV (RFC 4180) into columns, as Flink's format `csv`.
//
// Fields are those of the table, by position; only the wanted ones are converted. A field in quotes
// may hold delimiters, line ends, and quotes written twice. Texts become values as strings in JSON
// do (json_decode.h); ARRAY and ROW are texts split at the element
// delimiter. An empty field without quotes is NULL unless its column is of characters; so is the
// null literal, where there is one.
//
// A line with fewer or more fields than the table is an error. Errors, limits and ownership are
// those of json_decode.h; with ignore_parse_errors missing fields are NULL, and lines with too many
// are left out.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "codec/time_text.h"
#include "data/column.h"
#include "data/type.h"

struct csv_decoder;

enum { CSV_DECODE_PADDING = 64 };

struct csv_decode_spec {
    const struct type_field *fields; // all fields of a line
    uint32_t field_count;
    const uint32_t *wanted; // indexes, in the order of the columns handed out
    uint32_t wanted_count;
    char delimiter;         // ','
    char quote;             // '"'; 0: none
    char escape;            // 0: none
    char element_delimiter; // ';'
    bool has_null_literal;
    struct str null_literal; // copied
    bool allow_comments;     // lines that begin with '#'
    enum time_text_form timestamp_form;
    bool ignore_parse_errors;
};

// UNSUPPORTED, stage VALIDATE: a type that has no form in CSV.
MUST_USE enum status csv_decode_new(const struct csv_decode_spec *spec, struct csv_decoder **out,
                                    struct err *err);
void csv_decode_free(struct csv_decoder *decoder); // NULL is allowed

// As json_decode_lines(), but the last record may be incomplete (a quoted field over several lines)
// unless `is_last`: then it is left, and *used may be 0 without rows.
MUST_USE enum status csv_decode_lines(struct csv_decoder *decoder, struct str bytes, bool is_last,
                                      uint32_t rows_max, size_t *used, struct err *err);
MUST_USE enum status csv_decode_messages(struct csv_decoder *decoder, const struct str *messages,
                                         uint32_t count, uint32_t rows_max, uint32_t *used,
                                         struct err *err);

uint32_t csv_decode_rows(const struct csv_decoder *decoder);
const struct column *csv_decode_columns(const struct csv_decoder *decoder);
const uint64_t *csv_decode_places(const struct csv_decoder *decoder); // lines from 0, or messages
uint64_t csv_decode_lines_used(const struct csv_decoder *decoder);
uint64_t csv_decode_bad_place(const struct csv_decoder *decoder);
uint64_t csv_decode_skipped(const struct csv_decoder *decoder);
