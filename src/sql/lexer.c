// SPDX-License-Identifier: Apache-2.0
#include "sql/lexer.h"

#include <string.h>

#include "base/arena.h"
#include "base/assert.h"

enum { KEYWORD_LENGTH_MAX = 40 };

static const struct {
    const char *name;
    uint8_t length;
    bool reserved;
} keywords[] = {{"", 0, false},
#define X(name, reserved) {#name, sizeof #name - 1, (reserved) != 0},
                KEYWORD_LIST(X)
#undef X
};

static const char *const kind_names[] = {
#define X(name, sql, called) called,
    TOKEN_LIST(X)
#undef X
};

const char *lexer_keyword_name(enum keyword keyword)
{
    return keywords[keyword].name;
}

bool lexer_keyword_reserved(enum keyword keyword)
{
    return keywords[keyword].reserved;
}

const char *lexer_kind_name(enum token_kind kind)
{
    return kind_names[kind];
}

enum keyword lexer_keyword(struct str word)
{
    char upper[KEYWORD_LENGTH_MAX];
    if (word.size == 0 || word.size > sizeof upper) {
        return NO_KEYWORD;
    }
    for (size_t i = 0; i < word.size; i++) {
        char byte = word.ptr[i];
        upper[i] = (char)(byte >= 'a' && byte <= 'z' ? byte - 'a' + 'A' : byte);
    }
    uint32_t low = 1;
    uint32_t high = KEYWORDS_END;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        size_t length = keywords[middle].length;
        int order = memcmp(upper, keywords[middle].name, word.size < length ? word.size : length);
        if (order == 0 && word.size == length) {
            return (enum keyword)middle;
        }
        if (order < 0 || (order == 0 && word.size < length)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NO_KEYWORD;
}

// ---------------------------------------------------------------------------------------------
// Characters

struct code_range {
    uint32_t from;
    uint32_t to;
};

// The letters and digits of identifiers outside ASCII, as Flink's grammar lists them.
static const struct code_range letters[] = {
    {0xc0, 0xd6},     {0xd8, 0xf6},     {0xf8, 0x1fff},   {0x3040, 0x318f},
    {0x3300, 0x337f}, {0x3400, 0x3d2d}, {0x4e00, 0x9fff}, {0xf900, 0xfaff},
};

static bool ascii_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool ascii_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
           byte == '$';
}

static bool blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r' || byte == '\f';
}

// The code point at `at` and its length in bytes; length 0 where it is not UTF-8.
static uint32_t decode(struct str text, size_t at, uint32_t *length)
{
    const unsigned char *bytes = (const unsigned char *)text.ptr + at;
    size_t left = text.size - at;
    uint32_t need = bytes[0] < 0x80 ? 1 : bytes[0] < 0xe0 ? 2 : bytes[0] < 0xf0 ? 3 : 4;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    *length = 0;
    if ((bytes[0] >= 0x80 && bytes[0] < 0xc2) || bytes[0] > 0xf4 || need > left) {
        return 0;
    }
    uint32_t code = need == 1 ? bytes[0] : bytes[0] & (0x7fU >> need);
    for (uint32_t i = 1; i < need; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (bytes[i] & 0x3f);
    }
    if (code < least[need] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) {
        return 0;
    }
    *length = need;
    return code;
}

// Bytes of the letter (or digit, where not the first) of a word at `at`; 0: none is there.
static uint32_t word_byte_count(struct str text, size_t at, bool first)
{
    if (at >= text.size) {
        return 0;
    }
    char byte = text.ptr[at];
    if (ascii_letter(byte) || (!first && ascii_digit(byte))) {
        return 1;
    }
    if ((unsigned char)byte < 0x80) {
        return 0;
    }
    uint32_t length;
    uint32_t code = decode(text, at, &length);
    for (size_t i = 0; length > 0 && i < sizeof letters / sizeof letters[0]; i++) {
        if (code >= letters[i].from && code <= letters[i].to) {
            return length;
        }
    }
    return 0;
}

// ---------------------------------------------------------------------------------------------
// Tokens

static struct token token_make(enum token_kind kind, size_t from, size_t to)
{
    return (struct token){.offset = (uint32_t)from, .length = (uint32_t)(to - from), .kind = kind};
}

static struct token token_fail(enum token_fault fault, size_t from, size_t to)
{
    struct token token = token_make(TOKEN_ERROR, from, to);
    token.fault = fault;
    return token;
}

static char byte_at(const struct lexer *lexer, size_t at)
{
    return at < lexer->text.size ? lexer->text.ptr[at] : '\0';
}

static bool valid_utf8(struct str text, size_t from, size_t to)
{
    uint32_t length;
    for (size_t at = from; at < to; at += length) {
        length = 1;
        if ((unsigned char)text.ptr[at] >= 0x80) {
            decode(text, at, &length);
            if (length == 0) {
                return false;
            }
        }
    }
    return true;
}

// Where a comment that lasts to the end of its line ends. As in Flink's client, a ';' at the end of
// the line ends the statement even behind '//' (but not behind '--').
static size_t line_comment_end(const struct lexer *lexer, size_t at)
{
    bool slashes = byte_at(lexer, at) == '/';
    size_t last = at; // behind the last byte that is not blank
    for (; at < lexer->text.size; at++) {
        char byte = lexer->text.ptr[at];
        if (byte == '\n' || byte == '\r') {
            break;
        }
        last = blank(byte) ? last : at + 1;
    }
    return slashes && byte_at(lexer, last - 1) == ';' ? last - 1 : at;
}

// Skips blanks and comments. False where a comment does not end; `at` is its start then.
static bool skip_blanks(struct lexer *lexer, size_t *at)
{
    for (;;) {
        char byte = byte_at(lexer, *at);
        char next = byte_at(lexer, *at + 1);
        if (*at < lexer->text.size && blank(byte)) {
            (*at)++;
        } else if ((byte == '-' && next == '-') || (byte == '/' && next == '/')) {
            *at = line_comment_end(lexer, *at);
        } else if (byte == '/' && next == '*' && byte_at(lexer, *at + 2) != '+') {
            size_t end = *at + 2;
            while (end < lexer->text.size &&
                   !(byte_at(lexer, end) == '*' && byte_at(lexer, end + 1) == '/')) {
                end++;
            }
            if (end >= lexer->text.size) {
                return false;
            }
            *at = end + 2;
        } else {
            return true;
        }
    }
}

// A string whose quote is at `quote`; its prefix starts at `from`. Two quotes are one quote in it;
// with `escapes` a backslash takes the next byte with it.
static struct token lex_string(struct lexer *lexer, size_t from, size_t quote, bool escapes)
{
    size_t at = quote + 1;
    while (at < lexer->text.size) {
        char byte = lexer->text.ptr[at];
        if (byte == '\\' && escapes) {
            at += 2;
        } else if (byte != '\'') {
            at++;
        } else if (byte_at(lexer, at + 1) == '\'') {
            at += 2;
        } else {
            return valid_utf8(lexer->text, from, at + 1)
                       ? token_make(TOKEN_STRING, from, at + 1)
                       : token_fail(TOKEN_FAULT_UTF8, from, at + 1);
        }
    }
    return token_fail(TOKEN_FAULT_STRING_END, from, lexer->text.size);
}

static struct token lex_quoted_name(struct lexer *lexer, size_t from)
{
    size_t at = from + 1;
    while (at < lexer->text.size) {
        char byte = lexer->text.ptr[at];
        if (byte == '\n' || byte == '\r') {
            break;
        }
        if (byte != '`') {
            at++;
        } else if (byte_at(lexer, at + 1) == '`') {
            at += 2;
        } else if (at == from + 1) {
            return token_fail(TOKEN_FAULT_NAME_EMPTY, from, at + 1);
        } else {
            return valid_utf8(lexer->text, from, at) ? token_make(TOKEN_QUOTED_NAME, from, at + 1)
                                                     : token_fail(TOKEN_FAULT_UTF8, from, at + 1);
        }
    }
    if (at == from + 2 && byte_at(lexer, from + 1) == '`') {
        return token_fail(TOKEN_FAULT_NAME_EMPTY, from, at);
    }
    return token_fail(TOKEN_FAULT_NAME_END, from, at);
}

static size_t skip_digits(const struct lexer *lexer, size_t at)
{
    while (ascii_digit(byte_at(lexer, at))) {
        at++;
    }
    return at;
}

// 12, 12., 1.5, .5, each with an exponent: then it is approximate.
static struct token lex_number(struct lexer *lexer, size_t from)
{
    enum token_kind kind = TOKEN_INTEGER;
    size_t at = skip_digits(lexer, from);
    if (byte_at(lexer, at) == '.') {
        kind = TOKEN_DECIMAL;
        at = skip_digits(lexer, at + 1);
    }
    if (byte_at(lexer, at) == 'e' || byte_at(lexer, at) == 'E') {
        size_t exponent = at + 1;
        if (byte_at(lexer, exponent) == '+' || byte_at(lexer, exponent) == '-') {
            exponent++;
        }
        if (ascii_digit(byte_at(lexer, exponent))) {
            kind = TOKEN_APPROXIMATE;
            at = skip_digits(lexer, exponent);
        }
    }
    return token_make(kind, from, at);
}

// Where the quote of a string with a prefix is; 0 where the word at `from` is no prefix.
static size_t prefixed_quote(const struct lexer *lexer, size_t from, bool *escapes)
{
    char first = byte_at(lexer, from);
    char second = byte_at(lexer, from + 1);
    *escapes = false;
    if (second == '\'' && strchr("xXnN", first) != NULL) {
        return from + 1;
    }
    if (second == '\'' && (first == 'e' || first == 'E')) {
        *escapes = true;
        return from + 1;
    }
    if ((first == 'u' || first == 'U') && second == '&' && byte_at(lexer, from + 2) == '\'') {
        return from + 2;
    }
    if (first == '_') {
        size_t at = from + 1;
        char byte = byte_at(lexer, at);
        while (ascii_digit(byte) || (ascii_letter(byte) && byte != '$') || byte == ':' ||
               byte == '.' || byte == '-') {
            byte = byte_at(lexer, ++at);
        }
        return byte == '\'' && at > from + 1 ? at : 0;
    }
    return 0;
}

static struct token lex_word(struct lexer *lexer, size_t from)
{
    bool escapes;
    size_t quote = prefixed_quote(lexer, from, &escapes);
    if (quote != 0) {
        return lex_string(lexer, from, quote, escapes);
    }
    size_t at = from;
    uint32_t length = word_byte_count(lexer->text, at, true);
    while (length > 0) {
        at += length;
        length = word_byte_count(lexer->text, at, false);
    }
    struct token token = token_make(TOKEN_WORD, from, at);
    token.keyword = lexer_keyword(lexer_text(lexer->text, token));
    return token;
}

static struct token lex_symbol(struct lexer *lexer, size_t from)
{
    static const struct {
        char text[4];
        enum token_kind kind;
    } symbols[] = {
        // The longer ones first.
        {"/*+", TOKEN_HINT_BEGIN}, {"*/", TOKEN_COMMENT_END}, {"<>", TOKEN_NE},
        {"!=", TOKEN_BANG_EQ},     {"<=", TOKEN_LE},          {">=", TOKEN_GE},
        {"||", TOKEN_CONCAT},      {"=>", TOKEN_ARROW},       {"(", TOKEN_LPAREN},
        {")", TOKEN_RPAREN},       {"[", TOKEN_LBRACKET},     {"]", TOKEN_RBRACKET},
        {"{", TOKEN_LBRACE},       {"}", TOKEN_RBRACE},       {";", TOKEN_SEMICOLON},
        {".", TOKEN_DOT},          {",", TOKEN_COMMA},        {"=", TOKEN_EQ},
        {"<", TOKEN_LT},           {">", TOKEN_GT},           {"+", TOKEN_PLUS},
        {"-", TOKEN_MINUS},        {"*", TOKEN_STAR},         {"/", TOKEN_SLASH},
        {"%", TOKEN_PERCENT},      {"?", TOKEN_QUESTION},     {":", TOKEN_COLON},
        {"|", TOKEN_BAR},          {"^", TOKEN_CARET},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        size_t length = strlen(symbols[i].text);
        if (lexer->text.size - from >= length &&
            memcmp(lexer->text.ptr + from, symbols[i].text, length) == 0) {
            return token_make(symbols[i].kind, from, from + length);
        }
    }
    if (lexer->text.ptr[from] == '"') {
        size_t end = from + 1;
        while (end < lexer->text.size && lexer->text.ptr[end] != '"' &&
               lexer->text.ptr[end] != '\n') {
            end++;
        }
        bool closed = byte_at(lexer, end) == '"';
        return token_fail(TOKEN_FAULT_DOUBLE_QUOTE, from, closed ? end + 1 : from + 1);
    }
    uint32_t length;
    decode(lexer->text, from, &length);
    return token_fail(length > 0 ? TOKEN_FAULT_CHARACTER : TOKEN_FAULT_UTF8, from,
                      from + (length > 0 ? length : 1));
}

static struct token lex_token(struct lexer *lexer, size_t at)
{
    char byte = lexer->text.ptr[at];
    if (byte == '\'') {
        return lex_string(lexer, at, at, false);
    }
    if (byte == '`') {
        return lex_quoted_name(lexer, at);
    }
    if (ascii_digit(byte) || (byte == '.' && ascii_digit(byte_at(lexer, at + 1)))) {
        return lex_number(lexer, at);
    }
    if (word_byte_count(lexer->text, at, true) > 0) {
        return lex_word(lexer, at);
    }
    return lex_symbol(lexer, at);
}

void lexer_init(struct lexer *lexer, struct str text)
{
    ASSERT(text.size < UINT32_MAX);
    *lexer = (struct lexer){.text = text};
}

struct token lexer_next(struct lexer *lexer)
{
    size_t at = lexer->at;
    struct token token;
    if (!skip_blanks(lexer, &at)) {
        token = token_fail(TOKEN_FAULT_COMMENT_END, at, lexer->text.size);
    } else if (at >= lexer->text.size) {
        token = token_make(TOKEN_END, at, at);
    } else {
        token = lex_token(lexer, at);
    }
    lexer->at = token.offset + token.length;
    return token;
}

// Only the first line of what a fault covers is underlined.
static uint32_t first_line_length(struct str text, struct token token)
{
    uint32_t length = 0;
    while (length < token.length && text.ptr[token.offset + length] != '\n') {
        length++;
    }
    return length;
}

// With what stands between the double quotes, where that is short and closed.
static void hint_quotes(struct str shown, struct err *err)
{
    enum { INNER_MAX = 80 };
    bool is_closed = shown.size > 2 && shown.ptr[shown.size - 1] == '"';
    struct str inner = is_closed ? str_slice(shown, 1, shown.size - 1) : (struct str){0};
    if (inner.size == 0 || inner.size > INNER_MAX || str_find(inner, '`') < inner.size ||
        str_find(inner, '\'') < inner.size || str_find(inner, '\n') < inner.size) {
        err_hint(err, "write a name as `name` and a text as 'text'");
    } else {
        err_hint(err, "write a name as `%.*s`, and a text or a file as '%.*s'", STR_ARGS(inner),
                 STR_ARGS(inner));
    }
}

enum status lexer_fault(struct str text, struct token token, struct err *err)
{
    struct str shown = lexer_text(text, token);
    switch (token.fault) {
    case TOKEN_FAULT_CHARACTER:
        ERR(err, STATUS_INVALID_DATA, "no SQL begins with the character '%.*s'", STR_ARGS(shown));
        break;
    case TOKEN_FAULT_DOUBLE_QUOTE:
        ERR(err, STATUS_INVALID_DATA, "double quotes quote nothing in Flink SQL");
        hint_quotes(shown, err);
        break;
    case TOKEN_FAULT_STRING_END:
        ERR(err, STATUS_INVALID_DATA, "the string that begins here does not end");
        err_hint(err, "a quote inside a string is written twice: 'it''s'");
        break;
    case TOKEN_FAULT_NAME_END:
        ERR(err, STATUS_INVALID_DATA, "the quoted name that begins here does not end on its line");
        break;
    case TOKEN_FAULT_NAME_EMPTY: ERR(err, STATUS_INVALID_DATA, "a quoted name is empty"); break;
    case TOKEN_FAULT_COMMENT_END:
        ERR(err, STATUS_INVALID_DATA, "the comment that begins here does not end");
        break;
    case TOKEN_FAULT_UTF8: ERR(err, STATUS_INVALID_DATA, "the text is not valid UTF-8"); break;
    case TOKEN_FAULT_NONE: UNREACHABLE("a fault without a fault");
    }
    err_at(err, ERR_STAGE_PARSE, token.offset, first_line_length(text, token));
    return STATUS_INVALID_DATA;
}

// ---------------------------------------------------------------------------------------------
// What names and strings mean

// `text` with each pair of `quote` made one; borrowed where there is none.
static struct str undouble(struct arena *arena, struct str text, char quote)
{
    if (str_find(text, quote) == text.size) {
        return text;
    }
    char *out = arena_alloc(arena, text.size);
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++) {
        out[size++] = text.ptr[i];
        if (text.ptr[i] == quote) {
            i++;
        }
    }
    return str_make(out, size);
}

struct str lexer_name(struct arena *arena, struct str text, struct token token)
{
    ASSERT(token.kind == TOKEN_QUOTED_NAME);
    struct str inner = str_make(text.ptr + token.offset + 1, token.length - 2);
    return undouble(arena, inner, '`');
}

static int hex_digit(char byte)
{
    if (ascii_digit(byte)) {
        return byte - '0';
    }
    if (byte >= 'a' && byte <= 'f') {
        return byte - 'a' + 10;
    }
    return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

static enum status fail_string(struct token token, struct err *err, const char *what)
{
    ERR(err, STATUS_INVALID_DATA, "%s", what);
    err_at(err, ERR_STAGE_PARSE, token.offset, token.length);
    return STATUS_INVALID_DATA;
}

static enum status decode_binary(struct arena *arena, struct str hex, struct token token,
                                 struct str *out, struct err *err)
{
    char *bytes = arena_alloc(arena, hex.size / 2 + 1);
    for (size_t i = 0; i < hex.size; i++) {
        if (hex_digit(hex.ptr[i]) < 0) {
            return fail_string(token, err, "a binary string holds hexadecimal digits only");
        }
    }
    for (size_t i = 0; i + 1 < hex.size; i += 2) {
        bytes[i / 2] = (char)(hex_digit(hex.ptr[i]) << 4 | hex_digit(hex.ptr[i + 1]));
    }
    *out = str_make(bytes, hex.size / 2);
    return STATUS_OK;
}

static size_t encode(uint32_t code, char *out)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

// `count` hexadecimal digits at `at`; false where they are not there.
static bool read_hex(struct str text, size_t at, size_t count, uint32_t *out)
{
    *out = 0;
    for (size_t i = at; i < at + count; i++) {
        int digit = i < text.size ? hex_digit(text.ptr[i]) : -1;
        if (digit < 0) {
            return false;
        }
        *out = *out << 4 | (uint32_t)digit;
    }
    return true;
}

// Appends a UTF-16 unit to UTF-8: the second half of a pair joins the first, which stands at the
// end of `out` as three bytes. A half that stays alone becomes '?', as Flink shows it.
static size_t add_unit(uint32_t unit, uint32_t *high, char *out, size_t size)
{
    if (unit >= 0xdc00 && unit < 0xe000 && *high != 0) {
        uint32_t code = 0x10000 + ((*high - 0xd800) << 10) + (unit - 0xdc00);
        *high = 0;
        return size - 1 + encode(code, out + size - 1); // over the '?' of the first half
    }
    *high = unit >= 0xd800 && unit < 0xdc00 ? unit : 0;
    if (unit >= 0xd800 && unit < 0xe000) {
        out[size] = '?';
        return size + 1;
    }
    return size + encode(unit, out + size);
}

enum status lexer_unescape(struct arena *arena, struct str value, char escape, struct token token,
                           struct str *out, struct err *err)
{
    char *bytes = arena_alloc(arena, value.size + 4);
    size_t size = 0;
    uint32_t high = 0;
    for (size_t i = 0; i < value.size;) {
        uint32_t unit;
        if (value.ptr[i] != escape) {
            high = 0;
            bytes[size++] = value.ptr[i++];
        } else if (i + 1 < value.size && value.ptr[i + 1] == escape) {
            high = 0;
            bytes[size++] = escape;
            i += 2;
        } else if (read_hex(value, i + 1, 4, &unit)) {
            size = add_unit(unit, &high, bytes, size);
            i += 5;
        } else if (i + 4 < value.size && value.ptr[i + 1] == '+' &&
                   read_hex(value, i + 2, 3, &unit)) {
            // Flink reads four characters behind the escape, and Java's number parser takes '+'.
            size = add_unit(unit, &high, bytes, size);
            i += 5;
        } else {
            return fail_string(token, err,
                               "four hexadecimal digits follow the escape character "
                               "of a Unicode string");
        }
    }
    *out = str_make(bytes, size);
    return STATUS_OK;
}

// The escape at `at` (behind the backslash) of E'...'; advances `at` over it.
static size_t c_escape(struct str text, size_t *at, uint32_t *high, char *out, size_t size,
                       bool *valid)
{
    static const char letters_from[] = "bfnrt";
    static const char letters_to[] = "\b\f\n\r\t";
    char byte = text.ptr[*at];
    const char *letter = byte != '\0' ? strchr(letters_from, byte) : NULL;
    uint32_t code = 0;
    if (letter != NULL) {
        *high = 0;
        out[size] = letters_to[letter - letters_from];
        (*at)++;
        return size + 1;
    }
    if (byte == 'u' || byte == 'U') {
        size_t digits = byte == 'u' ? 4 : 8;
        *valid = read_hex(text, *at + 1, digits, &code) && code <= 0x10ffff;
        *at += 1 + digits;
        return *valid ? add_unit(code, high, out, size) : size;
    }
    size_t count = 0;
    if (byte == 'x' && *at + 1 < text.size && hex_digit(text.ptr[*at + 1]) >= 0) {
        for ((*at)++; count < 2 && *at < text.size && hex_digit(text.ptr[*at]) >= 0; count++) {
            code = code << 4 | (uint32_t)hex_digit(text.ptr[(*at)++]);
        }
        return add_unit(code, high, out, size);
    }
    if (byte >= '0' && byte <= '7') {
        for (; count < 3 && *at < text.size && text.ptr[*at] >= '0' && text.ptr[*at] <= '7';
             count++) {
            code = code << 3 | (uint32_t)(text.ptr[(*at)++] - '0');
        }
        return add_unit(code & 0xff, high, out, size);
    }
    *high = 0;
    out[size] = byte;
    (*at)++;
    return size + 1;
}

static enum status decode_c(struct arena *arena, struct str text, struct token token,
                            struct str *out, struct err *err)
{
    char *bytes = arena_alloc(arena, text.size + 4);
    size_t size = 0;
    uint32_t high = 0;
    bool valid = true;
    for (size_t at = 0; at < text.size;) {
        if (text.ptr[at] == '\\' && at + 1 < text.size) {
            at++;
            size = c_escape(text, &at, &high, bytes, size, &valid);
            if (!valid) {
                return fail_string(token, err, "\\u needs four hexadecimal digits, \\U eight");
            }
        } else {
            at += text.ptr[at] == '\'' ? 1 : 0; // two quotes are one
            high = 0;
            bytes[size++] = text.ptr[at++];
        }
    }
    *out = str_make(bytes, size);
    return STATUS_OK;
}

enum status lexer_string(struct arena *arena, struct str text, struct token token,
                         struct lexer_string *out, struct err *err)
{
    ASSERT(token.kind == TOKEN_STRING);
    struct str whole = lexer_text(text, token);
    size_t quote = str_find(whole, '\'');
    struct str inner = str_slice(whole, quote + 1, whole.size - 1);
    *out = (struct lexer_string){.kind = LEXER_STRING_PLAIN};
    char first = whole.ptr[0];
    if (first == 'x' || first == 'X') {
        out->kind = LEXER_STRING_BINARY;
        out->odd = inner.size % 2 != 0;
        return decode_binary(arena, inner, token, &out->value, err);
    }
    if (first == 'e' || first == 'E') {
        out->kind = LEXER_STRING_C;
        return decode_c(arena, inner, token, &out->value, err);
    }
    if (first == 'u' || first == 'U') {
        out->kind = LEXER_STRING_UNICODE;
    } else if (first == '_') {
        out->kind = LEXER_STRING_CHARSET;
        out->charset = str_slice(whole, 1, quote);
    } else if (first == 'n' || first == 'N') {
        out->kind = LEXER_STRING_CHARSET;
        out->charset = STR_LIT("N");
    }
    out->value = undouble(arena, inner, '\'');
    return STATUS_OK;
}
