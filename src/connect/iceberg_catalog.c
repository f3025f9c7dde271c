// SPDX-License-Identifier: Apache-2.0
#include "connect/iceberg_catalog.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "catalog/catalog.h"
#include "connect/option.h"
#include "data/type.h"
#include "iceberg/catalog_hadoop.h"
#include "iceberg/catalog_sqlite.h"
#include "iceberg/spec/iceberg_type.h"
#include "store/store_file.h"

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof(array)[0])

// Of catalogs, however they are named.
static const struct option_def place_options[] = {
    {"catalog-type", OPTION_STRING, false, NULL, NULL, "The kind of catalog: hadoop or jdbc."},
    {"catalog-impl", OPTION_STRING, false, NULL, NULL,
     "The same by Java's class: org.apache.iceberg.hadoop.HadoopCatalog or "
     "org.apache.iceberg.jdbc.JdbcCatalog."},
    {"catalog-name", OPTION_STRING, false, NULL, NULL,
     "The name that the rows of a JDBC catalog carry."},
    {"warehouse", OPTION_STRING, false, NULL, NULL, "The directory with the tables."},
    {"uri", OPTION_STRING, false, NULL, NULL,
     "The file of a JDBC catalog: 'jdbc:sqlite:/path/catalog.db'."},
    {"jdbc.schema-version", OPTION_ENUM, false, NULL, "V0|V1",
     "Accepted; a file keeps the version that it has."},
    {"property-version", OPTION_INTEGER, false, NULL, NULL, "Accepted."},
    {"cache-enabled", OPTION_BOOLEAN, false, NULL, NULL,
     "Accepted; tables are always looked up anew."},
    {"cache.expiration-interval-ms", OPTION_INTEGER, false, NULL, NULL, "Accepted."},
    {"cache.case-sensitive", OPTION_BOOLEAN, false, NULL, NULL, "Accepted."},
};

static const struct option_def catalog_options[] = {
    {"type", OPTION_STRING, true, NULL, NULL, "'iceberg'."},
    {"default-database", OPTION_STRING, false, "default", NULL, "The database that USE begins in."},
};

static const struct option_def table_options[] = {
    {"connector", OPTION_STRING, true, NULL, NULL, "'iceberg'."},
    {"catalog-database", OPTION_STRING, false, NULL, NULL,
     "The table's database in its catalog; that of the definition without it."},
    {"catalog-table", OPTION_STRING, false, NULL, NULL,
     "The table's name in its catalog; that of the definition without it."},
};

// Options of Flink's catalogs that mean something, and are not done here.
static const char *const absent[] = {
    "base-namespace", "clients", "hive-conf-dir", "hadoop-conf-dir", "io-impl",
    "jdbc.user",      "token",   "jdbc.password", "credential",
};

static enum status refuse(struct err *err, enum status status)
{
    if (err != NULL) {
        err->stage = ERR_STAGE_VALIDATE;
    }
    return status;
}

static enum status check_options(const struct table_def *def, const struct option_def *more,
                                 uint32_t more_count, struct err *err)
{
    struct option_set sets[] = {{"", place_options, COUNT(place_options)}, {"", more, more_count}};
    for (uint32_t i = 0; i < COUNT(absent); i++) {
        if (option_is_set(def, "", absent[i])) {
            return ERR(err, STATUS_UNSUPPORTED, "the catalog option '%s' is not supported yet",
                       absent[i]);
        }
    }
    return option_check(def, sets, 2, err);
}

// --- kinds -------------------------------------------------------------------------------------

enum kind { KIND_HADOOP, KIND_JDBC };

static enum status unknown_kind(struct str name, const char *option, struct err *err)
{
    static const char *const others[] = {"rest", "hive", "glue", "nessie", "dynamodb", "bigquery"};
    bool is_known = str_is(str_from(option), "catalog-impl");
    for (uint32_t i = 0; i < COUNT(others); i++) {
        is_known = is_known || str_is_nocase(name, others[i]);
    }
    enum status status = is_known ? ERR(err, STATUS_UNSUPPORTED,
                                        "Iceberg catalogs of '%s' = '%.*s' are not "
                                        "supported yet",
                                        option, STR_ARGS(name))
                                  : ERR(err, STATUS_INVALID_DATA, "there is no '%s' = '%.*s'",
                                        option, STR_ARGS(name));
    if (str_distance(name, STR_LIT("hadoop")) <= 2) {
        err_hint(err, "did you mean 'hadoop'?");
    } else {
        err_hint(err, "'catalog-type' is 'hadoop' (a directory) or 'jdbc' (an SQLite file)");
    }
    return status;
}

static enum status kind_of(const struct table_def *def, enum kind *out, struct err *err)
{
    struct str type = option_text(def, "", "catalog-type", NULL);
    struct str class = option_text(def, "", "catalog-impl", NULL);
    if (type.size > 0 && class.size > 0) {
        return ERR(err, STATUS_INVALID_DATA,
                   "'catalog-type' and 'catalog-impl' exclude each other");
    }
    if (type.size == 0 && class.size == 0) {
        ERR(err, STATUS_INVALID_DATA, "'%.*s' needs the option 'catalog-type'",
            STR_ARGS(def->name));
        err_hint(err, "'catalog-type' is 'hadoop' (a directory) or 'jdbc' (an SQLite file)");
        return STATUS_INVALID_DATA;
    }
    bool is_hadoop =
        str_is_nocase(type, "hadoop") || str_is(class, "org.apache.iceberg.hadoop.HadoopCatalog");
    bool is_jdbc =
        str_is_nocase(type, "jdbc") || str_is(class, "org.apache.iceberg.jdbc.JdbcCatalog");
    if (!is_hadoop && !is_jdbc) {
        return unknown_kind(type.size > 0 ? type : class,
                            type.size > 0 ? "catalog-type" : "catalog-impl", err);
    }
    *out = is_hadoop ? KIND_HADOOP : KIND_JDBC;
    return STATUS_OK;
}

// --- places ------------------------------------------------------------------------------------

// An absolute path for "file:///x", "file:/x", "/x" and "x", without the last '/'.
static enum status local_path(struct arena *arena, const char *option, struct str given,
                              struct str *out, struct err *err)
{
    char here[PATH_MAX];
    struct str path = store_file_path(given);
    size_t colon = str_find(given, ':');
    if (path.size == given.size && colon + 2 < given.size && given.ptr[colon + 1] == '/' &&
        given.ptr[colon + 2] == '/') {
        return ERR(err, STATUS_UNSUPPORTED,
                   "'%s' = '%.*s': places in %.*s:// are not supported yet", option,
                   STR_ARGS(given), (int)colon, given.ptr);
    }
    if (path.size == 0 || str_find(path, '\0') < path.size) {
        return ERR(err, STATUS_INVALID_DATA, "'%s' = '%.*s' is no path", option, STR_ARGS(given));
    }
    if (path.ptr[0] != '/') {
        if (getcwd(here, sizeof here) == NULL) {
            return ERR(err, STATUS_IO, "the working directory: %s", strerror(errno));
        }
        path = arena_printf(arena, "%s/%.*s", here, STR_ARGS(path));
    }
    while (path.size > 1 && path.ptr[path.size - 1] == '/') {
        path.size--;
    }
    *out = arena_str(arena, path);
    return STATUS_OK;
}

// "file://" and the path; empty where the option is not there.
static enum status warehouse_of(struct arena *arena, const struct table_def *def, struct str *out,
                                struct err *err)
{
    struct str given = option_text(def, "", "warehouse", NULL);
    struct str path;
    *out = (struct str){0};
    if (given.size > 0) {
        TRY(local_path(arena, "warehouse", given, &path, err));
        *out = arena_printf(arena, "file://%.*s", STR_ARGS(path));
    }
    return STATUS_OK;
}

// Java's 'jdbc:sqlite:/x' and 'jdbc:sqlite:file:/x', PyIceberg's 'sqlite:////x' and 'sqlite:///x'.
static enum status sqlite_path(struct arena *arena, const struct table_def *def, struct str *out,
                               struct err *err)
{
    struct str uri = option_text(def, "", "uri", NULL);
    struct str rest = uri;
    if (uri.size == 0) {
        ERR(err, STATUS_INVALID_DATA, "'%.*s' needs the option 'uri'", STR_ARGS(def->name));
        err_hint(err, "'uri' = 'jdbc:sqlite:/path/catalog.db'");
        return STATUS_INVALID_DATA;
    }
    if (str_starts(uri, "jdbc:sqlite:")) {
        rest = str_slice(uri, strlen("jdbc:sqlite:"), uri.size);
    } else if (str_starts(uri, "sqlite:///")) {
        rest = str_slice(uri, strlen("sqlite:///"), uri.size);
    } else {
        ERR(err, STATUS_UNSUPPORTED, "'uri' = '%.*s': only files of SQLite are supported yet",
            STR_ARGS(uri));
        err_hint(err, "'uri' = 'jdbc:sqlite:/path/catalog.db'");
        return STATUS_UNSUPPORTED;
    }
    if (rest.size == 0 || str_starts(rest, ":") || str_find(rest, '?') < rest.size) {
        return ERR(err, STATUS_UNSUPPORTED,
                   "'uri' = '%.*s': databases in memory and parameters are not supported",
                   STR_ARGS(uri));
    }
    return local_path(arena, "uri", rest, out, err);
}

static enum status open_hadoop(struct arena *arena, const struct table_def *def,
                               struct store *store, struct catalog **out, struct err *err)
{
    struct str warehouse;
    TRY(warehouse_of(arena, def, &warehouse, err));
    if (warehouse.size == 0) {
        ERR(err, STATUS_INVALID_DATA, "'%.*s' needs the option 'warehouse'", STR_ARGS(def->name));
        err_hint(err, "'warehouse' = 'file:///path': the directory whose folders are databases");
        return STATUS_INVALID_DATA;
    }
    *out = catalog_hadoop_open(&(struct catalog_hadoop_options){
        .name = def->name,
        .default_database = option_text(def, "", "default-database", "default"),
        .warehouse = warehouse,
        .store = store});
    return STATUS_OK;
}

static enum status open_jdbc(struct arena *arena, const struct table_def *def, struct store *store,
                             struct catalog **out, struct err *err)
{
    struct str warehouse;
    struct str path;
    TRY(warehouse_of(arena, def, &warehouse, err));
    TRY(sqlite_path(arena, def, &path, err));
    struct catalog_sqlite_options options = {
        .path = path.ptr,
        .name = def->name,
        .row_name = option_text(def, "", "catalog-name", NULL),
        .default_database = option_text(def, "", "default-database", "default"),
        .warehouse = warehouse,
        .store = store};
    return catalog_sqlite_open(&options, out, err);
}

static enum status open_described(const struct table_def *def, struct store *store,
                                  struct catalog **out, struct err *err)
{
    struct arena arena;
    enum kind kind = KIND_HADOOP;
    TRY(kind_of(def, &kind, err));
    arena_init(&arena);
    enum status status = kind == KIND_HADOOP ? open_hadoop(&arena, def, store, out, err)
                                             : open_jdbc(&arena, def, store, out, err);
    arena_release(&arena);
    return status;
}

enum status iceberg_catalog_open(struct str name, const struct table_option *options,
                                 uint32_t option_count, struct store *store, struct catalog **out,
                                 struct err *err)
{
    struct table_def def = {.name = name, .options = options, .option_count = option_count};
    *out = NULL;
    enum status status = check_options(&def, catalog_options, COUNT(catalog_options), err);
    if (status == STATUS_OK) {
        status = open_described(&def, store, out, err);
    }
    return status == STATUS_OK ? STATUS_OK : refuse(err, status);
}

// --- single tables -----------------------------------------------------------------------------

bool iceberg_catalog_names_table(const struct table_def *def)
{
    const struct str *connector = table_def_option(def, "connector");
    return connector != NULL && str_is(*connector, "iceberg");
}

enum status iceberg_catalog_open_of_table(const struct table_def *def, struct store *store,
                                          struct catalog **out, struct err *err)
{
    struct table_def described = *def;
    *out = NULL;
    enum status status = check_options(def, table_options, COUNT(table_options), err);
    if (status == STATUS_OK) {
        described.name = option_text(def, "", "catalog-name", NULL);
        if (described.name.size == 0) {
            status = ERR(err, STATUS_INVALID_DATA,
                         "option 'catalog-name' is missing, which connector 'iceberg' needs");
        }
    }
    if (status == STATUS_OK) {
        status = open_described(&described, store, out, err);
    }
    return status == STATUS_OK ? STATUS_OK : refuse(err, status);
}

bool iceberg_catalog_same(const struct table_def *a, const struct table_def *b)
{
    for (uint32_t i = 0; i < COUNT(place_options); i++) {
        const struct str *left = table_def_option(a, place_options[i].key);
        const struct str *right = table_def_option(b, place_options[i].key);
        if ((left == NULL) != (right == NULL) || (left != NULL && !str_equal(*left, *right))) {
            return false;
        }
    }
    return true;
}

// The table as it is to be made: physical columns, keys and partitions.
static enum status make_table(struct catalog *catalog, const struct table_def *def,
                              struct str database, struct str name, struct err *err)
{
    struct table_def made = *def;
    enum status status =
        catalog->ops->create_database(catalog, database, (struct str){0}, NULL, 0, err);
    if (status != STATUS_OK && status != STATUS_EXISTS) {
        return status;
    }
    made.database = database;
    made.name = name;
    made.is_iceberg = true;
    made.options = NULL;
    made.option_count = 0;
    status = catalog->ops->create_table(catalog, &made, err);
    return status == STATUS_EXISTS ? STATUS_OK : status; // another one was faster
}

// What Iceberg makes of a type: TIMESTAMP(3) is kept as TIMESTAMP(6), VARCHAR(10) as STRING.
static enum status kept_type(struct arena *arena, const struct type *type, struct str *out,
                             struct err *err)
{
    const struct iceberg_type *kept;
    const struct type *sql;
    int32_t next_id = 1;
    TRY(iceberg_type_from_sql(arena, type, &next_id, &kept, err));
    TRY(iceberg_type_to_sql(arena, kept, false, &sql, err));
    *out = type_text(arena, sql);
    return STATUS_OK;
}

static enum status fit_columns(struct arena *arena, const struct table_def *def,
                               const struct table_def *table, struct table_def *out,
                               struct err *err)
{
    struct table_column *columns =
        arena_copy(arena, def->columns, def->column_count * sizeof *def->columns);
    for (uint32_t i = 0; i < def->column_count; i++) {
        if (columns[i].kind != TABLE_COLUMN_PHYSICAL) {
            continue;
        }
        const struct table_column *column = table_def_column(table, columns[i].name);
        if (column == NULL) {
            return ERR(err, STATUS_INVALID_DATA,
                       "table '%.*s': the Iceberg table '%.*s.%.*s' has no column '%.*s'",
                       STR_ARGS(def->name), STR_ARGS(table->database), STR_ARGS(table->name),
                       STR_ARGS(columns[i].name));
        }
        struct str own;
        TRY(kept_type(arena, columns[i].type, &own, err));
        struct str there = type_text(arena, type_with_null(arena, column->type, true));
        if (!str_equal(own, there)) {
            return ERR(err, STATUS_INVALID_DATA,
                       "table '%.*s': column '%.*s' is %.*s here, and %.*s in the Iceberg table "
                       "'%.*s.%.*s'",
                       STR_ARGS(def->name), STR_ARGS(column->name), STR_ARGS(own), STR_ARGS(there),
                       STR_ARGS(table->database), STR_ARGS(table->name));
        }
        columns[i].field_id = column->field_id;
        columns[i].type = column->type;
    }
    out->columns = columns;
    return STATUS_OK;
}

enum status iceberg_catalog_resolve(struct catalog *catalog, struct arena *arena,
                                    const struct table_def *def, bool makes_it,
                                    const struct table_def **out, struct err *err)
{
    struct str database = option_text(def, "", "catalog-database", NULL);
    struct str name = option_text(def, "", "catalog-table", NULL);
    const struct table_def *table = NULL;
    database = database.size > 0 ? database : def->database;
    name = name.size > 0 ? name : def->name;
    enum status status = catalog->ops->get_table(catalog, arena, database, name, &table, err);
    struct table_def *resolved = arena_copy(arena, def, sizeof *def);
    resolved->is_iceberg = true;
    resolved->is_temporary = false;
    *out = resolved;
    if (status == STATUS_NOT_FOUND && !makes_it) {
        return STATUS_OK;
    }
    if (status == STATUS_NOT_FOUND) {
        TRY(make_table(catalog, def, database, name, err));
        status = catalog->ops->get_table(catalog, arena, database, name, &table, err);
    }
    TRY(status);
    resolved->owner = catalog;
    resolved->catalog_name = table->catalog_name;
    resolved->database = table->database;
    resolved->name = table->name;
    resolved->partition_count = table->partition_count;
    resolved->partitions = table->partitions;
    resolved->options = table->options;
    resolved->option_count = table->option_count;
    return fit_columns(arena, def, table, resolved, err);
}
