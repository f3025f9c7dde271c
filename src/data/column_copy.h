// SPDX-License-Identifier: Apache-2.0
//
// column_copy: deep copies of columns into one run of memory whose size is known beforehand.
//
// The same walk is done twice: once with a place without memory, which only adds up, once with
// memory of that size. What is copied is a list of runs of rows, so that dictionaries shrink to the
// entries in use and the children of lists to the elements in reach, at every depth.
//
//     struct column_copy_place place = {0};
//     column_copy_rows(&place, column, &(struct column_run){0, column->row_count}, 1, NULL);
//     place = (struct column_copy_place){.base = memory of place.used bytes};
//     column_copy_rows(&place, column, …, &copy);
//
// `base` must be aligned to 16 bytes.
#pragma once

#include "data/column.h"

struct column_run {
    uint32_t from;
    uint32_t count;
};

struct column_copy_place {
    char *base; // NULL: measure only
    size_t used;
};

// The next `size` bytes, aligned to 16; NULL while measuring.
void *column_copy_take(struct column_copy_place *place, size_t size);
// The rows of all runs, in order. `out` is set unless measuring.
void column_copy_rows(struct column_copy_place *place, const struct column *column,
                      const struct column_run *runs, uint32_t run_count, struct column *out);
