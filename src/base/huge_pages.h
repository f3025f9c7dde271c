// SPDX-License-Identifier: Apache-2.0
//
// huge_pages: memory for large tables that are read at random: with pages of 2 MiB the processor
// finds their addresses without a walk.
#pragma once

#include <stddef.h>

#include "base/compiler.h"

enum { HUGE_PAGE_SIZE = 2 << 20 };

// `size` bytes, not initialised. Aligned to HUGE_PAGE_SIZE where size is a multiple of it, which
// asks the system for huge pages, else to 16 KiB where it is a multiple of that, else to 64. Ends
// the process where there is no memory, as mem.h.
MUST_USE void *huge_pages_alloc(size_t size);
void huge_pages_free(void *memory); // NULL is allowed
