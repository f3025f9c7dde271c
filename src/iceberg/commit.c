// SPDX-License-Identifier: Apache-2.0
#include "iceberg/commit.h"

#include <string.h>

#include "base/buf.h"
#include "base/strbuf.h"
#include "codec/compress.h"
#include "iceberg/commit_int.h"
#include "iceberg/file_settings.h"
#include "store/store.h"

enum { RETRIES_DEFAULT = 4, WAIT_MIN_MS = 100, WAIT_MAX_MS = 60000, LIST_BYTES_MAX = 1 << 30 };
enum { RELOADS = 3, RELOAD_WAIT_MS = 400, RELOAD_WAIT_MAX_MS = 60000 };
#define TOTAL_MS_DEFAULT (INT64_C(30) * 60 * 1000)

static bool makes_snapshot(const struct commit_options *options)
{
    return options->file_count > 0 || options->force_snapshot;
}

static enum status write_list(struct commit_state *state, struct table_snapshot *snapshot,
                              struct err *err)
{
    const struct table_metadata *metadata = state->table->metadata;
    struct manifest_list_options options = {
        .format_version = metadata->format_version,
        .snapshot_id = snapshot->snapshot_id,
        .parent_id = snapshot->parent_id,
        .sequence_number = snapshot->sequence_number,
        .first_row_id = metadata->next_row_id,
    };
    struct strbuf bytes;
    int64_t next_row_id = 0;
    state->table->place.env->random(state->table->place.env, options.sync, sizeof options.sync);
    arena_reset(&state->list_arena);
    TRY(manifest_list_assign(&state->list_arena, &options, state->list.items, state->list.count,
                             &state->assigned, &next_row_id, err));
    strbuf_init(&bytes, LIST_BYTES_MAX);
    enum status status =
        manifest_list_write(&bytes, &options, state->assigned, state->list.count, err);
    if (status == STATUS_OK) {
        struct str name =
            arena_printf(&state->arena, "snap-%lld-%u-%s.avro", (long long)snapshot->snapshot_id,
                         state->attempt, state->uuid);
        status = commit_put(state, name, strbuf_str(&bytes), &snapshot->manifest_list, err);
    }
    strbuf_release(&bytes);
    if (metadata->format_version >= 3) {
        snapshot->first_row_id = metadata->next_row_id;
        snapshot->added_rows = next_row_id - metadata->next_row_id;
    }
    return status;
}

static enum status make_snapshot(struct commit_state *state, struct table_update *update,
                                 struct err *err)
{
    const struct table_metadata *base = update->base;
    const struct table_ref *ref = table_metadata_ref(base, state->branch);
    const struct table_snapshot *parent =
        ref != NULL ? table_metadata_snapshot(base, ref->snapshot_id) : NULL;
    struct table_snapshot snapshot = {
        .snapshot_id = state->snapshot_id,
        .parent_id = parent != NULL ? parent->snapshot_id : TABLE_NONE,
        .sequence_number = base->format_version > 1 ? base->last_sequence_number + 1 : 0,
        .timestamp_ms = update->now_ms,
        .operation = STR_LIT("append"),
        .schema_id = base->current_schema_id,
        .first_row_id = TABLE_NONE,
        .added_rows = TABLE_NONE,
    };
    TRY(commit_append(state, err));
    commit_summary(state, &state->arena, parent, &snapshot.summary, &snapshot.summary_count);
    TRY(write_list(state, &snapshot, err));
    return table_update_add_snapshot(update, &snapshot, state->branch, err);
}

static void set_properties(struct table_update *update, const struct table_property *properties,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (properties[i].value.size == 0) {
            table_update_remove_property(update, properties[i].key);
        } else {
            table_update_set_property(update, properties[i].key, properties[i].value);
        }
    }
}

static struct buf *print_metadata(const struct table_metadata *metadata)
{
    struct strbuf text;
    strbuf_init(&text, TABLE_METADATA_BYTES_MAX);
    table_metadata_print(&text, metadata);
    struct buf *bytes = buf_new(text.size, NULL);
    memcpy(bytes->ptr, text.ptr, text.size);
    strbuf_release(&text);
    return bytes;
}

// The file's bytes: the text itself, or compressed as the table wants it.
static enum status pack_metadata(const struct table_metadata *metadata, struct buf *json,
                                 struct buf **out, struct err *err)
{
    if (!iceberg_table_metadata_is_packed(metadata)) {
        *out = buf_ref(json);
        return STATUS_OK;
    }
    struct compress *compress = compress_new();
    size_t size = 0;
    struct buf *packed = buf_new(compress_bound(COMPRESS_GZIP, json->size), NULL);
    enum status status = compress_block(compress, COMPRESS_GZIP, COMPRESS_LEVEL_DEFAULT,
                                        str_make(json->ptr, json->size), packed->ptr, &size, err);
    compress_free(compress);
    packed->size = size;
    *out = packed;
    return status;
}

static enum status put_metadata(struct commit_state *state, const struct table_metadata *next,
                                struct buf *json, struct str *location, struct err *err)
{
    struct iceberg_table *table = state->table;
    struct buf *packed = NULL;
    char uuid[TABLE_ENV_UUID_TEXT + 1];
    table_env_tagged_uuid(table->place.env, state->options->writer_tag, uuid);
    struct str name = iceberg_table_metadata_name(&state->arena, next, table->location, uuid);
    enum status status = pack_metadata(next, json, &packed, err);
    if (status == STATUS_OK) {
        status = commit_put(state, name, str_make(packed->ptr, packed->size), location, err);
    }
    buf_unref(packed);
    return status;
}

// Everything of an attempt before the swap: `update` is finished into *next, its JSON in *json.
static enum status prepare(struct commit_state *state, struct table_update *update,
                           const struct table_metadata **next, struct buf **json,
                           struct str *location, struct commit_result *result, struct err *err)
{
    const struct commit_options *options = state->options;
    struct iceberg_table *table = state->table;
    struct commit_attempt attempt = {TABLE_NONE, 0, 0};
    table_update_begin(update, &state->arena, table->metadata,
                       table->place.env->now_ms(table->place.env));
    if (makes_snapshot(options)) {
        TRY(make_snapshot(state, update, err));
        attempt.snapshot_id = state->snapshot_id;
        attempt.sequence_number = update->next.last_sequence_number;
    }
    attempt.timestamp_ms = update->now_ms;
    set_properties(update, options->properties, options->property_count);
    if (options->late_properties != NULL) {
        const struct table_property *late = NULL;
        uint32_t count = 0;
        options->late_properties(options->context, &attempt, &state->arena, &late, &count);
        set_properties(update, late, count);
    }
    if (!options->without_expiry &&
        table_metadata_property_bool(&update->next, "frazil.expire-in-commit", true)) {
        result->expired_snapshots = table_update_expire(update);
    }
    *next = table_update_finish(update, table->location);
    *json = print_metadata(*next);
    TRY(put_metadata(state, *next, *json, location, err));
    result->snapshot_id = attempt.snapshot_id;
    result->sequence_number = attempt.sequence_number;
    return store_sync(table->place.store,
                      iceberg_table_metadata_directory(table->metadata, &state->arena), err);
}

// The list of the snapshot just written is that of the next commit's parent: the table keeps it.
static void keep_list(struct commit_state *state)
{
    struct iceberg_table *table = state->table;
    if (!makes_snapshot(state->options)) {
        return;
    }
    arena_release(&table->list_arena);
    table->list_arena = state->list_arena;
    arena_init(&state->list_arena);
    table->list = state->assigned;
    table->list_count = state->list.count;
    table->list_snapshot_id = state->snapshot_id;
}

// The files of this commit that the published metadata names.
static void keep_published(struct commit_state *state, const struct table_metadata *next,
                           struct str location)
{
    VEC(struct str) keep = {0};
    const struct table_snapshot *snapshot = table_metadata_snapshot(next, state->snapshot_id);
    VEC_PUSH(&keep, location);
    if (snapshot != NULL) {
        VEC_PUSH(&keep, snapshot->manifest_list);
        for (uint32_t i = 0; i < state->list.count; i++) {
            VEC_PUSH(&keep, state->list.items[i].path);
        }
    }
    commit_drop_files(state, keep.items, keep.count);
    VEC_RELEASE(&keep);
}

// Where the table is after the swap from `expected` to the file written as `location`.
static struct str place_of(struct commit_state *state, struct str expected, struct str location)
{
    struct iceberg_table *table = state->table;
    struct table_pointer *pointer = table->place.pointer;
    return pointer->ops->published == NULL
               ? location
               : pointer->ops->published(pointer, &state->arena, &table->name, expected, location);
}

static enum status published(struct commit_state *state, const struct table_update *update,
                             const struct table_metadata *next, struct buf *json,
                             struct str location, struct err *err)
{
    keep_published(state, next, location);
    commit_expire_files(state, update->base, next, update->removed_log_count);
    keep_list(state); // the last: the list of this commit borrows from the one it replaces
    return iceberg_table_take(state->table, json, location, err);
}

// Whether the snapshot is in the table or was: others may have expired it since, but what they put
// upon it names it. To publish it again would make it an ancestor of itself.
static bool was_published(const struct table_metadata *metadata, int64_t snapshot_id)
{
    bool found = false;
    for (uint32_t i = 0; i < metadata->snapshot_count && !found; i++) {
        const struct table_snapshot *snapshot = &metadata->snapshots[i];
        found = snapshot->snapshot_id == snapshot_id || snapshot->parent_id == snapshot_id;
    }
    for (uint32_t i = 0; i < metadata->snapshot_log_count && !found; i++) {
        found = metadata->snapshot_log[i].snapshot_id == snapshot_id;
    }
    return found;
}

// After an unknown outcome: was our snapshot in the table, or is our metadata in its log (where its
// name is the commit's own)? Tries to load it several times; AGAIN: it could not be loaded.
static enum status search(struct commit_state *state, struct str location, bool *found,
                          struct err *err)
{
    struct iceberg_table *table = state->table;
    enum status status = STATUS_OK;
    *found = false;
    struct table_env *env = table->place.env;
    const struct table_metadata *base = table->metadata;
    int64_t reloads = table_metadata_property_i64(base, "commit.status-check.num-retries", RELOADS);
    int64_t wait =
        table_metadata_property_i64(base, "commit.status-check.min-wait-ms", RELOAD_WAIT_MS);
    int64_t wait_max =
        table_metadata_property_i64(base, "commit.status-check.max-wait-ms", RELOAD_WAIT_MAX_MS);
    int64_t total =
        table_metadata_property_i64(base, "commit.status-check.total-timeout-ms", TOTAL_MS_DEFAULT);
    int64_t started = env->now_ms(env);
    for (int64_t i = 0; i == 0 || (i < reloads && env->now_ms(env) - started <= total); i++) {
        if (i > 0) {
            env->sleep_ms(env, wait);
            wait = wait * 2 < wait_max ? wait * 2 : wait_max;
        }
        status = iceberg_table_refresh(table, err);
        if (status == STATUS_OK) {
            break;
        }
    }
    if (status != STATUS_OK) {
        return STATUS_AGAIN;
    }
    bool names_tell = table->place.pointer->ops->published == NULL;
    *found = (names_tell && str_equal(table->location, location)) ||
             (makes_snapshot(state->options) && was_published(table->metadata, state->snapshot_id));
    for (uint32_t i = 0; names_tell && !*found && i < table->metadata->metadata_log_count; i++) {
        *found = str_equal(table->metadata->metadata_log[i].file, location);
    }
    return STATUS_OK;
}

enum outcome { DONE, RETRY, STOP };

// What must not be done after an unknown outcome (TABLE_ENV_BREAK_RETRY).
static enum outcome blind_retry(struct commit_state *state, enum status *status, struct err *err)
{
    state->snapshot_id = table_env_snapshot_id(state->table->place.env);
    state->manifests.count = 0;
    *status = iceberg_table_refresh(state->table, err);
    return *status == STATUS_OK ? RETRY : STOP;
}

// After the swap said something other than OK.
static enum outcome not_published(struct commit_state *state, struct str location, bool *unknown,
                                  enum status *status, struct err *err)
{
    struct err ignored;
    bool found;
    if (*status == STATUS_CONFLICT) {
        // This attempt's list and metadata; manifests of new files are used again.
        for (uint32_t i = 0; !*unknown && i < state->written.count; i++) {
            struct str path = state->written.items[i];
            if (str_equal(path, location)) {
                commit_remove(state->table->place.store, path);
                state->written.items[i] = state->written.items[--state->written.count];
                break;
            }
        }
        *status = iceberg_table_refresh(state->table, err);
        return *status == STATUS_OK ? RETRY : STOP;
    }
    if (*status != STATUS_COMMIT_UNKNOWN) {
        return STOP;
    }
    if ((state->table->place.env->broken_rules & TABLE_ENV_BREAK_RETRY) != 0) {
        return blind_retry(state, status, err);
    }
    *unknown = true;
    if (search(state, location, &found, &ignored) != STATUS_OK) {
        return STOP;
    }
    if (found) {
        *status = STATUS_OK;
        return DONE;
    }
    return RETRY;
}

// A file that the base names is gone: an expiry by others came in between. Then there is a newer
// base.
static enum status base_is_gone(struct commit_state *state, enum outcome *outcome,
                                enum status status, struct err *err)
{
    struct iceberg_table *table = state->table;
    struct err failure = err != NULL ? *err : (struct err){.status = status};
    struct str base = arena_str(&state->arena, table->location);
    TRY(iceberg_table_refresh(table, err));
    if (!str_equal(base, table->location)) {
        *outcome = RETRY;
    } else if (err != NULL) {
        *err = failure;
    }
    return status;
}

static enum status attempt_once(struct commit_state *state, struct commit_result *result,
                                bool *unknown, enum outcome *outcome, struct err *err)
{
    struct iceberg_table *table = state->table;
    const struct commit_options *options = state->options;
    struct table_update update;
    const struct table_metadata *next = NULL;
    struct buf *json = NULL;
    struct str location = STR_LIT("");
    *outcome = STOP;
    if (*unknown && makes_snapshot(options) && was_published(table->metadata, state->snapshot_id)) {
        *outcome = DONE; // an earlier attempt took effect after all
        return STATUS_OK;
    }
    unsigned broken = table->place.env->broken_rules;
    if (options->check != NULL &&
        (broken & (TABLE_ENV_BREAK_SEARCH | TABLE_ENV_BREAK_RETRY)) == 0) {
        TRY(options->check(options->context, table->metadata, err));
    }
    state->attempt++;
    result->attempts = state->attempt;
    enum status status = prepare(state, &update, &next, &json, &location, result, err);
    if (status != STATUS_OK) {
        buf_unref(json);
        return status == STATUS_NOT_FOUND ? base_is_gone(state, outcome, status, err) : status;
    }
    struct str expected = arena_str(&state->arena, table->location);
    status = table->place.pointer->ops->swap(table->place.pointer, &table->name, expected, location,
                                             err);
    if (status == STATUS_OK) {
        *outcome = DONE;
        return published(state, &update, next, json, place_of(state, expected, location), err);
    }
    buf_unref(json);
    *outcome = not_published(state, location, unknown, &status, err);
    return status;
}

// *err says what kept the last attempt from finding out.
static enum status outcome_unknown(const struct commit_state *state, struct err *err)
{
    const struct table_name *name = &state->table->name;
    if (err != NULL) {
        err->status = STATUS_COMMIT_UNKNOWN;
        err_context(err, "commit to %.*s.%.*s: the outcome of attempt %u is not known",
                    STR_ARGS(name->database), STR_ARGS(name->name), state->attempt);
    }
    return STATUS_COMMIT_UNKNOWN;
}

static enum status run_attempts(struct commit_state *state, struct commit_result *result,
                                struct err *err)
{
    struct iceberg_table *table = state->table;
    struct table_env *env = table->place.env;
    int64_t retries =
        table_metadata_property_i64(table->metadata, "commit.retry.num-retries", RETRIES_DEFAULT);
    int64_t wait =
        table_metadata_property_i64(table->metadata, "commit.retry.min-wait-ms", WAIT_MIN_MS);
    int64_t wait_max =
        table_metadata_property_i64(table->metadata, "commit.retry.max-wait-ms", WAIT_MAX_MS);
    int64_t total = table_metadata_property_i64(table->metadata, "commit.retry.total-timeout-ms",
                                                TOTAL_MS_DEFAULT);
    int64_t started = env->now_ms(env);
    bool unknown = false;
    for (int64_t i = 0;; i++) {
        enum outcome outcome;
        enum status status = attempt_once(state, result, &unknown, &outcome, err);
        if (outcome == DONE) {
            return status;
        }
        if (outcome == STOP || i >= retries || env->now_ms(env) - started > total) {
            // What was refused for certain, or never swapped, cannot take effect any more.
            if (!unknown) {
                commit_drop_files(state, NULL, 0);
            }
            if (unknown && status != STATUS_EXISTS) {
                return outcome_unknown(state, err);
            }
            return outcome == STOP
                       ? status
                       : ERR(err, STATUS_CONFLICT,
                             "commit to %.*s.%.*s: others committed first in each of %u attempts",
                             STR_ARGS(table->name.database), STR_ARGS(table->name.name),
                             state->attempt);
        }
        env->sleep_ms(env, wait);
        wait = wait * 2 < wait_max ? wait * 2 : wait_max;
    }
}

enum status commit_run(struct iceberg_table *table, const struct commit_options *options,
                       struct commit_result *result, struct err *err)
{
    struct commit_state state = {
        .table = table,
        .options = options,
        .branch = options->branch.size > 0 ? options->branch : STR_LIT(TABLE_MAIN),
    };
    *result = (struct commit_result){.snapshot_id = TABLE_NONE};
    if (!makes_snapshot(options) && options->property_count == 0 &&
        options->late_properties == NULL) {
        return STATUS_OK;
    }
    arena_init(&state.arena);
    arena_init(&state.list_arena);
    table_env_tagged_uuid(table->place.env, options->writer_tag, state.uuid);
    do {
        state.snapshot_id = table_env_snapshot_id(table->place.env);
    } while (table_metadata_snapshot(table->metadata, state.snapshot_id) != NULL);
    enum status status = run_attempts(&state, result, err);
    VEC_RELEASE(&state.manifests);
    VEC_RELEASE(&state.written);
    VEC_RELEASE(&state.list);
    avro_schema_cache_release(&state.cache);
    arena_release(&state.list_arena);
    arena_release(&state.arena);
    return status;
}

enum status commit_create(const struct table_place *place, const struct table_name *name,
                          const struct table_update_new *table, struct err *err)
{
    struct arena arena;
    struct table_update update;
    char uuid[TABLE_ENV_UUID_TEXT + 1];
    arena_init(&arena);
    enum status status =
        table_update_create(&update, &arena, table, place->env->now_ms(place->env), err);
    if (status == STATUS_OK) { // what its files would fail on is told now
        struct file_settings settings;
        status = file_settings_of(&arena, &update.next, &settings, err);
    }
    if (status == STATUS_OK) {
        const struct table_metadata *metadata = table_update_finish(&update, STR_LIT(""));
        struct buf *json = print_metadata(metadata);
        table_env_uuid(place->env, uuid);
        struct str directory = iceberg_table_metadata_directory(metadata, &arena);
        struct str file = iceberg_table_metadata_name(&arena, metadata, STR_LIT(""), uuid);
        struct str path = arena_printf(&arena, "%.*s/%.*s", STR_ARGS(directory), STR_ARGS(file));
        struct buf *packed = NULL;
        status = pack_metadata(metadata, json, &packed, err);
        if (status == STATUS_OK) {
            status = store_put(place->store, path, str_make(packed->ptr, packed->size),
                               STORE_EXCLUSIVE, err);
        }
        buf_unref(packed);
        if (status == STATUS_OK) {
            status = place->pointer->ops->swap(place->pointer, name, STR_LIT(""), path, err);
            if (status != STATUS_OK && status != STATUS_COMMIT_UNKNOWN) {
                commit_remove(place->store, path);
            }
        }
        buf_unref(json);
    }
    arena_release(&arena);
    return status;
}
