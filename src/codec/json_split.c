// SPDX-License-Identifier: Apache-2.0
#include "codec/json_split.h"

#include <string.h>

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

static size_t skip_blanks(struct str bytes, size_t at)
{
    while (at < bytes.size && is_blank(bytes.ptr[at])) {
        at++;
    }
    return at;
}

// Behind the string whose quote is at `at`; SIZE_MAX: it does not end.
static size_t string_end(struct str bytes, size_t at)
{
    for (at++; at < bytes.size; at++) {
        const char *quote = memchr(bytes.ptr + at, '"', bytes.size - at);
        if (quote == NULL) {
            return SIZE_MAX;
        }
        size_t end = (size_t)(quote - bytes.ptr);
        size_t escapes = 0;
        while (end - escapes > at && quote[-1 - (ptrdiff_t)escapes] == '\\') {
            escapes++;
        }
        at = end;
        if (escapes % 2 == 0) {
            return end + 1;
        }
    }
    return SIZE_MAX;
}

// What a byte does outside of strings.
enum { BYTE_OTHER, BYTE_QUOTE, BYTE_OPEN, BYTE_CLOSE };

static const uint8_t meanings[256] = {
    ['"'] = BYTE_QUOTE, ['{'] = BYTE_OPEN,  ['['] = BYTE_OPEN,
    ['}'] = BYTE_CLOSE, [']'] = BYTE_CLOSE,
};

// Behind the object or array at `at`; SIZE_MAX: it does not end here.
static size_t nested_end(struct str bytes, size_t at)
{
    size_t depth = 0;
    while (at < bytes.size) {
        switch (meanings[(uint8_t)bytes.ptr[at]]) {
        case BYTE_QUOTE:
            at = string_end(bytes, at);
            if (at == SIZE_MAX) {
                return SIZE_MAX;
            }
            continue;
        case BYTE_OPEN: depth++; break;
        case BYTE_CLOSE:
            if (--depth == 0) {
                return at + 1;
            }
            break;
        default: break;
        }
        at++;
    }
    return SIZE_MAX;
}

// Behind the value at `at`. A number or word ends where something else begins.
static size_t value_end(struct str bytes, size_t at, bool is_last)
{
    char first = bytes.ptr[at];
    if (first == '{' || first == '[') {
        return nested_end(bytes, at);
    }
    if (first == '"') {
        return string_end(bytes, at);
    }
    size_t end = at;
    while (end < bytes.size && !is_blank(bytes.ptr[end]) && bytes.ptr[end] != ',' &&
           bytes.ptr[end] != ']') {
        end++;
    }
    return end < bytes.size || is_last ? end : SIZE_MAX;
}

enum json_split_layout json_split_layout(struct str head)
{
    size_t at = str_starts(head, "\xef\xbb\xbf") ? 3 : 0;
    at = skip_blanks(head, at);
    if (at == head.size || (head.ptr[at] != '[' && head.ptr[at] != '{')) {
        return JSON_SPLIT_LINES;
    }
    if (head.ptr[at] == '[') {
        return JSON_SPLIT_ARRAY;
    }
    size_t end = nested_end(head, at);
    const char *line = memchr(head.ptr + at, '\n', head.size - at);
    if (end == SIZE_MAX) {
        return line == NULL ? JSON_SPLIT_LINES : JSON_SPLIT_RECORDS;
    }
    while (end < head.size && is_blank(head.ptr[end]) && head.ptr[end] != '\n') {
        end++;
    }
    bool ends_line = end == head.size || head.ptr[end] == '\n';
    bool is_one_line = line == NULL || (size_t)(line - head.ptr) >= end;
    return ends_line && is_one_line ? JSON_SPLIT_LINES : JSON_SPLIT_RECORDS;
}

void json_split_init(struct json_split *split, enum json_split_layout layout)
{
    *split = (struct json_split){
        .layout = layout, .at = layout == JSON_SPLIT_ARRAY ? JSON_SPLIT_BEGIN : JSON_SPLIT_NEXT};
}

void json_split_resume(struct json_split *split, enum json_split_layout layout)
{
    *split = (struct json_split){
        .layout = layout, .at = layout == JSON_SPLIT_ARRAY ? JSON_SPLIT_BEHIND : JSON_SPLIT_NEXT};
}

static enum status unexpected(size_t at, const char *what, struct err *err)
{
    ERR(err, STATUS_INVALID_DATA, "not JSON: %s", what);
    if (err != NULL) {
        err->offset = at;
    }
    return STATUS_INVALID_DATA;
}

// Over one of '[', ',' and ']' of an array, at `at`.
static enum status pass_bracket(struct json_split *split, struct str bytes, size_t at,
                                struct err *err)
{
    char byte = bytes.ptr[at];
    if (split->at == JSON_SPLIT_END) {
        return unexpected(at, "something stands behind the array", err);
    }
    if (split->at == JSON_SPLIT_BEGIN) {
        split->at = JSON_SPLIT_FIRST;
        return byte == '[' ? STATUS_OK : unexpected(at, "no array", err);
    }
    if (byte == ']') {
        split->at = JSON_SPLIT_END;
        return STATUS_OK;
    }
    split->at = JSON_SPLIT_NEXT;
    return byte == ',' ? STATUS_OK : unexpected(at, "no ',' or ']' behind a record", err);
}

// Whether a value has to stand at `at`.
static bool wants_value(const struct json_split *split, struct str bytes, size_t at)
{
    return split->at == JSON_SPLIT_NEXT || (split->at == JSON_SPLIT_FIRST && bytes.ptr[at] != ']');
}

enum status json_split_next(struct json_split *split, struct str bytes, bool is_last,
                            struct str *records, uint32_t *count, size_t *used, struct err *err)
{
    uint32_t most = *count;
    size_t at = skip_blanks(bytes, 0);
    *count = 0;
    *used = at;
    while (*count < most && at < bytes.size) {
        if (!wants_value(split, bytes, at)) {
            TRY(pass_bracket(split, bytes, at, err));
            *used = at = skip_blanks(bytes, at + 1);
            continue;
        }
        size_t end = value_end(bytes, at, is_last);
        if (end == at) {
            return unexpected(at, "a record is missing", err);
        }
        if (end == SIZE_MAX) {
            return is_last ? unexpected(at, "a record does not end", err) : STATUS_OK;
        }
        records[(*count)++] = str_slice(bytes, at, end);
        split->at = split->layout == JSON_SPLIT_ARRAY ? JSON_SPLIT_BEHIND : JSON_SPLIT_NEXT;
        *used = end;
        at = skip_blanks(bytes, end);
    }
    *used = at == bytes.size ? at : *used;
    return STATUS_OK;
}

enum status json_split_finish(const struct json_split *split, struct err *err)
{
    bool is_open = split->layout == JSON_SPLIT_ARRAY && split->at != JSON_SPLIT_END;
    return is_open ? unexpected(0, "the array does not end", err) : STATUS_OK;
}
