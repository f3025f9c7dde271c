// SPDX-License-Identifier: Apache-2.0
#include "expr/string_rows.h"

#include <string.h>
#include <utf8proc.h>

#include "base/arena.h"
#include "expr/rows.h"

// The code point at `at`, and how many bytes it takes; a byte that is not UTF-8 counts as itself.
static int32_t next_character(struct str text, size_t at, size_t *size)
{
    utf8proc_int32_t code = 0;
    utf8proc_ssize_t length = utf8proc_iterate((const utf8proc_uint8_t *)text.ptr + at,
                                               (utf8proc_ssize_t)(text.size - at), &code);
    if (length <= 0) {
        *size = 1;
        return (unsigned char)text.ptr[at];
    }
    *size = (size_t)length;
    return code;
}

// CONCAT_WS(separator, s, ...): NULLs are left out; NULL where the separator is.
enum status string_rows_concat_ws(const struct function_call *call, uint32_t row,
                                  struct function_value *value, struct err *err)
{
    (void)err;
    if (rows_is_null(call, 0, row)) {
        value->is_null = true;
        return STATUS_OK;
    }
    struct str separator = rows_str(call, 0, row);
    size_t size = 0;
    for (uint32_t i = 1; i < call->arg_count; i++) {
        size += rows_is_null(call, i, row) ? 0 : rows_str(call, i, row).size + separator.size;
    }
    char *text = arena_alloc(call->arena, size + 1);
    size_t at = 0;
    bool first = true;
    for (uint32_t i = 1; i < call->arg_count; i++) {
        if (rows_is_null(call, i, row)) {
            continue;
        }
        struct str part = rows_str(call, i, row);
        if (!first && separator.size > 0) {
            memcpy(text + at, separator.ptr, separator.size);
            at += separator.size;
        }
        if (part.size > 0) {
            memcpy(text + at, part.ptr, part.size);
            at += part.size;
        }
        first = false;
    }
    value->text = str_make(text, at);
    return STATUS_OK;
}

// The position, from 1, of the character that starts at byte `at`.
static int64_t position_of(struct str text, size_t at)
{
    int64_t position = 1;
    for (size_t i = 0; i < at; i++) {
        position += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    }
    return position;
}

// INSTR(s, part, from [, nth]); negative `from` searches backwards from the end.
enum status string_rows_instr(const struct function_call *call, uint32_t row,
                              struct function_value *value, struct err *err)
{
    struct str text = rows_str(call, 0, row);
    struct str part = rows_str(call, 1, row);
    int64_t from = rows_i64(call, 2, row);
    int64_t nth = call->arg_count > 3 ? rows_i64(call, 3, row) : 1;
    if (nth <= 0) {
        return ERR(err, STATUS_INVALID_DATA, "INSTR: the occurrence must be positive, not %lld",
                   (long long)nth);
    }
    if (from == 0 || part.size > text.size) {
        return STATUS_OK;
    }
    int64_t characters = position_of(text, text.size) - 1;
    int64_t start = from > 0 ? from : characters + from + 1;
    int64_t seen = 0;
    for (size_t i = 0; i + part.size <= text.size; i++) {
        size_t at = from > 0 ? i : text.size - part.size - i;
        bool starts = at == text.size || ((unsigned char)text.ptr[at] & 0xc0) != 0x80;
        if (!starts || (part.size > 0 && memcmp(text.ptr + at, part.ptr, part.size) != 0)) {
            continue;
        }
        int64_t position = position_of(text, at);
        if ((from > 0 ? position >= start : position <= start) && ++seen == nth) {
            value->i64 = position;
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

// TRANSLATE(s, from, to): NULL `from` or `to` count as ''; the first of repeated characters counts.
static void translate_character(struct str from, struct str to, struct str character,
                                struct str *out)
{
    size_t size;
    size_t at_to = 0;
    for (size_t at = 0; at < from.size; at += size) {
        (void)next_character(from, at, &size);
        size_t to_size = 0;
        if (at_to < to.size) {
            (void)next_character(to, at_to, &to_size);
        }
        if (size == character.size && memcmp(from.ptr + at, character.ptr, size) == 0) {
            *out = str_make(to.ptr + at_to, to_size);
            return;
        }
        at_to += to_size;
    }
    *out = character;
}

enum status string_rows_translate(const struct function_call *call, uint32_t row,
                                  struct function_value *value, struct err *err)
{
    (void)err;
    if (rows_is_null(call, 0, row)) {
        value->is_null = true;
        return STATUS_OK;
    }
    struct str text = rows_str(call, 0, row);
    struct str from = rows_is_null(call, 1, row) ? STR_LIT("") : rows_str(call, 1, row);
    struct str to = rows_is_null(call, 2, row) ? STR_LIT("") : rows_str(call, 2, row);
    char *out = arena_alloc(call->arena, text.size * 4 + 1);
    size_t written = 0;
    size_t size;
    for (size_t at = 0; at < text.size; at += size) {
        (void)next_character(text, at, &size);
        struct str character;
        translate_character(from, to, str_make(text.ptr + at, size), &character);
        if (character.size > 0) {
            memcpy(out + written, character.ptr, character.size);
            written += character.size;
        }
    }
    value->text = str_make(out, written);
    return STATUS_OK;
}

enum status string_rows_elt(const struct function_call *call, uint32_t row,
                            struct function_value *value, struct err *err)
{
    (void)err;
    int64_t index = rows_is_null(call, 0, row) ? 0 : rows_i64(call, 0, row);
    if (index < 1 || index >= (int64_t)call->arg_count ||
        rows_is_null(call, (uint32_t)index, row)) {
        value->is_null = true;
        return STATUS_OK;
    }
    value->text = rows_str(call, (uint32_t)index, row);
    return STATUS_OK;
}

static bool is_letter(int32_t code)
{
    utf8proc_category_t category = utf8proc_category(code);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

static bool is_digit(int32_t code)
{
    return utf8proc_category(code) == UTF8PROC_CATEGORY_ND;
}

static bool all_are(struct str text, bool (*test)(int32_t code))
{
    size_t size;
    for (size_t at = 0; at < text.size; at += size) {
        if (!test(next_character(text, at, &size))) {
            return false;
        }
    }
    return text.size > 0;
}

enum status string_rows_is_alpha(const struct function_call *call, uint32_t row,
                                 struct function_value *value, struct err *err)
{
    (void)err;
    value->i64 = !rows_is_null(call, 0, row) && all_are(rows_str(call, 0, row), is_letter);
    return STATUS_OK;
}

enum status string_rows_is_digit(const struct function_call *call, uint32_t row,
                                 struct function_value *value, struct err *err)
{
    (void)err;
    value->i64 = !rows_is_null(call, 0, row) && all_are(rows_str(call, 0, row), is_digit);
    return STATUS_OK;
}

static size_t skip_digits(struct str text, size_t at)
{
    while (at < text.size && text.ptr[at] >= '0' && text.ptr[at] <= '9') {
        at++;
    }
    return at;
}

// What Java's Double.valueOf() reads, hexadecimal forms aside.
static bool is_number(struct str text)
{
    text = str_trim(text);
    size_t at = 0;
    if (at < text.size && (text.ptr[at] == '-' || text.ptr[at] == '+')) {
        at++;
    }
    struct str rest = str_slice(text, at, text.size);
    if (str_is(rest, "NaN") || str_is(rest, "Infinity")) {
        return true;
    }
    size_t whole = skip_digits(text, at);
    size_t digits = whole - at;
    if (whole < text.size && text.ptr[whole] == '.') {
        size_t fraction = skip_digits(text, whole + 1);
        digits += fraction - whole - 1;
        whole = fraction;
    }
    if (digits == 0) {
        return false;
    }
    if (whole < text.size && (text.ptr[whole] == 'e' || text.ptr[whole] == 'E')) {
        size_t from = whole + 1;
        if (from < text.size && (text.ptr[from] == '-' || text.ptr[from] == '+')) {
            from++;
        }
        whole = skip_digits(text, from);
        if (whole == from) {
            return false;
        }
    }
    if (whole < text.size && text.ptr[whole] != 0 && strchr("fFdD", text.ptr[whole]) != NULL) {
        whole++;
    }
    return whole == text.size;
}

enum status string_rows_is_decimal(const struct function_call *call, uint32_t row,
                                   struct function_value *value, struct err *err)
{
    (void)err;
    value->i64 = !rows_is_null(call, 0, row) && is_number(rows_str(call, 0, row));
    return STATUS_OK;
}
