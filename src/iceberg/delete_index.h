// SPDX-License-Identifier: Apache-2.0
//
// delete_index: which delete files of a snapshot apply to a data file (Iceberg spec, "Scan
// Planning").
//
//     delete_index_init(&index, arena);
//     TRY(delete_index_add(&index, spec, &entry, err));         // every live delete file
//     TRY(delete_index_finish(&index, err));
//     TRY(delete_index_assign(&index, spec, &task, err));       // each data file, any order
//
// A delete file applies to a data file
//     deletion vector   that it references, if the vector's sequence number is not lower;
//     position deletes  of the same partition of the same spec or that the file alone is named by,
//                       if their number is not lower and no vector applies;
//     equality deletes  of the same partition of the same spec, or of an unpartitioned spec, if
//                       their number is higher.
// A vector or deletes for one file that stand in another partition than their file, and two vectors
// for one file, are INVALID_DATA, as in the Java reference.
//
// Everything is in the arena given. Files without deletes cost a lookup, none where the index is
// empty.
#pragma once

#include "base/err.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "iceberg/spec/data_file.h"

struct arena;
struct partition_spec;
struct scan_delete;
struct scan_delete_group;
struct scan_task;

struct delete_index {
    struct arena *arena;
    struct strbuf scratch;
    VEC(struct delete_index_entry) entries;
    // After finish: by kind, place and sequence number; runs of one kind and place are groups.
    uint32_t group_count;
    struct scan_delete_group *groups;
    const struct delete_index_entry **group_keys;
    uint32_t kind_first[5]; // where the groups of each kind begin, and the last ones end
};

void delete_index_init(struct delete_index *index, struct arena *arena);
void delete_index_release(struct delete_index *index); // what is not in the arena
// Takes a copy; `spec` is that of the entry's manifest. INVALID_DATA: equality deletes without key
// columns, a deletion vector without its data file or its place.
MUST_USE enum status delete_index_add(struct delete_index *index, const struct partition_spec *spec,
                                      const struct manifest_entry *entry, struct err *err);
MUST_USE enum status delete_index_finish(struct delete_index *index, struct err *err);
// Fills in the deletes of a task from its file and sequence number; `spec` is that of its manifest.
MUST_USE enum status delete_index_assign(struct delete_index *index,
                                         const struct partition_spec *spec, struct scan_task *task,
                                         struct err *err);
