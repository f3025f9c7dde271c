// SPDX-License-Identifier: Apache-2.0
//
// The loops of hash_columns.c for one physical type. Included once a type, with T and NAME(stem)
// defined, beside NAME(hash)(value).

static uint64_t NAME(value_hash)(const void *value)
{
    return NAME(hash)(value);
}

static void NAME(plain_hash)(const void *values, uint32_t count, uint64_t *out)
{
    const T *value = values;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = NAME(hash)(value + i);
    }
}

ALWAYS_INLINE void NAME(flat_loop)(const struct column *column, bool is_first, bool has_nulls,
                                   uint64_t *out)
{
    const T *value = column->values;
    for (uint32_t row = 0; row < column->row_count; row++) {
        uint64_t hash = NAME(hash)(value + row);
        if (has_nulls) {
            uint64_t mask = -(column->valid[row / 64] >> (row % 64) & 1);
            hash = (hash & mask) | (hash_null & ~mask);
        }
        add_hash(&out[row], hash, is_first);
    }
}

// Adds a FLAT column to the hashes of its rows.
static void NAME(flat_hash)(const struct column *column, bool is_first, uint64_t *out)
{
    bool has_nulls = column->valid != NULL;
    if (is_first && has_nulls) {
        NAME(flat_loop)(column, true, true, out);
    } else if (is_first) {
        NAME(flat_loop)(column, true, false, out);
    } else if (has_nulls) {
        NAME(flat_loop)(column, false, true, out);
    } else {
        NAME(flat_loop)(column, false, false, out);
    }
}
