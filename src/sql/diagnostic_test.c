// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sql/diagnostic.h"

static void assert_drawn(const char *name, const char *text, uint64_t offset, uint32_t length,
                         const char *hint, const char *expected)
{
    struct err err;
    struct strbuf out;
    struct diagnostic_source source = {.name = str_from(name), .text = str_from(text)};
    ERR(&err, STATUS_INVALID_DATA, "wrong");
    err_at(&err, ERR_STAGE_PARSE, offset, length);
    err_hint(&err, "%s", hint);
    strbuf_init(&out, 1 << 16);
    diagnostic_render(&out, "error", &err, &source);
    assert_string_equal(out.ptr, expected);
    strbuf_release(&out);
}

static void the_place_is_underlined_with_file_line_and_column(void **state)
{
    (void)state;
    assert_drawn("a.sql", "SELECT 1;\nSELECT idd\nFROM t", 17, 3, "did you mean 'id'?",
                 "a.sql:2:8: error: wrong\n"
                 "    2 | SELECT idd\n"
                 "      |        ^~~\n"
                 "  hint: did you mean 'id'?\n");
}

static void without_a_name_the_place_stands_alone(void **state)
{
    (void)state;
    assert_drawn("", "SELECT x", 7, 1, "",
                 "1:8: error: wrong\n"
                 "    1 | SELECT x\n"
                 "      |        ^\n");
}

static void the_end_of_a_text_is_behind_its_last_word(void **state)
{
    (void)state;
    assert_drawn("a", "SELECT\n\n  ", 10, 0, "",
                 "a:1:7: error: wrong\n"
                 "    1 | SELECT\n"
                 "      |       ^\n");
}

static void tabs_and_wide_characters_move_the_caret_by_what_they_take(void **state)
{
    (void)state;
    // A tab reaches to column 8; two wide characters take four; a combining one takes none.
    assert_drawn("a", "\t'\xe6\x97\xa5\xe6\x9c\xac', e\xcc\x81, x", 16, 1, "",
                 "a:1:12: error: wrong\n"
                 "    1 |         '\xe6\x97\xa5\xe6\x9c\xac', e\xcc\x81, x\n"
                 "      |                    ^\n");
}

static void an_underline_ends_with_its_line(void **state)
{
    (void)state;
    assert_drawn("a", "x 'ab\ncd", 2, 6, "",
                 "a:1:3: error: wrong\n"
                 "    1 | x 'ab\n"
                 "      |   ^~~\n");
}

static void a_long_line_is_shown_around_its_place(void **state)
{
    (void)state;
    char text[1001];
    memset(text, 'x', 1000);
    text[1000] = '\0';
    text[500] = '!';
    struct err err;
    struct strbuf out;
    struct diagnostic_source source = {.text = str_from(text)};
    ERR(&err, STATUS_INVALID_DATA, "wrong");
    err_at(&err, ERR_STAGE_PARSE, 500, 1);
    strbuf_init(&out, 1 << 16);
    diagnostic_render(&out, "error", &err, &source);
    assert_true(out.size < 300);
    const char *mark = strchr(out.ptr, '!');
    const char *line = strstr(out.ptr, "    1 | ...x");
    const char *under = strstr(out.ptr, "      | ");
    assert_non_null(mark);
    assert_int_equal(strncmp(out.ptr, "1:501: error: wrong\n", 20), 0);
    assert_non_null(line);
    assert_non_null(under);
    assert_int_equal(mark - line, strchr(under, '^') - under);
    strbuf_release(&out);
}

static void an_error_without_a_place_is_one_line_and_its_hint(void **state)
{
    (void)state;
    struct err err;
    struct strbuf out;
    ERR(&err, STATUS_IO, "no disk");
    err_hint(&err, "buy one");
    strbuf_init(&out, 1 << 16);
    diagnostic_render(&out, "error", &err, NULL);
    assert_string_equal(out.ptr, "error: no disk\n  hint: buy one\n");
    strbuf_release(&out);
}

static void the_statements_place_in_its_file_is_added(void **state)
{
    (void)state;
    struct err err;
    struct strbuf out;
    struct diagnostic_source source = {
        .name = STR_LIT("f"), .text = STR_LIT("A;\nSELECT y;"), .base = 3};
    ERR(&err, STATUS_INVALID_DATA, "wrong");
    err_at(&err, ERR_STAGE_VALIDATE, 7, 1);
    strbuf_init(&out, 1 << 16);
    diagnostic_render(&out, "warning", &err, &source);
    assert_string_equal(out.ptr, "f:2:8: warning: wrong\n"
                                 "    2 | SELECT y;\n"
                                 "      |        ^\n");
    strbuf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_place_is_underlined_with_file_line_and_column),
        cmocka_unit_test(without_a_name_the_place_stands_alone),
        cmocka_unit_test(the_end_of_a_text_is_behind_its_last_word),
        cmocka_unit_test(tabs_and_wide_characters_move_the_caret_by_what_they_take),
        cmocka_unit_test(an_underline_ends_with_its_line),
        cmocka_unit_test(a_long_line_is_shown_around_its_place),
        cmocka_unit_test(an_error_without_a_place_is_one_line_and_its_hint),
        cmocka_unit_test(the_statements_place_in_its_file_is_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
