// SPDX-License-Identifier: Apache-2.0
//
// avro_message: single rows of Avro as they travel in messages: which schema they were written in,
// and where they begin. avro_decode.h reads what follows.
//
//     Confluent's framing       0, the schema's number in a registry (4 bytes, the highest first)
//     single-object encoding    C3 01, the fingerprint of the schema (8 bytes, the lowest first)
//
// The fingerprint is the CRC-64-AVRO of the schema's Parsing Canonical Form (Avro specification,
// "Single-object encoding", "Transforming into Parsing Canonical Form").
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "codec/avro_schema.h"

struct avro_decoder;
struct strbuf;

// INVALID_DATA where the message does not begin so.
MUST_USE enum status avro_message_confluent(struct str message, uint32_t *schema_id,
                                            struct str *row, struct err *err);
MUST_USE enum status avro_message_single(struct str message, uint64_t *fingerprint, struct str *row,
                                         struct err *err);

// Appends the row to the decoder's batch. INVALID_DATA, and no row, where it is not whole or
// something stands behind it. Strings are borrowed from it.
MUST_USE enum status avro_message_row(struct avro_decoder *decoder, struct str row,
                                      struct err *err);

void avro_message_canonical(struct strbuf *out, const struct avro_schema *schema);
uint64_t avro_message_fingerprint(const struct avro_schema *schema);
