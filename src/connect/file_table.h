// SPDX-License-Identifier: Apache-2.0
//
// file_table: tables made up from files that a statement names: FROM 'events/*.parquet',
// DESCRIBE 'x.avro', INSERT INTO 'out.csv'.
//
// Such a table is one of the connector `filesystem` whose format and columns are found in the files
// (codec/infer.h), united by name over all of them. Directories k=v below what the name says itself
// are columns k (BIGINT, DATE, TIMESTAMP(3) or STRING, whichever all values are) behind those of
// the files, of which they hide equal ones. The metadata columns of the connector (`file.path`, …)
// are there as hidden ones.
//
// Options, of the hint OPTIONS, are those of the connector; 'format' among them overrules the
// names.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "catalog/table_def.h"

struct arena;
struct type;

struct file_table_spec {
    struct str path;
    uint32_t option_count;
    const struct table_option *options;
    bool overwrite; // file_table_new(): the file may be there
};

// NOT_FOUND: no file is there; the hint says the nearest name. INVALID_DATA: no format can be told,
// damage, files that do not go together.
MUST_USE enum status file_table_find(struct arena *arena, const struct file_table_spec *spec,
                                     const struct table_def **out, struct err *err);

// A table for INSERT INTO 'out.parquet': one file in the format that its name says (behind the
// format's ending .gz or .zst: compressed), or, where the path ends in '/' or is a directory, a new
// directory of files (Parquet, unless 'format' says another). `row`: its columns. EXISTS;
// NOT_FOUND: no such directory.
MUST_USE enum status file_table_new(struct arena *arena, const struct file_table_spec *spec,
                                    const struct type *row, const struct table_def **out,
                                    struct err *err);
