// SPDX-License-Identifier: Apache-2.0
//
// multimap: many rows a key, each with a signed count: one side of a join.
//
// Two tables: the rows (by all their columns, with a count) which checkpoints hold, and the keys, each
// leading to a list of row ids, which is derived. Counts are signed: a retraction that arrives before
// its row makes -1, and matching yields it with that count, so that sums come out right in the end. A
// row whose count is 0 is gone.
//
//     struct multimap_input input = {keys, key_hashes, columns, row_hashes, kinds, row_count};
//     multimap_prepare(map, &input, from, &ready, err); multimap_change(map, &input, from, ready);
//
//     multimap_match(other, &cursor, key_columns, key_hashes, count);
//     while ((status = multimap_next(other, &cursor, &pairs, err)) == STATUS_OK) { emit(pairs); }
#pragma once

#include "state/hash_table.h"

struct multimap;

struct multimap_options {
    const struct type *const *types; // of all columns of the rows
    uint32_t column_count;
    const uint32_t *keys; // which of them are the key
    uint32_t key_count;
    uint32_t id; // takes `id` (rows), `id` + 1 (keys) and `id` + 2 (lists)
    int64_t slice;
    bool skip_null_keys; // rows with a null in the key match nothing and are not kept
};

MUST_USE struct multimap *multimap_new(struct state_context *context,
                                       const struct multimap_options *options);
void multimap_free(struct multimap *map); // NULL is allowed; drops the rows too
const struct row_layout *multimap_layout(const struct multimap *map); // of the rows: all columns
uint64_t multimap_count(const struct multimap *map);                  // distinct rows

struct multimap_input {
    const struct column *columns; // of the rows
    const uint64_t *row_hashes;   // over all columns
    const uint64_t *key_hashes;   // over the key columns
    const int8_t *kinds;          // NULL: all are added
    uint32_t row_count;
};

MUST_USE enum status multimap_prepare(struct multimap *map, const struct multimap_input *input,
                                      uint32_t from, uint32_t *ready, struct err *err);
// Adds and subtracts rows from, …, from + count - 1, which are prepared.
void multimap_change(struct multimap *map, const struct multimap_input *input, uint32_t from,
                     uint32_t count);

enum { MULTIMAP_PAIRS_MAX = BATCH_ROWS_MAX };

struct multimap_cursor {
    struct hash_keys keys;
    uint32_t at;   // key being matched
    uint32_t ready; // keys prepared from `at` on
    row_id chunk;  // of its list; 0: not begun
    uint32_t index; // next entry in the chunk
};

// A window of matches: probe row and stored row, `counts` times (negative: retracted before added).
struct multimap_pairs {
    uint32_t count;
    uint16_t probe[MULTIMAP_PAIRS_MAX]; // positions in the probing batch, ascending
    struct row *rows[MULTIMAP_PAIRS_MAX];
    int64_t counts[MULTIMAP_PAIRS_MAX];
};

void multimap_match(struct multimap_cursor *cursor, const struct hash_keys *keys);
// OK: the next window, rows in place until the next call on the map; AGAIN; END.
MUST_USE enum status multimap_next(struct multimap *map, struct multimap_cursor *cursor,
                                   struct multimap_pairs *pairs, uint32_t max, struct err *err);
