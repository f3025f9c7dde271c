// SPDX-License-Identifier: Apache-2.0
//
// output: the rows of a result in one of the formats, to standard output.
//
//     table    aligned columns, for people; rows are aligned a screenful at a time
//     tsv      names, then values; tab, newline and backslash escaped, NULL is \N
//     csv      names, then values quoted where needed; NULL is nothing
//     json     one array of objects; ndjson: an object a line
//     typed    #names, #types, rows, #end (fixtures/flink-answers); NULL is \N
//     canonical  an object a line, with the values of data/canonical_text.h, in no order
//
// A streaming result's first column is `op`: the kind of the change. Writing to a pipe whose reader
// has gone ends the process quietly.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "data/batch.h"
#include "main/command.h"
#include "session/result.h"

struct output {
    enum output_format format;
    bool expanded; // \x: a line a column, for tables
    const struct result *result;
    uint64_t row_count;
    struct output_table *table; // rows not yet printed
};

void output_begin(struct output *output, enum output_format format, const struct result *result);
void output_rows(struct output *output, const struct batch *batch);
void output_flush(struct output *output); // what is held back, now
void output_end(struct output *output);
// A statement without rows.
void output_done(enum output_format format);
void output_notes(struct str notes); // lines, to standard error
// The block of a failed statement (typed); other formats print nothing here.
void output_error(enum output_format format, const struct err *err);
