// SPDX-License-Identifier: Apache-2.0
//
// json_text: one value as JSON, as Flink's json format writes it.
//
//     numbers       as text.h shows them; NaN and infinities are strings
//     BYTES         base64
//     DATE, TIME    "2024-01-01", "10:00:00" (with `time_fraction`, "10:00:00.5")
//     TIMESTAMP     "2024-01-01 10:00:00.123", trailing zeros kept; ISO: with T
//     TIMESTAMP_LTZ the same in UTC with a Z behind it
//     VARIANT       its value (variant.h); null where it is damaged
//     ROW           an object with the fields' names; MAP, MULTISET too, keys as text
//
// Bytes that are no UTF-8 are replaced by U+FFFD.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "data/column.h"
#include "data/type.h"

struct strbuf;

// What is done with a key of a MAP that is null.
enum json_text_null_key {
    JSON_TEXT_NULL_KEY_WORD,    // "NULL"
    JSON_TEXT_NULL_KEY_DROP,    // with its value
    JSON_TEXT_NULL_KEY_LITERAL, // `null_key_literal` stands for it
};

struct json_text_options {
    bool iso_timestamps;
    bool omit_null_fields; // of rows
    bool java_decimals;    // small ones with an exponent, as BigDecimal.toString()
    bool time_fraction;    // of TIME, where it is not 0
    enum json_text_null_key null_key;
    struct str null_key_literal;
};

// `options` may be NULL.
void json_text_value(struct strbuf *out, const struct type *type, const struct column *column,
                     uint32_t row, const struct json_text_options *options);
// "text", quoted and escaped.
void json_text_string(struct strbuf *out, struct str text);
// In base64, quoted.
void json_text_bytes(struct strbuf *out, struct str bytes);
