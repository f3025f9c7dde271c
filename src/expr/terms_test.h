// SPDX-License-Identifier: Apache-2.0
//
// terms_test: expressions for tests, written as (name argument ...):
//
//     (+ 1 2)   (UPPER 'abc')   (CAST '12' INT)   (EXTRACT:YEAR (CAST '2020-02-29' DATE))   $0
//
// Atoms: 12 is INT, 12L BIGINT, 1.50 DECIMAL(3, 2), 1.5E0 DOUBLE, 'text' CHAR(n), TRUE, FALSE, $n
// the n-th column, and (NULL TYPE). Names with blanks are written with _: (IS_NOT_NULL x). A unit
// or a field follows a colon. The functions fail the test on their own faults; what the library
// refuses is returned.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "data/batch.h"
#include "data/decimal.h"
#include "expr/expr.h"
#include "expr/function.h"
#include "expr/program.h"

enum { SCRIPT_ARGS_MAX = 40 };

struct terms {
    struct arena *arena;
    const char *at;
    const struct type *const *columns; // types of $0 ...
    uint32_t column_count;
};

static void terms_blanks(struct terms *terms)
{
    while (*terms->at == ' ' || *terms->at == '\n') {
        terms->at++;
    }
}

static struct str terms_word(struct terms *terms)
{
    const char *start = terms->at;
    while (*terms->at != 0 && strchr(" \n()", *terms->at) == NULL) {
        terms->at++;
    }
    return str_make(start, (size_t)(terms->at - start));
}

// INT, DECIMAL(10,2), VARCHAR(5), ARRAY<INT>; an ! behind it: NOT NULL. No blanks.
static const struct type *terms_type(struct terms *terms)
{
    static const struct {
        const char *name;
        enum type_kind kind;
        int32_t length;
    } kinds[] = {
        {"BOOLEAN", TYPE_BOOLEAN, 0},
        {"TINYINT", TYPE_TINYINT, 0},
        {"SMALLINT", TYPE_SMALLINT, 0},
        {"INT", TYPE_INT, 0},
        {"BIGINT", TYPE_BIGINT, 0},
        {"FLOAT", TYPE_FLOAT, 0},
        {"DOUBLE", TYPE_DOUBLE, 0},
        {"DECIMAL", TYPE_DECIMAL, 10},
        {"CHAR", TYPE_CHAR, 1},
        {"VARCHAR", TYPE_VARCHAR, 1},
        {"STRING", TYPE_VARCHAR, TYPE_LENGTH_MAX},
        {"BYTES", TYPE_VARBINARY, TYPE_LENGTH_MAX},
        {"DATE", TYPE_DATE, 0},
        {"TIME", TYPE_TIME, 0},
        {"TIMESTAMP_LTZ", TYPE_TIMESTAMP_LTZ, 6},
        {"TIMESTAMP", TYPE_TIMESTAMP, 6},
        {"MONTHS", TYPE_INTERVAL_MONTH, 0},
        {"SECONDS", TYPE_INTERVAL_SECOND, 0},
    };
    if (strncmp(terms->at, "ARRAY<", 6) == 0) {
        terms->at += 6;
        const struct type *element = terms_type(terms);
        assert_int_equal(*terms->at++, '>');
        return type_array(terms->arena, element, true);
    }
    if (strncmp(terms->at, "MAP<", 4) == 0) {
        terms->at += 4;
        const struct type *key = terms_type(terms);
        assert_int_equal(*terms->at++, ',');
        const struct type *value = terms_type(terms);
        assert_int_equal(*terms->at++, '>');
        return type_map(terms->arena, key, value, true);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t size = strlen(kinds[i].name);
        if (strncmp(terms->at, kinds[i].name, size) != 0 ||
            (terms->at[size] >= 'A' && terms->at[size] <= 'Z') || terms->at[size] == '_') {
            continue;
        }
        terms->at += size;
        struct type *type = type_new(terms->arena, kinds[i].kind, true);
        type->length = kinds[i].length;
        if (*terms->at == '(') {
            char *end;
            type->length = (int32_t)strtol(terms->at + 1, &end, 10);
            if (*end == ',') {
                type->scale = (int32_t)strtol(end + 1, &end, 10);
            }
            assert_int_equal(*end, ')');
            terms->at = end + 1;
        }
        if (*terms->at == '!') {
            type->nullable = false;
            terms->at++;
        }
        return type;
    }
    fail_msg("no type: %s", terms->at);
    return NULL;
}

static const struct expr *terms_number(struct terms *terms)
{
    struct str word = terms_word(terms);
    char text[64];
    assert_true(word.size < sizeof text);
    memcpy(text, word.ptr, word.size);
    text[word.size] = 0;
    if (memchr(word.ptr, 'E', word.size) != NULL) {
        return expr_literal_double(terms->arena, strtod(text, NULL));
    }
    const char *point = memchr(word.ptr, '.', word.size);
    if (point != NULL) {
        int32_t scale = (int32_t)(word.ptr + word.size - point) - 1;
        int32_t digits = (int32_t)word.size - 1 - (text[0] == '-');
        digits = digits > scale + (point == word.ptr + 1 && text[0] == '0') ? digits : scale + 1;
        struct decimal_form form = {.precision = digits, .scale = scale};
        int128 value;
        assert_int_equal(decimal_from_text(word, form, &value), DECIMAL_PARSE_OK);
        return expr_literal_i128(terms->arena, type_decimal(terms->arena, digits, scale, false),
                                 value);
    }
    if (text[word.size - 1] == 'L') {
        return expr_literal_bigint(terms->arena, strtoll(text, NULL, 10));
    }
    return expr_literal_int(terms->arena, (int32_t)strtol(text, NULL, 10));
}

static enum function_unit terms_unit(struct str name)
{
#define X(unit)                                                                                    \
    if (str_is(name, #unit)) {                                                                     \
        return FUNCTION_UNIT_##unit;                                                               \
    }
    FUNCTION_UNIT_LIST(X)
#undef X
    return FUNCTION_UNIT_NONE;
}

static enum status terms_parse(struct terms *terms, const struct expr **out, struct err *err);

static enum status terms_call(struct terms *terms, const struct expr **out, struct err *err)
{
    struct str word = terms_word(terms);
    size_t colon = word.size > 1 ? str_find(word, ':') : word.size;
    struct function_options options = {0};
    if (colon < word.size) {
        options.field = str_slice(word, colon + 1, word.size);
        options.unit = terms_unit(options.field);
    }
    char name[64] = {0};
    assert_true(colon < sizeof name);
    memcpy(name, word.ptr, colon);
    bool is_cast = strcmp(name, "CAST") == 0 || strcmp(name, "TRY_CAST") == 0;
    if (strncmp(name, "IS_", 3) == 0 || strncmp(name, "SIMILAR_", 8) == 0) {
        for (char *at = name;
             *at != 0 && strncmp(name, "IS_ALPHA", 8) != 0 && strncmp(name, "IS_D", 4) != 0; at++) {
            *at = *at == '_' ? ' ' : *at;
        }
        if (strcmp(name, "IS_DISTINCT_FROM") == 0) {
            memcpy(name, "IS DISTINCT FROM", 16);
        }
    }
    if (strcmp(name, "NULL") == 0) {
        terms_blanks(terms);
        *out = expr_null(terms->arena, terms_type(terms));
        assert_int_equal(*terms->at++, ')');
        return STATUS_OK;
    }
    const struct expr **args = arena_new_array(terms->arena, const struct expr *, SCRIPT_ARGS_MAX);
    uint32_t count = 0;
    for (;;) {
        terms_blanks(terms);
        if (*terms->at == ')') {
            terms->at++;
            break;
        }
        if (is_cast && count == 1) {
            options.target = terms_type(terms);
            continue;
        }
        assert_true(count < SCRIPT_ARGS_MAX);
        TRY(terms_parse(terms, &args[count++], err));
    }
    struct function_use use = {.arena = terms->arena,
                               .name = arena_str(terms->arena, str_from(name)),
                               .args = {args, count},
                               .options = &options};
    return function_resolve(&use, out, err);
}

static enum status terms_parse(struct terms *terms, const struct expr **out, struct err *err)
{
    terms_blanks(terms);
    char c = *terms->at;
    if (c == '(') {
        terms->at++;
        return terms_call(terms, out, err);
    }
    if (c == '\'') {
        const char *start = ++terms->at;
        terms->at = strchr(start, '\'');
        assert_non_null(terms->at);
        *out = expr_literal_char(terms->arena, str_make(start, (size_t)(terms->at++ - start)));
        return STATUS_OK;
    }
    if (c == '$') {
        terms->at++;
        uint32_t column = (uint32_t)strtol(terms_word(terms).ptr, NULL, 10);
        assert_true(column < terms->column_count);
        *out = expr_column(terms->arena, column, arena_printf(terms->arena, "c%u", column),
                           terms->columns[column]);
        return STATUS_OK;
    }
    if (strncmp(terms->at, "TRUE", 4) == 0 || strncmp(terms->at, "FALSE", 5) == 0) {
        *out = expr_literal_boolean(terms->arena, *terms_word(terms).ptr == 'T');
        return STATUS_OK;
    }
    *out = terms_number(terms);
    return STATUS_OK;
}

// The value of a column's row as CAST(... AS STRING) shows it; "\\N" for null.
static struct str terms_shown(struct arena *arena, const struct type *type,
                               const struct column *column, uint32_t row)
{
    if (column_is_null(column, row)) {
        return STR_LIT("\\N");
    }
    uint16_t rows[1] = {(uint16_t)row};
    struct column one = column_gather(arena, column, rows, 1);
    one = column_flatten(arena, &one);
    const struct expr *literal = expr_literal(arena, type, &one);
    const struct expr *text;
    struct column shown;
    struct err err;
    struct expr_settings settings = {0};
    enum status status = expr_cast(arena, literal, &type_string, &text, &err);
    if (status == STATUS_OK) {
        status = expr_evaluate(arena, text, &settings, &shown, &err);
    }
    if (status != STATUS_OK) {
        fail_msg("cannot show: %s", err.text);
    }
    return strview_str(column_value(&shown, 0));
}

// A constant expression: its type and value, "refused" or "failed".
static void terms_expect(const char *text, const char *type, const char *value)
{
    struct arena arena;
    arena_init(&arena);
    struct terms terms = {.arena = &arena, .at = text};
    const struct expr *expr;
    struct err err = {0};
    if (terms_parse(&terms, &expr, &err) != STATUS_OK) {
        if (strcmp(value, "refused") != 0 || err.stage != ERR_STAGE_VALIDATE) {
            fail_msg("%s: refused: %s", text, err.text);
        }
        arena_release(&arena);
        return;
    }
    struct expr_settings settings = {.now_us = INT64_C(1700000000000000)};
    struct column column;
    if (expr_evaluate(&arena, expr, &settings, &column, &err) != STATUS_OK) {
        if (strcmp(value, "failed") != 0) {
            fail_msg("%s: failed: %s", text, err.text);
        }
        arena_release(&arena);
        return;
    }
    assert_int_equal(column_check(&column, &err), STATUS_OK);
    struct str got_type = type_text(&arena, expr->type);
    struct str got = terms_shown(&arena, expr->type, &column, 0);
    if (!str_is(got_type, type) || !str_is(got, value)) {
        fail_msg("%s\n  is  %.*s %.*s\n  not %s %s", text, STR_ARGS(got_type), STR_ARGS(got), type,
                 value);
    }
    arena_release(&arena);
}

struct terms_case {
    const char *text;
    const char *type;  // of a value
    const char *value; // or "refused", "failed"
};

static inline void terms_expect_all(const struct terms_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        terms_expect(cases[i].text, cases[i].type, cases[i].value);
    }
}
