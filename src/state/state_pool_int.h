// SPDX-License-Identifier: Apache-2.0
//
// state_pool_int: the pages under the tables of state.
//
// A page is 16 KiB, or several of them in a row for a single long row. It has a number for life;
// where it is (memory or spill file) changes behind that number, so nothing in a page is a
// pointer. In memory pages stand at multiples of 16 KiB: a pointer into the first 16 KiB leads to
// the page head.
//
// Life of a page:
//
//     free -> RESIDENT <-> WRITING -> (spilled) -> READING -> RESIDENT -> free
//
// Pins. A page may not go while its frame's window is the owner's current one, nor while the owner
// is `whole` (it found all its pages in memory and took no note of single ones). A new window of
// the owner ends both.
//
// Changes. Whoever changes a page says so (state_pool_changed()), else the bytes in the spill file
// count as the same. An owner that is whole sets `is_blind` instead: all its pages count as
// changed.
#pragma once

#include "base/mem.h"
#include "base/vec.h"
#include "state/spill.h"
#include "state/state.h"

enum {
    PAGE_SIZE = 16384,
    PAGE_HEAD = 64,
    PAGE_ROOM = PAGE_SIZE - PAGE_HEAD,
    PAGE_UNITS_MAX = 1 << 15, // 512 MiB: the longest row
};

enum frame_state { FRAME_FREE, FRAME_RESIDENT, FRAME_READING, FRAME_WRITING };

struct page_frame {
    struct spill_request request; // first: an answer is cast to its frame
    struct page *page;            // the memory
    struct page_owner *owner;     // NULL: the page was freed while it was being read or written
    struct page_frame *next_free;
    struct page_chunk *chunk; // NULL: several units, allocated by themselves
    uint32_t number;
    uint32_t window; // the owner's window that pins it
    uint32_t uses;   // in that window, by those who count
    uint64_t slot;   // in the spill file; UINT64_MAX: none yet
    uint8_t state;
    uint8_t chances; // turns of the clock that it survives without being asked for
    bool is_changed;
};

// At the front of each page. What follows `units` belongs to the owner.
struct page {
    struct page_frame *frame; // set when it comes into memory
    uint32_t number;
    uint32_t units;
    uint16_t used;  // row pages: end of the rows, in bytes
    uint16_t hole;  // row pages: first hole, in units of 8 bytes; 0: none
    uint32_t live;  // rows or entries
    uint32_t link;  // directory: next page of the chain; inner node: first child
    uint32_t kind;  // of the owner
    uint32_t base;  // ordered: start of the entries
    uint32_t waste; // bytes in holes
    uint64_t reserved;
};
_Static_assert(sizeof(struct page) <= PAGE_HEAD, "page head");

// What the pool remembers of each page that exists.
struct page_entry {
    uint64_t where;  // in memory: the address; being read or written: the address | 2; spilled:
                     // slot << 1 | 1; free: 0
    uint32_t oldest; // the oldest segment number of its rows' images, or less; UINT32_MAX: no rows
    uint16_t units;
    uint8_t dirty;  // bits 0 and 1: rows changed in the epochs of that parity
    uint8_t room;   // free bytes / 64, rounded down
    uint32_t index; // in the owner's list of pages
};

struct page_owner {
    struct state_pool *pool;
    uint32_t window; // rising
    uint32_t pinned; // pages pinned by the window
    uint32_t absent; // pages that are not RESIDENT
    bool is_open;    // a window is in use
    bool whole;
    bool is_blind;
    VEC(uint32_t) pages; // of rows or leaves, in no order
};

enum { CHUNK_SMALL = 8, CHUNK_BIG = 128 }; // pages: 128 KiB, 2 MiB

struct page_chunk {
    char *memory;
    uint32_t count;
    uint32_t used;                       // frames that are not FREE
    bool is_leaving;                     // hands out no frames any more
    struct page_frame frames[CHUNK_BIG]; // count of them
};

struct state_pool {
    struct budget *budget;
    struct spill *spill;
    struct spill_queue *queue;
    struct waker *waker;
    uint64_t hash_mask;
    uint32_t pages_min;
    VEC(struct page_entry) entries; // by number; 0 is no page
    VEC(uint32_t) free_numbers;
    VEC(struct page_chunk *) chunks;
    VEC(struct page_frame *) large; // frames of several units
    struct page_frame *free_frames;
    uint32_t free_count;
    uint32_t frame_count; // in chunks
    uint32_t hand_chunk;  // of the clock
    uint32_t hand_frame;
    uint32_t reading;
    uint32_t writing;
    uint32_t leaving; // chunks that are being emptied
    uint32_t open;    // owners with a window in use
    size_t bytes;     // charged
    uint64_t reads, writes;
};

static inline struct page *page_of(const void *inside)
{
    return (struct page *)((uintptr_t)inside & ~(uintptr_t)(PAGE_SIZE - 1));
}
static inline bool page_entry_in_memory(const struct page_entry *entry)
{
    return entry->where != 0 && (entry->where & 3) == 0;
}

// The page, known to be in memory.
static inline struct page *state_pool_page(const struct state_pool *pool, uint32_t number)
{
    return (struct page *)(uintptr_t)pool->entries.items[number].where;
}
static inline void state_pool_changed(struct page *page)
{
    page->frame->is_changed = true;
}
static inline void state_pool_pin(struct page *page)
{
    struct page_frame *frame = page->frame;
    if (frame->window != frame->owner->window) {
        frame->window = frame->owner->window;
        frame->uses = 0;
        frame->owner->pinned++;
    }
    frame->chances |= 1;
}
static inline void state_pool_unpin(struct page *page)
{
    struct page_frame *frame = page->frame;
    if (frame->window == frame->owner->window) {
        frame->window = 0;
        frame->owner->pinned--;
    }
}

void page_owner_init(struct page_owner *owner, struct state_pool *pool);
// Frees the pages in its list; others (directories) before.
void page_owner_release(struct page_owner *owner);
// A window begins to be used; it ends and nothing of the owner is pinned.
void page_owner_open(struct page_owner *owner);
void page_owner_close(struct page_owner *owner);
void page_owner_add_page(struct page_owner *owner, struct page *page); // to its list
void page_owner_drop_page(struct page_owner *owner, uint32_t number);  // from it, and free it

// A page with a zeroed head, pinned; never fails: over the budget where nothing can go.
struct page *state_pool_new_page(struct page_owner *owner, uint32_t units);
void state_pool_free_page(struct page_owner *owner, uint32_t number);
// The page, pinned, where it is in memory; NULL: it is being fetched, or will be when there is room
// (ask again). *failed: the spill file does not work, spill_error() says how.
struct page *state_pool_want(struct page_owner *owner, uint32_t number);
// The same without a pin: it may be gone at the next call.
struct page *state_pool_look(struct page_owner *owner, uint32_t number);
// Whether `count` pages can be made now without going over the budget; begins to make room where
// not. True also where waiting would not help.
bool state_pool_room(struct state_pool *pool, uint32_t count);
// Whether anything is being read or written, so that there will be a wake.
bool state_pool_is_busy(const struct state_pool *pool);
// How many pages a window may pin.
uint32_t state_pool_window_pages(const struct state_pool *pool);
MUST_USE enum status state_pool_check(struct state_pool *pool, struct err *err);
