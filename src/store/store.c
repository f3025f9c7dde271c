// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include "base/buf.h"

enum status store_open(struct store *store, struct str path, struct store_reader **out,
                       struct err *err)
{
    *out = NULL;
    return store->ops->open(store, path, out, err);
}

void store_reader_close(struct store_reader *reader)
{
    if (reader != NULL) {
        reader->close(reader);
    }
}

enum status store_read(struct store *store, struct str path, size_t size_max, struct buf **out,
                       struct err *err)
{
    struct store_reader *reader = NULL;
    *out = NULL;
    enum status status = store_open(store, path, &reader, err);
    if (status != STATUS_OK) {
        return status;
    }
    if (reader->source.size > size_max) {
        status = ERR(err, STATUS_LIMIT, "read %.*s: its %llu bytes are more than %zu",
                     STR_ARGS(path), (unsigned long long)reader->source.size, size_max);
        goto out;
    }
    *out = buf_new((size_t)reader->source.size, NULL);
    status = byte_source_read(&reader->source, 0, (size_t)reader->source.size, (*out)->ptr, err);
    if (status != STATUS_OK) {
        buf_unref(*out);
        *out = NULL;
    }
out:
    store_reader_close(reader);
    return status;
}

enum status store_put(struct store *store, struct str path, struct str bytes, int flags,
                      struct err *err)
{
    return store->ops->put(store, path, bytes, flags, err);
}

enum status store_create(struct store *store, struct str path, struct store_writer **out,
                         struct err *err)
{
    *out = NULL;
    return store->ops->create(store, path, out, err);
}

enum status store_finish(struct store_writer *writer, int flags, struct err *err)
{
    return writer->finish(writer, flags, err);
}

void store_close(struct store_writer *writer)
{
    if (writer != NULL) {
        writer->close(writer);
    }
}

enum status store_list(struct store *store, struct str prefix, struct arena *arena,
                       struct store_object **out, size_t *count, struct err *err)
{
    *out = NULL;
    *count = 0;
    return store->ops->list(store, prefix, arena, out, count, err);
}

enum status store_move(struct store *store, struct str from, struct str to, struct err *err)
{
    return store->ops->move(store, from, to, err);
}

enum status store_remove(struct store *store, struct str path, struct err *err)
{
    return store->ops->remove(store, path, err);
}

enum status store_info(struct store *store, struct str path, struct store_object *out,
                       struct err *err)
{
    return store->ops->info(store, path, out, err);
}

enum status store_sync(struct store *store, struct str directory, struct err *err)
{
    return store->ops->sync(store, directory, err);
}

void store_free(struct store *store)
{
    if (store != NULL) {
        store->ops->free(store);
    }
}

struct str store_directory(struct str path)
{
    size_t end = path.size;
    while (end > 0 && path.ptr[end - 1] != '/') {
        end--;
    }
    return str_make(path.ptr, end > 0 ? end - 1 : 0);
}
