// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_script.h"

#include <string.h>

#include "connect/iceberg_sink.h"
#include "sim/sim_log_source.h"
#include "sim/sim_sink.h"
#include "sql/bind.h"
#include "sql/parse.h"

enum { CLICKS, RAW, WINDOWS, TOTALS, TABLE_COUNT };

static const char statements[] =
    "EXECUTE STATEMENT SET BEGIN "
    "INSERT INTO raw SELECT part, off, user_id, host, amount, ts FROM clicks; "
    "INSERT INTO per_window SELECT window_start, host, COUNT(*), COUNT(DISTINCT user_id), "
    "SUM(amount) FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '10' SECOND)) "
    "GROUP BY window_start, window_end, host; "
    "INSERT INTO totals SELECT host, COUNT(*), COUNT(DISTINCT user_id), SUM(amount) FROM clicks "
    "GROUP BY host; END";

static enum status describe(void *self, struct arena *arena, const struct table_def *def,
                            bool as_sink, struct connector_info *out, struct err *err)
{
    (void)arena;
    (void)as_sink;
    (void)err;
    const struct sim_script *script = self;
    bool is_totals = str_is(def->name, "totals");
    *out = (struct connector_info){.name = STR_LIT("sim"),
                                   .can_read = true,
                                   .can_write = true,
                                   .is_bounded = script->is_bounded,
                                   .source_changes = CONNECTOR_INSERT_ONLY,
                                   .sink_changes = is_totals ? 15 : CONNECTOR_INSERT_ONLY};
    return STATUS_OK;
}

static enum status find_table(void *self, struct arena *arena, const struct str *path,
                              uint32_t part_count, const struct table_def **out, struct err *err)
{
    (void)arena;
    (void)err;
    struct sim_script *script = self;
    for (int i = 0; i < TABLE_COUNT; i++) {
        if (script->tables[i] != NULL && str_equal(script->tables[i]->name, path[part_count - 1])) {
            *out = script->tables[i];
            return STATUS_OK;
        }
    }
    return STATUS_NOT_FOUND;
}

// --- connectors ----------------------------------------------------------------------------------

static enum status find_source(void *self, const struct table_def *table,
                               const struct source_class **out, struct err *err)
{
    (void)self;
    (void)table;
    (void)err;
    *out = &sim_log_source_class;
    return STATUS_OK;
}

static enum status no_fence(struct sink_committer *committer, struct err *err)
{
    (void)committer;
    (void)err;
    return STATUS_OK;
}

static enum status open_without_fence(const struct plan_node *sink,
                                      const struct sink_identity *identity,
                                      struct sink_committer **out, struct err *err)
{
    static struct sink_committer_ops ops;
    TRY(iceberg_sink_class.open_committer(sink, identity, out, err));
    ops = *(*out)->ops;
    ops.fence = no_fence;
    (*out)->ops = &ops;
    return STATUS_OK;
}

static enum status find_sink(void *self, const struct table_def *table,
                             const struct sink_class **out, struct err *err)
{
    (void)err;
    static struct sink_class unfenced;
    const struct sim_script *script = self;
    *out = table->is_iceberg ? &iceberg_sink_class : &sim_sink_class;
    if (table->is_iceberg && script->broken == SIM_BREAK_FENCE) {
        unfenced = iceberg_sink_class;
        unfenced.open_committer = open_without_fence;
        *out = &unfenced;
    }
    return STATUS_OK;
}

// --- tables --------------------------------------------------------------------------------------

static struct bind_context context_of(struct sim_script *script, struct arena *arena,
                                      struct str text)
{
    return (struct bind_context){.arena = arena,
                                 .text = text,
                                 .catalog_name = script->lake->catalog.name,
                                 .database = script->lake->catalog.default_database,
                                 .tables = {.find = find_table, .self = script},
                                 .connectors = {.describe = describe, .self = script},
                                 .settings = {.expr = script->settings, .idle_timeout_ms = 3000}};
}

static enum status define(struct sim_script *script, struct str text, struct table_def **out,
                          struct err *err)
{
    const struct ast_statement *statement;
    struct bind_context context = context_of(script, &script->arena, text);
    TRY(parse_statement(&script->arena, text, &statement, err));
    return bind_create_table(&context, &statement->as.create_table, out, err);
}

// Small numbers, so that expiry and merging happen in a run of some seconds.
static struct str draw_properties(struct sim_script *script, struct sim_random *random)
{
    static const char *const codecs[] = {"zstd", "snappy", "uncompressed"};
    bool expires = sim_random_chance(random, 600);
    return arena_printf(
        &script->arena,
        "WITH ('write.format.default' = '%s', 'write.avro.compression-codec' = '%s', "
        "'write.object-storage.enabled' = '%s', 'write.metadata.compression-codec' = '%s', "
        "'write.parquet.compression-codec' = '%s', "
        "'history.expire.max-snapshot-age-ms' = '%d', 'history.expire.min-snapshots-to-keep' = "
        "'%d', 'write.metadata.previous-versions-max' = '%d', "
        "'write.metadata.delete-after-commit.enabled' = '%s', "
        "'commit.manifest.min-count-to-merge' = '%d', 'write.target-file-size-bytes' = '%d', "
        "'commit.retry.num-retries' = '%d', 'commit.retry.min-wait-ms' = '%d')",
        sim_random_chance(random, 300) ? "avro" : "parquet", codecs[sim_random_below(random, 3)],
        sim_random_chance(random, 200) ? "true" : "false",
        sim_random_chance(random, 200) ? "gzip" : "none", codecs[sim_random_below(random, 3)],
        expires ? 1000 : 86400000, expires ? 1 + (int)sim_random_below(random, 6) : 1,
        1 + (int)sim_random_below(random, 10), sim_random_chance(random, 700) ? "true" : "false",
        2 + (int)sim_random_below(random, 8), sim_random_chance(random, 200) ? 6000 : 128 << 20,
        2 + (int)sim_random_below(random, 4), 1 + (int)sim_random_below(random, 20));
}

static enum status make(struct sim_script *script, struct sim_random *random, int which,
                        const char *columns, struct err *err)
{
    struct str properties = draw_properties(script, random);
    struct table_def *def;
    TRY(define(script,
               arena_printf(&script->arena, "CREATE TABLE %s %.*s", columns, STR_ARGS(properties)),
               &def, err));
    return sim_lake_create(script->lake, &script->arena, def, &script->tables[which], err);
}

enum status sim_script_init(struct sim_script *script, struct sim_lake *lake,
                            struct sim_random *random, struct err *err)
{
    *script = (struct sim_script){.lake = lake,
                                  .broken = lake->world->options.broken,
                                  .is_bounded = sim_random_chance(random, 250),
                                  .settings = {.is_streaming = true}};
    arena_init(&script->arena);
    script->connectors = (struct connectors){find_source, find_sink, script};
    TRY(define(script,
               STR_LIT("CREATE TABLE clicks (part INT, off BIGINT, user_id BIGINT, host STRING, "
                       "amount DECIMAL(10, 2), ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - "
                       "INTERVAL '5' SECOND) WITH ('connector' = 'sim')"),
               &script->tables[CLICKS], err));
    TRY(define(script,
               STR_LIT("CREATE TABLE totals (host STRING, clicks BIGINT, users BIGINT, revenue "
                       "DECIMAL(38, 2)) WITH ('connector' = 'sim')"),
               &script->tables[TOTALS], err));
    static const char *const partitions[] = {"", " PARTITIONED BY (bucket(3, user_id))",
                                             " PARTITIONED BY (host)",
                                             " PARTITIONED BY (hour(ts), truncate(1, host))"};
    struct str raw = arena_printf(&script->arena,
                                  "raw (part INT, off BIGINT, user_id BIGINT, host STRING, amount "
                                  "DECIMAL(10, 2), ts TIMESTAMP_LTZ(6))%s",
                                  partitions[sim_random_below(random, 4)]);
    TRY(make(script, random, RAW, raw.ptr, err));
    return make(script, random, WINDOWS,
                "per_window (window_start TIMESTAMP(6), host STRING, clicks BIGINT, users BIGINT, "
                "revenue DECIMAL(38, 2))",
                err);
}

void sim_script_release(struct sim_script *script)
{
    arena_release(&script->arena);
}

enum status sim_script_plan(struct sim_script *script, struct arena *arena, const struct plan **out,
                            struct err *err)
{
    const struct ast_statement *statement;
    struct plan *plan;
    struct str text = str_from(statements);
    struct bind_context context = context_of(script, arena, text);
    TRY(parse_statement(arena, text, &statement, err));
    const struct ast_statement_set *set = &statement->as.statement_set;
    const struct ast_insert **inserts =
        arena_new_array(arena, const struct ast_insert *, set->count);
    for (uint32_t i = 0; i < set->count; i++) {
        inserts[i] = &set->inserts[i];
    }
    TRY(bind_statement_set(&context, inserts, set->count, &plan, err));
    *out = plan;
    return STATUS_OK;
}
