// SPDX-License-Identifier: Apache-2.0
//
// delete_keys: the keys of equality deletes as one hash set.
//
//     struct delete_keys *keys = delete_keys_new(types, count);
//     delete_keys_add(keys, columns, row_count);            // batch after batch
//     delete_keys_mark(keys, columns, row_count, delete_keys_count(keys), mask);
//     delete_keys_free(keys);
//
// Keys are numbered in the order in which they came, and come once: so whoever adds the newest
// deletes first can say "equal to a key that is newer than this row" by a number alone, and one set
// serves data files of every age. (A key that a batch holds twice takes two numbers, one behind the
// other.)
//
// Null equals null; floats come as integers (key_columns.h). One thread; a set that nobody adds to
// may be asked by many.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "data/column.h"

struct delete_keys;
struct type;

enum { DELETE_KEYS_MAX = 1 << 30 };

// Keys of `count` columns; types are copied.
struct delete_keys *delete_keys_new(const struct type *const *types, uint32_t count);
void delete_keys_free(struct delete_keys *keys); // NULL is allowed
// Up to BATCH_ROWS_MAX rows; there must be room for them below DELETE_KEYS_MAX.
void delete_keys_add(struct delete_keys *keys, const struct column *columns, uint32_t row_count);
uint32_t delete_keys_count(const struct delete_keys *keys);
size_t delete_keys_bytes(const struct delete_keys *keys); // memory held
// Sets bit i of `mask` where row i (of up to BATCH_ROWS_MAX) equals one of the first `limit` keys.
void delete_keys_mark(const struct delete_keys *keys, const struct column *columns,
                      uint32_t row_count, uint32_t limit, uint64_t *mask);
