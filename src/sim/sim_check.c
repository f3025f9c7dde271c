// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "engine/checkpoint/checkpoint.h"
#include "iceberg/manifest.h"
#include "store/store.h"

enum { BYTES_MAX = 1 << 24 };

#define FAULT(check, ...)                                                                          \
    do {                                                                                           \
        strbuf_printf((check)->faults, __VA_ARGS__);                                               \
        strbuf_add_text((check)->faults, "\n");                                                    \
    } while (0)

// One snapshot of an open table.
struct look {
    struct sim_check *check;
    struct iceberg_table *table;
    struct arena *arena;
    const struct table_snapshot *snapshot;
    struct sim_rows paths; // of live files
    int64_t records, files;
};

static bool exists(struct sim_check *check, struct str path, int64_t size)
{
    struct store_object object;
    struct err err;
    if (store_info(check->lake->world->lake, path, &object, &err) != STATUS_OK) {
        FAULT(check, "%.*s is named and does not exist", STR_ARGS(path));
        return false;
    }
    if (size >= 0 && object.size != (uint64_t)size) {
        FAULT(check, "%.*s has %" PRIu64 " bytes, %" PRId64 " are told", STR_ARGS(path),
              object.size, size);
    }
    return true;
}

static void look_at_entry(struct look *look, const struct manifest_entry *entry)
{
    struct sim_check *check = look->check;
    (void)exists(check, entry->file.path, entry->file.file_size);
    if (entry->sequence_number < 0 || entry->sequence_number > look->snapshot->sequence_number) {
        FAULT(check, "%.*s has sequence number %" PRId64 " in snapshot %" PRId64,
              STR_ARGS(entry->file.path), entry->sequence_number, look->snapshot->sequence_number);
    }
    sim_rows_add(&look->paths, entry->file.path);
    look->files++;
    look->records += entry->file.record_count;
}

static void look_at_manifest(struct look *look, const struct manifest_file *manifest)
{
    struct sim_check *check = look->check;
    struct manifest_reader *reader;
    struct manifest_entry entry;
    struct buf *bytes;
    struct err err;
    int64_t counts[3] = {0};
    if (!exists(check, manifest->path, manifest->length) ||
        store_read(check->lake->world->lake, manifest->path, BYTES_MAX, &bytes, &err) !=
            STATUS_OK) {
        return;
    }
    if (manifest->sequence_number > look->snapshot->sequence_number ||
        manifest->min_sequence_number > manifest->sequence_number) {
        FAULT(check, "%.*s: sequence numbers %" PRId64 ", %" PRId64, STR_ARGS(manifest->path),
              manifest->sequence_number, manifest->min_sequence_number);
    }
    struct manifest_reader_options options = {
        .file = manifest,
        .spec = table_metadata_spec(look->table->metadata, manifest->spec_id),
        .with_deleted = true};
    enum status status =
        manifest_reader_open(str_make(bytes->ptr, bytes->size), &options, &reader, &err);
    bool is_open = status == STATUS_OK;
    while (status == STATUS_OK &&
           (status = manifest_reader_next(reader, &entry, &err)) == STATUS_OK) {
        counts[entry.status]++;
        if (entry.status != MANIFEST_DELETED) {
            look_at_entry(look, &entry);
        }
    }
    if (status != STATUS_END) {
        FAULT(check, "%.*s: %s", STR_ARGS(manifest->path), err.text);
    } else if (counts[MANIFEST_ADDED] != manifest->added_files ||
               counts[MANIFEST_EXISTING] != manifest->existing_files ||
               counts[MANIFEST_DELETED] != manifest->deleted_files) {
        FAULT(check, "%.*s: the list tells other counts of files", STR_ARGS(manifest->path));
    }
    if (is_open) {
        manifest_reader_free(reader);
    }
    buf_unref(bytes);
}

static void look_at_total(struct look *look, const char *key, int64_t expected)
{
    const struct str *text = table_metadata_summary(look->snapshot, key);
    int64_t value;
    if (text != NULL && (!str_to_i64(*text, &value) || value != expected)) {
        FAULT(look->check, "snapshot %" PRId64 ": %s = %.*s, it has %" PRId64,
              look->snapshot->snapshot_id, key, STR_ARGS(*text), expected);
    }
}

static void look_at_snapshot(struct look *look)
{
    struct sim_check *check = look->check;
    struct manifest_file *manifests;
    uint32_t count;
    struct err err;
    if (!exists(check, look->snapshot->manifest_list, -1)) {
        return;
    }
    if (iceberg_table_read_list(look->table, look->arena, look->snapshot, &manifests, &count,
                                &err) != STATUS_OK) {
        FAULT(check, "%s", err.text);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        look_at_manifest(look, &manifests[i]);
    }
    sim_rows_sort(&look->paths);
    for (uint32_t i = 1; i < look->paths.lines.count; i++) {
        if (str_equal(look->paths.lines.items[i - 1], look->paths.lines.items[i])) {
            FAULT(check, "%.*s is listed twice", STR_ARGS(look->paths.lines.items[i]));
        }
    }
    look_at_total(look, "total-records", look->records);
    look_at_total(look, "total-data-files", look->files);
}

static void look_at_metadata(struct sim_check *check, const struct table_metadata *metadata)
{
    int64_t last = -1;
    for (uint32_t i = 0; i < metadata->snapshot_count; i++) {
        const struct table_snapshot *snapshot = &metadata->snapshots[i];
        if (snapshot->sequence_number <= last && metadata->format_version > 1) {
            FAULT(check, "snapshot %" PRId64 ": sequence number %" PRId64 " after %" PRId64,
                  snapshot->snapshot_id, snapshot->sequence_number, last);
        }
        last = snapshot->sequence_number;
        if (i > 0 && snapshot->parent_id != metadata->snapshots[i - 1].snapshot_id) {
            FAULT(check, "snapshot %" PRId64 " is not the child of the one before it",
                  snapshot->snapshot_id);
        }
        if (i > 0 && snapshot->timestamp_ms < metadata->snapshots[i - 1].timestamp_ms) {
            FAULT(check, "snapshot %" PRId64 ": time goes back", snapshot->snapshot_id);
        }
    }
    if (last > metadata->last_sequence_number) {
        FAULT(check, "last-sequence-number is behind the snapshots");
    }
    if (metadata->snapshot_count > 0 &&
        metadata->current_snapshot_id !=
            metadata->snapshots[metadata->snapshot_count - 1].snapshot_id) {
        FAULT(check, "the newest snapshot is not the current one");
    }
}

static enum status take_rows(void *context, const struct batch *batch, struct err *err)
{
    (void)err;
    sim_rows_add_batch(context, batch);
    return STATUS_OK;
}

static enum status read_rows(struct sim_check *check, struct iceberg_table *table,
                             struct arena *arena, struct sim_rows *rows, struct err *err)
{
    struct scan_plan plan;
    struct scan_options all = {0};
    TRY(scan_plan(table, &all, arena, &plan, err));
    for (uint32_t i = 0; i < plan.task_count; i++) {
        struct sim_lake_reading reading = {.table = table,
                                           .plan = &plan,
                                           .task = plan.tasks[i],
                                           .take = take_rows,
                                           .context = rows};
        uint32_t before = rows->lines.count;
        TRY(sim_lake_read(check->lake, &reading, err));
        if (rows->lines.count - before != (uint64_t)plan.tasks[i]->file.record_count) {
            FAULT(check, "%.*s: record count", STR_ARGS(plan.tasks[i]->file.path));
        }
    }
    return STATUS_OK;
}

void sim_check_table(struct sim_check *check, const char *name, bool all_snapshots,
                     struct sim_rows *rows)
{
    struct iceberg_table *table;
    struct arena arena;
    struct err err;
    if (sim_lake_open(check->lake, name, &table, &err) != STATUS_OK) {
        FAULT(check, "table %s cannot be opened: %s", name, err.text);
        return;
    }
    arena_init(&arena);
    const struct table_metadata *metadata = table->metadata;
    look_at_metadata(check, metadata);
    for (uint32_t i = 0; i < metadata->snapshot_count; i++) {
        if (all_snapshots || i + 1 == metadata->snapshot_count) {
            struct look look = {.check = check,
                                .table = table,
                                .arena = &arena,
                                .snapshot = &metadata->snapshots[i]};
            sim_rows_init(&look.paths);
            look_at_snapshot(&look);
            sim_rows_release(&look.paths);
        }
    }
    if (read_rows(check, table, &arena, rows, &err) != STATUS_OK) {
        FAULT(check, "table %s cannot be read: %s", name, err.text);
    }
    arena_release(&arena);
    sim_lake_close(check->lake, table);
}

// --- leftovers -----------------------------------------------------------------------------------

static void add_data_paths(struct sim_check *check, struct iceberg_table *table,
                           struct arena *arena, const struct table_snapshot *snapshot,
                           struct sim_rows *named)
{
    struct manifest_file *manifests;
    uint32_t count;
    struct err err;
    struct look look = {.check = check, .table = table, .arena = arena, .snapshot = snapshot};
    sim_rows_add(named, snapshot->manifest_list);
    if (iceberg_table_read_list(table, arena, snapshot, &manifests, &count, &err) != STATUS_OK) {
        return;
    }
    sim_rows_init(&look.paths);
    for (uint32_t i = 0; i < count; i++) {
        sim_rows_add(named, manifests[i].path);
        look_at_manifest(&look, &manifests[i]);
    }
    for (uint32_t i = 0; i < look.paths.lines.count; i++) {
        sim_rows_add(named, look.paths.lines.items[i]);
    }
    sim_rows_release(&look.paths);
}

static void add_metadata_files(struct sim_check *check, struct iceberg_table *table,
                               struct arena *arena, struct sim_rows *named)
{
    struct store_object *objects;
    size_t count = 0;
    struct str directory = iceberg_table_metadata_directory(table->metadata, arena);
    if (store_list(check->lake->world->lake, directory, arena, &objects, &count, NULL) !=
        STATUS_OK) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (str_ends(objects[i].path, ".metadata.json")) {
            sim_rows_add(named, objects[i].path);
        }
    }
}

static void add_named(struct sim_check *check, const char *name, struct sim_rows *named)
{
    struct iceberg_table *table;
    struct arena arena;
    struct err err;
    if (sim_lake_open(check->lake, name, &table, &err) != STATUS_OK) {
        return;
    }
    arena_init(&arena);
    sim_rows_add(named, table->location);
    if (!table_metadata_property_bool(table->metadata, "write.metadata.delete-after-commit.enabled",
                                      false)) {
        add_metadata_files(check, table, &arena, named); // they stay when they leave the log
    }
    for (uint32_t i = 0; i < table->metadata->metadata_log_count; i++) {
        sim_rows_add(named, table->metadata->metadata_log[i].file);
    }
    for (uint32_t i = 0; i < table->metadata->snapshot_count; i++) {
        add_data_paths(check, table, &arena, &table->metadata->snapshots[i], named);
    }
    arena_release(&arena);
    sim_lake_close(check->lake, table);
}

// Whether a UUID in the name is a tagged one (version 8): the file is ours.
static bool is_ours(struct str path)
{
    for (size_t at = 0; at + 36 <= path.size; at++) {
        const char *text = path.ptr + at;
        if (text[8] == '-' && text[13] == '-' && text[14] == '8' && text[18] == '-' &&
            text[23] == '-') {
            return true;
        }
    }
    return false;
}

static bool is_named(const struct sim_rows *named, struct str path)
{
    for (uint32_t i = 0; i < named->lines.count; i++) {
        if (str_equal(named->lines.items[i], path)) {
            return true;
        }
    }
    return false;
}

static void check_lake(struct sim_check *check, const struct sim_rows *named, struct arena *arena)
{
    struct store_object *objects;
    size_t count = 0;
    struct err err;
    if (store_list(check->lake->world->lake, STR_LIT(""), arena, &objects, &count, &err) !=
        STATUS_OK) {
        FAULT(check, "%s", err.text);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (sim_world_is_unremoved(check->lake->world, objects[i].path)) {
            continue;
        }
        struct str path = objects[i].path;
        bool is_data = memmem(path.ptr, path.size, "/data/", strlen("/data/")) != NULL;
        if (check->lake->world->unread > 0 && is_data) {
            continue; // an expiry that cannot read its manifests is no failure of the commit
        }
        if (is_ours(objects[i].path) && !is_named(named, objects[i].path)) {
            FAULT(check, "%.*s is left behind", STR_ARGS(objects[i].path));
        }
    }
}

// What the one checkpoint that is left names.
static void add_state_files(struct sim_check *check, struct str path, struct arena *arena,
                            struct sim_rows *named)
{
    struct checkpoint checkpoint;
    struct buf *bytes;
    struct err err;
    if (store_read(check->lake->world->disk, path, BYTES_MAX, &bytes, &err) != STATUS_OK) {
        FAULT(check, "%s", err.text);
        return;
    }
    if (checkpoint_decode(str_make(bytes->ptr, bytes->size), arena, &checkpoint, &err) !=
        STATUS_OK) {
        FAULT(check, "%.*s: %s", STR_ARGS(path), err.text);
    } else {
        for (uint32_t i = 0; i < checkpoint.segment_count; i++) {
            sim_rows_add(named, checkpoint.segments[i].file);
        }
    }
    buf_unref(bytes);
}

static struct str base_name(struct str path)
{
    size_t at = path.size;
    while (at > 0 && path.ptr[at - 1] != '/') {
        at--;
    }
    return str_slice(path, at, path.size);
}

static void check_directory(struct sim_check *check, struct str directory, struct sim_rows *named,
                            struct arena *arena)
{
    struct store_object *objects;
    size_t count = 0;
    uint32_t manifests = 0;
    struct err err;
    if (store_list(check->lake->world->disk, directory, arena, &objects, &count, &err) !=
        STATUS_OK) {
        FAULT(check, "%s", err.text);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (str_ends(objects[i].path, ".checkpoint")) {
            add_state_files(check, objects[i].path, arena, named);
            manifests++;
        }
    }
    if (manifests != 1) {
        FAULT(check, "%u checkpoints are left, not one", manifests);
    }
    for (size_t i = 0; i < count; i++) {
        struct str path = objects[i].path;
        if (!str_ends(path, ".checkpoint") && !str_ends(path, "/identity") &&
            !is_named(named, base_name(path))) {
            FAULT(check, "%.*s is left behind", STR_ARGS(path));
        }
    }
}

void sim_check_leftovers(struct sim_check *check, const char *const *tables, uint32_t count,
                         struct str directory)
{
    struct sim_rows named;
    struct arena arena;
    sim_rows_init(&named);
    arena_init(&arena);
    for (uint32_t i = 0; i < count; i++) {
        add_named(check, tables[i], &named);
    }
    check->lake->world->quiet = true;
    check_lake(check, &named, &arena);
    check_directory(check, directory, &named, &arena);
    check->lake->world->quiet = false;
    arena_release(&arena);
    sim_rows_release(&named);
}
