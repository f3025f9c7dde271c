// SPDX-License-Identifier: Apache-2.0
#include "expr/function.h"

#include <string.h>

#include "base/arena.h"
#include "base/nearest.h"
#include "expr/aggregate.h"
#include "expr/binding.h"
#include "expr/families.h"

// Families, in the order of the manual's chapters.
static const struct function_family *const families[] = {
    &functions_logical,     &functions_comparison, &functions_arithmetic, &functions_math,
    &functions_conditional, &functions_cast,       &functions_string,     &functions_regex,
    &functions_encoding,    &functions_temporal,   &functions_format,     &functions_collection,
    &functions_array,       &functions_map,        &functions_json,       &functions_json_query,
    &functions_system,
};

enum { FAMILY_COUNT = sizeof families / sizeof *families, NEAREST_SIGNS = 2 };

uint32_t function_count(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < FAMILY_COUNT; i++) {
        count += families[i]->count;
    }
    return count;
}

const struct function *function_at(uint32_t index)
{
    for (uint32_t i = 0; i < FAMILY_COUNT; i++) {
        if (index < families[i]->count) {
            return &families[i]->functions[index];
        }
        index -= families[i]->count;
    }
    return NULL;
}

static bool has_name(const struct function *function, struct str name)
{
    if (str_is_nocase(name, function->name)) {
        return true;
    }
    struct str aliases = str_from(function->aliases);
    while (aliases.size > 0) {
        size_t end = str_find(aliases, ' ');
        if (str_equal_nocase(str_slice(aliases, 0, end), name)) {
            return true;
        }
        aliases = str_slice(aliases, end < aliases.size ? end + 1 : end, aliases.size);
    }
    return false;
}

static bool takes(const struct function *function, uint32_t arg_count)
{
    return arg_count >= (uint32_t)function->args_min &&
           (function->args_max < 0 || arg_count <= (uint32_t)function->args_max);
}

const struct function *function_find(struct str name, uint32_t arg_count)
{
    const struct function *first = NULL;
    for (uint32_t i = 0; i < FAMILY_COUNT; i++) {
        for (uint32_t k = 0; k < families[i]->count; k++) {
            const struct function *function = &families[i]->functions[k];
            if (!has_name(function, name)) {
                continue;
            }
            if (takes(function, arg_count)) {
                return function;
            }
            first = first == NULL ? function : first;
        }
    }
    return first;
}

struct str function_nearest(struct str name)
{
    struct nearest nearest = nearest_to(name);
    for (uint32_t i = 0; i < function_count(); i++) {
        struct str other = str_from(function_at(i)->name);
        if (other.size > NEAREST_SIGNS) { // "+" is near to everything short
            nearest_try(&nearest, other);
        }
    }
    for (int kind = 0; kind <= AGGREGATE_SINGLE_VALUE; kind++) {
        nearest_try(&nearest, str_from(aggregate_name((enum aggregate_kind)kind)));
    }
    return nearest.best;
}

static enum status refuse_name(const struct function_use *use, struct err *err)
{
    (void)ERR(err, STATUS_NOT_FOUND, "there is no function '%.*s'", STR_ARGS(use->name));
    struct str nearest = function_nearest(use->name);
    if (nearest.size > 0) {
        err_hint(err, "did you mean %.*s?", STR_ARGS(nearest));
    }
    return STATUS_NOT_FOUND;
}

static enum status refuse_count(const struct function_use *use, const struct function *function,
                                struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "'%s' does not take %u argument%s; supported: %s",
               function->name, use->args.count, use->args.count == 1 ? "" : "s",
               function->signature);
}

static enum status bind(const struct function_use *use, const struct function *function,
                        const struct expr **out, struct err *err)
{
    static const struct function_options no_options;
    const struct expr **args =
        arena_new_array(use->arena, const struct expr *, use->args.count + 1);
    for (uint32_t i = 0; i < use->args.count; i++) {
        args[i] = use->args.items[i];
    }
    struct function_binding binding = {.arena = use->arena,
                                       .function = function,
                                       .args = args,
                                       .arg_count = use->args.count,
                                       .options = &no_options};
    if (use->options != NULL) {
        binding.options = arena_copy(use->arena, use->options, sizeof *use->options);
    }
    TRY(function->resolve != NULL ? function->resolve(&binding, err)
                                  : binding_by_pattern(&binding, err));
    if (binding.other != NULL) {
        *out = binding.other->length > 0 || use->length == 0
                   ? binding.other
                   : expr_at(use->arena, binding.other, use->offset, use->length);
        return STATUS_OK;
    }
    struct expr *expr = arena_new(use->arena, struct expr);
    *expr = (struct expr){.kind = EXPR_CALL,
                          .type = binding.type,
                          .offset = use->offset,
                          .length = use->length,
                          .function = function,
                          .args = binding.args,
                          .arg_count = binding.arg_count,
                          .options = binding.options};
    *out = expr;
    return STATUS_OK;
}

enum status function_resolve(const struct function_use *use, const struct expr **out,
                             struct err *err)
{
    const struct function *function = function_find(use->name, use->args.count);
    enum status status = STATUS_OK;
    if (function == NULL) {
        status = refuse_name(use, err);
    } else if (!takes(function, use->args.count)) {
        status = refuse_count(use, function, err);
    } else {
        status = bind(use, function, out, err);
    }
    if (status != STATUS_OK && err != NULL &&
        (err->offset == ERR_NO_OFFSET || err->stage != ERR_STAGE_VALIDATE)) {
        err_at(err, ERR_STAGE_VALIDATE, use->length > 0 ? use->offset : ERR_NO_OFFSET, use->length);
    }
    return status;
}
