// SPDX-License-Identifier: Apache-2.0
//
// iceberg_source: the rows of one snapshot of an Iceberg table: bounded.
//
// Every instance plans the scan for itself and takes each parallelism-th file; a split is a data
// file, its position "<snapshot>/<rows handed out>". A restored reader goes on with the snapshot of
// its checkpoint. The scan's predicate leaves out files, row groups and pages.
//
// Reading waits for the disk on the worker's thread.
#pragma once

#include "exec/source.h"

extern const struct source_class iceberg_source_class;
