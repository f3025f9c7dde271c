// SPDX-License-Identifier: Apache-2.0
//
// scan_prune: a predicate against what manifests know: partition summaries, partition tuples,
// column metrics. Everything here errs towards "may match".
#pragma once

#include <stdbool.h>

#include "iceberg/manifest_list.h"
#include "iceberg/spec/data_file.h"
#include "iceberg/spec/partition_spec.h"

struct arena;
struct predicate;
struct predicate_term;
struct table_schema;

struct scan_prune_test;

// The conditions of a predicate on the fields of one spec.
struct scan_prune {
    const struct partition_spec *spec;
    uint32_t test_count;
    struct scan_prune_test *tests;
};

// What a term asks of a column of integers in order: values of [low, high], nothing else matches.
struct scan_range {
    int32_t column_id;
    enum iceberg_kind kind;
    int64_t low, high;
};

// False where the term is of another kind, or the column is.
bool scan_prune_range(const struct predicate_term *term, const struct table_schema *schema,
                      struct scan_range *out);
// `predicate` may be NULL. Everything is in `arena`.
void scan_prune_init(struct scan_prune *prune, struct arena *arena,
                     const struct partition_spec *spec, const struct predicate *predicate,
                     const struct table_schema *schema);
bool scan_prune_manifest(const struct scan_prune *prune, const struct manifest_file *file);
bool scan_prune_tuple(const struct scan_prune *prune, const struct iceberg_value *tuple);
// By metrics; scratch memory is taken from `arena`.
bool scan_prune_file(struct arena *arena, const struct predicate *predicate,
                     const struct table_schema *schema, const struct data_file *file);
