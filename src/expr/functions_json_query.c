// SPDX-License-Identifier: Apache-2.0
//
// Looking into JSON: JSON_VALUE, JSON_QUERY, JSON_EXISTS, IS JSON, PARSE_JSON.
//
// Reading a path ends in one of three ways: a value, nothing (EMPTY) or an ERROR. In lax mode what
// is missing, null or of the wrong kind is empty, in strict mode it is an error; texts that are no
// JSON and bad paths are errors in both. ON EMPTY and ON ERROR say what comes of it.
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "expr/binding.h"
#include "expr/families.h"
#include "expr/json_doc.h"
#include "expr/json_path.h"
#include "expr/json_variant.h"
#include "expr/rows.h"

enum { RESULT_MAX = 64 << 20 };

// What a program keeps for a call: the path used last.
struct path_state {
    struct arena arena;
    struct str text;
    const struct json_path *path; // NULL: `text` is no path
    bool is_compiled;
};

static void state_free(void *object)
{
    struct path_state *state = object;
    arena_release(&state->arena);
    mem_free(state);
}

static void prepare_path(struct arena *arena, const struct expr *expr,
                         const struct expr_settings *settings, void **out)
{
    (void)expr;
    (void)settings;
    struct path_state *state = mem_zalloc(sizeof *state);
    arena_on_release(arena, state_free, state);
    *out = state;
}

static const struct json_path *path_of(const struct function_call *call, uint32_t row)
{
    struct path_state *state = call->state;
    struct str text = rows_str(call, 1, row);
    if (!state->is_compiled || !str_equal(text, state->text)) {
        arena_reset(&state->arena);
        state->text = arena_str(&state->arena, text);
        state->path = json_path_compile(&state->arena, state->text);
        state->is_compiled = true;
    }
    return state->path;
}

enum outcome { OUTCOME_VALUE, OUTCOME_EMPTY, OUTCOME_ERROR };

// What is at the path: null counts as nothing.
static enum outcome look_up(const struct function_call *call, uint32_t row, struct json_doc *value,
                            bool *is_lax)
{
    const struct json_path *path = path_of(call, row);
    struct json_doc doc;
    *is_lax = path != NULL && json_path_is_lax(path);
    if (path == NULL ||
        !json_doc_parse(call->arena, rows_str(call, 0, row), (struct json_doc_limits){0}, &doc)) {
        return OUTCOME_ERROR;
    }
    if (!json_path_read(call->arena, path, &doc, value) || value->kind == JSON_DOC_NULL) {
        return *is_lax ? OUTCOME_EMPTY : OUTCOME_ERROR;
    }
    return OUTCOME_VALUE;
}

static enum status fail(const struct function_call *call, uint32_t row, enum outcome outcome,
                        struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "%s: %s at path '%.*s'", call->expr->function->name,
               outcome == OUTCOME_EMPTY ? "there is nothing" : "there is no such value",
               STR_ARGS(rows_str(call, 1, row)));
}

// The argument with the value of DEFAULT ... ON EMPTY or ON ERROR.
static uint32_t default_arg(const struct function_options *options, enum outcome outcome)
{
    bool first = outcome == OUTCOME_EMPTY || options->json_on_empty != FUNCTION_JSON_DEFAULT;
    return first ? 2 : 3;
}

static enum function_json_behaviour behaviour_of(const struct function_options *options,
                                                 enum outcome outcome)
{
    return outcome == OUTCOME_EMPTY ? options->json_on_empty : options->json_on_error;
}

static bool has_null_input(const struct function_call *call, uint32_t row)
{
    return rows_is_null(call, 0, row) || rows_is_null(call, 1, row);
}

// A printed value in the call's arena.
static enum status hand_over(const struct function_call *call, struct strbuf *text,
                             struct function_value *value, struct err *err)
{
    enum status status = STATUS_OK;
    if (text->truncated) {
        status = ERR(err, STATUS_LIMIT, "%s: the result is larger than 64 MiB",
                     call->expr->function->name);
    } else {
        value->text = arena_str(call->arena, strbuf_str(text));
    }
    strbuf_release(text);
    return status;
}

// RETURNING t: the text cast to t. What cannot be cast is NULL, or fails with ERROR ON ERROR.
static enum status resolve_value(struct function_binding *binding, struct err *err)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (!type_is_character(binding_type(binding, i))) {
            return binding_refuse(binding, err);
        }
    }
    for (uint32_t i = 2; i < binding->arg_count; i++) {
        TRY(binding_cast(binding, i, &type_string, err));
    }
    const struct type *target = binding->options->target;
    binding_result(binding, &type_string, true);
    if (target == NULL || type_equal_nullability_aside(target, &type_string)) {
        return STATUS_OK;
    }
    struct function_options options = *binding->options;
    options.target = NULL;
    struct function_use use = {.arena = binding->arena,
                               .name = STR_LIT("JSON_VALUE"),
                               .args = {binding->args, binding->arg_count},
                               .options = &options};
    const struct expr *text;
    TRY(function_resolve(&use, &text, err));
    bool strict = options.json_on_error == FUNCTION_JSON_ERROR;
    struct function_options cast = {.target = target};
    struct function_use casting = {.arena = binding->arena,
                                   .name = strict ? STR_LIT("CAST") : STR_LIT("TRY_CAST"),
                                   .args = {&text, 1},
                                   .options = &cast};
    return function_resolve(&casting, &binding->other, err);
}

static enum status row_value(const struct function_call *call, uint32_t row,
                             struct function_value *value, struct err *err)
{
    value->is_null = has_null_input(call, row);
    if (value->is_null) {
        return STATUS_OK;
    }
    struct json_doc doc;
    bool is_lax;
    enum outcome outcome = look_up(call, row, &doc, &is_lax);
    if (outcome == OUTCOME_VALUE && doc.kind >= JSON_DOC_ARRAY) {
        outcome = is_lax ? OUTCOME_EMPTY : OUTCOME_ERROR;
    }
    if (outcome == OUTCOME_VALUE) {
        struct strbuf text;
        strbuf_init(&text, RESULT_MAX);
        json_doc_print_scalar(&text, &doc);
        return hand_over(call, &text, value, err);
    }
    enum function_json_behaviour behaviour = behaviour_of(call->expr->options, outcome);
    if (behaviour == FUNCTION_JSON_ERROR) {
        return fail(call, row, outcome, err);
    }
    uint32_t arg = default_arg(call->expr->options, outcome);
    value->is_null = behaviour != FUNCTION_JSON_DEFAULT || arg >= call->arg_count ||
                     rows_is_null(call, arg, row);
    if (!value->is_null) {
        value->text = rows_str(call, arg, row);
    }
    return STATUS_OK;
}

static enum status row_exists(const struct function_call *call, uint32_t row,
                              struct function_value *value, struct err *err)
{
    value->is_null = has_null_input(call, row);
    if (value->is_null) {
        return STATUS_OK;
    }
    struct json_doc doc;
    bool is_lax;
    enum outcome outcome = look_up(call, row, &doc, &is_lax);
    value->i64 = outcome == OUTCOME_VALUE;
    if (outcome != OUTCOME_ERROR) {
        return STATUS_OK;
    }
    enum function_json_behaviour behaviour = call->expr->options->json_on_error;
    if (behaviour == FUNCTION_JSON_ERROR) {
        return fail(call, row, outcome, err);
    }
    value->is_null = behaviour == FUNCTION_JSON_UNKNOWN;
    value->i64 = behaviour == FUNCTION_JSON_TRUE;
    return STATUS_OK;
}

// An object or array, after wrapping; else EMPTY or ERROR.
static enum outcome query(const struct function_call *call, uint32_t row, struct json_doc *doc)
{
    bool is_lax;
    enum outcome outcome = look_up(call, row, doc, &is_lax);
    if (outcome != OUTCOME_VALUE) {
        return outcome;
    }
    enum function_json_wrapper wrapper = call->expr->options->json_wrapper;
    bool wraps = wrapper == FUNCTION_JSON_UNCONDITIONAL_WRAPPER ||
                 (wrapper == FUNCTION_JSON_CONDITIONAL_WRAPPER && doc->kind != JSON_DOC_ARRAY);
    if (wraps) {
        struct json_doc *inside = arena_copy(call->arena, doc, sizeof *doc);
        *doc = (struct json_doc){.kind = JSON_DOC_ARRAY, .count = 1, .items = inside};
    }
    if (doc->kind < JSON_DOC_ARRAY) {
        return is_lax ? OUTCOME_EMPTY : OUTCOME_ERROR;
    }
    return OUTCOME_VALUE;
}

// The value in place of what is empty or an error; false: NULL.
static enum status query_default(const struct function_call *call, uint32_t row,
                                 enum outcome outcome, struct json_doc *doc, struct err *err)
{
    switch (behaviour_of(call->expr->options, outcome)) {
    case FUNCTION_JSON_ERROR: return fail(call, row, outcome, err);
    case FUNCTION_JSON_EMPTY_ARRAY: *doc = (struct json_doc){.kind = JSON_DOC_ARRAY}; break;
    case FUNCTION_JSON_EMPTY_OBJECT: *doc = (struct json_doc){.kind = JSON_DOC_OBJECT}; break;
    case FUNCTION_JSON_NULL:
    case FUNCTION_JSON_DEFAULT:
    case FUNCTION_JSON_TRUE:
    case FUNCTION_JSON_FALSE:
    case FUNCTION_JSON_UNKNOWN:
    case FUNCTION_JSON_ABSENT: *doc = (struct json_doc){.kind = JSON_DOC_NULL}; break;
    }
    return STATUS_OK;
}

static enum status build_query_text(struct function_call *call, uint32_t row,
                                    const struct json_doc *doc, struct column_builder *out,
                                    struct err *err)
{
    struct strbuf text;
    strbuf_init(&text, RESULT_MAX);
    json_doc_print(&text, doc);
    enum status status = STATUS_OK;
    if (text.truncated) {
        status = ERR(err, STATUS_LIMIT, "JSON_QUERY: the result is larger than 64 MiB");
        call->error_row = row;
    }
    column_builder_string(out, strbuf_str(&text));
    strbuf_release(&text);
    return status;
}

// RETURNING ARRAY<STRING>: the elements as texts.
static void build_query_array(const struct json_doc *doc, struct column_builder *out)
{
    if (doc->kind != JSON_DOC_ARRAY) {
        column_builder_null(out);
        return;
    }
    column_builder_list_begin(out);
    for (uint32_t i = 0; i < doc->count; i++) {
        struct column_builder *elements = column_builder_child(out, 0);
        if (doc->items[i].kind == JSON_DOC_NULL) {
            column_builder_null(elements);
            continue;
        }
        struct strbuf text;
        strbuf_init(&text, RESULT_MAX);
        json_doc_print_scalar(&text, &doc->items[i]);
        column_builder_string(elements, strbuf_str(&text));
        strbuf_release(&text);
    }
    column_builder_list_end(out);
}

static enum status build_query(struct function_call *call, uint32_t row, struct column_builder *out,
                               struct err *err)
{
    struct json_doc doc;
    enum outcome outcome = query(call, row, &doc);
    if (outcome != OUTCOME_VALUE) {
        TRY(query_default(call, row, outcome, &doc, err));
    }
    if (doc.kind == JSON_DOC_NULL) {
        column_builder_null(out);
    } else if (call->expr->type->kind == TYPE_ARRAY) {
        build_query_array(&doc, out);
    } else {
        return build_query_text(call, row, &doc, out, err);
    }
    return STATUS_OK;
}

static enum status evaluate_query(struct function_call *call, struct column *out, struct err *err)
{
    return rows_build(call, build_query, out, err);
}

static enum status resolve_query(struct function_binding *binding, struct err *err)
{
    const struct type *target = binding->options->target;
    TRY(binding_match(binding, "S", err));
    if (target == NULL || type_is_character(target)) {
        binding_result(binding, &type_string, true);
        return STATUS_OK;
    }
    if (target->kind != TYPE_ARRAY || !type_is_character(target->fields[0].type)) {
        return binding_refuse(binding, err);
    }
    binding_result(binding, target, true);
    return STATUS_OK;
}

static enum status resolve_exists(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "S", err));
    binding_result(binding, &type_boolean, true);
    return STATUS_OK;
}

static enum status resolve_is_json(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "S", err));
    binding_result(binding, &type_boolean, false);
    return STATUS_OK;
}

static enum status row_is_json(const struct function_call *call, uint32_t row,
                               struct function_value *value, struct err *err)
{
    (void)err;
    struct json_doc doc;
    if (rows_is_null(call, 0, row) ||
        !json_doc_parse(call->arena, rows_str(call, 0, row), (struct json_doc_limits){0}, &doc)) {
        return STATUS_OK; // false
    }
    switch (call->expr->options->json_kind) {
    case FUNCTION_JSON_KIND_VALUE: value->i64 = 1; break;
    case FUNCTION_JSON_KIND_OBJECT: value->i64 = doc.kind == JSON_DOC_OBJECT; break;
    case FUNCTION_JSON_KIND_ARRAY: value->i64 = doc.kind == JSON_DOC_ARRAY; break;
    case FUNCTION_JSON_KIND_SCALAR: value->i64 = doc.kind < JSON_DOC_ARRAY; break;
    }
    return STATUS_OK;
}

static enum status resolve_parse(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "SB", err));
    bool is_try = binding->function->name[0] == 'T';
    binding_result(binding, &type_variant, is_try || binding_nullable(binding));
    return STATUS_OK;
}

static enum status row_parse(const struct function_call *call, uint32_t row,
                             struct function_value *value, struct err *err)
{
    bool allow_repeated = call->arg_count > 1 && rows_i64(call, 1, row) != 0;
    struct json_doc_limits limits = {.no_repeated_key = !allow_repeated};
    struct json_doc doc;
    struct str text = rows_str(call, 0, row);
    if (!json_doc_parse(call->arena, text, limits, &doc)) {
        value->is_null = call->expr->function->name[0] == 'T';
        struct str shown = str_slice(text, 0, text.size < 100 ? text.size : 100);
        return value->is_null
                   ? STATUS_OK
                   : ERR(err, STATUS_INVALID_DATA, "PARSE_JSON: not JSON: '%.*s'", STR_ARGS(shown));
    }
    return json_variant(call->arena, &doc, &value->text)
               ? STATUS_OK
               : ERR(err, STATUS_LIMIT, "PARSE_JSON: the value is too large");
}

static const struct function functions[] = {
    {.name = "JSON_VALUE",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FUNCTION_DETERMINISTIC | FUNCTION_CAN_ERROR,
     .args_min = 2,
     .args_max = 4,
     .resolve = resolve_value,
     .row = row_value,
     .prepare = prepare_path,
     .signature = "JSON_VALUE(<CHARACTER>, <PATH> [RETURNING <TYPE>] "
                  "[<NULL, ERROR, DEFAULT v> ON EMPTY] [... ON ERROR])",
     .doc = "the scalar at a path such as 'lax $.a.b[0]'"},
    {.name = "JSON_QUERY",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FUNCTION_PURE_CAN_ERROR,
     .args_min = 2,
     .args_max = 2,
     .resolve = resolve_query,
     .evaluate = evaluate_query,
     .prepare = prepare_path,
     .signature = "JSON_QUERY(<CHARACTER>, <PATH> [RETURNING <TYPE>] [<WRAPPER>] "
                  "[<NULL, ERROR, EMPTY ARRAY, EMPTY OBJECT> ON EMPTY] [... ON ERROR])",
     .doc = "the object or array at a path, as JSON"},
    {.name = "JSON_EXISTS",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FUNCTION_PURE_CAN_ERROR,
     .args_min = 2,
     .args_max = 2,
     .resolve = resolve_exists,
     .row = row_exists,
     .prepare = prepare_path,
     .signature = "JSON_EXISTS(<CHARACTER>, <PATH> [<TRUE, FALSE, UNKNOWN, ERROR> ON ERROR])",
     .doc = "whether there is something at a path"},
    {.name = "IS JSON",
     .syntax = FUNCTION_SYNTAX_POSTFIX,
     .properties = FUNCTION_DETERMINISTIC,
     .args_min = 1,
     .args_max = 1,
     .resolve = resolve_is_json,
     .row = row_is_json,
     .signature = "<CHARACTER> IS JSON [VALUE | OBJECT | ARRAY | SCALAR]",
     .doc = "whether a text is JSON, of a kind"},
    {.name = "PARSE_JSON",
     .properties = FUNCTION_PURE_CAN_ERROR,
     .args_min = 1,
     .args_max = 2,
     .resolve = resolve_parse,
     .row = row_parse,
     .signature = "PARSE_JSON(<CHARACTER> [, <BOOLEAN>])",
     .doc = "the VARIANT that a JSON text says; TRUE: keys may be repeated"},
    {.name = "TRY_PARSE_JSON",
     .properties = FUNCTION_PURE,
     .args_min = 1,
     .args_max = 2,
     .resolve = resolve_parse,
     .row = row_parse,
     .signature = "TRY_PARSE_JSON(<CHARACTER> [, <BOOLEAN>])",
     .doc = "the VARIANT that a JSON text says; NULL where it is not JSON"},
};

const struct function_family functions_json_query = {functions,
                                                     sizeof functions / sizeof *functions};
