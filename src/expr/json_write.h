// SPDX-License-Identifier: Apache-2.0
//
// json_write: values as JSON, the way Flink's JSON_STRING, JSON_OBJECT and JSON_ARRAY write them,
// which is not that of its json format (data/json_text.h): keys of objects sorted, DOUBLE and FLOAT
// as BigDecimals (1.0E+10), timestamps with T and without needless zeros.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "data/column.h"
#include "data/type.h"

struct arena;
struct strbuf;

// Whether there is a way: not for DATE, TIME, intervals and VARIANT.
bool json_write_is_known(const struct type *type);
// `arena` is for what is made on the way.
void json_write_value(struct strbuf *out, struct arena *arena, const struct type *type,
                      const struct column *column, uint32_t row);
