// SPDX-License-Identifier: Apache-2.0
#include "iceberg/file_schema.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "data/column.h"
#include "iceberg/spec/bounds.h"

enum {
    BOUND_FULL_MAX = 256, // code points or bytes of a bound that is known as a prefix only
};

// "srid:4326", "srid:4326, karney"; neither has to be there.
static enum status set_geo(const struct iceberg_field *field, struct parquet_field *out,
                           struct err *err)
{
    static const char *const edges[] = {"spherical", "vincenty", "thomas", "andoyer", "karney"};
    const struct iceberg_type *type = field->type;
    bool is_geography = type->kind == ICEBERG_GEOGRAPHY;
    if (type->kind != ICEBERG_GEOMETRY && !is_geography) {
        return STATUS_OK;
    }
    struct str text = type->parameters;
    size_t end = is_geography ? str_find(text, ',') : text.size;
    struct str name =
        end < text.size ? str_trim(str_slice(text, end + 1, text.size)) : str_from(edges[0]);
    out->crs = str_trim(str_slice(text, 0, end));
    out->geo = is_geography ? PARQUET_GEO_NONE : PARQUET_GEO_GEOMETRY;
    for (int i = 0; is_geography && i < (int)(sizeof edges / sizeof *edges); i++) {
        if (str_is_nocase(name, edges[i])) {
            out->geo = (enum parquet_geo)(PARQUET_GEO_SPHERICAL + i);
        }
    }
    return out->geo != PARQUET_GEO_NONE
               ? STATUS_OK
               : ERR(err, STATUS_UNSUPPORTED, "column '%.*s': edges '%.*s' of a geography",
                     STR_ARGS(field->name), STR_ARGS(name));
}

enum status file_schema_field(struct arena *arena, const struct iceberg_field *field,
                              struct parquet_field *out, struct err *err)
{
    const struct iceberg_type *type = field->type;
    enum status status = iceberg_type_to_sql(arena, type, field->required, &out->type, err);
    if (status != STATUS_OK) {
        err_context(err, "column '%.*s'", STR_ARGS(field->name));
        return status;
    }
    out->name = field->name;
    out->id = field->id;
    out->required = field->required;
    out->is_uuid = type->kind == ICEBERG_UUID;
    TRY(set_geo(field, out, err));
    struct parquet_field *children =
        arena_new_array(arena, struct parquet_field, type->field_count + 1);
    for (uint32_t i = 0; i < type->field_count; i++) {
        TRY(file_schema_field(arena, &type->fields[i], &children[i], err));
    }
    out->children = children;
    out->child_count = type->field_count;
    return STATUS_OK;
}

enum status file_schema_fields(struct arena *arena, const struct table_schema *schema,
                               const struct parquet_field **fields, uint32_t *count,
                               struct err *err)
{
    uint32_t column_count = schema->root->field_count;
    struct parquet_field *out = arena_new_array(arena, struct parquet_field, column_count + 1);
    for (uint32_t i = 0; i < column_count; i++) {
        TRY(file_schema_field(arena, &schema->root->fields[i], &out[i], err));
    }
    *fields = out;
    *count = column_count;
    return STATUS_OK;
}

const struct avro_column *file_schema_avro(struct arena *arena, const struct parquet_field *fields,
                                           uint32_t count)
{
    struct avro_column *out = arena_new_array(arena, struct avro_column, count);
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (struct avro_column){
            .name = fields[i].name,
            .id = fields[i].id,
            .required = fields[i].required,
            .is_uuid = fields[i].is_uuid,
            .type = fields[i].type,
            .child_count = fields[i].child_count,
            .children = file_schema_avro(arena, fields[i].children, fields[i].child_count)};
    }
    return out;
}

// The value behind a bound of the Parquet writer.
static struct iceberg_value value_at(const struct iceberg_type *type,
                                     const struct parquet_leaf_metrics *leaf, const void *at)
{
    struct column column = {
        .physical = type_physical(leaf->type), .encoding = ENCODING_FLAT, .row_count = 1};
    column.values = at;
    return iceberg_value_of_row(type, &column, 0);
}

static void put_bounds(struct arena *arena, const struct iceberg_type *type,
                       const struct parquet_leaf_metrics *leaf, struct bounds_rule rule,
                       struct data_file_metric *out)
{
    bool is_text = type->kind == ICEBERG_STRING;
    bool is_cut = is_text || type->kind == ICEBERG_BINARY || type->kind == ICEBERG_FIXED;
    struct iceberg_value lower = value_at(type, leaf, leaf->lower);
    struct iceberg_value upper = value_at(type, leaf, leaf->upper);
    if (!is_cut) {
        out->lower = arena_str(arena, iceberg_value_encode(arena, type, &lower));
        out->upper = arena_str(arena, iceberg_value_encode(arena, type, &upper));
        return;
    }
    // The Parquet writer's own cut may fall into a character: such bounds are always shortened
    // here.
    int32_t length = rule.mode == BOUNDS_TRUNCATE ? rule.length : INT32_MAX;
    int32_t lower_length = leaf->lower_exact || length < BOUND_FULL_MAX ? length : BOUND_FULL_MAX;
    int32_t upper_length = leaf->upper_exact || length < BOUND_FULL_MAX ? length : BOUND_FULL_MAX;
    struct str cut;
    out->lower = arena_str(arena, bounds_lower(lower.as.bytes, is_text, lower_length));
    if (bounds_upper(arena, upper.as.bytes, is_text, upper_length, true, &cut)) {
        out->upper = arena_str(arena, cut);
    }
}

static int compare_metrics(const void *a, const void *b)
{
    int32_t x = ((const struct data_file_metric *)a)->id;
    int32_t y = ((const struct data_file_metric *)b)->id;
    return x < y ? -1 : x > y;
}

void file_schema_metrics(struct arena *arena, const struct table_metadata *metadata,
                         const struct parquet_writer_result *result, struct data_file *out)
{
    const struct table_schema *schema = table_metadata_current_schema(metadata);
    struct data_file_metric *metrics =
        arena_new_array(arena, struct data_file_metric, result->leaf_count + 1);
    struct strbuf path;
    uint32_t count = 0;
    strbuf_init(&path, 1 << 16);
    for (uint32_t i = 0; i < result->leaf_count; i++) {
        const struct parquet_leaf_metrics *leaf = &result->leaves[i];
        const struct table_schema_entry *entry = table_schema_by_id(schema, leaf->id);
        if (entry == NULL) {
            continue;
        }
        strbuf_reset(&path);
        table_schema_path(&path, schema, entry);
        struct bounds_rule rule = bounds_rule_of(metadata, entry, strbuf_str(&path));
        enum iceberg_kind kind = entry->field->type->kind;
        struct data_file_metric *metric = &metrics[count++];
        *metric = (struct data_file_metric){.id = leaf->id,
                                            .size = leaf->is_variant ? DATA_FILE_NONE
                                                                     : (int64_t)leaf->bytes,
                                            .value_count = DATA_FILE_NONE,
                                            .null_count = DATA_FILE_NONE,
                                            .nan_count = DATA_FILE_NONE};
        if (rule.mode == BOUNDS_NONE || leaf->is_unknown) {
            continue;
        }
        metric->value_count = (int64_t)leaf->value_count;
        metric->null_count = (int64_t)leaf->null_count;
        if (kind == ICEBERG_FLOAT || kind == ICEBERG_DOUBLE) {
            metric->nan_count = (int64_t)leaf->nan_count;
        }
        if (rule.mode != BOUNDS_COUNTS && !leaf->below_list && leaf->lower != NULL &&
            leaf->upper != NULL) {
            put_bounds(arena, entry->field->type, leaf, rule, metric);
        }
    }
    strbuf_release(&path);
    if (count > 0) {
        qsort(metrics, count, sizeof *metrics, compare_metrics);
    }
    out->metrics = metrics;
    out->metric_count = count;
    out->split_offsets = arena_copy(arena, result->split_offsets,
                                    result->split_offset_count * sizeof *result->split_offsets);
    out->split_offset_count = result->split_offset_count;
    out->record_count = (int64_t)result->row_count;
    out->file_size = (int64_t)result->file_bytes;
}
