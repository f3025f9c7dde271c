// SPDX-License-Identifier: Apache-2.0
//
// Columns as the schema of a file, as Iceberg's own writer has it.
#include "base/strbuf.h"
#include "codec/avro_columns.h"
#include "codec/json_tree.h"
#include "data/decimal.h"

struct printer {
    struct strbuf *out;
    uint32_t records; // named so far, for those without ids
    uint32_t fixeds;
    struct err *err;
};

static enum status print(struct printer *at, const struct avro_column *column);

uint32_t avro_columns_decimal_size(int32_t precision)
{
    uint32_t size = 1;
    // The largest value of so many digits is below 2^(8 * size - 1).
    while (size < sizeof(int128) && (decimal_power(precision) - 1) >> (8 * size - 1) != 0) {
        size++;
    }
    return size;
}

// A name as Avro allows it: letters, digits, '_', no digit in front; others as _xHH (a digit in
// front _N).
static bool print_name(struct strbuf *out, struct str name)
{
    static const char digits[] = "0123456789ABCDEF";
    bool is_changed = false;
    for (size_t i = 0; i < name.size; i++) {
        char byte = name.ptr[i];
        bool is_letter = ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || byte == '_';
        bool is_digit = byte >= '0' && byte <= '9';
        if (is_letter || (is_digit && i > 0)) {
            strbuf_add_byte(out, byte);
            continue;
        }
        is_changed = true;
        strbuf_add_byte(out, '_');
        if (is_digit) {
            strbuf_add_byte(out, byte);
        } else {
            strbuf_add_byte(out, 'x');
            strbuf_add_byte(out, digits[(uint8_t)byte >> 4]);
            strbuf_add_byte(out, digits[byte & 15]);
        }
    }
    return is_changed;
}

static void print_logical(struct printer *at, const char *type, const char *logical)
{
    strbuf_printf(at->out, "{\"type\":\"%s\",\"logicalType\":\"%s\"}", type, logical);
}

static void print_timestamp(struct printer *at, const struct avro_column *column)
{
    const struct type *type = column->type;
    bool is_instant = type->kind == TYPE_TIMESTAMP_LTZ;
    if (column->id >= 0) {
        strbuf_printf(at->out,
                      "{\"type\":\"long\",\"logicalType\":\"timestamp-%s\",\"adjust-to-utc\":%s}",
                      type->length > 6 ? "nanos" : "micros", is_instant ? "true" : "false");
        return;
    }
    strbuf_printf(at->out, "{\"type\":\"long\",\"logicalType\":\"%stimestamp-%s\"}",
                  is_instant ? "" : "local-",
                  type->length > 6   ? "nanos"
                  : type->length > 3 ? "micros"
                                     : "millis");
}

// Named types are numbered: a name may be there once only.
static void print_fixed(struct printer *at, const struct avro_column *column)
{
    const struct type *type = column->type;
    uint32_t number = at->fixeds++;
    if (type->kind == TYPE_DECIMAL) {
        strbuf_printf(at->out,
                      "{\"type\":\"fixed\",\"name\":\"decimal_%d_%d_%u\",\"size\":%u,"
                      "\"logicalType\":\"decimal\",\"precision\":%d,\"scale\":%d}",
                      type->length, type->scale, number, avro_columns_decimal_size(type->length),
                      type->length, type->scale);
    } else if (column->is_uuid) {
        strbuf_printf(at->out,
                      "{\"type\":\"fixed\",\"name\":\"uuid_%u\",\"size\":16,"
                      "\"logicalType\":\"uuid\"}",
                      number);
    } else {
        strbuf_printf(at->out, "{\"type\":\"fixed\",\"name\":\"fixed_%d_%u\",\"size\":%d}",
                      type->length, number, type->length);
    }
}

static enum status print_fields(struct printer *at, const struct avro_column *columns,
                                uint32_t count, const char *const *names)
{
    strbuf_add_text(at->out, "\"fields\":[");
    for (uint32_t i = 0; i < count; i++) {
        const struct avro_column *column = &columns[i];
        struct str name = names != NULL ? str_from(names[i]) : column->name;
        strbuf_add_text(at->out, i > 0 ? ",{\"name\":\"" : "{\"name\":\"");
        bool is_changed = print_name(at->out, name);
        strbuf_add_byte(at->out, '"');
        if (is_changed) {
            strbuf_add_text(at->out, ",\"iceberg-field-name\":");
            json_tree_quote(at->out, name);
        }
        strbuf_add_text(at->out, ",\"type\":");
        enum status status = print(at, column);
        if (status != STATUS_OK) {
            err_context(at->err, "column '%.*s'", STR_ARGS(name));
            return status;
        }
        if (!column->required) {
            strbuf_add_text(at->out, ",\"default\":null");
        }
        if (column->id >= 0) {
            strbuf_printf(at->out, ",\"field-id\":%d", column->id);
        }
        strbuf_add_byte(at->out, '}');
    }
    strbuf_add_byte(at->out, ']');
    return STATUS_OK;
}

static void print_id(struct printer *at, const char *property, int32_t id)
{
    if (id >= 0) {
        strbuf_printf(at->out, ",\"%s\":%d", property, id);
    }
}

// Keys that are no texts: an array of pairs.
static enum status print_pairs(struct printer *at, const struct avro_column *column)
{
    static const char *const names[] = {"key", "value"};
    const struct avro_column *key = &column->children[0];
    strbuf_add_text(at->out, "{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"");
    if (key->id >= 0) {
        strbuf_printf(at->out, "k%d_v%d\",", key->id, column->children[1].id);
    } else {
        strbuf_printf(at->out, "entry%u\",", at->records++);
    }
    TRY(print_fields(at, column->children, 2, names));
    strbuf_add_text(at->out, "},\"logicalType\":\"map\"}");
    return STATUS_OK;
}

static enum status print_list(struct printer *at, const struct avro_column *column)
{
    bool is_map = column->child_count == 2;
    if (is_map && !type_is_character(column->children[0].type)) {
        return print_pairs(at, column);
    }
    strbuf_add_text(at->out,
                    is_map ? "{\"type\":\"map\",\"values\":" : "{\"type\":\"array\",\"items\":");
    TRY(print(at, &column->children[is_map]));
    if (is_map) {
        print_id(at, "key-id", column->children[0].id);
        print_id(at, "value-id", column->children[1].id);
    } else {
        print_id(at, "element-id", column->children[0].id);
    }
    strbuf_add_byte(at->out, '}');
    return STATUS_OK;
}

static enum status print_record(struct printer *at, const struct avro_column *column)
{
    strbuf_add_text(at->out, "{\"type\":\"record\",\"name\":\"");
    if (column->id >= 0) {
        strbuf_printf(at->out, "r%d\",", column->id);
    } else {
        strbuf_printf(at->out, "row%u\",", at->records++);
    }
    TRY(print_fields(at, column->children, column->child_count, NULL));
    strbuf_add_byte(at->out, '}');
    return STATUS_OK;
}

static void print_variant(struct printer *at, const struct avro_column *column)
{
    strbuf_add_text(at->out, "{\"type\":\"record\",\"name\":\"");
    if (column->id >= 0) {
        strbuf_printf(at->out, "r%d", column->id);
    } else {
        strbuf_printf(at->out, "variant%u", at->records++);
    }
    strbuf_add_text(at->out, "\",\"logicalType\":\"variant\",\"fields\":["
                             "{\"name\":\"metadata\",\"type\":\"bytes\"},"
                             "{\"name\":\"value\",\"type\":\"bytes\"}]}");
}

// NULL: not a type of one word.
static const char *plain_name(const struct type *type)
{
    switch (type->kind) {
    case TYPE_NULL: return "null";
    case TYPE_BOOLEAN: return "boolean";
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INT: return "int";
    case TYPE_BIGINT: return "long";
    case TYPE_FLOAT: return "float";
    case TYPE_DOUBLE: return "double";
    case TYPE_CHAR:
    case TYPE_VARCHAR: return "string";
    case TYPE_VARBINARY: return "bytes";
    case TYPE_DECIMAL:
    case TYPE_BINARY:
    case TYPE_DATE:
    case TYPE_TIME:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_LTZ:
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
    return NULL;
}

static enum status print_type(struct printer *at, const struct avro_column *column)
{
    const struct type *type = column->type;
    const char *plain = plain_name(type);
    if (plain != NULL) {
        strbuf_printf(at->out, "\"%s\"", plain);
    } else if (type->kind == TYPE_DECIMAL || type->kind == TYPE_BINARY) {
        print_fixed(at, column);
    } else if (type->kind == TYPE_DATE) {
        print_logical(at, "int", "date");
    } else if (type->kind == TYPE_TIME) {
        bool is_micros = column->id >= 0 || type_physical(type) == PHYSICAL_I64;
        print_logical(at, is_micros ? "long" : "int", is_micros ? "time-micros" : "time-millis");
    } else if (type_is_timestamp(type)) {
        print_timestamp(at, column);
    } else if (type->kind == TYPE_VARIANT) {
        print_variant(at, column);
    } else if (type->kind == TYPE_ROW) {
        return print_record(at, column);
    } else if (type_is_nested(type)) {
        return print_list(at, column);
    } else {
        return ERR(at->err, STATUS_UNSUPPORTED, "a type that has no form in Avro");
    }
    return STATUS_OK;
}

static enum status print(struct printer *at, const struct avro_column *column)
{
    bool is_union = !column->required && column->type->kind != TYPE_NULL;
    strbuf_add_text(at->out, is_union ? "[\"null\"," : "");
    TRY(print_type(at, column));
    strbuf_add_text(at->out, is_union ? "]" : "");
    return STATUS_OK;
}

enum status avro_columns_print(struct strbuf *out, struct str record_name,
                               const struct avro_column *columns, uint32_t count, struct err *err)
{
    struct printer at = {.out = out, .err = err};
    strbuf_add_text(out, "{\"type\":\"record\",\"name\":\"");
    print_name(out, record_name);
    strbuf_add_text(out, "\",");
    TRY(print_fields(&at, columns, count, NULL));
    strbuf_add_byte(out, '}');
    return STATUS_OK;
}
