// SPDX-License-Identifier: Apache-2.0
#include "kernel/hash_columns.h"

#include <string.h>

#include "base/assert.h"
#include "base/hash.h"

static const uint64_t hash_start = UINT64_C(0x7f4a7c15f39cc060);
static const uint64_t hash_null = UINT64_C(0x94d049bb133111eb);
static const uint64_t hash_nan = UINT64_C(0x6a09e667f3bcc908);

// A dictionary with more entries than ENTRIES_MAX, or than rows, is hashed row by row.
enum { MICROS_PER_SECOND = 1000000, NANOS_PER_MICRO = 1000, ENTRIES_MAX = 1024 };

ALWAYS_INLINE uint64_t hash_i64(int64_t value)
{
    return hash_word((uint64_t)value ^ hash_start);
}

ALWAYS_INLINE uint64_t bool_hash(const uint8_t *value)
{
    return hash_i64(*value);
}
ALWAYS_INLINE uint64_t i8_hash(const int8_t *value)
{
    return hash_i64(*value);
}
ALWAYS_INLINE uint64_t i16_hash(const int16_t *value)
{
    return hash_i64(*value);
}
ALWAYS_INLINE uint64_t i32_hash(const int32_t *value)
{
    return hash_i64(*value);
}
ALWAYS_INLINE uint64_t i64_hash(const int64_t *value)
{
    return hash_i64(*value);
}
ALWAYS_INLINE uint64_t i128_hash(const int128 *value)
{
    int64_t low = (int64_t)*value;
    uint64_t hash = hash_i64(low);
    return *value == low ? hash : hash_combine(hash, (uint64_t)(*value >> 64));
}
ALWAYS_INLINE uint64_t f64_hash(const double *value)
{
    double canonical = *value + 0.0; // -0 becomes 0
    uint64_t bits;
    memcpy(&bits, &canonical, sizeof bits);
    return canonical != canonical ? hash_nan : hash_word(bits ^ hash_start);
}
ALWAYS_INLINE uint64_t f32_hash(const float *value)
{
    double wide = (double)*value;
    return f64_hash(&wide);
}
// Whole microseconds hash as a TIMESTAMP(6) does.
ALWAYS_INLINE uint64_t nano_hash(const struct nano *value)
{
    int64_t micros;
    if (value->nanosecond % NANOS_PER_MICRO == 0 &&
        !__builtin_mul_overflow(value->second, MICROS_PER_SECOND, &micros) &&
        !__builtin_add_overflow(micros, value->nanosecond / NANOS_PER_MICRO, &micros)) {
        return hash_i64(micros);
    }
    return hash_combine(hash_i64(value->second), (uint64_t)value->nanosecond);
}
ALWAYS_INLINE uint64_t string_hash(const struct strview *value)
{
    if (value->size > STRVIEW_INLINE_MAX) {
        return hash_bytes(value->as.ptr, value->size, hash_start);
    }
    uint64_t words[2];
    memcpy(words, value, sizeof words);
    return hash_combine(hash_word(words[0] ^ hash_start), words[1]);
}

// The first column's hash is taken as it is, later ones are combined with it.
ALWAYS_INLINE void add_hash(uint64_t *out, uint64_t hash, bool is_first)
{
    *out = is_first ? hash : hash_combine(*out, hash);
}

#define TEMPLATE "kernel/hash_columns_tmpl.h"
#include "kernel/stamp_scalars.h"

typedef uint64_t value_fn(const void *value);
typedef void flat_fn(const struct column *column, bool is_first, uint64_t *out);
typedef void plain_fn(const void *values, uint32_t count, uint64_t *out);

static value_fn *const value_by_type[] = {
#define X(name, c_type, letters) [PHYSICAL_##name] = letters##_value_hash,
    PHYSICAL_SCALAR_LIST(X)
#undef X
};
static flat_fn *const flat_by_type[] = {
#define X(name, c_type, letters) [PHYSICAL_##name] = letters##_flat_hash,
    PHYSICAL_SCALAR_LIST(X)
#undef X
};
static plain_fn *const plain_by_type[] = {
#define X(name, c_type, letters) [PHYSICAL_##name] = letters##_plain_hash,
    PHYSICAL_SCALAR_LIST(X)
#undef X
};

static bool is_nested(const struct column *column)
{
    return column->physical == PHYSICAL_LIST || column->physical == PHYSICAL_MAP ||
           column->physical == PHYSICAL_ROW;
}

static uint64_t hash_value(const struct column *column, uint32_t row);

static uint64_t hash_list(const struct column *holder, const struct list_view *view)
{
    uint64_t hash = hash_i64(view->length);
    for (uint32_t i = 0; i < view->length; i++) {
        hash = hash_combine(hash, hash_value(&holder->children[0], view->offset + i));
    }
    return hash;
}

// The order of entries does not count: a sum.
static uint64_t hash_map(const struct column *holder, const struct list_view *view)
{
    uint64_t sum = view->length;
    for (uint32_t i = 0; i < view->length; i++) {
        sum += hash_combine(hash_value(&holder->children[0], view->offset + i),
                            hash_value(&holder->children[1], view->offset + i));
    }
    return hash_word(sum ^ hash_start);
}

static uint64_t hash_value(const struct column *column, uint32_t row)
{
    if (column_is_null(column, row)) {
        return hash_null;
    }
    const struct column *holder = column_holder(column);
    uint32_t at = column_at(column, row);
    if (column->physical == PHYSICAL_ROW) {
        uint64_t hash = hash_i64(holder->child_count);
        for (uint32_t child = 0; child < holder->child_count; child++) {
            hash = hash_combine(hash, hash_value(&holder->children[child], at));
        }
        return hash;
    }
    const void *value = column_value(column, row);
    if (column->physical == PHYSICAL_LIST) {
        return hash_list(holder, value);
    }
    if (column->physical == PHYSICAL_MAP) {
        return hash_map(holder, value);
    }
    return value_by_type[column->physical](value);
}

static void add_dict(const struct column *column, bool is_first, uint64_t *out)
{
    uint64_t entries[ENTRIES_MAX];
    const struct column *dict = column->dict;
    DASSERT(dict->row_count <= ENTRIES_MAX);
    if (is_nested(dict)) {
        for (uint32_t entry = 0; entry < dict->row_count; entry++) {
            entries[entry] = hash_value(dict, entry);
        }
    } else {
        plain_by_type[dict->physical](dict->values, dict->row_count, entries);
    }
    for (uint32_t row = 0; row < column->row_count; row++) {
        uint64_t hash = column_is_null(column, row) ? hash_null : entries[column->codes[row]];
        add_hash(&out[row], hash, is_first);
    }
}

static void add_column(const struct column *column, bool is_first, uint64_t *out)
{
    if (column->encoding == ENCODING_CONST) {
        uint64_t hash = hash_value(column, 0);
        for (uint32_t row = 0; row < column->row_count; row++) {
            add_hash(&out[row], hash, is_first);
        }
    } else if (column->encoding == ENCODING_DICT && column->dict->row_count <= ENTRIES_MAX &&
               column->dict->row_count <= column->row_count) {
        add_dict(column, is_first, out);
    } else if (column->encoding == ENCODING_DICT || is_nested(column)) {
        for (uint32_t row = 0; row < column->row_count; row++) {
            add_hash(&out[row], hash_value(column, row), is_first);
        }
    } else {
        flat_by_type[column->physical](column, is_first, out);
    }
}

void hash_columns(const struct column *columns, uint32_t count, uint32_t row_count, uint64_t *out)
{
    for (uint32_t row = 0; count == 0 && row < row_count; row++) {
        out[row] = hash_start;
    }
    for (uint32_t i = 0; i < count; i++) {
        DASSERT(columns[i].row_count == row_count);
        add_column(&columns[i], i == 0, out);
    }
}

uint64_t hash_columns_row(const struct column *columns, uint32_t count, uint32_t row)
{
    uint64_t hash = hash_start;
    for (uint32_t i = 0; i < count; i++) {
        add_hash(&hash, hash_value(&columns[i], row), i == 0);
    }
    return hash;
}
