// SPDX-License-Identifier: Apache-2.0
#include "state/ordered_table.h"

#include "base/assert.h"
#include "base/hash.h"
#include "state/ordered_table_int.h"

enum { ROOM_MAX = 64 }; // pages asked for beforehand

// --- life --------------------------------------------------------------------------------------

static void forget_emptied(struct ordered_table *table)
{
    for (uint32_t i = 0; i < table->emptied.count; i++) {
        mem_free((void *)(uintptr_t)table->emptied.items[i].ptr);
    }
    table->emptied.count = 0;
}

static void free_inner(struct ordered_table *table)
{
    for (uint32_t i = 0; i < table->inner.count; i++) {
        state_pool_free_page(&table->base.owner, table->inner.items[i]);
    }
    table->inner.count = 0;
}

static void free_table(struct state_table *base)
{
    struct ordered_table *table = (struct ordered_table *)base;
    free_inner(table);
    forget_emptied(table);
    VEC_RELEASE(&table->inner);
    VEC_RELEASE(&table->emptied);
    mem_free(table->scratch);
    state_table_release(base);
    mem_free(table);
}

static void clear_table(struct state_table *base)
{
    struct ordered_table *table = (struct ordered_table *)base;
    free_inner(table);
    forget_emptied(table);
    for (uint32_t i = 0; i < base->owner.pages.count; i++) {
        state_pool_free_page(&base->owner, base->owner.pages.items[i]);
    }
    base->owner.pages.count = 0;
    base->rows = 0;
    base->bytes = 0;
    table->root = ordered_node_new(table, 0)->number;
}

static void note_emptied(struct ordered_table *table, struct str key)
{
    char *copy = mem_alloc(key.size + 1);
    memcpy(copy, key.ptr, key.size);
    VEC_PUSH(&table->emptied, str_make(copy, key.size));
}

static bool write_page(struct state_table *base, struct page *page, bool *holds)
{
    struct ordered_table *table = (struct ordered_table *)base;
    uint32_t oldest = UINT32_MAX;
    (void)holds; // entries are never referred to across calls
    for (uint32_t slot = 0; slot < page->live;) {
        struct row *entry = node_entry(page, slot);
        if (state_table_is_due(base->context, entry->mark)) {
            state_table_write(base, entry, (size_t)entry->units * 8);
            if (!leaf_is_live(entry)) {
                if (page->live == 1) {
                    note_emptied(table, leaf_key(table, entry));
                }
                ordered_node_erase(table, page, slot);
                continue;
            }
        }
        uint32_t segment = entry->mark & MARK_SEGMENT;
        oldest = segment != 0 && segment < oldest ? segment : oldest;
        slot++;
    }
    base->owner.pool->entries.items[page->number].oldest = oldest;
    state_pool_changed(page);
    return true;
}

struct ordered_table *ordered_table_new(struct state_context *context,
                                        const struct ordered_table_options *options)
{
    struct ordered_table *table = mem_zalloc(sizeof *table);
    ASSERT(options->value_size % 8 == 0 && options->value_size <= ORDERED_VALUE_MAX);
    table->value_size = options->value_size;
    table->scratch = mem_alloc(PAGE_SIZE);
    table->base.id = options->id;
    table->base.slice = options->slice;
    table->base.flags = options->flags;
    table->base.form = DELTA_FORM_ORDERED;
    table->base.layout_id = hash_combine(UINT64_C(0x0e3d), options->value_size);
    table->base.is_derived = (options->flags & ORDERED_TABLE_DERIVED) != 0;
    table->base.free = free_table;
    table->base.clear = clear_table;
    table->base.write_page = write_page;
    state_table_init(&table->base, context);
    table->root = ordered_node_new(table, 0)->number;
    return table;
}

void ordered_table_free(struct ordered_table *table)
{
    if (table != NULL && state_table_leave(&table->base)) {
        free_table(&table->base);
    }
}

void ordered_table_declare(struct state_context *context,
                           const struct ordered_table_options *options)
{
    VEC_PUSH(&context->declared_ordered, *options);
}

struct ordered_table *ordered_table_open(struct state_context *context, uint32_t id, int64_t slice)
{
    struct state_table *table = state_table_find(context, id, slice);
    ASSERT(table == NULL || table->form == DELTA_FORM_ORDERED);
    return (struct ordered_table *)table;
}

uint64_t ordered_table_layout_id(const struct ordered_table *table)
{
    return table->base.layout_id;
}

uint64_t ordered_table_count(const struct ordered_table *table)
{
    return table->base.rows;
}

// --- windows -----------------------------------------------------------------------------------

bool ordered_table_is_whole(const struct ordered_table *table)
{
    return table->base.owner.whole;
}

void ordered_table_done(struct ordered_table *table)
{
    page_owner_close(&table->base.owner);
    table->is_waiting = false;
}

// Takes out leaves that were seen to become empty, as far as their pages are in memory.
static void drop_emptied(struct ordered_table *table)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < table->emptied.count; i++) {
        struct ordered_path path;
        struct str key = table->emptied.items[i];
        if (ordered_node_descend(table, key, &path) == STATUS_AGAIN) {
            table->emptied.items[kept++] = key;
            continue;
        }
        if (path.pages[path.depth - 1]->live == 0) {
            ordered_node_unlink(table, &path);
        }
        mem_free((void *)(uintptr_t)key.ptr);
    }
    table->emptied.count = kept;
}

static enum status begin_window(struct ordered_table *table, uint32_t count, struct err *err)
{
    struct page_owner *owner = &table->base.owner;
    ordered_table_done(table);
    TRY(state_pool_check(owner->pool, err));
    if (!state_pool_room(owner->pool, (count < ROOM_MAX ? count : ROOM_MAX) + 2)) {
        state_table_await(&table->base);
        return STATUS_AGAIN;
    }
    drop_emptied(table);
    page_owner_open(owner);
    owner->whole = owner->absent == 0;
    return STATUS_OK;
}

enum status ordered_table_prepare(struct ordered_table *table, const struct ordered_keys *keys,
                                  uint32_t from, uint32_t *ready, struct err *err)
{
    struct page_owner *owner = &table->base.owner;
    struct ordered_path path;
    *ready = 0;
    // Whoever got AGAIN asks the same again; the keys may stand elsewhere by then.
    if (!(table->is_waiting && table->count == keys->count && table->from == from)) {
        TRY(begin_window(table, keys->count - from, err));
    }
    if (owner->whole) {
        *ready = keys->count - from;
        return STATUS_OK;
    }
    state_pool_poll(owner->pool);
    TRY(state_pool_check(owner->pool, err));
    uint32_t pages_max = state_pool_window_pages(owner->pool);
    bool is_missing = false;
    uint32_t at = from;
    for (; at < keys->count && (at == from || owner->pinned < pages_max); at++) {
        is_missing |= ordered_node_descend(table, keys->keys[at], &path) == STATUS_AGAIN;
    }
    table->is_waiting = is_missing;
    table->count = keys->count;
    table->from = from;
    if (is_missing) {
        state_table_await(&table->base);
        return STATUS_AGAIN;
    }
    *ready = at - from;
    return STATUS_OK;
}

// --- entries -----------------------------------------------------------------------------------

static void descend_ready(struct ordered_table *table, struct str key, struct ordered_path *path)
{
    enum status status = ordered_node_descend(table, key, path);
    ASSERT(status == STATUS_OK); // it was prepared
}

static struct row *entry_of(struct ordered_path *path)
{
    return node_entry(path->pages[path->depth - 1], path->slots[path->depth - 1]);
}

static void touch(struct ordered_table *table, struct page *page, struct row *entry)
{
    state_pool_changed(page);
    if ((entry->mark & (MARK_DIRTY | MARK_DEAD)) != *table->base.mark_now) {
        state_table_touch(&table->base, page, entry, (size_t)entry->units * 8);
    }
}

char *ordered_table_find(struct ordered_table *table, struct str key)
{
    struct ordered_path path;
    descend_ready(table, key, &path);
    if (!path.is_equal || !leaf_is_live(entry_of(&path))) {
        return NULL;
    }
    return leaf_value(entry_of(&path));
}

char *ordered_table_upsert(struct ordered_table *table, struct str key, uint64_t hash, bool *is_new)
{
    struct ordered_path path;
    ASSERT(key.size <= ORDERED_KEY_MAX);
    descend_ready(table, key, &path);
    *is_new = true;
    struct row *entry;
    if (path.is_equal) {
        entry = entry_of(&path);
        touch(table, page_of(entry), entry);
        if (leaf_is_live(entry)) {
            *is_new = false;
            return leaf_value(entry);
        }
        entry->mark &= ~MARK_DEAD;
        memset(leaf_value(entry), 0, table->value_size);
    } else {
        entry = ordered_node_insert(table, &path, key, hash & table->base.owner.pool->hash_mask);
        if (*table->base.mark_now != 0) {
            touch(table, page_of(entry), entry);
        }
    }
    table->base.rows++;
    table->base.bytes += (size_t)entry->units * 8;
    return leaf_value(entry);
}

void ordered_table_touch(struct ordered_table *table, struct str key)
{
    struct ordered_path path;
    descend_ready(table, key, &path);
    if (path.is_equal) {
        touch(table, path.pages[path.depth - 1], entry_of(&path));
    }
}

void ordered_table_remove(struct ordered_table *table, struct str key)
{
    struct ordered_path path;
    descend_ready(table, key, &path);
    if (!path.is_equal || !leaf_is_live(entry_of(&path))) {
        return;
    }
    struct page *leaf = path.pages[path.depth - 1];
    struct row *entry = entry_of(&path);
    touch(table, leaf, entry);
    table->base.rows--;
    table->base.bytes -= (size_t)entry->units * 8;
    if ((entry->mark & MARK_SEGMENT) != 0) {
        entry->mark |= MARK_DEAD;
        return;
    }
    if (leaf->live == 1) {
        note_emptied(table, key);
    }
    ordered_node_erase(table, leaf, path.slots[path.depth - 1]);
}

// --- in order ----------------------------------------------------------------------------------

// From the path's slot on (or before it) to the next live entry.
static enum status settle(struct ordered_table *table, struct ordered_path *path, bool backward,
                          struct ordered_entry *entry)
{
    for (;;) {
        uint32_t leaf = path->depth - 1;
        struct page *page = path->pages[leaf];
        while (backward ? path->slots[leaf] > 0 : path->slots[leaf] < page->live) {
            uint32_t slot = backward ? --path->slots[leaf] : path->slots[leaf]++;
            struct row *found = node_entry(page, slot);
            if (leaf_is_live(found)) {
                *entry = (struct ordered_entry){leaf_key(table, found), leaf_value(found)};
                return STATUS_OK;
            }
        }
        TRY(ordered_node_sibling(table, path, backward));
    }
}

static enum status look(struct ordered_table *table, struct str key, bool backward, bool strictly,
                        struct ordered_entry *entry, struct err *err)
{
    struct page_owner *owner = &table->base.owner;
    struct ordered_path path;
    state_pool_poll(owner->pool);
    TRY(state_pool_check(owner->pool, err));
    page_owner_open(owner);
    enum status status = ordered_node_descend(table, key, &path);
    if (status == STATUS_OK) {
        // Slots before the path's are before the key.
        path.slots[path.depth - 1] += path.is_equal && backward != strictly;
        status = settle(table, &path, backward, entry);
    }
    if (status == STATUS_AGAIN) {
        state_table_await(&table->base);
    }
    return status;
}

enum status ordered_table_seek(struct ordered_table *table, struct str from, bool backward,
                               struct ordered_entry *entry, struct err *err)
{
    return look(table, from, backward, false, entry, err);
}

enum status ordered_table_next(struct ordered_table *table, struct str key, bool backward,
                               struct ordered_entry *entry, struct err *err)
{
    return look(table, key, backward, true, entry, err);
}

// --- restore -----------------------------------------------------------------------------------

enum status ordered_table_check_image(const struct state_table *base, const struct row *image,
                                      size_t size, struct err *err)
{
    const struct ordered_table *table = (const struct ordered_table *)base;
    if (image->ttl > ORDERED_KEY_MAX || size != leaf_size(table, image->ttl)) {
        return ERR(err, STATUS_INVALID_DATA, "an entry of %zu bytes with a key of %u", size,
                   image->ttl);
    }
    return STATUS_OK;
}

enum status ordered_table_apply_image(struct state_table *base, const struct row *image,
                                      bool is_gone, uint32_t segment, struct err *err)
{
    struct ordered_table *table = (struct ordered_table *)base;
    struct str key = leaf_key(table, image);
    struct ordered_keys keys = {&key, NULL, 1};
    uint32_t ready;
    TRY(ordered_table_prepare(table, &keys, 0, &ready, err));
    size_t size = (size_t)image->units * 8;
    struct ordered_path path;
    descend_ready(table, key, &path);
    struct row *entry = path.is_equal ? entry_of(&path) : NULL;
    if (entry != NULL) {
        state_context_count_live(base->context, entry->mark & MARK_SEGMENT, -(int64_t)size);
    }
    if (is_gone) {
        if (entry != NULL) {
            struct page *leaf = path.pages[path.depth - 1];
            if (leaf->live == 1) {
                note_emptied(table, key);
            }
            ordered_node_erase(table, leaf, path.slots[path.depth - 1]);
            base->rows--;
            base->bytes -= size;
        }
        return STATUS_OK;
    }
    if (entry == NULL) {
        entry = ordered_node_insert(table, &path, key, image->hash);
        base->rows++;
        base->bytes += size;
    }
    struct page *page = page_of(entry);
    memcpy(leaf_value(entry), (const char *)image + sizeof *image, size - sizeof *image);
    state_pool_changed(page);
    state_context_count_live(base->context, segment, (int64_t)size);
    entry->mark = segment != 0 ? segment : *base->mark_now;
    struct page_entry *note = &base->owner.pool->entries.items[page->number];
    if (segment == 0) {
        state_table_note_page(base, page);
    } else if (segment < note->oldest) {
        note->oldest = segment;
    }
    return STATUS_OK;
}
