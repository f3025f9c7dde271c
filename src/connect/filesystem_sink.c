// SPDX-License-Identifier: Apache-2.0
#include "connect/filesystem_sink.h"

#include <string.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/byte_sink.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "connect/file_listing.h"
#include "connect/file_output.h"
#include "connect/file_writer.h"
#include "connect/not_null.h"
#include "connect/option.h"
#include "plan/plan.h"
#include "sys/file.h"

enum { COMMITTABLE_MAX = 1 << 26 };

static enum status say_taken(struct str path, struct err *err)
{
    ERR(err, STATUS_EXISTS, "'%.*s' is there already; it was not touched", STR_ARGS(path));
    err_hint(err, "INSERT OVERWRITE takes its place");
    return STATUS_EXISTS;
}

enum status filesystem_sink_check(struct str path, bool is_file, bool overwrite, struct err *err)
{
    struct file_info info;
    bool is_there = file_info(path.ptr, &info, NULL) == STATUS_OK;
    if (is_file && is_there && info.is_directory) {
        return ERR(err, STATUS_EXISTS, "'%.*s' is a directory", STR_ARGS(path));
    }
    if (!is_file && is_there && !info.is_directory) {
        return ERR(err, STATUS_EXISTS, "'%.*s' is a file, no directory", STR_ARGS(path));
    }
    bool is_taken = is_there && !overwrite;
    if (is_taken && !is_file) {
        struct arena arena;
        struct file_listing listing = {0};
        arena_init(&arena);
        enum status status = file_listing_read(&arena, path, &listing, err);
        arena_release(&arena);
        TRY(status);
        is_taken = listing.count > 0;
    }
    return is_taken ? say_taken(path, err) : STATUS_OK;
}

enum sink_target { TARGET_FILE, TARGET_NEW_DIRECTORY, TARGET_DIRECTORY };

// Where the rows go, the same for all instances and the committer.
struct sink_place {
    enum sink_target target;
    struct str path;  // absolute
    struct str stage; // FILE: the hidden file; NEW_DIRECTORY: the hidden directory; else empty
    struct str uuid;
};

// A file that is written and not at its place yet.
struct sink_file {
    struct str staged;
    struct str name; // in the directory; FILE: empty
};

struct filesystem_sink {
    struct op op;
    struct arena arena;
    struct sink_place place;
    const struct file_writer_class *class;
    struct file_writer_spec spec;
    uint64_t size_max; // of a file; 0: no limit
    struct file_output *output;
    struct file_writer *writer; // NULL: no file is open
    VEC(struct sink_file) files;
};

// Names.

static enum sink_target target_of(const struct table_def *table)
{
    struct str text = option_text(table, "", "sink.target", "directory");
    return str_is(text, "file")            ? TARGET_FILE
           : str_is(text, "new-directory") ? TARGET_NEW_DIRECTORY
                                           : TARGET_DIRECTORY;
}

static enum status find_place(struct arena *arena, const struct table_def *table, struct str uuid,
                              struct sink_place *out, struct err *err)
{
    *out = (struct sink_place){.target = target_of(table), .uuid = arena_str(arena, uuid)};
    TRY(file_listing_absolute(arena, option_text(table, "", "path", ""), &out->path, err));
    if (out->target != TARGET_DIRECTORY) {
        const char *name = strrchr(out->path.ptr, '/') + 1;
        out->stage = arena_printf(arena, "%.*s.%s.%.*s.part", (int)(name - out->path.ptr),
                                  out->path.ptr, name, STR_ARGS(uuid));
    }
    return STATUS_OK;
}

// "part-<uuid>-<instance>-<n>.parquet", and where it is until the commit.
static struct sink_file name_file(struct filesystem_sink *sink)
{
    const struct sink_place *place = &sink->place;
    struct arena *arena = &sink->arena;
    struct str ending = file_output_ending(sink->spec.table);
    if (place->target == TARGET_FILE) {
        return (struct sink_file){.staged = place->stage};
    }
    struct sink_file file;
    file.name = arena_printf(arena, "part-%.*s-%u-%u.%.*s%.*s", STR_ARGS(place->uuid),
                             sink->op.context->instance, sink->files.count,
                             STR_ARGS(sink->spec.format), STR_ARGS(ending));
    file.staged =
        place->target == TARGET_NEW_DIRECTORY
            ? arena_printf(arena, "%.*s/%.*s", STR_ARGS(place->stage), STR_ARGS(file.name))
            : arena_printf(arena, "%.*s/.%.*s.part", STR_ARGS(place->path), STR_ARGS(file.name));
    return file;
}

// Files.

static enum status begin_file(struct filesystem_sink *sink, struct err *err)
{
    struct sink_file file = name_file(sink);
    if (sink->place.target != TARGET_FILE) {
        struct str directory =
            sink->place.target == TARGET_DIRECTORY ? sink->place.path : sink->place.stage;
        TRY(file_make_directories(directory.ptr, err));
    }
    VEC_PUSH(&sink->files, file);
    TRY(file_output_open(file.staged.ptr, sink->spec.table, &sink->output, err));
    return sink->class->open(&sink->spec, file_output_sink(sink->output), &sink->writer, err);
}

static enum status end_file(struct filesystem_sink *sink, struct err *err)
{
    TRY(sink->class->finish(sink->writer, err));
    sink->class->free(sink->writer);
    sink->writer = NULL;
    enum status status = file_output_finish(sink->output, err);
    file_output_close(sink->output);
    sink->output = NULL;
    return status;
}

static enum status write_batch(struct filesystem_sink *sink, const struct batch *batch,
                               struct err *err)
{
    if (sink->writer == NULL) {
        TRY(begin_file(sink, err));
    }
    TRY(sink->class->append(sink->writer, batch, err));
    bool is_full = sink->size_max > 0 && sink->class->size(sink->writer) >= sink->size_max;
    return is_full ? end_file(sink, err) : STATUS_OK;
}

static enum op_result sink_failed(const struct filesystem_sink *sink, struct err *err)
{
    err_context(err, "write '%.*s'", STR_ARGS(option_text(sink->spec.table, "", "path", "")));
    return OP_FAILED;
}

static enum op_result sink_on_batch(struct op *op, uint32_t port, const struct batch *in,
                                    struct op_output *out, struct err *err)
{
    (void)port;
    (void)out;
    struct filesystem_sink *sink = (struct filesystem_sink *)op;
    struct batch kept;
    arena_reset(&op->scratch);
    if (not_null_apply(op->node, &op->scratch, in, &kept, err) != STATUS_OK) {
        return OP_FAILED;
    }
    if (kept.row_count > 0 && write_batch(sink, &kept, err) != STATUS_OK) {
        return sink_failed(sink, err);
    }
    return OP_DONE;
}

// One file at least: a result without rows has columns all the same.
static enum status finish_files(struct filesystem_sink *sink, struct err *err)
{
    bool is_first = sink->op.context->instance == 0 && sink->place.target != TARGET_DIRECTORY;
    if (sink->writer == NULL && sink->files.count == 0 && is_first) {
        TRY(begin_file(sink, err));
    }
    return sink->writer == NULL ? STATUS_OK : end_file(sink, err);
}

// The committable: of each file the staged path and its name, a NUL behind each.
static enum op_result sink_on_barrier(struct op *op, const struct barrier *barrier,
                                      struct snapshot_writer *writer, struct err *err)
{
    struct filesystem_sink *sink = (struct filesystem_sink *)op;
    if (barrier->kind == BARRIER_CHECKPOINT) {
        return OP_DONE; // a batch job has none to go back to
    }
    if (finish_files(sink, err) != STATUS_OK) {
        return sink_failed(sink, err);
    }
    struct strbuf bytes;
    strbuf_init(&bytes, COMMITTABLE_MAX);
    for (uint32_t i = 0; i < sink->files.count; i++) {
        strbuf_add(&bytes, sink->files.items[i].staged);
        strbuf_add_byte(&bytes, '\0');
        strbuf_add(&bytes, sink->files.items[i].name);
        strbuf_add_byte(&bytes, '\0');
    }
    if (bytes.size > 0) {
        writer->put(writer, op->context->operator_id, op->context->instance,
                    STR_LIT(SINK_KEY_COMMITTABLE), strbuf_str(&bytes));
    }
    strbuf_release(&bytes);
    return OP_DONE;
}

// Garbage that stays is hidden and does no harm.
static void drop_file(const char *path)
{
    struct err ignored;
    if (file_remove(path, &ignored) != STATUS_OK) {
        return;
    }
}

static void drop_directory(const char *path)
{
    struct err ignored;
    if (file_remove_directory(path, &ignored) != STATUS_OK) {
        return;
    }
}

// What was not renamed is of no use.
static void sink_close(struct op *op)
{
    struct filesystem_sink *sink = (struct filesystem_sink *)op;
    if (sink->writer != NULL) {
        sink->class->free(sink->writer);
    }
    file_output_close(sink->output);
    for (uint32_t i = 0; i < sink->files.count; i++) {
        drop_file(sink->files.items[i].staged.ptr);
    }
    if (sink->place.target == TARGET_NEW_DIRECTORY) {
        drop_directory(sink->place.stage.ptr);
    }
    VEC_RELEASE(&sink->files);
    arena_release(&sink->arena);
    op_release(op);
    mem_free(sink);
}

static const struct op_class filesystem_sink_op_class = {
    .name = "filesystem_sink",
    .on_batch = sink_on_batch,
    .on_barrier = sink_on_barrier,
    .close = sink_close,
};

static enum status prepare(struct filesystem_sink *sink, struct err *err)
{
    const struct op_context *context = sink->op.context;
    const struct plan_node *node = sink->op.node;
    const struct table_def *table = node->as.sink.table;
    if (context->is_streaming || context->pipeline_name.size > 0) {
        ERR(err, STATUS_UNSUPPORTED, "files are written by batch statements, not by pipelines yet");
        err_hint(err, "run the INSERT with frazil sql");
        return STATUS_UNSUPPORTED;
    }
    TRY(find_place(&sink->arena, table, context->job_uuid, &sink->place, err));
    struct str format = option_text(table, "", "format", "");
    TRY(file_writer_find(format, &sink->class, err));
    struct type_field *fields =
        arena_new_array(&sink->arena, struct type_field, node->column_count + 1);
    for (uint32_t i = 0; i < node->column_count; i++) {
        const struct table_column *column = &table->columns[node->as.sink.table_columns[i]];
        fields[i] = (struct type_field){.name = column->name, .type = column->type};
    }
    bool is_file = sink->place.target == TARGET_FILE;
    sink->size_max = is_file ? 0
                             : (uint64_t)option_memory(table, "", "sink.rolling-policy.file-size",
                                                       (int64_t)128 << 20);
    sink->spec = (struct file_writer_spec){
        .table = table,
        .format = format,
        .prefix = arena_printf(&sink->arena, "%.*s.", STR_ARGS(format)).ptr,
        .row = type_row(&sink->arena, fields, node->column_count, false),
        .budget = context->budget,
        .directory = arena_str(&sink->arena, context->directory).ptr};
    return STATUS_OK;
}

static enum status sink_open(const struct plan_node *node, const struct op_context *context,
                             struct op **out, struct err *err)
{
    struct filesystem_sink *sink = mem_zalloc(sizeof *sink);
    op_init(&sink->op, &filesystem_sink_op_class, context, node);
    arena_init(&sink->arena);
    enum status status = prepare(sink, err);
    if (status != STATUS_OK) {
        sink_close(&sink->op);
        return status;
    }
    *out = &sink->op;
    return STATUS_OK;
}

// The committer.

struct filesystem_committer {
    struct sink_committer committer;
    struct arena arena;
    struct sink_place place;
    struct str format;
    bool overwrite;
};

// The files that an overwritten directory holds, whole paths; refused where there is anything else.
static enum status list_old(struct filesystem_committer *committer, struct file_listing *out,
                            struct err *err)
{
    struct file_entry *entries;
    size_t count;
    struct str path = committer->place.path;
    TRY(file_list(path.ptr, &committer->arena, &entries, &count, err));
    out->items = arena_new_array(&committer->arena, struct file_listing_item, count + 1);
    for (size_t i = 0; i < count; i++) {
        struct str name = entries[i].name;
        if (name.ptr[0] == '.') {
            continue;
        }
        if (entries[i].info.is_directory || !file_output_is_of(name, committer->format)) {
            ERR(err, STATUS_CONFLICT,
                "'%.*s' is not overwritten: it holds '%.*s', which is no %.*s "
                "file",
                STR_ARGS(path), STR_ARGS(name), STR_ARGS(committer->format));
            err_hint(err, "write to another directory, or empty this one first");
            return STATUS_CONFLICT;
        }
        out->items[out->count++].path =
            arena_printf(&committer->arena, "%.*s/%.*s", STR_ARGS(path), STR_ARGS(name));
    }
    return STATUS_OK;
}

static enum status commit_directory(struct filesystem_committer *committer, struct err *err)
{
    const struct sink_place *place = &committer->place;
    struct file_listing old = {0};
    struct file_info info;
    TRY(file_sync_directory(place->stage.ptr, err));
    bool is_there = file_info(place->path.ptr, &info, NULL) == STATUS_OK;
    if (is_there) {
        TRY(list_old(committer, &old, err));
    }
    if (!committer->overwrite && old.count > 0) {
        return STATUS_EXISTS;
    }
    if (old.count == 0) {
        return file_move(place->stage.ptr, place->path.ptr, 0, err);
    }
    TRY(file_move(place->stage.ptr, place->path.ptr, FILE_SWAP, err));
    size_t size = place->path.size;
    for (uint32_t i = 0; i < old.count; i++) { // they are in the other's place now
        struct str path =
            arena_printf(&committer->arena, "%.*s%.*s", STR_ARGS(place->stage),
                         STR_ARGS(str_slice(old.items[i].path, size, old.items[i].path.size)));
        drop_file(path.ptr);
    }
    drop_directory(place->stage.ptr);
    return STATUS_OK;
}

static enum status commit_added(struct filesystem_committer *committer,
                                const struct str *committables, uint32_t count, struct err *err)
{
    const struct sink_place *place = &committer->place;
    struct file_listing old = {0};
    if (committer->overwrite &&
        file_info(place->path.ptr, &(struct file_info){0}, NULL) == STATUS_OK) {
        TRY(list_old(committer, &old, err));
    }
    for (uint32_t i = 0; i < count; i++) {
        for (struct str rest = committables[i]; rest.size > 0;) {
            size_t end = str_find(rest, '\0');
            const char *staged = rest.ptr;
            rest = str_slice(rest, end + 1, rest.size);
            struct str path =
                arena_printf(&committer->arena, "%.*s/%s", STR_ARGS(place->path), rest.ptr);
            rest = str_slice(rest, str_find(rest, '\0') + 1, rest.size);
            TRY(file_move(staged, path.ptr, FILE_EXCLUSIVE, err));
        }
    }
    for (uint32_t i = 0; i < old.count; i++) {
        TRY(file_remove(old.items[i].path.ptr, err));
    }
    return STATUS_OK;
}

static enum status committer_commit(struct sink_committer *base, struct epoch epoch,
                                    const struct str *committables, uint32_t count,
                                    struct str positions, struct err *err)
{
    (void)epoch;
    (void)positions;
    struct filesystem_committer *committer = (struct filesystem_committer *)base;
    const struct sink_place *place = &committer->place;
    enum status status = STATUS_OK;
    switch (place->target) {
    case TARGET_FILE:
        status = file_move(place->stage.ptr, place->path.ptr,
                           committer->overwrite ? 0 : FILE_EXCLUSIVE, err);
        break;
    case TARGET_NEW_DIRECTORY: status = commit_directory(committer, err); break;
    case TARGET_DIRECTORY: status = commit_added(committer, committables, count, err); break;
    }
    if (status == STATUS_EXISTS) {
        return say_taken(place->path, err);
    }
    return status;
}

static enum status committer_unsupported(struct err *err)
{
    return ERR(err, STATUS_UNSUPPORTED, "files are not written by pipelines yet");
}

static enum status committer_resolve(struct sink_committer *committer, struct epoch last,
                                     enum sink_verdict *verdict, struct err *err)
{
    (void)committer;
    (void)last;
    *verdict = SINK_NOT_COMMITTED;
    return committer_unsupported(err);
}

static enum status committer_fence(struct sink_committer *committer, struct err *err)
{
    (void)committer;
    return committer_unsupported(err);
}

static enum status committer_held(struct sink_committer *committer, struct arena *arena,
                                  struct str *text, struct err *err)
{
    (void)committer;
    (void)arena;
    *text = (struct str){0};
    return committer_unsupported(err);
}

static enum status committer_clean(struct sink_committer *committer, uint64_t run_from,
                                   const struct str *keep, uint32_t count, struct err *err)
{
    (void)committer;
    (void)run_from;
    (void)keep;
    (void)count;
    return committer_unsupported(err);
}

static void committer_close(struct sink_committer *base)
{
    struct filesystem_committer *committer = (struct filesystem_committer *)base;
    arena_release(&committer->arena);
    mem_free(committer);
}

static const struct sink_committer_ops committer_ops = {
    .commit = committer_commit,
    .resolve = committer_resolve,
    .fence = committer_fence,
    .held = committer_held,
    .clean = committer_clean,
    .close = committer_close,
};

static enum status committer_open(const struct plan_node *sink,
                                  const struct sink_identity *identity, struct sink_committer **out,
                                  struct err *err)
{
    const struct table_def *table = sink->as.sink.table;
    if (identity->pipeline_name.size > 0) {
        return committer_unsupported(err);
    }
    struct filesystem_committer *committer = mem_zalloc(sizeof *committer);
    committer->committer.ops = &committer_ops;
    arena_init(&committer->arena);
    committer->overwrite = sink->as.sink.overwrite;
    committer->format = option_text(table, "", "format", "");
    enum status status =
        find_place(&committer->arena, table, identity->pipeline_uuid, &committer->place, err);
    if (status != STATUS_OK) {
        committer_close(&committer->committer);
        return status;
    }
    *out = &committer->committer;
    return STATUS_OK;
}

const struct sink_class filesystem_sink_class = {
    .name = "filesystem",
    .open = sink_open,
    .open_committer = committer_open,
};
