// SPDX-License-Identifier: Apache-2.0
#include "iceberg/delete_filter.h"

#include <string.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/budget.h"
#include "base/hash.h"
#include "base/mem.h"
#include "codec/roaring.h"
#include "iceberg/delete_keys.h"
#include "iceberg/delete_load.h"
#include "iceberg/key_columns.h"
#include "iceberg/spec/table_metadata.h"

// The deleted positions of one data file of the scan, from deletes of its partition.
struct file_set {
    const struct scan_task *task;
    uint64_t hash; // of the path
    struct roaring positions;
};

// What was read of one group of delete files.
struct group {
    const struct scan_delete_group *plan; // NULL: not looked at yet
    uint32_t users;                       // views
    bool is_loaded;
    size_t charged;
    // Equality deletes; the columns are kept when the rest is forgotten.
    uint32_t column_count;
    struct key_column *columns;
    struct delete_keys *keys;
    uint32_t *ends; // keys of the first i + 1 files
};

struct delete_filter {
    struct delete_filter_options options;
    struct delete_load load;
    struct arena arena;
    uint32_t group_count; // by number
    struct group *groups;
    // Files with position deletes of their partition, by path; open addressing.
    uint32_t file_mask;
    struct file_set **files;
    uint64_t rows_removed;
};

// Of a view: a group of equality deletes, and which of the view's keys are its columns.
struct view_keys {
    struct group *group;
    uint32_t limit; // keys of deletes newer than the file
    uint32_t *columns;
};

struct delete_view {
    struct delete_filter *filter;
    struct arena arena;
    struct arena batch_arena;
    struct roaring own;           // vector, or deletes for the file alone
    size_t charged;               // for `own`
    struct group *partition;      // NULL: none
    const struct roaring *shared; // of the partition
    uint32_t keys_count;
    struct view_keys *keys;
    uint32_t column_count;
    struct key_column *columns; // all key columns, each once
    struct column *values;      // of a batch
};

// ---- memory ----

static void forget(struct delete_filter *filter, struct group *group)
{
    delete_keys_free(group->keys);
    group->keys = NULL;
    for (uint32_t i = 0; group->column_count == 0 && i <= filter->file_mask; i++) {
        struct file_set *file = filter->files[i];
        if (file != NULL && file->task->partition_positions == group->plan) {
            roaring_release(&file->positions);
        }
    }
    if (filter->options.budget != NULL && group->charged > 0) {
        budget_give(filter->options.budget, group->charged);
    }
    group->charged = 0;
    group->is_loaded = false;
}

// Accounts for `bytes` in place of *charged; makes room where there is none.
static enum status charge(struct delete_filter *filter, size_t bytes, size_t *charged,
                          struct err *err)
{
    struct budget *budget = filter->options.budget;
    if (budget == NULL || bytes <= *charged) {
        return STATUS_OK;
    }
    bool taken = budget_take(budget, bytes - *charged);
    for (uint32_t i = 0; !taken && i < filter->group_count; i++) {
        struct group *group = &filter->groups[i];
        if (group->users == 0 && group->is_loaded) {
            forget(filter, group);
            taken = budget_take(budget, bytes - *charged);
        }
    }
    if (!taken) {
        enum status status = ERR(err, STATUS_LIMIT,
                                 "the deletes of this table take more than %zu bytes, more than "
                                 "memory allows",
                                 bytes);
        err_hint(err, "raise 'memory.limit', or compact the table with the engine that wrote it");
        return status;
    }
    *charged = bytes;
    return STATUS_OK;
}

// ---- the filter ----

static struct file_set **slot_of(const struct delete_filter *filter, struct str path, uint64_t hash)
{
    uint32_t at = (uint32_t)hash & filter->file_mask;
    while (filter->files[at] != NULL && (filter->files[at]->hash != hash ||
                                         !str_equal(filter->files[at]->task->file.path, path))) {
        at = (at + 1) & filter->file_mask;
    }
    return &filter->files[at];
}

static void note_group(struct delete_filter *filter, const struct scan_delete_group *group)
{
    if (group != NULL && group->number >= filter->group_count) {
        filter->group_count = group->number + 1;
    }
}

// Room for what the tasks may need: groups by number, files by path.
static void prepare(struct delete_filter *filter)
{
    const struct delete_filter_options *options = &filter->options;
    uint32_t files = 0;
    for (uint32_t i = 0; i < options->task_count; i += options->task_step) {
        const struct scan_task *task = options->tasks[i];
        files += task->partition_positions != NULL;
        note_group(filter, task->partition_positions);
        for (uint32_t j = 0; j < task->equality_count; j++) {
            note_group(filter, task->equality[j]);
        }
    }
    filter->groups = arena_new_array(&filter->arena, struct group, filter->group_count + 1);
    uint32_t slots = 1;
    while (slots < 2 * files) {
        slots *= 2;
    }
    filter->file_mask = slots - 1;
    filter->files = arena_new_array(&filter->arena, struct file_set *, slots);
    for (uint32_t i = 0; files > 0 && i < options->task_count; i += options->task_step) {
        const struct scan_task *task = options->tasks[i];
        if (task->partition_positions == NULL) {
            continue;
        }
        uint64_t hash = hash_bytes(task->file.path.ptr, task->file.path.size, 0);
        struct file_set **slot = slot_of(filter, task->file.path, hash);
        if (*slot == NULL) {
            *slot = arena_new(&filter->arena, struct file_set);
            **slot = (struct file_set){.task = task, .hash = hash};
        }
    }
}

struct delete_filter *delete_filter_new(const struct delete_filter_options *options)
{
    struct delete_filter *filter = mem_zalloc(sizeof *filter);
    filter->options = *options;
    filter->options.task_step = options->task_step > 0 ? options->task_step : 1;
    filter->load = (struct delete_load){
        .store = options->store,
        .name_mapping = table_metadata_property(options->metadata, "schema.name-mapping.default"),
        .budget = options->budget,
        .bare_vectors = options->bare_vectors,
    };
    arena_init(&filter->arena);
    prepare(filter);
    return filter;
}

void delete_filter_free(struct delete_filter *filter)
{
    if (filter == NULL) {
        return;
    }
    for (uint32_t i = 0; i < filter->group_count; i++) {
        forget(filter, &filter->groups[i]);
    }
    arena_release(&filter->arena);
    mem_free(filter);
}

bool delete_filter_concerns(const struct scan_task *task)
{
    return task->vector != NULL || task->file_positions != NULL ||
           task->partition_positions != NULL || task->equality_count > 0;
}

struct delete_counters delete_filter_counters(const struct delete_filter *filter)
{
    return (struct delete_counters){.files_read = filter->load.files_read,
                                    .bytes_read = filter->load.bytes_read,
                                    .rows_removed = filter->rows_removed};
}

// ---- groups ----

static struct group *group_of(struct delete_filter *filter, const struct scan_delete_group *plan)
{
    struct group *group = &filter->groups[plan->number];
    group->plan = plan;
    return group;
}

// The set of a data file of this scan, where a delete of its partition is not older than it.
static struct roaring *find_shared(void *context, const struct scan_delete *delete, struct str path)
{
    struct delete_filter *filter = context;
    struct file_set *file = *slot_of(filter, path, hash_bytes(path.ptr, path.size, 0));
    bool applies =
        file != NULL && delete->sequence_number >= file->task->sequence_number &&
        str_equal(file->task->partition_positions->items[0]->partition_key, delete->partition_key);
    return applies ? &file->positions : NULL;
}

static size_t shared_bytes(const struct delete_filter *filter, const struct group *group)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i <= filter->file_mask; i++) {
        if (filter->files[i] != NULL &&
            filter->files[i]->task->partition_positions == group->plan) {
            bytes += roaring_bytes(&filter->files[i]->positions);
        }
    }
    return bytes;
}

static enum status load_positions(struct delete_filter *filter, struct group *group,
                                  struct err *err)
{
    const struct delete_target target = {find_shared, filter};
    for (uint32_t i = 0; i < group->plan->count; i++) {
        const struct scan_delete *delete = group->plan->items[i];
        if (delete->sequence_number < group->plan->sequence_needed) {
            break;
        }
        TRY(delete_load_positions(&filter->load, delete, &target, err));
        TRY(charge(filter, shared_bytes(filter, group), &group->charged, err));
    }
    return STATUS_OK;
}

static enum status find_columns(struct delete_filter *filter, struct group *group, struct err *err)
{
    const struct data_file *file = &group->plan->items[0]->file;
    group->columns = arena_new_array(&filter->arena, struct key_column, file->equality_id_count);
    for (uint32_t i = 0; i < file->equality_id_count; i++) {
        enum status status =
            key_column_find(&filter->arena, filter->options.metadata, filter->options.schema,
                            file->equality_ids[i], &group->columns[i], err);
        if (status != STATUS_OK) {
            err_context(err, "delete file %.*s", STR_ARGS(file->path));
            return status;
        }
    }
    group->column_count = file->equality_id_count;
    group->ends = arena_new_array(&filter->arena, uint32_t, group->plan->count);
    return STATUS_OK;
}

struct growing {
    struct delete_filter *filter;
    struct group *group;
};

static enum status charge_keys(void *context, struct err *err)
{
    struct growing *growing = context;
    return charge(growing->filter, delete_keys_bytes(growing->group->keys),
                  &growing->group->charged, err);
}

static enum status load_keys(struct delete_filter *filter, struct group *group, struct err *err)
{
    struct growing growing = {filter, group};
    if (group->column_count == 0) {
        TRY(find_columns(filter, group, err));
    }
    const struct type **types = arena_alloc(&filter->arena, group->column_count * sizeof *types);
    for (uint32_t i = 0; i < group->column_count; i++) {
        types[i] = group->columns[i].type;
    }
    group->keys = delete_keys_new(types, group->column_count);
    struct delete_key_sink sink = {group->keys, group->columns, group->column_count, charge_keys,
                                   &growing};
    for (uint32_t i = 0; i < group->plan->count; i++) {
        // Newest first, so that the number of a key says how new its deletes are.
        if (group->plan->items[i]->sequence_number >= group->plan->sequence_needed) {
            TRY(delete_load_keys(&filter->load, group->plan->items[i], &sink, err));
        }
        group->ends[i] = delete_keys_count(group->keys);
    }
    return STATUS_OK;
}

// Reads the group unless that was done, for a view that will use it.
static enum status use(struct delete_filter *filter, struct group *group, bool is_equality,
                       struct err *err)
{
    group->users++;
    if (group->is_loaded) {
        return STATUS_OK;
    }
    enum status status =
        is_equality ? load_keys(filter, group, err) : load_positions(filter, group, err);
    group->is_loaded = true; // in part after an error: to be forgotten all the same
    if (status != STATUS_OK) {
        group->users--;
        forget(filter, group);
    }
    return status;
}

// ---- views ----

static struct roaring *find_own(void *context, const struct scan_delete *delete, struct str path)
{
    (void)delete;
    struct file_set *file = context;
    return str_equal(file->task->file.path, path) ? &file->positions : NULL;
}

static enum status open_own(struct delete_view *view, const struct scan_task *task, struct err *err)
{
    struct delete_filter *filter = view->filter;
    enum status status = STATUS_OK;
    if (task->vector != NULL) {
        status = delete_load_vector(&filter->load, task->vector, &view->own, err);
    } else if (task->file_positions != NULL) {
        struct file_set file = {.task = task};
        const struct delete_target target = {find_own, &file};
        const struct scan_delete_group *group = task->file_positions;
        for (uint32_t i = 0; status == STATUS_OK && i < group->count; i++) {
            if (group->items[i]->sequence_number >= task->sequence_number) {
                status = delete_load_positions(&filter->load, group->items[i], &target, err);
            }
        }
        view->own = file.positions;
    }
    TRY(status);
    return charge(filter, roaring_bytes(&view->own), &view->charged, err);
}

static enum status open_partition(struct delete_view *view, const struct scan_task *task,
                                  struct err *err)
{
    struct delete_filter *filter = view->filter;
    if (task->partition_positions == NULL) {
        return STATUS_OK;
    }
    struct group *group = group_of(filter, task->partition_positions);
    TRY(use(filter, group, false, err));
    view->partition = group;
    struct file_set *file =
        *slot_of(filter, task->file.path, hash_bytes(task->file.path.ptr, task->file.path.size, 0));
    view->shared = &file->positions;
    return STATUS_OK;
}

// The place of a key column among those of the view, where each stands once.
static uint32_t add_column(struct delete_view *view, const struct key_column *column)
{
    for (uint32_t i = 0; i < view->column_count; i++) {
        if (view->columns[i].id == column->id) {
            return i;
        }
    }
    view->columns[view->column_count] = *column;
    return view->column_count++;
}

static enum status open_keys(struct delete_view *view, const struct scan_task *task,
                             struct err *err)
{
    struct delete_filter *filter = view->filter;
    uint32_t columns = 0;
    view->keys = arena_new_array(&view->arena, struct view_keys, task->equality_count + 1);
    for (uint32_t i = 0; i < task->equality_count; i++) {
        struct group *group = group_of(filter, task->equality[i]);
        TRY(use(filter, group, true, err));
        struct view_keys *keys = &view->keys[view->keys_count++];
        keys->group = group;
        for (uint32_t j = 0; j < group->plan->count; j++) {
            if (group->plan->items[j]->sequence_number > task->sequence_number) {
                keys->limit = group->ends[j];
            }
        }
        columns += group->column_count;
    }
    view->columns = arena_new_array(&view->arena, struct key_column, columns + 1);
    for (uint32_t i = 0; i < view->keys_count; i++) {
        const struct group *group = view->keys[i].group;
        view->keys[i].columns = arena_new_array(&view->arena, uint32_t, group->column_count);
        for (uint32_t j = 0; j < group->column_count; j++) {
            view->keys[i].columns[j] = add_column(view, &group->columns[j]);
        }
    }
    view->values = arena_new_array(&view->arena, struct column, columns + 1);
    return STATUS_OK;
}

enum status delete_filter_open(struct delete_filter *filter, const struct scan_task *task,
                               struct delete_view **out, struct err *err)
{
    struct delete_view *view = mem_zalloc(sizeof *view);
    view->filter = filter;
    arena_init(&view->arena);
    arena_init(&view->batch_arena);
    enum status status = open_own(view, task, err);
    if (status == STATUS_OK) {
        status = open_partition(view, task, err);
    }
    if (status == STATUS_OK) {
        status = open_keys(view, task, err);
    }
    if (status != STATUS_OK) {
        delete_view_close(view);
        return status;
    }
    *out = view;
    return STATUS_OK;
}

void delete_view_close(struct delete_view *view)
{
    if (view == NULL) {
        return;
    }
    roaring_release(&view->own);
    if (view->filter->options.budget != NULL && view->charged > 0) {
        budget_give(view->filter->options.budget, view->charged);
    }
    if (view->partition != NULL) {
        view->partition->users--;
    }
    for (uint32_t i = 0; i < view->keys_count; i++) {
        view->keys[i].group->users--;
    }
    arena_release(&view->batch_arena);
    arena_release(&view->arena);
    mem_free(view);
}

uint32_t delete_view_key_count(const struct delete_view *view)
{
    return view->column_count;
}

const struct iceberg_field *delete_view_key(const struct delete_view *view, uint32_t at)
{
    return view->columns[at].field;
}

static void mark_keys(struct delete_view *view, const struct column *keys, uint32_t row_count,
                      uint64_t *mask)
{
    arena_reset(&view->batch_arena);
    for (uint32_t i = 0; i < view->column_count; i++) {
        view->values[i] = key_column_values(&view->batch_arena, &view->columns[i], &keys[i]);
    }
    for (uint32_t i = 0; i < view->keys_count; i++) {
        const struct view_keys *set = &view->keys[i];
        struct column *columns =
            arena_new_array(&view->batch_arena, struct column, set->group->column_count);
        for (uint32_t j = 0; j < set->group->column_count; j++) {
            columns[j] = view->values[set->columns[j]];
        }
        delete_keys_mark(set->group->keys, columns, row_count, set->limit, mask);
    }
}

// Deletes by position of rows that follow one another.
static void mark_positions(const struct delete_view *view, uint64_t position, uint32_t count,
                           uint64_t *mask)
{
    roaring_mask(&view->own, position, count, mask);
    if (view->shared != NULL) {
        roaring_mask(view->shared, position, count, mask);
    }
}

static void mark_places(const struct delete_view *view, const uint64_t *places, uint32_t count,
                        uint64_t *mask)
{
    for (uint32_t i = 0; i < count; i++) {
        if (roaring_contains(&view->own, places[i]) ||
            (view->shared != NULL && roaring_contains(view->shared, places[i]))) {
            bits_set(mask, i);
        }
    }
}

bool delete_view_mark(struct delete_view *view, const struct delete_rows *rows, uint64_t *mask)
{
    if (rows->places != NULL && !rows->positions_done) {
        mark_places(view, rows->places, rows->count, mask);
    } else if (!rows->positions_done) {
        mark_positions(view, rows->position, rows->count, mask);
    }
    if (view->keys_count > 0) {
        mark_keys(view, rows->keys, rows->count, mask);
    }
    uint32_t removed = bits_count(mask, rows->count);
    view->filter->rows_removed += removed;
    return removed > 0;
}

void delete_view_exclude(struct delete_view *view, uint64_t position, uint32_t count,
                         uint64_t *bits)
{
    uint64_t deleted[BATCH_WORDS_MAX] = {0};
    mark_positions(view, position, count, deleted);
    for (uint32_t i = 0; i < bits_words(count); i++) {
        view->filter->rows_removed += (uint32_t)__builtin_popcountll(bits[i] & deleted[i]);
        bits[i] &= ~deleted[i];
    }
}
