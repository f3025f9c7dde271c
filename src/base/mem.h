// SPDX-License-Identifier: Apache-2.0
//
// mem: the only callers of malloc.
//
// A failing malloc ends the process: budgets (budget.h) are refused long before, and a program that
// limps on without memory cannot keep its promises. No function here returns NULL.
#pragma once

#include <stddef.h>

#include "base/compiler.h"

MUST_USE void *mem_alloc(size_t size);
MUST_USE void *mem_zalloc(size_t size);                  // zeroed
MUST_USE void *mem_realloc(void *memory, size_t size);   // `memory` may be NULL; it is consumed
MUST_USE void *mem_aligned(size_t alignment, size_t size); // power of two; freed with mem_free
MUST_USE char *mem_strdup(const char *text);
void mem_free(void *memory); // NULL is allowed
