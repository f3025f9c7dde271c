// SPDX-License-Identifier: Apache-2.0
//
// delete_filter: what the delete files of a scan say, read once and shared by its tasks.
//
//     struct delete_filter *filter = delete_filter_new(&options);
//     TRY(delete_filter_open(filter, &task, &view, err));           // reads what was not read yet
//     ... for each batch of the task's file:
//     any = delete_view_mark(view, &rows, mask);
//     delete_view_close(view);
//     delete_filter_free(filter);
//
// A view says which rows of one data file are deleted: by place (deletion vector, position deletes)
// and by the values of key columns (equality deletes), which whoever reads the file must ask it
// for. Files without deletes need no view.
//
// Sharing. Position deletes of a partition are read once, for all data files of the scan that they
// name; what they say of other files is dropped. Equality deletes of a partition, and global ones,
// become one set for data files of any age. Deletion vectors and deletes for one file live as long
// as its view.
//
// Memory counts in the budget: what no view uses is forgotten and read again before a scan fails
// with LIMIT.
//
// Damage: a deletion vector whose checksum, length or number of positions is wrong is INVALID_DATA.
// One that does not lie in a Puffin file (DuckDB wrote such before June 2026) is refused unless
// `bare_vectors`.
//
// Threads: one at a time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/column.h"
#include "iceberg/scan.h"

struct budget;
struct delete_filter;
struct delete_view;
struct iceberg_field;
struct store;
struct table_metadata;
struct table_schema;

struct delete_filter_options {
    struct store *store; // outlives the filter, as all here
    const struct table_metadata *metadata;
    const struct table_schema *schema;    // of the scan
    const struct scan_task *const *tasks; // that may be opened
    uint32_t task_count;
    uint32_t task_step;    // only each task_step-th of them, from the first; 0: 1
    struct budget *budget; // NULL: none
    bool bare_vectors;
};

struct delete_filter *delete_filter_new(const struct delete_filter_options *options);
void delete_filter_free(struct delete_filter *filter); // NULL is allowed; after its views

// Whether a task has deletes at all.
bool delete_filter_concerns(const struct scan_task *task);
MUST_USE enum status delete_filter_open(struct delete_filter *filter, const struct scan_task *task,
                                        struct delete_view **out, struct err *err);
void delete_view_close(struct delete_view *view); // NULL is allowed

// The key columns, as fields with nothing beside them: a key in a struct is that struct with one
// child, at each level. Each stands for one column of `keys` below.
uint32_t delete_view_key_count(const struct delete_view *view);
const struct iceberg_field *delete_view_key(const struct delete_view *view, uint32_t at);

// Rows of the data file, up to BATCH_ROWS_MAX.
struct delete_rows {
    uint64_t position;      // of the first
    const uint64_t *places; // of each, where they are not consecutive
    uint32_t count;
    bool positions_done;       // delete_view_exclude() was asked: keys alone are looked at
    const struct column *keys; // the columns of delete_view_key(), as they were read
};

// Sets bit i of `mask` (zeroed) for each row that is deleted; returns whether there is one.
bool delete_view_mark(struct delete_view *view, const struct delete_rows *rows, uint64_t *mask);
// Clears the set bits of rows [position, position + count) that are deleted by position.
void delete_view_exclude(struct delete_view *view, uint64_t position, uint32_t count,
                         uint64_t *bits);

struct delete_counters {
    uint64_t files_read; // delete files
    uint64_t bytes_read;
    uint64_t rows_removed;
};

struct delete_counters delete_filter_counters(const struct delete_filter *filter);
