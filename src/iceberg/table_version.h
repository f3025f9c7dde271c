// SPDX-License-Identifier: Apache-2.0
//
// table_version: which snapshot a state of a table is: a snapshot by its id, a branch, a tag, a
// time.
//
// Times are looked up in the snapshot log, as Java does: the state of a time is what `main` pointed
// to then, also where that was rolled back later. A number written as a version is a snapshot's id
// before it is the name of a branch or tag.
#pragma once

#include "base/err.h"
#include "catalog/table_def.h"

struct arena;
struct table_metadata;

// `after`: NULL, or the state behind which appends are read (of kind NONE: from the first snapshot
// on), which must be an ancestor. NOT_FOUND where there is no such state, with the nearest name in
// the hint; texts are made for the place in a statement that asks.
MUST_USE enum status table_version_find(const struct table_metadata *metadata,
                                        const struct table_at *at, const struct table_at *after,
                                        struct table_version *out, struct err *err);

// `def` (of the same metadata) in that state: its columns are those of the snapshot, where it was
// named by id, tag or time, and those of the table now, where it is the head of a branch.
MUST_USE enum status table_version_def(struct arena *arena, const struct table_metadata *metadata,
                                       const struct table_version *version,
                                       const struct table_def *def, const struct table_def **out,
                                       struct err *err);
