// SPDX-License-Identifier: Apache-2.0
//
// parquet_testing: rows that are a function of their number, for the tests of writer and reader.
//
//     id BIGINT required, name STRING (null where the number divides by 7), tags ARRAY<STRING>
//     (null by 11, number % 4 elements), geo ROW<lat DOUBLE, lon DOUBLE> (null by 13), group STRING
//     of five
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "codec/parquet_reader.h"
#include "codec/parquet_writer.h"
#include "data/batch.h"

enum { TESTING_COLUMNS = 5 };

static inline const struct parquet_field *testing_fields(struct arena *arena)
{
    const struct type_field geo[2] = {{.name = STR_LIT("lat"), .type = &type_double},
                                      {.name = STR_LIT("lon"), .type = &type_double}};
    const struct type_field fields[TESTING_COLUMNS] = {
        {.name = STR_LIT("id"), .type = type_with_null(arena, &type_bigint, false)},
        {.name = STR_LIT("name"), .type = &type_string},
        {.name = STR_LIT("tags"), .type = type_array(arena, &type_string, true)},
        {.name = STR_LIT("geo"), .type = type_row(arena, geo, 2, true)},
        {.name = STR_LIT("group"), .type = &type_string}};
    int32_t id = 1; // id 1, name 2, tags 3, element 4, geo 5, lat 6, lon 7, group 8
    return parquet_schema_fields(arena, type_row(arena, fields, TESTING_COLUMNS, false), &id);
}

static inline struct str testing_name(char *out, uint64_t row)
{
    int size = snprintf(out, 64, "%s-%llu", row % 3 == 0 ? "a rather long name of row" : "n",
                        (unsigned long long)(row % 5003));
    return str_make(out, (size_t)size);
}

static inline struct strview testing_view(struct arena *arena, uint64_t row)
{
    char text[64];
    struct str name = arena_str(arena, testing_name(text, row));
    return strview_make(name.ptr, name.size);
}

static inline const char *testing_group(uint64_t row)
{
    static const char *const groups[] = {"north", "south", "the very far east", "west", ""};
    return groups[row * 7 % 31 % 5];
}

// Rows [first, first + count).
static inline struct batch testing_batch(struct arena *arena, uint64_t first, uint32_t count)
{
    struct column *columns = arena_new_array(arena, struct column, TESTING_COLUMNS);
    struct column *geo = arena_new_array(arena, struct column, 2);
    struct column *element = arena_new(arena, struct column);
    int64_t *ids = arena_new_array(arena, int64_t, count);
    struct strview *names = arena_new_array(arena, struct strview, count);
    struct strview *groups = arena_new_array(arena, struct strview, count);
    struct list_view *tags = arena_new_array(arena, struct list_view, count);
    struct strview *elements = arena_new_array(arena, struct strview, count * 3 + 1);
    double *lats = arena_new_array(arena, double, count);
    double *lons = arena_new_array(arena, double, count);
    uint64_t *valid[3];
    for (int i = 0; i < 3; i++) {
        valid[i] = arena_new_array(arena, uint64_t, bits_words(count) + 1);
    }
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t row = first + i;
        ids[i] = (int64_t)row;
        groups[i] = strview_make(testing_group(row), strlen(testing_group(row)));
        if (row % 7 != 0) {
            names[i] = testing_view(arena, row);
            bits_set(valid[0], i);
        }
        if (row % 11 != 0) {
            tags[i] = (struct list_view){used, (uint32_t)(row % 4)};
            bits_set(valid[1], i);
            for (uint32_t j = 0; j < row % 4; j++) {
                elements[used++] = testing_view(arena, row + j);
            }
        }
        if (row % 13 != 0) {
            bits_set(valid[2], i);
            lats[i] = (double)row / 4;
            lons[i] = -(double)row;
        }
    }
    geo[0] = (struct column){
        .physical = PHYSICAL_F64, .row_count = count, .values = lats, .valid = valid[2]};
    geo[1] = geo[0];
    geo[1].values = lons;
    *element = (struct column){.physical = PHYSICAL_STRING, .row_count = used, .values = elements};
    columns[0] = (struct column){.physical = PHYSICAL_I64, .row_count = count, .values = ids};
    columns[1] = (struct column){
        .physical = PHYSICAL_STRING, .row_count = count, .values = names, .valid = valid[0]};
    columns[2] = (struct column){.physical = PHYSICAL_LIST,
                                 .row_count = count,
                                 .values = tags,
                                 .valid = valid[1],
                                 .children = element,
                                 .child_count = 1};
    columns[3] = (struct column){.physical = PHYSICAL_ROW,
                                 .row_count = count,
                                 .valid = valid[2],
                                 .children = geo,
                                 .child_count = 2};
    columns[4] = (struct column){.physical = PHYSICAL_STRING, .row_count = count, .values = groups};
    return (struct batch){.row_count = count, .column_count = TESTING_COLUMNS, .columns = columns};
}

static inline void testing_expect_text(const struct column *column, uint32_t at, uint64_t row)
{
    char text[64];
    struct str expected = testing_name(text, row);
    struct str found = strview_str(column_value(column, at));
    assert_int_equal(found.size, expected.size);
    assert_memory_equal(found.ptr, expected.ptr, expected.size);
}

// The batch is rows [first, ...), all columns.
static inline void testing_expect_batch(const struct batch *batch, uint64_t first)
{
    struct err err;
    assert_int_equal(batch_check(batch, &err), STATUS_OK);
    assert_int_equal(batch->column_count, TESTING_COLUMNS);
    const struct column *tags = &batch->columns[2];
    const struct column *geo = &batch->columns[3];
    for (uint32_t i = 0; i < batch->row_count; i++) {
        uint64_t row = first + i;
        assert_int_equal(*(const int64_t *)column_value(&batch->columns[0], i), row);
        assert_int_equal(column_is_null(&batch->columns[1], i), row % 7 == 0);
        if (row % 7 != 0) {
            testing_expect_text(&batch->columns[1], i, row);
        }
        assert_int_equal(column_is_null(tags, i), row % 11 == 0);
        if (row % 11 != 0) {
            const struct list_view *view = column_value(tags, i);
            assert_int_equal(view->length, row % 4);
            for (uint32_t j = 0; j < view->length; j++) {
                testing_expect_text(&column_holder(tags)->children[0], view->offset + j, row + j);
            }
        }
        assert_int_equal(column_is_null(geo, i), row % 13 == 0);
        if (row % 13 != 0) {
            const double *lat = column_value(&geo->children[0], i);
            const double *lon = column_value(&geo->children[1], i);
            assert_true(*lat == (double)row / 4 && *lon == -(double)row);
        }
        assert_true(str_is(strview_str(column_value(&batch->columns[4], i)), testing_group(row)));
    }
}
