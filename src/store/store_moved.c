// SPDX-License-Identifier: Apache-2.0
#include "store/store_moved.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { TO_FOLDER, TO_OTHER, TO_ABOVE };

struct store_moved {
    struct store base;
    struct store *below;
    char *from;
    char *to[3];      // the folder, another one, the folder above; the last two may be ""
    char *from_above; // stands for to[TO_ABOVE]; "": relative paths do
    bool has_above;
    pthread_mutex_t lock;
    // What was found last: the path's first `learned_size` bytes were those of `learned`, and stand
    // for to[learned_to]. "" where nothing was found yet, or nothing had to be.
    char *learned;
    uint32_t learned_to;
};

// Calls one operation of the store below with a path that is tried.
struct attempt {
    enum status (*try)(struct store *below, struct str path, void *out, struct err *err);
    void *out;
};

static enum status try_open(struct store *below, struct str path, void *out, struct err *err)
{
    return store_open(below, path, out, err);
}

static enum status try_info(struct store *below, struct str path, void *out, struct err *err)
{
    return store_info(below, path, out, err);
}

static char *copy_folder(struct str folder)
{
    while (folder.size > 1 && folder.ptr[folder.size - 1] == '/') {
        folder.size--;
    }
    char *copy = mem_zalloc(folder.size + 1);
    if (folder.size > 0) {
        memcpy(copy, folder.ptr, folder.size);
    }
    return copy;
}

static void learn(struct store_moved *self, struct str prefix, uint32_t to)
{
    char *copy = copy_folder(prefix);
    pthread_mutex_lock(&self->lock);
    char *old = self->learned;
    self->learned = copy;
    self->learned_to = to;
    pthread_mutex_unlock(&self->lock);
    mem_free(old);
}

// "<to>/<rest>" where it is there.
static bool is_below(struct store_moved *self, uint32_t to, struct str rest,
                     const struct attempt *attempt)
{
    char text[PATH_MAX];
    struct err ignored;
    while (rest.size > 0 && rest.ptr[0] == '/') {
        rest = str_slice(rest, 1, rest.size);
    }
    int size = snprintf(text, sizeof text, "%s/%.*s", self->to[to], STR_ARGS(rest));
    return rest.size > 0 && size < (int)sizeof text &&
           attempt->try(self->below, str_make(text, (size_t)size), attempt->out, &ignored) ==
               STATUS_OK;
}

static bool has_prefix(struct str path, const char *prefix, struct str *rest)
{
    size_t size = strlen(prefix);
    if (size == 0 || !str_starts(path, prefix) || path.size <= size || path.ptr[size] != '/') {
        return false;
    }
    *rest = str_slice(path, size, path.size);
    return true;
}

static bool is_learned(struct store_moved *self, struct str path, const struct attempt *attempt)
{
    struct str rest = {0};
    pthread_mutex_lock(&self->lock);
    bool applies = has_prefix(path, self->learned, &rest);
    uint32_t to = self->learned_to;
    pthread_mutex_unlock(&self->lock);
    return applies && is_below(self, to, rest, attempt);
}

static bool find_end(struct store_moved *self, struct str path, const struct attempt *attempt)
{
    for (uint32_t to = TO_FOLDER; to <= TO_OTHER && self->to[to][0] != '\0'; to++) {
        for (size_t at = 0; at < path.size; at++) {
            if (at > 0 && path.ptr[at - 1] != '/') {
                continue;
            }
            if (is_below(self, to, str_slice(path, at, path.size), attempt)) {
                learn(self, str_slice(path, 0, at), to);
                return true;
            }
        }
    }
    return false;
}

static enum status find(struct store_moved *self, struct str path, const struct attempt *attempt,
                        struct err *err)
{
    struct str rest;
    if (is_learned(self, path, attempt)) {
        return STATUS_OK;
    }
    enum status status = attempt->try(self->below, path, attempt->out, err);
    if (status != STATUS_NOT_FOUND && status != STATUS_UNSUPPORTED) {
        return status;
    }
    if (has_prefix(path, self->from, &rest) && is_below(self, TO_FOLDER, rest, attempt)) {
        learn(self, str_from(self->from), TO_FOLDER);
        return STATUS_OK;
    }
    bool is_relative = self->from_above[0] == '\0' && path.size > 0 && path.ptr[0] != '/';
    if (self->has_above && (is_relative || has_prefix(path, self->from_above, &rest))) {
        rest = is_relative ? path : rest;
        if (is_below(self, TO_ABOVE, rest, attempt)) {
            learn(self, str_from(self->from_above), TO_ABOVE);
            return STATUS_OK;
        }
    }
    if (find_end(self, path, attempt)) {
        return STATUS_OK;
    }
    err_context(err, "looked in %s, too", self->to[0]);
    return status;
}

static enum status do_open(struct store *store, struct str path, struct store_reader **out,
                           struct err *err)
{
    struct attempt attempt = {try_open, out};
    return find((struct store_moved *)store, path, &attempt, err);
}

static enum status do_info(struct store *store, struct str path, struct store_object *out,
                           struct err *err)
{
    struct attempt attempt = {try_info, out};
    return find((struct store_moved *)store, path, &attempt, err);
}

static enum status do_list(struct store *store, struct str prefix, struct arena *arena,
                           struct store_object **out, size_t *count, struct err *err)
{
    return store_list(((struct store_moved *)store)->below, prefix, arena, out, count, err);
}

static enum status refuse(struct str path, struct err *err)
{
    return ERR(err, STATUS_UNSUPPORTED, "%.*s: a table that was moved is read only",
               STR_ARGS(path));
}

static enum status do_put(struct store *store, struct str path, struct str bytes, int flags,
                          struct err *err)
{
    (void)store, (void)bytes, (void)flags;
    return refuse(path, err);
}

static enum status do_create(struct store *store, struct str path, struct store_writer **out,
                             struct err *err)
{
    (void)store, (void)out;
    return refuse(path, err);
}

static enum status do_move(struct store *store, struct str from, struct str to, struct err *err)
{
    (void)store, (void)from;
    return refuse(to, err);
}

static enum status do_remove(struct store *store, struct str path, struct err *err)
{
    (void)store;
    return refuse(path, err);
}

static void do_free(struct store *store)
{
    struct store_moved *self = (struct store_moved *)store;
    pthread_mutex_destroy(&self->lock);
    mem_free(self->from);
    mem_free(self->to[0]);
    mem_free(self->to[1]);
    mem_free(self->to[2]);
    mem_free(self->from_above);
    mem_free(self->learned);
    mem_free(self);
}

static const struct store_ops store_moved_ops = {
    .name = "moved",
    .open = do_open,
    .put = do_put,
    .create = do_create,
    .list = do_list,
    .move = do_move,
    .remove = do_remove,
    .info = do_info,
    .sync = do_remove,
    .free = do_free,
};

// The end that both folders share, name by name, is cut off.
static void find_above(struct store_moved *self, const struct store_moved_options *options)
{
    struct str from = options->from;
    struct str to = options->to;
    for (;;) {
        struct str from_above = store_directory(from);
        struct str to_above = store_directory(to);
        struct str from_name = str_slice(from, from_above.size, from.size);
        struct str to_name = str_slice(to, to_above.size, to.size);
        bool is_first = from_above.size == 0 && from.size > 0 && from.ptr[0] != '/';
        bool is_same = is_first && to_name.size > 0 && to_name.ptr[0] == '/'
                           ? str_equal(from_name, str_slice(to_name, 1, to_name.size))
                           : str_equal(from_name, to_name);
        if (from.size == 0 || to.size == 0 || !is_same) {
            break;
        }
        self->has_above = true;
        from = from_above;
        to = to_above;
    }
    self->from_above = copy_folder(from);
    self->to[TO_ABOVE] = copy_folder(to);
}

struct store *store_moved_new(const struct store_moved_options *options)
{
    struct store_moved *self = mem_zalloc(sizeof *self);
    self->base.ops = &store_moved_ops;
    self->below = options->below;
    self->from = copy_folder(options->from);
    self->to[0] = copy_folder(options->to);
    self->to[1] = copy_folder(options->to_other);
    find_above(self, options);
    self->learned = copy_folder(STR_LIT(""));
    pthread_mutex_init(&self->lock, NULL);
    return &self->base;
}
