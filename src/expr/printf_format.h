// SPDX-License-Identifier: Apache-2.0
//
// printf_format: texts made by a format as java.util.Formatter knows it: %d %s %f %e %x %b %c %%,
// with flags, width, precision and %2$s.
#pragma once

#include <stdbool.h>

#include "expr/function.h"

struct strbuf;

// The format is argument 0 of the call, the values follow. False: the format is bad, or does not
// fit the values.
bool printf_format_write(const struct function_call *call, uint32_t row, struct strbuf *out);
