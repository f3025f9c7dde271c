// SPDX-License-Identifier: Apache-2.0
//
// Regular expressions: REGEXP and its family, SIMILAR TO. A bad pattern gives NULL (REGEXP: false,
// SIMILAR TO: an error).
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "expr/binding.h"
#include "expr/families.h"
#include "expr/regex.h"
#include "expr/rows.h"

static void prepare_cache(struct arena *arena, const struct expr *expr,
                          const struct expr_settings *settings, void **state)
{
    (void)expr;
    (void)settings;
    *state = regex_cache_new(arena);
}

// The regex in argument 1 of a row; NULL: a bad one.
static struct regex *regex_of(const struct function_call *call, uint32_t row)
{
    return regex_cached(call->state, rows_str(call, 1, row), REGEX_FIND);
}

static enum status row_regexp(const struct function_call *call, uint32_t row,
                              struct function_value *value, struct err *err)
{
    struct regex *regex = regex_of(call, row);
    if (regex == NULL || rows_str(call, 1, row).size == 0) {
        return STATUS_OK; // false
    }
    struct regex_match match;
    TRY(regex_find(regex, rows_str(call, 0, row), 0, &match, err));
    value->i64 = match.found;
    return STATUS_OK;
}

static enum status row_similar(const struct function_call *call, uint32_t row,
                               struct function_value *value, struct err *err)
{
    struct str escape = call->arg_count > 2 ? rows_str(call, 2, row) : STR_LIT("");
    struct str pattern;
    TRY(regex_from_similar(call->arena, rows_str(call, 1, row), escape, &pattern, err));
    struct regex *regex = regex_cached(call->state, pattern, REGEX_WHOLE);
    if (regex == NULL) {
        return ERR(err, STATUS_INVALID_DATA, "invalid regular expression '%.*s'",
                   STR_ARGS(rows_str(call, 1, row)));
    }
    struct regex_match match;
    TRY(regex_find(regex, rows_str(call, 0, row), 0, &match, err));
    value->i64 = match.found;
    return STATUS_OK;
}

static enum status replace_all(struct regex *regex, struct str text, struct str with,
                               struct strbuf *out, struct err *err)
{
    size_t copied = 0;
    for (size_t from = 0;;) {
        struct regex_match match;
        TRY(regex_find(regex, text, from, &match, err));
        if (!match.found) {
            break;
        }
        strbuf_add(out, str_slice(text, copied, match.at[0]));
        strbuf_add(out, with);
        copied = match.at[1];
        from = regex_after(&match, text);
    }
    strbuf_add(out, str_slice(text, copied, text.size));
    return STATUS_OK;
}

static enum status row_replace(const struct function_call *call, uint32_t row,
                               struct function_value *value, struct err *err)
{
    enum { RESULT_MAX = 64 << 20 };
    struct regex *regex = regex_of(call, row);
    if (regex == NULL) {
        value->is_null = true;
        return STATUS_OK;
    }
    struct strbuf out;
    strbuf_init(&out, RESULT_MAX);
    enum status status =
        replace_all(regex, rows_str(call, 0, row), rows_str(call, 2, row), &out, err);
    if (status == STATUS_OK && out.truncated) {
        status = ERR(err, STATUS_LIMIT, "REGEXP_REPLACE: the result is larger than 64 MiB");
    }
    if (status == STATUS_OK) {
        value->text = arena_str(call->arena, strbuf_str(&out));
    }
    strbuf_release(&out);
    return status;
}

// REGEXP_EXTRACT(s, regex [, group]): the whole match without a group.
static enum status row_extract(const struct function_call *call, uint32_t row,
                               struct function_value *value, struct err *err)
{
    struct regex *regex = regex_of(call, row);
    int64_t group = call->arg_count > 2 ? rows_i64(call, 2, row) : 0;
    value->is_null = true;
    if (regex == NULL || group < 0 || group > regex_groups(regex)) {
        return STATUS_OK;
    }
    struct str text = rows_str(call, 0, row);
    struct regex_match match;
    TRY(regex_find(regex, text, 0, &match, err));
    if (match.found && match.at[2 * group] != SIZE_MAX) {
        value->is_null = false;
        value->text = str_slice(text, match.at[2 * group], match.at[2 * group + 1]);
    }
    return STATUS_OK;
}

static enum status row_count(const struct function_call *call, uint32_t row,
                             struct function_value *value, struct err *err)
{
    struct regex *regex = regex_of(call, row);
    if (regex == NULL) {
        value->is_null = true;
        return STATUS_OK;
    }
    struct str text = rows_str(call, 0, row);
    for (size_t from = 0;;) {
        struct regex_match match;
        TRY(regex_find(regex, text, from, &match, err));
        if (!match.found) {
            return STATUS_OK;
        }
        value->i64++;
        from = regex_after(&match, text);
    }
}

// The position in UTF-16 units, from 1; 0: none.
static enum status row_instr(const struct function_call *call, uint32_t row,
                             struct function_value *value, struct err *err)
{
    struct regex *regex = regex_of(call, row);
    if (regex == NULL) {
        value->is_null = true;
        return STATUS_OK;
    }
    struct str text = rows_str(call, 0, row);
    struct regex_match match;
    TRY(regex_find(regex, text, 0, &match, err));
    if (!match.found) {
        return STATUS_OK;
    }
    value->i64 = 1;
    for (size_t i = 0; i < match.at[0]; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        value->i64 += ((byte & 0xc0) != 0x80) + (byte >= 0xf0);
    }
    return STATUS_OK;
}

// All matches of a group as an array; the first group where none is named.
static enum status extract_all(struct function_call *call, uint32_t row, struct column_builder *out,
                               struct err *err)
{
    struct regex *regex = regex_of(call, row);
    int64_t group = call->arg_count > 2 ? rows_i64(call, 2, row) : 1;
    if (regex == NULL || group < 0 || group > regex_groups(regex)) {
        column_builder_null(out);
        return STATUS_OK;
    }
    struct str text = rows_str(call, 0, row);
    column_builder_list_begin(out);
    struct column_builder *elements = column_builder_child(out, 0);
    for (size_t from = 0;;) {
        struct regex_match match;
        TRY(regex_find(regex, text, from, &match, err));
        if (!match.found) {
            break;
        }
        if (match.at[2 * group] == SIZE_MAX) {
            column_builder_null(elements);
        } else {
            column_builder_string(elements,
                                  str_slice(text, match.at[2 * group], match.at[2 * group + 1]));
        }
        from = regex_after(&match, text);
    }
    column_builder_list_end(out);
    return STATUS_OK;
}

static enum status evaluate_extract_all(struct function_call *call, struct column *out,
                                        struct err *err)
{
    return rows_build(call, extract_all, out, err);
}

#define REGEX(text, letters, from, to, gives, nullable, function, shape, words)                    \
    {                                                                                              \
        .name = (text), .properties = FUNCTION_PURE_CAN_ERROR, .args_min = (from),                 \
        .args_max = (to), .pattern = (letters), .result = FUNCTION_RESULT_##gives,                 \
        .result_nullable = (nullable), .row = (function), .prepare = prepare_cache,                \
        .signature = (shape), .doc = (words)                                                       \
    }

static const struct function functions[] = {
    {.name = "SIMILAR TO",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FUNCTION_PURE_CAN_ERROR,
     .args_min = 2,
     .args_max = 3,
     .pattern = "S",
     .result = FUNCTION_RESULT_BOOLEAN,
     .row = row_similar,
     .prepare = prepare_cache,
     .signature = "<CHARACTER> SIMILAR TO <CHARACTER> [ESCAPE <CHARACTER>]",
     .doc = "whether a text has a pattern of the SQL standard: % _ | * + ? {n} ( ) [ ]"},
    REGEX("REGEXP", "S", 2, 2, BOOLEAN, false, row_regexp, "REGEXP(<CHARACTER>, <CHARACTER>)",
          "whether a regular expression matches somewhere"),
    REGEX("REGEXP_REPLACE", "S", 3, 3, STRING, false, row_replace,
          "REGEXP_REPLACE(<CHARACTER>, <CHARACTER>, <CHARACTER>)",
          "with each match replaced by the third text, as it stands"),
    REGEX("REGEXP_EXTRACT", "SSI", 2, 3, STRING, true, row_extract,
          "REGEXP_EXTRACT(<CHARACTER>, <CHARACTER> [, <INTEGER>])",
          "the first match, or a group of it"),
    {.name = "REGEXP_EXTRACT_ALL",
     .properties = FUNCTION_PURE_CAN_ERROR,
     .args_min = 2,
     .args_max = 3,
     .pattern = "SSI",
     .result = FUNCTION_RESULT_ARRAY_STRING,
     .result_nullable = true,
     .evaluate = evaluate_extract_all,
     .prepare = prepare_cache,
     .signature = "REGEXP_EXTRACT_ALL(<CHARACTER>, <CHARACTER> [, <INTEGER>])",
     .doc = "a group, 1 if none is named, of all matches"},
    REGEX("REGEXP_COUNT", "S", 2, 2, INT, true, row_count, "REGEXP_COUNT(<CHARACTER>, <CHARACTER>)",
          "the number of matches"),
    REGEX("REGEXP_INSTR", "S", 2, 2, INT, true, row_instr, "REGEXP_INSTR(<CHARACTER>, <CHARACTER>)",
          "where the first match starts, from 1"),
    REGEX("REGEXP_SUBSTR", "S", 2, 2, STRING, true, row_extract,
          "REGEXP_SUBSTR(<CHARACTER>, <CHARACTER>)", "the first match"),
};

const struct function_family functions_regex = {functions, sizeof functions / sizeof *functions};
