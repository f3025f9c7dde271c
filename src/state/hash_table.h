// SPDX-License-Identifier: Apache-2.0
//
// hash_table: rows by key, in memory and on disk (state.h says how tables are used).
//
//     struct hash_keys keys = {columns, hashes, NULL, batch->row_count};
//     for (from = 0; from < keys.count; from += ready) {
//         status = hash_table_prepare(table, &keys, from, &ready, err);     // AGAIN: OP_PENDING
//         hash_table_upsert(table, &keys, from, ready, rows, is_new);
//         aggregate(rows, ...);                       // rows stay in place until the next prepare
//     }
//
// Changing rows. Rows of hash_table_upsert() may be changed right away, within their extra and
// their fields of fixed width. Rows that were found or scanned are touched first:
// hash_table_touch(). hash_table_set() may move a row; of two pointers to one row (a key twice in
// a batch) the other is stale then: hash_table_row_now() gives the place.
//
// A removed row may be upserted again in the same window; pointers to it are dead after the window.
#pragma once

#include "base/err.h"
#include "state/row_layout.h"

struct state_context;
struct hash_table;

// Where a row stands; valid while the row lives. 0 is no row.
typedef uint64_t row_id;

enum {
    HASH_TABLE_DERIVED = 1, // not part of checkpoints: its owner builds it again from other tables
    HASH_TABLE_BAG = 2,     // rows without a directory: added, and reached by id or scan only
};

struct hash_table_options {
    const struct row_layout *layout; // borrowed until the table is freed
    uint32_t id;
    int64_t slice;
    int flags;
    uint64_t rows_expected; // a guess, which saves growing; 0: none
};

// Opens the table; it must not be open. After a restore it holds its rows (state_restore_step()).
MUST_USE struct hash_table *hash_table_new(struct state_context *context,
                                           const struct hash_table_options *options);
// With all its rows: nothing of them is in the next checkpoint.
void hash_table_free(struct hash_table *table); // NULL is allowed
// Says what tables of options->id look like, for a restore that meets slices of it that are not
// open.
void hash_table_declare(struct state_context *context, const struct hash_table_options *options);
// The open table {id, slice} of the context; NULL: there is none.
struct hash_table *hash_table_open(struct state_context *context, uint32_t id, int64_t slice);
uint64_t hash_table_count(const struct hash_table *table);
const struct row_layout *hash_table_layout(const struct hash_table *table);

// The keys of a batch. `rows`: the positions that are meant, in order; NULL: 0 ... count - 1. Index
// i below counts in these. `hashes` is by position in the columns: kernel/hash.h over the key
// columns.
struct hash_keys {
    const struct column *columns; // one for each key field; value columns may follow for upsert
    uint32_t column_count;
    const uint64_t *hashes;
    const uint16_t *rows;
    uint32_t count;
};

// OK: keys from, ..., from + *ready - 1 are prepared, *ready >= 1 (0 only where from == count).
MUST_USE enum status hash_table_prepare(struct hash_table *table, const struct hash_keys *keys,
                                        uint32_t from, uint32_t *ready, struct err *err);
// Ends the window without a new one, so that its pages may go.
void hash_table_done(struct hash_table *table);

// out[0] is of key `from`; NULL: there is no such row.
void hash_table_find(struct hash_table *table, const struct hash_keys *keys, uint32_t from,
                     uint32_t count, struct row **out);
// Finds or adds; new rows take the columns given, the rest is null, extra is zero. Bit i of
// `is_new` (of `count`; may be NULL): key from + i had no row before. Rows count as touched.
void hash_table_upsert(struct hash_table *table, const struct hash_keys *keys, uint32_t from,
                       uint32_t count, struct row **out, uint64_t *is_new);

// Adds a row of a BAG for each key, which has a column for every field; equal ones are added, too.
void hash_table_add(struct hash_table *table, const struct hash_keys *keys, uint32_t from,
                    uint32_t count, struct row **out);

void hash_table_touch(struct hash_table *table, struct row *row);
// Both touch first.
void hash_table_remove(struct hash_table *table, struct row *row);
// Sets a value field of any size; returns where the row is now.
struct row *hash_table_set(struct hash_table *table, struct row *row, uint32_t field,
                           const struct column *column, uint32_t at);
struct row *hash_table_row_now(struct hash_table *table, struct row *row);

// Ids, for those who keep references to rows (multimap.h).
row_id hash_table_id(const struct hash_table *table, const struct row *row);
MUST_USE enum status hash_table_prepare_ids(struct hash_table *table, const row_id *ids,
                                            uint32_t count, uint32_t *ready, struct err *err);
struct row *hash_table_row(struct hash_table *table, row_id id); // prepared

// All rows, page by page, in no order. Rows changed, added or removed meanwhile are met or not; the
// others exactly once.
struct hash_table_scan { // zero: from the start
    uint32_t pages;      // still to be read
    uint32_t offset;     // in the page being read; 0: at its start
    bool is_started;
};
// OK: up to `max` rows in `out`, in place until the next prepare or scan; AGAIN; END: no more.
MUST_USE enum status hash_table_scan_next(struct hash_table *table, struct hash_table_scan *scan,
                                          struct row **out, uint32_t max, uint32_t *count,
                                          struct err *err);
