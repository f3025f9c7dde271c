// SPDX-License-Identifier: Apache-2.0
#include "codec/csv_split.h"

#include <string.h>

void csv_split_init(struct csv_split *split, char delimiter, char quote, uint64_t known,
                    uint64_t target)
{
    *split = (struct csv_split){
        .delimiter = delimiter, .quote = quote, .previous = '\n', .at = known, .target = target};
}

// From `at`, within quotes, to behind the closing one; the end where it is not there.
static size_t pass_quoted(struct csv_split *split, struct str bytes, size_t at)
{
    while (at < bytes.size) {
        if (split->at_quote) {
            split->at_quote = false;
            if (bytes.ptr[at] != split->quote) {
                split->in_quotes = false;
                split->previous = split->quote;
                return at;
            }
            at++;
            continue;
        }
        const char *quote = memchr(bytes.ptr + at, split->quote, bytes.size - at);
        if (quote == NULL) {
            return bytes.size;
        }
        split->at_quote = true;
        at = (size_t)(quote - bytes.ptr) + 1;
    }
    return at;
}

// A line end in [at, end), outside of quotes, behind which the record looked for begins.
static bool find_line(const struct csv_split *split, struct str bytes, size_t at, size_t end,
                      size_t *line)
{
    uint64_t first = split->target > split->at ? split->target - split->at - 1 : 0;
    if (first >= end) {
        return false;
    }
    size_t from = first > at ? (size_t)first : at;
    const char *found = memchr(bytes.ptr + from, '\n', end - from);
    if (found != NULL) {
        *line = (size_t)(found - bytes.ptr);
    }
    return found != NULL;
}

bool csv_split_pass(struct csv_split *split, struct str bytes, uint64_t *start)
{
    size_t at = 0;
    size_t line;
    if (split->at == split->target && split->previous == '\n' && !split->in_quotes) {
        *start = split->at;
        return true;
    }
    while (at < bytes.size) {
        if (split->in_quotes) {
            at = pass_quoted(split, bytes, at);
            continue;
        }
        const char *quote =
            split->quote == 0 ? NULL : memchr(bytes.ptr + at, split->quote, bytes.size - at);
        size_t end = quote == NULL ? bytes.size : (size_t)(quote - bytes.ptr);
        if (find_line(split, bytes, at, end, &line)) {
            *start = split->at + line + 1;
            return true;
        }
        char before = end == at ? split->previous : bytes.ptr[end - 1];
        split->previous = before;
        if (quote == NULL) {
            break;
        }
        split->in_quotes = before == '\n' || before == split->delimiter;
        split->previous = split->quote;
        at = end + 1;
    }
    split->at += bytes.size;
    return false;
}
