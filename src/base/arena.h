// SPDX-License-Identifier: Apache-2.0
//
// arena: memory of one lifetime (a query, a job, an epoch, one batch), freed as a whole.
//
//     struct arena arena;
//     arena_init(&arena);
//     struct node *node = arena_new(&arena, struct node);
//     arena_on_release(&arena, close_file, file);   // things that are not memory
//     arena_release(&arena);
//
// arena_reset() frees all but one chunk, so that a scratch arena in a loop allocates nothing once
// it is warm. Clean-ups run in reverse order, at reset and at release. One thread at a time.
// Allocations are aligned to 16 bytes; those of arena_alloc64() to 64.
#pragma once

#include <stddef.h>

#include "base/compiler.h"
#include "base/str.h"

struct arena_chunk;
struct arena_cleanup;

struct arena {
    struct arena_chunk *chunks;     // newest first
    struct arena_cleanup *cleanups; // newest first
    char *at;                       // free space of the newest chunk
    char *end;
    size_t bytes; // held from the system, all chunks
};

void arena_init(struct arena *arena);
void arena_reset(struct arena *arena);
void arena_release(struct arena *arena); // a zeroed arena is empty and may be released

MUST_USE void *arena_alloc(struct arena *arena, size_t size);    // not initialised
MUST_USE void *arena_zalloc(struct arena *arena, size_t size);   // zeroed
MUST_USE void *arena_alloc64(struct arena *arena, size_t size);  // 64-byte aligned, for values
MUST_USE void *arena_copy(struct arena *arena, const void *bytes, size_t size);
MUST_USE struct str arena_str(struct arena *arena, struct str text); // a copy, NUL after it
MUST_USE struct str arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
void arena_on_release(struct arena *arena, void (*release)(void *), void *object);

#define arena_new(arena, type) ((type *)arena_zalloc((arena), sizeof(type)))
#define arena_new_array(arena, type, count) ((type *)arena_zalloc((arena), sizeof(type) * (count)))
