// SPDX-License-Identifier: Apache-2.0
//
// json_doc: JSON values in expressions: JSON_VALUE, JSON_QUERY, PARSE_JSON and their like.
//
// RFC 8259. Members keep the order of the text; of a repeated key the last value counts, at the
// first one's place. Strings without escapes borrow from the text. Hostile input: depth is limited
// to JSON_DOC_DEPTH_MAX, memory to about 64 bytes for each byte of text.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct arena;
struct strbuf;

enum { JSON_DOC_DEPTH_MAX = 200 };

enum json_doc_kind {
    JSON_DOC_NULL,
    JSON_DOC_FALSE,
    JSON_DOC_TRUE,
    JSON_DOC_NUMBER,
    JSON_DOC_STRING,
    JSON_DOC_ARRAY,
    JSON_DOC_OBJECT,
};

struct json_doc {
    enum json_doc_kind kind;
    struct str text; // of a STRING its characters, of a NUMBER what is written
    uint32_t count;  // of an ARRAY or OBJECT
    const struct json_doc *items;
    const struct str *keys;     // of an OBJECT, each once
    const uint32_t *sorted;     // of an OBJECT: its members in the order of keys
};

struct json_doc_limits {
    bool whole;           // nothing but blanks may follow the value
    bool no_repeated_key; // else the last one counts
};

// False: not JSON. `out` lives in `arena` and borrows from `text`.
bool json_doc_parse(struct arena *arena, struct str text, struct json_doc_limits limits,
                    struct json_doc *out);

// The value of a key; NULL: none, or no object.
const struct json_doc *json_doc_member(const struct json_doc *doc, struct str key);

// Compact, keys sorted, numbers as Java's BigDecimal writes them (1E+3, 1.50).
void json_doc_print(struct strbuf *out, const struct json_doc *doc);
// A scalar without quotes, as JSON_VALUE gives it.
void json_doc_print_scalar(struct strbuf *out, const struct json_doc *doc);
// A number text as Java's BigDecimal writes it.
void json_doc_print_number(struct strbuf *out, struct str text);
