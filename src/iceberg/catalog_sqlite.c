// SPDX-License-Identifier: Apache-2.0
//
// The connection, the schema, the pointer. catalog_sqlite_tables.c has what SQL asks for.
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/mark.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "iceberg/catalog_sqlite_int.h"
#include "iceberg/iceberg_table.h"

enum { BUSY_MS = 30000, BUSY_STEP_MS = 10, STATEMENT_BYTES_MAX = 1 << 16 };

static const char schema_sql[] =
    "CREATE TABLE IF NOT EXISTS iceberg_tables("
    "catalog_name VARCHAR(255) NOT NULL,table_namespace VARCHAR(255) NOT NULL,"
    "table_name VARCHAR(255) NOT NULL,metadata_location VARCHAR(1000),"
    "previous_metadata_location VARCHAR(1000),iceberg_type VARCHAR(5),"
    "PRIMARY KEY (catalog_name, table_namespace, table_name));"
    "CREATE TABLE IF NOT EXISTS iceberg_namespace_properties("
    "catalog_name VARCHAR(255) NOT NULL,namespace VARCHAR(255) NOT NULL,"
    "property_key VARCHAR(255),property_value VARCHAR(1000),"
    "PRIMARY KEY (catalog_name, namespace, property_key));";

// In files of others an empty one that only this connection sees stands for it.
#define DEFINITIONS_SQL(temporary)                                                                 \
    "CREATE " temporary "TABLE IF NOT EXISTS frazil_definitions("                                  \
    "catalog_name TEXT NOT NULL,database_name TEXT NOT NULL,name TEXT NOT NULL,"                   \
    "kind TEXT NOT NULL,definition TEXT NOT NULL,"                                                 \
    "PRIMARY KEY (catalog_name, database_name, name));"

enum status catalog_sqlite_failed(struct catalog_sqlite *self, const char *what, struct err *err)
{
    int code = sqlite3_errcode(self->db);
    enum status status = code == SQLITE_BUSY || code == SQLITE_LOCKED      ? STATUS_UNAVAILABLE
                         : code == SQLITE_FULL                             ? STATUS_LIMIT
                         : code == SQLITE_CORRUPT || code == SQLITE_NOTADB ? STATUS_INVALID_DATA
                                                                           : STATUS_IO;
    return ERR(err, status, "catalog %s: %s: %s", self->path, what, sqlite3_errmsg(self->db));
}

enum status catalog_sqlite_prepare(struct catalog_sqlite *self, const char *sql,
                                   struct sqlite3_stmt **out, struct err *err)
{
    // A file of the first JDBC schema does not tell tables from views: all are tables.
    static const char mark[] = "$IS_TABLE";
    struct strbuf text;
    const char *found;
    *out = NULL;
    strbuf_init(&text, STATEMENT_BYTES_MAX);
    while ((found = strstr(sql, mark)) != NULL) {
        strbuf_add(&text, str_make(sql, (size_t)(found - sql)));
        strbuf_add_text(&text,
                        self->has_types ? "(iceberg_type IS NULL OR iceberg_type = 'TABLE')" : "1");
        sql = found + strlen(mark);
    }
    strbuf_add_text(&text, sql);
    int code = sqlite3_prepare_v2(self->db, text.ptr, (int)text.size, out, NULL);
    strbuf_release(&text);
    return code == SQLITE_OK ? STATUS_OK : catalog_sqlite_failed(self, "prepare", err);
}

void catalog_sqlite_bind(struct sqlite3_stmt *statement, int at, struct str text)
{
    // Statements are stepped and finalized while what they are bound to lives.
    sqlite3_bind_text64(statement, at, text.ptr == NULL ? "" : text.ptr, text.size, SQLITE_STATIC,
                        SQLITE_UTF8);
}

struct str catalog_sqlite_column(struct sqlite3_stmt *statement, int at)
{
    const char *text = (const char *)sqlite3_column_text(statement, at);
    return str_make(text, text == NULL ? 0 : (size_t)sqlite3_column_bytes(statement, at));
}

enum status catalog_sqlite_exec(struct catalog_sqlite *self, const char *sql, struct err *err)
{
    return sqlite3_exec(self->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? STATUS_OK
               : catalog_sqlite_failed(self, "schema", err);
}

// Runs a statement with up to three texts bound and counts its rows.
static enum status count_rows(struct catalog_sqlite *self, const char *sql, struct str a,
                              struct str b, int *rows, struct err *err)
{
    struct sqlite3_stmt *statement;
    TRY(catalog_sqlite_prepare(self, sql, &statement, err));
    if (sqlite3_bind_parameter_count(statement) > 0) {
        catalog_sqlite_bind(statement, 1, a);
    }
    if (sqlite3_bind_parameter_count(statement) > 1) {
        catalog_sqlite_bind(statement, 2, b);
    }
    *rows = 0;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        (*rows)++;
    }
    enum status status = code == SQLITE_DONE ? STATUS_OK : catalog_sqlite_failed(self, "read", err);
    sqlite3_finalize(statement);
    return status;
}

static enum status make_schema(struct catalog_sqlite *self, bool is_ours, struct err *err)
{
    int tables;
    int typed;
    int definitions;
    struct str none = STR_LIT("");
    TRY(count_rows(self,
                   "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN "
                   "('iceberg_tables', 'iceberg_namespace_properties')",
                   none, none, &tables, err));
    if (tables < 2) {
        TRY(catalog_sqlite_exec(self, schema_sql, err));
    }
    TRY(count_rows(self,
                   "SELECT 1 FROM sqlite_master WHERE type = 'table' AND "
                   "name = 'frazil_definitions'",
                   none, none, &definitions, err));
    if (definitions == 0) {
        TRY(catalog_sqlite_exec(self, is_ours ? DEFINITIONS_SQL("") : DEFINITIONS_SQL("TEMP "),
                                err));
    }
    self->has_definitions = is_ours || definitions > 0;
    TRY(count_rows(self,
                   "SELECT 1 FROM pragma_table_info('iceberg_tables') WHERE name = 'iceberg_type'",
                   none, none, &typed, err));
    self->has_types = typed > 0 || is_ours;
    if (typed == 0 && is_ours) { // as Java does
        TRY(catalog_sqlite_exec(
            self, "ALTER TABLE iceberg_tables ADD COLUMN iceberg_type VARCHAR(5)", err));
    }
    return STATUS_OK;
}

// Whose rows are meant where nobody said so: those of the attached name; else the only ones.
static enum status choose_rows(struct catalog_sqlite *self, struct err *err)
{
    struct strbuf seen;
    struct sqlite3_stmt *statement;
    uint32_t count = 0;
    bool own = false;
    int code;
    TRY(catalog_sqlite_prepare(self,
                               "SELECT catalog_name FROM iceberg_tables UNION SELECT catalog_name "
                               "FROM iceberg_namespace_properties ORDER BY 1",
                               &statement, err));
    strbuf_init(&seen, ERR_HINT_MAX);
    struct str only = {0};
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        struct str name = catalog_sqlite_column(statement, 0);
        own = own || str_equal(name, self->base.name);
        strbuf_printf(&seen, "%s'%.*s'", count > 0 ? ", " : "", STR_ARGS(name));
        only = count++ == 0 ? arena_str(&self->arena, name) : only;
    }
    enum status status = code == SQLITE_DONE ? STATUS_OK : catalog_sqlite_failed(self, "read", err);
    sqlite3_finalize(statement);
    if (status == STATUS_OK && !own && count == 1) {
        self->row_name = only;
    } else if (status == STATUS_OK && !own && count > 1) {
        status = ERR(err, STATUS_INVALID_DATA,
                     "catalog file %s holds several catalogs, and none "
                     "of them is '%.*s'",
                     self->path, STR_ARGS(self->base.name));
        err_hint(err, "'catalog-name' chooses one: %.*s", STR_ARGS(strbuf_str(&seen)));
    }
    strbuf_release(&seen);
    return status;
}

static enum status make_default(struct catalog_sqlite *self, struct err *err)
{
    int rows;
    struct str database = self->base.default_database;
    TRY(count_rows(self,
                   "SELECT 1 FROM iceberg_namespace_properties WHERE catalog_name = ?1 AND "
                   "namespace = ?2",
                   self->row_name, database, &rows, err));
    if (rows > 0 || database.size == 0) {
        return STATUS_OK;
    }
    TRY(count_rows(self,
                   "INSERT OR IGNORE INTO iceberg_namespace_properties VALUES "
                   "(?1, ?2, 'exists', 'true')",
                   self->row_name, database, &rows, err));
    return STATUS_OK;
}

static enum status load(struct table_pointer *pointer, struct arena *arena,
                        const struct table_name *table, struct str *location, struct err *err)
{
    struct catalog_sqlite *self = catalog_sqlite_of_pointer(pointer);
    struct sqlite3_stmt *statement = NULL;
    pthread_mutex_lock(&self->lock);
    enum status status = catalog_sqlite_prepare(
        self,
        "SELECT metadata_location FROM iceberg_tables WHERE catalog_name = ?1 AND "
        "table_namespace = ?2 AND table_name = ?3 AND "
        "$IS_TABLE",
        &statement, err);
    if (status == STATUS_OK) {
        catalog_sqlite_bind(statement, 1, self->row_name);
        catalog_sqlite_bind(statement, 2, table->database);
        catalog_sqlite_bind(statement, 3, table->name);
        int code = sqlite3_step(statement);
        if (code == SQLITE_ROW && sqlite3_column_type(statement, 0) == SQLITE_TEXT) {
            *location = arena_str(arena, catalog_sqlite_column(statement, 0));
        } else if (code == SQLITE_ROW || code == SQLITE_DONE) {
            status = ERR(err, STATUS_NOT_FOUND, "table '%.*s.%.*s' does not exist",
                         STR_ARGS(table->database), STR_ARGS(table->name));
        } else {
            status = catalog_sqlite_failed(self, "read", err);
        }
    }
    sqlite3_finalize(statement);
    pthread_mutex_unlock(&self->lock);
    return status;
}

// What a failed write means for the table. Refused before anything was written: a definite no.
static enum status swap_failed(struct catalog_sqlite *self, struct err *err)
{
    int code = sqlite3_errcode(self->db);
    if (code == SQLITE_CONSTRAINT) {
        return ERR(err, STATUS_EXISTS, "the table exists already");
    }
    enum status status = catalog_sqlite_failed(self, "swap", err);
    bool definite = code == SQLITE_BUSY || code == SQLITE_LOCKED || code == SQLITE_READONLY ||
                    code == SQLITE_PERM || code == SQLITE_CANTOPEN || code == SQLITE_CORRUPT ||
                    code == SQLITE_NOTADB;
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
        return ERR(err, STATUS_CONFLICT, "catalog %s: busy for over %d ms", self->path, BUSY_MS);
    }
    return definite ? status
                    : ERR(err, STATUS_COMMIT_UNKNOWN, "catalog %s: %s", self->path,
                          sqlite3_errmsg(self->db));
}

static enum status swap_missed(struct catalog_sqlite *self, const struct table_name *table,
                               struct err *err)
{
    int rows;
    TRY(count_rows(self,
                   "SELECT 1 FROM iceberg_tables WHERE table_namespace = ?1 AND table_name = ?2",
                   table->database, table->name, &rows, err));
    return rows > 0 ? ERR(err, STATUS_CONFLICT, "table '%.*s.%.*s' has moved on",
                          STR_ARGS(table->database), STR_ARGS(table->name))
                    : ERR(err, STATUS_NOT_FOUND, "table '%.*s.%.*s' does not exist",
                          STR_ARGS(table->database), STR_ARGS(table->name));
}

static enum status swap(struct table_pointer *pointer, const struct table_name *table,
                        struct str expected, struct str next, struct err *err)
{
    struct catalog_sqlite *self = catalog_sqlite_of_pointer(pointer);
    struct sqlite3_stmt *statement = NULL;
    bool creating = expected.size == 0;
    pthread_mutex_lock(&self->lock);
    enum status status = catalog_sqlite_prepare(
        self,
        creating && self->has_types
            ? "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, "
              "metadata_location, previous_metadata_location, iceberg_type) "
              "VALUES (?1, ?2, ?3, ?4, NULL, 'TABLE')"
        : creating ? "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, "
                     "metadata_location, previous_metadata_location) "
                     "VALUES (?1, ?2, ?3, ?4, NULL)"
                   : "UPDATE iceberg_tables SET metadata_location = ?4, "
                     "previous_metadata_location = ?5 WHERE catalog_name = ?1 AND "
                     "table_namespace = ?2 AND table_name = ?3 AND metadata_location = ?5 AND "
                     "$IS_TABLE",
        &statement, err);
    if (status == STATUS_OK) {
        catalog_sqlite_bind(statement, 1, self->row_name);
        catalog_sqlite_bind(statement, 2, table->database);
        catalog_sqlite_bind(statement, 3, table->name);
        catalog_sqlite_bind(statement, 4, next);
        if (!creating) {
            catalog_sqlite_bind(statement, 5, expected);
        }
        int code = sqlite3_step(statement);
        MARK("catalog.swap.answered");
        if (code != SQLITE_DONE) {
            status = swap_failed(self, err);
        } else if (sqlite3_changes(self->db) != 1) {
            status = swap_missed(self, table, err);
        }
    }
    sqlite3_finalize(statement);
    pthread_mutex_unlock(&self->lock);
    return status;
}

static const struct table_pointer_ops pointer_ops = {.load = load, .swap = swap};

static void close_catalog(struct catalog *catalog)
{
    struct catalog_sqlite *self = (struct catalog_sqlite *)catalog;
    sqlite3_close(self->db);
    pthread_mutex_destroy(&self->lock);
    mem_free(self->path);
    arena_release(&self->arena);
    mem_free(self);
}

static void place(struct catalog *catalog, struct table_place *out)
{
    struct catalog_sqlite *self = (struct catalog_sqlite *)catalog;
    *out = (struct table_place){.store = self->store, .pointer = &self->pointer, .env = self->env};
}

static const struct catalog_ops catalog_ops = {
    .type = "iceberg",
    .list_databases = catalog_sqlite_list_databases,
    .create_database = catalog_sqlite_create_database,
    .drop_database = catalog_sqlite_drop_database,
    .list_tables = catalog_sqlite_list_tables,
    .get_table = catalog_sqlite_get_table,
    .create_table = catalog_sqlite_create_table,
    .drop_table = catalog_sqlite_drop_table,
    .alter_options = catalog_sqlite_alter_options,
    .place = place,
    .close = close_catalog,
};

// The statement has run, nothing of it is in the log yet.
static int on_commit(void *ignored)
{
    (void)ignored;
    MARK("catalog.swap.sent");
    return 0;
}

static enum status connect(struct catalog_sqlite *self, struct err *err)
{
    int code = sqlite3_open_v2(self->path, &self->db,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                                   SQLITE_OPEN_EXRESCODE,
                               NULL);
    if (code != SQLITE_OK) {
        return ERR(err, STATUS_IO, "catalog %s: %s", self->path,
                   self->db != NULL ? sqlite3_errmsg(self->db) : "cannot be opened");
    }
    sqlite3_extended_result_codes(self->db, 0);
    sqlite3_busy_timeout(self->db, BUSY_MS);
    (void)sqlite3_commit_hook(self->db, on_commit, NULL);
    return STATUS_OK;
}

static enum status set_up(struct catalog_sqlite *self, bool is_ours, struct err *err)
{
    TRY(catalog_sqlite_exec(self,
                            is_ours ? "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"
                                    : "PRAGMA temp_store = MEMORY; PRAGMA synchronous = EXTRA",
                            err));
    TRY(make_schema(self, is_ours, err));
    return is_ours ? make_default(self, err) : STATUS_OK;
}

// Where two processes meet at a new file, SQLite does not wait: its mode changes, and a lock for
// reading becomes one for writing. All steps may be made again.
static enum status set_up_patiently(struct catalog_sqlite *self, bool is_ours, struct err *err)
{
    int64_t until = self->env->now_ms(self->env) + BUSY_MS;
    enum status status = set_up(self, is_ours, err);
    while (status == STATUS_UNAVAILABLE && self->env->now_ms(self->env) < until) {
        self->env->sleep_ms(self->env, BUSY_STEP_MS);
        status = set_up(self, is_ours, err);
    }
    return status;
}

enum status catalog_sqlite_open(const struct catalog_sqlite_options *options, struct catalog **out,
                                struct err *err)
{
    struct catalog_sqlite *self = mem_zalloc(sizeof *self);
    bool names_rows = options->row_name.size > 0;
    *out = NULL;
    arena_init(&self->arena);
    self->base.ops = &catalog_ops;
    self->base.name = arena_str(&self->arena, options->name);
    self->base.default_database = arena_str(&self->arena, options->default_database);
    self->row_name = arena_str(&self->arena, names_rows ? options->row_name : options->name);
    self->pointer.ops = &pointer_ops;
    self->path = mem_strdup(options->path);
    self->warehouse = arena_str(&self->arena, options->warehouse);
    self->store = options->store;
    self->env = options->env != NULL ? options->env : table_env_system();
    pthread_mutex_init(&self->lock, NULL);
    enum status status = connect(self, err);
    if (status == STATUS_OK) {
        status = set_up_patiently(self, options->is_ours, err);
    }
    if (status == STATUS_OK && !options->is_ours && !names_rows) {
        status = choose_rows(self, err);
    }
    if (status != STATUS_OK) {
        close_catalog(&self->base);
        return status;
    }
    *out = &self->base;
    return STATUS_OK;
}
