// SPDX-License-Identifier: Apache-2.0
//
// csv_encode: rows as lines of CSV (RFC 4180, with '\n'), as csv_decode.h reads them.
//
//     TRY(csv_encode_new(&spec, &encoder, err));
//     csv_encode_header(encoder, &out);                     // where one is wanted
//     TRY(csv_encode_batch(encoder, &batch, &out, err));
//     csv_encode_free(encoder);
//
// NULL is the null literal, else an empty field. Texts are quoted where they have to be: with the
// delimiter, a quote, an escape or a line end in them, blanks around, empty, equal to the null
// literal, or '#' in front of a line. Numbers as Java writes them, BOOLEAN true and false, BYTES
// base64, TIMESTAMPs in the form SQL (or ISO), ARRAY and ROW joined by the element delimiter, their
// nulls too. One thread at a time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "codec/time_text.h"
#include "data/type.h"

struct batch;
struct column;
struct csv_encoder;
struct strbuf;

struct csv_encode_spec {
    const struct type_field *fields; // of the rows; copied
    uint32_t field_count;
    char delimiter;         // ','
    char quote;             // '"'; 0: none, and what would need quotes is INVALID_DATA
    char escape;            // in front of quotes and itself; 0: quotes are written twice
    char element_delimiter; // ';'
    bool has_null_literal;
    struct str null_literal;         // copied
    bool decimal_in_scientific_form; // small DECIMALs with an exponent, "2.7E-8"
    enum time_text_form timestamp_form;
};

// UNSUPPORTED, stage VALIDATE: a type that has no form in CSV.
MUST_USE enum status csv_encode_new(const struct csv_encode_spec *spec, struct csv_encoder **out,
                                    struct err *err);
void csv_encode_free(struct csv_encoder *encoder); // NULL is allowed

MUST_USE enum status csv_encode_header(struct csv_encoder *encoder, struct strbuf *out,
                                       struct err *err);
// Appends the rows, each with '\n' behind it. LIMIT: more than `out` may hold.
MUST_USE enum status csv_encode_batch(struct csv_encoder *encoder, const struct batch *batch,
                                      struct strbuf *out, struct err *err);
// One row without a line end: a message.
MUST_USE enum status csv_encode_row(struct csv_encoder *encoder, const struct column *columns,
                                    uint32_t row, struct strbuf *out, struct err *err);
