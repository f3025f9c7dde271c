// SPDX-License-Identifier: Apache-2.0
//
// diagnostic: an error as a person reads it.
//
//     pipeline.sql:14:23: error: column 'user_idd' does not exist in 'clicks'
//        14 | SELECT window_start, user_idd, COUNT(*)
//           |                      ^~~~~~~~
//       hint: did you mean 'user_id'?
//
// Lines and columns count from 1, columns in characters. The underline is right behind tabs, wide
// and combining characters. A long line is shown around its place. Without a place in the text, and
// without a text, only the first and the last line appear.
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/strbuf.h"

struct diagnostic_source {
    struct str name; // of the file; empty: none
    struct str text; // the whole of it
    uint64_t base;   // where in `text` the statement begins that err->offset counts from
};

// `severity` is the word: "error", "warning", "notice". `source` may be NULL.
void diagnostic_render(struct strbuf *out, const char *severity, const struct err *err,
                       const struct diagnostic_source *source);

// The line and column of a place. A place behind the end is the end.
void diagnostic_place(struct str text, uint64_t offset, uint32_t *line, uint32_t *column);
