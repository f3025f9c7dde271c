// SPDX-License-Identifier: Apache-2.0
#include "iceberg/catalog_tables.h"

#include "iceberg/commit.h"
#include "iceberg/iceberg_def.h"
#include "iceberg/write_properties.h"
#include "store/store.h"

enum status catalog_tables_missing(const struct catalog *catalog, struct str database,
                                   struct str name, struct err *err)
{
    return ERR(err, STATUS_NOT_FOUND, "table '%.*s.%.*s.%.*s' does not exist",
               STR_ARGS(catalog->name), STR_ARGS(database), STR_ARGS(name));
}

enum status catalog_tables_no_database(const struct catalog *catalog, struct str database,
                                       struct err *err)
{
    return ERR(err, STATUS_NOT_FOUND, "database '%.*s' does not exist in catalog '%.*s'",
               STR_ARGS(database), STR_ARGS(catalog->name));
}

enum status catalog_tables_exists(const struct table_def *def, struct err *err)
{
    return ERR(err, STATUS_EXISTS, "'%.*s.%.*s' exists already", STR_ARGS(def->database),
               STR_ARGS(def->name));
}

enum status catalog_tables_get(struct catalog *catalog, const struct table_place *place,
                               struct arena *arena, struct str database, struct str name,
                               const struct table_def **out, struct err *err)
{
    struct iceberg_table *table;
    struct table_def *def;
    enum status status =
        iceberg_table_open(place, &(struct table_name){database, name}, &table, err);
    if (status == STATUS_NOT_FOUND && (err == NULL || str_starts(str_from(err->text), "table '"))) {
        return catalog_tables_missing(catalog, database, name, err);
    }
    if (status == STATUS_NOT_FOUND) {
        err_context(err, "table '%.*s.%.*s' is in the catalog, and its metadata is not there",
                    STR_ARGS(database), STR_ARGS(name));
        err_hint(err, "restore the file from a backup; DROP TABLE removes the catalog's entry");
        return STATUS_INVALID_DATA;
    }
    TRY(status);
    status = iceberg_def_of_table(arena, table->metadata, &def, err);
    iceberg_table_free(table);
    TRY(status);
    def->catalog_name = arena_str(arena, catalog->name);
    def->database = arena_str(arena, database);
    def->name = arena_str(arena, name);
    def->owner = catalog;
    *out = def;
    return STATUS_OK;
}

static enum status check_properties(struct arena *arena, const struct table_update_new *table,
                                    struct err *err)
{
    const struct table_schema *schema;
    TRY(table_schema_new(arena, 0, table->columns, NULL, 0, &schema, err));
    return write_properties_check(table->properties, table->property_count, schema, err);
}

enum status catalog_tables_create(const struct table_place *place, const struct table_def *def,
                                  struct str location, struct err *err)
{
    struct arena arena;
    struct table_update_new table;
    const struct str *given = table_def_option(def, "location");
    char uuid[TABLE_ENV_UUID_TEXT + 1];
    arena_init(&arena);
    enum status status = iceberg_def_new_table(&arena, def, &table, err);
    if (status == STATUS_OK) {
        status = check_properties(&arena, &table, err);
    }
    if (status == STATUS_OK) {
        table_env_uuid(place->env, uuid);
        table.uuid = str_from(uuid);
        table.location = given != NULL ? *given : location;
        status = commit_create(place, &(struct table_name){def->database, def->name}, &table, err);
        if (status == STATUS_EXISTS) {
            status = catalog_tables_exists(def, err);
        }
    }
    arena_release(&arena);
    return status;
}

enum status catalog_tables_same(const struct table_place *place, const struct table_def *def,
                                struct err *err)
{
    struct arena arena;
    struct iceberg_table *table;
    if (iceberg_table_open(place, &(struct table_name){def->database, def->name}, &table, err) !=
        STATUS_OK) {
        return catalog_tables_exists(def, err);
    }
    arena_init(&arena);
    bool same = iceberg_def_same(&arena, def, table->metadata);
    arena_release(&arena);
    iceberg_table_free(table);
    return same ? STATUS_OK : catalog_tables_exists(def, err);
}

enum status catalog_tables_alter(const struct table_place *place, struct str database,
                                 struct str name, const struct table_option *options,
                                 uint32_t option_count, struct err *err)
{
    struct arena arena;
    struct iceberg_table *table = NULL;
    struct commit_result result;
    enum status status = STATUS_OK;
    arena_init(&arena);
    struct table_property *properties =
        arena_new_array(&arena, struct table_property, option_count + 1);
    for (uint32_t i = 0; i < option_count && status == STATUS_OK; i++) {
        if (str_is(options[i].key, "format-version") || str_is(options[i].key, "location")) {
            status = ERR(err, STATUS_UNSUPPORTED, "'%.*s' of a table cannot be changed yet",
                         STR_ARGS(options[i].key));
        }
        properties[i] = (struct table_property){options[i].key, options[i].value};
    }
    if (status == STATUS_OK) {
        status = iceberg_table_open(place, &(struct table_name){database, name}, &table, err);
    }
    if (status == STATUS_OK) {
        status = write_properties_check(properties, option_count,
                                        table_metadata_current_schema(table->metadata), err);
    }
    if (status == STATUS_OK) {
        struct commit_options commit = {
            .properties = properties, .property_count = option_count, .without_expiry = true};
        status = commit_run(table, &commit, &result, err);
    }
    iceberg_table_free(table);
    arena_release(&arena);
    return status;
}

enum status catalog_tables_check_purge(const struct iceberg_table *table, struct err *err)
{
    return table_metadata_property_bool(table->metadata, "gc.enabled", true)
               ? STATUS_OK
               : ERR(err, STATUS_UNSUPPORTED,
                     "the table's files must not be removed: gc.enabled is false");
}

enum status catalog_tables_purge(struct store *store, struct str location, struct err *err)
{
    struct arena arena;
    struct store_object *objects = NULL;
    size_t count = 0;
    arena_init(&arena);
    struct str prefix = arena_printf(&arena, "%.*s/", STR_ARGS(location));
    enum status status = store_list(store, prefix, &arena, &objects, &count, err);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        status = store_remove(store, objects[i].path, err);
        status = status == STATUS_NOT_FOUND ? STATUS_OK : status;
    }
    arena_release(&arena);
    return status;
}

struct str catalog_tables_directory(struct arena *arena, struct str warehouse, struct str database)
{
    struct str below = arena_str(arena, database);
    char *path = arena_copy(arena, below.ptr, below.size + 1);
    for (size_t i = 0; i < below.size; i++) {
        path[i] = below.ptr[i] == '.' ? '/' : below.ptr[i];
    }
    return arena_printf(arena, "%.*s/%s", STR_ARGS(warehouse), path);
}
