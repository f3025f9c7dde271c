// SPDX-License-Identifier: Apache-2.0
//
// json_variant: the VARIANT (data/variant.h) that a JSON value says, as PARSE_JSON makes it.
//
// Numbers without an exponent are integers or decimals of up to 38 digits, without zeros at their
// end; all others are DOUBLE.
#pragma once

#include <stdbool.h>

#include "expr/json_doc.h"

struct arena;

// Metadata and value in one string, in `arena`. False: over 4 GiB.
bool json_variant(struct arena *arena, const struct json_doc *doc, struct str *held);
