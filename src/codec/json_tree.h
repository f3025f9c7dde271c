// SPDX-License-Identifier: Apache-2.0
//
// json_tree: a whole JSON text as a tree in an arena, for metadata: Iceberg's table metadata, Avro
// schemas, footers. Rows are decoded elsewhere, straight into columns.
//
//     const struct json_tree *root;
//     TRY(json_tree_parse(arena, text, &root, err));
//     const struct json_tree *version = json_tree_get(root, "format-version");
//
// RFC 8259, UTF-8 checked; of a repeated key the last one counts. Strings without escapes borrow
// from the text, which must live as long as the tree; members keep the order of the text.
//
// Hostile input: depth is limited to JSON_TREE_DEPTH_MAX; memory is at most about 48 bytes for each
// byte of text.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct arena;
struct strbuf;

enum { JSON_TREE_DEPTH_MAX = 256 };

enum json_tree_kind {
    JSON_TREE_NULL,
    JSON_TREE_BOOL,
    JSON_TREE_INT,  // a number without fraction and exponent that fits int64
    JSON_TREE_REAL, // any other number
    JSON_TREE_STRING,
    JSON_TREE_ARRAY,
    JSON_TREE_OBJECT,
};

struct json_tree {
    enum json_tree_kind kind;
    uint32_t count;                // items of an ARRAY or OBJECT
    const struct json_tree *items; // of an ARRAY, or the values of an OBJECT
    const struct str *keys;        // of an OBJECT
    struct str text;               // a STRING's characters; a number as it is written
    union {
        bool boolean;
        int64_t i64;
        double f64;
    } as;
};

// INVALID_DATA with the offset in the text.
MUST_USE enum status json_tree_parse(struct arena *arena, struct str text,
                                     const struct json_tree **out, struct err *err);

// The member of that name; NULL where there is none, or `node` is NULL or not an object.
const struct json_tree *json_tree_get(const struct json_tree *node, const char *key);
// The same, NULL also where the member is null.
const struct json_tree *json_tree_find(const struct json_tree *node, const char *key);

// The value as a text: "" where `node` is NULL or not a string.
struct str json_tree_str(const struct json_tree *node);
// An int64, also from 3.0 or "3"-less forms never: false unless `node` is an INT.
bool json_tree_int(const struct json_tree *node, int64_t *out);
// Any number.
bool json_tree_number(const struct json_tree *node, double *out);

// Writes `text` in quotes with the escapes that JSON needs.
void json_tree_quote(struct strbuf *out, struct str text);
// Writes a tree without blanks, members in their order, numbers as they were written.
void json_tree_print(struct strbuf *out, const struct json_tree *node);
