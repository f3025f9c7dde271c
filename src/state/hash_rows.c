// SPDX-License-Identifier: Apache-2.0
//
// hash_rows: places for rows on pages.
//
// A row page holds rows one behind the other from PAGE_HEAD to `used`; what was freed is a hole
// with MARK_FREE and its size, so that a page can be walked. Holes are chained by `hole` and the
// row's hash (offset of the next / 8). New rows go to the `fill` page; when that is full and there
// is much waste, a page in memory with holes takes its place, else a new page.
#include "base/assert.h"
#include "state/hash_table_int.h"

enum { ROOM_UNIT = 64, LOOKS_MAX = 32, ROOM_MIN = 64 /* of ROOM_UNIT: a quarter of a page */ };

static struct row *row_on(struct page *page, size_t offset)
{
    return (struct row *)(void *)((char *)page + offset);
}

static bool is_hole(const struct row *row)
{
    return (row->mark & MARK_MOVED) == MARK_FREE; // rows in limbo have both bits
}

static void note_room(struct hash_table *table, const struct page *page)
{
    size_t room = (PAGE_SIZE - page->used + page->waste) / ROOM_UNIT;
    table->base.owner.pool->entries.items[page->number].room =
        (uint8_t)(room > UINT8_MAX ? UINT8_MAX : room);
}

uint32_t hash_rows_pages(const struct hash_table *table, size_t bytes)
{
    // Directory pages split about once for each DIRECTORY_FULL / 2 new rows.
    size_t rows = bytes / table->layout->fixed_size;
    return (uint32_t)(bytes / (PAGE_ROOM - table->layout->fixed_size % PAGE_ROOM) +
                      rows / (DIRECTORY_FULL / 4) + 3);
}

static struct row *alloc_long(struct hash_table *table, size_t size)
{
    size_t units = (size + PAGE_HEAD + PAGE_SIZE - 1) / PAGE_SIZE;
    ASSERT(units < PAGE_UNITS_MAX); // values are far smaller: 512 MiB
    struct page *page = state_pool_new_page(&table->base.owner, (uint32_t)units);
    page_owner_add_page(&table->base.owner, page);
    page->base = (uint32_t)size;
    page->live = 1;
    struct row *row = row_on(page, PAGE_HEAD);
    *row = (struct row){.units = size / 8 <= ROW_UNITS_MAX ? (uint16_t)(size / 8) : 0};
    return row;
}

// Chains `next` behind `before`; NULL: as the first hole of the page.
static void chain(struct page *page, struct row *before, uint16_t next)
{
    if (before == NULL) {
        page->hole = next;
    } else {
        before->hash = next;
    }
}

static struct row *take_hole(struct hash_table *table, struct page *page, size_t size)
{
    struct row *before = NULL;
    uint16_t units = (uint16_t)(size / 8);
    for (uint16_t at = page->hole; at != 0;) {
        struct row *hole = row_on(page, (size_t)at * 8);
        uint16_t next = (uint16_t)hole->hash;
        if (hole->units == units || hole->units >= units + 2) { // a rest must hold a header
            uint16_t rest_units = (uint16_t)(hole->units - units);
            if (rest_units != 0) {
                uint16_t rest_at = (uint16_t)(at + units);
                *row_on(page, (size_t)rest_at * 8) =
                    (struct row){.hash = next, .mark = MARK_FREE, .units = rest_units};
                next = rest_at;
            }
            chain(page, before, next);
            page->waste -= (uint32_t)size;
            table->waste -= size;
            return hole;
        }
        before = hole;
        at = next;
    }
    return NULL;
}

static struct row *take_place(struct hash_table *table, struct page *page, size_t size)
{
    struct row *row = NULL;
    if (page->used + size <= PAGE_SIZE) {
        row = row_on(page, page->used);
        page->used = (uint16_t)(page->used + size);
    } else if (page->hole != 0) {
        row = take_hole(table, page, size);
    }
    if (row != NULL) {
        page->live++;
        *row = (struct row){.units = (uint16_t)(size / 8)};
    }
    return row;
}

// Joins holes that touch and chains them anew; holes at the end are given back to `used`.
static void tidy_page(struct hash_table *table, struct page *page)
{
    struct row *before = NULL;
    size_t at = PAGE_HEAD;
    while (at < page->used) {
        struct row *row = row_on(page, at);
        size_t end = at;
        while (end < page->used && is_hole(row_on(page, end))) {
            end += (size_t)row_on(page, end)->units * 8;
        }
        if (end == at) {
            at += (size_t)row->units * 8;
            continue;
        }
        if (end == page->used) {
            page->waste -= (uint32_t)(end - at);
            table->waste -= end - at;
            page->used = (uint16_t)at;
            break;
        }
        *row = (struct row){.mark = MARK_FREE, .units = (uint16_t)((end - at) / 8)};
        chain(page, before, (uint16_t)(at / 8));
        before = row;
        at = end;
    }
    chain(page, before, 0);
}

// A page in memory with a quarter of its room free, where there is much waste.
static struct page *find_roomy(struct hash_table *table)
{
    struct page_owner *owner = &table->base.owner;
    if (table->waste < (uint64_t)owner->pages.count * PAGE_SIZE / 8) {
        return NULL;
    }
    for (uint32_t i = 0; i < LOOKS_MAX && i < owner->pages.count; i++) {
        table->look = table->look + 1 < owner->pages.count ? table->look + 1 : 0;
        uint32_t number = owner->pages.items[table->look];
        const struct page_entry *entry = &owner->pool->entries.items[number];
        if (entry->room >= ROOM_MIN && entry->units == 1 && page_entry_in_memory(entry)) {
            struct page *page = state_pool_page(owner->pool, number);
            state_pool_pin(page);
            tidy_page(table, page);
            return page;
        }
    }
    return NULL;
}

static struct page *fill_page(struct hash_table *table)
{
    struct page_owner *owner = &table->base.owner;
    if (table->fill == 0 || !page_entry_in_memory(&owner->pool->entries.items[table->fill])) {
        return NULL;
    }
    struct page *page = state_pool_page(owner->pool, table->fill);
    state_pool_pin(page);
    return page;
}

struct row *hash_rows_alloc(struct hash_table *table, size_t size)
{
    if (size > PAGE_ROOM) {
        return alloc_long(table, size);
    }
    struct page *page = fill_page(table);
    struct row *row = page == NULL ? NULL : take_place(table, page, size);
    if (row == NULL) {
        if (page != NULL) {
            note_room(table, page);
        }
        page = find_roomy(table);
        row = page == NULL ? NULL : take_place(table, page, size);
    }
    if (row == NULL) {
        page = state_pool_new_page(&table->base.owner, 1);
        page_owner_add_page(&table->base.owner, page);
        page->used = PAGE_HEAD;
        row = take_place(table, page, size);
    }
    table->fill = page->number;
    state_pool_changed(page);
    return row;
}

void hash_rows_free(struct hash_table *table, struct row *row)
{
    struct page *page = page_of(row);
    DASSERT(!is_hole(row));
    page->live--;
    if (page->units == 1) {
        uint16_t units = row->units;
        page->waste += (uint32_t)units * 8;
        table->waste += (uint64_t)units * 8;
        *row = (struct row){.hash = page->hole, .mark = MARK_FREE, .units = units};
        page->hole = (uint16_t)(((const char *)row - (const char *)page) / 8);
        note_room(table, page);
    } else {
        row->mark = MARK_FREE;
    }
    state_pool_changed(page);
    if (page->live == 0) {
        VEC_PUSH(&table->emptied, page->number);
    }
}

// Frees a page of the list of emptied ones; false: it is not in memory, ask again.
static bool drop_emptied(struct hash_table *table, uint32_t number)
{
    struct page_owner *owner = &table->base.owner;
    const struct page_entry *entry = &owner->pool->entries.items[number];
    if ((entry->where & 3) != 0) {
        return false;
    }
    if (entry->where == 0) { // it was in the list twice
        return true;
    }
    struct page *page = state_pool_page(owner->pool, number);
    if (page->frame->owner != owner || page->live != 0) { // in use again
        return true;
    }
    if (number == table->fill) {
        table->fill = 0;
    }
    table->waste -= page->waste;
    page_owner_drop_page(owner, number);
    return true;
}

void hash_rows_end_window(struct hash_table *table)
{
    for (uint32_t i = 0; i < table->leftover.count; i++) {
        struct row *row = table->leftover.items[i];
        row->mark &= ~MARK_MOVED;
        hash_rows_free(table, row);
    }
    table->leftover.count = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < table->emptied.count; i++) {
        if (!drop_emptied(table, table->emptied.items[i])) {
            table->emptied.items[kept++] = table->emptied.items[i];
        }
    }
    table->emptied.count = kept;
}

// --- checkpoints -------------------------------------------------------------------------------

// A tombstone was written: the row goes, at once or, where a window may know it, with the window.
static void bury(struct hash_table *table, struct row *row, bool *holds)
{
    if (table->base.owner.is_open) {
        row->mark = MARK_MOVED;
        row->hash = 0;
        VEC_PUSH(&table->leftover, row);
        *holds = true;
    } else {
        row->mark = 0;
        hash_rows_free(table, row);
    }
}

bool hash_rows_write_page(struct state_table *base, struct page *page, bool *holds)
{
    struct hash_table *table = (struct hash_table *)base;
    uint32_t oldest = UINT32_MAX;
    for (size_t at = PAGE_HEAD; at < hash_rows_end(page);) {
        struct row *row = row_on(page, at);
        at += hash_rows_step(page, row);
        if ((row->mark & MARK_FREE) != 0) {
            continue;
        }
        if (state_table_is_due(base->context, row->mark)) {
            bool is_dead = (row->mark & MARK_DEAD) != 0;
            // What the directory says goes first: its page may have to be waited for.
            if (is_dead && base->form == DELTA_FORM_HASH &&
                !hash_directory_replace(table, row->hash, row_id_of(row), 0)) {
                return false;
            }
            state_table_write(base, row, row_size(row));
            if (is_dead) {
                bury(table, row, holds);
                continue;
            }
        }
        uint32_t segment = row->mark & MARK_SEGMENT;
        oldest = segment != 0 && segment < oldest ? segment : oldest;
    }
    base->owner.pool->entries.items[page->number].oldest = oldest;
    state_pool_changed(page);
    return true;
}
