// SPDX-License-Identifier: Apache-2.0
#include "iceberg/table_reader.h"

#include "base/arena.h"
#include "base/bits.h"
#include "base/mem.h"
#include "iceberg/delete_filter.h"
#include "iceberg/file_default.h"
#include "iceberg/file_reader.h"
#include "iceberg/file_schema.h"
#include "iceberg/metadata_column.h"
#include "iceberg/spec/table_metadata.h"

// Fields are asked of the file in this order: the columns of the scan, metadata columns that the
// file may hold, and keys of equality deletes that are not among the columns.
struct table_reader {
    struct arena arena;
    struct arena batch_arena;
    const struct table_metadata *metadata;
    const struct scan_task *task;
    struct file_reader *file;
    uint32_t column_count;
    uint32_t field_count;
    const struct iceberg_field **asked;
    struct parquet_field *fields;
    struct file_default *defaults; // of each field
    struct column *filled;         // the fields of a batch
    struct column *columns;        // of the batch handed out: of the scan, then metadata
    uint32_t metadata_count;
    const int32_t *metadata_ids;
    uint32_t *stored; // the field of each metadata column; UINT32_MAX: the file has none
    bool keeps_deleted;
    struct delete_filter *own_deletes; // NULL: the caller's or none
    struct delete_view *view;          // NULL: no deletes
    uint32_t *key_fields;              // the field of each key of the view
    struct column *keys;
    struct batch_origin origin;
    uint64_t position, end;
    uint64_t places[BATCH_ROWS_MAX];
    bool has_places;
};

// The values of identity partitions stand for columns that the file lacks.
static void find_constants(struct table_reader *reader, const struct table_metadata *metadata,
                           const struct scan_task *task, struct file_default_options *out)
{
    const struct partition_spec *spec = table_metadata_spec(metadata, task->file.spec_id);
    if (spec == NULL) {
        return;
    }
    struct file_constant *constants =
        arena_new_array(&reader->arena, struct file_constant, spec->field_count);
    for (uint32_t i = 0; i < spec->field_count; i++) {
        const struct partition_field *field = &spec->fields[i];
        if (field->transform.kind == TRANSFORM_IDENTITY) {
            constants[out->constant_count++] =
                (struct file_constant){field->source_id, task->file.partition[i]};
        }
    }
    out->constants = constants;
}

static uint32_t ask(struct table_reader *reader, const struct iceberg_field *field)
{
    reader->asked[reader->field_count] = field;
    return reader->field_count++;
}

// The metadata columns behind those of the scan.
static enum status ask_metadata(struct table_reader *reader,
                                const struct table_reader_options *options, struct err *err)
{
    for (uint32_t i = 0; i < options->metadata_count; i++) {
        int32_t id = options->metadata_ids[i];
        struct iceberg_field *field = arena_new(&reader->arena, struct iceberg_field);
        TRY(metadata_column_field(&reader->arena, options->metadata, id, field, err));
        reader->stored[i] = metadata_column_in_file(id) ? ask(reader, field) : UINT32_MAX;
        reader->keeps_deleted = reader->keeps_deleted || id == ICEBERG_ID_DELETED;
    }
    return STATUS_OK;
}

// The keys of equality deletes, where they are not among the columns.
static void ask_keys(struct table_reader *reader)
{
    for (uint32_t i = 0; i < delete_view_key_count(reader->view); i++) {
        const struct iceberg_field *key = delete_view_key(reader->view, i);
        uint32_t at = 0;
        while (at < reader->column_count &&
               (reader->asked[at]->id != key->id || !iceberg_type_is_primitive(key->type))) {
            at++;
        }
        reader->key_fields[i] = at < reader->column_count ? at : ask(reader, key);
    }
}

static enum status open_deletes(struct table_reader *reader,
                                const struct table_reader_options *options, struct err *err)
{
    struct delete_filter *filter = options->deletes;
    if (!delete_filter_concerns(reader->task)) {
        return STATUS_OK;
    }
    if (filter == NULL) {
        struct delete_filter_options filter_options = {.store = options->store,
                                                       .metadata = options->metadata,
                                                       .schema = options->schema,
                                                       .tasks = &reader->task,
                                                       .task_count = 1,
                                                       .budget = options->budget};
        filter = reader->own_deletes = delete_filter_new(&filter_options);
    }
    return delete_filter_open(filter, reader->task, &reader->view, err);
}

// What is to be read, with the fields' arrays.
static enum status ask_all(struct table_reader *reader, const struct table_reader_options *options,
                           struct err *err)
{
    const struct iceberg_type *root = options->schema->root;
    uint32_t keys = reader->view != NULL ? delete_view_key_count(reader->view) : 0;
    uint32_t count = reader->column_count + reader->metadata_count + keys + 1;
    reader->asked = arena_alloc(&reader->arena, count * sizeof *reader->asked);
    reader->fields = arena_new_array(&reader->arena, struct parquet_field, count);
    reader->defaults = arena_new_array(&reader->arena, struct file_default, count);
    reader->filled = arena_new_array(&reader->arena, struct column, count);
    reader->columns = arena_new_array(&reader->arena, struct column, count);
    reader->stored = arena_new_array(&reader->arena, uint32_t, count);
    reader->key_fields = arena_new_array(&reader->arena, uint32_t, count);
    reader->keys = arena_new_array(&reader->arena, struct column, count);
    for (uint32_t i = 0; i < reader->column_count; i++) {
        ask(reader, options->fields != NULL
                        ? &options->fields[i]
                        : &root->fields[options->columns != NULL ? options->columns[i] : i]);
    }
    TRY(ask_metadata(reader, options, err));
    if (reader->view != NULL) {
        ask_keys(reader);
    }
    for (uint32_t i = 0; i < reader->field_count; i++) {
        TRY(file_schema_field(&reader->arena, reader->asked[i], &reader->fields[i], err));
        reader->fields[i].required = false; // a file of before the column was made required
    }
    return STATUS_OK;
}

static void exclude_deleted(void *owner, uint64_t row, uint32_t count, uint64_t *bits)
{
    delete_view_exclude(owner, row, count, bits);
}

static enum status open_file(struct table_reader *reader,
                             const struct table_reader_options *options, struct err *err)
{
    const struct scan_task *task = reader->task;
    struct file_reader_options file_options = {
        .store = options->store,
        .path = task->file.path,
        .format = task->file.format,
        .fields = reader->fields,
        .field_count = reader->field_count,
        .name_mapping = table_metadata_property(options->metadata, "schema.name-mapping.default"),
        .predicate = options->predicate,
        .filter = true,
        .exclusion = {.exclude =
                          reader->view != NULL && !reader->keeps_deleted ? exclude_deleted : NULL,
                      .owner = reader->view},
        .budget = options->budget,
        .row_group_first = options->row_group_first,
        .row_group_count = options->row_group_count,
    };
    TRY(file_reader_open(&file_options, &reader->file, err));
    struct file_default_options defaults = {.file = reader->file};
    find_constants(reader, options->metadata, task, &defaults);
    for (uint32_t i = 0; i < reader->field_count; i++) {
        TRY(file_default_build(&reader->arena, &defaults, reader->asked[i], i, &reader->defaults[i],
                               err));
    }
    for (uint32_t i = 0; i < reader->metadata_count; i++) {
        if (reader->stored[i] != UINT32_MAX &&
            file_reader_is_missing(reader->file, reader->stored[i])) {
            reader->stored[i] = UINT32_MAX;
        }
    }
    return STATUS_OK;
}

enum status table_reader_open(const struct table_reader_options *options,
                              const struct scan_task *task, struct table_reader **out,
                              struct err *err)
{
    *out = NULL;
    struct table_reader *reader = mem_zalloc(sizeof *reader);
    arena_init(&reader->arena);
    arena_init(&reader->batch_arena);
    reader->metadata = options->metadata;
    reader->task = task;
    reader->column_count =
        options->columns != NULL ? options->column_count : options->schema->root->field_count;
    reader->metadata_count = options->metadata_count;
    reader->metadata_ids = arena_copy(&reader->arena, options->metadata_ids,
                                      options->metadata_count * sizeof *options->metadata_ids);
    reader->origin.name = arena_str(&reader->arena, task->file.path);
    reader->origin.unit = "row";
    enum status status = open_deletes(reader, options, err);
    if (status == STATUS_OK) {
        status = ask_all(reader, options, err);
    }
    if (status == STATUS_OK) {
        status = open_file(reader, options, err);
    }
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
    file_reader_free(reader->file);
    delete_view_close(reader->view);
    delete_filter_free(reader->own_deletes);
    arena_release(&reader->batch_arena);
    arena_release(&reader->arena);
    mem_free(reader);
}

static enum status make_metadata(struct table_reader *reader, const uint64_t *deleted,
                                 uint32_t row_count, struct err *err)
{
    struct metadata_column_rows rows = {.metadata = reader->metadata,
                                        .task = reader->task,
                                        .position = reader->position,
                                        .places = table_reader_places(reader),
                                        .row_count = row_count,
                                        .deleted = deleted};
    for (uint32_t i = 0; i < reader->metadata_count; i++) {
        rows.stored = reader->stored[i] != UINT32_MAX ? &reader->filled[reader->stored[i]] : NULL;
        TRY(metadata_column_make(&reader->batch_arena, reader->metadata_ids[i], &rows,
                                 &reader->columns[reader->column_count + i], err));
    }
    return STATUS_OK;
}

// The mask of the rows that are deleted; false: none is.
static bool mark_deleted(struct table_reader *reader, uint32_t row_count, uint64_t *mask)
{
    if (reader->view == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < delete_view_key_count(reader->view); i++) {
        reader->keys[i] = reader->filled[reader->key_fields[i]];
    }
    const struct delete_rows rows = {.position = reader->position,
                                     .places = table_reader_places(reader),
                                     .count = row_count,
                                     .positions_done = reader->has_places && !reader->keeps_deleted,
                                     .keys = reader->keys};
    return delete_view_mark(reader->view, &rows, mask);
}

// Leaves out the rows of the mask, and notes the places of the others.
static void drop_deleted(struct table_reader *reader, struct batch *batch, uint64_t *mask)
{
    uint16_t rows[BATCH_ROWS_MAX];
    for (uint32_t i = 0; i < bits_words(batch->row_count); i++) {
        mask[i] = ~mask[i];
    }
    if (batch->row_count > 0) {
        mask[bits_words(batch->row_count) - 1] &= bits_tail(batch->row_count);
    }
    uint32_t count = bits_positions(mask, batch->row_count, rows);
    for (uint32_t i = 0; i < count; i++) {
        // Not behind itself: rows are left out and the others move to the front.
        reader->places[i] =
            reader->has_places ? reader->places[rows[i]] : reader->position + rows[i];
    }
    reader->has_places = true;
    reader->position = count > 0 ? reader->places[0] : reader->end;
    *batch = batch_gather(&reader->batch_arena, batch, rows, count);
}

// Where the rows stand, when some were filtered out.
static void note_places(struct table_reader *reader, uint32_t row_count)
{
    const uint64_t *places = file_reader_places(reader->file);
    if (places != NULL && row_count > 0) {
        memcpy(reader->places, places, row_count * sizeof *places);
        reader->has_places = true;
        reader->end = places[row_count - 1] + 1;
    }
}

enum status table_reader_next(struct table_reader *reader, struct batch *out, struct err *err)
{
    do {
        struct batch batch;
        uint64_t deleted[BATCH_WORDS_MAX] = {0};
        arena_reset(&reader->batch_arena);
        TRY(file_reader_next(reader->file, &batch, err));
        for (uint32_t i = 0; i < reader->field_count; i++) {
            reader->filled[i] =
                file_default_fill(&reader->batch_arena, &reader->defaults[i], &batch.columns[i]);
        }
        reader->position = file_reader_position(reader->file);
        reader->end = reader->position + batch.row_count;
        reader->has_places = false;
        note_places(reader, batch.row_count);
        bool is_any = mark_deleted(reader, batch.row_count, deleted);
        for (uint32_t i = 0; i < reader->column_count; i++) {
            reader->columns[i] = reader->filled[i];
        }
        TRY(make_metadata(reader, deleted, batch.row_count, err));
        *out = batch;
        out->columns = reader->columns;
        out->column_count = reader->column_count + reader->metadata_count;
        if (is_any && !reader->keeps_deleted) {
            drop_deleted(reader, out, deleted);
        }
    } while (out->row_count == 0);
    reader->origin.first = reader->position;
    reader->origin.places = table_reader_places(reader);
    out->origin = &reader->origin;
    return STATUS_OK;
}

uint64_t table_reader_position(const struct table_reader *reader)
{
    return reader->position;
}

const uint64_t *table_reader_places(const struct table_reader *reader)
{
    return reader->has_places ? reader->places : NULL;
}

uint64_t table_reader_end(const struct table_reader *reader)
{
    return reader->end;
}

struct parquet_reader_counters table_reader_counters(const struct table_reader *reader)
{
    return file_reader_counters(reader->file);
}
