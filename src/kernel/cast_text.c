// SPDX-License-Identifier: Apache-2.0
//
// Casts from and to characters and bytes.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "data/datetime.h"
#include "data/decimal.h"
#include "data/float_text.h"
#include "data/text.h"
#include "data/type.h"
#include "kernel/cast_int.h"
#include "kernel/utf8_int.h"
#include "kernel/widen_int.h"

// Bytes up to the blank are trimmed, as Java's trim() does.
static struct str trim(struct str text)
{
    while (text.size > 0 && (unsigned char)text.ptr[0] <= ' ') {
        text = str_slice(text, 1, text.size);
    }
    while (text.size > 0 && (unsigned char)text.ptr[text.size - 1] <= ' ') {
        text.size--;
    }
    return text;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

// [+-]digits, and what follows a point must be digits and is dropped.
static bool parse_integer(struct str text, int64_t min, int64_t max, int64_t *out)
{
    text = trim(text);
    bool is_negative = text.size > 0 && text.ptr[0] == '-';
    size_t at = text.size > 0 && (is_negative || text.ptr[0] == '+');
    if (at == text.size) {
        return false;
    }
    int64_t value = 0; // below zero, where one more number fits
    for (; at < text.size && is_digit(text.ptr[at]); at++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, text.ptr[at] - '0', &value)) {
            return false;
        }
    }
    if (at < text.size && text.ptr[at] == '.') {
        at++;
        while (at < text.size && is_digit(text.ptr[at])) {
            at++;
        }
    }
    if (!is_negative && value == INT64_MIN) {
        return false;
    }
    *out = is_negative ? value : -value;
    return at == text.size && *out >= min && *out <= max;
}

static bool parse_boolean(struct str text, bool *out)
{
    static const char *const words[] = {"t", "true", "y", "yes", "1", "f", "false", "n", "no", "0"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (str_is_nocase(text, words[i])) {
            *out = i < 5;
            return true;
        }
    }
    return false;
}

static void mark_bad(struct kernel_loop *loop, uint32_t row)
{
    loop->bad[row / 64] |= UINT64_C(1) << (row % 64);
}

static int64_t integer_max(enum type_kind kind)
{
    return kind == TYPE_TINYINT    ? INT8_MAX
           : kind == TYPE_SMALLINT ? INT16_MAX
           : kind == TYPE_INT      ? INT32_MAX
                                   : INT64_MAX;
}

static void store_integer(enum physical physical, void *out, uint32_t row, int64_t value)
{
    switch (physical_width(physical)) {
    case 1: ((int8_t *)out)[row] = (int8_t)value; return;
    case 2: ((int16_t *)out)[row] = (int16_t)value; return;
    case 4: ((int32_t *)out)[row] = (int32_t)value; return;
    default: ((int64_t *)out)[row] = value; return;
    }
}

static bool parse_timestamp(const struct cast_options *options, struct str text, void *out,
                            uint32_t row)
{
    struct nano value;
    if (!datetime_parse_timestamp(text, &value)) {
        return false;
    }
    if (options->to->kind == TYPE_TIMESTAMP_LTZ) {
        value.second -= zone_span_of_local(options->zone, value.second).offset;
    }
    value = datetime_cut_nano(value, options->to->length);
    if (options->to_physical == PHYSICAL_NANO) {
        ((struct nano *)out)[row] = value;
    } else {
        ((int64_t *)out)[row] = datetime_us_from_nano(value);
    }
    return true;
}

static bool parse_number(const struct cast_options *options, struct str text, void *out,
                         uint32_t row)
{
    const struct type *to = options->to;
    if (to->kind == TYPE_DOUBLE) {
        return float_text_parse_f64(text, (double *)out + row);
    }
    if (to->kind == TYPE_FLOAT) {
        return float_text_parse_f32(text, (float *)out + row);
    }
    if (to->kind == TYPE_DECIMAL) {
        int128 value;
        const struct decimal_form form = {to->length, to->scale};
        if (decimal_from_text(trim(text), form, &value) != DECIMAL_PARSE_OK) {
            return false;
        }
        widen_store(options->to_physical, out, row, value);
        return true;
    }
    int64_t value;
    int64_t max = integer_max(to->kind);
    if (!parse_integer(text, -max - 1, max, &value)) {
        return false;
    }
    store_integer(options->to_physical, out, row, value);
    return true;
}

static bool parse_value(const struct cast_options *options, struct str text, void *out,
                        uint32_t row)
{
    bool flag;
    switch (options->to->kind) {
    case TYPE_BOOLEAN:
        if (!parse_boolean(text, &flag)) {
            return false;
        }
        ((uint8_t *)out)[row] = flag;
        return true;
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INT:
    case TYPE_BIGINT:
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
    case TYPE_DECIMAL: return parse_number(options, text, out, row);
    case TYPE_DATE: return datetime_parse_date(text, (int32_t *)out + row);
    case TYPE_TIME:
        return options->to_physical == PHYSICAL_I32
                   ? datetime_parse_time(text, (int32_t *)out + row)
                   : datetime_parse_time_us(text, (int64_t *)out + row);
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_LTZ: return parse_timestamp(options, text, out, row);
    case TYPE_NULL:
    case TYPE_CHAR:
    case TYPE_VARCHAR:
    case TYPE_BINARY:
    case TYPE_VARBINARY:
    case TYPE_INTERVAL_MONTH:
    case TYPE_INTERVAL_SECOND:
    case TYPE_ARRAY:
    case TYPE_MULTISET:
    case TYPE_MAP:
    case TYPE_ROW:
    case TYPE_VARIANT:
    case TYPE_BITMAP:
    case TYPE_RAW: break;
    }
    return false;
}

static void parse_loop(struct kernel_loop *loop)
{
    const struct cast_options *options = loop->options;
    const struct strview *in = loop->args[0];
    for (uint32_t row = 0; row < loop->count; row++) {
        if (bits_get(loop->wanted, row) &&
            !parse_value(options, strview_str(&in[row]), loop->out, row)) {
            mark_bad(loop, row);
        }
    }
}

static const char *parse_failure(const struct type *to)
{
    static const char *const names[] = {
#define X(name, sql) [TYPE_##name] = "text that is no " sql,
        TYPE_LIST(X)
#undef X
    };
    return names[to->kind];
}

static struct str pad_bytes(struct str bytes, size_t size, char filler, struct arena *arena)
{
    char *padded = arena_alloc(arena, size + 1);
    if (bytes.size > 0) {
        memcpy(padded, bytes.ptr, bytes.size);
    }
    memset(padded + bytes.size, filler, size - bytes.size);
    return str_make(padded, size);
}

struct str cast_text_fit(const struct type *type, struct str bytes, struct arena *arena)
{
    size_t length = (size_t)type->length;
    if (type->length == TYPE_LENGTH_MAX) {
        return bytes;
    }
    if (type->kind == TYPE_BINARY || type->kind == TYPE_VARBINARY) {
        if (bytes.size > length) {
            return str_slice(bytes, 0, length);
        }
        bool pads = type->kind == TYPE_BINARY && bytes.size < length;
        return pads ? pad_bytes(bytes, length, '\0', arena) : bytes;
    }
    if (bytes.size > length) {
        bytes = str_slice(bytes, 0, utf8_offset(bytes, (int64_t)length));
    }
    if (type->kind != TYPE_CHAR) {
        return bytes;
    }
    size_t count = (size_t)utf8_count(bytes);
    return count < length ? pad_bytes(bytes, bytes.size + length - count, ' ', arena) : bytes;
}

// A character of more bytes that is no surrogate, not overlong and not beyond U+10FFFF.
static bool is_well_formed(struct str text, size_t at, size_t length)
{
    unsigned char lead = (unsigned char)text.ptr[at];
    if (length == 1) {
        return lead < 0x80;
    }
    unsigned char second = (unsigned char)text.ptr[at + 1];
    return !((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
             (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f));
}

struct str cast_text_decode(struct str bytes, struct arena *arena)
{
    size_t wrong = 0;
    for (size_t at = 0; at < bytes.size;) {
        size_t length = utf8_length(bytes, at);
        bool is_good = is_well_formed(bytes, at, length);
        wrong += !is_good;
        at += is_good ? length : 1;
    }
    if (wrong == 0) {
        return bytes;
    }
    char *out = arena_alloc(arena, bytes.size + 2 * wrong);
    size_t size = 0;
    for (size_t at = 0; at < bytes.size;) {
        size_t length = utf8_length(bytes, at);
        bool is_good = is_well_formed(bytes, at, length);
        memcpy(out + size, is_good ? bytes.ptr + at : "\xef\xbf\xbd", is_good ? length : 3);
        size += is_good ? length : 3;
        at += is_good ? length : 1;
    }
    return str_make(out, size);
}

// Between characters and bytes.
static void fit_loop(struct kernel_loop *loop)
{
    const struct cast_options *options = loop->options;
    const struct strview *in = loop->args[0];
    struct strview *out = loop->out;
    bool decodes = type_is_binary(options->from) && type_is_character(options->to);
    for (uint32_t row = 0; row < loop->count; row++) {
        if (!bits_get(loop->wanted, row)) {
            continue;
        }
        struct str bytes = strview_str(&in[row]);
        if (decodes) {
            bytes = cast_text_decode(bytes, loop->arena);
        }
        bytes = cast_text_fit(options->to, bytes, loop->arena);
        out[row] = strview_make(bytes.ptr, bytes.size);
    }
}

// A UUID's text to its bytes.
static void parse_uuid_loop(struct kernel_loop *loop)
{
    const struct strview *in = loop->args[0];
    struct strview *out = loop->out;
    for (uint32_t row = 0; row < loop->count; row++) {
        if (!bits_get(loop->wanted, row)) {
            continue;
        }
        char *bytes = arena_alloc(loop->arena, TEXT_UUID_BYTES);
        if (text_uuid_parse(trim(strview_str(&in[row])), bytes)) {
            out[row] = strview_make(bytes, TEXT_UUID_BYTES);
        } else {
            mark_bad(loop, row);
        }
    }
}

static void format_uuid_loop(struct kernel_loop *loop)
{
    const struct cast_options *options = loop->options;
    const struct strview *in = loop->args[0];
    struct strview *out = loop->out;
    for (uint32_t row = 0; row < loop->count; row++) {
        struct str bytes = strview_str(&in[row]);
        if (!bits_get(loop->wanted, row) || bytes.size != TEXT_UUID_BYTES) {
            continue;
        }
        char *text = arena_alloc(loop->arena, TEXT_UUID_SIZE);
        text_uuid(bytes.ptr, text);
        struct str fitted = cast_text_fit(options->to, str_make(text, TEXT_UUID_SIZE), loop->arena);
        out[row] = strview_make(fitted.ptr, fitted.size);
    }
}

static void format_loop(struct kernel_loop *loop)
{
    const struct cast_options *options = loop->options;
    struct strview *out = loop->out;
    const struct column in = {.physical = options->from_physical,
                              .encoding = ENCODING_FLAT,
                              .row_count = loop->count,
                              .values = loop->args[0]};
    for (uint32_t row = 0; row < loop->count; row++) {
        if (!bits_get(loop->wanted, row)) {
            continue;
        }
        char text[TEXT_SCALAR_MAX];
        uint32_t size = text_scalar(options->from, &in, row, options->zone, text);
        struct str fitted = cast_text_fit(options->to, str_make(text, size), loop->arena);
        if (fitted.ptr == text && fitted.size > STRVIEW_INLINE_MAX) {
            fitted.ptr = arena_copy(loop->arena, text, fitted.size);
        }
        out[row] = strview_make(fitted.ptr, fitted.size);
    }
}

static bool is_string(const struct type *type)
{
    return type_is_character(type) || type_is_binary(type);
}

static bool has_scalar_text(const struct type *type)
{
    return type->kind == TYPE_BOOLEAN || type_is_numeric(type) || type->kind == TYPE_DATE ||
           type->kind == TYPE_TIME || type_is_timestamp(type) ||
           type->kind == TYPE_INTERVAL_MONTH || type->kind == TYPE_INTERVAL_SECOND;
}

bool cast_text_shape(const struct cast_options *options, struct kernel_shape *shape)
{
    shape->skips = true;
    if (options->from->is_uuid && type_is_character(options->to)) {
        shape->loop = format_uuid_loop;
        return true;
    }
    if (options->to->is_uuid && type_is_character(options->from)) {
        shape->loop = parse_uuid_loop;
        shape->bad = KERNEL_BAD_IS_FAILURE;
        shape->failure = "text that is no UUID";
        return true;
    }
    if (is_string(options->from) && is_string(options->to)) {
        shape->loop = fit_loop;
        return true;
    }
    if (has_scalar_text(options->from) && type_is_character(options->to)) {
        shape->loop = format_loop;
        return true;
    }
    bool is_interval =
        options->to->kind == TYPE_INTERVAL_MONTH || options->to->kind == TYPE_INTERVAL_SECOND;
    if (type_is_character(options->from) && has_scalar_text(options->to) && !is_interval) {
        shape->loop = parse_loop;
        shape->bad = KERNEL_BAD_IS_FAILURE;
        shape->failure = parse_failure(options->to);
        return true;
    }
    shape->skips = false;
    return false;
}
