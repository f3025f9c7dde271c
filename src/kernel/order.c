// SPDX-License-Identifier: Apache-2.0
//
// Keys are measured first, column by column, then written, so that all rows share one allocation.
#include "kernel/order.h"

#include <string.h>

#include "base/arena.h"
#include "kernel/compare.h"

enum { NULL_FIRST = 0, VALUE = 1, NULL_LAST = 2, LIST_END = 1, LIST_MORE = 2, NANO_SIZE = 12 };

// Where bytes go: nowhere while measuring. `flip` is 0xff in a descending column.
struct writer {
    uint8_t *at; // NULL: measure only
    size_t size;
    uint8_t flip;
};

static void put_byte(struct writer *writer, uint8_t byte)
{
    if (writer->at != NULL) {
        writer->at[writer->size] = byte ^ writer->flip;
    }
    writer->size++;
}

// The lowest `width` bytes of `value`, highest first.
static void put_big_endian(struct writer *writer, uint128 value, size_t width)
{
    if (writer->at == NULL) {
        writer->size += width;
        return;
    }
    for (size_t i = 0; i < width; i++) {
        put_byte(writer, (uint8_t)(value >> (8 * (width - 1 - i))));
    }
}

static void put_signed(struct writer *writer, int128 value, size_t width)
{
    put_big_endian(writer, (uint128)value ^ ((uint128)1 << (8 * width - 1)), width);
}

static void put_f64(struct writer *writer, double value, size_t width)
{
    uint64_t bits;
    if (width == sizeof(float)) {
        float narrow = value != value ? __builtin_nanf("") : (float)value + 0.0F;
        uint32_t low;
        memcpy(&low, &narrow, sizeof low);
        bits = (low >> 31) != 0 ? (uint32_t)~low : low | UINT32_C(1) << 31;
    } else {
        double canonical = value != value ? __builtin_nan("") : value + 0.0;
        memcpy(&bits, &canonical, sizeof bits);
        bits = (bits >> 63) != 0 ? ~bits : bits | UINT64_C(1) << 63;
    }
    put_big_endian(writer, bits, width);
}

static void put_string(struct writer *writer, const struct strview *view)
{
    const char *bytes = strview_ptr(view);
    for (uint32_t i = 0; i < view->size; i++) {
        put_byte(writer, (uint8_t)bytes[i]);
        if (bytes[i] == 0) {
            put_byte(writer, 0xff);
        }
    }
    put_byte(writer, 0);
    put_byte(writer, 1);
}

static void put_value(struct writer *writer, const struct column *column, uint32_t row);

// Fields, elements, keys: with a null byte of their own, nulls first.
static void put_nested(struct writer *writer, const struct column *column, uint32_t row)
{
    bool is_null = column_is_null(column, row);
    put_byte(writer, is_null ? NULL_FIRST : VALUE);
    if (!is_null) {
        put_value(writer, column, row);
    }
}

static void put_list(struct writer *writer, const struct column *holder,
                     const struct list_view *view)
{
    for (uint32_t i = 0; i < view->length; i++) {
        put_byte(writer, LIST_MORE);
        for (uint32_t child = 0; child < holder->child_count; child++) {
            put_nested(writer, &holder->children[child], view->offset + i);
        }
    }
    put_byte(writer, LIST_END);
}

static void put_value(struct writer *writer, const struct column *column, uint32_t row)
{
    const struct column *holder = column_holder(column);
    if (column->physical == PHYSICAL_ROW) {
        for (uint32_t child = 0; child < holder->child_count; child++) {
            put_nested(writer, &holder->children[child], column_at(column, row));
        }
        return;
    }
    const void *value = column_value(column, row);
    switch (column->physical) {
    case PHYSICAL_BOOL: put_byte(writer, *(const uint8_t *)value); return;
    case PHYSICAL_I8: put_signed(writer, *(const int8_t *)value, 1); return;
    case PHYSICAL_I16: put_signed(writer, *(const int16_t *)value, 2); return;
    case PHYSICAL_I32: put_signed(writer, *(const int32_t *)value, 4); return;
    case PHYSICAL_I64: put_signed(writer, *(const int64_t *)value, 8); return;
    case PHYSICAL_I128: put_signed(writer, *(const int128 *)value, 16); return;
    case PHYSICAL_F32: put_f64(writer, (double)*(const float *)value, 4); return;
    case PHYSICAL_F64: put_f64(writer, *(const double *)value, 8); return;
    case PHYSICAL_NANO:
        put_signed(writer, ((const struct nano *)value)->second, 8);
        put_big_endian(writer, (uint128)((const struct nano *)value)->nanosecond, 4);
        return;
    case PHYSICAL_STRING: put_string(writer, value); return;
    case PHYSICAL_LIST:
    case PHYSICAL_MAP: put_list(writer, holder, value); return;
    case PHYSICAL_ROW: return;
    }
}

static void put_column(struct writer *writer, const struct column *column,
                       const struct order_column *order, uint32_t row)
{
    writer->flip = 0;
    if (column_is_null(column, row)) {
        put_byte(writer, order->nulls_first ? NULL_FIRST : NULL_LAST);
        return;
    }
    put_byte(writer, VALUE);
    writer->flip = order->is_descending ? 0xff : 0;
    put_value(writer, column, row);
}

// Bytes of a value that is not null, where all values have the same; 0 where they differ.
static size_t fixed_size(enum physical physical)
{
    switch (physical) {
    case PHYSICAL_BOOL:
    case PHYSICAL_I8:
    case PHYSICAL_I16:
    case PHYSICAL_I32:
    case PHYSICAL_I64:
    case PHYSICAL_I128:
    case PHYSICAL_F32:
    case PHYSICAL_F64: return physical_width(physical);
    case PHYSICAL_NANO: return NANO_SIZE;
    case PHYSICAL_STRING:
    case PHYSICAL_LIST:
    case PHYSICAL_MAP:
    case PHYSICAL_ROW: return 0;
    }
    return 0;
}

static void measure_column(const struct column *column, uint32_t row_count, uint64_t *sizes)
{
    size_t fixed = fixed_size(column->physical);
    for (uint32_t row = 0; row < row_count; row++) {
        if (column_is_null(column, row)) {
            sizes[row] += 1;
        } else if (fixed != 0) {
            sizes[row] += 1 + fixed;
        } else {
            struct writer writer = {0};
            put_value(&writer, column, row);
            sizes[row] += 1 + writer.size;
        }
    }
}

enum status order_encode(struct arena *arena, const struct column *columns,
                         const struct order_spec *spec, struct order_keys *out, struct err *err)
{
    uint32_t row_count = spec->count == 0 ? 0 : columns[0].row_count;
    uint64_t *sizes = arena_zalloc(arena, sizeof *sizes * (row_count + 1));
    for (uint32_t i = 0; i < spec->count; i++) {
        measure_column(&columns[i], row_count, sizes);
    }
    uint32_t *offsets = arena_alloc(arena, sizeof *offsets * (row_count + 1));
    uint64_t total = 0;
    for (uint32_t row = 0; row < row_count; row++) {
        offsets[row] = (uint32_t)total;
        total += sizes[row];
        if (total > UINT32_MAX) {
            return ERR(err, STATUS_LIMIT, "sort keys of more than 4 GiB in one batch");
        }
    }
    offsets[row_count] = (uint32_t)total;
    uint8_t *bytes = arena_alloc(arena, total);
    for (uint32_t row = 0; row < row_count; row++) {
        struct writer writer = {.at = bytes + offsets[row]};
        for (uint32_t i = 0; i < spec->count; i++) {
            put_column(&writer, &columns[i], &spec->orders[i], row);
        }
    }
    *out = (struct order_keys){row_count, offsets, bytes};
    return STATUS_OK;
}

// The first eight bytes as a number, so that most comparisons touch no key.
struct sort_item {
    uint64_t head;
    uint32_t row;
};

static uint64_t key_head(const struct order_keys *keys, uint32_t row)
{
    uint64_t head = 0;
    const uint8_t *key = keys->bytes + keys->offsets[row];
    uint32_t size = keys->offsets[row + 1] - keys->offsets[row];
    for (uint32_t i = 0; i < 8; i++) {
        head = head << 8 | (i < size ? key[i] : 0);
    }
    return head;
}

static bool item_precedes(const struct order_keys *keys, const struct sort_item *a,
                          const struct sort_item *b)
{
    if (a->head != b->head) {
        return a->head < b->head;
    }
    uint32_t a_size = keys->offsets[a->row + 1] - keys->offsets[a->row];
    uint32_t b_size = keys->offsets[b->row + 1] - keys->offsets[b->row];
    int order = memcmp(keys->bytes + keys->offsets[a->row], keys->bytes + keys->offsets[b->row],
                       a_size < b_size ? a_size : b_size);
    return order != 0 ? order < 0 : a_size < b_size;
}

static void merge(const struct order_keys *keys, const struct sort_item *in, uint32_t middle,
                  uint32_t end, struct sort_item *out)
{
    uint32_t left = 0;
    uint32_t right = middle;
    for (uint32_t i = 0; i < end; i++) {
        bool take_right =
            left == middle || (right < end && item_precedes(keys, &in[right], &in[left]));
        out[i] = take_right ? in[right++] : in[left++];
    }
}

static void insertion_sort(const struct order_keys *keys, struct sort_item *items, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct sort_item item = items[i];
        uint32_t at = i;
        for (; at > 0 && item_precedes(keys, &item, &items[at - 1]); at--) {
            items[at] = items[at - 1];
        }
        items[at] = item;
    }
}

void order_sort(struct arena *arena, const struct order_keys *keys, uint32_t *positions)
{
    enum { RUN_ROWS = 16 };
    struct sort_item *items = arena_alloc(arena, sizeof *items * keys->count);
    struct sort_item *other = arena_alloc(arena, sizeof *other * keys->count);
    for (uint32_t row = 0; row < keys->count; row++) {
        items[row] = (struct sort_item){key_head(keys, row), row};
    }
    for (uint32_t from = 0; from < keys->count; from += RUN_ROWS) {
        uint32_t left = keys->count - from;
        insertion_sort(keys, items + from, left < RUN_ROWS ? left : RUN_ROWS);
    }
    for (uint64_t width = RUN_ROWS; width < keys->count; width *= 2) {
        for (uint64_t from = 0; from < keys->count; from += 2 * width) {
            uint64_t left = keys->count - from;
            merge(keys, items + from, (uint32_t)(left < width ? left : width),
                  (uint32_t)(left < 2 * width ? left : 2 * width), other + from);
        }
        struct sort_item *swap = items;
        items = other;
        other = swap;
    }
    for (uint32_t i = 0; i < keys->count; i++) {
        positions[i] = items[i].row;
    }
}

int order_compare(const struct order_spec *spec, struct order_row a, struct order_row b)
{
    for (uint32_t i = 0; i < spec->count; i++) {
        const struct order_column *order = &spec->orders[i];
        bool a_is_null = column_is_null(&a.columns[i], a.row);
        bool b_is_null = column_is_null(&b.columns[i], b.row);
        if (a_is_null != b_is_null) {
            return a_is_null == order->nulls_first ? -1 : 1;
        }
        int result = compare_values(&a.columns[i], a.row, &b.columns[i], b.row);
        if (result != 0) {
            return order->is_descending ? -result : result;
        }
    }
    return 0;
}
