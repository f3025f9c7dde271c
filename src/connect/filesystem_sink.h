// SPDX-License-Identifier: Apache-2.0
//
// filesystem_sink: rows into files ('connector' = 'filesystem', INSERT INTO 'out.parquet'), from
// batch jobs.
//
// 'sink.target' says what the path is:
//
//     file            one file of that name; all rows in their order
//     new-directory   a directory that is not there yet (or empty), with one or more files
//     directory       files are added to those of the directory (what tables are by default)
//
// Files are written under hidden names beside their place, fsynced, and renamed when all rows are
// in them: a file or new directory is there whole or not at all; of several files that are added
// to a directory each is whole. What a crash leaves is hidden and may be removed:
// ".<name>.<uuid>.part".
//
// INSERT OVERWRITE takes the place of the file, of the directory (in one step where the file system
// can do that), or of the files that were in the directory. A directory is not overwritten where it
// holds anything but files of the format.
#pragma once

#include "exec/sink.h"

extern const struct sink_class filesystem_sink_class;

// For file_table.c: whether INSERT INTO may make `path` (absolute) now; a place taken and a missing
// directory are told early. EXISTS, NOT_FOUND.
MUST_USE enum status filesystem_sink_check(struct str path, bool is_file, bool overwrite,
                                           struct err *err);
