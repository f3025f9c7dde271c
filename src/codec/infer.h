// SPDX-License-Identifier: Apache-2.0
//
// infer: the columns of files that nobody has described: their names and types as a ROW type, and
// how the files are to be read.
//
//     if (!infer_format_find(path, head, &options.format)) { ... say which formats there are ... }
//     TRY(infer_files(&arena, sources, count, &options, &found, err));
//     use found.type, found.csv, found.json
//
// PARQUET, AVRO   The files' own schemas: parquet_file_schema.h and avro_columns.h say what their
//                 types become.
// CSV             From a sample. Delimiter (, ; tab |), quote and header are guessed unless given.
//                 Each column is the first of these that all its values fit: BOOLEAN, BIGINT,
//                 DECIMAL (digits of which DOUBLE would lose some), DOUBLE, DATE, TIME(0 or 3),
//                 TIMESTAMP(3, 6 or 9), TIMESTAMP_LTZ (with Z or an offset), STRING; only empty
//                 fields: STRING. Without a header columns are named f0, f1, …
// JSON            From a sample: records one after the other (lines or not), or one array of them.
//                 Objects become ROW with all fields seen, in order of appearance; arrays ARRAY of
//                 what all elements fit; numbers BIGINT or DOUBLE; strings that are all timestamps,
//                 dates or times these; what does not agree, STRING.
//
// Several files are one table: their columns are united by name, types widened to what both fit
// (STRING in CSV and JSON; an error for others). Headers of CSV files must be the same.
//
// CSV and JSON may be compressed: gzip and zstd are told by their first bytes.
//
// What a sample says may be wrong further on: the decoder then says which record does not fit.
//
// Hostile input: a sample is limited in bytes and records, columns to INFER_COLUMNS_MAX, nesting to
// INFER_DEPTH_MAX (LIMIT). Threads: pure functions.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "codec/time_text.h"
#include "data/type.h"

struct arena;
struct byte_source;

enum { INFER_COLUMNS_MAX = 10000, INFER_DEPTH_MAX = 32 };

enum infer_format { INFER_PARQUET, INFER_AVRO, INFER_CSV, INFER_JSON };

const char *infer_format_name(enum infer_format format); // "parquet"; borrowed, for ever

// By the ending of the name (.parquet .parq .avro .csv .tsv .json .ndjson .jsonl, .gz and .zst and
// .zstd behind the last five), else by the first bytes (`head` may be empty). False: neither tells.
bool infer_format_find(struct str path, struct str head, enum infer_format *out);

enum infer_header { INFER_HEADER_UNKNOWN, INFER_HEADER_PRESENT, INFER_HEADER_ABSENT };

// How CSV is written: codec/csv_decode.h.
struct infer_csv {
    char delimiter;
    char quote;  // 0: none
    char escape; // 0: none
    enum infer_header header;
    bool has_null_literal;
    struct str null_literal;
};

// What the fields of a header call the columns, in place: without blanks around; f0, f1, … where
// that is nothing, and name_1, … where a column before it has the name.
void infer_header_names(struct arena *arena, struct str *names, uint32_t count);

enum infer_json_layout {
    INFER_JSON_LINES,   // a record a line
    INFER_JSON_RECORDS, // one after the other, over any lines
    INFER_JSON_ARRAY,   // one array of records
};

struct infer_options {
    enum infer_format format;
    uint32_t record_max;  // of the sample, over all files; 0: 20,000
    size_t byte_max;      // of the sample, decompressed; 0: 16 MiB
    bool has_delimiter;   // `csv.delimiter` is given
    bool has_quote;       // `csv.quote` is given
    struct infer_csv csv; // what is known already; `header` UNKNOWN: guessed
};

struct infer_found {
    const struct type *type; // ROW NOT NULL of the columns, in the arena
    struct infer_csv csv;    // of CSV
    enum infer_json_layout json;
    enum time_text_form timestamp_form; // of CSV and JSON
    uint64_t record_count;              // looked at
};

// UNSUPPORTED, with the name of the column, where a column has no type here. INVALID_DATA: damage,
// no columns, columns that do not agree.
MUST_USE enum status infer_files(struct arena *arena, struct byte_source *const *sources,
                                 uint32_t source_count, const struct infer_options *options,
                                 struct infer_found *out, struct err *err);
