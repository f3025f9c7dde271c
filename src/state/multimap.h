// SPDX-License-Identifier: Apache-2.0
//
// multimap: many rows a key, each with a signed count: one side of a join.
//
// Two tables: the rows (by all their columns, with a count) which checkpoints hold, and the keys,
// each leading to a list of row ids, which is derived. Counts are signed: a retraction that
// arrives before its row makes -1, and matching yields it with that count, so that sums come out
// right in the end. A row whose count is 0 is gone.
//
//     for (from = 0; from < input.count; from += ready) {
//         multimap_prepare(map, &input, from, &ready, err);    // AGAIN: OP_PENDING
//         multimap_change(map, &input, from, ready);
//     }
//     multimap_match(other, &keys);
//     while ((status = multimap_next(other, &pairs, err)) == STATUS_OK) { emit(&pairs); }
//
// A map that only grows (`is_append`) does not look whether it holds an equal row already: it needs
// no directory of rows and no counts, and every row is one of its own.
//
// A join with null keys that match nothing leaves those rows out of both.
#pragma once

#include "data/batch.h"
#include "state/hash_table.h"

struct multimap;

struct multimap_options {
    const struct type *const *types; // of all columns of the rows
    uint32_t column_count;
    const uint32_t *keys; // which of them are the key
    uint32_t key_count;
    uint32_t id;    // of the rows; `id` + 1 and `id` + 2 are taken too
    bool is_append; // rows are added only, and equal ones are rare
};

MUST_USE struct multimap *multimap_new(struct state_context *context,
                                       const struct multimap_options *options);
void multimap_free(struct multimap *map); // NULL is allowed; drops the rows too
const struct row_layout *multimap_layout(const struct multimap *map); // of the rows: all columns
// Distinct rows; all rows, where it only grows.
uint64_t multimap_count(const struct multimap *map);

struct multimap_input {
    const struct column *columns; // of the rows
    const uint64_t *row_hashes;   // over all columns; NULL where the map only grows
    const uint64_t *key_hashes;   // over the key columns
    const int8_t *kinds;          // NULL: all are added
    const uint16_t *rows;         // the positions that are meant, in order; NULL: 0 ... count - 1
    uint32_t count;
};

MUST_USE enum status multimap_prepare(struct multimap *map, const struct multimap_input *input,
                                      uint32_t from, uint32_t *ready, struct err *err);
// Adds and subtracts rows from, ..., from + count - 1 of `input->rows`, which are prepared.
void multimap_change(struct multimap *map, const struct multimap_input *input, uint32_t from,
                     uint32_t count);
// Ends the windows of all its tables.
void multimap_done(struct multimap *map);

enum { MULTIMAP_PAIRS_MAX = BATCH_ROWS_MAX };

// A window of matches: a position in the probing batch, and a stored row that matches it `counts`
// times (negative: it was retracted before it was added).
struct multimap_pairs {
    uint32_t count;
    uint16_t probe[MULTIMAP_PAIRS_MAX]; // ascending
    struct row *rows[MULTIMAP_PAIRS_MAX];
    int64_t counts[MULTIMAP_PAIRS_MAX]; // never 0
};

// Begins to match keys, one probing at a time; what `keys` points to stays until the end.
void multimap_match(struct multimap *map, const struct hash_keys *keys);
// OK: the next window of at most `max` pairs, rows in place until the next call on the map; AGAIN;
// END.
MUST_USE enum status multimap_next(struct multimap *map, uint32_t max, struct multimap_pairs *pairs,
                                   struct err *err);
