// SPDX-License-Identifier: Apache-2.0
//
// file_default: what fields are that a file lacks, at any depth: a constant (the value of an
// identity partition), else the initial default, else null; and how they get into the columns that
// the file gave.
#pragma once

#include "base/err.h"
#include "data/column.h"
#include "iceberg/file_reader.h"
#include "iceberg/spec/iceberg_type.h"
#include "iceberg/spec/iceberg_value.h"

// The value of a field where a file has none.
struct file_constant {
    int32_t field_id;
    struct iceberg_value value; // of the field's type
};

struct file_default_options {
    const struct file_reader *file;
    const struct file_constant *constants;
    uint32_t constant_count;
};

// Of one field.
struct file_default {
    bool is_missing;      // `value` stands for it
    bool is_needed_below; // some child is missing and has a value that is not null
    struct column value;  // CONST, one row
    uint32_t child_count; // 0 unless is_needed_below
    struct file_default *children;
};

// Of column `at` among those that the file was asked for.
MUST_USE enum status file_default_build(struct arena *arena,
                                        const struct file_default_options *options,
                                        const struct iceberg_field *field, uint32_t at,
                                        struct file_default *out, struct err *err);

// What a writer puts where it is given nothing for a field: the write default, or null; CONST.
MUST_USE enum status file_default_written(struct arena *arena, const struct iceberg_field *field,
                                          uint32_t row_count, struct column *out, struct err *err);

// The column with what it lacks filled in; what the file had is shared, the rest is in `arena`.
struct column file_default_fill(struct arena *arena, const struct file_default *fill,
                                const struct column *column);
