// SPDX-License-Identifier: Apache-2.0
#include "codec/avro_schema.h"

#include <string.h>

#include "base/arena.h"
#include "base/vec.h"
#include "codec/json_tree.h"

enum { FIXED_SIZE_MAX = 1 << 20 };

struct parser {
    struct arena *arena;
    VEC(struct avro_schema *) named; // RECORD, ENUM, FIXED, in order of appearance
    int depth;
    struct err *err;
};

static enum status parse_type(struct parser *parser, const struct json_tree *json,
                              const struct avro_schema **out);

static const struct {
    const char *name;
    enum avro_kind kind;
} primitives[] = {
    {"null", AVRO_NULL},   {"boolean", AVRO_BOOLEAN}, {"int", AVRO_INT},
    {"long", AVRO_LONG},   {"float", AVRO_FLOAT},     {"double", AVRO_DOUBLE},
    {"bytes", AVRO_BYTES}, {"string", AVRO_STRING},
};

static const struct {
    const char *name;
    enum avro_logical logical;
} logicals[] = {
    {"decimal", AVRO_LOGICAL_DECIMAL},
    {"date", AVRO_LOGICAL_DATE},
    {"time-millis", AVRO_LOGICAL_TIME_MILLIS},
    {"time-micros", AVRO_LOGICAL_TIME_MICROS},
    {"timestamp-millis", AVRO_LOGICAL_TIMESTAMP_MILLIS},
    {"timestamp-micros", AVRO_LOGICAL_TIMESTAMP_MICROS},
    {"timestamp-nanos", AVRO_LOGICAL_TIMESTAMP_NANOS},
    {"local-timestamp-millis", AVRO_LOGICAL_LOCAL_TIMESTAMP_MILLIS},
    {"local-timestamp-micros", AVRO_LOGICAL_LOCAL_TIMESTAMP_MICROS},
    {"local-timestamp-nanos", AVRO_LOGICAL_LOCAL_TIMESTAMP_NANOS},
    {"uuid", AVRO_LOGICAL_UUID},
    {"map", AVRO_LOGICAL_MAP},
};

static struct avro_schema *schema_new(struct parser *parser, enum avro_kind kind)
{
    struct avro_schema *schema = arena_new(parser->arena, struct avro_schema);
    schema->kind = kind;
    schema->element_id = schema->key_id = schema->value_id = AVRO_NO_ID;
    return schema;
}

static struct str last_part(struct str name)
{
    size_t from = name.size;
    while (from > 0 && name.ptr[from - 1] != '.') {
        from--;
    }
    return str_slice(name, from, name.size);
}

static enum status parse_name(struct parser *parser, struct str name,
                              const struct avro_schema **out)
{
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++) {
        if (str_is(name, primitives[i].name)) {
            *out = schema_new(parser, primitives[i].kind);
            return STATUS_OK;
        }
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = parser->named.count; i-- > 0;) {
            struct str known = parser->named.items[i]->name;
            if (pass == 0 ? str_equal(known, name) : str_equal(last_part(known), last_part(name))) {
                *out = parser->named.items[i];
                return STATUS_OK;
            }
        }
    }
    return ERR(parser->err, STATUS_INVALID_DATA, "Avro schema: unknown type '%.*s'",
               STR_ARGS(name));
}

static int32_t id_of(const struct json_tree *json, const char *key)
{
    int64_t id;
    return json_tree_int(json_tree_get(json, key), &id) && id >= 0 && id <= INT32_MAX ? (int32_t)id
                                                                                      : AVRO_NO_ID;
}

static void parse_properties(const struct json_tree *json, struct avro_schema *schema)
{
    struct str name = json_tree_str(json_tree_get(json, "logicalType"));
    for (size_t i = 0; i < sizeof logicals / sizeof *logicals; i++) {
        if (str_is(name, logicals[i].name)) {
            schema->logical = logicals[i].logical;
        }
    }
    int64_t number;
    if (json_tree_int(json_tree_get(json, "precision"), &number) && number > 0 && number <= 38) {
        schema->precision = (int32_t)number;
    }
    if (json_tree_int(json_tree_get(json, "scale"), &number) && number >= 0 && number <= 38) {
        schema->scale = (int32_t)number;
    }
    const struct json_tree *adjust = json_tree_get(json, "adjust-to-utc");
    schema->adjust_to_utc = adjust != NULL && adjust->kind == JSON_TREE_BOOL && adjust->as.boolean;
    schema->element_id = id_of(json, "element-id");
    schema->key_id = id_of(json, "key-id");
    schema->value_id = id_of(json, "value-id");
}

static enum status parse_record(struct parser *parser, const struct json_tree *json,
                                struct avro_schema *schema)
{
    const struct json_tree *fields = json_tree_get(json, "fields");
    if (fields == NULL || fields->kind != JSON_TREE_ARRAY) {
        return ERR(parser->err, STATUS_INVALID_DATA, "Avro schema: record '%.*s' without fields",
                   STR_ARGS(schema->name));
    }
    struct avro_field *out = arena_new_array(parser->arena, struct avro_field, fields->count);
    for (uint32_t i = 0; i < fields->count; i++) {
        const struct json_tree *field = &fields->items[i];
        const struct json_tree *type = json_tree_get(field, "type");
        struct str original = json_tree_str(json_tree_get(field, "iceberg-field-name"));
        if (type == NULL) {
            return ERR(parser->err, STATUS_INVALID_DATA,
                       "Avro schema: field %u of '%.*s' has no type", i, STR_ARGS(schema->name));
        }
        out[i].name = original.size > 0 ? original : json_tree_str(json_tree_get(field, "name"));
        out[i].id = id_of(field, "field-id");
        TRY(parse_type(parser, type, &out[i].schema));
    }
    schema->fields = out;
    schema->count = fields->count;
    return STATUS_OK;
}

static enum status parse_child(struct parser *parser, const struct json_tree *json, const char *key,
                               struct avro_schema *schema)
{
    const struct json_tree *type = json_tree_get(json, key);
    struct avro_field *child = arena_new(parser->arena, struct avro_field);
    if (type == NULL) {
        return ERR(parser->err, STATUS_INVALID_DATA, "Avro schema: '%s' is missing", key);
    }
    child->id = schema->kind == AVRO_ARRAY ? schema->element_id : schema->value_id;
    TRY(parse_type(parser, type, &child->schema));
    schema->fields = child;
    schema->count = 1;
    return STATUS_OK;
}

static enum status parse_union(struct parser *parser, const struct json_tree *json,
                               const struct avro_schema **out)
{
    struct avro_schema *schema = schema_new(parser, AVRO_UNION);
    struct avro_field *branches = arena_new_array(parser->arena, struct avro_field, json->count);
    for (uint32_t i = 0; i < json->count; i++) {
        branches[i].id = AVRO_NO_ID;
        TRY(parse_type(parser, &json->items[i], &branches[i].schema));
    }
    schema->count = json->count;
    schema->fields = branches;
    *out = schema;
    return STATUS_OK;
}

static enum status parse_enum(struct parser *parser, const struct json_tree *json,
                              struct avro_schema *schema)
{
    const struct json_tree *symbols = json_tree_get(json, "symbols");
    if (symbols == NULL || symbols->kind != JSON_TREE_ARRAY) {
        return ERR(parser->err, STATUS_INVALID_DATA, "Avro schema: enum without symbols");
    }
    struct avro_field *out = arena_new_array(parser->arena, struct avro_field, symbols->count);
    for (uint32_t i = 0; i < symbols->count; i++) {
        out[i] = (struct avro_field){json_tree_str(&symbols->items[i]), AVRO_NO_ID, NULL};
    }
    schema->fields = out;
    schema->count = symbols->count;
    return STATUS_OK;
}

static enum status parse_object(struct parser *parser, const struct json_tree *json,
                                const struct avro_schema **out)
{
    const struct json_tree *type = json_tree_get(json, "type");
    if (type == NULL) {
        return ERR(parser->err, STATUS_INVALID_DATA, "Avro schema: a type without 'type'");
    }
    if (type->kind != JSON_TREE_STRING) {
        return parse_type(parser, type, out); // {"type": {...}}, which Avro allows
    }
    struct str name = type->text;
    bool is_named = str_is(name, "record") || str_is(name, "error") || str_is(name, "enum") ||
                    str_is(name, "fixed");
    enum avro_kind kind = str_is(name, "enum")    ? AVRO_ENUM
                          : str_is(name, "fixed") ? AVRO_FIXED
                          : str_is(name, "array") ? AVRO_ARRAY
                          : str_is(name, "map")   ? AVRO_MAP
                                                  : AVRO_RECORD;
    struct avro_schema *schema = schema_new(parser, kind);
    if (is_named) {
        schema->name = json_tree_str(json_tree_get(json, "name"));
        VEC_PUSH(&parser->named, schema);
    } else if (kind == AVRO_RECORD) {
        const struct avro_schema *referred;
        TRY(parse_name(parser, name, &referred));
        *schema = *referred;
        if (referred->name.size > 0) {
            *out = referred; // complete only later where it contains itself
            return STATUS_OK;
        }
    }
    parse_properties(json, schema);
    *out = schema;
    if (kind == AVRO_FIXED) {
        int64_t size;
        if (!json_tree_int(json_tree_get(json, "size"), &size) || size < 0 ||
            size > FIXED_SIZE_MAX) {
            return ERR(parser->err, STATUS_INVALID_DATA, "Avro schema: fixed with a bad size");
        }
        schema->size = (int32_t)size;
        return STATUS_OK;
    }
    return kind == AVRO_ENUM    ? parse_enum(parser, json, schema)
           : kind == AVRO_ARRAY ? parse_child(parser, json, "items", schema)
           : kind == AVRO_MAP   ? parse_child(parser, json, "values", schema)
           : is_named           ? parse_record(parser, json, schema)
                                : STATUS_OK;
}

static enum status parse_type(struct parser *parser, const struct json_tree *json,
                              const struct avro_schema **out)
{
    if (parser->depth >= AVRO_DEPTH_MAX) {
        return ERR(parser->err, STATUS_LIMIT, "Avro schema: nested over %d levels", AVRO_DEPTH_MAX);
    }
    parser->depth++;
    enum status status = json->kind == JSON_TREE_STRING  ? parse_name(parser, json->text, out)
                         : json->kind == JSON_TREE_ARRAY ? parse_union(parser, json, out)
                         : json->kind == JSON_TREE_OBJECT
                             ? parse_object(parser, json, out)
                             : ERR(parser->err, STATUS_INVALID_DATA,
                                   "Avro schema: a type is a name, object or array");
    parser->depth--;
    return status;
}

enum status avro_schema_parse(struct arena *arena, struct str json, const struct avro_schema **out,
                              struct err *err)
{
    const struct json_tree *tree;
    struct parser parser = {.arena = arena, .err = err};
    *out = NULL;
    TRY(json_tree_parse(arena, json, &tree, err));
    enum status status = parse_type(&parser, tree, out);
    VEC_RELEASE(&parser.named);
    return status;
}

const struct avro_schema *avro_schema_value(const struct avro_schema *schema)
{
    if (schema->kind != AVRO_UNION) {
        return schema;
    }
    if (schema->count == 1) {
        return schema->fields[0].schema;
    }
    if (schema->count != 2) {
        return NULL;
    }
    return schema->fields[0].schema->kind == AVRO_NULL   ? schema->fields[1].schema
           : schema->fields[1].schema->kind == AVRO_NULL ? schema->fields[0].schema
                                                         : NULL;
}
