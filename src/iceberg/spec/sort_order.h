// SPDX-License-Identifier: Apache-2.0
//
// sort_order: how rows are ordered within data files (Iceberg spec, "Sorting"). Order 0 is
// unsorted.
#pragma once

#include "iceberg/spec/transform.h"

struct json_tree;

struct sort_field {
    struct transform transform;
    int32_t source_id;
    const struct json_tree *source_ids; // where several are written; else NULL
    bool descending;
    bool nulls_last;
};

struct sort_order {
    int32_t order_id;
    uint32_t field_count;
    const struct sort_field *fields;
};

MUST_USE enum status sort_order_parse(struct arena *arena, const struct json_tree *json,
                                      const struct sort_order **out, struct err *err);
void sort_order_print(struct strbuf *out, const struct sort_order *order);
