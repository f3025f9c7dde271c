// SPDX-License-Identifier: Apache-2.0
//
// infer_text: the narrowest type that all texts of a column are of; for infer_*.c only.
//
// Texts are of a type as the decoders read it (json_decode.h, csv_decode.h). Integers with zeros in
// front are not numbers: they are numbers of houses and articles, and lose their zeros.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "codec/time_text.h"
#include "data/type.h"

struct arena;

enum {
    INFER_BOOLEAN = 1,
    INFER_BIGINT = 2,
    INFER_DECIMAL = 4,
    INFER_DOUBLE = 8,
    INFER_DATE = 16,
    INFER_TIME = 32,
    INFER_TIMESTAMP_SQL = 64,
    INFER_TIMESTAMP_ISO = 128,
    INFER_LTZ_SQL = 256,
    INFER_LTZ_ISO = 512,
    INFER_TEXT_ALL = 1023,
};

struct infer_text {
    uint64_t count;
    uint32_t kinds;      // what all texts so far may be; 0: STRING only
    uint32_t before;     // digits in front of the point, at most
    uint32_t after;      // behind it, of numbers and of seconds
    bool is_long;        // some number has more digits than DOUBLE keeps
    uint32_t null_words; // in CSV: which words for null were met; bits
};

void infer_text_init(struct infer_text *text);
// TIME_TEXT_SLACK bytes behind the text are readable.
void infer_text_add(struct infer_text *text, struct str value);
// A number of JSON, as it is written.
void infer_text_add_number(struct infer_text *text, struct str value);
// STRING where nothing else is left, or nothing was added.
const struct type *infer_text_type(struct arena *arena, const struct infer_text *text,
                                   enum time_text_form form);
