// SPDX-License-Identifier: Apache-2.0
//
// bounds: shortening the bounds of strings and bytes in manifests (Iceberg spec, "Column metrics";
// Java's UnicodeUtil and BinaryUtil), and what a column's metrics mode asks for.
//
// A lower bound is a plain prefix. An upper bound that was cut has its last code point (byte)
// incremented, carrying to the left over those that are the largest; where all are, there is none.
// Code points of surrogates are skipped: the result is always valid UTF-8.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct arena;
struct iceberg_type;
struct table_metadata;
struct table_schema_entry;

enum bounds_mode {
    BOUNDS_NONE,     // no metrics at all
    BOUNDS_COUNTS,   // counts only
    BOUNDS_TRUNCATE, // to `length`
    BOUNDS_FULL,
};

struct bounds_rule {
    enum bounds_mode mode;
    int32_t length; // of TRUNCATE: code points or bytes
};

// The first `length` code points (is_text) or bytes; borrowed.
struct str bounds_lower(struct str value, bool is_text, int32_t length);
// An upper bound of at most `length`: the value itself where it is short enough (borrowed) and
// `exact` says that it is a value and no prefix of one. False where there is none.
bool bounds_upper(struct arena *arena, struct str value, bool is_text, int32_t length, bool exact,
                  struct str *out);

// "none", "counts", "truncate(n)", "full"; false: another text.
bool bounds_rule_parse(struct str text, struct bounds_rule *out);
// The rule for a column: write.metadata.metrics.column.<path>, then .default ("truncate(16)"), then
// none behind the first write.metadata.metrics.max-inferred-column-defaults (100) leaves, those of
// a struct itself before those of structs in it. Where that is none or counts, a column that the
// table is sorted by has truncate(16).
struct bounds_rule bounds_rule_of(const struct table_metadata *metadata,
                                  const struct table_schema_entry *entry, struct str path);
