// SPDX-License-Identifier: Apache-2.0
#include "base/huge_pages.h"

#include <sys/mman.h>

#include "base/mem.h"

enum { MIDDLE_SIZE = 16384, LINE_SIZE = 64 };

void *huge_pages_alloc(size_t size)
{
    if (size % HUGE_PAGE_SIZE != 0) {
        return mem_aligned(size % MIDDLE_SIZE == 0 ? MIDDLE_SIZE : LINE_SIZE, size);
    }
    void *memory = mem_aligned(HUGE_PAGE_SIZE, size);
    (void)madvise(memory, size, MADV_HUGEPAGE); // advice: small pages work as well
    return memory;
}

void huge_pages_free(void *memory)
{
    mem_free(memory);
}
