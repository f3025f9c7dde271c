// SPDX-License-Identifier: Apache-2.0
//
// Rows, arrays and maps: making them and taking values out of them. Functions over arrays and maps
// are in functions_array.c and functions_map.c.
#include <string.h>

#include "base/arena.h"
#include "base/nearest.h"
#include "expr/binding.h"
#include "expr/derive.h"
#include "expr/elements.h"
#include "expr/families.h"
#include "expr/rows.h"

// ROW(a, b): a column of its arguments, nothing is copied.
static enum status resolve_row(struct function_binding *binding, struct err *err)
{
    struct type_field *fields =
        arena_new_array(binding->arena, struct type_field, binding->arg_count);
    for (uint32_t i = 0; i < binding->arg_count; i++) {
        if (binding_type(binding, i)->kind == TYPE_NULL) {
            return binding_refuse(binding, err);
        }
        fields[i].type = binding_type(binding, i);
        fields[i].name = binding->options->field_names != NULL
                             ? binding->options->field_names[i]
                             : arena_printf(binding->arena, "EXPR$%u", i);
    }
    binding->type = type_row(binding->arena, fields, binding->arg_count, false);
    return STATUS_OK;
}

static enum status evaluate_row(struct function_call *call, struct column *out, struct err *err)
{
    (void)err;
    *out = (struct column){
        .physical = PHYSICAL_ROW,
        .encoding = ENCODING_FLAT,
        .row_count = call->row_count,
        .children = arena_copy(call->arena, call->args, sizeof *call->args * call->arg_count),
        .child_count = call->arg_count};
    return STATUS_OK;
}

// r.x
static enum status resolve_field(struct function_binding *binding, struct err *err)
{
    const struct type *type = binding_type(binding, 0);
    for (uint32_t i = 0; type->kind == TYPE_ROW && i < type->field_count; i++) {
        if (str_equal(type->fields[i].name, binding->options->field)) {
            binding_result(binding, type->fields[i].type,
                           type->nullable || type->fields[i].type->nullable);
            return STATUS_OK;
        }
    }
    (void)ERR(err, STATUS_NOT_FOUND, "unknown field '%.*s'", STR_ARGS(binding->options->field));
    err_at(err, ERR_STAGE_VALIDATE, ERR_NO_OFFSET, 0);
    struct nearest nearest = nearest_to(binding->options->field);
    for (uint32_t i = 0; type->kind == TYPE_ROW && i < type->field_count; i++) {
        nearest_try(&nearest, type->fields[i].name);
    }
    nearest_hint(&nearest, err);
    return STATUS_NOT_FOUND;
}

static uint32_t field_index(const struct expr *expr)
{
    const struct type *type = expr->args[0]->type;
    uint32_t index = 0;
    while (index + 1 < type->field_count &&
           !str_equal(type->fields[index].name, expr->options->field)) {
        index++;
    }
    return index;
}

// Children of a null row are null, so the child is the answer, but for a dictionary of rows.
static enum status evaluate_field(struct function_call *call, struct column *out, struct err *err)
{
    (void)err;
    const struct column *row = &call->args[0];
    const struct column *child = &column_holder(row)->children[field_index(call->expr)];
    if (row->encoding != ENCODING_DICT) {
        *out = *child;
        out->encoding = row->encoding == ENCODING_CONST ? ENCODING_CONST : child->encoding;
        out->row_count = row->row_count;
        if (row->encoding == ENCODING_CONST && child->encoding == ENCODING_DICT) {
            *out = column_flatten(call->arena, child);
            out->encoding = ENCODING_CONST;
            out->row_count = row->row_count;
        }
        return STATUS_OK;
    }
    uint32_t *at = arena_alloc(call->arena, sizeof *at * (row->row_count + 1));
    for (uint32_t i = 0; i < row->row_count; i++) {
        at[i] = column_is_null(row, i) ? UINT32_MAX : row->codes[i];
    }
    *out = elements_pick(call->arena, call->expr->type, child, at, row->row_count);
    return STATUS_OK;
}

// Arguments from `first`, every `step`, to one element type.
static enum status cast_elements(struct function_binding *binding, uint32_t first, uint32_t step,
                                 const struct type **common, struct err *err)
{
    const struct type **types =
        arena_new_array(binding->arena, const struct type *, binding->arg_count);
    uint32_t count = 0;
    for (uint32_t i = first; i < binding->arg_count; i += step) {
        types[count++] = binding_type(binding, i);
    }
    *common = derive_least_restrictive(binding->arena, types, count);
    if (*common == NULL || (*common)->kind == TYPE_NULL) {
        return binding_refuse(binding, err);
    }
    for (uint32_t i = first; i < binding->arg_count; i += step) {
        if (binding_type(binding, i)->kind == TYPE_NULL) {
            binding->args[i] = expr_null(binding->arena, *common);
        } else {
            TRY(binding_cast(binding, i, *common, err));
        }
    }
    return STATUS_OK;
}

static enum status resolve_array(struct function_binding *binding, struct err *err)
{
    const struct type *element;
    TRY(cast_elements(binding, 0, 1, &element, err));
    binding->type = type_array(binding->arena, element, false);
    return STATUS_OK;
}

static enum status build_array(struct function_call *call, uint32_t row, struct column_builder *out,
                               struct err *err)
{
    (void)err;
    column_builder_list_begin(out);
    for (uint32_t i = 0; i < call->arg_count; i++) {
        column_builder_value(column_builder_child(out, 0), &call->args[i], row);
    }
    column_builder_list_end(out);
    return STATUS_OK;
}

static enum status evaluate_array(struct function_call *call, struct column *out, struct err *err)
{
    return rows_build(call, build_array, out, err);
}

static enum status resolve_map(struct function_binding *binding, struct err *err)
{
    if (binding->arg_count % 2 != 0) {
        return binding_refuse(binding, err);
    }
    const struct type *key;
    const struct type *value;
    TRY(cast_elements(binding, 0, 2, &key, err));
    TRY(cast_elements(binding, 1, 2, &value, err));
    binding->type = type_map(binding->arena, key, value, false);
    return STATUS_OK;
}

// Of keys that are equal the last counts.
static enum status build_map(struct function_call *call, uint32_t row, struct column_builder *out,
                             struct err *err)
{
    (void)err;
    column_builder_list_begin(out);
    for (uint32_t i = 0; i < call->arg_count; i += 2) {
        bool again = false;
        for (uint32_t k = i + 2; k < call->arg_count; k += 2) {
            again |= elements_equal(&call->args[i], row, &call->args[k], row);
        }
        if (!again) {
            column_builder_value(column_builder_child(out, 0), &call->args[i], row);
            column_builder_value(column_builder_child(out, 1), &call->args[i + 1], row);
        }
    }
    column_builder_list_end(out);
    return STATUS_OK;
}

static enum status evaluate_map(struct function_call *call, struct column *out, struct err *err)
{
    return rows_build(call, build_map, out, err);
}

// a[i] and m[k]: null behind the end and for keys that are not there.
static enum status resolve_item(struct function_binding *binding, struct err *err)
{
    const struct type *type = binding_type(binding, 0);
    int64_t index;
    if (type->kind == TYPE_ARRAY && type_is_integer(binding_type(binding, 1))) {
        if (binding_constant(binding, 1, &index) && index < 1) {
            return ERR(err, STATUS_INVALID_DATA,
                       "the elements of an array are numbered from 1, not from %lld",
                       (long long)index);
        }
        TRY(binding_cast(binding, 1, &type_bigint, err));
        binding_result(binding, type->fields[0].type, true);
        return STATUS_OK;
    }
    if (type->kind != TYPE_MAP) {
        return binding_refuse(binding, err);
    }
    const struct type *key =
        derive_comparable(binding->arena, type->fields[0].type, binding_type(binding, 1), true);
    bool texts =
        type_is_character(type->fields[0].type) && type_is_character(binding_type(binding, 1));
    if (key == NULL || (!texts && key->kind != type->fields[0].type->kind)) {
        return binding_refuse(binding, err);
    }
    if (!texts) {
        TRY(binding_cast(binding, 1, type->fields[0].type, err));
    }
    binding_result(binding, type->fields[1].type, true);
    return STATUS_OK;
}

static uint32_t item_place(const struct function_call *call, uint32_t row)
{
    struct list_view view = rows_list(call, 0, row);
    if (call->args[0].physical == PHYSICAL_MAP) {
        return elements_find(rows_child(call, 0, 0), view.offset, view.length, &call->args[1], row);
    }
    int64_t index = rows_i64(call, 1, row);
    return index >= 1 && index <= view.length ? view.offset + (uint32_t)index - 1 : UINT32_MAX;
}

static enum status evaluate_item(struct function_call *call, struct column *out, struct err *err)
{
    (void)err;
    uint32_t *at = arena_alloc(call->arena, sizeof *at * (call->row_count + 1));
    for (uint32_t row = 0; row < call->row_count; row++) {
        at[row] = bits_get(call->active, row) ? item_place(call, row) : UINT32_MAX;
    }
    uint32_t child = call->args[0].physical == PHYSICAL_MAP ? 1 : 0;
    *out = elements_pick(call->arena, call->expr->type, rows_child(call, 0, child), at,
                         call->row_count);
    return STATUS_OK;
}

static enum status resolve_cardinality(struct function_binding *binding, struct err *err)
{
    const struct type *type = binding_type(binding, 0);
    if (type->kind != TYPE_ARRAY && type->kind != TYPE_MAP && type->kind != TYPE_MULTISET) {
        return binding_refuse(binding, err);
    }
    binding_result(binding, &type_int, type->nullable);
    return STATUS_OK;
}

static enum status row_cardinality(const struct function_call *call, uint32_t row,
                                   struct function_value *value, struct err *err)
{
    (void)err;
    value->i64 = rows_list(call, 0, row).length;
    return STATUS_OK;
}

static enum status resolve_element(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "A", err));
    const struct type *type = binding_type(binding, 0);
    binding_result(binding, type->fields[0].type, type->nullable || type->fields[0].type->nullable);
    return STATUS_OK;
}

static enum status evaluate_element(struct function_call *call, struct column *out, struct err *err)
{
    uint32_t *at = arena_alloc(call->arena, sizeof *at * (call->row_count + 1));
    for (uint32_t row = 0; row < call->row_count; row++) {
        at[row] = UINT32_MAX;
        if (!bits_get(call->active, row)) {
            continue;
        }
        struct list_view view = rows_list(call, 0, row);
        if (view.length > 1) {
            call->error_row = row;
            return ERR(err, STATUS_INVALID_DATA, "ELEMENT: the array has %u elements", view.length);
        }
        at[row] = view.length == 1 ? view.offset : UINT32_MAX;
    }
    *out =
        elements_pick(call->arena, call->expr->type, rows_child(call, 0, 0), at, call->row_count);
    return STATUS_OK;
}

#define SPECIAL(text, flags, from, to, resolver, evaluator, shape, words)                          \
    {                                                                                              \
        .name = (text), .syntax = FUNCTION_SYNTAX_SPECIAL, .properties = (flags),                  \
        .args_min = (from), .args_max = (to), .resolve = (resolver), .evaluate = (evaluator),      \
        .signature = (shape), .doc = (words)                                                       \
    }

static const struct function functions[] = {
    SPECIAL("ROW", FUNCTION_DETERMINISTIC, 1, -1, resolve_row, evaluate_row,
            "ROW(<ANY>, ...), (<ANY>, <ANY>, ...)", "a row of the values"),
    SPECIAL("FIELD", FUNCTION_PURE, 1, 1, resolve_field, evaluate_field, "<ROW>.<NAME>",
            "a field of a row"),
    SPECIAL("ARRAY", FUNCTION_DETERMINISTIC, 1, -1, resolve_array, evaluate_array,
            "ARRAY[<COMMON>, ...]", "an array of the values"),
    SPECIAL("MAP", FUNCTION_DETERMINISTIC, 2, -1, resolve_map, evaluate_map,
            "MAP[<COMMON KEY>, <COMMON VALUE>, ...]", "a map of the pairs"),
    SPECIAL("ITEM", FUNCTION_PURE, 2, 2, resolve_item, evaluate_item,
            "<ARRAY>[<INTEGER>], <MAP>[<KEY>]", "an element, from 1, or the value of a key"),
    {.name = "CARDINALITY",
     .properties = FUNCTION_PURE,
     .args_min = 1,
     .args_max = 1,
     .resolve = resolve_cardinality,
     .row = row_cardinality,
     .signature = "CARDINALITY(<ARRAY>), CARDINALITY(<MAP>)",
     .doc = "the number of elements or entries"},
    {.name = "ELEMENT",
     .properties = FUNCTION_PURE_CAN_ERROR,
     .args_min = 1,
     .args_max = 1,
     .resolve = resolve_element,
     .evaluate = evaluate_element,
     .signature = "ELEMENT(<ARRAY>)",
     .doc = "the only element; NULL if there is none, an error if there are more"},
};

const struct function_family functions_collection = {functions,
                                                     sizeof functions / sizeof *functions};
