// SPDX-License-Identifier: Apache-2.0
//
// The loops of aggregates over accumulator images. Images need no alignment: slots are read and
// written by memcpy, which compilers turn into plain loads and stores.
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "data/decimal.h"
#include "expr/aggregate_int.h"
#include "expr/aggregate_one.h"
#include "kernel/compare.h"

static inline int64_t sign_of(const struct aggregate_rows *rows, uint32_t row)
{
    return rows->kinds == NULL ? 1 : 1 - 2 * (rows->kinds[row] & 1);
}

static inline void add_f64(char *slot, double value)
{
    double sum;
    memcpy(&sum, slot, sizeof sum);
    sum += value;
    memcpy(slot, &sum, sizeof sum);
}

// SUM(FLOAT) is rounded to FLOAT at each step, as Flink's is.
static inline void add_f32(char *slot, double value)
{
    double sum;
    memcpy(&sum, slot, sizeof sum);
    sum = (double)(float)(sum + value);
    memcpy(slot, &sum, sizeof sum);
}

static int64_t load_i64(const char *slot)
{
    int64_t value;
    memcpy(&value, slot, sizeof value);
    return value;
}

// One loop for each form of the argument: the body is stamped with the value in `value`.
#define FOR_EACH_ROW(rows, argument, body)                                                         \
    for (uint32_t word = 0; word < bits_words((rows)->row_count); word++) {                        \
        for (uint64_t bits = aggregate_counted_word((rows), (argument), word); bits != 0;          \
             bits &= bits - 1) {                                                                   \
            uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(bits);                            \
            char *image = (rows)->images[row] + (rows)->offset;                                    \
            body                                                                                   \
        }                                                                                          \
    }

static void accumulate_count(const struct aggregate_rows *rows, const struct column *argument)
{
    FOR_EACH_ROW(rows, argument, aggregate_add_i64(image, sign_of(rows, row));)
}

// Sums of integers and of floating numbers: sum, count.
#define SUM_OF(name, c_type, add, wide)                                                            \
    static void name(const struct aggregate *aggregate, const struct column *argument,             \
                     const struct aggregate_rows *rows)                                            \
    {                                                                                              \
        const c_type *values = column_holder(argument)->values;                                    \
        uint32_t count_at = aggregate->offsets[aggregate->slot_count - 1];                         \
        FOR_EACH_ROW(rows, argument, {                                                             \
            int64_t sign = sign_of(rows, row);                                                     \
            add(image, (wide)values[column_at(argument, row)] * (wide)sign);                       \
            aggregate_add_i64(image + count_at, sign);                                             \
        })                                                                                         \
    }
SUM_OF(sum_i8, int8_t, aggregate_add_i64, int64_t)
SUM_OF(sum_i16, int16_t, aggregate_add_i64, int64_t)
SUM_OF(sum_i32, int32_t, aggregate_add_i64, int64_t)
SUM_OF(sum_f32, float, add_f32, double)
SUM_OF(mean_f32, float, add_f64, double)
SUM_OF(sum_f64, double, add_f64, double)
#undef SUM_OF

static void sum_i64(const struct aggregate *aggregate, const struct column *argument,
                    const struct aggregate_rows *rows)
{
    const int64_t *values = column_holder(argument)->values;
    uint32_t count_at = aggregate->offsets[aggregate->slot_count - 1];
    FOR_EACH_ROW(rows, argument, {
        int64_t sign = sign_of(rows, row);
        uint64_t value = (uint64_t)values[column_at(argument, row)];
        aggregate_add_i64(image, (int64_t)(sign < 0 ? 0 - value : value));
        aggregate_add_i64(image + count_at, sign);
    })
}

#define SUM_DECIMAL_OF(name, c_type)                                                               \
    static void name(const struct aggregate *aggregate, const struct column *argument,             \
                     const struct aggregate_rows *rows)                                            \
    {                                                                                              \
        const c_type *values = column_holder(argument)->values;                                    \
        uint32_t carry_at = aggregate->offsets[1];                                                 \
        uint32_t count_at = aggregate->offsets[2];                                                 \
        FOR_EACH_ROW(rows, argument, {                                                             \
            int64_t sign = sign_of(rows, row);                                                     \
            aggregate_add_i128(image, image + carry_at,                                            \
                               (int128)values[column_at(argument, row)] * sign);                   \
            aggregate_add_i64(image + count_at, sign);                                             \
        })                                                                                         \
    }
SUM_DECIMAL_OF(sum_decimal64, int64_t)
SUM_DECIMAL_OF(sum_decimal128, int128)
#undef SUM_DECIMAL_OF

static void accumulate_sum(const struct aggregate *aggregate, const struct column *argument,
                           const struct aggregate_rows *rows)
{
    bool is_decimal = aggregate->argument->kind == TYPE_DECIMAL;
    switch (argument->physical) {
    case PHYSICAL_I8: sum_i8(aggregate, argument, rows); return;
    case PHYSICAL_I16: sum_i16(aggregate, argument, rows); return;
    case PHYSICAL_I32: sum_i32(aggregate, argument, rows); return;
    case PHYSICAL_I64: (is_decimal ? sum_decimal64 : sum_i64)(aggregate, argument, rows); return;
    case PHYSICAL_I128: sum_decimal128(aggregate, argument, rows); return;
    case PHYSICAL_F32:
        (aggregate->kind == AGGREGATE_AVG ? mean_f32 : sum_f32)(aggregate, argument, rows);
        return;
    case PHYSICAL_F64: sum_f64(aggregate, argument, rows); return;
    case PHYSICAL_BOOL:
    case PHYSICAL_NANO:
    case PHYSICAL_STRING:
    case PHYSICAL_LIST:
    case PHYSICAL_MAP:
    case PHYSICAL_ROW: break;
    }
    UNREACHABLE("SUM of something that is not a number");
}

// Whether a value that comes is kept in place of the one there is.
static bool replaces(enum aggregate_kind kind, int compared)
{
    switch (kind) {
    case AGGREGATE_MIN: return compared < 0;
    case AGGREGATE_MAX: return compared > 0;
    case AGGREGATE_LAST_VALUE: return true;
    case AGGREGATE_FIRST_VALUE:
    case AGGREGATE_SINGLE_VALUE:
    case AGGREGATE_COUNT_STAR:
    case AGGREGATE_COUNT:
    case AGGREGATE_SUM:
    case AGGREGATE_SUM0:
    case AGGREGATE_AVG: return false;
    }
    return false;
}

// MIN, MAX and their like for values of fixed width: value, count.
static void accumulate_value(const struct aggregate *aggregate, const struct column *argument,
                             const struct aggregate_rows *rows)
{
    size_t width = physical_width(argument->physical);
    uint32_t count_at = aggregate->offsets[1];
    _Alignas(16) char bytes[16];
    struct column held = {
        .physical = argument->physical, .encoding = ENCODING_FLAT, .row_count = 1, .values = bytes};
    FOR_EACH_ROW(rows, argument, {
        bool is_first = load_i64(image + count_at) == 0;
        memcpy(bytes, image, width);
        if (is_first || replaces(aggregate->kind, compare_values(argument, row, &held, 0))) {
            memcpy(image, column_value(argument, row), width);
        }
        aggregate_add_i64(image + count_at, 1);
    })
}

static void accumulate_string(const struct aggregate *aggregate, const struct column *argument,
                              const struct aggregate_rows *rows)
{
    uint32_t count_at = aggregate->offsets[1];
    const struct aggregate_strings *strings = rows->strings;
    FOR_EACH_ROW(rows, argument, {
        uint64_t handle = (uint64_t)load_i64(image);
        bool is_first = load_i64(image + count_at) == 0;
        struct str value = strview_str(column_value(argument, row));
        if (is_first ||
            replaces(aggregate->kind, str_compare(value, strings->get(strings->context, handle)))) {
            handle = strings->put(strings->context, handle, value);
            memcpy(image, &handle, sizeof handle);
        }
        aggregate_add_i64(image + count_at, 1);
    })
}

// The fast way of MIN and MAX over the forms that occur most.
#define EXTREME_OF(name, c_type)                                                                   \
    static void name(const struct aggregate *aggregate, const struct column *argument,             \
                     const struct aggregate_rows *rows)                                            \
    {                                                                                              \
        const c_type *values = column_holder(argument)->values;                                    \
        uint32_t count_at = aggregate->offsets[1];                                                 \
        bool is_max = aggregate->kind == AGGREGATE_MAX;                                            \
        FOR_EACH_ROW(rows, argument, {                                                             \
            c_type value = values[column_at(argument, row)];                                       \
            c_type held;                                                                           \
            memcpy(&held, image, sizeof held);                                                     \
            if (load_i64(image + count_at) == 0 || (is_max ? value > held : value < held)) {       \
                memcpy(image, &value, sizeof value);                                               \
            }                                                                                      \
            aggregate_add_i64(image + count_at, 1);                                                \
        })                                                                                         \
    }
EXTREME_OF(extreme_i32, int32_t)
EXTREME_OF(extreme_i64, int64_t)
#undef EXTREME_OF

static enum status check_single(const struct aggregate *aggregate,
                                const struct aggregate_rows *rows, struct err *err)
{
    FOR_EACH_ROW(rows, NULL, {
        if (load_i64(image + aggregate->offsets[1]) > 1) {
            return ERR(err, STATUS_INVALID_DATA,
                       "a subquery used as a value gave more than one row");
        }
    })
    return STATUS_OK;
}

enum status aggregate_accumulate(const struct aggregate *aggregate, const struct column *argument,
                                 const struct aggregate_rows *rows, struct err *err)
{
    bool is_extreme = aggregate->kind == AGGREGATE_MIN || aggregate->kind == AGGREGATE_MAX;
    if (rows->is_one && aggregate_one_accumulate(aggregate, argument, rows)) {
        return STATUS_OK;
    }
    switch (aggregate->kind) {
    case AGGREGATE_COUNT_STAR: accumulate_count(rows, NULL); return STATUS_OK;
    case AGGREGATE_COUNT: accumulate_count(rows, argument); return STATUS_OK;
    case AGGREGATE_SUM:
    case AGGREGATE_SUM0:
    case AGGREGATE_AVG: accumulate_sum(aggregate, argument, rows); return STATUS_OK;
    case AGGREGATE_MIN:
    case AGGREGATE_MAX:
    case AGGREGATE_FIRST_VALUE:
    case AGGREGATE_LAST_VALUE:
    case AGGREGATE_SINGLE_VALUE: break;
    }
    if (is_extreme && argument->physical == PHYSICAL_I64) {
        extreme_i64(aggregate, argument, rows);
    } else if (is_extreme && argument->physical == PHYSICAL_I32) {
        extreme_i32(aggregate, argument, rows);
    } else if (aggregate->needs_strings) {
        accumulate_string(aggregate, argument, rows);
    } else {
        accumulate_value(aggregate, argument, rows);
    }
    return aggregate->kind == AGGREGATE_SINGLE_VALUE ? check_single(aggregate, rows, err)
                                                     : STATUS_OK;
}

static bool adds_up(const struct aggregate *aggregate)
{
    return aggregate->kind <= AGGREGATE_SUM0 || aggregate->kind == AGGREGATE_AVG;
}

// Adds the sums and counts of two images.
static void merge_sums(const struct aggregate *aggregate, char *image, const char *from)
{
    bool is_float = aggregate->kind != AGGREGATE_AVG && aggregate->type->kind == TYPE_FLOAT;
    for (uint32_t slot = 0; slot < aggregate->slot_count; slot++) {
        uint32_t at = aggregate->offsets[slot];
        if (aggregate->slots[slot] == PHYSICAL_I128) {
            int128 value;
            memcpy(&value, from + at, sizeof value);
            aggregate_add_i128(image + at, image + aggregate->offsets[1], value);
        } else if (aggregate->slots[slot] == PHYSICAL_F64) {
            double value;
            memcpy(&value, from + at, sizeof value);
            (is_float ? add_f32 : add_f64)(image + at, value);
        } else {
            aggregate_add_i64(image + at, load_i64(from + at));
        }
    }
}

static struct column held_column(const struct aggregate *aggregate, const char bytes[16])
{
    return (struct column){.physical = aggregate->slots[0],
                           .encoding = ENCODING_FLAT,
                           .row_count = 1,
                           .values = bytes};
}

static void merge_value(const struct aggregate *aggregate, const struct aggregate_rows *rows,
                        char *image, const char *from, const struct aggregate_strings *from_strings)
{
    uint32_t count_at = aggregate->offsets[1];
    int64_t from_count = load_i64(from + count_at);
    if (from_count == 0) {
        return;
    }
    bool is_first = load_i64(image + count_at) == 0;
    if (aggregate->needs_strings) {
        uint64_t handle = (uint64_t)load_i64(image);
        struct str value = from_strings->get(from_strings->context, (uint64_t)load_i64(from));
        if (is_first ||
            replaces(aggregate->kind,
                     str_compare(value, rows->strings->get(rows->strings->context, handle)))) {
            handle = rows->strings->put(rows->strings->context, handle, value);
            memcpy(image, &handle, sizeof handle);
        }
    } else {
        _Alignas(16) char ours[16] = {0};
        _Alignas(16) char theirs[16] = {0};
        size_t width = physical_width(aggregate->slots[0]);
        memcpy(ours, image, width);
        memcpy(theirs, from, width);
        struct column our_column = held_column(aggregate, ours);
        struct column their_column = held_column(aggregate, theirs);
        if (is_first ||
            replaces(aggregate->kind, compare_values(&their_column, 0, &our_column, 0))) {
            memcpy(image, from, width);
        }
    }
    aggregate_add_i64(image + count_at, from_count);
}

// Images of one or two integers that are added up.
static void merge_integers(const struct aggregate *aggregate, const struct aggregate_rows *rows,
                           const char *const *from)
{
    uint32_t first = aggregate->offsets[0];
    uint32_t last = aggregate->offsets[aggregate->slot_count - 1];
    FOR_EACH_ROW(rows, NULL, {
        const char *other = from[row] + rows->offset;
        aggregate_add_i64(image + first, load_i64(other + first));
        if (last != first) {
            aggregate_add_i64(image + last, load_i64(other + last));
        }
    })
}

#define MERGE_EXTREME_OF(name, c_type)                                                             \
    static void name(const struct aggregate *aggregate, const struct aggregate_rows *rows,         \
                     const char *const *from)                                                      \
    {                                                                                              \
        uint32_t count_at = aggregate->offsets[1];                                                 \
        bool is_max = aggregate->kind == AGGREGATE_MAX;                                            \
        FOR_EACH_ROW(rows, NULL, {                                                                 \
            const char *other = from[row] + rows->offset;                                          \
            int64_t from_count = load_i64(other + count_at);                                       \
            c_type value;                                                                          \
            c_type held;                                                                           \
            memcpy(&value, other, sizeof value);                                                   \
            memcpy(&held, image, sizeof held);                                                     \
            bool is_first = load_i64(image + count_at) == 0;                                       \
            if (from_count != 0 && (is_first || (is_max ? value > held : value < held))) {         \
                memcpy(image, &value, sizeof value);                                               \
            }                                                                                      \
            aggregate_add_i64(image + count_at, from_count);                                       \
        })                                                                                         \
    }
MERGE_EXTREME_OF(merge_extreme_i32, int32_t)
MERGE_EXTREME_OF(merge_extreme_i64, int64_t)
#undef MERGE_EXTREME_OF

// The forms that occur most. False: another one.
static bool merge_quickly(const struct aggregate *aggregate, const struct aggregate_rows *rows,
                          const char *const *from)
{
    bool is_extreme = aggregate->kind == AGGREGATE_MIN || aggregate->kind == AGGREGATE_MAX;
    if (adds_up(aggregate)) {
        if (aggregate->slot_count > 2 || aggregate->slots[0] != PHYSICAL_I64) {
            return false;
        }
        merge_integers(aggregate, rows, from);
    } else if (is_extreme && !aggregate->needs_strings && aggregate->slots[0] == PHYSICAL_I64) {
        merge_extreme_i64(aggregate, rows, from);
    } else if (is_extreme && aggregate->slots[0] == PHYSICAL_I32) {
        merge_extreme_i32(aggregate, rows, from);
    } else {
        return false;
    }
    return true;
}

enum status aggregate_merge(const struct aggregate *aggregate, const struct aggregate_rows *rows,
                            const char *const *from, const struct aggregate_strings *from_strings,
                            struct err *err)
{
    bool sums = adds_up(aggregate);
    if (merge_quickly(aggregate, rows, from)) {
        return STATUS_OK;
    }
    FOR_EACH_ROW(rows, NULL, {
        const char *other = from[row] + rows->offset;
        if (sums) {
            merge_sums(aggregate, image, other);
        } else {
            merge_value(aggregate, rows, image, other, from_strings);
        }
    })
    return aggregate->kind == AGGREGATE_SINGLE_VALUE ? check_single(aggregate, rows, err)
                                                     : STATUS_OK;
}

static void store_integer(enum physical physical, void *values, uint32_t row, int64_t value)
{
    switch (physical_width(physical)) {
    case 1: ((int8_t *)values)[row] = (int8_t)value; return;
    case 2: ((int16_t *)values)[row] = (int16_t)value; return;
    case 4: ((int32_t *)values)[row] = (int32_t)value; return;
    default: ((int64_t *)values)[row] = value; return;
    }
}

// The sum or mean of an image; false: NULL.
static bool finish_decimal(const struct aggregate *aggregate, const char *image, int64_t count,
                           int128 *out)
{
    int128 sum;
    memcpy(&sum, image, sizeof sum);
    if (load_i64(image + aggregate->offsets[1]) != 0 ||
        !decimal_fits(sum, TYPE_DECIMAL_PRECISION_MAX)) {
        return false;
    }
    *out = sum;
    if (aggregate->kind != AGGREGATE_AVG) {
        return true;
    }
    int32_t shift = aggregate->type->scale - aggregate->argument->scale;
    return decimal_divide(sum, shift, count, out) && decimal_fits(*out, TYPE_DECIMAL_PRECISION_MAX);
}

static int64_t divide_sum(int64_t sum, int64_t count)
{
    return count == -1 ? (int64_t)(0 - (uint64_t)sum) : sum / count;
}

static bool finish_number(const struct aggregate *aggregate, const char *image, int64_t count,
                          void *values, uint32_t row)
{
    bool is_mean = aggregate->kind == AGGREGATE_AVG;
    if (aggregate->type->kind == TYPE_DECIMAL) {
        int128 value;
        bool fits = finish_decimal(aggregate, image, count, &value);
        ((int128 *)values)[row] = fits ? value : 0;
        return fits;
    }
    if (aggregate->slots[0] == PHYSICAL_F64) {
        double sum;
        memcpy(&sum, image, sizeof sum);
        sum = is_mean ? sum / (double)count : sum;
        if (aggregate->type->kind == TYPE_FLOAT) {
            ((float *)values)[row] = (float)sum;
        } else {
            ((double *)values)[row] = sum;
        }
        return true;
    }
    int64_t sum = load_i64(image);
    if (is_mean) {
        sum = divide_sum(sum, count);
    }
    store_integer(type_physical(aggregate->type), values, row, sum);
    return true;
}

static bool finish(const struct aggregate *aggregate, const struct aggregate_rows *rows,
                   uint32_t row, struct arena *arena, void *values)
{
    const char *image = rows->images[row] + rows->offset;
    int64_t count = load_i64(image + aggregate->offsets[aggregate->slot_count - 1]);
    if (aggregate->kind <= AGGREGATE_COUNT) {
        ((int64_t *)values)[row] = count;
        return true;
    }
    if (count == 0) {
        return aggregate->kind == AGGREGATE_SUM0; // 0 is there already
    }
    if (aggregate->kind == AGGREGATE_SUM || aggregate->kind == AGGREGATE_SUM0 ||
        aggregate->kind == AGGREGATE_AVG) {
        return finish_number(aggregate, image, count, values, row);
    }
    if (aggregate->needs_strings) {
        uint64_t handle = (uint64_t)load_i64(image);
        struct str text = rows->strings->get(rows->strings->context, handle);
        text = arena_str(arena, text); // the store may move it at the next put
        ((struct strview *)values)[row] = strview_make(text.ptr, text.size);
        return true;
    }
    size_t width = physical_width(aggregate->slots[0]);
    memcpy((char *)values + width * row, image, width);
    return true;
}

// Results of 64 bits that stand in their images as they are, or are means of such. Returns how many
// are NULL.
static uint32_t finish_wide(const struct aggregate *aggregate, const struct aggregate_rows *rows,
                            int64_t *values, uint64_t *valid)
{
    uint32_t count_at = aggregate->offsets[aggregate->slot_count - 1];
    uint32_t value_at = aggregate->kind <= AGGREGATE_COUNT ? count_at : 0;
    bool is_mean = aggregate->kind == AGGREGATE_AVG;
    bool is_never_null = aggregate->kind <= AGGREGATE_COUNT || aggregate->kind == AGGREGATE_SUM0;
    uint32_t nulls = 0;
    for (uint32_t row = 0; row < rows->row_count; row++) {
        const char *image = rows->images[row] + rows->offset;
        int64_t count = load_i64(image + count_at);
        int64_t value = load_i64(image + value_at);
        bool is_null = count == 0 && !is_never_null;
        if (is_mean && !is_null) {
            value = divide_sum(value, count);
        }
        values[row] = count == 0 ? 0 : value;
        valid[row / 64] &= ~((uint64_t)is_null << row % 64);
        nulls += is_null;
    }
    return nulls;
}

static bool is_wide(const struct aggregate *aggregate)
{
    return aggregate->kind <= AGGREGATE_COUNT ||
           (aggregate->slots[0] == PHYSICAL_I64 && !aggregate->needs_strings &&
            aggregate->type->kind != TYPE_DECIMAL &&
            type_physical(aggregate->type) == PHYSICAL_I64);
}

struct column aggregate_result(const struct aggregate *aggregate, const struct aggregate_rows *rows,
                               struct arena *arena)
{
    enum physical physical = type_physical(aggregate->type);
    size_t width = physical_width(physical);
    void *values = arena_zalloc(arena, width * (rows->row_count + 1));
    uint64_t *valid = arena_new_array(arena, uint64_t, bits_words(rows->row_count) + 1);
    bits_fill(valid, rows->row_count);
    bool has_nulls = is_wide(aggregate) && finish_wide(aggregate, rows, values, valid) > 0;
    for (uint32_t row = 0; !is_wide(aggregate) && row < rows->row_count; row++) {
        if (!finish(aggregate, rows, row, arena, values)) {
            bits_clear(valid, row);
            has_nulls = true;
        }
    }
    return (struct column){.physical = physical,
                           .encoding = ENCODING_FLAT,
                           .row_count = rows->row_count,
                           .valid = has_nulls ? valid : NULL,
                           .values = values};
}
