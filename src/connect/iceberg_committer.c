// SPDX-License-Identifier: Apache-2.0
//
// The committing side of the Iceberg sink. All it knows of the past is in the table: tokens in the
// summaries of main's ancestors, the mark among the properties. It looks before every attempt, over
// what is new since it looked last.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "connect/iceberg_sink.h"
#include "connect/iceberg_token.h"
#include "iceberg/commit.h"
#include "iceberg/data_writer.h"
#include "plan/plan.h"
#include "store/store.h"

#define MARK_PREFIX ICEBERG_TOKEN_SINK "."

enum { RUNS_BACK = 8 };

struct iceberg_committer {
    struct sink_committer committer;
    struct arena arena; // of identity and names
    struct sink_identity identity;
    struct str table_name;
    struct iceberg_table *table;
    char id[ICEBERG_TOKEN_ID + 1];
    struct str branch;   // TABLE_MAIN, or another
    struct str mark_key; // of the property
    bool is_pipeline;
    int64_t looked_at; // snapshot up to which the branch was searched; TABLE_NONE
    char text[256];    // last_commit
    // The commit in progress.
    struct epoch epoch; // number 0: a fence
    struct str positions;
};

// --- searching ---------------------------------------------------------------------------------

// The newest snapshot of the branch; NULL: none yet.
static const struct table_snapshot *head_of(const struct iceberg_committer *committer,
                                            const struct table_metadata *metadata)
{
    const struct table_ref *ref = table_metadata_ref(metadata, committer->branch);
    return ref != NULL ? table_metadata_snapshot(metadata, ref->snapshot_id) : NULL;
}

// From the branch's newest snapshot to the oldest that is kept. There are at most as many as the
// table has: the parents of damaged metadata may go round in circles.
struct ancestry {
    const struct table_metadata *metadata;
    const struct table_snapshot *at; // NULL: no more
    uint32_t left;
};

static struct ancestry ancestry_of(const struct iceberg_committer *committer,
                                   const struct table_metadata *metadata)
{
    return (struct ancestry){metadata, head_of(committer, metadata), metadata->snapshot_count};
}

static void ancestry_next(struct ancestry *walk)
{
    int64_t parent = walk->at->parent_id;
    walk->left--;
    walk->at = parent == TABLE_NONE || walk->left == 0
                   ? NULL
                   : table_metadata_snapshot(walk->metadata, parent);
}

// The highest epoch of this sink and lineage among the branch's ancestors, down to `until`
// (excluded).
static bool find_epoch(const struct iceberg_committer *committer,
                       const struct table_metadata *metadata, int64_t until, struct epoch *out)
{
    bool found = false;
    struct ancestry walk = ancestry_of(committer, metadata);
    for (; walk.at != NULL && walk.at->snapshot_id != until; ancestry_next(&walk)) {
        struct epoch epoch;
        if (iceberg_token_of(walk.at, str_from(committer->id), committer->identity.lineage,
                             &epoch) &&
            (!found || epoch_compare(epoch, *out) > 0)) {
            *out = epoch;
            found = true;
        }
    }
    return found;
}

static bool is_ancestor(const struct iceberg_committer *committer,
                        const struct table_metadata *metadata, int64_t snapshot_id)
{
    struct ancestry walk = ancestry_of(committer, metadata);
    while (walk.at != NULL && walk.at->snapshot_id != snapshot_id) {
        ancestry_next(&walk);
    }
    return walk.at != NULL;
}

static int64_t oldest_sequence(const struct iceberg_committer *committer,
                               const struct table_metadata *metadata)
{
    int64_t sequence = INT64_MAX;
    for (struct ancestry walk = ancestry_of(committer, metadata); walk.at != NULL;
         ancestry_next(&walk)) {
        sequence = walk.at->sequence_number;
    }
    return sequence;
}

// This sink's mark; NOT_FOUND: there is none.
static enum status find_mark(struct iceberg_committer *committer,
                             const struct table_metadata *metadata, struct arena *arena,
                             struct iceberg_token_mark *out, struct err *err)
{
    const struct str *json = table_metadata_property(metadata, committer->mark_key.ptr);
    if (json == NULL || !committer->is_pipeline) {
        return STATUS_NOT_FOUND;
    }
    return iceberg_token_parse(*json, arena, out, err);
}

// --- committing --------------------------------------------------------------------------------

// Whether the epoch that is being committed is in the table: by a token that is new since the last
// look, or by the mark, which survives what others do to snapshots.
static enum status search(struct iceberg_committer *committer, const struct table_metadata *base,
                          const struct iceberg_token_mark *mark, struct err *err)
{
    struct epoch found;
    if (committer->epoch.number == 0) {
        return STATUS_OK; // a fence
    }
    if (find_epoch(committer, base, committer->looked_at, &found) &&
        epoch_compare(found, committer->epoch) >= 0) {
        return STATUS_EXISTS;
    }
    if (mark == NULL || mark->epoch.number == 0 ||
        epoch_compare(mark->epoch, committer->epoch) < 0) {
        return STATUS_OK;
    }
    if (table_metadata_snapshot(base, mark->snapshot_id) != NULL &&
        !is_ancestor(committer, base, mark->snapshot_id)) {
        return ERR(err, STATUS_CONFLICT,
                   "table '%.*s' was rolled back behind epoch %" PRIu64 "-%" PRIu64
                   " of this pipeline",
                   STR_ARGS(committer->table_name), mark->epoch.run, mark->epoch.number);
    }
    return STATUS_EXISTS;
}

// A branch other than main is made by somebody else; a commit must not begin it anew.
static enum status check_branch(const struct iceberg_committer *committer,
                                const struct table_metadata *metadata, struct err *err)
{
    const struct table_ref *ref = table_metadata_ref(metadata, committer->branch);
    if (str_is(committer->branch, TABLE_MAIN) || (ref != NULL && !ref->is_tag)) {
        return STATUS_OK;
    }
    return ERR(err, STATUS_NOT_FOUND, "table '%.*s' has no branch '%.*s'",
               STR_ARGS(committer->table_name), STR_ARGS(committer->branch));
}

// Before each attempt: is it in the table already; has a later run taken over?
static enum status check_base(void *context, const struct table_metadata *base, struct err *err)
{
    struct iceberg_committer *committer = context;
    struct arena arena = {0};
    struct iceberg_token_mark mark;
    TRY(check_branch(committer, base, err));
    enum status status = find_mark(committer, base, &arena, &mark, err);
    bool is_ours = status == STATUS_OK && str_equal(mark.lineage, committer->identity.lineage);
    if (is_ours && mark.run > committer->identity.run) {
        status = ERR(err, STATUS_CONFLICT,
                     "run %" PRIu64 " of this pipeline has taken over the table; this is run "
                     "%" PRIu64,
                     mark.run, committer->identity.run);
    } else if (status == STATUS_OK || status == STATUS_NOT_FOUND) {
        status = search(committer, base, is_ours ? &mark : NULL, err);
    }
    arena_release(&arena);
    if (status == STATUS_OK) {
        const struct table_snapshot *head = head_of(committer, base);
        committer->looked_at = head != NULL ? head->snapshot_id : TABLE_NONE;
    }
    return status;
}

// The mark, which names the attempt's snapshot.
static void make_mark(void *context, const struct commit_attempt *attempt, struct arena *arena,
                      const struct table_property **properties, uint32_t *count)
{
    struct iceberg_committer *committer = context;
    struct iceberg_token_mark mark;
    struct arena scratch = {0};
    // A fence keeps what the last commit said.
    if (committer->epoch.number > 0 ||
        find_mark(committer, committer->table->metadata, &scratch, &mark, NULL) != STATUS_OK ||
        !str_equal(mark.lineage, committer->identity.lineage)) {
        mark = (struct iceberg_token_mark){.epoch = committer->epoch,
                                           .snapshot_id = attempt->snapshot_id,
                                           .sequence_number = attempt->sequence_number,
                                           .positions = committer->positions};
    }
    mark.pipeline = committer->identity.pipeline_name;
    mark.lineage = committer->identity.lineage;
    mark.run = committer->identity.run;
    struct table_property *property = arena_new(arena, struct table_property);
    *property = (struct table_property){committer->mark_key, iceberg_token_print(&mark, arena)};
    *properties = property;
    *count = 1;
    arena_release(&scratch);
}

static enum status run_commit(struct iceberg_committer *committer, struct commit_options *options,
                              struct commit_result *result, struct err *err)
{
    struct arena scratch = {0};
    bool fences = committer->epoch.number == 0;
    struct str run = arena_printf(&scratch, "%" PRIu64, committer->identity.run);
    struct table_property summary[] = {
        {STR_LIT(ICEBERG_TOKEN_SINK), str_from(committer->id)},
        {STR_LIT(ICEBERG_TOKEN_LINEAGE), committer->identity.lineage},
        {fences ? STR_LIT(ICEBERG_TOKEN_FENCE) : STR_LIT(ICEBERG_TOKEN_EPOCH),
         fences ? run : iceberg_token_epoch_text(committer->epoch, &scratch)}};
    options->branch = committer->branch;
    options->summary = summary;
    options->summary_count = 3;
    options->writer_tag =
        iceberg_token_tag(committer->identity.pipeline_uuid, committer->identity.insert_name,
                          committer->identity.run);
    options->check = check_base;
    options->late_properties = committer->is_pipeline ? make_mark : NULL;
    options->context = committer;
    enum status status = commit_run(committer->table, options, result, err);
    arena_release(&scratch);
    if (status == STATUS_COMMIT_UNKNOWN) {
        err_hint(err, "nothing is lost: the next run looks whether the table took the rows");
        return STATUS_UNAVAILABLE;
    }
    return status == STATUS_EXISTS ? STATUS_OK : status;
}

// All data files of the committables, in one array.
static enum status unpack(struct iceberg_committer *committer, const struct str *committables,
                          uint32_t count, struct arena *arena, struct commit_options *options,
                          struct err *err)
{
    struct data_file **parts = arena_new_array(arena, struct data_file *, count);
    uint32_t *counts = arena_new_array(arena, uint32_t, count);
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        TRY(data_writer_unpack(arena, committer->table->metadata, committables[i], &parts[i],
                               &counts[i], err));
        total += counts[i];
    }
    struct data_file *files = arena_new_array(arena, struct data_file, total + 1);
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (counts[i] > 0) {
            memcpy(files + at, parts[i], counts[i] * sizeof *files);
        }
        at += counts[i];
    }
    options->files = files;
    options->file_count = total;
    return STATUS_OK;
}

static enum status committer_commit(struct sink_committer *base, struct epoch epoch,
                                    const struct str *committables, uint32_t count,
                                    struct str positions, struct err *err)
{
    struct iceberg_committer *committer = (struct iceberg_committer *)base;
    struct arena arena = {0};
    struct commit_options options = {0};
    struct commit_result result = {0};
    committer->epoch = epoch;
    committer->positions = positions;
    enum status status = unpack(committer, committables, count, &arena, &options, err);
    if (status == STATUS_OK && options.file_count > 0) {
        status = run_commit(committer, &options, &result, err);
    }
    if (status == STATUS_OK) {
        int64_t rows = 0;
        for (uint32_t i = 0; i < options.file_count; i++) {
            rows += options.files[i].record_count;
        }
        (void)snprintf(committer->text, sizeof committer->text,
                       "%.*s: snapshot %" PRId64 ", %" PRId64 " rows in %u files",
                       STR_ARGS(committer->table_name), result.snapshot_id, rows,
                       options.file_count);
        base->last_commit = str_from(committer->text);
    }
    arena_release(&arena);
    return status;
}

// --- recovery ----------------------------------------------------------------------------------

static enum status refuse(const struct iceberg_committer *committer, const char *why,
                          const struct iceberg_token_mark *mark, struct err *err)
{
    ERR(err, STATUS_CONFLICT,
        "table '%.*s' %s: its last commit by this pipeline is of epoch %" PRIu64 "-%" PRIu64
        ", snapshot %" PRId64,
        STR_ARGS(committer->table_name), why, mark->epoch.run, mark->epoch.number,
        mark->snapshot_id);
    err_hint(err, "going on could double or lose rows; restore the checkpoints that belong to the "
                  "table, or start over with --fresh");
    return STATUS_CONFLICT;
}

// The property tells what summaries no longer do: a rollback, or an expired snapshot.
static enum status judge_mark(struct iceberg_committer *committer,
                              const struct iceberg_token_mark *mark, struct epoch last,
                              enum sink_verdict *verdict, struct err *err)
{
    const struct table_metadata *metadata = committer->table->metadata;
    *verdict = SINK_NOT_COMMITTED;
    if (mark->epoch.number == 0 || !str_equal(mark->lineage, committer->identity.lineage)) {
        return STATUS_OK;
    }
    bool is_kept = table_metadata_snapshot(metadata, mark->snapshot_id) != NULL;
    if (is_kept && !is_ancestor(committer, metadata, mark->snapshot_id)) {
        return refuse(committer, "was rolled back", mark, err);
    }
    if (!is_kept && oldest_sequence(committer, metadata) <= mark->sequence_number) {
        return refuse(committer, "no longer has the snapshot that it was at", mark, err);
    }
    if (epoch_compare(mark->epoch, last) > 0) {
        return refuse(committer, "holds more than the checkpoint knows", mark, err);
    }
    *verdict = epoch_compare(mark->epoch, last) == 0 ? SINK_COMMITTED : SINK_NOT_COMMITTED;
    return STATUS_OK;
}

static enum status committer_resolve(struct sink_committer *base, struct epoch last,
                                     enum sink_verdict *verdict, struct err *err)
{
    struct iceberg_committer *committer = (struct iceberg_committer *)base;
    struct arena arena = {0};
    struct iceberg_token_mark mark = {0};
    struct epoch found;
    enum status status = iceberg_table_refresh(committer->table, err);
    *verdict = SINK_NOT_COMMITTED;
    if (status != STATUS_OK) {
        return status;
    }
    if ((committer->table->place.env->broken_rules & TABLE_ENV_BREAK_SEARCH) != 0) {
        return STATUS_OK;
    }
    const struct table_metadata *metadata = committer->table->metadata;
    bool is_there = find_epoch(committer, metadata, TABLE_NONE, &found);
    status = find_mark(committer, metadata, &arena, &mark, err);
    if (status == STATUS_OK) {
        status = judge_mark(committer, &mark, last, verdict, err);
    } else if (status == STATUS_NOT_FOUND) {
        status = STATUS_OK;
    }
    if (status == STATUS_OK && is_there && epoch_compare(found, last) > 0) {
        mark.epoch = found;
        status = refuse(committer, "holds more than the checkpoint knows", &mark, err);
    } else if (status == STATUS_OK && is_there && epoch_compare(found, last) == 0) {
        *verdict = SINK_COMMITTED;
    }
    arena_release(&arena);
    return status;
}

static enum status committer_fence(struct sink_committer *base, struct err *err)
{
    struct iceberg_committer *committer = (struct iceberg_committer *)base;
    struct commit_options options = {.force_snapshot = true};
    struct commit_result result;
    committer->epoch = (struct epoch){committer->identity.run, 0};
    committer->positions = (struct str){0};
    enum status status = run_commit(committer, &options, &result, err);
    if (status != STATUS_OK) {
        err_context(err, "fencing off earlier runs of the pipeline in table '%.*s'",
                    STR_ARGS(committer->table_name));
    }
    return status;
}

// Marks of a pipeline of this name, whoever it was.
static enum status committer_held(struct sink_committer *base, struct arena *arena,
                                  struct str *text, struct err *err)
{
    struct iceberg_committer *committer = (struct iceberg_committer *)base;
    TRY(iceberg_table_refresh(committer->table, err));
    const struct table_metadata *metadata = committer->table->metadata;
    for (uint32_t i = 0; i < metadata->property_count; i++) {
        const struct table_property *property = &metadata->properties[i];
        struct iceberg_token_mark mark;
        if (!str_starts(property->key, MARK_PREFIX) ||
            iceberg_token_parse(property->value, arena, &mark, NULL) != STATUS_OK ||
            !str_equal(mark.pipeline, committer->identity.pipeline_name) ||
            mark.epoch.number == 0) {
            continue;
        }
        struct str positions = mark.positions.size == 0
                                   ? STR_LIT("")
                                   : arena_printf(arena, " (%.*s)", STR_ARGS(mark.positions));
        *text = arena_printf(arena,
                             "table '%.*s' holds rows of a pipeline of this name, up to epoch "
                             "%" PRIu64 "-%" PRIu64 "%.*s",
                             STR_ARGS(committer->table_name), mark.epoch.run, mark.epoch.number,
                             STR_ARGS(positions));
        return STATUS_OK;
    }
    return STATUS_NOT_FOUND;
}

// Segment objects of former runs that no open file of the checkpoint uses.
static enum status clean_segments(struct iceberg_committer *committer,
                                  const struct commit_keep *keep, struct arena *arena,
                                  struct err *err)
{
    struct store *store = committer->identity.store != NULL ? committer->identity.store
                                                            : committer->table->place.store;
    struct store_object *objects;
    size_t count;
    struct str directory = arena_printf(
        arena, "%.*s/", STR_ARGS(iceberg_sink_segments(committer->identity.directory, arena)));
    char tag[14];
    TRY(store_list(store, directory, arena, &objects, &count, err));
    for (size_t i = 0; i < count; i++) {
        bool is_used = false;
        for (uint32_t k = 0; k < keep->count && !is_used; k++) {
            is_used = str_equal(keep->paths[k], objects[i].path);
        }
        // Other sinks of the pipeline keep theirs in the same directory.
        bool is_ours = false;
        for (uint64_t run = committer->identity.run; run-- > 1 && !is_ours && !is_used;) {
            table_env_tag_text(iceberg_token_tag(committer->identity.pipeline_uuid,
                                                 committer->identity.insert_name, run),
                               tag);
            struct str name = objects[i].path;
            is_ours = name.size > 13 && memmem(name.ptr, name.size, tag, 13) != NULL;
            if (committer->identity.run - run > 64) {
                break;
            }
        }
        if (is_ours) {
            enum status status = store_remove(store, objects[i].path, err);
            if (status != STATUS_OK && status != STATUS_NOT_FOUND) {
                return status;
            }
        }
    }
    return STATUS_OK;
}

static const uint64_t *run_tags(const struct iceberg_committer *committer, uint64_t first,
                                uint64_t end, struct arena *arena, uint32_t *count)
{
    *count = end > first ? (uint32_t)(end - first) : 0;
    uint64_t *tags = arena_new_array(arena, uint64_t, *count + 1);
    for (uint32_t i = 0; i < *count; i++) {
        tags[i] = iceberg_token_tag(committer->identity.pipeline_uuid,
                                    committer->identity.insert_name, first + i);
    }
    return tags;
}

// An expiry may have been cut off in any former run, or have failed in the commits of this one's
// start; what it left is of older ones still.
static enum status clean_metadata(struct iceberg_committer *committer,
                                  const struct commit_keep *keep, struct arena *arena,
                                  struct err *err)
{
    uint32_t count;
    uint32_t removed;
    const uint64_t *tags = run_tags(committer, 1, committer->identity.run + 1, arena, &count);
    return commit_clean_metadata(committer->table, tags, count, keep, &removed, err);
}

// A removal whose directory was not synced, since the run that made it was killed in between, is
// undone by a power loss in the next run, which did not see the file: so some runs before run_from
// are looked for as well.
static enum status clean_files(struct iceberg_committer *committer, uint64_t run_from,
                               const struct commit_keep *keep, struct arena *arena, struct err *err)
{
    uint32_t count;
    uint32_t removed;
    uint64_t first = run_from > RUNS_BACK ? run_from - RUNS_BACK : 1;
    const uint64_t *tags = run_tags(committer, first, committer->identity.run, arena, &count);
    return commit_clean(committer->table, tags, count, keep, &removed, err);
}

static enum status clean(struct iceberg_committer *committer, uint64_t run_from,
                         const struct str *open, uint32_t open_count, struct arena *arena,
                         struct err *err)
{
    struct str **paths = arena_new_array(arena, struct str *, open_count + 1);
    uint32_t *counts = arena_new_array(arena, uint32_t, open_count + 1);
    uint32_t total = 0;
    for (uint32_t i = 0; i < open_count; i++) {
        TRY(data_writer_paths(arena, committer->table->metadata, open[i], &paths[i], &counts[i],
                              err));
        total += counts[i];
    }
    struct str *kept = arena_new_array(arena, struct str, total + 1);
    struct commit_keep keep = {kept, total};
    uint32_t at = 0;
    for (uint32_t i = 0; i < open_count; i++) {
        for (uint32_t p = 0; p < counts[i]; p++) {
            kept[at++] = paths[i][p];
        }
    }
    // First, as lost manifests tell which data files of older runs are lost with them.
    TRY(clean_metadata(committer, &keep, arena, err));
    TRY(clean_files(committer, run_from, &keep, arena, err));
    return clean_segments(committer, &keep, arena, err);
}

static enum status committer_clean(struct sink_committer *base, uint64_t run_from,
                                   const struct str *keep, uint32_t count, struct err *err)
{
    struct arena arena = {0};
    enum status status =
        clean((struct iceberg_committer *)base, run_from, keep, count, &arena, err);
    arena_release(&arena);
    return status;
}

static void committer_close(struct sink_committer *base)
{
    struct iceberg_committer *committer = (struct iceberg_committer *)base;
    iceberg_table_free(committer->table);
    arena_release(&committer->arena);
    mem_free(committer);
}

static const struct sink_committer_ops iceberg_committer_ops = {
    .commit = committer_commit,
    .resolve = committer_resolve,
    .fence = committer_fence,
    .held = committer_held,
    .clean = committer_clean,
    .close = committer_close,
};

enum status iceberg_committer_open(const struct plan_node *sink,
                                   const struct sink_identity *identity,
                                   struct sink_committer **out, struct err *err)
{
    struct iceberg_committer *committer = mem_zalloc(sizeof *committer);
    struct arena *arena = &committer->arena;
    committer->committer.ops = &iceberg_committer_ops;
    committer->looked_at = TABLE_NONE;
    committer->identity =
        (struct sink_identity){.pipeline_name = arena_str(arena, identity->pipeline_name),
                               .pipeline_uuid = arena_str(arena, identity->pipeline_uuid),
                               .directory = arena_str(arena, identity->directory),
                               .store = identity->store,
                               .lineage = arena_str(arena, identity->lineage),
                               .run = identity->run,
                               .insert_name = arena_str(arena, identity->insert_name)};
    committer->is_pipeline = identity->pipeline_name.size > 0;
    committer->table_name = arena_str(arena, sink->as.sink.table->name);
    committer->branch = sink->as.sink.branch.size > 0 ? arena_str(arena, sink->as.sink.branch)
                                                      : STR_LIT(TABLE_MAIN);
    iceberg_token_id(identity, committer->branch, committer->id);
    committer->mark_key = arena_printf(arena, MARK_PREFIX "%s", committer->id);
    enum status status = iceberg_sink_open_table(sink->as.sink.table, &committer->table, err);
    if (status != STATUS_OK) {
        err_context(err, "table '%.*s'", STR_ARGS(committer->table_name));
    } else {
        status = check_branch(committer, committer->table->metadata, err);
    }
    if (status != STATUS_OK) {
        committer_close(&committer->committer);
        return status;
    }
    *out = &committer->committer;
    return STATUS_OK;
}
