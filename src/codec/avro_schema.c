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
    struct str space;                // the namespace around; empty: none
    bool has_ids;
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
    {"variant", AVRO_LOGICAL_VARIANT},
};

static struct avro_schema *schema_new(struct parser *parser, enum avro_kind kind)
{
    struct avro_schema *schema = arena_new(parser->arena, struct avro_schema);
    schema->kind = kind;
    schema->element_id = schema->key_id = schema->value_id = AVRO_NO_ID;
    schema->default_symbol = -1;
    schema->weight = 1;
    schema->empty = kind == AVRO_NULL;
    return schema;
}

// The namespace of a full name; empty: none.
static struct str space_of(struct str name)
{
    struct str last = avro_schema_short_name(name);
    return last.size < name.size ? str_slice(name, 0, name.size - last.size - 1) : STR_LIT("");
}

static struct str full_name(struct parser *parser, struct str name, struct str space)
{
    if (space.size == 0 || space_of(name).size > 0) {
        return name;
    }
    return arena_printf(parser->arena, "%.*s.%.*s", STR_ARGS(space), STR_ARGS(name));
}

static const struct avro_schema *find_named(const struct parser *parser, struct str name)
{
    for (uint32_t i = parser->named.count; i-- > 0;) {
        if (str_equal(parser->named.items[i]->name, name)) {
            return parser->named.items[i];
        }
    }
    return NULL;
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
    *out = find_named(parser, full_name(parser, name, parser->space));
    if (*out == NULL) {
        *out = find_named(parser, name); // a name without namespace, meant so
    }
    return *out != NULL ? STATUS_OK
                        : ERR(parser->err, STATUS_INVALID_DATA, "Avro schema: unknown type '%.*s'",
                              STR_ARGS(name));
}

static int32_t id_of(struct parser *parser, const struct json_tree *json, const char *key)
{
    int64_t id;
    if (!json_tree_int(json_tree_get(json, key), &id) || id < 0 || id > INT32_MAX) {
        return AVRO_NO_ID;
    }
    parser->has_ids = true;
    return (int32_t)id;
}

// The most digits that a number of `size` bytes holds in any case.
static int32_t digits_of(int32_t size)
{
    return size >= 16 ? AVRO_DECIMAL_DIGITS_MAX : (int32_t)((double)(8 * size - 1) * 0.30103);
}

// Whether the specification knows the logical type on this type.
static bool logical_fits(const struct avro_schema *schema, enum avro_logical logical)
{
    bool is_fixed = schema->kind == AVRO_FIXED;
    switch (logical) {
    case AVRO_LOGICAL_NONE: return true;
    case AVRO_LOGICAL_DECIMAL:
        return (schema->kind == AVRO_BYTES ||
                (is_fixed && schema->precision <= digits_of(schema->size))) &&
               schema->precision > 0 && schema->scale <= schema->precision;
    case AVRO_LOGICAL_DATE:
    case AVRO_LOGICAL_TIME_MILLIS: return schema->kind == AVRO_INT;
    case AVRO_LOGICAL_TIME_MICROS:
    case AVRO_LOGICAL_TIMESTAMP_MILLIS:
    case AVRO_LOGICAL_TIMESTAMP_MICROS:
    case AVRO_LOGICAL_TIMESTAMP_NANOS:
    case AVRO_LOGICAL_LOCAL_TIMESTAMP_MILLIS:
    case AVRO_LOGICAL_LOCAL_TIMESTAMP_MICROS:
    case AVRO_LOGICAL_LOCAL_TIMESTAMP_NANOS: return schema->kind == AVRO_LONG;
    case AVRO_LOGICAL_UUID: return schema->kind == AVRO_STRING || (is_fixed && schema->size == 16);
    case AVRO_LOGICAL_MAP: return schema->kind == AVRO_ARRAY;
    case AVRO_LOGICAL_VARIANT: return avro_schema_is_variant(schema);
    }
    return false;
}

// After what the type itself consists of (a fixed's size) is known.
static void parse_properties(const struct json_tree *json, struct avro_schema *schema)
{
    struct str name = json_tree_str(json_tree_get(json, "logicalType"));
    const struct json_tree *scale = json_tree_get(json, "scale");
    int64_t number;
    if (json_tree_int(json_tree_get(json, "precision"), &number) && number > 0 &&
        number <= AVRO_DECIMAL_DIGITS_MAX) {
        schema->precision = (int32_t)number;
    }
    if (json_tree_int(scale, &number) && number >= 0 && number <= AVRO_DECIMAL_DIGITS_MAX) {
        schema->scale = (int32_t)number;
    } else if (scale != NULL) {
        schema->precision = 0; // not sound
    }
    for (size_t i = 0; i < sizeof logicals / sizeof *logicals; i++) {
        if (str_is(name, logicals[i].name) && logical_fits(schema, logicals[i].logical)) {
            schema->logical = logicals[i].logical;
        }
    }
    const struct json_tree *adjust = json_tree_get(json, "adjust-to-utc");
    if (adjust != NULL && adjust->kind == JSON_TREE_BOOL) {
        schema->adjust = adjust->as.boolean ? AVRO_ADJUST_TRUE : AVRO_ADJUST_FALSE;
    }
}

// The texts of an array of strings; anything else there is left out.
static uint32_t parse_aliases(struct parser *parser, const struct json_tree *json,
                              const struct str **out)
{
    const struct json_tree *aliases = json_tree_get(json, "aliases");
    uint32_t count = 0;
    if (aliases == NULL || aliases->kind != JSON_TREE_ARRAY) {
        return 0;
    }
    struct str *texts = arena_new_array(parser->arena, struct str, aliases->count);
    for (uint32_t i = 0; i < aliases->count; i++) {
        if (json_tree_str(&aliases->items[i]).size > 0) {
            texts[count++] = json_tree_str(&aliases->items[i]);
        }
    }
    *out = texts;
    return count;
}

// Counts what a type is made of into its weight.
static enum status add_weight(struct parser *parser, struct avro_schema *schema,
                              const struct avro_schema *part)
{
    schema->weight += part->weight; // both are at most AVRO_WEIGHT_MAX
    schema->empty += schema->kind == AVRO_RECORD ? part->empty : 0; // unions and counts take bytes
    return schema->weight <= AVRO_WEIGHT_MAX
               ? STATUS_OK
               : ERR(parser->err, STATUS_LIMIT, "Avro schema: over %d types", AVRO_WEIGHT_MAX);
}

static enum status parse_field(struct parser *parser, const struct json_tree *json,
                               struct avro_field *out)
{
    const struct json_tree *type = json_tree_get(json, "type");
    struct str original = json_tree_str(json_tree_get(json, "iceberg-field-name"));
    out->written_name = json_tree_str(json_tree_get(json, "name"));
    if (type == NULL || out->written_name.size == 0) {
        return ERR(parser->err, STATUS_INVALID_DATA, "Avro schema: a field without %s",
                   type == NULL ? "type" : "name");
    }
    out->name = original.size > 0 ? original : out->written_name;
    out->id = id_of(parser, json, "field-id");
    out->default_value = json_tree_get(json, "default");
    out->alias_count = parse_aliases(parser, json, &out->aliases);
    return parse_type(parser, type, &out->schema);
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
        enum status status = parse_field(parser, &fields->items[i], &out[i]);
        if (status != STATUS_OK) {
            err_context(parser->err, "field %u of '%.*s'", i, STR_ARGS(schema->name));
            return status;
        }
    }
    for (uint32_t i = 0; i < fields->count; i++) {
        TRY(add_weight(parser, schema, out[i].schema));
    }
    schema->empty += fields->count == 0;
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
    schema->element_id = id_of(parser, json, "element-id");
    schema->key_id = id_of(parser, json, "key-id");
    schema->value_id = id_of(parser, json, "value-id");
    child->id = schema->kind == AVRO_ARRAY ? schema->element_id : schema->value_id;
    TRY(parse_type(parser, type, &child->schema));
    TRY(add_weight(parser, schema, child->schema));
    schema->fields = child;
    schema->count = 1;
    return STATUS_OK;
}

static bool is_named(enum avro_kind kind)
{
    return kind == AVRO_RECORD || kind == AVRO_ENUM || kind == AVRO_FIXED;
}

static enum status check_branch(struct parser *parser, const struct avro_field *branches,
                                uint32_t at)
{
    const struct avro_schema *branch = branches[at].schema;
    if (branch->kind == AVRO_UNION) {
        return ERR(parser->err, STATUS_INVALID_DATA, "Avro schema: a union within a union");
    }
    for (uint32_t i = 0; i < at; i++) {
        if (branches[i].schema->kind == branch->kind &&
            (!is_named(branch->kind) || str_equal(branches[i].schema->name, branch->name))) {
            return ERR(parser->err, STATUS_INVALID_DATA,
                       "Avro schema: two branches of a union are of the same type");
        }
    }
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
        TRY(check_branch(parser, branches, i));
        TRY(add_weight(parser, schema, branches[i].schema));
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
    struct str by_default = json_tree_str(json_tree_get(json, "default"));
    if (symbols == NULL || symbols->kind != JSON_TREE_ARRAY) {
        return ERR(parser->err, STATUS_INVALID_DATA, "Avro schema: enum without symbols");
    }
    struct avro_field *out = arena_new_array(parser->arena, struct avro_field, symbols->count);
    for (uint32_t i = 0; i < symbols->count; i++) {
        out[i] = (struct avro_field){.name = json_tree_str(&symbols->items[i]), .id = AVRO_NO_ID};
        out[i].written_name = out[i].name;
        if (out[i].name.size == 0) {
            return ERR(parser->err, STATUS_INVALID_DATA,
                       "Avro schema: a symbol of '%.*s' is no name", STR_ARGS(schema->name));
        }
        if (str_equal(out[i].name, by_default)) {
            schema->default_symbol = (int32_t)i;
        }
    }
    schema->fields = out;
    schema->count = symbols->count;
    return STATUS_OK;
}

static enum status parse_fixed(struct parser *parser, const struct json_tree *json,
                               struct avro_schema *schema)
{
    int64_t size;
    if (!json_tree_int(json_tree_get(json, "size"), &size) || size < 0 || size > FIXED_SIZE_MAX) {
        return ERR(parser->err, STATUS_INVALID_DATA, "Avro schema: fixed with a bad size");
    }
    schema->size = (int32_t)size;
    schema->empty = size == 0;
    return STATUS_OK;
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static bool is_full_name(struct str name)
{
    bool at_start = true;
    for (size_t i = 0; i < name.size; i++) {
        char byte = name.ptr[i];
        bool is_digit = byte >= '0' && byte <= '9';
        if (byte == '.' ? at_start : !(is_letter(byte) || (is_digit && !at_start))) {
            return false;
        }
        at_start = byte == '.';
    }
    return !at_start;
}

// RECORD, ENUM, FIXED.
static enum status parse_named(struct parser *parser, const struct json_tree *json,
                               struct avro_schema *schema)
{
    struct str name = json_tree_str(json_tree_get(json, "name"));
    const struct json_tree *space = json_tree_get(json, "namespace");
    struct str outer = parser->space;
    if (!is_full_name(name)) {
        return ERR(parser->err, STATUS_INVALID_DATA, "Avro schema: '%.*s' is no name of a type",
                   STR_ARGS(name));
    }
    schema->name = full_name(parser, name, space != NULL ? json_tree_str(space) : outer);
    parser->space = space_of(schema->name);
    schema->alias_count = parse_aliases(parser, json, &schema->aliases);
    struct str *aliases = arena_new_array(parser->arena, struct str, schema->alias_count);
    for (uint32_t i = 0; i < schema->alias_count; i++) {
        aliases[i] = full_name(parser, schema->aliases[i], parser->space);
    }
    schema->aliases = aliases;
    VEC_PUSH(&parser->named, schema);
    enum status status = schema->kind == AVRO_ENUM    ? parse_enum(parser, json, schema)
                         : schema->kind == AVRO_FIXED ? parse_fixed(parser, json, schema)
                                                      : parse_record(parser, json, schema);
    parser->space = outer;
    return status;
}

static enum status parse_object(struct parser *parser, const struct json_tree *json,
                                const struct avro_schema **out)
{
    static const struct {
        const char *name;
        enum avro_kind kind;
    } composites[] = {{"record", AVRO_RECORD}, {"error", AVRO_RECORD}, {"enum", AVRO_ENUM},
                      {"fixed", AVRO_FIXED},   {"array", AVRO_ARRAY},  {"map", AVRO_MAP}};
    const struct json_tree *type = json_tree_get(json, "type");
    struct avro_schema *schema = NULL;
    if (type == NULL) {
        return ERR(parser->err, STATUS_INVALID_DATA, "Avro schema: a type without 'type'");
    }
    if (type->kind != JSON_TREE_STRING) {
        return parse_type(parser, type, out); // {"type": {...}}, which Avro allows
    }
    for (size_t i = 0; i < sizeof composites / sizeof *composites; i++) {
        if (str_is(type->text, composites[i].name)) {
            schema = schema_new(parser, composites[i].kind);
        }
    }
    if (schema == NULL) {
        const struct avro_schema *referred;
        TRY(parse_name(parser, type->text, &referred));
        if (referred->name.size > 0) {
            *out = referred; // complete only later where it contains itself
            return STATUS_OK;
        }
        schema = schema_new(parser, referred->kind);
    } else if (is_named(schema->kind)) {
        TRY(parse_named(parser, json, schema));
    } else {
        bool is_array = schema->kind == AVRO_ARRAY;
        TRY(parse_child(parser, json, is_array ? "items" : "values", schema));
    }
    parse_properties(json, schema);
    *out = schema;
    return STATUS_OK;
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
    if (status == STATUS_OK) {
        struct avro_schema *root = arena_new(arena, struct avro_schema);
        *root = **out;
        root->has_ids = parser.has_ids;
        *out = root;
    }
    return status;
}

bool avro_schema_is_variant(const struct avro_schema *schema)
{
    bool is_pair = schema->kind == AVRO_RECORD && schema->count == 2 &&
                   schema->fields[0].schema->kind == AVRO_BYTES &&
                   schema->fields[1].schema->kind == AVRO_BYTES;
    uint32_t metadata = is_pair && str_is(schema->fields[1].written_name, "metadata");
    return is_pair && str_is(schema->fields[metadata].written_name, "metadata") &&
           str_is(schema->fields[1 - metadata].written_name, "value");
}

struct str avro_schema_short_name(struct str name)
{
    size_t from = name.size;
    while (from > 0 && name.ptr[from - 1] != '.') {
        from--;
    }
    return str_slice(name, from, name.size);
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
