// SPDX-License-Identifier: Apache-2.0
//
// column_builder: one column of any type, a value after the other.
//
//     struct column_builder *builder = column_builder_new(arena, type, 64);
//     column_builder_i64(builder, 7);
//     column_builder_null(builder);
//     struct column column = column_builder_finish(builder);   // FLAT, two rows
//
// Nested values. A list: column_builder_list_begin(b); elements to column_builder_child(b, 0);
// column_builder_list_end(b). A map the same with keys in child 0 and values in child 1. A row: one
// value to each child, then column_builder_row(b). A null of any type is one call.
//
// Values and short strings are stored in the builder's memory in the arena; long strings are copied
// into the arena unless column_builder_string_borrow() is used. A full builder doubles, so a
// builder that is finished and used again allocates nothing once it is warm, as long as its arena
// lives. Growth has no bound of its own: the caller counts rows and column_builder_bytes(). One
// thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "data/column.h"
#include "data/type.h"

struct column_builder;

// `rows`: a guess at how many there will be. The type is borrowed.
struct column_builder *column_builder_new(struct arena *arena, const struct type *type,
                                          uint32_t rows);
const struct type *column_builder_type(const struct column_builder *builder);
uint32_t column_builder_count(const struct column_builder *builder); // rows so far
size_t column_builder_bytes(const struct column_builder *builder);   // of strings and elements

void column_builder_null(struct column_builder *builder);
void column_builder_nulls(struct column_builder *builder, uint32_t count);
// The integer forms BOOL, I8 … I64 take any of these, narrowed without a look; I128 too.
void column_builder_bool(struct column_builder *builder, bool value);
void column_builder_i32(struct column_builder *builder, int32_t value);
void column_builder_i64(struct column_builder *builder, int64_t value);
void column_builder_i128(struct column_builder *builder, int128 value); // DECIMAL of either form
void column_builder_f32(struct column_builder *builder, float value);
void column_builder_f64(struct column_builder *builder, double value);
void column_builder_nano(struct column_builder *builder, struct nano value);
void column_builder_string(struct column_builder *builder, struct str value); // copied
void column_builder_string_borrow(struct column_builder *builder, struct str value);
// Microseconds into a TIMESTAMP of any precision.
void column_builder_timestamp_us(struct column_builder *builder, int64_t micros);

struct column_builder *column_builder_child(struct column_builder *builder, uint32_t child);
void column_builder_list_begin(struct column_builder *builder);
void column_builder_list_end(struct column_builder *builder);
// Each child has got exactly one value more since the last row.
void column_builder_row(struct column_builder *builder);

// Appends row `row` of a column of the same physical form, at any depth; strings are copied.
void column_builder_value(struct column_builder *builder, const struct column *column,
                          uint32_t row);
// Forgets the rows from `count` on (an input that broke off in the middle of a row).
void column_builder_truncate(struct column_builder *builder, uint32_t count);

// The column so far, FLAT; it shares the builder's memory: valid until the next append. Starting
// over takes column_builder_reset().
struct column column_builder_finish(struct column_builder *builder);
void column_builder_reset(struct column_builder *builder); // empty again; memory is kept

// `row_count` nulls of a type, CONST.
struct column column_builder_all_null(struct arena *arena, const struct type *type,
                                      uint32_t row_count);
