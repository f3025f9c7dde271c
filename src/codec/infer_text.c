// SPDX-License-Identifier: Apache-2.0
#include "codec/infer_text.h"

#include "base/arena.h"
#include "codec/number_text.h"

enum { DOUBLE_DIGITS = 17, DECIMAL_DIGITS = TYPE_DECIMAL_PRECISION_MAX, TEXT_MAX = 64 };

void infer_text_init(struct infer_text *text)
{
    *text = (struct infer_text){.kinds = INFER_TEXT_ALL};
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

// Digits from `at` on.
static uint32_t count_digits(struct str value, size_t at)
{
    size_t end = at;
    while (end < value.size && is_digit(value.ptr[end])) {
        end++;
    }
    return (uint32_t)(end - at);
}

static bool has_zero_in_front(struct str value)
{
    size_t at = value.size > 0 && (value.ptr[0] == '-' || value.ptr[0] == '+');
    return at + 1 < value.size && value.ptr[at] == '0' && is_digit(value.ptr[at + 1]);
}

static bool is_infinite_or_nan(struct str value)
{
    struct str bare = value.size > 0 && (value.ptr[0] == '-' || value.ptr[0] == '+')
                          ? str_slice(value, 1, value.size)
                          : value;
    return str_is(bare, "NaN") || str_is(bare, "Infinity");
}

static uint32_t number_kinds(struct infer_text *text, struct str value)
{
    struct number_text number;
    int64_t integer;
    if (has_zero_in_front(value) || !number_text_split(value, &number)) {
        return is_infinite_or_nan(value) ? INFER_DOUBLE : 0;
    }
    size_t begin = number.is_negative || value.ptr[0] == '+' ? 1 : 0;
    uint32_t before = count_digits(value, begin);
    before -= before == 1 && value.ptr[begin] == '0';
    size_t point = str_find(value, '.');
    uint32_t after = point < value.size ? count_digits(value, point + 1) : 0;
    bool has_exponent = str_find(value, 'e') < value.size || str_find(value, 'E') < value.size;
    text->before = before > text->before ? before : text->before;
    text->after = after > text->after ? after : text->after;
    text->is_long |= before + after > DOUBLE_DIGITS;
    uint32_t kinds = INFER_DOUBLE;
    kinds |= has_exponent ? 0 : INFER_DECIMAL;
    if (number.is_integer &&
        number_text_integer(&number, INT64_MIN, INT64_MAX, &integer) == NUMBER_OK) {
        kinds |= INFER_BIGINT;
    }
    return kinds;
}

static void see_fraction(struct infer_text *text, struct str value)
{
    size_t point = str_find(value, '.');
    uint32_t after = point < value.size ? count_digits(value, point + 1) : 0;
    text->after = after > text->after ? after : text->after;
}

static uint32_t time_kinds(struct infer_text *text, struct str value)
{
    struct time_text time;
    int32_t days;
    int64_t micros;
    uint32_t kinds = 0;
    if (value.size < 8 || value.size > TEXT_MAX || !is_digit(value.ptr[0])) {
        return 0;
    }
    kinds |= time_text_date(value, &days) ? INFER_DATE : 0;
    kinds |= time_text_time(value, &micros) ? INFER_TIME : 0;
    kinds |= time_text_timestamp(value, TIME_TEXT_SQL, &time) ? INFER_TIMESTAMP_SQL : 0;
    kinds |= time_text_timestamp(value, TIME_TEXT_ISO_8601, &time) ? INFER_TIMESTAMP_ISO : 0;
    kinds |= time_text_timestamp_ltz(value, TIME_TEXT_SQL, &time) ? INFER_LTZ_SQL : 0;
    kinds |= time_text_timestamp_ltz(value, TIME_TEXT_ISO_8601, &time) ? INFER_LTZ_ISO : 0;
    if (kinds != 0) {
        see_fraction(text, value);
    }
    return kinds;
}

void infer_text_add(struct infer_text *text, struct str value)
{
    uint32_t kinds = 0;
    text->count++;
    if (text->kinds == 0) {
        return;
    }
    struct str bare = str_trim(value); // the decoders do not mind blanks around these
    if (str_is_nocase(bare, "true") || str_is_nocase(bare, "false")) {
        kinds = INFER_BOOLEAN;
    } else if ((text->kinds & (INFER_BIGINT | INFER_DECIMAL | INFER_DOUBLE)) != 0) {
        kinds = number_kinds(text, bare);
    }
    if (kinds == 0 && text->kinds >= INFER_DATE) {
        kinds = time_kinds(text, value);
    }
    text->kinds &= kinds;
}

void infer_text_add_number(struct infer_text *text, struct str value)
{
    text->count++;
    text->kinds &= number_kinds(text, value);
}

static const struct type *number_type(struct arena *arena, const struct infer_text *text)
{
    bool is_integer = text->after == 0;
    if ((text->kinds & INFER_BIGINT) != 0) {
        return &type_bigint;
    }
    if ((text->kinds & INFER_DECIMAL) != 0 && (is_integer || text->is_long) &&
        text->before + text->after <= DECIMAL_DIGITS) {
        return type_decimal(arena, (int32_t)(text->before + text->after), (int32_t)text->after,
                            true);
    }
    return &type_double;
}

const struct type *infer_text_type(struct arena *arena, const struct infer_text *text,
                                   enum time_text_form form)
{
    bool is_iso = form == TIME_TEXT_ISO_8601;
    int32_t precision = text->after <= 3 ? 3 : text->after <= 6 ? 6 : 9;
    if (text->count == 0 || text->kinds == 0) {
        return &type_string;
    }
    if ((text->kinds & INFER_BOOLEAN) != 0) {
        return &type_boolean;
    }
    if ((text->kinds & INFER_DOUBLE) != 0) {
        return number_type(arena, text);
    }
    if ((text->kinds & INFER_DATE) != 0) {
        return &type_date;
    }
    if ((text->kinds & INFER_TIME) != 0) {
        return type_sized(arena, TYPE_TIME, text->after == 0 ? 0 : 3, true);
    }
    if ((text->kinds & (is_iso ? INFER_TIMESTAMP_ISO : INFER_TIMESTAMP_SQL)) != 0) {
        return type_sized(arena, TYPE_TIMESTAMP, precision, true);
    }
    if ((text->kinds & (is_iso ? INFER_LTZ_ISO : INFER_LTZ_SQL)) != 0) {
        return type_sized(arena, TYPE_TIMESTAMP_LTZ, precision, true);
    }
    return &type_string; // timestamps of the form that other columns do not have
}
