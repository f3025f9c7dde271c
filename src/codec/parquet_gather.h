// SPDX-License-Identifier: Apache-2.0
//
// parquet_gather: values by their numbers: those of a dictionary by codes, those that are not null
// by their places. Widths are 1, 2, 4, 8 and 16 (decimals, and strings, whose views are 16 bytes).
#pragma once

#include <stddef.h>
#include <stdint.h>

// out[i] = values[places[i]]
void parquet_gather(void *out, const void *values, size_t width, const uint32_t *places,
                    uint32_t count);
