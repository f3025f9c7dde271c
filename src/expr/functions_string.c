// SPDX-License-Identifier: Apache-2.0
//
// Characters: the functions whose loops are kernels (kernel/string.h). Those that are written a row
// at a time are in string_rows.c, patterns in functions_regex.c.
#include <string.h>

#include "base/arena.h"
#include "expr/binding.h"
#include "expr/families.h"
#include "expr/kernels.h"
#include "expr/rows.h"
#include "expr/string_rows.h"
#include "kernel/cast.h"
#include "kernel/string.h"

// UPPER('strasse' with a sharp s) is longer than its type says: cut, as a sink of the type would.
static void fit_length(struct kernel_run *run, const struct type *type, struct column *column)
{
    if (type->length == TYPE_LENGTH_MAX) {
        return;
    }
    struct type varying = {.kind = TYPE_VARCHAR, .nullable = true, .length = type->length};
    struct cast_types types = {.from = &type_string, .to = &varying};
    struct column in = *column;
    cast_column(run, &types, &in, column);
}

// A kernel of one string.
#define ONE(name, kernel, fits)                                                                    \
    static enum status name(struct function_call *call, struct column *out, struct err *err)       \
    {                                                                                              \
        struct kernel_run run = kernels_begin(call);                                               \
        kernel(&run, &call->args[0], out);                                                         \
        if (fits) {                                                                                \
            fit_length(&run, call->expr->type, out);                                               \
        }                                                                                          \
        return kernels_end(call, &run, err);                                                       \
    }
ONE(evaluate_upper, string_upper, true)
ONE(evaluate_lower, string_lower, true)
ONE(evaluate_initcap, string_initcap, true)
ONE(evaluate_length, string_length, false)
ONE(evaluate_reverse, string_reverse, false)
ONE(evaluate_ascii, string_ascii, false)
ONE(evaluate_chr, string_chr, false)
#undef ONE

#define TWO(name, kernel)                                                                          \
    static enum status name(struct function_call *call, struct column *out, struct err *err)       \
    {                                                                                              \
        struct kernel_run run = kernels_begin(call);                                               \
        kernel(&run, &call->args[0], &call->args[1], out);                                         \
        return kernels_end(call, &run, err);                                                       \
    }
TWO(evaluate_left, string_left)
TWO(evaluate_right, string_right)
#undef TWO

#define THREE(name, kernel)                                                                        \
    static enum status name(struct function_call *call, struct column *out, struct err *err)       \
    {                                                                                              \
        struct kernel_run run = kernels_begin(call);                                               \
        kernel(&run, &call->args[0], &call->args[1], &call->args[2], out);                         \
        return kernels_end(call, &run, err);                                                       \
    }
THREE(evaluate_split_index, string_split_index)
#undef THREE

// Kernels whose results may be larger than what went in: their sizes are looked at first.
typedef uint64_t size_bound(const struct function_call *call, uint32_t row);

static enum status check_sizes(struct function_call *call, size_bound *bound, struct err *err)
{
    uint64_t total = 0;
    for (uint32_t word = 0; word < bits_words(call->row_count); word++) {
        for (uint64_t rows = call->active[word]; rows != 0; rows &= rows - 1) {
            uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(rows);
            TRY(rows_take(call, row, bound(call, row), &total, err));
        }
    }
    return STATUS_OK;
}

static uint64_t repeat_bound(const struct function_call *call, uint32_t row)
{
    int64_t times = rows_i64(call, 1, row);
    return times <= 0 ? 0 : (uint64_t)times * rows_str(call, 0, row).size;
}

static uint64_t pad_bound(const struct function_call *call, uint32_t row)
{
    int64_t length = rows_i64(call, 1, row);
    return length <= 0 || rows_str(call, 2, row).size == 0 ? 0 : (uint64_t)length * 4;
}

static uint64_t replace_bound(const struct function_call *call, uint32_t row)
{
    uint64_t text = rows_str(call, 0, row).size;
    uint64_t what = rows_str(call, 1, row).size;
    uint64_t with = rows_str(call, 2, row).size;
    uint64_t places = what == 0 ? text + 1 : text / what;
    return text + places * with;
}

static enum status evaluate_repeat(struct function_call *call, struct column *out, struct err *err)
{
    TRY(check_sizes(call, repeat_bound, err));
    struct kernel_run run = kernels_begin(call);
    string_repeat(&run, &call->args[0], &call->args[1], out);
    return kernels_end(call, &run, err);
}

#define BOUNDED(name, kernel, bound)                                                               \
    static enum status name(struct function_call *call, struct column *out, struct err *err)       \
    {                                                                                              \
        TRY(check_sizes(call, bound, err));                                                        \
        struct kernel_run run = kernels_begin(call);                                               \
        kernel(&run, &call->args[0], &call->args[1], &call->args[2], out);                         \
        return kernels_end(call, &run, err);                                                       \
    }
BOUNDED(evaluate_replace, string_replace, replace_bound)
BOUNDED(evaluate_lpad, string_lpad, pad_bound)
BOUNDED(evaluate_rpad, string_rpad, pad_bound)
#undef BOUNDED

// A kernel of any arguments.
#define SEVERAL(name, kernel)                                                                      \
    static enum status name(struct function_call *call, struct column *out, struct err *err)       \
    {                                                                                              \
        struct kernel_run run = kernels_begin(call);                                               \
        kernel(&run, call->args, call->arg_count, out);                                            \
        return kernels_end(call, &run, err);                                                       \
    }
SEVERAL(evaluate_substring, string_substring)
SEVERAL(evaluate_overlay, string_overlay)
#undef SEVERAL

static enum status evaluate_concat(struct function_call *call, struct column *out, struct err *err)
{
    struct kernel_run run = kernels_begin(call);
    struct column joined = call->args[0];
    for (uint32_t at = 1; at < call->arg_count;) {
        struct column parts[KERNEL_ARGS_MAX] = {joined};
        uint32_t count = 1;
        while (count < KERNEL_ARGS_MAX && at < call->arg_count) {
            parts[count++] = call->args[at++];
        }
        string_concat(&run, parts, count, &joined);
    }
    *out = joined;
    return kernels_end(call, &run, err);
}

// a || b: fixed lengths add up, also those of VARCHARs.
static enum status resolve_concat(struct function_binding *binding, struct err *err)
{
    const struct type *a = binding_type(binding, 0);
    const struct type *b = binding_type(binding, 1);
    bool text = type_is_character(a) && type_is_character(b);
    if (!text && !(type_is_binary(a) && type_is_binary(b))) {
        return binding_refuse(binding, err);
    }
    bool fixed = (a->kind == TYPE_CHAR || a->kind == TYPE_BINARY) && a->kind == b->kind;
    enum type_kind kind = fixed ? a->kind : text ? TYPE_VARCHAR : TYPE_VARBINARY;
    int64_t length = (int64_t)a->length + b->length;
    binding->type = type_sized(binding->arena, kind,
                               length < TYPE_LENGTH_MAX ? (int32_t)length : TYPE_LENGTH_MAX,
                               binding_nullable(binding));
    return STATUS_OK;
}

static enum status resolve_overlay(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "SSI", err));
    int64_t length = (int64_t)binding_type(binding, 0)->length + binding_type(binding, 1)->length;
    binding->type = type_sized(binding->arena, TYPE_VARCHAR,
                               length < TYPE_LENGTH_MAX ? (int32_t)length : TYPE_LENGTH_MAX,
                               binding_nullable(binding));
    return STATUS_OK;
}

// TRIM and its like: VARCHAR of the argument's length; BTRIM is STRING.
static enum status resolve_trim(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "S", err));
    if (binding->function->name[0] == 'B') {
        binding_result(binding, &type_string, binding_nullable(binding));
        return STATUS_OK;
    }
    binding->type = type_sized(binding->arena, TYPE_VARCHAR, binding_type(binding, 0)->length,
                               binding_nullable(binding));
    return STATUS_OK;
}

static enum status evaluate_trim(struct function_call *call, struct column *out, struct err *err)
{
    static const enum string_side sides[] = {[FUNCTION_TRIM_BOTH] = STRING_BOTH,
                                             [FUNCTION_TRIM_LEADING] = STRING_LEADING,
                                             [FUNCTION_TRIM_TRAILING] = STRING_TRAILING};
    enum string_side side = sides[call->expr->options->trim];
    char first = call->expr->function->name[0];
    if (first == 'L') {
        side = STRING_LEADING;
    } else if (first == 'R') {
        side = STRING_TRAILING;
    }
    struct kernel_run run = kernels_begin(call);
    string_trim(&run, side, &call->args[0], call->arg_count > 1 ? &call->args[1] : NULL, out);
    return kernels_end(call, &run, err);
}

// POSITION(a IN b) and LOCATE(a, b [, from]).
static enum status evaluate_position(struct function_call *call, struct column *out,
                                     struct err *err)
{
    struct kernel_run run = kernels_begin(call);
    string_position(&run, &call->args[0], &call->args[1],
                    call->arg_count > 2 ? &call->args[2] : NULL, out);
    return kernels_end(call, &run, err);
}

// INSTR(b, a) is LOCATE(a, b); further arguments go backwards too.
static enum status resolve_instr(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "SSI", err));
    if (binding->arg_count == 2) {
        const struct expr *swapped[] = {binding->args[1], binding->args[0]};
        return binding_replace(binding, "POSITION", EXPR_LIST(swapped), err);
    }
    binding_result(binding, &type_int, binding_nullable(binding));
    return STATUS_OK;
}

// SPLIT_INDEX(s, separator, n): the separator may be the code of a character.
static enum status resolve_split_index(struct function_binding *binding, struct err *err)
{
    if (type_is_integer(binding_type(binding, 1))) {
        const struct expr *code[] = {binding->args[1]};
        TRY(expr_call(binding->arena, "CHR", EXPR_LIST(code), &binding->args[1], err));
    }
    TRY(binding_match(binding, "SSI", err));
    binding_result(binding, &type_string, true);
    return STATUS_OK;
}

static enum status test_like(struct function_call *call, uint64_t *is_true, uint64_t *is_null,
                             struct err *err)
{
    struct kernel_run run = kernels_begin(call);
    string_like(&run, &call->args[0], &call->args[1], call->arg_count > 2 ? &call->args[2] : NULL,
                is_true, is_null);
    return kernels_end(call, &run, err);
}

static enum status test_starts(struct function_call *call, uint64_t *is_true, uint64_t *is_null,
                               struct err *err)
{
    struct kernel_run run = kernels_begin(call);
    string_starts_with(&run, &call->args[0], &call->args[1], is_true, is_null);
    return kernels_end(call, &run, err);
}

static enum status test_ends(struct function_call *call, uint64_t *is_true, uint64_t *is_null,
                             struct err *err)
{
    struct kernel_run run = kernels_begin(call);
    string_ends_with(&run, &call->args[0], &call->args[1], is_true, is_null);
    return kernels_end(call, &run, err);
}

// Both characters or both bytes.
static enum status resolve_edge(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "T", err));
    if (type_is_character(binding_type(binding, 0)) !=
        type_is_character(binding_type(binding, 1))) {
        return binding_refuse(binding, err);
    }
    binding_result(binding, &type_boolean, binding_nullable(binding));
    return STATUS_OK;
}

static enum status resolve_elt(struct function_binding *binding, struct err *err)
{
    const struct type *common = binding_type(binding, 1);
    for (uint32_t i = 1; i < binding->arg_count; i++) {
        const struct type *types[] = {common, binding_type(binding, i)};
        common = expr_common_type(binding->arena, types, 2);
        if (common == NULL || (!type_is_character(common) && !type_is_binary(common))) {
            return binding_refuse(binding, err);
        }
    }
    int64_t index;
    if (!type_is_integer(binding_type(binding, 0)) ||
        (binding_constant(binding, 0, &index) && index < 0)) {
        return binding_refuse(binding, err);
    }
    TRY(binding_cast(binding, 0, &type_int, err));
    TRY(binding_cast_all(binding, 1, common, err));
    binding_result(binding, common, true);
    return STATUS_OK;
}

static enum status resolve_concat_ws(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "S", err));
    binding_result(binding, &type_string, binding_nullable(binding));
    return STATUS_OK;
}

static enum status resolve_translate(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "S", err));
    binding_result(binding, &type_string, binding_type(binding, 0)->nullable);
    return STATUS_OK;
}

// IS_ALPHA and its like: never null.
static enum status resolve_is(struct function_binding *binding, struct err *err)
{
    const struct type *type = binding_type(binding, 0);
    if (!type_is_character(type) && !type_is_numeric(type)) {
        return binding_refuse(binding, err);
    }
    TRY(binding_cast(binding, 0, &type_string, err));
    binding_result(binding, &type_boolean, false);
    return STATUS_OK;
}

#define KERNEL(text, letters, from, to, gives, evaluator, shape, words)                            \
    .name = (text), .properties = FUNCTION_PURE, .args_min = (from), .args_max = (to),             \
    .pattern = (letters), .result = FUNCTION_RESULT_##gives, .evaluate = (evaluator),              \
    .signature = (shape), .doc = (words)
#define BOUNDED(text, letters, from, to, gives, evaluator, shape, words)                           \
    .name = (text), .properties = FUNCTION_PURE_CAN_ERROR, .args_min = (from), .args_max = (to),   \
    .pattern = (letters), .result = FUNCTION_RESULT_##gives, .evaluate = (evaluator),              \
    .signature = (shape), .doc = (words)
#define ROW(text, resolver, from, to, function, shape, words)                                      \
    .name = (text), .properties = FUNCTION_DETERMINISTIC, .args_min = (from), .args_max = (to),    \
    .resolve = (resolver), .row = (function), .signature = (shape), .doc = (words)
#define TRIM(text, syntax_kind, shape, words)                                                      \
    {                                                                                              \
        .name = (text), .syntax = (syntax_kind), .properties = FUNCTION_PURE, .args_min = 1,       \
        .args_max = 2, .resolve = resolve_trim, .evaluate = evaluate_trim, .signature = (shape),   \
        .doc = (words)                                                                             \
    }

static const struct function functions[] = {
    {.name = "||",
     .syntax = FUNCTION_SYNTAX_BINARY,
     .properties = FUNCTION_PURE,
     .args_min = 2,
     .args_max = 2,
     .resolve = resolve_concat,
     .evaluate = evaluate_concat,
     .signature = "<STRING> || <STRING>",
     .doc = "one after the other"},
    {.name = "LIKE",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FUNCTION_PURE_CAN_ERROR,
     .args_min = 2,
     .args_max = 3,
     .pattern = "S",
     .result = FUNCTION_RESULT_BOOLEAN,
     .predicate = test_like,
     .signature = "<CHARACTER> LIKE <CHARACTER> [ESCAPE <CHARACTER>]",
     .doc = "whether a text has a pattern: % any characters, _ one"},
    {KERNEL("UPPER", "S", 1, 1, FIRST, evaluate_upper, "UPPER(<CHARACTER>)", "in upper case")},
    {KERNEL("LOWER", "S", 1, 1, FIRST, evaluate_lower, "LOWER(<CHARACTER>)", "in lower case")},
    {KERNEL("INITCAP", "S", 1, 1, FIRST, evaluate_initcap, "INITCAP(<CHARACTER>)",
            "each word begins with a capital")},
    {KERNEL("CHAR_LENGTH", "S", 1, 1, INT, evaluate_length, "CHAR_LENGTH(<CHARACTER>)",
            "the number of characters"),
     .aliases = "CHARACTER_LENGTH"},
    {KERNEL("REVERSE", "S", 1, 1, STRING, evaluate_reverse, "REVERSE(<CHARACTER>)",
            "the characters from the end"),
     .result_nullable = true},
    {KERNEL("SUBSTRING", "SI", 2, 3, FIRST_VARYING, evaluate_substring,
            "SUBSTRING(<CHARACTER> FROM <INTEGER> [FOR <INTEGER>])",
            "from a position (1: the first, negative: from the end), for a length"),
     .aliases = "SUBSTR", .result_nullable = true},
    {KERNEL("LEFT", "SI", 2, 2, FIRST_VARYING, evaluate_left, "LEFT(<CHARACTER>, <INTEGER>)",
            "the first characters"),
     .result_nullable = true},
    {KERNEL("RIGHT", "SI", 2, 2, FIRST_VARYING, evaluate_right, "RIGHT(<CHARACTER>, <INTEGER>)",
            "the last characters"),
     .result_nullable = true},
    TRIM("TRIM", FUNCTION_SYNTAX_SPECIAL,
         "TRIM([BOTH | LEADING | TRAILING] [<CHARACTER> FROM] <CHARACTER>)",
         "without blanks, or given characters, at its ends"),
    TRIM("LTRIM", FUNCTION_SYNTAX_CALL, "LTRIM(<CHARACTER> [, <CHARACTER>])",
         "without blanks, or given characters, at its start"),
    TRIM("RTRIM", FUNCTION_SYNTAX_CALL, "RTRIM(<CHARACTER> [, <CHARACTER>])",
         "without blanks, or given characters, at its end"),
    TRIM("BTRIM", FUNCTION_SYNTAX_CALL, "BTRIM(<CHARACTER> [, <CHARACTER>])",
         "without blanks, or given characters, at both ends"),
    {KERNEL("CONCAT", "S", 1, -1, STRING, evaluate_concat, "CONCAT(<CHARACTER>, ...)",
            "one after the other; NULL if one is")},
    {ROW("CONCAT_WS", resolve_concat_ws, 2, -1, string_rows_concat_ws,
         "CONCAT_WS(<CHARACTER>, <CHARACTER>, ...)",
         "those that are not NULL, joined by the first")},
    {KERNEL("POSITION", "S", 2, 2, INT, evaluate_position, "POSITION(<CHARACTER> IN <CHARACTER>)",
            "where the first text starts in the second, from 1; 0: nowhere"),
     .syntax = FUNCTION_SYNTAX_SPECIAL},
    {KERNEL("LOCATE", "SSI", 2, 3, INT, evaluate_position,
            "LOCATE(<CHARACTER>, <CHARACTER> [, <INTEGER>])",
            "where the first text starts in the second, from a position")},
    {.name = "INSTR",
     .properties = FUNCTION_PURE_CAN_ERROR,
     .args_min = 2,
     .args_max = 4,
     .resolve = resolve_instr,
     .row = string_rows_instr,
     .signature = "INSTR(<CHARACTER>, <CHARACTER> [, <INTEGER> [, <INTEGER>]])",
     .doc = "where the second text starts in the first: from a position, the n-th time"},
    {BOUNDED("REPLACE", "S", 3, 3, STRING, evaluate_replace,
             "REPLACE(<CHARACTER>, <CHARACTER>, <CHARACTER>)",
             "with each second text replaced by the third")},
    {.name = "SPLIT_INDEX",
     .properties = FUNCTION_PURE,
     .args_min = 3,
     .args_max = 3,
     .resolve = resolve_split_index,
     .evaluate = evaluate_split_index,
     .signature = "SPLIT_INDEX(<CHARACTER>, <CHARACTER or INTEGER>, <INTEGER>)",
     .doc = "part n, from 0, of a text split by a separator"},
    {BOUNDED("LPAD", "SIS", 3, 3, STRING, evaluate_lpad,
             "LPAD(<CHARACTER>, <INTEGER>, <CHARACTER>)",
             "padded on the left, or cut, to a length")},
    {BOUNDED("RPAD", "SIS", 3, 3, STRING, evaluate_rpad,
             "RPAD(<CHARACTER>, <INTEGER>, <CHARACTER>)",
             "padded on the right, or cut, to a length")},
    {BOUNDED("REPEAT", "SI", 2, 2, STRING, evaluate_repeat, "REPEAT(<CHARACTER>, <INTEGER>)",
             "a number of times")},
    {.name = "OVERLAY",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FUNCTION_PURE,
     .args_min = 3,
     .args_max = 4,
     .resolve = resolve_overlay,
     .evaluate = evaluate_overlay,
     .signature = "OVERLAY(<CHARACTER> PLACING <CHARACTER> FROM <INTEGER> [FOR <INTEGER>])",
     .doc = "with a part replaced"},
    {.name = "STARTSWITH",
     .properties = FUNCTION_PURE,
     .args_min = 2,
     .args_max = 2,
     .resolve = resolve_edge,
     .predicate = test_starts,
     .signature = "STARTSWITH(<STRING>, <STRING>)",
     .doc = "whether the first begins with the second"},
    {.name = "ENDSWITH",
     .properties = FUNCTION_PURE,
     .args_min = 2,
     .args_max = 2,
     .resolve = resolve_edge,
     .predicate = test_ends,
     .signature = "ENDSWITH(<STRING>, <STRING>)",
     .doc = "whether the first ends with the second"},
    {ROW("TRANSLATE", resolve_translate, 3, 3, string_rows_translate,
         "TRANSLATE(<CHARACTER>, <CHARACTER>, <CHARACTER>)",
         "with each character of the second replaced by the third's at its place"),
     .aliases = "TRANSLATE3"},
    {ROW("ELT", resolve_elt, 2, -1, string_rows_elt, "ELT(<INTEGER>, <STRING>, ...)",
         "the n-th of the following arguments")},
    {KERNEL("ASCII", "S", 1, 1, INT, evaluate_ascii, "ASCII(<CHARACTER>)",
            "the first byte, signed; 0 for the empty text")},
    {KERNEL("CHR", "L", 1, 1, STRING, evaluate_chr, "CHR(<INTEGER>)",
            "the character of a code, modulo 256"),
     .result_nullable = true},
    {ROW("IS_ALPHA", resolve_is, 1, 1, string_rows_is_alpha, "IS_ALPHA(<STRING or NUMERIC>)",
         "whether all characters are letters")},
    {ROW("IS_DIGIT", resolve_is, 1, 1, string_rows_is_digit, "IS_DIGIT(<STRING or NUMERIC>)",
         "whether all characters are digits")},
    {ROW("IS_DECIMAL", resolve_is, 1, 1, string_rows_is_decimal, "IS_DECIMAL(<STRING or NUMERIC>)",
         "whether it can be read as a number")},
};

const struct function_family functions_string = {functions, sizeof functions / sizeof *functions};
