// SPDX-License-Identifier: Apache-2.0
//
// COUNT, MIN and MAX from metadata.
#include "base/arena.h"
#include "base/buf.h"
#include "iceberg/delete_index.h"
#include "iceberg/iceberg_table.h"
#include "iceberg/manifest.h"
#include "iceberg/scan_int.h"
#include "store/store.h"

// A figure under construction.
struct sum {
    struct scan_figure *figure;
    const struct iceberg_type *type; // of its column
    // Of MIN and MAX: how far values of files with deletes may reach; null: there are none.
    struct iceberg_value reach;
};

struct folding {
    struct iceberg_table *table;
    struct arena *arena;
    struct arena scratch; // of the deletes
    struct delete_index deletes;
    const struct table_schema *schema;
    uint32_t count;
    struct sum *sums;
};

// What is left of a file's rows.
struct rest {
    int64_t deleted; // exact unless `is_vague`
    bool is_vague;
};

static bool is_float(const struct iceberg_type *type)
{
    return type->kind == ICEBERG_FLOAT || type->kind == ICEBERG_DOUBLE;
}

static void extend(struct arena *arena, const struct sum *sum, const struct iceberg_value *value,
                   struct iceberg_value *to)
{
    int order = to->is_null ? 0 : iceberg_value_compare(sum->type, value, to);
    if (to->is_null || (sum->figure->kind == SCAN_MIN ? order < 0 : order > 0)) {
        *to = iceberg_value_copy(arena, sum->type, value);
    }
}

// One file into a MIN or MAX.
static void fold_bound(struct arena *arena, const struct data_file *file, const struct rest *rest,
                       struct sum *sum)
{
    const struct data_file_metric *metric = data_file_metric(file, sum->figure->column_id);
    struct err ignored;
    struct iceberg_value value = {0};
    if (metric == NULL || metric->null_count == DATA_FILE_NONE) {
        sum->figure->known = false;
        return;
    }
    struct str bytes = sum->figure->kind == SCAN_MIN ? metric->lower : metric->upper;
    if (metric->null_count == file->record_count) {
        return; // only nulls
    }
    // A bound of 0.0 stands for both zeros.
    if (bytes.ptr == NULL || (is_float(sum->type) && metric->nan_count != 0) ||
        iceberg_value_decode(sum->type, bytes, &value, &ignored) != STATUS_OK ||
        (is_float(sum->type) && !(value.as.f64 < 0) && !(value.as.f64 > 0))) {
        sum->figure->known = false;
        return;
    }
    bool is_whole = rest->deleted == 0 && !rest->is_vague;
    extend(arena, sum, &value, is_whole ? &sum->figure->value : &sum->reach);
}

static void fold_count(const struct data_file *file, const struct rest *rest, struct sum *sum)
{
    const struct data_file_metric *metric = data_file_metric(file, sum->figure->column_id);
    bool has_nulls = metric == NULL || metric->null_count != 0;
    if (metric == NULL || metric->null_count == DATA_FILE_NONE) {
        sum->figure->known = false;
    } else if (metric->null_count == file->record_count) {
        return; // none, whatever is deleted
    } else if (rest->is_vague || (rest->deleted > 0 && has_nulls)) {
        sum->figure->known = false; // nulls may be among the deleted
    } else {
        sum->figure->value.as.i64 += file->record_count - metric->null_count - rest->deleted;
    }
}

static void fold(struct arena *arena, const struct data_file *file, const struct rest *rest,
                 struct sum *sum)
{
    if (!sum->figure->known || (!rest->is_vague && rest->deleted == file->record_count)) {
        return; // nothing is left of the file
    }
    switch (sum->figure->kind) {
    case SCAN_COUNT_ROWS:
        sum->figure->known = !rest->is_vague;
        sum->figure->value.as.i64 += file->record_count - rest->deleted;
        break;
    case SCAN_COUNT_VALUES: fold_count(file, rest, sum); break;
    case SCAN_MIN:
    case SCAN_MAX: fold_bound(arena, file, rest, sum); break;
    }
}

static struct rest rest_of(const struct scan_task *task)
{
    struct rest rest = {.is_vague = task->file_positions != NULL ||
                                    task->partition_positions != NULL || task->equality_count > 0};
    if (task->vector != NULL) {
        rest.deleted = task->vector->file.record_count;
        rest.is_vague = rest.is_vague || rest.deleted > task->file.record_count;
    }
    return rest;
}

static enum status fold_entry(struct folding *folding, const struct partition_spec *spec,
                              const struct manifest_entry *entry, struct err *err)
{
    if (entry->file.content != DATA_FILE_DATA) {
        return delete_index_add(&folding->deletes, spec, entry, err);
    }
    struct scan_task task = {.file = entry->file, .sequence_number = entry->sequence_number};
    TRY(delete_index_assign(&folding->deletes, spec, &task, err));
    struct rest rest = rest_of(&task);
    for (uint32_t i = 0; i < folding->count; i++) {
        fold(folding->arena, &entry->file, &rest, &folding->sums[i]);
    }
    return STATUS_OK;
}

static enum status fold_manifest(struct folding *folding, const struct manifest_file *row,
                                 struct err *err)
{
    struct iceberg_table *table = folding->table;
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
        if (status == STATUS_OK) {
            status = fold_entry(folding, manifest_reader_spec(reader), &entry, err);
        }
    }
    manifest_reader_free(reader);
    buf_unref(bytes);
    return status == STATUS_END ? STATUS_OK : status;
}

// Whether bounds of the column are attained: those of strings and bytes may be shortened.
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

static void start(struct folding *folding, struct scan_figure *figures, bool is_incremental)
{
    folding->sums = arena_new_array(&folding->scratch, struct sum, folding->count + 1);
    for (uint32_t i = 0; i < folding->count; i++) {
        struct scan_figure *figure = &figures[i];
        bool is_count = figure->kind == SCAN_COUNT_ROWS || figure->kind == SCAN_COUNT_VALUES;
        figure->known = !is_incremental &&
                        (figure->kind == SCAN_COUNT_ROWS || is_exact(folding->schema, figure));
        figure->value = (struct iceberg_value){.is_null = !is_count};
        const struct table_schema_entry *entry =
            figure->known ? table_schema_by_id(folding->schema, figure->column_id) : NULL;
        folding->sums[i] = (struct sum){.figure = figure,
                                        .type = entry != NULL ? entry->field->type : NULL,
                                        .reach = {.is_null = true}};
    }
}

// A MIN or MAX holds if no value of a file with deletes could go further.
static void finish(struct folding *folding)
{
    for (uint32_t i = 0; i < folding->count; i++) {
        struct sum *sum = &folding->sums[i];
        struct scan_figure *figure = sum->figure;
        if (!figure->known || sum->reach.is_null) {
            continue;
        }
        struct iceberg_value before = figure->value;
        extend(folding->arena, sum, &sum->reach, &figure->value);
        figure->known =
            !before.is_null && iceberg_value_compare(sum->type, &before, &figure->value) == 0;
        figure->value = before;
    }
}

static bool is_live(const struct manifest_file *file)
{
    return file->added_files != 0 || file->existing_files != 0;
}

static enum status fold_manifests(struct folding *folding, const struct manifest_file *files,
                                  uint32_t file_count, struct err *err)
{
    static const enum manifest_content passes[] = {MANIFEST_DELETES, MANIFEST_DATA};
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < file_count; i++) {
            if (files[i].content == passes[pass] && is_live(&files[i])) {
                TRY(fold_manifest(folding, &files[i], err));
            }
        }
        if (pass == 0) {
            TRY(delete_index_finish(&folding->deletes, err));
        }
    }
    finish(folding);
    return STATUS_OK;
}

// Without deletes the list alone tells how many rows there are.
static bool fold_list(const struct folding *folding, const struct manifest_file *files,
                      uint32_t file_count)
{
    int64_t rows = 0;
    for (uint32_t i = 0; i < file_count; i++) {
        if (!is_live(&files[i])) {
            continue;
        }
        if (files[i].content == MANIFEST_DELETES || files[i].added_rows == MANIFEST_NONE ||
            files[i].existing_rows == MANIFEST_NONE) {
            return false;
        }
        rows += files[i].added_rows + files[i].existing_rows;
    }
    for (uint32_t i = 0; i < folding->count; i++) {
        if (folding->sums[i].figure->kind != SCAN_COUNT_ROWS) {
            return false;
        }
    }
    for (uint32_t i = 0; i < folding->count; i++) {
        folding->sums[i].figure->value.as.i64 = rows;
    }
    return true;
}

enum status scan_figures(struct iceberg_table *table, const struct scan_options *options,
                         struct arena *arena, struct scan_figure *figures, uint32_t count,
                         struct err *err)
{
    struct folding folding = {.table = table, .arena = arena, .count = count};
    const struct table_snapshot *snapshot;
    const struct manifest_file *files = NULL;
    uint32_t file_count = 0;
    TRY(scan_choose(table, options, &snapshot, &folding.schema, err));
    if (snapshot != NULL) {
        TRY(iceberg_table_manifests(table, snapshot, &files, &file_count, err));
    }
    arena_init(&folding.scratch);
    delete_index_init(&folding.deletes, &folding.scratch);
    start(&folding, figures, options->is_incremental);
    enum status status = STATUS_OK;
    if (!options->is_incremental && !fold_list(&folding, files, file_count)) {
        status = fold_manifests(&folding, files, file_count, err);
    }
    delete_index_release(&folding.deletes);
    arena_release(&folding.scratch);
    return status;
}
