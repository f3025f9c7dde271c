// SPDX-License-Identifier: Apache-2.0
//
// cast: CAST between all types, as Flink 2.1 does (fixtures/flink-answers, scalar/cast, try_cast).
//
//   numbers      integers wrap; from FLOAT, DOUBLE they saturate (NaN is 0), fractions are cut;
//                a DECIMAL that does not fit is NULL, rounding HALF_UP; of NaN it fails
//   from text    blanks around are trimmed (not for BOOLEAN); what cannot be read fails
//   to text      as text.h shows a value; CHAR(n) pads and cuts, VARCHAR(n) cuts
//   BINARY(n)    pads with zero bytes and cuts; text <-> bytes is UTF-8
//   time         DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ through the session's zone; smaller
//                precisions cut
//   nested       element by element; ROW field by field
//
// A row that fails is null and marked (kernel.h): CAST reports it, TRY_CAST does not look.
#pragma once

#include "base/err.h"
#include "kernel/kernel.h"

struct type;
struct zone;

struct cast_types {
    const struct type *from;
    const struct type *to;
    const struct zone *zone; // NULL: UTC
};

// Whether Flink knows this cast. What it refuses before a row is read: not castable.
bool cast_is_known(const struct type *from, const struct type *to);
// Precondition: cast_is_known().
void cast_column(struct kernel_run *run, const struct cast_types *types, const struct column *in,
                 struct column *out);
