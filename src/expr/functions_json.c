// SPDX-License-Identifier: Apache-2.0
//
// JSON: making it, and texts as JSON strings. Looking into it is in functions_json_query.c.
#include <string.h>
#include <utf8proc.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "data/json_text.h"
#include "expr/binding.h"
#include "expr/families.h"
#include "expr/json_doc.h"
#include "expr/json_write.h"
#include "expr/rows.h"

enum { RESULT_MAX = 64 << 20 };

// Hands a text over to the call's arena.
static enum status finish(const struct function_call *call, struct strbuf *text,
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

// JSON_STRING(any)
static enum status resolve_string(struct function_binding *binding, struct err *err)
{
    if (!json_write_is_known(binding_type(binding, 0))) {
        return binding_refuse(binding, err);
    }
    binding_result(binding, &type_string, binding_nullable(binding));
    return STATUS_OK;
}

static enum status row_string(const struct function_call *call, uint32_t row,
                              struct function_value *value, struct err *err)
{
    struct strbuf text;
    strbuf_init(&text, RESULT_MAX);
    json_write_value(&text, call->arena, call->expr->args[0]->type, &call->args[0], row);
    return finish(call, &text, value, err);
}

// Whether the argument is JSON already: JSON(...), JSON_OBJECT(...), JSON_ARRAY(...).
static bool is_raw(const struct expr *expr)
{
    if (expr->kind != EXPR_CALL) {
        return false;
    }
    const char *name = expr->function->name;
    return strcmp(name, "JSON") == 0 || strcmp(name, "JSON_OBJECT") == 0 ||
           strcmp(name, "JSON_ARRAY") == 0;
}

// JSON_OBJECT(k, v, ...) and JSON_ARRAY(v, ...). Arguments that are JSON stand as they are: the
// options say so by a bit for each, since folding may make them literals.
static enum status resolve_make(struct function_binding *binding, struct err *err)
{
    bool is_object = strcmp(binding->function->name, "JSON_OBJECT") == 0;
    uint32_t step = is_object ? 2 : 1;
    if (binding->arg_count % step != 0) {
        return binding_refuse(binding, err);
    }
    uint64_t raw = 0;
    for (uint32_t i = 0; i < binding->arg_count; i += step) {
        const struct expr *value = binding->args[i + step - 1];
        if ((is_object && !type_is_character(binding_type(binding, i))) ||
            !json_write_is_known(value->type)) {
            return binding_refuse(binding, err);
        }
        raw |= is_raw(value) && i + step <= 64 ? UINT64_C(1) << (i + step - 1) : 0;
    }
    struct function_options *options =
        arena_copy(binding->arena, binding->options, sizeof *options);
    options->json_raw = raw;
    binding->options = options;
    binding_result(binding, &type_string, false);
    return STATUS_OK;
}

static enum status put_value(const struct function_call *call, uint32_t arg, uint32_t row,
                             struct strbuf *out, struct err *err)
{
    bool raw = arg < 64 && (call->expr->options->json_raw >> arg & 1) != 0;
    if (!raw || rows_is_null(call, arg, row)) {
        json_write_value(out, call->arena, call->expr->args[arg]->type, &call->args[arg], row);
        return STATUS_OK;
    }
    struct json_doc doc;
    struct str text = rows_str(call, arg, row);
    if (!json_doc_parse(call->arena, text, (struct json_doc_limits){.whole = true}, &doc)) {
        struct str shown = str_slice(text, 0, text.size < 100 ? text.size : 100);
        return ERR(err, STATUS_INVALID_DATA, "JSON: not JSON: '%.*s'", STR_ARGS(shown));
    }
    json_doc_print(out, &doc);
    return STATUS_OK;
}

static enum status put_all(const struct function_call *call, uint32_t row, uint32_t step,
                           struct strbuf *out, struct err *err)
{
    bool absent = call->expr->options->json_on_null == FUNCTION_JSON_ABSENT;
    bool first = true;
    strbuf_add_byte(out, step == 2 ? '{' : '[');
    for (uint32_t i = 0; i < call->arg_count; i += step) {
        uint32_t arg = i + step - 1;
        if ((absent && rows_is_null(call, arg, row)) || (step == 2 && rows_is_null(call, i, row))) {
            continue;
        }
        strbuf_add_text(out, first ? "" : ",");
        first = false;
        if (step == 2) {
            json_text_string(out, rows_str(call, i, row));
            strbuf_add_byte(out, ':');
        }
        TRY(put_value(call, arg, row, out, err));
    }
    strbuf_add_byte(out, step == 2 ? '}' : ']');
    return STATUS_OK;
}

// Members are written in the order of keys; of equal ones the last counts.
static void sort_members(const struct function_call *call, struct strbuf *text)
{
    struct str written = arena_str(call->arena, strbuf_str(text));
    struct json_doc doc;
    if (!text->truncated &&
        json_doc_parse(call->arena, written, (struct json_doc_limits){0}, &doc)) {
        strbuf_reset(text);
        json_doc_print(text, &doc);
    }
}

static enum status row_make(const struct function_call *call, uint32_t row,
                            struct function_value *value, struct err *err)
{
    bool is_object = strcmp(call->expr->function->name, "JSON_OBJECT") == 0;
    struct strbuf text;
    strbuf_init(&text, RESULT_MAX);
    enum status status = put_all(call, row, is_object ? 2 : 1, &text, err);
    if (status != STATUS_OK) {
        strbuf_release(&text);
        return status;
    }
    if (is_object) {
        sort_members(call, &text);
    }
    return finish(call, &text, value, err);
}

// JSON('...') marks a text as JSON for the two above.
static enum status row_json(const struct function_call *call, uint32_t row,
                            struct function_value *value, struct err *err)
{
    (void)err;
    value->text = rows_str(call, 0, row);
    return STATUS_OK;
}

static void put_unit(struct strbuf *out, uint32_t unit)
{
    strbuf_printf(out, "\\u%04x", unit);
}

static void put_escaped(struct strbuf *out, int32_t code)
{
    static const char plain[] = "\"\\/\b\f\n\r\t";
    static const char letters[] = "\"\\/bfnrt";
    if (code > 0 && code < 0x80 && strchr(plain, code) != NULL) {
        strbuf_add_byte(out, '\\');
        strbuf_add_byte(out, letters[strchr(plain, code) - plain]);
    } else if (code < 0x7f) { // control characters too, as Flink
        strbuf_add_byte(out, (char)code);
    } else if (code < 0x10000) {
        put_unit(out, (uint32_t)code);
    } else {
        uint32_t rest = (uint32_t)code - 0x10000;
        put_unit(out, 0xd800 + (rest >> 10));
        put_unit(out, 0xdc00 + (rest & 0x3ff));
    }
}

// A text in quotes, everything beyond ASCII escaped.
static enum status row_quote(const struct function_call *call, uint32_t row,
                             struct function_value *value, struct err *err)
{
    struct str text = rows_str(call, 0, row);
    struct strbuf out;
    strbuf_init(&out, RESULT_MAX);
    strbuf_add_byte(&out, '"');
    for (size_t at = 0; at < text.size;) {
        utf8proc_int32_t code = 0;
        utf8proc_ssize_t size = utf8proc_iterate((const utf8proc_uint8_t *)text.ptr + at,
                                                 (utf8proc_ssize_t)(text.size - at), &code);
        put_escaped(&out, size > 0 ? code : 0xfffd);
        at += size > 0 ? (size_t)size : 1;
    }
    strbuf_add_byte(&out, '"');
    return finish(call, &out, value, err);
}

static bool hex4(struct str text, size_t at, uint32_t *unit)
{
    *unit = 0;
    for (size_t i = at; i < at + 4; i++) {
        char c = i < text.size ? text.ptr[i] : 0;
        uint32_t digit;
        if (c >= '0' && c <= '9') {
            digit = (uint32_t)(c - '0');
        } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
            digit = (uint32_t)((c | 0x20) - 'a') + 10;
        } else {
            return false;
        }
        *unit = *unit * 16 + digit;
    }
    return true;
}

static void put_code(struct strbuf *out, uint32_t code)
{
    utf8proc_uint8_t bytes[4];
    utf8proc_ssize_t size = utf8proc_encode_char((utf8proc_int32_t)code, bytes);
    strbuf_add(out, str_make((const char *)bytes, (size_t)size));
}

// The escape at `at` (behind the backslash); false where there is none such.
static bool unescape(struct str text, size_t *at, struct strbuf *out)
{
    static const char plain[] = "\"\\/\b\f\n\r\t";
    static const char letters[] = "\"\\/bfnrt";
    char c = *at < text.size ? text.ptr[(*at)++] : 0;
    const char *found = c == 0 ? NULL : strchr(letters, c);
    if (found != NULL) {
        strbuf_add_byte(out, plain[found - letters]);
        return true;
    }
    uint32_t unit;
    if (c != 'u' || !hex4(text, *at, &unit)) {
        return false;
    }
    *at += 4;
    uint32_t low;
    if (unit >= 0xd800 && unit < 0xdc00 && *at + 1 < text.size && text.ptr[*at] == '\\' &&
        text.ptr[*at + 1] == 'u' && hex4(text, *at + 2, &low) && low >= 0xdc00 && low < 0xe000) {
        *at += 6;
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    }
    put_code(out, unit >= 0xd800 && unit < 0xe000 ? '?' : unit);
    return true;
}

static bool unquote(struct str text, struct strbuf *out)
{
    if (text.size < 2 || text.ptr[0] != '"' || text.ptr[text.size - 1] != '"') {
        return false;
    }
    struct str inside = str_slice(text, 1, text.size - 1);
    for (size_t at = 0; at < inside.size;) {
        char c = inside.ptr[at++];
        if (c == '\\') {
            if (!unescape(inside, &at, out)) {
                return false;
            }
        } else {
            strbuf_add_byte(out, c);
        }
    }
    return true;
}

// The text inside of quotes; what is not quoted, or badly, stays as it is.
static enum status row_unquote(const struct function_call *call, uint32_t row,
                               struct function_value *value, struct err *err)
{
    struct str text = rows_str(call, 0, row);
    struct strbuf out;
    strbuf_init(&out, RESULT_MAX);
    if (!unquote(text, &out)) {
        strbuf_reset(&out);
        strbuf_add(&out, text);
    }
    return finish(call, &out, value, err);
}

#define TEXT(text, function, words)                                                                \
    {                                                                                              \
        .name = (text), .properties = FUNCTION_PURE_CAN_ERROR, .args_min = 1, .args_max = 1,       \
        .pattern = "S", .result = FUNCTION_RESULT_STRING, .row = (function),                       \
        .signature = text "(<CHARACTER>)", .doc = (words)                                          \
    }

static const struct function functions[] = {
    {.name = "JSON_STRING",
     .properties = FUNCTION_PURE_CAN_ERROR,
     .args_min = 1,
     .args_max = 1,
     .resolve = resolve_string,
     .row = row_string,
     .signature = "JSON_STRING(<ANY>)",
     .doc = "the value as JSON"},
    {.name = "JSON_OBJECT",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FUNCTION_DETERMINISTIC | FUNCTION_CAN_ERROR,
     .args_min = 0,
     .args_max = -1,
     .resolve = resolve_make,
     .row = row_make,
     .signature = "JSON_OBJECT([[KEY] <CHARACTER> VALUE <ANY>, ...] [<NULL, ABSENT> ON NULL])",
     .doc = "an object as JSON, keys sorted"},
    {.name = "JSON_ARRAY",
     .syntax = FUNCTION_SYNTAX_SPECIAL,
     .properties = FUNCTION_DETERMINISTIC | FUNCTION_CAN_ERROR,
     .args_min = 0,
     .args_max = -1,
     .resolve = resolve_make,
     .row = row_make,
     .signature = "JSON_ARRAY([<ANY>, ...] [<NULL, ABSENT> ON NULL])",
     .doc = "an array as JSON"},
    {.name = "JSON",
     .properties = FUNCTION_PURE,
     .args_min = 1,
     .args_max = 1,
     .pattern = "S",
     .result = FUNCTION_RESULT_STRING,
     .row = row_json,
     .signature = "JSON(<CHARACTER>)",
     .doc = "a text that is JSON, as a value in JSON_OBJECT and JSON_ARRAY"},
    TEXT("JSON_QUOTE", row_quote, "as a JSON string, in quotes"),
    TEXT("JSON_UNQUOTE", row_unquote, "the text that a JSON string stands for"),
};

const struct function_family functions_json = {functions, sizeof functions / sizeof *functions};
