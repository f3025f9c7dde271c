// SPDX-License-Identifier: Apache-2.0
#include "iceberg/table_reader.h"

#include "base/arena.h"
#include "base/mem.h"
#include "codec/json_tree.h"
#include "data/column_builder.h"
#include "iceberg/file_schema.h"
#include "iceberg/spec/table_metadata.h"
#include "store/store.h"

struct table_reader {
    struct arena arena;
    struct arena batch_arena;
    struct store_reader *file;
    struct parquet_file *parquet;
    struct parquet_reader *reader;
    uint32_t column_count;
    struct parquet_field *fields;
    struct column *columns; // of the batch handed out
    // For columns that the file lacks: their value, one row (CONST); physical ROW and lists: nulls.
    struct column *fillers;
    bool *is_filled;
    struct batch_origin origin;
};

// The entry of a name mapping for a field id; NULL: none.
static const struct json_tree *mapping_of(const struct json_tree *mapping, int32_t id)
{
    for (uint32_t i = 0; mapping != NULL && mapping->kind == JSON_TREE_ARRAY && i < mapping->count;
         i++) {
        int64_t mapped;
        if (json_tree_int(json_tree_get(&mapping->items[i], "field-id"), &mapped) && mapped == id) {
            return &mapping->items[i];
        }
    }
    return NULL;
}

static bool has_name(const struct parquet_field *fields, uint32_t count, struct str name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (str_equal(fields[i].name, name)) {
            return true;
        }
    }
    return false;
}

static const struct parquet_field *find_name(const struct parquet_field *fields, uint32_t count,
                                             struct str name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (str_equal(fields[i].name, name)) {
            return &fields[i];
        }
    }
    return NULL;
}

// Makes fields be found by name, in a file without ids. With a mapping only the names that it lists
// count; `in_file` are the file's fields beside this one.
static void find_by_name(struct arena *arena, struct parquet_field *field,
                         const struct json_tree *mapping, bool has_mapping,
                         const struct parquet_field *in_file, uint32_t in_file_count)
{
    const struct json_tree *entry = mapping_of(mapping, field->id);
    const struct json_tree *names = json_tree_get(entry, "names");
    struct str found = has_mapping ? STR_LIT("") : field->name;
    for (uint32_t i = 0; names != NULL && names->kind == JSON_TREE_ARRAY && i < names->count; i++) {
        if (has_name(in_file, in_file_count, json_tree_str(&names->items[i]))) {
            found = json_tree_str(&names->items[i]);
            break;
        }
    }
    field->name = found;
    field->id = PARQUET_NO_ID;
    const struct parquet_field *own = find_name(in_file, in_file_count, found);
    struct parquet_field *children =
        arena_copy(arena, field->children, field->child_count * sizeof *field->children);
    for (uint32_t i = 0; i < field->child_count; i++) {
        bool is_struct = field->type->kind == TYPE_ROW;
        if (is_struct) {
            find_by_name(arena, &children[i], json_tree_get(entry, "fields"), has_mapping,
                         own != NULL ? own->children : NULL, own != NULL ? own->child_count : 0);
        } else {
            children[i].id = PARQUET_NO_ID; // elements, keys and values are found by their place
            const struct json_tree *below =
                mapping_of(json_tree_get(entry, "fields"), field->children[i].id);
            const struct parquet_field *in_list =
                own != NULL && i < own->child_count ? &own->children[i] : NULL;
            struct parquet_field *grand =
                arena_copy(arena, children[i].children,
                           children[i].child_count * sizeof *children[i].children);
            for (uint32_t j = 0; j < children[i].child_count; j++) {
                find_by_name(arena, &grand[j], json_tree_get(below, "fields"), has_mapping,
                             in_list != NULL ? in_list->children : NULL,
                             in_list != NULL ? in_list->child_count : 0);
            }
            children[i].children = grand;
        }
    }
    field->children = children;
}

static enum status map_names(struct table_reader *reader, const struct table_metadata *metadata,
                             struct err *err)
{
    const struct str *text = table_metadata_property(metadata, "schema.name-mapping.default");
    const struct json_tree *mapping = NULL;
    uint32_t in_file_count;
    const struct parquet_field *in_file = parquet_file_fields(reader->parquet, &in_file_count);
    if (text != NULL) {
        TRY(json_tree_parse(&reader->arena, *text, &mapping, err));
    }
    for (uint32_t i = 0; i < reader->column_count; i++) {
        find_by_name(&reader->arena, &reader->fields[i], mapping, mapping != NULL, in_file,
                     in_file_count);
    }
    return STATUS_OK;
}

// What a column is where the file has none: an identity partition's value, the initial default,
// null.
static enum status make_filler(struct table_reader *reader, const struct table_metadata *metadata,
                               const struct scan_task *task, const struct iceberg_field *field,
                               struct column *out, struct err *err)
{
    const struct partition_spec *spec = table_metadata_spec(metadata, task->file.spec_id);
    const struct type *sql;
    struct iceberg_value value = {.is_null = true};
    TRY(iceberg_type_to_sql(&reader->arena, field->type, false, &sql, err));
    for (uint32_t i = 0; spec != NULL && i < spec->field_count; i++) {
        if (spec->fields[i].source_id == field->id &&
            spec->fields[i].transform.kind == TRANSFORM_IDENTITY) {
            *out = iceberg_value_column(&reader->arena, field->type, &task->file.partition[i], 1);
            return STATUS_OK;
        }
    }
    if (!iceberg_type_is_primitive(field->type) || field->initial_default == NULL) {
        *out = column_builder_all_null(&reader->arena, sql, 1);
        return STATUS_OK;
    }
    TRY(iceberg_value_from_json(&reader->arena, field->type, field->initial_default, &value, err));
    *out = iceberg_value_column(&reader->arena, field->type, &value, 1);
    return STATUS_OK;
}

static bool has_id(const struct parquet_field *fields, uint32_t count, int32_t id)
{
    for (uint32_t i = 0; i < count; i++) {
        if (fields[i].id == id || has_id(fields[i].children, fields[i].child_count, id)) {
            return true;
        }
    }
    return false;
}

// Defaults of fields inside structs, lists and maps cannot be filled in yet; a file that would need
// one is refused rather than read as nulls.
static enum status check_nested_defaults(struct table_reader *reader,
                                         const struct iceberg_type *type, struct err *err)
{
    uint32_t count;
    const struct parquet_field *in_file = parquet_file_fields(reader->parquet, &count);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct iceberg_field *field = &type->fields[i];
        if (field->initial_default != NULL && !has_id(in_file, count, field->id)) {
            return ERR(err, STATUS_UNSUPPORTED,
                       "%.*s: the default of the nested field '%.*s' cannot be read yet",
                       STR_ARGS(reader->origin.name), STR_ARGS(field->name));
        }
        TRY(check_nested_defaults(reader, field->type, err));
    }
    return STATUS_OK;
}

static bool has_variant(const struct iceberg_type *type)
{
    bool found = type->kind == ICEBERG_VARIANT;
    for (uint32_t i = 0; !found && i < type->field_count; i++) {
        found = has_variant(type->fields[i].type);
    }
    return found;
}

static enum status open_parquet(struct table_reader *reader,
                                const struct table_reader_options *options,
                                const struct scan_task *task, struct err *err)
{
    const struct iceberg_type *root = options->schema->root;
    struct parquet_file_options file_options = {.budget = options->budget};
    TRY(store_open(options->store, task->file.path, &reader->file, err));
    TRY(parquet_file_open(&reader->file->source, &file_options, &reader->parquet, err));
    for (uint32_t i = 0; i < reader->column_count; i++) {
        uint32_t at = options->columns != NULL ? options->columns[i] : i;
        if (has_variant(root->fields[at].type)) {
            return ERR(err, STATUS_UNSUPPORTED,
                       "column '%.*s': columns of type variant cannot be read yet",
                       STR_ARGS(root->fields[at].name));
        }
        TRY(file_schema_field(&reader->arena, &root->fields[at], &reader->fields[i], err));
        reader->fields[i].required = false; // a file of before the column was made required
        TRY(check_nested_defaults(reader, root->fields[at].type, err));
    }
    if (!parquet_file_has_ids(reader->parquet)) {
        TRY(map_names(reader, options->metadata, err));
    }
    struct parquet_reader_options reader_options = {
        .fields = reader->fields,
        .field_count = reader->column_count,
        .predicate = parquet_file_has_ids(reader->parquet) ? options->predicate : NULL,
        .row_group_first = options->row_group_first,
        .row_group_count = options->row_group_count > 0 ? options->row_group_count : UINT32_MAX,
        .budget = options->budget,
    };
    TRY(parquet_reader_new(reader->parquet, &reader_options, &reader->reader, err));
    for (uint32_t i = 0; i < reader->column_count; i++) {
        uint32_t at = options->columns != NULL ? options->columns[i] : i;
        reader->is_filled[i] = parquet_reader_is_missing(reader->reader, i);
        if (reader->is_filled[i]) {
            TRY(make_filler(reader, options->metadata, task, &root->fields[at], &reader->fillers[i],
                            err));
        }
    }
    return STATUS_OK;
}

enum status table_reader_open(const struct table_reader_options *options,
                              const struct scan_task *task, struct table_reader **out,
                              struct err *err)
{
    *out = NULL;
    if (!str_is_nocase(task->file.format, "parquet")) {
        return ERR(err, STATUS_UNSUPPORTED, "%.*s: data files of format %.*s cannot be read yet",
                   STR_ARGS(task->file.path), STR_ARGS(task->file.format));
    }
    struct table_reader *reader = mem_zalloc(sizeof *reader);
    arena_init(&reader->arena);
    arena_init(&reader->batch_arena);
    reader->column_count =
        options->columns != NULL ? options->column_count : options->schema->root->field_count;
    reader->fields =
        arena_new_array(&reader->arena, struct parquet_field, reader->column_count + 1);
    reader->columns = arena_new_array(&reader->arena, struct column, reader->column_count + 1);
    reader->fillers = arena_new_array(&reader->arena, struct column, reader->column_count + 1);
    reader->is_filled = arena_new_array(&reader->arena, bool, reader->column_count + 1);
    reader->origin.name = arena_str(&reader->arena, task->file.path);
    reader->origin.unit = "row";
    enum status status = open_parquet(reader, options, task, err);
    if (status != STATUS_OK) {
        table_reader_free(reader);
        return status;
    }
    *out = reader;
    return STATUS_OK;
}

void table_reader_free(struct table_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    parquet_reader_free(reader->reader);
    parquet_file_free(reader->parquet);
    store_reader_close(reader->file);
    arena_release(&reader->batch_arena);
    arena_release(&reader->arena);
    mem_free(reader);
}

enum status table_reader_next(struct table_reader *reader, struct batch *out, struct err *err)
{
    struct batch batch;
    TRY(parquet_reader_next(reader->reader, &batch, err));
    for (uint32_t i = 0; i < reader->column_count; i++) {
        reader->columns[i] = reader->is_filled[i] ? reader->fillers[i] : batch.columns[i];
        reader->columns[i].row_count = batch.row_count; // CONST: one value for any number of rows
    }
    reader->origin.first = parquet_reader_position(reader->reader);
    *out = batch;
    out->columns = reader->columns;
    out->column_count = reader->column_count;
    out->origin = &reader->origin;
    return STATUS_OK;
}

uint64_t table_reader_position(const struct table_reader *reader)
{
    return parquet_reader_position(reader->reader);
}

struct parquet_reader_counters table_reader_counters(const struct table_reader *reader)
{
    return parquet_reader_counters(reader->reader);
}
