// SPDX-License-Identifier: Apache-2.0
#include "iceberg/definition_json.h"

#include "base/arena.h"
#include "base/strbuf.h"
#include "codec/json_tree.h"
#include "iceberg/spec/json_need.h"

enum { VERSION = 1, TYPE_DEPTH_MAX = 64 };

static const char *const kind_names[] = {
#define X(name, sql) #name,
    TYPE_LIST(X)
#undef X
};

static void member(struct strbuf *out, const char *key, struct str value)
{
    if (value.size > 0) {
        strbuf_printf(out, ",\"%s\":", key);
        json_tree_quote(out, value);
    }
}

static void print_type(struct strbuf *out, const struct type *type)
{
    strbuf_printf(out, "{\"kind\":\"%s\",\"nullable\":%s", kind_names[type->kind],
                  type->nullable ? "true" : "false");
    if (type->length != 0) {
        strbuf_printf(out, ",\"length\":%d", type->length);
    }
    if (type->scale != 0) {
        strbuf_printf(out, ",\"scale\":%d", type->scale);
    }
    if (type->field_count > 0) {
        strbuf_add_text(out, ",\"fields\":[");
        for (uint32_t i = 0; i < type->field_count; i++) {
            strbuf_add_text(out, i > 0 ? ",{\"type\":" : "{\"type\":");
            print_type(out, type->fields[i].type);
            member(out, "name", type->fields[i].name);
            member(out, "comment", type->fields[i].comment);
            strbuf_add_byte(out, '}');
        }
        strbuf_add_byte(out, ']');
    }
    strbuf_add_byte(out, '}');
}

static void print_column(struct strbuf *out, const struct table_column *column)
{
    strbuf_printf(out, "{\"kind\":%d,\"virtual\":%s", (int)column->kind,
                  column->is_virtual ? "true" : "false");
    member(out, "name", column->name);
    member(out, "expression", column->expression);
    member(out, "metadata_key", column->metadata_key);
    member(out, "comment", column->comment);
    if (column->type != NULL) {
        strbuf_add_text(out, ",\"type\":");
        print_type(out, column->type);
    }
    strbuf_add_byte(out, '}');
}

void definition_json_print(struct strbuf *out, const struct table_def *def)
{
    strbuf_printf(out, "{\"version\":%d,\"view\":%s", VERSION,
                  def->kind == TABLE_KIND_VIEW ? "true" : "false");
    member(out, "watermark_column", def->watermark_column);
    member(out, "watermark", def->watermark_expression);
    member(out, "comment", def->comment);
    member(out, "query", def->view_text);
    strbuf_add_text(out, ",\"columns\":[");
    for (uint32_t i = 0; i < def->column_count; i++) {
        strbuf_add_text(out, i > 0 ? "," : "");
        print_column(out, &def->columns[i]);
    }
    strbuf_add_text(out, "],\"primary_key\":[");
    for (uint32_t i = 0; i < def->primary_key_count; i++) {
        strbuf_add_text(out, i > 0 ? "," : "");
        json_tree_quote(out, def->primary_key[i]);
    }
    strbuf_add_text(out, "],\"partitions\":[");
    for (uint32_t i = 0; i < def->partition_count; i++) {
        strbuf_printf(out, "%s{\"parameter\":%d", i > 0 ? "," : "", def->partitions[i].parameter);
        member(out, "transform", def->partitions[i].transform);
        member(out, "column", def->partitions[i].column);
        strbuf_add_byte(out, '}');
    }
    strbuf_add_text(out, "],\"options\":[");
    for (uint32_t i = 0; i < def->option_count; i++) {
        strbuf_add_text(out, i > 0 ? ",[" : "[");
        json_tree_quote(out, def->options[i].key);
        strbuf_add_byte(out, ',');
        json_tree_quote(out, def->options[i].value);
        strbuf_add_byte(out, ']');
    }
    strbuf_add_text(out, "]}");
}

static struct str str_of(struct arena *arena, const struct json_tree *json, const char *key)
{
    struct str text = json_tree_str(json_tree_find(json, key));
    return text.size == 0 ? (struct str){0} : arena_str(arena, text);
}

static enum status parse_type(struct arena *arena, const struct json_tree *json, int depth,
                              const struct type **out, struct err *err)
{
    struct str name;
    struct type *type = arena_new(arena, struct type);
    const struct json_tree *fields;
    int kind = 0;
    TRY(json_need_str(json, "kind", &name, err));
    while (kind < (int)(sizeof kind_names / sizeof *kind_names) &&
           !str_is(name, kind_names[kind])) {
        kind++;
    }
    if (kind == (int)(sizeof kind_names / sizeof *kind_names) || depth > TYPE_DEPTH_MAX) {
        return ERR(err, STATUS_INVALID_DATA, "no type '%.*s'", STR_ARGS(name));
    }
    type->kind = (enum type_kind)kind;
    TRY(json_need_bool(json, "nullable", &type->nullable, err));
    TRY(json_need_i32_or(json, "length", 0, &type->length, err));
    TRY(json_need_i32_or(json, "scale", 0, &type->scale, err));
    TRY(json_need_array_or(json, "fields", &fields, err));
    type->field_count = fields != NULL ? fields->count : 0;
    struct type_field *parsed = arena_new_array(arena, struct type_field, type->field_count + 1);
    for (uint32_t i = 0; i < type->field_count; i++) {
        parsed[i].name = str_of(arena, &fields->items[i], "name");
        parsed[i].comment = str_of(arena, &fields->items[i], "comment");
        TRY(parse_type(arena, json_tree_find(&fields->items[i], "type"), depth + 1, &parsed[i].type,
                       err));
    }
    type->fields = parsed;
    *out = type;
    return STATUS_OK;
}

static enum status parse_columns(struct arena *arena, const struct json_tree *json,
                                 struct table_def *def, struct err *err)
{
    const struct json_tree *columns;
    TRY(json_need_array(json, "columns", &columns, err));
    struct table_column *parsed = arena_new_array(arena, struct table_column, columns->count + 1);
    for (uint32_t i = 0; i < columns->count; i++) {
        const struct json_tree *column = &columns->items[i];
        int32_t kind;
        TRY(json_need_i32(column, "kind", &kind, err));
        if (kind < TABLE_COLUMN_PHYSICAL || kind > TABLE_COLUMN_METADATA) {
            return ERR(err, STATUS_INVALID_DATA, "no column kind %d", kind);
        }
        parsed[i].kind = (enum table_column_kind)kind;
        TRY(json_need_bool(column, "virtual", &parsed[i].is_virtual, err));
        parsed[i].name = str_of(arena, column, "name");
        parsed[i].expression = str_of(arena, column, "expression");
        parsed[i].metadata_key = str_of(arena, column, "metadata_key");
        parsed[i].comment = str_of(arena, column, "comment");
        const struct json_tree *type = json_tree_find(column, "type");
        if (type != NULL) {
            TRY(parse_type(arena, type, 0, &parsed[i].type, err));
        }
    }
    def->columns = parsed;
    def->column_count = columns->count;
    return STATUS_OK;
}

static enum status parse_lists(struct arena *arena, const struct json_tree *json,
                               struct table_def *def, struct err *err)
{
    const struct json_tree *keys;
    const struct json_tree *partitions;
    const struct json_tree *options;
    TRY(json_need_array(json, "primary_key", &keys, err));
    TRY(json_need_array(json, "partitions", &partitions, err));
    TRY(json_need_array(json, "options", &options, err));
    struct str *key_names = arena_new_array(arena, struct str, keys->count + 1);
    for (uint32_t i = 0; i < keys->count; i++) {
        key_names[i] = arena_str(arena, json_tree_str(&keys->items[i]));
    }
    struct table_partition *fields =
        arena_new_array(arena, struct table_partition, partitions->count + 1);
    for (uint32_t i = 0; i < partitions->count; i++) {
        TRY(json_need_i32(&partitions->items[i], "parameter", &fields[i].parameter, err));
        fields[i].transform = str_of(arena, &partitions->items[i], "transform");
        fields[i].column = str_of(arena, &partitions->items[i], "column");
    }
    struct table_option *pairs = arena_new_array(arena, struct table_option, options->count + 1);
    for (uint32_t i = 0; i < options->count; i++) {
        const struct json_tree *pair = &options->items[i];
        if (pair->kind != JSON_TREE_ARRAY || pair->count != 2) {
            return ERR(err, STATUS_INVALID_DATA, "an option is no pair");
        }
        pairs[i].key = arena_str(arena, json_tree_str(&pair->items[0]));
        pairs[i].value = arena_str(arena, json_tree_str(&pair->items[1]));
    }
    def->primary_key = key_names;
    def->primary_key_count = keys->count;
    def->partitions = fields;
    def->partition_count = partitions->count;
    def->options = pairs;
    def->option_count = options->count;
    return STATUS_OK;
}

enum status definition_json_parse(struct arena *arena, struct str json, struct table_def **out,
                                  struct err *err)
{
    const struct json_tree *tree;
    struct table_def *def = arena_new(arena, struct table_def);
    int32_t version;
    bool view;
    TRY(json_tree_parse(arena, json, &tree, err));
    TRY(json_need_i32(tree, "version", &version, err));
    if (version != VERSION) {
        return ERR(err, STATUS_UNSUPPORTED, "a definition of version %d", version);
    }
    TRY(json_need_bool(tree, "view", &view, err));
    def->kind = view ? TABLE_KIND_VIEW : TABLE_KIND_TABLE;
    def->watermark_column = str_of(arena, tree, "watermark_column");
    def->watermark_expression = str_of(arena, tree, "watermark");
    def->comment = str_of(arena, tree, "comment");
    def->view_text = str_of(arena, tree, "query");
    TRY(parse_columns(arena, tree, def, err));
    TRY(parse_lists(arena, tree, def, err));
    *out = def;
    return STATUS_OK;
}
