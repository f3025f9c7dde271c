// SPDX-License-Identifier: Apache-2.0
#include "kernel/kernel.h"

#include "base/arena.h"
#include "base/assert.h"
#include "kernel/flags_int.h"

// Bits of the rows that are active; bits behind row_count are 0.
static const uint64_t *active_words(struct kernel_run *run)
{
    if (run->active != NULL) {
        return run->active;
    }
    uint64_t *all = arena_zalloc(run->arena, (bits_words(run->row_count) + 1) * sizeof *all);
    bits_fill(all, run->row_count);
    return all;
}

void kernel_fail(struct kernel_run *run, const uint64_t *rows, const char *failure)
{
    uint32_t words = bits_words(run->row_count);
    uint64_t any = 0;
    for (uint32_t word = 0; word < words; word++) {
        any |= rows[word] & (run->active == NULL ? UINT64_MAX : run->active[word]);
    }
    if (any == 0) {
        return;
    }
    if (run->failed == NULL) {
        run->failed = arena_zalloc(run->arena, words * sizeof *run->failed);
        run->failure = failure;
    }
    for (uint32_t word = 0; word < words; word++) {
        run->failed[word] |= rows[word] & (run->active == NULL ? UINT64_MAX : run->active[word]);
    }
}

uint32_t kernel_first_failed(const struct kernel_run *run)
{
    for (uint32_t word = 0; run->failed != NULL && word < bits_words(run->row_count); word++) {
        if (run->failed[word] != 0) {
            return word * 64 + (uint32_t)__builtin_ctzll(run->failed[word]);
        }
    }
    return UINT32_MAX;
}

// Zeroes the values of all rows whose bit is 0. One loop a width, so that a value is one store.
static void zero_nulls(void *values, size_t width, const uint64_t *valid, uint32_t row_count)
{
    static const struct nano zero = {0};
    for (uint32_t word = 0; word < bits_words(row_count); word++) {
        uint64_t nulls = ~valid[word];
        if (word + 1 == bits_words(row_count)) {
            nulls &= bits_tail(row_count);
        }
        char *from = (char *)values + width * word * 64;
#define ZERO_ROWS(size)                                                                            \
    for (; nulls != 0; nulls &= nulls - 1) {                                                       \
        memcpy(from + (size) * (size_t)__builtin_ctzll(nulls), &zero, (size));                     \
    }                                                                                              \
    break
        switch (width) {
        case 1: ZERO_ROWS(1);
        case 2: ZERO_ROWS(2);
        case 4: ZERO_ROWS(4);
        case 8: ZERO_ROWS(8);
        default: ZERO_ROWS(16);
        }
#undef ZERO_ROWS
    }
}

void kernel_make_null(struct kernel_run *run, const uint64_t *rows, struct column *column)
{
    uint32_t words = bits_words(column->row_count);
    if (!bits_any(rows, column->row_count)) {
        return;
    }
    uint64_t *keep = arena_alloc(run->arena, words * sizeof *keep);
    for (uint32_t word = 0; word < words; word++) {
        keep[word] = ~rows[word];
    }
    if (words > 0) {
        keep[words - 1] &= bits_tail(column->row_count);
    }
    *column = column_mask(run->arena, column, keep);
}

static bool is_null_const(const struct column *column)
{
    return column->encoding == ENCODING_CONST && column->valid != NULL &&
           (column->valid[0] & 1) == 0;
}

// How the arguments are looked at: once, once an entry of one dictionary, or row by row.
struct plan {
    uint32_t count;            // values to compute
    const struct column *dict; // of the dictionary argument; NULL: none
};

static struct plan make_plan(const struct kernel_run *run, const struct column *args,
                             uint32_t arg_count)
{
    const struct column *dictionary = NULL;
    bool only_consts = true;
    for (uint32_t i = 0; i < arg_count; i++) {
        if (args[i].encoding == ENCODING_CONST) {
            continue;
        }
        only_consts = false;
        bool is_usable =
            args[i].encoding == ENCODING_DICT && args[i].dict->row_count <= run->row_count;
        if (!is_usable || (dictionary != NULL && (dictionary->codes != args[i].codes ||
                                                  dictionary->dict != args[i].dict ||
                                                  dictionary->valid != args[i].valid))) {
            return (struct plan){run->row_count, NULL};
        }
        dictionary = &args[i];
    }
    if (only_consts) {
        return (struct plan){1, NULL};
    }
    return (struct plan){dictionary->dict->row_count, dictionary};
}

// The values of a dictionary column row by row, for loops that need them beside other rows. Null
// rows get the entry of code 0; their results are zeroed later.
static const void *decode(struct arena *arena, const struct column *column)
{
    size_t width = physical_width(column->physical);
    const char *values = column->dict->values;
    char *out = arena_alloc64(arena, width * column->row_count);
    for (uint32_t row = 0; row < column->row_count; row++) {
        memcpy(out + width * row, values + width * column->codes[row], width);
    }
    return out;
}

static void set_args(struct kernel_run *run, const struct plan *plan, const struct column *args,
                     uint32_t arg_count, struct kernel_loop *loop)
{
    for (uint32_t i = 0; i < arg_count; i++) {
        const struct column *arg = &args[i];
        loop->is_const[i] = arg->encoding == ENCODING_CONST;
        if (arg->encoding != ENCODING_DICT) {
            loop->args[i] = arg->values;
        } else if (plan->dict != NULL) {
            loop->args[i] = arg->dict->values;
        } else {
            loop->args[i] = decode(run->arena, arg);
        }
    }
}

// The rows in which no argument is null; NULL: all.
static uint64_t *common_valid(struct kernel_run *run, const struct column *args, uint32_t arg_count)
{
    uint64_t *valid = NULL;
    uint32_t words = bits_words(run->row_count);
    for (uint32_t i = 0; i < arg_count; i++) {
        if (args[i].valid == NULL || args[i].encoding == ENCODING_CONST) {
            continue; // a null constant was dealt with before
        }
        if (valid == NULL) {
            valid = arena_copy(run->arena, args[i].valid, words * sizeof *valid);
            continue;
        }
        for (uint32_t word = 0; word < words; word++) {
            valid[word] &= args[i].valid[word];
        }
    }
    return valid;
}

static const uint64_t *wanted_words(struct kernel_run *run, const struct plan *plan,
                                    const uint64_t *valid)
{
    uint32_t words = bits_words(plan->count);
    uint64_t *wanted = arena_alloc(run->arena, (words + 1) * sizeof *wanted);
    bits_fill(wanted, plan->count);
    if (plan->dict != NULL || plan->count == 1) {
        return wanted; // entries, or one value for all
    }
    for (uint32_t word = 0; word < words; word++) {
        wanted[word] &= valid == NULL ? UINT64_MAX : valid[word];
        wanted[word] &= run->active == NULL ? UINT64_MAX : run->active[word];
    }
    return wanted;
}

// Bits of entries (or of the only value) to bits of rows.
static const uint64_t *rows_of_bits(struct kernel_run *run, const struct plan *plan,
                                    const uint64_t *bits)
{
    uint32_t words = bits_words(run->row_count);
    uint64_t *rows = arena_zalloc(run->arena, (words + 1) * sizeof *rows);
    if (plan->dict == NULL) {
        if ((bits[0] & 1) != 0) {
            bits_fill(rows, run->row_count);
        }
        return rows;
    }
    const uint16_t *codes = plan->dict->codes;
    for (uint32_t row = 0; row < run->row_count; row++) {
        rows[row / 64] |= (bits[codes[row] / 64] >> (codes[row] % 64) & 1) << (row % 64);
    }
    const uint64_t *valid = plan->dict->valid;
    for (uint32_t word = 0; valid != NULL && word < words; word++) {
        rows[word] &= valid[word];
    }
    return rows;
}

static bool is_per_row(const struct plan *plan, const struct column *args, uint32_t arg_count)
{
    if (plan->dict != NULL) {
        return false;
    }
    for (uint32_t i = 0; i < arg_count; i++) {
        if (args[i].encoding != ENCODING_CONST) {
            return true;
        }
    }
    return false;
}

// Nulls for what the loop could not compute; failures are noted.
static void apply_bad(struct kernel_run *run, const struct kernel_shape *shape,
                      const uint64_t *bad_rows, struct column *out)
{
    if (shape->bad == KERNEL_BAD_IS_FAILURE) {
        kernel_fail(run, bad_rows, shape->failure);
    }
    kernel_make_null(run, bad_rows, out);
}

// In a result dictionary no entry may be null, and a null row has code 0: entries keep what the
// loop left, zero, and rows lose their bit.
static void finish_entries(struct kernel_run *run, const struct kernel_shape *shape,
                           const struct plan *plan, const struct kernel_loop *loop,
                           struct column *out)
{
    struct column *dict = arena_new(run->arena, struct column);
    *dict = (struct column){.physical = shape->out,
                            .encoding = ENCODING_FLAT,
                            .row_count = plan->count,
                            .values = loop->out};
    *out = (struct column){.physical = shape->out,
                           .encoding = ENCODING_DICT,
                           .row_count = run->row_count,
                           .valid = plan->dict->valid,
                           .codes = plan->dict->codes,
                           .dict = dict};
    if (bits_any(loop->bad, plan->count)) {
        uint64_t *good = arena_alloc(run->arena, bits_words(plan->count) * sizeof *good);
        for (uint32_t word = 0; word < bits_words(plan->count); word++) {
            good[word] = ~loop->bad[word];
        }
        zero_nulls(loop->out, physical_width(shape->out), good, plan->count);
        apply_bad(run, shape, rows_of_bits(run, plan, loop->bad), out);
    }
}

static void finish_rows(struct kernel_run *run, const struct kernel_shape *shape, uint64_t *valid,
                        const struct kernel_loop *loop, struct column *out)
{
    uint32_t row_count = run->row_count;
    *out = (struct column){.physical = shape->out,
                           .encoding = ENCODING_FLAT,
                           .row_count = row_count,
                           .valid = valid,
                           .values = loop->out};
    if (bits_any(loop->bad, row_count)) {
        if (valid == NULL) {
            valid = arena_alloc(run->arena, bits_words(row_count) * sizeof *valid);
            bits_fill(valid, row_count);
            out->valid = valid;
        }
        for (uint32_t word = 0; word < bits_words(row_count); word++) {
            loop->bad[word] &= valid[word];
            valid[word] &= ~loop->bad[word];
        }
        if (shape->bad == KERNEL_BAD_IS_FAILURE) {
            kernel_fail(run, loop->bad, shape->failure);
        }
    }
    if (valid != NULL) {
        zero_nulls(loop->out, physical_width(shape->out), valid, row_count);
    }
}

static void finish_const(struct kernel_run *run, const struct kernel_shape *shape,
                         const struct plan *plan, const struct kernel_loop *loop,
                         struct column *out)
{
    *out = (struct column){.physical = shape->out,
                           .encoding = ENCODING_CONST,
                           .row_count = run->row_count,
                           .values = loop->out};
    if ((loop->bad[0] & 1) != 0) {
        if (shape->bad == KERNEL_BAD_IS_FAILURE) {
            kernel_fail(run, rows_of_bits(run, plan, loop->bad), shape->failure);
        }
        memset(loop->out, 0, physical_width(shape->out));
        out->valid = arena_zalloc(run->arena, sizeof *out->valid);
    }
}

static void null_result(struct kernel_run *run, enum physical physical, struct column *out)
{
    *out = (struct column){.physical = physical,
                           .encoding = ENCODING_CONST,
                           .row_count = run->row_count,
                           .valid = arena_zalloc(run->arena, sizeof(uint64_t)),
                           .values = arena_zalloc(run->arena, sizeof(struct nano))};
}

static bool any_null_const(const struct column *args, uint32_t arg_count)
{
    for (uint32_t i = 0; i < arg_count; i++) {
        if (is_null_const(&args[i])) {
            return true;
        }
    }
    return false;
}

void kernel_map(struct kernel_run *run, const struct kernel_shape *shape, const struct column *args,
                uint32_t arg_count, struct column *out)
{
    ASSERT(arg_count <= KERNEL_ARGS_MAX);
    if (any_null_const(args, arg_count)) {
        null_result(run, shape->out, out);
        return;
    }
    struct plan plan = make_plan(run, args, arg_count);
    bool per_row = is_per_row(&plan, args, arg_count);
    uint64_t *valid = per_row ? common_valid(run, args, arg_count) : NULL;
    size_t size = physical_width(shape->out) * plan.count;
    struct kernel_loop loop = {.count = plan.count,
                               .wanted = wanted_words(run, &plan, valid),
                               .out = arena_alloc64(run->arena, size + 16),
                               .arena = run->arena,
                               .options = shape->options};
    loop.bad = arena_zalloc(run->arena, (bits_words(plan.count) + 1) * sizeof *loop.bad);
    if (shape->skips) {
        memset(loop.out, 0, size);
    }
    set_args(run, &plan, args, arg_count, &loop);
    shape->loop(&loop);
    if (per_row) {
        finish_rows(run, shape, valid, &loop, out);
    } else if (plan.dict != NULL) {
        finish_entries(run, shape, &plan, &loop, out);
    } else {
        finish_const(run, shape, &plan, &loop, out);
    }
}

void kernel_test(struct kernel_run *run, const struct kernel_shape *shape,
                 const struct column *args, uint32_t arg_count, uint64_t *is_true,
                 uint64_t *is_null)
{
    uint32_t words = bits_words(run->row_count);
    const uint64_t *active = active_words(run);
    if (any_null_const(args, arg_count)) {
        memset(is_true, 0, words * sizeof *is_true);
        memcpy(is_null, active, words * sizeof *is_null);
        return;
    }
    struct plan plan = make_plan(run, args, arg_count);
    bool per_row = is_per_row(&plan, args, arg_count);
    uint64_t *valid = common_valid(run, args, arg_count);
    uint32_t loop_words = bits_words(plan.count) + 1;
    struct kernel_loop loop = {.count = plan.count,
                               .wanted = wanted_words(run, &plan, valid),
                               .out = arena_zalloc(run->arena, loop_words * sizeof(uint64_t)),
                               .bad = arena_zalloc(run->arena, loop_words * sizeof(uint64_t)),
                               .arena = run->arena,
                               .options = shape->options};
    set_args(run, &plan, args, arg_count, &loop);
    shape->loop(&loop);
    const uint64_t *hits = per_row ? loop.out : rows_of_bits(run, &plan, loop.out);
    const uint64_t *bad = per_row ? loop.bad : rows_of_bits(run, &plan, loop.bad);
    for (uint32_t word = 0; word < words; word++) {
        uint64_t usable = active[word] & (valid == NULL ? UINT64_MAX : valid[word]);
        is_true[word] = usable & hits[word] & ~bad[word];
        is_null[word] = (active[word] & ~usable) | (usable & bad[word]);
    }
    if (shape->bad == KERNEL_BAD_IS_FAILURE) {
        uint64_t *failed = arena_alloc(run->arena, (words + 1) * sizeof *failed);
        for (uint32_t word = 0; word < words; word++) {
            failed[word] = bad[word] & (valid == NULL ? UINT64_MAX : valid[word]);
        }
        kernel_fail(run, failed, shape->failure);
    }
}

void kernel_bool_column(struct kernel_run *run, const uint64_t *is_true, const uint64_t *is_null,
                        struct column *out)
{
    uint32_t row_count = run->row_count;
    uint8_t *values = arena_alloc64(run->arena, row_count + 64);
    for (uint32_t word = 0; word < bits_words(row_count); word++) {
        uint64_t bits = is_true[word];
        for (uint32_t i = 0; i < 64; i++) { // behind the rows: room for 64 more
            values[word * 64 + i] = (uint8_t)(bits >> i & 1);
        }
    }
    *out = (struct column){.physical = PHYSICAL_BOOL,
                           .encoding = ENCODING_FLAT,
                           .row_count = row_count,
                           .values = values};
    if (bits_any(is_null, row_count)) {
        uint32_t words = bits_words(row_count);
        uint64_t *valid = arena_alloc(run->arena, words * sizeof *valid);
        for (uint32_t word = 0; word < words; word++) {
            valid[word] = ~is_null[word];
        }
        valid[words - 1] &= bits_tail(row_count);
        out->valid = valid;
    }
}

// The values as bits, whatever the encoding; null rows are 0 but for the unused bits of a constant.
static uint64_t bool_word(const struct column *column, uint32_t word)
{
    const uint8_t *values = column_holder(column)->values;
    if (column->encoding == ENCODING_CONST) {
        return values[0] != 0 ? UINT64_MAX : 0;
    }
    uint32_t count = column->row_count - word * 64 < 64 ? column->row_count - word * 64 : 64;
    uint8_t flags[64] = {0};
    if (column->encoding == ENCODING_DICT) {
        for (uint32_t i = 0; i < count; i++) {
            flags[i] = values[column->codes[word * 64 + i]];
        }
    } else {
        memcpy(flags, values + word * 64, count);
    }
    return flags_pack(flags);
}

void kernel_bool_masks(const struct kernel_run *run, const struct column *column, uint64_t *is_true,
                       uint64_t *is_null)
{
    uint32_t words = bits_words(column->row_count);
    for (uint32_t word = 0; word < words; word++) {
        uint64_t active = run->active == NULL ? UINT64_MAX : run->active[word];
        if (word + 1 == words) {
            active &= bits_tail(column->row_count);
        }
        uint64_t valid = column_valid_word(column, word);
        is_true[word] = active & valid & bool_word(column, word);
        is_null[word] = active & ~valid;
    }
}
