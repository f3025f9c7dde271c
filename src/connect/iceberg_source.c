// SPDX-License-Identifier: Apache-2.0
#include "connect/iceberg_source.h"

#include <inttypes.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "connect/iceberg_sink.h"
#include "connect/scan_predicate.h"
#include "connect/split_positions.h"
#include "iceberg/delete_filter.h"
#include "iceberg/metadata_column.h"
#include "iceberg/table_reader.h"
#include "plan/plan.h"

struct iceberg_file {
    const struct scan_task *task;
    uint64_t row_count; // handed out
};

struct iceberg_source {
    struct source_reader reader;
    struct arena arena; // of the plan
    struct arena batch_arena;
    struct iceberg_table *table;
    struct scan_plan plan;
    const struct predicate *predicate;
    uint32_t column_count;
    uint32_t *columns;            // positions among the schema's columns
    struct iceberg_field *fields; // what is read of each
    uint32_t metadata_count;
    int32_t *metadata_ids;         // of metadata columns
    uint32_t *places;              // of each column of the scan, among columns and metadata columns
    struct column *ordered;        // a batch in the scan's order
    struct delete_filter *deletes; // NULL: no file has any
    uint32_t file_count;
    struct iceberg_file *files; // files[i] is splits.items[i]
    uint32_t current;
    struct table_reader *file; // of `current`; NULL: not open
    struct batch_origin origin;
    struct budget *budget;
    struct str table_name;
    struct source_metrics metrics;
};

static void close_file(struct iceberg_source *source)
{
    if (source->file != NULL) {
        struct parquet_reader_counters counters = table_reader_counters(source->file);
        struct source_metrics *metrics = &source->metrics;
        uint64_t size = (uint64_t)source->files[source->current].task->file.file_size;
        metrics->files_read++;
        metrics->row_groups_read += counters.row_groups_read;
        metrics->row_groups_skipped += counters.row_groups_pruned;
        metrics->pages_read += counters.pages_read;
        metrics->pages_skipped += counters.pages_pruned;
        metrics->bytes_read += counters.bytes_read;
        metrics->bytes_skipped += size > counters.bytes_read ? size - counters.bytes_read : 0;
    }
    table_reader_free(source->file);
    source->file = NULL;
}

static enum status open_file(struct iceberg_source *source, struct err *err)
{
    struct table_reader_options options = {.store = source->table->place.store,
                                           .metadata = source->table->metadata,
                                           .schema = source->plan.schema,
                                           .columns = source->columns,
                                           .column_count = source->column_count,
                                           .fields = source->fields,
                                           .metadata_ids = source->metadata_ids,
                                           .metadata_count = source->metadata_count,
                                           .deletes = source->deletes,
                                           .predicate = source->predicate,
                                           .budget = source->budget};
    return table_reader_open(&options, source->files[source->current].task, &source->file, err);
}

// How many rows of the batch stand before `position` in the file.
static uint32_t rows_before(const struct iceberg_source *source, const struct batch *batch,
                            uint64_t position)
{
    uint64_t first = table_reader_position(source->file);
    const uint64_t *places = table_reader_places(source->file);
    uint32_t count = 0;
    if (position <= first) {
        return 0;
    }
    if (places == NULL) {
        return position - first < batch->row_count ? (uint32_t)(position - first)
                                                   : batch->row_count;
    }
    while (count < batch->row_count && places[count] < position) {
        count++;
    }
    return count;
}

// Rows that were handed out before a restart are read again and left out: by their place in the
// file, since pruning and deletes leave gaps.
static bool skip_known(struct iceberg_source *source, struct batch *batch)
{
    struct iceberg_file *file = &source->files[source->current];
    uint32_t known = rows_before(source, batch, file->row_count);
    const uint64_t *places = table_reader_places(source->file);
    if (known == batch->row_count) {
        return false;
    }
    source->origin = (struct batch_origin){.name = file->task->file.path,
                                           .unit = "row",
                                           .first = table_reader_position(source->file) + known,
                                           .places = places != NULL ? places + known : NULL};
    if (known > 0) {
        arena_reset(&source->batch_arena);
        *batch = batch_slice(&source->batch_arena, batch, known, batch->row_count - known);
    }
    batch->origin = &source->origin;
    file->row_count = table_reader_end(source->file);
    return true;
}

// Metadata columns come behind the others; the scan has them anywhere.
static void order_columns(struct iceberg_source *source, struct batch *batch)
{
    for (uint32_t i = 0; i < batch->column_count; i++) {
        source->ordered[i] = batch->columns[source->places[i]];
    }
    batch->columns = source->ordered;
}

static enum status iceberg_poll(struct source_reader *base, struct batch *out, struct err *err)
{
    struct iceberg_source *source = (struct iceberg_source *)base;
    while (source->current < source->file_count) {
        enum status status = STATUS_OK;
        if (source->file == NULL) {
            status = open_file(source, err);
        }
        if (status == STATUS_OK) {
            status = table_reader_next(source->file, out, err);
        }
        if (status == STATUS_END) {
            close_file(source);
            source->reader.splits.items[source->current++].state = SPLIT_FINISHED;
            continue;
        }
        if (status != STATUS_OK) {
            err_context(err, "table '%.*s'", STR_ARGS(source->table_name));
            return status;
        }
        if (skip_known(source, out)) {
            order_columns(source, out);
            out->split = source->current;
            return STATUS_OK;
        }
    }
    return STATUS_END;
}

static void iceberg_snapshot(struct source_reader *base, const struct op_context *context,
                             struct snapshot_writer *writer)
{
    struct iceberg_source *source = (struct iceberg_source *)base;
    struct arena scratch = {0};
    for (uint32_t i = 0; i < source->file_count; i++) {
        bool is_finished = base->splits.items[i].state == SPLIT_FINISHED;
        struct str position =
            arena_printf(&scratch, "%" PRId64 "/%" PRIu64, source->plan.snapshot->snapshot_id,
                         is_finished ? (uint64_t)source->files[i].task->file.record_count
                                     : source->files[i].row_count);
        split_positions_put(writer, context, base->splits.items[i].name, position);
    }
    arena_release(&scratch);
}

static void iceberg_metrics(struct source_reader *base, struct source_metrics *out)
{
    struct iceberg_source *source = (struct iceberg_source *)base;
    *out = source->metrics;
    if (source->deletes != NULL) {
        struct delete_counters counters = delete_filter_counters(source->deletes);
        out->delete_files_read = counters.files_read;
        out->rows_deleted = counters.rows_removed;
        out->bytes_read += counters.bytes_read;
    }
}

static void iceberg_close(struct source_reader *base)
{
    struct iceberg_source *source = (struct iceberg_source *)base;
    close_file(source);
    delete_filter_free(source->deletes);
    iceberg_table_free(source->table);
    arena_release(&source->arena);
    arena_release(&source->batch_arena);
    mem_free(source);
}

static const struct source_reader_ops iceberg_reader_ops = {.poll = iceberg_poll,
                                                            .snapshot = iceberg_snapshot,
                                                            .metrics = iceberg_metrics,
                                                            .close = iceberg_close};

// The snapshot of a checkpoint, 0: none.
static int64_t restored_snapshot(const struct split_positions *positions)
{
    int64_t snapshot = 0;
    for (uint32_t i = 0; i < positions->count; i++) {
        struct str text = positions->items[i].position;
        if (str_to_i64(str_slice(text, 0, str_find(text, '/')), &snapshot)) {
            return snapshot;
        }
    }
    return 0;
}

static void take_files(struct iceberg_source *source, const struct op_context *context,
                       const struct split_positions *positions)
{
    source->files =
        arena_new_array(&source->arena, struct iceberg_file, source->plan.task_count + 1);
    struct source_split *splits =
        arena_new_array(&source->arena, struct source_split, source->plan.task_count + 1);
    for (uint32_t i = context->instance; i < source->plan.task_count; i += context->parallelism) {
        struct iceberg_file *file = &source->files[source->file_count];
        file->task = source->plan.tasks[i];
        const struct str *known = split_positions_find(positions, file->task->file.path);
        int64_t rows = 0;
        if (known != NULL) {
            size_t slash = str_find(*known, '/');
            (void)str_to_i64(str_slice(*known, slash + 1, known->size), &rows);
            file->row_count = (uint64_t)rows;
        }
        splits[source->file_count++] = (struct source_split){
            .name = file->task->file.path, .caught_up_us = -1, .watermark = WATERMARK_NONE};
    }
    source->reader.splits = (struct source_splits){.count = source->file_count, .items = splits};
}

// The type without the fields that a scan's type lacks.
static const struct iceberg_type *narrowed(struct arena *arena, const struct iceberg_type *type,
                                           const struct type *wanted)
{
    bool is_struct = type->kind == ICEBERG_STRUCT && wanted->kind == TYPE_ROW;
    if (!is_struct && type->kind != ICEBERG_LIST && type->kind != ICEBERG_MAP) {
        return type;
    }
    struct iceberg_field *fields =
        arena_new_array(arena, struct iceberg_field, type->field_count + 1);
    struct iceberg_type *out = arena_copy(arena, type, sizeof *type);
    out->fields = fields;
    out->field_count = 0;
    for (uint32_t i = 0; i < type->field_count && out->field_count < wanted->field_count; i++) {
        const struct type_field *field = &wanted->fields[out->field_count];
        if (!is_struct || str_equal(type->fields[i].name, field->name)) {
            fields[out->field_count] = type->fields[i];
            fields[out->field_count++].type = narrowed(arena, type->fields[i].type, field->type);
        }
    }
    return out;
}

static enum status map_columns(struct iceberg_source *source, const struct plan_node *scan,
                               struct err *err)
{
    const struct table_def *def = scan->as.scan.table;
    const struct iceberg_type *root = source->plan.schema->root;
    uint32_t count = scan->column_count;
    source->columns = arena_new_array(&source->arena, uint32_t, count + 1);
    source->fields = arena_new_array(&source->arena, struct iceberg_field, count + 1);
    source->metadata_ids = arena_new_array(&source->arena, int32_t, count + 1);
    source->places = arena_new_array(&source->arena, uint32_t, count + 1);
    source->ordered = arena_new_array(&source->arena, struct column, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct table_column *column = &def->columns[scan->as.scan.table_columns[i]];
        if (metadata_column_is(column->field_id)) {
            source->places[i] = UINT32_MAX - source->metadata_count;
            source->metadata_ids[source->metadata_count++] = column->field_id;
            continue;
        }
        uint32_t at = 0;
        while (at < root->field_count && root->fields[at].id != column->field_id) {
            at++;
        }
        if (at == root->field_count) {
            return ERR(err, STATUS_CONFLICT, "column '%.*s' was dropped meanwhile; try again",
                       STR_ARGS(column->name));
        }
        source->places[i] = source->column_count;
        source->fields[source->column_count] = root->fields[at];
        source->fields[source->column_count].type =
            narrowed(&source->arena, root->fields[at].type, scan->columns[i].type);
        source->columns[source->column_count++] = at;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (source->places[i] > count) {
            source->places[i] = source->column_count + (UINT32_MAX - source->places[i]);
        }
    }
    return STATUS_OK;
}

// What this instance's files have of deletes is read once for all of them.
static void share_deletes(struct iceberg_source *source, const struct plan_node *scan,
                          const struct op_context *context)
{
    const struct str *bare = table_def_option(scan->as.scan.table, "read.bare-deletion-vectors");
    struct delete_filter_options options = {
        .store = source->table->place.store,
        .metadata = source->table->metadata,
        .schema = source->plan.schema,
        .tasks = source->plan.tasks + context->instance,
        .task_count = source->plan.task_count - context->instance,
        .task_step = context->parallelism,
        .budget = source->budget,
        .bare_vectors = scan->as.scan.table->version.bare_vectors ||
                        (bare != NULL && str_is_nocase(*bare, "true")),
    };
    for (uint32_t i = 0; source->deletes == NULL && i < source->file_count; i++) {
        if (delete_filter_concerns(source->files[i].task)) {
            source->deletes = delete_filter_new(&options);
        }
    }
}

// The ids of the schema are those of the predicate. Metadata columns have none: what a file has of
// them is not all.
static int32_t find_id(const void *context, const struct table_column *column,
                       const struct str *path, uint32_t depth)
{
    const struct table_schema *schema = context;
    if (column->field_id <= 0 || column->field_id > ICEBERG_ID_RESERVED) {
        return 0;
    }
    const struct table_schema_entry *entry = table_schema_by_id(schema, column->field_id);
    const struct iceberg_field *field = entry != NULL ? entry->field : NULL;
    for (uint32_t i = 0; field != NULL && i < depth; i++) {
        const struct iceberg_type *type = field->type;
        field = NULL;
        for (uint32_t j = 0; type->kind == ICEBERG_STRUCT && j < type->field_count; j++) {
            field = str_equal(type->fields[j].name, path[i]) ? &type->fields[j] : field;
        }
    }
    return field != NULL ? field->id : 0;
}

static enum status plan(struct iceberg_source *source, const struct plan_node *scan,
                        const struct op_context *context, struct err *err)
{
    struct split_positions positions;
    split_positions_read(&source->arena, context, &positions);
    const struct table_version *version = &scan->as.scan.table->version;
    int64_t restored = restored_snapshot(&positions);
    struct scan_options options = {.snapshot_id = restored != 0 ? restored : version->snapshot_id,
                                   .current_schema = !version->has_own_schema,
                                   .is_incremental = version->is_incremental,
                                   .after_snapshot_id = version->after_snapshot_id};
    struct scan_predicate_ids ids = {.find = find_id};
    const struct table_schema *schema;
    TRY(iceberg_sink_open_table(scan->as.scan.table, &source->table, err));
    TRY(scan_schema(source->table, &options, &schema, err));
    ids.context = schema;
    source->predicate = scan_predicate_make(&source->arena, scan, &ids);
    options.predicate = source->predicate;
    TRY(scan_plan(source->table, &options, &source->arena, &source->plan, err));
    if (context->instance == 0) { // each plans the whole; what is left out counts once
        source->metrics.files_skipped = source->plan.files_pruned;
        source->metrics.delete_files_skipped = source->plan.deletes_pruned;
    }
    if (source->plan.snapshot == NULL) {
        return STATUS_OK; // no snapshot, no rows
    }
    take_files(source, context, &positions);
    share_deletes(source, scan, context);
    return map_columns(source, scan, err);
}

static enum status source_open(const struct plan_node *scan, const struct op_context *context,
                               struct source_reader **out, struct err *err)
{
    struct iceberg_source *source = mem_zalloc(sizeof *source);
    source->reader.ops = &iceberg_reader_ops;
    source->budget = context->budget;
    source->table_name = scan->as.scan.table->name;
    enum status status = plan(source, scan, context, err);
    if (status != STATUS_OK) {
        err_context(err, "table '%.*s'", STR_ARGS(source->table_name));
        iceberg_close(&source->reader);
        return status;
    }
    *out = &source->reader;
    return STATUS_OK;
}

const struct source_class iceberg_source_class = {.name = "iceberg", .open = source_open};
