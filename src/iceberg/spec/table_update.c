// SPDX-License-Identifier: Apache-2.0
#include "iceberg/spec/table_update.h"

#include "base/arena.h"
#include "codec/json_tree.h"

enum { VERSIONS_MAX_DEFAULT = 100, MIN_SNAPSHOTS_DEFAULT = 1, PARTITION_ID_NONE = 999 };
#define AGE_DEFAULT_MS (INT64_C(5) * 24 * 3600 * 1000)

void table_update_begin(struct table_update *update, struct arena *arena,
                        const struct table_metadata *base, int64_t now_ms)
{
    *update = (struct table_update){.arena = arena, .base = base, .next = *base, .now_ms = now_ms};
    if (update->now_ms < base->last_updated_ms) {
        update->now_ms = base->last_updated_ms; // a clock that went back
    }
}

enum status table_update_create(struct table_update *update, struct arena *arena,
                                const struct table_update_new *table, int64_t now_ms,
                                struct err *err)
{
    static const struct sort_order unsorted;
    *update = (struct table_update){.arena = arena, .now_ms = now_ms};
    struct table_metadata *next = &update->next;
    const struct table_schema **schemas = arena_new_array(arena, const struct table_schema *, 1);
    TRY(table_schema_new(arena, 0, table->columns, table->identifier_ids, table->identifier_count,
                         &schemas[0], err));
    struct partition_spec *spec = arena_new(arena, struct partition_spec);
    *spec = (struct partition_spec){0, table->partition_count, table->partition_fields};
    const struct partition_spec **specs = arena_new_array(arena, const struct partition_spec *, 1);
    specs[0] = partition_spec_bind(arena, spec, schemas[0], NULL, 0);
    const struct sort_order **orders = arena_new_array(arena, const struct sort_order *, 1);
    orders[0] = &unsorted;
    next->format_version = table->format_version;
    next->table_uuid = table->uuid;
    next->location = table->location;
    next->last_column_id = table_schema_highest_id(schemas[0]);
    next->schemas = schemas;
    next->schema_count = 1;
    next->specs = specs;
    next->spec_count = 1;
    next->last_partition_id = PARTITION_ID_NONE;
    for (uint32_t i = 0; i < specs[0]->field_count; i++) {
        const struct partition_field *field = &specs[0]->fields[i];
        if (field->source == NULL) {
            return ERR(err, STATUS_NOT_FOUND, "no column for partition field '%.*s'",
                       STR_ARGS(field->name));
        }
        TRY(transform_check(&field->transform, field->source, err));
        next->last_partition_id =
            field->field_id > next->last_partition_id ? field->field_id : next->last_partition_id;
    }
    next->sort_orders = orders;
    next->sort_order_count = 1;
    next->properties = table->properties;
    next->property_count = table->property_count;
    next->current_snapshot_id = TABLE_NONE;
    for (uint32_t i = 0; i < table->columns->field_count; i++) {
        const struct iceberg_field *field = &table->columns->fields[i];
        int32_t needed = iceberg_type_version(field->type);
        if (needed > table->format_version) {
            return ERR(err, STATUS_UNSUPPORTED,
                       "column '%.*s': its type needs format version %d, and this table has %d",
                       STR_ARGS(field->name), needed, table->format_version);
        }
    }
    return STATUS_OK;
}

void table_update_remove_property(struct table_update *update, struct str key)
{
    struct table_metadata *next = &update->next;
    struct table_property *kept =
        arena_new_array(update->arena, struct table_property, next->property_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < next->property_count; i++) {
        if (!str_equal(next->properties[i].key, key)) {
            kept[count++] = next->properties[i];
        }
    }
    next->properties = kept;
    next->property_count = count;
}

void table_update_set_property(struct table_update *update, struct str key, struct str value)
{
    struct table_metadata *next = &update->next;
    struct table_property *kept =
        arena_new_array(update->arena, struct table_property, next->property_count + 1);
    uint32_t count = next->property_count;
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        kept[i] = next->properties[i];
        if (str_equal(kept[i].key, key)) {
            kept[i].value = value;
            found = true;
        }
    }
    if (!found) {
        kept[count++] = (struct table_property){key, value};
    }
    next->properties = kept;
    next->property_count = count;
}

static void log_current(struct table_update *update, int64_t timestamp_ms, int64_t snapshot_id)
{
    struct table_metadata *next = &update->next;
    struct table_snapshot_log *log =
        arena_new_array(update->arena, struct table_snapshot_log, next->snapshot_log_count + 1);
    for (uint32_t i = 0; i < next->snapshot_log_count; i++) {
        log[i] = next->snapshot_log[i];
    }
    log[next->snapshot_log_count++] = (struct table_snapshot_log){timestamp_ms, snapshot_id};
    next->snapshot_log = log;
}

static void put_ref(struct table_update *update, const struct table_ref *ref)
{
    struct table_metadata *next = &update->next;
    struct table_ref *refs = arena_new_array(update->arena, struct table_ref, next->ref_count + 1);
    bool found = false;
    for (uint32_t i = 0; i < next->ref_count; i++) {
        bool same = str_equal(next->refs[i].name, ref->name);
        refs[i] = same ? *ref : next->refs[i];
        found = found || same;
    }
    if (!found) {
        refs[next->ref_count++] = *ref;
    }
    next->refs = refs;
}

static struct table_ref branch_at(const struct table_metadata *metadata, struct str branch,
                                  int64_t snapshot_id)
{
    const struct table_ref *known = table_metadata_ref(metadata, branch);
    struct table_ref ref = {.name = branch,
                            .min_snapshots_to_keep = TABLE_NONE,
                            .max_snapshot_age_ms = TABLE_NONE,
                            .max_ref_age_ms = TABLE_NONE};
    if (known != NULL) {
        ref = *known;
    }
    ref.snapshot_id = snapshot_id;
    return ref;
}

enum status table_update_add_snapshot(struct table_update *update,
                                      const struct table_snapshot *snapshot, struct str branch,
                                      struct err *err)
{
    struct table_metadata *next = &update->next;
    const struct table_ref *known = table_metadata_ref(next, branch);
    if (known != NULL && known->is_tag) {
        return ERR(err, STATUS_INVALID_DATA, "'%.*s' is a tag, no branch", STR_ARGS(branch));
    }
    if (next->format_version > 1 && snapshot->sequence_number <= next->last_sequence_number) {
        return ERR(err, STATUS_INVALID_DATA, "sequence number %lld does not follow %lld",
                   (long long)snapshot->sequence_number, (long long)next->last_sequence_number);
    }
    if (table_metadata_snapshot(next, snapshot->snapshot_id) != NULL) {
        return ERR(err, STATUS_INVALID_DATA, "snapshot %lld exists",
                   (long long)snapshot->snapshot_id);
    }
    if (next->format_version >= 3) {
        if (snapshot->first_row_id < next->next_row_id || snapshot->added_rows < 0) {
            return ERR(err, STATUS_INVALID_DATA, "first row id %lld is behind %lld",
                       (long long)snapshot->first_row_id, (long long)next->next_row_id);
        }
        next->next_row_id = snapshot->first_row_id + snapshot->added_rows;
    }
    struct table_snapshot *snapshots =
        arena_new_array(update->arena, struct table_snapshot, next->snapshot_count + 1);
    for (uint32_t i = 0; i < next->snapshot_count; i++) {
        snapshots[i] = next->snapshots[i];
    }
    snapshots[next->snapshot_count++] = *snapshot;
    next->snapshots = snapshots;
    next->last_sequence_number = snapshot->sequence_number;
    if (snapshot->timestamp_ms > update->now_ms) {
        update->now_ms = snapshot->timestamp_ms;
    }
    struct table_ref ref = branch_at(next, branch, snapshot->snapshot_id);
    put_ref(update, &ref);
    if (str_is(branch, TABLE_MAIN)) {
        next->current_snapshot_id = snapshot->snapshot_id;
        log_current(update, snapshot->timestamp_ms, snapshot->snapshot_id);
    }
    return STATUS_OK;
}

enum status table_update_set_ref(struct table_update *update, const struct table_ref *ref,
                                 struct err *err)
{
    struct table_metadata *next = &update->next;
    bool is_main = str_is(ref->name, TABLE_MAIN);
    if (table_metadata_snapshot(next, ref->snapshot_id) == NULL || (is_main && ref->is_tag)) {
        return ERR(err, STATUS_NOT_FOUND, "'%.*s' cannot point to snapshot %lld",
                   STR_ARGS(ref->name), (long long)ref->snapshot_id);
    }
    if (is_main && next->current_snapshot_id != ref->snapshot_id) {
        next->current_snapshot_id = ref->snapshot_id;
        log_current(update, update->now_ms, ref->snapshot_id);
    }
    put_ref(update, ref);
    return STATUS_OK;
}

void table_update_remove_ref(struct table_update *update, struct str name)
{
    struct table_metadata *next = &update->next;
    struct table_ref *refs = arena_new_array(update->arena, struct table_ref, next->ref_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < next->ref_count; i++) {
        if (!str_equal(next->refs[i].name, name)) {
            refs[count++] = next->refs[i];
        }
    }
    next->refs = refs;
    next->ref_count = count;
    if (str_is(name, TABLE_MAIN)) {
        next->current_snapshot_id = TABLE_NONE;
    }
}

static bool is_in(const int64_t *ids, uint32_t count, int64_t id)
{
    for (uint32_t i = 0; i < count; i++) {
        if (ids[i] == id) {
            return true;
        }
    }
    return false;
}

// The entries of a list of statistics files whose snapshots are kept.
static const struct json_tree *keep_statistics(struct arena *arena, const struct json_tree *list,
                                               const int64_t *ids, uint32_t count)
{
    if (list == NULL) {
        return NULL;
    }
    struct json_tree *kept = arena_new(arena, struct json_tree);
    struct json_tree *items = arena_new_array(arena, struct json_tree, list->count + 1);
    *kept = *list;
    kept->count = 0;
    kept->items = items;
    for (uint32_t i = 0; i < list->count; i++) {
        int64_t id;
        if (!json_tree_int(json_tree_get(&list->items[i], "snapshot-id"), &id) ||
            !is_in(ids, count, id)) {
            items[kept->count++] = list->items[i];
        }
    }
    return kept;
}

void table_update_remove_snapshots(struct table_update *update, const int64_t *ids, uint32_t count)
{
    struct table_metadata *next = &update->next;
    struct arena *arena = update->arena;
    if (count == 0) {
        return;
    }
    struct table_snapshot *snapshots =
        arena_new_array(arena, struct table_snapshot, next->snapshot_count + 1);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < next->snapshot_count; i++) {
        if (!is_in(ids, count, next->snapshots[i].snapshot_id)) {
            snapshots[kept++] = next->snapshots[i];
        }
    }
    next->snapshots = snapshots;
    next->snapshot_count = kept;
    for (uint32_t i = next->ref_count; i-- > 0;) {
        if (is_in(ids, count, next->refs[i].snapshot_id)) {
            table_update_remove_ref(update, next->refs[i].name);
        }
    }
    // An entry that is gone makes everything before it a gap (Java's updateSnapshotLog).
    struct table_snapshot_log *log =
        arena_new_array(arena, struct table_snapshot_log, next->snapshot_log_count + 1);
    uint32_t logged = 0;
    for (uint32_t i = 0; i < next->snapshot_log_count; i++) {
        if (is_in(ids, count, next->snapshot_log[i].snapshot_id)) {
            logged = 0;
        } else {
            log[logged++] = next->snapshot_log[i];
        }
    }
    next->snapshot_log = log;
    next->snapshot_log_count = logged;
    next->statistics = keep_statistics(arena, next->statistics, ids, count);
    next->partition_statistics = keep_statistics(arena, next->partition_statistics, ids, count);
    update->removed_snapshots = true;
}

// Marks what one branch keeps: ancestors while they are young or among the first few.
static void mark_branch(const struct table_update *update, const struct table_ref *ref, bool *keep)
{
    const struct table_metadata *next = &update->next;
    int64_t age_ms = ref->max_snapshot_age_ms != TABLE_NONE
                         ? ref->max_snapshot_age_ms
                         : table_metadata_property_i64(next, "history.expire.max-snapshot-age-ms",
                                                       AGE_DEFAULT_MS);
    int64_t min_count =
        ref->min_snapshots_to_keep != TABLE_NONE
            ? ref->min_snapshots_to_keep
            : table_metadata_property_i64(next, "history.expire.min-snapshots-to-keep",
                                          MIN_SNAPSHOTS_DEFAULT);
    int64_t id = ref->snapshot_id;
    // A chain of parents is at most as long as there are snapshots; damaged ones may be circles.
    for (int64_t depth = 0; depth < (int64_t)next->snapshot_count && id != TABLE_NONE; depth++) {
        const struct table_snapshot *snapshot = table_metadata_snapshot(next, id);
        if (snapshot == NULL ||
            (depth >= min_count && snapshot->timestamp_ms < update->now_ms - age_ms)) {
            return;
        }
        keep[snapshot - next->snapshots] = true;
        id = snapshot->parent_id;
    }
}

uint32_t table_update_expire(struct table_update *update)
{
    struct table_metadata *next = &update->next;
    if (!table_metadata_property_bool(next, "gc.enabled", true) || next->snapshot_count == 0) {
        return 0;
    }
    int64_t ref_age = table_metadata_property_i64(next, "history.expire.max-ref-age-ms", INT64_MAX);
    int64_t age =
        table_metadata_property_i64(next, "history.expire.max-snapshot-age-ms", AGE_DEFAULT_MS);
    bool *keep = arena_new_array(update->arena, bool, next->snapshot_count);
    bool *reachable = arena_new_array(update->arena, bool, next->snapshot_count);
    for (uint32_t i = next->ref_count; i-- > 0;) {
        const struct table_ref *ref = &next->refs[i];
        const struct table_snapshot *head = table_metadata_snapshot(next, ref->snapshot_id);
        int64_t max_age = ref->max_ref_age_ms != TABLE_NONE ? ref->max_ref_age_ms : ref_age;
        if (head == NULL ||
            (!str_is(ref->name, TABLE_MAIN) && update->now_ms - head->timestamp_ms > max_age)) {
            table_update_remove_ref(update, ref->name);
            continue;
        }
        keep[head - next->snapshots] = true;
        if (!ref->is_tag) {
            mark_branch(update, ref, keep);
        }
        for (const struct table_snapshot *at = head; at != NULL && !reachable[at - next->snapshots];
             at = table_metadata_snapshot(next, at->parent_id)) {
            reachable[at - next->snapshots] = true;
        }
    }
    int64_t *ids = arena_new_array(update->arena, int64_t, next->snapshot_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < next->snapshot_count; i++) {
        const struct table_snapshot *snapshot = &next->snapshots[i];
        bool staged_and_young = !reachable[i] && snapshot->timestamp_ms >= update->now_ms - age;
        if (!keep[i] && !staged_and_young) {
            ids[count++] = snapshot->snapshot_id;
        }
    }
    table_update_remove_snapshots(update, ids, count);
    return count;
}

static void log_metadata(struct table_update *update, struct str base_location)
{
    struct table_metadata *next = &update->next;
    int64_t limit = table_metadata_property_i64(next, "write.metadata.previous-versions-max",
                                                VERSIONS_MAX_DEFAULT);
    uint32_t max = limit < 1 ? 1 : limit > 100000 ? 100000 : (uint32_t)limit;
    uint32_t old = next->metadata_log_count;
    uint32_t dropped = old >= max ? old - max + 1 : 0;
    struct table_metadata_log *log =
        arena_new_array(update->arena, struct table_metadata_log, old - dropped + 1);
    for (uint32_t i = dropped; i < old; i++) {
        log[i - dropped] = next->metadata_log[i];
    }
    log[old - dropped] = (struct table_metadata_log){update->base->last_updated_ms, base_location};
    next->metadata_log = log;
    next->metadata_log_count = old - dropped + 1;
    update->removed_log_count = dropped;
}

const struct table_metadata *table_update_finish(struct table_update *update,
                                                 struct str base_location)
{
    update->next.last_updated_ms = update->now_ms;
    if (update->base != NULL && base_location.size > 0) {
        log_metadata(update, base_location);
    }
    struct table_metadata *out = arena_new(update->arena, struct table_metadata);
    *out = update->next;
    return out;
}
