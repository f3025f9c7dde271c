// SPDX-License-Identifier: Apache-2.0
#include "iceberg/iceberg_def.h"

#include <string.h>

#include "base/arena.h"
#include "base/vec.h"
#include "codec/json_tree.h"
#include "iceberg/metadata_column.h"

enum { FORMAT_VERSION_DEFAULT = 2, PARTITION_ID_FIRST = 1000 };

typedef VEC(struct table_property) property_vec;

static const struct {
    const char *key;
    const char *value;
} defaults[] = {
    {"write.parquet.compression-codec", "zstd"},
    {"history.expire.max-snapshot-age-ms", "3600000"},
    {"history.expire.min-snapshots-to-keep", "100"},
    {"write.metadata.delete-after-commit.enabled", "true"},
};

// Options that are not properties of the table.
static bool is_ours(struct str key)
{
    return str_is(key, "format-version") || str_is(key, "location") || str_is(key, "connector");
}

static enum status columns_of(struct arena *arena, const struct table_def *def,
                              const struct iceberg_type **out, struct err *err)
{
    struct iceberg_field *fields = arena_new_array(arena, struct iceberg_field, def->column_count);
    int32_t next_id = 1;
    for (uint32_t i = 0; i < def->column_count; i++) {
        const struct table_column *column = &def->columns[i];
        if (column->kind != TABLE_COLUMN_PHYSICAL) {
            return ERR(err, STATUS_UNSUPPORTED, "an Iceberg table cannot hold the %s column '%.*s'",
                       column->kind == TABLE_COLUMN_COMPUTED ? "computed" : "metadata",
                       STR_ARGS(column->name));
        }
        fields[i].id = next_id++;
        fields[i].name = column->name;
        fields[i].required = !column->type->nullable;
        fields[i].doc = column->comment.size > 0 ? column->comment : (struct str){0};
    }
    for (uint32_t i = 0; i < def->column_count; i++) {
        enum status status =
            iceberg_type_from_sql(arena, def->columns[i].type, &next_id, &fields[i].type, err);
        if (status != STATUS_OK) {
            err_context(err, "column '%.*s'", STR_ARGS(def->columns[i].name));
            return status;
        }
    }
    *out = iceberg_type_struct(arena, fields, def->column_count);
    return STATUS_OK;
}

static const struct iceberg_field *find_field(const struct iceberg_type *columns, struct str name)
{
    for (uint32_t i = 0; i < columns->field_count; i++) {
        if (str_equal(columns->fields[i].name, name)) {
            return &columns->fields[i];
        }
    }
    return NULL;
}

static struct str partition_name(struct arena *arena, const struct table_partition *partition,
                                 enum transform_kind kind)
{
    static const char *const suffixes[] = {"",     "_bucket", "_trunc", "_year", "_month",
                                           "_day", "_hour",   "_null",  ""};
    return arena_printf(arena, "%.*s%s", STR_ARGS(partition->column), suffixes[kind]);
}

static enum status partitions_of(struct arena *arena, const struct table_def *def,
                                 struct table_update_new *out, struct err *err)
{
    struct partition_field *fields =
        arena_new_array(arena, struct partition_field, def->partition_count + 1);
    for (uint32_t i = 0; i < def->partition_count; i++) {
        const struct table_partition *partition = &def->partitions[i];
        const struct iceberg_field *source = find_field(out->columns, partition->column);
        if (source == NULL) {
            return ERR(err, STATUS_NOT_FOUND, "there is no column '%.*s' to partition by",
                       STR_ARGS(partition->column));
        }
        bool has_parameter =
            str_is(partition->transform, "bucket") || str_is(partition->transform, "truncate");
        struct str text = has_parameter
                              ? arena_printf(arena, "%.*s[%d]", STR_ARGS(partition->transform),
                                             partition->parameter)
                              : partition->transform;
        fields[i].field_id = PARTITION_ID_FIRST + (int32_t)i;
        fields[i].source_id = source->id;
        fields[i].transform = transform_parse(text);
        fields[i].name = partition_name(arena, partition, fields[i].transform.kind);
        TRY(transform_check(&fields[i].transform, source->type, err));
    }
    out->partition_fields = fields;
    out->partition_count = def->partition_count;
    return STATUS_OK;
}

static void properties_of(struct arena *arena, const struct table_def *def,
                          struct table_update_new *out)
{
    property_vec properties = {0};
    for (uint32_t i = 0; i < def->option_count; i++) {
        if (!is_ours(def->options[i].key)) {
            VEC_PUSH(&properties,
                     ((struct table_property){def->options[i].key, def->options[i].value}));
        }
    }
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        if (table_def_option(def, defaults[i].key) == NULL) {
            VEC_PUSH(&properties, ((struct table_property){str_from(defaults[i].key),
                                                           str_from(defaults[i].value)}));
        }
    }
    if (def->comment.size > 0 && table_def_option(def, "comment") == NULL) {
        VEC_PUSH(&properties, ((struct table_property){STR_LIT("comment"), def->comment}));
    }
    out->property_count = properties.count;
    out->properties =
        arena_copy(arena, properties.items, properties.count * sizeof *properties.items);
    VEC_RELEASE(&properties);
}

static enum status identifiers_of(struct arena *arena, const struct table_def *def,
                                  struct table_update_new *out, struct err *err)
{
    int32_t *ids = arena_new_array(arena, int32_t, def->primary_key_count + 1);
    for (uint32_t i = 0; i < def->primary_key_count; i++) {
        const struct iceberg_field *field = find_field(out->columns, def->primary_key[i]);
        if (field == NULL) {
            return ERR(err, STATUS_NOT_FOUND, "there is no column '%.*s' for the primary key",
                       STR_ARGS(def->primary_key[i]));
        }
        if (!field->required || !iceberg_type_is_primitive(field->type) ||
            field->type->kind == ICEBERG_FLOAT || field->type->kind == ICEBERG_DOUBLE) {
            return ERR(err, STATUS_UNSUPPORTED,
                       "'%.*s' cannot be a key of an Iceberg table: it must be NOT NULL and no "
                       "FLOAT, DOUBLE or nested type",
                       STR_ARGS(field->name));
        }
        ids[i] = field->id;
    }
    out->identifier_ids = ids;
    out->identifier_count = def->primary_key_count;
    return STATUS_OK;
}

enum status iceberg_def_new_table(struct arena *arena, const struct table_def *def,
                                  struct table_update_new *out, struct err *err)
{
    const struct str *version = table_def_option(def, "format-version");
    int64_t number = FORMAT_VERSION_DEFAULT;
    *out = (struct table_update_new){0};
    if (version != NULL &&
        (!str_to_i64(*version, &number) || number < 1 || number > TABLE_VERSION_MAX)) {
        return ERR(err, STATUS_UNSUPPORTED, "'format-version' = '%.*s' (1, 2 and 3 are known)",
                   STR_ARGS(*version));
    }
    if (def->watermark_column.size > 0) {
        return ERR(err, STATUS_UNSUPPORTED, "an Iceberg table cannot hold a watermark");
    }
    out->format_version = (int32_t)number;
    TRY(columns_of(arena, def, &out->columns, err));
    TRY(partitions_of(arena, def, out, err));
    TRY(identifiers_of(arena, def, out, err));
    properties_of(arena, def, out);
    return STATUS_OK;
}

enum status iceberg_def_preview(struct arena *arena, const struct table_def *def,
                                const struct table_metadata **out, struct err *err)
{
    struct table_update_new table;
    struct table_update update;
    TRY(iceberg_def_new_table(arena, def, &table, err));
    TRY(table_update_create(&update, arena, &table, 0, err));
    *out = table_update_finish(&update, STR_LIT(""));
    return STATUS_OK;
}

enum status iceberg_def_columns(struct arena *arena, const struct table_schema *schema,
                                struct table_def *def, struct err *err)
{
    const struct iceberg_type *root = schema->root;
    struct table_column *columns =
        arena_new_array(arena, struct table_column, root->field_count + 1);
    for (uint32_t i = 0; i < root->field_count; i++) {
        const struct iceberg_field *field = &root->fields[i];
        columns[i].name = arena_str(arena, field->name);
        columns[i].field_id = field->id;
        columns[i].has_default =
            field->write_default != NULL && field->write_default->kind != JSON_TREE_NULL;
        columns[i].comment = field->doc.size > 0 ? arena_str(arena, field->doc) : (struct str){0};
        enum status status =
            iceberg_type_to_sql(arena, field->type, field->required, &columns[i].type, err);
        if (status != STATUS_OK) {
            err_context(err, "column '%.*s'", STR_ARGS(field->name));
            return status;
        }
    }
    def->columns = columns;
    def->column_count = root->field_count;
    struct str *keys = arena_new_array(arena, struct str, schema->identifier_count + 1);
    def->primary_key_count = 0;
    for (uint32_t i = 0; i < schema->identifier_count; i++) {
        const struct table_schema_entry *entry =
            table_schema_by_id(schema, schema->identifier_ids[i]);
        // Keys inside structs have no name in SQL; such a table has no primary key there.
        if (entry != NULL && entry->parent == UINT32_MAX) {
            keys[def->primary_key_count++] = arena_str(arena, entry->field->name);
        }
    }
    def->primary_key_count =
        def->primary_key_count == schema->identifier_count ? schema->identifier_count : 0;
    def->primary_key = keys;
    return STATUS_OK;
}

// _file, _pos, … (metadata_column.h), except those whose name a column has.
static enum status def_hidden(struct arena *arena, const struct table_metadata *metadata,
                              struct table_def *def, struct err *err)
{
    struct table_column *hidden =
        arena_new_array(arena, struct table_column, METADATA_COLUMN_COUNT);
    for (int i = 0; i < METADATA_COLUMN_COUNT; i++) {
        struct iceberg_field field;
        struct err absent;
        if (metadata_column_field(arena, metadata, metadata_column_ids[i], &field, &absent) !=
                STATUS_OK ||
            table_def_column(def, field.name) != NULL) {
            continue;
        }
        struct table_column *column = &hidden[def->hidden_count++];
        *column = (struct table_column){.name = field.name,
                                        .kind = TABLE_COLUMN_METADATA,
                                        .is_virtual = true,
                                        .metadata_key = field.name,
                                        .field_id = field.id};
        TRY(iceberg_type_to_sql(arena, field.type, false, &column->type, err));
    }
    def->hidden = hidden;
    return STATUS_OK;
}

static void def_partitions(struct arena *arena, const struct table_metadata *metadata,
                           struct table_def *def)
{
    static const char *const names[] = {"identity", "bucket", "truncate", "year",
                                        "month",    "day",    "hour",     "void"};
    const struct partition_spec *spec = table_metadata_default_spec(metadata);
    const struct table_schema *schema = table_metadata_current_schema(metadata);
    struct table_partition *out =
        arena_new_array(arena, struct table_partition, spec->field_count + 1);
    for (uint32_t i = 0; i < spec->field_count; i++) {
        const struct partition_field *field = &spec->fields[i];
        const struct table_schema_entry *entry = table_schema_by_id(schema, field->source_id);
        if (entry == NULL || field->transform.kind == TRANSFORM_UNKNOWN) {
            continue;
        }
        out[def->partition_count++] = (struct table_partition){
            str_from(names[field->transform.kind]), field->transform.parameter,
            arena_str(arena, entry->field->name)};
    }
    def->partitions = out;
}

enum status iceberg_def_of_table(struct arena *arena, const struct table_metadata *metadata,
                                 struct table_def **out, struct err *err)
{
    struct table_def *def = arena_new(arena, struct table_def);
    const struct str *comment = table_metadata_property(metadata, "comment");
    def->kind = TABLE_KIND_TABLE;
    def->is_iceberg = true;
    TRY(iceberg_def_columns(arena, table_metadata_current_schema(metadata), def, err));
    TRY(def_hidden(arena, metadata, def, err));
    def_partitions(arena, metadata, def);
    struct table_option *options =
        arena_new_array(arena, struct table_option, metadata->property_count + 1);
    for (uint32_t i = 0; i < metadata->property_count; i++) {
        options[i].key = arena_str(arena, metadata->properties[i].key);
        options[i].value = arena_str(arena, metadata->properties[i].value);
    }
    options[metadata->property_count] = (struct table_option){
        STR_LIT("format-version"), arena_printf(arena, "%d", metadata->format_version)};
    def->options = options;
    def->option_count = metadata->property_count + 1;
    def->comment = comment != NULL ? arena_str(arena, *comment) : (struct str){0};
    *out = def;
    return STATUS_OK;
}

static bool same_fields(const struct partition_spec *spec, const struct table_update_new *table)
{
    if (spec->field_count != table->partition_count) {
        return false;
    }
    for (uint32_t i = 0; i < spec->field_count; i++) {
        if (spec->fields[i].source_id != table->partition_fields[i].source_id ||
            !transform_equal(&spec->fields[i].transform, &table->partition_fields[i].transform)) {
            return false;
        }
    }
    return true;
}

bool iceberg_def_same(struct arena *arena, const struct table_def *def,
                      const struct table_metadata *metadata)
{
    struct table_update_new table;
    struct err ignored;
    const struct table_schema *schema = table_metadata_current_schema(metadata);
    if (iceberg_def_new_table(arena, def, &table, &ignored) != STATUS_OK ||
        !iceberg_type_equal(table.columns, schema->root) ||
        !same_fields(table_metadata_default_spec(metadata), &table) ||
        table.identifier_count != schema->identifier_count) {
        return false;
    }
    for (uint32_t i = 0; i < table.identifier_count; i++) {
        if (table.identifier_ids[i] != schema->identifier_ids[i]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < def->option_count; i++) {
        const struct table_option *option = &def->options[i];
        char key[300];
        if (is_ours(option->key) || option->key.size >= sizeof key) {
            continue;
        }
        memcpy(key, option->key.ptr, option->key.size);
        key[option->key.size] = '\0';
        const struct str *set = table_metadata_property(metadata, key);
        if (set == NULL || !str_equal(*set, option->value)) {
            return false;
        }
    }
    return true;
}
