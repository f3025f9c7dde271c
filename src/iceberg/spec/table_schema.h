// SPDX-License-Identifier: Apache-2.0
//
// table_schema: one schema of an Iceberg table: its columns with their ids, and where each id is.
//
// Immutable, in an arena.
#pragma once

#include "iceberg/spec/iceberg_type.h"

struct type_field;

struct table_schema_entry {
    int32_t id;
    const struct iceberg_field *field;
    uint32_t parent;   // index of the entry of the field around it; UINT32_MAX: a column
    uint32_t position; // among the fields of the parent
    bool below_list;   // inside a list or map
};

struct table_schema {
    int32_t schema_id;
    const struct iceberg_type *root; // the struct of all columns
    uint32_t identifier_count;
    const int32_t *identifier_ids;
    uint32_t entry_count;                     // all fields at all depths
    const struct table_schema_entry *entries; // in pre-order
    const uint32_t *by_id;                    // indexes into `entries`, ascending by id
};

// INVALID_DATA where an id is used twice.
MUST_USE enum status table_schema_new(struct arena *arena, int32_t schema_id,
                                      const struct iceberg_type *root,
                                      const int32_t *identifier_ids, uint32_t identifier_count,
                                      const struct table_schema **out, struct err *err);
MUST_USE enum status table_schema_parse(struct arena *arena, const struct json_tree *json,
                                        const struct table_schema **out, struct err *err);
void table_schema_print(struct strbuf *out, const struct table_schema *schema);
// Equal but for the schema id.
bool table_schema_same(const struct table_schema *a, const struct table_schema *b);

// NULL where there is none.
const struct table_schema_entry *table_schema_by_id(const struct table_schema *schema, int32_t id);
const struct iceberg_field *table_schema_column(const struct table_schema *schema, struct str name);
// "a.b.element" of an entry, into `out`.
void table_schema_path(struct strbuf *out, const struct table_schema *schema,
                       const struct table_schema_entry *entry);
int32_t table_schema_highest_id(const struct table_schema *schema); // 0 without columns
