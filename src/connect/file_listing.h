// SPDX-License-Identifier: Apache-2.0
//
// file_listing: the files that a path stands for: a file itself, all files below a directory, or
// what a pattern (* ? […], and ** for directories at any depth) matches. Paths are absolute,
// sorted, each once. Hidden files and directories (. and _ in front) are left out below
// directories, as in Flink. "file://" in front is
// taken off; other schemes are UNSUPPORTED.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "sys/file.h"

struct arena;

struct file_listing_item {
    struct str path; // NUL behind it
    struct file_info info;
};

struct file_listing {
    uint32_t count;
    struct file_listing_item *items;
};

enum { FILE_LISTING_MAX = 1000000 }; // files

// NOT_FOUND: nothing is there, and it is no pattern. LIMIT: more files than FILE_LISTING_MAX.
MUST_USE enum status file_listing_read(struct arena *arena, struct str path,
                                       struct file_listing *out, struct err *err);

// Without the scheme, absolute, without slashes at the end; NUL behind it. UNSUPPORTED: another
// scheme.
MUST_USE enum status file_listing_absolute(struct arena *arena, struct str path, struct str *out,
                                           struct err *err);
bool file_listing_is_pattern(struct str path);
