// SPDX-License-Identifier: Apache-2.0
#include "iceberg/delete_keys.h"

#include "base/arena.h"
#include "base/assert.h"
#include "base/bits.h"
#include "base/mem.h"
#include "data/column_builder.h"
#include "kernel/hash_columns.h"
#include "kernel/row_equal.h"

enum { SLOTS_MIN = 1 << 10 };

// Open addressing. A slot holds the upper half of a key's hash above its number + 1; 0: empty. The
// hash's uppermost bits are where it belongs, so that growing needs no key.
struct delete_keys {
    struct arena arena;
    uint32_t column_count;
    struct column_builder **builders;
    struct column *columns; // what is in the builders
    uint32_t count;
    uint32_t slot_bits;
    uint64_t *slots;
};

struct delete_keys *delete_keys_new(const struct type *const *types, uint32_t count)
{
    struct delete_keys *keys = mem_zalloc(sizeof *keys);
    arena_init(&keys->arena);
    keys->column_count = count;
    keys->builders = arena_new_array(&keys->arena, struct column_builder *, count);
    keys->columns = arena_new_array(&keys->arena, struct column, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct type *type = type_copy(&keys->arena, types[i]);
        keys->builders[i] = column_builder_new(&keys->arena, type, BATCH_ROWS_MAX);
        keys->columns[i] = column_builder_finish(keys->builders[i]);
    }
    keys->slot_bits = (uint32_t)__builtin_ctz(SLOTS_MIN);
    keys->slots = mem_zalloc(SLOTS_MIN * sizeof *keys->slots);
    return keys;
}

void delete_keys_free(struct delete_keys *keys)
{
    if (keys != NULL) {
        mem_free(keys->slots);
        arena_release(&keys->arena);
        mem_free(keys);
    }
}

uint32_t delete_keys_count(const struct delete_keys *keys)
{
    return keys->count;
}

size_t delete_keys_bytes(const struct delete_keys *keys)
{
    return keys->arena.bytes + (sizeof *keys->slots << keys->slot_bits);
}

static void put(struct delete_keys *keys, uint64_t slot)
{
    uint32_t mask = (1U << keys->slot_bits) - 1;
    uint32_t at = (uint32_t)(slot >> (64 - keys->slot_bits));
    while (keys->slots[at] != 0) {
        at = (at + 1) & mask;
    }
    keys->slots[at] = slot;
}

// Room for twice as many slots as keys. Duplicates of one batch may change places; they are on the
// same side of any limit.
static void grow(struct delete_keys *keys, uint32_t extra)
{
    uint64_t need = ((uint64_t)keys->count + extra) * 2;
    uint32_t bits = keys->slot_bits;
    while (UINT64_C(1) << bits < need) {
        bits++;
    }
    if (bits == keys->slot_bits) {
        return;
    }
    uint64_t *old = keys->slots;
    uint64_t old_count = UINT64_C(1) << keys->slot_bits;
    keys->slot_bits = bits;
    keys->slots = mem_zalloc(sizeof *keys->slots << bits);
    for (uint64_t i = 0; i < old_count; i++) {
        if (old[i] != 0) {
            put(keys, old[i]);
        }
    }
    mem_free(old);
}

// The first key from slot *at on whose half of the hash is that of `hash`; UINT32_MAX: none. *at is
// behind it then.
static uint32_t candidate(const struct delete_keys *keys, uint64_t hash, uint32_t *at)
{
    uint32_t mask = (1U << keys->slot_bits) - 1;
    for (;; *at = (*at + 1) & mask) {
        uint64_t slot = keys->slots[*at];
        if (slot == 0) {
            return UINT32_MAX;
        }
        if (slot >> 32 == hash >> 32) {
            *at = (*at + 1) & mask;
            return (uint32_t)slot - 1;
        }
    }
}

// The number of the key that equals `row`; UINT32_MAX: none.
static uint32_t find(const struct delete_keys *keys, const struct column *columns, uint32_t row,
                     uint64_t hash)
{
    uint32_t at = (uint32_t)(hash >> (64 - keys->slot_bits));
    for (;;) {
        uint32_t key = candidate(keys, hash, &at);
        struct row_equal_side a = {columns, row};
        struct row_equal_side b = {keys->columns, key};
        if (key == UINT32_MAX || row_equal(a, b, keys->column_count)) {
            return key;
        }
    }
}

// A batch: the hash of each row, and the rows with the first key that may be theirs.
struct candidates {
    uint64_t hashes[BATCH_ROWS_MAX];
    uint32_t count;
    uint32_t rows[BATCH_ROWS_MAX];
    uint32_t keys[BATCH_ROWS_MAX];
};

static void find_candidates(const struct delete_keys *keys, uint32_t row_count,
                            struct candidates *out)
{
    enum { AHEAD = 16 };
    const uint64_t *hashes = out->hashes;
    uint32_t shift = 64 - keys->slot_bits;
    out->count = 0;
    for (uint32_t i = 0; i < row_count; i++) {
        if (i + AHEAD < row_count) {
            __builtin_prefetch(&keys->slots[hashes[i + AHEAD] >> shift]);
        }
        uint32_t at = (uint32_t)(hashes[i] >> shift);
        uint32_t key = candidate(keys, hashes[i], &at);
        out->rows[out->count] = i;
        out->keys[out->count] = key;
        out->count += key != UINT32_MAX;
    }
}

static void mark(const struct delete_keys *keys, const struct column *columns,
                 const struct candidates *found, uint32_t limit, uint64_t *mask)
{
    uint64_t equal[BATCH_WORDS_MAX];
    bits_fill(equal, found->count);
    for (uint32_t i = 0; i < keys->column_count; i++) {
        struct row_equal_pairs pairs = {.a = &columns[i],
                                        .a_rows = found->rows,
                                        .b = &keys->columns[i],
                                        .b_rows = found->keys,
                                        .count = found->count};
        row_equal_narrow(&pairs, equal);
    }
    for (uint32_t i = 0; i < found->count; i++) {
        uint32_t key = found->keys[i];
        if (!bits_get(equal, i)) { // another key of the same half hash was before it, or it alone
            key = find(keys, columns, found->rows[i], found->hashes[found->rows[i]]);
        }
        if (key < limit) {
            bits_set(mask, found->rows[i]);
        }
    }
}

void delete_keys_mark(const struct delete_keys *keys, const struct column *columns,
                      uint32_t row_count, uint32_t limit, uint64_t *mask)
{
    if (keys->count == 0 || limit == 0) {
        return;
    }
    struct candidates *found = mem_alloc(sizeof *found); // too large for a stack frame
    hash_columns(columns, keys->column_count, row_count, found->hashes);
    find_candidates(keys, row_count, found);
    mark(keys, columns, found, limit, mask);
    mem_free(found);
}

void delete_keys_add(struct delete_keys *keys, const struct column *columns, uint32_t row_count)
{
    ASSERT(row_count <= BATCH_ROWS_MAX && keys->count <= DELETE_KEYS_MAX - row_count);
    uint64_t known[BATCH_WORDS_MAX] = {0};
    uint64_t *hashes = mem_alloc(row_count * sizeof *hashes + 1);
    delete_keys_mark(keys, columns, row_count, UINT32_MAX, known);
    hash_columns(columns, keys->column_count, row_count, hashes);
    grow(keys, row_count);
    for (uint32_t row = 0; row < row_count; row++) {
        if (bits_get(known, row)) {
            continue;
        }
        for (uint32_t i = 0; i < keys->column_count; i++) {
            column_builder_value(keys->builders[i], &columns[i], row);
        }
        put(keys, hashes[row] >> 32 << 32 | ++keys->count);
    }
    for (uint32_t i = 0; i < keys->column_count; i++) {
        keys->columns[i] = column_builder_finish(keys->builders[i]);
    }
    mem_free(hashes);
}
