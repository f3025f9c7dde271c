// SPDX-License-Identifier: Apache-2.0
//
// output_table: rows as an aligned table for people, as psql draws it. Rows are kept until there
// are enough to see how wide the columns are, or until they are asked for.
#pragma once

#include <stdbool.h>

#include "base/str.h"

struct batch;
struct output_table;
struct result;

struct output_table *output_table_new(const struct result *result, bool expanded);
void output_table_rows(struct output_table *table, const struct batch *batch);
void output_table_flush(struct output_table *table);
void output_table_end(struct output_table *table); // prints the count, frees the table

// Standard output, of output.c; ends the process where that is gone.
void output_write(struct str text);
