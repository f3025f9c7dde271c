// SPDX-License-Identifier: Apache-2.0
//
// Making and freeing; barriers, states, restores.
#include "iceberg/data_writer.h"

#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "data/column.h"
#include "iceberg/data_file_pack.h"
#include "iceberg/data_writer_int.h"
#include "iceberg/file_schema.h"
#include "iceberg/iceberg_table.h"
#include "store/store.h"

enum { STATE_VERSION = 2, MEMORY_DEFAULT = 256 << 20, LIST_MAX = 10000000 };
#define TARGET_BYTES_DEFAULT (INT64_C(512) << 20)

enum status data_writer_new(const struct data_writer_options *options, struct data_writer **out,
                            struct err *err)
{
    const struct table_metadata *metadata = options->metadata;
    struct data_writer *writer = mem_zalloc(sizeof *writer);
    *out = NULL;
    arena_init(&writer->arena);
    arena_init(&writer->scratch);
    arena_init(&writer->closed_arena);
    writer->options = *options;
    writer->options.segment_directory = arena_str(&writer->arena, options->segment_directory);
    if (options->segment_store == NULL) {
        writer->options.segment_store = options->store;
    }
    writer->spec = table_metadata_default_spec(metadata);
    writer->current = DATA_WRITER_NO_OBJECT;
    budget_init(&writer->budget, options->budget,
                options->memory_max > 0 ? options->memory_max : MEMORY_DEFAULT);
    int64_t target =
        table_metadata_property_i64(metadata, "write.target-file-size-bytes", TARGET_BYTES_DEFAULT);
    writer->target_bytes = target > 0 ? (uint64_t)target : (uint64_t)TARGET_BYTES_DEFAULT;
    writer->data_directory = iceberg_table_data_directory(metadata, &writer->arena);
    table_env_tagged_uuid(options->env, options->writer_tag, writer->uuid);
    writer->lanes =
        arena_new_array(&writer->arena, struct iceberg_value *, writer->spec->field_count + 1);
    enum status status =
        open_file_maker_new(metadata, options->env, &writer->budget, &writer->maker, err);
    for (uint32_t i = 0; status == STATUS_OK && i < writer->spec->field_count; i++) {
        const struct partition_field *field = &writer->spec->fields[i];
        writer->lanes[i] = arena_new_array(&writer->arena, struct iceberg_value, BATCH_ROWS_MAX);
        if (field->transform.kind == TRANSFORM_UNKNOWN || field->source == NULL) {
            status = ERR(err, STATUS_UNSUPPORTED,
                         "partition field '%.*s': its transform is not known here",
                         STR_ARGS(field->name));
        }
    }
    if (status != STATUS_OK) {
        data_writer_free(writer);
        return status;
    }
    *out = writer;
    return STATUS_OK;
}

void data_writer_free(struct data_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    data_writer_drop_staged(writer);
    VEC_RELEASE(&writer->staged);
    data_writer_forget_files(writer);
    for (uint32_t i = 0; i < writer->extra.count; i++) {
        data_writer_file_free(writer, writer->extra.items[i]);
    }
    VEC_RELEASE(&writer->extra);
    for (uint32_t i = 0; i < writer->objects.count; i++) {
        store_close(writer->objects.items[i].writer);
        store_reader_close(writer->objects.items[i].reader);
        mem_free(writer->objects.items[i].path);
    }
    VEC_RELEASE(&writer->objects);
    VEC_RELEASE(&writer->closed);
    VEC_RELEASE(&writer->directories);
    open_file_maker_free(writer->maker);
    arena_release(&writer->closed_arena);
    arena_release(&writer->scratch);
    arena_release(&writer->arena);
    mem_free(writer);
}

static enum status close_all(struct data_writer *writer, struct err *err)
{
    for (uint32_t i = 0; i < writer->files.count; i++) {
        if (writer->files.items[i]->open != NULL) {
            TRY(data_writer_close_file(writer, writer->files.items[i], err));
        }
    }
    for (uint32_t i = 0; i < writer->extra.count; i++) {
        TRY(data_writer_close_file(writer, writer->extra.items[i], err));
        data_writer_file_free(writer, writer->extra.items[i]);
        writer->extra.items[i] = NULL;
    }
    writer->extra.count = 0;
    data_writer_forget_files(writer);
    return STATUS_OK;
}

static enum status take_segments(struct data_writer *writer, struct data_writer_file *file,
                                 struct err *err)
{
    if (file->open == NULL) {
        return STATUS_OK;
    }
    TRY(open_file_seal(file->open, false, err));
    return data_writer_spill(writer, file, err);
}

static void pack_closed(struct data_writer *writer, struct strbuf *out)
{
    data_file_pack_u64(out, writer->closed.count);
    for (uint32_t i = 0; i < writer->closed.count; i++) {
        const struct data_file *file = &writer->closed.items[i];
        data_file_pack(out, table_metadata_spec(writer->options.metadata, file->spec_id), file);
    }
}

static void pack_file(struct data_writer *writer, const struct data_writer_file *file,
                      struct strbuf *out)
{
    file_settings_pack(out, &file->open->settings);
    data_file_pack_tuple(out, writer->spec, file->tuple);
    data_file_pack_u64(out, file->segments.count);
    for (uint32_t i = 0; i < file->segments.count; i++) {
        data_file_pack_str(out,
                           str_from(writer->objects.items[file->segments.items[i].object].path));
        data_file_pack_u64(out, file->segments.items[i].offset);
        data_file_pack_u64(out, file->segments.items[i].size);
    }
}

static bool is_open(const struct data_writer_file *file)
{
    return file->open != NULL && file->segments.count > 0;
}

// Version, schema, spec; closed files; open files with their settings and segments.
static void pack_state(struct data_writer *writer, struct strbuf *out)
{
    uint64_t open = writer->extra.count;
    data_file_pack_u64(out, STATE_VERSION);
    data_file_pack_u64(out, (uint64_t)writer->options.metadata->current_schema_id);
    data_file_pack_u64(out, (uint64_t)writer->spec->spec_id);
    pack_closed(writer, out);
    for (uint32_t i = 0; i < writer->files.count; i++) {
        open += is_open(writer->files.items[i]);
    }
    data_file_pack_u64(out, open);
    for (uint32_t i = 0; i < writer->files.count; i++) {
        if (is_open(writer->files.items[i])) {
            pack_file(writer, writer->files.items[i], out);
        }
    }
    for (uint32_t i = 0; i < writer->extra.count; i++) {
        pack_file(writer, writer->extra.items[i], out);
    }
    for (uint32_t i = 0; i < writer->objects.count; i++) {
        if (writer->objects.items[i].refs > 0) {
            writer->objects.items[i].last_state = writer->state_number;
        }
    }
}

enum status data_writer_barrier(struct data_writer *writer,
                                const struct data_writer_barrier *barrier,
                                struct data_writer_state *out, struct err *err)
{
    writer->epoch = barrier->epoch;
    TRY(data_writer_flush_staged(writer, err));
    if (barrier->close) {
        TRY(close_all(writer, err));
    } else {
        for (uint32_t i = 0; i < writer->files.count; i++) {
            TRY(take_segments(writer, writer->files.items[i], err));
        }
        for (uint32_t i = 0; i < writer->extra.count; i++) {
            TRY(take_segments(writer, writer->extra.items[i], err));
        }
    }
    TRY(data_writer_finish_object(writer, err));
    TRY(data_writer_sync_directories(writer, err));
    if (barrier->close) {
        if (writer->closed.count > 0) {
            pack_closed(writer, out->committable);
        }
        writer->closed.count = 0;
        arena_reset(&writer->closed_arena);
    }
    out->state_number = ++writer->state_number;
    pack_state(writer, out->state);
    return out->state->truncated || (barrier->close && out->committable->truncated)
               ? ERR(err, STATUS_LIMIT, "the state of a sink is over %zu bytes",
                     out->state->size_max)
               : STATUS_OK;
}

void data_writer_durable(struct data_writer *writer, uint64_t state_number)
{
    struct err ignored;
    struct store *store = writer->options.segment_store;
    for (uint32_t i = 0; i < writer->objects.count; i++) {
        struct data_writer_object *object = &writer->objects.items[i];
        if (object->removed || object->writer != NULL || object->refs > 0 ||
            object->last_state >= state_number) {
            continue;
        }
        store_reader_close(object->reader);
        object->reader = NULL;
        if (store_remove(store, str_from(object->path), &ignored) != STATUS_OK) {
            // It stays for the cleaning at the next start.
        }
        object->removed = true;
    }
}

// The index of an object that another run or instance has written.
static uint32_t adopt_object(struct data_writer *writer, struct str path)
{
    for (uint32_t i = 0; i < writer->objects.count; i++) {
        if (!writer->objects.items[i].removed && str_is(path, writer->objects.items[i].path)) {
            return i;
        }
    }
    struct data_writer_object object = {.path = mem_alloc(path.size + 1)};
    memcpy(object.path, path.ptr, path.size);
    object.path[path.size] = '\0';
    return data_writer_add_object(writer, &object);
}

static enum status restore_segments(struct data_writer *writer, struct data_file_unpack *in,
                                    struct data_writer_file *file, struct err *err)
{
    uint64_t count;
    TRY(data_file_unpack_u64(in, &count, err));
    for (uint64_t i = 0; i < count; i++) {
        struct str path;
        struct data_writer_segment segment;
        TRY(data_file_unpack_str(in, &path, err));
        TRY(data_file_unpack_u64(in, &segment.offset, err));
        TRY(data_file_unpack_u64(in, &segment.size, err));
        segment.object = adopt_object(writer, path);
        struct data_writer_object *object = &writer->objects.items[segment.object];
        uint64_t end = segment.offset + segment.size;
        object->size = end > object->size ? end : object->size;
        object->refs++;
        object->last_state = writer->state_number;
        VEC_PUSH(&file->segments, segment);
    }
    return STATUS_OK;
}

static enum status reopen(struct data_writer *writer, struct data_writer_file *file,
                          const struct file_settings *settings, struct err *err)
{
    struct store *store = writer->options.segment_store;
    uint32_t count = file->segments.count;
    struct byte_source_slice *slices = mem_alloc((count + 1) * sizeof *slices);
    struct byte_source **sources = mem_alloc((count + 1) * sizeof *sources);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
        const struct data_writer_segment *segment = &file->segments.items[i];
        struct data_writer_object *object = &writer->objects.items[segment->object];
        if (object->reader == NULL) {
            status = store_open(store, str_from(object->path), &object->reader, err);
        }
        if (status == STATUS_OK) {
            struct byte_range range = {segment->offset, segment->size};
            status = byte_source_slice_init(&slices[i], &object->reader->source, range, err);
            sources[i] = &slices[i].source;
        }
    }
    if (status == STATUS_OK) {
        status = open_file_restore(writer->maker, settings, sources, count, &file->open, err);
    }
    mem_free(slices);
    mem_free(sources);
    return status;
}

// One open file: it becomes the open file of its partition, or one that is closed at the next
// commit where that has one already or the table's properties have changed.
static enum status restore_file(struct data_writer *writer, struct data_file_unpack *in,
                                const struct partition_spec *spec, struct err *err)
{
    const struct file_settings *now = open_file_maker_settings(writer->maker);
    struct file_settings settings = *now;
    const struct iceberg_value *tuple;
    TRY(file_settings_unpack(in, &settings, err));
    struct data_writer_file *file = mem_zalloc(sizeof *file);
    arena_init(&file->arena);
    enum status status = data_file_unpack_tuple(in, &file->arena, spec, &tuple, err);
    if (status == STATUS_OK) {
        file->tuple = partition_spec_tuple_copy(&file->arena, spec, tuple);
        status = restore_segments(writer, in, file, err);
    }
    if (status == STATUS_OK) {
        status = reopen(writer, file, &settings, err);
    }
    if (status != STATUS_OK) {
        data_writer_file_free(writer, file);
        return status;
    }
    writer->figures.open_files++;
    uint32_t at;
    if (file_settings_same(&settings, now)) {
        status = data_writer_file_of(writer, file->tuple, &at, err);
        struct data_writer_file *slot = writer->files.items[at];
        if (status == STATUS_OK && slot->open == NULL) {
            slot->open = file->open;
            slot->segments.items = file->segments.items;
            slot->segments.count = file->segments.count;
            slot->segments.capacity = file->segments.capacity;
            arena_release(&file->arena);
            mem_free(file);
            return STATUS_OK;
        }
    }
    VEC_PUSH(&writer->extra, file);
    return status;
}

struct header {
    uint64_t schema_id;
    uint64_t spec_id;
};

static enum status unpack_header(struct data_file_unpack *in, struct header *out, struct err *err)
{
    uint64_t version;
    TRY(data_file_unpack_u64(in, &version, err));
    if (version != STATE_VERSION) {
        return ERR(err, STATUS_INVALID_DATA, "a sink state of version %llu",
                   (unsigned long long)version);
    }
    TRY(data_file_unpack_u64(in, &out->schema_id, err));
    return data_file_unpack_u64(in, &out->spec_id, err);
}

static enum status restore_closed(struct data_writer *writer, struct data_file_unpack *in,
                                  struct err *err)
{
    uint64_t count;
    TRY(data_file_unpack_u64(in, &count, err));
    for (uint64_t i = 0; i < count; i++) {
        struct data_file file;
        TRY(data_file_unpack_file(in, &writer->closed_arena, writer->options.metadata, &file, err));
        const struct partition_spec *spec =
            table_metadata_spec(writer->options.metadata, file.spec_id);
        VEC_PUSH(&writer->closed, *data_file_copy(&writer->closed_arena, spec, &file));
    }
    return STATUS_OK;
}

enum status data_writer_restore(struct data_writer *writer, struct str state, struct err *err)
{
    const struct table_metadata *metadata = writer->options.metadata;
    struct data_file_unpack in = {state.ptr, state.ptr + state.size};
    struct header header;
    uint64_t count;
    TRY(unpack_header(&in, &header, err));
    const struct table_schema *schema = table_metadata_schema(metadata, (int32_t)header.schema_id);
    const struct partition_spec *spec = table_metadata_spec(metadata, (int32_t)header.spec_id);
    TRY(restore_closed(writer, &in, err));
    TRY(data_file_unpack_u64(&in, &count, err));
    if (count == 0) {
        return STATUS_OK;
    }
    if (schema == NULL || spec == NULL || spec != writer->spec ||
        schema->schema_id != metadata->current_schema_id) {
        return ERR(err, STATUS_UNSUPPORTED,
                   "the table's schema or partitioning has changed while files were open: schema "
                   "%lld, spec %lld",
                   (long long)header.schema_id, (long long)header.spec_id);
    }
    for (uint64_t i = 0; i < count; i++) {
        TRY(restore_file(writer, &in, spec, err));
    }
    return STATUS_OK;
}

enum status data_writer_unpack(struct arena *arena, const struct table_metadata *metadata,
                               struct str committable, struct data_file **out, uint32_t *count,
                               struct err *err)
{
    struct data_file_unpack in = {committable.ptr, committable.ptr + committable.size};
    uint64_t number;
    *out = NULL;
    *count = 0;
    if (committable.size == 0) {
        return STATUS_OK;
    }
    TRY(data_file_unpack_u64(&in, &number, err));
    if (number > LIST_MAX || number > committable.size) {
        return ERR(err, STATUS_INVALID_DATA, "a committable of %llu files",
                   (unsigned long long)number);
    }
    struct data_file *files = arena_new_array(arena, struct data_file, number + 1);
    for (uint64_t i = 0; i < number; i++) {
        TRY(data_file_unpack_file(&in, arena, metadata, &files[i], err));
    }
    *out = files;
    *count = (uint32_t)number;
    return STATUS_OK;
}

typedef VEC(struct str) str_vec;

static enum status collect_paths(struct arena *arena, const struct table_metadata *metadata,
                                 struct str state, str_vec *paths, struct err *err)
{
    struct data_file_unpack in = {state.ptr, state.ptr + state.size};
    struct header header = {0};
    uint64_t closed;
    uint64_t open;
    TRY(unpack_header(&in, &header, err));
    const struct partition_spec *spec = table_metadata_spec(metadata, (int32_t)header.spec_id);
    TRY(data_file_unpack_u64(&in, &closed, err));
    for (uint64_t i = 0; i < closed; i++) {
        struct data_file file;
        TRY(data_file_unpack_file(&in, arena, metadata, &file, err));
        VEC_PUSH(paths, arena_str(arena, file.path));
    }
    TRY(data_file_unpack_u64(&in, &open, err));
    for (uint64_t i = 0; i < open; i++) {
        const struct iceberg_value *tuple;
        struct file_settings settings;
        uint64_t segments;
        if (spec == NULL) {
            return ERR(err, STATUS_INVALID_DATA, "a sink state of partition spec %lld",
                       (long long)header.spec_id);
        }
        TRY(file_settings_unpack(&in, &settings, err));
        TRY(data_file_unpack_tuple(&in, arena, spec, &tuple, err));
        TRY(data_file_unpack_u64(&in, &segments, err));
        for (uint64_t j = 0; j < segments; j++) {
            struct str path;
            uint64_t ignored;
            TRY(data_file_unpack_str(&in, &path, err));
            TRY(data_file_unpack_u64(&in, &ignored, err));
            TRY(data_file_unpack_u64(&in, &ignored, err));
            VEC_PUSH(paths, arena_str(arena, path));
        }
    }
    return STATUS_OK;
}

enum status data_writer_paths(struct arena *arena, const struct table_metadata *metadata,
                              struct str state, struct str **out, uint32_t *count, struct err *err)
{
    str_vec paths = {0};
    enum status status = collect_paths(arena, metadata, state, &paths, err);
    *count = paths.count;
    *out = arena_copy(arena, paths.items, paths.count * sizeof *paths.items);
    VEC_RELEASE(&paths);
    return status;
}

struct data_writer_figures data_writer_figures(const struct data_writer *writer)
{
    struct data_writer_figures figures = writer->figures;
    figures.memory = writer->budget.used;
    return figures;
}
