// SPDX-License-Identifier: Apache-2.0
//
// json_decode: JSON records straight into columns, by a decoder that is made once for the columns
// that are wanted. A record is one JSON object; a field that no column asks for is passed over.
//
//     TRY(json_decode_new(&spec, &decoder, err));
//     status = json_decode_lines(decoder, bytes, rows_max, &used, err);      // NDJSON, or
//     status = json_decode_messages(decoder, messages, count, rows_max, &used, err);
//     use(json_decode_columns(decoder), json_decode_rows(decoder), json_decode_places(decoder));
//     json_decode_free(decoder);
//
// Meaning is that of Flink's format `json` (2.3, with its JsonParser):
//   - an absent field and null are NULL; of a repeated key the last one counts, and what follows it
//     is kept (Flink loses as many later fields as there were repetitions);
//   - numbers are taken from numbers and from strings with blanks around; integers from 1.9 are cut
//     (INT and BIGINT only); a DECIMAL is rounded HALF_UP, and NULL where it does not fit;
//   - STRING takes any value: strings unescaped, others as they are written, nested ones without
//     blanks; BYTES is base64; dates and times as in time_text.h;
//   - MAP and MULTISET have character keys; of an equal key the last value counts;
//   - BOOLEAN is true, false, or these words in a string; anything else is an error (to Flink it is
//     false).
// All of the input is checked, the parts that are passed over too: RFC 8259 (with raw control
// characters allowed within strings, as in Flink) and UTF-8. Blank lines are no records. What
// stands behind the object is an error.
//
// A bad record is INVALID_DATA: the text says the field's path, the offset in the record and the
// bytes (shortened), the hint what to do; err->offset is the offset in the record. The rows before
// it are there: hand them out first, the next call fails then. With `ignore_parse_errors` a value
// that does not fit its column is NULL, and a record that is no JSON is left out (and counted).
//
// Memory: strings without escapes are views into the input (lines) or into the decoder's copy of it
// (messages); everything else is the decoder's own. All is valid until its next call. A call stops
// at rows_max rows or before BATCH_BYTES_MAX of variable bytes, unless one row alone is larger.
// Depth is limited to JSON_DECODE_DEPTH_MAX, a record to JSON_DECODE_RECORD_MAX (LIMIT).
// One thread at a time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "codec/time_text.h"
#include "data/column.h"
#include "data/type.h"

struct json_decoder;

enum {
    JSON_DECODE_PADDING = 64, // readable bytes behind the input of json_decode_lines()
    JSON_DECODE_DEPTH_MAX = 512,
    JSON_DECODE_RECORD_MAX = 64 << 20,
};

struct json_decode_spec {
    const struct type_field *fields; // the columns: names and types; copied
    uint32_t field_count;
    enum time_text_form timestamp_form;
    bool fail_on_missing_field;
    bool ignore_parse_errors;
    struct str option_prefix; // "json.", for hints; copied
};

// UNSUPPORTED, stage VALIDATE: a type that has no form in JSON (MAP with other than character keys,
// RAW, …).
MUST_USE enum status json_decode_new(const struct json_decode_spec *spec, struct json_decoder **out,
                                     struct err *err);
void json_decode_free(struct json_decoder *decoder); // NULL is allowed

// Records separated by '\n' ("\r\n" too). The last one need not end in it; bytes.ptr[bytes.size] is
// '\n' or NUL in any case, and JSON_DECODE_PADDING bytes from there on are readable. *used is
// behind the last record that became a row or was left out.
MUST_USE enum status json_decode_lines(struct json_decoder *decoder, struct str bytes,
                                       uint32_t rows_max, size_t *used, struct err *err);
// One record each. Empty messages (tombstones) are no records. *used: how many were taken.
MUST_USE enum status json_decode_messages(struct json_decoder *decoder, const struct str *messages,
                                          uint32_t count, uint32_t rows_max, uint32_t *used,
                                          struct err *err);

// Of the last call.
uint32_t json_decode_rows(const struct json_decoder *decoder);
const struct column *json_decode_columns(const struct json_decoder *decoder);
// The number of each row's record: its line in `bytes`, from 0, blank lines counted; its index in
// `messages`.
const uint64_t *json_decode_places(const struct json_decoder *decoder);
// Lines in the bytes that were used.
uint64_t json_decode_lines_used(const struct json_decoder *decoder);
// Of the record that failed.
uint64_t json_decode_bad_place(const struct json_decoder *decoder);
// Records left out since the decoder was made.
uint64_t json_decode_skipped(const struct json_decoder *decoder);
