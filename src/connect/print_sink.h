// SPDX-License-Identifier: Apache-2.0
//
// print_sink: rows with their change kinds to standard output ('connector' = 'print'), or to
// standard error with 'standard-error' = 'true'. One line a row, in the form of print_row.h, with
// what Flink puts in front:
//
//     ID:2> +I[…]      'print-identifier' = 'ID', several instances (counted from 1)
//     ID> +I[…]        one instance
//     2> +I[…]         no identifier, several instances
//
// Lines of one batch are written by one call, so those of several instances do not mix. Not
// transactional: what was written behind the last checkpoint is written again after a crash.
#pragma once

#include "exec/sink.h"

extern const struct sink_class print_sink_class;
