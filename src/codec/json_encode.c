// SPDX-License-Identifier: Apache-2.0
#include "codec/json_encode.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "data/batch.h"
#include "data/json_text.h"

enum { KEY_MAX = 1 << 20 };

struct json_encoder {
    struct arena arena;
    uint32_t field_count;
    const struct type **types;
    struct str *keys; // "name": with the quotes
    bool *has_map;    // a MAP at some depth, whose keys may be null
    struct json_text_options text;
    bool fail_on_null_key;
};

static enum status check_type(const struct type *type, bool *has_map, struct err *err)
{
    bool is_map = type->kind == TYPE_MAP || type->kind == TYPE_MULTISET;
    bool is_bad = type->kind == TYPE_RAW || type->kind == TYPE_BITMAP ||
                  (is_map && !type_is_character(type->fields[0].type));
    *has_map |= is_map;
    if (is_bad) {
        struct arena arena = {0};
        ERR(err, STATUS_UNSUPPORTED, "the format json has no form for the type %.*s",
            STR_ARGS(type_text(&arena, type)));
        if (err != NULL) {
            err->stage = ERR_STAGE_VALIDATE;
        }
        arena_release(&arena);
        return STATUS_UNSUPPORTED;
    }
    for (uint32_t i = 0; type_is_nested(type) && i < type->field_count; i++) {
        TRY(check_type(type->fields[i].type, has_map, err));
    }
    return STATUS_OK;
}

static void make_options(struct json_encoder *encoder, const struct json_encode_spec *spec)
{
    encoder->fail_on_null_key = spec->null_key == JSON_ENCODE_NULL_KEY_FAIL;
    encoder->text = (struct json_text_options){
        .iso_timestamps = spec->timestamp_form == TIME_TEXT_ISO_8601,
        .omit_null_fields = spec->ignore_null_fields,
        .java_decimals = !spec->decimal_as_plain_number,
        .time_fraction = true,
        .null_key = spec->null_key == JSON_ENCODE_NULL_KEY_DROP ? JSON_TEXT_NULL_KEY_DROP
                                                                : JSON_TEXT_NULL_KEY_LITERAL,
        .null_key_literal = arena_str(&encoder->arena, spec->null_key_literal),
    };
}

enum status json_encode_new(const struct json_encode_spec *spec, struct json_encoder **out,
                            struct err *err)
{
    struct json_encoder *encoder = mem_zalloc(sizeof *encoder);
    struct arena *arena = &encoder->arena;
    uint32_t count = spec->field_count;
    struct strbuf key;
    enum status status = STATUS_OK;
    *out = NULL;
    encoder->field_count = count;
    encoder->types = arena_new_array(arena, const struct type *, count);
    encoder->keys = arena_new_array(arena, struct str, count);
    encoder->has_map = arena_new_array(arena, bool, count);
    make_options(encoder, spec);
    strbuf_init(&key, KEY_MAX);
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
        strbuf_reset(&key);
        json_text_string(&key, spec->fields[i].name);
        strbuf_add_byte(&key, ':');
        encoder->keys[i] = arena_str(arena, strbuf_str(&key));
        encoder->types[i] = type_copy(arena, spec->fields[i].type);
        status = check_type(spec->fields[i].type, &encoder->has_map[i], err);
    }
    strbuf_release(&key);
    if (status != STATUS_OK) {
        json_encode_free(encoder);
        return status;
    }
    *out = encoder;
    return STATUS_OK;
}

void json_encode_free(struct json_encoder *encoder)
{
    if (encoder != NULL) {
        arena_release(&encoder->arena);
        mem_free(encoder);
    }
}

static bool has_null_key(const struct type *type, const struct column *column, uint32_t row)
{
    bool found = false;
    if (!type_is_nested(type) || column_is_null(column, row)) {
        return false;
    }
    const struct column *holder = column_holder(column);
    if (type->kind == TYPE_ROW) {
        uint32_t at = column_at(column, row);
        for (uint32_t i = 0; !found && i < type->field_count; i++) {
            found = has_null_key(type->fields[i].type, &holder->children[i], at);
        }
        return found;
    }
    const struct list_view *view = column_value(column, row);
    for (uint32_t i = view->offset; !found && i < view->offset + view->length; i++) {
        found = type->kind != TYPE_ARRAY && column_is_null(&holder->children[0], i);
        for (uint32_t j = 0; !found && j < type->field_count; j++) {
            found = has_null_key(type->fields[j].type, &holder->children[j], i);
        }
    }
    return found;
}

enum status json_encode_row(struct json_encoder *encoder, const struct column *columns,
                            uint32_t row, struct strbuf *out, struct err *err)
{
    bool is_first = true;
    strbuf_add_byte(out, '{');
    for (uint32_t i = 0; i < encoder->field_count; i++) {
        if (encoder->text.omit_null_fields && column_is_null(&columns[i], row)) {
            continue;
        }
        if (encoder->has_map[i] && encoder->fail_on_null_key &&
            has_null_key(encoder->types[i], &columns[i], row)) {
            ERR(err, STATUS_INVALID_DATA, "a map with a null key has no form in JSON: field %.*s",
                (int)encoder->keys[i].size - 1, encoder->keys[i].ptr);
            err_hint(err, "'json.map-null-key.mode' = 'DROP' leaves such entries out, 'LITERAL' "
                          "writes 'json.map-null-key.literal' for the key");
            return STATUS_INVALID_DATA;
        }
        if (!is_first) {
            strbuf_add_byte(out, ',');
        }
        is_first = false;
        strbuf_add(out, encoder->keys[i]);
        json_text_value(out, encoder->types[i], &columns[i], row, &encoder->text);
    }
    strbuf_add_byte(out, '}');
    return out->truncated ? ERR(err, STATUS_LIMIT, "over %zu bytes of JSON", out->size_max)
                          : STATUS_OK;
}

enum status json_encode_batch(struct json_encoder *encoder, const struct batch *batch,
                              struct strbuf *out, struct err *err)
{
    for (uint32_t row = 0; row < batch->row_count; row++) {
        TRY(json_encode_row(encoder, batch->columns, row, out, err));
        strbuf_add_byte(out, '\n');
    }
    return STATUS_OK;
}
