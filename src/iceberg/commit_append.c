// SPDX-License-Identifier: Apache-2.0
//
// New manifests and the merging of small ones, as Java's MergeAppend and ManifestMergeManager: the
// newest manifests come first; bins are filled from the oldest end up to
// commit.manifest.target-size-bytes; the bin with the newest is merged when it has
// commit.manifest.min-count-to-merge manifests, any other at once.
#include "base/buf.h"
#include "base/strbuf.h"
#include "iceberg/commit_int.h"
#include "iceberg/file_settings.h"
#include "iceberg/manifest.h"
#include "store/store.h"

enum { TARGET_BYTES_DEFAULT = 8 << 20, MIN_COUNT_DEFAULT = 100 };

enum status commit_put(struct commit_state *state, struct str name, struct str bytes,
                       struct str *path, struct err *err)
{
    struct str directory = iceberg_table_metadata_directory(state->table->metadata, &state->arena);
    *path = arena_printf(&state->arena, "%.*s/%.*s", STR_ARGS(directory), STR_ARGS(name));
    VEC_PUSH(&state->written, *path);
    return store_put(state->table->place.store, *path, bytes, STORE_EXCLUSIVE | STORE_SYNC_LATER,
                     err);
}

static struct str manifest_name(struct commit_state *state)
{
    return arena_printf(&state->arena, "%s-m%u.avro", state->uuid, state->manifest_count++);
}

static struct manifest_writer_options writer_options(struct commit_state *state,
                                                     const struct partition_spec *spec)
{
    const struct table_metadata *metadata = state->table->metadata;
    struct manifest_writer_options options = {
        .format_version = metadata->format_version,
        .schema = table_metadata_current_schema(metadata),
        .spec = spec,
        .content = MANIFEST_DATA,
        .snapshot_id = state->snapshot_id,
        .codec = state->manifest_codec,
        .level = state->manifest_level,
    };
    state->table->place.env->random(state->table->place.env, options.sync, sizeof options.sync);
    return options;
}

static enum status finish_new(struct commit_state *state, struct manifest_writer *writer,
                              struct err *err)
{
    struct commit_manifest manifest = {0};
    struct str bytes;
    TRY(manifest_writer_finish(writer, &state->arena, STR_LIT(""), &bytes, &manifest.row, err));
    manifest.bytes = arena_str(&state->arena, bytes);
    VEC_PUSH(&state->manifests, manifest);
    return STATUS_OK;
}

// Encodes the new files of one spec, in manifests of about the target size.
static enum status encode_spec(struct commit_state *state, const struct partition_spec *spec,
                               uint64_t target_bytes, struct err *err)
{
    struct manifest_writer *writer = NULL;
    struct manifest_writer_options options = writer_options(state, spec);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < state->options->file_count; i++) {
        const struct data_file *file = &state->options->files[i];
        if (file->spec_id != spec->spec_id) {
            continue;
        }
        if (writer == NULL) {
            status = manifest_writer_new(&options, &writer, err);
            if (status != STATUS_OK) {
                break;
            }
        }
        struct manifest_entry entry = {
            .status = MANIFEST_ADDED,
            .snapshot_id = state->snapshot_id,
            .sequence_number = DATA_FILE_NONE,
            .file_sequence_number = DATA_FILE_NONE,
            .file = *file,
        };
        status = manifest_writer_add(writer, &entry, err);
        if (status == STATUS_OK && manifest_writer_size(writer) >= target_bytes) {
            status = finish_new(state, writer, err);
            manifest_writer_free(writer);
            writer = NULL;
        }
    }
    if (status == STATUS_OK && writer != NULL) {
        status = finish_new(state, writer, err);
    }
    manifest_writer_free(writer);
    return status;
}

static enum status encode_new(struct commit_state *state, uint64_t target_bytes, struct err *err)
{
    const struct table_metadata *metadata = state->table->metadata;
    if (state->manifests.count > 0 || state->options->file_count == 0) {
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < state->options->file_count; i++) {
        const struct data_file *file = &state->options->files[i];
        if (table_metadata_spec(metadata, file->spec_id) == NULL) {
            return ERR(err, STATUS_INVALID_DATA, "%.*s has partition spec %d, the table has not",
                       STR_ARGS(file->path), file->spec_id);
        }
    }
    // Highest spec first, as Java's groups are.
    for (uint32_t i = metadata->spec_count; i-- > 0;) {
        TRY(encode_spec(state, metadata->specs[i], target_bytes, err));
    }
    return STATUS_OK;
}

// One manifest on its way into a bin: an existing one, or a new one (`fresh`).
struct candidate {
    const struct manifest_file *row;
    struct commit_manifest *fresh;
};

typedef VEC(struct candidate) candidate_vec;

static enum status put_fresh(struct commit_state *state, struct commit_manifest *fresh,
                             struct err *err)
{
    if (!fresh->is_written) {
        struct str path;
        TRY(commit_put(state, manifest_name(state), fresh->bytes, &path, err));
        fresh->row.path = path;
        fresh->is_written = true;
    }
    state->created++;
    VEC_PUSH(&state->list, fresh->row);
    return STATUS_OK;
}

static enum status keep(struct commit_state *state, const struct candidate *candidate,
                        struct err *err)
{
    if (candidate->fresh != NULL) {
        return put_fresh(state, candidate->fresh, err);
    }
    state->kept++;
    VEC_PUSH(&state->list, *candidate->row);
    return STATUS_OK;
}

// Copies the entries of one manifest into a merged one.
static enum status copy_entries(struct commit_state *state, struct str bytes,
                                const struct manifest_file *row, const struct partition_spec *spec,
                                struct manifest_writer *writer, struct err *err)
{
    struct manifest_reader *reader;
    struct manifest_entry entry;
    enum status status;
    struct manifest_reader_options options = {.file = row, .spec = spec, .cache = &state->cache};
    TRY(manifest_reader_open(bytes, &options, &reader, err));
    while ((status = manifest_reader_next(reader, &entry, err)) == STATUS_OK) {
        bool is_ours = entry.status == MANIFEST_ADDED && entry.snapshot_id == state->snapshot_id;
        if (is_ours) {
            entry.sequence_number = entry.file_sequence_number = DATA_FILE_NONE;
            entry.file.first_row_id = DATA_FILE_NONE;
        } else {
            entry.status = MANIFEST_EXISTING;
        }
        status = manifest_writer_add(writer, &entry, err);
        if (status != STATUS_OK) {
            break;
        }
    }
    manifest_reader_free(reader);
    return status == STATUS_END ? STATUS_OK : status;
}

static enum status copy_candidate(struct commit_state *state, const struct candidate *candidate,
                                  const struct partition_spec *spec, struct manifest_writer *writer,
                                  struct err *err)
{
    if (candidate->fresh != NULL) {
        return copy_entries(state, candidate->fresh->bytes, &candidate->fresh->row, spec, writer,
                            err);
    }
    struct buf *bytes;
    TRY(store_read(state->table->place.store, candidate->row->path, TABLE_MANIFEST_BYTES_MAX,
                   &bytes, err));
    enum status status =
        copy_entries(state, str_make(bytes->ptr, bytes->size), candidate->row, spec, writer, err);
    buf_unref(bytes);
    return status;
}

static enum status merge(struct commit_state *state, const struct candidate *bin, uint32_t count,
                         const struct partition_spec *spec, struct err *err)
{
    struct manifest_writer *writer;
    struct manifest_writer_options options = writer_options(state, spec);
    struct str bytes;
    struct str path;
    struct manifest_file row;
    TRY(manifest_writer_new(&options, &writer, err));
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
        status = copy_candidate(state, &bin[i], spec, writer, err);
        state->replaced += bin[i].fresh == NULL;
    }
    if (status == STATUS_OK) {
        status = manifest_writer_finish(writer, &state->arena, STR_LIT(""), &bytes, &row, err);
    }
    if (status == STATUS_OK) {
        status = commit_put(state, manifest_name(state), bytes, &path, err);
    }
    if (status == STATUS_OK) {
        row.path = path;
        state->created++;
        VEC_PUSH(&state->list, row);
    }
    manifest_writer_free(writer);
    return status;
}

static int64_t length_of(const struct candidate *candidate)
{
    int64_t length = candidate->row->length;
    return length == MANIFEST_NONE ? TARGET_BYTES_DEFAULT : length; // unknown: left alone
}

// Packs the manifests of one spec from the end and writes what has to be merged; the list keeps its
// order. `first` is the newest manifest of the whole list.
static enum status pack(struct commit_state *state, const struct candidate *group, uint32_t count,
                        const struct candidate *first, struct err *err)
{
    const struct table_metadata *metadata = state->table->metadata;
    int64_t target = table_metadata_property_i64(metadata, "commit.manifest.target-size-bytes",
                                                 TARGET_BYTES_DEFAULT);
    int64_t min_count = table_metadata_property_i64(metadata, "commit.manifest.min-count-to-merge",
                                                    MIN_COUNT_DEFAULT);
    const struct partition_spec *spec = table_metadata_spec(metadata, group[0].row->spec_id);
    // Where bins begin, found from the end.
    bool *begins = arena_new_array(&state->arena, bool, count + 1);
    int64_t weight = 0;
    begins[0] = true;
    for (uint32_t i = count; i-- > 0;) {
        weight += length_of(&group[i]);
        if (weight > target && i + 1 < count) {
            begins[i + 1] = true;
            weight = length_of(&group[i]);
        }
    }
    for (uint32_t from = 0; from < count;) {
        uint32_t to = from + 1;
        while (to < count && !begins[to]) {
            to++;
        }
        bool has_first = false;
        for (uint32_t i = from; i < to; i++) {
            has_first = has_first || group[i].row == first->row;
        }
        bool merges =
            to - from > 1 && spec != NULL && (!has_first || (int64_t)(to - from) >= min_count);
        if (merges) {
            TRY(merge(state, &group[from], to - from, spec, err));
        } else {
            for (uint32_t i = from; i < to; i++) {
                TRY(keep(state, &group[i], err));
            }
        }
        from = to;
    }
    return STATUS_OK;
}

// Whether a manifest has live files, or may have.
static bool is_live(const struct manifest_file *row)
{
    return row->added_files != 0 || row->existing_files != 0;
}

static void gather(struct commit_state *state, const struct manifest_file *existing, uint32_t count,
                   candidate_vec *data, candidate_vec *deletes)
{
    for (uint32_t i = 0; i < state->manifests.count; i++) {
        struct commit_manifest *fresh = &state->manifests.items[i];
        VEC_PUSH(data, ((struct candidate){&fresh->row, fresh}));
    }
    for (uint32_t i = 0; i < count; i++) {
        struct candidate candidate = {&existing[i], NULL};
        if (!is_live(&existing[i])) {
            continue; // only tells what an older snapshot deleted
        }
        if (existing[i].content == MANIFEST_DATA) {
            VEC_PUSH(data, candidate);
        } else {
            VEC_PUSH(deletes, candidate);
        }
    }
}

static enum status arrange(struct commit_state *state, const candidate_vec *data, struct err *err)
{
    bool merging =
        state->options->file_count > 0 &&
        table_metadata_property_bool(state->table->metadata, "commit.manifest-merge.enabled", true);
    if (!merging) {
        for (uint32_t i = 0; i < data->count; i++) {
            TRY(keep(state, &data->items[i], err));
        }
        return STATUS_OK;
    }
    candidate_vec group = {0};
    enum status status = STATUS_OK;
    // Groups by spec, highest id first; ids are few.
    int64_t last = INT64_MAX;
    while (status == STATUS_OK) {
        int64_t spec_id = -1;
        for (uint32_t i = 0; i < data->count; i++) {
            int32_t id = data->items[i].row->spec_id;
            spec_id = id < last && id > spec_id ? id : spec_id;
        }
        if (spec_id < 0) {
            break;
        }
        group.count = 0;
        for (uint32_t i = 0; i < data->count; i++) {
            if (data->items[i].row->spec_id == spec_id) {
                VEC_PUSH(&group, data->items[i]);
            }
        }
        status = pack(state, group.items, group.count, &data->items[0], err);
        last = spec_id;
    }
    VEC_RELEASE(&group);
    return status;
}

enum status commit_append(struct commit_state *state, struct err *err)
{
    const struct table_metadata *metadata = state->table->metadata;
    const struct table_ref *ref = table_metadata_ref(metadata, state->branch);
    const struct table_snapshot *parent =
        ref != NULL ? table_metadata_snapshot(metadata, ref->snapshot_id) : NULL;
    const struct manifest_file *existing = NULL;
    uint32_t count = 0;
    candidate_vec data = {0};
    candidate_vec deletes = {0};
    int64_t target = table_metadata_property_i64(metadata, "commit.manifest.target-size-bytes",
                                                 TARGET_BYTES_DEFAULT);
    TRY(file_settings_manifests(metadata, &state->manifest_codec, &state->manifest_level, err));
    TRY(encode_new(state, target < 1 ? 1 : (uint64_t)target, err));
    if (parent != NULL) {
        TRY(iceberg_table_manifests(state->table, parent, &existing, &count, err));
    }
    state->list.count = 0;
    state->created = state->kept = state->replaced = 0;
    gather(state, existing, count, &data, &deletes);
    enum status status = arrange(state, &data, err);
    for (uint32_t i = 0; status == STATUS_OK && i < deletes.count; i++) {
        status = keep(state, &deletes.items[i], err);
    }
    VEC_RELEASE(&data);
    VEC_RELEASE(&deletes);
    return status;
}
