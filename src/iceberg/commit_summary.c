// SPDX-License-Identifier: Apache-2.0
//
// The summary of an append (Java's SnapshotSummary and SnapshotProducer.summary): what the caller
// adds, the manifests, what was added, the totals after it.
#include <stdlib.h>

#include "base/strbuf.h"
#include "iceberg/commit_int.h"

enum { PATH_SIZE_MAX = 1 << 20 };

typedef VEC(struct table_property) property_vec;

struct figures {
    int64_t files;
    int64_t records;
    int64_t bytes;
};

// (spec, tuple) of a file by its hash; equal hashes are compared.
struct place {
    uint64_t hash;
    const struct partition_spec *spec;
    const struct iceberg_value *tuple;
    const struct data_file *file;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a;
    const struct place *y = b;
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

// -0.0 and 0.0 are two partitions, yet whoever counts them by value counts one: so does the
// summary.
static const struct iceberg_value *without_minus_zero(struct arena *arena,
                                                      const struct partition_spec *spec,
                                                      const struct iceberg_value *tuple)
{
    struct iceberg_value *copy = arena_copy(arena, tuple, spec->field_count * sizeof *tuple);
    for (uint32_t i = 0; i < spec->field_count; i++) {
        enum iceberg_kind kind = spec->fields[i].result->kind;
        if ((kind == ICEBERG_FLOAT || kind == ICEBERG_DOUBLE) && copy[i].as.f64 == 0) {
            copy[i].as.f64 = 0;
        }
    }
    return copy;
}

// One partition that the files are of.
struct changed {
    const struct partition_spec *spec;
    const struct iceberg_value *tuple;
    struct figures figures;
};

typedef VEC(struct changed) changed_vec;

static void add_file(struct figures *figures, const struct data_file *file)
{
    figures->files++;
    figures->records += file->record_count;
    figures->bytes += file->file_size;
}

// The partitions of all files, in the order of their hashes.
static void find_partitions(struct commit_state *state, struct arena *arena, changed_vec *out)
{
    uint32_t count = state->options->file_count;
    const struct table_metadata *metadata = state->table->metadata;
    struct place *places = arena_new_array(arena, struct place, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct data_file *file = &state->options->files[i];
        const struct partition_spec *spec = table_metadata_spec(metadata, file->spec_id);
        const struct iceberg_value *tuple = without_minus_zero(arena, spec, file->partition);
        places[i] = (struct place){partition_spec_tuple_hash(spec, tuple) + (uint64_t)spec->spec_id,
                                   spec, tuple, file};
    }
    if (count > 0) {
        qsort(places, count, sizeof *places, compare_places);
    }
    uint32_t first = 0; // of the partitions with the hash at hand
    for (uint32_t i = 0; i < count; i++) {
        const struct place *place = &places[i];
        first = i > 0 && places[i - 1].hash == place->hash ? first : out->count;
        uint32_t at = first;
        while (at < out->count &&
               !(out->items[at].spec == place->spec &&
                 partition_spec_tuple_equal(place->spec, out->items[at].tuple, place->tuple))) {
            at++;
        }
        if (at == out->count) {
            VEC_PUSH(out, ((struct changed){.spec = place->spec, .tuple = place->tuple}));
        }
        add_file(&out->items[at].figures, place->file);
    }
}

static void add(struct arena *arena, property_vec *out, const char *key, int64_t value)
{
    VEC_PUSH(out, ((struct table_property){str_from(key),
                                           arena_printf(arena, "%lld", (long long)value)}));
}

static void add_positive(struct arena *arena, property_vec *out, const char *key, int64_t value)
{
    if (value > 0) {
        add(arena, out, key, value);
    }
}

// A total that the parent does not state cannot be carried on.
static void add_total(struct arena *arena, property_vec *out, const struct table_snapshot *parent,
                      const char *key, int64_t added)
{
    int64_t before = 0;
    if (parent != NULL) {
        const struct str *text = table_metadata_summary(parent, key);
        if (text == NULL || !str_to_i64(*text, &before)) {
            return;
        }
    }
    if (before + added >= 0) {
        add(arena, out, key, before + added);
    }
}

// What happened in each partition, where write.summary.partition-limit has room for them.
static void add_partitions(struct commit_state *state, struct arena *arena,
                           const changed_vec *partitions, property_vec *out)
{
    int64_t limit =
        table_metadata_property_i64(state->table->metadata, "write.summary.partition-limit", 0);
    struct strbuf path;
    if (partitions->count == 0 || partitions->count > limit) {
        return;
    }
    VEC_PUSH(out,
             ((struct table_property){STR_LIT("partition-summaries-included"), STR_LIT("true")}));
    strbuf_init(&path, PATH_SIZE_MAX);
    for (uint32_t i = 0; i < partitions->count; i++) {
        const struct changed *changed = &partitions->items[i];
        strbuf_reset(&path);
        strbuf_add_text(&path, "partitions.");
        size_t prefix = path.size;
        partition_spec_path(&path, changed->spec, changed->tuple);
        if (path.size > prefix && !path.truncated) { // none of unpartitioned tables
            struct str text = arena_printf(
                arena, "added-data-files=%lld,added-records=%lld,added-files-size=%lld",
                (long long)changed->figures.files, (long long)changed->figures.records,
                (long long)changed->figures.bytes);
            VEC_PUSH(out, ((struct table_property){arena_str(arena, strbuf_str(&path)), text}));
        }
    }
    strbuf_release(&path);
}

void commit_summary(struct commit_state *state, struct arena *arena,
                    const struct table_snapshot *parent, const struct table_property **out,
                    uint32_t *count)
{
    const struct commit_options *options = state->options;
    property_vec summary = {0};
    changed_vec partitions = {0};
    struct figures added = {0};
    for (uint32_t i = 0; i < options->file_count; i++) {
        add_file(&added, &options->files[i]);
    }
    find_partitions(state, arena, &partitions);
    for (uint32_t i = 0; i < options->summary_count; i++) {
        VEC_PUSH(&summary, options->summary[i]);
    }
    add(arena, &summary, "manifests-created", state->created);
    add(arena, &summary, "manifests-kept", state->kept);
    add(arena, &summary, "manifests-replaced", state->replaced);
    add_positive(arena, &summary, "added-data-files", added.files);
    add_positive(arena, &summary, "added-records", added.records);
    add_positive(arena, &summary, "added-files-size", added.bytes);
    add(arena, &summary, "changed-partition-count", partitions.count);
    add_partitions(state, arena, &partitions, &summary);
    VEC_RELEASE(&partitions);
    add_total(arena, &summary, parent, "total-records", added.records);
    add_total(arena, &summary, parent, "total-files-size", added.bytes);
    add_total(arena, &summary, parent, "total-data-files", added.files);
    add_total(arena, &summary, parent, "total-delete-files", 0);
    add_total(arena, &summary, parent, "total-position-deletes", 0);
    add_total(arena, &summary, parent, "total-equality-deletes", 0);
    VEC_PUSH(&summary, ((struct table_property){STR_LIT("engine-name"), STR_LIT("frazil")}));
    *count = summary.count;
    *out = arena_copy(arena, summary.items, summary.count * sizeof *summary.items);
    VEC_RELEASE(&summary);
}
