// SPDX-License-Identifier: Apache-2.0
//
// file_hint: what to say about the names of files.
#pragma once

#include "base/err.h"
#include "base/str.h"

struct arena;

// The bytes that the working directory has in a path below it, the last '/' included.
size_t file_hint_working_directory(void);
// A path as it was said: without the working directory in front.
static inline struct str file_hint_said(struct str path, size_t working_directory)
{
    return str_slice(path, working_directory < path.size ? working_directory : 0, path.size);
}
// "events" of "data/events.csv.gz": what a query may call the table.
struct str file_hint_stem(struct arena *arena, struct str path);
// NOT_FOUND: nothing is at `path`, or no file matches it; the hint names what is near. `absolute`:
// the same, as file_listing_absolute() makes it.
enum status file_hint_missing(struct arena *arena, struct str path, struct str absolute,
                              struct err *err);
