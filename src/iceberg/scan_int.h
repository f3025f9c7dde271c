// SPDX-License-Identifier: Apache-2.0
//
// scan_int: for the parts of scan.h (scan.c, scan_decode.c, scan_figures.c).
#pragma once

#include "iceberg/manifest_files.h"
#include "iceberg/scan.h"

enum { SCAN_AT_ONCE = 64 }; // manifests that are decoded together

// Which snapshot (NULL: there is none), and which schema its rows are read with.
MUST_USE enum status scan_choose(struct iceberg_table *table, const struct scan_options *options,
                                 const struct table_snapshot **snapshot,
                                 const struct table_schema **schema, struct err *err);

// The files of up to SCAN_AT_ONCE manifests, a reference each; on failure none. Several that have
// to be decoded are by two threads, each with an Avro schema cache of its own.
MUST_USE enum status scan_decode(const struct manifest_files_request *requests, uint32_t count,
                                 struct manifest_files **out, struct err *err);
