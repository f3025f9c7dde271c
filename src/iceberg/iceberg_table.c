// SPDX-License-Identifier: Apache-2.0
#include "iceberg/iceberg_table.h"

#include "base/buf.h"
#include "base/mem.h"
#include "codec/compress.h"
#include "codec/json_tree.h"
#include "store/store_file.h"
#include "store/store_moved.h"

static struct iceberg_table *table_new(const struct table_place *place)
{
    struct iceberg_table *table = mem_zalloc(sizeof *table);
    table->place = *place;
    table->below = place->store;
    table->list_snapshot_id = TABLE_NONE;
    arena_init(&table->names);
    arena_init(&table->arena);
    arena_init(&table->list_arena);
    return table;
}

void iceberg_table_free(struct iceberg_table *table)
{
    if (table == NULL) {
        return;
    }
    arena_release(&table->list_arena);
    arena_release(&table->arena);
    arena_release(&table->names);
    buf_unref(table->text);
    store_free(table->moved);
    mem_free(table);
}

enum status iceberg_table_take(struct iceberg_table *table, struct buf *json, struct str location,
                               struct err *err)
{
    struct arena arena;
    const struct table_metadata *metadata;
    arena_init(&arena);
    enum status status =
        table_metadata_parse(&arena, str_make(json->ptr, json->size), &metadata, err);
    if (status != STATUS_OK) {
        err_context(err, "%.*s", STR_ARGS(location));
        arena_release(&arena);
        buf_unref(json);
        return status;
    }
    struct str kept = arena_str(&arena, location); // `location` may be in the old arena
    arena_release(&table->arena);
    buf_unref(table->text);
    table->arena = arena;
    table->text = json;
    table->metadata = metadata;
    table->location = kept;
    return STATUS_OK;
}

// Metadata is known to compress well, and not without end.
static enum status gunzip(struct buf **bytes, struct str location, struct err *err)
{
    enum { RATIO_MAX = 100, PLAIN_ALWAYS = 32 << 20 };
    struct compress *compress = compress_new();
    struct buf *plain = NULL;
    size_t size = (*bytes)->size;
    size_t most = size < PLAIN_ALWAYS / RATIO_MAX ? PLAIN_ALWAYS : size * RATIO_MAX;
    most = most < TABLE_METADATA_BYTES_MAX ? most : TABLE_METADATA_BYTES_MAX;
    enum status status = compress_unblock_unknown(compress, COMPRESS_GZIP,
                                                  str_make((*bytes)->ptr, size), most, &plain, err);
    if (status != STATUS_OK) {
        err_context(err, "%.*s, from byte 0", STR_ARGS(location));
    }
    compress_free(compress);
    buf_unref(*bytes);
    *bytes = plain;
    return status;
}

static bool same_folder(struct str a, struct str b)
{
    while (a.size > 1 && a.ptr[a.size - 1] == '/') {
        a.size--;
    }
    return str_equal(store_file_path(a), store_file_path(b));
}

// The folder in which the metadata file was written; empty: not known.
static struct str stored_folder(const struct table_metadata *metadata)
{
    if (metadata->metadata_log_count > 0) {
        return store_directory(metadata->metadata_log[metadata->metadata_log_count - 1].file);
    }
    return metadata->snapshot_count > 0
               ? store_directory(metadata->snapshots[metadata->snapshot_count - 1].manifest_list)
               : (struct str){0};
}

// A metadata folder of another name or place (write.metadata.path): where it was below the location
// the table's folder is as far above it now; else whatever lay beside it is looked for beside it.
static void place_by_folder(const struct table_metadata *metadata, struct str folder,
                            struct store_moved_options *options)
{
    struct str stored = stored_folder(metadata);
    struct str location = metadata->location;
    while (location.size > 1 && location.ptr[location.size - 1] == '/') {
        location.size--;
    }
    bool is_below = stored.size > location.size && stored.ptr[location.size] == '/' &&
                    str_equal(str_slice(stored, 0, location.size), location);
    if (!is_below) {
        options->from = stored.size > 0 ? stored : location;
        return;
    }
    struct str rest = str_slice(stored, location.size, stored.size);
    if (folder.size > rest.size &&
        str_equal(str_slice(folder, folder.size - rest.size, folder.size), rest)) {
        options->to = str_slice(folder, 0, folder.size - rest.size);
        options->to_other = folder;
    }
}

// The folder of the table: that of its metadata folder, else that of the metadata file.
static void follow_move(struct iceberg_table *table)
{
    struct str metadata_folder = store_directory(table->location);
    struct str folder = store_directory(metadata_folder);
    bool is_usual = str_ends(metadata_folder, "/metadata") || str_is(metadata_folder, "metadata");
    struct store_moved_options options = {.below = table->below,
                                          .from = table->metadata->location,
                                          .to = !is_usual         ? metadata_folder
                                                : folder.size > 0 ? folder
                                                                  : STR_LIT("."),
                                          .to_other = is_usual ? metadata_folder : STR_LIT("")};
    if (!is_usual) {
        place_by_folder(table->metadata, metadata_folder, &options);
    }
    store_free(table->moved);
    bool is_there = same_folder(table->metadata->location, options.to);
    table->moved = is_there ? NULL : store_moved_new(&options);
    table->place.store = is_there ? table->below : table->moved;
}

static enum status load_file(struct iceberg_table *table, struct str location, struct err *err)
{
    struct buf *bytes;
    TRY(store_read(table->below, location, TABLE_METADATA_BYTES_MAX, &bytes, err));
    // By magic: names differ (.gz.metadata.json, .metadata.json.gz, .gzip.metadata.json).
    if (bytes->size > 2 && (unsigned char)bytes->ptr[0] == 0x1f &&
        (unsigned char)bytes->ptr[1] == 0x8b) {
        TRY(gunzip(&bytes, location, err));
    }
    TRY(iceberg_table_take(table, bytes, location, err));
    if (table->place.finds_moved) {
        follow_move(table);
    }
    return STATUS_OK;
}

enum status iceberg_table_refresh(struct iceberg_table *table, struct err *err)
{
    struct arena arena;
    struct str location = {0};
    struct str missing = {0};
    enum status status;
    arena_init(&arena);
    for (;;) {
        status = table->place.pointer->ops->load(table->place.pointer, &arena, &table->name,
                                                 &location, err);
        if (status != STATUS_OK ||
            (table->metadata != NULL && str_equal(location, table->location))) {
            break;
        }
        status = load_file(table, location, err);
        // Commits of others remove old metadata files: it is behind us if the pointer has moved on.
        if (status != STATUS_NOT_FOUND || str_equal(location, missing)) {
            break;
        }
        missing = location;
    }
    arena_release(&arena);
    return status;
}

enum status iceberg_table_open(const struct table_place *place, const struct table_name *name,
                               struct iceberg_table **out, struct err *err)
{
    struct iceberg_table *table = table_new(place);
    *out = NULL;
    table->name.database = arena_str(&table->names, name->database);
    table->name.name = arena_str(&table->names, name->name);
    enum status status = iceberg_table_refresh(table, err);
    if (status != STATUS_OK) {
        iceberg_table_free(table);
        return status;
    }
    *out = table;
    return STATUS_OK;
}

enum status iceberg_table_open_file(const struct table_place *place, struct str location,
                                    struct iceberg_table **out, struct err *err)
{
    struct iceberg_table *table = table_new(place);
    *out = NULL;
    enum status status = load_file(table, location, err);
    if (status != STATUS_OK) {
        iceberg_table_free(table);
        return status;
    }
    *out = table;
    return STATUS_OK;
}

// A v1 snapshot that names its manifests itself.
static void list_of_v1(struct arena *arena, const struct table_snapshot *snapshot,
                       struct manifest_file **out, uint32_t *count)
{
    const struct json_tree *paths = snapshot->manifests;
    struct manifest_file *files = arena_new_array(arena, struct manifest_file, paths->count + 1);
    for (uint32_t i = 0; i < paths->count; i++) {
        files[i] = (struct manifest_file){
            .path = arena_str(arena, json_tree_str(&paths->items[i])),
            .length = MANIFEST_NONE,
            .snapshot_id = snapshot->snapshot_id,
            .added_files = MANIFEST_NONE,
            .existing_files = MANIFEST_NONE,
            .deleted_files = MANIFEST_NONE,
            .added_rows = MANIFEST_NONE,
            .existing_rows = MANIFEST_NONE,
            .deleted_rows = MANIFEST_NONE,
            .first_row_id = MANIFEST_NONE,
        };
    }
    *out = files;
    *count = paths->count;
}

enum status iceberg_table_read_list(struct iceberg_table *table, struct arena *arena,
                                    const struct table_snapshot *snapshot,
                                    struct manifest_file **out, uint32_t *count, struct err *err)
{
    struct buf *bytes;
    if (snapshot->manifest_list.size == 0) {
        list_of_v1(arena, snapshot, out, count);
        return STATUS_OK;
    }
    TRY(store_read(table->place.store, snapshot->manifest_list, TABLE_MANIFEST_BYTES_MAX, &bytes,
                   err));
    enum status status = manifest_list_read(arena, str_make(bytes->ptr, bytes->size),
                                            snapshot->manifest_list, out, count, err);
    buf_unref(bytes);
    return status;
}

enum status iceberg_table_manifests(struct iceberg_table *table,
                                    const struct table_snapshot *snapshot,
                                    const struct manifest_file **out, uint32_t *count,
                                    struct err *err)
{
    if (table->list_snapshot_id != snapshot->snapshot_id) {
        table->list_snapshot_id = TABLE_NONE;
        arena_reset(&table->list_arena);
        TRY(iceberg_table_read_list(table, &table->list_arena, snapshot, &table->list,
                                    &table->list_count, err));
        table->list_snapshot_id = snapshot->snapshot_id;
    }
    *out = table->list;
    *count = table->list_count;
    return STATUS_OK;
}

static struct str directory(const struct table_metadata *metadata, struct arena *arena,
                            const char *property, const char *name)
{
    const struct str *given = table_metadata_property(metadata, property);
    struct str base = given != NULL && given->size > 0 ? *given : metadata->location;
    while (base.size > 1 && base.ptr[base.size - 1] == '/') {
        base.size--;
    }
    return given != NULL && given->size > 0 ? arena_str(arena, base)
                                            : arena_printf(arena, "%.*s/%s", STR_ARGS(base), name);
}

struct str iceberg_table_metadata_directory(const struct table_metadata *metadata,
                                            struct arena *arena)
{
    return directory(metadata, arena, "write.metadata.path", "metadata");
}

struct str iceberg_table_data_directory(const struct table_metadata *metadata, struct arena *arena)
{
    return directory(metadata, arena, "write.data.path", "data");
}

bool iceberg_table_metadata_is_packed(const struct table_metadata *metadata)
{
    const struct str *codec = table_metadata_property(metadata, "write.metadata.compression-codec");
    return codec != NULL && str_is_nocase(*codec, "gzip");
}

struct str iceberg_table_metadata_name(struct arena *arena, const struct table_metadata *next,
                                       struct str current, const char *uuid)
{
    // The number is what stands before the first '-' of the file's name; strange names count as 0.
    size_t start = current.size;
    while (start > 0 && current.ptr[start - 1] != '/') {
        start--;
    }
    struct str name = str_slice(current, start, current.size);
    int64_t version = -1;
    if (current.size > 0 &&
        (!str_to_i64(str_slice(name, 0, str_find(name, '-')), &version) || version < 0)) {
        version = 0;
    }
    return arena_printf(arena, "%05lld-%s%s.metadata.json", (long long)version + 1, uuid,
                        iceberg_table_metadata_is_packed(next) ? ".gz" : "");
}
