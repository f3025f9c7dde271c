// SPDX-License-Identifier: Apache-2.0
//
// string_rows: functions of characters written a row at a time (rows.h).
#pragma once

#include "expr/function.h"

function_row string_rows_concat_ws, string_rows_instr, string_rows_translate, string_rows_elt,
    string_rows_is_alpha, string_rows_is_digit, string_rows_is_decimal;
