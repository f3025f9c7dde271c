// SPDX-License-Identifier: Apache-2.0
//
// store_moved: shows the files of a folder that was moved or copied under the paths that they had,
// for reading. An Iceberg table names its files by full path; this finds them beside its metadata.
//
//     struct store_moved_options options = {.below = store, .from = location, .to = folder};
//     struct store *moved = store_moved_new(&options);
//     store_open(moved, "s3://bucket/db/t/data/x.parquet", ...)   // <folder>/data/x.parquet
//
// A path is tried as it is, then with `to` in place of the prefix `from`. Then come files beside
// the folder: where both end in the same names ("s3://b/wh/db/t", "/copy/wh/db/t"), what stands
// before them is exchanged ("s3://b/wh/x" is "/copy/wh/x"). Last, the longest end of the path that
// is there below `to`, else below `to_other`. What was found tells where the next one is looked for
// first. Nothing is written; the store below is borrowed and outlives it.
//
// Threads: any, as with every store.
#pragma once

#include "store/store.h"

struct store_moved_options {
    struct store *below;
    struct str from;     // the stored prefix; may be empty
    struct str to;       // the folder that is there
    struct str to_other; // another one; may be empty
};

struct store *store_moved_new(const struct store_moved_options *options);
