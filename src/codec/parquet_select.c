// SPDX-License-Identifier: Apache-2.0
//
// The rows of a leaf that a selection names, and nothing of others: pages without any are passed
// over, values between are skipped or, where many are wanted, decoded and dropped.
#include "base/assert.h"
#include "codec/parquet_reader_int.h"

enum {
    WINDOW_ROWS = 2048,
    SPARSE = 16, // one row in so many is read by itself
};

// ---- dropping rows ----

// Moves the items [from, from + count) whose bits are set to the front of them.
#define KEEP(c_type)                                                                               \
    do {                                                                                           \
        c_type *items = (c_type *)data + first;                                                    \
        for (uint32_t i = 0; i < count; i++) {                                                     \
            items[kept] = items[i];                                                                \
            kept += (uint32_t)bits_get(bits, from + i);                                            \
        }                                                                                          \
    } while (0)

static uint32_t keep_items(void *data, uint32_t width, uint32_t first, uint32_t count,
                           const uint64_t *bits, uint32_t from)
{
    uint32_t kept = 0;
    switch (width) {
    case 1: KEEP(uint8_t); break;
    case 2: KEEP(uint16_t); break;
    case 4: KEEP(uint32_t); break;
    case 8: KEEP(uint64_t); break;
    default: KEEP(struct strview); break; // 16 bytes, whatever they are
    }
    return kept;
}

static void keep_flat(struct parquet_leaf_reader *leaf, uint32_t count, const uint64_t *bits,
                      uint32_t from)
{
    struct parquet_vector *vector = &leaf->vector;
    uint32_t first = vector->slots - count;
    uint32_t kept;
    if (vector->has_nulls) {
        uint64_t *valid = (uint64_t *)(void *)vector->valid.ptr;
        uint32_t at = first;
        for (uint32_t i = 0; i < count; i++) {
            if (bits_get(bits, from + i)) {
                bool is_valid = bits_get(valid, first + i);
                uint64_t mask = UINT64_C(1) << (at % 64);
                valid[at / 64] = is_valid ? valid[at / 64] | mask : valid[at / 64] & ~mask;
                at++;
            }
        }
    }
    if (leaf->levels_only) {
        kept = 0;
        for (uint32_t i = 0; i < count; i++) {
            kept += (uint32_t)bits_get(bits, from + i);
        }
    } else if (vector->is_dict) {
        kept = keep_items(vector->codes.ptr, sizeof(uint16_t), first, count, bits, from);
    } else {
        kept =
            keep_items(vector->values.ptr, leaf->conversion.target_width, first, count, bits, from);
    }
    vector->slots = first + kept;
}

// An entry a row; the values that are there stand one behind the other.
static void keep_nested(struct parquet_leaf_reader *leaf, uint32_t count, const uint64_t *bits,
                        uint32_t from)
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
    uint32_t value = 0;
    uint32_t kept_values = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool present = def[i] == max;
        if (bits_get(bits, from + i)) {
            def[kept++] = def[i];
            if (present && !leaf->levels_only) {
                memmove(base + (size_t)kept_values * width, base + (size_t)value * width, width);
            }
            kept_values += present;
        }
        value += present;
    }
    vector->entries -= count - kept;
    vector->def.size = vector->rep.size = vector->entries;
    vector->values_held -= values - kept_values;
}

void parquet_select_keep(struct parquet_leaf_reader *leaf, uint32_t count, const uint64_t *bits,
                         uint32_t from)
{
    ASSERT(leaf->node->rep_level == 0);
    if (leaf->nested) {
        keep_nested(leaf, count, bits, from);
    } else {
        keep_flat(leaf, count, bits, from);
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

static enum status read_run(struct parquet_leaf_reader *leaf, uint64_t row, uint32_t count,
                            struct err *err)
{
    if (leaf->row < row) {
        TRY(parquet_values_seek(leaf, row, err));
    }
    return parquet_values_append(leaf, count, err);
}

// Rows [from, to) of the selection, at least one of which is wanted: the first and the last.
static enum status read_window(struct parquet_leaf_reader *leaf,
                               const struct parquet_selection *selection, uint32_t from,
                               uint32_t to, uint32_t wanted, struct err *err)
{
    bool is_sparse = leaf->node->rep_level > 0 || (uint64_t)wanted * SPARSE < to - from;
    if (!is_sparse || wanted == to - from) {
        TRY(read_run(leaf, selection->from + from, to - from, err));
        if (wanted < to - from) {
            parquet_select_keep(leaf, to - from, selection->bits, from);
        }
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
        TRY(read_window(leaf, selection, first, last + 1, wanted, err));
    }
    parquet_values_place(leaf);
    return STATUS_OK;
}
