// SPDX-License-Identifier: Apache-2.0
//
// metadata_file: which metadata file a folder is at, for tables without a catalog that would know.
//
// In order: the version that version-hint.text names, or the highest one right behind it (a writer
// moves the hint last, and may die before); without a hint, or where it names nothing that is
// there, the highest number of all. Names are those of Hadoop tables (v3.metadata.json) and of
// catalogs (00003-<uuid>.metadata.json), with gzip as .gz.metadata.json or .metadata.json.gz.
#pragma once

#include "base/err.h"
#include "base/str.h"

struct arena;
struct store;

// `path`: the file itself, the folder of a table, or its metadata folder. NOT_FOUND.
MUST_USE enum status metadata_file_find(struct store *store, struct arena *arena, struct str path,
                                        struct str *out, struct err *err);

// The version in a metadata file's name; false where it is none.
bool metadata_file_version(struct str name, int64_t *version);
