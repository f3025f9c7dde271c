// SPDX-License-Identifier: Apache-2.0
#include "iceberg/file_location.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "iceberg/iceberg_table.h"
#include "iceberg/spec/murmur3.h"
#include "iceberg/spec/table_metadata.h"
#include "store/store.h"

enum {
    PATH_SIZE_MAX = 1 << 16,
    PARTITION_SIZE_MAX = 64 << 20, // of the values' texts
    NAME_SIZE_MAX = 200,           // of a directory; file systems take 255 bytes
    HASH_BITS = 20,
};

static void add_directories(struct strbuf *out, struct str path)
{
    while (path.size > 0) {
        size_t end = str_find(path, '/');
        struct str name = str_slice(path, 0, end);
        if (name.size > NAME_SIZE_MAX) {
            strbuf_add(out, str_slice(name, 0, NAME_SIZE_MAX - 20));
            strbuf_printf(out, "...%016llx",
                          (unsigned long long)hash_bytes(name.ptr, name.size, 0));
        } else {
            strbuf_add(out, name);
        }
        strbuf_add_byte(out, '/');
        path = str_slice(path, end + 1, path.size);
    }
}

// "0101/1100/0011/10100110".
static void add_hash(struct strbuf *out, struct str name)
{
    uint32_t hash = murmur3_bytes(name.ptr, name.size);
    for (int i = 0; i < HASH_BITS; i++) {
        strbuf_add_text(out, i == 4 || i == 8 || i == 12 ? "/" : "");
        strbuf_add_byte(out, (hash >> (HASH_BITS - 1 - i) & 1) != 0 ? '1' : '0');
    }
}

static struct str last_name(struct str path)
{
    struct str directory = store_directory(path);
    return directory.size < path.size ? str_slice(path, directory.size + 1, path.size) : path;
}

// The names of the table's folder and of the one around it, where data is kept elsewhere.
static void add_context(struct strbuf *out, struct str data, struct str location)
{
    while (location.size > 1 && location.ptr[location.size - 1] == '/') {
        location.size--;
    }
    if (data.size >= location.size && str_equal(str_slice(data, 0, location.size), location)) {
        return;
    }
    strbuf_printf(out, "%.*s/%.*s/", STR_ARGS(last_name(store_directory(location))),
                  STR_ARGS(last_name(location)));
}

struct str file_location(struct arena *arena, const struct table_metadata *metadata,
                         const struct partition_spec *spec, const struct iceberg_value *tuple,
                         struct str name)
{
    bool hashes = table_metadata_property_bool(metadata, "write.object-storage.enabled", false);
    bool partitioned = !hashes || table_metadata_property_bool(
                                      metadata, "write.object-storage.partitioned-paths", true);
    struct str data = iceberg_table_data_directory(metadata, arena);
    struct strbuf partition;
    struct strbuf below;
    struct strbuf path;
    strbuf_init(&partition, PARTITION_SIZE_MAX);
    strbuf_init(&below, PATH_SIZE_MAX);
    strbuf_init(&path, PATH_SIZE_MAX);
    if (partitioned) {
        partition_spec_path(&partition, spec, tuple);
        add_directories(&below, strbuf_str(&partition));
    }
    strbuf_add(&below, name);
    strbuf_printf(&path, "%.*s/", STR_ARGS(data));
    if (hashes) {
        size_t before;
        add_hash(&path, strbuf_str(&below));
        before = path.size + 1;
        strbuf_add_byte(&path, partitioned ? '/' : '-');
        add_context(&path, data, metadata->location);
        if (path.size > before) {
            path.ptr[before - 1] = '/';
        }
    }
    strbuf_add(&path, strbuf_str(&below));
    struct str out = arena_str(arena, strbuf_str(&path));
    strbuf_release(&path);
    strbuf_release(&below);
    strbuf_release(&partition);
    return out;
}
