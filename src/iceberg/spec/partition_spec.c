// SPDX-License-Identifier: Apache-2.0
#include "iceberg/spec/partition_spec.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "codec/json_tree.h"
#include "iceberg/spec/json_need.h"
#include "iceberg/spec/table_schema.h"

enum { FIELD_ID_FIRST = 1000 };

static enum status parse_field(struct arena *arena, const struct json_tree *json, uint32_t at,
                               struct partition_field *out, struct err *err)
{
    struct str transform;
    const struct json_tree *sources;
    int64_t source;
    (void)arena;
    TRY(json_need_str(json, "name", &out->name, err));
    TRY(json_need_str(json, "transform", &transform, err));
    TRY(json_need_i32_or(json, "field-id", FIELD_ID_FIRST + (int32_t)at, &out->field_id, err));
    TRY(json_need_array_or(json, "source-ids", &sources, err));
    if (sources != NULL && sources->count > 0 && json_tree_int(&sources->items[0], &source) &&
        source >= 0 && source <= INT32_MAX) {
        out->source_ids = sources;
        out->source_id = (int32_t)source;
    } else {
        TRY(json_need_i32(json, "source-id", &out->source_id, err));
    }
    out->transform = transform_parse(transform);
    if (sources != NULL && sources->count > 1) {
        out->transform = (struct transform){.kind = TRANSFORM_UNKNOWN, .text = transform};
    }
    return STATUS_OK;
}

enum status partition_spec_parse(struct arena *arena, const struct json_tree *json, int32_t spec_id,
                                 const struct partition_spec **out, struct err *err)
{
    const struct json_tree *fields = json;
    if (json != NULL && json->kind == JSON_TREE_OBJECT) {
        TRY(json_need_i32(json, "spec-id", &spec_id, err));
        TRY(json_need_array(json, "fields", &fields, err));
    }
    if (fields == NULL || fields->kind != JSON_TREE_ARRAY) {
        return ERR(err, STATUS_INVALID_DATA, "'fields' is not a list");
    }
    struct partition_field *parsed = arena_new_array(arena, struct partition_field, fields->count);
    for (uint32_t i = 0; i < fields->count; i++) {
        TRY(parse_field(arena, &fields->items[i], i, &parsed[i], err));
        parsed[i].result = iceberg_type_simple(ICEBERG_STRING);
    }
    struct partition_spec *spec = arena_new(arena, struct partition_spec);
    *spec = (struct partition_spec){spec_id, fields->count, parsed};
    *out = spec;
    return STATUS_OK;
}

void partition_spec_print_fields(struct strbuf *out, const struct partition_spec *spec)
{
    strbuf_add_byte(out, '[');
    for (uint32_t i = 0; i < spec->field_count; i++) {
        const struct partition_field *field = &spec->fields[i];
        strbuf_printf(out, "%s{\"name\":", i > 0 ? "," : "");
        json_tree_quote(out, field->name);
        strbuf_add_text(out, ",\"transform\":");
        transform_print_json(out, &field->transform);
        if (field->source_ids != NULL) {
            strbuf_add_text(out, ",\"source-ids\":");
            json_tree_print(out, field->source_ids);
        } else {
            strbuf_printf(out, ",\"source-id\":%d", field->source_id);
        }
        strbuf_printf(out, ",\"field-id\":%d}", field->field_id);
    }
    strbuf_add_byte(out, ']');
}

void partition_spec_print(struct strbuf *out, const struct partition_spec *spec)
{
    strbuf_printf(out, "{\"spec-id\":%d,\"fields\":", spec->spec_id);
    partition_spec_print_fields(out, spec);
    strbuf_add_byte(out, '}');
}

const struct partition_spec *partition_spec_bind(struct arena *arena,
                                                 const struct partition_spec *spec,
                                                 const struct table_schema *schema,
                                                 const struct table_schema *const *others,
                                                 uint32_t other_count)
{
    struct partition_field *fields =
        arena_copy(arena, spec->fields, spec->field_count * sizeof *spec->fields);
    for (uint32_t i = 0; i < spec->field_count; i++) {
        const struct table_schema_entry *entry = table_schema_by_id(schema, fields[i].source_id);
        fields[i].source = entry != NULL ? entry->field->type : NULL;
        for (uint32_t j = other_count; entry == NULL && j-- > 0;) {
            entry = table_schema_by_id(others[j], fields[i].source_id);
        }
        if (entry != NULL) {
            fields[i].result = transform_result(&fields[i].transform, entry->field->type);
        }
    }
    struct partition_spec *bound = arena_new(arena, struct partition_spec);
    *bound = (struct partition_spec){spec->spec_id, spec->field_count, fields};
    return bound;
}

const struct iceberg_type *partition_spec_type(struct arena *arena,
                                               const struct partition_spec *spec)
{
    struct iceberg_field *fields =
        arena_new_array(arena, struct iceberg_field, spec->field_count + 1);
    for (uint32_t i = 0; i < spec->field_count; i++) {
        fields[i].id = spec->fields[i].field_id;
        fields[i].name = spec->fields[i].name;
        fields[i].type = spec->fields[i].result;
    }
    return iceberg_type_struct(arena, fields, spec->field_count);
}

bool partition_spec_compatible(const struct partition_spec *a, const struct partition_spec *b)
{
    if (a->field_count != b->field_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->field_count; i++) {
        if (a->fields[i].source_id != b->fields[i].source_id ||
            !str_equal(a->fields[i].name, b->fields[i].name) ||
            !transform_equal(&a->fields[i].transform, &b->fields[i].transform)) {
            return false;
        }
    }
    return true;
}

bool partition_spec_is_unpartitioned(const struct partition_spec *spec)
{
    for (uint32_t i = 0; i < spec->field_count; i++) {
        if (spec->fields[i].transform.kind != TRANSFORM_VOID) {
            return false;
        }
    }
    return true;
}

bool partition_spec_tuple_equal(const struct partition_spec *spec, const struct iceberg_value *a,
                                const struct iceberg_value *b)
{
    for (uint32_t i = 0; i < spec->field_count; i++) {
        if (!iceberg_value_equal(spec->fields[i].result, &a[i], &b[i])) {
            return false;
        }
    }
    return true;
}

uint64_t partition_spec_tuple_hash(const struct partition_spec *spec,
                                   const struct iceberg_value *tuple)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < spec->field_count; i++) {
        hash = hash_combine(hash, iceberg_value_hash(spec->fields[i].result, &tuple[i]));
    }
    return hash;
}

void partition_spec_tuple_key(struct strbuf *out, const struct partition_spec *spec,
                              const struct iceberg_value *tuple)
{
    strbuf_add(out, str_make((const char *)&spec->spec_id, sizeof spec->spec_id));
    for (uint32_t i = 0; i < spec->field_count; i++) {
        iceberg_value_add_key(out, spec->fields[i].result, &tuple[i]);
    }
}

const struct iceberg_value *partition_spec_tuple_copy(struct arena *arena,
                                                      const struct partition_spec *spec,
                                                      const struct iceberg_value *tuple)
{
    struct iceberg_value *copy =
        arena_new_array(arena, struct iceberg_value, spec->field_count + 1);
    for (uint32_t i = 0; i < spec->field_count; i++) {
        copy[i] = iceberg_value_copy(arena, spec->fields[i].result, &tuple[i]);
    }
    return copy;
}

// java.net.URLEncoder in UTF-8.
static void add_encoded(struct strbuf *out, struct str text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                     (byte >= '0' && byte <= '9') || byte == '.' || byte == '-' || byte == '*' ||
                     byte == '_';
        if (plain) {
            strbuf_add_byte(out, (char)byte);
        } else if (byte == ' ') {
            strbuf_add_byte(out, '+');
        } else {
            strbuf_printf(out, "%%%02X", byte);
        }
    }
}

void partition_spec_path(struct strbuf *out, const struct partition_spec *spec,
                         const struct iceberg_value *tuple)
{
    struct strbuf text;
    strbuf_init(&text, 1 << 20);
    for (uint32_t i = 0; i < spec->field_count; i++) {
        const struct partition_field *field = &spec->fields[i];
        const struct iceberg_type *source = field->source != NULL ? field->source : field->result;
        if (i > 0) {
            strbuf_add_byte(out, '/');
        }
        add_encoded(out, field->name);
        strbuf_add_byte(out, '=');
        strbuf_reset(&text);
        transform_print_value(&text, &field->transform, source, &tuple[i]);
        add_encoded(out, strbuf_str(&text));
    }
    strbuf_release(&text);
}
