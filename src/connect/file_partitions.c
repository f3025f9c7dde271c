// SPDX-License-Identifier: Apache-2.0
#include "connect/file_partitions.h"

#include "base/arena.h"
#include "base/vec.h"
#include "data/column_builder.h"
#include "data/type.h"
#include "kernel/cast.h"

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static struct str decode(struct arena *arena, struct str text)
{
    char *out = arena_alloc(arena, text.size + 1);
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++) {
        bool is_code = text.ptr[i] == '%' && i + 2 < text.size && hex_digit(text.ptr[i + 1]) >= 0 &&
                       hex_digit(text.ptr[i + 2]) >= 0;
        if (is_code) {
            out[size++] = (char)(hex_digit(text.ptr[i + 1]) << 4 | hex_digit(text.ptr[i + 2]));
            i += 2;
        } else {
            out[size++] = text.ptr[i];
        }
    }
    return str_make(out, size);
}

void file_partitions_read(struct arena *arena, struct str path, size_t from,
                          const struct file_partition **out, uint32_t *count)
{
    VEC(struct file_partition) found = {0};
    struct str rest = str_slice(path, from < path.size ? from : path.size, path.size);
    for (size_t slash; (slash = str_find(rest, '/')) < rest.size;
         rest = str_slice(rest, slash + 1, rest.size)) {
        struct str directory = str_slice(rest, 0, slash);
        size_t equals = str_find(directory, '=');
        if (equals == 0 || equals == directory.size) {
            continue;
        }
        struct file_partition partition = {
            .key = decode(arena, str_slice(directory, 0, equals)),
            .value = decode(arena, str_slice(directory, equals + 1, directory.size))};
        partition.is_null = str_is(partition.value, "__HIVE_DEFAULT_PARTITION__") ||
                            str_is(partition.value, "__DEFAULT_PARTITION__");
        VEC_PUSH(&found, partition);
    }
    *out = arena_copy(arena, found.items, found.count * sizeof *found.items);
    *count = found.count;
    VEC_RELEASE(&found);
}

const struct file_partition *file_partitions_find(const struct file_partition *partitions,
                                                  uint32_t count, struct str key)
{
    for (uint32_t i = count; i-- > 0;) {
        if (str_equal(partitions[i].key, key)) {
            return &partitions[i];
        }
    }
    return NULL;
}

enum status file_partitions_column(struct arena *arena, const struct file_partition *partition,
                                   const struct type *type, struct column *out, struct err *err)
{
    if (partition->is_null) {
        *out = column_builder_all_null(arena, type, 1);
        return STATUS_OK;
    }
    struct strview *view = arena_new(arena, struct strview);
    *view = strview_make(partition->value.ptr, partition->value.size);
    struct column text = {
        .physical = PHYSICAL_STRING, .encoding = ENCODING_CONST, .row_count = 1, .values = view};
    struct kernel_run run = {.arena = arena, .row_count = 1};
    struct cast_types types = {.from = &type_string, .to = type};
    if (!cast_is_known(types.from, types.to)) {
        return ERR(err, STATUS_UNSUPPORTED, "partition column '%.*s': %.*s has no text",
                   STR_ARGS(partition->key), STR_ARGS(type_text(arena, type)));
    }
    cast_column(&run, &types, &text, out);
    if (run.failed != NULL && bits_any(run.failed, 1)) {
        return ERR(err, STATUS_INVALID_DATA, "'%.*s' in the directory %.*s=… is no %.*s",
                   STR_ARGS(partition->value), STR_ARGS(partition->key),
                   STR_ARGS(type_text(arena, type)));
    }
    *out = column_flatten(arena, out);
    return STATUS_OK;
}
