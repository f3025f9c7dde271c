// SPDX-License-Identifier: Apache-2.0
#include "iceberg/file_schema.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "data/column.h"
#include "data/float_text.h"
#include "iceberg/spec/bounds.h"

enum {
    ROW_GROUP_BYTES = 128 << 20,
    PAGE_BYTES = 1 << 20,
    PAGE_ROWS = 20000,
    DICTIONARY_BYTES = 2 << 20,
    BLOOM_BYTES = 1 << 20,
    SCHEMA_TEXT_MAX = 16 << 20,
    BOUND_FULL_MAX = 256, // code points or bytes of a bound that is known as a prefix only
};

#define BLOOM_FPP 0.01

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

static int64_t bounded(const struct table_metadata *metadata, const char *key, int64_t by_default,
                       int64_t max)
{
    int64_t value = table_metadata_property_i64(metadata, key, by_default);
    return value < 1 ? by_default : value > max ? max : value;
}

static enum status codec_of(const struct table_metadata *metadata,
                            struct parquet_writer_options *out, struct err *err)
{
    static const struct {
        const char *name;
        enum compress_codec codec;
    } codecs[] = {{"zstd", COMPRESS_ZSTD},         {"snappy", COMPRESS_SNAPPY},
                  {"gzip", COMPRESS_GZIP},         {"brotli", COMPRESS_BROTLI},
                  {"lz4", COMPRESS_LZ4_RAW},       {"lz4_raw", COMPRESS_LZ4_RAW},
                  {"uncompressed", COMPRESS_NONE}, {"none", COMPRESS_NONE}};
    const struct str *name = table_metadata_property(metadata, "write.parquet.compression-codec");
    const struct str *level = table_metadata_property(metadata, "write.parquet.compression-level");
    int64_t number;
    out->codec = COMPRESS_ZSTD;
    out->level = COMPRESS_LEVEL_DEFAULT;
    if (level != NULL && str_to_i64(*level, &number) && number >= -100 && number <= 22) {
        out->level = (int32_t)number;
    }
    for (size_t i = 0; name != NULL && i < sizeof codecs / sizeof *codecs; i++) {
        if (str_is_nocase(*name, codecs[i].name)) {
            out->codec = codecs[i].codec;
            return STATUS_OK;
        }
    }
    return name == NULL ? STATUS_OK
                        : ERR(err, STATUS_UNSUPPORTED, "'write.parquet.compression-codec' = '%.*s'",
                              STR_ARGS(*name));
}

static enum status refuse_types(const struct iceberg_type *type, struct err *err)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct iceberg_field *field = &type->fields[i];
        if (field->type->kind == ICEBERG_GEOMETRY || field->type->kind == ICEBERG_GEOGRAPHY) {
            return ERR(err, STATUS_UNSUPPORTED,
                       "column '%.*s': columns of type %s can be read, not written",
                       STR_ARGS(field->name),
                       field->type->kind == ICEBERG_GEOMETRY ? "geometry" : "geography");
        }
        TRY(refuse_types(field->type, err));
    }
    return STATUS_OK;
}

// write.parquet.bloom-filter-enabled.column.X = true, with -fpp.column.X and -max-bytes.
static void add_blooms(struct arena *arena, const struct table_metadata *metadata,
                       const struct table_schema *schema, struct parquet_writer_options *out)
{
    static const char enabled[] = "write.parquet.bloom-filter-enabled.column.";
    static const char rate[] = "write.parquet.bloom-filter-fpp.column.";
    struct parquet_bloom_options *blooms =
        arena_new_array(arena, struct parquet_bloom_options, schema->entry_count + 1);
    uint32_t bytes_max =
        (uint32_t)bounded(metadata, "write.parquet.bloom-filter-max-bytes", BLOOM_BYTES, 64 << 20);
    struct strbuf key;
    strbuf_init(&key, 1 << 16);
    for (uint32_t i = 0; i < schema->entry_count; i++) {
        const struct table_schema_entry *entry = &schema->entries[i];
        double fpp = BLOOM_FPP;
        strbuf_reset(&key);
        strbuf_add_text(&key, enabled);
        table_schema_path(&key, schema, entry);
        if (!table_metadata_property_bool(metadata, key.ptr, false)) {
            continue;
        }
        strbuf_reset(&key);
        strbuf_add_text(&key, rate);
        table_schema_path(&key, schema, entry);
        const struct str *given = table_metadata_property(metadata, key.ptr);
        if (given != NULL && !(float_text_parse_f64(*given, &fpp) && fpp > 0 && fpp < 1)) {
            fpp = BLOOM_FPP;
        }
        blooms[out->bloom_count++] =
            (struct parquet_bloom_options){.id = entry->id, .fpp = fpp, .bytes_max = bytes_max};
    }
    strbuf_release(&key);
    out->blooms = blooms;
}

enum status file_schema_options(struct arena *arena, const struct table_metadata *metadata,
                                struct parquet_writer_options *out, struct err *err)
{
    const struct table_schema *schema = table_metadata_current_schema(metadata);
    const struct str *format = table_metadata_property(metadata, "write.format.default");
    struct strbuf text;
    *out = (struct parquet_writer_options){0};
    if (format != NULL && !str_is_nocase(*format, "parquet")) {
        return ERR(err, STATUS_UNSUPPORTED, "'write.format.default' = '%.*s'", STR_ARGS(*format));
    }
    TRY(codec_of(metadata, out, err));
    TRY(refuse_types(schema->root, err));
    TRY(file_schema_fields(arena, schema, &out->fields, &out->field_count, err));
    out->row_group_bytes = (uint64_t)bounded(metadata, "write.parquet.row-group-size-bytes",
                                             ROW_GROUP_BYTES, INT64_C(1) << 31);
    out->page_bytes =
        (uint32_t)bounded(metadata, "write.parquet.page-size-bytes", PAGE_BYTES, 64 << 20);
    out->page_rows =
        (uint32_t)bounded(metadata, "write.parquet.page-row-limit", PAGE_ROWS, 1 << 24);
    out->dictionary_bytes =
        (uint32_t)bounded(metadata, "write.parquet.dict-size-bytes", DICTIONARY_BYTES, 64 << 20);
    add_blooms(arena, metadata, schema, out);
    strbuf_init(&text, SCHEMA_TEXT_MAX);
    table_schema_print(&text, schema);
    struct parquet_key_value *pair = arena_new(arena, struct parquet_key_value);
    pair->key = STR_LIT("iceberg.schema");
    pair->value = arena_str(arena, strbuf_str(&text));
    strbuf_release(&text);
    out->key_values = pair;
    out->key_value_count = 1;
    return STATUS_OK;
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
                                            .size = (int64_t)leaf->bytes,
                                            .value_count = DATA_FILE_NONE,
                                            .null_count = DATA_FILE_NONE,
                                            .nan_count = DATA_FILE_NONE};
        if (rule.mode == BOUNDS_NONE) {
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
