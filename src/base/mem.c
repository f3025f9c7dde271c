// SPDX-License-Identifier: Apache-2.0
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

static void *checked(void *memory)
{
    ASSERT(memory != NULL && "out of memory");
    return memory;
}

void *mem_alloc(size_t size)
{
    return checked(malloc(size > 0 ? size : 1));
}

void *mem_zalloc(size_t size)
{
    return checked(calloc(1, size > 0 ? size : 1));
}

void *mem_realloc(void *memory, size_t size)
{
    return checked(realloc(memory, size > 0 ? size : 1));
}

void *mem_aligned(size_t alignment, size_t size)
{
    void *memory = NULL;
    int failed = posix_memalign(&memory, alignment, size > 0 ? size : 1);
    return checked(failed != 0 ? NULL : memory);
}

char *mem_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(mem_alloc(size), text, size);
}

void mem_free(void *memory)
{
    free(memory);
}
