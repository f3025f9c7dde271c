// SPDX-License-Identifier: Apache-2.0
#include "state/row_layout.h"

#include "base/arena.h"
#include "base/assert.h"
#include "base/hash.h"
#include "state/row_layout_int.h"
#include "state/row_value.h"

_Static_assert(sizeof(struct row) == 16, "row header");

// A string as a field: as struct strview, but for long ones the place of the bytes.
struct field_string {
    uint32_t size;
    char prefix[4];
    uint32_t offset; // from the start of the row
    uint32_t capacity;
};
_Static_assert(sizeof(struct field_string) == sizeof(struct strview), "string fields");

static size_t align8(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

// --- layouts -----------------------------------------------------------------------------------

static uint64_t layout_id(const struct row_layout *layout, struct arena *arena)
{
    uint64_t id = hash_combine(layout->key_count, layout->field_count);
    id = hash_combine(id, layout->extra_size);
    for (uint32_t i = 0; i < layout->field_count; i++) {
        struct str text = type_text(arena, type_with_null(arena, layout->fields[i].type, true));
        id = hash_combine(id, hash_bytes(text.ptr, text.size, i));
    }
    return id;
}

const struct row_layout *row_layout_new(struct arena *arena, const struct type *const *types,
                                        uint32_t key_count, uint32_t field_count,
                                        uint32_t extra_size)
{
    struct row_layout *layout = arena_new(arena, struct row_layout);
    struct row_field *fields = arena_new_array(arena, struct row_field, field_count + 1);
    size_t at = sizeof(struct row);
    for (uint32_t i = 0; i < field_count; i++) {
        fields[i].type = types[i];
        fields[i].physical = type_physical(types[i]);
        if (fields[i].physical >= PHYSICAL_LIST) {
            fields[i].physical = PHYSICAL_STRING;
            fields[i].is_nested = true;
        }
        layout->has_variable |= fields[i].physical == PHYSICAL_STRING;
    }
    layout->extra_size = (uint32_t)align8(extra_size);
    // Widest first, so that nothing is lost to alignment.
    for (size_t width = 16; width >= 1; width /= 2) {
        if (width == 4) {
            layout->extra_offset = (uint32_t)at;
            at += layout->extra_size;
        }
        for (uint32_t i = 0; i < field_count; i++) {
            if (physical_width(fields[i].physical) == width) {
                fields[i].offset = (uint32_t)at;
                at += width;
            }
        }
    }
    layout->valid_offset = (uint32_t)at;
    layout->fixed_size = (uint32_t)align8(at + (field_count + 7) / 8);
    layout->key_count = key_count;
    layout->field_count = field_count;
    layout->fields = fields;
    layout->id = layout_id(layout, arena);
    return layout;
}

// --- reading -----------------------------------------------------------------------------------

static const void *field_at(const struct row_field *field, const struct row *row)
{
    return (const char *)row + field->offset;
}

static struct field_string load_string(const struct row_field *field, const struct row *row)
{
    struct field_string string;
    memcpy(&string, field_at(field, row), sizeof string);
    return string;
}

static const char *string_ptr(const struct row_field *field, const struct row *row,
                              const struct field_string *string)
{
    return string->size <= STRVIEW_INLINE_MAX
               ? (const char *)field_at(field, row) + offsetof(struct field_string, prefix)
               : (const char *)row + string->offset;
}

struct str row_string(const struct row_layout *layout, const struct row *row, uint32_t at)
{
    const struct row_field *field = &layout->fields[at];
    struct field_string string = load_string(field, row);
    return (struct str){string_ptr(field, row, &string), string.size};
}

static void gather_strings(const struct row_field *field, struct row *const *rows, uint32_t count,
                           struct arena *arena, struct strview *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i] == NULL) {
            out[i] = (struct strview){0};
            continue;
        }
        struct field_string string = load_string(field, rows[i]);
        if (string.size <= STRVIEW_INLINE_MAX) {
            memcpy(&out[i], &string, sizeof string);
        } else {
            const char *bytes = (const char *)rows[i] + string.offset;
            out[i] = strview_make(arena_copy(arena, bytes, string.size), string.size);
        }
    }
}

#define GATHER(type)                                                                               \
    for (uint32_t i = 0; i < count; i++) {                                                         \
        if (rows[i] != NULL) {                                                                     \
            memcpy((char *)out + i * sizeof(type), (const char *)rows[i] + offset, sizeof(type));  \
        } else {                                                                                   \
            memset((char *)out + i * sizeof(type), 0, sizeof(type));                               \
        }                                                                                          \
    }

static void gather_fixed(size_t width, size_t offset, struct row *const *rows, uint32_t count,
                         void *out)
{
    switch (width) {
    case 1: GATHER(uint8_t); break;
    case 2: GATHER(uint16_t); break;
    case 4: GATHER(uint32_t); break;
    case 8: GATHER(uint64_t); break;
    default: GATHER(int128); break;
    }
}

static const uint64_t *gather_valid(const struct row_layout *layout, uint32_t field,
                                    struct row *const *rows, uint32_t count, struct arena *arena)
{
    uint64_t *valid = arena_zalloc(arena, (bits_words(count) + 1) * sizeof *valid);
    uint32_t nulls = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_null = rows[i] == NULL || row_is_null(layout, rows[i], field);
        nulls += is_null;
        valid[i / 64] |= (uint64_t)!is_null << (i % 64);
    }
    return nulls == 0 ? NULL : valid;
}

static struct column gather_nested(const struct row_layout *layout, uint32_t at,
                                   struct row *const *rows, uint32_t count, struct arena *arena)
{
    struct str *values = arena_new_array(arena, struct str, count + 1);
    struct column column;
    struct err err;
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i] != NULL && !row_is_null(layout, rows[i], at)) {
            values[i] = row_string(layout, rows[i], at);
        }
    }
    // What row_value_write() wrote; images from files were checked when they were restored.
    enum status status =
        row_value_read(layout->fields[at].type, values, count, arena, &column, &err);
    ASSERT(status == STATUS_OK);
    return column;
}

struct column row_layout_column(const struct row_layout *layout, uint32_t at,
                                struct row *const *rows, uint32_t count, struct arena *arena)
{
    const struct row_field *field = &layout->fields[at];
    if (field->is_nested) {
        return gather_nested(layout, at, rows, count, arena);
    }
    size_t width = physical_width(field->physical);
    void *values = arena_alloc64(arena, (count + 1) * width);
    if (field->physical == PHYSICAL_STRING) {
        gather_strings(field, rows, count, arena, values);
    } else {
        gather_fixed(width, field->offset, rows, count, values);
    }
    return (struct column){
        .physical = field->physical,
        .encoding = ENCODING_FLAT,
        .row_count = count,
        .valid = gather_valid(layout, at, rows, count, arena),
        .values = values,
    };
}

// --- writing -----------------------------------------------------------------------------------

static size_t variable_size(const struct row_field *field, const struct column *column, uint32_t at)
{
    if (field->physical != PHYSICAL_STRING || column_is_null(column, at)) {
        return 0;
    }
    size_t size = field->is_nested ? row_value_size(column, at)
                                   : ((const struct strview *)column_value(column, at))->size;
    return size <= STRVIEW_INLINE_MAX ? 0 : size;
}

size_t row_layout_size(const struct row_layout *layout, const struct column *columns,
                       uint32_t column_count, uint32_t at)
{
    size_t size = layout->fixed_size;
    if (layout->has_variable) {
        for (uint32_t i = 0; i < column_count; i++) {
            size += variable_size(&layout->fields[i], &columns[i], at);
        }
    }
    return align8(size);
}

static void set_valid(const struct row_layout *layout, struct row *row, uint32_t field, bool valid)
{
    uint8_t *byte = (uint8_t *)row + layout->valid_offset + field / 8;
    uint8_t bit = (uint8_t)(1 << (field % 8));
    *byte = valid ? *byte | bit : (uint8_t)(*byte & ~bit);
}

// Puts `size` bytes at `place` of the row where they do not fit into the field.
static char *string_room(const struct row_field *field, struct row *row, size_t size, size_t *place)
{
    struct field_string string = {.size = (uint32_t)size};
    char *into = (char *)row + field->offset;
    if (size > STRVIEW_INLINE_MAX) {
        string.offset = (uint32_t)*place;
        string.capacity = (uint32_t)size;
        *place += size;
        memcpy(into, &string, sizeof string);
        return (char *)row + string.offset;
    }
    memcpy(into, &string, sizeof string);
    return into + offsetof(struct field_string, prefix);
}

static void write_string(const struct row_field *field, const struct column *column, uint32_t at,
                         struct row *row, size_t *place)
{
    size_t size = field->is_nested ? row_value_size(column, at)
                                   : ((const struct strview *)column_value(column, at))->size;
    char *bytes = string_room(field, row, size, place);
    if (field->is_nested) {
        row_value_write(column, at, bytes);
    } else {
        memcpy(bytes, strview_ptr(column_value(column, at)), size);
    }
    if (size > STRVIEW_INLINE_MAX) {
        char *prefix = (char *)row + field->offset + offsetof(struct field_string, prefix);
        memcpy(prefix, bytes, 4);
    }
}

static void write_fixed(const struct row_field *field, const void *value, struct row *row)
{
    char *into = (char *)row + field->offset;
    switch (physical_width(field->physical)) {
    case 1: memcpy(into, value, 1); break;
    case 2: memcpy(into, value, 2); break;
    case 4: memcpy(into, value, 4); break;
    case 8: memcpy(into, value, 8); break;
    default: memcpy(into, value, 16); break;
    }
}

void row_layout_write(const struct row_layout *layout, const struct column *columns,
                      uint32_t column_count, uint32_t at, struct row *row)
{
    size_t place = layout->fixed_size;
    memset((char *)row + sizeof *row, 0, layout->fixed_size - sizeof *row);
    for (uint32_t i = 0; i < column_count; i++) {
        const struct row_field *field = &layout->fields[i];
        if (column_is_null(&columns[i], at)) {
            continue;
        }
        set_valid(layout, row, i, true);
        if (field->physical == PHYSICAL_STRING) {
            write_string(field, &columns[i], at, row, &place);
        } else {
            write_fixed(field, column_value(&columns[i], at), row);
        }
    }
    memset((char *)row + place, 0, align8(place) - place);
}

bool row_layout_set(const struct row_layout *layout, struct row *row, uint32_t at,
                    const struct column *column, uint32_t from)
{
    const struct row_field *field = &layout->fields[at];
    char *into = (char *)row + field->offset;
    if (column_is_null(column, from)) {
        memset(into, 0, physical_width(field->physical));
        set_valid(layout, row, at, false);
        return true;
    }
    if (field->physical != PHYSICAL_STRING) {
        write_fixed(field, column_value(column, from), row);
        set_valid(layout, row, at, true);
        return true;
    }
    size_t size = field->is_nested ? row_value_size(column, from)
                                   : ((const struct strview *)column_value(column, from))->size;
    struct field_string old = load_string(field, row);
    bool has_room = old.size > STRVIEW_INLINE_MAX;
    if (size > STRVIEW_INLINE_MAX && (!has_room || size > old.capacity)) {
        return false;
    }
    size_t place = old.offset;
    uint32_t capacity = old.capacity;
    write_string(field, column, from, row, &place);
    if (size > STRVIEW_INLINE_MAX) {
        memcpy(into + offsetof(struct field_string, capacity), &capacity, sizeof capacity);
    }
    set_valid(layout, row, at, true);
    return true;
}

size_t row_layout_move(const struct row_layout *layout, const struct row *from, uint32_t skip,
                       size_t skip_room, struct row *to)
{
    size_t place = layout->fixed_size;
    if (to != NULL) {
        memcpy((char *)to + sizeof *to, (const char *)from + sizeof *from,
               layout->fixed_size - sizeof *from);
    }
    for (uint32_t i = 0; layout->has_variable && i < layout->field_count; i++) {
        const struct row_field *field = &layout->fields[i];
        if (field->physical != PHYSICAL_STRING || (i != skip && row_is_null(layout, from, i))) {
            continue;
        }
        struct field_string string = load_string(field, from);
        size_t room = i == skip ? skip_room : string.size;
        if (room <= STRVIEW_INLINE_MAX) {
            continue;
        }
        if (to != NULL) {
            if (i == skip) {
                string.size = (uint32_t)room;
                memset((char *)to + place, 0, room);
            } else {
                memcpy((char *)to + place, (const char *)from + string.offset, string.size);
            }
            string.offset = (uint32_t)place;
            string.capacity = (uint32_t)room;
            memcpy((char *)to + field->offset, &string, sizeof string);
        }
        place += room;
    }
    if (to != NULL) {
        memset((char *)to + place, 0, align8(place) - place);
    }
    return align8(place);
}

// --- checking ----------------------------------------------------------------------------------

static enum status check_string(const struct row_field *field, uint32_t at,
                                const struct row_layout *layout, const struct row *row, size_t size,
                                struct err *err)
{
    struct field_string string = load_string(field, row);
    if (string.size <= STRVIEW_INLINE_MAX) {
        const char *bytes = (const char *)field_at(field, row) + 4;
        for (uint32_t i = string.size; i < STRVIEW_INLINE_MAX && string.size > 0; i++) {
            if (bytes[i] != 0) {
                return ERR(err, STATUS_INVALID_DATA, "field %u of a row: a short string's tail",
                           at);
            }
        }
        return STATUS_OK;
    }
    if (string.offset < layout->fixed_size || string.capacity < string.size ||
        (uint64_t)string.offset + string.capacity > size) {
        return ERR(err, STATUS_INVALID_DATA, "field %u of a row: %u bytes at %u of %zu", at,
                   string.size, string.offset, size);
    }
    if (memcmp(string.prefix, (const char *)row + string.offset, 4) != 0) {
        return ERR(err, STATUS_INVALID_DATA, "field %u of a row: the prefix is not the start", at);
    }
    return STATUS_OK;
}

static enum status check_nested(const struct row_layout *layout, const struct row *row, uint32_t at,
                                struct err *err)
{
    struct arena arena;
    struct column column;
    arena_init(&arena);
    struct str value = row_string(layout, row, at);
    enum status status = row_value_read(layout->fields[at].type, &value, 1, &arena, &column, err);
    arena_release(&arena);
    return status;
}

static enum status check_null(const struct row_field *field, uint32_t at, const struct row *row,
                              struct err *err)
{
    static const char zero[sizeof(struct field_string)];
    if (memcmp(field_at(field, row), zero, physical_width(field->physical)) != 0) {
        return ERR(err, STATUS_INVALID_DATA, "field %u of a row is null and not zero", at);
    }
    return STATUS_OK;
}

enum status row_layout_check(const struct row_layout *layout, const struct row *row, size_t size,
                             struct err *err)
{
    if (size < layout->fixed_size) {
        return ERR(err, STATUS_INVALID_DATA, "a row of %zu bytes, %u at least", size,
                   layout->fixed_size);
    }
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const struct row_field *field = &layout->fields[i];
        if (row_is_null(layout, row, i)) {
            TRY(check_null(field, i, row, err));
            continue;
        }
        if (field->physical == PHYSICAL_STRING) {
            TRY(check_string(field, i, layout, row, size, err));
        } else if (field->physical == PHYSICAL_BOOL && *(const uint8_t *)field_at(field, row) > 1) {
            return ERR(err, STATUS_INVALID_DATA, "field %u of a row: no boolean", i);
        }
        if (field->is_nested) {
            TRY(check_nested(layout, row, i, err));
        }
    }
    return STATUS_OK;
}
