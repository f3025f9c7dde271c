// SPDX-License-Identifier: Apache-2.0
//
// LIKE. A pattern becomes a list of characters, "any one" and "any run"; four common forms (equal,
// starts, ends, contains) are recognised and need no matching. As in Flink, "any one" is no end of
// a line (its patterns become Java's, whose dot stops there), and the empty pattern takes all
// texts.
#include "kernel/string.h"
#include "kernel/string_int.h"

enum token { TOKEN_TEXT, TOKEN_ONE, TOKEN_RUN };

enum form { FORM_EQUAL, FORM_STARTS, FORM_ENDS, FORM_CONTAINS, FORM_ALL, FORM_GENERAL, FORM_BAD };

// token[i] belongs to byte i of `text`; wildcards stand as one byte.
struct pattern {
    enum form form;
    struct str text;
    const uint8_t *tokens;
    struct str literal; // of the simple forms
};

static enum form form_of(const struct pattern *pattern, struct str *literal)
{
    size_t size = pattern->text.size;
    bool run_first = size > 0 && pattern->tokens[0] == TOKEN_RUN;
    bool run_last = size > 1 && pattern->tokens[size - 1] == TOKEN_RUN;
    *literal = str_slice(pattern->text, run_first, size - run_last);
    for (size_t i = run_first; i < size - run_last; i++) {
        if (pattern->tokens[i] != TOKEN_TEXT) {
            return FORM_GENERAL;
        }
    }
    if (size == 0 || (run_first && literal->size == 0)) {
        return FORM_ALL;
    }
    return run_first && run_last ? FORM_CONTAINS
           : run_first           ? FORM_ENDS
           : run_last            ? FORM_STARTS
                                 : FORM_EQUAL;
}

// `escape`: one character, or empty. It may stand before %, _ and itself only.
static struct pattern compile(struct str source, struct str escape, struct arena *arena)
{
    char *text = arena_alloc(arena, source.size + 1);
    uint8_t *tokens = arena_alloc(arena, source.size + 1);
    size_t size = 0;
    struct pattern bad = {.form = FORM_BAD};
    if (escape.size > 0 && utf8_length(escape, 0) != escape.size) {
        return bad;
    }
    for (size_t at = 0; at < source.size;) {
        struct str rest = str_slice(source, at, source.size);
        bool is_escape = escape.size > 0 && rest.size >= escape.size &&
                         memcmp(rest.ptr, escape.ptr, escape.size) == 0;
        if (is_escape) {
            rest = str_slice(rest, escape.size, rest.size);
            at += escape.size;
            bool escapes_itself =
                rest.size >= escape.size && memcmp(rest.ptr, escape.ptr, escape.size) == 0;
            if (rest.size == 0 || (rest.ptr[0] != '%' && rest.ptr[0] != '_' && !escapes_itself)) {
                return bad;
            }
        }
        char byte = source.ptr[at++];
        bool is_wild = !is_escape && (byte == '%' || byte == '_');
        if (is_wild && byte == '%' && size > 0 && tokens[size - 1] == TOKEN_RUN) {
            continue; // %% is %
        }
        tokens[size] = !is_wild ? TOKEN_TEXT : byte == '%' ? TOKEN_RUN : TOKEN_ONE;
        text[size++] = byte;
    }
    struct pattern pattern = {.text = {text, size}, .tokens = tokens};
    pattern.form = form_of(&pattern, &pattern.literal);
    return pattern;
}

// LF, CR, NEL, LS, PS.
static bool is_line_end(struct str text, size_t at, size_t length)
{
    const char *bytes = text.ptr + at;
    return (length == 1 && (bytes[0] == '\n' || bytes[0] == '\r')) ||
           (length == 2 && memcmp(bytes, "\xc2\x85", 2) == 0) ||
           (length == 3 &&
            (memcmp(bytes, "\xe2\x80\xa8", 3) == 0 || memcmp(bytes, "\xe2\x80\xa9", 3) == 0));
}

// Where the part behind a run may begin, at or behind `at`: its first byte, if it has one, must
// stand there. SIZE_MAX: nowhere.
static size_t next_start(const struct pattern *pattern, size_t token, struct str text, size_t at)
{
    if (token == pattern->text.size || pattern->tokens[token] != TOKEN_TEXT) {
        return at;
    }
    const char *found = memchr(text.ptr + at, pattern->text.ptr[token], text.size - at);
    return found == NULL ? SIZE_MAX : (size_t)(found - text.ptr);
}

// The usual way with one place to go back to: behind the last run.
static bool matches_general(const struct pattern *pattern, struct str text)
{
    size_t at = 0;
    size_t token = 0;
    size_t run_token = SIZE_MAX; // behind the last run seen
    size_t run_at = 0;
    size_t count = pattern->text.size;
    while (at < text.size || (token < count && pattern->tokens[token] == TOKEN_RUN)) {
        enum token kind = token < count ? (enum token)pattern->tokens[token] : TOKEN_TEXT;
        if (token < count && kind == TOKEN_TEXT && pattern->text.ptr[token] == text.ptr[at]) {
            at++;
            token++;
            continue;
        }
        if (token < count && kind == TOKEN_ONE) {
            size_t length = utf8_length(text, at);
            if (!is_line_end(text, at, length)) {
                at += length;
                token++;
                continue;
            }
        }
        if (token < count && kind == TOKEN_RUN) {
            run_token = ++token;
            run_at = at;
        } else if (run_token == SIZE_MAX) {
            return false;
        } else {
            run_at += utf8_length(text, run_at);
        }
        run_at = next_start(pattern, run_token, text, run_at);
        if (run_at == SIZE_MAX) {
            return false;
        }
        at = run_at;
        token = run_token;
    }
    return token == count;
}

static bool matches(const struct pattern *pattern, struct str text)
{
    struct str literal = pattern->literal;
    switch (pattern->form) {
    case FORM_EQUAL: return str_equal(text, literal);
    case FORM_STARTS:
        return text.size >= literal.size && memcmp(text.ptr, literal.ptr, literal.size) == 0;
    case FORM_ENDS:
        return text.size >= literal.size &&
               memcmp(text.ptr + text.size - literal.size, literal.ptr, literal.size) == 0;
    case FORM_CONTAINS: return memmem(text.ptr, text.size, literal.ptr, literal.size) != NULL;
    case FORM_ALL: return true;
    case FORM_GENERAL: return matches_general(pattern, text);
    case FORM_BAD: break;
    }
    return false;
}

static struct str escape_of(const struct kernel_loop *loop, uint32_t row)
{
    return loop->args[2] == NULL ? (struct str){0} : string_arg(loop, 2, row);
}

static void like_loop(struct kernel_loop *loop)
{
    bool is_fixed = loop->is_const[1] && (loop->args[2] == NULL || loop->is_const[2]);
    struct pattern pattern = {0};
    if (is_fixed) {
        pattern = compile(string_arg(loop, 1, 0), escape_of(loop, 0), loop->arena);
    }
    uint64_t *out = loop->out;
    for (uint32_t row = 0; row < loop->count; row++) {
        if (!bits_get(loop->wanted, row)) {
            continue;
        }
        if (!is_fixed) {
            pattern = compile(string_arg(loop, 1, row), escape_of(loop, row), loop->arena);
        }
        out[row / 64] |= (uint64_t)matches(&pattern, string_arg(loop, 0, row)) << (row % 64);
        loop->bad[row / 64] |= (uint64_t)(pattern.form == FORM_BAD) << (row % 64);
    }
}

void string_like(struct kernel_run *run, const struct column *s, const struct column *pattern,
                 const struct column *escape, uint64_t *is_true, uint64_t *is_null)
{
    struct kernel_shape shape = {.loop = like_loop,
                                 .bad = KERNEL_BAD_IS_FAILURE,
                                 .failure =
                                     "LIKE with an escape that is not before %, _ or itself"};
    const struct column args[] = {*s, *pattern, escape == NULL ? *s : *escape};
    kernel_test(run, &shape, args, escape == NULL ? 2 : 3, is_true, is_null);
}
