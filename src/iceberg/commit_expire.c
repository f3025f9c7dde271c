// SPDX-License-Identifier: Apache-2.0
//
// What is removed behind a commit: leftovers of attempts, and the files of expired snapshots that
// nothing reaches any more. Failures are passed over: what stays is an orphan, no damage.
//
// Which manifests went. On a straight line of snapshots (one branch, each the child of the one
// before) a manifest that a snapshot has and its child has not is in no later one either, so each
// expired snapshot is compared with its child only: two lists are read. Otherwise all lists are.
//
// Which data files went. Where every snapshot only appended, none: merging manifests carries all
// entries on. Otherwise the live entries of the manifests that went, less those that a kept
// manifest carries on as existing.
#include <stdlib.h>

#include "base/buf.h"
#include "base/mark.h"
#include "codec/json_tree.h"
#include "iceberg/commit_int.h"
#include "iceberg/manifest.h"
#include "store/store.h"

typedef VEC(struct str) str_vec;
typedef VEC(struct manifest_file) manifest_vec;

static int compare_strs(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

static bool holds(const str_vec *sorted, struct str text)
{
    return sorted->count > 0 &&
           bsearch(&text, sorted->items, sorted->count, sizeof text, compare_strs) != NULL;
}

static void sort(str_vec *strs)
{
    if (strs->count > 0) {
        qsort(strs->items, strs->count, sizeof *strs->items, compare_strs);
    }
}

static void drop(struct commit_state *state, struct str path)
{
    commit_remove(state->table->place.store, path);
}

void commit_remove(struct store *store, struct str path)
{
    struct err err;
    if (store_remove(store, path, &err) != STATUS_OK) {
        // It stays, named by nothing: an orphan that commit_clean() or maintenance finds.
    }
}

enum status commit_remove_for_good(struct store *store, struct str *paths, uint32_t count,
                                   struct err *err)
{
    struct str synced = {0};
    if (count > 0) {
        qsort(paths, count, sizeof *paths, compare_strs);
    }
    for (uint32_t i = 0; i < count; i++) {
        commit_remove(store, paths[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct str directory = store_directory(paths[i]);
        if (i == 0 || !str_equal(directory, synced)) {
            TRY(store_sync(store, directory, err));
            synced = directory;
        }
    }
    return STATUS_OK;
}

void commit_drop_files(struct commit_state *state, const struct str *keep, uint32_t keep_count)
{
    str_vec kept = {0};
    for (uint32_t i = 0; i < keep_count; i++) {
        VEC_PUSH(&kept, keep[i]);
    }
    sort(&kept);
    for (uint32_t i = 0; i < state->written.count; i++) {
        if (!holds(&kept, state->written.items[i])) {
            drop(state, state->written.items[i]);
        }
    }
    state->written.count = 0;
    VEC_RELEASE(&kept);
}

static const struct table_snapshot *child_of(const struct table_metadata *base,
                                             const struct table_metadata *next, int64_t id)
{
    for (uint32_t i = 0; i < base->snapshot_count; i++) {
        if (base->snapshots[i].parent_id == id) {
            return &base->snapshots[i];
        }
    }
    for (uint32_t i = 0; i < next->snapshot_count; i++) {
        if (next->snapshots[i].parent_id == id) {
            return &next->snapshots[i];
        }
    }
    return NULL;
}

// Whether base's snapshots and the new one are one line, oldest to newest, under one branch.
static bool is_line(const struct table_metadata *base, const struct table_metadata *next)
{
    if (next->ref_count != 1 || base->ref_count > 1) {
        return false;
    }
    for (uint32_t i = 1; i < base->snapshot_count; i++) {
        if (base->snapshots[i].parent_id != base->snapshots[i - 1].snapshot_id) {
            return false;
        }
    }
    return base->snapshot_count == 0 ||
           base->current_snapshot_id == base->snapshots[base->snapshot_count - 1].snapshot_id;
}

static bool only_appended(const struct table_metadata *metadata)
{
    for (uint32_t i = 0; i < metadata->snapshot_count; i++) {
        const struct table_snapshot *snapshot = &metadata->snapshots[i];
        if (!str_is(snapshot->operation, "append") ||
            table_metadata_summary(snapshot, "deleted-data-files") != NULL ||
            table_metadata_summary(snapshot, "removed-delete-files") != NULL) {
            return false;
        }
    }
    return true;
}

static enum status add_list(struct commit_state *state, struct arena *arena,
                            const struct table_snapshot *snapshot, manifest_vec *out,
                            struct err *err)
{
    struct manifest_file *files;
    uint32_t count;
    TRY(iceberg_table_read_list(state->table, arena, snapshot, &files, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        VEC_PUSH(out, files[i]);
    }
    return STATUS_OK;
}

// The manifests of `lost` that are not among `kept`, each once.
static void subtract(const manifest_vec *lost, const manifest_vec *kept, manifest_vec *out)
{
    str_vec known = {0};
    for (uint32_t i = 0; i < kept->count; i++) {
        VEC_PUSH(&known, kept->items[i].path);
    }
    sort(&known);
    for (uint32_t i = 0; i < lost->count; i++) {
        bool again = holds(&known, lost->items[i].path);
        for (uint32_t j = 0; !again && j < out->count; j++) {
            again = str_equal(out->items[j].path, lost->items[i].path);
        }
        if (!again) {
            VEC_PUSH(out, lost->items[i]);
        }
    }
    VEC_RELEASE(&known);
}

struct lost {
    manifest_vec manifests; // that went
    manifest_vec kept;      // of retained snapshots, as far as they were read
};

static enum status lost_on_line(struct commit_state *state, struct arena *arena,
                                const struct table_metadata *base,
                                const struct table_metadata *next, struct lost *out,
                                struct err *err)
{
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < base->snapshot_count; i++) {
        const struct table_snapshot *snapshot = &base->snapshots[i];
        if (table_metadata_snapshot(next, snapshot->snapshot_id) != NULL) {
            continue;
        }
        const struct table_snapshot *child = child_of(base, next, snapshot->snapshot_id);
        manifest_vec own = {0};
        out->kept.count = 0;
        status = add_list(state, arena, snapshot, &own, err);
        if (status == STATUS_OK && child != NULL) {
            status = add_list(state, arena, child, &out->kept, err);
        }
        if (status == STATUS_OK) {
            subtract(&own, &out->kept, &out->manifests);
        }
        VEC_RELEASE(&own);
    }
    return status;
}

static enum status lost_anyhow(struct commit_state *state, struct arena *arena,
                               const struct table_metadata *base, const struct table_metadata *next,
                               struct lost *out, struct err *err)
{
    manifest_vec own = {0};
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < next->snapshot_count; i++) {
        status = add_list(state, arena, &next->snapshots[i], &out->kept, err);
    }
    for (uint32_t i = 0; status == STATUS_OK && i < base->snapshot_count; i++) {
        if (table_metadata_snapshot(next, base->snapshots[i].snapshot_id) == NULL) {
            status = add_list(state, arena, &base->snapshots[i], &own, err);
        }
    }
    if (status == STATUS_OK) {
        subtract(&own, &out->kept, &out->manifests);
    }
    VEC_RELEASE(&own);
    return status;
}

// Paths of the live entries of a manifest.
static enum status add_paths(struct commit_state *state, struct arena *arena,
                             const struct table_metadata *metadata, const struct manifest_file *row,
                             str_vec *out, struct err *err)
{
    struct manifest_reader *reader = NULL;
    struct manifest_entry entry;
    struct buf *bytes;
    int32_t none = 0;
    const struct partition_spec *spec = table_metadata_spec(metadata, row->spec_id);
    if (spec == NULL) {
        return ERR(err, STATUS_INVALID_DATA, "no spec %d", row->spec_id);
    }
    TRY(store_read(state->table->place.store, row->path, TABLE_MANIFEST_BYTES_MAX, &bytes, err));
    struct manifest_reader_options options = {.file = row, .spec = spec, .metric_ids = &none};
    enum status status =
        manifest_reader_open(str_make(bytes->ptr, bytes->size), &options, &reader, err);
    while (status == STATUS_OK) {
        status = manifest_reader_next(reader, &entry, err);
        if (status == STATUS_OK) {
            VEC_PUSH(out, arena_str(arena, entry.file.path));
        }
    }
    manifest_reader_free(reader);
    buf_unref(bytes);
    return status == STATUS_END ? STATUS_OK : status;
}

// The data and delete files that only `lost` manifests named.
static enum status lost_files(struct commit_state *state, struct arena *arena,
                              const struct table_metadata *base, const struct table_metadata *next,
                              const struct lost *lost, str_vec *out, struct err *err)
{
    str_vec candidates = {0};
    str_vec alive = {0};
    manifest_vec kept = {0};
    manifest_vec distinct = {0};
    manifest_vec nothing = {0};
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < lost->manifests.count; i++) {
        status = add_paths(state, arena, base, &lost->manifests.items[i], &candidates, err);
    }
    for (uint32_t i = 0; status == STATUS_OK && i < next->snapshot_count; i++) {
        status = add_list(state, arena, &next->snapshots[i], &kept, err);
    }
    subtract(&kept, &nothing, &distinct);
    for (uint32_t i = 0; status == STATUS_OK && i < distinct.count; i++) {
        // A file of another manifest can only be carried on as existing.
        if (distinct.items[i].existing_files != 0) {
            status = add_paths(state, arena, next, &distinct.items[i], &alive, err);
        }
    }
    sort(&alive);
    for (uint32_t i = 0; status == STATUS_OK && i < candidates.count; i++) {
        if (!holds(&alive, candidates.items[i])) {
            VEC_PUSH(out, candidates.items[i]);
        }
    }
    VEC_RELEASE(&candidates);
    VEC_RELEASE(&alive);
    VEC_RELEASE(&kept);
    VEC_RELEASE(&distinct);
    return status;
}

static void drop_statistics(struct commit_state *state, const struct json_tree *list,
                            const struct table_metadata *next)
{
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        int64_t id;
        struct str path = json_tree_str(json_tree_get(&list->items[i], "statistics-path"));
        if (path.size > 0 && json_tree_int(json_tree_get(&list->items[i], "snapshot-id"), &id) &&
            table_metadata_snapshot(next, id) == NULL) {
            drop(state, path);
        }
    }
}

static void drop_expired(struct commit_state *state, const struct table_metadata *base,
                         const struct table_metadata *next)
{
    struct arena arena;
    struct lost lost = {0};
    str_vec files = {0};
    struct err ignored;
    arena_init(&arena);
    enum status status = is_line(base, next)
                             ? lost_on_line(state, &arena, base, next, &lost, &ignored)
                             : lost_anyhow(state, &arena, base, next, &lost, &ignored);
    if (status == STATUS_OK && lost.manifests.count > 0 &&
        !(only_appended(base) && only_appended(next))) {
        status = lost_files(state, &arena, base, next, &lost, &files, &ignored);
    }
    if (status == STATUS_OK) {
        // Files before the manifests that name them, for good: what a crash leaves can be found
        // again.
        status = commit_remove_for_good(state->table->place.store, files.items, files.count,
                                        &ignored);
    }
    if (status == STATUS_OK) {
        for (uint32_t i = 0; i < lost.manifests.count; i++) {
            drop(state, lost.manifests.items[i].path);
        }
        MARK("commit.expire");
        for (uint32_t i = 0; i < base->snapshot_count; i++) {
            const struct table_snapshot *snapshot = &base->snapshots[i];
            if (snapshot->manifest_list.size > 0 &&
                table_metadata_snapshot(next, snapshot->snapshot_id) == NULL) {
                drop(state, snapshot->manifest_list);
            }
        }
        drop_statistics(state, base->statistics, next);
        drop_statistics(state, base->partition_statistics, next);
    }
    VEC_RELEASE(&files);
    VEC_RELEASE(&lost.manifests);
    VEC_RELEASE(&lost.kept);
    arena_release(&arena);
}

void commit_expire_files(struct commit_state *state, const struct table_metadata *base,
                         const struct table_metadata *next, uint32_t removed_log_count)
{
    bool removed = false;
    for (uint32_t i = 0; !removed && i < base->snapshot_count; i++) {
        removed = table_metadata_snapshot(next, base->snapshots[i].snapshot_id) == NULL;
    }
    if (removed && table_metadata_property_bool(next, "gc.enabled", true)) {
        drop_expired(state, base, next);
    }
    if (table_metadata_property_bool(next, "write.metadata.delete-after-commit.enabled", false)) {
        for (uint32_t i = 0; i < removed_log_count; i++) {
            drop(state, base->metadata_log[i].file);
        }
    }
}
