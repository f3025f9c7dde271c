// SPDX-License-Identifier: Apache-2.0
//
// rows: functions written a row at a time, and access to the arguments of a row. What every call of
// a hot loop uses is a kernel instead; these are for the long tail.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/column_builder.h"
#include "expr/function.h"

// What the results of one function over one batch may take: a text of REPEAT or REGEXP_REPLACE must
// not end the process.
enum { ROWS_BYTES_MAX = 512 << 20, ROWS_TEXT_MAX = 64 << 20 };
// LIMIT where a value of `size` bytes, or all of them together (`total`, added up here), is too
// much.
MUST_USE enum status rows_take(struct function_call *call, uint32_t row, uint64_t size,
                               uint64_t *total, struct err *err);

// Runs function->row over the active rows, FLAT result. Null arguments are skipped where the
// function is null_in_null_out. A failure leaves the row in call->error_row.
MUST_USE enum status rows_run(struct function_call *call, struct column *out, struct err *err);

// For nested results: `row` appends exactly one value of the call's type for each active row
// without null arguments (where the function is null_in_null_out); other rows become null.
typedef enum status rows_builder(struct function_call *call, uint32_t row,
                                 struct column_builder *out, struct err *err);
MUST_USE enum status rows_build(struct function_call *call, rows_builder *row, struct column *out,
                                struct err *err);

static inline bool rows_is_null(const struct function_call *call, uint32_t arg, uint32_t row)
{
    return column_is_null(&call->args[arg], row);
}

// Of an argument held as BOOL or I8 to I64.
int64_t rows_i64(const struct function_call *call, uint32_t arg, uint32_t row);
// Of I8 to I128: the unscaled value of a DECIMAL of any width.
int128 rows_i128(const struct function_call *call, uint32_t arg, uint32_t row);
double rows_f64(const struct function_call *call, uint32_t arg, uint32_t row);       // F32, F64
struct nano rows_nano(const struct function_call *call, uint32_t arg, uint32_t row); // TIMESTAMPs
int64_t rows_micros(const struct function_call *call, uint32_t arg, uint32_t row);   // TIMESTAMPs
struct str rows_str(const struct function_call *call, uint32_t arg, uint32_t row);
struct list_view rows_list(const struct function_call *call, uint32_t arg, uint32_t row);
// The elements behind rows_list(): child 0, or 1 for the values of a map.
const struct column *rows_child(const struct function_call *call, uint32_t arg, uint32_t child);
