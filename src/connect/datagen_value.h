// SPDX-License-Identifier: Apache-2.0
//
// datagen_value: what one column of the connector datagen is made of: a tree of generators, one a
// type, each with its bounds, that append values to a column_builder.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "data/type.h"

struct arena;
struct column_builder;
struct datagen_value;
struct table_def;

// What all values of a batch have in common.
struct datagen_moment {
    uint64_t seed;
    int64_t now_us;
    struct arena *bytes; // for strings: until the batch is dead
};

// The generator of the column `path` ("r.x") after the options of `def`. INVALID_DATA.
MUST_USE enum status datagen_value_new(struct arena *arena, const struct table_def *def,
                                       struct str path, const struct type *type,
                                       struct datagen_value **out, struct err *err);
// Rows after which its sequences are over; INT64_MAX: never.
int64_t datagen_value_row_count(const struct datagen_value *value);
// Appends the value of row `number`. The builder is of the generator's type.
void datagen_value_append(const struct datagen_value *value, const struct datagen_moment *moment,
                          uint64_t number, struct column_builder *builder);
