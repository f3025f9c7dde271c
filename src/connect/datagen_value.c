// SPDX-License-Identifier: Apache-2.0
#include "connect/datagen_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/quantity.h"
#include "catalog/table_def.h"
#include "connect/option.h"
#include "data/column_builder.h"
#include "data/datetime.h"
#include "data/decimal.h"
#include "data/float_text.h"

enum { DATAGEN_LENGTH = 100, DATAGEN_LENGTH_MAX = 1 << 20 };

struct datagen_value {
    const struct type *type;
    uint64_t salt; // of the path: columns of one type differ
    bool is_sequence;
    int64_t start, end; // of a sequence
    int128 min, max;    // integers, decimals (unscaled), intervals
    double low, high;   // FLOAT, DOUBLE
    int64_t max_past_us;
    int64_t length;
    bool varies;         // lengths
    uint64_t null_limit; // below it: NULL; of 2^32
    uint32_t child_count;
    struct datagen_value **children;
};

struct datagen_build {
    struct arena *arena;
    const struct table_def *def;
    struct err *err;
};

// Options.

static struct str value_option(const struct datagen_build *build, struct str path, const char *what)
{
    struct str prefix = arena_printf(build->arena, "fields.%.*s.", STR_ARGS(path));
    return option_text(build->def, prefix.ptr, what, NULL);
}

static enum status value_refuse(const struct datagen_build *build, struct str path,
                                const char *what, const char *why)
{
    return ERR(build->err, STATUS_INVALID_DATA, "option 'fields.%.*s.%s' %s", STR_ARGS(path), what,
               why);
}

static enum status value_read_i64(const struct datagen_build *build, struct str path,
                                  const char *what, int64_t *out)
{
    struct str text = str_trim(value_option(build, path, what));
    if (text.size > 0 && !str_to_i64(text, out)) {
        return value_refuse(build, path, what, "is not an integer");
    }
    return STATUS_OK;
}

static void value_set_range(struct datagen_value *value)
{
    switch (value->type->kind) {
    case TYPE_TINYINT:
        value->min = INT8_MIN;
        value->max = INT8_MAX;
        break;
    case TYPE_SMALLINT:
        value->min = INT16_MIN;
        value->max = INT16_MAX;
        break;
    case TYPE_INT:
        value->min = INT32_MIN;
        value->max = INT32_MAX;
        break;
    case TYPE_BIGINT:
        value->min = INT64_MIN;
        value->max = INT64_MAX;
        break;
    case TYPE_INTERVAL_MONTH:
        value->min = 0;
        value->max = 120000;
        break;
    case TYPE_INTERVAL_SECOND:
        value->min = 0;
        value->max = INT64_MAX;
        break;
    case TYPE_DECIMAL:
        value->max = decimal_power(value->type->length) - 1;
        value->min = -value->max;
        break;
    case TYPE_FLOAT:
        value->low = -3.4028234663852886e38;
        value->high = 3.4028234663852886e38;
        break;
    case TYPE_DOUBLE:
        value->low = -1.7976931348623157e308;
        value->high = 1.7976931348623157e308;
        break;
    case TYPE_NULL:
    case TYPE_BOOLEAN:
    case TYPE_CHAR:
    case TYPE_VARCHAR:
    case TYPE_BINARY:
    case TYPE_VARBINARY:
    case TYPE_DATE:
    case TYPE_TIME:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_LTZ:
    case TYPE_ARRAY:
    case TYPE_MULTISET:
    case TYPE_MAP:
    case TYPE_ROW:
    case TYPE_VARIANT:
    case TYPE_BITMAP:
    case TYPE_RAW: break;
    }
}

// A bound in the value's own unit.
static enum status value_read_bound(const struct datagen_build *build, struct str path,
                                    const char *what, struct datagen_value *value, bool is_min)
{
    struct datagen_value range = {.type = value->type};
    value_set_range(&range);
    struct str text = str_trim(value_option(build, path, what));
    if (text.size == 0) {
        return STATUS_OK;
    }
    int128 *exact = is_min ? &value->min : &value->max;
    double *approximate = is_min ? &value->low : &value->high;
    bool good;
    if (type_is_approximate(value->type)) {
        good = float_text_parse_f64(text, approximate);
    } else if (value->type->kind == TYPE_DECIMAL) {
        struct decimal_form form = {value->type->length, value->type->scale};
        good = decimal_from_text(text, form, exact) == DECIMAL_PARSE_OK;
    } else {
        int64_t number;
        good = str_to_i64(text, &number) && number >= range.min && number <= range.max;
        *exact = good ? number : *exact;
    }
    return good ? STATUS_OK : value_refuse(build, path, what, "is not a value of the column");
}

static enum status value_read_length(const struct datagen_build *build, struct str path,
                                     struct datagen_value *value)
{
    const struct type *type = value->type;
    bool is_text = type_is_character(type) || type_is_binary(type);
    bool is_fixed = type->kind == TYPE_CHAR || type->kind == TYPE_BINARY;
    int64_t most = is_text ? type->length : DATAGEN_LENGTH_MAX;
    value->length = is_fixed ? most : most < DATAGEN_LENGTH ? most : DATAGEN_LENGTH;
    if (!is_text && type_is_nested(type)) {
        value->length = 3; // Flink's default for collections
    }
    TRY(value_read_i64(build, path, "length", &value->length));
    if (value->length < 1 || value->length > most || value->length > DATAGEN_LENGTH_MAX ||
        (is_fixed && value->length != most)) {
        return value_refuse(build, path, "length", "is not a length of the column");
    }
    struct str varies = value_option(build, path, "var-len");
    if (varies.size > 0) {
        if (!option_parse_bool(str_trim(varies), &value->varies)) {
            return value_refuse(build, path, "var-len", "is not true or false");
        }
        if (value->varies && (!is_text || is_fixed)) {
            return value_refuse(build, path, "var-len", "is for VARCHAR, STRING and BYTES only");
        }
    }
    return STATUS_OK;
}

static bool value_can_be_sequence(const struct type *type)
{
    return type_is_numeric(type) || type_is_character(type);
}

static enum status value_read_options(const struct datagen_build *build, struct str path,
                                      struct datagen_value *value)
{
    struct str kind = value_option(build, path, "kind");
    value->is_sequence = str_is_nocase(kind, "sequence");
    if (value->is_sequence) {
        if (!value_can_be_sequence(value->type)) {
            return value_refuse(build, path, "kind", "cannot be 'sequence' for the column's type");
        }
        if (value_option(build, path, "start").size == 0 ||
            value_option(build, path, "end").size == 0) {
            return value_refuse(build, path, "kind", "= 'sequence' needs .start and .end");
        }
        TRY(value_read_i64(build, path, "start", &value->start));
        TRY(value_read_i64(build, path, "end", &value->end));
        if (value->end < value->start) {
            return value_refuse(build, path, "end", "is less than .start");
        }
    }
    value_set_range(value);
    TRY(value_read_bound(build, path, "min", value, true));
    TRY(value_read_bound(build, path, "max", value, false));
    if (value->min > value->max || value->low > value->high) {
        return value_refuse(build, path, "min", "is more than .max");
    }
    TRY(value_read_length(build, path, value));
    struct str past = value_option(build, path, "max-past");
    int64_t past_ms = 0;
    if (past.size > 0 && !quantity_duration_ms(past, &past_ms)) {
        return value_refuse(build, path, "max-past", "is not a duration");
    }
    value->max_past_us = past_ms * 1000;
    struct str rate = str_trim(value_option(build, path, "null-rate"));
    double share = 0;
    if (rate.size > 0 && (!float_text_parse_f64(rate, &share) || !(share >= 0 && share <= 1))) {
        return value_refuse(build, path, "null-rate", "is not between 0 and 1");
    }
    value->null_limit = (uint64_t)(share * 4294967296.0);
    return STATUS_OK;
}

// Building.

static const char *value_child_name(const struct type *type, uint32_t index)
{
    if (type->kind == TYPE_MAP) {
        return index == 0 ? "key" : "value";
    }
    return "element";
}

static enum status value_build(const struct datagen_build *build, struct str path,
                               const struct type *type, struct datagen_value **out)
{
    struct datagen_value *value = arena_new(build->arena, struct datagen_value);
    if (type->kind == TYPE_RAW || type->kind == TYPE_VARIANT || type->kind == TYPE_BITMAP) {
        return ERR(build->err, STATUS_UNSUPPORTED, "datagen has no values of type %.*s",
                   STR_ARGS(type_text(build->arena, type)));
    }
    *out = value;
    value->type = type;
    value->salt = hash_bytes(path.ptr, path.size, 0);
    TRY(value_read_options(build, path, value));
    if (!type_is_nested(type)) {
        return STATUS_OK;
    }
    value->child_count = type->kind == TYPE_MULTISET ? 1 : type->field_count;
    value->children = arena_new_array(build->arena, struct datagen_value *, value->child_count);
    for (uint32_t i = 0; i < value->child_count; i++) {
        struct str name =
            type->kind == TYPE_ROW ? type->fields[i].name : str_from(value_child_name(type, i));
        struct str child = arena_printf(build->arena, "%.*s.%.*s", STR_ARGS(path), STR_ARGS(name));
        TRY(value_build(build, child, type->fields[i].type, &value->children[i]));
    }
    return STATUS_OK;
}

enum status datagen_value_new(struct arena *arena, const struct table_def *def, struct str path,
                              const struct type *type, struct datagen_value **out, struct err *err)
{
    struct datagen_build build = {arena, def, err};
    return value_build(&build, path, type, out);
}

int64_t datagen_value_row_count(const struct datagen_value *value)
{
    int64_t least = INT64_MAX;
    if (value->is_sequence) {
        least = value->end - value->start == INT64_MAX ? INT64_MAX : value->end - value->start + 1;
    }
    for (uint32_t i = 0; value->type->kind == TYPE_ROW && i < value->child_count; i++) {
        int64_t count = datagen_value_row_count(value->children[i]);
        least = count < least ? count : least;
    }
    return least;
}

// Values.

struct value_random {
    uint64_t state;
};

static uint64_t random_next(struct value_random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    return hash_word(random->state);
}

// 0 … limit - 1; the bias is below 2^-64 of the limit.
static uint128 random_below(struct value_random *random, uint128 limit)
{
    uint128 draw = (uint128)random_next(random) << 64 | random_next(random);
    return limit == 0 ? draw : draw % limit;
}

static double random_unit(struct value_random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

static uint64_t random_length(const struct datagen_value *value, struct value_random *random)
{
    return value->varies ? 1 + (uint64_t)random_below(random, (uint128)value->length)
                         : (uint64_t)value->length;
}

// Hexadecimal digits, as Flink's strings are.
static void append_text(const struct datagen_value *value, const struct datagen_moment *moment,
                        struct value_random *random, struct column_builder *builder)
{
    static const char digits[] = "0123456789abcdef";
    bool is_text = type_is_character(value->type);
    uint64_t size = random_length(value, random);
    char *text = arena_alloc(moment->bytes, size + 1);
    uint64_t draw = 0;
    for (uint64_t i = 0; i < size; i++) {
        draw = i % 8 == 0 ? random_next(random) : draw >> 8;
        text[i] = is_text ? digits[draw & 15] : (char)draw;
    }
    column_builder_string_borrow(builder, str_make(text, size));
}

static void append_sequence(const struct datagen_value *value, const struct datagen_moment *moment,
                            uint64_t number, struct column_builder *builder)
{
    int64_t current = value->start + (int64_t)number;
    switch (type_physical(value->type)) {
    case PHYSICAL_F32: column_builder_f32(builder, (float)current); break;
    case PHYSICAL_F64: column_builder_f64(builder, (double)current); break;
    case PHYSICAL_STRING:
        column_builder_string_borrow(builder,
                                     arena_printf(moment->bytes, "%lld", (long long)current));
        break;
    case PHYSICAL_BOOL:
    case PHYSICAL_I8:
    case PHYSICAL_I16:
    case PHYSICAL_I32:
    case PHYSICAL_I64:
    case PHYSICAL_I128:
        if (value->type->kind == TYPE_DECIMAL) {
            column_builder_i128(builder, (int128)current * decimal_power(value->type->scale));
        } else {
            column_builder_i64(builder, current);
        }
        break;
    case PHYSICAL_NANO:
    case PHYSICAL_LIST:
    case PHYSICAL_MAP:
    case PHYSICAL_ROW: UNREACHABLE("sequence of this type");
    }
}

static void append_time(const struct datagen_value *value, const struct datagen_moment *moment,
                        struct value_random *random, struct column_builder *builder)
{
    int64_t now = moment->now_us;
    if (value->type->kind == TYPE_DATE) {
        column_builder_i32(builder, (int32_t)datetime_floor_div(now, DATETIME_US_PER_DAY));
        return;
    }
    if (value->type->kind == TYPE_TIME) {
        int64_t micros = datetime_floor_mod(now, DATETIME_US_PER_DAY);
        if (type_physical(value->type) == PHYSICAL_I64) {
            column_builder_i64(builder,
                               datetime_cut_us(micros, type_time_precision(value->type->length)));
        } else {
            column_builder_i32(builder, (int32_t)(micros / 1000));
        }
        return;
    }
    if (value->max_past_us > 0) {
        now -= (int64_t)random_below(random, (uint128)value->max_past_us);
    }
    column_builder_timestamp_us(
        builder, value->type->length < 6 ? datetime_cut_us(now, value->type->length) : now);
}

static void append_nested(const struct datagen_value *value, const struct datagen_moment *moment,
                          uint64_t number, struct value_random *random,
                          struct column_builder *builder)
{
    struct datagen_moment inner = *moment;
    if (value->type->kind == TYPE_ROW) {
        for (uint32_t i = 0; i < value->child_count; i++) {
            datagen_value_append(value->children[i], moment, number,
                                 column_builder_child(builder, i));
        }
        column_builder_row(builder);
        return;
    }
    column_builder_list_begin(builder);
    for (int64_t i = 0; i < value->length; i++) {
        inner.seed = random_next(random); // elements differ
        datagen_value_append(value->children[0], &inner, (uint64_t)i,
                             column_builder_child(builder, 0));
        if (value->type->kind == TYPE_MULTISET) {
            column_builder_i32(column_builder_child(builder, 1), 1);
        } else if (value->type->kind == TYPE_MAP) {
            datagen_value_append(value->children[1], &inner, (uint64_t)i,
                                 column_builder_child(builder, 1));
        }
    }
    column_builder_list_end(builder);
}

static void append_number(const struct datagen_value *value, struct value_random *random,
                          struct column_builder *builder)
{
    if (type_is_approximate(value->type)) {
        // Halves keep the difference of the extremes finite.
        double unit = random_unit(random);
        double number = value->low * (1 - unit) + value->high * unit;
        if (value->type->kind == TYPE_FLOAT) {
            column_builder_f32(builder, (float)number);
        } else {
            column_builder_f64(builder, number);
        }
        return;
    }
    uint128 range = (uint128)value->max - (uint128)value->min + 1;
    int128 number = (int128)((uint128)value->min + random_below(random, range));
    if (value->type->kind == TYPE_DECIMAL) {
        column_builder_i128(builder, number);
    } else {
        column_builder_i64(builder, (int64_t)number);
    }
}

void datagen_value_append(const struct datagen_value *value, const struct datagen_moment *moment,
                          uint64_t number, struct column_builder *builder)
{
    struct value_random random = {hash_combine(hash_combine(moment->seed, value->salt), number)};
    if (value->null_limit > 0 && random_next(&random) >> 32 < value->null_limit) {
        column_builder_null(builder);
        return;
    }
    if (value->is_sequence) {
        append_sequence(value, moment, number, builder);
        return;
    }
    switch (value->type->kind) {
    case TYPE_NULL: column_builder_null(builder); break;
    case TYPE_BOOLEAN: column_builder_bool(builder, (random_next(&random) & 1) != 0); break;
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INT:
    case TYPE_BIGINT:
    case TYPE_INTERVAL_MONTH:
    case TYPE_INTERVAL_SECOND:
    case TYPE_DECIMAL:
    case TYPE_FLOAT:
    case TYPE_DOUBLE: append_number(value, &random, builder); break;
    case TYPE_CHAR:
    case TYPE_VARCHAR:
    case TYPE_BINARY:
    case TYPE_VARBINARY: append_text(value, moment, &random, builder); break;
    case TYPE_DATE:
    case TYPE_TIME:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_LTZ: append_time(value, moment, &random, builder); break;
    case TYPE_ARRAY:
    case TYPE_MULTISET:
    case TYPE_MAP:
    case TYPE_ROW: append_nested(value, moment, number, &random, builder); break;
    case TYPE_VARIANT:
    case TYPE_BITMAP:
    case TYPE_RAW: UNREACHABLE("refused when it was made");
    }
}
