// SPDX-License-Identifier: Apache-2.0
//
// hash_table_int: the inside of hash tables.
//
// Directory. Extensible hashing over pages of 2,040 entries of 8 bytes; the top level (4 bytes a
// page) stays in memory. Of a hash
//
//     bits 0-15   give the home of the entry on its page
//     bits 16-34  are its tag; the low `depth` bits of the tag choose the page
//     bits 52-63  are the key group
//
// An entry is {tag 19, distance from home 6, row id 39}; 0 is empty. Entries are placed by linear
// probing; erasing shifts back, so a search ends at the first empty slot. A page that is full is
// split by the next bit of the tag. Where that does not help (all hashes alike) entries go to
// overflow pages chained behind it, unordered: {entry, hash}.
//
// Row ids. Page number << 11 | offset / 8.
#pragma once

#include "state/hash_table.h"
#include "state/row_layout_int.h"
#include "state/state_table_int.h"

enum {
    DIRECTORY_SLOTS = PAGE_ROOM / 8, // 2,040
    DIRECTORY_FULL = 1600,
    DISTANCE_MAX = 63,
    TAG_BITS = 19,
    OVERFLOW_SLOTS = PAGE_ROOM / 16,
    ROW_ID_BITS = 39,
    WINDOW_KEYS_MAX = 512, // where pages are missing
};

#define ROW_ID_MASK ((UINT64_C(1) << ROW_ID_BITS) - 1)

struct overflow_entry {
    row_id id;
    uint64_t hash;
};

// A key to look for: a row of columns, or the image of a row.
struct hash_key {
    uint64_t hash;
    const struct column *columns; // NULL: `image`
    uint32_t at;
    const struct row *image;
};

// How far the search for one key has come.
struct hash_probe {
    uint32_t page; // of the directory; 0: not begun
    uint32_t step; // entries looked at on it
    struct row *row;
    bool is_done;
};

// Pages are missing: each key of the window is searched by itself and its row pinned.
struct hash_window {
    uint64_t request; // identity of what is being continued
    uint32_t from;
    uint32_t planned;
    bool is_waiting;
    uint32_t new_count;
    struct hash_key keys[WINDOW_KEYS_MAX];
    struct hash_probe probes[WINDOW_KEYS_MAX];
    // Rows added in this window, chained by hash.
    uint16_t heads[256]; // index + 1
    uint16_t next[WINDOW_KEYS_MAX];
    uint64_t hashes[WINDOW_KEYS_MAX];
    struct row *rows[WINDOW_KEYS_MAX];
};

struct hash_table {
    struct state_table base;
    const struct row_layout *layout;
    uint64_t hash_mask;

    uint32_t *index; // 1 << depth page numbers
    uint32_t depth;
    VEC(uint32_t) directory; // its pages, overflow included

    uint32_t fill;              // page that takes new rows; 0: none
    uint32_t look;              // index of the page to look at next for holes
    uint64_t waste;             // bytes in holes
    VEC(uint32_t) emptied;      // pages that may be free
    VEC(struct row *) leftover; // moved and removed rows, to be freed with the window
    struct hash_window *window; // made when first needed
};

static inline uint32_t directory_home(uint64_t hash)
{
    return (uint32_t)((hash & 0xffff) * DIRECTORY_SLOTS >> 16);
}
static inline uint32_t directory_tag(uint64_t hash)
{
    return (uint32_t)(hash >> 16) & ((1u << TAG_BITS) - 1);
}
static inline uint32_t directory_page(const struct hash_table *table, uint64_t hash)
{
    return table->index[directory_tag(hash) & ((1u << table->depth) - 1)];
}
static inline uint64_t *directory_entries(struct page *page)
{
    return (uint64_t *)(void *)((char *)page + PAGE_HEAD);
}
static inline struct row *row_at(const struct hash_table *table, row_id id)
{
    char *page = (char *)state_pool_page(table->base.owner.pool, (uint32_t)(id >> 11));
    return (struct row *)(void *)(page + (id & 2047) * 8);
}
static inline row_id row_id_of(const struct row *row)
{
    const struct page *page = page_of(row);
    return (row_id)page->number << 11 | (uint64_t)((const char *)row - (const char *)page) / 8;
}
static inline size_t row_size(const struct row *row)
{
    return row->units != 0 ? (size_t)row->units * 8 : page_of(row)->base;
}
static inline bool row_is_live(const struct row *row)
{
    return (row->mark & (MARK_DEAD | MARK_FREE)) == 0;
}
// Removed in this window; its place is free when the window ends.
static inline bool row_is_in_limbo(const struct row *row)
{
    return (row->mark & MARK_MOVED) == MARK_MOVED && row->hash == 0;
}
static inline void hash_table_touch_fast(struct hash_table *table, struct row *row)
{
    if ((row->mark & (MARK_DIRTY | MARK_DEAD)) != *table->base.mark_now) {
        state_table_touch(&table->base, page_of(row), row, row_size(row));
    }
}

// hash_directory.c
void hash_directory_init(struct hash_table *table, uint64_t rows_expected);
void hash_directory_release(struct hash_table *table);
// Adds an entry; the directory pages of the hash are in memory.
void hash_directory_add(struct hash_table *table, uint64_t hash, row_id id);
// Takes out (id_new 0) or changes the entry of `id_old`. False: a page of it is not in memory,
// which is asked for; nothing has changed.
bool hash_directory_replace(struct hash_table *table, uint64_t hash, row_id id_old, row_id id_new);
// The next entry that may be the key's, from where `probe` stands on. 1: *id; 0: no more; -1: a
// page is missing and asked for.
int hash_directory_next(struct hash_table *table, uint64_t hash, struct hash_probe *probe,
                        row_id *id);

// hash_rows.c
struct row *hash_rows_alloc(struct hash_table *table, size_t size); // mark 0, units set
void hash_rows_free(struct hash_table *table, struct row *row);
void hash_rows_end_window(struct hash_table *table);
// Rows of a page stand from PAGE_HEAD to its end, each one step behind the one before.
static inline size_t hash_rows_end(const struct page *page)
{
    return page->units == 1 ? page->used : PAGE_HEAD + 1;
}
static inline size_t hash_rows_step(const struct page *page, const struct row *row)
{
    return page->units == 1 ? (size_t)row->units * 8 : 1;
}
// For a checkpoint (state_table_int.h).
bool hash_rows_write_page(struct state_table *base, struct page *page, bool *holds);
// Pages that new rows of `bytes` together may take.
uint32_t hash_rows_pages(const struct hash_table *table, size_t bytes);

// hash_search.c
enum {
    HASH_TURN_KEYS = 64, // what three turns prefetch stays in the first-level cache
    HASH_SEARCH_STAGES = 3,
};

struct hash_turn {
    uint32_t count;
    uint64_t hashes[HASH_TURN_KEYS];
    const uint64_t *entries[HASH_TURN_KEYS]; // of the directory page
    uint16_t positions[HASH_TURN_KEYS];      // in the columns
    struct row *rows[HASH_TURN_KEYS];        // candidates
    uint16_t at[HASH_TURN_KEYS];             // whose candidates they are
    uint8_t equal[HASH_TURN_KEYS];
    uint32_t found;
};

// A run over keys, from which its caller takes turn after turn.
struct hash_search {
    struct hash_table *table;
    const struct hash_keys *keys;
    uint32_t from;
    uint32_t count;
    uint32_t located; // keys
    struct hash_turn turns[HASH_SEARCH_STAGES];
    uint32_t next_locate, next_candidates, next_compare; // turns
};

void hash_search_begin(struct hash_search *run, struct hash_table *table,
                       const struct hash_keys *keys, uint32_t from, uint32_t count);
// The next turn: out[i] is the row, DEAD ones too, or NULL where it was not what its hash led to
// first: hash_search_one() decides. Returns how many keys it has.
uint32_t hash_search_turn(struct hash_search *run, struct row **out);
// Asks the processor for what searches for these images will read. All pages are in memory.
enum { HASH_WARM_MAX = 128 };
void hash_search_warm(const struct hash_table *table, struct row *const *images, uint32_t count);
struct row *hash_search_one(struct hash_table *table, const struct hash_key *key);
static inline uint32_t hash_key_position(const struct hash_keys *keys, uint32_t at)
{
    return keys->rows == NULL ? at : keys->rows[at];
}

// hash_window.c
// Of the window's keys, of which there are `count`.
enum status hash_window_prepare(struct hash_table *table, uint32_t count, uint32_t *ready);
struct row *hash_window_row(const struct hash_table *table, uint32_t at); // DEAD ones too
struct row *hash_window_new_row(const struct hash_table *table, const struct hash_key *key);
void hash_window_add(struct hash_table *table, uint64_t hash, struct row *row);
// The directory was changed from outside the window: searches under way begin again.
void hash_window_disturb(struct hash_table *table);
bool hash_key_equal(const struct hash_table *table, const struct row *row,
                    const struct hash_key *key);

// hash_table.c: for the restore. Prepares the keys of row images.
enum status hash_table_prepare_images(struct hash_table *table, struct row *const *images,
                                      uint32_t count, uint32_t *ready, struct err *err);
// The row of images[0 ...], NULL where there is none; then the image in its place (or added).
void hash_table_put_image(struct hash_table *table, const struct row *image, size_t size,
                          uint32_t at, uint32_t segment);
void hash_table_drop_image(struct hash_table *table, const struct row *image, uint32_t at);
