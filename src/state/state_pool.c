// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/assert.h"
#include "base/budget.h"
#include "base/huge_pages.h"
#include "state/state_pool_int.h"
#include "sys/waker.h"

// Pages beyond what is asked for that are written out in one go, so that the next window finds
// room.
enum {
    PAGES_MIN_DEFAULT = 32,
    WINDOW_PAGES_MIN = 8,
    WINDOW_PAGES_MAX = 256,
    VICTIMS_AHEAD = 32,
    ROOM_SHARE = 8
};

#define SLOT_NONE UINT64_MAX

struct state_pool *state_pool_new(const struct state_pool_options *options)
{
    struct state_pool *pool = mem_zalloc(sizeof *pool);
    pool->budget = options->budget;
    pool->spill = options->spill;
    pool->waker = options->waker;
    pool->queue = options->spill == NULL ? NULL : spill_queue_new(options->spill, options->waker);
    pool->pages_min = options->pages_min != 0 ? options->pages_min : PAGES_MIN_DEFAULT;
    // Key groups stay what they are: they decide whose row it is after a restore.
    pool->hash_mask = options->hashes_zero ? UINT64_C(0xfff) << 52 : UINT64_MAX;
    VEC_PUSH(&pool->entries, ((struct page_entry){0}));
    return pool;
}

static void charge(struct state_pool *pool, size_t size)
{
    budget_force(pool->budget, size);
    pool->bytes += size;
}

static void discharge(struct state_pool *pool, size_t size)
{
    budget_give(pool->budget, size);
    pool->bytes -= size;
}

// --- frames ------------------------------------------------------------------------------------

// Small chunks up to 2 MiB, so that a small state stays small.
static uint32_t next_chunk_pages(const struct state_pool *pool)
{
    return pool->frame_count < CHUNK_BIG ? CHUNK_SMALL : CHUNK_BIG;
}

// Its memory is charged already.
static void add_chunk(struct state_pool *pool)
{
    uint32_t count = next_chunk_pages(pool);
    struct page_chunk *chunk =
        mem_zalloc(offsetof(struct page_chunk, frames) + count * sizeof(struct page_frame));
    chunk->memory = huge_pages_alloc((size_t)count * PAGE_SIZE, PAGE_SIZE);
    chunk->count = count;
    for (uint32_t i = count; i-- > 0;) {
        struct page_frame *frame = &chunk->frames[i];
        frame->page = (struct page *)(void *)(chunk->memory + (size_t)i * PAGE_SIZE);
        frame->chunk = chunk;
        frame->next_free = pool->free_frames;
        pool->free_frames = frame;
    }
    pool->free_count += count;
    pool->frame_count += count;
    VEC_PUSH(&pool->chunks, chunk);
}

static void force_chunk(struct state_pool *pool)
{
    charge(pool, (size_t)next_chunk_pages(pool) * PAGE_SIZE);
    add_chunk(pool);
}

// What is held whatever the budget says: enough for all windows in use at once, since one row may
// need pages of all of them.
static uint32_t pages_min(const struct state_pool *pool)
{
    return pool->pages_min + pool->open * WINDOW_PAGES_MIN;
}

// A chunk more, where the budget has room or the minimum is not reached.
static bool try_chunk(struct state_pool *pool)
{
    size_t size = (size_t)next_chunk_pages(pool) * PAGE_SIZE;
    if (pool->frame_count < pages_min(pool)) {
        force_chunk(pool);
        return true;
    }
    if (pool->leaving > 0 || !budget_take(pool->budget, size)) {
        return false;
    }
    pool->bytes += size;
    add_chunk(pool);
    return true;
}

static struct page_frame *take_frame(struct state_pool *pool)
{
    struct page_frame *frame = pool->free_frames;
    pool->free_frames = frame->next_free;
    pool->free_count--;
    frame->chunk->used++;
    return frame;
}

static struct page_frame *new_large_frame(struct state_pool *pool, uint32_t units)
{
    struct page_frame *frame = mem_zalloc(sizeof *frame);
    frame->page = huge_pages_alloc((size_t)units * PAGE_SIZE, PAGE_SIZE);
    charge(pool, (size_t)units * PAGE_SIZE);
    VEC_PUSH(&pool->large, frame);
    return frame;
}

static void free_large_frame(struct state_pool *pool, struct page_frame *frame)
{
    for (uint32_t i = 0; i < pool->large.count; i++) {
        if (pool->large.items[i] == frame) {
            pool->large.items[i] = pool->large.items[--pool->large.count];
            break;
        }
    }
    discharge(pool, frame->request.size);
    huge_pages_free(frame->page);
    mem_free(frame);
}

static void release_frame(struct state_pool *pool, struct page_frame *frame)
{
    if (frame->chunk == NULL) {
        free_large_frame(pool, frame);
        return;
    }
#ifndef NDEBUG
    memset(frame->page, 0xdb, PAGE_SIZE);
#endif
    frame->state = FRAME_FREE;
    frame->owner = NULL;
    frame->number = 0;
    frame->chunk->used--;
    if (!frame->chunk->is_leaving) {
        frame->next_free = pool->free_frames;
        pool->free_frames = frame;
        pool->free_count++;
    }
}

static void settle_frame(struct page_frame *frame, struct page_owner *owner, uint32_t number,
                         uint32_t units)
{
    frame->owner = owner;
    frame->number = number;
    frame->window = owner->window;
    frame->uses = 0;
    owner->pinned++;
    frame->slot = SLOT_NONE;
    frame->chances = 1;
    frame->is_changed = true;
    frame->request.size = (size_t)units * PAGE_SIZE;
    frame->request.bytes = frame->page;
}

static void free_number(struct state_pool *pool, uint32_t number)
{
    pool->entries.items[number] = (struct page_entry){0};
    VEC_PUSH(&pool->free_numbers, number);
}

static uint32_t new_number(struct state_pool *pool)
{
    if (pool->free_numbers.count > 0) {
        return pool->free_numbers.items[--pool->free_numbers.count];
    }
    ASSERT(pool->entries.count < 1u << 28); // 4 TiB of state
    VEC_PUSH(&pool->entries, ((struct page_entry){0}));
    return pool->entries.count - 1;
}

// --- eviction ----------------------------------------------------------------------------------

static bool is_pinned(const struct page_frame *frame)
{
    return frame->owner->whole || frame->window == frame->owner->window;
}

// What an owner changed without saying is said now, for all its pages.
static void end_blindness(struct state_pool *pool, struct page_owner *owner)
{
    for (uint32_t i = 0; i < pool->chunks.count; i++) {
        struct page_chunk *chunk = pool->chunks.items[i];
        for (uint32_t j = 0; j < chunk->count; j++) {
            if (chunk->frames[j].owner == owner) {
                chunk->frames[j].is_changed = true;
            }
        }
    }
    for (uint32_t i = 0; i < pool->large.count; i++) {
        if (pool->large.items[i]->owner == owner) {
            pool->large.items[i]->is_changed = true;
        }
    }
    owner->is_blind = false;
}

static void leave_memory(struct state_pool *pool, struct page_frame *frame)
{
    pool->entries.items[frame->number].where = frame->slot << 1 | 1;
    release_frame(pool, frame);
}

// Begins to move an unpinned page out; false: the spill file is full.
static bool evict(struct state_pool *pool, struct page_frame *frame)
{
    struct page_owner *owner = frame->owner;
    uint32_t units = (uint32_t)(frame->request.size / PAGE_SIZE);
    if (owner->is_blind) {
        end_blindness(pool, owner);
    }
    if (frame->slot == SLOT_NONE &&
        spill_take(pool->spill, units, &frame->slot, NULL) != STATUS_OK) {
        frame->slot = SLOT_NONE;
        return false;
    }
    owner->absent++;
    if (!frame->is_changed) {
        leave_memory(pool, frame);
        return true;
    }
    frame->state = FRAME_WRITING;
    pool->entries.items[frame->number].where |= 2;
    frame->request.is_write = true;
    frame->request.slot = frame->slot;
    pool->writing++;
    pool->writes++;
    spill_submit(pool->queue, &frame->request);
    return true;
}

static struct page_frame *frame_at_hand(struct state_pool *pool)
{
    if (pool->hand_chunk >= pool->chunks.count) {
        pool->hand_chunk = 0;
        pool->hand_frame = 0;
    }
    struct page_chunk *chunk = pool->chunks.items[pool->hand_chunk];
    struct page_frame *frame = &chunk->frames[pool->hand_frame++];
    if (pool->hand_frame == chunk->count) {
        pool->hand_frame = 0;
        pool->hand_chunk++;
    }
    return frame;
}

static bool may_leave(struct page_frame *frame)
{
    return frame->state == FRAME_RESIDENT && frame->owner != NULL && !is_pinned(frame);
}

// Sends up to `count` cold pages away; returns how many.
static uint32_t evict_cold(struct state_pool *pool, uint32_t count)
{
    uint32_t sent = 0;
    if (pool->spill == NULL) {
        return 0;
    }
    for (uint32_t i = 0; i < pool->large.count && sent < count;) {
        struct page_frame *frame = pool->large.items[i];
        uint32_t before = pool->large.count;
        if (may_leave(frame) && evict(pool, frame)) {
            sent++;
        }
        i += pool->large.count == before; // a clean one is gone from the list
    }
    // Some turns: the first take the chances away that the last asks for.
    uint64_t steps = pool->frame_count * UINT64_C(4);
    while (sent < count && steps-- > 0) {
        struct page_frame *frame = frame_at_hand(pool);
        if (!may_leave(frame)) {
            continue;
        }
        if (frame->chances > 0) {
            frame->chances /= 2;
        } else if (evict(pool, frame)) {
            sent++;
        } else {
            break;
        }
    }
    return sent;
}

static uint32_t victims_ahead(const struct state_pool *pool)
{
    uint32_t share = pool->frame_count / ROOM_SHARE;
    return share < VICTIMS_AHEAD ? share : VICTIMS_AHEAD;
}

// A chunk that was to be given back stays after all: its free frames are needed now, and another
// one in its place would be no smaller.
static bool keep_chunk(struct state_pool *pool)
{
    for (uint32_t i = 0; i < pool->chunks.count && pool->leaving > 0; i++) {
        struct page_chunk *chunk = pool->chunks.items[i];
        if (!chunk->is_leaving || chunk->used == chunk->count) {
            continue;
        }
        chunk->is_leaving = false;
        pool->leaving--;
        for (uint32_t j = chunk->count; j-- > 0;) {
            if (chunk->frames[j].state == FRAME_FREE) {
                chunk->frames[j].next_free = pool->free_frames;
                pool->free_frames = &chunk->frames[j];
                pool->free_count++;
            }
        }
        return true;
    }
    return false;
}

bool state_pool_room(struct state_pool *pool, uint32_t count)
{
    state_pool_poll(pool);
    size_t excess = budget_excess(pool->budget);
    if (excess > 0 || pool->leaving > 0) {
        state_pool_shed(pool, excess);
    }
    while (pool->free_count < count && (try_chunk(pool) || keep_chunk(pool))) {
    }
    // Of a small pool only a part: else tables that are prepared one after the other for one row
    // would drive out each other's pages for ever.
    uint32_t share = pool->frame_count / ROOM_SHARE;
    count = count < share ? count : share;
    if (pool->free_count >= count) {
        return true;
    }
    uint32_t coming = pool->free_count + pool->writing;
    if (coming < count) {
        evict_cold(pool, count - coming + victims_ahead(pool));
    }
    return pool->free_count >= count || pool->writing + pool->reading == 0;
}

// --- coming and going --------------------------------------------------------------------------

static void read_done(struct state_pool *pool, struct page_frame *frame)
{
    pool->reading--;
    struct page_owner *owner = frame->owner;
    if (owner == NULL || frame->request.status != STATUS_OK) {
        if (owner != NULL) { // it stays where it was
            pool->entries.items[frame->number].where = frame->slot << 1 | 1;
        } else {
            spill_give(pool->spill, frame->slot, (uint32_t)(frame->request.size / PAGE_SIZE));
        }
        release_frame(pool, frame);
        return;
    }
    frame->state = FRAME_RESIDENT;
    frame->page->frame = frame;
    pool->entries.items[frame->number].where = (uint64_t)(uintptr_t)frame->page;
    owner->absent--;
}

static void write_done(struct state_pool *pool, struct page_frame *frame)
{
    pool->writing--;
    if (frame->owner == NULL) {
        spill_give(pool->spill, frame->slot, (uint32_t)(frame->request.size / PAGE_SIZE));
        release_frame(pool, frame);
    } else if (frame->request.status != STATUS_OK) {
        frame->state = FRAME_RESIDENT; // the failure is reported, the page is not lost
        pool->entries.items[frame->number].where = (uint64_t)(uintptr_t)frame->page;
        frame->owner->absent--;
    } else {
        leave_memory(pool, frame);
    }
}

bool state_pool_poll(struct state_pool *pool)
{
    bool any = false;
    if (pool->queue == NULL || pool->reading + pool->writing == 0) {
        return false;
    }
    for (struct spill_request *request; (request = spill_answer(pool->queue)) != NULL;) {
        struct page_frame *frame = (struct page_frame *)(void *)request;
        if (request->is_write) {
            write_done(pool, frame);
        } else {
            read_done(pool, frame);
        }
        any = true;
    }
    return any;
}

bool state_pool_is_busy(const struct state_pool *pool)
{
    return pool->reading + pool->writing > 0;
}

enum status state_pool_check(struct state_pool *pool, struct err *err)
{
    return pool->queue == NULL ? STATUS_OK : spill_error(pool->queue, err);
}

// A frame whatever the budget says.
static struct page_frame *force_frame(struct state_pool *pool)
{
    if (pool->free_count == 0 && !try_chunk(pool)) {
        // Clean pages can go at once; dirty ones take time that the caller does not have.
        evict_cold(pool, 1 + victims_ahead(pool));
        if (pool->free_count == 0 && !keep_chunk(pool)) {
            force_chunk(pool);
        }
    }
    return take_frame(pool);
}

struct page *state_pool_new_page(struct page_owner *owner, uint32_t units)
{
    struct state_pool *pool = owner->pool;
    struct page_frame *frame = units == 1 ? force_frame(pool) : new_large_frame(pool, units);
    uint32_t number = new_number(pool);
    settle_frame(frame, owner, number, units);
    frame->state = FRAME_RESIDENT;
    memset(frame->page, 0, PAGE_HEAD);
    frame->page->frame = frame;
    frame->page->number = number;
    frame->page->units = units;
    pool->entries.items[number] = (struct page_entry){
        .where = (uint64_t)(uintptr_t)frame->page,
        .oldest = UINT32_MAX,
        .units = (uint16_t)units,
    };
    return frame->page;
}

// While a page is read its head is not there yet: the frame is found by its place.
static struct page_frame *frame_in_flight(struct state_pool *pool, uint32_t number)
{
    struct page *page =
        (struct page *)(uintptr_t)(pool->entries.items[number].where & ~UINT64_C(3));
    for (uint32_t i = 0; i < pool->chunks.count; i++) {
        struct page_chunk *chunk = pool->chunks.items[i];
        ptrdiff_t distance = (char *)page - chunk->memory;
        if (distance >= 0 && distance < (ptrdiff_t)chunk->count * PAGE_SIZE) {
            return &chunk->frames[distance / PAGE_SIZE];
        }
    }
    for (uint32_t i = 0; i < pool->large.count; i++) {
        if (pool->large.items[i]->page == page) {
            return pool->large.items[i];
        }
    }
    UNREACHABLE("a page in memory without a frame");
}

void state_pool_free_page(struct page_owner *owner, uint32_t number)
{
    struct state_pool *pool = owner->pool;
    struct page_entry entry = pool->entries.items[number];
    if ((entry.where & 3) != 0) {
        owner->absent--;
        if ((entry.where & 1) != 0) {
            spill_give(pool->spill, entry.where >> 1, entry.units);
        } else { // the answer is still to come
            frame_in_flight(pool, number)->owner = NULL;
        }
        free_number(pool, number);
        return;
    }
    struct page_frame *frame = ((struct page *)(uintptr_t)entry.where)->frame;
    state_pool_unpin(frame->page);
    free_number(pool, number);
    if (frame->slot != SLOT_NONE) {
        spill_give(pool->spill, frame->slot, entry.units);
    }
    release_frame(pool, frame);
}

enum { CHANCES_FETCHED = 7 };

static void fetch(struct page_owner *owner, uint32_t number, bool pins)
{
    struct state_pool *pool = owner->pool;
    struct page_entry *entry = &pool->entries.items[number];
    struct page_frame *frame;
    if (entry->units > 1) {
        frame = new_large_frame(pool, entry->units);
    } else {
        // Some frames are left for pages that the window adds.
        uint32_t reserve = victims_ahead(pool) / 2;
        if (pool->free_count <= reserve && !state_pool_room(pool, reserve + 1)) {
            return;
        }
        frame = force_frame(pool);
    }
    settle_frame(frame, owner, number, entry->units);
    if (!pins) {
        frame->window = 0;
        frame->chances = CHANCES_FETCHED;
        owner->pinned--;
    }
    frame->state = FRAME_READING;
    frame->is_changed = false;
    frame->slot = entry->where >> 1;
    frame->request.is_write = false;
    frame->request.slot = frame->slot;
    entry->where = (uint64_t)(uintptr_t)frame->page | 2;
    pool->reading++;
    pool->reads++;
    spill_submit(pool->queue, &frame->request);
}

struct page *state_pool_want(struct page_owner *owner, uint32_t number)
{
    struct state_pool *pool = owner->pool;
    uint64_t where = pool->entries.items[number].where;
    if ((where & 3) == 0) {
        struct page *page = (struct page *)(uintptr_t)where;
        state_pool_pin(page);
        return page;
    }
    if ((where & 1) != 0) {
        fetch(owner, number, true);
    }
    return NULL;
}

struct page *state_pool_look(struct page_owner *owner, uint32_t number)
{
    uint64_t where = owner->pool->entries.items[number].where;
    if ((where & 1) != 0) {
        fetch(owner, number, false);
    }
    return (where & 3) == 0 ? (struct page *)(uintptr_t)where : NULL;
}

uint32_t state_pool_window_pages(const struct state_pool *pool)
{
    size_t room = budget_room(pool->budget) / PAGE_SIZE;
    size_t pages = pool->frame_count + (room < UINT32_MAX / 2 ? room : UINT32_MAX / 2);
    pages /= 2 * (pool->open > 0 ? pool->open : 1);
    return pages < WINDOW_PAGES_MIN   ? WINDOW_PAGES_MIN
           : pages > WINDOW_PAGES_MAX ? WINDOW_PAGES_MAX
                                      : (uint32_t)pages;
}

size_t state_pool_bytes(const struct state_pool *pool)
{
    return pool->bytes;
}

// --- owners ------------------------------------------------------------------------------------

void page_owner_init(struct page_owner *owner, struct state_pool *pool)
{
    *owner = (struct page_owner){.pool = pool, .window = 1};
}

void page_owner_release(struct page_owner *owner)
{
    page_owner_close(owner);
    for (uint32_t i = 0; i < owner->pages.count; i++) {
        state_pool_free_page(owner, owner->pages.items[i]);
    }
    ASSERT(owner->absent == 0);
    VEC_RELEASE(&owner->pages);
}

void page_owner_open(struct page_owner *owner)
{
    owner->pool->open += !owner->is_open;
    owner->is_open = true;
}

void page_owner_close(struct page_owner *owner)
{
    owner->pool->open -= owner->is_open;
    owner->is_open = false;
    owner->window++;
    owner->pinned = 0;
    owner->whole = false;
}

void page_owner_add_page(struct page_owner *owner, struct page *page)
{
    owner->pool->entries.items[page->number].index = owner->pages.count;
    VEC_PUSH(&owner->pages, page->number);
}

void page_owner_drop_page(struct page_owner *owner, uint32_t number)
{
    struct page_entry *entries = owner->pool->entries.items;
    uint32_t index = entries[number].index;
    uint32_t last = owner->pages.items[--owner->pages.count];
    owner->pages.items[index] = last;
    entries[last].index = index;
    state_pool_free_page(owner, number);
}

// --- giving back -------------------------------------------------------------------------------

static void move_page(struct state_pool *pool, struct page_frame *from)
{
    struct page_frame *to = take_frame(pool);
    struct page *page = to->page;
    struct page_chunk *chunk = to->chunk;
    *to = *from;
    to->page = page;
    to->chunk = chunk;
    to->request.bytes = page;
    memcpy(page, from->page, PAGE_SIZE);
    page->frame = to;
    pool->entries.items[to->number].where = (uint64_t)(uintptr_t)page;
    release_frame(pool, from);
}

static void drop_free_frames_of(struct state_pool *pool, const struct page_chunk *chunk)
{
    struct page_frame **at = &pool->free_frames;
    while (*at != NULL) {
        if ((*at)->chunk == chunk) {
            *at = (*at)->next_free;
            pool->free_count--;
        } else {
            at = &(*at)->next_free;
        }
    }
}

static void free_chunk(struct state_pool *pool, uint32_t at)
{
    struct page_chunk *chunk = pool->chunks.items[at];
    size_t size = (size_t)chunk->count * PAGE_SIZE;
    pool->frame_count -= chunk->count;
    pool->leaving -= chunk->is_leaving;
    discharge(pool, size);
    huge_pages_free(chunk->memory);
    mem_free(chunk);
    pool->chunks.items[at] = pool->chunks.items[--pool->chunks.count];
    pool->hand_chunk = 0;
    pool->hand_frame = 0;
}

// Empties a chunk as far as it goes now; true: it is empty.
static bool empty_chunk(struct state_pool *pool, struct page_chunk *chunk)
{
    for (uint32_t i = 0; i < chunk->count && chunk->used > 0; i++) {
        struct page_frame *frame = &chunk->frames[i];
        if (!may_leave(frame)) {
            continue;
        }
        if (pool->free_count > 0) {
            move_page(pool, frame);
        } else if (pool->spill == NULL || !evict(pool, frame)) {
            break;
        }
    }
    return chunk->used == 0;
}

void state_pool_shed(struct state_pool *pool, size_t size)
{
    state_pool_poll(pool);
    size_t leaving = 0; // pages
    for (uint32_t i = 0; i < pool->chunks.count; i++) {
        leaving += pool->chunks.items[i]->is_leaving ? pool->chunks.items[i]->count : 0;
    }
    for (uint32_t i = pool->chunks.count; i-- > 0 && leaving * PAGE_SIZE < size;) {
        struct page_chunk *chunk = pool->chunks.items[i];
        if (!chunk->is_leaving && pool->frame_count >= leaving + chunk->count + pages_min(pool)) {
            chunk->is_leaving = true;
            pool->leaving++;
            leaving += chunk->count;
            drop_free_frames_of(pool, chunk);
        }
    }
    for (uint32_t i = pool->chunks.count; i-- > 0;) {
        if (pool->chunks.items[i]->is_leaving && empty_chunk(pool, pool->chunks.items[i])) {
            free_chunk(pool, i);
        }
    }
}

void state_pool_free(struct state_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    spill_queue_free(pool->queue); // waits: no answer touches the frames any more
    for (uint32_t i = pool->chunks.count; i-- > 0;) {
        free_chunk(pool, i);
    }
    while (pool->large.count > 0) {
        free_large_frame(pool, pool->large.items[0]);
    }
    VEC_RELEASE(&pool->entries);
    VEC_RELEASE(&pool->free_numbers);
    VEC_RELEASE(&pool->chunks);
    VEC_RELEASE(&pool->large);
    mem_free(pool);
}
