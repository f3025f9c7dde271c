// SPDX-License-Identifier: Apache-2.0
//
// file_header: the first line of a CSV file that names its columns ('csv.header' = 'true'). The
// table's columns are found by these names, as infer_header_names() makes them: a file may have
// them in another order, have further ones (passed over), and lack some (NULL).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "connect/file_rows.h"
#include "data/type.h"

struct arena;
struct column;
struct record_rows;

struct file_header {
    bool is_there;
    struct file_place behind;        // where the records begin
    const struct type_field *fields; // of a line, with the table's types
    uint32_t field_count;
    const uint32_t *wanted; // indexes into `fields`, in the order in which they come out
    uint32_t wanted_count;
    const uint32_t *places; // of each column that the scan wants: its place among `wanted`, or
                            // UINT32_MAX where the file lacks it
};

// INVALID_DATA where the header's quotes do not end.
MUST_USE enum status file_header_read(struct arena *arena, const struct file_scan *scan,
                                      const char *path, struct file_header *out, struct err *err);
// The columns that the scan wants, into `out`.
void file_header_arrange(struct arena *arena, const struct file_header *header,
                         const struct scan_columns *columns, const struct record_rows *rows,
                         struct column *out);
