// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_foreign.h"

#include <string.h>

#include "base/buf.h"
#include "base/strbuf.h"
#include "connect/iceberg_token.h"
#include "data/column_builder.h"
#include "iceberg/commit.h"
#include "iceberg/data_writer.h"
#include "iceberg/manifest.h"
#include "iceberg/spec/table_update.h"
#include "store/store.h"

enum { STREAM_FOREIGN = 401, BYTES_MAX = 1 << 24, FOREIGN_PARTITION = -1 };

void sim_foreign_init(struct sim_foreign *foreign, struct sim_lake *lake)
{
    *foreign = (struct sim_foreign){
        .lake = lake, .random = sim_random_stream(lake->world->options.seed, STREAM_FOREIGN)};
    sim_rows_init(&foreign->ledger);
}

void sim_foreign_release(struct sim_foreign *foreign)
{
    sim_rows_release(&foreign->ledger);
}

// What one act works with.
struct act {
    struct sim_foreign *foreign;
    struct iceberg_table *table;
    struct arena arena;
    struct data_writer *writer;
};

static enum status open_writer(struct act *act, struct err *err)
{
    struct data_writer_options options = {.metadata = act->table->metadata,
                                          .store = act->table->place.store,
                                          .env = act->table->place.env,
                                          .segment_directory = STR_LIT("foreign/segments")};
    return data_writer_new(&options, &act->writer, err);
}

// What was appended, as data files.
static enum status close_writer(struct act *act, struct data_file **files, uint32_t *count,
                                struct err *err)
{
    struct strbuf state;
    struct strbuf committable;
    strbuf_init(&state, BYTES_MAX);
    strbuf_init(&committable, BYTES_MAX);
    struct data_writer_barrier barrier = {.close = true};
    struct data_writer_state out = {.state = &state, .committable = &committable};
    enum status status = data_writer_barrier(act->writer, &barrier, &out, err);
    if (status == STATUS_OK) {
        struct str bytes = arena_str(&act->arena, strbuf_str(&committable));
        status = data_writer_unpack(&act->arena, act->table->metadata, bytes, files, count, err);
    }
    strbuf_release(&state);
    strbuf_release(&committable);
    return status;
}

// Columns of "raw": part, off, user_id, host, amount, ts.
static struct batch make_rows(struct act *act, uint32_t count)
{
    struct sim_foreign *foreign = act->foreign;
    const struct type *types[] = {&type_int,
                                  &type_bigint,
                                  &type_bigint,
                                  &type_string,
                                  type_decimal(&act->arena, 10, 2, true),
                                  &type_timestamp_ltz6};
    struct column_builder *builders[6];
    struct column *columns = arena_new_array(&act->arena, struct column, 6);
    for (int i = 0; i < 6; i++) {
        builders[i] = column_builder_new(&act->arena, types[i], count);
    }
    int64_t now_us = foreign->lake->world->now_us;
    for (uint32_t row = 0; row < count; row++) {
        column_builder_i32(builders[0], FOREIGN_PARTITION);
        column_builder_i64(builders[1], foreign->next_row++);
        column_builder_i64(builders[2], sim_random_below(&foreign->random, 50));
        column_builder_string(builders[3], STR_LIT("foreign"));
        column_builder_i128(builders[4], sim_random_below(&foreign->random, 1000));
        column_builder_timestamp_us(builders[5], now_us);
    }
    for (int i = 0; i < 6; i++) {
        columns[i] = column_builder_finish(builders[i]);
    }
    return (struct batch){.row_count = count, .column_count = 6, .columns = columns};
}

static enum status append(struct act *act, struct err *err)
{
    struct data_file *files;
    uint32_t count;
    struct batch batch = make_rows(act, 1 + sim_random_below(&act->foreign->random, 6));
    TRY(open_writer(act, err));
    TRY(data_writer_append(act->writer, &batch, err));
    TRY(close_writer(act, &files, &count, err));
    struct commit_options options = {.files = files, .file_count = count, .without_expiry = true};
    struct commit_result result;
    TRY(commit_run(act->table, &options, &result, err));
    sim_rows_add_batch(&act->foreign->ledger, &batch);
    act->foreign->appends++;
    return STATUS_OK;
}

// --- commits other than appends ------------------------------------------------------------------

static struct str metadata_path(struct act *act, struct str name)
{
    struct str directory = iceberg_table_metadata_directory(act->table->metadata, &act->arena);
    return arena_printf(&act->arena, "%.*s/%.*s", STR_ARGS(directory), STR_ARGS(name));
}

static enum status put(struct act *act, const char *format, struct str bytes, struct str *path,
                       struct err *err)
{
    char uuid[TABLE_ENV_UUID_TEXT + 1];
    table_env_uuid(act->table->place.env, uuid);
    *path = metadata_path(act, arena_printf(&act->arena, "%s-%s.avro", format, uuid));
    return store_put(act->table->place.store, *path, bytes, STORE_EXCLUSIVE, err);
}

// The next metadata published; nobody is in the way, since nothing else runs meanwhile.
static enum status publish(struct act *act, struct table_update *update, struct err *err)
{
    struct iceberg_table *table = act->table;
    const struct table_metadata *base = table->metadata;
    const struct table_metadata *next = table_update_finish(update, table->location);
    char uuid[TABLE_ENV_UUID_TEXT + 1];
    struct strbuf text;
    strbuf_init(&text, BYTES_MAX);
    table_metadata_print(&text, next);
    table_env_uuid(table->place.env, uuid);
    struct str name = iceberg_table_metadata_name(&act->arena, next, table->location, uuid);
    struct str path = metadata_path(act, name);
    enum status status =
        store_put(table->place.store, path, strbuf_str(&text), STORE_EXCLUSIVE, err);
    if (status == STATUS_OK) {
        status = table->place.pointer->ops->swap(table->place.pointer, &table->name,
                                                 table->location, path, err);
    }
    strbuf_release(&text);
    TRY(status);
    if (table_metadata_property_bool(base, "write.metadata.delete-after-commit.enabled", false)) {
        for (uint32_t i = 0; i < update->removed_log_count; i++) {
            // It may be gone already, with what an earlier crash undid or did not.
            (void)!store_remove(table->place.store, base->metadata_log[i].file, NULL);
        }
    }
    return store_sync(table->place.store, iceberg_table_metadata_directory(base, &act->arena), err);
}

struct rewrite {
    struct act *act;
    int64_t snapshot_id;
    struct manifest_writer *removed;
    VEC(struct manifest_file) list;
};

static enum status take_batch(void *context, const struct batch *batch, struct err *err)
{
    return data_writer_append(((struct act *)context)->writer, batch, err);
}

static struct manifest_writer_options manifest_options(const struct rewrite *rewrite)
{
    const struct table_metadata *metadata = rewrite->act->table->metadata;
    return (struct manifest_writer_options){.format_version = metadata->format_version,
                                            .schema = table_metadata_current_schema(metadata),
                                            .spec = table_metadata_default_spec(metadata),
                                            .content = MANIFEST_DATA,
                                            .snapshot_id = rewrite->snapshot_id};
}

static enum status put_manifest(struct rewrite *rewrite, struct manifest_writer *writer,
                                struct err *err)
{
    struct str bytes;
    struct str path;
    struct manifest_file row;
    struct act *act = rewrite->act;
    TRY(manifest_writer_finish(writer, &act->arena, STR_LIT(""), &bytes, &row, err));
    TRY(put(act, "foreign-m", bytes, &path, err));
    row.path = path;
    VEC_PUSH(&rewrite->list, row);
    return STATUS_OK;
}

// The rows of one manifest's files go into the writer, its entries are told as deleted.
static enum status rewrite_manifest(struct rewrite *rewrite, const struct scan_plan *plan,
                                    const struct manifest_file *manifest, struct err *err)
{
    struct act *act = rewrite->act;
    struct manifest_reader *reader;
    struct manifest_entry entry;
    struct buf *bytes;
    TRY(store_read(act->table->place.store, manifest->path, BYTES_MAX, &bytes, err));
    struct manifest_reader_options options = {
        .file = manifest, .spec = table_metadata_spec(act->table->metadata, manifest->spec_id)};
    enum status status =
        manifest_reader_open(str_make(bytes->ptr, bytes->size), &options, &reader, err);
    if (status != STATUS_OK) {
        buf_unref(bytes);
        return status;
    }
    while ((status = manifest_reader_next(reader, &entry, err)) == STATUS_OK) {
        struct scan_task task = {.file = entry.file, .sequence_number = entry.sequence_number};
        struct sim_lake_reading reading = {
            .table = act->table, .plan = plan, .task = &task, .take = take_batch, .context = act};
        status = sim_lake_read(act->foreign->lake, &reading, err);
        entry.status = MANIFEST_DELETED;
        entry.snapshot_id = rewrite->snapshot_id;
        if (status == STATUS_OK) {
            status = manifest_writer_add(rewrite->removed, &entry, err);
        }
        if (status != STATUS_OK) {
            break;
        }
    }
    manifest_reader_free(reader);
    buf_unref(bytes);
    return status == STATUS_END ? STATUS_OK : status;
}

static enum status add_files(struct rewrite *rewrite, struct err *err)
{
    struct data_file *files;
    uint32_t count;
    struct manifest_writer *writer;
    struct manifest_writer_options options = manifest_options(rewrite);
    TRY(close_writer(rewrite->act, &files, &count, err));
    TRY(manifest_writer_new(&options, &writer, err));
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
        struct manifest_entry entry = {.status = MANIFEST_ADDED,
                                       .snapshot_id = rewrite->snapshot_id,
                                       .sequence_number = DATA_FILE_NONE,
                                       .file_sequence_number = DATA_FILE_NONE,
                                       .file = files[i]};
        status = manifest_writer_add(writer, &entry, err);
    }
    if (status == STATUS_OK && count > 0) {
        status = put_manifest(rewrite, writer, err);
    }
    manifest_writer_free(writer);
    return status;
}

static enum status publish_rewrite(struct rewrite *rewrite, const struct table_snapshot *parent,
                                   struct err *err)
{
    struct act *act = rewrite->act;
    const struct table_metadata *base = act->table->metadata;
    struct table_update update;
    struct table_snapshot snapshot = {.snapshot_id = rewrite->snapshot_id,
                                      .parent_id = parent->snapshot_id,
                                      .sequence_number = base->last_sequence_number + 1,
                                      .operation = STR_LIT("replace"),
                                      .schema_id = base->current_schema_id,
                                      .first_row_id = TABLE_NONE,
                                      .added_rows = TABLE_NONE};
    struct manifest_list_options options = {.format_version = base->format_version,
                                            .snapshot_id = snapshot.snapshot_id,
                                            .parent_id = snapshot.parent_id,
                                            .sequence_number = snapshot.sequence_number,
                                            .first_row_id = base->next_row_id};
    struct manifest_file *assigned;
    int64_t next_row_id;
    struct strbuf bytes;
    TRY(manifest_list_assign(&act->arena, &options, rewrite->list.items, rewrite->list.count,
                             &assigned, &next_row_id, err));
    strbuf_init(&bytes, BYTES_MAX);
    enum status status = manifest_list_write(&bytes, &options, assigned, rewrite->list.count, err);
    if (status == STATUS_OK) {
        status = put(act, "foreign-snap", strbuf_str(&bytes), &snapshot.manifest_list, err);
    }
    strbuf_release(&bytes);
    TRY(status);
    table_update_begin(&update, &act->arena, base, act->foreign->lake->world->now_us / 1000);
    snapshot.timestamp_ms = update.now_ms;
    TRY(table_update_add_snapshot(&update, &snapshot, STR_LIT(TABLE_MAIN), err));
    return publish(act, &update, err);
}

static enum status rewrite_some(struct rewrite *rewrite, const struct scan_plan *plan,
                                struct err *err)
{
    struct act *act = rewrite->act;
    const struct manifest_file *manifests;
    uint32_t count;
    uint32_t rewritten = 0;
    TRY(iceberg_table_manifests(act->table, plan->snapshot, &manifests, &count, err));
    uint32_t share = sim_random_chance(&act->foreign->random, 500) ? 1000 : 400;
    for (uint32_t i = 0; i < count; i++) {
        if (sim_random_chance(&act->foreign->random, share)) {
            TRY(rewrite_manifest(rewrite, plan, &manifests[i], err));
            rewritten++;
        } else {
            VEC_PUSH(&rewrite->list, manifests[i]);
        }
    }
    if (rewritten == 0) {
        return STATUS_OK;
    }
    TRY(add_files(rewrite, err));
    TRY(put_manifest(rewrite, rewrite->removed, err));
    TRY(publish_rewrite(rewrite, plan->snapshot, err));
    act->foreign->compactions++;
    return STATUS_OK;
}

static enum status compact(struct act *act, struct err *err)
{
    struct scan_plan plan;
    struct scan_options all = {0};
    struct rewrite rewrite = {.act = act,
                              .snapshot_id = table_env_snapshot_id(act->table->place.env)};
    TRY(scan_plan(act->table, &all, &act->arena, &plan, err));
    if (plan.snapshot == NULL || plan.task_count == 0) {
        return STATUS_OK;
    }
    struct manifest_writer_options options = manifest_options(&rewrite);
    TRY(open_writer(act, err));
    TRY(manifest_writer_new(&options, &rewrite.removed, err));
    enum status status = rewrite_some(&rewrite, &plan, err);
    manifest_writer_free(rewrite.removed);
    VEC_RELEASE(&rewrite.list);
    return status;
}

// --- expiry --------------------------------------------------------------------------------------

static void add_path(struct sim_rows *paths, struct str path)
{
    for (uint32_t i = 0; i < paths->lines.count; i++) {
        if (str_equal(paths->lines.items[i], path)) {
            return;
        }
    }
    sim_rows_add(paths, path);
}

static enum status add_manifest(struct act *act, const struct manifest_file *manifest,
                                struct sim_rows *paths, struct err *err)
{
    struct manifest_reader *reader;
    struct manifest_entry entry;
    struct buf *bytes;
    TRY(store_read(act->table->place.store, manifest->path, BYTES_MAX, &bytes, err));
    struct manifest_reader_options options = {
        .file = manifest, .spec = table_metadata_spec(act->table->metadata, manifest->spec_id)};
    enum status status =
        manifest_reader_open(str_make(bytes->ptr, bytes->size), &options, &reader, err);
    while (status == STATUS_OK &&
           (status = manifest_reader_next(reader, &entry, err)) == STATUS_OK) {
        add_path(paths, entry.file.path);
    }
    if (status == STATUS_END) {
        manifest_reader_free(reader);
        status = STATUS_OK;
    }
    buf_unref(bytes);
    add_path(paths, manifest->path);
    return status;
}

static enum status add_reachable(struct act *act, const struct table_snapshot *snapshot,
                                 struct sim_rows *paths, struct err *err)
{
    struct manifest_file *manifests;
    uint32_t count;
    TRY(iceberg_table_read_list(act->table, &act->arena, snapshot, &manifests, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        TRY(add_manifest(act, &manifests[i], paths, err));
    }
    add_path(paths, snapshot->manifest_list);
    return STATUS_OK;
}

static enum status remove_paths(struct act *act, struct sim_rows *paths, struct sim_rows *kept,
                                struct err *err)
{
    struct store *store = act->table->place.store;
    for (uint32_t i = 0; i < paths->lines.count; i++) {
        struct str path = paths->lines.items[i];
        bool keeps = false;
        for (uint32_t k = 0; k < kept->lines.count && !keeps; k++) {
            keeps = str_equal(path, kept->lines.items[k]);
        }
        if (!keeps) {
            TRY(store_remove(store, path, err));
            TRY(store_sync(store, store_directory(path), err));
        }
    }
    return STATUS_OK;
}

static enum status expire_between(struct act *act, uint32_t from, struct sim_rows *gone,
                                  struct sim_rows *kept, struct err *err)
{
    const struct table_metadata *base = act->table->metadata;
    struct table_update update;
    int64_t *ids = arena_new_array(&act->arena, int64_t, base->snapshot_count);
    for (uint32_t i = 0; i < base->snapshot_count; i++) {
        ids[i] = base->snapshots[i].snapshot_id;
        TRY(add_reachable(act, &base->snapshots[i], i < from ? gone : kept, err));
    }
    table_update_begin(&update, &act->arena, base, act->foreign->lake->world->now_us / 1000);
    table_update_remove_snapshots(&update, ids, from);
    TRY(publish(act, &update, err));
    TRY(remove_paths(act, gone, kept, err));
    act->foreign->expiries++;
    return STATUS_OK;
}

// All but the newest few.
static enum status expire(struct act *act, struct err *err)
{
    uint32_t count = act->table->metadata->snapshot_count;
    uint32_t keep = 1 + sim_random_below(&act->foreign->random, 3);
    if (count <= keep) {
        return STATUS_OK;
    }
    struct sim_rows gone;
    struct sim_rows kept;
    sim_rows_init(&gone);
    sim_rows_init(&kept);
    enum status status = expire_between(act, count - keep, &gone, &kept, err);
    sim_rows_release(&gone);
    sim_rows_release(&kept);
    return status;
}

static enum status roll_back(struct act *act, bool *done, struct err *err)
{
    const struct table_metadata *base = act->table->metadata;
    uint32_t at = base->snapshot_count;
    const struct table_snapshot *all = base->snapshots;
    while (at > 0 && table_metadata_summary(&all[at - 1], ICEBERG_TOKEN_EPOCH) == NULL) {
        at--;
    }
    *done = at > 1;
    if (!*done) {
        return STATUS_OK;
    }
    struct table_update update;
    struct table_ref main = *table_metadata_ref(base, STR_LIT(TABLE_MAIN));
    main.snapshot_id = all[at - 2].snapshot_id;
    table_update_begin(&update, &act->arena, base, act->foreign->lake->world->now_us / 1000);
    TRY(table_update_set_ref(&update, &main, err));
    return publish(act, &update, err);
}

enum status sim_foreign_roll_back(struct sim_foreign *foreign, const char *table, bool *done,
                                  struct err *err)
{
    struct act act = {.foreign = foreign};
    TRY(sim_lake_open(foreign->lake, table, &act.table, err));
    arena_init(&act.arena);
    enum status status = roll_back(&act, done, err);
    arena_release(&act.arena);
    sim_lake_close(foreign->lake, act.table);
    return status;
}

enum status sim_foreign_act(struct sim_foreign *foreign, const char *table, struct err *err)
{
    struct act act = {.foreign = foreign};
    TRY(sim_lake_open(foreign->lake, table, &act.table, err));
    arena_init(&act.arena);
    uint32_t kind = sim_random_below(&foreign->random, strcmp(table, "raw") == 0 ? 4 : 2);
    enum status status = kind == 0   ? compact(&act, err)
                         : kind == 1 ? expire(&act, err)
                                     : append(&act, err);
    data_writer_free(act.writer);
    arena_release(&act.arena);
    sim_lake_close(foreign->lake, act.table);
    static const char *const names[] = {"compacts", "expires", "appends", "appends"};
    sim_world_trace(foreign->lake->world, "foreign: %s %s: %s", names[kind], table,
                    status_name(status));
    return status;
}
