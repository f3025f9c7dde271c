// SPDX-License-Identifier: Apache-2.0
#include "store/store_memory.h"

#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

// What a name shows now and what it would show after a power loss. Either may be NULL: no object.
// Content is immutable once it is here, so replacing changes pointers only.
struct object {
    char *path;
    struct buf *now;
    struct buf *stable;
    int64_t modified_us;
    bool is_moved; // a power loss undoes a move as a whole
};

struct writer;

struct store_memory {
    struct store base;
    struct store_memory_options options;
    pthread_mutex_t lock;       // guards all below
    VEC(struct object) objects; // in no order
    struct writer *writers;     // open ones
    uint64_t operations;
    uint64_t random;
};

struct reader {
    struct store_reader base;
    struct store_memory *store;
    struct buf *content;
    char *path;
};

struct writer {
    struct store_writer base;
    struct store_memory *store;
    struct writer *next;
    struct byte_sink_memory bytes;
    char *path;
    bool dead; // its process lost power
};

static char *text_of(struct str text)
{
    char *out = mem_alloc(text.size + 1);
    if (text.size > 0) {
        memcpy(out, text.ptr, text.size);
    }
    out[text.size] = '\0';
    return out;
}

static struct buf *content_of(struct str bytes)
{
    struct buf *out = buf_new(bytes.size, NULL);
    if (bytes.size > 0) {
        memcpy(out->ptr, bytes.ptr, bytes.size);
    }
    return out;
}

// Asks for a fault. *after: do it, then fail with what is returned.
static enum status fault_of(struct store_memory *self, enum store_memory_verb verb, struct str path,
                            bool *after, struct err *err)
{
    uint64_t operation = self->operations++;
    *after = false;
    if (self->options.fault == NULL) {
        return STATUS_OK;
    }
    enum status status = self->options.fault(self->options.context, operation, verb, path, after);
    return status == STATUS_OK ? STATUS_OK
                               : ERR(err, status, "%.*s: injected fault at operation %llu",
                                     STR_ARGS(path), (unsigned long long)operation);
}

static struct object *find(struct store_memory *self, struct str path)
{
    for (uint32_t i = 0; i < self->objects.count; i++) {
        if (str_is(path, self->objects.items[i].path)) {
            return &self->objects.items[i];
        }
    }
    return NULL;
}

// Forgets names that are nothing, neither now nor after a power loss.
static void drop_if_nothing(struct store_memory *self, struct object *object)
{
    if (object->now == NULL && object->stable == NULL) {
        mem_free(object->path);
        *object = self->objects.items[--self->objects.count];
    }
}

static int64_t now_us(const struct store_memory *self)
{
    return self->options.now_us != NULL ? self->options.now_us(self->options.context) : 0;
}

// Takes `content`.
static enum status put_locked(struct store_memory *self, struct str path, struct buf *content,
                              int flags, struct err *err)
{
    struct object *object = find(self, path);
    if (object != NULL && object->now != NULL && (flags & STORE_EXCLUSIVE) != 0) {
        buf_unref(content);
        return ERR(err, STATUS_EXISTS, "put %.*s: it exists", STR_ARGS(path));
    }
    if (object == NULL) {
        VEC_PUSH(&self->objects, ((struct object){.path = text_of(path)}));
        object = &self->objects.items[self->objects.count - 1];
    }
    buf_unref(object->now);
    object->now = content;
    object->is_moved = false;
    object->modified_us = now_us(self);
    if ((flags & STORE_SYNC_LATER) == 0 && !self->options.never_stable) {
        buf_unref(object->stable);
        object->stable = buf_ref(content);
    }
    return STATUS_OK;
}

static enum status do_put(struct store *store, struct str path, struct str bytes, int flags,
                          struct err *err)
{
    struct store_memory *self = (struct store_memory *)store;
    bool after;
    pthread_mutex_lock(&self->lock);
    enum status fault = fault_of(self, STORE_MEMORY_PUT, path, &after, err);
    enum status status = fault;
    if (fault == STATUS_OK || after) {
        status = put_locked(self, path, content_of(bytes), flags, err);
    }
    pthread_mutex_unlock(&self->lock);
    return fault != STATUS_OK ? fault : status;
}

static enum status source_read_at(struct byte_source *source, uint64_t offset, size_t size,
                                  void *out, struct err *err)
{
    struct reader *reader = (struct reader *)source;
    bool after;
    pthread_mutex_lock(&reader->store->lock);
    enum status status =
        fault_of(reader->store, STORE_MEMORY_READ, str_from(reader->path), &after, err);
    pthread_mutex_unlock(&reader->store->lock);
    TRY(status);
    if (size > 0) {
        memcpy(out, reader->content->ptr + offset, size);
    }
    return STATUS_OK;
}

static const struct byte_source_ops source_ops = {.read_at = source_read_at};

static void reader_close(struct store_reader *base)
{
    struct reader *reader = (struct reader *)base;
    buf_unref(reader->content);
    mem_free(reader->path);
    mem_free(reader);
}

static enum status missing(const char *verb, struct str path, struct err *err)
{
    return ERR(err, STATUS_NOT_FOUND, "%s %.*s: no such object", verb, STR_ARGS(path));
}

static enum status do_open(struct store *store, struct str path, struct store_reader **out,
                           struct err *err)
{
    struct store_memory *self = (struct store_memory *)store;
    bool after;
    pthread_mutex_lock(&self->lock);
    enum status status = fault_of(self, STORE_MEMORY_OPEN, path, &after, err);
    struct object *object = status == STATUS_OK ? find(self, path) : NULL;
    if (object != NULL && object->now != NULL) {
        struct reader *reader = mem_zalloc(sizeof *reader);
        reader->store = self;
        reader->content = buf_ref(object->now);
        reader->path = text_of(path);
        reader->base.source =
            (struct byte_source){&source_ops, object->now->size, str_from(reader->path)};
        reader->base.close = reader_close;
        *out = &reader->base;
    } else if (status == STATUS_OK) {
        status = missing("open", path, err);
    }
    pthread_mutex_unlock(&self->lock);
    return status;
}

static enum status dead_writer(const struct writer *writer, struct err *err)
{
    return ERR(err, STATUS_IO, "write %s: the power went", writer->path);
}

static enum status sink_write(struct byte_sink *sink, const void *bytes, size_t size,
                              struct err *err)
{
    struct writer *writer = (struct writer *)sink;
    bool after;
    if (writer->dead) {
        return dead_writer(writer, err);
    }
    pthread_mutex_lock(&writer->store->lock);
    enum status status =
        fault_of(writer->store, STORE_MEMORY_WRITE, str_from(writer->path), &after, err);
    pthread_mutex_unlock(&writer->store->lock);
    TRY(status);
    return byte_sink_write(&writer->bytes.sink, bytes, size, err);
}

static const struct byte_sink_ops sink_ops = {sink_write};

static enum status writer_finish(struct store_writer *base, int flags, struct err *err)
{
    struct writer *writer = (struct writer *)base;
    struct store_memory *self = writer->store;
    struct str path = str_from(writer->path);
    bool after;
    if (writer->dead) {
        return dead_writer(writer, err);
    }
    pthread_mutex_lock(&self->lock);
    enum status fault = fault_of(self, STORE_MEMORY_FINISH, path, &after, err);
    enum status status = fault;
    if (fault == STATUS_OK || after) {
        status =
            put_locked(self, path, content_of(byte_sink_memory_bytes(&writer->bytes)), flags, err);
    }
    pthread_mutex_unlock(&self->lock);
    return fault != STATUS_OK ? fault : status;
}

static void writer_close(struct store_writer *base)
{
    struct writer *writer = (struct writer *)base;
    pthread_mutex_lock(&writer->store->lock);
    for (struct writer **at = &writer->store->writers; *at != NULL; at = &(*at)->next) {
        if (*at == writer) {
            *at = writer->next;
            break;
        }
    }
    pthread_mutex_unlock(&writer->store->lock);
    byte_sink_memory_release(&writer->bytes);
    mem_free(writer->path);
    mem_free(writer);
}

static enum status do_create(struct store *store, struct str path, struct store_writer **out,
                             struct err *err)
{
    struct store_memory *self = (struct store_memory *)store;
    bool after;
    pthread_mutex_lock(&self->lock);
    enum status status = fault_of(self, STORE_MEMORY_CREATE, path, &after, err);
    if (status == STATUS_OK) {
        struct writer *writer = mem_zalloc(sizeof *writer);
        writer->base = (struct store_writer){{.ops = &sink_ops}, writer_finish, writer_close};
        writer->store = self;
        writer->path = text_of(path);
        byte_sink_memory_init(&writer->bytes, SIZE_MAX / 4);
        writer->next = self->writers;
        self->writers = writer;
        *out = &writer->base;
    }
    pthread_mutex_unlock(&self->lock);
    return status;
}

static int compare_objects(const void *a, const void *b)
{
    return str_compare(((const struct store_object *)a)->path,
                       ((const struct store_object *)b)->path);
}

static enum status do_list(struct store *store, struct str prefix, struct arena *arena,
                           struct store_object **out, size_t *count, struct err *err)
{
    struct store_memory *self = (struct store_memory *)store;
    bool after;
    VEC(struct store_object) found = {0};
    pthread_mutex_lock(&self->lock);
    enum status status = fault_of(self, STORE_MEMORY_LIST, prefix, &after, err);
    for (uint32_t i = 0; status == STATUS_OK && i < self->objects.count; i++) {
        const struct object *object = &self->objects.items[i];
        struct str path = str_from(object->path);
        if (object->now != NULL && path.size >= prefix.size &&
            str_equal(str_slice(path, 0, prefix.size), prefix)) {
            VEC_PUSH(&found, ((struct store_object){arena_str(arena, path), object->now->size,
                                                    object->modified_us}));
        }
    }
    pthread_mutex_unlock(&self->lock);
    if (found.count > 0) {
        qsort(found.items, found.count, sizeof *found.items, compare_objects);
        *out = arena_copy(arena, found.items, found.count * sizeof *found.items);
        *count = found.count;
    }
    VEC_RELEASE(&found);
    return status;
}

// The name is stable when the directory is; the content was so before.
static enum status move_locked(struct store_memory *self, struct str from, struct str to,
                               struct err *err)
{
    struct object *object = find(self, from);
    if (object == NULL || object->now == NULL) {
        return missing("move", from, err);
    }
    struct buf *content = buf_ref(object->now);
    TRY(put_locked(self, to, content, STORE_EXCLUSIVE | STORE_SYNC_LATER, err));
    object = find(self, from); // it may have moved
    buf_unref(object->now);
    object->now = NULL;
    object->is_moved = true;
    drop_if_nothing(self, object);
    return STATUS_OK;
}

static enum status do_move(struct store *store, struct str from, struct str to, struct err *err)
{
    struct store_memory *self = (struct store_memory *)store;
    bool after;
    pthread_mutex_lock(&self->lock);
    enum status fault = fault_of(self, STORE_MEMORY_MOVE, to, &after, err);
    enum status status = fault;
    if (fault == STATUS_OK || after) {
        status = move_locked(self, from, to, err);
    }
    pthread_mutex_unlock(&self->lock);
    return fault != STATUS_OK ? fault : status;
}

static enum status do_remove(struct store *store, struct str path, struct err *err)
{
    struct store_memory *self = (struct store_memory *)store;
    bool after;
    pthread_mutex_lock(&self->lock);
    enum status fault = fault_of(self, STORE_MEMORY_REMOVE, path, &after, err);
    enum status status = fault;
    if (fault == STATUS_OK || after) {
        struct object *object = find(self, path);
        if (object != NULL && object->now != NULL) {
            buf_unref(object->now);
            object->now = NULL;
            drop_if_nothing(self, object);
            status = STATUS_OK;
        } else {
            status = missing("remove", path, err);
        }
    }
    pthread_mutex_unlock(&self->lock);
    return fault != STATUS_OK ? fault : status;
}

static enum status do_info(struct store *store, struct str path, struct store_object *out,
                           struct err *err)
{
    struct store_memory *self = (struct store_memory *)store;
    bool after;
    pthread_mutex_lock(&self->lock);
    enum status status = fault_of(self, STORE_MEMORY_INFO, path, &after, err);
    if (status == STATUS_OK) {
        struct object *object = find(self, path);
        if (object != NULL && object->now != NULL) {
            *out = (struct store_object){path, object->now->size, object->modified_us};
        } else {
            status = missing("stat", path, err);
        }
    }
    pthread_mutex_unlock(&self->lock);
    return status;
}

static enum status do_sync(struct store *store, struct str directory, struct err *err)
{
    struct store_memory *self = (struct store_memory *)store;
    bool after;
    pthread_mutex_lock(&self->lock);
    enum status fault = fault_of(self, STORE_MEMORY_SYNC, directory, &after, err);
    for (uint32_t i = 0; (fault == STATUS_OK || after) && i < self->objects.count; i++) {
        struct object *object = &self->objects.items[i];
        if (!self->options.never_stable &&
            str_equal(store_directory(str_from(object->path)), directory)) {
            buf_unref(object->stable);
            object->stable = object->now != NULL ? buf_ref(object->now) : NULL;
        }
    }
    pthread_mutex_unlock(&self->lock);
    return fault;
}

static void do_free(struct store *store)
{
    struct store_memory *self = (struct store_memory *)store;
    for (uint32_t i = 0; i < self->objects.count; i++) {
        buf_unref(self->objects.items[i].now);
        buf_unref(self->objects.items[i].stable);
        mem_free(self->objects.items[i].path);
    }
    VEC_RELEASE(&self->objects);
    pthread_mutex_destroy(&self->lock);
    mem_free(self);
}

static const struct store_ops ops = {
    .name = "memory",
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

struct store *store_memory_new(const struct store_memory_options *options)
{
    struct store_memory *self = mem_zalloc(sizeof *self);
    self->base.ops = &ops;
    if (options != NULL) {
        self->options = *options;
    }
    self->random = self->options.seed;
    pthread_mutex_init(&self->lock, NULL);
    return &self->base;
}

void store_memory_crash(struct store *store)
{
    struct store_memory *self = (struct store_memory *)store;
    pthread_mutex_lock(&self->lock);
    for (struct writer *writer = self->writers; writer != NULL; writer = writer->next) {
        writer->dead = true;
    }
    for (uint32_t i = self->objects.count; i-- > 0;) {
        struct object *object = &self->objects.items[i];
        if (object->now == NULL && object->stable != NULL && !object->is_moved) {
            // Removed, and nobody knows whether that has reached the disk.
            self->random = hash_word(self->random + 1);
            if ((self->random & 1) == 0) {
                buf_unref(object->stable);
                object->stable = NULL;
            }
        }
        buf_unref(object->now);
        object->now = object->stable != NULL ? buf_ref(object->stable) : NULL;
        drop_if_nothing(self, object);
    }
    pthread_mutex_unlock(&self->lock);
}

uint64_t store_memory_operations(const struct store *store)
{
    return ((const struct store_memory *)store)->operations;
}

size_t store_memory_bytes(const struct store *store)
{
    const struct store_memory *self = (const struct store_memory *)store;
    size_t bytes = 0;
    for (uint32_t i = 0; i < self->objects.count; i++) {
        bytes += self->objects.items[i].now != NULL ? self->objects.items[i].now->size : 0;
    }
    return bytes;
}
