// SPDX-License-Identifier: Apache-2.0
#include "data/column_builder.h"

#include "base/arena.h"
#include "base/assert.h"

enum { ROWS_MIN = 16, MICROS_PER_SECOND = 1000000, NANOS_PER_MICRO = 1000 };

struct column_builder {
    struct arena *arena;
    const struct type *type;
    enum physical physical;
    uint32_t count;
    uint32_t capacity;
    uint32_t null_count;
    uint32_t marked; // rows before it have their bit in `valid`; those behind have values
    uint32_t width;  // of a value; 0 for ROW
    size_t string_bytes;
    uint64_t *valid; // zero behind `marked`
    char *values;    // NULL for ROW
    uint32_t child_count;
    struct column_builder **children;
    struct column *finished; // the children's columns, as handed out
};

static void count_children(struct column_builder *builder)
{
    const struct type *type = builder->type;
    builder->child_count = type->kind == TYPE_MULTISET ? 2 : type->field_count;
}

struct column_builder *column_builder_new(struct arena *arena, const struct type *type,
                                          uint32_t rows)
{
    struct column_builder *builder = arena_new(arena, struct column_builder);
    builder->arena = arena;
    builder->type = type;
    builder->physical = type_physical(type);
    builder->width = (uint32_t)physical_width(builder->physical);
    count_children(builder);
    uint32_t words = bits_words(rows > ROWS_MIN ? rows : ROWS_MIN);
    builder->capacity = words * 64;
    builder->valid = arena_zalloc(arena, words * sizeof *builder->valid);
    size_t width = builder->width;
    builder->values = width == 0 ? NULL : arena_alloc64(arena, width * builder->capacity);
    builder->children = arena_new_array(arena, struct column_builder *, builder->child_count);
    builder->finished = arena_new_array(arena, struct column, builder->child_count);
    for (uint32_t i = 0; i < builder->child_count; i++) {
        // The counts of a MULTISET have no field of their own.
        const struct type *child = i < type->field_count ? type->fields[i].type : &type_int;
        builder->children[i] = column_builder_new(arena, child, rows);
    }
    return builder;
}

const struct type *column_builder_type(const struct column_builder *builder)
{
    return builder->type;
}

uint32_t column_builder_count(const struct column_builder *builder)
{
    return builder->count;
}

size_t column_builder_bytes(const struct column_builder *builder)
{
    size_t bytes = builder->string_bytes;
    for (uint32_t i = 0; i < builder->child_count; i++) {
        const struct column_builder *child = builder->children[i];
        bytes += column_builder_bytes(child);
        if (builder->physical != PHYSICAL_ROW) {
            bytes += physical_width(child->physical) * child->count;
        }
    }
    return bytes;
}

static void grow(struct column_builder *builder)
{
    ASSERT(builder->capacity < UINT32_MAX / 2);
    uint32_t capacity = builder->capacity * 2;
    size_t width = builder->width;
    if (width != 0) {
        char *values = arena_alloc64(builder->arena, width * capacity);
        memcpy(values, builder->values, width * builder->count);
        builder->values = values;
    }
    uint64_t *valid = arena_zalloc(builder->arena, bits_words(capacity) * sizeof *valid);
    memcpy(valid, builder->valid, bits_words(builder->marked) * sizeof *valid);
    builder->valid = valid;
    builder->capacity = capacity;
}

// Sets the bits of the rows that came since the last null: not one by one while they come.
static void mark_valid(struct column_builder *builder)
{
    for (uint32_t row = builder->marked; row < builder->count;) {
        uint32_t end = (row / 64 + 1) * 64 < builder->count ? (row / 64 + 1) * 64 : builder->count;
        builder->valid[row / 64] |= bits_tail(end - row) << (row % 64);
        row = end;
    }
    builder->marked = builder->count;
}

static inline uint32_t next_row(struct column_builder *builder)
{
    if (builder->count == builder->capacity) {
        grow(builder);
    }
    return builder->count++;
}

// The place of the next value; not for ROW.
static inline void *next_value(struct column_builder *builder)
{
    size_t row = next_row(builder);
    return builder->values + builder->width * row;
}

void column_builder_null(struct column_builder *builder)
{
    mark_valid(builder);
    size_t row = next_row(builder);
    builder->marked = builder->count;
    builder->null_count++;
    if (builder->width != 0) {
        memset(builder->values + builder->width * row, 0, builder->width);
    }
    for (uint32_t i = 0; builder->physical == PHYSICAL_ROW && i < builder->child_count; i++) {
        column_builder_null(builder->children[i]);
    }
}

void column_builder_nulls(struct column_builder *builder, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        column_builder_null(builder);
    }
}

void column_builder_bool(struct column_builder *builder, bool value)
{
    column_builder_i64(builder, value);
}

void column_builder_i32(struct column_builder *builder, int32_t value)
{
    column_builder_i64(builder, value);
}

void column_builder_i64(struct column_builder *builder, int64_t value)
{
    void *place = next_value(builder);
    switch (builder->width) {
    case 1: *(int8_t *)place = (int8_t)value; break;
    case 2: *(int16_t *)place = (int16_t)value; break;
    case 4: *(int32_t *)place = (int32_t)value; break;
    case 8: *(int64_t *)place = value; break;
    default: *(int128 *)place = value; break;
    }
}

void column_builder_i128(struct column_builder *builder, int128 value)
{
    if (builder->physical == PHYSICAL_I128) {
        *(int128 *)next_value(builder) = value;
    } else {
        column_builder_i64(builder, (int64_t)value);
    }
}

void column_builder_f32(struct column_builder *builder, float value)
{
    DASSERT(builder->physical == PHYSICAL_F32);
    *(float *)next_value(builder) = value;
}

void column_builder_f64(struct column_builder *builder, double value)
{
    DASSERT(builder->physical == PHYSICAL_F64);
    *(double *)next_value(builder) = value;
}

void column_builder_nano(struct column_builder *builder, struct nano value)
{
    DASSERT(builder->physical == PHYSICAL_NANO);
    *(struct nano *)next_value(builder) = value;
}

void column_builder_timestamp_us(struct column_builder *builder, int64_t micros)
{
    if (builder->physical != PHYSICAL_NANO) {
        column_builder_i64(builder, micros);
        return;
    }
    int64_t second = micros / MICROS_PER_SECOND;
    int64_t rest = micros % MICROS_PER_SECOND;
    if (rest < 0) {
        rest += MICROS_PER_SECOND;
        second--;
    }
    column_builder_nano(builder, (struct nano){second, rest * NANOS_PER_MICRO});
}

void column_builder_string(struct column_builder *builder, struct str value)
{
    DASSERT(builder->physical == PHYSICAL_STRING && value.size <= UINT32_MAX);
    const char *ptr = value.ptr;
    if (value.size > STRVIEW_INLINE_MAX) {
        ptr = arena_copy(builder->arena, value.ptr, value.size);
        builder->string_bytes += value.size;
    }
    *(struct strview *)next_value(builder) = strview_make(ptr, value.size);
}

void column_builder_string_borrow(struct column_builder *builder, struct str value)
{
    DASSERT(builder->physical == PHYSICAL_STRING && value.size <= UINT32_MAX);
    builder->string_bytes += value.size > STRVIEW_INLINE_MAX ? value.size : 0;
    *(struct strview *)next_value(builder) = strview_make(value.ptr, value.size);
}

struct column_builder *column_builder_child(struct column_builder *builder, uint32_t child)
{
    DASSERT(child < builder->child_count);
    return builder->children[child];
}

void column_builder_list_begin(struct column_builder *builder)
{
    struct list_view *view = next_value(builder);
    *view = (struct list_view){.offset = builder->children[0]->count};
}

void column_builder_list_end(struct column_builder *builder)
{
    struct list_view *view = (struct list_view *)(void *)builder->values + builder->count - 1;
    view->length = builder->children[0]->count - view->offset;
    if (view->length == 0) {
        view->offset = 0;
    }
    DASSERT(builder->child_count == 1 ||
            builder->children[1]->count == builder->children[0]->count);
}

void column_builder_row(struct column_builder *builder)
{
    (void)next_row(builder);
    DASSERT(builder->child_count == 0 || builder->children[0]->count == builder->count);
}

static void append_list(struct column_builder *builder, const struct column *holder, uint32_t at)
{
    const struct list_view *view = (const struct list_view *)holder->values + at;
    column_builder_list_begin(builder);
    for (uint32_t i = 0; i < view->length; i++) {
        for (uint32_t child = 0; child < builder->child_count; child++) {
            column_builder_value(builder->children[child], &holder->children[child],
                                 view->offset + i);
        }
    }
    column_builder_list_end(builder);
}

void column_builder_value(struct column_builder *builder, const struct column *column, uint32_t row)
{
    DASSERT(builder->physical == column->physical);
    if (column_is_null(column, row)) {
        column_builder_null(builder);
        return;
    }
    const struct column *holder = column_holder(column);
    uint32_t at = column_at(column, row);
    if (column->physical == PHYSICAL_STRING) {
        column_builder_string(builder, strview_str((const struct strview *)holder->values + at));
    } else if (column->physical == PHYSICAL_LIST || column->physical == PHYSICAL_MAP) {
        append_list(builder, holder, at);
    } else if (column->physical == PHYSICAL_ROW) {
        for (uint32_t child = 0; child < builder->child_count; child++) {
            column_builder_value(builder->children[child], &holder->children[child], at);
        }
        column_builder_row(builder);
    } else {
        size_t width = builder->width;
        memcpy(next_value(builder), (const char *)holder->values + width * at, width);
    }
}

void column_builder_truncate(struct column_builder *builder, uint32_t count)
{
    DASSERT(count <= builder->count);
    mark_valid(builder);
    uint32_t elements = 0;
    const struct list_view *views = (const struct list_view *)(const void *)builder->values;
    bool is_list = builder->physical == PHYSICAL_LIST || builder->physical == PHYSICAL_MAP;
    for (uint32_t row = 0; is_list && row < count; row++) {
        uint32_t end = views[row].offset + views[row].length;
        elements = end > elements ? end : elements;
    }
    for (uint32_t row = count; row < builder->count; row++) {
        builder->null_count -= !bits_get(builder->valid, row);
        bits_clear(builder->valid, row);
    }
    builder->count = builder->marked = count;
    for (uint32_t i = 0; i < builder->child_count; i++) {
        uint32_t keep = is_list ? elements : count;
        if (builder->children[i]->count > keep) {
            column_builder_truncate(builder->children[i], keep);
        }
    }
}

struct column column_builder_finish(struct column_builder *builder)
{
    if (builder->null_count > 0) {
        mark_valid(builder);
    }
    struct column column = {.physical = builder->physical,
                            .encoding = ENCODING_FLAT,
                            .row_count = builder->count,
                            .valid = builder->null_count == 0 ? NULL : builder->valid,
                            .values = builder->values,
                            .child_count = builder->child_count};
    for (uint32_t i = 0; i < builder->child_count; i++) {
        builder->finished[i] = column_builder_finish(builder->children[i]);
    }
    column.children = builder->child_count == 0 ? NULL : builder->finished;
    return column;
}

void column_builder_reset(struct column_builder *builder)
{
    memset(builder->valid, 0, bits_words(builder->marked) * sizeof *builder->valid);
    builder->count = 0;
    builder->marked = 0;
    builder->null_count = 0;
    builder->string_bytes = 0;
    for (uint32_t i = 0; i < builder->child_count; i++) {
        column_builder_reset(builder->children[i]);
    }
}

struct column column_builder_all_null(struct arena *arena, const struct type *type,
                                      uint32_t row_count)
{
    struct column_builder *builder = column_builder_new(arena, type, 1);
    struct column like = column_builder_finish(builder);
    return column_null(arena, &like, row_count);
}
