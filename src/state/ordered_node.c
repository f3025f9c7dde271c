// SPDX-License-Identifier: Apache-2.0
//
// ordered_node: the B+ tree of ordered_table_int.h, below the level of tables.
#include "base/assert.h"
#include "state/ordered_table_int.h"

struct page *ordered_node_new(struct ordered_table *table, uint32_t kind)
{
    struct page *page = state_pool_new_page(&table->base.owner, 1);
    page->kind = kind;
    page->base = PAGE_SIZE;
    if (kind == 0) {
        page_owner_add_page(&table->base.owner, page);
    } else {
        VEC_PUSH(&table->inner, page->number);
    }
    return page;
}

static void free_node(struct ordered_table *table, struct page *page)
{
    if (page->kind == 0) {
        page_owner_drop_page(&table->base.owner, page->number);
        return;
    }
    for (uint32_t i = 0; i < table->inner.count; i++) {
        if (table->inner.items[i] == page->number) {
            table->inner.items[i] = table->inner.items[--table->inner.count];
            break;
        }
    }
    state_pool_free_page(&table->base.owner, page->number);
}

static struct str key_at(const struct ordered_table *table, struct page *page, uint32_t slot)
{
    if (page->kind == 0) {
        return leaf_key(table, node_entry(page, slot));
    }
    const struct inner_entry *entry = node_entry(page, slot);
    return (struct str){(const char *)(entry + 1), entry->key_size};
}

static size_t entry_size(const struct ordered_table *table, struct page *page, uint32_t slot)
{
    size_t key_size = key_at(table, page, slot).size;
    return page->kind == 0 ? leaf_size(table, key_size)
                           : sizeof(struct inner_entry) + padded8(key_size);
}

// --- searching ---------------------------------------------------------------------------------

// The first slot whose key is not before `key`.
static uint32_t lower_bound(const struct ordered_table *table, struct page *page, struct str key,
                            bool *is_equal)
{
    uint32_t low = 0;
    uint32_t high = page->live;
    *is_equal = false;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = str_compare(key_at(table, page, middle), key);
        if (order < 0) {
            low = middle + 1;
        } else {
            *is_equal |= order == 0;
            high = middle;
        }
    }
    return low;
}

static uint32_t child_at(struct page *page, uint32_t slot)
{
    return slot == 0 ? page->link : ((const struct inner_entry *)node_entry(page, slot - 1))->child;
}

enum status ordered_node_descend(struct ordered_table *table, struct str key,
                                 struct ordered_path *path)
{
    uint32_t number = table->root;
    path->depth = 0;
    for (;;) {
        ASSERT(path->depth < HEIGHT_MAX);
        struct page *page = state_pool_want(&table->base.owner, number);
        if (page == NULL) {
            return STATUS_AGAIN;
        }
        bool is_equal;
        uint32_t slot = lower_bound(table, page, key, &is_equal);
        path->pages[path->depth] = page;
        path->is_equal = is_equal;
        if (page->kind == 0) {
            path->slots[path->depth++] = slot;
            return STATUS_OK;
        }
        slot += is_equal; // the child at the key itself
        path->slots[path->depth++] = slot;
        number = child_at(page, slot);
    }
}

enum status ordered_node_sibling(struct ordered_table *table, struct ordered_path *path,
                                 bool backward)
{
    uint32_t level = path->depth - 1;
    do {
        if (level == 0) {
            return STATUS_END;
        }
        level--;
    } while (backward ? path->slots[level] == 0 : path->slots[level] == path->pages[level]->live);
    // Pages are asked for before the path changes, so that the call can be made again.
    struct ordered_path next = *path;
    next.slots[level] += backward ? -1u : 1u;
    for (uint32_t at = level;; at++) {
        uint32_t number = child_at(next.pages[at], next.slots[at]);
        struct page *page = state_pool_want(&table->base.owner, number);
        if (page == NULL) {
            return STATUS_AGAIN;
        }
        next.pages[at + 1] = page;
        next.slots[at + 1] = backward ? page->live : 0;
        if (page->kind == 0) {
            next.depth = at + 2;
            *path = next;
            return STATUS_OK;
        }
    }
}

// --- room on a node ----------------------------------------------------------------------------

static size_t room(const struct page *page)
{
    return page->base - PAGE_HEAD - (size_t)page->live * sizeof(uint16_t);
}

// Packs the entries to the end of the page.
static void pack(struct ordered_table *table, struct page *page)
{
    size_t base = PAGE_SIZE;
    for (uint32_t i = 0; i < page->live; i++) {
        size_t size = entry_size(table, page, i);
        base -= size;
        memcpy(table->scratch + base, node_entry(page, i), size);
        node_slots(page)[i] = (uint16_t)(base / 8);
    }
    memcpy((char *)page + base, table->scratch + base, PAGE_SIZE - base);
    page->base = (uint32_t)base;
    page->waste = 0;
}

// A place of `size` bytes at `slot`; NULL: the node is full.
static void *make_place(struct ordered_table *table, struct page *page, uint32_t slot, size_t size)
{
    size_t need = size + sizeof(uint16_t);
    if (room(page) < need && room(page) + page->waste >= need) {
        pack(table, page);
    }
    if (room(page) < need) {
        return NULL;
    }
    page->base -= (uint32_t)size;
    uint16_t *slots = node_slots(page);
    memmove(slots + slot + 1, slots + slot, (page->live - slot) * sizeof *slots);
    slots[slot] = (uint16_t)(page->base / 8);
    page->live++;
    state_pool_changed(page);
    return (char *)page + page->base;
}

static void erase(struct ordered_table *table, struct page *page, uint32_t slot)
{
    uint16_t *slots = node_slots(page);
    page->waste += (uint32_t)entry_size(table, page, slot);
    memmove(slots + slot, slots + slot + 1, (page->live - slot - 1) * sizeof *slots);
    page->live--;
    state_pool_changed(page);
}

void ordered_node_erase(struct ordered_table *table, struct page *leaf, uint32_t slot)
{
    erase(table, leaf, slot);
}

// --- splitting ---------------------------------------------------------------------------------

// Where a full node is cut: slots from there on go to the right. Behind the last one where new keys
// come in order, so that pages stay full.
static uint32_t cut_of(const struct ordered_table *table, struct page *page, uint32_t slot)
{
    if (slot == page->live) {
        return page->live;
    }
    size_t half = 0;
    size_t all = PAGE_SIZE - page->base - page->waste;
    uint32_t cut = 0;
    while (cut < page->live && half < all / 2) {
        half += entry_size(table, page, cut++);
    }
    return cut == 0 ? 1 : cut;
}

static void move_right(struct ordered_table *table, struct page *from, uint32_t cut,
                       struct page *to)
{
    uint8_t dirty = table->base.owner.pool->entries.items[from->number].dirty;
    uint32_t oldest = table->base.owner.pool->entries.items[from->number].oldest;
    for (uint32_t i = cut; i < from->live; i++) {
        size_t size = entry_size(table, from, i);
        void *place = make_place(table, to, to->live, size);
        ASSERT(place != NULL);
        memcpy(place, node_entry(from, i), size);
        from->waste += (uint32_t)size;
    }
    from->live = cut;
    table->base.owner.pool->entries.items[to->number].dirty |= dirty;
    table->base.owner.pool->entries.items[to->number].oldest = oldest;
    state_pool_changed(from);
}

static void insert_child(struct ordered_table *table, struct ordered_path *path, uint32_t level,
                         struct str key, uint32_t child);

static void set_child(struct inner_entry *entry, struct str key, uint32_t child)
{
    *entry = (struct inner_entry){child, (uint16_t)key.size, 0};
    memcpy(entry + 1, key.ptr, key.size);
    memset((char *)(entry + 1) + key.size, 0, padded8(key.size) - key.size);
}

static void grow_root(struct ordered_table *table, struct page *left, struct str key,
                      uint32_t right)
{
    struct page *root = ordered_node_new(table, left->kind + 1);
    root->link = left->number;
    table->root = root->number;
    struct inner_entry *entry = make_place(table, root, 0, sizeof *entry + padded8(key.size));
    ASSERT(entry != NULL);
    set_child(entry, key, right);
}

// Tells the parent of path->pages[level] that `right` holds the keys from `key` on.
static void tell_parent(struct ordered_table *table, struct ordered_path *path, uint32_t level,
                        struct str key, uint32_t right)
{
    if (level == 0) {
        grow_root(table, path->pages[0], key, right);
    } else {
        insert_child(table, path, level - 1, key, right);
    }
}

static void insert_child(struct ordered_table *table, struct ordered_path *path, uint32_t level,
                         struct str key, uint32_t child)
{
    struct page *page = path->pages[level];
    uint32_t slot = path->slots[level]; // the new child stands right behind the one that was split
    size_t size = sizeof(struct inner_entry) + padded8(key.size);
    struct inner_entry *entry = make_place(table, page, slot, size);
    if (entry != NULL) {
        set_child(entry, key, child);
        return;
    }
    // The key at the cut moves up, its child becomes the first of the right node.
    char middle_key[ORDERED_KEY_MAX];
    uint32_t cut = cut_of(table, page, page->live == slot ? 0 : slot);
    cut = cut >= page->live ? page->live - 1 : cut;
    struct page *right = ordered_node_new(table, page->kind);
    struct str middle = key_at(table, page, cut);
    memcpy(middle_key, middle.ptr, middle.size);
    middle.ptr = middle_key;
    right->link = child_at(page, cut + 1);
    move_right(table, page, cut + 1, right);
    erase(table, page, cut);
    bool goes_right = slot > cut;
    struct page *target = goes_right ? right : page;
    entry = make_place(table, target, goes_right ? slot - cut - 1 : slot, size);
    ASSERT(entry != NULL);
    set_child(entry, key, child);
    tell_parent(table, path, level, middle, right->number);
}

// The shortest key that is behind `left` and not behind `right`: a prefix of `right`.
static struct str separator(struct str left, struct str right)
{
    size_t same = 0;
    while (same < left.size && same < right.size && left.ptr[same] == right.ptr[same]) {
        same++;
    }
    return (struct str){right.ptr, same + 1 < right.size ? same + 1 : right.size};
}

static void fill_leaf(struct ordered_table *table, struct row *entry, struct str key, uint64_t hash,
                      size_t size)
{
    *entry = (struct row){.hash = hash, .units = (uint16_t)(size / 8), .ttl = (uint16_t)key.size};
    memset(leaf_value(entry), 0, size - sizeof *entry);
    memcpy(leaf_value(entry) + table->value_size, key.ptr, key.size);
}

struct row *ordered_node_insert(struct ordered_table *table, struct ordered_path *path,
                                struct str key, uint64_t hash)
{
    uint32_t level = path->depth - 1;
    struct page *page = path->pages[level];
    uint32_t slot = path->slots[level];
    size_t size = leaf_size(table, key.size);
    struct row *entry = make_place(table, page, slot, size);
    if (entry != NULL) {
        fill_leaf(table, entry, key, hash, size);
        return entry;
    }
    uint32_t cut = cut_of(table, page, slot);
    struct page *right = ordered_node_new(table, 0);
    move_right(table, page, cut, right);
    state_table_walk_too(&table->base, right);
    bool goes_right = slot > cut || (slot == cut && cut == page->live && right->live == 0);
    struct page *target = goes_right ? right : page;
    entry = make_place(table, target, goes_right ? slot - cut : slot, size);
    if (entry == NULL) { // an entry of a quarter page at the border: the other half has room
        ASSERT(!goes_right && slot == cut);
        target = right;
        entry = make_place(table, right, 0, size);
    }
    ASSERT(entry != NULL);
    fill_leaf(table, entry, key, hash, size);
    struct str border = separator(key_at(table, page, page->live - 1), key_at(table, right, 0));
    tell_parent(table, path, level, border, right->number);
    return entry;
}

// --- taking out --------------------------------------------------------------------------------

static void reset_to_empty(struct ordered_table *table)
{
    struct page *root = ordered_node_new(table, 0);
    table->root = root->number;
}

void ordered_node_unlink(struct ordered_table *table, struct ordered_path *path)
{
    uint32_t level = path->depth - 1;
    if (level == 0) {
        return; // the root may be empty
    }
    for (;;) {
        free_node(table, path->pages[level]);
        level--;
        struct page *parent = path->pages[level];
        uint32_t slot = path->slots[level];
        if (slot > 0) {
            erase(table, parent, slot - 1);
            break;
        }
        if (parent->live > 0) {
            parent->link = child_at(parent, 1);
            erase(table, parent, 0);
            break;
        }
        if (level == 0) { // the last child is gone
            free_node(table, parent);
            reset_to_empty(table);
            return;
        }
    }
    // A root with one child is none.
    struct page *root = path->pages[0];
    if (root->kind > 0 && root->live == 0 && level == 0) {
        table->root = root->link;
        free_node(table, root);
    }
}
