// SPDX-License-Identifier: Apache-2.0
//
// json_encode: rows as JSON objects, as Flink's format `json` writes them.
//
//     TRY(json_encode_new(&spec, &encoder, err));
//     TRY(json_encode_batch(encoder, &batch, &out, err));   // a line a row
//     json_encode_free(encoder);
//
// Values are those of data/json_text.h; TIME with its milliseconds where it has any (Flink drops
// them). What is written is read again by json_decode.h with the same options. One thread at a
// time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "codec/time_text.h"
#include "data/type.h"

struct batch;
struct column;
struct json_encoder;
struct strbuf;

// Option map-null-key.mode.
enum json_encode_null_key {
    JSON_ENCODE_NULL_KEY_FAIL, // INVALID_DATA
    JSON_ENCODE_NULL_KEY_DROP,
    JSON_ENCODE_NULL_KEY_LITERAL,
};

struct json_encode_spec {
    const struct type_field *fields; // of the rows; copied
    uint32_t field_count;
    enum time_text_form timestamp_form;
    enum json_encode_null_key null_key;
    struct str null_key_literal;  // copied
    bool decimal_as_plain_number; // else small ones have an exponent, "2.7E-8"
    bool ignore_null_fields;      // fields that are null are left out, at any depth
};

// UNSUPPORTED, stage VALIDATE: a type that has no form in JSON (MAP with other than character
// keys, RAW, …).
MUST_USE enum status json_encode_new(const struct json_encode_spec *spec, struct json_encoder **out,
                                     struct err *err);
void json_encode_free(struct json_encoder *encoder); // NULL is allowed

// Appends the rows, each with '\n' behind it. LIMIT: more than `out` may hold. After an error what
// the call has appended is of no use.
MUST_USE enum status json_encode_batch(struct json_encoder *encoder, const struct batch *batch,
                                       struct strbuf *out, struct err *err);
// One row without a line end: a message.
MUST_USE enum status json_encode_row(struct json_encoder *encoder, const struct column *columns,
                                     uint32_t row, struct strbuf *out, struct err *err);
