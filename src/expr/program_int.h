// SPDX-License-Identifier: Apache-2.0
//
// program_int: the form of a compiled program, shared by the compiler (program_compile.c) and the
// runner (program.c).
//
// Registers hold values: a column, for BOOLEAN a pair of bit masks, or both, made from one another
// when needed. Masks hold rows that are active; mask 0 is the caller's, each other one is its
// parent narrowed by a register. Steps run in order, all of them, each under its mask; one whose
// mask has no row leaves nulls.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "data/column.h"
#include "expr/expr.h"
#include "expr/function.h"

enum program_step_kind {
    PROGRAM_CALL, // out = function(args)
    PROGRAM_NOT,  // out = NOT args[0]
    PROGRAM_AND,  // out = args[0] AND args[1], the second computed where the first is not false
    PROGRAM_OR,
    PROGRAM_IS,     // out = args[0] IS test
    PROGRAM_NARROW, // mask `out` = mask, where args[0] passes the test
    PROGRAM_MERGE,  // out = args[i] where masks[i]; the masks are disjoint
};

enum program_test {
    PROGRAM_TEST_TRUE,
    PROGRAM_TEST_FALSE,
    PROGRAM_TEST_NULL,
    PROGRAM_TEST_NOT_TRUE,
    PROGRAM_TEST_NOT_FALSE,
    PROGRAM_TEST_NOT_NULL,
};

struct program_step {
    enum program_step_kind kind;
    enum program_test test;
    uint32_t out; // register, or mask for NARROW
    uint32_t mask;
    uint32_t arg_count;
    const uint32_t *args;
    const uint32_t *masks; // MERGE
    const struct expr *expr;
    bool is_strict; // null_in_null_out
    bool is_deterministic;
    bool can_error;
    void *state;
};

enum program_source { PROGRAM_FROM_STEP, PROGRAM_FROM_INPUT, PROGRAM_FROM_LITERAL };

struct program_register {
    enum program_source source;
    uint32_t input; // of FROM_INPUT: position in the batch
    const struct column *literal;
    const struct type *type;
    struct column nulls; // one null of the type, CONST
    // While running:
    bool has_column;
    bool has_bits;
    struct column column;
    uint64_t *is_true; // BOOLEAN: BATCH_WORDS_MAX words each
    uint64_t *is_null;
};

struct program_mask {
    uint32_t parent; // itself for mask 0
    uint64_t *bits;  // BATCH_WORDS_MAX words
    bool has_any;
};

struct program {
    struct arena arena;   // what was compiled
    struct arena scratch; // values of the running batch
    struct expr_settings settings;
    int64_t now_us;
    int64_t watermark_us;
    uint32_t step_count, register_count, mask_count, output_count;
    struct program_step *steps;
    struct program_register *registers;
    struct program_mask *masks;
    const uint32_t *outputs; // registers
    bool is_deterministic;
    uint32_t row_count; // of the running batch
    const struct batch *in;
};

// Without folding: expr_fold() is what calls it.
MUST_USE enum status program_compile_plain(const struct expr *const *exprs, uint32_t count,
                                           const struct expr_settings *settings,
                                           struct program **out, struct err *err);
