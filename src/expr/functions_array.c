// SPDX-License-Identifier: Apache-2.0
//
// Functions over arrays, built element by element.
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "expr/binding.h"
#include "expr/derive.h"
#include "expr/elements.h"
#include "expr/families.h"
#include "expr/rows.h"
#include "kernel/compare.h"

static void append(struct column_builder *out, const struct column *column, uint32_t row)
{
    column_builder_value(column_builder_child(out, 0), column, row);
}

static const struct type *element_of(const struct function_binding *binding, uint32_t arg)
{
    return binding_type(binding, arg)->fields[0].type;
}

// The type of an array's elements together with another value's: the same but for nullability and
// lengths of strings, or wide enough to take the value without loss.
static const struct type *element_with(struct function_binding *binding, const struct type *other)
{
    const struct type *types[] = {element_of(binding, 0), other};
    const struct type *common = derive_merged(binding->arena, types, 2);
    bool holds = common != NULL && common->kind == types[0]->kind &&
                 (common->kind != TYPE_DECIMAL || type_equal_nullability_aside(common, types[0]));
    bool strings = common != NULL && type_is_character(common);
    return holds || strings ? common : NULL;
}

// ARRAY_APPEND, ARRAY_PREPEND: an array that takes the element.
static enum status resolve_extend(struct function_binding *binding, struct err *err)
{
    if (binding_type(binding, 0)->kind != TYPE_ARRAY) {
        return binding_refuse(binding, err);
    }
    const struct type *element = element_with(binding, binding_type(binding, 1));
    if (element == NULL) {
        return binding_refuse(binding, err);
    }
    bool nullable = binding_nullable(binding);
    TRY(binding_cast(binding, 1, element, err));
    binding->type = type_array(binding->arena, element, nullable);
    return STATUS_OK;
}

static void append_all(const struct function_call *call, uint32_t arg, uint32_t row,
                       struct column_builder *out)
{
    struct list_view view = rows_list(call, arg, row);
    for (uint32_t i = 0; i < view.length; i++) {
        append(out, rows_child(call, arg, 0), view.offset + i);
    }
}

static enum status build_extend(struct function_call *call, uint32_t row,
                                struct column_builder *out, struct err *err)
{
    (void)err;
    if (rows_is_null(call, 0, row)) {
        column_builder_null(out);
        return STATUS_OK;
    }
    bool in_front = call->expr->function->name[6] == 'P'; // ARRAY_PREPEND
    column_builder_list_begin(out);
    if (in_front) {
        append(out, &call->args[1], row);
    }
    append_all(call, 0, row, out);
    if (!in_front) {
        append(out, &call->args[1], row);
    }
    column_builder_list_end(out);
    return STATUS_OK;
}

// ARRAY_CONTAINS, ARRAY_POSITION, ARRAY_REMOVE: an element to look for.
static enum status resolve_search(struct function_binding *binding, struct err *err)
{
    if (binding_type(binding, 0)->kind != TYPE_ARRAY) {
        return binding_refuse(binding, err);
    }
    const struct type *array = binding_type(binding, 0);
    const struct type *element = element_with(binding, binding_type(binding, 1));
    if (element == NULL) {
        return binding_refuse(binding, err);
    }
    if (!type_is_character(element)) {
        TRY(binding_cast(binding, 1, element, err));
    }
    const char *name = binding->function->name;
    if (strcmp(name, "ARRAY_REMOVE") == 0) {
        binding->type = array;
    } else if (strcmp(name, "ARRAY_POSITION") == 0) {
        binding_result(binding, &type_int, binding_nullable(binding));
    } else {
        binding_result(binding, &type_boolean, array->nullable);
    }
    return STATUS_OK;
}

// The number, from 1, of the first element like argument 1; 0: none.
static uint32_t position_in(const struct function_call *call, uint32_t row)
{
    struct list_view view = rows_list(call, 0, row);
    for (uint32_t i = 0; i < view.length; i++) {
        if (elements_equal(rows_child(call, 0, 0), view.offset + i, &call->args[1], row)) {
            return i + 1;
        }
    }
    return 0;
}

static enum status row_contains(const struct function_call *call, uint32_t row,
                                struct function_value *value, struct err *err)
{
    (void)err;
    value->is_null = rows_is_null(call, 0, row);
    value->i64 = !value->is_null && position_in(call, row) != 0;
    return STATUS_OK;
}

static enum status row_position(const struct function_call *call, uint32_t row,
                                struct function_value *value, struct err *err)
{
    (void)err;
    value->i64 = position_in(call, row);
    return STATUS_OK;
}

static enum status build_remove(struct function_call *call, uint32_t row,
                                struct column_builder *out, struct err *err)
{
    (void)err;
    if (rows_is_null(call, 0, row)) {
        column_builder_null(out);
        return STATUS_OK;
    }
    struct list_view view = rows_list(call, 0, row);
    const struct column *elements = rows_child(call, 0, 0);
    column_builder_list_begin(out);
    for (uint32_t i = 0; i < view.length; i++) {
        if (!elements_equal(elements, view.offset + i, &call->args[1], row)) {
            append(out, elements, view.offset + i);
        }
    }
    column_builder_list_end(out);
    return STATUS_OK;
}

static enum status resolve_same(struct function_binding *binding, struct err *err)
{
    if (binding_type(binding, 0)->kind != TYPE_ARRAY) {
        return binding_refuse(binding, err);
    }
    for (uint32_t i = 1; i < binding->arg_count; i++) { // ARRAY_SLICE
        if (!type_is_integer(binding_type(binding, i))) {
            return binding_refuse(binding, err);
        }
        TRY(binding_cast(binding, i, &type_bigint, err));
    }
    binding_result(binding, binding_type(binding, 0), binding_nullable(binding));
    return STATUS_OK;
}

// Whether an element is like an earlier one of the same array.
static bool is_repeated(const struct column *elements, struct list_view view, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++) {
        if (elements_equal(elements, view.offset + i, elements, view.offset + at)) {
            return true;
        }
    }
    return false;
}

static enum status build_distinct(struct function_call *call, uint32_t row,
                                  struct column_builder *out, struct err *err)
{
    (void)err;
    struct list_view view = rows_list(call, 0, row);
    const struct column *elements = rows_child(call, 0, 0);
    column_builder_list_begin(out);
    for (uint32_t i = 0; i < view.length; i++) {
        if (!is_repeated(elements, view, i)) {
            append(out, elements, view.offset + i);
        }
    }
    column_builder_list_end(out);
    return STATUS_OK;
}

static enum status build_reverse(struct function_call *call, uint32_t row,
                                 struct column_builder *out, struct err *err)
{
    (void)err;
    struct list_view view = rows_list(call, 0, row);
    column_builder_list_begin(out);
    for (uint32_t i = view.length; i > 0; i--) {
        append(out, rows_child(call, 0, 0), view.offset + i - 1);
    }
    column_builder_list_end(out);
    return STATUS_OK;
}

// A bound of a slice: 0 is the first, negative ones count from the end.
static int64_t slice_bound(int64_t bound, uint32_t length)
{
    return bound < 0 ? (int64_t)length + bound + 1 : bound;
}

static enum status build_slice(struct function_call *call, uint32_t row, struct column_builder *out,
                               struct err *err)
{
    (void)err;
    struct list_view view = rows_list(call, 0, row);
    int64_t from = slice_bound(rows_i64(call, 1, row), view.length);
    int64_t to = call->arg_count > 2 ? slice_bound(rows_i64(call, 2, row), view.length)
                                     : (int64_t)view.length;
    from = from < 1 ? 1 : from;
    to = to > (int64_t)view.length ? (int64_t)view.length : to;
    column_builder_list_begin(out);
    for (int64_t i = from; i <= to; i++) {
        append(out, rows_child(call, 0, 0), view.offset + (uint32_t)i - 1);
    }
    column_builder_list_end(out);
    return STATUS_OK;
}

// ARRAY_SORT(a [, ascending [, nulls first]])
static enum status resolve_sort(struct function_binding *binding, struct err *err)
{
    if (binding_type(binding, 0)->kind != TYPE_ARRAY || type_is_nested(element_of(binding, 0))) {
        return binding_refuse(binding, err);
    }
    for (uint32_t i = 1; i < binding->arg_count; i++) {
        if (binding_type(binding, i)->kind != TYPE_BOOLEAN) {
            return binding_refuse(binding, err);
        }
    }
    binding_result(binding, binding_type(binding, 0), binding_nullable(binding));
    return STATUS_OK;
}

struct sort_order {
    const struct column *elements;
    bool ascending;
    bool nulls_first;
};

static bool sorts_before(const struct sort_order *order, uint32_t a, uint32_t b)
{
    bool a_null = column_is_null(order->elements, a);
    bool b_null = column_is_null(order->elements, b);
    if (a_null || b_null) {
        return a_null != b_null && a_null == order->nulls_first;
    }
    int compared = compare_values(order->elements, a, order->elements, b);
    return order->ascending ? compared < 0 : compared > 0;
}

// Merge sort, stable, of `count` places in `at`; `room` has as many.
static void sort_places(const struct sort_order *order, uint32_t *at, uint32_t *room,
                        uint32_t count)
{
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t from = 0; from < count; from += 2 * width) {
            uint32_t middle = from + width < count ? from + width : count;
            uint32_t end = from + 2 * width < count ? from + 2 * width : count;
            uint32_t left = from;
            uint32_t right = middle;
            for (uint32_t i = from; i < end; i++) {
                bool take_right =
                    left == middle || (right < end && sorts_before(order, at[right], at[left]));
                room[i] = take_right ? at[right++] : at[left++];
            }
        }
        memcpy(at, room, count * sizeof *at);
    }
}

static enum status build_sort(struct function_call *call, uint32_t row, struct column_builder *out,
                              struct err *err)
{
    (void)err;
    struct list_view view = rows_list(call, 0, row);
    struct sort_order order = {.elements = rows_child(call, 0, 0), .ascending = true};
    order.ascending = call->arg_count < 2 || rows_i64(call, 1, row) != 0;
    order.nulls_first = call->arg_count < 3 ? order.ascending : rows_i64(call, 2, row) != 0;
    uint32_t *at = arena_alloc(call->arena, sizeof *at * (view.length * 2 + 1));
    for (uint32_t i = 0; i < view.length; i++) {
        at[i] = view.offset + i;
    }
    sort_places(&order, at, at + view.length, view.length);
    column_builder_list_begin(out);
    for (uint32_t i = 0; i < view.length; i++) {
        append(out, order.elements, at[i]);
    }
    column_builder_list_end(out);
    return STATUS_OK;
}

static enum status resolve_several(struct function_binding *binding, struct err *err)
{
    return binding_merge(binding, TYPE_ARRAY, err);
}

static enum status build_concat(struct function_call *call, uint32_t row,
                                struct column_builder *out, struct err *err)
{
    (void)err;
    column_builder_list_begin(out);
    for (uint32_t i = 0; i < call->arg_count; i++) {
        append_all(call, i, row, out);
    }
    column_builder_list_end(out);
    return STATUS_OK;
}

static bool array_has(const struct function_call *call, uint32_t arg, uint32_t row,
                      const struct column *elements, uint32_t at)
{
    struct list_view view = rows_list(call, arg, row);
    for (uint32_t i = 0; i < view.length; i++) {
        if (elements_equal(rows_child(call, arg, 0), view.offset + i, elements, at)) {
            return true;
        }
    }
    return false;
}

// The first array's elements that are (not) in the second, each once.
static void append_filtered(struct function_call *call, uint32_t row, bool wanted,
                            struct column_builder *out)
{
    struct list_view view = rows_list(call, 0, row);
    const struct column *elements = rows_child(call, 0, 0);
    for (uint32_t i = 0; i < view.length; i++) {
        if (!is_repeated(elements, view, i) &&
            array_has(call, 1, row, elements, view.offset + i) == wanted) {
            append(out, elements, view.offset + i);
        }
    }
}

static enum status build_except(struct function_call *call, uint32_t row,
                                struct column_builder *out, struct err *err)
{
    (void)err;
    column_builder_list_begin(out);
    append_filtered(call, row, false, out);
    column_builder_list_end(out);
    return STATUS_OK;
}

static enum status build_intersect(struct function_call *call, uint32_t row,
                                   struct column_builder *out, struct err *err)
{
    (void)err;
    column_builder_list_begin(out);
    append_filtered(call, row, true, out);
    column_builder_list_end(out);
    return STATUS_OK;
}

static enum status build_union(struct function_call *call, uint32_t row, struct column_builder *out,
                               struct err *err)
{
    (void)err;
    column_builder_list_begin(out);
    for (uint32_t arg = 0; arg < call->arg_count; arg++) {
        struct list_view view = rows_list(call, arg, row);
        const struct column *elements = rows_child(call, arg, 0);
        for (uint32_t i = 0; i < view.length; i++) {
            bool seen = is_repeated(elements, view, i);
            for (uint32_t before = 0; before < arg && !seen; before++) {
                seen = array_has(call, before, row, elements, view.offset + i);
            }
            if (!seen) {
                append(out, elements, view.offset + i);
            }
        }
    }
    column_builder_list_end(out);
    return STATUS_OK;
}

#define BUILT(name, build)                                                                         \
    static enum status name(struct function_call *call, struct column *out, struct err *err)       \
    {                                                                                              \
        return rows_build(call, build, out, err);                                                  \
    }
BUILT(evaluate_extend, build_extend)
BUILT(evaluate_remove, build_remove)
BUILT(evaluate_distinct, build_distinct)
BUILT(evaluate_reverse, build_reverse)
BUILT(evaluate_slice, build_slice)
BUILT(evaluate_sort, build_sort)
BUILT(evaluate_concat, build_concat)
BUILT(evaluate_except, build_except)
BUILT(evaluate_intersect, build_intersect)
BUILT(evaluate_union, build_union)
#undef BUILT

// ARRAY_MAX, ARRAY_MIN
static enum status resolve_extreme(struct function_binding *binding, struct err *err)
{
    if (binding_type(binding, 0)->kind != TYPE_ARRAY || type_is_nested(element_of(binding, 0))) {
        return binding_refuse(binding, err);
    }
    binding_result(binding, element_of(binding, 0), true);
    return STATUS_OK;
}

static enum status evaluate_extreme(struct function_call *call, struct column *out, struct err *err)
{
    (void)err;
    bool is_max = call->expr->function->name[8] == 'X'; // "ARRAY_MAX"
    const struct column *elements = rows_child(call, 0, 0);
    uint32_t *at = arena_alloc(call->arena, sizeof *at * (call->row_count + 1));
    for (uint32_t row = 0; row < call->row_count; row++) {
        at[row] = UINT32_MAX;
        struct list_view view = {0};
        if (bits_get(call->active, row)) {
            view = rows_list(call, 0, row);
        }
        for (uint32_t i = view.offset; i < view.offset + view.length; i++) {
            if (column_is_null(elements, i)) {
                continue;
            }
            int compared =
                at[row] == UINT32_MAX ? 0 : compare_values(elements, i, elements, at[row]);
            if (at[row] == UINT32_MAX || (is_max ? compared > 0 : compared < 0)) {
                at[row] = i;
            }
        }
    }
    *out = elements_pick(call->arena, call->expr->type, elements, at, call->row_count);
    return STATUS_OK;
}

static enum status resolve_join(struct function_binding *binding, struct err *err)
{
    if (binding_type(binding, 0)->kind != TYPE_ARRAY ||
        !type_is_character(element_of(binding, 0))) {
        return binding_refuse(binding, err);
    }
    for (uint32_t i = 1; i < binding->arg_count; i++) {
        if (!type_is_character(binding_type(binding, i))) {
            return binding_refuse(binding, err);
        }
    }
    binding_result(binding, &type_string, binding_nullable(binding));
    return STATUS_OK;
}

static enum status row_join(const struct function_call *call, uint32_t row,
                            struct function_value *value, struct err *err)
{
    enum { RESULT_MAX = 64 << 20 };
    struct list_view view = rows_list(call, 0, row);
    const struct column *elements = rows_child(call, 0, 0);
    struct strbuf text;
    strbuf_init(&text, RESULT_MAX);
    bool first = true;
    for (uint32_t i = view.offset; i < view.offset + view.length; i++) {
        bool is_null = column_is_null(elements, i);
        if (is_null && call->arg_count < 3) {
            continue;
        }
        if (!first) {
            strbuf_add(&text, rows_str(call, 1, row));
        }
        first = false;
        strbuf_add(&text,
                   is_null ? rows_str(call, 2, row) : strview_str(column_value(elements, i)));
    }
    enum status status = STATUS_OK;
    if (text.truncated) {
        status = ERR(err, STATUS_LIMIT, "ARRAY_JOIN: the result is larger than 64 MiB");
    }
    value->text = arena_str(call->arena, strbuf_str(&text));
    strbuf_release(&text);
    return status;
}

#define ARRAY_FUNCTION(text, flags, from, to, resolver, evaluator, shape, words)                   \
    {                                                                                              \
        .name = (text), .properties = (flags), .args_min = (from), .args_max = (to),               \
        .resolve = (resolver), .evaluate = (evaluator), .signature = (shape), .doc = (words)       \
    }
#define ARRAY_ROW(text, flags, from, to, resolver, function, shape, words)                         \
    {                                                                                              \
        .name = (text), .properties = (flags), .args_min = (from), .args_max = (to),               \
        .resolve = (resolver), .row = (function), .signature = (shape), .doc = (words)             \
    }

static const struct function functions[] = {
    ARRAY_FUNCTION("ARRAY_APPEND", FUNCTION_DETERMINISTIC, 2, 2, resolve_extend, evaluate_extend,
                   "ARRAY_APPEND(<ARRAY>, <ELEMENT>)", "with an element at the end"),
    ARRAY_FUNCTION("ARRAY_PREPEND", FUNCTION_DETERMINISTIC, 2, 2, resolve_extend, evaluate_extend,
                   "ARRAY_PREPEND(<ARRAY>, <ELEMENT>)", "with an element in front"),
    ARRAY_ROW("ARRAY_CONTAINS", FUNCTION_DETERMINISTIC, 2, 2, resolve_search, row_contains,
              "ARRAY_CONTAINS(<ARRAY>, <ELEMENT>)", "whether the element is in it; NULL counts"),
    ARRAY_ROW("ARRAY_POSITION", FUNCTION_PURE, 2, 2, resolve_search, row_position,
              "ARRAY_POSITION(<ARRAY>, <ELEMENT>)", "where the element is, from 1; 0: nowhere"),
    ARRAY_FUNCTION("ARRAY_REMOVE", FUNCTION_DETERMINISTIC, 2, 2, resolve_search, evaluate_remove,
                   "ARRAY_REMOVE(<ARRAY>, <ELEMENT>)", "without the elements that are equal"),
    ARRAY_FUNCTION("ARRAY_DISTINCT", FUNCTION_PURE, 1, 1, resolve_same, evaluate_distinct,
                   "ARRAY_DISTINCT(<ARRAY>)", "each element once, where it stood first"),
    ARRAY_FUNCTION("ARRAY_REVERSE", FUNCTION_PURE, 1, 1, resolve_same, evaluate_reverse,
                   "ARRAY_REVERSE(<ARRAY>)", "from the last element to the first"),
    ARRAY_FUNCTION("ARRAY_SLICE", FUNCTION_PURE, 2, 3, resolve_same, evaluate_slice,
                   "ARRAY_SLICE(<ARRAY>, <INTEGER> [, <INTEGER>])",
                   "from an element to another; negative numbers count from the end"),
    ARRAY_FUNCTION("ARRAY_SORT", FUNCTION_PURE, 1, 3, resolve_sort, evaluate_sort,
                   "ARRAY_SORT(<ARRAY> [, <BOOLEAN> [, <BOOLEAN>]])",
                   "sorted: ascending or not, NULLs first or not"),
    ARRAY_FUNCTION("ARRAY_CONCAT", FUNCTION_PURE, 1, -1, resolve_several, evaluate_concat,
                   "ARRAY_CONCAT(<ARRAY>, ...)", "one after the other"),
    ARRAY_FUNCTION("ARRAY_UNION", FUNCTION_PURE, 2, 2, resolve_several, evaluate_union,
                   "ARRAY_UNION(<ARRAY>, <ARRAY>)", "the elements of both, each once"),
    ARRAY_FUNCTION("ARRAY_EXCEPT", FUNCTION_PURE, 2, 2, resolve_several, evaluate_except,
                   "ARRAY_EXCEPT(<ARRAY>, <ARRAY>)",
                   "the first's elements that are not in the second, each once"),
    ARRAY_FUNCTION("ARRAY_INTERSECT", FUNCTION_PURE, 2, 2, resolve_several, evaluate_intersect,
                   "ARRAY_INTERSECT(<ARRAY>, <ARRAY>)", "the elements in both, each once"),
    ARRAY_FUNCTION("ARRAY_MAX", FUNCTION_PURE, 1, 1, resolve_extreme, evaluate_extreme,
                   "ARRAY_MAX(<ARRAY>)", "the greatest element"),
    ARRAY_FUNCTION("ARRAY_MIN", FUNCTION_PURE, 1, 1, resolve_extreme, evaluate_extreme,
                   "ARRAY_MIN(<ARRAY>)", "the least element"),
    ARRAY_ROW("ARRAY_JOIN", FUNCTION_PURE_CAN_ERROR, 2, 3, resolve_join, row_join,
              "ARRAY_JOIN(<ARRAY OF CHARACTER>, <CHARACTER> [, <CHARACTER>])",
              "the texts joined by a separator; NULLs left out or replaced"),
};

const struct function_family functions_array = {functions, sizeof functions / sizeof *functions};
