// SPDX-License-Identifier: Apache-2.0
//
// Open files: found by their tuple, filled, relieved of memory, closed.
#include <stdio.h>
#include <stdlib.h>

#include "base/byte_source.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "data/batch.h"
#include "iceberg/data_writer_int.h"
#include "iceberg/file_location.h"
#include "store/store.h"

enum {
    BUCKETS_FIRST = 64,
    PATH_SIZE_MAX = 1 << 16,
};

static void rehash(struct data_writer *writer)
{
    writer->bucket_count = writer->bucket_count == 0 ? BUCKETS_FIRST : writer->bucket_count * 2;
    mem_free(writer->buckets);
    writer->buckets = mem_alloc(writer->bucket_count * sizeof *writer->buckets);
    for (uint32_t i = 0; i < writer->bucket_count; i++) {
        writer->buckets[i] = UINT32_MAX;
    }
    for (uint32_t i = 0; i < writer->files.count; i++) {
        struct data_writer_file *file = writer->files.items[i];
        uint32_t *bucket = &writer->buckets[file->hash & (writer->bucket_count - 1)];
        file->next = *bucket;
        *bucket = i;
    }
}

enum status data_writer_file_of(struct data_writer *writer, const struct iceberg_value *tuple,
                                uint32_t *out, struct err *err)
{
    uint64_t hash = partition_spec_tuple_hash(writer->spec, tuple);
    (void)err;
    if (writer->files.count >= writer->bucket_count) {
        rehash(writer);
    }
    uint32_t *bucket = &writer->buckets[hash & (writer->bucket_count - 1)];
    for (uint32_t i = *bucket; i != UINT32_MAX; i = writer->files.items[i]->next) {
        struct data_writer_file *file = writer->files.items[i];
        if (file->hash == hash && partition_spec_tuple_equal(writer->spec, file->tuple, tuple)) {
            *out = i;
            return STATUS_OK;
        }
    }
    struct data_writer_file *file = mem_zalloc(sizeof *file);
    arena_init(&file->arena);
    file->tuple = partition_spec_tuple_copy(&file->arena, writer->spec, tuple);
    file->hash = hash;
    file->next = *bucket;
    *out = *bucket = writer->files.count;
    VEC_PUSH(&writer->files, file);
    return STATUS_OK;
}

static void release_segments(struct data_writer *writer, struct data_writer_file *file)
{
    for (uint32_t i = 0; i < file->segments.count; i++) {
        writer->objects.items[file->segments.items[i].object].refs--;
    }
    VEC_RELEASE(&file->segments);
}

void data_writer_file_free(struct data_writer *writer, struct data_writer_file *file)
{
    if (file == NULL) {
        return; // closed in a close of all that failed at a later one
    }
    release_segments(writer, file);
    open_file_free(file->open);
    arena_release(&file->arena);
    mem_free(file);
}

// After a commit: partitions that get no rows any more cost nothing.
void data_writer_forget_files(struct data_writer *writer)
{
    for (uint32_t i = 0; i < writer->files.count; i++) {
        data_writer_file_free(writer, writer->files.items[i]);
    }
    VEC_RELEASE(&writer->files);
    mem_free(writer->buckets);
    writer->buckets = NULL;
    writer->bucket_count = 0;
}

enum status data_writer_put(struct data_writer *writer, struct data_writer_file *file,
                            const struct batch *batch, struct err *err)
{
    if (file->open == NULL) {
        TRY(open_file_new(writer->maker, &file->open, err));
        writer->figures.open_files++;
    }
    TRY(open_file_append(file->open, batch, err));
    return open_file_size(file->open) >= writer->target_bytes
               ? data_writer_close_file(writer, file, err)
               : STATUS_OK;
}

// Slots of removed objects are used again.
uint32_t data_writer_add_object(struct data_writer *writer, const struct data_writer_object *object)
{
    for (uint32_t i = 0; i < writer->objects.count; i++) {
        if (writer->objects.items[i].removed && writer->objects.items[i].refs == 0) {
            mem_free(writer->objects.items[i].path);
            writer->objects.items[i] = *object;
            return i;
        }
    }
    VEC_PUSH(&writer->objects, *object);
    return writer->objects.count - 1;
}

// The object that takes segments now.
static enum status current_object(struct data_writer *writer, struct data_writer_object **out,
                                  struct err *err)
{
    if (writer->current == DATA_WRITER_NO_OBJECT) {
        const struct data_writer_options *options = &writer->options;
        char name[100];
        struct strbuf path;
        snprintf(name, sizeof name, "%s-%llu-%u-%u.segments", writer->uuid,
                 (unsigned long long)options->run, options->instance, writer->object_counter++);
        strbuf_init(&path, PATH_SIZE_MAX);
        strbuf_printf(&path, "%.*s/%s", STR_ARGS(options->segment_directory), name);
        struct data_writer_object object = {.path = mem_strdup(path.ptr)};
        strbuf_release(&path);
        enum status status =
            store_create(writer->options.segment_store, str_from(object.path), &object.writer, err);
        if (status != STATUS_OK) {
            mem_free(object.path);
            return status;
        }
        writer->current = data_writer_add_object(writer, &object);
    }
    *out = &writer->objects.items[writer->current];
    return STATUS_OK;
}

// What is new in a file becomes a segment.
enum status data_writer_spill(struct data_writer *writer, struct data_writer_file *file,
                              struct err *err)
{
    struct data_writer_object *object;
    uint64_t size = 0;
    TRY(current_object(writer, &object, err));
    TRY(open_file_take(file->open, &object->writer->sink, &size, err));
    if (size > 0) {
        struct data_writer_segment segment = {(uint32_t)writer->current, object->size, size};
        VEC_PUSH(&file->segments, segment);
        object->size += size;
        object->refs++;
        writer->figures.segment_bytes += size;
    }
    return STATUS_OK;
}

// Makes the current object durable and readable; the next segment begins another.
enum status data_writer_finish_object(struct data_writer *writer, struct err *err)
{
    if (writer->current == DATA_WRITER_NO_OBJECT) {
        return STATUS_OK;
    }
    struct data_writer_object *object = &writer->objects.items[writer->current];
    enum status status = STATUS_OK;
    if (object->size > 0) {
        status = store_finish(object->writer, STORE_EXCLUSIVE, err);
    } else {
        object->removed = true; // never was there
    }
    store_close(object->writer);
    object->writer = NULL;
    writer->current = DATA_WRITER_NO_OBJECT;
    return status;
}

static size_t revocable(const struct data_writer_file *file)
{
    return file->open == NULL ? 0 : open_file_revocable(file->open);
}

struct weight {
    struct data_writer_file *file;
    size_t bytes;
};

static int compare_weights(const void *a, const void *b)
{
    size_t x = ((const struct weight *)a)->bytes;
    size_t y = ((const struct weight *)b)->bytes;
    return x > y ? -1 : x < y;
}

enum status data_writer_relieve(struct data_writer *writer, struct err *err)
{
    size_t limit = writer->budget.limit;
    size_t goal = limit / 2;
    if (writer->budget.used <= limit - limit / 8 && budget_excess(&writer->budget) == 0) {
        return STATUS_OK;
    }
    uint32_t count = writer->files.count;
    struct weight *weights = mem_alloc((count + 1) * sizeof *weights);
    for (uint32_t i = 0; i < count; i++) {
        weights[i] = (struct weight){writer->files.items[i], revocable(writer->files.items[i])};
    }
    if (count > 0) {
        qsort(weights, count, sizeof *weights, compare_weights);
    }
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < count && weights[i].bytes > 0 &&
                         (writer->budget.used > goal || budget_excess(&writer->budget) > 0);
         i++) {
        status = open_file_seal(weights[i].file->open, true, err);
        if (status == STATUS_OK) {
            status = data_writer_spill(writer, weights[i].file, err);
        }
    }
    mem_free(weights);
    return status;
}

static enum status reader_of(struct data_writer *writer, uint32_t at, struct byte_source **out,
                             struct err *err)
{
    struct data_writer_object *object = &writer->objects.items[at];
    if (object->writer != NULL) {
        TRY(data_writer_finish_object(writer, err));
        object = &writer->objects.items[at];
    }
    if (object->reader == NULL) {
        TRY(store_open(writer->options.segment_store, str_from(object->path), &object->reader,
                       err));
    }
    *out = &object->reader->source;
    return STATUS_OK;
}

static void note_directory(struct data_writer *writer, struct str path)
{
    struct str directory = store_directory(path);
    for (uint32_t i = writer->directories.count; i-- > 0;) {
        if (str_equal(writer->directories.items[i], directory)) {
            return;
        }
    }
    VEC_PUSH(&writer->directories, arena_str(&writer->closed_arena, directory));
}

static bool has_bare_names(const struct data_writer *writer)
{
    return (writer->options.env->broken_rules & TABLE_ENV_BREAK_FILE_NAMES) != 0;
}

static struct str file_name(struct data_writer *writer, const struct data_writer_file *file)
{
    const struct data_writer_options *options = &writer->options;
    const char *end = file->open->ops->end;
    uint32_t number = ++writer->file_counter;
    if (has_bare_names(writer)) {
        return arena_printf(&writer->closed_arena, "%05u-%llu-%05u.%s", options->instance,
                            (unsigned long long)writer->epoch, number, end);
    }
    return arena_printf(&writer->closed_arena, "%05u-%llu-%llu-%s-%05u.%s", options->instance,
                        (unsigned long long)options->run, (unsigned long long)writer->epoch,
                        writer->uuid, number, end);
}

// The file whole, from its segments and what is still in memory.
static enum status assemble(struct data_writer *writer, struct data_writer_file *file,
                            struct str path, struct err *err)
{
    uint32_t count = file->segments.count;
    struct byte_source_slice *slices = mem_alloc((count + 1) * sizeof *slices);
    struct byte_source **sources = mem_alloc((count + 1) * sizeof *sources);
    struct store_writer *out = NULL;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
        const struct data_writer_segment *segment = &file->segments.items[i];
        struct byte_source *whole = NULL;
        status = reader_of(writer, segment->object, &whole, err);
        if (status == STATUS_OK) {
            struct byte_range range = {segment->offset, segment->size};
            status = byte_source_slice_init(&slices[i], whole, range, err);
            sources[i] = &slices[i].source;
        }
    }
    if (status == STATUS_OK) {
        status = store_create(writer->options.store, path, &out, err);
    }
    if (status == STATUS_OK) {
        status = open_file_close(file->open, sources, count, &out->sink, err);
    }
    if (status == STATUS_OK) {
        int exclusive = has_bare_names(writer) ? 0 : STORE_EXCLUSIVE;
        status = store_finish(out, exclusive | STORE_SYNC_LATER, err);
    }
    store_close(out);
    mem_free(slices);
    mem_free(sources);
    return status;
}

enum status data_writer_close_file(struct data_writer *writer, struct data_writer_file *file,
                                   struct err *err)
{
    struct str path = file_location(&writer->closed_arena, writer->options.metadata, writer->spec,
                                    file->tuple, file_name(writer, file));
    struct data_file closed = {
        .path = path,
        .spec_id = writer->spec->spec_id,
        .partition = partition_spec_tuple_copy(&writer->closed_arena, writer->spec, file->tuple),
        .sort_order_id = 0, // unsorted, as Java says it
        .first_row_id = DATA_FILE_NONE,
        .content_offset = DATA_FILE_NONE,
        .content_size = DATA_FILE_NONE,
    };
    enum status status = assemble(writer, file, path, err);
    if (status != STATUS_OK) {
        err_context(err, "write %.*s", STR_ARGS(path));
        return status;
    }
    open_file_describe(file->open, &writer->closed_arena, &closed);
    VEC_PUSH(&writer->closed, closed);
    note_directory(writer, path);
    open_file_free(file->open);
    file->open = NULL;
    release_segments(writer, file);
    writer->figures.open_files--;
    writer->figures.files_closed++;
    return STATUS_OK;
}

enum status data_writer_sync_directories(struct data_writer *writer, struct err *err)
{
    for (uint32_t i = 0; i < writer->directories.count; i++) {
        TRY(store_sync(writer->options.store, writer->directories.items[i], err));
    }
    writer->directories.count = 0;
    return STATUS_OK;
}
