// SPDX-License-Identifier: Apache-2.0
//
// Defaults of a schema, as bytes that a decoder reads like any others.
#include "base/arena.h"
#include "codec/avro_decode_int.h"
#include "codec/avro_put.h"
#include "codec/json_tree.h"

enum { DEFAULT_BYTES_MAX = 1 << 20 };

struct encoder {
    struct strbuf out;
    int depth;
    struct err *err;
};

static enum status put(struct encoder *at, const struct avro_schema *schema,
                       const struct json_tree *json);

static enum status bad(struct encoder *at)
{
    return ERR(at->err, STATUS_INVALID_DATA, "Avro schema: a default is no value of its type");
}

// Bytes stand in JSON as characters U+0000 to U+00FF.
static enum status put_latin(struct encoder *at, const struct avro_schema *schema, struct str text)
{
    struct strbuf bytes;
    bool is_good = true;
    strbuf_init(&bytes, DEFAULT_BYTES_MAX);
    for (size_t i = 0; is_good && i < text.size; i++) {
        uint8_t byte = (uint8_t)text.ptr[i];
        if (byte >= 0x80) { // C2 or C3 and one byte more
            is_good = (byte == 0xc2 || byte == 0xc3) && i + 1 < text.size;
            byte = (uint8_t)(is_good ? byte << 6 | (text.ptr[++i] & 0x3f) : 0);
        }
        strbuf_add_byte(&bytes, (char)byte);
    }
    if (schema->kind == AVRO_BYTES) {
        avro_put_bytes(&at->out, strbuf_str(&bytes));
    } else {
        is_good = is_good && bytes.size == (size_t)schema->size;
        strbuf_add(&at->out, strbuf_str(&bytes));
    }
    strbuf_release(&bytes);
    return is_good ? STATUS_OK : bad(at);
}

static enum status put_symbol(struct encoder *at, const struct avro_schema *schema, struct str name)
{
    for (uint32_t i = 0; i < schema->count; i++) {
        if (str_equal(schema->fields[i].name, name)) {
            avro_put_long(&at->out, (int64_t)i);
            return STATUS_OK;
        }
    }
    return bad(at);
}

static enum status put_items(struct encoder *at, const struct avro_schema *schema,
                             const struct json_tree *json)
{
    bool is_map = schema->kind == AVRO_MAP;
    if (json->kind != (is_map ? JSON_TREE_OBJECT : JSON_TREE_ARRAY)) {
        return bad(at);
    }
    if (json->count > 0) {
        avro_put_long(&at->out, (int64_t)json->count);
    }
    for (uint32_t i = 0; i < json->count; i++) {
        if (is_map) {
            avro_put_bytes(&at->out, json->keys[i]);
        }
        TRY(put(at, schema->fields[0].schema, &json->items[i]));
    }
    avro_put_long(&at->out, 0);
    return STATUS_OK;
}

static enum status put_record(struct encoder *at, const struct avro_schema *schema,
                              const struct json_tree *json)
{
    if (json->kind != JSON_TREE_OBJECT) {
        return bad(at);
    }
    for (uint32_t i = 0; i < schema->count; i++) {
        const struct avro_field *field = &schema->fields[i];
        const struct json_tree *value = NULL;
        for (uint32_t j = 0; value == NULL && j < json->count; j++) {
            value = str_equal(json->keys[j], field->written_name) ? &json->items[j] : NULL;
        }
        value = value != NULL ? value : field->default_value;
        if (value == NULL) {
            return bad(at);
        }
        TRY(put(at, field->schema, value));
    }
    return STATUS_OK;
}

// The first branch that the value is of: the first one of all, as older versions have it.
static enum status put_union(struct encoder *at, const struct avro_schema *schema,
                             const struct json_tree *json)
{
    size_t begin = at->out.size;
    for (uint32_t i = 0; i < schema->count; i++) {
        avro_put_long(&at->out, (int64_t)i);
        if (put(at, schema->fields[i].schema, json) == STATUS_OK) {
            return STATUS_OK;
        }
        at->out.size = begin;
    }
    return bad(at);
}

static enum status put_scalar(struct encoder *at, const struct avro_schema *schema,
                              const struct json_tree *json)
{
    double number = 0;
    int64_t integer = 0;
    bool is_text = json->kind == JSON_TREE_STRING;
    switch (schema->kind) {
    case AVRO_NULL: return json->kind == JSON_TREE_NULL ? STATUS_OK : bad(at);
    case AVRO_BOOLEAN:
        strbuf_add_byte(&at->out, json->kind == JSON_TREE_BOOL && json->as.boolean ? 1 : 0);
        return json->kind == JSON_TREE_BOOL ? STATUS_OK : bad(at);
    case AVRO_INT:
    case AVRO_LONG:
        if (!json_tree_int(json, &integer) ||
            (schema->kind == AVRO_INT && integer != (int32_t)integer)) {
            return bad(at);
        }
        avro_put_long(&at->out, integer);
        return STATUS_OK;
    case AVRO_FLOAT:
    case AVRO_DOUBLE:
        if (!json_tree_number(json, &number)) {
            return bad(at);
        }
        if (schema->kind == AVRO_FLOAT) {
            avro_put_float(&at->out, (float)number);
        } else {
            avro_put_double(&at->out, number);
        }
        return STATUS_OK;
    case AVRO_STRING: avro_put_bytes(&at->out, json->text); return is_text ? STATUS_OK : bad(at);
    case AVRO_BYTES:
    case AVRO_FIXED: return is_text ? put_latin(at, schema, json->text) : bad(at);
    case AVRO_ENUM: return is_text ? put_symbol(at, schema, json->text) : bad(at);
    case AVRO_ARRAY:
    case AVRO_MAP:
    case AVRO_RECORD:
    case AVRO_UNION: break;
    }
    return bad(at);
}

static enum status put(struct encoder *at, const struct avro_schema *schema,
                       const struct json_tree *json)
{
    if (at->depth >= AVRO_DEPTH_MAX || at->out.truncated) {
        return ERR(at->err, STATUS_LIMIT, "Avro schema: a default of over %d bytes or %d levels",
                   DEFAULT_BYTES_MAX, AVRO_DEPTH_MAX);
    }
    at->depth++;
    enum status status = schema->kind == AVRO_UNION    ? put_union(at, schema, json)
                         : schema->kind == AVRO_RECORD ? put_record(at, schema, json)
                         : schema->kind == AVRO_ARRAY || schema->kind == AVRO_MAP
                             ? put_items(at, schema, json)
                             : put_scalar(at, schema, json);
    at->depth--;
    return status;
}

enum status avro_default_encode(struct arena *arena, const struct avro_schema *schema,
                                const struct json_tree *json, struct str *out, struct err *err)
{
    struct encoder at = {.err = err};
    strbuf_init(&at.out, DEFAULT_BYTES_MAX);
    enum status status = put(&at, schema, json);
    if (status == STATUS_OK) {
        *out = arena_str(arena, strbuf_str(&at.out));
    }
    strbuf_release(&at.out);
    return status;
}
