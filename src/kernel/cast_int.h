// SPDX-License-Identifier: Apache-2.0
//
// cast_int: what the files of cast.c share.
#pragma once

#include "kernel/cast.h"

struct cast_options {
    const struct type *from;
    const struct type *to;
    const struct zone *zone;
    enum physical from_physical;
    enum physical to_physical;
};

// The shape of a cast between two types that are not nested; false where there is none.
bool cast_number_shape(const struct cast_options *options, struct kernel_shape *shape);
bool cast_text_shape(const struct cast_options *options, struct kernel_shape *shape);
bool cast_time_shape(const struct cast_options *options, struct kernel_shape *shape);
// Marks rows whose number has no DECIMAL, beside those that only do not fit.
void cast_number_fail(struct kernel_run *run, const struct cast_options *options,
                      const struct column *in);

// `bytes` as a CHAR(n), VARCHAR(n), BINARY(n) or VARBINARY(n): cut, padded. Borrowed, or in
// `arena`.
struct str cast_text_fit(const struct type *type, struct str bytes, struct arena *arena);
// The bytes as UTF-8, with U+FFFD for what is none; borrowed where nothing is wrong.
struct str cast_text_decode(struct str bytes, struct arena *arena);
