// SPDX-License-Identifier: Apache-2.0
//
// hadoop_table: a table that is a directory (Iceberg spec, "File System Tables"): its metadata
// files are metadata/v<N>.metadata.json with N counting up from 1, the highest is current.
//
// Reading: metadata_file.h.
//
// Writing. The new metadata is a durable file under another name; then, each step behind the last:
//     1. the directory is listed: the highest version must be the expected one
//     2. store_move() to v<N+1>.metadata.json, which succeeds for exactly one writer
//     3. fsync of the directory: an answered swap survives a power loss
//     4. the directory is listed again: ours must be the highest
//     5. the hint is replaced: not fsynced, readers do not depend on it
// Why 1 and 4: writers remove old metadata files, so that the name v<N+1> may be free again long
// after it was used. Both a successor of ours and such a stale one show as a higher version in 4:
// COMMIT_UNKNOWN, and the caller looks for its snapshot in the table, as ever. Writers that
// compress their metadata make v<N+1>.gz.metadata.json beside ours: then ours is withdrawn, a
// CONFLICT.
// A failure between 2 and 4 is COMMIT_UNKNOWN.
//
// Threads: no state.
#pragma once

#include "base/err.h"
#include "base/str.h"

struct arena;
struct store;

// As table_pointer's swap: an empty `expected` makes the table.
MUST_USE enum status hadoop_table_swap(struct store *store, struct str directory,
                                       struct str expected, struct str next, struct err *err);
// Where a swap to `next` puts the table, in `arena`: compressed metadata says so in its name.
struct str hadoop_table_next(struct arena *arena, struct str directory, struct str expected,
                             struct str next);
