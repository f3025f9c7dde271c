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

// Adds a FLAT column to the hashes of its rows, 64 rows to a word of validity.
static void NAME(flat_hash)(const struct column *column, uint64_t *out)
{
    const T *value = column->values;
    if (column->valid == NULL) {
        for (uint32_t row = 0; row < column->row_count; row++) {
            out[row] = hash_combine(out[row], NAME(hash)(value + row));
        }
        return;
    }
    for (uint32_t row = 0; row < column->row_count; row++) {
        uint64_t mask = -(column->valid[row / 64] >> (row % 64) & 1);
        uint64_t hash = (NAME(hash)(value + row) & mask) | (hash_null & ~mask);
        out[row] = hash_combine(out[row], hash);
    }
}
