// SPDX-License-Identifier: Apache-2.0
#include "iceberg/metadata_file.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "store/store.h"

enum { HINT_BYTES_MAX = 4096 };

static struct str file_name(struct str path)
{
    struct str directory = store_directory(path);
    bool has_directory = directory.size > 0 || (path.size > 0 && path.ptr[0] == '/');
    return has_directory ? str_slice(path, directory.size + 1, path.size) : path;
}

static bool cut_end(struct str *name, const char *end)
{
    if (!str_ends(*name, end)) {
        return false;
    }
    name->size -= strlen(end);
    return true;
}

bool metadata_file_version(struct str name, int64_t *version)
{
    if (!cut_end(&name, ".gz.metadata.json") && !cut_end(&name, ".metadata.json.gz") &&
        !cut_end(&name, ".metadata.json")) {
        return false;
    }
    if (str_starts(name, "v")) {
        return str_to_i64(str_slice(name, 1, name.size), version) && *version >= 0;
    }
    return str_to_i64(str_slice(name, 0, str_find(name, '-')), version) && *version >= 0;
}

// The file of a version: of several, the one written last.
static const struct store_object *find_version(const struct store_object *files, size_t count,
                                               int64_t wanted)
{
    const struct store_object *found = NULL;
    int64_t version;
    for (size_t i = 0; i < count; i++) {
        if (metadata_file_version(file_name(files[i].path), &version) && version == wanted &&
            (found == NULL || files[i].modified_us >= found->modified_us)) {
            found = &files[i];
        }
    }
    return found;
}

static const struct store_object *find_highest(const struct store_object *files, size_t count)
{
    int64_t highest = -1;
    int64_t version;
    for (size_t i = 0; i < count; i++) {
        if (metadata_file_version(file_name(files[i].path), &version) && version > highest) {
            highest = version;
        }
    }
    return highest < 0 ? NULL : find_version(files, count, highest);
}

// Without a listing: of Hadoop tables, the version that the hint names and those right behind it.
// NOT_FOUND: the folder has to be looked through.
static enum status probe_hinted(struct store *store, struct arena *arena, struct str folder,
                                struct str hint, struct str *out, struct err *err)
{
    static const char *const ends[] = {".metadata.json", ".gz.metadata.json", ".metadata.json.gz"};
    enum { ENDS = sizeof ends / sizeof *ends };
    int64_t version;
    bool found = false;
    if (!str_to_i64(hint, &version)) {
        return STATUS_NOT_FOUND;
    }
    for (bool more = true; more; version++) {
        more = false;
        for (uint32_t i = 0; i < ENDS && !more; i++) {
            struct store_object info;
            struct str path =
                arena_printf(arena, "%.*s/v%lld%s", STR_ARGS(folder), (long long)version, ends[i]);
            enum status status = store_info(store, path, &info, err);
            if (status != STATUS_OK && status != STATUS_NOT_FOUND) {
                return status;
            }
            if (status == STATUS_OK) {
                *out = path;
                found = more = true;
            }
        }
    }
    return found ? STATUS_OK : STATUS_NOT_FOUND;
}

// What the hint says: a number, or (of DuckDB and PyIceberg) the file's name, perhaps without its
// end.
static const struct store_object *find_hinted(const struct store_object *files, size_t count,
                                              struct str hint)
{
    int64_t version;
    if (str_to_i64(hint, &version)) {
        const struct store_object *found = find_version(files, count, version);
        const struct store_object *next = found;
        while (next != NULL) {
            found = next;
            next = find_version(files, count, ++version);
        }
        return found;
    }
    for (size_t i = 0; i < count; i++) {
        struct str name = file_name(files[i].path);
        if (hint.size > 0 && metadata_file_version(name, &version) && name.size >= hint.size &&
            str_equal(str_slice(name, 0, hint.size), hint) &&
            (name.size == hint.size || name.ptr[hint.size] == '.')) {
            return &files[i];
        }
    }
    return NULL;
}

static struct str read_hint(struct store *store, struct arena *arena, struct str folder)
{
    struct buf *bytes;
    struct err ignored;
    struct str path = arena_printf(arena, "%.*s/version-hint.text", STR_ARGS(folder));
    if (store_read(store, path, HINT_BYTES_MAX, &bytes, &ignored) != STATUS_OK) {
        return (struct str){0};
    }
    struct str hint = str_trim(arena_str(arena, str_make(bytes->ptr, bytes->size)));
    buf_unref(bytes);
    int64_t version; // some write v7
    bool is_number = str_starts(hint, "v") && str_to_i64(str_slice(hint, 1, hint.size), &version);
    return str_slice(hint, is_number ? 1 : 0, hint.size);
}

enum status metadata_file_find(struct store *store, struct arena *arena, struct str path,
                               struct str *out, struct err *err)
{
    struct store_object info;
    struct store_object *files;
    struct err ignored;
    size_t count;
    if (store_info(store, path, &info, &ignored) == STATUS_OK) {
        *out = arena_str(arena, path);
        return STATUS_OK;
    }
    while (path.size > 1 && path.ptr[path.size - 1] == '/') {
        path.size--;
    }
    struct str folder = str_is(file_name(path), "metadata")
                            ? arena_str(arena, path)
                            : arena_printf(arena, "%.*s/metadata", STR_ARGS(path));
    struct str hint = read_hint(store, arena, folder);
    enum status status = probe_hinted(store, arena, folder, hint, out, err);
    if (status != STATUS_NOT_FOUND) {
        return status;
    }
    struct str prefix = arena_printf(arena, "%.*s/", STR_ARGS(folder));
    status = store_list(store, prefix, arena, &files, &count, err);
    if (status != STATUS_OK && status != STATUS_NOT_FOUND) {
        return status;
    }
    count = status == STATUS_OK ? count : 0;
    const struct store_object *found = find_hinted(files, count, hint);
    found = found != NULL ? found : find_highest(files, count);
    if (found == NULL) {
        ERR(err, STATUS_NOT_FOUND, "'%.*s' is neither a file nor the folder of an Iceberg table",
            STR_ARGS(path));
        err_hint(err, "a table's folder has its metadata in metadata/*.metadata.json");
        return STATUS_NOT_FOUND;
    }
    *out = found->path;
    return STATUS_OK;
}
