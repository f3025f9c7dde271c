// SPDX-License-Identifier: Apache-2.0
#include "expr/program.h"

#include "expr/terms_test.h"

enum { COLUMNS_MAX = 4 };

// A program over columns $0 ..., made of texts.
struct fixture {
    struct arena arena;
    const struct type *types[COLUMNS_MAX];
    struct column columns[COLUMNS_MAX];
    uint32_t column_count;
    uint32_t row_count;
    struct program *program;
    struct batch_origin origin;
};

static void begin(struct fixture *fixture, uint32_t row_count)
{
    *fixture = (struct fixture){.row_count = row_count};
    arena_init(&fixture->arena);
}

static void end(struct fixture *fixture)
{
    program_free(fixture->program);
    arena_release(&fixture->arena);
}

static void add_i64(struct fixture *fixture, const int64_t *values, const uint64_t *valid)
{
    fixture->types[fixture->column_count] = &type_bigint;
    fixture->columns[fixture->column_count++] = (struct column){.physical = PHYSICAL_I64,
                                                                .encoding = ENCODING_FLAT,
                                                                .row_count = fixture->row_count,
                                                                .valid = valid,
                                                                .values = values};
}

static void add_dict(struct fixture *fixture, const struct column *dict, const uint16_t *codes,
                     const uint64_t *valid)
{
    fixture->types[fixture->column_count] =
        dict->physical == PHYSICAL_STRING ? &type_string : &type_bigint;
    fixture->columns[fixture->column_count++] = (struct column){.physical = dict->physical,
                                                                .encoding = ENCODING_DICT,
                                                                .row_count = fixture->row_count,
                                                                .valid = valid,
                                                                .codes = codes,
                                                                .dict = dict};
}

static const struct expr *parse(struct fixture *fixture, const char *text)
{
    struct terms terms = {.arena = &fixture->arena,
                          .at = text,
                          .columns = fixture->types,
                          .column_count = fixture->column_count};
    const struct expr *expr;
    struct err err;
    if (terms_parse(&terms, &expr, &err) != STATUS_OK) {
        fail_msg("%s: %s", text, err.text);
    }
    return expr;
}

static void compile(struct fixture *fixture, const char *const *texts, uint32_t count)
{
    static const uint32_t ids[COLUMNS_MAX] = {0, 1, 2, 3};
    const struct expr *exprs[8];
    for (uint32_t i = 0; i < count; i++) {
        exprs[i] = parse(fixture, texts[i]);
    }
    struct program_spec spec = {
        .exprs = exprs, .count = count, .column_ids = ids, .column_count = fixture->column_count};
    assert_int_equal(program_compile(&spec, &fixture->program, NULL), STATUS_OK);
}

static enum status run(struct fixture *fixture, const uint64_t *active, struct column *out,
                       struct err *err)
{
    struct batch batch = {.row_count = fixture->row_count,
                          .column_count = fixture->column_count,
                          .columns = fixture->columns,
                          .origin = fixture->origin.unit == NULL ? NULL : &fixture->origin};
    return program_run(fixture->program, &batch, active, out, err);
}

// Runs one expression and compares its values, "a|b|\N".
static void expect(struct fixture *fixture, const char *text, const char *values)
{
    program_free(fixture->program);
    fixture->program = NULL;
    compile(fixture, &text, 1);
    struct column out;
    struct err err;
    if (run(fixture, NULL, &out, &err) != STATUS_OK) {
        fail_msg("%s: %s", text, err.text);
    }
    if (column_check(&out, &err) != STATUS_OK) {
        fail_msg("%s: %s", text, err.text);
    }
    struct strbuf shown;
    strbuf_init(&shown, 1 << 16);
    const struct type *type = parse(fixture, text)->type;
    for (uint32_t row = 0; row < fixture->row_count; row++) {
        strbuf_add_text(&shown, row > 0 ? "|" : "");
        strbuf_add(&shown, terms_shown(&fixture->arena, type, &out, row));
    }
    if (strcmp(shown.ptr, values) != 0) {
        fail_msg("%s\n  is  %s\n  not %s", text, shown.ptr, values);
    }
    strbuf_release(&shown);
}

static const int64_t numbers[] = {10, 0, 7, -3};
static const uint64_t not_third[] = {0xb};

static void test_a_column_is_passed_on_as_it_is(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 4);
    add_i64(&fixture, numbers, NULL);
    const char *texts[] = {"$0", "$0"};
    compile(&fixture, texts, 2);
    struct column out[2];
    assert_int_equal(run(&fixture, NULL, out, NULL), STATUS_OK);
    assert_ptr_equal(out[0].values, numbers);
    assert_ptr_equal(out[1].values, numbers);
    assert_int_equal(program_step_count(fixture.program), 0);
    end(&fixture);
}

static void test_nulls_go_through_and_hold_zero(void **state)
{
    (void)state;
    static const int64_t with_null[] = {10, 0, 0, -3};
    struct fixture fixture;
    begin(&fixture, 4);
    add_i64(&fixture, with_null, not_third);
    expect(&fixture, "(+ $0 1L)", "11|1|\\N|-2");
    expect(&fixture, "(> $0 1L)", "TRUE|FALSE|\\N|FALSE");
    expect(&fixture, "(COALESCE $0 5L)", "10|0|5|-3");
    expect(&fixture, "(IS_NULL $0)", "FALSE|FALSE|TRUE|FALSE");
    expect(&fixture, "(CONCAT_WS ',' 'a' (CAST $0 STRING))", "a,10|a,0|a|a,-3");
    end(&fixture);
}

static void test_an_error_counts_only_where_the_row_is_active(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 4);
    add_i64(&fixture, numbers, NULL);
    expect(&fixture, "(CASE (<> $0 0L) (/ 70L $0) -1L)", "7|-1|10|-23");
    expect(&fixture, "(AND (<> $0 0L) (> (/ 70L $0) 8L))", "FALSE|FALSE|TRUE|FALSE");
    expect(&fixture, "(OR (= $0 0L) (> (/ 70L $0) 8L))", "FALSE|TRUE|TRUE|FALSE");
    expect(&fixture, "(IF (= $0 0L) 1L (/ 70L $0))", "7|1|10|-23");
    program_free(fixture.program);
    const char *text = "(/ 70L $0)";
    compile(&fixture, &text, 1);
    struct column out;
    struct err err;
    assert_int_equal(run(&fixture, NULL, &out, &err), STATUS_INVALID_DATA);
    const uint64_t without_zero[] = {0xd};
    assert_int_equal(run(&fixture, without_zero, &out, &err), STATUS_OK);
    assert_int_equal(((const int64_t *)out.values)[2], 10);
    end(&fixture);
}

static void test_a_failing_row_is_named_by_its_origin(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 4);
    add_i64(&fixture, numbers, NULL);
    fixture.origin = (struct batch_origin){
        .name = STR_LIT("topic clicks partition 3"), .unit = "offset", .first = 41};
    const char *text = "(/ 70L $0)";
    compile(&fixture, &text, 1);
    struct column out;
    struct err err;
    assert_int_equal(run(&fixture, NULL, &out, &err), STATUS_INVALID_DATA);
    assert_string_equal(err.text, "topic clicks partition 3, offset 42: division by zero");
    end(&fixture);
}

static void test_a_dictionary_with_an_unused_bad_entry_does_not_fail(void **state)
{
    (void)state;
    static const int64_t entries[] = {7, 0};
    static const uint16_t codes[] = {0, 0, 1, 0};
    const struct column dict = {.physical = PHYSICAL_I64, .row_count = 2, .values = entries};
    struct fixture fixture;
    begin(&fixture, 4);
    add_dict(&fixture, &dict, codes, NULL);
    expect(&fixture, "(CASE (<> $0 0L) (/ 70L $0) -1L)", "10|10|-1|10");
    program_free(fixture.program);
    const char *text = "(/ 70L $0)";
    compile(&fixture, &text, 1);
    struct column out;
    struct err err;
    const uint64_t without_zero[] = {0xb};
    assert_int_equal(run(&fixture, without_zero, &out, &err), STATUS_OK);
    fixture.origin = (struct batch_origin){.name = STR_LIT("f"), .unit = "line", .first = 1};
    assert_int_equal(run(&fixture, NULL, &out, &err), STATUS_INVALID_DATA);
    assert_string_equal(err.text, "f, line 3: division by zero");
    end(&fixture);
}

static void test_functions_of_a_dictionary_run_once_an_entry(void **state)
{
    (void)state;
    struct strview entries[2] = {strview_make("ab", 2), strview_make("a longer text", 13)};
    static const uint16_t codes[] = {0, 1, 0, 0, 1};
    static const uint64_t valid[] = {0x17};
    const struct column dict = {.physical = PHYSICAL_STRING, .row_count = 2, .values = entries};
    struct fixture fixture;
    begin(&fixture, 5);
    add_dict(&fixture, &dict, codes, valid);
    const char *text = "(UPPER $0)";
    compile(&fixture, &text, 1);
    struct column out;
    assert_int_equal(run(&fixture, NULL, &out, NULL), STATUS_OK);
    assert_int_equal(out.encoding, ENCODING_DICT);
    assert_int_equal(out.dict->row_count, 2);
    expect(&fixture, "(UPPER $0)", "AB|A LONGER TEXT|AB|\\N|A LONGER TEXT");
    // A row of it that comes out null for an entry, with code 0.
    expect(&fixture, "(REGEXP_EXTRACT $0 'lon.*' 0)", "\\N|longer text|\\N|\\N|longer text");
    expect(&fixture, "(LIKE $0 '%text')", "FALSE|TRUE|FALSE|\\N|TRUE");
    end(&fixture);
}

static void test_constants_stay_constant_and_fold(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 4);
    add_i64(&fixture, numbers, NULL);
    const char *texts[] = {"(+ 1 2)", "(UPPER 'x')", "(+ $0 (CAST '5' BIGINT))"};
    compile(&fixture, texts, 3);
    struct column out[3];
    assert_int_equal(run(&fixture, NULL, out, NULL), STATUS_OK);
    assert_int_equal(out[0].encoding, ENCODING_CONST);
    assert_int_equal(out[0].row_count, 4);
    assert_int_equal(program_step_count(fixture.program), 1);
    end(&fixture);
}

static void test_a_failing_constant_fails_only_where_a_row_asks_for_it(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 4);
    add_i64(&fixture, numbers, NULL);
    expect(&fixture, "(CASE (> $0 100L) (/ 1L 0L) $0)", "10|0|7|-3");
    end(&fixture);
}

static void test_equal_subexpressions_are_computed_once(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 4);
    add_i64(&fixture, numbers, NULL);
    const char *texts[] = {"(* (+ $0 1L) 2L)", "(- (+ $0 1L) 2L)", "(* (+ $0 1L) 2L)"};
    compile(&fixture, texts, 3);
    assert_int_equal(program_step_count(fixture.program), 3);
    struct column out[3];
    assert_int_equal(run(&fixture, NULL, out, NULL), STATUS_OK);
    assert_int_equal(((const int64_t *)out[1].values)[0], 9);
    assert_ptr_equal(out[0].values, out[2].values);
    end(&fixture);
}

static void test_a_shared_expression_in_a_branch_is_right_outside_of_it(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 4);
    add_i64(&fixture, numbers, NULL);
    expect(&fixture, "(+ (CASE (> $0 5L) (* $0 2L) 0L) (* $0 2L))", "40|0|28|-6");
    // One that may fail is computed again instead.
    expect(&fixture, "(COALESCE (CASE (> $0 5L) (% 100L $0) (NULL BIGINT)) 1L)", "0|1|2|1");
    end(&fixture);
}

static void test_branches_of_constants_become_a_dictionary(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 4);
    add_i64(&fixture, numbers, NULL);
    const char *text = "(CASE (> $0 5L) 'big' (= $0 0L) (NULL STRING) 'small')";
    compile(&fixture, &text, 1);
    struct column out;
    assert_int_equal(run(&fixture, NULL, &out, NULL), STATUS_OK);
    assert_int_equal(out.encoding, ENCODING_DICT);
    expect(&fixture, text, "big|\\N|big|small");
    end(&fixture);
}

static void test_nested_branches_are_put_together(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 4);
    add_i64(&fixture, numbers, NULL);
    expect(&fixture, "(CASE (> $0 5L) (ARRAY $0 1L) (ARRAY $0))", "[10, 1]|[0]|[7, 1]|[-3]");
    expect(&fixture, "(FIELD:EXPR$1 (ROW 1 (+ $0 1L)))", "11|1|8|-2");
    expect(&fixture, "(ITEM (ARRAY $0 5L) $0)", "\\N|\\N|\\N|\\N");
    end(&fixture);
}

static void test_a_filter_is_true_where_the_condition_is(void **state)
{
    (void)state;
    static const int64_t with_null[] = {10, 0, 0, -3};
    struct fixture fixture;
    begin(&fixture, 4);
    add_i64(&fixture, with_null, not_third);
    const char *text = "(>= $0 0L)";
    compile(&fixture, &text, 1);
    struct batch batch = {.row_count = 4, .column_count = 1, .columns = fixture.columns};
    uint64_t is_true[1];
    assert_int_equal(program_filter(fixture.program, &batch, is_true, NULL), STATUS_OK);
    assert_int_equal(is_true[0], 0x3);
    end(&fixture);
}

static void test_long_lists_are_one_step(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 4);
    add_i64(&fixture, numbers, NULL);
    const char *text = "(IN $0 1 2 3 4 5 6 7 8 9)";
    compile(&fixture, &text, 1);
    assert_int_equal(program_step_count(fixture.program), 1);
    expect(&fixture, text, "FALSE|FALSE|TRUE|FALSE");
    end(&fixture);
}

static void test_long_chains_of_conditions_compile(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 4);
    add_i64(&fixture, numbers, NULL);
    const struct expr *chain = parse(&fixture, "(= $0 -1L)");
    for (int i = 0; i < 3000; i++) {
        const struct expr *both[] = {chain,
                                     parse(&fixture, i == 1500 ? "(= $0 7L)" : "(= $0 -5L)")};
        assert_int_equal(expr_call(&fixture.arena, "OR", EXPR_LIST(both), &chain, NULL), STATUS_OK);
    }
    static const uint32_t ids[] = {0};
    struct program_spec spec = {.exprs = &chain, .count = 1, .column_ids = ids, .column_count = 1};
    assert_int_equal(program_compile(&spec, &fixture.program, NULL), STATUS_OK);
    struct batch batch = {.row_count = 4, .column_count = 1, .columns = fixture.columns};
    uint64_t is_true[1];
    assert_int_equal(program_filter(fixture.program, &batch, is_true, NULL), STATUS_OK);
    assert_int_equal(is_true[0], 0x4);
    end(&fixture);
}

static void test_rows_without_any_are_no_trouble(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 0);
    add_i64(&fixture, numbers, NULL);
    const char *texts[] = {"(+ $0 1L)", "(UPPER (CAST $0 STRING))", "(CASE (> $0 1L) 1 2)",
                           "(ARRAY $0)"};
    compile(&fixture, texts, 4);
    struct column out[4];
    assert_int_equal(run(&fixture, NULL, out, NULL), STATUS_OK);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(out[i].row_count, 0);
    }
    end(&fixture);
}

static void test_the_clock_is_that_of_the_program(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 2);
    add_i64(&fixture, numbers, NULL);
    const char *text = "(NOW)";
    compile(&fixture, &text, 1);
    assert_false(program_is_deterministic(fixture.program));
    program_set_now(fixture.program, INT64_C(1234567));
    struct column out;
    assert_int_equal(run(&fixture, NULL, &out, NULL), STATUS_OK);
    assert_int_equal(*(const int64_t *)out.values, 1234000);
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_column_is_passed_on_as_it_is),
        cmocka_unit_test(test_nulls_go_through_and_hold_zero),
        cmocka_unit_test(test_an_error_counts_only_where_the_row_is_active),
        cmocka_unit_test(test_a_failing_row_is_named_by_its_origin),
        cmocka_unit_test(test_a_dictionary_with_an_unused_bad_entry_does_not_fail),
        cmocka_unit_test(test_functions_of_a_dictionary_run_once_an_entry),
        cmocka_unit_test(test_constants_stay_constant_and_fold),
        cmocka_unit_test(test_a_failing_constant_fails_only_where_a_row_asks_for_it),
        cmocka_unit_test(test_equal_subexpressions_are_computed_once),
        cmocka_unit_test(test_a_shared_expression_in_a_branch_is_right_outside_of_it),
        cmocka_unit_test(test_branches_of_constants_become_a_dictionary),
        cmocka_unit_test(test_nested_branches_are_put_together),
        cmocka_unit_test(test_a_filter_is_true_where_the_condition_is),
        cmocka_unit_test(test_long_lists_are_one_step),
        cmocka_unit_test(test_long_chains_of_conditions_compile),
        cmocka_unit_test(test_rows_without_any_are_no_trouble),
        cmocka_unit_test(test_the_clock_is_that_of_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
