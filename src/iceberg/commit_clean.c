// SPDX-License-Identifier: Apache-2.0
//
// Removing what former runs of a writer left behind.
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "iceberg/commit_int.h"
#include "iceberg/manifest.h"
#include "store/store.h"

typedef VEC(struct str) str_vec;

static int compare_strs(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

enum { TAG_SIZE = 13, VERSIONS_MAX = 32 };

struct tag {
    char text[TAG_SIZE + 1]; // "0123abcd-4567"
};

// Sorted. NULL where a set is asked for: every name matches.
struct tag_set {
    struct tag *items;
    uint32_t count;
};

static int compare_tags(const void *a, const void *b)
{
    return memcmp(a, b, TAG_SIZE);
}

static struct tag_set make_tags(struct arena *arena, const uint64_t *writer_tags, uint32_t count)
{
    struct tag_set tags = {arena_new_array(arena, struct tag, count + 1), count};
    for (uint32_t i = 0; i < count; i++) {
        table_env_tag_text(writer_tags[i], tags.items[i].text);
    }
    qsort(tags.items, count, sizeof *tags.items, compare_tags);
    return tags;
}

static struct str file_name(struct str path)
{
    size_t start = path.size;
    while (start > 0 && path.ptr[start - 1] != '/') {
        start--;
    }
    return str_slice(path, start, path.size);
}

static bool has_tag(struct str path, const struct tag_set *tags)
{
    struct str name = file_name(path);
    for (size_t at = 0; tags != NULL && at + TAG_SIZE <= name.size; at++) {
        if (name.ptr[at + 8] == '-' && bsearch(name.ptr + at, tags->items, tags->count,
                                               sizeof *tags->items, compare_tags) != NULL) {
            return true;
        }
    }
    return tags == NULL;
}

// Files with one of the tags below a directory.
static enum status add_tagged(struct iceberg_table *table, struct arena *arena,
                              struct str directory, const struct tag_set *tags, str_vec *out,
                              struct err *err)
{
    struct store_object *objects;
    size_t count;
    struct str prefix = arena_printf(arena, "%.*s/", STR_ARGS(directory));
    TRY(store_list(table->place.store, prefix, arena, &objects, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (has_tag(objects[i].path, tags)) {
            VEC_PUSH(out, objects[i].path);
        }
    }
    return STATUS_OK;
}

static void add_copy(struct arena *arena, str_vec *out, struct str path)
{
    VEC_PUSH(out, arena_str(arena, path));
}

// The live files of a manifest: what it tells as deleted is reached through older ones, or not at
// all.
static enum status add_files(struct iceberg_table *table, struct arena *arena,
                             const struct manifest_file *row, const struct tag_set *tags,
                             str_vec *out, struct err *err)
{
    struct manifest_reader *reader = NULL;
    struct manifest_entry entry;
    struct buf *bytes;
    int32_t none = 0;
    const struct partition_spec *spec = table_metadata_spec(table->metadata, row->spec_id);
    if (spec == NULL) {
        return ERR(err, STATUS_INVALID_DATA, "manifest %.*s has the unknown partition spec %d",
                   STR_ARGS(row->path), row->spec_id);
    }
    TRY(store_read(table->place.store, row->path, TABLE_MANIFEST_BYTES_MAX, &bytes, err));
    struct manifest_reader_options options = {.file = row, .spec = spec, .metric_ids = &none};
    enum status status =
        manifest_reader_open(str_make(bytes->ptr, bytes->size), &options, &reader, err);
    while (status == STATUS_OK) {
        status = manifest_reader_next(reader, &entry, err);
        if (status == STATUS_OK && has_tag(entry.file.path, tags)) {
            add_copy(arena, out, entry.file.path);
        }
    }
    manifest_reader_free(reader);
    buf_unref(bytes);
    return status == STATUS_END ? STATUS_OK : status;
}

static bool is_known(const str_vec *strs, struct str text)
{
    for (uint32_t i = 0; i < strs->count; i++) {
        if (str_equal(strs->items[i], text)) {
            return true;
        }
    }
    return false;
}

static enum status add_reachable(struct iceberg_table *table, struct arena *arena,
                                 const struct tag_set *tags, bool with_data, str_vec *out,
                                 struct err *err)
{
    const struct table_metadata *metadata = table->metadata;
    str_vec manifests = {0};
    enum status status = STATUS_OK;
    add_copy(arena, out, table->location);
    for (uint32_t i = 0; i < metadata->metadata_log_count; i++) {
        add_copy(arena, out, metadata->metadata_log[i].file);
    }
    for (uint32_t i = 0; status == STATUS_OK && i < metadata->snapshot_count; i++) {
        struct manifest_file *files;
        uint32_t count = 0;
        add_copy(arena, out, metadata->snapshots[i].manifest_list);
        status =
            iceberg_table_read_list(table, arena, &metadata->snapshots[i], &files, &count, err);
        for (uint32_t j = 0; status == STATUS_OK && j < count; j++) {
            if (is_known(&manifests, files[j].path)) {
                continue;
            }
            VEC_PUSH(&manifests, files[j].path);
            add_copy(arena, out, files[j].path);
            if (with_data) {
                status = add_files(table, arena, &files[j], tags, out, err);
            }
        }
    }
    VEC_RELEASE(&manifests);
    return status;
}

// Takes out of `candidates` what is among `reachable`, which it sorts.
static void drop_reachable(str_vec *candidates, str_vec *reachable)
{
    uint32_t kept = 0;
    if (reachable->count == 0) {
        return;
    }
    qsort(reachable->items, reachable->count, sizeof *reachable->items, compare_strs);
    for (uint32_t i = 0; i < candidates->count; i++) {
        if (bsearch(&candidates->items[i], reachable->items, reachable->count,
                    sizeof *reachable->items, compare_strs) == NULL) {
            candidates->items[kept++] = candidates->items[i];
        }
    }
    candidates->count = kept;
}

static void add_kept(str_vec *reachable, const struct commit_keep *keep)
{
    for (uint32_t i = 0; i < keep->count; i++) {
        VEC_PUSH(reachable, keep->paths[i]);
    }
}

enum status commit_clean(struct iceberg_table *table, const uint64_t *writer_tags,
                         uint32_t tag_count, const struct commit_keep *keep, uint32_t *removed,
                         struct err *err)
{
    struct arena arena;
    str_vec tagged = {0};
    str_vec reachable = {0};
    *removed = 0;
    if (!table_metadata_property_bool(table->metadata, "gc.enabled", true)) {
        return STATUS_OK; // what was expired looks like what was never committed
    }
    arena_init(&arena);
    struct tag_set tags = make_tags(&arena, writer_tags, tag_count);
    enum status status = add_tagged(
        table, &arena, iceberg_table_data_directory(table->metadata, &arena), &tags, &tagged, err);
    bool with_data = tagged.count > 0;
    if (status == STATUS_OK) {
        status =
            add_tagged(table, &arena, iceberg_table_metadata_directory(table->metadata, &arena),
                       &tags, &tagged, err);
    }
    if (status == STATUS_OK && tagged.count > 0) {
        status = add_reachable(table, &arena, &tags, with_data, &reachable, err);
    }
    add_kept(&reachable, keep);
    if (status == STATUS_OK) {
        // For good: later runs do not look for files of this one's predecessors for ever.
        drop_reachable(&tagged, &reachable);
        *removed = tagged.count;
        status = commit_remove_for_good(table->place.store, tagged.items, tagged.count, err);
    }
    VEC_RELEASE(&tagged);
    VEC_RELEASE(&reachable);
    arena_release(&arena);
    return status;
}

// The paths that metadata names without a look into manifest lists.
static void add_named(const struct iceberg_table *table, str_vec *out)
{
    const struct table_metadata *metadata = table->metadata;
    VEC_PUSH(out, table->location);
    for (uint32_t i = 0; i < metadata->metadata_log_count; i++) {
        VEC_PUSH(out, metadata->metadata_log[i].file);
    }
    for (uint32_t i = 0; i < metadata->snapshot_count; i++) {
        VEC_PUSH(out, metadata->snapshots[i].manifest_list);
    }
}

static bool is_among(const str_vec *sorted, struct str text)
{
    return sorted->count > 0 &&
           bsearch(&text, sorted->items, sorted->count, sizeof text, compare_strs) != NULL;
}

// The live files of a manifest that is lost. One that is gone by now has none; one of a
// partitioning that is no longer the table's cannot be asked without its row in a list, and keeps
// its secret.
static enum status add_lost(struct iceberg_table *table, struct arena *arena,
                            const struct manifest_file *row, str_vec *files, struct err *err)
{
    enum status status = add_files(table, arena, row, NULL, files, err);
    return status == STATUS_NOT_FOUND || status == STATUS_INVALID_DATA ? STATUS_OK : status;
}

// A lost list tells manifests that are lost with it, also those that others wrote.
static enum status add_lost_list(struct iceberg_table *table, struct arena *arena, struct str list,
                                 const str_vec *reachable, str_vec *lost, struct err *err)
{
    struct manifest_file *rows;
    uint32_t count;
    struct buf *bytes;
    TRY(store_read(table->place.store, list, TABLE_MANIFEST_BYTES_MAX, &bytes, err));
    enum status status =
        manifest_list_read(arena, str_make(bytes->ptr, bytes->size), list, &rows, &count, err);
    buf_unref(bytes);
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
        if (!is_among(reachable, rows[i].path) && !is_known(lost, rows[i].path)) {
            add_copy(arena, lost, rows[i].path);
        }
    }
    return status;
}

// What nothing reaches any more, in the order in which it was found.
struct lost {
    str_vec files; // metadata files, manifests
    str_vec lists; // manifest lists
};

// An expiry removes data files first, then manifests, then lists. Where lists or manifests are
// left, so may be the others, and they tell which data files there were. Adds manifests to `lost`.
static enum status remove_lost_data(struct iceberg_table *table, struct arena *arena,
                                    struct lost *lost, const str_vec *reachable,
                                    const struct commit_keep *keep, struct err *err)
{
    str_vec files = {0};
    str_vec alive = {0};
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < lost->lists.count; i++) {
        status = add_lost_list(table, arena, lost->lists.items[i], reachable, &lost->files, err);
    }
    for (uint32_t i = 0; status == STATUS_OK && i < lost->files.count; i++) {
        struct manifest_file row = {.path = lost->files.items[i],
                                    .length = MANIFEST_NONE,
                                    .spec_id = table->metadata->default_spec_id};
        if (str_ends(row.path, ".avro")) {
            status = add_lost(table, arena, &row, &files, err);
        }
    }
    if (status == STATUS_OK && files.count > 0) {
        status = add_reachable(table, arena, NULL, true, &alive, err);
    }
    // A commit that failed may have had files that a checkpoint still holds for the next.
    add_kept(&alive, keep);
    if (status == STATUS_OK) {
        drop_reachable(&files, &alive);
        status = commit_remove_for_good(table->place.store, files.items, files.count, err);
    }
    VEC_RELEASE(&files);
    VEC_RELEASE(&alive);
    return status;
}

static enum status open_version(struct iceberg_table *table, struct str file,
                                struct iceberg_table **out, struct err *err)
{
    struct table_place place = {.store = table->place.store, .env = table->place.env};
    return iceberg_table_open_file(&place, file, out, err);
}

// Lists of snapshots that `base` has and `next` has not, where they are still there.
static void add_expired(struct iceberg_table *table, struct arena *arena,
                        const struct table_metadata *base, const struct table_metadata *next,
                        struct lost *lost)
{
    for (uint32_t i = 0; i < base->snapshot_count; i++) {
        struct str list = base->snapshots[i].manifest_list;
        struct store_object object;
        int64_t id = base->snapshots[i].snapshot_id;
        if (list.size > 0 && table_metadata_snapshot(next, id) == NULL &&
            !is_known(&lost->lists, list) &&
            store_info(table->place.store, list, &object, NULL) == STATUS_OK) {
            add_copy(arena, &lost->lists, list);
        }
    }
}

// What an expiry of ours began to remove may be of others, and carry no tag. The newest versions
// of the metadata tell which snapshots went with a version of ours; their lists go last, so where
// one is left, the expiry was cut off.
static enum status add_cut_off(struct iceberg_table *table, struct arena *arena,
                               const struct tag_set *tags, struct lost *lost, struct err *err)
{
    const struct table_metadata *metadata = table->metadata;
    struct iceberg_table *after = NULL; // the version made from `before`; NULL: the current one
    struct str after_file = table->location;
    enum status status = STATUS_OK;
    if (!table_metadata_property_bool(metadata, "gc.enabled", true)) {
        return STATUS_OK;
    }
    for (uint32_t i = metadata->metadata_log_count, seen = 0; i-- > 0 && seen < VERSIONS_MAX;
         seen++) {
        struct iceberg_table *before;
        status = open_version(table, metadata->metadata_log[i].file, &before, err);
        if (status != STATUS_OK) {
            break;
        }
        if (has_tag(after_file, tags)) {
            add_expired(table, arena, before->metadata, after != NULL ? after->metadata : metadata,
                        lost);
        }
        iceberg_table_free(after);
        after = before;
        after_file = metadata->metadata_log[i].file;
    }
    iceberg_table_free(after);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

// Files of the tags in the metadata directory that the metadata does not reach. Manifest lists are
// read only where there is a file that it does not name itself. *reachable is sorted, and complete
// where anything is lost.
static enum status find_lost(struct iceberg_table *table, struct arena *arena,
                             const struct tag_set *tags, struct lost *out, str_vec *reachable,
                             struct err *err)
{
    struct store_object *objects;
    size_t count = 0;
    struct str directory = arena_printf(
        arena, "%.*s/", STR_ARGS(iceberg_table_metadata_directory(table->metadata, arena)));
    TRY(store_list(table->place.store, directory, arena, &objects, &count, err));
    for (size_t i = 0; i < count; i++) {
        struct str name = file_name(objects[i].path);
        if (has_tag(name, tags)) {
            str_vec *where = str_starts(name, "snap-") ? &out->lists : &out->files;
            VEC_PUSH(where, objects[i].path);
        }
    }
    add_named(table, reachable);
    drop_reachable(&out->files, reachable);
    drop_reachable(&out->lists, reachable);
    TRY(add_cut_off(table, arena, tags, out, err));
    if (out->files.count + out->lists.count > 0) {
        reachable->count = 0;
        TRY(add_reachable(table, arena, NULL, false, reachable, err));
        drop_reachable(&out->files, reachable);
        drop_reachable(&out->lists, reachable);
    }
    return STATUS_OK;
}

enum status commit_clean_metadata(struct iceberg_table *table, const uint64_t *writer_tags,
                                  uint32_t tag_count, const struct commit_keep *keep,
                                  uint32_t *removed, struct err *err)
{
    struct arena arena;
    struct lost lost = {0};
    str_vec reachable = {0};
    *removed = 0;
    arena_init(&arena);
    struct tag_set tags = make_tags(&arena, writer_tags, tag_count);
    enum status status = find_lost(table, &arena, &tags, &lost, &reachable, err);
    if (status == STATUS_OK && lost.files.count + lost.lists.count > 0) {
        status = remove_lost_data(table, &arena, &lost, &reachable, keep, err);
    }
    for (uint32_t i = 0; status == STATUS_OK && i < lost.files.count; i++) {
        commit_remove(table->place.store, lost.files.items[i]);
    }
    for (uint32_t i = 0; status == STATUS_OK && i < lost.lists.count; i++) {
        commit_remove(table->place.store, lost.lists.items[i]);
    }
    if (status == STATUS_OK) {
        *removed = lost.files.count + lost.lists.count;
    }
    VEC_RELEASE(&lost.files);
    VEC_RELEASE(&lost.lists);
    VEC_RELEASE(&reachable);
    arena_release(&arena);
    return status;
}
