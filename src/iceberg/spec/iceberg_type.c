// SPDX-License-Identifier: Apache-2.0
#include "iceberg/spec/iceberg_type.h"

#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "codec/json_tree.h"
#include "iceberg/spec/json_need.h"

static const char *const names[] = {
#define X(name, text) text,
    ICEBERG_KIND_LIST(X)
#undef X
};

enum { KIND_COUNT = sizeof names / sizeof *names };

static const struct iceberg_type simple[KIND_COUNT] = {
#define X(name, text) {.kind = ICEBERG_##name},
    ICEBERG_KIND_LIST(X)
#undef X
};

const struct iceberg_type *iceberg_type_simple(enum iceberg_kind kind)
{
    return &simple[kind];
}

const struct iceberg_type *iceberg_type_decimal(struct arena *arena, int32_t precision,
                                                int32_t scale)
{
    struct iceberg_type *type = arena_new(arena, struct iceberg_type);
    type->kind = ICEBERG_DECIMAL;
    type->precision = precision;
    type->scale = scale;
    return type;
}

const struct iceberg_type *iceberg_type_fixed(struct arena *arena, int32_t length)
{
    struct iceberg_type *type = arena_new(arena, struct iceberg_type);
    type->kind = ICEBERG_FIXED;
    type->precision = length;
    return type;
}

static struct iceberg_type *nested(struct arena *arena, enum iceberg_kind kind,
                                   const struct iceberg_field *fields, uint32_t count)
{
    struct iceberg_type *type = arena_new(arena, struct iceberg_type);
    type->kind = kind;
    type->field_count = count;
    type->fields = arena_copy(arena, fields, count * sizeof *fields);
    return type;
}

const struct iceberg_type *iceberg_type_struct(struct arena *arena,
                                               const struct iceberg_field *fields, uint32_t count)
{
    return nested(arena, ICEBERG_STRUCT, fields, count);
}

const struct iceberg_type *iceberg_type_list(struct arena *arena, int32_t element_id,
                                             bool element_required,
                                             const struct iceberg_type *element)
{
    struct iceberg_field field = {.id = element_id,
                                  .required = element_required,
                                  .name = STR_LIT("element"),
                                  .type = element};
    return nested(arena, ICEBERG_LIST, &field, 1);
}

const struct iceberg_type *iceberg_type_map(struct arena *arena, const int32_t ids[2],
                                            bool value_required, const struct iceberg_type *key,
                                            const struct iceberg_type *value)
{
    struct iceberg_field fields[2] = {
        {.id = ids[0], .required = true, .name = STR_LIT("key"), .type = key},
        {.id = ids[1], .required = value_required, .name = STR_LIT("value"), .type = value},
    };
    return nested(arena, ICEBERG_MAP, fields, 2);
}

bool iceberg_type_is_primitive(const struct iceberg_type *type)
{
    return type->kind < ICEBERG_STRUCT && type->kind != ICEBERG_VARIANT;
}

static bool json_equal(const struct json_tree *a, const struct json_tree *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    if (a->kind != b->kind || a->count != b->count || !str_equal(a->text, b->text) ||
        (a->kind == JSON_TREE_BOOL && a->as.boolean != b->as.boolean)) {
        return false;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        if (!json_equal(&a->items[i], &b->items[i]) ||
            (a->keys != NULL && !str_equal(a->keys[i], b->keys[i]))) {
            return false;
        }
    }
    return true;
}

bool iceberg_type_equal(const struct iceberg_type *a, const struct iceberg_type *b)
{
    if (a->kind != b->kind || a->precision != b->precision || a->scale != b->scale ||
        !str_equal(a->parameters, b->parameters) || a->field_count != b->field_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->field_count; i++) {
        const struct iceberg_field *x = &a->fields[i];
        const struct iceberg_field *y = &b->fields[i];
        if (x->id != y->id || x->required != y->required || !str_equal(x->name, y->name) ||
            (x->doc.ptr == NULL) != (y->doc.ptr == NULL) || !str_equal(x->doc, y->doc) ||
            !json_equal(x->initial_default, y->initial_default) ||
            !json_equal(x->write_default, y->write_default) ||
            !iceberg_type_equal(x->type, y->type)) {
            return false;
        }
    }
    return true;
}

int32_t iceberg_type_version(const struct iceberg_type *type)
{
    int32_t version = type->kind == ICEBERG_TIMESTAMP_NS || type->kind == ICEBERG_TIMESTAMPTZ_NS ||
                              type->kind == ICEBERG_UNKNOWN || type->kind == ICEBERG_VARIANT ||
                              type->kind == ICEBERG_GEOMETRY || type->kind == ICEBERG_GEOGRAPHY
                          ? 3
                          : 1;
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct iceberg_field *field = &type->fields[i];
        int32_t below = field->initial_default != NULL ? 3 : iceberg_type_version(field->type);
        version = below > version ? below : version;
    }
    return version;
}

void iceberg_type_print(struct strbuf *out, const struct iceberg_type *type)
{
    strbuf_add_text(out, names[type->kind]);
    if (type->kind == ICEBERG_DECIMAL) {
        strbuf_printf(out, "(%d, %d)", type->precision, type->scale);
    } else if (type->kind == ICEBERG_FIXED) {
        strbuf_printf(out, "[%d]", type->precision);
    } else if (type->parameters.size > 0) {
        strbuf_printf(out, "(%.*s)", STR_ARGS(type->parameters));
    }
}

static void print_default(struct strbuf *out, const char *key, const struct json_tree *value)
{
    if (value != NULL) {
        strbuf_printf(out, ",\"%s\":", key);
        json_tree_print(out, value);
    }
}

void iceberg_type_print_fields(struct strbuf *out, const struct iceberg_type *type)
{
    strbuf_add_text(out, "\"fields\":[");
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct iceberg_field *field = &type->fields[i];
        strbuf_printf(out, "%s{\"id\":%d,\"name\":", i > 0 ? "," : "", field->id);
        json_tree_quote(out, field->name);
        strbuf_printf(out, ",\"required\":%s,\"type\":", field->required ? "true" : "false");
        iceberg_type_print_json(out, field->type);
        if (field->doc.ptr != NULL) {
            strbuf_add_text(out, ",\"doc\":");
            json_tree_quote(out, field->doc);
        }
        print_default(out, "initial-default", field->initial_default);
        print_default(out, "write-default", field->write_default);
        strbuf_add_byte(out, '}');
    }
    strbuf_add_byte(out, ']');
}

void iceberg_type_print_json(struct strbuf *out, const struct iceberg_type *type)
{
    if (type->kind == ICEBERG_STRUCT) {
        strbuf_add_text(out, "{\"type\":\"struct\",");
        iceberg_type_print_fields(out, type);
        strbuf_add_byte(out, '}');
    } else if (type->kind == ICEBERG_LIST) {
        strbuf_printf(out, "{\"type\":\"list\",\"element-id\":%d,\"element\":", type->fields[0].id);
        iceberg_type_print_json(out, type->fields[0].type);
        strbuf_printf(out, ",\"element-required\":%s}",
                      type->fields[0].required ? "true" : "false");
    } else if (type->kind == ICEBERG_MAP) {
        strbuf_printf(out, "{\"type\":\"map\",\"key-id\":%d,\"key\":", type->fields[0].id);
        iceberg_type_print_json(out, type->fields[0].type);
        strbuf_printf(out, ",\"value-id\":%d,\"value\":", type->fields[1].id);
        iceberg_type_print_json(out, type->fields[1].type);
        strbuf_printf(out, ",\"value-required\":%s}", type->fields[1].required ? "true" : "false");
    } else {
        struct strbuf text; // of a geometry it is somebody else's
        strbuf_init(&text, type->parameters.size + 64);
        iceberg_type_print(&text, type);
        json_tree_quote(out, strbuf_str(&text));
        strbuf_release(&text);
    }
}

static enum status unknown_type(struct str text, struct err *err)
{
    return ERR(err, STATUS_UNSUPPORTED, "unknown Iceberg type '%.*s'", STR_ARGS(text));
}

// "9, 2" between brackets; `second` NULL: one number only.
static bool parse_numbers(struct str text, int32_t *first, int32_t *second)
{
    int64_t number;
    size_t comma = str_find(text, ',');
    if ((comma < text.size) != (second != NULL)) {
        return false;
    }
    if (!str_to_i64(str_trim(str_slice(text, 0, comma)), &number) || number < 0 ||
        number > INT32_MAX) {
        return false;
    }
    *first = (int32_t)number;
    if (second != NULL) {
        if (!str_to_i64(str_trim(str_slice(text, comma + 1, text.size)), &number) || number < 0 ||
            number > 38) {
            return false;
        }
        *second = (int32_t)number;
    }
    return true;
}

static enum status parse_text(struct arena *arena, struct str text, const struct iceberg_type **out,
                              struct err *err)
{
    size_t open = 0;
    while (open < text.size && text.ptr[open] != '(' && text.ptr[open] != '[') {
        open++;
    }
    struct str name = str_trim(str_slice(text, 0, open));
    struct str inside = STR_LIT("");
    if (open < text.size) {
        char closing = text.ptr[open] == '(' ? ')' : ']';
        if (text.ptr[text.size - 1] != closing) {
            return unknown_type(text, err);
        }
        inside = str_trim(str_slice(text, open + 1, text.size - 1));
    }
    int kind = 0;
    while (kind < ICEBERG_STRUCT && !str_is_nocase(name, names[kind])) {
        kind++;
    }
    if (kind == ICEBERG_STRUCT) {
        return unknown_type(text, err);
    }
    if (kind < ICEBERG_DECIMAL) {
        *out = &simple[kind];
        return inside.size > 0 ? unknown_type(text, err) : STATUS_OK;
    }
    struct iceberg_type *type = arena_new(arena, struct iceberg_type);
    type->kind = (enum iceberg_kind)kind;
    bool good = true;
    if (kind == ICEBERG_DECIMAL) {
        good = parse_numbers(inside, &type->precision, &type->scale) && type->precision >= 1 &&
               type->precision <= 38 && type->scale <= type->precision;
    } else if (kind == ICEBERG_FIXED) {
        good = parse_numbers(inside, &type->precision, NULL);
    } else {
        type->parameters = inside;
    }
    *out = type;
    return good ? STATUS_OK : unknown_type(text, err);
}

static enum status parse_at(struct arena *arena, const struct json_tree *json, int depth,
                            const struct iceberg_type **out, struct err *err);

static enum status parse_struct(struct arena *arena, const struct json_tree *json, int depth,
                                const struct iceberg_type **out, struct err *err)
{
    const struct json_tree *fields;
    TRY(json_need_array(json, "fields", &fields, err));
    struct iceberg_field *parsed = arena_new_array(arena, struct iceberg_field, fields->count);
    for (uint32_t i = 0; i < fields->count; i++) {
        const struct json_tree *field = &fields->items[i];
        TRY(json_need_i32(field, "id", &parsed[i].id, err));
        TRY(json_need_str(field, "name", &parsed[i].name, err));
        TRY(json_need_bool(field, "required", &parsed[i].required, err));
        TRY(parse_at(arena, json_tree_find(field, "type"), depth + 1, &parsed[i].type, err));
        const struct json_tree *doc = json_tree_find(field, "doc");
        if (doc != NULL && doc->kind == JSON_TREE_STRING) {
            parsed[i].doc = doc->text.ptr != NULL ? doc->text : STR_LIT("");
        }
        parsed[i].initial_default = json_tree_find(field, "initial-default");
        parsed[i].write_default = json_tree_find(field, "write-default");
    }
    *out = iceberg_type_struct(arena, parsed, fields->count);
    return STATUS_OK;
}

static enum status parse_at(struct arena *arena, const struct json_tree *json, int depth,
                            const struct iceberg_type **out, struct err *err)
{
    if (depth > ICEBERG_DEPTH_MAX) {
        return ERR(err, STATUS_LIMIT, "types nested over %d levels", ICEBERG_DEPTH_MAX);
    }
    if (json == NULL) {
        return ERR(err, STATUS_INVALID_DATA, "'type' is missing");
    }
    if (json->kind == JSON_TREE_STRING) {
        return parse_text(arena, json->text, out, err);
    }
    struct str kind;
    bool required;
    TRY(json_need_str(json, "type", &kind, err));
    if (str_is(kind, "struct")) {
        return parse_struct(arena, json, depth, out, err);
    }
    if (str_is(kind, "list")) {
        int32_t id;
        const struct iceberg_type *element;
        TRY(json_need_i32(json, "element-id", &id, err));
        TRY(json_need_bool(json, "element-required", &required, err));
        TRY(parse_at(arena, json_tree_find(json, "element"), depth + 1, &element, err));
        *out = iceberg_type_list(arena, id, required, element);
        return STATUS_OK;
    }
    if (str_is(kind, "map")) {
        int32_t ids[2];
        const struct iceberg_type *key;
        const struct iceberg_type *value;
        TRY(json_need_i32(json, "key-id", &ids[0], err));
        TRY(json_need_i32(json, "value-id", &ids[1], err));
        TRY(json_need_bool(json, "value-required", &required, err));
        TRY(parse_at(arena, json_tree_find(json, "key"), depth + 1, &key, err));
        TRY(parse_at(arena, json_tree_find(json, "value"), depth + 1, &value, err));
        *out = iceberg_type_map(arena, ids, required, key, value);
        return STATUS_OK;
    }
    return unknown_type(kind, err);
}

enum status iceberg_type_parse(struct arena *arena, const struct json_tree *json,
                               const struct iceberg_type **out, struct err *err)
{
    return parse_at(arena, json, 0, out, err);
}
