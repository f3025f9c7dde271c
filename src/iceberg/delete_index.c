// SPDX-License-Identifier: Apache-2.0
#include "iceberg/delete_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "iceberg/scan.h"
#include "iceberg/spec/iceberg_type.h"
#include "iceberg/spec/partition_spec.h"

enum { PARTITION_KEY_BYTES_MAX = 1 << 30 };

enum delete_kind {
    KIND_VECTOR,              // place: the path of the data file
    KIND_FILE_POSITIONS,      // place: the same
    KIND_PARTITION_POSITIONS, // place: spec and partition
    KIND_EQUALITY,            // place: spec and partition, or none (global), and the key columns
};

struct delete_index_entry {
    enum delete_kind kind;
    uint64_t hash;     // of the place
    struct str place;  // a path, the key of a partition, or "" (global)
    uint32_t id_count; // key columns, ascending
    const int32_t *ids;
    struct scan_delete *delete;
};

void delete_index_init(struct delete_index *index, struct arena *arena)
{
    *index = (struct delete_index){.arena = arena};
    strbuf_init(&index->scratch, PARTITION_KEY_BYTES_MAX);
}

void delete_index_release(struct delete_index *index)
{
    VEC_RELEASE(&index->entries);
    strbuf_release(&index->scratch);
}

static int compare_ids(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a;
    int32_t y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t hash_of(struct str place)
{
    return hash_bytes(place.ptr, place.size, 0);
}

static bool is_vector(const struct data_file *file)
{
    return file->content == DATA_FILE_POSITION_DELETES && str_is_nocase(file->format, "puffin");
}

// The data file that position deletes are all about; ptr NULL: several.
static struct str only_path(const struct scan_delete *delete)
{
    if (delete->file.referenced_data_file.ptr != NULL) {
        return delete->file.referenced_data_file;
    }
    bool is_one = delete->path_lower.ptr != NULL && delete->path_upper.ptr != NULL &&
                  str_equal(delete->path_lower, delete->path_upper);
    return is_one ? delete->path_lower : (struct str){0};
}

static void set_place(struct delete_index *index, const struct partition_spec *spec,
                      struct delete_index_entry *entry)
{
    struct scan_delete *delete = entry->delete;
    entry->place = delete->partition_key;
    if (delete->file.content == DATA_FILE_EQUALITY_DELETES) {
        int32_t *ids = arena_copy(index->arena, delete->file.equality_ids,
                                  delete->file.equality_id_count * sizeof *ids);
        qsort(ids, delete->file.equality_id_count, sizeof *ids, compare_ids);
        entry->kind = KIND_EQUALITY;
        entry->ids = ids;
        entry->id_count = delete->file.equality_id_count;
        if (partition_spec_is_unpartitioned(spec)) {
            entry->place = STR_LIT("");
        }
    } else {
        struct str path = only_path(delete);
        entry->kind = is_vector(&delete->file) ? KIND_VECTOR
                      : path.ptr != NULL       ? KIND_FILE_POSITIONS
                                               : KIND_PARTITION_POSITIONS;
        if (entry->kind != KIND_PARTITION_POSITIONS) {
            entry->place = path;
        }
    }
    entry->hash = hash_of(entry->place);
}

// The bytes by which partitions are compared; borrowed until the next call.
static struct str partition_key(struct delete_index *index, const struct partition_spec *spec,
                                const struct iceberg_value *tuple)
{
    strbuf_reset(&index->scratch);
    partition_spec_tuple_key(&index->scratch, spec, tuple);
    return strbuf_str(&index->scratch);
}

static enum status check_entry(const struct data_file *file, struct err *err)
{
    if (file->content == DATA_FILE_EQUALITY_DELETES) {
        return file->equality_id_count > 0
                   ? STATUS_OK
                   : ERR(err, STATUS_INVALID_DATA, "equality deletes %.*s have no key columns",
                         STR_ARGS(file->path));
    }
    if (is_vector(file) && (file->referenced_data_file.ptr == NULL || file->content_offset < 0 ||
                            file->content_size < 0)) {
        return ERR(err, STATUS_INVALID_DATA,
                   "deletion vector %.*s: the manifest does not say where it is and for which file",
                   STR_ARGS(file->path));
    }
    return STATUS_OK;
}

enum status delete_index_add(struct delete_index *index, const struct partition_spec *spec,
                             const struct manifest_entry *entry, struct err *err)
{
    TRY(check_entry(&entry->file, err));
    struct data_file file = entry->file;
    const struct data_file_metric *paths = data_file_metric(&file, ICEBERG_ID_DELETE_PATH);
    struct scan_delete *delete = arena_new(index->arena, struct scan_delete);
    if (file.content == DATA_FILE_POSITION_DELETES && paths != NULL) {
        delete->path_lower =
            paths->lower.ptr != NULL ? arena_str(index->arena, paths->lower) : paths->lower;
        delete->path_upper =
            paths->upper.ptr != NULL ? arena_str(index->arena, paths->upper) : paths->upper;
    }
    file.metrics = NULL;
    file.metric_count = 0;
    delete->file = *data_file_copy(index->arena, spec, &file);
    delete->sequence_number = entry->sequence_number;
    delete->partition_key = arena_str(index->arena, partition_key(index, spec, file.partition));
    struct delete_index_entry added = {.delete = delete};
    set_place(index, spec, &added);
    VEC_PUSH(&index->entries, added);
    return STATUS_OK;
}

// By kind and place, key columns aside.
static int compare_places(const struct delete_index_entry *a, const struct delete_index_entry *b)
{
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    if (a->hash != b->hash) {
        return a->hash < b->hash ? -1 : 1;
    }
    return str_compare(a->place, b->place);
}

static int compare_groups(const struct delete_index_entry *a, const struct delete_index_entry *b)
{
    int order = compare_places(a, b);
    if (order == 0 && a->id_count != b->id_count) {
        order = a->id_count < b->id_count ? -1 : 1;
    }
    for (uint32_t i = 0; order == 0 && i < a->id_count; i++) {
        order = compare_ids(&a->ids[i], &b->ids[i]);
    }
    return order;
}

static int compare_entries(const void *left, const void *right)
{
    const struct delete_index_entry *a = left;
    const struct delete_index_entry *b = right;
    int order = compare_groups(a, b);
    if (order == 0 && a->delete->sequence_number != b->delete->sequence_number) {
        order = a->delete->sequence_number > b->delete->sequence_number ? -1 : 1;
    }
    return order;
}

static enum status check_vectors(const struct delete_index *index, struct err *err)
{
    for (uint32_t i = 0; i < index->group_count; i++) {
        const struct scan_delete_group *group = &index->groups[i];
        if (index->group_keys[i]->kind != KIND_VECTOR) {
            continue;
        }
        if (group->count > 1) {
            return ERR(err, STATUS_INVALID_DATA,
                       "data file %.*s has two deletion vectors, in %.*s and %.*s",
                       STR_ARGS(index->group_keys[i]->place), STR_ARGS(group->items[0]->file.path),
                       STR_ARGS(group->items[1]->file.path));
        }
    }
    return STATUS_OK;
}

enum status delete_index_finish(struct delete_index *index, struct err *err)
{
    uint32_t count = index->entries.count;
    struct delete_index_entry *entries = index->entries.items;
    if (count == 0) {
        return STATUS_OK;
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    index->groups = arena_new_array(index->arena, struct scan_delete_group, count);
    index->group_keys = arena_alloc(index->arena, count * sizeof *index->group_keys);
    const struct scan_delete **items = arena_alloc(index->arena, count * sizeof *items);
    for (uint32_t i = 0; i < count; i++) {
        items[i] = entries[i].delete;
        if (i == 0 || compare_groups(&entries[i - 1], &entries[i]) != 0) {
            index->group_keys[index->group_count] = &entries[i];
            index->groups[index->group_count] = (struct scan_delete_group){
                .number = index->group_count, .items = &items[i], .sequence_needed = INT64_MAX};
            index->group_count++;
        }
        index->groups[index->group_count - 1].count++;
    }
    uint32_t at = 0;
    for (uint32_t kind = KIND_VECTOR; kind <= KIND_EQUALITY; kind++) {
        index->kind_first[kind] = at;
        while (at < index->group_count && index->group_keys[at]->kind == kind) {
            at++;
        }
    }
    index->kind_first[KIND_EQUALITY + 1] = at;
    return check_vectors(index, err);
}

// The groups of a place: [*first, *end).
static void find(const struct delete_index *index, const struct delete_index_entry *key,
                 uint32_t *first, uint32_t *end)
{
    uint32_t low = index->kind_first[key->kind];
    uint32_t high = index->kind_first[key->kind + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_places(index->group_keys[middle], key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *first = *end = low;
    while (*end < index->kind_first[key->kind + 1] &&
           compare_places(index->group_keys[*end], key) == 0) {
        (*end)++;
    }
}

// Deletes for one file belong into its partition.
static enum status check_partition(const struct scan_delete *delete, const struct scan_task *task,
                                   struct str partition, struct err *err)
{
    if (str_equal(delete->partition_key, partition)) {
        return STATUS_OK;
    }
    return ERR(err, STATUS_INVALID_DATA,
               "delete file %.*s is of another partition than data file %.*s, which it names",
               STR_ARGS(delete->file.path), STR_ARGS(task->file.path));
}

static void need(struct scan_delete_group *group, int64_t sequence_number)
{
    if (group->sequence_needed > sequence_number) {
        group->sequence_needed = sequence_number;
    }
}

// The group of position deletes of a place, if any of it apply.
static const struct scan_delete_group *positions(const struct delete_index *index,
                                                 const struct delete_index_entry *key,
                                                 const struct scan_task *task)
{
    uint32_t first;
    uint32_t end;
    find(index, key, &first, &end);
    if (first == end || index->groups[first].items[0]->sequence_number < task->sequence_number) {
        return NULL;
    }
    need(&index->groups[first], task->sequence_number);
    return &index->groups[first];
}

static bool covers(const struct scan_delete *delete, struct str path)
{
    return (delete->path_lower.ptr == NULL || str_compare(delete->path_lower, path) <= 0) &&
           (delete->path_upper.ptr == NULL || str_compare(delete->path_upper, path) >= 0);
}

// Whether some of the deletes that apply by their number may name the file, by their bounds.
static bool may_name(const struct scan_delete_group *group, const struct scan_task *task)
{
    for (uint32_t i = 0; i < group->count; i++) {
        if (group->items[i]->sequence_number < task->sequence_number) {
            break;
        }
        if (covers(group->items[i], task->file.path)) {
            return true;
        }
    }
    return false;
}

static enum status assign_positions(const struct delete_index *index, struct scan_task *task,
                                    struct str partition, struct err *err)
{
    struct delete_index_entry key = {
        .kind = KIND_VECTOR, .place = task->file.path, .hash = hash_of(task->file.path)};
    const struct scan_delete_group *group = positions(index, &key, task);
    if (group != NULL) {
        task->vector = group->items[0];
        return check_partition(task->vector, task, partition, err);
    }
    key.kind = KIND_FILE_POSITIONS;
    task->file_positions = positions(index, &key, task);
    for (uint32_t i = 0; task->file_positions != NULL && i < task->file_positions->count; i++) {
        const struct scan_delete *delete = task->file_positions->items[i];
        if (delete->sequence_number >= task->sequence_number) {
            TRY(check_partition(delete, task, partition, err));
        }
    }
    key.kind = KIND_PARTITION_POSITIONS;
    key.place = partition;
    key.hash = hash_of(partition);
    group = positions(index, &key, task);
    task->partition_positions = group != NULL && may_name(group, task) ? group : NULL;
    return STATUS_OK;
}

static void assign_equality(const struct delete_index *index, struct scan_task *task,
                            struct str partition)
{
    struct str places[2] = {partition, STR_LIT("")};
    uint32_t first[2];
    uint32_t end[2];
    for (int i = 0; i < 2; i++) {
        struct delete_index_entry key = {
            .kind = KIND_EQUALITY, .place = places[i], .hash = hash_of(places[i])};
        find(index, &key, &first[i], &end[i]);
    }
    uint32_t all = end[0] - first[0] + end[1] - first[1];
    if (all == 0) {
        return;
    }
    const struct scan_delete_group **groups = arena_alloc(index->arena, all * sizeof *groups);
    for (int i = 0; i < 2; i++) {
        for (uint32_t j = first[i]; j < end[i]; j++) {
            if (index->groups[j].items[0]->sequence_number > task->sequence_number) {
                need(&index->groups[j], task->sequence_number + 1);
                groups[task->equality_count++] = &index->groups[j];
            }
        }
    }
    task->equality = groups;
}

enum status delete_index_assign(struct delete_index *index, const struct partition_spec *spec,
                                struct scan_task *task, struct err *err)
{
    if (index->group_count == 0) {
        return STATUS_OK;
    }
    struct str partition = partition_key(index, spec, task->file.partition);
    TRY(assign_positions(index, task, partition, err));
    assign_equality(index, task, partition);
    return STATUS_OK;
}
