// SPDX-License-Identifier: Apache-2.0
#include "codec/roaring.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/mem.h"
#include "codec/roaring_int.h"

enum { ARRAY_FIRST_CAPACITY = 8 };

static size_t data_bytes(const struct roaring_container *container)
{
    return container->kind == ROARING_BITMAP ? ROARING_BITMAP_BYTES
                                             : container->capacity * sizeof *container->values;
}

void roaring_release(struct roaring *set)
{
    for (uint32_t i = 0; i < set->count; i++) {
        mem_free(set->containers[i].data);
    }
    mem_free(set->containers);
    *set = (struct roaring){0};
}

// The first container whose key is not below `key`.
static uint32_t lower_bound(const struct roaring *set, uint64_t key)
{
    uint32_t low = 0;
    uint32_t high = set->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (set->containers[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct roaring_container *roaring_insert(struct roaring *set, uint32_t at, uint64_t key)
{
    if (set->count == set->capacity) {
        set->capacity = set->capacity == 0 ? 4 : set->capacity * 2;
        set->containers = mem_realloc(set->containers, set->capacity * sizeof *set->containers);
    }
    struct roaring_container *container = &set->containers[at];
    memmove(container + 1, container, (set->count - at) * sizeof *container);
    *container = (struct roaring_container){.key = key, .kind = ROARING_ARRAY};
    set->count++;
    return container;
}

static struct roaring_container *find_or_insert(struct roaring *set, uint64_t key)
{
    if (set->last >= set->count || set->containers[set->last].key != key) {
        set->last = lower_bound(set, key);
        if (set->last == set->count || set->containers[set->last].key != key) {
            return roaring_insert(set, set->last, key);
        }
    }
    return &set->containers[set->last];
}

// Sets bits [from, from + length).
static void set_range(uint64_t *words, uint32_t from, uint32_t length)
{
    for (uint32_t end = from + length; from < end;) {
        uint32_t bit = from % 64;
        uint32_t take = end - from < 64 - bit ? end - from : 64 - bit;
        words[from / 64] |= bits_tail(take) << bit;
        from += take;
    }
}

// Adds the values of a container to a bitmap of 65,536 bits.
static void spread(const struct roaring_container *container, uint64_t *words)
{
    switch (container->kind) {
    case ROARING_ARRAY:
        for (uint32_t i = 0; i < container->count; i++) {
            bits_set(words, container->values[i]);
        }
        break;
    case ROARING_BITMAP:
        for (uint32_t i = 0; i < ROARING_WORDS; i++) {
            words[i] |= container->words[i];
        }
        break;
    case ROARING_RUN:
        for (uint32_t i = 0; i < container->count; i++) {
            set_range(words, container->values[2 * i], container->values[2 * i + 1] + 1U);
        }
        break;
    }
}

static void become_bitmap(struct roaring_container *container)
{
    uint64_t *words = mem_zalloc(ROARING_BITMAP_BYTES);
    spread(container, words);
    mem_free(container->data);
    container->words = words;
    container->kind = ROARING_BITMAP;
}

// Where `low` stands or belongs among the values of an array.
static uint32_t array_find(const struct roaring_container *container, uint16_t low)
{
    uint32_t from = 0;
    uint32_t to = container->count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (container->values[middle] < low) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

static void array_add(struct roaring_container *container, uint16_t low)
{
    uint32_t count = container->count;
    uint32_t at =
        count > 0 && container->values[count - 1] < low ? count : array_find(container, low);
    if (at < count && container->values[at] == low) {
        return;
    }
    if (count == ROARING_ARRAY_MAX) {
        become_bitmap(container);
        bits_set(container->words, low);
        container->cardinality++;
        return;
    }
    if (count == container->capacity) {
        container->capacity = count == 0 ? ARRAY_FIRST_CAPACITY : count * 2;
        container->values =
            mem_realloc(container->values, container->capacity * sizeof *container->values);
    }
    memmove(container->values + at + 1, container->values + at,
            (count - at) * sizeof *container->values);
    container->values[at] = low;
    container->count++;
    container->cardinality++;
}

void roaring_add(struct roaring *set, uint64_t value)
{
    struct roaring_container *container = find_or_insert(set, value >> 16);
    uint16_t low = (uint16_t)value;
    if (container->kind == ROARING_ARRAY) {
        array_add(container, low);
        return;
    }
    if (container->kind == ROARING_RUN) {
        if (roaring_contains(set, value)) {
            return;
        }
        become_bitmap(container);
    }
    container->cardinality += !bits_get(container->words, low);
    bits_set(container->words, low);
}

// The last run that starts at or before `low`; UINT32_MAX where there is none.
static uint32_t run_find(const struct roaring_container *container, uint16_t low)
{
    uint32_t from = 0;
    uint32_t to = container->count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (container->values[2 * middle] <= low) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from - 1;
}

bool roaring_contains(const struct roaring *set, uint64_t value)
{
    uint32_t at = lower_bound(set, value >> 16);
    uint16_t low = (uint16_t)value;
    if (at == set->count || set->containers[at].key != value >> 16) {
        return false;
    }
    const struct roaring_container *container = &set->containers[at];
    switch (container->kind) {
    case ROARING_BITMAP: return bits_get(container->words, low);
    case ROARING_ARRAY:
        at = array_find(container, low);
        return at < container->count && container->values[at] == low;
    case ROARING_RUN:
        at = run_find(container, low);
        return at != UINT32_MAX &&
               (uint32_t)low - container->values[2 * at] <= container->values[2 * at + 1];
    }
    return false;
}

uint64_t roaring_cardinality(const struct roaring *set)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        sum += set->containers[i].cardinality;
    }
    return sum;
}

size_t roaring_bytes(const struct roaring *set)
{
    size_t bytes = set->capacity * sizeof *set->containers;
    for (uint32_t i = 0; i < set->count; i++) {
        bytes += data_bytes(&set->containers[i]);
    }
    return bytes;
}

uint64_t roaring_last(const struct roaring *set)
{
    const struct roaring_container *container = &set->containers[set->count - 1];
    uint32_t low = 0;
    switch (container->kind) {
    case ROARING_ARRAY: low = container->values[container->count - 1]; break;
    case ROARING_RUN:
        low = (uint32_t)container->values[2 * container->count - 2] +
              container->values[2 * container->count - 1];
        break;
    case ROARING_BITMAP:
        for (uint32_t i = 0; i < ROARING_WORDS; i++) {
            if (container->words[i] != 0) {
                low = i * 64 + 63 - (uint32_t)__builtin_clzll(container->words[i]);
            }
        }
        break;
    }
    return container->key << 16 | low;
}

// The values [low, low + count) of a container to bits [at, at + count) of the mask.
static bool mask_array(const struct roaring_container *container, uint32_t low, uint32_t count,
                       uint64_t *mask, uint32_t at)
{
    uint32_t first = array_find(container, (uint16_t)low);
    uint32_t i = first;
    for (; i < container->count && container->values[i] < low + count; i++) {
        bits_set(mask, at + container->values[i] - low);
    }
    return i > first;
}

static bool mask_bitmap(const struct roaring_container *container, uint32_t low, uint32_t count,
                        uint64_t *mask, uint32_t at)
{
    uint64_t any = 0;
    for (uint32_t done = 0; done < count;) {
        // As many bits as lie in one word on both sides.
        uint32_t from = (low + done) % 64;
        uint32_t to = (at + done) % 64;
        uint32_t room = 64 - (from > to ? from : to);
        uint32_t take = count - done < room ? count - done : room;
        uint64_t bits = container->words[(low + done) / 64] >> from & bits_tail(take);
        mask[(at + done) / 64] |= bits << to;
        any |= bits;
        done += take;
    }
    return any != 0;
}

static bool mask_runs(const struct roaring_container *container, uint32_t low, uint32_t count,
                      uint64_t *mask, uint32_t at)
{
    uint32_t i = run_find(container, (uint16_t)low);
    bool any = false;
    for (i = i == UINT32_MAX ? 0 : i; i < container->count; i++) {
        uint32_t start = container->values[2 * i];
        uint32_t end = start + container->values[2 * i + 1] + 1;
        if (start >= low + count) {
            break;
        }
        start = start < low ? low : start;
        end = end > low + count ? low + count : end;
        if (start < end) {
            set_range(mask, at + start - low, end - start);
            any = true;
        }
    }
    return any;
}

bool roaring_mask(const struct roaring *set, uint64_t from, uint32_t count, uint64_t *mask)
{
    bool any = false;
    uint32_t at = lower_bound(set, from >> 16);
    uint64_t end = from + count;
    for (; at < set->count && set->containers[at].key << 16 < end; at++) {
        const struct roaring_container *container = &set->containers[at];
        uint64_t base = container->key << 16;
        uint64_t first = base > from ? base : from;
        uint64_t last = base + ROARING_VALUES < end ? base + ROARING_VALUES : end;
        uint32_t low = (uint32_t)(first - base);
        uint32_t size = (uint32_t)(last - first);
        uint32_t to = (uint32_t)(first - from);
        switch (container->kind) {
        case ROARING_ARRAY: any |= mask_array(container, low, size, mask, to); break;
        case ROARING_BITMAP: any |= mask_bitmap(container, low, size, mask, to); break;
        case ROARING_RUN: any |= mask_runs(container, low, size, mask, to); break;
        }
    }
    return any;
}

bool roaring_block(const struct roaring *set, uint64_t from, uint64_t *first)
{
    uint32_t at = lower_bound(set, from >> 16);
    if (at < set->count) {
        *first = set->containers[at].key << 16;
    }
    return at < set->count;
}

static uint32_t count_runs(const struct roaring_container *container)
{
    uint32_t runs = 0;
    if (container->kind == ROARING_ARRAY) {
        for (uint32_t i = 0; i < container->count; i++) {
            runs += i == 0 || container->values[i] != container->values[i - 1] + 1;
        }
        return runs;
    }
    uint64_t before = 0;
    for (uint32_t i = 0; i < ROARING_WORDS; i++) {
        uint64_t word = container->words[i];
        runs += (uint32_t)__builtin_popcountll(word & ~(word << 1 | before));
        before = word >> 63;
    }
    return runs;
}

static void become_runs(struct roaring_container *container, uint32_t runs)
{
    uint16_t *pairs = mem_alloc(2 * runs * sizeof *pairs);
    uint64_t words[ROARING_WORDS] = {0};
    spread(container, words);
    uint32_t at = 0;
    for (uint32_t run = 0; run < runs; run++) {
        while (words[at / 64] >> (at % 64) == 0) {
            at = (at / 64 + 1) * 64;
        }
        at += (uint32_t)__builtin_ctzll(words[at / 64] >> (at % 64));
        uint32_t start = at;
        while (at < ROARING_VALUES && bits_get(words, at)) {
            // Whole words of ones are skipped at once.
            at += at % 64 == 0 && words[at / 64] == UINT64_MAX ? 64 : 1;
        }
        pairs[2 * run] = (uint16_t)start;
        pairs[2 * run + 1] = (uint16_t)(at - start - 1);
    }
    mem_free(container->data);
    container->values = pairs;
    container->kind = ROARING_RUN;
    container->count = runs;
    container->capacity = 2 * runs;
}

void roaring_optimize(struct roaring *set)
{
    for (uint32_t i = 0; i < set->count; i++) {
        struct roaring_container *container = &set->containers[i];
        if (container->kind == ROARING_RUN) {
            continue;
        }
        uint32_t runs = count_runs(container);
        if (2 + 4 * runs < roaring_stored_bytes(container)) {
            become_runs(container, runs);
        }
    }
}
