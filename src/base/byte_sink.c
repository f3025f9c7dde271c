// SPDX-License-Identifier: Apache-2.0
#include "base/byte_sink.h"

#include <string.h>

#include "base/mem.h"

enum status byte_sink_write(struct byte_sink *sink, const void *bytes, size_t size, struct err *err)
{
    if (size == 0) {
        return STATUS_OK;
    }
    TRY(sink->ops->write(sink, bytes, size, err));
    sink->written += size;
    return STATUS_OK;
}

static enum status memory_write(struct byte_sink *self, const void *bytes, size_t size,
                                struct err *err)
{
    struct byte_sink_memory *memory = (struct byte_sink_memory *)self;
    if (size > memory->size_max - memory->size) {
        return ERR(err, STATUS_LIMIT, "more than %zu bytes written to memory", memory->size_max);
    }
    if (size > memory->capacity - memory->size) {
        size_t doubled = memory->capacity == 0 ? 4096 : memory->capacity * 2;
        size_t need = memory->size + size;
        memory->capacity = doubled > need ? doubled : need;
        memory->ptr = mem_realloc(memory->ptr, memory->capacity);
    }
    memcpy(memory->ptr + memory->size, bytes, size);
    memory->size += size;
    return STATUS_OK;
}

void byte_sink_memory_init(struct byte_sink_memory *memory, size_t size_max)
{
    static const struct byte_sink_ops ops = {.write = memory_write};
    *memory = (struct byte_sink_memory){.sink = {.ops = &ops}, .size_max = size_max};
}

void byte_sink_memory_release(struct byte_sink_memory *memory)
{
    mem_free(memory->ptr);
    *memory = (struct byte_sink_memory){0};
}
