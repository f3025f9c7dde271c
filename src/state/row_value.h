// SPDX-License-Identifier: Apache-2.0
//
// row_value: one value of any type, nested ones included, as bytes: how rows of state hold ARRAY,
// MAP and ROW.
//
// A byte (0 null, 1 a value), then: fixed width: the bytes; STRING: u32 size and the bytes; LIST:
// u32 count and that many values; MAP: u32 count, the keys, the values; ROW: its fields. Equal
// values have equal bytes (-0 and NaN are made canonical).
#pragma once

#include "base/err.h"
#include "base/strbuf.h"
#include "data/column.h"
#include "data/type.h"

struct arena;

size_t row_value_size(const struct column *column, uint32_t row);
// Writes row_value_size() bytes; returns their end.
char *row_value_write(const struct column *column, uint32_t row, char *out);
// `count` values as a FLAT column in `arena`. INVALID_DATA where bytes break the form.
MUST_USE enum status row_value_read(const struct type *type, const struct str *values,
                                    uint32_t count, struct arena *arena, struct column *out,
                                    struct err *err);
