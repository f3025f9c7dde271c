// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sql/script.h"

static void assert_next(struct script *script, const char *text, size_t offset, uint32_t line,
                        uint32_t column)
{
    struct script_statement statement;
    assert_true(script_next(script, &statement));
    assert_int_equal(statement.text.size, str_from(text).size);
    assert_memory_equal(statement.text.ptr, text, statement.text.size);
    assert_int_equal(statement.offset, offset);
    assert_int_equal(statement.line, line);
    assert_int_equal(statement.column, column);
}

static void assert_end(struct script *script)
{
    struct script_statement statement;
    assert_false(script_next(script, &statement));
    assert_false(statement.open);
}

static void statements_end_at_semicolons_and_empty_ones_are_left_out(void **state)
{
    (void)state;
    struct script script;
    script_init(&script, STR_LIT("SELECT 1;\n;; \n  SELECT 2 ;SELECT 3"));
    assert_next(&script, "SELECT 1", 0, 1, 1);
    assert_next(&script, "SELECT 2", 16, 3, 3);
    assert_next(&script, "SELECT 3", 26, 3, 13);
    assert_end(&script);
}

static void semicolons_in_strings_names_and_comments_end_nothing(void **state)
{
    (void)state;
    struct script script;
    script_init(&script, STR_LIT("SELECT 'a;''b', `c;d`, E'\\';' -- e;\n, 1 /* f; */;\n-- g;\nX;"));
    assert_next(&script, "SELECT 'a;''b', `c;d`, E'\\';' -- e;\n, 1 /* f; */", 0, 1, 1);
    assert_next(&script, "X", 56, 4, 1);
    assert_end(&script);
}

static void comments_in_front_are_gone_and_hints_stay(void **state)
{
    (void)state;
    struct script script;
    script_init(&script, STR_LIT("/* one */ -- two\nSELECT /*+ H('a'='b') */ 1;"));
    assert_next(&script, "SELECT /*+ H('a'='b') */ 1", 17, 2, 1);
    assert_end(&script);
}

static void a_statement_set_is_one_statement(void **state)
{
    (void)state;
    struct script script;
    script_init(&script, STR_LIT("EXECUTE STATEMENT SET BEGIN\nINSERT INTO a SELECT CASE WHEN x "
                                 "THEN 1 END FROM t;\nINSERT INTO b TABLE t;\nEND;\nSELECT 1;"));
    struct script_statement statement;
    assert_true(script_next(&script, &statement));
    assert_true(str_ends(statement.text, "\nEND"));
    assert_next(&script, "SELECT 1", 108, 5, 1);
    assert_end(&script);
}

static void begin_statement_set_ends_at_its_own_semicolon(void **state)
{
    (void)state;
    struct script script;
    script_init(&script, STR_LIT("BEGIN STATEMENT SET; INSERT INTO a TABLE t; END;"));
    assert_next(&script, "BEGIN STATEMENT SET", 0, 1, 1);
    assert_next(&script, "INSERT INTO a TABLE t", 21, 1, 22);
    assert_next(&script, "END", 44, 1, 45);
    assert_end(&script);
}

static void a_shell_is_told_what_is_open(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool open;
        char quote;
    } cases[] = {
        {"SELECT 1", true, 0},
        {"SELECT 'a", true, '\''},
        {"SELECT 1 /* a", true, '*'},
        {"EXECUTE STATEMENT SET BEGIN INSERT INTO a TABLE b;", true, 'B'},
        {"  -- nothing\n", false, 0},
        {"", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct script script;
        struct script_statement statement;
        script_init(&script, str_from(cases[i].text));
        script.final = false;
        assert_false(script_next(&script, &statement));
        assert_int_equal(statement.open, cases[i].open);
        assert_int_equal(statement.quote, cases[i].quote);
    }
}

static void a_shell_reads_on_when_more_text_has_come(void **state)
{
    (void)state;
    struct script script;
    struct script_statement statement;
    script_init(&script, STR_LIT("SELECT 1; SELECT"));
    script.final = false;
    assert_next(&script, "SELECT 1", 0, 1, 1);
    assert_false(script_next(&script, &statement));
    assert_true(statement.open);
    assert_int_equal(script.at, 9);
    script.text = STR_LIT("SELECT 1; SELECT\n2;");
    assert_next(&script, "SELECT\n2", 10, 1, 11);
    assert_false(script_next(&script, &statement));
    assert_false(statement.open);
}

static void a_string_that_does_not_end_takes_the_rest_of_the_script(void **state)
{
    (void)state;
    struct script script;
    script_init(&script, STR_LIT("SELECT 'a; SELECT 2;\n"));
    assert_next(&script, "SELECT 'a; SELECT 2;", 0, 1, 1);
    assert_end(&script);
}

static void columns_count_characters(void **state)
{
    (void)state;
    struct script script;
    script_init(&script, STR_LIT("SELECT '\xc3\xa4\xe6\x97\xa5'; X"));
    assert_next(&script, "SELECT '\xc3\xa4\xe6\x97\xa5'", 0, 1, 1);
    assert_next(&script, "X", 16, 1, 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_end_at_semicolons_and_empty_ones_are_left_out),
        cmocka_unit_test(semicolons_in_strings_names_and_comments_end_nothing),
        cmocka_unit_test(comments_in_front_are_gone_and_hints_stay),
        cmocka_unit_test(a_statement_set_is_one_statement),
        cmocka_unit_test(begin_statement_set_ends_at_its_own_semicolon),
        cmocka_unit_test(a_shell_is_told_what_is_open),
        cmocka_unit_test(a_shell_reads_on_when_more_text_has_come),
        cmocka_unit_test(a_string_that_does_not_end_takes_the_rest_of_the_script),
        cmocka_unit_test(columns_count_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
