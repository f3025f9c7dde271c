// SPDX-License-Identifier: Apache-2.0
//
// hash_directory: from hashes to row ids (hash_table_int.h draws the entries).
//
// On a directory page: kind is the local depth, live the number of entries, link the first overflow
// page. On an overflow page: kind is KIND_OVERFLOW.
#include "base/assert.h"
#include "base/budget.h"
#include "state/hash_table_int.h"

// A directory page is asked for by many more keys than a page of rows: it stays longer.
enum { DIRECTORY_CHANCES = 7 };

enum { KIND_OVERFLOW = 255, DISTANCE_SHIFT = ROW_ID_BITS, TAG_SHIFT = ROW_ID_BITS + 6 };

static uint64_t entry_make(uint32_t tag, uint32_t distance, row_id id)
{
    return (uint64_t)tag << TAG_SHIFT | (uint64_t)distance << DISTANCE_SHIFT | id;
}

static uint32_t entry_distance(uint64_t entry)
{
    return (uint32_t)(entry >> DISTANCE_SHIFT) & DISTANCE_MAX;
}

static uint32_t entry_tag(uint64_t entry)
{
    return (uint32_t)(entry >> TAG_SHIFT);
}

static uint32_t slot_behind(uint32_t slot, uint32_t distance)
{
    slot += distance;
    return slot >= DIRECTORY_SLOTS ? slot - DIRECTORY_SLOTS : slot;
}

static struct overflow_entry *overflow_entries(struct page *page)
{
    return (struct overflow_entry *)(void *)((char *)page + PAGE_HEAD);
}

static struct page *new_page(struct hash_table *table, uint32_t kind)
{
    struct page *page = state_pool_new_page(&table->base.owner, 1);
    page->kind = kind;
    page->frame->chances = DIRECTORY_CHANCES;
    memset((char *)page + PAGE_HEAD, 0, PAGE_ROOM);
    VEC_PUSH(&table->directory, page->number);
    return page;
}

// The pages that the rows expected will fill by half, where they are a small part of what is free.
static uint32_t depth_for(const struct hash_table *table, uint64_t rows_expected)
{
    uint64_t pages_max = budget_room(table->base.owner.pool->budget) / PAGE_SIZE / 16;
    uint32_t depth = 0;
    while (depth < TAG_BITS && rows_expected >> depth > DIRECTORY_FULL * 3 / 4 &&
           UINT64_C(2) << depth <= pages_max) {
        depth++;
    }
    return depth;
}

void hash_directory_init(struct hash_table *table, uint64_t rows_expected)
{
    uint32_t depth = depth_for(table, rows_expected);
    table->depth = depth;
    table->index = mem_alloc(((size_t)1 << depth) * sizeof *table->index);
    for (uint32_t i = 0; i < 1u << depth; i++) {
        table->index[i] = new_page(table, depth)->number;
    }
}

void hash_directory_release(struct hash_table *table)
{
    for (uint32_t i = 0; i < table->directory.count; i++) {
        state_pool_free_page(&table->base.owner, table->directory.items[i]);
    }
    VEC_RELEASE(&table->directory);
    mem_free(table->index);
}

// --- searching ---------------------------------------------------------------------------------

static int next_in_overflow(struct page *page, uint64_t hash, struct hash_probe *probe, row_id *id)
{
    const struct overflow_entry *entries = overflow_entries(page);
    while (probe->step < page->live) {
        const struct overflow_entry *entry = &entries[probe->step++];
        if (entry->hash == hash) {
            *id = entry->id;
            return 1;
        }
    }
    return 0;
}

static int next_on_page(struct page *page, uint64_t hash, struct hash_probe *probe, row_id *id)
{
    const uint64_t *entries = directory_entries(page);
    uint32_t home = directory_home(hash);
    uint32_t tag = directory_tag(hash);
    while (probe->step <= DISTANCE_MAX) {
        uint64_t entry = entries[slot_behind(home, probe->step)];
        if (entry == 0) {
            break;
        }
        uint32_t distance = probe->step++;
        if (entry_distance(entry) == distance && entry_tag(entry) == tag) {
            *id = entry & ROW_ID_MASK;
            return 1;
        }
    }
    return 0;
}

// NULL: not in memory, asked for. While the table is whole nothing of it leaves, and the frame,
// another line of memory to wait for, is left alone.
static struct page *page_to_search(struct page_owner *owner, uint32_t number)
{
    if (owner->whole) {
        return state_pool_page(owner->pool, number);
    }
    struct page *page = state_pool_want(owner, number);
    if (page != NULL) {
        page->frame->uses++; // it stays for the insertion, whatever becomes of the candidates
        page->frame->chances = DIRECTORY_CHANCES;
    }
    return page;
}

int hash_directory_next(struct hash_table *table, uint64_t hash, struct hash_probe *probe,
                        row_id *id)
{
    if (probe->page == 0) {
        probe->page = directory_page(table, hash);
        probe->step = 0;
    }
    for (;;) {
        struct page *page = page_to_search(&table->base.owner, probe->page);
        if (page == NULL) {
            return -1;
        }
        int found = page->kind == KIND_OVERFLOW ? next_in_overflow(page, hash, probe, id)
                                                : next_on_page(page, hash, probe, id);
        if (found != 0 || page->link == 0) {
            return found;
        }
        probe->page = page->link;
        probe->step = 0;
    }
}

// --- adding ------------------------------------------------------------------------------------

static bool place(struct page *page, uint32_t home, uint32_t tag, row_id id)
{
    uint64_t *entries = directory_entries(page);
    for (uint32_t distance = 0; distance <= DISTANCE_MAX; distance++) {
        uint32_t slot = slot_behind(home, distance);
        if (entries[slot] == 0) {
            entries[slot] = entry_make(tag, distance, id);
            page->live++;
            return true;
        }
    }
    return false;
}

// Whether a split, now or a few bits later, would tell entries apart.
static bool splits(struct page *page, uint32_t tag)
{
    if (page->kind >= TAG_BITS || page->link != 0) {
        return false;
    }
    const uint64_t *entries = directory_entries(page);
    for (uint32_t i = 0; i < DIRECTORY_SLOTS; i++) {
        if (entries[i] != 0 && entry_tag(entries[i]) >> page->kind != tag >> page->kind) {
            return true;
        }
    }
    return false;
}

static void double_index(struct hash_table *table)
{
    size_t count = (size_t)1 << table->depth;
    table->index = mem_realloc(table->index, 2 * count * sizeof *table->index);
    memcpy(table->index + count, table->index, count * sizeof *table->index);
    table->depth++;
}

static void erase_slot(struct page *page, uint32_t hole)
{
    uint64_t *entries = directory_entries(page);
    // What stands behind the hole and not at home moves up, so that no search ends too early.
    for (uint32_t gap = 1;; gap++) {
        uint32_t slot = slot_behind(hole, gap);
        uint64_t entry = entries[slot];
        if (entry == 0 || gap > DIRECTORY_SLOTS - 2) {
            break;
        }
        uint32_t distance = entry_distance(entry);
        if (distance >= gap) {
            entries[hole] = entry_make(entry_tag(entry), distance - gap, entry & ROW_ID_MASK);
            hole = slot;
            gap = 0;
        }
    }
    entries[hole] = 0;
    page->live--;
}

// Leaves the entries whose tags have `bit` to `high`, which is empty. They are taken in the order
// of their clusters, and each finds a place between its home and where it stood: whatever was there
// has been taken before it.
static void distribute(struct page *low, struct page *high, uint32_t bit)
{
    uint64_t *entries = directory_entries(low);
    struct page *halves[] = {low, high};
    uint32_t begin = 0;
    while (entries[begin] != 0) {
        begin++;
    }
    low->live = 0;
    for (uint32_t i = 1; i < DIRECTORY_SLOTS; i++) {
        uint32_t slot = slot_behind(begin, i);
        uint64_t entry = entries[slot];
        if (entry == 0) {
            continue;
        }
        entries[slot] = 0;
        uint32_t distance = entry_distance(entry);
        uint32_t home = slot >= distance ? slot - distance : slot + DIRECTORY_SLOTS - distance;
        uint32_t tag = entry_tag(entry);
        bool placed = place(halves[tag >> bit & 1], home, tag, entry & ROW_ID_MASK);
        ASSERT(placed);
    }
}

static void split(struct hash_table *table, uint64_t hash)
{
    struct page *low = state_pool_page(table->base.owner.pool, directory_page(table, hash));
    struct page *high = new_page(table, low->kind + 1);
    uint32_t bit = low->kind++;
    if (bit == table->depth) {
        double_index(table);
    }
    uint32_t suffix = directory_tag(hash) & ((1u << bit) - 1);
    for (uint32_t at = suffix | 1u << bit; at < 1u << table->depth; at += 2u << bit) {
        table->index[at] = high->number;
    }
    distribute(low, high, bit);
    state_pool_changed(low);
    state_pool_changed(high);
}

// A page of the table that the window has pinned, or any while the table is whole.
static struct page *resident(struct hash_table *table, uint32_t number)
{
    struct page_owner *owner = &table->base.owner;
    ASSERT(page_entry_in_memory(&owner->pool->entries.items[number]));
    return state_pool_page(owner->pool, number);
}

static void add_overflow(struct hash_table *table, struct page *page, uint64_t hash, row_id id)
{
    while (page->link != 0) {
        page = resident(table, page->link);
        if (page->live < OVERFLOW_SLOTS) {
            break;
        }
    }
    if (page->kind != KIND_OVERFLOW || page->live == OVERFLOW_SLOTS) {
        struct page *more = new_page(table, KIND_OVERFLOW);
        page->link = more->number;
        state_pool_changed(page);
        page = more;
    }
    overflow_entries(page)[page->live++] = (struct overflow_entry){id, hash};
    state_pool_changed(page);
}

void hash_directory_add(struct hash_table *table, uint64_t hash, row_id id)
{
    uint32_t tag = directory_tag(hash);
    for (;;) {
        struct page *page = resident(table, directory_page(table, hash));
        bool is_full = page->live >= DIRECTORY_FULL;
        if (!is_full && place(page, directory_home(hash), tag, id)) {
            state_pool_changed(page);
            return;
        }
        if (!splits(page, tag)) {
            add_overflow(table, page, hash, id);
            return;
        }
        split(table, hash);
    }
}

// --- changing ----------------------------------------------------------------------------------

static bool replace_on_page(struct page *page, uint64_t hash, row_id id_old, row_id id_new)
{
    uint64_t *entries = directory_entries(page);
    uint32_t home = directory_home(hash);
    for (uint32_t distance = 0; distance <= DISTANCE_MAX; distance++) {
        uint32_t slot = slot_behind(home, distance);
        if (entries[slot] == 0) {
            return false;
        }
        if ((entries[slot] & ROW_ID_MASK) == id_old) {
            if (id_new != 0) {
                entries[slot] = (entries[slot] & ~ROW_ID_MASK) | id_new;
            } else {
                erase_slot(page, slot);
            }
            return true;
        }
    }
    return false;
}

static bool replace_in_overflow(struct page *page, row_id id_old, row_id id_new)
{
    struct overflow_entry *entries = overflow_entries(page);
    for (uint32_t i = 0; i < page->live; i++) {
        if (entries[i].id == id_old) {
            if (id_new != 0) {
                entries[i].id = id_new;
            } else {
                entries[i] = entries[--page->live];
            }
            return true;
        }
    }
    return false;
}

bool hash_directory_replace(struct hash_table *table, uint64_t hash, row_id id_old, row_id id_new)
{
    uint32_t number = directory_page(table, hash);
    while (number != 0) {
        struct page *page = state_pool_want(&table->base.owner, number);
        if (page == NULL) {
            return false;
        }
        bool done = page->kind == KIND_OVERFLOW ? replace_in_overflow(page, id_old, id_new)
                                                : replace_on_page(page, hash, id_old, id_new);
        if (done) {
            state_pool_changed(page);
            if (id_new == 0) {
                hash_window_disturb(table);
            }
            return true;
        }
        number = page->link;
    }
    UNREACHABLE("a row that is not in the directory");
}
