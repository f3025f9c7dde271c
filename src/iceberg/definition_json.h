// SPDX-License-Identifier: Apache-2.0
//
// definition_json: a table or view definition as a JSON text, for the embedded catalog. Types are
// spelled out as trees, since no parser of SQL is at hand here.
#pragma once

#include "base/err.h"
#include "catalog/table_def.h"

struct arena;
struct strbuf;

void definition_json_print(struct strbuf *out, const struct table_def *def);
// Strings are in `arena`. Catalog name, database, name and owner are left empty.
MUST_USE enum status definition_json_parse(struct arena *arena, struct str json,
                                           struct table_def **out, struct err *err);
