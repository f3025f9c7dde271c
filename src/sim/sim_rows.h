// SPDX-License-Identifier: Apache-2.0
//
// sim_rows: rows as lines of text ("3|17|a.org|12.50"), to be counted and compared as multisets.
//
// Values are printed as they are held: numbers, unscaled decimals, microseconds, strings; NULL is
// ~. One thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "data/batch.h"

struct sim_rows {
    struct arena arena; // of the lines
    VEC(struct str) lines;
};

void sim_rows_init(struct sim_rows *rows);
void sim_rows_release(struct sim_rows *rows);
void sim_rows_add(struct sim_rows *rows, struct str line); // copied
void sim_rows_printf(struct sim_rows *rows, const char *format, ...) PRINTF_LIKE(2, 3);
// Every row of a batch; kinds are left out.
void sim_rows_add_batch(struct sim_rows *rows, const struct batch *batch);
void sim_rows_print(struct strbuf *out, const struct batch *batch, uint32_t row);
void sim_rows_sort(struct sim_rows *rows);
// Takes one line away that equals `line`; false: there is none. Sorted or not.
bool sim_rows_remove(struct sim_rows *rows, struct str line);
// The first difference of two sorted multisets as text; false: they are equal.
bool sim_rows_differ(const struct sim_rows *expected, const struct sim_rows *actual,
                     struct strbuf *out);
