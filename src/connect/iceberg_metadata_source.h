// SPDX-License-Identifier: Apache-2.0
//
// iceberg_metadata_source: a metadata table of an Iceberg table (iceberg/metadata_table.h) as a
// bounded source. One instance reads it, the others have nothing. Its position is the snapshot and
// the rows handed out; a restore reads the same snapshot and leaves those out.
#pragma once

#include "exec/source.h"

extern const struct source_class iceberg_metadata_source_class;
