// SPDX-License-Identifier: Apache-2.0
#include "iceberg/scan.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "codec/avro_reader.h"
#include "data/predicate.h"
#include "iceberg/delete_index.h"
#include "iceberg/iceberg_table.h"
#include "iceberg/manifest.h"
#include "iceberg/manifest_files.h"
#include "iceberg/scan_int.h"
#include "iceberg/scan_prune.h"
#include "store/store.h"

typedef VEC(const struct scan_task *) task_vec;

struct planner {
    struct iceberg_table *table;
    const struct predicate *predicate;
    const struct table_schema *schema;
    struct arena *arena;
    struct arena scratch;
    struct scan_prune *prunes; // a spec of the table, in its order
    int32_t *metric_ids;       // columns that the predicate looks at, ascending
    uint32_t metric_id_count;
    int32_t *delete_ids; // the same, and the paths of position deletes
    uint32_t delete_id_count;
    struct scan_range *ranges; // what terms ask of columns of integers
    uint32_t range_count;
    struct arena columns; // of one manifest
    struct avro_schema_cache cache;
    struct delete_index deletes;
    task_vec tasks;
    struct scan_plan *plan;
    int64_t added_by; // only files that this snapshot added; TABLE_NONE: all
};

enum status scan_choose(struct iceberg_table *table, const struct scan_options *options,
                        const struct table_snapshot **snapshot, const struct table_schema **schema,
                        struct err *err)
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

enum status scan_schema(struct iceberg_table *table, const struct scan_options *options,
                        const struct table_schema **out, struct err *err)
{
    const struct table_snapshot *snapshot;
    return scan_choose(table, options, &snapshot, out, err);
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

// A delete file is left out where the rows that it deletes do not match. Of equality deletes only
// the key columns tell that: other columns hold what the row was when it was deleted, or nothing.
static bool may_delete(struct planner *planner, const struct data_file *file)
{
    if (file->content != DATA_FILE_EQUALITY_DELETES || planner->predicate == NULL) {
        return true;
    }
    struct predicate keys = {0};
    struct predicate_term *terms = arena_new_array(&planner->scratch, struct predicate_term,
                                                   planner->predicate->term_count + 1);
    for (uint32_t i = 0; i < planner->predicate->term_count; i++) {
        for (uint32_t j = 0; j < file->equality_id_count; j++) {
            if (planner->predicate->terms[i].column_id == file->equality_ids[j]) {
                terms[keys.term_count++] = planner->predicate->terms[i];
            }
        }
    }
    keys.terms = terms;
    return scan_prune_file(&planner->scratch, &keys, planner->schema, file);
}

// --- delete manifests --------------------------------------------------------------------------

static enum status add_delete(struct planner *planner, const struct partition_spec *spec,
                              const struct scan_prune *prune, const struct manifest_entry *entry,
                              struct err *err)
{
    arena_reset(&planner->scratch);
    if (!scan_prune_tuple(prune, entry->file.partition) || !may_delete(planner, &entry->file)) {
        planner->plan->deletes_pruned++;
        return STATUS_OK;
    }
    planner->plan->delete_count++;
    return delete_index_add(&planner->deletes, spec, entry, err);
}

static enum status read_deletes(struct planner *planner, const struct manifest_file *file,
                                struct scan_prune *prune, struct err *err)
{
    struct manifest_reader *reader = NULL;
    struct manifest_entry entry;
    struct buf *bytes;
    struct manifest_reader_options options = {
        .file = file,
        .spec = prune->spec,
        .metric_ids = planner->delete_ids,
        .metric_id_count = planner->delete_id_count,
        .cache = &planner->cache,
    };
    TRY(store_read(planner->table->place.store, file->path, TABLE_MANIFEST_BYTES_MAX, &bytes, err));
    enum status status =
        manifest_reader_open(str_make(bytes->ptr, bytes->size), &options, &reader, err);
    while (status == STATUS_OK &&
           (status = manifest_reader_next(reader, &entry, err)) == STATUS_OK) {
        status =
            entry.file.content != DATA_FILE_DATA
                ? add_delete(planner, manifest_reader_spec(reader), prune, &entry, err)
                : ERR(err, STATUS_INVALID_DATA,
                      "manifest %.*s: data and delete files in one manifest", STR_ARGS(file->path));
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
    planner->delete_ids = arena_new_array(planner->arena, int32_t, terms + 1);
    planner->ranges = arena_new_array(planner->arena, struct scan_range, terms + 1);
    for (uint32_t i = 0; i < terms; i++) {
        int32_t id = planner->predicate->terms[i].column_id;
        planner->delete_ids[planner->delete_id_count++] = id;
        if (table_schema_by_id(planner->schema, id) != NULL) {
            planner->metric_ids[planner->metric_id_count++] = id;
        }
        planner->range_count += scan_prune_range(&planner->predicate->terms[i], planner->schema,
                                                 &planner->ranges[planner->range_count]);
    }
    planner->delete_ids[planner->delete_id_count++] = ICEBERG_ID_DELETE_PATH;
    qsort(planner->metric_ids, planner->metric_id_count, sizeof(int32_t), compare_ids);
    qsort(planner->delete_ids, planner->delete_id_count, sizeof(int32_t), compare_ids);
}

// --- data manifests ----------------------------------------------------------------------------

// Takes over what the decoded manifest holds for as long as the plan lives.
static void pin(struct planner *planner, struct manifest_files *files)
{
    arena_on_release(planner->arena, (void (*)(void *))manifest_files_unref, files);
}

// The task as it is, or one of the plan's own where deletes belong to it or the manifest is let go.
static enum status add_task(struct planner *planner, const struct manifest_files *files,
                            uint32_t at, bool copies, struct err *err)
{
    const struct scan_task *task = &files->tasks[at];
    planner->plan->record_count += (uint64_t)task->file.record_count;
    if (copies || planner->deletes.group_count > 0) {
        struct scan_task *own = arena_copy(planner->arena, task, sizeof *task);
        if (copies) {
            own->file = *data_file_copy(planner->arena, files->spec, &task->file);
        }
        TRY(delete_index_assign(&planner->deletes, files->spec, own, err));
        task = own;
    }
    VEC_PUSH(&planner->tasks, task);
    return STATUS_OK;
}

// The columns of the predicate, in their order; and those with ranges, which come first in time.
struct test_columns {
    const struct manifest_column **metrics; // one an id; NULL: nothing is known
    const struct manifest_column **ranges;
};

static struct test_columns find_columns(struct planner *planner, const struct manifest_files *files)
{
    struct test_columns out = {arena_new_array(&planner->columns, const struct manifest_column *,
                                               planner->metric_id_count + 1),
                               arena_new_array(&planner->columns, const struct manifest_column *,
                                               planner->range_count + 1)};
    for (uint32_t i = 0; i < planner->metric_id_count; i++) {
        int32_t id = planner->metric_ids[i];
        enum iceberg_kind kind = table_schema_by_id(planner->schema, id)->field->type->kind;
        out.metrics[i] = manifest_files_column(files, id, kind);
    }
    for (uint32_t i = 0; i < planner->range_count; i++) {
        const struct scan_range *range = &planner->ranges[i];
        out.ranges[i] = manifest_files_column(files, range->column_id, range->kind);
    }
    return out;
}

// Whether one of the ranges leaves out all files of the manifest.
static bool is_out_of_range(const struct planner *planner, const struct test_columns *columns)
{
    for (uint32_t i = 0; i < planner->range_count; i++) {
        const struct manifest_column *column = columns->ranges[i];
        if (column != NULL && column->lower != NULL &&
            (column->highest < planner->ranges[i].low ||
             column->lowest > planner->ranges[i].high)) {
            return true;
        }
    }
    return false;
}

static bool may_match(struct planner *planner, const struct manifest_files *files, uint32_t at,
                      const struct test_columns *columns, const struct scan_prune *prune)
{
    for (uint32_t i = 0; i < planner->range_count; i++) {
        const struct manifest_column *column = columns->ranges[i];
        if (column != NULL && column->lower != NULL &&
            (column->upper[at] < planner->ranges[i].low ||
             column->lower[at] > planner->ranges[i].high)) {
            return false;
        }
    }
    if (!scan_prune_tuple(prune, files->tasks[at].file.partition)) {
        return false;
    }
    arena_reset(&planner->scratch);
    struct data_file file = files->tasks[at].file;
    struct data_file_metric *metrics =
        arena_new_array(&planner->scratch, struct data_file_metric, planner->metric_id_count + 1);
    for (uint32_t i = 0; i < planner->metric_id_count; i++) {
        const struct manifest_column *column = columns->metrics[i];
        bool again = i > 0 && planner->metric_ids[i] == planner->metric_ids[i - 1];
        char *bytes = arena_alloc(&planner->scratch, 16);
        if (!again && column != NULL &&
            manifest_column_metric(column, at, bytes, &metrics[file.metric_count])) {
            file.metric_count++;
        }
    }
    file.metrics = metrics;
    return scan_prune_file(&planner->scratch, planner->predicate, planner->schema, &file);
}

static bool is_added(const struct planner *planner, const struct manifest_files *files, uint32_t at)
{
    return planner->added_by == TABLE_NONE ||
           (files->is_added[at] && files->snapshot_ids[at] == planner->added_by);
}

// Everything in the manifest is of the plan: nothing has to be looked at.
static void add_all(struct planner *planner, const struct manifest_files *files)
{
    VEC_RESERVE(&planner->tasks, files->count);
    const struct scan_task **out = planner->tasks.items + planner->tasks.count;
    for (uint32_t i = 0; i < files->count; i++) {
        out[i] = &files->tasks[i];
    }
    planner->tasks.count += files->count;
    planner->plan->record_count += files->record_count;
}

// Takes over `files`. Where few of them are left of a manifest that nobody else keeps, they are
// copied, so that it can go.
static enum status add_files(struct planner *planner, struct manifest_files *files,
                             const struct scan_prune *prune, struct err *err)
{
    bool looks = planner->predicate != NULL || planner->added_by != TABLE_NONE;
    if (!looks && planner->deletes.group_count == 0) {
        add_all(planner, files);
        pin(planner, files);
        return STATUS_OK;
    }
    arena_reset(&planner->columns);
    struct test_columns columns = find_columns(planner, files);
    if (is_out_of_range(planner, &columns)) {
        planner->plan->files_pruned += files->count;
        manifest_files_unref(files);
        return STATUS_OK;
    }
    uint32_t *left = arena_alloc(&planner->columns, (files->count + 1) * sizeof *left);
    uint32_t count = 0;
    for (uint32_t i = 0; i < files->count; i++) {
        if (!is_added(planner, files, i)) {
            continue;
        }
        if (planner->predicate == NULL || may_match(planner, files, i, &columns, prune)) {
            left[count++] = i;
        } else {
            planner->plan->files_pruned++;
        }
    }
    bool copies = count < files->count / 4 && !manifest_files_is_kept(files);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        status = add_task(planner, files, left[i], copies, err);
    }
    if (copies || count == 0) {
        manifest_files_unref(files);
    } else {
        pin(planner, files);
    }
    return status;
}

static enum status prune_manifest(struct planner *planner, const struct manifest_file *file,
                                  struct scan_prune **prune, struct err *err)
{
    *prune = prune_of(planner, file->spec_id);
    if (*prune == NULL) {
        return ERR(err, STATUS_INVALID_DATA, "manifest %.*s: no partition spec %d",
                   STR_ARGS(file->path), file->spec_id);
    }
    if ((file->added_files == 0 && file->existing_files == 0) ||
        (planner->added_by != TABLE_NONE &&
         (file->content != MANIFEST_DATA || file->snapshot_id != planner->added_by))) {
        return STATUS_END;
    }
    if (!scan_prune_manifest(*prune, file)) {
        planner->plan->manifests_pruned++;
        return STATUS_END;
    }
    planner->plan->manifests_read++;
    return STATUS_OK;
}

static struct manifest_files_request request_of(struct planner *planner,
                                                const struct manifest_file *file,
                                                const struct scan_prune *prune)
{
    return (struct manifest_files_request){.store = planner->table->place.store,
                                           .file = file,
                                           .spec = prune->spec,
                                           .schema = planner->schema,
                                           .ids = planner->metric_ids,
                                           .id_count = planner->metric_id_count,
                                           .cache = &planner->cache};
}

// Some manifests at a time: what is not at hand is decoded, by two threads.
static enum status plan_data(struct planner *planner, const struct manifest_file *files,
                             uint32_t count, struct err *err)
{
    struct manifest_files_request requests[SCAN_AT_ONCE];
    struct scan_prune *prunes[SCAN_AT_ONCE];
    struct manifest_files *decoded[SCAN_AT_ONCE];
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < count && status == STATUS_OK;) {
        uint32_t taken = 0;
        for (; i < count && taken < SCAN_AT_ONCE && status == STATUS_OK; i++) {
            if (files[i].content != MANIFEST_DATA) {
                continue;
            }
            status = prune_manifest(planner, &files[i], &prunes[taken], err);
            if (status == STATUS_OK) {
                requests[taken] = request_of(planner, &files[i], prunes[taken]);
                taken++;
            }
            status = status == STATUS_END ? STATUS_OK : status;
        }
        TRY(status);
        TRY(scan_decode(requests, taken, decoded, err));
        for (uint32_t k = 0; k < taken; k++) {
            if (status == STATUS_OK) {
                status = add_files(planner, decoded[k], prunes[k], err);
            } else {
                manifest_files_unref(decoded[k]);
            }
        }
    }
    return status;
}

// Delete files first, so that each data file finds its own as it comes.
static enum status plan_manifests(struct planner *planner, const struct table_snapshot *snapshot,
                                  struct err *err)
{
    const struct manifest_file *files;
    uint32_t count;
    TRY(iceberg_table_manifests(planner->table, snapshot, &files, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        struct scan_prune *prune;
        if (files[i].content != MANIFEST_DELETES) {
            continue;
        }
        enum status status = prune_manifest(planner, &files[i], &prune, err);
        if (status == STATUS_OK) {
            status = read_deletes(planner, &files[i], prune, err);
        }
        TRY(status == STATUS_END ? STATUS_OK : status);
    }
    TRY(delete_index_finish(&planner->deletes, err));
    TRY(plan_data(planner, files, count, err));
    planner->plan->delete_group_count = planner->deletes.group_count;
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
    TRY(scan_choose(table, options, &out->snapshot, &out->schema, err));
    planner.schema = out->schema;
    if (out->snapshot == NULL) {
        return STATUS_OK;
    }
    arena_init(&planner.scratch);
    arena_init(&planner.columns);
    delete_index_init(&planner.deletes, arena);
    prepare(&planner);
    enum status status = options->is_incremental
                             ? plan_appends(&planner, options, out->snapshot, err)
                             : plan_manifests(&planner, out->snapshot, err);
    out->task_count = planner.tasks.count;
    out->tasks =
        arena_copy(arena, planner.tasks.items, planner.tasks.count * sizeof *planner.tasks.items);
    arena_release(&planner.columns);
    VEC_RELEASE(&planner.tasks);
    delete_index_release(&planner.deletes);
    avro_schema_cache_release(&planner.cache);
    arena_release(&planner.scratch);
    return status;
}
