// SPDX-License-Identifier: Apache-2.0
//
// write_properties: which of Iceberg's table properties there are, what values they take, and what
// becomes of them when a table is written. One table in write_properties.c says all of it.
//
// A property is
//     done       its value does what Iceberg says;
//     spare      it is kept for others and changes nothing here, for a reason that is told
//                (write_properties_note());
//     refused    by name: who set it would not get what it stands for.
// Properties of Iceberg's own name spaces (write., commit., history., read., …) that are not in the
// table are refused where somebody sets them here, and left alone in tables of others. All other
// names are free.
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "iceberg/spec/table_metadata.h"

struct arena;

// For whoever sets properties: known, not refused, of values that they can have; columns that they
// name are in `schema`. UNSUPPORTED, INVALID_DATA, with the property's name. An empty value removes
// a property and is none.
MUST_USE enum status write_properties_check(const struct table_property *properties, uint32_t count,
                                            const struct table_schema *schema, struct err *err);
// For whoever appends to a table: as above, but what is not known is the business of others.
MUST_USE enum status write_properties_check_table(const struct table_metadata *metadata,
                                                  struct err *err);
// What people are told about properties that change nothing here; empty where there are none.
struct str write_properties_note(struct arena *arena, const struct table_property *properties,
                                 uint32_t count);
