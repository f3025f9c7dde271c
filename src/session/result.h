// SPDX-License-Identifier: Apache-2.0
//
// result: what a statement gave: nothing but success (perhaps with a note), or rows, as they come.
//
//     TRY(session_execute(session, text, &result, err));
//     if (result->has_rows) {
//         while ((status = result_next(result, -1, &batch, err)) == STATUS_OK) { … }
//     }
//     result_free(result);
//
// A streaming SELECT's batches carry kinds; `changes` tells which can occur. Batches are valid
// until the next call. One thread; result_cancel() from any, also from a signal handler.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/err.h"
#include "data/batch.h"
#include "data/type.h"

struct job;
struct job_status;
struct zone;

struct result_column {
    struct str name;
    const struct type *type;
};

struct result {
    struct arena arena;
    bool has_rows;
    bool is_text;       // one text of several lines, for people to read: EXPLAIN, SHOW CREATE
    bool shows_changes; // a streaming SELECT: `op` is a column of the output
    struct str notes;   // for people, lines: "table exists already"; empty: none
    uint32_t column_count;
    const struct result_column *columns;
    const struct zone *zone; // in which TIMESTAMP_LTZ is shown; NULL: UTC

    // Rows made beforehand (SHOW …), or those of a job.
    uint32_t batch_count;
    const struct batch *const *batches;
    uint32_t next_batch;
    struct job *job;
    struct batch *held; // the batch handed out last
    bool has_limit;     // of a job: it need not go on behind `rows_left` rows
    int64_t rows_left;
};

// The next batch. AGAIN: none within `timeout_ms` (-1: no limit). END: all were given.
MUST_USE enum status result_next(struct result *result, int timeout_ms, const struct batch **out,
                                 struct err *err);
void result_cancel(struct result *result);
void result_free(struct result *result); // NULL is allowed

// --- making results ----------------------------------------------------------------------------

struct result *result_new(void);
// One more line of `notes`.
void result_note(struct result *result, const char *format, ...) PRINTF_LIKE(2, 3);
// A table of texts. Cells are copied; NULL pointers with size 0 in `nulls` rows are no special
// case: a cell whose ptr is NULL is NULL.
struct result_table;
struct result_table *result_table_new(struct result *result, const char *const *names,
                                      const struct type *const *types, uint32_t column_count);
void result_table_row(struct result_table *table, const struct str *cells);
void result_table_finish(struct result_table *table);
