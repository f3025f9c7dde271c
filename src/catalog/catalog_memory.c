// SPDX-License-Identifier: Apache-2.0
//
// Flink's in-memory catalog: definitions that live as long as the session. Each object has an arena
// of its own, so that dropping it frees it. Results are copies in the caller's arena. One thread.
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/vec.h"
#include "catalog/catalog.h"

struct entry {
    struct arena arena;
    struct table_def *def;
};

struct database {
    struct arena arena;
    struct str name;
    VEC(struct entry *) entries;
};

struct catalog_memory {
    struct catalog base; // first
    struct arena arena;  // of the names
    VEC(struct database *) databases;
};

static struct catalog_memory *from_base(struct catalog *catalog)
{
    return (struct catalog_memory *)catalog;
}

static struct database *find_database(struct catalog_memory *catalog, struct str name, uint32_t *at)
{
    for (uint32_t i = 0; i < catalog->databases.count; i++) {
        if (str_equal(catalog->databases.items[i]->name, name)) {
            *at = i;
            return catalog->databases.items[i];
        }
    }
    return NULL;
}

static enum status need_database(struct catalog_memory *catalog, struct str name,
                                 struct database **out, struct err *err)
{
    uint32_t at;
    *out = find_database(catalog, name, &at);
    if (*out == NULL) {
        return ERR(err, STATUS_NOT_FOUND, "database '%.*s' does not exist in catalog '%.*s'",
                   STR_ARGS(name), STR_ARGS(catalog->base.name));
    }
    return STATUS_OK;
}

static struct entry *find_entry(struct database *database, struct str name, uint32_t *at)
{
    for (uint32_t i = 0; i < database->entries.count; i++) {
        if (str_equal(database->entries.items[i]->def->name, name)) {
            *at = i;
            return database->entries.items[i];
        }
    }
    return NULL;
}

static enum status need_entry(struct catalog_memory *catalog, struct str database_name,
                              struct str name, struct entry **out, struct err *err)
{
    struct database *database;
    TRY(need_database(catalog, database_name, &database, err));
    uint32_t at;
    *out = find_entry(database, name, &at);
    if (*out == NULL) {
        return ERR(err, STATUS_NOT_FOUND, "table '%.*s.%.*s.%.*s' does not exist",
                   STR_ARGS(catalog->base.name), STR_ARGS(database_name), STR_ARGS(name));
    }
    return STATUS_OK;
}

static void entry_free(struct entry *entry)
{
    arena_release(&entry->arena);
    mem_free(entry);
}

static void database_free(struct database *database)
{
    for (uint32_t i = 0; i < database->entries.count; i++) {
        entry_free(database->entries.items[i]);
    }
    VEC_RELEASE(&database->entries);
    arena_release(&database->arena);
    mem_free(database);
}

static int by_name(const void *a, const void *b)
{
    const struct str *left = a;
    const struct str *right = b;
    return str_compare(*left, *right);
}

static enum status list_databases(struct catalog *catalog, struct arena *arena, struct str **names,
                                  uint32_t *count, struct err *err)
{
    (void)err;
    struct catalog_memory *memory = from_base(catalog);
    *count = memory->databases.count;
    *names = arena_new_array(arena, struct str, *count);
    for (uint32_t i = 0; i < *count; i++) {
        (*names)[i] = arena_str(arena, memory->databases.items[i]->name);
    }
    qsort(*names, *count, sizeof **names, by_name);
    return STATUS_OK;
}

static void add_database(struct catalog_memory *memory, struct str name)
{
    struct database *database = mem_zalloc(sizeof *database);
    arena_init(&database->arena);
    database->name = arena_str(&database->arena, name);
    VEC_PUSH(&memory->databases, database);
}

static enum status create_database(struct catalog *catalog, struct str name, struct str comment,
                                   const struct table_option *options, uint32_t option_count,
                                   struct err *err)
{
    (void)comment;
    (void)options;
    (void)option_count;
    struct catalog_memory *memory = from_base(catalog);
    uint32_t at;
    if (find_database(memory, name, &at) != NULL) {
        return ERR(err, STATUS_EXISTS, "database '%.*s' already exists in catalog '%.*s'",
                   STR_ARGS(name), STR_ARGS(catalog->name));
    }
    add_database(memory, name);
    return STATUS_OK;
}

static enum status drop_database(struct catalog *catalog, struct str name, bool cascade,
                                 struct err *err)
{
    struct catalog_memory *memory = from_base(catalog);
    uint32_t at = 0;
    struct database *database = find_database(memory, name, &at);
    if (database == NULL) {
        return ERR(err, STATUS_NOT_FOUND, "database '%.*s' does not exist in catalog '%.*s'",
                   STR_ARGS(name), STR_ARGS(catalog->name));
    }
    if (database->entries.count > 0 && !cascade) {
        return ERR(err, STATUS_CONFLICT, "database '%.*s' is not empty", STR_ARGS(name));
    }
    database_free(database);
    memory->databases.items[at] = memory->databases.items[--memory->databases.count];
    return STATUS_OK;
}

struct listed {
    struct str name; // first: by_name() looks at it
    enum table_kind kind;
};

static enum status list_tables(struct catalog *catalog, struct arena *arena,
                               struct str database_name, struct str **names,
                               enum table_kind **kinds, uint32_t *count, struct err *err)
{
    struct database *database;
    TRY(need_database(from_base(catalog), database_name, &database, err));
    *count = database->entries.count;
    struct listed *listed = arena_new_array(arena, struct listed, *count);
    for (uint32_t i = 0; i < *count; i++) {
        const struct table_def *def = database->entries.items[i]->def;
        listed[i] = (struct listed){arena_str(arena, def->name), def->kind};
    }
    qsort(listed, *count, sizeof *listed, by_name);
    *names = arena_new_array(arena, struct str, *count);
    if (kinds != NULL) {
        *kinds = arena_new_array(arena, enum table_kind, *count);
    }
    for (uint32_t i = 0; i < *count; i++) {
        (*names)[i] = listed[i].name;
        if (kinds != NULL) {
            (*kinds)[i] = listed[i].kind;
        }
    }
    return STATUS_OK;
}

static enum status get_table(struct catalog *catalog, struct arena *arena, struct str database,
                             struct str name, const struct table_def **out, struct err *err)
{
    struct entry *entry;
    TRY(need_entry(from_base(catalog), database, name, &entry, err));
    *out = table_def_copy(arena, entry->def);
    return STATUS_OK;
}

static enum status create_table(struct catalog *catalog, const struct table_def *def,
                                struct err *err)
{
    struct database *database;
    TRY(need_database(from_base(catalog), def->database, &database, err));
    if (def->is_iceberg) {
        return ERR(err, STATUS_UNSUPPORTED,
                   "catalog '%.*s' keeps definitions only: a table needs a 'connector'",
                   STR_ARGS(catalog->name));
    }
    uint32_t at;
    if (find_entry(database, def->name, &at) != NULL) {
        return ERR(err, STATUS_EXISTS, "table '%.*s.%.*s.%.*s' already exists",
                   STR_ARGS(catalog->name), STR_ARGS(def->database), STR_ARGS(def->name));
    }
    struct entry *entry = mem_zalloc(sizeof *entry);
    arena_init(&entry->arena);
    entry->def = table_def_copy(&entry->arena, def);
    entry->def->owner = catalog;
    VEC_PUSH(&database->entries, entry);
    return STATUS_OK;
}

static enum status drop_table(struct catalog *catalog, struct str database_name, struct str name,
                              enum table_kind kind, bool purge, struct err *err)
{
    (void)purge;
    struct entry *entry;
    TRY(need_entry(from_base(catalog), database_name, name, &entry, err));
    if (entry->def->kind != kind) {
        return ERR(err, STATUS_CONFLICT, "'%.*s' is a %s", STR_ARGS(name),
                   entry->def->kind == TABLE_KIND_VIEW ? "view" : "table");
    }
    struct database *database;
    TRY(need_database(from_base(catalog), database_name, &database, err));
    uint32_t at = 0;
    (void)find_entry(database, name, &at);
    database->entries.items[at] = database->entries.items[--database->entries.count];
    entry_free(entry);
    return STATUS_OK;
}

static void set_option(struct arena *arena, struct table_option *options, uint32_t *count,
                       const struct table_option *option)
{
    uint32_t at = 0;
    while (at < *count && !str_equal(options[at].key, option->key)) {
        at++;
    }
    if (option->value.size == 0) {
        if (at < *count) {
            options[at] = options[--*count];
        }
        return;
    }
    *count += at == *count ? 1 : 0;
    options[at].key = arena_str(arena, option->key);
    options[at].value = arena_str(arena, option->value);
}

static enum status alter_options(struct catalog *catalog, struct str database, struct str name,
                                 const struct table_option *options, uint32_t option_count,
                                 struct err *err)
{
    struct entry *entry;
    TRY(need_entry(from_base(catalog), database, name, &entry, err));
    struct table_def *def = entry->def;
    struct table_option *all =
        arena_new_array(&entry->arena, struct table_option, def->option_count + option_count);
    uint32_t count = def->option_count;
    for (uint32_t i = 0; i < count; i++) {
        all[i] = def->options[i];
    }
    for (uint32_t i = 0; i < option_count; i++) {
        set_option(&entry->arena, all, &count, &options[i]);
    }
    def->options = all;
    def->option_count = count;
    return STATUS_OK;
}

static void close_catalog(struct catalog *catalog)
{
    struct catalog_memory *memory = from_base(catalog);
    for (uint32_t i = 0; i < memory->databases.count; i++) {
        database_free(memory->databases.items[i]);
    }
    VEC_RELEASE(&memory->databases);
    arena_release(&memory->arena);
    mem_free(memory);
}

static const struct catalog_ops catalog_memory_ops = {
    .type = "generic_in_memory",
    .list_databases = list_databases,
    .create_database = create_database,
    .drop_database = drop_database,
    .list_tables = list_tables,
    .get_table = get_table,
    .create_table = create_table,
    .drop_table = drop_table,
    .alter_options = alter_options,
    .close = close_catalog,
};

struct catalog *catalog_memory_new(struct str name, struct str default_database)
{
    struct catalog_memory *memory = mem_zalloc(sizeof *memory);
    arena_init(&memory->arena);
    memory->base.ops = &catalog_memory_ops;
    memory->base.name = arena_str(&memory->arena, name);
    memory->base.default_database = arena_str(&memory->arena, default_database);
    add_database(memory, default_database);
    return &memory->base;
}
