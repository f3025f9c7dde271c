// SPDX-License-Identifier: Apache-2.0
#include "codec/avro_encode.h"

#include "base/mem.h"
#include "codec/avro_put.h"
#include "data/batch.h"
#include "data/datetime.h"
#include "data/variant.h"

enum { SCHEMA_MAX = 64 << 20, MICROS_PER_MILLI = 1000 };

struct avro_encoder {
    struct avro_writer writer;
    const struct avro_column *columns;
    uint32_t column_count;
    uint64_t rows;
};

static enum status put(struct strbuf *out, const struct avro_column *what,
                       const struct column *column, uint32_t row, struct err *err);

enum status avro_encoder_new(const struct avro_encode_options *options, struct avro_encoder **out,
                             struct err *err)
{
    struct strbuf schema;
    struct str name = options->record_name.size > 0 ? options->record_name : STR_LIT("row");
    *out = NULL;
    strbuf_init(&schema, SCHEMA_MAX);
    enum status status =
        avro_columns_print(&schema, name, options->columns, options->column_count, err);
    if (status == STATUS_OK) {
        struct avro_writer_options writer = {.schema = strbuf_str(&schema),
                                             .metas = options->metas,
                                             .meta_count = options->meta_count,
                                             .codec = options->codec,
                                             .level = options->level,
                                             .sink = options->sink,
                                             .without_header = options->without_header,
                                             .compress = options->compress};
        memcpy(writer.sync, options->sync, sizeof writer.sync);
        struct avro_encoder *encoder = mem_zalloc(sizeof *encoder);
        avro_writer_init(&encoder->writer, &writer);
        encoder->columns = options->columns;
        encoder->column_count = options->column_count;
        *out = encoder;
    }
    strbuf_release(&schema);
    return status;
}

void avro_encoder_free(struct avro_encoder *encoder)
{
    if (encoder != NULL) {
        avro_writer_release(&encoder->writer);
        mem_free(encoder);
    }
}

// Two's complement of the fewest bytes that hold the precision, the highest first.
static void put_decimal(struct strbuf *out, int32_t precision, int128 value)
{
    uint32_t size = avro_columns_decimal_size(precision);
    for (uint32_t i = size; i > 0; i--) {
        strbuf_add_byte(out, (char)(value >> (8 * (i - 1))));
    }
}

static enum status put_nano(struct strbuf *out, struct nano value, struct err *err)
{
    int64_t nanos;
    if (!datetime_ns_from_nano(value, &nanos)) {
        return ERR(err, STATUS_INVALID_DATA,
                   "a timestamp that nanoseconds of 64 bits cannot hold (1677 to 2262)");
    }
    avro_put_long(out, nanos);
    return STATUS_OK;
}

static enum status put_variant(struct strbuf *out, struct str held, struct err *err)
{
    struct variant_names names;
    struct variant value;
    if (!variant_open(held, &names, &value)) {
        return ERR(err, STATUS_INVALID_DATA, "a variant is damaged");
    }
    avro_put_bytes(out, str_slice(held, 0, names.size));
    avro_put_bytes(out, str_slice(held, names.size, held.size));
    return STATUS_OK;
}

// Iceberg's columns, those with ids, count times in microseconds; others in the coarsest unit.
static int64_t ticks(const struct avro_column *what, int64_t value)
{
    bool is_iceberg = what->id >= 0;
    if (what->type->kind == TYPE_TIME) { // of milliseconds, or of microseconds
        bool is_milli = type_physical(what->type) == PHYSICAL_I32;
        return is_iceberg && is_milli ? value * MICROS_PER_MILLI : value;
    }
    bool is_millis = type_is_timestamp(what->type) && !is_iceberg && what->type->length <= 3;
    return is_millis ? datetime_floor_div(value, MICROS_PER_MILLI) : value;
}

static enum status put_scalar(struct strbuf *out, const struct avro_column *what,
                              const struct column *column, uint32_t row, struct err *err)
{
    const struct type *type = what->type;
    const void *value = column_value(column, row);
    switch (column->physical) {
    case PHYSICAL_BOOL: strbuf_add_byte(out, (char)(*(const uint8_t *)value != 0)); break;
    case PHYSICAL_I8: avro_put_long(out, *(const int8_t *)value); break;
    case PHYSICAL_I16: avro_put_long(out, *(const int16_t *)value); break;
    case PHYSICAL_I32: avro_put_long(out, ticks(what, *(const int32_t *)value)); break;
    case PHYSICAL_I64:
        if (type->kind == TYPE_DECIMAL) {
            put_decimal(out, type->length, *(const int64_t *)value);
        } else {
            avro_put_long(out, ticks(what, *(const int64_t *)value));
        }
        break;
    case PHYSICAL_I128: put_decimal(out, type->length, *(const int128 *)value); break;
    case PHYSICAL_F32: avro_put_float(out, *(const float *)value); break;
    case PHYSICAL_F64: avro_put_double(out, *(const double *)value); break;
    case PHYSICAL_NANO: return put_nano(out, *(const struct nano *)value, err);
    case PHYSICAL_STRING:
        if (type->kind == TYPE_VARIANT) {
            return put_variant(out, strview_str(value), err);
        }
        if (type->kind == TYPE_BINARY) {
            struct str bytes = strview_str(value);
            if (bytes.size != (size_t)type->length) {
                return ERR(err, STATUS_INVALID_DATA, "%zu bytes in a column of %d", bytes.size,
                           type->length);
            }
            strbuf_add(out, bytes);
        } else {
            avro_put_bytes(out, strview_str(value));
        }
        break;
    case PHYSICAL_LIST:
    case PHYSICAL_MAP:
    case PHYSICAL_ROW: break;
    }
    return STATUS_OK;
}

static enum status put_items(struct strbuf *out, const struct avro_column *what,
                             const struct column *column, uint32_t row, struct err *err)
{
    const struct column *holder = column_holder(column);
    const struct list_view *view = column_value(column, row);
    bool is_map = what->child_count == 2;
    if (view->length > 0) {
        avro_put_long(out, view->length);
    }
    for (uint32_t i = view->offset; i < view->offset + view->length; i++) {
        if (is_map && column_is_null(&holder->children[0], i)) {
            return ERR(err, STATUS_INVALID_DATA, "a key of a map is null");
        }
        if (is_map) {
            TRY(put_scalar(out, &what->children[0], &holder->children[0], i, err));
        }
        TRY(put(out, &what->children[is_map], &holder->children[is_map], i, err));
    }
    avro_put_long(out, 0);
    return STATUS_OK;
}

static enum status put(struct strbuf *out, const struct avro_column *what,
                       const struct column *column, uint32_t row, struct err *err)
{
    bool is_null = column_is_null(column, row) || what->type->kind == TYPE_NULL;
    if (what->required && is_null) {
        return ERR(err, STATUS_INVALID_DATA, "a null where there may be none");
    }
    if (what->type->kind == TYPE_NULL) {
        return STATUS_OK; // no union either
    }
    if (!what->required) {
        avro_put_long(out, !is_null);
    }
    if (is_null) {
        return STATUS_OK;
    }
    if (column->physical == PHYSICAL_LIST || column->physical == PHYSICAL_MAP) {
        return put_items(out, what, column, row, err);
    }
    if (column->physical != PHYSICAL_ROW) {
        return put_scalar(out, what, column, row, err);
    }
    const struct column *holder = column_holder(column);
    uint32_t at = column_at(column, row);
    for (uint32_t i = 0; i < what->child_count; i++) {
        enum status status = put(out, &what->children[i], &holder->children[i], at, err);
        if (status != STATUS_OK) {
            err_context(err, "'%.*s'", STR_ARGS(what->children[i].name));
            return status;
        }
    }
    return STATUS_OK;
}

enum status avro_encoder_append(struct avro_encoder *encoder, const struct batch *batch,
                                struct err *err)
{
    for (uint32_t row = 0; row < batch->row_count; row++) {
        for (uint32_t i = 0; i < encoder->column_count; i++) {
            const struct avro_column *what = &encoder->columns[i];
            enum status status = put(&encoder->writer.block, what, &batch->columns[i], row, err);
            if (status != STATUS_OK) {
                err_context(err, "column '%.*s'", STR_ARGS(what->name));
                return status;
            }
        }
        TRY(avro_writer_row(&encoder->writer, err));
        encoder->rows++;
    }
    return STATUS_OK;
}

enum status avro_encoder_end_block(struct avro_encoder *encoder, bool shrink, struct err *err)
{
    TRY(avro_writer_end_block(&encoder->writer, err));
    if (shrink) {
        avro_writer_shrink(&encoder->writer);
    }
    return STATUS_OK;
}

size_t avro_encoder_memory(const struct avro_encoder *encoder)
{
    return encoder->writer.block.capacity + encoder->writer.file.capacity;
}

enum status avro_encoder_finish(struct avro_encoder *encoder, struct err *err)
{
    struct str bytes;
    return avro_writer_finish(&encoder->writer, &bytes, err);
}

uint64_t avro_encoder_rows(const struct avro_encoder *encoder)
{
    return encoder->rows;
}

uint64_t avro_encoder_rows_written(const struct avro_encoder *encoder)
{
    return encoder->rows - encoder->writer.block_rows;
}

size_t avro_encoder_pending(const struct avro_encoder *encoder)
{
    return encoder->writer.block.size;
}

uint64_t avro_encoder_size(const struct avro_encoder *encoder)
{
    return avro_writer_size(&encoder->writer);
}
