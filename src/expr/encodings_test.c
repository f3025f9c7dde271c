// SPDX-License-Identifier: Apache-2.0
//
// Every function over arguments of every kind that it takes, odd values among them: nothing crashes
// (the sanitizers look on), columns are well formed, and a row's value is the same whether its
// arguments come as flat values, by a dictionary, as constants, or folded at compile time.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "data/batch.h"
#include "data/column_builder.h"
#include "data/text.h"
#include "expr/expr.h"
#include "expr/function.h"
#include "expr/program.h"

enum { ROWS = 12, TYPES_MAX = 32, ARGS_MAX = 4, TRIES = 160 };

struct palette {
    const struct type *type;
    struct column values; // ROWS of them, FLAT
};

struct fixture {
    struct arena arena;
    struct palette palettes[TYPES_MAX];
    uint32_t type_count;
    uint64_t random;
    uint32_t resolved; // calls that were evaluated
};

static uint32_t pick(struct fixture *fixture, uint32_t below)
{
    fixture->random = hash_word(fixture->random + 0x9e3779b97f4a7c15);
    return (uint32_t)(fixture->random >> 33) % below;
}

static const int64_t odd_integers[] = {0,         1,         -1,      2,         7,         -128,
                                       INT32_MAX, INT32_MIN, 1000000, INT64_MAX, INT64_MIN, 3};
static const double odd_reals[] = {
    0.0, -0.0, 1.0, -1.5, 0.1, 1e300, -1e10, 1e-300, 123.456, (double)INFINITY, 0.5, 2.5};
static const char *const odd_texts[] = {"",
                                        "a",
                                        " b ",
                                        "12",
                                        "-1.5",
                                        "2020-02-29 12:34:56.789",
                                        "\xc3\xa9t\xc3\xa9",
                                        "yyyy",
                                        "(a|b",
                                        "{\"a\":[1,2]}",
                                        "$.a",
                                        "\xf0\x9f\x98\x80 and some more text"};

static void add_values(struct column_builder *builder, const struct type *type, uint32_t row)
{
    if (row % 5 == 4 && type->nullable) {
        column_builder_null(builder);
        return;
    }
    switch (type_physical(type)) {
    case PHYSICAL_BOOL: column_builder_bool(builder, row % 2 == 0); return;
    case PHYSICAL_I8:
    case PHYSICAL_I16:
    case PHYSICAL_I32: {
        int64_t value = odd_integers[row];
        bool is_time = type->kind == TYPE_TIME;
        bool is_date = type->kind == TYPE_DATE;
        value = is_time ? (value & 0x7fffffff) % 86400000 : is_date ? value % 100000 : value;
        column_builder_i64(builder, type->kind == TYPE_TINYINT    ? (int8_t)value
                                    : type->kind == TYPE_SMALLINT ? (int16_t)value
                                                                  : (int32_t)value);
        return;
    }
    case PHYSICAL_I64:
        column_builder_i64(builder, type->kind == TYPE_BIGINT ? odd_integers[row]
                                                              : odd_integers[row] % 1000000000);
        return;
    case PHYSICAL_I128:
        column_builder_i128(builder, (int128)odd_integers[row] * 1000000007);
        return;
    case PHYSICAL_F32: column_builder_f32(builder, (float)odd_reals[row]); return;
    case PHYSICAL_F64: column_builder_f64(builder, odd_reals[row]); return;
    case PHYSICAL_NANO:
        column_builder_nano(builder, (struct nano){odd_integers[row] % 100000000, 123456789});
        return;
    case PHYSICAL_STRING: column_builder_string(builder, str_from(odd_texts[row])); return;
    case PHYSICAL_LIST:
    case PHYSICAL_MAP:
        column_builder_list_begin(builder);
        for (uint32_t i = 0; i < row % 4; i++) {
            for (uint32_t field = 0; field < type->field_count; field++) {
                add_values(column_builder_child(builder, field), type->fields[field].type,
                           (row + i) % 4);
            }
        }
        column_builder_list_end(builder);
        return;
    case PHYSICAL_ROW:
        for (uint32_t i = 0; i < type->field_count; i++) {
            add_values(column_builder_child(builder, i), type->fields[i].type, (row + i) % ROWS);
        }
        column_builder_row(builder);
        return;
    }
}

static void add_palette(struct fixture *fixture, const struct type *type)
{
    struct column_builder *builder = column_builder_new(&fixture->arena, type, ROWS);
    for (uint32_t row = 0; row < ROWS; row++) {
        add_values(builder, type, row);
    }
    struct palette *palette = &fixture->palettes[fixture->type_count++];
    palette->type = type;
    palette->values = column_builder_finish(builder);
}

static void begin(struct fixture *fixture)
{
    *fixture = (struct fixture){.random = 42};
    struct arena *arena = &fixture->arena;
    arena_init(arena);
    const struct type *plain[] = {
        &type_boolean,        &type_tinyint,        &type_smallint,       &type_int,
        &type_bigint,         &type_float,          &type_double,         &type_string,
        &type_bytes,          &type_date,           &type_time,           &type_timestamp3,
        &type_timestamp_ltz3, &type_interval_month, &type_interval_second};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        add_palette(fixture, plain[i]);
    }
    add_palette(fixture, type_decimal(arena, 10, 2, true));
    add_palette(fixture, type_decimal(arena, 38, 10, true));
    add_palette(fixture, type_sized(arena, TYPE_CHAR, 40, false));
    add_palette(fixture, type_sized(arena, TYPE_TIMESTAMP, 9, true));
    add_palette(fixture, type_array(arena, &type_int, true));
    add_palette(fixture, type_array(arena, &type_string, true));
    add_palette(fixture,
                type_map(arena, type_with_null(arena, &type_string, false), &type_int, true));
    struct type_field fields[] = {{.name = STR_LIT("a"), .type = &type_int},
                                  {.name = STR_LIT("b"), .type = &type_string}};
    add_palette(fixture, type_row(arena, fields, 2, true));
}

// Most functions take texts and numbers: those are drawn more often, and a type again and again.
static const struct palette *draw(struct fixture *fixture, const struct palette *before)
{
    static const uint32_t frequent[] = {7, 7, 7, 3, 3, 0, 11, 19, 20}; // STRING, INT, BOOLEAN ...
    if (before != NULL && pick(fixture, 3) == 0) {
        return before;
    }
    if (pick(fixture, 2) == 0) {
        return &fixture->palettes[frequent[pick(fixture, sizeof frequent / sizeof *frequent)]];
    }
    return &fixture->palettes[pick(fixture, fixture->type_count)];
}

// A call with arguments in the forms that are compared.
struct subject {
    struct arena *arena;
    const struct expr *over_columns;
    const struct palette *palettes[ARGS_MAX];
    uint32_t arg_count;
    char name[64];
};

static struct program *compile(const struct expr *expr, uint32_t columns)
{
    static const uint32_t ids[ARGS_MAX] = {0, 1, 2, 3};
    static const struct expr_settings settings = {.now_us = 1700000000000000};
    struct program_spec spec = {.exprs = &expr,
                                .count = 1,
                                .column_ids = ids,
                                .column_count = columns,
                                .settings = &settings};
    struct program *program;
    assert_int_equal(program_compile(&spec, &program, NULL), STATUS_OK);
    return program;
}

static void show(const struct subject *subject, const struct column *column, uint32_t row,
                 struct strbuf *out)
{
    struct err err;
    strbuf_reset(out);
    if (column_check(column, &err) != STATUS_OK) {
        fail_msg("%s: %s", subject->name, err.text);
    }
    text_value(out, subject->over_columns->type, column, row, NULL);
}

// The value of one row in a form; "failed" where it fails.
static void run_row(const struct subject *subject, struct program *program,
                    const struct column *columns, uint32_t row, struct strbuf *out)
{
    struct batch batch = {
        .row_count = ROWS, .column_count = subject->arg_count, .columns = columns};
    uint64_t active[1] = {UINT64_C(1) << row};
    struct column result;
    if (program_run(program, &batch, active, &result, NULL) != STATUS_OK) {
        strbuf_reset(out);
        strbuf_add_text(out, "failed");
        return;
    }
    assert_int_equal(result.row_count, ROWS);
    show(subject, &result, row, out);
}

static struct column as_constant(struct arena *arena, const struct column *column, uint32_t row)
{
    struct column one = column_slice(arena, column, row, 1);
    one = column_copy(arena, &one);
    one.encoding = ENCODING_CONST;
    one.row_count = ROWS;
    return one;
}

// The same values, in another order, named by codes; the dictionary holds no null.
static struct column as_dictionary(struct arena *arena, const struct column *column)
{
    struct column *dict = arena_new(arena, struct column);
    *dict = column_copy(arena, column);
    dict->valid = NULL;
    uint16_t *codes = arena_new_array(arena, uint16_t, ROWS);
    for (uint32_t row = 0; row < ROWS; row++) {
        codes[row] = (uint16_t)(column_is_null(column, row) ? 0 : row);
    }
    return (struct column){.physical = column->physical,
                           .encoding = ENCODING_DICT,
                           .row_count = ROWS,
                           .valid = column->valid,
                           .codes = codes,
                           .dict = dict};
}

static const struct expr *with_literals(struct arena *arena, const struct expr *node, void *context)
{
    const struct subject *subject = ((const void **)context)[0];
    uint32_t row = *(const uint32_t *)((const void **)context)[1];
    if (node->kind != EXPR_COLUMN) {
        return node;
    }
    const struct palette *palette = subject->palettes[node->column_id];
    struct column one = column_slice(arena, &palette->values, row, 1);
    return expr_literal(arena, palette->type, &one);
}

static void expect_same(const struct subject *subject, const char *form, uint32_t row,
                        const struct strbuf *flat, const struct strbuf *other)
{
    if (strcmp(flat->ptr, other->ptr) != 0) {
        fail_msg("%s, row %u: flat gives %s, %s gives %s", subject->name, row, flat->ptr, form,
                 other->ptr);
    }
}

// Whether folding may change the value: Flink keeps constants of these types as decimals.
static bool folds_differently(const struct subject *subject)
{
    for (uint32_t i = 0; i < subject->arg_count; i++) {
        if (type_is_approximate(subject->palettes[i]->type)) {
            return true;
        }
    }
    return type_is_approximate(subject->over_columns->type);
}

static void check_rows(const struct subject *subject)
{
    struct column flat[ARGS_MAX];
    struct column coded[ARGS_MAX];
    for (uint32_t i = 0; i < subject->arg_count; i++) {
        flat[i] = subject->palettes[i]->values;
        coded[i] = as_dictionary(subject->arena, &flat[i]);
    }
    struct program *program = compile(subject->over_columns, subject->arg_count);
    struct strbuf expected;
    struct strbuf got;
    strbuf_init(&expected, 1 << 20);
    strbuf_init(&got, 1 << 20);
    for (uint32_t row = 0; row < ROWS; row++) {
        run_row(subject, program, flat, row, &expected);
        run_row(subject, program, coded, row, &got);
        expect_same(subject, "a dictionary", row, &expected, &got);
        struct column constant[ARGS_MAX];
        for (uint32_t i = 0; i < subject->arg_count; i++) {
            constant[i] = as_constant(subject->arena, &flat[i], row);
        }
        run_row(subject, program, constant, row, &got);
        expect_same(subject, "constants", row, &expected, &got);
        const void *context[] = {subject, &row};
        const struct expr *literal =
            expr_rewrite(subject->arena, subject->over_columns, with_literals, context);
        if (!folds_differently(subject)) {
            struct program *folded = compile(literal, 0);
            run_row(subject, folded, constant, row, &got);
            expect_same(subject, "folding", row, &expected, &got);
            program_free(folded);
        }
    }
    program_free(program);
    strbuf_release(&expected);
    strbuf_release(&got);
}

// One call with arguments drawn; those that the function refuses are no matter.
static void try_call(struct fixture *fixture, const struct function *function, uint32_t arg_count)
{
    struct arena arena;
    arena_init(&arena);
    struct subject subject = {.arena = &arena, .arg_count = arg_count};
    const struct expr *args[ARGS_MAX];
    int size = snprintf(subject.name, sizeof subject.name, "%s(", function->name);
    for (uint32_t i = 0; i < arg_count; i++) {
        subject.palettes[i] = draw(fixture, i > 0 ? subject.palettes[i - 1] : NULL);
        args[i] = expr_column(&arena, i, STR_LIT("c"), subject.palettes[i]->type);
        struct str type = type_text(&arena, subject.palettes[i]->type);
        if (size > 0 && size < (int)sizeof subject.name) {
            size += snprintf(subject.name + size, sizeof subject.name - (size_t)size, "%.*s ",
                             STR_ARGS(type));
        }
    }
    struct function_options options = {.unit = (enum function_unit)pick(fixture, 20),
                                       .target = fixture->palettes[pick(fixture, 20)].type,
                                       .field = STR_LIT("b")};
    if (pick(fixture, 3) == 0) {
        options.unit = FUNCTION_UNIT_NONE;
    }
    struct function_use use = {.arena = &arena,
                               .name = str_from(function->name),
                               .args = {args, arg_count},
                               .options = &options};
    struct err err = {0};
    if (function_resolve(&use, &subject.over_columns, &err) == STATUS_OK) {
        if (expr_is_deterministic(subject.over_columns)) {
            fixture->resolved++;
            check_rows(&subject);
        }
    } else {
        assert_int_equal(err.stage, ERR_STAGE_VALIDATE);
        assert_true(err.text[0] != '\0');
    }
    arena_release(&arena);
}

static void test_all_functions_give_the_same_in_all_forms(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    for (uint32_t i = 0; i < function_count(); i++) {
        const struct function *function = function_at(i);
        uint32_t least = (uint32_t)function->args_min;
        uint32_t most = function->args_max < 0 || function->args_max > ARGS_MAX
                            ? ARGS_MAX
                            : (uint32_t)function->args_max;
        for (uint32_t try = 0; try < TRIES && most > 0; try++) {
            uint32_t arg_count = least + pick(&fixture, most - least + 1);
            if (arg_count > 0 && arg_count <= ARGS_MAX) {
                try_call(&fixture, function, arg_count);
            }
        }
    }
    assert_true(fixture.resolved > 2000);
    arena_release(&fixture.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_functions_give_the_same_in_all_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
