// SPDX-License-Identifier: Apache-2.0
//
// Names to definitions: the catalogs of a session, its temporary objects, what the binder asks.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "connect/file_table.h"
#include "connect/iceberg_sink.h"
#include "connect/registry.h"
#include "data/zone.h"
#include "iceberg/scan.h"
#include "iceberg/table_version.h"
#include "session/session_int.h"
#include "sys/clock.h"

bool session_is_streaming(const struct session *session)
{
    const char *mode = settings_get(&session->settings, "execution.runtime-mode");
    return mode[0] == '\0' ? session->options.is_streaming
                           : str_is_nocase(str_from(mode), "streaming");
}

// 'default' is the machine's zone: TZ, else what /etc/localtime leads to, else UTC.
static struct str machine_zone(char *buffer, size_t size)
{
    const char *name = getenv("TZ");
    if (name != NULL && name[0] != '\0') {
        return str_from(name[0] == ':' ? name + 1 : name);
    }
    ssize_t length = readlink("/etc/localtime", buffer, size - 1);
    if (length > 0) {
        buffer[length] = '\0';
        const char *found = strstr(buffer, "zoneinfo/");
        if (found != NULL) {
            return str_from(found + strlen("zoneinfo/"));
        }
    }
    return STR_LIT("UTC");
}

enum status session_zone(struct statement_run *run, struct err *err)
{
    char buffer[256];
    struct str name = str_from(settings_get(&run->session->settings, "table.local-time-zone"));
    if (str_is(name, "default")) {
        name = machine_zone(buffer, sizeof buffer);
    }
    if (zone_load(&run->result->arena, name, &run->result->zone, NULL) != STATUS_OK) {
        ERR(err, STATUS_INVALID_DATA, "there is no time zone '%.*s'", STR_ARGS(name));
        err_at(err, ERR_STAGE_VALIDATE, ERR_NO_OFFSET, 0);
        err_hint(err, "'table.local-time-zone' takes a name such as 'America/Los_Angeles', or an "
                      "offset such as 'GMT-03:00'");
        return STATUS_INVALID_DATA;
    }
    return STATUS_OK;
}

static enum status complete(const struct session *session, struct arena *arena,
                            const struct str *parts, uint32_t count, struct session_name *out)
{
    if (count < 1) {
        return STATUS_INVALID_DATA;
    }
    *out = (struct session_name){.catalog = count >= 3 ? parts[0] : session->catalog,
                                 .database = count >= 2 ? parts[count - 2] : session->database,
                                 .name = parts[count - 1]};
    if (count > 3) {
        out->database = parts[1];
        for (uint32_t i = 2; i + 1 < count; i++) {
            out->database =
                arena_printf(arena, "%.*s.%.*s", STR_ARGS(out->database), STR_ARGS(parts[i]));
        }
    }
    return STATUS_OK;
}

static struct str *parts_of(struct arena *arena, const struct ast_path *path)
{
    struct str *parts = arena_new_array(arena, struct str, path->count + 1);
    for (uint32_t i = 0; i < path->count; i++) {
        parts[i] = path->parts[i].text;
    }
    return parts;
}

enum status session_complete(struct session *session, struct arena *arena,
                             const struct ast_path *path, struct session_name *out, struct err *err)
{
    if (complete(session, arena, parts_of(arena, path), path->count, out) != STATUS_OK) {
        ERR(err, STATUS_INVALID_DATA, "a name has the parts catalog.database.name");
        err_at(err, ERR_STAGE_VALIDATE, path->at.offset, path->at.length);
        return STATUS_INVALID_DATA;
    }
    return STATUS_OK;
}

const struct table_def *session_find_temporary(const struct session *session,
                                               const struct session_name *name)
{
    for (uint32_t i = 0; i < session->temporary.count; i++) {
        const struct table_def *def = session->temporary.items[i];
        if (str_equal(def->catalog_name, name->catalog) &&
            str_equal(def->database, name->database) && str_equal(def->name, name->name)) {
            return def;
        }
    }
    return NULL;
}

static enum status find(struct session *session, struct arena *arena,
                        const struct session_name *name, const struct table_def **out,
                        struct err *err)
{
    *out = session_find_temporary(session, name);
    if (*out != NULL) {
        return STATUS_OK;
    }
    struct catalog *catalog = session_find_catalog(session, name->catalog, err);
    if (catalog == NULL) {
        return err != NULL ? err->status : STATUS_NOT_FOUND;
    }
    return catalog->ops->get_table(catalog, arena, name->database, name->name, out, err);
}

// --- what the binder asks ----------------------------------------------------------------------

// In a batch query an unbounded Kafka table ends at the offsets that it has now (engine.md 11).
static const struct table_def *with_end(struct arena *arena, const struct table_def *def)
{
    const struct str *connector = table_def_option(def, "connector");
    const struct str *mode = table_def_option(def, "scan.bounded.mode");
    if (connector == NULL || !str_is(*connector, "kafka") ||
        (mode != NULL && !str_is_nocase(*mode, "unbounded"))) {
        return def;
    }
    struct table_def *bounded = arena_copy(arena, def, sizeof *bounded);
    struct table_option *options =
        arena_new_array(arena, struct table_option, def->option_count + 1);
    memcpy(options + 1, def->options, def->option_count * sizeof *options);
    options[0] = // the first of a key counts
        (struct table_option){STR_LIT("scan.bounded.mode"), STR_LIT("latest-offset")};
    bounded->options = options;
    bounded->option_count++;
    return bounded;
}

// A table by its parts, as queries use it; what is not there may be a metadata table.
static enum status find_parts(struct session *session, struct arena *arena, const struct str *path,
                              uint32_t count, const struct table_def **out, struct err *err)
{
    struct session_name name;
    struct str metadata;
    struct err ignored;
    if (complete(session, arena, path, count, &name) != STATUS_OK) {
        return STATUS_NOT_FOUND;
    }
    enum status status = find(session, arena, &name, out, err);
    if (status == STATUS_NOT_FOUND) {
        struct str *parts = arena_copy(arena, path, count * sizeof *path);
        if (!session_metadata_split(parts, &count, &metadata) ||
            complete(session, arena, parts, count, &name) != STATUS_OK ||
            find(session, arena, &name, out, &ignored) != STATUS_OK) {
            return status;
        }
        TRY(session_resolve(session, arena, *out, out, err));
        return session_metadata_table(arena, *out, metadata, out, err);
    }
    return status;
}

static enum status bind_find(void *self, struct arena *arena, const struct str *path,
                             uint32_t part_count, const struct table_def **out, struct err *err)
{
    struct session *session = self;
    struct err ignored;
    enum status status =
        find_parts(session, arena, path, part_count, out, err != NULL ? err : &ignored);
    if (status == STATUS_OK) {
        status = session_resolve(session, arena, *out, out, err != NULL ? err : &ignored);
    }
    if (status == STATUS_OK && !session_is_streaming(session)) {
        *out = with_end(arena, *out);
    }
    return status;
}

static struct str bind_nearest(void *self, struct arena *arena, const struct str *path,
                               uint32_t part_count)
{
    struct session *session = self;
    struct session_name name;
    if (complete(session, arena, path, part_count, &name) != STATUS_OK) {
        return (struct str){0};
    }
    struct str metadata = session_metadata_nearest(arena, name.name);
    struct nearest nearest = nearest_to(name.name);
    for (uint32_t i = 0; i < session->temporary.count; i++) {
        nearest_try(&nearest, session->temporary.items[i]->name);
    }
    struct catalog *catalog = session_find_catalog(session, name.catalog, NULL);
    struct str *names;
    uint32_t count;
    if (catalog != NULL && catalog->ops->list_tables(catalog, arena, name.database, &names, NULL,
                                                     &count, NULL) == STATUS_OK) {
        for (uint32_t i = 0; i < count; i++) {
            nearest_try(&nearest, names[i]);
        }
    }
    if (metadata.size > 0) {
        nearest_try(&nearest, metadata);
    }
    return nearest.best;
}

static enum status bind_iceberg_table(void *self, struct arena *arena, struct str path,
                                      const struct table_def **out, struct err *err)
{
    struct catalog *paths = ((struct session *)self)->paths;
    return paths->ops->get_table(paths, arena, STR_LIT(""), path, out, err);
}

static enum status bind_metadata(void *self, struct arena *arena, const struct table_def *table,
                                 struct str name, const struct table_def **out, struct err *err)
{
    (void)self;
    return session_metadata_table(arena, table, name, out, err);
}

static enum status bind_version(void *self, struct arena *arena, const struct table_def *def,
                                const struct table_at *at, const struct table_at *after,
                                const struct table_def **out, struct err *err)
{
    struct iceberg_table *table;
    struct table_version version;
    (void)self;
    TRY(iceberg_sink_open_table(def, &table, err));
    enum status status = table_version_find(table->metadata, at, after, &version, err);
    if (status == STATUS_OK) {
        status = table_version_def(arena, table->metadata, &version, def, out, err);
    }
    iceberg_table_free(table);
    return status;
}

// The figures that the binder wants, as scan.h names them; false: a column is gone.
static bool wanted_figures(const struct table_schema *schema, const struct bind_figure *figures,
                           uint32_t count, struct scan_figure *out)
{
    static const enum scan_figure_kind kinds[] = {SCAN_COUNT_ROWS, SCAN_COUNT_VALUES, SCAN_MIN,
                                                  SCAN_MAX};
    for (uint32_t i = 0; i < count; i++) {
        out[i].kind = kinds[figures[i].kind];
        out[i].column_id = figures[i].column != NULL ? figures[i].column->field_id : 0;
        if (figures[i].column != NULL && table_schema_by_id(schema, out[i].column_id) == NULL) {
            return false;
        }
    }
    return true;
}

static enum status read_figures(struct arena *arena, struct iceberg_table *table,
                                const struct table_version *version, struct bind_figure *figures,
                                uint32_t count, struct err *err)
{
    struct scan_options options = {.snapshot_id = version->snapshot_id,
                                   .current_schema = !version->has_own_schema,
                                   .is_incremental = version->is_incremental,
                                   .after_snapshot_id = version->after_snapshot_id};
    struct scan_figure *found = arena_new_array(arena, struct scan_figure, count + 1);
    const struct table_schema *schema;
    TRY(scan_schema(table, &options, &schema, err));
    if (!wanted_figures(schema, figures, count, found)) {
        return STATUS_OK;
    }
    TRY(scan_figures(table, &options, arena, found, count, err));
    for (uint32_t i = 0; i < count; i++) {
        bool is_bound = figures[i].kind == BIND_FIGURE_MIN || figures[i].kind == BIND_FIGURE_MAX;
        const struct iceberg_type *type =
            is_bound ? table_schema_by_id(schema, found[i].column_id)->field->type
                     : iceberg_type_simple(ICEBERG_LONG);
        figures[i].is_known = found[i].known;
        if (found[i].known) {
            figures[i].value = iceberg_value_column(arena, type, &found[i].value, 1);
        }
    }
    return STATUS_OK;
}

static enum status bind_figures(void *self, struct arena *arena, const struct table_def *def,
                                struct bind_figure *figures, uint32_t count, struct err *err)
{
    struct iceberg_table *table;
    (void)self;
    TRY(iceberg_sink_open_table(def, &table, err));
    enum status status = read_figures(arena, table, &def->version, figures, count, err);
    iceberg_table_free(table);
    return status;
}

static enum status bind_find_file(void *self, struct arena *arena, const struct bind_file *file,
                                  const struct table_def **out, struct err *err)
{
    (void)self;
    struct file_table_spec spec = {
        .path = file->path, .options = file->options, .option_count = file->option_count};
    return file_table_find(arena, &spec, out, err);
}

static enum status bind_new_file(void *self, struct arena *arena, const struct bind_file *file,
                                 const struct type *row, const struct table_def **out,
                                 struct err *err)
{
    (void)self;
    struct file_table_spec spec = {.path = file->path,
                                   .options = file->options,
                                   .option_count = file->option_count,
                                   .overwrite = file->overwrite};
    return file_table_new(arena, &spec, row, out, err);
}

void session_hint_table(struct statement_run *run, const struct ast_path *path, struct err *err)
{
    struct arena *arena = &run->result->arena;
    struct str near = bind_nearest(run->session, arena, parts_of(arena, path), path->count);
    if (near.size > 0) {
        err_hint(err, "did you mean '%.*s'?", STR_ARGS(near));
    }
}

enum status session_find_table(struct statement_run *run, const struct ast_path *path,
                               const struct table_def **out, struct err *err)
{
    struct session_name name;
    TRY(session_complete(run->session, &run->result->arena, path, &name, err));
    struct arena *arena = &run->result->arena;
    enum status status =
        find_parts(run->session, arena, parts_of(arena, path), path->count, out, err);
    if (status == STATUS_NOT_FOUND) {
        ERR(err, status, "table '%.*s.%.*s.%.*s' does not exist", STR_ARGS(name.catalog),
            STR_ARGS(name.database), STR_ARGS(name.name));
        err_at(err, ERR_STAGE_VALIDATE, path->at.offset, path->at.length);
        session_hint_table(run, path, err);
    }
    return status;
}

static void bind_note(void *context, struct str text)
{
    result_note(context, "%.*s", STR_ARGS(text));
}

void session_bind_context(struct statement_run *run, struct bind_context *out)
{
    struct session *session = run->session;
    const struct settings *settings = &session->settings;
    *out = (struct bind_context){
        .arena = &run->result->arena,
        .text = run->text,
        .catalog_name = session->catalog,
        .database = session->database,
        .tables = {.find = bind_find,
                   .nearest = bind_nearest,
                   .iceberg_table = bind_iceberg_table,
                   .version = bind_version,
                   .metadata = bind_metadata,
                   .file = bind_find_file,
                   .new_file = bind_new_file,
                   .figures = bind_figures,
                   .self = session},
        .connectors = registry_lookup(),
        .note = bind_note,
        .note_context = run->result,
        .settings = {
            .expr = {.zone = run->result->zone,
                     .now_us = clock_wall_us(clock_system()),
                     .is_streaming = session_is_streaming(session)},
            .idle_timeout_ms = settings_duration_ms(settings, "table.exec.source.idle-timeout"),
            .cdc_events_duplicate =
                settings_bool(settings, "table.exec.source.cdc-events-duplicate"),
            .drop_null_rows = str_is_nocase(
                str_from(settings_get(settings, "table.exec.sink.not-null-enforcer")), "DROP"),
            .refuse_table_hints = !settings_bool(settings, "table.dynamic-table-options.enabled")}};
}
