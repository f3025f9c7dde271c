// SPDX-License-Identifier: Apache-2.0
#include "expr/aggregate_one.h"

#include "expr/aggregate_int.h"

// The body for each row that counts, with its value in `value`: words of rows that all count are
// loops without a branch.
#define FOR_EACH_VALUE(c_type, at, body)                                                           \
    for (uint32_t word = 0; word < bits_words(rows->row_count); word++) {                          \
        uint64_t bits = aggregate_counted_word(rows, argument, word);                              \
        const uint32_t first = word * 64;                                                          \
        count += __builtin_popcountll(bits);                                                       \
        if (bits == UINT64_MAX) {                                                                  \
            for (uint32_t row = first; row < first + 64; row++) {                                  \
                const c_type value = values[at];                                                   \
                body                                                                               \
            }                                                                                      \
            continue;                                                                              \
        }                                                                                          \
        for (; bits != 0; bits &= bits - 1) {                                                      \
            const uint32_t row = first + (uint32_t)__builtin_ctzll(bits);                          \
            const c_type value = values[at];                                                       \
            body                                                                                   \
        }                                                                                          \
    }

// Stamped for values that stand side by side and for others. Gives the number of rows that count.
#define FOLD(name, c_type, held_type, body)                                                        \
    static int64_t name(const struct column *argument, const struct aggregate_rows *rows,          \
                        held_type *held_value)                                                     \
    {                                                                                              \
        const c_type *values = column_holder(argument)->values;                                    \
        held_type held = *held_value;                                                              \
        int64_t count = 0;                                                                         \
        if (argument->encoding == ENCODING_FLAT) {                                                 \
            FOR_EACH_VALUE(c_type, row, body)                                                      \
        } else {                                                                                   \
            FOR_EACH_VALUE(c_type, column_at(argument, row), body)                                 \
        }                                                                                          \
        *held_value = held;                                                                        \
        return count;                                                                              \
    }

FOLD(sum_i32, int32_t, uint64_t, held += (uint64_t)value;)
FOLD(sum_i64, int64_t, uint64_t, held += (uint64_t)value;)
FOLD(sum_decimal, int64_t, int128, held += value;)
FOLD(sum_f64, double, double, held += value;)
FOLD(least_i32, int32_t, int32_t, held = value < held ? value : held;)
FOLD(least_i64, int64_t, int64_t, held = value < held ? value : held;)
FOLD(most_i32, int32_t, int32_t, held = value > held ? value : held;)
FOLD(most_i64, int64_t, int64_t, held = value > held ? value : held;)
#undef FOLD
#undef FOR_EACH_VALUE

static void count_rows(const struct column *argument, const struct aggregate_rows *rows,
                       char *image)
{
    int64_t count = 0;
    for (uint32_t word = 0; word < bits_words(rows->row_count); word++) {
        count += __builtin_popcountll(aggregate_counted_word(rows, argument, word));
    }
    aggregate_add_i64(image, count);
}

static bool sum(const struct aggregate *aggregate, const struct column *argument,
                const struct aggregate_rows *rows, char *image)
{
    int64_t count;
    if (aggregate->argument->kind == TYPE_DECIMAL) {
        int128 added = 0; // of at most 2,048 values of 64 bits
        if (argument->physical != PHYSICAL_I64) {
            return false;
        }
        count = sum_decimal(argument, rows, &added);
        aggregate_add_i128(image, image + aggregate->offsets[1], added);
    } else if (argument->physical == PHYSICAL_F64) {
        double held; // goes on where the last batch ended: the order of additions is that of rows
        memcpy(&held, image, sizeof held);
        count = sum_f64(argument, rows, &held);
        memcpy(image, &held, sizeof held);
    } else if (argument->physical == PHYSICAL_I32 || argument->physical == PHYSICAL_I64) {
        uint64_t held;
        memcpy(&held, image, sizeof held);
        count = argument->physical == PHYSICAL_I32 ? sum_i32(argument, rows, &held)
                                                   : sum_i64(argument, rows, &held);
        memcpy(image, &held, sizeof held);
    } else {
        return false;
    }
    aggregate_add_i64(image + aggregate->offsets[aggregate->slot_count - 1], count);
    return true;
}

static bool extreme(const struct aggregate *aggregate, const struct column *argument,
                    const struct aggregate_rows *rows, char *image)
{
    char *count_at = image + aggregate->offsets[1];
    bool is_max = aggregate->kind == AGGREGATE_MAX;
    int64_t before;
    int64_t count;
    memcpy(&before, count_at, sizeof before);
    if (argument->physical == PHYSICAL_I64) {
        int64_t held = is_max ? INT64_MIN : INT64_MAX;
        memcpy(&held, before == 0 ? (const char *)&held : image, sizeof held);
        count = (is_max ? most_i64 : least_i64)(argument, rows, &held);
        if (count > 0) {
            memcpy(image, &held, sizeof held);
        }
    } else if (argument->physical == PHYSICAL_I32) {
        int32_t held = is_max ? INT32_MIN : INT32_MAX;
        memcpy(&held, before == 0 ? (const char *)&held : image, sizeof held);
        count = (is_max ? most_i32 : least_i32)(argument, rows, &held);
        if (count > 0) {
            memcpy(image, &held, sizeof held);
        }
    } else {
        return false;
    }
    aggregate_add_i64(count_at, count);
    return true;
}

bool aggregate_one_accumulate(const struct aggregate *aggregate, const struct column *argument,
                              const struct aggregate_rows *rows)
{
    if (rows->kinds != NULL || rows->row_count == 0) {
        return false;
    }
    char *image = rows->images[0] + rows->offset;
    switch (aggregate->kind) {
    case AGGREGATE_COUNT_STAR: count_rows(NULL, rows, image); return true;
    case AGGREGATE_COUNT: count_rows(argument, rows, image); return true;
    case AGGREGATE_SUM:
    case AGGREGATE_SUM0:
    case AGGREGATE_AVG: return sum(aggregate, argument, rows, image);
    case AGGREGATE_MIN:
    case AGGREGATE_MAX: return extreme(aggregate, argument, rows, image);
    case AGGREGATE_FIRST_VALUE:
    case AGGREGATE_LAST_VALUE:
    case AGGREGATE_SINGLE_VALUE: break;
    }
    return false;
}
