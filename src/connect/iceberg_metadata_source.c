// SPDX-License-Identifier: Apache-2.0
#include "connect/iceberg_metadata_source.h"

#include <inttypes.h>

#include "base/mem.h"
#include "connect/iceberg_sink.h"
#include "connect/split_positions.h"
#include "data/type.h"
#include "exec/op.h"
#include "iceberg/metadata_table.h"
#include "plan/plan.h"

struct metadata_source {
    struct source_reader reader;
    struct arena arena;
    struct arena batch_arena;
    struct iceberg_table *table;
    struct metadata_table_reader *rows; // NULL: another instance reads
    struct source_split split;
    struct str name;
    int64_t snapshot_id; // 0: the table has none
    uint64_t done;       // rows handed out, also by former runs
    uint64_t seen;       // rows read
};

static enum status metadata_poll(struct source_reader *base, struct batch *out, struct err *err)
{
    struct metadata_source *source = (struct metadata_source *)base;
    while (source->rows != NULL && source->split.state != SPLIT_FINISHED) {
        enum status status = metadata_table_next(source->rows, out, err);
        if (status == STATUS_END) {
            source->split.state = SPLIT_FINISHED;
            break;
        }
        if (status != STATUS_OK) {
            err_context(err, "table '%.*s'", STR_ARGS(source->name));
            return status;
        }
        uint64_t first = source->seen;
        source->seen += out->row_count;
        if (source->seen <= source->done) {
            continue;
        }
        if (first < source->done) {
            uint32_t known = (uint32_t)(source->done - first);
            arena_reset(&source->batch_arena);
            *out = batch_slice(&source->batch_arena, out, known, out->row_count - known);
        }
        source->done = source->seen;
        return STATUS_OK;
    }
    return STATUS_END;
}

static void metadata_snapshot(struct source_reader *base, const struct op_context *context,
                              struct snapshot_writer *writer)
{
    struct metadata_source *source = (struct metadata_source *)base;
    if (source->rows != NULL) {
        struct arena scratch = {0};
        split_positions_put(
            writer, context, source->split.name,
            arena_printf(&scratch, "%" PRId64 "/%" PRIu64, source->snapshot_id, source->done));
        arena_release(&scratch);
    }
}

static void metadata_close(struct source_reader *base)
{
    struct metadata_source *source = (struct metadata_source *)base;
    metadata_table_free(source->rows);
    iceberg_table_free(source->table);
    arena_release(&source->batch_arena);
    arena_release(&source->arena);
    mem_free(source);
}

static const struct source_reader_ops metadata_ops = {
    .poll = metadata_poll, .snapshot = metadata_snapshot, .close = metadata_close};

static void restore(struct metadata_source *source, const struct op_context *context)
{
    struct split_positions positions;
    int64_t rows = 0;
    split_positions_read(&source->arena, context, &positions);
    const struct str *known = split_positions_find(&positions, source->split.name);
    if (known != NULL) {
        size_t slash = str_find(*known, '/');
        (void)str_to_i64(str_slice(*known, 0, slash), &source->snapshot_id);
        (void)str_to_i64(str_slice(*known, slash + 1, known->size), &rows);
        source->done = (uint64_t)rows;
    }
}

static enum status start(struct metadata_source *source, const struct plan_node *scan,
                         const struct op_context *context, struct err *err)
{
    const struct table_def *def = scan->as.scan.table;
    struct metadata_table_options options = {.snapshot_id = def->version.snapshot_id,
                                             .columns = scan->as.scan.table_columns,
                                             .column_count = scan->column_count,
                                             .budget = context->budget};
    const struct type **types =
        arena_new_array(&source->arena, const struct type *, scan->column_count + 1);
    for (uint32_t i = 0; i < scan->column_count; i++) {
        types[i] = def->columns[scan->as.scan.table_columns[i]].type;
    }
    options.types = types;
    source->split = (struct source_split){
        .name = def->metadata_table, .caught_up_us = -1, .watermark = WATERMARK_NONE};
    source->reader.splits = (struct source_splits){.count = 1, .items = &source->split};
    restore(source, context);
    options.snapshot_id = source->snapshot_id != 0 ? source->snapshot_id : options.snapshot_id;
    if (!metadata_table_find(def->metadata_table, &options.kind)) {
        return ERR(err, STATUS_NOT_FOUND, "there is no metadata table '%.*s'",
                   STR_ARGS(def->metadata_table));
    }
    TRY(iceberg_sink_open_table(def, &source->table, err));
    int64_t current = source->table->metadata->current_snapshot_id;
    options.table = source->table;
    if (options.snapshot_id == 0 && current != TABLE_NONE) {
        options.snapshot_id = current;
    }
    source->snapshot_id = options.snapshot_id;
    return metadata_table_open(&options, &source->rows, err);
}

static enum status metadata_open(const struct plan_node *scan, const struct op_context *context,
                                 struct source_reader **out, struct err *err)
{
    struct metadata_source *source = mem_zalloc(sizeof *source);
    arena_init(&source->arena);
    arena_init(&source->batch_arena);
    source->reader.ops = &metadata_ops;
    source->name = scan->as.scan.table->name;
    if (context->instance == 0) {
        enum status status = start(source, scan, context, err);
        if (status != STATUS_OK) {
            err_context(err, "table '%.*s'", STR_ARGS(source->name));
            metadata_close(&source->reader);
            return status;
        }
    }
    *out = &source->reader;
    return STATUS_OK;
}

const struct source_class iceberg_metadata_source_class = {.name = "iceberg metadata",
                                                           .open = metadata_open};
