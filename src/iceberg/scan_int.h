// SPDX-License-Identifier: Apache-2.0
//
// scan_int: for the parts of scan.h (scan.c, scan_figures.c).
#pragma once

#include "iceberg/scan.h"

// Which snapshot (NULL: there is none), and which schema its rows are read with.
MUST_USE enum status scan_choose(struct iceberg_table *table, const struct scan_options *options,
                                 const struct table_snapshot **snapshot,
                                 const struct table_schema **schema, struct err *err);
