// SPDX-License-Identifier: Apache-2.0
//
// date_pattern_int: a compiled pattern, for date_pattern.c (compiling, writing) and
// date_pattern_parse.c (reading).
#pragma once

#include "expr/date_pattern.h"

enum { DATE_PATTERN_ITEMS_MAX = 128 };

struct date_pattern_item {
    char letter;        // 0: a literal; '[' and ']': an optional part
    int32_t count;      // how often the letter stands there
    struct str literal; // with letter 0
};

struct date_pattern {
    enum date_pattern_dialect dialect;
    uint32_t count;
    struct date_pattern_item items[DATE_PATTERN_ITEMS_MAX];
};

extern const char *const date_pattern_months[12];
extern const char *const date_pattern_days[7]; // from Sunday

// Whether an item stands for text, not digits.
bool date_pattern_is_text(const struct date_pattern *pattern, const struct date_pattern_item *item);
