// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_footer.h"

#include "base/arena.h"
#include "codec/thrift.h"

// Less than any real one.
enum { ELEMENT_BYTES_MIN = 3, CHUNK_BYTES_MIN = 12 };

static void skip_struct(struct thrift_reader *reader)
{
    struct thrift_struct at = thrift_struct_begin(reader);
    while (thrift_struct_next(reader, &at)) {
        thrift_skip(reader, &at);
    }
}

// The count of a list whose structs take at least `least` bytes each, so that what a damaged footer
// makes us allocate stays in proportion to its size.
static uint32_t list_of_structs(struct thrift_reader *reader, const struct thrift_struct *at,
                                uint32_t least)
{
    uint32_t count = thrift_list(reader, at, THRIFT_STRUCT);
    if (count > (size_t)(reader->end - reader->at) / least) {
        thrift_fail(reader, "a list has more elements than bytes are left");
        return 0;
    }
    return count;
}

// ---- schema ----

static void read_unit(struct thrift_reader *reader, enum parquet_unit *out)
{
    struct thrift_struct at = thrift_struct_begin(reader);
    while (thrift_struct_next(reader, &at)) {
        if (at.id >= PARQUET_MILLIS && at.id <= PARQUET_NANOS) {
            *out = (enum parquet_unit)at.id;
        }
        thrift_skip(reader, &at);
    }
}

static void read_time(struct thrift_reader *reader, struct parquet_element *out)
{
    struct thrift_struct at = thrift_struct_begin(reader);
    while (thrift_struct_next(reader, &at)) {
        if (at.id == 1) {
            out->is_utc = thrift_bool(reader, &at);
        } else if (at.id == 2 && thrift_is_struct(reader, &at)) {
            read_unit(reader, &out->unit);
        } else {
            thrift_skip(reader, &at);
        }
    }
}

static void read_decimal(struct thrift_reader *reader, struct parquet_element *out)
{
    struct thrift_struct at = thrift_struct_begin(reader);
    while (thrift_struct_next(reader, &at)) {
        if (at.id == 1) {
            out->scale = thrift_i32(reader, &at);
        } else if (at.id == 2) {
            out->precision = thrift_i32(reader, &at);
        } else {
            thrift_skip(reader, &at);
        }
    }
}

static void read_integer(struct thrift_reader *reader, struct parquet_element *out)
{
    struct thrift_struct at = thrift_struct_begin(reader);
    while (thrift_struct_next(reader, &at)) {
        if (at.id == 1) {
            out->int_width = thrift_i8(reader, &at);
        } else if (at.id == 2) {
            out->int_signed = thrift_bool(reader, &at);
        } else {
            thrift_skip(reader, &at);
        }
    }
}

// A union: the one field that is set says the type. Unknown ones are as if nothing were said.
static void read_logical(struct thrift_reader *reader, struct parquet_element *out)
{
    struct thrift_struct at = thrift_struct_begin(reader);
    while (thrift_struct_next(reader, &at)) {
        if (!thrift_is_struct(reader, &at)) {
            continue;
        }
        out->logical = at.id >= PARQUET_LOGICAL_STRING && at.id <= PARQUET_LOGICAL_GEOGRAPHY
                           ? (enum parquet_logical)at.id
                           : PARQUET_LOGICAL_NONE;
        switch (at.id) {
        case PARQUET_LOGICAL_DECIMAL: read_decimal(reader, out); break;
        case PARQUET_LOGICAL_TIME:
        case PARQUET_LOGICAL_TIMESTAMP: read_time(reader, out); break;
        case PARQUET_LOGICAL_INTEGER: read_integer(reader, out); break;
        default: skip_struct(reader);
        }
    }
}

static void read_element_field(struct thrift_reader *reader, const struct thrift_struct *at,
                               struct parquet_element *out)
{
    int32_t number;
    switch (at->id) {
    case 1:
        number = thrift_i32(reader, at);
        if (number < 0 || number > PARQUET_FIXED) {
            thrift_fail(reader, "a column has an unknown physical type");
        }
        out->physical = (enum parquet_physical)number;
        break;
    case 2: out->length = thrift_i32(reader, at); break;
    case 3:
        number = thrift_i32(reader, at);
        if (number < 0 || number > PARQUET_REPEATED) {
            thrift_fail(reader, "a column has an unknown repetition");
        }
        out->repetition = (enum parquet_repetition)number;
        break;
    case 4: out->name = thrift_binary(reader, at); break;
    case 5:
        number = thrift_i32(reader, at);
        if (number < 0) {
            thrift_fail(reader, "a group has less than no children");
        }
        out->child_count = (uint32_t)number;
        break;
    case 6:
        number = thrift_i32(reader, at);
        out->converted = number >= 0 && number <= PARQUET_CONVERTED_INTERVAL
                             ? (enum parquet_converted)number
                             : PARQUET_CONVERTED_NONE;
        break;
    case 7: out->scale = thrift_i32(reader, at); break;
    case 8: out->precision = thrift_i32(reader, at); break;
    case 9: out->id = thrift_i32(reader, at); break;
    case 10:
        if (thrift_is_struct(reader, at)) {
            read_logical(reader, out);
        }
        break;
    default: thrift_skip(reader, at);
    }
}

static void read_element(struct thrift_reader *reader, struct parquet_element *out)
{
    *out = (struct parquet_element){
        .physical = PARQUET_GROUP, .converted = PARQUET_CONVERTED_NONE, .id = PARQUET_NO_ID};
    struct thrift_struct at = thrift_struct_begin(reader);
    while (thrift_struct_next(reader, &at)) {
        read_element_field(reader, &at, out);
    }
    if (out->physical == PARQUET_FIXED && out->length <= 0) {
        thrift_fail(reader, "a fixed-length column has no length");
    }
}

// ---- chunks ----

static void read_statistics(struct thrift_reader *reader, struct parquet_statistics *out)
{
    struct thrift_struct at = thrift_struct_begin(reader);
    while (thrift_struct_next(reader, &at)) {
        switch (at.id) {
        case 1: out->old_upper = thrift_binary(reader, &at); break;
        case 2: out->old_lower = thrift_binary(reader, &at); break;
        case 3: out->null_count = thrift_i64(reader, &at); break;
        case 5: out->upper = thrift_binary(reader, &at); break;
        case 6: out->lower = thrift_binary(reader, &at); break;
        case 9: out->nan_count = thrift_i64(reader, &at); break;
        default: thrift_skip(reader, &at);
        }
    }
}

// PageEncodingStats: whether there are data pages, all of dictionary codes.
static bool read_encoding_stats(struct thrift_reader *reader, const struct thrift_struct *list)
{
    uint32_t count = list_of_structs(reader, list, 1);
    bool is_dictionary = true;
    bool any = false;
    for (uint32_t i = 0; i < count && reader->failure == NULL; i++) {
        int32_t fields[4] = {0, -1, -1, 0};
        struct thrift_struct at = thrift_struct_begin(reader);
        while (thrift_struct_next(reader, &at)) {
            if (at.id >= 1 && at.id <= 3) {
                fields[at.id] = thrift_i32(reader, &at);
            } else {
                thrift_skip(reader, &at);
            }
        }
        bool is_data = fields[1] == PARQUET_DATA_V1 || fields[1] == PARQUET_DATA_V2;
        bool has_codes =
            fields[2] == PARQUET_PLAIN_DICTIONARY || fields[2] == PARQUET_RLE_DICTIONARY;
        any |= is_data && has_codes;
        is_dictionary &= !is_data || has_codes || fields[3] == 0;
    }
    return any && is_dictionary;
}

static void read_column_meta(struct thrift_reader *reader, struct parquet_chunk_meta *out)
{
    struct thrift_struct at = thrift_struct_begin(reader);
    out->has_meta = true;
    while (thrift_struct_next(reader, &at)) {
        switch (at.id) {
        case 1: out->physical = thrift_i32(reader, &at); break;
        case 4: out->codec = thrift_i32(reader, &at); break;
        case 5: out->value_count = thrift_i64(reader, &at); break;
        case 6: out->plain_bytes = thrift_i64(reader, &at); break;
        case 7: out->packed_bytes = thrift_i64(reader, &at); break;
        case 9: out->data_offset = thrift_i64(reader, &at); break;
        case 11: out->dictionary_offset = thrift_i64(reader, &at); break;
        case 12:
            if (thrift_is_struct(reader, &at)) {
                read_statistics(reader, &out->statistics);
            }
            break;
        case 13: out->is_dictionary = read_encoding_stats(reader, &at); break;
        case 14: out->bloom_offset = thrift_i64(reader, &at); break;
        default: thrift_skip(reader, &at);
        }
    }
}

static void read_chunk(struct thrift_reader *reader, struct parquet_chunk_meta *out)
{
    *out = (struct parquet_chunk_meta){
        .physical = -1, .codec = -1, .statistics = {.null_count = -1, .nan_count = -1}};
    bool elsewhere = false;
    struct thrift_struct at = thrift_struct_begin(reader);
    while (thrift_struct_next(reader, &at)) {
        switch (at.id) {
        case 1: elsewhere = thrift_binary(reader, &at).size > 0; break;
        case 3:
            if (thrift_is_struct(reader, &at)) {
                read_column_meta(reader, out);
            }
            break;
        case 4: out->offset_index_offset = thrift_i64(reader, &at); break;
        case 5: out->offset_index_size = thrift_i32(reader, &at); break;
        case 6: out->column_index_offset = thrift_i64(reader, &at); break;
        case 7: out->column_index_size = thrift_i32(reader, &at); break;
        case 8: // crypto_metadata
            elsewhere = true;
            thrift_skip(reader, &at);
            break;
        default: thrift_skip(reader, &at);
        }
    }
    out->has_meta = out->has_meta && !elsewhere;
}

static void read_group(struct thrift_reader *reader, struct arena *arena,
                       struct parquet_group_meta *out)
{
    *out = (struct parquet_group_meta){0};
    struct thrift_struct at = thrift_struct_begin(reader);
    while (thrift_struct_next(reader, &at)) {
        switch (at.id) {
        case 1:
            out->chunk_count = list_of_structs(reader, &at, CHUNK_BYTES_MIN);
            out->chunks = arena_new_array(arena, struct parquet_chunk_meta, out->chunk_count + 1);
            for (uint32_t i = 0; i < out->chunk_count && reader->failure == NULL; i++) {
                read_chunk(reader, &out->chunks[i]);
            }
            break;
        case 2: out->bytes = thrift_i64(reader, &at); break;
        case 3: out->row_count = thrift_i64(reader, &at); break;
        default: thrift_skip(reader, &at);
        }
    }
    if (out->row_count < 0) {
        thrift_fail(reader, "a row group has less than no rows");
    }
}

// ---- the footer ----

static void read_key_value(struct thrift_reader *reader, struct parquet_key_value *out)
{
    struct thrift_struct at = thrift_struct_begin(reader);
    while (thrift_struct_next(reader, &at)) {
        if (at.id == 1) {
            out->key = thrift_binary(reader, &at);
        } else if (at.id == 2) {
            out->value = thrift_binary(reader, &at);
        } else {
            thrift_skip(reader, &at);
        }
    }
}

// ColumnOrder, a union: 1 is TypeDefinedOrder, 2 IEEE754TotalOrder; in both the bounds we look at
// leave out NaN or are NaN, which is looked at when they are used.
static bool read_order(struct thrift_reader *reader)
{
    bool known = false;
    struct thrift_struct at = thrift_struct_begin(reader);
    while (thrift_struct_next(reader, &at)) {
        known |= at.id == 1 || at.id == 2;
        thrift_skip(reader, &at);
    }
    return known;
}

static void read_lists(struct thrift_reader *reader, struct arena *arena,
                       const struct thrift_struct *at, struct parquet_footer *out)
{
    uint32_t count = list_of_structs(reader, at, at->id == 7 ? 1 : ELEMENT_BYTES_MIN);
    switch (at->id) {
    case 2:
        out->element_count = count;
        out->elements = arena_new_array(arena, struct parquet_element, count + 1);
        for (uint32_t i = 0; i < count && reader->failure == NULL; i++) {
            read_element(reader, &out->elements[i]);
        }
        break;
    case 4:
        out->group_count = count;
        out->groups = arena_new_array(arena, struct parquet_group_meta, count + 1);
        for (uint32_t i = 0; i < count && reader->failure == NULL; i++) {
            read_group(reader, arena, &out->groups[i]);
        }
        break;
    case 5:
        out->key_value_count = count;
        out->key_values = arena_new_array(arena, struct parquet_key_value, count + 1);
        for (uint32_t i = 0; i < count && reader->failure == NULL; i++) {
            read_key_value(reader, &out->key_values[i]);
        }
        break;
    default:
        out->is_ordered = count > 0;
        for (uint32_t i = 0; i < count && reader->failure == NULL; i++) {
            out->is_ordered = read_order(reader) && out->is_ordered;
        }
    }
}

static void read_footer(struct thrift_reader *reader, struct arena *arena,
                        struct parquet_footer *out)
{
    struct thrift_struct at = thrift_struct_begin(reader);
    while (thrift_struct_next(reader, &at)) {
        switch (at.id) {
        case 1: out->version = thrift_i32(reader, &at); break;
        case 3: out->row_count = thrift_i64(reader, &at); break;
        case 2:
        case 4:
        case 5:
        case 7: read_lists(reader, arena, &at, out); break;
        case 6: out->created_by = thrift_binary(reader, &at); break;
        case 8: // encryption_algorithm
            out->is_encrypted = true;
            thrift_skip(reader, &at);
            break;
        default: thrift_skip(reader, &at);
        }
    }
}

static enum status finish(const struct thrift_reader *reader, const char *what, struct err *err)
{
    if (reader->failure == NULL) {
        return STATUS_OK;
    }
    return ERR(err, STATUS_INVALID_DATA, "%s: %s (its byte %zu)", what, reader->failure,
               reader->failed_at);
}

enum status parquet_footer_parse(struct arena *arena, struct str bytes, struct parquet_footer *out,
                                 struct err *err)
{
    struct thrift_reader reader;
    *out = (struct parquet_footer){0};
    thrift_reader_init(&reader, bytes);
    read_footer(&reader, arena, out);
    TRY(finish(&reader, "Thrift", err));
    if (out->row_count < 0) {
        return ERR(err, STATUS_INVALID_DATA, "'num_rows' is less than 0");
    }
    return STATUS_OK;
}

// ---- page headers ----

static void read_page_body(struct thrift_reader *reader, struct parquet_page_header *out, bool v2)
{
    struct thrift_struct at = thrift_struct_begin(reader);
    out->has_body = true;
    while (thrift_struct_next(reader, &at)) {
        int32_t *const fields[] = {&out->value_count,  &out->encoding,   &out->def_encoding,
                                   &out->rep_encoding, &out->null_count, &out->row_count,
                                   &out->def_bytes,    &out->rep_bytes};
        static const uint8_t v2_order[] = {0, 4, 5, 1, 6, 7};
        if (v2 && at.id >= 1 && at.id <= 6) {
            *fields[v2_order[at.id - 1]] = thrift_i32(reader, &at);
        } else if (!v2 && at.id >= 1 && at.id <= 4) {
            *fields[at.id - 1] = thrift_i32(reader, &at);
        } else if (v2 && at.id == 7) {
            out->is_compressed = thrift_bool(reader, &at);
        } else {
            thrift_skip(reader, &at);
        }
    }
}

static void read_dictionary_body(struct thrift_reader *reader, struct parquet_page_header *out)
{
    struct thrift_struct at = thrift_struct_begin(reader);
    out->has_body = true;
    while (thrift_struct_next(reader, &at)) {
        if (at.id == 1) {
            out->value_count = thrift_i32(reader, &at);
        } else if (at.id == 2) {
            out->encoding = thrift_i32(reader, &at);
        } else {
            thrift_skip(reader, &at);
        }
    }
}

static void read_page_header(struct thrift_reader *reader, struct parquet_page_header *out)
{
    struct thrift_struct at = thrift_struct_begin(reader);
    while (thrift_struct_next(reader, &at)) {
        if (at.id == 1) {
            out->type = thrift_i32(reader, &at);
        } else if (at.id == 2) {
            out->plain_bytes = thrift_i32(reader, &at);
        } else if (at.id == 3) {
            out->packed_bytes = thrift_i32(reader, &at);
        } else if (at.id == 4) {
            out->crc = (uint32_t)thrift_i32(reader, &at);
            out->has_crc = true;
        } else if (at.id == 5 && out->type == PARQUET_DATA_V1 && thrift_is_struct(reader, &at)) {
            read_page_body(reader, out, false);
        } else if (at.id == 7 && out->type == PARQUET_DICTIONARY && thrift_is_struct(reader, &at)) {
            read_dictionary_body(reader, out);
        } else if (at.id == 8 && out->type == PARQUET_DATA_V2 && thrift_is_struct(reader, &at)) {
            read_page_body(reader, out, true);
        } else {
            thrift_skip(reader, &at);
        }
    }
}

enum status parquet_footer_page(struct str bytes, struct parquet_page_header *out, struct err *err)
{
    struct thrift_reader reader;
    *out = (struct parquet_page_header){.type = -1, .is_compressed = true};
    thrift_reader_init(&reader, bytes);
    read_page_header(&reader, out);
    if (reader.truncated) {
        return STATUS_AGAIN;
    }
    TRY(finish(&reader, "a page's header", err));
    out->size = (uint32_t)thrift_reader_used(&reader);
    bool sizes = out->plain_bytes >= 0 && out->packed_bytes >= 0 && out->value_count >= 0 &&
                 out->def_bytes >= 0 && out->rep_bytes >= 0 &&
                 (int64_t)out->def_bytes + out->rep_bytes <= out->packed_bytes;
    if (!sizes) {
        return ERR(err, STATUS_INVALID_DATA, "a page's header has a size that cannot be");
    }
    return STATUS_OK;
}

// ---- page index ----

static void read_location(struct thrift_reader *reader, struct parquet_page_location *out)
{
    struct thrift_struct at = thrift_struct_begin(reader);
    while (thrift_struct_next(reader, &at)) {
        if (at.id == 1) {
            out->offset = thrift_i64(reader, &at);
        } else if (at.id == 2) {
            out->size = thrift_i32(reader, &at);
        } else if (at.id == 3) {
            out->first_row = thrift_i64(reader, &at);
        } else {
            thrift_skip(reader, &at);
        }
    }
}

enum status parquet_footer_offset_index(struct arena *arena, struct str bytes,
                                        struct parquet_offset_index *out, struct err *err)
{
    struct thrift_reader reader;
    *out = (struct parquet_offset_index){0};
    thrift_reader_init(&reader, bytes);
    struct thrift_struct at = thrift_struct_begin(&reader);
    while (thrift_struct_next(&reader, &at)) {
        if (at.id != 1) {
            thrift_skip(&reader, &at);
            continue;
        }
        out->count = list_of_structs(&reader, &at, ELEMENT_BYTES_MIN);
        out->pages = arena_new_array(arena, struct parquet_page_location, out->count + 1);
        for (uint32_t i = 0; i < out->count && reader.failure == NULL; i++) {
            read_location(&reader, &out->pages[i]);
        }
    }
    return finish(&reader, "an offset index", err);
}

static int64_t *read_counts(struct thrift_reader *reader, struct arena *arena,
                            const struct thrift_struct *at, uint32_t count)
{
    uint32_t found = thrift_list(reader, at, THRIFT_I64);
    int64_t *counts = arena_new_array(arena, int64_t, found + 1);
    for (uint32_t i = 0; i < found; i++) {
        counts[i] = thrift_element_i64(reader);
    }
    if (found != count) {
        thrift_fail(reader, "its lists have different lengths");
    }
    return counts;
}

static struct str *read_bounds(struct thrift_reader *reader, struct arena *arena,
                               const struct thrift_struct *at, uint32_t count)
{
    uint32_t found = thrift_list(reader, at, THRIFT_BINARY);
    struct str *bounds = arena_new_array(arena, struct str, found + 1);
    for (uint32_t i = 0; i < found; i++) {
        bounds[i] = thrift_element_binary(reader);
    }
    if (found != count) {
        thrift_fail(reader, "its lists have different lengths");
    }
    return bounds;
}

enum status parquet_footer_column_index(struct arena *arena, struct str bytes,
                                        struct parquet_column_index *out, struct err *err)
{
    struct thrift_reader reader;
    *out = (struct parquet_column_index){0};
    thrift_reader_init(&reader, bytes);
    struct thrift_struct at = thrift_struct_begin(&reader);
    while (thrift_struct_next(&reader, &at)) {
        switch (at.id) {
        case 1:
            out->count = thrift_list(&reader, &at, THRIFT_TRUE);
            out->null_pages = arena_new_array(arena, bool, out->count + 1);
            for (uint32_t i = 0; i < out->count; i++) {
                out->null_pages[i] = thrift_element_bool(&reader);
            }
            break;
        case 2: out->lower = read_bounds(&reader, arena, &at, out->count); break;
        case 3: out->upper = read_bounds(&reader, arena, &at, out->count); break;
        case 5: out->null_counts = read_counts(&reader, arena, &at, out->count); break;
        case 8: out->nan_counts = read_counts(&reader, arena, &at, out->count); break;
        default: thrift_skip(&reader, &at);
        }
    }
    if (out->count > 0 && (out->lower == NULL || out->upper == NULL)) {
        thrift_fail(&reader, "it has no bounds");
    }
    return finish(&reader, "a column index", err);
}
