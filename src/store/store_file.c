// SPDX-License-Identifier: Apache-2.0
#include "store/store_file.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/vec.h"
#include "sys/file.h"

enum { DEPTH_MAX = 64 };

struct store_file {
    struct store base;
    char *root; // "" or ends in '/'
    // Directories that got new directories and are not fsynced yet: thousands of partitions below
    // one directory cost it one fsync.
    pthread_mutex_t lock; // guards `unsynced`
    VEC(char *) unsynced;
};

struct reader {
    struct store_reader base;
    struct file file;
};

struct writer {
    struct store_writer base;
    struct store_file *store;
    struct file file;
};

struct str store_file_path(struct str path)
{
    if (str_starts(path, "file:")) {
        path = str_slice(path, 5, path.size);
        if (str_starts(path, "//localhost/")) {
            path = str_slice(path, 11, path.size);
        } else if (str_starts(path, "///")) {
            path = str_slice(path, 2, path.size);
        }
    }
    return path;
}

// The path with its root, ending in NUL.
static enum status full_path(struct store *store, struct str path, char out[PATH_MAX],
                             struct err *err)
{
    struct store_file *self = (struct store_file *)store;
    path = store_file_path(path);
    bool absolute = path.size > 0 && path.ptr[0] == '/';
    if (memchr(path.ptr == NULL ? "" : path.ptr, '\0', path.size) != NULL) {
        return ERR(err, STATUS_NOT_FOUND, "a path with a NUL byte");
    }
    int length = snprintf(out, PATH_MAX, "%s%.*s", absolute ? "" : self->root, STR_ARGS(path));
    if (length >= PATH_MAX) {
        return ERR(err, STATUS_LIMIT, "the path is longer than %d bytes: %.*s", PATH_MAX,
                   STR_ARGS(path));
    }
    return STATUS_OK;
}

static enum status source_read_at(struct byte_source *source, uint64_t offset, size_t size,
                                  void *out, struct err *err)
{
    return file_read_at(&((struct reader *)source)->file, offset, out, size, err);
}

static void source_prefetch(struct byte_source *source, const struct byte_range *ranges,
                            uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        file_read_ahead(&((struct reader *)source)->file, ranges[i].offset, (size_t)ranges[i].size);
    }
}

static const struct byte_source_ops source_ops = {
    .read_at = source_read_at,
    .prefetch = source_prefetch,
};

static void reader_close(struct store_reader *base)
{
    file_close(&((struct reader *)base)->file);
    mem_free(base);
}

static enum status do_open(struct store *store, struct str path, struct store_reader **out,
                           struct err *err)
{
    char full[PATH_MAX];
    struct file file;
    TRY(full_path(store, path, full, err));
    TRY(file_open(full, &file, err));
    struct reader *reader = mem_zalloc(sizeof *reader);
    reader->file = file;
    reader->base.source = (struct byte_source){&source_ops, file.size, str_from(file.path)};
    reader->base.close = reader_close;
    *out = &reader->base;
    return STATUS_OK;
}

static void note_unsynced(void *context, const char *parent)
{
    struct store_file *self = context;
    bool known = false;
    pthread_mutex_lock(&self->lock);
    for (uint32_t i = 0; !known && i < self->unsynced.count; i++) {
        known = strcmp(self->unsynced.items[i], parent) == 0;
    }
    if (!known) {
        VEC_PUSH(&self->unsynced, mem_strdup(parent));
    }
    pthread_mutex_unlock(&self->lock);
}

// Makes new directories durable. One whose fsync fails stays noted: whoever needs it fails, too.
static enum status sync_new_directories(struct store_file *self, struct err *err)
{
    enum status status = STATUS_OK;
    pthread_mutex_lock(&self->lock);
    while (status == STATUS_OK && self->unsynced.count > 0) {
        char *directory = self->unsynced.items[self->unsynced.count - 1];
        status = file_sync_directory(directory, err);
        if (status == STATUS_OK || status == STATUS_NOT_FOUND) { // removed since: nothing to lose
            status = STATUS_OK;
            mem_free(directory);
            self->unsynced.count--;
        }
    }
    pthread_mutex_unlock(&self->lock);
    return status;
}

static enum status create_file(struct store *store, const char *path, struct file *out,
                               struct err *err)
{
    enum status status = file_create(path, out, err);
    if (status != STATUS_NOT_FOUND) {
        return status;
    }
    struct str directory = store_directory(str_from(path));
    char parent[PATH_MAX];
    snprintf(parent, sizeof parent, "%.*s", STR_ARGS(directory));
    TRY(file_make_directories_later(parent, note_unsynced, store, err));
    return file_create(path, out, err);
}

// Publishes and, unless that is left for later, makes the directories above durable, too.
static enum status publish(struct store_file *self, struct file *file, int flags, struct err *err)
{
    TRY(file_publish(file, flags, err));
    return (flags & STORE_SYNC_LATER) != 0 ? STATUS_OK : sync_new_directories(self, err);
}

static enum status do_put(struct store *store, struct str path, struct str bytes, int flags,
                          struct err *err)
{
    _Static_assert((int)STORE_EXCLUSIVE == (int)FILE_EXCLUSIVE, "flags are passed on");
    _Static_assert((int)STORE_SYNC_LATER == (int)FILE_SYNC_LATER, "flags are passed on");
    char full[PATH_MAX];
    struct file file;
    TRY(full_path(store, path, full, err));
    TRY(create_file(store, full, &file, err));
    enum status status = file_write(&file, bytes.ptr, bytes.size, err);
    if (status == STATUS_OK) {
        status = publish((struct store_file *)store, &file, flags, err);
    }
    file_close(&file);
    return status;
}

static enum status sink_write(struct byte_sink *sink, const void *bytes, size_t size,
                              struct err *err)
{
    return file_write(&((struct writer *)sink)->file, bytes, size, err);
}

static const struct byte_sink_ops sink_ops = {sink_write};

static enum status writer_finish(struct store_writer *base, int flags, struct err *err)
{
    struct writer *writer = (struct writer *)base;
    return publish(writer->store, &writer->file, flags, err);
}

static void writer_close(struct store_writer *base)
{
    file_close(&((struct writer *)base)->file);
    mem_free(base);
}

static enum status do_create(struct store *store, struct str path, struct store_writer **out,
                             struct err *err)
{
    char full[PATH_MAX];
    struct file file;
    TRY(full_path(store, path, full, err));
    TRY(create_file(store, full, &file, err));
    struct writer *writer = mem_zalloc(sizeof *writer);
    writer->base = (struct store_writer){{.ops = &sink_ops}, writer_finish, writer_close};
    writer->store = (struct store_file *)store;
    writer->file = file;
    *out = &writer->base;
    return STATUS_OK;
}

typedef VEC(struct store_object) object_vec;

// Adds what is in `directory` (a full path) and below; `shown` is the directory as the caller wrote
// it, so that listed paths look like the prefix. Both end in '/' or are empty.
static enum status walk(struct arena *arena, struct str directory, struct str shown,
                        struct str name_prefix, object_vec *out, int depth, struct err *err)
{
    struct file_entry *entries;
    size_t count;
    if (depth > DEPTH_MAX) {
        return ERR(err, STATUS_LIMIT, "list %.*s: over %d levels", STR_ARGS(directory), DEPTH_MAX);
    }
    enum status status =
        file_list(directory.size == 0 ? "." : directory.ptr, arena, &entries, &count, err);
    if (status == STATUS_NOT_FOUND) {
        return STATUS_OK;
    }
    TRY(status);
    for (size_t i = 0; i < count; i++) {
        struct str name = entries[i].name;
        if (name.size < name_prefix.size ||
            !str_equal(str_slice(name, 0, name_prefix.size), name_prefix)) {
            continue;
        }
        if (entries[i].info.is_directory) {
            TRY(walk(arena, arena_printf(arena, "%.*s%.*s/", STR_ARGS(directory), STR_ARGS(name)),
                     arena_printf(arena, "%.*s%.*s/", STR_ARGS(shown), STR_ARGS(name)), STR_LIT(""),
                     out, depth + 1, err));
        } else {
            VEC_PUSH(out, ((struct store_object){
                              arena_printf(arena, "%.*s%.*s", STR_ARGS(shown), STR_ARGS(name)),
                              entries[i].info.size, entries[i].info.modified_us}));
        }
    }
    return STATUS_OK;
}

static int compare_objects(const void *a, const void *b)
{
    return str_compare(((const struct store_object *)a)->path,
                       ((const struct store_object *)b)->path);
}

static enum status do_list(struct store *store, struct str prefix, struct arena *arena,
                           struct store_object **out, size_t *count, struct err *err)
{
    char full[PATH_MAX];
    TRY(full_path(store, prefix, full, err));
    struct file_info info;
    struct err ignored;
    object_vec objects = {0};
    struct str whole = arena_str(arena, str_from(full));
    struct str shown = prefix;
    struct str name_prefix = STR_LIT("");
    if (full[0] != '\0' && full[strlen(full) - 1] != '/') {
        if (file_info(full, &info, &ignored) == STATUS_OK && info.is_directory) {
            whole = arena_printf(arena, "%s/", full);
            shown = arena_printf(arena, "%.*s/", STR_ARGS(prefix));
        } else {
            struct str directory = store_directory(whole);
            size_t kept = directory.size + (whole.ptr[directory.size] == '/' ? 1 : 0);
            name_prefix = str_slice(whole, kept, whole.size);
            whole = arena_str(arena, str_slice(whole, 0, kept));
            shown = str_slice(prefix, 0, prefix.size - name_prefix.size);
        }
    }
    enum status status = walk(arena, whole, shown, name_prefix, &objects, 0, err);
    if (status == STATUS_OK && objects.count > 0) {
        qsort(objects.items, objects.count, sizeof *objects.items, compare_objects);
        *out = arena_copy(arena, objects.items, objects.count * sizeof *objects.items);
        *count = objects.count;
    }
    VEC_RELEASE(&objects);
    return status;
}

static enum status do_move(struct store *store, struct str from, struct str to, struct err *err)
{
    char full_from[PATH_MAX];
    char full_to[PATH_MAX];
    TRY(full_path(store, from, full_from, err));
    TRY(full_path(store, to, full_to, err));
    return file_move(full_from, full_to, FILE_EXCLUSIVE | FILE_SYNC_LATER, err);
}

static enum status do_remove(struct store *store, struct str path, struct err *err)
{
    char full[PATH_MAX];
    TRY(full_path(store, path, full, err));
    return file_remove(full, err);
}

static enum status do_info(struct store *store, struct str path, struct store_object *out,
                           struct err *err)
{
    char full[PATH_MAX];
    struct file_info info;
    TRY(full_path(store, path, full, err));
    TRY(file_info(full, &info, err));
    if (info.is_directory) {
        return ERR(err, STATUS_NOT_FOUND, "stat %s: it is a directory", full);
    }
    *out = (struct store_object){path, info.size, info.modified_us};
    return STATUS_OK;
}

static enum status do_sync(struct store *store, struct str directory, struct err *err)
{
    char full[PATH_MAX];
    TRY(full_path(store, directory, full, err));
    TRY(sync_new_directories((struct store_file *)store, err));
    return file_sync_directory(full[0] == '\0' ? "." : full, err);
}

static void do_free(struct store *store)
{
    struct store_file *self = (struct store_file *)store;
    for (uint32_t i = 0; i < self->unsynced.count; i++) {
        mem_free(self->unsynced.items[i]);
    }
    VEC_RELEASE(&self->unsynced);
    pthread_mutex_destroy(&self->lock);
    mem_free(self->root);
    mem_free(self);
}

static const struct store_ops ops = {
    .name = "file",
    .open = do_open,
    .put = do_put,
    .create = do_create,
    .list = do_list,
    .move = do_move,
    .remove = do_remove,
    .info = do_info,
    .sync = do_sync,
    .free = do_free,
};

struct store *store_file_new(const char *root)
{
    struct store_file *self = mem_zalloc(sizeof *self);
    char with_slash[PATH_MAX];
    size_t length = root == NULL ? 0 : strlen(root);
    snprintf(with_slash, sizeof with_slash, "%s%s", root == NULL ? "" : root,
             length > 0 && root[length - 1] != '/' ? "/" : "");
    self->base.ops = &ops;
    self->root = mem_strdup(with_slash);
    pthread_mutex_init(&self->lock, NULL);
    return &self->base;
}
