// SPDX-License-Identifier: Apache-2.0
#include "iceberg/scan.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "codec/avro_reader.h"
#include "data/predicate.h"
#include "iceberg/iceberg_table.h"
#include "iceberg/manifest.h"
#include "iceberg/scan_prune.h"
#include "store/store.h"

typedef VEC(struct scan_task) task_vec;

struct planner {
    struct iceberg_table *table;
    const struct predicate *predicate;
    const struct table_schema *schema;
    struct arena *arena;
    struct arena scratch;
    struct scan_prune *prunes; // a spec of the table, in its order
    int32_t *metric_ids;       // that the predicate looks at, ascending
    uint32_t metric_id_count;
    struct avro_schema_cache cache;
    task_vec tasks;
    struct scan_plan *plan;
    int64_t added_by; // only files that this snapshot added; TABLE_NONE: all
};

// Which snapshot, and which schema its rows are read with.
static enum status choose(struct iceberg_table *table, const struct scan_options *options,
                          const struct table_snapshot **snapshot,
                          const struct table_schema **schema, struct err *err)
{
    const struct table_metadata *metadata = table->metadata;
    int64_t id = options->snapshot_id;
    bool is_travel = id != 0 && !options->current_schema;
    *schema = table_metadata_current_schema(metadata);
    *snapshot = NULL;
    if (id == 0 && options->ref.size > 0 && !str_is(options->ref, TABLE_MAIN)) {
        const struct table_ref *ref = table_metadata_ref(metadata, options->ref);
        if (ref == NULL) {
            return ERR(err, STATUS_NOT_FOUND, "there is no branch or tag '%.*s'",
                       STR_ARGS(options->ref));
        }
        id = ref->snapshot_id;
        is_travel = ref->is_tag;
    }
    if (id == 0) {
        *snapshot = table_metadata_current(metadata);
        return STATUS_OK;
    }
    *snapshot = table_metadata_snapshot(metadata, id);
    if (*snapshot == NULL) {
        return ERR(err, STATUS_NOT_FOUND, "there is no snapshot %lld", (long long)id);
    }
    const struct table_schema *own = table_metadata_schema(metadata, (*snapshot)->schema_id);
    if (is_travel && own != NULL) {
        *schema = own;
    }
    return STATUS_OK;
}

static struct scan_prune *prune_of(struct planner *planner, int32_t spec_id)
{
    const struct table_metadata *metadata = planner->table->metadata;
    for (uint32_t i = 0; i < metadata->spec_count; i++) {
        if (metadata->specs[i]->spec_id == spec_id) {
            return &planner->prunes[i];
        }
    }
    return NULL;
}

static void add_task(struct planner *planner, const struct manifest_reader *reader,
                     const struct manifest_entry *entry)
{
    struct data_file file = entry->file;
    file.metrics = NULL;
    file.metric_count = 0;
    struct data_file *copy = data_file_copy(planner->arena, manifest_reader_spec(reader), &file);
    struct scan_task task = {*copy, entry->sequence_number};
    VEC_PUSH(&planner->tasks, task);
    planner->plan->record_count += (uint64_t)entry->file.record_count;
}

static enum status refuse_deletes(const struct manifest_entry *entry, struct err *err)
{
    enum status status =
        ERR(err, STATUS_UNSUPPORTED, "the table has %s (%.*s), which cannot be read yet",
            entry->file.content == DATA_FILE_EQUALITY_DELETES ? "equality deletes"
            : str_is_nocase(entry->file.format, "puffin")     ? "deletion vectors"
                                                              : "position deletes",
            STR_ARGS(entry->file.path));
    err_hint(err, "compact the table with the engine that wrote them; deletes are then applied");
    return status;
}

static enum status read_manifest(struct planner *planner, const struct manifest_file *file,
                                 struct scan_prune *prune, struct err *err)
{
    struct manifest_reader *reader = NULL;
    struct manifest_entry entry;
    struct buf *bytes;
    struct manifest_reader_options options = {
        .file = file,
        .spec = prune->spec,
        .metric_ids = planner->metric_ids,
        .metric_id_count = planner->metric_id_count,
        .cache = &planner->cache,
    };
    TRY(store_read(planner->table->place.store, file->path, TABLE_MANIFEST_BYTES_MAX, &bytes, err));
    enum status status =
        manifest_reader_open(str_make(bytes->ptr, bytes->size), &options, &reader, err);
    while (status == STATUS_OK) {
        status = manifest_reader_next(reader, &entry, err);
        if (status != STATUS_OK) {
            break;
        }
        if (planner->added_by != TABLE_NONE &&
            (entry.status != MANIFEST_ADDED || entry.snapshot_id != planner->added_by)) {
            continue;
        }
        if (entry.file.content != DATA_FILE_DATA) {
            status = refuse_deletes(&entry, err);
            break;
        }
        arena_reset(&planner->scratch);
        if (!scan_prune_tuple(prune, entry.file.partition) ||
            !scan_prune_file(&planner->scratch, planner->predicate, planner->schema, &entry.file)) {
            planner->plan->files_pruned++;
            continue;
        }
        add_task(planner, reader, &entry);
    }
    manifest_reader_free(reader);
    buf_unref(bytes);
    return status == STATUS_END ? STATUS_OK : status;
}

static int compare_ids(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a;
    int32_t y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

static void prepare(struct planner *planner)
{
    const struct table_metadata *metadata = planner->table->metadata;
    uint32_t terms = planner->predicate != NULL ? planner->predicate->term_count : 0;
    planner->prunes = arena_new_array(planner->arena, struct scan_prune, metadata->spec_count + 1);
    for (uint32_t i = 0; i < metadata->spec_count; i++) {
        scan_prune_init(&planner->prunes[i], planner->arena, metadata->specs[i], planner->predicate,
                        planner->schema);
    }
    planner->metric_ids = arena_new_array(planner->arena, int32_t, terms + 1);
    for (uint32_t i = 0; i < terms; i++) {
        planner->metric_ids[planner->metric_id_count++] = planner->predicate->terms[i].column_id;
    }
    qsort(planner->metric_ids, planner->metric_id_count, sizeof(int32_t), compare_ids);
}

static enum status plan_manifests(struct planner *planner, const struct table_snapshot *snapshot,
                                  struct err *err)
{
    const struct manifest_file *files;
    uint32_t count;
    TRY(iceberg_table_manifests(planner->table, snapshot, &files, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        struct scan_prune *prune = prune_of(planner, files[i].spec_id);
        if (prune == NULL) {
            return ERR(err, STATUS_INVALID_DATA, "manifest %.*s: no partition spec %d",
                       STR_ARGS(files[i].path), files[i].spec_id);
        }
        if ((files[i].added_files == 0 && files[i].existing_files == 0) ||
            (planner->added_by != TABLE_NONE &&
             (files[i].content != MANIFEST_DATA || files[i].snapshot_id != planner->added_by))) {
            continue;
        }
        // Delete files are looked at in any case: they may belong to any data file kept.
        if (files[i].content == MANIFEST_DATA && !scan_prune_manifest(prune, &files[i])) {
            planner->plan->manifests_pruned++;
            continue;
        }
        planner->plan->manifests_read++;
        TRY(read_manifest(planner, &files[i], prune, err));
    }
    return STATUS_OK;
}

// What appends put in, each as it was then: later snapshots may have rewritten it. Deletes and
// overwrites are not followed, as in Java.
static enum status plan_appends(struct planner *planner, const struct scan_options *options,
                                const struct table_snapshot *newest, struct err *err)
{
    const struct table_metadata *metadata = planner->table->metadata;
    const struct table_snapshot *snapshot = newest;
    for (uint32_t i = 0; i < metadata->snapshot_count && snapshot != NULL; i++) {
        if (snapshot->snapshot_id == options->after_snapshot_id) {
            return STATUS_OK;
        }
        if (str_is(snapshot->operation, "append")) {
            planner->added_by = snapshot->snapshot_id;
            TRY(plan_manifests(planner, snapshot, err));
        }
        snapshot = table_metadata_snapshot(metadata, snapshot->parent_id);
    }
    return STATUS_OK;
}

enum status scan_plan(struct iceberg_table *table, const struct scan_options *options,
                      struct arena *arena, struct scan_plan *out, struct err *err)
{
    struct planner planner = {.table = table,
                              .predicate = options->predicate,
                              .arena = arena,
                              .plan = out,
                              .added_by = TABLE_NONE};
    *out = (struct scan_plan){0};
    TRY(choose(table, options, &out->snapshot, &out->schema, err));
    planner.schema = out->schema;
    if (out->snapshot == NULL) {
        return STATUS_OK;
    }
    arena_init(&planner.scratch);
    prepare(&planner);
    enum status status = options->is_incremental
                             ? plan_appends(&planner, options, out->snapshot, err)
                             : plan_manifests(&planner, out->snapshot, err);
    out->task_count = planner.tasks.count;
    out->tasks =
        arena_copy(arena, planner.tasks.items, planner.tasks.count * sizeof *planner.tasks.items);
    VEC_RELEASE(&planner.tasks);
    avro_schema_cache_release(&planner.cache);
    arena_release(&planner.scratch);
    return status;
}

// Folds one file into a MIN or MAX.
static void fold_bound(struct arena *arena, const struct iceberg_type *type,
                       const struct data_file *file, struct scan_figure *figure)
{
    const struct data_file_metric *metric = data_file_metric(file, figure->column_id);
    struct err ignored;
    struct iceberg_value value;
    if (file->record_count == 0) {
        return;
    }
    if (metric == NULL || metric->null_count == DATA_FILE_NONE) {
        figure->known = false;
        return;
    }
    bool is_float = type->kind == ICEBERG_FLOAT || type->kind == ICEBERG_DOUBLE;
    struct str bytes = figure->kind == SCAN_MIN ? metric->lower : metric->upper;
    if (metric->null_count == file->record_count) {
        return; // only nulls
    }
    if (bytes.ptr == NULL || (is_float && metric->nan_count != 0) ||
        iceberg_value_decode(type, bytes, &value, &ignored) != STATUS_OK) {
        figure->known = false;
        return;
    }
    int order = figure->value.is_null ? 0 : iceberg_value_compare(type, &value, &figure->value);
    if (figure->value.is_null || (figure->kind == SCAN_MIN ? order < 0 : order > 0)) {
        figure->value = iceberg_value_copy(arena, type, &value);
    }
}

// Whether bounds of the type are attained: those of strings and bytes may be shortened.
static bool is_exact(const struct table_schema *schema, const struct scan_figure *figure)
{
    const struct table_schema_entry *entry = table_schema_by_id(schema, figure->column_id);
    if (entry == NULL || entry->below_list || entry->parent != UINT32_MAX) {
        return false;
    }
    enum iceberg_kind kind = entry->field->type->kind;
    return figure->kind == SCAN_COUNT_VALUES ||
           (kind <= ICEBERG_TIMESTAMPTZ_NS || kind == ICEBERG_DECIMAL);
}

static void fold(struct arena *arena, const struct table_schema *schema,
                 const struct data_file *file, struct scan_figure *figure)
{
    if (figure->kind == SCAN_COUNT_ROWS) {
        figure->value.as.i64 += file->record_count;
    } else if (figure->kind == SCAN_COUNT_VALUES) {
        const struct data_file_metric *metric = data_file_metric(file, figure->column_id);
        figure->known = figure->known && metric != NULL && metric->null_count != DATA_FILE_NONE;
        figure->value.as.i64 += figure->known ? file->record_count - metric->null_count : 0;
    } else if (figure->known) {
        const struct iceberg_type *type =
            table_schema_by_id(schema, figure->column_id)->field->type;
        fold_bound(arena, type, file, figure);
    }
}

static enum status fold_manifest(struct iceberg_table *table, const struct table_schema *schema,
                                 const struct manifest_file *row, struct arena *arena,
                                 struct scan_figure *figures, uint32_t count, struct err *err)
{
    struct manifest_reader *reader = NULL;
    struct manifest_entry entry;
    struct buf *bytes;
    struct manifest_reader_options options = {
        .file = row, .spec = table_metadata_spec(table->metadata, row->spec_id)};
    if (options.spec == NULL) {
        return ERR(err, STATUS_INVALID_DATA, "no partition spec %d", row->spec_id);
    }
    TRY(store_read(table->place.store, row->path, TABLE_MANIFEST_BYTES_MAX, &bytes, err));
    enum status status =
        manifest_reader_open(str_make(bytes->ptr, bytes->size), &options, &reader, err);
    while (status == STATUS_OK) {
        status = manifest_reader_next(reader, &entry, err);
        for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
            fold(arena, schema, &entry.file, &figures[i]);
        }
    }
    manifest_reader_free(reader);
    buf_unref(bytes);
    return status == STATUS_END ? STATUS_OK : status;
}

enum status scan_figures(struct iceberg_table *table, const struct scan_options *options,
                         struct arena *arena, struct scan_figure *figures, uint32_t count,
                         struct err *err)
{
    const struct table_snapshot *snapshot;
    const struct table_schema *schema;
    const struct manifest_file *files = NULL;
    uint32_t file_count = 0;
    bool only_rows = true;
    bool has_deletes = false;
    TRY(choose(table, options, &snapshot, &schema, err));
    if (snapshot != NULL) {
        TRY(iceberg_table_manifests(table, snapshot, &files, &file_count, err));
    }
    for (uint32_t i = 0; i < file_count; i++) {
        has_deletes = has_deletes || files[i].content == MANIFEST_DELETES;
        only_rows = only_rows && files[i].added_rows != MANIFEST_NONE &&
                    files[i].existing_rows != MANIFEST_NONE;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool is_count = figures[i].kind == SCAN_COUNT_ROWS || figures[i].kind == SCAN_COUNT_VALUES;
        figures[i].known =
            !has_deletes && (figures[i].kind == SCAN_COUNT_ROWS || is_exact(schema, &figures[i]));
        figures[i].value = (struct iceberg_value){.is_null = !is_count};
        only_rows = only_rows && figures[i].kind == SCAN_COUNT_ROWS;
    }
    for (uint32_t i = 0; !has_deletes && i < file_count; i++) {
        if (only_rows) { // the list tells
            for (uint32_t j = 0; j < count; j++) {
                figures[j].value.as.i64 += files[i].added_rows + files[i].existing_rows;
            }
        } else {
            TRY(fold_manifest(table, schema, &files[i], arena, figures, count, err));
        }
    }
    return STATUS_OK;
}
