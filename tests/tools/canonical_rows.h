// SPDX-License-Identifier: Apache-2.0
//
// canonical_rows: values of Iceberg tables from and to the canonical JSON of
// tests/peers/lake/README.md. For test tools: what is wrong ends the program.
#pragma once

#include "data/column.h"
#include "iceberg/spec/iceberg_type.h"
#include "iceberg/spec/iceberg_value.h"

struct column_builder;
struct json_tree;
struct strbuf;

// Appends one value, NULL as a null.
void canonical_rows_add(struct column_builder *builder, const struct iceberg_type *type,
                        const struct json_tree *json);
void canonical_rows_print(struct strbuf *out, const struct iceberg_type *type,
                          const struct column *column, uint32_t row);
void canonical_rows_primitive(struct strbuf *out, const struct iceberg_type *type,
                              const struct iceberg_value *value);
void canonical_rows_text(struct strbuf *out, struct str text); // in quotes
