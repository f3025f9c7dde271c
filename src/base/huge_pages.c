// SPDX-License-Identifier: Apache-2.0
#include "base/huge_pages.h"

#include <sys/mman.h>

#include "base/mem.h"

void *huge_pages_alloc(size_t size, size_t alignment)
{
    if (size == 0 || size % HUGE_PAGE_SIZE != 0) {
        return alignment == 0 ? mem_alloc(size) : mem_aligned(alignment, size);
    }
    void *memory = mem_aligned(HUGE_PAGE_SIZE, size);
    (void)madvise(memory, size, MADV_HUGEPAGE); // advice: small pages work as well
    return memory;
}

void huge_pages_free(void *memory)
{
    mem_free(memory);
}
