// SPDX-License-Identifier: Apache-2.0
//
// json_path_int: a compiled path, for json_path.c (compiling) and json_path_read.c (reading).
#pragma once

#include "expr/json_path.h"

enum json_path_step_kind {
    JSON_PATH_NAMES, // one or several members
    JSON_PATH_INDEXES,
    JSON_PATH_SLICE,
    JSON_PATH_ALL,
    JSON_PATH_DEEP, // the next step, at every depth
    JSON_PATH_FILTER,
    JSON_PATH_LENGTH,
};

enum json_path_compare {
    JSON_PATH_EXISTS,
    JSON_PATH_EQ,
    JSON_PATH_NE,
    JSON_PATH_LT,
    JSON_PATH_LE,
    JSON_PATH_GT,
    JSON_PATH_GE,
};

// A side of a comparison: a path from the element, or a literal.
struct json_path_operand {
    const struct json_path *path; // NULL: the literal
    struct json_doc literal;
};

// Comparisons joined by && within `group`, groups by ||.
struct json_path_condition {
    uint32_t group;
    enum json_path_compare compare;
    struct json_path_operand left, right;
};

struct json_path_step {
    enum json_path_step_kind kind;
    uint32_t count;
    const struct str *names;
    const int64_t *indexes;
    bool has_from, has_to; // SLICE
    int64_t from, to;
    const struct json_path_condition *conditions; // FILTER: `count` of them
};

struct json_path {
    bool is_lax;
    bool is_definite; // names a single place
    uint32_t count;
    const struct json_path_step *steps;
};
