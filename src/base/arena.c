// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif

#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
enum { REDZONE = 16 };
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
enum { REDZONE = 0 };
#endif

enum { CHUNK_MIN = 4096, CHUNK_MAX = 1 << 20, ALIGNMENT = 16, ALIGNMENT_VALUES = 64 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t size; // header included
};

struct arena_cleanup {
    struct arena_cleanup *next;
    void (*release)(void *);
    void *object;
};

void arena_init(struct arena *arena)
{
    *arena = (struct arena){0};
}

static void run_cleanups(struct arena *arena)
{
    while (arena->cleanups != NULL) {
        struct arena_cleanup *cleanup = arena->cleanups;
        arena->cleanups = cleanup->next;
        cleanup->release(cleanup->object);
    }
}

static void use_chunk(struct arena *arena, struct arena_chunk *chunk)
{
    arena->at = (char *)(chunk + 1);
    arena->end = (char *)chunk + chunk->size;
    ASAN_POISON_MEMORY_REGION(arena->at, (size_t)(arena->end - arena->at));
}

static void free_chunk(struct arena *arena, struct arena_chunk *chunk)
{
    ASAN_UNPOISON_MEMORY_REGION(chunk, chunk->size);
    arena->bytes -= chunk->size;
    mem_free(chunk);
}

void arena_reset(struct arena *arena)
{
    run_cleanups(arena);
    // The newest chunk is kept, unless a single allocation made it huge.
    struct arena_chunk *kept = arena->chunks;
    if (kept == NULL) {
        return;
    }
    struct arena_chunk *chunk = kept->next;
    while (chunk != NULL) {
        struct arena_chunk *next = chunk->next;
        free_chunk(arena, chunk);
        chunk = next;
    }
    if (kept->size > 4 * (size_t)CHUNK_MAX) {
        free_chunk(arena, kept);
        arena->chunks = NULL;
        arena->at = arena->end = NULL;
        return;
    }
    kept->next = NULL;
    use_chunk(arena, kept);
}

void arena_release(struct arena *arena)
{
    run_cleanups(arena);
    struct arena_chunk *chunk = arena->chunks;
    while (chunk != NULL) {
        struct arena_chunk *next = chunk->next;
        free_chunk(arena, chunk);
        chunk = next;
    }
    *arena = (struct arena){0};
}

// Chunks double, so that a lifetime of n bytes takes log n of them.
static void add_chunk(struct arena *arena, size_t size)
{
    size_t wanted = arena->chunks == NULL ? CHUNK_MIN : arena->chunks->size * 2;
    wanted = wanted < CHUNK_MAX ? wanted : CHUNK_MAX;
    size_t needed = size + sizeof(struct arena_chunk) + ALIGNMENT_VALUES + REDZONE;
    size_t total = wanted > needed ? wanted : needed;
    struct arena_chunk *chunk = mem_alloc(total);
    *chunk = (struct arena_chunk){.next = arena->chunks, .size = total};
    arena->chunks = chunk;
    arena->bytes += total;
    use_chunk(arena, chunk);
}

static void *alloc_aligned(struct arena *arena, size_t size, size_t alignment)
{
    ASSERT(size < SIZE_MAX / 2);
    size_t skip = (size_t)(-(uintptr_t)arena->at & (alignment - 1));
    if (arena->at == NULL || (size_t)(arena->end - arena->at) < size + skip + REDZONE) {
        add_chunk(arena, size);
        skip = (size_t)(-(uintptr_t)arena->at & (alignment - 1));
    }
    char *memory = arena->at + skip;
    arena->at = memory + size + REDZONE;
    ASAN_UNPOISON_MEMORY_REGION(memory, size);
    return memory;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    return alloc_aligned(arena, size, ALIGNMENT);
}

void *arena_alloc64(struct arena *arena, size_t size)
{
    return alloc_aligned(arena, size, ALIGNMENT_VALUES);
}

void *arena_zalloc(struct arena *arena, size_t size)
{
    void *memory = arena_alloc(arena, size);
    return memset(memory, 0, size);
}

void *arena_copy(struct arena *arena, const void *bytes, size_t size)
{
    void *memory = arena_alloc(arena, size);
    return size == 0 ? memory : memcpy(memory, bytes, size);
}

struct str arena_str(struct arena *arena, struct str text)
{
    char *copy = arena_alloc(arena, text.size + 1);
    if (text.size > 0) {
        memcpy(copy, text.ptr, text.size);
    }
    copy[text.size] = '\0';
    return (struct str){copy, text.size};
}

struct str arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    ASSERT(length >= 0);
    char *text = arena_alloc(arena, (size_t)length + 1);
    (void)vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return (struct str){text, (size_t)length};
}

void arena_on_release(struct arena *arena, void (*release)(void *), void *object)
{
    struct arena_cleanup *cleanup = arena_new(arena, struct arena_cleanup);
    *cleanup = (struct arena_cleanup){arena->cleanups, release, object};
    arena->cleanups = cleanup;
}
