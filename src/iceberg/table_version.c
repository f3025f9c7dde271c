// SPDX-License-Identifier: Apache-2.0
#include "iceberg/table_version.h"

#include <inttypes.h>

#include "base/arena.h"
#include "base/nearest.h"
#include "iceberg/iceberg_def.h"
#include "iceberg/spec/table_metadata.h"

enum { US_PER_MS = 1000 };

static enum status no_ref(const struct table_metadata *metadata, const char *kind, struct str name,
                          struct err *err)
{
    struct nearest nearest = nearest_to(name);
    for (uint32_t i = 0; i < metadata->ref_count; i++) {
        nearest_try(&nearest, metadata->refs[i].name);
    }
    ERR(err, STATUS_NOT_FOUND, "the table has no %s '%.*s'", kind, STR_ARGS(name));
    const struct table_ref *other = table_metadata_ref(metadata, name);
    if (other != NULL) {
        err_hint(err, "it is a %s", other->is_tag ? "tag" : "branch");
    } else {
        nearest_hint(&nearest, err);
    }
    return STATUS_NOT_FOUND;
}

static enum status find_ref(const struct table_metadata *metadata, const struct table_at *at,
                            struct table_version *out, struct err *err)
{
    static const char *const kinds[] = {[TABLE_AT_VERSION] = "snapshot, branch or tag",
                                        [TABLE_AT_BRANCH] = "branch",
                                        [TABLE_AT_TAG] = "tag"};
    const struct table_ref *ref = table_metadata_ref(metadata, at->text);
    bool is_main = str_is(at->text, TABLE_MAIN) && at->kind != TABLE_AT_TAG;
    if (ref == NULL && is_main) { // a table without snapshots, or one of v1
        int64_t current = metadata->current_snapshot_id;
        *out = (struct table_version){.snapshot_id = current == TABLE_NONE ? 0 : current};
        return STATUS_OK;
    }
    if (ref == NULL || (at->kind == TABLE_AT_BRANCH && ref->is_tag) ||
        (at->kind == TABLE_AT_TAG && !ref->is_tag)) {
        return no_ref(metadata, kinds[at->kind], at->text, err);
    }
    *out = (struct table_version){.snapshot_id = ref->snapshot_id, .has_own_schema = ref->is_tag};
    return STATUS_OK;
}

static enum status find_snapshot(const struct table_metadata *metadata, int64_t id,
                                 struct table_version *out, struct err *err)
{
    if (table_metadata_snapshot(metadata, id) == NULL) {
        return ERR(err, STATUS_NOT_FOUND, "the table has no snapshot %" PRId64, id);
    }
    *out = (struct table_version){.snapshot_id = id, .has_own_schema = true};
    return STATUS_OK;
}

static enum status find_time(const struct table_metadata *metadata, int64_t us,
                             struct table_version *out, struct err *err)
{
    int64_t ms = us / US_PER_MS - (us % US_PER_MS < 0);
    const struct table_snapshot_log *found = NULL;
    for (uint32_t i = 0; i < metadata->snapshot_log_count; i++) {
        const struct table_snapshot_log *entry = &metadata->snapshot_log[i];
        if (entry->timestamp_ms <= ms &&
            (found == NULL || entry->timestamp_ms >= found->timestamp_ms)) {
            found = entry;
        }
    }
    if (found == NULL) {
        return ERR(err, STATUS_NOT_FOUND, "the table has no snapshot as old as that");
    }
    return find_snapshot(metadata, found->snapshot_id, out, err);
}

static enum status find(const struct table_metadata *metadata, const struct table_at *at,
                        struct table_version *out, struct err *err)
{
    int64_t id;
    switch (at->kind) {
    case TABLE_AT_NONE:
        *out = (struct table_version){.snapshot_id = metadata->current_snapshot_id == TABLE_NONE
                                                         ? 0
                                                         : metadata->current_snapshot_id};
        return STATUS_OK;
    case TABLE_AT_VERSION:
        if (str_to_i64(at->text, &id) && table_metadata_snapshot(metadata, id) != NULL) {
            return find_snapshot(metadata, id, out, err);
        }
        return find_ref(metadata, at, out, err);
    case TABLE_AT_BRANCH:
    case TABLE_AT_TAG: return find_ref(metadata, at, out, err);
    case TABLE_AT_SNAPSHOT: return find_snapshot(metadata, at->number, out, err);
    case TABLE_AT_TIME: break;
    }
    return find_time(metadata, at->number, out, err);
}

// Whether `ancestor` lies on the way from `id` to the first snapshot; both may be equal.
static bool descends(const struct table_metadata *metadata, int64_t id, int64_t ancestor)
{
    for (uint32_t steps = 0; steps <= metadata->snapshot_count; steps++) {
        const struct table_snapshot *snapshot = table_metadata_snapshot(metadata, id);
        if (id == ancestor || snapshot == NULL) {
            return id == ancestor;
        }
        id = snapshot->parent_id;
    }
    return false;
}

enum status table_version_find(const struct table_metadata *metadata, const struct table_at *at,
                               const struct table_at *after, struct table_version *out,
                               struct err *err)
{
    struct table_version start = {0};
    TRY(find(metadata, at, out, err));
    if (after == NULL) {
        return STATUS_OK;
    }
    // Appends are read with the columns that the table has now, as Java's incremental scans do.
    out->has_own_schema = false;
    out->is_incremental = true;
    if (after->kind == TABLE_AT_NONE) {
        return STATUS_OK;
    }
    TRY(find(metadata, after, &start, err));
    if (!descends(metadata, out->snapshot_id, start.snapshot_id)) {
        return ERR(err, STATUS_INVALID_DATA,
                   "snapshot %" PRId64 " is no ancestor of snapshot %" PRId64, start.snapshot_id,
                   out->snapshot_id);
    }
    out->after_snapshot_id = start.snapshot_id;
    return STATUS_OK;
}

enum status table_version_def(struct arena *arena, const struct table_metadata *metadata,
                              const struct table_version *version, const struct table_def *def,
                              const struct table_def **out, struct err *err)
{
    struct table_def *copy = arena_copy(arena, def, sizeof *def);
    const struct table_snapshot *snapshot = table_metadata_snapshot(metadata, version->snapshot_id);
    const struct table_schema *schema =
        snapshot == NULL ? NULL : table_metadata_schema(metadata, snapshot->schema_id);
    bool is_metadata = def->metadata_table.size > 0; // its columns are those of the table now
    copy->version = *version;
    if (is_metadata && version->is_incremental) {
        return ERR(err, STATUS_UNSUPPORTED, "appends cannot be read of a metadata table");
    }
    if (version->has_own_schema && schema != NULL && !is_metadata) {
        TRY(iceberg_def_columns(arena, schema, copy, err));
    }
    *out = copy;
    return STATUS_OK;
}
