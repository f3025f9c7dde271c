// SPDX-License-Identifier: Apache-2.0
//
// row_layout: how rows stand in state.
//
//     +----------------+-----------+---------------+-------+-----------------+
//     | struct row     | validity  | fixed fields  | extra | variable bytes  |
//     | 16 bytes       | bit a field              |       | long strings    |
//     +----------------+-----------+---------------+-------+-----------------+
//
// The fields are the key columns, then the value columns; `extra` is a run of bytes that belongs to
// the operator (accumulators: all zero in a new row). A row holds no pointers: it may be copied,
// spilled and written to a checkpoint as it is. Rows begin at multiples of 8 and so does `extra`.
//
// Strings up to 12 bytes stand in their field as in a struct strview; longer ones have the first
// four bytes there and an offset from the start of the row. Nested values (ARRAY, MAP, ROW) are
// strings of their encoding (row_value.h).
//
// Key equality is that of GROUP BY: nulls are equal, -0 = 0, all NaN are one. Rows keep the first
// spelling that they met.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/bits.h"
#include "base/compiler.h"
#include "data/column.h"
#include "data/type.h"

struct arena;

// `mark`: bits 0-27 the segment that holds its last image (0: none); above them flags of the table.
struct row {
    uint64_t hash; // top 12 bits: the key group
    uint32_t mark;
    uint16_t
        units;    // size in 8 bytes; 0: a row of more than ROW_UNITS_MAX units, alone on its pages
    uint16_t ttl; // time bucket of the last change, for tables that forget
};

struct row_field {
    const struct type *type;
    enum physical physical; // as stored: STRING for nested values
    bool is_nested;
    uint32_t offset;
};

struct row_layout {
    uint32_t key_count;
    uint32_t field_count; // keys included
    const struct row_field *fields;
    uint32_t valid_offset; // bit i: field i is not null
    uint32_t extra_offset;
    uint32_t extra_size;
    uint32_t fixed_size; // header, validity, fields, extra
    bool has_variable;   // strings or nested values among the fields
    uint64_t id;         // of the layout, into checkpoints
};

// In `arena`; the types are borrowed and outlive it. `extra_size` is rounded up to 8.
const struct row_layout *row_layout_new(struct arena *arena, const struct type *const *types,
                                        uint32_t key_count, uint32_t field_count,
                                        uint32_t extra_size);

static inline char *row_extra(const struct row_layout *layout, struct row *row)
{
    return (char *)row + layout->extra_offset;
}
static inline bool row_is_null(const struct row_layout *layout, const struct row *row,
                               uint32_t field)
{
    const uint8_t *valid = (const uint8_t *)row + layout->valid_offset;
    return (valid[field / 8] >> (field % 8) & 1) == 0;
}
// The bytes of a string field (of any length); borrowed from the row.
struct str row_string(const struct row_layout *layout, const struct row *row, uint32_t field);

// The values of `field` in rows[0] ... rows[count - 1], FLAT, copied into `arena`: they outlive any
// change of the rows. A row that is NULL gives null.
struct column row_layout_column(const struct row_layout *layout, uint32_t field,
                                struct row *const *rows, uint32_t count, struct arena *arena);
// The size of a row made of row `at` of `columns` (one for each field; value columns may be
// missing: `column_count` < field_count leaves the rest null).
size_t row_layout_size(const struct row_layout *layout, const struct column *columns,
                       uint32_t column_count, uint32_t at);
// Fills a row of that size (header untouched, extra zeroed).
void row_layout_write(const struct row_layout *layout, const struct column *columns,
                      uint32_t column_count, uint32_t at, struct row *row);
// Sets a field of fixed width, or a string of at most 12 bytes or of no more bytes than the one it
// replaces. False: it does not fit, the row must be made anew (hash_table_set()).
bool row_layout_set(const struct row_layout *layout, struct row *row, uint32_t field,
                    const struct column *column, uint32_t at);
bool row_layout_keys_equal(const struct row_layout *layout, const struct row *row,
                           const struct column *keys, uint32_t at);
bool row_layout_rows_equal(const struct row_layout *layout, const struct row *a,
                           const struct row *b); // keys only
// Whether `size` bytes can be a row of this layout: nothing in it points outside.
MUST_USE enum status row_layout_check(const struct row_layout *layout, const struct row *row,
                                      size_t size, struct err *err);
