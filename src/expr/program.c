// SPDX-License-Identifier: Apache-2.0
#include "expr/program.h"

#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "expr/program_int.h"
#include "expr/program_merge.h"
#include "expr/rows.h"
#include "kernel/kernel.h"
#include "kernel/select_case.h"

void program_free(struct program *program)
{
    if (program != NULL) {
        arena_release(&program->scratch);
        arena_release(&program->arena);
        mem_free(program);
    }
}

void program_set_now(struct program *program, int64_t now_us)
{
    program->now_us = now_us;
}

void program_set_watermark(struct program *program, int64_t watermark_us)
{
    program->watermark_us = watermark_us;
}

bool program_is_deterministic(const struct program *program)
{
    return program->is_deterministic;
}

uint32_t program_step_count(const struct program *program)
{
    return program->step_count;
}

// The column of a register, made from its masks where it has none yet.
static const struct column *reg_column(struct program *program, uint32_t number)
{
    struct program_register *reg = &program->registers[number];
    if (!reg->has_column) {
        struct kernel_run run = {.arena = &program->scratch, .row_count = program->row_count};
        kernel_bool_column(&run, reg->is_true, reg->is_null, &reg->column);
        reg->has_column = true;
    }
    return &reg->column;
}

static struct program_register *reg_bits(struct program *program, uint32_t number)
{
    struct program_register *reg = &program->registers[number];
    if (!reg->has_bits) {
        struct kernel_run run = {.arena = &program->scratch, .row_count = program->row_count};
        kernel_bool_masks(&run, &reg->column, reg->is_true, reg->is_null);
        reg->has_bits = true;
    }
    return reg;
}

static void set_nulls(struct program *program, uint32_t number)
{
    struct program_register *reg = &program->registers[number];
    reg->column = reg->nulls;
    reg->column.row_count = program->row_count;
    reg->has_column = true;
    reg->has_bits = false;
}

// Kernels say what a text is not; here it is known which.
static void add_text(struct program *program, const struct program_step *step, uint32_t row,
                     struct err *err)
{
    enum { SHOWN_MAX = 60 };
    if (err == NULL || step->arg_count == 0 ||
        strncmp(err->text, "text that is no ", strlen("text that is no ")) != 0) {
        return;
    }
    const struct column *texts = reg_column(program, step->args[0]);
    if (texts->physical != PHYSICAL_STRING || column_is_null(texts, row)) {
        return;
    }
    struct str text = strview_str(column_value(texts, row));
    size_t shown = text.size < SHOWN_MAX ? text.size : SHOWN_MAX;
    while (shown < text.size && shown > 0 && ((unsigned char)text.ptr[shown] & 0xc0) == 0x80) {
        shown--; // whole characters
    }
    size_t size = strlen(err->text);
    (void)snprintf(err->text + size, sizeof err->text - size, ": '%.*s'%s", (int)shown, text.ptr,
                   shown < text.size ? "..." : "");
}

// A step's message gets the place of its text in the statement and the row's origin.
static enum status fail_at_row(struct program *program, const struct program_step *step,
                               uint32_t row, enum status status, struct err *err)
{
    const struct batch_origin *origin = program->in->origin;
    add_text(program, step, row, err);
    if (origin != NULL) {
        uint64_t place = origin->places != NULL ? origin->places[row] : origin->first + row;
        err_context(err, "%.*s, %s %llu", STR_ARGS(origin->name), origin->unit,
                    (unsigned long long)place);
    }
    if (step->expr->length > 0) {
        err_at(err, ERR_STAGE_RUNTIME, step->expr->offset, step->expr->length);
    }
    return status;
}

// One evaluation: as columns or as bits, whatever the function gives.
static enum status evaluate(struct program *program, const struct program_step *step,
                            struct function_call *call, struct program_register *out,
                            struct err *err)
{
    const struct function *function = step->expr->function;
    call->expr = step->expr;
    call->arg_count = step->arg_count;
    call->arena = &program->scratch;
    call->state = step->state;
    call->settings = &program->settings;
    call->now_us = program->now_us;
    call->watermark_us = program->watermark_us;
    if (function->predicate != NULL) {
        out->has_bits = true;
        return function->predicate(call, out->is_true, out->is_null, err);
    }
    out->has_column = true;
    return function->row != NULL ? rows_run(call, &out->column, err)
                                 : function->evaluate(call, &out->column, err);
}

// The values of rows in `meant` whose arguments are all there count; nulls of arguments are put in
// here, so evaluators need not look at them.
static enum status evaluate_rows(struct program *program, const struct program_step *step,
                                 struct function_call *call, struct program_register *out,
                                 struct err *err)
{
    uint64_t meant[BATCH_WORDS_MAX];
    uint32_t words = bits_words(call->row_count);
    bool has_nulls = false;
    for (uint32_t word = 0; word < words; word++) {
        uint64_t there = UINT64_MAX;
        for (uint32_t i = 0; step->is_strict && i < step->arg_count; i++) {
            there &= column_valid_word(&call->args[i], word);
        }
        meant[word] = call->active[word] & there;
        has_nulls |= meant[word] != call->active[word];
    }
    const uint64_t *active = call->active;
    call->active = meant;
    TRY(evaluate(program, step, call, out, err));
    if (out->has_bits) {
        for (uint32_t word = 0; word < words; word++) {
            out->is_true[word] &= meant[word];
            out->is_null[word] = (out->is_null[word] & meant[word]) | (active[word] & ~meant[word]);
        }
    } else if (has_nulls) {
        program_merge_add_nulls(&program->scratch, active, meant, &out->column);
    }
    call->active = active;
    return STATUS_OK;
}

// Constant arguments: one row, for all.
static enum status run_constant(struct program *program, const struct program_step *step,
                                struct column *args, struct program_register *out, struct err *err)
{
    const uint64_t one = 1;
    for (uint32_t i = 0; i < step->arg_count; i++) {
        args[i].row_count = 1;
    }
    struct function_call call = {.args = args, .row_count = 1, .active = &one};
    enum status status = evaluate_rows(program, step, &call, out, err);
    if (status != STATUS_OK) {
        uint32_t row = program_merge_first_row(program->masks[step->mask].bits,
                                               bits_words(program->row_count));
        return fail_at_row(program, step, row, status, err);
    }
    if (out->has_bits) {
        program_merge_spread_bit(out->is_true, program->row_count);
        program_merge_spread_bit(out->is_null, program->row_count);
    } else {
        out->column.encoding = ENCODING_CONST;
        out->column.row_count = program->row_count;
    }
    return STATUS_OK;
}

// One dictionary and constants: one row an entry that is in use.
static enum status run_dictionary(struct program *program, const struct program_step *step,
                                  struct column *args, const struct column *coded,
                                  struct program_register *out, struct err *err)
{
    const uint64_t *active = program->masks[step->mask].bits;
    const struct column *dict = coded->dict;
    uint64_t used[BATCH_WORDS_MAX];
    program_merge_used_entries(coded, active, used);
    for (uint32_t i = 0; i < step->arg_count; i++) {
        if (args[i].encoding == ENCODING_DICT) {
            args[i] = *dict;
        } else {
            args[i].row_count = dict->row_count;
        }
    }
    struct function_call call = {.args = args, .row_count = dict->row_count, .active = used};
    enum status status = evaluate_rows(program, step, &call, out, err);
    if (status != STATUS_OK) {
        uint32_t row = program_merge_row_of_entry(coded, active, call.error_row);
        return fail_at_row(program, step, row, status, err);
    }
    if (out->has_bits) {
        program_merge_bits_by_code(coded, active, out->is_true, out->is_null);
    } else {
        program_merge_column_by_code(&program->scratch, coded, active, &out->column);
    }
    return STATUS_OK;
}

// The DICT argument if it is the only one that varies and has fewer entries than there are rows.
static const struct column *only_dictionary(const struct program *program,
                                            const struct program_step *step,
                                            const struct column *args)
{
    if (!step->is_strict || !step->is_deterministic) {
        return NULL;
    }
    const struct column *coded = NULL;
    for (uint32_t i = 0; i < step->arg_count; i++) {
        if (args[i].encoding == ENCODING_CONST) {
            continue;
        }
        if (args[i].encoding != ENCODING_DICT ||
            (coded != NULL && (args[i].dict != coded->dict || args[i].codes != coded->codes ||
                               args[i].valid != coded->valid))) {
            return NULL;
        }
        coded = &args[i];
    }
    if (coded == NULL) {
        return NULL;
    }
    uint32_t rows = bits_count(program->masks[step->mask].bits, program->row_count);
    return coded->dict->row_count < rows ? coded : NULL;
}

static bool has_constant_null(const struct program_step *step, const struct column *args)
{
    for (uint32_t i = 0; step->is_strict && i < step->arg_count; i++) {
        if (args[i].encoding == ENCODING_CONST && column_is_null(&args[i], 0)) {
            return true;
        }
    }
    return false;
}

static enum status run_call(struct program *program, const struct program_step *step,
                            struct err *err)
{
    struct program_register *out = &program->registers[step->out];
    struct column *args = arena_alloc(&program->scratch, (step->arg_count + 1) * sizeof *args);
    bool all_constant = step->is_deterministic;
    for (uint32_t i = 0; i < step->arg_count; i++) {
        args[i] = *reg_column(program, step->args[i]);
        all_constant &= args[i].encoding == ENCODING_CONST;
    }
    if (has_constant_null(step, args)) {
        set_nulls(program, step->out);
        return STATUS_OK;
    }
    if (all_constant) {
        return run_constant(program, step, args, out, err);
    }
    const struct column *coded = only_dictionary(program, step, args);
    if (coded != NULL) {
        struct column copy = *coded;
        return run_dictionary(program, step, args, &copy, out, err);
    }
    struct function_call call = {
        .args = args, .row_count = program->row_count, .active = program->masks[step->mask].bits};
    enum status status = evaluate_rows(program, step, &call, out, err);
    return status == STATUS_OK ? status : fail_at_row(program, step, call.error_row, status, err);
}

static void run_junction(struct program *program, const struct program_step *step)
{
    const uint64_t *mask = program->masks[step->mask].bits;
    const struct program_register *a = reg_bits(program, step->args[0]);
    const struct program_register *b = reg_bits(program, step->args[1]);
    struct program_register *out = &program->registers[step->out];
    for (uint32_t word = 0; word < bits_words(program->row_count); word++) {
        uint64_t a_true = a->is_true[word] & mask[word];
        uint64_t a_null = a->is_null[word] & mask[word];
        uint64_t a_false = mask[word] & ~a_true & ~a_null;
        uint64_t b_true = b->is_true[word];
        uint64_t b_null = b->is_null[word];
        if (step->kind == PROGRAM_AND) { // b counts where a is true or null
            out->is_true[word] = a_true & b_true;
            out->is_null[word] = (a_null & (b_null | b_true)) | (a_true & b_null);
        } else { // b counts where a is false or null
            out->is_true[word] = a_true | ((a_null | a_false) & b_true);
            out->is_null[word] = (a_null & ~b_true) | (a_false & b_null);
        }
    }
    out->has_bits = true;
}

// The rows of `mask` in which a register passes a test, for one word of rows.
static uint64_t test_word(enum program_test test, uint64_t mask, uint64_t is_true, uint64_t is_null)
{
    switch (test) {
    case PROGRAM_TEST_TRUE: return mask & is_true;
    case PROGRAM_TEST_FALSE: return mask & ~is_true & ~is_null;
    case PROGRAM_TEST_NULL: return mask & is_null;
    case PROGRAM_TEST_NOT_TRUE: return mask & ~is_true;
    case PROGRAM_TEST_NOT_FALSE: return mask & (is_true | is_null);
    case PROGRAM_TEST_NOT_NULL: return mask & ~is_null;
    }
    return 0;
}

static void run_test(struct program *program, const struct program_step *step, uint64_t *out)
{
    const uint64_t *mask = program->masks[step->mask].bits;
    const struct program_register *arg = &program->registers[step->args[0]];
    bool by_validity =
        !arg->has_bits && (step->test == PROGRAM_TEST_NULL || step->test == PROGRAM_TEST_NOT_NULL);
    if (!by_validity) {
        arg = reg_bits(program, step->args[0]);
    }
    for (uint32_t word = 0; word < bits_words(program->row_count); word++) {
        uint64_t is_null =
            by_validity ? ~column_valid_word(&arg->column, word) : arg->is_null[word];
        uint64_t is_true = by_validity ? 0 : arg->is_true[word];
        out[word] = test_word(step->test, mask[word], is_true, is_null);
    }
}

static void run_not(struct program *program, const struct program_step *step)
{
    struct program_register *out = &program->registers[step->out];
    struct program_step is_false = *step;
    is_false.test = PROGRAM_TEST_FALSE;
    run_test(program, &is_false, out->is_true);
    is_false.test = PROGRAM_TEST_NULL;
    run_test(program, &is_false, out->is_null);
    out->has_bits = true;
}

static void run_merge(struct program *program, const struct program_step *step)
{
    struct program_register *out = &program->registers[step->out];
    uint32_t words = bits_words(program->row_count);
    if (out->nulls.physical == PHYSICAL_BOOL) {
        memset(out->is_true, 0, words * sizeof(uint64_t));
        memset(out->is_null, 0, words * sizeof(uint64_t));
        for (uint32_t i = 0; i < step->arg_count; i++) {
            const uint64_t *mask = program->masks[step->masks[i]].bits;
            const struct program_register *arg = reg_bits(program, step->args[i]);
            for (uint32_t word = 0; word < words; word++) {
                out->is_true[word] |= arg->is_true[word] & mask[word];
                out->is_null[word] |= arg->is_null[word] & mask[word];
            }
        }
        out->has_bits = true;
        return;
    }
    struct select_case *cases = arena_alloc(&program->scratch, step->arg_count * sizeof *cases);
    uint32_t count = 0;
    for (uint32_t i = 0; i < step->arg_count; i++) {
        const struct program_mask *mask = &program->masks[step->masks[i]];
        if (mask->has_any) {
            cases[count].mask = mask->bits;
            cases[count++].column = reg_column(program, step->args[i]);
        }
    }
    if (count == 1) { // the other rows are not active
        out->column = *cases[0].column;
    } else {
        out->column = select_case_blend(&program->scratch, cases, count, program->row_count);
    }
    out->has_column = true;
}

static enum status run_step(struct program *program, const struct program_step *step,
                            struct err *err)
{
    if (step->kind == PROGRAM_NARROW) {
        struct program_mask *narrowed = &program->masks[step->out];
        if (program->masks[step->mask].has_any) {
            run_test(program, step, narrowed->bits);
        } else {
            memset(narrowed->bits, 0, BATCH_WORDS_MAX * sizeof(uint64_t));
        }
        narrowed->has_any = bits_any(narrowed->bits, program->row_count);
        return STATUS_OK;
    }
    struct program_register *out = &program->registers[step->out];
    out->has_bits = out->has_column = false;
    if (!program->masks[step->mask].has_any) {
        set_nulls(program, step->out);
        return STATUS_OK;
    }
    switch (step->kind) {
    case PROGRAM_CALL: return run_call(program, step, err);
    case PROGRAM_AND:
    case PROGRAM_OR: run_junction(program, step); return STATUS_OK;
    case PROGRAM_NOT: run_not(program, step); return STATUS_OK;
    case PROGRAM_IS:
        run_test(program, step, out->is_true);
        memset(out->is_null, 0, BATCH_WORDS_MAX * sizeof(uint64_t));
        out->has_bits = true;
        return STATUS_OK;
    case PROGRAM_MERGE: run_merge(program, step); return STATUS_OK;
    case PROGRAM_NARROW: break;
    }
    return STATUS_OK;
}

static void begin(struct program *program, const struct batch *in, const uint64_t *active)
{
    ASSERT(in->row_count <= BATCH_ROWS_MAX);
    arena_reset(&program->scratch);
    program->in = in;
    program->row_count = in->row_count;
    uint64_t *all = program->masks[0].bits;
    memset(all, 0, BATCH_WORDS_MAX * sizeof *all);
    if (active == NULL) {
        bits_fill(all, in->row_count);
    } else {
        memcpy(all, active, bits_words(in->row_count) * sizeof *all);
    }
    program->masks[0].has_any = bits_any(all, in->row_count);
    for (uint32_t i = 0; i < program->register_count; i++) {
        struct program_register *reg = &program->registers[i];
        if (reg->source == PROGRAM_FROM_STEP) {
            continue;
        }
        reg->column = reg->source == PROGRAM_FROM_INPUT ? in->columns[reg->input] : *reg->literal;
        reg->column.row_count = in->row_count;
        reg->has_column = true;
        reg->has_bits = false;
    }
}

enum status program_run(struct program *program, const struct batch *in, const uint64_t *active,
                        struct column *out, struct err *err)
{
    begin(program, in, active);
    for (uint32_t i = 0; i < program->step_count; i++) {
        TRY(run_step(program, &program->steps[i], err));
    }
    for (uint32_t i = 0; i < program->output_count; i++) {
        out[i] = *reg_column(program, program->outputs[i]);
    }
    return STATUS_OK;
}

enum status program_filter(struct program *program, const struct batch *in, uint64_t *is_true,
                           struct err *err)
{
    ASSERT(program->output_count == 1);
    begin(program, in, NULL);
    for (uint32_t i = 0; i < program->step_count; i++) {
        TRY(run_step(program, &program->steps[i], err));
    }
    const struct program_register *reg = reg_bits(program, program->outputs[0]);
    for (uint32_t word = 0; word < bits_words(in->row_count); word++) {
        is_true[word] = reg->is_true[word] & program->masks[0].bits[word];
    }
    return STATUS_OK;
}
