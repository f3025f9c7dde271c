// SPDX-License-Identifier: Apache-2.0
//
// Databases, definitions and Iceberg tables as SQL asks for them.
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "iceberg/catalog_sqlite_int.h"
#include "iceberg/catalog_tables.h"
#include "iceberg/definition_json.h"
#include "iceberg/iceberg_table.h"

enum { DEFINITION_BYTES_MAX = 16 << 20, TEXTS_MAX = 5 };

static struct catalog_sqlite *of(struct catalog *catalog)
{
    return (struct catalog_sqlite *)catalog;
}

// Runs one statement with texts bound to ?1, ?2, …; *changes may be NULL.
static enum status run(struct catalog_sqlite *self, const char *sql, const struct str *texts,
                       int count, int *changes, struct err *err)
{
    struct sqlite3_stmt *statement;
    TRY(catalog_sqlite_prepare(self, sql, &statement, err));
    for (int i = 0; i < count; i++) {
        catalog_sqlite_bind(statement, i + 1, texts[i]);
    }
    int code;
    do {
        code = sqlite3_step(statement);
    } while (code == SQLITE_ROW);
    enum status status = STATUS_OK;
    if (code == SQLITE_CONSTRAINT) {
        status = ERR(err, STATUS_EXISTS, "it exists already");
    } else if (code != SQLITE_DONE) {
        status = catalog_sqlite_failed(self, "write", err);
    }
    if (changes != NULL) {
        *changes = sqlite3_changes(self->db);
    }
    sqlite3_finalize(statement);
    return status;
}

// The first column of all rows, in `arena`.
static enum status texts_of(struct catalog_sqlite *self, struct arena *arena, const char *sql,
                            const struct str *texts, int count, struct str **out, uint32_t *found,
                            struct err *err)
{
    struct sqlite3_stmt *statement;
    VEC(struct str) rows = {0};
    int code;
    TRY(catalog_sqlite_prepare(self, sql, &statement, err));
    for (int i = 0; i < count; i++) {
        catalog_sqlite_bind(statement, i + 1, texts[i]);
    }
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        VEC_PUSH(&rows, arena_str(arena, catalog_sqlite_column(statement, 0)));
    }
    enum status status = code == SQLITE_DONE ? STATUS_OK : catalog_sqlite_failed(self, "read", err);
    *found = rows.count;
    *out = arena_copy(arena, rows.items, rows.count * sizeof *rows.items);
    VEC_RELEASE(&rows);
    sqlite3_finalize(statement);
    return status;
}

enum status catalog_sqlite_list_databases(struct catalog *catalog, struct arena *arena,
                                          struct str **names, uint32_t *count, struct err *err)
{
    struct catalog_sqlite *self = of(catalog);
    pthread_mutex_lock(&self->lock);
    enum status status = texts_of(
        self, arena,
        "SELECT DISTINCT namespace FROM iceberg_namespace_properties WHERE catalog_name = ?1 "
        "UNION SELECT DISTINCT table_namespace FROM iceberg_tables WHERE catalog_name = ?1 "
        "UNION SELECT DISTINCT database_name FROM frazil_definitions WHERE catalog_name = ?1 "
        "ORDER BY 1",
        &self->row_name, 1, names, count, err);
    pthread_mutex_unlock(&self->lock);
    return status;
}

static enum status has_database(struct catalog_sqlite *self, struct str name, bool *out,
                                struct err *err)
{
    struct arena arena;
    struct str *rows;
    uint32_t count = 0;
    arena_init(&arena);
    enum status status = texts_of(
        self, &arena,
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM iceberg_namespace_properties WHERE "
        "catalog_name = ?1 AND namespace = ?2) OR EXISTS (SELECT 1 FROM iceberg_tables WHERE "
        "catalog_name = ?1 AND table_namespace = ?2) OR EXISTS (SELECT 1 FROM frazil_definitions "
        "WHERE catalog_name = ?1 AND database_name = ?2)",
        (struct str[]){self->row_name, name}, 2, &rows, &count, err);
    *out = count > 0;
    arena_release(&arena);
    return status;
}

static enum status need_database(struct catalog_sqlite *self, struct str name, struct err *err)
{
    bool exists;
    TRY(has_database(self, name, &exists, err));
    return exists ? STATUS_OK : catalog_tables_no_database(&self->base, name, err);
}

static enum status put_database_property(struct catalog_sqlite *self, struct str database,
                                         struct str key, struct str value, struct err *err)
{
    return run(self,
               "INSERT OR REPLACE INTO iceberg_namespace_properties (catalog_name, namespace, "
               "property_key, property_value) VALUES (?1, ?2, ?3, ?4)",
               (struct str[]){self->row_name, database, key, value}, 4, NULL, err);
}

static enum status create_database_locked(struct catalog_sqlite *self, struct str name,
                                          struct str comment, const struct table_option *options,
                                          uint32_t option_count, struct err *err)
{
    bool exists;
    TRY(has_database(self, name, &exists, err));
    if (exists) {
        return ERR(err, STATUS_EXISTS, "database '%.*s' exists already in catalog '%.*s'",
                   STR_ARGS(name), STR_ARGS(self->base.name));
    }
    TRY(put_database_property(self, name, STR_LIT("exists"), STR_LIT("true"), err));
    if (comment.size > 0) {
        TRY(put_database_property(self, name, STR_LIT("comment"), comment, err));
    }
    for (uint32_t i = 0; i < option_count; i++) {
        TRY(put_database_property(self, name, options[i].key, options[i].value, err));
    }
    return STATUS_OK;
}

// Runs `status`'s work between BEGIN and COMMIT; what failed is taken back.
static enum status end_transaction(struct catalog_sqlite *self, enum status status, struct err *err)
{
    if (status == STATUS_OK) {
        status = catalog_sqlite_exec(self, "COMMIT", err);
    }
    if (status != STATUS_OK) {
        sqlite3_exec(self->db, "ROLLBACK", NULL, NULL, NULL);
    }
    return status;
}

enum status catalog_sqlite_create_database(struct catalog *catalog, struct str name,
                                           struct str comment, const struct table_option *options,
                                           uint32_t option_count, struct err *err)
{
    struct catalog_sqlite *self = of(catalog);
    pthread_mutex_lock(&self->lock);
    enum status status = catalog_sqlite_exec(self, "BEGIN IMMEDIATE", err);
    if (status == STATUS_OK) {
        status = end_transaction(
            self, create_database_locked(self, name, comment, options, option_count, err), err);
    }
    pthread_mutex_unlock(&self->lock);
    return status;
}

static enum status drop_database_locked(struct catalog_sqlite *self, struct str name, bool cascade,
                                        struct err *err)
{
    struct str texts[] = {self->row_name, name};
    struct arena arena;
    struct str *rows;
    uint32_t count = 0;
    TRY(need_database(self, name, err));
    arena_init(&arena);
    enum status status = texts_of(
        self, &arena,
        "SELECT table_name FROM iceberg_tables WHERE catalog_name = ?1 AND table_namespace = ?2 "
        "UNION ALL SELECT name FROM frazil_definitions WHERE catalog_name = ?1 AND "
        "database_name = ?2",
        texts, 2, &rows, &count, err);
    arena_release(&arena);
    TRY(status);
    if (count > 0 && !cascade) {
        status = ERR(err, STATUS_CONFLICT, "database '%.*s' holds %u tables and views",
                     STR_ARGS(name), count);
        err_hint(err, "DROP DATABASE ... CASCADE drops them, too");
        return status;
    }
    TRY(run(self, "DELETE FROM iceberg_tables WHERE catalog_name = ?1 AND table_namespace = ?2",
            texts, 2, NULL, err));
    TRY(run(self, "DELETE FROM frazil_definitions WHERE catalog_name = ?1 AND database_name = ?2",
            texts, 2, NULL, err));
    return run(self,
               "DELETE FROM iceberg_namespace_properties WHERE catalog_name = ?1 AND "
               "namespace = ?2",
               texts, 2, NULL, err);
}

enum status catalog_sqlite_drop_database(struct catalog *catalog, struct str name, bool cascade,
                                         struct err *err)
{
    struct catalog_sqlite *self = of(catalog);
    pthread_mutex_lock(&self->lock);
    enum status status = catalog_sqlite_exec(self, "BEGIN IMMEDIATE", err);
    if (status == STATUS_OK) {
        status = end_transaction(self, drop_database_locked(self, name, cascade, err), err);
    }
    pthread_mutex_unlock(&self->lock);
    return status;
}

static enum status list_locked(struct catalog_sqlite *self, struct arena *arena,
                               struct str database, struct str **names, enum table_kind **kinds,
                               uint32_t *count, struct err *err)
{
    struct sqlite3_stmt *statement;
    VEC(struct str) rows = {0};
    VEC(enum table_kind) row_kinds = {0};
    int code;
    TRY(need_database(self, database, err));
    TRY(catalog_sqlite_prepare(
        self,
        "SELECT table_name, 'TABLE' FROM iceberg_tables WHERE catalog_name = ?1 AND "
        "table_namespace = ?2 AND $IS_TABLE "
        "UNION ALL SELECT name, kind FROM frazil_definitions WHERE catalog_name = ?1 AND "
        "database_name = ?2 ORDER BY 1",
        &statement, err));
    catalog_sqlite_bind(statement, 1, self->row_name);
    catalog_sqlite_bind(statement, 2, database);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        VEC_PUSH(&rows, arena_str(arena, catalog_sqlite_column(statement, 0)));
        VEC_PUSH(&row_kinds, str_is(catalog_sqlite_column(statement, 1), "VIEW")
                                 ? TABLE_KIND_VIEW
                                 : TABLE_KIND_TABLE);
    }
    enum status status = code == SQLITE_DONE ? STATUS_OK : catalog_sqlite_failed(self, "read", err);
    *count = rows.count;
    *names = arena_copy(arena, rows.items, rows.count * sizeof *rows.items);
    if (kinds != NULL) {
        *kinds = arena_copy(arena, row_kinds.items, row_kinds.count * sizeof *row_kinds.items);
    }
    VEC_RELEASE(&rows);
    VEC_RELEASE(&row_kinds);
    sqlite3_finalize(statement);
    return status;
}

enum status catalog_sqlite_list_tables(struct catalog *catalog, struct arena *arena,
                                       struct str database, struct str **names,
                                       enum table_kind **kinds, uint32_t *count, struct err *err)
{
    struct catalog_sqlite *self = of(catalog);
    pthread_mutex_lock(&self->lock);
    enum status status = list_locked(self, arena, database, names, kinds, count, err);
    pthread_mutex_unlock(&self->lock);
    return status;
}

// The stored definition as JSON in `arena`; NOT_FOUND (without text) where there is none.
static enum status definition_of(struct catalog_sqlite *self, struct arena *arena,
                                 struct str database, struct str name, struct str *json,
                                 struct err *err)
{
    struct str *rows;
    uint32_t count = 0;
    pthread_mutex_lock(&self->lock);
    enum status status =
        texts_of(self, arena,
                 "SELECT definition FROM frazil_definitions WHERE "
                 "catalog_name = ?1 AND database_name = ?2 AND name = ?3",
                 (struct str[]){self->row_name, database, name}, 3, &rows, &count, err);
    pthread_mutex_unlock(&self->lock);
    TRY(status);
    if (count == 0) {
        return STATUS_NOT_FOUND;
    }
    *json = rows[0];
    return STATUS_OK;
}

static struct table_place place_of(struct catalog_sqlite *self)
{
    return (struct table_place){.store = self->store, .pointer = &self->pointer, .env = self->env};
}

static void name_it(struct catalog_sqlite *self, struct arena *arena, struct str database,
                    struct str name, struct table_def *def)
{
    def->catalog_name = arena_str(arena, self->base.name);
    def->database = arena_str(arena, database);
    def->name = arena_str(arena, name);
    def->owner = &self->base;
}

enum status catalog_sqlite_get_table(struct catalog *catalog, struct arena *arena,
                                     struct str database, struct str name,
                                     const struct table_def **out, struct err *err)
{
    struct catalog_sqlite *self = of(catalog);
    struct table_def *def;
    struct str json;
    enum status status = definition_of(self, arena, database, name, &json, err);
    if (status == STATUS_OK) {
        status = definition_json_parse(arena, json, &def, err);
        if (status != STATUS_OK) {
            err_context(err, "definition of '%.*s.%.*s'", STR_ARGS(database), STR_ARGS(name));
            return status;
        }
        name_it(self, arena, database, name, def);
        *out = def;
        return STATUS_OK;
    }
    if (status != STATUS_NOT_FOUND) {
        return status;
    }
    struct table_place place = place_of(self);
    return catalog_tables_get(catalog, &place, arena, database, name, out, err);
}

// Whether a table or definition of that name is there.
static enum status check_free(struct catalog_sqlite *self, const struct table_def *def,
                              struct err *err)
{
    struct arena arena;
    struct str *rows;
    uint32_t count = 0;
    pthread_mutex_lock(&self->lock);
    arena_init(&arena);
    enum status status = need_database(self, def->database, err);
    if (status == STATUS_OK) {
        status = texts_of(self, &arena,
                          "SELECT table_name FROM iceberg_tables WHERE catalog_name = ?1 AND "
                          "table_namespace = ?2 AND table_name = ?3 UNION ALL SELECT name FROM "
                          "frazil_definitions WHERE catalog_name = ?1 AND database_name = ?2 AND "
                          "name = ?3",
                          (struct str[]){self->row_name, def->database, def->name}, 3, &rows,
                          &count, err);
    }
    arena_release(&arena);
    pthread_mutex_unlock(&self->lock);
    TRY(status);
    return count > 0 ? catalog_tables_exists(def, err) : STATUS_OK;
}

static enum status create_definition(struct catalog_sqlite *self, const struct table_def *def,
                                     struct err *err)
{
    struct strbuf json;
    if (!self->has_definitions) {
        ERR(err, STATUS_UNSUPPORTED, "catalog '%.*s' holds Iceberg tables: it cannot hold %s",
            STR_ARGS(self->base.name),
            def->kind == TABLE_KIND_VIEW ? "views" : "tables of a connector");
        err_hint(err, "create it in catalog 'lake', or as TEMPORARY");
        return STATUS_UNSUPPORTED;
    }
    TRY(check_free(self, def, err));
    strbuf_init(&json, DEFINITION_BYTES_MAX);
    definition_json_print(&json, def);
    enum status status;
    if (json.truncated) {
        status = ERR(err, STATUS_LIMIT, "a definition of over %d bytes", DEFINITION_BYTES_MAX);
    } else {
        pthread_mutex_lock(&self->lock);
        status =
            run(self,
                "INSERT INTO frazil_definitions (catalog_name, database_name, name, kind, "
                "definition) VALUES (?1, ?2, ?3, ?4, ?5)",
                (struct str[]){self->row_name, def->database, def->name,
                               def->kind == TABLE_KIND_VIEW ? STR_LIT("VIEW") : STR_LIT("TABLE"),
                               strbuf_str(&json)},
                TEXTS_MAX, NULL, err);
        pthread_mutex_unlock(&self->lock);
        if (status == STATUS_EXISTS) {
            status = catalog_tables_exists(def, err);
        }
    }
    strbuf_release(&json);
    return status;
}

// The database's property `location`, else the warehouse and the database's levels.
static enum status place_of_database(struct catalog_sqlite *self, struct arena *arena,
                                     struct str database, struct str *out, struct err *err)
{
    struct str *rows;
    uint32_t count = 0;
    pthread_mutex_lock(&self->lock);
    enum status status =
        texts_of(self, arena,
                 "SELECT property_value FROM iceberg_namespace_properties WHERE catalog_name = ?1 "
                 "AND namespace = ?2 AND property_key = 'location' AND property_value <> ''",
                 (struct str[]){self->row_name, database}, 2, &rows, &count, err);
    pthread_mutex_unlock(&self->lock);
    TRY(status);
    if (count == 0 && self->warehouse.size == 0) {
        ERR(err, STATUS_INVALID_DATA, "catalog '%.*s' has no warehouse to make tables in",
            STR_ARGS(self->base.name));
        err_hint(err, "CREATE CATALOG ... WITH ('warehouse' = 'file:///...'), or give the table a "
                      "'location'");
        return STATUS_INVALID_DATA;
    }
    struct str given = count > 0 ? rows[0] : (struct str){0};
    while (given.size > 1 && given.ptr[given.size - 1] == '/') {
        given.size--;
    }
    *out = count > 0 ? given : catalog_tables_directory(arena, self->warehouse, database);
    return STATUS_OK;
}

static enum status create_iceberg(struct catalog_sqlite *self, const struct table_def *def,
                                  struct err *err)
{
    struct arena arena;
    struct table_place place = place_of(self);
    struct str location = {0};
    arena_init(&arena);
    enum status status = check_free(self, def, err);
    if (status == STATUS_EXISTS) {
        status = catalog_tables_same(&place, def, err);
    } else if (status == STATUS_OK) {
        if (table_def_option(def, "location") == NULL) {
            status = place_of_database(self, &arena, def->database, &location, err);
        }
        if (status == STATUS_OK) {
            location = arena_printf(&arena, "%.*s/%.*s", STR_ARGS(location), STR_ARGS(def->name));
            status = catalog_tables_create(&place, def, location, err);
        }
    }
    arena_release(&arena);
    return status;
}

enum status catalog_sqlite_create_table(struct catalog *catalog, const struct table_def *def,
                                        struct err *err)
{
    return def->is_iceberg ? create_iceberg(of(catalog), def, err)
                           : create_definition(of(catalog), def, err);
}

static enum status drop_iceberg(struct catalog_sqlite *self, struct str database, struct str name,
                                bool purge, struct err *err)
{
    struct table_place place = place_of(self);
    struct iceberg_table *table = NULL;
    struct str texts[] = {self->row_name, database, name};
    int changes = 0;
    enum status status = STATUS_OK;
    if (purge) {
        status = iceberg_table_open(&place, &(struct table_name){database, name}, &table, err);
        status = status == STATUS_OK ? catalog_tables_check_purge(table, err) : status;
    }
    if (status == STATUS_OK) {
        pthread_mutex_lock(&self->lock);
        status = run(self,
                     "DELETE FROM iceberg_tables WHERE catalog_name = ?1 AND table_namespace = ?2 "
                     "AND table_name = ?3 AND $IS_TABLE",
                     texts, 3, &changes, err);
        pthread_mutex_unlock(&self->lock);
    }
    if (status == STATUS_OK && changes == 0) {
        status = catalog_tables_missing(&self->base, database, name, err);
    }
    if (status == STATUS_OK && purge) {
        status = catalog_tables_purge(self->store, table->metadata->location, err);
    }
    iceberg_table_free(table);
    return status;
}

enum status catalog_sqlite_drop_table(struct catalog *catalog, struct str database, struct str name,
                                      enum table_kind kind, bool purge, struct err *err)
{
    struct catalog_sqlite *self = of(catalog);
    struct str texts[] = {self->row_name, database, name};
    struct arena arena;
    struct str *kinds;
    uint32_t count = 0;
    arena_init(&arena);
    pthread_mutex_lock(&self->lock);
    enum status status = texts_of(self, &arena,
                                  "SELECT kind FROM frazil_definitions WHERE catalog_name = ?1 AND "
                                  "database_name = ?2 AND name = ?3",
                                  texts, 3, &kinds, &count, err);
    if (status == STATUS_OK && count > 0) {
        bool is_view = str_is(kinds[0], "VIEW");
        status = is_view != (kind == TABLE_KIND_VIEW)
                     ? ERR(err, STATUS_CONFLICT, "'%.*s' is a %s: DROP %s", STR_ARGS(name),
                           is_view ? "view" : "table", is_view ? "VIEW" : "TABLE")
                     : run(self,
                           "DELETE FROM frazil_definitions WHERE catalog_name = ?1 AND "
                           "database_name = ?2 AND name = ?3",
                           texts, 3, NULL, err);
    }
    pthread_mutex_unlock(&self->lock);
    arena_release(&arena);
    if (status != STATUS_OK || count > 0) {
        return status;
    }
    if (kind == TABLE_KIND_VIEW) {
        return catalog_tables_missing(catalog, database, name, err);
    }
    return drop_iceberg(self, database, name, purge, err);
}

static enum status alter_definition(struct catalog_sqlite *self, struct arena *arena,
                                    const struct table_def *old, const struct table_option *options,
                                    uint32_t option_count, struct err *err)
{
    struct table_def def = *old;
    struct table_option *merged =
        arena_new_array(arena, struct table_option, old->option_count + option_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < old->option_count; i++) {
        bool changed = false;
        for (uint32_t j = 0; j < option_count; j++) {
            changed = changed || str_equal(old->options[i].key, options[j].key);
        }
        if (!changed) {
            merged[count++] = old->options[i];
        }
    }
    for (uint32_t j = 0; j < option_count; j++) {
        if (options[j].value.size > 0) {
            merged[count++] = options[j];
        }
    }
    def.options = merged;
    def.option_count = count;
    struct strbuf json;
    strbuf_init(&json, DEFINITION_BYTES_MAX);
    definition_json_print(&json, &def);
    pthread_mutex_lock(&self->lock);
    enum status status = run(
        self,
        "UPDATE frazil_definitions SET definition = ?4 WHERE "
        "catalog_name = ?1 AND database_name = ?2 AND name = ?3",
        (struct str[]){self->row_name, def.database, def.name, strbuf_str(&json)}, 4, NULL, err);
    pthread_mutex_unlock(&self->lock);
    strbuf_release(&json);
    return status;
}

enum status catalog_sqlite_alter_options(struct catalog *catalog, struct str database,
                                         struct str name, const struct table_option *options,
                                         uint32_t option_count, struct err *err)
{
    struct catalog_sqlite *self = of(catalog);
    struct arena arena;
    const struct table_def *def;
    arena_init(&arena);
    enum status status = catalog_sqlite_get_table(catalog, &arena, database, name, &def, err);
    if (status == STATUS_OK) {
        struct table_place place = place_of(self);
        status = def->is_iceberg
                     ? catalog_tables_alter(&place, database, name, options, option_count, err)
                     : alter_definition(self, &arena, def, options, option_count, err);
    }
    arena_release(&arena);
    return status;
}
