// SPDX-License-Identifier: Apache-2.0
//
// The rows of a leaf that a selection names, and nothing of others: pages without any are passed
// over, values between are skipped or, where many are wanted, decoded and dropped.
#include "base/assert.h"
#include "codec/parquet_reader_int.h"

enum {
    WINDOW_ROWS = PARQUET_WINDOW_ROWS,
    PICKED = 4,  // fewer than one row in so many are picked out: the others are not decoded
    SPARSE = 16, // one row in so many, of a nested leaf, is read by itself
};

// ---- dropping rows ----

// Moves items[kept[i]] to items[i].
#define KEEP(c_type)                                                                               \
    do {                                                                                           \
        c_type *items = data;                                                                      \
        for (uint32_t i = 0; i < kept->count; i++) {                                               \
            items[i] = items[kept->rows[i]];                                                       \
        }                                                                                          \
    } while (0)

void parquet_select_items(void *data, size_t width, const struct parquet_kept *kept)
{
    switch (width) {
    case 1: KEEP(uint8_t); break;
    case 2: KEEP(uint16_t); break;
    case 4: KEEP(uint32_t); break;
    case 8: KEEP(uint64_t); break;
    default: KEEP(struct strview); break; // 16 bytes, whatever they are
    }
}

static void keep_flat(struct parquet_leaf_reader *leaf, uint32_t count,
                      const struct parquet_kept *kept)
{
    struct parquet_vector *vector = &leaf->vector;
    uint32_t first = vector->slots - count;
    if (vector->has_nulls) {
        uint64_t *valid = (uint64_t *)(void *)vector->valid.ptr;
        for (uint32_t i = 0; i < kept->count; i++) {
            uint64_t is_valid = bits_get(valid, first + kept->rows[i]) ? 1 : 0;
            uint64_t *word = &valid[(first + i) / 64];
            uint32_t shift = (first + i) % 64;
            *word = (*word & ~(UINT64_C(1) << shift)) | is_valid << shift;
        }
    }
    if (vector->is_dict) {
        parquet_select_items(vector->codes.ptr + first * sizeof(uint16_t), sizeof(uint16_t), kept);
    } else if (!leaf->levels_only) {
        uint32_t width = leaf->conversion.target_width;
        parquet_select_items(vector->values.ptr + (size_t)first * width, width, kept);
    }
    vector->slots = first + kept->count;
}

// An entry a row; the values that are there stand one behind the other.
static void keep_nested(struct parquet_leaf_reader *leaf, uint32_t count,
                        const struct parquet_kept *kept)
{
    struct parquet_vector *vector = &leaf->vector;
    uint8_t *def = (uint8_t *)vector->def.ptr + vector->entries - count;
    uint8_t max = leaf->node->def_level;
    uint32_t width = leaf->conversion.target_width;
    uint32_t values = 0;
    for (uint32_t i = 0; i < count; i++) {
        values += def[i] == max;
    }
    char *base = vector->values.ptr + (size_t)(vector->values_held - values) * width;
    uint32_t value = 0; // of the row reached
    uint32_t kept_values = 0;
    uint32_t row = 0;
    for (uint32_t i = 0; i < kept->count; i++) {
        for (; row < kept->rows[i]; row++) {
            value += def[row] == max;
        }
        def[i] = def[row];
        if (def[row] == max) {
            if (!leaf->levels_only) {
                memmove(base + (size_t)kept_values * width, base + (size_t)value * width, width);
            }
            kept_values++;
            value++;
        }
        row++;
    }
    vector->entries -= count - kept->count;
    vector->def.size = vector->rep.size = vector->entries;
    vector->values_held -= values - kept_values;
}

void parquet_select_keep(struct parquet_leaf_reader *leaf, uint32_t count,
                         const struct parquet_kept *kept)
{
    ASSERT(leaf->node->rep_level == 0);
    if (leaf->nested) {
        keep_nested(leaf, count, kept);
    } else {
        keep_flat(leaf, count, kept);
    }
}

// ---- reading ----

// The first bit at or behind `at` that is `value`; `end` where there is none before.
static uint32_t find_bit(const uint64_t *bits, uint32_t at, uint32_t end, bool value)
{
    while (at < end) {
        uint64_t word = (value ? bits[at / 64] : ~bits[at / 64]) >> (at % 64);
        if (word != 0) {
            at += (uint32_t)__builtin_ctzll(word);
            return at < end ? at : end;
        }
        at = (at / 64 + 1) * 64;
    }
    return end;
}

static enum status seek(struct parquet_leaf_reader *leaf, uint64_t row, struct err *err)
{
    return leaf->row < row ? parquet_values_seek(leaf, row, err) : STATUS_OK;
}

static enum status read_run(struct parquet_leaf_reader *leaf, uint64_t row, uint32_t count,
                            struct err *err)
{
    TRY(seek(leaf, row, err));
    return parquet_values_append(leaf, count, err);
}

// Rows [from, to) of the selection: the first and the last are wanted, and those between that
// `rows` names.
static enum status read_window(struct parquet_leaf_reader *leaf,
                               const struct parquet_selection *selection, uint32_t from,
                               uint32_t to, const uint64_t *rows, uint32_t wanted, struct err *err)
{
    bool is_sparse = leaf->node->rep_level > 0 ||
                     (uint64_t)wanted * (leaf->nested ? SPARSE : PICKED) < to - from;
    if (wanted == to - from) {
        return read_run(leaf, selection->from + from, to - from, err);
    }
    if (!leaf->nested || !is_sparse) {
        uint16_t offsets[WINDOW_ROWS];
        const struct parquet_kept kept = {.rows = offsets, .count = wanted};
        for (uint32_t i = 0; i < wanted; i++) {
            offsets[i] = (uint16_t)(rows[i] - selection->from - from);
        }
        TRY(seek(leaf, selection->from + from, err));
        if (is_sparse) {
            return parquet_values_pick(leaf, to - from, &kept, err);
        }
        TRY(parquet_values_append(leaf, to - from, err));
        parquet_select_keep(leaf, to - from, &kept);
        return STATUS_OK;
    }
    while (from < to) {
        uint32_t end = find_bit(selection->bits, from, to, false);
        TRY(read_run(leaf, selection->from + from, end - from, err));
        from = find_bit(selection->bits, end, to, true);
    }
    return STATUS_OK;
}

enum status parquet_select_read(struct parquet_leaf_reader *leaf,
                                const struct parquet_selection *selection, struct err *err)
{
    const uint64_t *rows = selection->positions;
    parquet_values_reset(leaf);
    for (uint32_t at = 0; at < selection->span; at += WINDOW_ROWS) {
        uint32_t end = selection->span - at < WINDOW_ROWS ? selection->span : at + WINDOW_ROWS;
        uint32_t first = find_bit(selection->bits, at, end, true);
        if (first == end) {
            continue;
        }
        uint32_t wanted = 0;
        uint32_t last = first;
        for (uint32_t word = at / 64; word < (end + 63) / 64; word++) {
            uint64_t here = selection->bits[word];
            wanted += (uint32_t)__builtin_popcountll(here);
            last = here != 0 ? word * 64 + 63 - (uint32_t)__builtin_clzll(here) : last;
        }
        TRY(read_window(leaf, selection, first, last + 1, rows, wanted, err));
        rows += wanted;
    }
    parquet_values_place(leaf);
    return STATUS_OK;
}
