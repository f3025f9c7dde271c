// SPDX-License-Identifier: Apache-2.0
//
// csv_int: what csv_decode.c and csv_quick.c share; for them only.
#pragma once

#include "codec/csv_decode.h"
#include "codec/json_value_int.h"

struct csv_decoder {
    struct json_decoder *columns;
    struct csv_decode_spec spec;
    uint32_t *column_of; // for each field the column, or UINT32_MAX
    uint64_t lines;      // line ends passed in this call
    char *copy;          // of one message
    size_t copy_capacity;
    // Whether a record may be read the short way, and in it numbers and booleans without their end
    // being looked for (a null literal might look like one).
    bool may_be_quick;
    bool may_be_number;
};

// One field of a line.
struct csv_field {
    struct str text;
    bool is_quoted;
};

// The field's value into a slot; false where it is none.
bool csv_value(struct csv_decoder *decoder, struct json_node *node, uint32_t slot,
               struct csv_field field);

// csv_quick.c. The record at *at into the next row, moving *at behind it, where all of it is plain:
// as many fields as the table has, no line end or doubled quote within quotes, values that are what
// they should be. False, and nothing done, where it is not. CSV_DECODE_PADDING bytes behind `end`
// are readable, the first of them no digit.
bool csv_quick_record(struct csv_decoder *decoder, const char **at, const char *end);
