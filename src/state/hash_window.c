// SPDX-License-Identifier: Apache-2.0
//
// hash_window: the keys of a window, searched one by one, where pages of the table are missing.
//
// A search goes on where it stopped when its page has come. Pages stay pinned until the window
// ends, but for those whose candidate turned out to be another key. How many keys a window has is
// settled by how many pages it may pin; one key always goes.
#include "base/assert.h"
#include "state/hash_table_int.h"

bool hash_key_equal(const struct hash_table *table, const struct row *row,
                    const struct hash_key *key)
{
    if (row->hash != key->hash) {
        return false;
    }
    return key->columns != NULL ? row_layout_keys_equal(table->layout, row, key->columns, key->at)
                                : row_layout_rows_equal(table->layout, row, key->image);
}

void hash_window_disturb(struct hash_table *table)
{
    struct hash_window *window = table->window;
    if (window == NULL || !window->is_waiting) {
        return;
    }
    for (uint32_t i = 0; i < window->planned; i++) {
        if (!window->probes[i].is_done) {
            window->probes[i].page = 0;
        }
    }
}

// Goes on with one search; false: a page is missing.
static bool search(struct hash_table *table, const struct hash_key *key, struct hash_probe *probe)
{
    struct page_owner *owner = &table->base.owner;
    for (;;) {
        struct hash_probe before = *probe;
        row_id id;
        int found = hash_directory_next(table, key->hash, probe, &id);
        if (found <= 0) {
            probe->is_done = found == 0;
            return probe->is_done;
        }
        struct page *page = state_pool_want(owner, (uint32_t)(id >> 11));
        if (page == NULL) {
            *probe = before; // the same candidate again
            return false;
        }
        struct row *row = row_at(table, id);
        if (hash_key_equal(table, row, key)) {
            page->frame->uses++;
            probe->row = row;
            probe->is_done = true;
            return true;
        }
        if (page->frame->uses == 0) {
            state_pool_unpin(page);
        }
    }
}

enum status hash_window_prepare(struct hash_table *table, uint32_t count, uint32_t *ready)
{
    struct hash_window *window = table->window;
    struct page_owner *owner = &table->base.owner;
    uint32_t pages_max = state_pool_window_pages(owner->pool);
    bool is_missing = false;
    if (!window->is_waiting) {
        memset(window->probes, 0, count * sizeof *window->probes);
        memset(window->heads, 0, sizeof window->heads);
        window->new_count = 0;
        window->planned = count;
    }
    if (table->fill != 0 && state_pool_want(owner, table->fill) != NULL) {
        state_pool_page(owner->pool, table->fill)->frame->uses++; // for new rows
    }
    for (uint32_t i = 0; i < window->planned; i++) {
        if (i > 0 && owner->pinned >= pages_max) {
            window->planned = i;
            break;
        }
        if (!window->probes[i].is_done && !search(table, &window->keys[i], &window->probes[i])) {
            is_missing = true;
        }
    }
    // A key behind a shortened window may have been among the missing: look at what is left.
    for (uint32_t i = 0; i < window->planned && is_missing; i++) {
        if (!window->probes[i].is_done) {
            window->is_waiting = true;
            return STATUS_AGAIN;
        }
    }
    window->is_waiting = false;
    *ready = window->planned;
    return STATUS_OK;
}

struct row *hash_window_row(const struct hash_table *table, uint32_t at)
{
    DASSERT(at < table->window->planned);
    return table->window->probes[at].row;
}

struct row *hash_window_new_row(const struct hash_table *table, const struct hash_key *key)
{
    const struct hash_window *window = table->window;
    for (uint16_t at = window->heads[key->hash & 255]; at != 0; at = window->next[at - 1]) {
        struct row *row = window->rows[at - 1];
        while ((row->mark & MARK_MOVED) == MARK_MOVED && row->hash != 0) {
            row = row_at(table, row->hash);
        }
        if (window->hashes[at - 1] == key->hash && !row_is_in_limbo(row) &&
            hash_key_equal(table, row, key)) {
            return row;
        }
    }
    return NULL;
}

void hash_window_add(struct hash_table *table, uint64_t hash, struct row *row)
{
    struct hash_window *window = table->window;
    ASSERT(window->new_count < WINDOW_KEYS_MAX);
    uint32_t at = window->new_count++;
    window->rows[at] = row;
    window->hashes[at] = hash;
    window->next[at] = window->heads[hash & 255];
    window->heads[hash & 255] = (uint16_t)(at + 1);
}
