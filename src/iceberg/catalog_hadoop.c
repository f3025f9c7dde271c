// SPDX-License-Identifier: Apache-2.0
#include "iceberg/catalog_hadoop.h"

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/vec.h"
#include "iceberg/catalog_tables.h"
#include "iceberg/hadoop_table.h"
#include "iceberg/metadata_file.h"
#include "store/store_file.h"
#include "sys/file.h"

enum { DEPTH_MAX = 16, DATABASES_MAX = 100000 };

struct catalog_hadoop {
    struct catalog base;          // first
    struct table_pointer pointer; // what commits use
    struct arena arena;           // names
    struct str warehouse;         // as it was given
    struct str root;              // the same as a path
    struct store *store;
    struct table_env *env;
};

typedef VEC(struct str) str_vec;

static struct catalog_hadoop *of(struct catalog *catalog)
{
    return (struct catalog_hadoop *)catalog;
}

static struct catalog_hadoop *of_pointer(struct table_pointer *pointer)
{
    return (struct catalog_hadoop *)(void *)((char *)pointer -
                                             offsetof(struct catalog_hadoop, pointer));
}

static struct table_place place_of(struct catalog_hadoop *self)
{
    return (struct table_place){
        .store = self->store, .pointer = &self->pointer, .env = self->env, .finds_moved = true};
}

static bool is_directory(const char *path)
{
    struct file_info info;
    struct err ignored;
    return file_info(path, &info, &ignored) == STATUS_OK && info.is_directory;
}

// Whether a name can be that of a folder.
static bool is_folder_name(struct str name)
{
    return name.size > 0 && name.ptr[0] != '.' && str_find(name, '/') == name.size &&
           str_find(name, '\0') == name.size;
}

static bool is_database_name(struct str name)
{
    while (name.size > 0) {
        size_t dot = str_find(name, '.');
        if (!is_folder_name(str_slice(name, 0, dot)) || dot + 1 == name.size) {
            return false;
        }
        name = str_slice(name, dot < name.size ? dot + 1 : dot, name.size);
    }
    return true;
}

// Below `base`: the folder of that very name, else one level a '.'.
static struct str below(struct catalog_hadoop *self, struct arena *arena, struct str base,
                        struct str database)
{
    struct str whole = arena_printf(arena, "%.*s/%.*s", STR_ARGS(self->root), STR_ARGS(database));
    return is_directory(whole.ptr)
               ? arena_printf(arena, "%.*s/%.*s", STR_ARGS(base), STR_ARGS(database))
               : catalog_tables_directory(arena, base, database);
}

// The path of a database's folder; NOT_FOUND.
static enum status database_path(struct catalog_hadoop *self, struct arena *arena, struct str name,
                                 struct str *out, struct err *err)
{
    if (name.size == 0 || !is_database_name(name)) {
        return catalog_tables_no_database(&self->base, name, err);
    }
    *out = below(self, arena, self->root, name);
    return is_directory(out->ptr) ? STATUS_OK : catalog_tables_no_database(&self->base, name, err);
}

static struct str table_path(struct catalog_hadoop *self, struct arena *arena, struct str base,
                             struct str database, struct str name)
{
    return arena_printf(arena, "%.*s/%.*s", STR_ARGS(below(self, arena, base, database)),
                        STR_ARGS(name));
}

// Whether a folder holds a table.
static bool is_table(struct catalog_hadoop *self, struct arena *arena, struct str path)
{
    struct str location;
    struct err ignored;
    return is_directory(arena_printf(arena, "%.*s/metadata", STR_ARGS(path)).ptr) &&
           metadata_file_find(self->store, arena, path, &location, &ignored) == STATUS_OK;
}

// --- the pointer -------------------------------------------------------------------------------

static enum status load(struct table_pointer *pointer, struct arena *arena,
                        const struct table_name *table, struct str *location, struct err *err)
{
    struct catalog_hadoop *self = of_pointer(pointer);
    enum status status = STATUS_NOT_FOUND;
    if (is_database_name(table->database) && is_folder_name(table->name)) {
        struct str directory =
            table_path(self, arena, self->warehouse, table->database, table->name);
        status = metadata_file_find(self->store, arena, directory, location, err);
    }
    return status == STATUS_NOT_FOUND ? ERR(err, status, "table '%.*s.%.*s' does not exist",
                                            STR_ARGS(table->database), STR_ARGS(table->name))
                                      : status;
}

// A table that was copied here still names its old place: its files would be written there.
static enum status check_place(struct str directory, struct str next, struct err *err)
{
    struct str own = store_file_path(directory);
    struct str metadata = store_file_path(store_directory(next));
    if (metadata.size != own.size + strlen("/metadata") ||
        !str_equal(str_slice(metadata, 0, own.size), own) || !str_ends(metadata, "/metadata")) {
        return ERR(
            err, STATUS_UNSUPPORTED,
            "the table is in %.*s, and says that its metadata is in %.*s: it can be read and "
            "not written",
            STR_ARGS(own), STR_ARGS(metadata));
    }
    return STATUS_OK;
}

static enum status swap(struct table_pointer *pointer, const struct table_name *table,
                        struct str expected, struct str next, struct err *err)
{
    struct catalog_hadoop *self = of_pointer(pointer);
    struct arena arena;
    arena_init(&arena);
    struct str directory = table_path(self, &arena, self->warehouse, table->database, table->name);
    enum status status = check_place(directory, next, err);
    if (status == STATUS_OK) {
        status = hadoop_table_swap(self->store, directory, expected, next, err);
    }
    arena_release(&arena);
    return status;
}

static struct str published(struct table_pointer *pointer, struct arena *arena,
                            const struct table_name *table, struct str expected, struct str next)
{
    struct catalog_hadoop *self = of_pointer(pointer);
    return hadoop_table_next(arena,
                             table_path(self, arena, self->warehouse, table->database, table->name),
                             expected, next);
}

static const struct table_pointer_ops pointer_ops = {load, swap, published};

// --- databases ---------------------------------------------------------------------------------

// Adds the folders below `path` that are no tables; `name` is what the database is called so far.
static enum status add_databases(struct catalog_hadoop *self, struct arena *arena, struct str path,
                                 struct str name, int depth, str_vec *out, struct err *err)
{
    struct file_entry *entries;
    size_t count = 0;
    enum status status = file_list(path.ptr, arena, &entries, &count, err);
    if (status == STATUS_NOT_FOUND || depth > DEPTH_MAX) {
        return STATUS_OK;
    }
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        struct str folder =
            arena_printf(arena, "%.*s/%.*s", STR_ARGS(path), STR_ARGS(entries[i].name));
        if (!entries[i].info.is_directory || !is_folder_name(entries[i].name) ||
            is_table(self, arena, folder)) {
            continue;
        }
        if (out->count >= DATABASES_MAX) {
            return ERR(err, STATUS_LIMIT, "%.*s: over %d folders that are no tables",
                       STR_ARGS(self->root), DATABASES_MAX);
        }
        struct str inner = arena_printf(arena, "%.*s%s%.*s", STR_ARGS(name),
                                        name.size > 0 ? "." : "", STR_ARGS(entries[i].name));
        VEC_PUSH(out, inner);
        status = add_databases(self, arena, folder, inner, depth + 1, out, err);
    }
    return status;
}

static int by_name(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

static enum status list_databases(struct catalog *catalog, struct arena *arena, struct str **names,
                                  uint32_t *count, struct err *err)
{
    struct catalog_hadoop *self = of(catalog);
    str_vec found = {0};
    enum status status = add_databases(self, arena, self->root, (struct str){0}, 0, &found, err);
    if (found.count > 0) {
        qsort(found.items, found.count, sizeof *found.items, by_name);
    }
    *names = arena_copy(arena, found.items, found.count * sizeof *found.items);
    *count = found.count;
    VEC_RELEASE(&found);
    return status;
}

static enum status create_database(struct catalog *catalog, struct str name, struct str comment,
                                   const struct table_option *options, uint32_t option_count,
                                   struct err *err)
{
    struct catalog_hadoop *self = of(catalog);
    struct arena arena;
    struct str path;
    (void)options;
    if (comment.size > 0 || option_count > 0) {
        return ERR(err, STATUS_UNSUPPORTED,
                   "catalog '%.*s' is a directory: its databases have no comment and no properties",
                   STR_ARGS(catalog->name));
    }
    if (name.size == 0 || !is_database_name(name)) {
        return ERR(err, STATUS_INVALID_DATA, "'%.*s' cannot be the name of a folder",
                   STR_ARGS(name));
    }
    arena_init(&arena);
    enum status status;
    if (database_path(self, &arena, name, &path, NULL) == STATUS_OK) {
        status = ERR(err, STATUS_EXISTS, "database '%.*s' exists already in catalog '%.*s'",
                     STR_ARGS(name), STR_ARGS(catalog->name));
    } else {
        path = catalog_tables_directory(&arena, self->root, name);
        status = file_make_directories(path.ptr, err);
    }
    arena_release(&arena);
    return status;
}

// --- tables ------------------------------------------------------------------------------------

static enum status list_tables(struct catalog *catalog, struct arena *arena, struct str database,
                               struct str **names, enum table_kind **kinds, uint32_t *count,
                               struct err *err)
{
    struct catalog_hadoop *self = of(catalog);
    struct str path;
    struct file_entry *entries;
    size_t entry_count;
    str_vec found = {0};
    TRY(database_path(self, arena, database, &path, err));
    TRY(file_list(path.ptr, arena, &entries, &entry_count, err));
    for (size_t i = 0; i < entry_count; i++) {
        struct str folder =
            arena_printf(arena, "%.*s/%.*s", STR_ARGS(path), STR_ARGS(entries[i].name));
        if (entries[i].info.is_directory && is_folder_name(entries[i].name) &&
            is_table(self, arena, folder)) {
            VEC_PUSH(&found, entries[i].name);
        }
    }
    *count = found.count;
    *names = arena_copy(arena, found.items, found.count * sizeof *found.items);
    VEC_RELEASE(&found);
    if (kinds != NULL) { // all are tables
        *kinds = arena_new_array(arena, enum table_kind, *count);
    }
    return STATUS_OK;
}

static enum status get_table(struct catalog *catalog, struct arena *arena, struct str database,
                             struct str name, const struct table_def **out, struct err *err)
{
    struct table_place place = place_of(of(catalog));
    return catalog_tables_get(catalog, &place, arena, database, name, out, err);
}

static enum status check_new(struct catalog_hadoop *self, struct arena *arena,
                             const struct table_def *def, struct str *location, struct err *err)
{
    struct str path;
    if (!def->is_iceberg) {
        enum status status = ERR(err, STATUS_UNSUPPORTED,
                                 "catalog '%.*s' is a directory of Iceberg tables: it cannot "
                                 "hold %s",
                                 STR_ARGS(self->base.name),
                                 def->kind == TABLE_KIND_VIEW ? "views" : "tables of a connector");
        err_hint(err, "create it in catalog 'lake', or as TEMPORARY");
        return status;
    }
    TRY(database_path(self, arena, def->database, &path, err));
    if (!is_folder_name(def->name)) {
        return ERR(err, STATUS_INVALID_DATA, "'%.*s' cannot be the name of a folder",
                   STR_ARGS(def->name));
    }
    if (table_def_option(def, "location") != NULL ||
        table_def_option(def, "write.metadata.path") != NULL) {
        return ERR(err, STATUS_UNSUPPORTED,
                   "a table of a Hadoop catalog is where its name says: '%s' cannot be set",
                   table_def_option(def, "location") != NULL ? "location" : "write.metadata.path");
    }
    *location = table_path(self, arena, self->warehouse, def->database, def->name);
    return STATUS_OK;
}

static enum status create_table(struct catalog *catalog, const struct table_def *def,
                                struct err *err)
{
    struct catalog_hadoop *self = of(catalog);
    struct table_place place = place_of(self);
    struct arena arena;
    struct str location;
    arena_init(&arena);
    enum status status = check_new(self, &arena, def, &location, err);
    if (status == STATUS_OK) {
        struct str path = table_path(self, &arena, self->root, def->database, def->name);
        status = is_table(self, &arena, path) ? catalog_tables_same(&place, def, err)
                                              : catalog_tables_create(&place, def, location, err);
    }
    arena_release(&arena);
    return status;
}

static enum status remove_table(struct catalog_hadoop *self, struct arena *arena, struct str path,
                                struct err *err)
{
    struct iceberg_table *table;
    struct table_place place = place_of(self);
    struct str location;
    struct err ignored;
    TRY(metadata_file_find(self->store, arena, path, &location, err));
    // A table that cannot be read any more can be dropped.
    if (iceberg_table_open_file(&place, location, &table, &ignored) == STATUS_OK) {
        enum status status = catalog_tables_check_purge(table, err);
        iceberg_table_free(table);
        TRY(status);
    }
    // Without its metadata it is no table any more, whatever happens to the rest.
    TRY(file_remove_tree(arena_printf(arena, "%.*s/metadata", STR_ARGS(path)).ptr, err));
    return file_remove_tree(path.ptr, err);
}

static enum status drop_table(struct catalog *catalog, struct str database, struct str name,
                              enum table_kind kind, bool purge, struct err *err)
{
    struct catalog_hadoop *self = of(catalog);
    struct arena arena;
    struct str path;
    (void)purge; // the data is in the folder
    arena_init(&arena);
    enum status status = database_path(self, &arena, database, &path, err);
    if (status == STATUS_OK) {
        path = table_path(self, &arena, self->root, database, name);
        status = kind == TABLE_KIND_VIEW || !is_folder_name(name) || !is_table(self, &arena, path)
                     ? catalog_tables_missing(catalog, database, name, err)
                     : remove_table(self, &arena, path, err);
    }
    arena_release(&arena);
    return status;
}

static enum status drop_tables(struct catalog_hadoop *self, struct arena *arena,
                               struct str database, bool cascade, struct err *err)
{
    struct str *names;
    uint32_t count;
    TRY(list_tables(&self->base, arena, database, &names, NULL, &count, err));
    if (count > 0 && !cascade) {
        enum status status =
            ERR(err, STATUS_CONFLICT, "database '%.*s' holds %u tables", STR_ARGS(database), count);
        err_hint(err, "DROP DATABASE ... CASCADE drops them, too");
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        TRY(drop_table(&self->base, database, names[i], TABLE_KIND_TABLE, true, err));
    }
    return STATUS_OK;
}

static enum status drop_database(struct catalog *catalog, struct str name, bool cascade,
                                 struct err *err)
{
    struct catalog_hadoop *self = of(catalog);
    struct arena arena;
    struct str path;
    struct file_entry *entries;
    size_t count;
    arena_init(&arena);
    enum status status = database_path(self, &arena, name, &path, err);
    if (status == STATUS_OK) {
        status = drop_tables(self, &arena, name, cascade, err);
    }
    if (status == STATUS_OK) {
        status = file_list(path.ptr, &arena, &entries, &count, err);
    }
    if (status == STATUS_OK && count > 0) {
        status = ERR(err, STATUS_CONFLICT, "database '%.*s' holds other files and folders: '%.*s'",
                     STR_ARGS(name), STR_ARGS(entries[0].name));
    }
    if (status == STATUS_OK) {
        status = file_remove_directory(path.ptr, err);
    }
    arena_release(&arena);
    return status;
}

static enum status alter_options(struct catalog *catalog, struct str database, struct str name,
                                 const struct table_option *options, uint32_t option_count,
                                 struct err *err)
{
    struct table_place place = place_of(of(catalog));
    return catalog_tables_alter(&place, database, name, options, option_count, err);
}

static void place(struct catalog *catalog, struct table_place *out)
{
    *out = place_of(of(catalog));
}

static void close_catalog(struct catalog *catalog)
{
    struct catalog_hadoop *self = of(catalog);
    arena_release(&self->arena);
    mem_free(self);
}

static const struct catalog_ops catalog_ops = {
    .type = "iceberg",
    .list_databases = list_databases,
    .create_database = create_database,
    .drop_database = drop_database,
    .list_tables = list_tables,
    .get_table = get_table,
    .create_table = create_table,
    .drop_table = drop_table,
    .alter_options = alter_options,
    .place = place,
    .close = close_catalog,
};

struct catalog *catalog_hadoop_open(const struct catalog_hadoop_options *options)
{
    struct catalog_hadoop *self = mem_zalloc(sizeof *self);
    arena_init(&self->arena);
    self->base.ops = &catalog_ops;
    self->base.name = arena_str(&self->arena, options->name);
    self->base.default_database = arena_str(&self->arena, options->default_database);
    self->pointer.ops = &pointer_ops;
    self->warehouse = arena_str(&self->arena, options->warehouse);
    self->root = arena_str(&self->arena, store_file_path(self->warehouse));
    self->store = options->store;
    self->env = options->env != NULL ? options->env : table_env_system();
    return &self->base;
}
