// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "sql/lexer.h"

// The tokens of a text, each "kind:text", blanks between.
static void assert_tokens(const char *text, const char *expected)
{
    static const char *const names[] = {
#define X(name, sql, called) #name,
        TOKEN_LIST(X)
#undef X
    };
    char shown[1024] = "";
    size_t size = 0;
    struct lexer lexer;
    lexer_init(&lexer, str_from(text));
    for (;;) {
        struct token token = lexer_next(&lexer);
        if (token.kind == TOKEN_END) {
            break;
        }
        struct str word = lexer_text(str_from(text), token);
        int length = snprintf(shown + size, sizeof shown - size, "%s%s:%.*s", size > 0 ? " " : "",
                              names[token.kind], STR_ARGS(word));
        size += (size_t)length;
        if (token.kind == TOKEN_ERROR) {
            break;
        }
    }
    assert_string_equal(shown, expected);
}

static void words_numbers_and_symbols_are_told_apart(void **state)
{
    (void)state;
    assert_tokens("SELECT a1,_b.$c", "WORD:SELECT WORD:a1 COMMA:, WORD:_b DOT:. WORD:$c");
    assert_tokens("1 1. 1.5 .5 1e5 1.5E-3 1e 0x1F",
                  "INTEGER:1 DECIMAL:1. DECIMAL:1.5 DECIMAL:.5 APPROXIMATE:1e5 "
                  "APPROXIMATE:1.5E-3 INTEGER:1 WORD:e INTEGER:0 WORD:x1F");
    assert_tokens("a<>b<=c>=d!=e=>f||g",
                  "WORD:a NE:<> WORD:b LE:<= WORD:c GE:>= WORD:d BANG_EQ:!= WORD:e ARROW:=> WORD:f "
                  "CONCAT:|| WORD:g");
    assert_tokens("ARRAY<MAP<a,b>>",
                  "WORD:ARRAY LT:< WORD:MAP LT:< WORD:a COMMA:, WORD:b GT:> GT:>");
    assert_tokens("\xc3\xbcn\xc3\xaf \xe6\x97\xa5", "WORD:\xc3\xbcn\xc3\xaf WORD:\xe6\x97\xa5");
}

static void comments_are_skipped_and_hints_are_tokens(void **state)
{
    (void)state;
    assert_tokens("a -- b\n// c\r/* d */ e/**/f", "WORD:a WORD:e WORD:f");
    assert_tokens("a // b; \nc -- d;\ne // f; g", "WORD:a SEMICOLON:; WORD:c WORD:e");
    assert_tokens("/*+ H */", "HINT_BEGIN:/*+ WORD:H COMMENT_END:*/");
    assert_tokens("a /* b", "WORD:a ERROR:/* b");
}

static void strings_are_one_token_with_their_prefix(void **state)
{
    (void)state;
    assert_tokens("'a''b' 'c\nd'", "STRING:'a''b' STRING:'c\nd'");
    assert_tokens("X'0a' u&'x' N'n' _utf8'y' e'\\''",
                  "STRING:X'0a' STRING:u&'x' STRING:N'n' STRING:_utf8'y' STRING:e'\\''");
    assert_tokens("`a``b` `c d`", "QUOTED_NAME:`a``b` QUOTED_NAME:`c d`");
    assert_tokens("'a", "ERROR:'a");
    assert_tokens("`a\nb`", "ERROR:`a");
    assert_tokens("``", "ERROR:``");
    assert_tokens("\"a b\"", "ERROR:\"a b\"");
    assert_tokens("#", "ERROR:#");
    assert_tokens("\xff", "ERROR:\xff");
    assert_tokens("'\xc0\x80'", "ERROR:'\xc0\x80'");
}

static void keywords_ignore_case_and_know_whether_they_are_reserved(void **state)
{
    (void)state;
    assert_int_equal(lexer_keyword(STR_LIT("sElEcT")), KEYWORD_SELECT);
    assert_int_equal(lexer_keyword(STR_LIT("SELEC")), NO_KEYWORD);
    assert_int_equal(lexer_keyword(STR_LIT("SELECTS")), NO_KEYWORD);
    assert_int_equal(lexer_keyword(STR_LIT("A")), KEYWORD_A);
    assert_int_equal(lexer_keyword(STR_LIT("ZONE")), KEYWORD_ZONE);
    // Flink's documentation: VALUE and YEAR are reserved, METADATA and PLAN are not.
    assert_true(lexer_keyword_reserved(KEYWORD_VALUE));
    assert_true(lexer_keyword_reserved(KEYWORD_YEAR));
    assert_false(lexer_keyword_reserved(KEYWORD_METADATA));
    assert_false(lexer_keyword_reserved(KEYWORD_PLAN));
}

static void every_keyword_is_found_by_its_name(void **state)
{
    (void)state;
    for (int i = 1; i < KEYWORDS_END; i++) {
        const char *name = lexer_keyword_name((enum keyword)i);
        assert_int_equal(lexer_keyword(str_from(name)), i);
    }
}

static void assert_string(const char *text, const char *expected)
{
    struct arena arena;
    struct lexer lexer;
    struct lexer_string string;
    struct err err;
    arena_init(&arena);
    lexer_init(&lexer, str_from(text));
    struct token token = lexer_next(&lexer);
    enum status status = lexer_string(&arena, str_from(text), token, &string, &err);
    if (expected == NULL) {
        assert_int_equal(status, STATUS_INVALID_DATA);
        assert_int_equal(err.stage, ERR_STAGE_PARSE);
    } else {
        assert_int_equal(status, STATUS_OK);
        assert_int_equal(string.value.size, strlen(expected));
        assert_memory_equal(string.value.ptr, expected, string.value.size);
    }
    arena_release(&arena);
}

static void strings_mean_their_bytes(void **state)
{
    (void)state;
    assert_string("'it''s'", "it's");
    assert_string("'a\\nb'", "a\\nb");
    assert_string("X'4a4B'", "JK");
    assert_string("X'4g'", NULL);
    assert_string("E'a\\n\\t\\\\\\'\\x41\\102\\u00e9\\U0001F600'",
                  "a\n\t\\'AB\xc3\xa9\xf0\x9f\x98\x80");
    assert_string("E'\\u00'", NULL);
    assert_string("_utf8'x'", "x");
}

static void unicode_escapes_join_surrogate_pairs(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        char escape;
        const char *out;
    } cases[] = {
        {"\\0041\\00e9", '\\', "A\xc3\xa9"},
        {"x!0041!!", '!', "xA!"},
        {"\\D83D\\DE00", '\\', "\xf0\x9f\x98\x80"},
        {"\\D83Dx", '\\', "?x"},
        {"\\+01F600", '\\',
         "\x1f"
         "600"}, // as Flink reads it
        {"\\00", '\\', NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena arena;
        struct err err;
        struct str out;
        struct token token = {.kind = TOKEN_STRING};
        arena_init(&arena);
        enum status status =
            lexer_unescape(&arena, str_from(cases[i].in), cases[i].escape, token, &out, &err);
        assert_int_equal(status == STATUS_OK, cases[i].out != NULL);
        if (status == STATUS_OK) {
            assert_int_equal(out.size, strlen(cases[i].out));
            assert_memory_equal(out.ptr, cases[i].out, out.size);
        }
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_numbers_and_symbols_are_told_apart),
        cmocka_unit_test(comments_are_skipped_and_hints_are_tokens),
        cmocka_unit_test(strings_are_one_token_with_their_prefix),
        cmocka_unit_test(keywords_ignore_case_and_know_whether_they_are_reserved),
        cmocka_unit_test(every_keyword_is_found_by_its_name),
        cmocka_unit_test(strings_mean_their_bytes),
        cmocka_unit_test(unicode_escapes_join_surrogate_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
