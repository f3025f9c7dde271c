// SPDX-License-Identifier: Apache-2.0
//
// json_split: where the records are in JSON text that is not a record a line: one array of records,
// or records one after the other over any lines.
//
//     struct json_split split;
//     json_split_init(&split, json_split_layout(head));
//     TRY(json_split_next(&split, bytes, is_last, records, &count, &used, err));
//     … decode records[0 … count - 1]; the next call gets the bytes behind the first `used` …
//
// Only strings and brackets are looked at; what is in a record is its decoder's business. A state
// is a few bytes, so a file may be read in pieces. Behind a record a reader can go on later:
// json_split_resume(). One thread at a time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum json_split_layout {
    JSON_SPLIT_LINES,   // a record a line: no business of this module
    JSON_SPLIT_RECORDS, // one after the other
    JSON_SPLIT_ARRAY,   // [record, record, …]
};

// By the beginning of a file: '[' in front is an array; an object that goes over several lines, or
// behind which another one begins on its line, is RECORDS.
enum json_split_layout json_split_layout(struct str head);

struct json_split {
    enum json_split_layout layout;
    enum {
        JSON_SPLIT_BEGIN,
        JSON_SPLIT_FIRST,
        JSON_SPLIT_BEHIND,
        JSON_SPLIT_NEXT,
        JSON_SPLIT_END
    } at;
};

void json_split_init(struct json_split *split, enum json_split_layout layout);
// As behind a record.
void json_split_resume(struct json_split *split, enum json_split_layout layout);

// The next whole records, at most *count of them; *count 0 and *used 0: the first needs more bytes.
// *used is behind the last one, or behind what separates it from nothing. INVALID_DATA: the array
// is not one, something stands behind it, or a record does not end; err->offset is where.
MUST_USE enum status json_split_next(struct json_split *split, struct str bytes, bool is_last,
                                     struct str *records, uint32_t *count, size_t *used,
                                     struct err *err);
// Nothing follows: INVALID_DATA where an array has not ended.
MUST_USE enum status json_split_finish(const struct json_split *split, struct err *err);
