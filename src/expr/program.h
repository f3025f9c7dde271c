// SPDX-License-Identifier: Apache-2.0
//
// program: expressions compiled to a flat array of typed steps over registers.
//
//     TRY(program_compile(&spec, &program, err));
//     for (each batch) {
//         TRY(program_run(program, batch, NULL, out, err));   // out[i]: the i-th expression
//     }
//     program_free(program);
//
// Steps are made once: no names and no types are looked at while running. Equal subexpressions are
// computed once, constants at compile time, a column that is only passed on costs nothing. Each
// step runs under a mask of active rows, which AND, OR, CASE, COALESCE and IF narrow: what fails
// counts only where the row is active, so `CASE WHEN b <> 0 THEN a / b END` never does. The message
// of a failing row names the row's origin.
//
// Encodings are kept: CONST in, CONST out; a deterministic null_in_null_out function over one DICT
// argument runs once an entry where that is less than once a row.
//
// Ownership: a program has its own scratch memory. Results are borrowed from it and from the input
// batch, and are valid until the program's next run. A program belongs to one thread; the
// expressions it was made of must outlive it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/batch.h"
#include "data/column.h"

struct expr;
struct expr_settings;
struct program;

struct program_spec {
    const struct expr *const *exprs;
    uint32_t count;
    const uint32_t *column_ids; // of the input batch's columns, by position
    uint32_t column_count;
    const struct expr_settings *settings; // copied
};

MUST_USE enum status program_compile(const struct program_spec *spec, struct program **out,
                                     struct err *err);
void program_free(struct program *program); // NULL is allowed

// `active`: bits of the rows that are meant (NULL: all). `out`: a column for each expression, all
// with in->row_count rows; rows that are not active hold anything valid.
MUST_USE enum status program_run(struct program *program, const struct batch *in,
                                 const uint64_t *active, struct column *out, struct err *err);
// For a program of one BOOLEAN expression: `is_true` gets bits_words(row_count) words.
MUST_USE enum status program_filter(struct program *program, const struct batch *in,
                                    uint64_t *is_true, struct err *err);

// What NOW(), PROCTIME() and CURRENT_WATERMARK() answer from here on.
void program_set_now(struct program *program, int64_t now_us);
void program_set_watermark(struct program *program, int64_t watermark_us);

// Whether any result depends on more than its inputs (NOW(), RAND() ...).
bool program_is_deterministic(const struct program *program);
uint32_t program_step_count(const struct program *program); // for EXPLAIN and tests
