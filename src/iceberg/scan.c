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
#include "iceberg/scan_int.h"
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

static enum status add_task(struct planner *planner, const struct partition_spec *spec,
                            const struct manifest_entry *entry, struct err *err)
{
    struct data_file file = entry->file;
    file.metrics = NULL;
    file.metric_count = 0;
    struct scan_task task = {.file = *data_file_copy(planner->arena, spec, &file),
                             .sequence_number = entry->sequence_number};
    TRY(delete_index_assign(&planner->deletes, spec, &task, err));
    VEC_PUSH(&planner->tasks, task);
    planner->plan->record_count += (uint64_t)entry->file.record_count;
    return STATUS_OK;
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

static enum status add_entry(struct planner *planner, const struct partition_spec *spec,
                             const struct scan_prune *prune, const struct manifest_entry *entry,
                             struct err *err)
{
    bool is_data = entry->file.content == DATA_FILE_DATA;
    arena_reset(&planner->scratch);
    if (!scan_prune_tuple(prune, entry->file.partition) ||
        (is_data ? !scan_prune_file(&planner->scratch, planner->predicate, planner->schema,
                                    &entry->file)
                 : !may_delete(planner, &entry->file))) {
        planner->plan->files_pruned += is_data;
        planner->plan->deletes_pruned += !is_data;
        return STATUS_OK;
    }
    if (is_data) {
        return add_task(planner, spec, entry, err);
    }
    planner->plan->delete_count++;
    return delete_index_add(&planner->deletes, spec, entry, err);
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
        bool is_data = entry.file.content == DATA_FILE_DATA;
        status =
            is_data == (file->content == MANIFEST_DATA)
                ? add_entry(planner, manifest_reader_spec(reader), prune, &entry, err)
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
    for (uint32_t i = 0; i < terms; i++) {
        planner->metric_ids[planner->metric_id_count++] = planner->predicate->terms[i].column_id;
    }
    planner->metric_ids[planner->metric_id_count++] = ICEBERG_ID_DELETE_PATH;
    qsort(planner->metric_ids, planner->metric_id_count, sizeof(int32_t), compare_ids);
}

static enum status plan_manifest(struct planner *planner, const struct manifest_file *file,
                                 struct err *err)
{
    struct scan_prune *prune = prune_of(planner, file->spec_id);
    if (prune == NULL) {
        return ERR(err, STATUS_INVALID_DATA, "manifest %.*s: no partition spec %d",
                   STR_ARGS(file->path), file->spec_id);
    }
    if ((file->added_files == 0 && file->existing_files == 0) ||
        (planner->added_by != TABLE_NONE &&
         (file->content != MANIFEST_DATA || file->snapshot_id != planner->added_by))) {
        return STATUS_OK;
    }
    if (!scan_prune_manifest(prune, file)) {
        planner->plan->manifests_pruned++;
        return STATUS_OK;
    }
    planner->plan->manifests_read++;
    return read_manifest(planner, file, prune, err);
}

// Delete files first, so that each data file finds its own as it comes.
static enum status plan_manifests(struct planner *planner, const struct table_snapshot *snapshot,
                                  struct err *err)
{
    static const enum manifest_content passes[] = {MANIFEST_DELETES, MANIFEST_DATA};
    const struct manifest_file *files;
    uint32_t count;
    TRY(iceberg_table_manifests(planner->table, snapshot, &files, &count, err));
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < count; i++) {
            if (files[i].content == passes[pass]) {
                TRY(plan_manifest(planner, &files[i], err));
            }
        }
        if (pass == 0) {
            TRY(delete_index_finish(&planner->deletes, err));
        }
    }
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
    delete_index_init(&planner.deletes, arena);
    prepare(&planner);
    enum status status = options->is_incremental
                             ? plan_appends(&planner, options, out->snapshot, err)
                             : plan_manifests(&planner, out->snapshot, err);
    out->task_count = planner.tasks.count;
    out->tasks =
        arena_copy(arena, planner.tasks.items, planner.tasks.count * sizeof *planner.tasks.items);
    VEC_RELEASE(&planner.tasks);
    delete_index_release(&planner.deletes);
    avro_schema_cache_release(&planner.cache);
    arena_release(&planner.scratch);
    return status;
}
