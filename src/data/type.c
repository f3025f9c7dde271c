// SPDX-License-Identifier: Apache-2.0
#include "data/type.h"

#include "base/arena.h"
#include "base/assert.h"
#include "base/strbuf.h"

#define CONSTANT(name, a_kind, a_length)                                                           \
    const struct type name = {.kind = (a_kind), .nullable = true, .length = (a_length)}

CONSTANT(type_null, TYPE_NULL, 0);
CONSTANT(type_boolean, TYPE_BOOLEAN, 0);
CONSTANT(type_tinyint, TYPE_TINYINT, 0);
CONSTANT(type_smallint, TYPE_SMALLINT, 0);
CONSTANT(type_int, TYPE_INT, 0);
CONSTANT(type_bigint, TYPE_BIGINT, 0);
CONSTANT(type_float, TYPE_FLOAT, 0);
CONSTANT(type_double, TYPE_DOUBLE, 0);
CONSTANT(type_string, TYPE_VARCHAR, TYPE_LENGTH_MAX);
CONSTANT(type_bytes, TYPE_VARBINARY, TYPE_LENGTH_MAX);
CONSTANT(type_date, TYPE_DATE, 0);
CONSTANT(type_time, TYPE_TIME, 0);
CONSTANT(type_timestamp3, TYPE_TIMESTAMP, 3);
CONSTANT(type_timestamp6, TYPE_TIMESTAMP, 6);
CONSTANT(type_timestamp_ltz3, TYPE_TIMESTAMP_LTZ, 3);
CONSTANT(type_timestamp_ltz6, TYPE_TIMESTAMP_LTZ, 6);
CONSTANT(type_interval_month, TYPE_INTERVAL_MONTH, 0);
CONSTANT(type_interval_second, TYPE_INTERVAL_SECOND, 0);
CONSTANT(type_variant, TYPE_VARIANT, 0);

// Nesting of a type is bounded by the parsers that make them; printing and comparing recurse.
enum {
    TIME_MILLI_PRECISION_MAX = 3,
    TIMESTAMP_MICRO_PRECISION_MAX = 6,
    DECIMAL_I64_PRECISION_MAX = 18,
};

struct type *type_new(struct arena *arena, enum type_kind kind, bool nullable)
{
    struct type *type = arena_new(arena, struct type);
    type->kind = kind;
    type->nullable = nullable;
    return type;
}

const struct type *type_decimal(struct arena *arena, int32_t precision, int32_t scale,
                                bool nullable)
{
    struct type *type = type_new(arena, TYPE_DECIMAL, nullable);
    type->length = precision;
    type->scale = scale;
    return type;
}

const struct type *type_sized(struct arena *arena, enum type_kind kind, int32_t length,
                              bool nullable)
{
    struct type *type = type_new(arena, kind, nullable);
    type->length = length;
    return type;
}

static const struct type *with_fields(struct arena *arena, enum type_kind kind,
                                      const struct type_field *fields, uint32_t field_count,
                                      bool nullable)
{
    struct type *type = type_new(arena, kind, nullable);
    type->field_count = field_count;
    type->fields = arena_copy(arena, fields, sizeof *fields * field_count);
    return type;
}

const struct type *type_array(struct arena *arena, const struct type *element, bool nullable)
{
    struct type_field field = {.type = element};
    return with_fields(arena, TYPE_ARRAY, &field, 1, nullable);
}

const struct type *type_map(struct arena *arena, const struct type *key, const struct type *value,
                            bool nullable)
{
    struct type_field fields[] = {{.type = key}, {.type = value}};
    return with_fields(arena, TYPE_MAP, fields, 2, nullable);
}

const struct type *type_row(struct arena *arena, const struct type_field *fields,
                            uint32_t field_count, bool nullable)
{
    return with_fields(arena, TYPE_ROW, fields, field_count, nullable);
}

const struct type *type_with_null(struct arena *arena, const struct type *type, bool nullable)
{
    if (type->nullable == nullable) {
        return type;
    }
    struct type *other = arena_copy(arena, type, sizeof *type);
    other->nullable = nullable;
    return other;
}

const struct type *type_copy(struct arena *arena, const struct type *type)
{
    struct type *copy = arena_copy(arena, type, sizeof *type);
    struct type_field *fields = arena_new_array(arena, struct type_field, type->field_count);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct type_field *from = &type->fields[i];
        fields[i].name = from->name.size == 0 ? (struct str){0} : arena_str(arena, from->name);
        fields[i].comment =
            from->comment.size == 0 ? (struct str){0} : arena_str(arena, from->comment);
        fields[i].type = type_copy(arena, from->type);
    }
    copy->fields = type->field_count == 0 ? NULL : fields;
    return copy;
}

static bool same(const struct type *a, const struct type *b, bool with_nullability)
{
    if (a->kind != b->kind || a->length != b->length || a->scale != b->scale ||
        a->field_count != b->field_count || (with_nullability && a->nullable != b->nullable)) {
        return false;
    }
    for (uint32_t i = 0; i < a->field_count; i++) {
        if (!str_equal(a->fields[i].name, b->fields[i].name) ||
            !same(a->fields[i].type, b->fields[i].type, with_nullability)) {
            return false;
        }
    }
    return true;
}

bool type_equal(const struct type *a, const struct type *b)
{
    return same(a, b, true);
}

bool type_equal_nullability_aside(const struct type *a, const struct type *b)
{
    return same(a, b, false);
}

enum physical type_physical(const struct type *type)
{
    switch (type->kind) {
    case TYPE_NULL:
    case TYPE_BOOLEAN: return PHYSICAL_BOOL;
    case TYPE_TINYINT: return PHYSICAL_I8;
    case TYPE_SMALLINT: return PHYSICAL_I16;
    case TYPE_INT:
    case TYPE_DATE:
    case TYPE_INTERVAL_MONTH: return PHYSICAL_I32;
    case TYPE_TIME: return type->length <= TIME_MILLI_PRECISION_MAX ? PHYSICAL_I32 : PHYSICAL_I64;
    case TYPE_BIGINT:
    case TYPE_INTERVAL_SECOND: return PHYSICAL_I64;
    case TYPE_FLOAT: return PHYSICAL_F32;
    case TYPE_DOUBLE: return PHYSICAL_F64;
    case TYPE_DECIMAL:
        return type->length <= DECIMAL_I64_PRECISION_MAX ? PHYSICAL_I64 : PHYSICAL_I128;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_LTZ:
        return type->length <= TIMESTAMP_MICRO_PRECISION_MAX ? PHYSICAL_I64 : PHYSICAL_NANO;
    case TYPE_CHAR:
    case TYPE_VARCHAR:
    case TYPE_BINARY:
    case TYPE_VARBINARY:
    case TYPE_VARIANT:
    case TYPE_BITMAP:
    case TYPE_RAW: return PHYSICAL_STRING;
    case TYPE_ARRAY: return PHYSICAL_LIST;
    case TYPE_MULTISET:
    case TYPE_MAP: return PHYSICAL_MAP;
    case TYPE_ROW: return PHYSICAL_ROW;
    }
    UNREACHABLE("type kind");
}

static const char *kind_name(enum type_kind kind)
{
    static const char *const names[] = {
#define X(name, sql) [TYPE_##name] = (sql),
        TYPE_LIST(X)
#undef X
    };
    return names[kind];
}

static void print_fields(struct strbuf *out, const struct type *type)
{
    strbuf_add_byte(out, '<');
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (i > 0) {
            strbuf_add_text(out, ", ");
        }
        const struct type_field *field = &type->fields[i];
        if (type->kind == TYPE_ROW) {
            strbuf_add_byte(out, '`');
            for (size_t at = 0; at < field->name.size; at++) {
                if (field->name.ptr[at] == '`') { // doubled, as in SQL
                    strbuf_add_byte(out, '`');
                }
                strbuf_add_byte(out, field->name.ptr[at]);
            }
            strbuf_add_text(out, "` ");
        }
        type_print(out, field->type);
    }
    strbuf_add_byte(out, '>');
}

// The name and what is in parentheses.
static void print_kind(struct strbuf *out, const struct type *type)
{
    switch (type->kind) {
    case TYPE_DECIMAL:
        strbuf_printf(out, "DECIMAL(%d, %d)", (int)type->length, (int)type->scale);
        return;
    case TYPE_VARCHAR:
        if (type->length == TYPE_LENGTH_MAX) {
            strbuf_add_text(out, "STRING");
            return;
        }
        break;
    case TYPE_VARBINARY:
        if (type->length == TYPE_LENGTH_MAX) {
            strbuf_add_text(out, "BYTES");
            return;
        }
        break;
    case TYPE_INTERVAL_SECOND: strbuf_add_text(out, "INTERVAL SECOND(3)"); return;
    case TYPE_INTERVAL_MONTH: strbuf_add_text(out, "INTERVAL MONTH"); return;
    case TYPE_ARRAY:
    case TYPE_MULTISET:
    case TYPE_MAP:
    case TYPE_ROW:
        strbuf_add_text(out, kind_name(type->kind));
        print_fields(out, type);
        return;
    case TYPE_CHAR:
    case TYPE_BINARY:
    case TYPE_TIME:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_LTZ: break;
    case TYPE_NULL:
    case TYPE_BOOLEAN:
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INT:
    case TYPE_BIGINT:
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
    case TYPE_DATE:
    case TYPE_VARIANT:
    case TYPE_BITMAP:
    case TYPE_RAW: strbuf_add_text(out, kind_name(type->kind)); return;
    }
    strbuf_printf(out, "%s(%d)", kind_name(type->kind), (int)type->length);
}

void type_print(struct strbuf *out, const struct type *type)
{
    print_kind(out, type);
    if (!type->nullable) {
        strbuf_add_text(out, " NOT NULL");
    }
}

struct str type_text(struct arena *arena, const struct type *type)
{
    struct strbuf text;
    strbuf_init(&text, 1 << 20);
    type_print(&text, type);
    struct str copy = arena_str(arena, strbuf_str(&text));
    strbuf_release(&text);
    return copy;
}
