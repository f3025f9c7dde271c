// SPDX-License-Identifier: Apache-2.0
#include "expr/json_path.h"

#include <string.h>

#include "base/arena.h"
#include "expr/json_path_int.h"

enum { STEPS_MAX = 64, LIST_MAX = 64, CONDITIONS_MAX = 16, FILTER_DEPTH_MAX = 4 };

struct compiler {
    struct arena *arena;
    struct str text;
    size_t at;
    uint32_t depth; // of filters
};

static bool compile_steps(struct compiler *compiler, struct json_path *path);

static char peek(const struct compiler *compiler)
{
    return compiler->at < compiler->text.size ? compiler->text.ptr[compiler->at] : 0;
}

static bool take(struct compiler *compiler, const char *word)
{
    if (!str_starts(str_slice(compiler->text, compiler->at, compiler->text.size), word)) {
        return false;
    }
    compiler->at += strlen(word);
    return true;
}

static void blanks(struct compiler *compiler)
{
    while (peek(compiler) == ' ' || peek(compiler) == '\t' || peek(compiler) == '\n') {
        compiler->at++;
    }
}

static bool take_after_blanks(struct compiler *compiler, const char *word)
{
    blanks(compiler);
    return take(compiler, word);
}

static bool number(struct compiler *compiler, int64_t *out)
{
    blanks(compiler);
    size_t start = compiler->at;
    while (peek(compiler) == '-' || (peek(compiler) >= '0' && peek(compiler) <= '9')) {
        compiler->at++;
    }
    return str_to_i64(str_slice(compiler->text, start, compiler->at), out);
}

// 'name' or "name", with backslashes.
static bool quoted(struct compiler *compiler, struct str *out)
{
    blanks(compiler);
    char quote = peek(compiler);
    if (quote != '\'' && quote != '"') {
        return false;
    }
    compiler->at++;
    char *text = arena_alloc(compiler->arena, compiler->text.size + 1);
    size_t size = 0;
    while (compiler->at < compiler->text.size && peek(compiler) != quote) {
        if (peek(compiler) == '\\' && compiler->at + 1 < compiler->text.size) {
            compiler->at++;
        }
        text[size++] = compiler->text.ptr[compiler->at++];
    }
    *out = str_make(text, size);
    return compiler->at++ < compiler->text.size;
}

// A name up to the next step.
static bool bare_name(struct compiler *compiler, struct str *out)
{
    size_t start = compiler->at;
    while (peek(compiler) != 0 && strchr(".[ ()=<>!&|", peek(compiler)) == NULL) {
        compiler->at++;
    }
    *out = str_slice(compiler->text, start, compiler->at);
    return out->size > 0;
}

static struct json_path_step one_name(struct compiler *compiler, struct str name)
{
    struct str *names = arena_new(compiler->arena, struct str);
    *names = name;
    return (struct json_path_step){.kind = JSON_PATH_NAMES, .count = 1, .names = names};
}

// Behind a dot: name, *, name(), or ['name'].
static bool dotted(struct compiler *compiler, struct json_path_step *out)
{
    struct str name;
    if (take(compiler, "*")) {
        *out = (struct json_path_step){.kind = JSON_PATH_ALL};
        return true;
    }
    if (!bare_name(compiler, &name)) {
        return false;
    }
    if (take(compiler, "()")) {
        *out = (struct json_path_step){.kind = JSON_PATH_LENGTH};
        return str_is(name, "length") || str_is(name, "size");
    }
    *out = one_name(compiler, name);
    return peek(compiler) != '(';
}

static bool names_in_brackets(struct compiler *compiler, struct json_path_step *out)
{
    struct str *names = arena_new_array(compiler->arena, struct str, LIST_MAX);
    uint32_t count = 0;
    do {
        if (count == LIST_MAX || !quoted(compiler, &names[count++])) {
            return false;
        }
    } while (take_after_blanks(compiler, ","));
    *out = (struct json_path_step){.kind = JSON_PATH_NAMES, .count = count, .names = names};
    return take_after_blanks(compiler, "]");
}

// n, n,m or n:m
static bool numbers_in_brackets(struct compiler *compiler, struct json_path_step *out)
{
    int64_t *indexes = arena_new_array(compiler->arena, int64_t, LIST_MAX);
    *out = (struct json_path_step){.kind = JSON_PATH_INDEXES, .indexes = indexes};
    blanks(compiler);
    if (peek(compiler) != ':') {
        if (!number(compiler, &indexes[0])) {
            return false;
        }
        out->count = 1;
    }
    if (take_after_blanks(compiler, ":")) {
        out->kind = JSON_PATH_SLICE;
        out->has_from = out->count == 1;
        out->from = indexes[0];
        blanks(compiler);
        out->has_to = peek(compiler) != ']';
        return (!out->has_to || number(compiler, &out->to)) && take_after_blanks(compiler, "]");
    }
    while (take_after_blanks(compiler, ",")) {
        if (out->count == LIST_MAX || !number(compiler, &indexes[out->count++])) {
            return false;
        }
    }
    return take_after_blanks(compiler, "]");
}

// @..., or a JSON literal; strings also in single quotes.
static bool operand(struct compiler *compiler, struct json_path_operand *out)
{
    *out = (struct json_path_operand){0};
    blanks(compiler);
    if (take(compiler, "@")) {
        struct json_path *path = arena_new(compiler->arena, struct json_path);
        out->path = path;
        return compile_steps(compiler, path);
    }
    if (peek(compiler) == '\'' || peek(compiler) == '"') {
        out->literal.kind = JSON_DOC_STRING;
        return quoted(compiler, &out->literal.text);
    }
    size_t start = compiler->at;
    while (peek(compiler) != 0 && strchr(" )&|=<>!", peek(compiler)) == NULL) {
        compiler->at++;
    }
    struct json_doc_limits limits = {.whole = true};
    return json_doc_parse(compiler->arena, str_slice(compiler->text, start, compiler->at), limits,
                          &out->literal);
}

static bool comparison(struct compiler *compiler, enum json_path_compare *out)
{
    static const struct {
        const char *text;
        enum json_path_compare compare;
    } operators[] = {{"==", JSON_PATH_EQ}, {"!=", JSON_PATH_NE}, {"<=", JSON_PATH_LE},
                     {">=", JSON_PATH_GE}, {"<", JSON_PATH_LT},  {">", JSON_PATH_GT}};
    blanks(compiler);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (take(compiler, operators[i].text)) {
            *out = operators[i].compare;
            return true;
        }
    }
    return false;
}

// Behind [?( up to )]
static bool filter(struct compiler *compiler, struct json_path_step *out)
{
    struct json_path_condition *conditions =
        arena_new_array(compiler->arena, struct json_path_condition, CONDITIONS_MAX);
    uint32_t group = 0;
    uint32_t count = 0;
    if (++compiler->depth > FILTER_DEPTH_MAX) {
        return false;
    }
    for (;;) {
        struct json_path_condition *condition = &conditions[count++];
        condition->group = group;
        if (!operand(compiler, &condition->left)) {
            return false;
        }
        if (comparison(compiler, &condition->compare)) {
            if (!operand(compiler, &condition->right)) {
                return false;
            }
        } else if (condition->left.path == NULL) {
            return false;
        }
        bool again = take_after_blanks(compiler, "&&");
        if (!again && take_after_blanks(compiler, "||")) {
            again = true;
            group++;
        }
        if (!again) {
            break;
        }
        if (count == CONDITIONS_MAX) {
            return false;
        }
    }
    compiler->depth--;
    *out =
        (struct json_path_step){.kind = JSON_PATH_FILTER, .count = count, .conditions = conditions};
    return take_after_blanks(compiler, ")") && take_after_blanks(compiler, "]");
}

// Behind [
static bool bracketed(struct compiler *compiler, struct json_path_step *out)
{
    blanks(compiler);
    if (take(compiler, "*")) {
        *out = (struct json_path_step){.kind = JSON_PATH_ALL};
        return take_after_blanks(compiler, "]");
    }
    if (take(compiler, "?")) {
        return take_after_blanks(compiler, "(") && filter(compiler, out);
    }
    if (peek(compiler) == '\'' || peek(compiler) == '"') {
        return names_in_brackets(compiler, out);
    }
    return numbers_in_brackets(compiler, out);
}

static bool is_single(const struct json_path_step *step)
{
    return ((step->kind == JSON_PATH_NAMES || step->kind == JSON_PATH_INDEXES) &&
            step->count == 1) ||
           step->kind == JSON_PATH_LENGTH;
}

// Steps as long as there are any.
static bool compile_steps(struct compiler *compiler, struct json_path *path)
{
    struct json_path_step *steps =
        arena_new_array(compiler->arena, struct json_path_step, STEPS_MAX);
    path->steps = steps;
    path->is_definite = true;
    while (path->count < STEPS_MAX) {
        struct json_path_step *step = &steps[path->count];
        if (take(compiler, "..")) {
            *step = (struct json_path_step){.kind = JSON_PATH_DEEP};
            path->is_definite = false;
            if (++path->count == STEPS_MAX) {
                return false;
            }
            step = &steps[path->count];
            if (!(take(compiler, "[") ? bracketed(compiler, step) : dotted(compiler, step))) {
                return false;
            }
        } else if (take(compiler, ".[") || take(compiler, "[")) {
            if (!bracketed(compiler, step)) {
                return false;
            }
        } else if (take(compiler, ".")) {
            if (!dotted(compiler, step)) {
                return false;
            }
        } else {
            return true;
        }
        path->is_definite &= is_single(step);
        path->count++;
    }
    return false;
}

// lax or strict in any case, and a blank behind it.
static bool take_mode(struct compiler *compiler, const char *word)
{
    size_t size = strlen(word);
    struct str rest = str_slice(compiler->text, compiler->at, compiler->text.size);
    if (rest.size <= size || !str_is_nocase(str_slice(rest, 0, size), word) ||
        rest.ptr[size] != ' ') {
        return false;
    }
    compiler->at += size;
    blanks(compiler);
    return true;
}

const struct json_path *json_path_compile(struct arena *arena, struct str text)
{
    struct compiler compiler = {.arena = arena, .text = str_trim(text)};
    struct json_path *path = arena_new(arena, struct json_path);
    path->is_lax = take_mode(&compiler, "lax");
    if (!path->is_lax) {
        (void)take_mode(&compiler, "strict");
    }
    if (peek(&compiler) == 0) {
        return NULL;
    }
    if (!take(&compiler, "$")) { // a is $.a
        struct str rest = str_slice(compiler.text, compiler.at, compiler.text.size);
        compiler.text = arena_printf(arena, ".%.*s", STR_ARGS(rest));
        compiler.at = 0;
    }
    bool good = compile_steps(&compiler, path) && compiler.at == compiler.text.size;
    return good ? path : NULL;
}

bool json_path_is_lax(const struct json_path *path)
{
    return path->is_lax;
}
