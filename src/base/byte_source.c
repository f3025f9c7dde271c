// SPDX-License-Identifier: Apache-2.0
#include "base/byte_source.h"

#include <inttypes.h>
#include <string.h>

static bool is_within(const struct byte_source *source, uint64_t offset, uint64_t size)
{
    return offset <= source->size && size <= source->size - offset;
}

enum status byte_source_read(struct byte_source *source, uint64_t offset, size_t size, void *out,
                             struct err *err)
{
    if (!is_within(source, offset, size)) {
        return ERR(err, STATUS_INVALID_DATA,
                   "%.*s: %zu bytes at %" PRIu64 " are not within its %" PRIu64 " bytes",
                   STR_ARGS(source->name), size, offset, source->size);
    }
    return size == 0 ? STATUS_OK : source->ops->read_at(source, offset, size, out, err);
}

const char *byte_source_borrow(struct byte_source *source, uint64_t offset, size_t size)
{
    if (source->ops->borrow == NULL || !is_within(source, offset, size)) {
        return NULL;
    }
    return source->ops->borrow(source, offset, size);
}

void byte_source_prefetch(struct byte_source *source, const struct byte_range *ranges,
                          uint32_t count)
{
    if (source->ops->prefetch != NULL && count > 0) {
        source->ops->prefetch(source, ranges, count);
    }
}

static enum status memory_read_at(struct byte_source *self, uint64_t offset, size_t size, void *out,
                                  struct err *err)
{
    (void)err;
    memcpy(out, ((struct byte_source_memory *)self)->bytes + offset, size);
    return STATUS_OK;
}

static const char *memory_borrow(struct byte_source *self, uint64_t offset, size_t size)
{
    (void)size;
    return ((struct byte_source_memory *)self)->bytes + offset;
}

void byte_source_memory_init(struct byte_source_memory *memory, struct str bytes)
{
    static const struct byte_source_ops ops = {.read_at = memory_read_at, .borrow = memory_borrow};
    *memory = (struct byte_source_memory){
        .source = {.ops = &ops, .size = bytes.size, .name = STR_LIT("memory")}, .bytes = bytes.ptr};
}

static enum status slice_read_at(struct byte_source *self, uint64_t offset, size_t size, void *out,
                                 struct err *err)
{
    struct byte_source_slice *slice = (struct byte_source_slice *)self;
    return byte_source_read(slice->whole, slice->offset + offset, size, out, err);
}

static const char *slice_borrow(struct byte_source *self, uint64_t offset, size_t size)
{
    struct byte_source_slice *slice = (struct byte_source_slice *)self;
    return byte_source_borrow(slice->whole, slice->offset + offset, size);
}

static void slice_prefetch(struct byte_source *self, const struct byte_range *ranges,
                           uint32_t count)
{
    struct byte_source_slice *slice = (struct byte_source_slice *)self;
    for (uint32_t i = 0; i < count; i++) {
        struct byte_range range = {slice->offset + ranges[i].offset, ranges[i].size};
        byte_source_prefetch(slice->whole, &range, 1);
    }
}

enum status byte_source_slice_init(struct byte_source_slice *slice, struct byte_source *whole,
                                   struct byte_range range, struct err *err)
{
    static const struct byte_source_ops ops = {
        .read_at = slice_read_at, .borrow = slice_borrow, .prefetch = slice_prefetch};
    if (!is_within(whole, range.offset, range.size)) {
        return ERR(err, STATUS_INVALID_DATA,
                   "%.*s: %" PRIu64 " bytes at %" PRIu64 " are not within its %" PRIu64 " bytes",
                   STR_ARGS(whole->name), range.size, range.offset, whole->size);
    }
    *slice =
        (struct byte_source_slice){.source = {.ops = &ops, .size = range.size, .name = whole->name},
                                   .whole = whole,
                                   .offset = range.offset};
    return STATUS_OK;
}
