// SPDX-License-Identifier: Apache-2.0
#include "iceberg/manifest_files.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/vec.h"
#include "iceberg/iceberg_table.h"
#include "iceberg/manifest.h"
#include "iceberg/spec/partition_spec.h"
#include "store/store.h"

enum { BUCKETS = 1 << 14 };

struct figures {
    int64_t counts[2];
};

struct column_entry {
    struct manifest_column base; // first
    struct column_entry *next;
    struct arena arena;
    VEC(struct data_file_metric) metrics;
    VEC(int64_t) lower;
    VEC(int64_t) upper;
    VEC(struct figures) counts;
    size_t bytes;
};

struct files_entry {
    struct manifest_files base; // first
    _Atomic int refs;
    struct arena arena; // paths, partitions, the spec
    VEC(struct scan_task) tasks;
    VEC(int64_t) snapshot_ids;
    VEC(bool) is_added;
    _Atomic(struct column_entry *) columns;
    size_t bytes;
    // What it is found by.
    uint64_t hash;
    struct manifest_file file; // path in the arena
    // Of the cache, under its lock.
    bool is_kept;
    struct files_entry *next_in_bucket;
    struct files_entry *newer, *older;
};

static struct {
    pthread_mutex_t lock; // guards all
    struct files_entry *buckets[BUCKETS];
    struct files_entry *newest, *oldest;
    size_t bytes;
    size_t limit;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER, .limit = (size_t)512 << 20};

// --- references --------------------------------------------------------------------------------

static void column_free(struct column_entry *column)
{
    arena_release(&column->arena);
    VEC_RELEASE(&column->metrics);
    VEC_RELEASE(&column->lower);
    VEC_RELEASE(&column->upper);
    VEC_RELEASE(&column->counts);
    mem_free(column);
}

static void entry_free(struct files_entry *entry)
{
    struct column_entry *column = atomic_load(&entry->columns);
    while (column != NULL) {
        struct column_entry *next = column->next;
        column_free(column);
        column = next;
    }
    VEC_RELEASE(&entry->tasks);
    VEC_RELEASE(&entry->snapshot_ids);
    VEC_RELEASE(&entry->is_added);
    arena_release(&entry->arena);
    mem_free(entry);
}

void manifest_files_unref(struct manifest_files *files)
{
    struct files_entry *entry = (struct files_entry *)files;
    if (entry != NULL && atomic_fetch_sub(&entry->refs, 1) == 1) {
        entry_free(entry);
    }
}

// --- what is kept ------------------------------------------------------------------------------

static bool is_cacheable(const struct manifest_files_request *request)
{
    return strcmp(request->store->ops->name, "file") == 0 &&
           (str_starts(request->file->path, "/") || str_starts(request->file->path, "file:/"));
}

static uint64_t hash_of(const struct manifest_file *file)
{
    return hash_bytes(file->path.ptr, file->path.size, (uint64_t)file->length);
}

static bool is_same(const struct manifest_file *a, const struct manifest_file *b)
{
    return a->length == b->length && a->spec_id == b->spec_id &&
           a->sequence_number == b->sequence_number && a->snapshot_id == b->snapshot_id &&
           a->first_row_id == b->first_row_id && str_equal(a->path, b->path);
}

static void unlink_used(struct files_entry *entry)
{
    *(entry->newer != NULL ? &entry->newer->older : &kept.newest) = entry->older;
    *(entry->older != NULL ? &entry->older->newer : &kept.oldest) = entry->newer;
    entry->newer = entry->older = NULL;
}

static void link_newest(struct files_entry *entry)
{
    entry->older = kept.newest;
    *(kept.newest != NULL ? &kept.newest->newer : &kept.oldest) = entry;
    kept.newest = entry;
}

static void forget(struct files_entry *entry)
{
    struct files_entry **at = &kept.buckets[entry->hash % BUCKETS];
    while (*at != entry) {
        at = &(*at)->next_in_bucket;
    }
    *at = entry->next_in_bucket;
    unlink_used(entry);
    kept.bytes -= entry->bytes;
    manifest_files_unref(&entry->base);
}

static void make_room(void)
{
    while (kept.bytes > kept.limit && kept.oldest != NULL) {
        forget(kept.oldest);
    }
}

static struct files_entry *find_locked(const struct manifest_file *file, uint64_t hash)
{
    struct files_entry *entry = kept.buckets[hash % BUCKETS];
    while (entry != NULL && (entry->hash != hash || !is_same(&entry->file, file))) {
        entry = entry->next_in_bucket;
    }
    return entry;
}

// A reference, or NULL.
static struct files_entry *find(const struct manifest_files_request *request)
{
    if (!is_cacheable(request)) {
        return NULL;
    }
    pthread_mutex_lock(&kept.lock);
    struct files_entry *entry = find_locked(request->file, hash_of(request->file));
    if (entry != NULL) {
        atomic_fetch_add(&entry->refs, 1);
        unlink_used(entry);
        link_newest(entry);
    }
    pthread_mutex_unlock(&kept.lock);
    return entry;
}

// Takes over `entry`, or gives it up for one that came first.
static struct files_entry *keep(struct files_entry *entry)
{
    pthread_mutex_lock(&kept.lock);
    struct files_entry *other = find_locked(&entry->file, entry->hash);
    if (other != NULL) {
        atomic_fetch_add(&other->refs, 1);
    } else if (kept.limit > 0) {
        atomic_fetch_add(&entry->refs, 1);
        entry->is_kept = true;
        entry->next_in_bucket = kept.buckets[entry->hash % BUCKETS];
        kept.buckets[entry->hash % BUCKETS] = entry;
        link_newest(entry);
        kept.bytes += entry->bytes;
        make_room();
    }
    pthread_mutex_unlock(&kept.lock);
    if (other != NULL) {
        manifest_files_unref(&entry->base);
    }
    return other != NULL ? other : entry;
}

void manifest_files_limit(size_t bytes)
{
    pthread_mutex_lock(&kept.lock);
    kept.limit = bytes;
    make_room();
    pthread_mutex_unlock(&kept.lock);
}

size_t manifest_files_bytes(void)
{
    pthread_mutex_lock(&kept.lock);
    size_t bytes = kept.bytes;
    pthread_mutex_unlock(&kept.lock);
    return bytes;
}

bool manifest_files_is_kept(const struct manifest_files *files)
{
    return ((const struct files_entry *)files)->is_kept;
}

// --- columns -----------------------------------------------------------------------------------

static bool is_ordered(enum iceberg_kind kind)
{
    return kind == ICEBERG_INT || kind == ICEBERG_LONG || kind == ICEBERG_DATE ||
           kind == ICEBERG_TIMESTAMP || kind == ICEBERG_TIMESTAMPTZ;
}

const struct manifest_column *manifest_files_column(const struct manifest_files *files, int32_t id,
                                                    enum iceberg_kind kind)
{
    struct column_entry *column = atomic_load(&((struct files_entry *)(uintptr_t)files)->columns);
    while (column != NULL && (column->base.id != id || column->base.kind != kind)) {
        column = column->next;
    }
    return column != NULL ? &column->base : NULL;
}

static enum iceberg_kind kind_of(const struct manifest_files_request *request, int32_t id)
{
    const struct table_schema_entry *entry = table_schema_by_id(request->schema, id);
    return entry != NULL ? entry->field->type->kind : ICEBERG_UNKNOWN;
}

static const struct data_file_metric no_metric = {.size = DATA_FILE_NONE,
                                                  .value_count = DATA_FILE_NONE,
                                                  .null_count = DATA_FILE_NONE,
                                                  .nan_count = DATA_FILE_NONE};

static void add_ordered(struct column_entry *column, const struct data_file_metric *metric)
{
    const struct iceberg_type *type = iceberg_type_simple(column->base.kind);
    struct iceberg_value value;
    struct err ignored;
    struct figures figures = {{metric->value_count, metric->null_count}};
    int64_t lower = INT64_MIN;
    int64_t upper = INT64_MAX;
    if (metric->lower.ptr != NULL &&
        iceberg_value_decode(type, metric->lower, &value, &ignored) == STATUS_OK) {
        lower = value.as.i64;
    }
    if (metric->upper.ptr != NULL &&
        iceberg_value_decode(type, metric->upper, &value, &ignored) == STATUS_OK) {
        upper = value.as.i64;
    }
    VEC_PUSH(&column->lower, lower);
    VEC_PUSH(&column->upper, upper);
    VEC_PUSH(&column->counts, figures);
    column->base.lowest = lower < column->base.lowest ? lower : column->base.lowest;
    column->base.highest = upper > column->base.highest ? upper : column->base.highest;
}

static void add_metric(struct column_entry *column, const struct data_file *file)
{
    const struct data_file_metric *found = data_file_metric(file, column->base.id);
    struct data_file_metric metric = found != NULL ? *found : no_metric;
    if (is_ordered(column->base.kind)) {
        add_ordered(column, &metric);
        return;
    }
    if (metric.lower.ptr != NULL) {
        metric.lower = arena_str(&column->arena, metric.lower);
        column->bytes += metric.lower.size + 16;
    }
    if (metric.upper.ptr != NULL) {
        metric.upper = arena_str(&column->arena, metric.upper);
        column->bytes += metric.upper.size + 16;
    }
    VEC_PUSH(&column->metrics, metric);
}

bool manifest_column_metric(const struct manifest_column *column, uint32_t at, char bytes[16],
                            struct data_file_metric *out)
{
    if (column->lower == NULL) {
        *out = column->metrics[at];
        return out->id != 0;
    }
    // Decoding takes 8 bytes for each of these types, little-endian as everything here, or 4.
    size_t width = column->kind == ICEBERG_INT || column->kind == ICEBERG_DATE ? 4 : 8;
    *out = no_metric;
    out->id = column->id;
    out->value_count = column->counts[at][0];
    out->null_count = column->counts[at][1];
    memcpy(bytes, &column->lower[at], 8);
    memcpy(bytes + 8, &column->upper[at], 8);
    if (column->lower[at] != INT64_MIN) {
        out->lower = str_make(bytes, width);
    }
    if (column->upper[at] != INT64_MAX) {
        out->upper = str_make(bytes + 8, width);
    }
    return true;
}

static struct column_entry *column_new(int32_t id, enum iceberg_kind kind)
{
    struct column_entry *column = mem_zalloc(sizeof *column);
    arena_init(&column->arena);
    column->base.id = id;
    column->base.kind = kind;
    column->base.lowest = INT64_MAX;
    column->base.highest = INT64_MIN;
    return column;
}

static void column_finish(struct column_entry *column)
{
    column->base.metrics = column->metrics.items;
    column->base.lower = column->lower.items;
    column->base.upper = column->upper.items;
    column->base.counts = (const int64_t(*)[2])column->counts.items;
    column->bytes += sizeof *column + column->metrics.capacity * sizeof *column->metrics.items +
                     column->lower.capacity * (2 * sizeof(int64_t) + sizeof(struct figures));
}

// Columns are put in front of the list; who reads it sees them or does not.
static void publish_columns(struct files_entry *entry, struct column_entry **columns,
                            uint32_t count)
{
    pthread_mutex_lock(&kept.lock);
    for (uint32_t i = 0; i < count; i++) {
        struct column_entry *column = columns[i];
        if (manifest_files_column(&entry->base, column->base.id, column->base.kind) != NULL) {
            column_free(column); // another thread was faster
            continue;
        }
        column->next = atomic_load(&entry->columns);
        atomic_store(&entry->columns, column);
        entry->bytes += column->bytes;
        // Where it was dropped from the cache meanwhile, this counts nowhere.
        struct files_entry *found = find_locked(&entry->file, entry->hash);
        kept.bytes += found == entry ? column->bytes : 0;
    }
    make_room();
    pthread_mutex_unlock(&kept.lock);
}

// --- decoding ----------------------------------------------------------------------------------

static const struct iceberg_type *copy_type(struct arena *arena, const struct iceberg_type *type)
{
    switch ((int)type->kind) {
    case ICEBERG_DECIMAL: return iceberg_type_decimal(arena, type->precision, type->scale);
    case ICEBERG_FIXED: return iceberg_type_fixed(arena, type->precision);
    default: return iceberg_type_simple(type->kind);
    }
}

// The spec without what it borrows from a table: types and names of its fields.
static const struct partition_spec *copy_spec(struct arena *arena,
                                              const struct partition_spec *spec)
{
    struct partition_field *fields =
        arena_copy(arena, spec->fields, spec->field_count * sizeof *spec->fields);
    for (uint32_t i = 0; i < spec->field_count; i++) {
        fields[i].name = arena_str(arena, fields[i].name);
        fields[i].transform.text = arena_str(arena, fields[i].transform.text);
        fields[i].source_ids = NULL;
        fields[i].source = fields[i].source != NULL && iceberg_type_is_primitive(fields[i].source)
                               ? copy_type(arena, fields[i].source)
                               : NULL;
        fields[i].result = copy_type(arena, fields[i].result);
    }
    struct partition_spec *copy = arena_new(arena, struct partition_spec);
    *copy = (struct partition_spec){spec->spec_id, spec->field_count, fields};
    return copy;
}

static void add_task(struct files_entry *entry, const struct manifest_entry *read)
{
    struct scan_task task = {.file = read->file, .sequence_number = read->sequence_number};
    struct data_file *file = &task.file;
    struct arena *arena = &entry->arena;
    const struct scan_task *last =
        entry->tasks.count > 0 ? &entry->tasks.items[entry->tasks.count - 1] : NULL;
    file->metrics = NULL;
    file->metric_count = 0;
    file->split_offsets = NULL;
    file->split_offset_count = 0;
    file->path = arena_str(arena, file->path);
    file->format = last != NULL && str_equal(last->file.format, file->format)
                       ? last->file.format
                       : arena_str(arena, file->format);
    file->partition = partition_spec_tuple_copy(arena, entry->base.spec, file->partition);
    file->equality_ids = NULL;
    file->equality_id_count = 0;
    file->referenced_data_file = (struct str){0};
    file->key_metadata =
        file->key_metadata.ptr != NULL ? arena_str(arena, file->key_metadata) : (struct str){0};
    VEC_PUSH(&entry->tasks, task);
    VEC_PUSH(&entry->snapshot_ids, read->snapshot_id);
    VEC_PUSH(&entry->is_added, read->status == MANIFEST_ADDED);
    entry->base.record_count += (uint64_t)file->record_count;
    entry->bytes +=
        file->path.size + 32 + entry->base.spec->field_count * (sizeof(struct iceberg_value) + 16);
}

// Reads the manifest for tasks (where `entry` has none yet) and columns.
static enum status read_manifest(const struct manifest_files_request *request,
                                 struct files_entry *entry, bool with_tasks,
                                 struct column_entry **columns, uint32_t column_count,
                                 struct err *err)
{
    struct manifest_reader *reader = NULL;
    struct manifest_entry read;
    struct buf *bytes;
    int32_t *ids = mem_alloc((column_count + 1) * sizeof *ids);
    for (uint32_t i = 0; i < column_count; i++) {
        ids[i] = columns[i]->base.id;
    }
    struct manifest_reader_options options = {.file = request->file,
                                              .spec = request->spec,
                                              .metric_ids = ids,
                                              .metric_id_count = column_count,
                                              .cache = request->cache};
    enum status status =
        store_read(request->store, request->file->path, TABLE_MANIFEST_BYTES_MAX, &bytes, err);
    if (status != STATUS_OK) {
        mem_free(ids);
        return status;
    }
    status = manifest_reader_open(str_make(bytes->ptr, bytes->size), &options, &reader, err);
    if (status == STATUS_OK && with_tasks) {
        entry->base.spec = copy_spec(&entry->arena, manifest_reader_spec(reader));
    }
    while (status == STATUS_OK &&
           (status = manifest_reader_next(reader, &read, err)) == STATUS_OK) {
        if (read.file.content != DATA_FILE_DATA) {
            status = ERR(err, STATUS_INVALID_DATA,
                         "manifest %.*s: data and delete files in one manifest",
                         STR_ARGS(request->file->path));
            break;
        }
        if (with_tasks) {
            add_task(entry, &read);
        }
        for (uint32_t i = 0; i < column_count; i++) {
            add_metric(columns[i], &read.file);
        }
    }
    manifest_reader_free(reader);
    buf_unref(bytes);
    mem_free(ids);
    return status == STATUS_END ? STATUS_OK : status;
}

static void entry_finish(struct files_entry *entry)
{
    entry->base.count = entry->tasks.count;
    entry->base.tasks = entry->tasks.items;
    entry->base.snapshot_ids = entry->snapshot_ids.items;
    entry->base.is_added = entry->is_added.items;
    entry->bytes += sizeof *entry + entry->tasks.capacity * sizeof *entry->tasks.items +
                    entry->snapshot_ids.capacity * (sizeof(int64_t) + sizeof(bool));
}

static struct files_entry *entry_new(const struct manifest_file *file)
{
    struct files_entry *entry = mem_zalloc(sizeof *entry);
    atomic_init(&entry->refs, 1);
    arena_init(&entry->arena);
    entry->hash = hash_of(file);
    entry->file = *file;
    entry->file.path = arena_str(&entry->arena, file->path);
    entry->file.partitions = NULL;
    entry->file.partition_count = 0;
    entry->file.key_metadata = (struct str){0};
    int64_t files = file->added_files == MANIFEST_NONE || file->existing_files == MANIFEST_NONE
                        ? 0
                        : file->added_files + file->existing_files;
    // What the list says is a guess: each file takes some bytes of the manifest, even packed.
    if (files > 0 && files <= file->length) {
        VEC_RESERVE(&entry->tasks, (uint32_t)(files < (1 << 16) ? files : 1 << 16));
    }
    return entry;
}

// The columns of the request that `entry` lacks (NULL: all), as new ones.
static uint32_t missing_columns(const struct manifest_files_request *request,
                                const struct files_entry *entry, struct column_entry **out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < request->id_count; i++) {
        enum iceberg_kind kind = kind_of(request, request->ids[i]);
        bool again = i > 0 && request->ids[i] == request->ids[i - 1];
        if (!again &&
            (entry == NULL || manifest_files_column(&entry->base, request->ids[i], kind) == NULL)) {
            out[count++] = column_new(request->ids[i], kind);
        }
    }
    return count;
}

struct manifest_files *manifest_files_find(const struct manifest_files_request *request)
{
    struct files_entry *entry = find(request);
    for (uint32_t i = 0; entry != NULL && i < request->id_count; i++) {
        if (manifest_files_column(&entry->base, request->ids[i],
                                  kind_of(request, request->ids[i])) == NULL) {
            manifest_files_unref(&entry->base);
            return NULL;
        }
    }
    return entry != NULL ? &entry->base : NULL;
}

enum status manifest_files_get(const struct manifest_files_request *request,
                               struct manifest_files **out, struct err *err)
{
    struct files_entry *entry = find(request);
    bool is_new = entry == NULL;
    struct column_entry **columns =
        mem_zalloc((request->id_count + 1) * sizeof(struct column_entry *));
    uint32_t count = missing_columns(request, entry, columns);
    enum status status = STATUS_OK;
    if (is_new) {
        entry = entry_new(request->file);
    }
    if (is_new || count > 0) {
        status = read_manifest(request, entry, is_new, columns, count, err);
    }
    if (status != STATUS_OK) {
        for (uint32_t i = 0; i < count; i++) {
            column_free(columns[i]);
        }
        manifest_files_unref(&entry->base);
        mem_free(columns);
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        column_finish(columns[i]);
    }
    if (is_new) {
        entry_finish(entry);
        entry = is_cacheable(request) ? keep(entry) : entry;
    }
    publish_columns(entry, columns, count);
    mem_free(columns);
    *out = &entry->base;
    return STATUS_OK;
}
