// SPDX-License-Identifier: Apache-2.0
//
// kernel: what all loops over columns have in common: nulls, encodings, active rows, failures.
//
//     struct kernel_run run = {.arena = scratch, .row_count = n, .active = active};
//     arith_binary(&run, ARITH_DIV, &a, &b, &out);
//     if (run.failed != NULL) { … the first row of run.failed divides by zero … }
//
// Results are null where an argument is (null in, null out), unless a header says otherwise.
// Encodings are kept: CONST in, CONST out; a DICT with constants is computed once an entry. Rows
// that are not active come out as anything valid and never fail.
//
// Failures. A kernel that cannot compute a row (1 / 0, CAST('x' AS INT)) makes it null and sets its
// bit in `failed`; run.failure says why, in words for a message. So TRY_ is: do not look at
// `failed`. One run may serve several calls; bits add up.
//
// Ownership: results are in run.arena or borrowed from the arguments. One thread at a time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "data/column.h"

struct arena;

struct kernel_run {
    struct arena *arena;
    uint32_t row_count;
    const uint64_t *active; // NULL: all rows
    uint64_t *failed;       // bits_words(row_count) words in the arena; NULL: no row failed
    const char *failure;    // of the first failure, a constant: "division by zero"
};

enum { KERNEL_ARGS_MAX = 4 };

// What a loop over values sees: plain arrays. A constant argument has one value.
struct kernel_loop {
    const void *args[KERNEL_ARGS_MAX];
    bool is_const[KERNEL_ARGS_MAX];
    uint32_t count;
    const uint64_t *wanted; // rows whose results count; the loop may skip others (out is zeroed);
                            // never NULL
    void *out;              // zeroed where the shape says so, else not initialised
    uint64_t *bad;          // zeroed; bits of rows without a result
    struct arena *arena;    // for the bytes of strings
    const void *options;    // of the caller
};

typedef void kernel_loop_fn(struct kernel_loop *loop);

enum kernel_bad { KERNEL_BAD_IS_NULL, KERNEL_BAD_IS_FAILURE };

// How to apply a loop.
struct kernel_shape {
    kernel_loop_fn *loop;
    const void *options;
    enum physical out; // not LIST, MAP, ROW
    enum kernel_bad bad;
    const char *failure; // where bad is a failure
    bool skips;          // the loop looks at `wanted` and wants `out` zeroed
};

// Applies a loop to columns of any encoding. All arguments have run->row_count rows.
void kernel_map(struct kernel_run *run, const struct kernel_shape *shape, const struct column *args,
                uint32_t arg_count, struct column *out);

// The same for a test: the loop writes a bit a row into `out` (words, zeroed beforehand). `is_true`
// and `is_null` get bits_words(row_count) words; only active rows come out 1.
void kernel_test(struct kernel_run *run, const struct kernel_shape *shape,
                 const struct column *args, uint32_t arg_count, uint64_t *is_true,
                 uint64_t *is_null);

// A BOOLEAN column of masks, and the masks of a BOOLEAN column.
void kernel_bool_column(struct kernel_run *run, const uint64_t *is_true, const uint64_t *is_null,
                        struct column *out);
void kernel_bool_masks(const struct kernel_run *run, const struct column *column, uint64_t *is_true,
                       uint64_t *is_null);

// Marks rows as failed, as far as they are active.
void kernel_fail(struct kernel_run *run, const uint64_t *rows, const char *failure);
// The first failed row; UINT32_MAX where none failed.
uint32_t kernel_first_failed(const struct kernel_run *run);
// Null results where `rows` has a bit: clears validity and values of a FLAT column just made.
void kernel_make_null(struct kernel_run *run, const uint64_t *rows, struct column *column);
