// SPDX-License-Identifier: Apache-2.0
//
// partition_spec: how the rows of a table fall into partitions (Iceberg spec, "Partition Specs").
//
// A partition tuple is an array of one iceberg_value a field, of the result types of the fields
// (partition_spec_type). Immutable, in an arena.
#pragma once

#include "iceberg/spec/iceberg_type.h"
#include "iceberg/spec/transform.h"

struct table_schema;

struct partition_field {
    int32_t field_id;
    int32_t source_id;                  // the first of them
    const struct json_tree *source_ids; // as written, where it is "source-ids"; else NULL
    struct str name;
    struct transform transform;
    // Bound to a schema: NULL where the source column is gone.
    const struct iceberg_type *source;
    const struct iceberg_type *result; // of the values; string where it is not known
};

struct partition_spec {
    int32_t spec_id;
    uint32_t field_count;
    const struct partition_field *fields;
};

// Also the bare array of fields of v1 ("partition-spec") and of manifests; ids that are missing are
// 1000, 1001, …
MUST_USE enum status partition_spec_parse(struct arena *arena, const struct json_tree *json,
                                          int32_t spec_id, const struct partition_spec **out,
                                          struct err *err);
void partition_spec_print(struct strbuf *out, const struct partition_spec *spec);
void partition_spec_print_fields(struct strbuf *out, const struct partition_spec *spec); // […]

// The same spec with sources and results found: in `schema` first, then in `others` (older schemas
// of the table, newest last), as values of dropped columns still have their type.
const struct partition_spec *partition_spec_bind(struct arena *arena,
                                                 const struct partition_spec *spec,
                                                 const struct table_schema *schema,
                                                 const struct table_schema *const *others,
                                                 uint32_t other_count);
// The struct of partition tuples, of a bound spec: all fields optional.
const struct iceberg_type *partition_spec_type(struct arena *arena,
                                               const struct partition_spec *spec);
// The same fields (source, transform, name) whatever the ids.
bool partition_spec_compatible(const struct partition_spec *a, const struct partition_spec *b);
bool partition_spec_is_unpartitioned(const struct partition_spec *spec); // no field, or void only

bool partition_spec_tuple_equal(const struct partition_spec *spec, const struct iceberg_value *a,
                                const struct iceberg_value *b);
uint64_t partition_spec_tuple_hash(const struct partition_spec *spec,
                                   const struct iceberg_value *tuple);
// Appends bytes that are equal for equal partitions of one spec.
void partition_spec_tuple_key(struct strbuf *out, const struct partition_spec *spec,
                              const struct iceberg_value *tuple);
const struct iceberg_value *partition_spec_tuple_copy(struct arena *arena,
                                                      const struct partition_spec *spec,
                                                      const struct iceberg_value *tuple);
// "dt_day=2017-11-16/k=a%2Fb" as Java writes it (form encoding); "" without fields.
void partition_spec_path(struct strbuf *out, const struct partition_spec *spec,
                         const struct iceberg_value *tuple);
