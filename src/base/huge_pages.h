// SPDX-License-Identifier: Apache-2.0
//
// huge_pages: memory for large tables that are read at random: with pages of 2 MiB the processor
// finds their addresses without a walk.
#pragma once

#include <stddef.h>

#include "base/compiler.h"

enum { HUGE_PAGE_SIZE = 2 << 20 };

// `size` bytes, not initialised. Where that is a multiple of HUGE_PAGE_SIZE they are aligned to it,
// and the system is asked for huge pages; else they are aligned to `alignment`, a power of two, or
// as mem_alloc() does where it is 0. Blocks that are many and small should ask for none: between
// aligned ones the heap is left with gaps. Ends the process where there is no memory, as mem.h.
MUST_USE void *huge_pages_alloc(size_t size, size_t alignment);
void huge_pages_free(void *memory); // NULL is allowed
