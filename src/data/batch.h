// SPDX-License-Identifier: Apache-2.0
//
// batch: up to BATCH_ROWS_MAX rows that travel together.
//
// Rows. All columns have row_count rows. A batch holds at most BATCH_BYTES_MAX of variable bytes,
// or a single row of any size. Batches are dense: what a filter drops is gathered away in the
// operator that filters (exec/op_calc.h), no batch carries a selection.
//
// Changes. `kinds` says for each row what it does to the table that the stream describes: +I, -U,
// +U, -D; NULL: all are +I. -U and its +U are adjacent where one operator emits both.
//
// Life. A batch is transient: it and all it points to belong to whoever emitted it, until that is
// asked for more. Whoever queues or keeps one calls batch_settle(): one owned heap, charged to a
// budget, with nothing pinned behind it.
#pragma once

#include "data/column.h"

struct buf;
struct budget;

// Signs: inserts are even, retractions odd.
enum change {
    CHANGE_INSERT = 0,
    CHANGE_UPDATE_BEFORE = 1,
    CHANGE_UPDATE_AFTER = 2,
    CHANGE_DELETE = 3,
};

static inline bool change_is_retraction(int8_t kind)
{
    return (kind & 1) != 0;
}

const char *change_name(int8_t kind); // "+I", "-U", "+U", "-D"

#define WATERMARK_NONE INT64_MIN // no watermark yet
#define WATERMARK_END INT64_MAX  // after the last row of a bounded input

// Where the rows of a batch came from, for messages about one of them.
struct batch_origin {
    struct str name;        // "topic clicks partition 3", a file's path; borrowed
    const char *unit;       // what `first`+row counts: "offset", "line"
    uint64_t first;         // of row 0
    const uint64_t *places; // of each row, where they are not consecutive; else NULL
};

struct batch {
    uint32_t row_count;
    uint32_t column_count;
    const struct column *columns;
    const int8_t *kinds;               // NULL: all CHANGE_INSERT
    const int64_t *row_watermarks;     // the watermark in force at each row (in us), or NULL:
                                       // lateness is not judged row by row (engine.md section 8)
    const struct batch_origin *origin; // NULL: not known any more
    uint32_t split;                    // which split of the source all rows are from
                                       // (exec/source.h); behind exchanges: 0
    struct buf *owner;                 // the heap of a settled batch; NULL: transient
};

// An owned copy of `in`: one heap, charged to `budget` (NULL: none). Drop it with batch_drop().
struct batch *batch_settle(const struct batch *in, struct budget *budget);
void batch_drop(struct batch *batch); // of batch_settle(); NULL is allowed

// Rows [from, from + count), sharing values with `in`; the struct's arrays are in `arena`.
struct batch batch_slice(struct arena *arena, const struct batch *in, uint32_t from,
                         uint32_t count);
struct batch batch_gather(struct arena *arena, const struct batch *in, const uint16_t *rows,
                          uint32_t count);
size_t batch_bytes(const struct batch *batch);
MUST_USE enum status batch_check(const struct batch *batch, struct err *err);
