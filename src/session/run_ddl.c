// SPDX-License-Identifier: Apache-2.0
//
// CREATE, DROP, ALTER, USE.
#include "base/arena.h"
#include "base/nearest.h"
#include "base/strbuf.h"
#include "connect/iceberg_catalog.h"
#include "iceberg/iceberg_def.h"
#include "iceberg/write_properties.h"
#include "session/session_int.h"

enum { NOTE_TYPES_BYTES = 2048 };

static enum status at(struct err *err, enum status status, const struct ast_path *path)
{
    if (err != NULL && (err->status == STATUS_IO || err->status == STATUS_LIMIT ||
                        err->status == STATUS_UNAVAILABLE)) {
        return status; // the disk's fault, whatever the statement says
    }
    err_at(err, ERR_STAGE_VALIDATE, path->at.offset, path->at.length);
    return status;
}

// The very same definition made again is a no-op with a note, so that a script can be run twice.
static enum status exists_already(struct statement_run *run, const struct table_def *def,
                                  const struct table_def *old, bool if_not_exists,
                                  const struct ast_path *path, struct err *err)
{
    const char *what = old->kind == TABLE_KIND_VIEW ? "view" : "table";
    if (if_not_exists || table_def_equal(def, old)) {
        result_note(run->result, "%s '%.*s' exists already", what, STR_ARGS(def->name));
        return STATUS_OK;
    }
    ERR(err, STATUS_EXISTS, "%s '%.*s.%.*s.%.*s' exists already, with another definition", what,
        STR_ARGS(def->catalog_name), STR_ARGS(def->database), STR_ARGS(def->name));
    err_hint(err, "DROP it first, or use another name; SHOW CREATE %s prints what there is",
             old->kind == TABLE_KIND_VIEW ? "VIEW" : "TABLE");
    return at(err, STATUS_EXISTS, path);
}

// Which properties of an Iceberg table change nothing here, and why.
static void note_properties(struct statement_run *run, const struct table_option *options,
                            uint32_t count)
{
    struct arena *arena = &run->result->arena;
    struct table_property *properties = arena_new_array(arena, struct table_property, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        properties[i] = (struct table_property){options[i].key, options[i].value};
    }
    struct str note = write_properties_note(arena, properties, count);
    if (note.size > 0) {
        result_note(run->result, "%.*s", STR_ARGS(note));
    }
}

static enum status store_definition(struct statement_run *run, const struct table_def *def,
                                    bool temporary, bool if_not_exists, const struct ast_path *path,
                                    struct err *err)
{
    struct session *session = run->session;
    struct session_name name = {def->catalog_name, def->database, def->name};
    const struct table_def *old = session_find_temporary(session, &name);
    if (temporary || session->is_checking) {
        if (old != NULL) {
            return exists_already(run, def, old, if_not_exists, path, err);
        }
        struct table_def *kept = table_def_copy(&session->arena, def);
        kept->is_temporary = true;
        VEC_PUSH(&session->temporary, kept);
        return STATUS_OK;
    }
    struct catalog *catalog = session_find_catalog(session, def->catalog_name, err);
    if (catalog == NULL) {
        return at(err, STATUS_NOT_FOUND, path);
    }
    enum status status = catalog->ops->create_table(catalog, def, err);
    if (status == STATUS_EXISTS) {
        TRY(catalog->ops->get_table(catalog, &run->result->arena, def->database, def->name, &old,
                                    err));
        return exists_already(run, def, old, if_not_exists, path, err);
    }
    return status == STATUS_OK ? status : at(err, status, path);
}

// Types that Iceberg does not have become others (as in Flink's catalogs): said, not done silently.
static void note_types(struct statement_run *run, const struct table_def *asked,
                       const struct table_def *kept)
{
    struct strbuf text;
    strbuf_init(&text, NOTE_TYPES_BYTES);
    for (uint32_t i = 0; i < asked->column_count; i++) {
        const struct type *from = asked->columns[i].type;
        const struct type *to = kept->columns[i].type;
        if (!type_equal_nullability_aside(from, to)) {
            struct arena *arena = &run->result->arena;
            strbuf_printf(&text, "%s%.*s %.*s for %.*s", text.size > 0 ? ", " : "",
                          STR_ARGS(asked->columns[i].name),
                          STR_ARGS(type_text(arena, type_with_null(arena, to, true))),
                          STR_ARGS(type_text(arena, type_with_null(arena, from, true))));
        }
    }
    if (text.size > 0) {
        result_note(run->result, "table '%.*s' has the nearest types of Iceberg: %.*s%s",
                    STR_ARGS(asked->name), STR_ARGS(strbuf_str(&text)), text.truncated ? " …" : "");
    }
    strbuf_release(&text);
}

// An Iceberg table: made in its catalog, or for `check` as it would be there.
static enum status create_iceberg(struct statement_run *run, const struct table_def *def,
                                  struct err *err)
{
    const struct ast_create_table *create = &run->statement->as.create_table;
    struct arena *arena = &run->result->arena;
    const struct table_metadata *metadata;
    struct table_def *kept;
    enum status status = iceberg_def_preview(arena, def, &metadata, err);
    if (status == STATUS_OK) {
        status = iceberg_def_of_table(arena, metadata, &kept, err);
    }
    if (status != STATUS_OK) {
        return at(err, status, &create->name);
    }
    kept->catalog_name = def->catalog_name;
    kept->database = def->database;
    kept->name = def->name;
    const struct table_def *stored = run->session->is_checking ? kept : def;
    TRY(store_definition(run, stored, false, create->if_not_exists, &create->name, err));
    if (run->result->notes.size == 0) { // else it was there before
        note_types(run, def, kept);
        note_properties(run, def->options, def->option_count);
    }
    return STATUS_OK;
}

// A definition is stored whatever it says (as in Flink); what a query would refuse is told now.
static enum status create_with_connector(struct statement_run *run, const struct table_def *def,
                                         const struct bind_context *context, struct err *err)
{
    const struct ast_create_table *create = &run->statement->as.create_table;
    const struct connector_lookup *lookup = &context->connectors;
    struct connector_info info = {0};
    struct err fault;
    TRY(store_definition(run, def, create->temporary, create->if_not_exists, &create->name, err));
    if (table_def_option(def, "connector") != NULL && !iceberg_catalog_names_table(def) &&
        lookup->describe(lookup->self, &run->result->arena, def, false, &info, &fault) !=
            STATUS_OK) {
        result_note(run->result, "table '%.*s' cannot be used like this: %s%s%s%s",
                    STR_ARGS(def->name), fault.text, fault.hint[0] != '\0' ? " (" : "", fault.hint,
                    fault.hint[0] != '\0' ? ")" : "");
    }
    return STATUS_OK;
}

enum status run_create_table(struct statement_run *run, struct err *err)
{
    const struct ast_create_table *create = &run->statement->as.create_table;
    if (create->mode != AST_CREATE) {
        return run_unsupported(run, "CREATE OR REPLACE TABLE", err);
    }
    if (create->query != NULL) {
        return run_unsupported(run, "CREATE TABLE ... AS SELECT", err);
    }
    struct bind_context context;
    struct table_def *def;
    TRY(session_zone(run, err));
    session_bind_context(run, &context);
    TRY(bind_create_table(&context, create, &def, err));
    struct catalog *catalog = session_find_catalog(run->session, def->catalog_name, err);
    if (catalog == NULL) {
        return at(err, STATUS_NOT_FOUND, &create->name);
    }
    def->is_iceberg = !create->temporary && table_def_option(def, "connector") == NULL &&
                      str_is(str_from(catalog->ops->type), "iceberg");
    return def->is_iceberg ? create_iceberg(run, def, err)
                           : create_with_connector(run, def, &context, err);
}

enum status run_create_view(struct statement_run *run, struct err *err)
{
    const struct ast_create_view *create = &run->statement->as.create_view;
    if (create->mode != AST_CREATE) {
        return run_unsupported(run, "CREATE OR REPLACE VIEW", err);
    }
    struct bind_context context;
    struct table_def *def;
    TRY(session_zone(run, err));
    session_bind_context(run, &context);
    TRY(bind_create_view(&context, create, &def, err));
    return store_definition(run, def, create->temporary, create->if_not_exists, &create->name, err);
}

static void copy_options(struct arena *arena, const struct ast_options *options,
                         struct table_option **out)
{
    *out = arena_new_array(arena, struct table_option, options->count);
    for (uint32_t i = 0; i < options->count; i++) {
        (*out)[i] =
            (struct table_option){options->items[i].key.value, options->items[i].value.value};
    }
}

// [catalog.]database
static enum status complete_database(struct session *session, const struct ast_path *path,
                                     struct session_name *out, struct err *err)
{
    if (path->count > 2) {
        ERR(err, STATUS_INVALID_DATA, "a database's name has up to two parts: catalog.database");
        return at(err, STATUS_INVALID_DATA, path);
    }
    *out = (struct session_name){
        .catalog = path->count == 2 ? path->parts[0].text : session->catalog,
        .database = path->count >= 1 ? path->parts[path->count - 1].text : session->database};
    return STATUS_OK;
}

enum status run_create_database(struct statement_run *run, struct err *err)
{
    const struct ast_create_database *create = &run->statement->as.create_database;
    struct session_name name;
    struct table_option *options;
    TRY(complete_database(run->session, &create->name, &name, err));
    struct catalog *catalog = session_find_catalog(run->session, name.catalog, err);
    if (catalog == NULL) {
        return at(err, STATUS_NOT_FOUND, &create->name);
    }
    copy_options(&run->result->arena, &create->options, &options);
    enum status status = catalog->ops->create_database(
        catalog, name.database, create->comment.value, options, create->options.count, err);
    if (status == STATUS_EXISTS && create->if_not_exists) {
        result_note(run->result, "database '%.*s' exists already", STR_ARGS(name.database));
        return STATUS_OK;
    }
    return status == STATUS_OK ? status : at(err, status, &create->name);
}

enum status run_create_catalog(struct statement_run *run, struct err *err)
{
    const struct ast_create_catalog *create = &run->statement->as.create_catalog;
    struct session *session = run->session;
    struct table_option *options;
    struct str type = {0};
    copy_options(&run->result->arena, &create->options, &options);
    for (uint32_t i = 0; i < create->options.count; i++) {
        type = str_is(options[i].key, "type") ? options[i].value : type;
    }
    struct catalog *catalog = session_find_catalog(session, create->name.text, NULL);
    if (catalog != NULL && create->if_not_exists) {
        return STATUS_OK;
    }
    enum status status = STATUS_OK;
    if (catalog != NULL) {
        status =
            ERR(err, STATUS_EXISTS, "catalog '%.*s' exists already", STR_ARGS(create->name.text));
    } else if (str_is(type, "generic_in_memory")) {
        struct str name = arena_str(&session->arena, create->name.text);
        catalog = catalog_memory_new(name, STR_LIT("default"));
    } else if (str_is(type, "iceberg")) {
        status = iceberg_catalog_open(create->name.text, options, create->options.count,
                                      session->store, &catalog, err);
    } else if (type.size == 0) {
        status = ERR(err, STATUS_INVALID_DATA, "the option 'type' is missing");
        err_hint(err, "WITH ('type' = 'iceberg', 'catalog-type' = 'hadoop', 'warehouse' = '...')");
    } else {
        status = ERR(err, STATUS_UNSUPPORTED, "catalogs of type '%.*s' are not supported yet",
                     STR_ARGS(type));
        err_hint(err, "catalogs are of the types 'iceberg' and 'generic_in_memory'");
    }
    if (status == STATUS_OK) {
        VEC_PUSH(&session->catalogs, catalog);
    } else {
        err_at(err, ERR_STAGE_VALIDATE, create->name.at.offset, create->name.at.length);
    }
    return status;
}

static bool drop_temporary(struct session *session, const struct session_name *name,
                           enum table_kind kind)
{
    const struct table_def *def = session_find_temporary(session, name);
    if (def == NULL || def->kind != kind) {
        return false;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < session->temporary.count; i++) {
        if (session->temporary.items[i] != def) {
            session->temporary.items[kept++] = session->temporary.items[i];
        }
    }
    session->temporary.count = kept;
    return true;
}

static enum status drop_table(struct statement_run *run, const struct ast_drop *drop,
                              enum table_kind kind, struct err *err)
{
    struct session_name name;
    TRY(session_complete(run->session, &run->result->arena, &drop->name, &name, err));
    if (drop_temporary(run->session, &name, kind)) {
        return STATUS_OK;
    }
    enum status status = STATUS_NOT_FOUND;
    const char *what = kind == TABLE_KIND_VIEW ? "view" : "table";
    if (drop->temporary) {
        ERR(err, status, "temporary %s '%.*s' does not exist", what, STR_ARGS(name.name));
    } else {
        struct catalog *catalog = session_find_catalog(run->session, name.catalog, err);
        status = catalog == NULL ? err->status
                                 : catalog->ops->drop_table(catalog, name.database, name.name, kind,
                                                            false, err);
        if (status == STATUS_NOT_FOUND && catalog != NULL) {
            session_hint_table(run, &drop->name, err);
        }
    }
    if (status == STATUS_NOT_FOUND && drop->if_exists) {
        return STATUS_OK;
    }
    return status == STATUS_OK ? status : at(err, status, &drop->name);
}

static enum status drop_database(struct statement_run *run, const struct ast_drop *drop,
                                 struct err *err)
{
    struct session_name name;
    TRY(complete_database(run->session, &drop->name, &name, err));
    struct catalog *catalog = session_find_catalog(run->session, name.catalog, err);
    enum status status = catalog == NULL
                             ? err->status
                             : catalog->ops->drop_database(catalog, name.database,
                                                           drop->behavior == AST_DROP_CASCADE, err);
    if (status == STATUS_NOT_FOUND && drop->if_exists) {
        return STATUS_OK;
    }
    return status == STATUS_OK ? status : at(err, status, &drop->name);
}

static enum status drop_catalog(struct statement_run *run, const struct ast_drop *drop,
                                struct err *err)
{
    struct session *session = run->session;
    struct str name = drop->name.parts[0].text;
    if (str_equal(name, session->catalog)) {
        ERR(err, STATUS_CONFLICT, "catalog '%.*s' is the current one", STR_ARGS(name));
        err_hint(err, "USE CATALOG another one first");
        return at(err, STATUS_CONFLICT, &drop->name);
    }
    for (uint32_t i = 0; i < session->catalogs.count; i++) {
        struct catalog *catalog = session->catalogs.items[i];
        if (str_equal(catalog->name, name)) {
            catalog->ops->close(catalog);
            session->catalogs.items[i] = session->catalogs.items[--session->catalogs.count];
            return STATUS_OK;
        }
    }
    if (drop->if_exists) {
        return STATUS_OK;
    }
    ERR(err, STATUS_NOT_FOUND, "catalog '%.*s' does not exist", STR_ARGS(name));
    return at(err, STATUS_NOT_FOUND, &drop->name);
}

enum status run_drop(struct statement_run *run, struct err *err)
{
    const struct ast_drop *drop = &run->statement->as.drop;
    switch (drop->object) {
    case AST_OBJECT_TABLE: return drop_table(run, drop, TABLE_KIND_TABLE, err);
    case AST_OBJECT_VIEW: return drop_table(run, drop, TABLE_KIND_VIEW, err);
    case AST_OBJECT_DATABASE: return drop_database(run, drop, err);
    case AST_OBJECT_CATALOG: return drop_catalog(run, drop, err);
    case AST_OBJECT_MATERIALIZED_TABLE:
    case AST_OBJECT_FUNCTION:
    case AST_OBJECT_MODEL:
    case AST_OBJECT_MODULE:
    case AST_OBJECT_CONNECTION: break;
    }
    return run_unsupported(run, "DROP of this kind of object", err);
}

// ALTER TABLE t SET ('key' = 'value') and RESET ('key').
enum status run_alter(struct statement_run *run, struct err *err)
{
    const struct ast_alter *alter = &run->statement->as.alter;
    if (alter->object != AST_OBJECT_TABLE ||
        (alter->kind != AST_ALTER_SET && alter->kind != AST_ALTER_RESET)) {
        return run_unsupported(run, "this form of ALTER", err);
    }
    struct session_name name;
    struct table_option *options;
    TRY(session_complete(run->session, &run->result->arena, &alter->name, &name, err));
    struct catalog *catalog = session_find_catalog(run->session, name.catalog, err);
    if (catalog == NULL) {
        return at(err, STATUS_NOT_FOUND, &alter->name);
    }
    if (catalog->ops->alter_options == NULL) {
        return run_unsupported(run, "ALTER TABLE in this catalog", err);
    }
    uint32_t count = alter->options.count;
    if (alter->kind == AST_ALTER_SET) {
        copy_options(&run->result->arena, &alter->options, &options);
    } else {
        count = alter->key_count;
        options = arena_new_array(&run->result->arena, struct table_option, count);
        for (uint32_t i = 0; i < count; i++) {
            options[i].key = alter->keys[i].value; // an empty value removes it
        }
    }
    if (session_find_temporary(run->session, &name) != NULL) {
        run_unsupported(run, "ALTER of a temporary table", err);
        err_hint(err, "DROP TEMPORARY TABLE and create it anew; it hides the table of that name "
                      "in the catalog");
        return STATUS_UNSUPPORTED;
    }
    enum status status =
        catalog->ops->alter_options(catalog, name.database, name.name, options, count, err);
    if (status == STATUS_NOT_FOUND) {
        session_hint_table(run, &alter->name, err);
    }
    if (status == STATUS_NOT_FOUND && alter->if_exists) {
        return STATUS_OK;
    }
    if (status == STATUS_OK) {
        note_properties(run, options, count);
    }
    return status == STATUS_OK ? status : at(err, status, &alter->name);
}

static enum status use_catalog(struct statement_run *run, struct err *err)
{
    struct session *session = run->session;
    const struct ast_path *path = &run->statement->as.path;
    struct catalog *catalog = session_find_catalog(session, path->parts[0].text, err);
    if (catalog == NULL) {
        return at(err, STATUS_NOT_FOUND, path);
    }
    session->catalog = catalog->name;
    session->database = catalog->default_database;
    return STATUS_OK;
}

enum status run_use(struct statement_run *run, struct err *err)
{
    if (run->statement->kind == AST_USE_CATALOG) {
        return use_catalog(run, err);
    }
    struct session *session = run->session;
    const struct ast_path *path = &run->statement->as.path;
    struct session_name name;
    TRY(complete_database(session, path, &name, err));
    struct catalog *catalog = session_find_catalog(session, name.catalog, err);
    if (catalog == NULL) {
        return at(err, STATUS_NOT_FOUND, path);
    }
    struct str *names;
    uint32_t count;
    TRY(catalog->ops->list_databases(catalog, &run->result->arena, &names, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        if (str_equal(names[i], name.database)) {
            session->catalog = catalog->name;
            session->database = arena_str(&session->arena, name.database);
            return STATUS_OK;
        }
    }
    ERR(err, STATUS_NOT_FOUND, "database '%.*s.%.*s' does not exist", STR_ARGS(name.catalog),
        STR_ARGS(name.database));
    struct nearest nearest = nearest_to(name.database);
    for (uint32_t i = 0; i < count; i++) {
        nearest_try(&nearest, names[i]);
    }
    nearest_hint(&nearest, err);
    return at(err, STATUS_NOT_FOUND, path);
}
