// SPDX-License-Identifier: Apache-2.0
#include "base/mem.h"
#include "base/strbuf.h"
#include "codec/compress.h"
#include "iceberg/file_schema.h"
#include "iceberg/file_values.h"
#include "iceberg/open_file_int.h"
#include "iceberg/spec/data_file.h"
#include "iceberg/write_properties.h"

enum { SCHEMA_TEXT_MAX = 16 << 20 };

static const struct {
    const struct open_file_ops *ops;
    enum status (*open)(struct open_file_maker *maker, const struct file_settings *settings,
                        struct byte_source *const *segments, uint32_t segment_count,
                        struct open_file **out, struct err *err);
} formats[] = {
    [FILE_SETTINGS_PARQUET] = {&open_file_parquet_ops, open_file_parquet_open},
    [FILE_SETTINGS_AVRO] = {&open_file_avro_ops, open_file_avro_open},
};

static enum status fill(struct open_file_maker *maker, struct err *err)
{
    const struct table_schema *schema = table_metadata_current_schema(maker->metadata);
    struct strbuf text;
    TRY(write_properties_check_table(maker->metadata, err));
    TRY(file_schema_fields(&maker->arena, schema, &maker->fields, &maker->field_count, err));
    strbuf_init(&text, SCHEMA_TEXT_MAX);
    table_schema_print(&text, schema);
    maker->schema_text = arena_str(&maker->arena, strbuf_str(&text));
    strbuf_release(&text);
    struct parquet_key_value *pair = arena_new(&maker->arena, struct parquet_key_value);
    *pair = (struct parquet_key_value){STR_LIT("iceberg.schema"), maker->schema_text};
    TRY(file_settings_of(&maker->arena, maker->metadata, &maker->settings, err));
    maker->has_unknown = file_values_have_unknown(maker->fields, maker->field_count);
    maker->has_shapes = file_values_have_shapes(maker->fields, maker->field_count);
    maker->settings.parquet.fields = file_values_known_fields(
        &maker->arena, maker->fields, maker->field_count, &maker->settings.parquet.field_count);
    maker->settings.parquet.key_values = pair;
    maker->settings.parquet.key_value_count = 1;
    maker->settings.parquet.budget = maker->budget;
    return STATUS_OK;
}

enum status open_file_maker_new(const struct table_metadata *metadata, struct table_env *env,
                                struct budget *budget, struct open_file_maker **out,
                                struct err *err)
{
    struct open_file_maker *maker = mem_zalloc(sizeof *maker);
    *out = NULL;
    arena_init(&maker->arena);
    maker->metadata = metadata;
    maker->env = env;
    maker->budget = budget;
    enum status status = fill(maker, err);
    if (status != STATUS_OK) {
        open_file_maker_free(maker);
        return status;
    }
    *out = maker;
    return STATUS_OK;
}

void open_file_maker_free(struct open_file_maker *maker)
{
    if (maker != NULL) {
        parquet_encoder_free(maker->parquet_encoder);
        compress_free(maker->compress);
        arena_release(&maker->arena);
        mem_free(maker);
    }
}

const struct file_settings *open_file_maker_settings(const struct open_file_maker *maker)
{
    return &maker->settings;
}

enum status open_file_new(struct open_file_maker *maker, struct open_file **out, struct err *err)
{
    *out = NULL;
    return formats[maker->settings.format].open(maker, &maker->settings, NULL, 0, out, err);
}

enum status open_file_restore(struct open_file_maker *maker, const struct file_settings *settings,
                              struct byte_source *const *segments, uint32_t segment_count,
                              struct open_file **out, struct err *err)
{
    *out = NULL;
    return formats[settings->format].open(maker, settings, segments, segment_count, out, err);
}

void open_file_free(struct open_file *file)
{
    if (file != NULL) {
        file->ops->free(file);
    }
}

enum status open_file_append(struct open_file *file, const struct batch *batch, struct err *err)
{
    const struct open_file_maker *maker = file->maker;
    if (maker->has_shapes) {
        TRY(file_values_check_shapes(maker->fields, maker->field_count, batch, err));
    }
    return file->ops->append(file, batch, err);
}

enum status open_file_seal(struct open_file *file, bool shrink, struct err *err)
{
    return file->ops->seal(file, shrink, err);
}

enum status open_file_take(struct open_file *file, struct byte_sink *sink, uint64_t *size,
                           struct err *err)
{
    return file->ops->take(file, sink, size, err);
}

size_t open_file_revocable(const struct open_file *file)
{
    return file->ops->revocable(file);
}

uint64_t open_file_size(const struct open_file *file)
{
    return file->ops->size(file);
}

enum status open_file_close(struct open_file *file, struct byte_source *const *segments,
                            uint32_t segment_count, struct byte_sink *sink, struct err *err)
{
    return file->ops->close(file, segments, segment_count, sink, err);
}

void open_file_describe(const struct open_file *file, struct arena *arena, struct data_file *out)
{
    out->format = str_from(file->ops->name);
    file->ops->describe(file, arena, out);
}
