// SPDX-License-Identifier: Apache-2.0
//
// csv_split: where a record of CSV begins, near a place in the middle of a file. Whether a line end
// there is within quotes only shows from a place that is known to be the beginning of a record, so
// the bytes between are passed over, quote by quote, which is many times faster than to decode
// them.
//
//     csv_split_init(&split, ',', '"', known, target);
//     while (there are bytes && !csv_split_pass(&split, bytes, &start)) { next bytes }
//
// Quotes are those of csv_decode.h: they open at the beginning of a field, and are written twice
// within. Escapes and comments are not known here. One thread at a time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct csv_split {
    char delimiter;
    char quote; // 0: none
    char previous;
    bool in_quotes;
    bool at_quote;   // the last byte was a quote within quotes: the next one says what it was
    uint64_t at;     // the next byte's place
    uint64_t target; // a record that begins here or behind is looked for
};

// `known`: a place where a record begins; the first bytes are those there.
void csv_split_init(struct csv_split *split, char delimiter, char quote, uint64_t known,
                    uint64_t target);
// The next bytes of the file. True: *start is where the first record at or behind the target
// begins (it may be the end of the file).
bool csv_split_pass(struct csv_split *split, struct str bytes, uint64_t *start);
