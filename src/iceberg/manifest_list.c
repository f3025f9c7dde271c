// SPDX-License-Identifier: Apache-2.0
#include "iceberg/manifest_list.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "codec/avro_reader.h"
#include "codec/avro_writer.h"
#include "iceberg/manifest_schema.h"

enum { FILES_MAX = 10000000, SCHEMA_SIZE_MAX = 1 << 20 };

static const struct {
    const char *name;
    int32_t id;
} names[] = {
    {"manifest_path", FIELD_LIST_PATH},
    {"manifest_length", FIELD_LIST_LENGTH},
    {"partition_spec_id", FIELD_LIST_SPEC_ID},
    {"content", FIELD_LIST_CONTENT},
    {"sequence_number", FIELD_LIST_SEQUENCE_NUMBER},
    {"min_sequence_number", FIELD_LIST_MIN_SEQUENCE_NUMBER},
    {"added_snapshot_id", FIELD_LIST_SNAPSHOT_ID},
    {"added_files_count", FIELD_LIST_ADDED_FILES},
    {"added_data_files_count", FIELD_LIST_ADDED_FILES},
    {"existing_files_count", FIELD_LIST_EXISTING_FILES},
    {"existing_data_files_count", FIELD_LIST_EXISTING_FILES},
    {"deleted_files_count", FIELD_LIST_DELETED_FILES},
    {"deleted_data_files_count", FIELD_LIST_DELETED_FILES},
    {"added_rows_count", FIELD_LIST_ADDED_ROWS},
    {"existing_rows_count", FIELD_LIST_EXISTING_ROWS},
    {"deleted_rows_count", FIELD_LIST_DELETED_ROWS},
    {"partitions", FIELD_LIST_PARTITIONS},
    {"key_metadata", FIELD_LIST_KEY_METADATA},
    {"first_row_id", FIELD_LIST_FIRST_ROW_ID},
    {"contains_null", FIELD_SUMMARY_NULL},
    {"contains_nan", FIELD_SUMMARY_NAN},
    {"lower_bound", FIELD_SUMMARY_LOWER},
    {"upper_bound", FIELD_SUMMARY_UPPER},
};

static int32_t id_of(const struct avro_field *field)
{
    for (size_t i = 0; field->id == AVRO_NO_ID && i < sizeof names / sizeof *names; i++) {
        if (str_is(field->name, names[i].name)) {
            return names[i].id;
        }
    }
    return field->id;
}

static bool is_integer(const struct avro_value *value)
{
    return value->kind == AVRO_INT || value->kind == AVRO_LONG;
}

static bool is_bytes(const struct avro_value *value)
{
    return value->kind == AVRO_BYTES || value->kind == AVRO_STRING || value->kind == AVRO_FIXED;
}

static enum status read_summary(struct arena *arena, struct avro_cursor *cursor,
                                const struct avro_schema *record,
                                struct manifest_field_summary *out, struct err *err)
{
    *out = (struct manifest_field_summary){.contains_nan = MANIFEST_NONE};
    for (uint32_t i = 0; i < record->count; i++) {
        struct avro_value value;
        int32_t id = id_of(&record->fields[i]);
        if (id < FIELD_SUMMARY_NULL || id > FIELD_SUMMARY_NAN) {
            TRY(avro_cursor_skip(cursor, record->fields[i].schema, err));
            continue;
        }
        TRY(avro_cursor_value(cursor, record->fields[i].schema, &value, err));
        if (id == FIELD_SUMMARY_NULL && value.kind == AVRO_BOOLEAN) {
            out->contains_null = value.as.i64 != 0;
        } else if (id == FIELD_SUMMARY_NAN && value.kind == AVRO_BOOLEAN) {
            out->contains_nan = value.as.i64 != 0;
        } else if (id == FIELD_SUMMARY_LOWER && is_bytes(&value)) {
            out->lower = arena_str(arena, value.as.bytes);
        } else if (id == FIELD_SUMMARY_UPPER && is_bytes(&value)) {
            out->upper = arena_str(arena, value.as.bytes);
        } else if (value.kind == AVRO_RECORD || value.kind == AVRO_ARRAY ||
                   value.kind == AVRO_MAP) {
            return ERR(err, STATUS_INVALID_DATA, "a strange partition summary");
        }
    }
    return STATUS_OK;
}

static enum status read_partitions(struct arena *arena, struct avro_cursor *cursor,
                                   const struct avro_schema *array, struct manifest_file *out,
                                   struct err *err)
{
    const struct avro_schema *record = array->fields[0].schema;
    VEC(struct manifest_field_summary) summaries = {0};
    enum status status = STATUS_OK;
    uint64_t count = 1;
    if (record->kind != AVRO_RECORD) {
        return ERR(err, STATUS_INVALID_DATA, "partitions are no records");
    }
    while (count > 0) {
        status = avro_cursor_items(cursor, record, &count, err);
        for (uint64_t i = 0; status == STATUS_OK && i < count; i++) {
            struct manifest_field_summary summary;
            status = read_summary(arena, cursor, record, &summary, err);
            VEC_PUSH(&summaries, summary);
        }
        if (status != STATUS_OK) {
            goto out;
        }
    }
    out->partition_count = summaries.count;
    out->partitions = arena_copy(arena, summaries.items, summaries.count * sizeof *summaries.items);
out:
    VEC_RELEASE(&summaries);
    return status;
}

static int64_t *number_of(struct manifest_file *file, int32_t id)
{
    switch (id) {
    case FIELD_LIST_LENGTH: return &file->length;
    case FIELD_LIST_SEQUENCE_NUMBER: return &file->sequence_number;
    case FIELD_LIST_MIN_SEQUENCE_NUMBER: return &file->min_sequence_number;
    case FIELD_LIST_SNAPSHOT_ID: return &file->snapshot_id;
    case FIELD_LIST_ADDED_FILES: return &file->added_files;
    case FIELD_LIST_EXISTING_FILES: return &file->existing_files;
    case FIELD_LIST_DELETED_FILES: return &file->deleted_files;
    case FIELD_LIST_ADDED_ROWS: return &file->added_rows;
    case FIELD_LIST_EXISTING_ROWS: return &file->existing_rows;
    case FIELD_LIST_DELETED_ROWS: return &file->deleted_rows;
    case FIELD_LIST_FIRST_ROW_ID: return &file->first_row_id;
    default: return NULL;
    }
}

// Numbers of files are ints where they are written again, whatever the file at hand has them as.
static bool fits_field(int32_t id, int64_t number)
{
    bool is_int = id == FIELD_LIST_ADDED_FILES || id == FIELD_LIST_EXISTING_FILES ||
                  id == FIELD_LIST_DELETED_FILES;
    return !is_int || number == (int32_t)number;
}

static enum status read_field(struct arena *arena, struct avro_cursor *cursor,
                              const struct avro_field *field, struct manifest_file *out,
                              struct err *err)
{
    int32_t id = id_of(field);
    int64_t *number = number_of(out, id);
    struct avro_value value;
    if (number == NULL && id != FIELD_LIST_PATH && id != FIELD_LIST_SPEC_ID &&
        id != FIELD_LIST_CONTENT && id != FIELD_LIST_PARTITIONS && id != FIELD_LIST_KEY_METADATA) {
        return avro_cursor_skip(cursor, field->schema, err);
    }
    TRY(avro_cursor_value(cursor, field->schema, &value, err));
    if (value.kind == AVRO_NULL) {
        return STATUS_OK;
    }
    if (number != NULL && is_integer(&value) && fits_field(id, value.as.i64)) {
        *number = value.as.i64;
    } else if (id == FIELD_LIST_PATH && is_bytes(&value)) {
        out->path = arena_str(arena, value.as.bytes);
    } else if (id == FIELD_LIST_SPEC_ID && value.kind == AVRO_INT) {
        out->spec_id = (int32_t)value.as.i64;
    } else if (id == FIELD_LIST_CONTENT && value.kind == AVRO_INT && value.as.i64 >= 0 &&
               value.as.i64 <= 1) {
        out->content = (enum manifest_content)value.as.i64;
    } else if (id == FIELD_LIST_KEY_METADATA && is_bytes(&value)) {
        out->key_metadata = arena_str(arena, value.as.bytes);
    } else if (id == FIELD_LIST_PARTITIONS && value.kind == AVRO_ARRAY) {
        return read_partitions(arena, cursor, value.schema, out, err);
    } else {
        return ERR(err, STATUS_INVALID_DATA, "a value that the field cannot have");
    }
    return STATUS_OK;
}

static enum status read_row(struct arena *arena, struct avro_cursor *cursor,
                            const struct avro_schema *record, struct manifest_file *out,
                            struct err *err)
{
    *out = (struct manifest_file){
        .length = MANIFEST_NONE,
        .snapshot_id = MANIFEST_NONE,
        .added_files = MANIFEST_NONE,
        .existing_files = MANIFEST_NONE,
        .deleted_files = MANIFEST_NONE,
        .added_rows = MANIFEST_NONE,
        .existing_rows = MANIFEST_NONE,
        .deleted_rows = MANIFEST_NONE,
        .first_row_id = MANIFEST_NONE,
    };
    for (uint32_t i = 0; i < record->count; i++) {
        enum status status = read_field(arena, cursor, &record->fields[i], out, err);
        if (status != STATUS_OK) {
            err_context(err, "field '%.*s'", STR_ARGS(record->fields[i].name));
            return status;
        }
    }
    return out->path.size > 0 ? STATUS_OK : ERR(err, STATUS_INVALID_DATA, "no 'manifest_path'");
}

enum status manifest_list_read(struct arena *arena, struct str bytes, struct str name,
                               struct manifest_file **out, uint32_t *count, struct err *err)
{
    struct avro_reader *reader = NULL;
    struct avro_cursor cursor;
    VEC(struct manifest_file) files = {0};
    uint64_t rows;
    struct avro_reader_options options = {
        .name = arena_printf(arena, "manifest list %.*s", STR_ARGS(name))};
    enum status status = avro_reader_open(bytes, &options, &reader, err);
    if (status != STATUS_OK) {
        goto out;
    }
    const struct avro_schema *record = avro_reader_schema(reader);
    if (record->kind != AVRO_RECORD) {
        status = ERR(err, STATUS_INVALID_DATA, "%.*s: 'avro.schema' is of no records",
                     STR_ARGS(options.name));
        goto out;
    }
    while ((status = avro_reader_block(reader, &cursor, &rows, err)) == STATUS_OK) {
        for (uint64_t i = 0; i < rows; i++) {
            struct manifest_file file;
            status = files.count >= FILES_MAX
                         ? ERR(err, STATUS_LIMIT, "over %d manifests", FILES_MAX)
                         : read_row(arena, &cursor, record, &file, err);
            if (status != STATUS_OK) {
                err_context(err, "row %u", files.count);
                avro_reader_context(reader, &cursor, err);
                goto out;
            }
            VEC_PUSH(&files, file);
        }
        status = avro_cursor_end(&cursor, err);
        if (status != STATUS_OK) {
            avro_reader_context(reader, &cursor, err);
            goto out;
        }
    }
    if (status == STATUS_END) {
        status = STATUS_OK;
        *count = files.count;
        *out = arena_copy(arena, files.items, files.count * sizeof *files.items);
    }
out:
    avro_reader_free(reader);
    VEC_RELEASE(&files);
    return status;
}

static void put_optional_bytes(struct avro_writer *writer, struct str bytes)
{
    avro_writer_present(writer, bytes.ptr != NULL);
    if (bytes.ptr != NULL) {
        avro_writer_bytes(writer, bytes);
    }
}

static void put_partitions(struct avro_writer *writer, const struct manifest_file *file)
{
    avro_writer_present(writer, file->partitions != NULL);
    if (file->partitions == NULL) {
        return;
    }
    if (file->partition_count > 0) {
        avro_writer_long(writer, file->partition_count);
    }
    for (uint32_t i = 0; i < file->partition_count; i++) {
        const struct manifest_field_summary *summary = &file->partitions[i];
        avro_writer_bool(writer, summary->contains_null);
        avro_writer_present(writer, summary->contains_nan != MANIFEST_NONE);
        if (summary->contains_nan != MANIFEST_NONE) {
            avro_writer_bool(writer, summary->contains_nan != 0);
        }
        put_optional_bytes(writer, summary->lower);
        put_optional_bytes(writer, summary->upper);
    }
    avro_writer_long(writer, 0);
}

// Counts are required in v2 and optional in v1. One that is not known (from a v1 list) would lie as
// 0: it is written as 1, which only means that readers look into the manifest.
static void put_count(struct avro_writer *writer, int64_t count, bool required)
{
    if (!required) {
        avro_writer_present(writer, count != MANIFEST_NONE);
        if (count == MANIFEST_NONE) {
            return;
        }
    }
    avro_writer_long(writer, count == MANIFEST_NONE ? 1 : count);
}

static void put_row(struct avro_writer *writer, const struct manifest_list_options *options,
                    const struct manifest_file *file)
{
    bool is_v1 = options->format_version == 1;
    avro_writer_bytes(writer, file->path);
    avro_writer_long(writer, file->length);
    avro_writer_long(writer, file->spec_id);
    if (!is_v1) {
        avro_writer_long(writer, file->content);
        avro_writer_long(writer, file->sequence_number);
        avro_writer_long(writer, file->min_sequence_number);
    }
    avro_writer_long(writer, file->snapshot_id);
    put_count(writer, file->added_files, !is_v1);
    put_count(writer, file->existing_files, !is_v1);
    put_count(writer, file->deleted_files, !is_v1);
    if (is_v1) {
        put_partitions(writer, file);
    }
    put_count(writer, file->added_rows, !is_v1);
    put_count(writer, file->existing_rows, !is_v1);
    put_count(writer, file->deleted_rows, !is_v1);
    if (!is_v1) {
        put_partitions(writer, file);
    }
    put_optional_bytes(writer, file->key_metadata);
    if (options->format_version >= 3) {
        avro_writer_present(writer, file->first_row_id != MANIFEST_NONE);
        if (file->first_row_id != MANIFEST_NONE) {
            avro_writer_long(writer, file->first_row_id);
        }
    }
}

// Header keys in Java's words.
static uint32_t header(const struct manifest_list_options *options, struct arena *arena,
                       struct str iceberg_schema, struct avro_meta metas[6])
{
    uint32_t count = 0;
    metas[count++] = (struct avro_meta){
        STR_LIT("snapshot-id"), arena_printf(arena, "%lld", (long long)options->snapshot_id)};
    metas[count++] = (struct avro_meta){STR_LIT("format-version"),
                                        arena_printf(arena, "%d", options->format_version)};
    if (options->format_version > 1) {
        metas[count++] =
            (struct avro_meta){STR_LIT("sequence-number"),
                               arena_printf(arena, "%lld", (long long)options->sequence_number)};
    }
    metas[count++] = (struct avro_meta){STR_LIT("iceberg.schema"), iceberg_schema};
    metas[count++] =
        (struct avro_meta){STR_LIT("parent-snapshot-id"),
                           options->parent_id == MANIFEST_NONE
                               ? STR_LIT("null")
                               : arena_printf(arena, "%lld", (long long)options->parent_id)};
    if (options->format_version >= 3) {
        metas[count++] = (struct avro_meta){
            STR_LIT("first-row-id"), arena_printf(arena, "%lld", (long long)options->first_row_id)};
    }
    return count;
}

static struct str copy_or_null(struct arena *arena, struct str text)
{
    return text.ptr == NULL ? text : arena_str(arena, text);
}

static struct manifest_file copy_row(struct arena *arena, const struct manifest_file *file)
{
    struct manifest_file copy = *file;
    copy.path = arena_str(arena, file->path);
    copy.key_metadata = copy_or_null(arena, file->key_metadata);
    if (file->partitions != NULL) {
        struct manifest_field_summary *summaries =
            arena_new_array(arena, struct manifest_field_summary, file->partition_count + 1);
        for (uint32_t i = 0; i < file->partition_count; i++) {
            summaries[i] = file->partitions[i];
            summaries[i].lower = copy_or_null(arena, summaries[i].lower);
            summaries[i].upper = copy_or_null(arena, summaries[i].upper);
        }
        copy.partitions = summaries;
    }
    return copy;
}

enum status manifest_list_assign(struct arena *arena, const struct manifest_list_options *options,
                                 const struct manifest_file *files, uint32_t count,
                                 struct manifest_file **out, int64_t *next_row_id, struct err *err)
{
    int64_t row_id = options->first_row_id;
    struct manifest_file *rows = arena_new_array(arena, struct manifest_file, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = copy_row(arena, &files[i]);
        if (rows[i].sequence_number == MANIFEST_NONE) {
            rows[i].sequence_number = options->sequence_number;
        }
        if (rows[i].min_sequence_number == MANIFEST_NONE) {
            rows[i].min_sequence_number = options->sequence_number;
        }
        if (options->format_version < 3 || rows[i].content != MANIFEST_DATA ||
            rows[i].first_row_id != MANIFEST_NONE) {
            continue;
        }
        if (rows[i].added_rows == MANIFEST_NONE || rows[i].existing_rows == MANIFEST_NONE) {
            return ERR(err, STATUS_INVALID_DATA,
                       "%.*s has no row counts, so its rows cannot get ids",
                       STR_ARGS(rows[i].path));
        }
        rows[i].first_row_id = row_id;
        row_id += rows[i].added_rows + rows[i].existing_rows;
    }
    *out = rows;
    *next_row_id = row_id;
    return STATUS_OK;
}

enum status manifest_list_write(struct strbuf *out, const struct manifest_list_options *options,
                                const struct manifest_file *files, uint32_t count, struct err *err)
{
    struct arena arena;
    struct strbuf avro;
    struct strbuf iceberg;
    struct avro_writer writer;
    struct avro_meta metas[6];
    struct str bytes;
    enum status status = STATUS_OK;
    arena_init(&arena);
    strbuf_init(&avro, SCHEMA_SIZE_MAX);
    strbuf_init(&iceberg, SCHEMA_SIZE_MAX);
    const struct iceberg_type *type = manifest_schema_list(&arena, options->format_version);
    manifest_schema_avro(&avro, type, "manifest_file");
    manifest_schema_iceberg(&iceberg, type);
    struct avro_writer_options writer_options = {
        .schema = strbuf_str(&avro),
        .metas = metas,
        .meta_count = header(options, &arena, strbuf_str(&iceberg), metas),
    };
    memcpy(writer_options.sync, options->sync, sizeof writer_options.sync);
    avro_writer_init(&writer, &writer_options);
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
        put_row(&writer, options, &files[i]);
        status = avro_writer_row(&writer, err);
    }
    if (status == STATUS_OK) {
        status = avro_writer_finish(&writer, &bytes, err);
    }
    if (status == STATUS_OK) {
        strbuf_add(out, bytes);
    }
    avro_writer_release(&writer);
    strbuf_release(&avro);
    strbuf_release(&iceberg);
    arena_release(&arena);
    return status;
}
