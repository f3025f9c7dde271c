// SPDX-License-Identifier: Apache-2.0
//
// lexer: the tokens of Flink SQL.
//
//     struct lexer lexer;
//     lexer_init(&lexer, text);
//     struct token token;
//     do { token = lexer_next(&lexer); } while (token.kind != TOKEN_END);
//
// A word is a token with its keyword, if it is one; whether it is a name is the parser's question.
// Strings are one token, prefix included (X'...', U&'...', N'...', _utf8'...', E'...'):
// lexer_string() says what they mean. Comments (--, //, slash-star) are skipped, hints
// (slash-star-plus) are tokens. What cannot be a token is TOKEN_ERROR, with the fault; reading on
// behind it makes no sense.
//
// The lexer keeps no state but its position, so that going back is setting `at`.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/str.h"
#include "sql/keyword_list.h"

struct arena;

enum keyword {
    NO_KEYWORD,
#define X(name, reserved) KEYWORD_##name,
    KEYWORD_LIST(X)
#undef X
        KEYWORDS_END
};

// X(NAME, "as written", what it is called in messages)
#define TOKEN_LIST(X)                                                                              \
    X(END, "", "the end of the statement")                                                         \
    X(ERROR, "", "an unreadable token")                                                            \
    X(WORD, "", "a word")                                                                          \
    X(QUOTED_NAME, "", "a quoted name")                                                            \
    X(STRING, "", "a string")                                                                      \
    X(INTEGER, "", "a number")                                                                     \
    X(DECIMAL, "", "a number")                                                                     \
    X(APPROXIMATE, "", "a number")                                                                 \
    X(HINT_BEGIN, "/*+", "a hint")                                                                 \
    X(COMMENT_END, "*/", "'*/'")                                                                   \
    X(LPAREN, "(", "'('")                                                                          \
    X(RPAREN, ")", "')'")                                                                          \
    X(LBRACKET, "[", "'['")                                                                        \
    X(RBRACKET, "]", "']'")                                                                        \
    X(LBRACE, "{", "'{'")                                                                          \
    X(RBRACE, "}", "'}'")                                                                          \
    X(SEMICOLON, ";", "';'")                                                                       \
    X(DOT, ".", "'.'")                                                                             \
    X(COMMA, ",", "','")                                                                           \
    X(EQ, "=", "'='")                                                                              \
    X(NE, "<>", "'<>'")                                                                            \
    X(BANG_EQ, "!=", "'!='")                                                                       \
    X(LT, "<", "'<'")                                                                              \
    X(LE, "<=", "'<='")                                                                            \
    X(GT, ">", "'>'")                                                                              \
    X(GE, ">=", "'>='")                                                                            \
    X(PLUS, "+", "'+'")                                                                            \
    X(MINUS, "-", "'-'")                                                                           \
    X(STAR, "*", "'*'")                                                                            \
    X(SLASH, "/", "'/'")                                                                           \
    X(PERCENT, "%", "'%'")                                                                         \
    X(CONCAT, "||", "'||'")                                                                        \
    X(ARROW, "=>", "'=>'")                                                                         \
    X(QUESTION, "?", "'?'")                                                                        \
    X(COLON, ":", "':'")                                                                           \
    X(BAR, "|", "'|'")                                                                             \
    X(CARET, "^", "'^'")

enum token_kind {
#define X(name, sql, called) TOKEN_##name,
    TOKEN_LIST(X)
#undef X
};

enum token_fault {
    TOKEN_FAULT_NONE,
    TOKEN_FAULT_CHARACTER,    // no token begins like this
    TOKEN_FAULT_DOUBLE_QUOTE, // "x": only back quotes quote names
    TOKEN_FAULT_STRING_END,   // ' without its partner; the token reaches to the end of the text
    TOKEN_FAULT_NAME_END,     // ` without its partner on the same line
    TOKEN_FAULT_NAME_EMPTY,   // ``
    TOKEN_FAULT_COMMENT_END,  // slash-star without star-slash
    TOKEN_FAULT_UTF8,
};

struct token {
    uint32_t offset;
    uint32_t length;
    enum token_kind kind;
    enum keyword keyword;   // of a WORD that is one
    enum token_fault fault; // of an ERROR
};

struct lexer {
    struct str text;
    uint32_t at;
};

// Texts are shorter than 4 GiB (the parser limits them much lower).
void lexer_init(struct lexer *lexer, struct str text);
struct token lexer_next(struct lexer *lexer);

// Fills `err` with what is wrong with an ERROR token, and where; returns INVALID_DATA.
enum status lexer_fault(struct str text, struct token token, struct err *err);

static inline struct str lexer_text(struct str text, struct token token)
{
    return str_make(text.ptr + token.offset, token.length);
}

// A QUOTED_NAME without its quotes; copied into `arena` where `` is in it.
struct str lexer_name(struct arena *arena, struct str text, struct token token);

enum lexer_string_kind {
    LEXER_STRING_PLAIN,   // '...'
    LEXER_STRING_BINARY,  // X'...'
    LEXER_STRING_UNICODE, // U&'...': the escapes are decoded by lexer_unescape()
    LEXER_STRING_CHARSET, // N'...', _utf8'...'
    LEXER_STRING_C,       // E'...': decoded
};

struct lexer_string {
    enum lexer_string_kind kind;
    struct str value;   // BINARY: the bytes. Borrowed from the text, or in `arena`
    bool odd;           // BINARY of an odd number of digits: the last is not in `value`
    struct str charset; // of CHARSET: "utf8", or "N"
};

MUST_USE enum status lexer_string(struct arena *arena, struct str text, struct token token,
                                  struct lexer_string *out, struct err *err);

// Decodes the \0041 of a U&'...' string (`escape` instead of the backslash). Surrogate pairs are
// joined. `token` is where an error points to.
MUST_USE enum status lexer_unescape(struct arena *arena, struct str value, char escape,
                                    struct token token, struct str *out, struct err *err);

// "SELECT"; borrowed, for ever. "" for NONE.
const char *lexer_keyword_name(enum keyword keyword);
bool lexer_keyword_reserved(enum keyword keyword);
// NONE where it is not one. Ignores case.
enum keyword lexer_keyword(struct str word);
// What messages call a kind of token.
const char *lexer_kind_name(enum token_kind kind);
