// SPDX-License-Identifier: Apache-2.0
//
// filesystem_source: rows out of files ('connector' = 'filesystem').
//
// The path is a file, a directory (all files below it), or a pattern that matches files; formats
// are those of record_format.h; gzip and zstd are told by the files' first bytes. Bounded; with
// 'source.monitor-interval' files that appear later are read too, and the source never ends (in
// batch queries it does). A file counts as complete when it appears: move it into place.
//
// Splits are files, named by their paths. An instance has up to FILESYSTEM_OPEN_MAX of them open,
// in the order of their names, and reads the one with the lowest watermark first; a file becomes a
// split when it is opened. So up to that many files an instance are merged by event time, and of
// more the names should follow it. A position is "<offset> <line> <0|1>": bytes (decompressed) and
// lines behind the last batch handed out, and whether the file is finished.
#pragma once

#include "exec/source.h"

struct type;

enum { FILESYSTEM_OPEN_MAX = 16 };

extern const struct source_class filesystem_source_class;

// The metadata column at `index`; NULL behind the last.
const char *filesystem_source_metadata(uint32_t index, const struct type **type);
