// SPDX-License-Identifier: Apache-2.0
#include "expr/printf_format.h"

#include <math.h>
#include <string.h>
#include <utf8proc.h>

#include "base/strbuf.h"
#include "data/datetime.h"
#include "data/decimal.h"
#include "data/text.h"
#include "expr/derive.h"
#include "expr/rows.h"

enum { WIDTH_MAX = 10000, NUMBER_MAX = 512, PRECISION_USUAL = 6 };

struct item {
    bool left, sign, blank, zero, grouped, parentheses;
    int64_t width;     // 0: none
    int64_t precision; // -1: none
    int64_t argument;  // 1: the first value; 0: the next one
    char conversion;
};

struct formatter {
    const struct function_call *call;
    uint32_t row;
    struct str format;
    size_t at;
    int64_t next; // ordinary argument
    struct strbuf *out;
};

static char peek(const struct formatter *formatter)
{
    return formatter->at < formatter->format.size ? formatter->format.ptr[formatter->at] : 0;
}

static bool read_number(struct formatter *formatter, int64_t *out)
{
    size_t start = formatter->at;
    while (peek(formatter) >= '0' && peek(formatter) <= '9') {
        formatter->at++;
    }
    return str_to_i64(str_slice(formatter->format, start, formatter->at), out);
}

static bool read_flag(struct item *item, char c)
{
    switch (c) {
    case '-': item->left = true; return true;
    case '+': item->sign = true; return true;
    case ' ': item->blank = true; return true;
    case '0': item->zero = true; return true;
    case ',': item->grouped = true; return true;
    case '(': item->parentheses = true; return true;
    default: return false;
    }
}

// Behind the %.
static bool read_item(struct formatter *formatter, struct item *item)
{
    *item = (struct item){.precision = -1};
    size_t start = formatter->at;
    int64_t number;
    if (read_number(formatter, &number) && peek(formatter) == '$') {
        item->argument = number;
        formatter->at++;
    } else {
        formatter->at = start;
    }
    while (read_flag(item, peek(formatter))) {
        formatter->at++;
    }
    if (read_number(formatter, &number)) {
        item->width = number;
    }
    if (peek(formatter) == '.') {
        formatter->at++;
        if (!read_number(formatter, &item->precision)) {
            return false;
        }
    }
    item->conversion = peek(formatter);
    formatter->at++;
    return item->conversion != 0 && item->width <= WIDTH_MAX && item->precision <= WIDTH_MAX &&
           !((item->left || item->zero) && item->width == 0);
}

static int64_t utf16_length(struct str text)
{
    int64_t units = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        units += ((byte & 0xc0) != 0x80) + (byte >= 0xf0);
    }
    return units;
}

static void put_padded(struct formatter *formatter, const struct item *item, struct str text)
{
    int64_t padding = item->width - utf16_length(text);
    for (int64_t i = 0; !item->left && i < padding; i++) {
        strbuf_add_byte(formatter->out, ' ');
    }
    strbuf_add(formatter->out, text);
    for (int64_t i = 0; item->left && i < padding; i++) {
        strbuf_add_byte(formatter->out, ' ');
    }
}

// Digits with sign, groups and zeros as the flags say.
static void put_number(struct formatter *formatter, const struct item *item, bool negative,
                       struct str digits)
{
    struct strbuf text;
    strbuf_init(&text, (size_t)WIDTH_MAX * 2);
    size_t whole = 0;
    while (whole < digits.size && digits.ptr[whole] >= '0' && digits.ptr[whole] <= '9') {
        whole++;
    }
    for (size_t i = 0; i < digits.size; i++) {
        if (item->grouped && i > 0 && i < whole && (whole - i) % 3 == 0) {
            strbuf_add_byte(&text, ',');
        }
        strbuf_add_byte(&text, digits.ptr[i]);
    }
    const char *prefix = negative ? (item->parentheses ? "(" : "-")
                                  : (item->sign    ? "+"
                                     : item->blank ? " "
                                                   : "");
    int64_t width = (int64_t)(strlen(prefix) + text.size + (negative && item->parentheses));
    struct strbuf full;
    strbuf_init(&full, (size_t)WIDTH_MAX * 3);
    strbuf_add_text(&full, prefix);
    for (int64_t i = width; item->zero && i < item->width; i++) {
        strbuf_add_byte(&full, '0');
    }
    strbuf_add(&full, strbuf_str(&text));
    strbuf_add_text(&full, negative && item->parentheses ? ")" : "");
    put_padded(formatter, item, strbuf_str(&full));
    strbuf_release(&full);
    strbuf_release(&text);
}

static bool put_integer(struct formatter *formatter, const struct item *item, uint32_t arg)
{
    if (!type_is_integer(formatter->call->expr->args[arg]->type) &&
        formatter->call->expr->args[arg]->type->kind != TYPE_DATE) {
        return false;
    }
    int64_t value = rows_i64(formatter->call, arg, formatter->row);
    char digits[NUMBER_MAX];
    uint64_t bits = (uint64_t)value;
    size_t bytes = physical_width(formatter->call->args[arg].physical);
    bits &= bytes == 8 ? UINT64_MAX : (UINT64_C(1) << (bytes * 8)) - 1;
    uint64_t absolute = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    int size = 0;
    if (item->conversion == 'd') {
        size = snprintf(digits, sizeof digits, "%llu", (unsigned long long)absolute);
    } else if (item->conversion == 'o') {
        size = snprintf(digits, sizeof digits, "%llo", (unsigned long long)bits);
    } else if (item->conversion == 'x') {
        size = snprintf(digits, sizeof digits, "%llx", (unsigned long long)bits);
    } else {
        size = snprintf(digits, sizeof digits, "%llX", (unsigned long long)bits);
    }
    put_number(formatter, item, item->conversion == 'd' && value < 0,
               str_make(digits, (size_t)size));
    return item->precision < 0;
}

static bool put_real(struct formatter *formatter, const struct item *item, uint32_t arg)
{
    const struct type *type = formatter->call->expr->args[arg]->type;
    double value;
    if (type_is_approximate(type)) {
        value = rows_f64(formatter->call, arg, formatter->row);
    } else if (type->kind == TYPE_DECIMAL) {
        value = decimal_to_f64(rows_i128(formatter->call, arg, formatter->row), derive_scale(type));
    } else {
        return false;
    }
    if (!isfinite(value)) {
        put_padded(formatter, item,
                   str_from(isnan(value) ? "NaN"
                            : value < 0  ? "-Infinity"
                                         : "Infinity"));
        return true;
    }
    int precision = item->precision < 0 ? PRECISION_USUAL
                                        : (int)(item->precision < 100 ? item->precision : 100);
    char digits[NUMBER_MAX];
    int size = 0;
    if (item->conversion == 'f') {
        size = snprintf(digits, sizeof digits, "%.*f", precision, fabs(value));
    } else if (item->conversion == 'e') {
        size = snprintf(digits, sizeof digits, "%.*e", precision, fabs(value));
    } else {
        size = snprintf(digits, sizeof digits, "%.*E", precision, fabs(value));
    }
    put_number(formatter, item, signbit(value) != 0, str_make(digits, (size_t)size));
    return true;
}

// 2020-01-01T00:00, seconds and fraction where they are not zero.
static void local_time_text(struct strbuf *out, struct nano moment)
{
    char text[DATETIME_TEXT_MAX];
    uint32_t size = datetime_format_nano(moment, 9, text);
    text[10] = 'T';
    while (text[size - 1] == '0') {
        size--;
    }
    size -= text[size - 1] == '.';
    if (size == 19 && text[17] == '0' && text[18] == '0') {
        size = 16;
    } else if (size < 19) {
        size = 19;
    }
    strbuf_add(out, str_make(text, size));
}

// What Java's toString() gives.
static void value_text(struct formatter *formatter, uint32_t arg, struct strbuf *out)
{
    const struct type *type = formatter->call->expr->args[arg]->type;
    uint32_t row = formatter->row;
    if (type->kind == TYPE_BOOLEAN) {
        strbuf_add_text(out, rows_i64(formatter->call, arg, row) != 0 ? "true" : "false");
    } else if (type->kind == TYPE_DATE || type->kind == TYPE_TIME) {
        strbuf_printf(out, "%lld", (long long)rows_i64(formatter->call, arg, row));
    } else if (type_is_timestamp(type)) {
        local_time_text(out, rows_nano(formatter->call, arg, row));
    } else {
        text_value(out, type, &formatter->call->args[arg], row, NULL);
    }
}

static void put_text(struct formatter *formatter, const struct item *item, uint32_t arg)
{
    struct strbuf text;
    strbuf_init(&text, 1 << 20);
    bool is_null = rows_is_null(formatter->call, arg, formatter->row);
    bool is_boolean = item->conversion == 'b' || item->conversion == 'B';
    if (is_boolean) {
        bool value = !is_null && (formatter->call->args[arg].physical != PHYSICAL_BOOL ||
                                  rows_i64(formatter->call, arg, formatter->row) != 0);
        strbuf_add_text(&text, value ? "true" : "false");
    } else if (is_null) {
        strbuf_add_text(&text, "null");
    } else {
        value_text(formatter, arg, &text);
    }
    struct str shown = strbuf_str(&text);
    if (item->precision >= 0 && (int64_t)shown.size > item->precision) {
        size_t end = (size_t)item->precision;
        while (end < shown.size && ((unsigned char)shown.ptr[end] & 0xc0) == 0x80) {
            end++;
        }
        shown = str_slice(shown, 0, end);
    }
    if (item->conversion == 'S' || item->conversion == 'B') {
        for (size_t i = 0; i < shown.size; i++) {
            char c = text.ptr[i];
            text.ptr[i] = c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
        }
    }
    put_padded(formatter, item, shown);
    strbuf_release(&text);
}

static bool put_character(struct formatter *formatter, const struct item *item, uint32_t arg)
{
    const struct type *type = formatter->call->expr->args[arg]->type;
    if (!type_is_integer(type)) {
        return false;
    }
    int64_t code = rows_i64(formatter->call, arg, formatter->row);
    if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
        return false;
    }
    char bytes[4];
    utf8proc_ssize_t size = utf8proc_encode_char((utf8proc_int32_t)code, (utf8proc_uint8_t *)bytes);
    put_padded(formatter, item, str_make(bytes, (size_t)size));
    return true;
}

static bool put_item(struct formatter *formatter, const struct item *item)
{
    if (item->conversion == 'n') {
        strbuf_add_byte(formatter->out, '\n');
        return true;
    }
    if (item->conversion == '%') {
        put_padded(formatter, item, STR_LIT("%"));
        return true;
    }
    int64_t arg = item->argument > 0 ? item->argument : ++formatter->next;
    if (arg >= (int64_t)formatter->call->arg_count) {
        return false;
    }
    bool is_text = strchr("sSbB", item->conversion) != NULL;
    if (is_text || rows_is_null(formatter->call, (uint32_t)arg, formatter->row)) {
        put_text(formatter, item, (uint32_t)arg);
        return is_text || strchr("dxXofeEc", item->conversion) != NULL;
    }
    switch (item->conversion) {
    case 'd':
    case 'x':
    case 'X':
    case 'o': return put_integer(formatter, item, (uint32_t)arg);
    case 'f':
    case 'e':
    case 'E': return put_real(formatter, item, (uint32_t)arg);
    case 'c': return put_character(formatter, item, (uint32_t)arg);
    default: return false;
    }
}

bool printf_format_write(const struct function_call *call, uint32_t row, struct strbuf *out)
{
    struct formatter formatter = {
        .call = call, .row = row, .format = rows_str(call, 0, row), .out = out};
    while (formatter.at < formatter.format.size) {
        char c = formatter.format.ptr[formatter.at++];
        struct item item;
        if (c != '%') {
            strbuf_add_byte(out, c);
        } else if (!read_item(&formatter, &item) || !put_item(&formatter, &item)) {
            return false;
        }
    }
    return true;
}
