// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "base/vec.h"
#include "data/batch.h"
#include "expr/program.h"
#include "expr/program_int.h"

// A computed expression, for finding it again. `mask`: where it was computed; it serves that mask
// and all narrowed from it.
struct known {
    const struct expr *expr;
    uint64_t hash;
    uint32_t mask;
    uint32_t reg;
    uint32_t uses; // how often the expression stands in the program
};

struct compiler {
    struct program *program;
    const uint32_t *column_ids;
    uint32_t column_count;
    VEC(struct program_step) steps;
    VEC(struct program_register) registers;
    VEC(struct program_mask) masks;
    VEC(struct known) known;  // computed
    VEC(struct known) counts; // uses of each distinct call
    uint32_t depth;
};

enum { DEPTH_MAX = 1000, REGISTERS_MAX = 1 << 20 };

static enum status compile(struct compiler *compiler, const struct expr *expr, uint32_t mask,
                           uint32_t *reg, struct err *err);

static uint32_t add_register(struct compiler *compiler, const struct type *type)
{
    struct program_register reg = {.type = type};
    VEC_PUSH(&compiler->registers, reg);
    return compiler->registers.count - 1;
}

static uint32_t add_mask(struct compiler *compiler, uint32_t parent)
{
    struct program_mask mask = {.parent = parent};
    VEC_PUSH(&compiler->masks, mask);
    return compiler->masks.count - 1;
}

static const uint32_t *copy_numbers(struct compiler *compiler, const uint32_t *numbers,
                                    uint32_t count)
{
    return arena_copy(&compiler->program->arena, numbers, sizeof *numbers * count);
}

static uint32_t add_narrow(struct compiler *compiler, uint32_t mask, uint32_t reg,
                           enum program_test test)
{
    uint32_t narrowed = add_mask(compiler, mask);
    struct program_step step = {.kind = PROGRAM_NARROW,
                                .test = test,
                                .out = narrowed,
                                .mask = mask,
                                .arg_count = 1,
                                .args = copy_numbers(compiler, &reg, 1)};
    VEC_PUSH(&compiler->steps, step);
    return narrowed;
}

static uint32_t add_step(struct compiler *compiler, struct program_step step, const uint32_t *args,
                         const struct expr *expr)
{
    step.expr = expr;
    step.out = add_register(compiler, expr->type);
    step.args = copy_numbers(compiler, args, step.arg_count);
    VEC_PUSH(&compiler->steps, step);
    return step.out;
}

static bool is_within(const struct compiler *compiler, uint32_t mask, uint32_t ancestor)
{
    while (mask != ancestor && mask != 0) {
        mask = compiler->masks.items[mask].parent;
    }
    return mask == ancestor;
}

static enum status compile_column(struct compiler *compiler, const struct expr *expr, uint32_t *reg,
                                  struct err *err)
{
    for (uint32_t i = 0; i < compiler->column_count; i++) {
        if (compiler->column_ids[i] == expr->column_id) {
            *reg = add_register(compiler, expr->type);
            compiler->registers.items[*reg].source = PROGRAM_FROM_INPUT;
            compiler->registers.items[*reg].input = i;
            return STATUS_OK;
        }
    }
    return ERR(err, STATUS_INVALID_DATA, "column %.*s (%u) is not in the input",
               STR_ARGS(expr->name), expr->column_id);
}

// The operands of ((a AND b) AND c) AND d, from the left; such chains may be long.
static uint32_t junction_operands(const struct expr *expr, const struct expr **out)
{
    uint32_t count = 0;
    const struct expr *at = expr;
    while (at->kind == EXPR_CALL && at->function == expr->function) {
        count += at->arg_count - 1;
        at = at->args[0];
    }
    uint32_t place = ++count;
    at = expr;
    while (out != NULL && at->kind == EXPR_CALL && at->function == expr->function) {
        for (uint32_t i = at->arg_count; i > 1; i--) {
            out[--place] = at->args[i - 1];
        }
        at = at->args[0];
    }
    if (out != NULL) {
        out[0] = at;
    }
    return count;
}

static enum status compile_junction(struct compiler *compiler, const struct expr *expr,
                                    uint32_t mask, uint32_t *reg, struct err *err)
{
    bool is_and = expr->function->name[0] == 'A';
    uint32_t count = junction_operands(expr, NULL);
    const struct expr **operands =
        arena_new_array(&compiler->program->arena, const struct expr *, count);
    (void)junction_operands(expr, operands);
    TRY(compile(compiler, operands[0], mask, reg, err));
    for (uint32_t i = 1; i < count; i++) {
        uint32_t args[2] = {*reg, 0};
        uint32_t narrowed = add_narrow(compiler, mask, *reg,
                                       is_and ? PROGRAM_TEST_NOT_FALSE : PROGRAM_TEST_NOT_TRUE);
        TRY(compile(compiler, operands[i], narrowed, &args[1], err));
        struct program_step step = {
            .kind = is_and ? PROGRAM_AND : PROGRAM_OR, .mask = mask, .arg_count = 2};
        *reg = add_step(compiler, step, args, expr);
    }
    return STATUS_OK;
}

static uint32_t add_merge(struct compiler *compiler, const struct expr *expr, uint32_t mask,
                          const uint32_t *args, const uint32_t *masks, uint32_t count)
{
    struct program_step step = {.kind = PROGRAM_MERGE,
                                .mask = mask,
                                .arg_count = count,
                                .masks = copy_numbers(compiler, masks, count)};
    return add_step(compiler, step, args, expr);
}

// c1, v1, c2, v2, ..., e
static enum status compile_case(struct compiler *compiler, const struct expr *expr, uint32_t mask,
                                uint32_t *reg, struct err *err)
{
    uint32_t branches = expr->arg_count / 2 + 1;
    uint32_t *args = arena_new_array(&compiler->program->arena, uint32_t, branches);
    uint32_t *masks = arena_new_array(&compiler->program->arena, uint32_t, branches);
    uint32_t rest = mask;
    for (uint32_t i = 0; i + 1 < expr->arg_count; i += 2) {
        uint32_t condition;
        TRY(compile(compiler, expr->args[i], rest, &condition, err));
        masks[i / 2] = add_narrow(compiler, rest, condition, PROGRAM_TEST_TRUE);
        TRY(compile(compiler, expr->args[i + 1], masks[i / 2], &args[i / 2], err));
        rest = add_narrow(compiler, rest, condition, PROGRAM_TEST_NOT_TRUE);
    }
    masks[branches - 1] = rest;
    TRY(compile(compiler, expr->args[expr->arg_count - 1], rest, &args[branches - 1], err));
    *reg = add_merge(compiler, expr, mask, args, masks, branches);
    return STATUS_OK;
}

static enum status compile_coalesce(struct compiler *compiler, const struct expr *expr,
                                    uint32_t mask, uint32_t *reg, struct err *err)
{
    uint32_t *args = arena_new_array(&compiler->program->arena, uint32_t, expr->arg_count);
    uint32_t *masks = arena_new_array(&compiler->program->arena, uint32_t, expr->arg_count);
    uint32_t rest = mask;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        TRY(compile(compiler, expr->args[i], rest, &args[i], err));
        bool is_last = i + 1 == expr->arg_count;
        masks[i] = is_last ? rest : add_narrow(compiler, rest, args[i], PROGRAM_TEST_NOT_NULL);
        rest = is_last ? rest : add_narrow(compiler, rest, args[i], PROGRAM_TEST_NULL);
    }
    *reg = add_merge(compiler, expr, mask, args, masks, expr->arg_count);
    return STATUS_OK;
}

struct form_is {
    const char *name;
    enum program_test test;
};

static const struct form_is form_is_tests[] = {
    {"IS TRUE", PROGRAM_TEST_TRUE},
    {"IS FALSE", PROGRAM_TEST_FALSE},
    {"IS UNKNOWN", PROGRAM_TEST_NULL},
    {"IS NULL", PROGRAM_TEST_NULL},
    {"IS NOT TRUE", PROGRAM_TEST_NOT_TRUE},
    {"IS NOT FALSE", PROGRAM_TEST_NOT_FALSE},
    {"IS NOT UNKNOWN", PROGRAM_TEST_NOT_NULL},
    {"IS NOT NULL", PROGRAM_TEST_NOT_NULL},
};

static enum status compile_form(struct compiler *compiler, const struct expr *expr, uint32_t mask,
                                uint32_t *reg, struct err *err)
{
    const char *name = expr->function->name;
    if (strcmp(name, "AND") == 0 || strcmp(name, "OR") == 0) {
        return compile_junction(compiler, expr, mask, reg, err);
    }
    if (strcmp(name, "CASE") == 0 || strcmp(name, "IF") == 0) {
        return compile_case(compiler, expr, mask, reg, err);
    }
    if (strcmp(name, "COALESCE") == 0) {
        return compile_coalesce(compiler, expr, mask, reg, err);
    }
    uint32_t arg;
    TRY(compile(compiler, expr->args[0], mask, &arg, err));
    struct program_step step = {.kind = PROGRAM_NOT, .mask = mask, .arg_count = 1};
    for (size_t i = 0; i < sizeof form_is_tests / sizeof *form_is_tests; i++) {
        if (strcmp(name, form_is_tests[i].name) == 0) {
            step.kind = PROGRAM_IS;
            step.test = form_is_tests[i].test;
        }
    }
    ASSERT(step.kind == PROGRAM_IS || strcmp(name, "NOT") == 0);
    *reg = add_step(compiler, step, &arg, expr);
    return STATUS_OK;
}

static enum status compile_call(struct compiler *compiler, const struct expr *expr, uint32_t mask,
                                uint32_t *reg, struct err *err)
{
    const struct function *function = expr->function;
    if ((function->properties & FUNCTION_FORM) != 0) {
        return compile_form(compiler, expr, mask, reg, err);
    }
    struct program_step step = {
        .kind = PROGRAM_CALL,
        .mask = mask,
        .arg_count = expr->arg_count,
        .is_strict = (function->properties & FUNCTION_NULL_IN_NULL_OUT) != 0,
        .is_deterministic = (function->properties & FUNCTION_DETERMINISTIC) != 0,
        .can_error = (function->properties & FUNCTION_CAN_ERROR) != 0,
    };
    compiler->program->is_deterministic &= step.is_deterministic;
    if (function->prepare != NULL) {
        function->prepare(&compiler->program->arena, expr, &compiler->program->settings,
                          &step.state);
    }
    if (step.state != NULL && (function->properties & FUNCTION_LIST) != 0) {
        step.arg_count = 1;
    }
    uint32_t *args = arena_new_array(&compiler->program->arena, uint32_t, step.arg_count + 1);
    for (uint32_t i = 0; i < step.arg_count; i++) {
        TRY(compile(compiler, expr->args[i], mask, &args[i], err));
    }
    *reg = add_step(compiler, step, args, expr);
    return STATUS_OK;
}

static struct known *find(struct known *items, uint32_t count, const struct expr *expr,
                          uint64_t hash)
{
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].hash == hash && expr_equal(items[i].expr, expr)) {
            return &items[i];
        }
    }
    return NULL;
}

// Whether it may be computed for all rows, at its first use, because others need it too.
static bool is_shared(struct compiler *compiler, const struct expr *expr, uint64_t hash)
{
    const struct known *count = find(compiler->counts.items, compiler->counts.count, expr, hash);
    return count != NULL && count->uses > 1 && !expr_can_error(expr);
}

static enum status compile(struct compiler *compiler, const struct expr *expr, uint32_t mask,
                           uint32_t *reg, struct err *err)
{
    if (compiler->registers.count > REGISTERS_MAX || compiler->depth >= DEPTH_MAX) {
        return ERR(err, STATUS_LIMIT, "the expression is too large");
    }
    bool shares = expr->kind == EXPR_COLUMN || expr_is_deterministic(expr);
    uint64_t hash = expr_hash(expr);
    for (uint32_t i = 0; shares && i < compiler->known.count; i++) {
        const struct known *known = &compiler->known.items[i];
        if (known->hash == hash && is_within(compiler, mask, known->mask) &&
            expr_equal(known->expr, expr)) {
            *reg = known->reg;
            return STATUS_OK;
        }
    }
    compiler->depth++;
    if (expr->kind == EXPR_COLUMN) {
        mask = 0;
        TRY(compile_column(compiler, expr, reg, err));
    } else if (expr->kind == EXPR_LITERAL) {
        mask = 0;
        *reg = add_register(compiler, expr->type);
        compiler->registers.items[*reg].source = PROGRAM_FROM_LITERAL;
        compiler->registers.items[*reg].literal = expr->value;
    } else {
        mask = shares && mask != 0 && is_shared(compiler, expr, hash) ? 0 : mask;
        TRY(compile_call(compiler, expr, mask, reg, err));
    }
    compiler->depth--;
    struct known known = {.expr = expr, .hash = hash, .mask = mask, .reg = *reg};
    if (shares) {
        VEC_PUSH(&compiler->known, known);
    }
    return STATUS_OK;
}

static void count_uses(struct compiler *compiler, const struct expr *expr)
{
    enum { COUNTED_MAX = 2000 }; // sharing is an optimisation: huge programs go without
    if (expr->kind != EXPR_CALL || compiler->counts.count > COUNTED_MAX) {
        return;
    }
    uint64_t hash = expr_hash(expr);
    struct known *found = find(compiler->counts.items, compiler->counts.count, expr, hash);
    if (found != NULL) {
        found->uses++;
        return;
    }
    struct known known = {.expr = expr, .hash = hash, .uses = 1};
    VEC_PUSH(&compiler->counts, known);
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        count_uses(compiler, expr->args[i]);
    }
}

// Moves what was built into the program's arena and gives registers their room.
static void finish(struct compiler *compiler)
{
    struct program *program = compiler->program;
    struct arena *arena = &program->arena;
    size_t words = BATCH_WORDS_MAX * sizeof(uint64_t);
    program->step_count = compiler->steps.count;
    program->steps =
        arena_copy(arena, compiler->steps.items, sizeof *program->steps * program->step_count);
    program->register_count = compiler->registers.count;
    program->registers = arena_copy(arena, compiler->registers.items,
                                    sizeof *program->registers * program->register_count);
    program->mask_count = compiler->masks.count;
    program->masks =
        arena_copy(arena, compiler->masks.items, sizeof *program->masks * program->mask_count);
    for (uint32_t i = 0; i < program->mask_count; i++) {
        program->masks[i].bits = arena_zalloc(arena, words);
    }
    for (uint32_t i = 0; i < program->register_count; i++) {
        struct program_register *reg = &program->registers[i];
        reg->nulls = *expr_null(arena, reg->type)->value;
        if (reg->nulls.physical == PHYSICAL_BOOL) {
            reg->is_true = arena_zalloc(arena, words);
            reg->is_null = arena_zalloc(arena, words);
        }
    }
}

static enum status compile_all(struct compiler *compiler, const struct expr *const *exprs,
                               uint32_t count, struct err *err)
{
    uint32_t *outputs = arena_new_array(&compiler->program->arena, uint32_t, count + 1);
    (void)add_mask(compiler, 0);
    for (uint32_t i = 0; i < count; i++) {
        count_uses(compiler, exprs[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        TRY(compile(compiler, exprs[i], 0, &outputs[i], err));
    }
    compiler->program->outputs = outputs;
    compiler->program->output_count = count;
    finish(compiler);
    return STATUS_OK;
}

static struct program *program_new(const struct expr_settings *settings)
{
    struct program *program = mem_zalloc(sizeof *program);
    arena_init(&program->arena);
    arena_init(&program->scratch);
    program->settings = settings == NULL ? (struct expr_settings){0} : *settings;
    program->now_us = program->settings.now_us;
    program->watermark_us = WATERMARK_NONE;
    program->is_deterministic = true;
    return program;
}

static enum status build(struct compiler *compiler, const struct expr *const *exprs, uint32_t count,
                         struct program **out, struct err *err)
{
    enum status status = compile_all(compiler, exprs, count, err);
    VEC_RELEASE(&compiler->steps);
    VEC_RELEASE(&compiler->registers);
    VEC_RELEASE(&compiler->masks);
    VEC_RELEASE(&compiler->known);
    VEC_RELEASE(&compiler->counts);
    if (status != STATUS_OK) {
        program_free(compiler->program);
        return status;
    }
    *out = compiler->program;
    return STATUS_OK;
}

enum status program_compile_plain(const struct expr *const *exprs, uint32_t count,
                                  const struct expr_settings *settings, struct program **out,
                                  struct err *err)
{
    struct compiler compiler = {.program = program_new(settings)};
    return build(&compiler, exprs, count, out, err);
}

enum status program_compile(const struct program_spec *spec, struct program **out, struct err *err)
{
    struct program *program = program_new(spec->settings);
    struct compiler compiler = {
        .program = program, .column_ids = spec->column_ids, .column_count = spec->column_count};
    const struct expr **folded =
        arena_new_array(&program->arena, const struct expr *, spec->count + 1);
    for (uint32_t i = 0; i < spec->count; i++) {
        folded[i] = expr_fold(&program->arena, spec->exprs[i], &program->settings);
    }
    return build(&compiler, folded, spec->count, out, err);
}
