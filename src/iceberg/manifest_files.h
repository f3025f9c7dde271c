// SPDX-License-Identifier: Apache-2.0
//
// manifest_files: the data files of a manifest, decoded once and shared by all scans of the
// process.
//
//     TRY(manifest_files_get(&request, &files, err));
//     ... files->tasks[i], manifest_files_column(files, id) ...
//     manifest_files_unref(files);
//
// Manifests never change, so what was decoded stays right: it is kept, least recently used first to
// go, while all together is below the limit. It is found by the manifest's path, length and what
// its row in the list passes on to its entries. Metrics are decoded for the columns that a
// predicate asks for, and kept with the files. Only manifests of the local disk are kept
// (store_file.h): there paths mean the same for everybody.
//
// Columns of integers in order (int, long, date, timestamps) have their bounds as arrays, and the
// bounds of all files together: a term is tested on a whole manifest, or on a file in a nanosecond.
//
// Threads: any; what is handed out is immutable, but for columns that are added to it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "iceberg/manifest_list.h"
#include "iceberg/scan.h"
#include "iceberg/spec/iceberg_type.h"

struct avro_schema_cache;
struct partition_spec;
struct store;
struct table_schema;

// The metrics of one column for all files of a manifest.
struct manifest_column {
    int32_t id;
    enum iceberg_kind kind; // as which bounds were decoded
    // Of types with such an order; INT64_MIN, INT64_MAX: not known. Then the counts of values and
    // nulls of each file are in `counts`.
    const int64_t *lower, *upper;
    const int64_t (*counts)[2];
    int64_t lowest, highest; // of all files
    // Of other types: one a file, `id` 0: the file has none.
    const struct data_file_metric *metrics;
};

struct manifest_files {
    const struct partition_spec *spec; // with the types that the file has
    uint32_t count;
    const struct scan_task *tasks; // without deletes; files without metrics and split offsets
    const int64_t *snapshot_ids;   // that added each
    const bool *is_added;          // by the snapshot that wrote the manifest
    uint64_t record_count;         // of all
};

struct manifest_files_request {
    struct store *store;
    const struct manifest_file *file;  // of a data manifest
    const struct partition_spec *spec; // bound
    const struct table_schema *schema; // of the columns
    const int32_t *ids; // whose metrics are wanted, ascending; others may be there, too
    uint32_t id_count;
    struct avro_schema_cache *cache; // of the calling thread
};

// The files if they are there with all that is wanted, else NULL.
struct manifest_files *manifest_files_find(const struct manifest_files_request *request);
MUST_USE enum status manifest_files_get(const struct manifest_files_request *request,
                                        struct manifest_files **out, struct err *err);
void manifest_files_unref(struct manifest_files *files); // NULL is allowed
// NULL: not decoded, or for another type.
const struct manifest_column *manifest_files_column(const struct manifest_files *files, int32_t id,
                                                    enum iceberg_kind kind);
// The metric of a file, its bounds borrowed from the column or written into `bytes`. False: none.
bool manifest_column_metric(const struct manifest_column *column, uint32_t at, char bytes[16],
                            struct data_file_metric *out);
bool manifest_files_is_kept(const struct manifest_files *files); // by the cache, at some time

// What all together may take; the default is 512 MiB. 0: nothing is kept.
void manifest_files_limit(size_t bytes);
size_t manifest_files_bytes(void); // what is kept now
