// SPDX-License-Identifier: Apache-2.0
//
// ordered_table_int: the inside of ordered tables.
//
// A B+ tree. On a node: live is the number of slots, base the start of the entries (they grow down
// from the end of the page), waste what is free among them; slots are offsets / 8, in key order,
// from PAGE_HEAD on. kind 0: a leaf, else the height above the leaves; link: the child before the
// first slot.
//
// An entry of a leaf has the header of a row, whose `ttl` is the size of the key; then value and
// key, padded to 8. An entry of an inner node: child, size of the key, key, padded to 8: the child
// holds keys at and behind it.
//
// Leaves that become empty are noted and taken out by the next prepare.
#pragma once

#include "state/ordered_table.h"
#include "state/state_table_int.h"

enum { HEIGHT_MAX = 24 };

struct inner_entry {
    uint32_t child;
    uint16_t key_size;
    uint16_t zero;
};

struct ordered_table {
    struct state_table base;
    uint32_t value_size;
    uint32_t root;
    VEC(uint32_t) inner;     // pages above the leaves
    VEC(struct str) emptied; // a key of each leaf that may be empty; owned
    char *scratch;           // a page
    uint32_t count;          // of the prepare that is being continued
    uint32_t from;
    bool is_waiting;
};

// From the root to a leaf. slots[i]: which child was taken on pages[i], 0 for link; on the leaf the
// first slot that is not before the key.
struct ordered_path {
    uint32_t depth; // pages
    struct page *pages[HEIGHT_MAX];
    uint32_t slots[HEIGHT_MAX];
    bool is_equal; // the leaf's slot has the key
};

static inline uint16_t *node_slots(struct page *page)
{
    return (uint16_t *)(void *)((char *)page + PAGE_HEAD);
}
static inline void *node_entry(struct page *page, uint32_t slot)
{
    return (char *)page + (size_t)node_slots(page)[slot] * 8;
}
static inline size_t padded8(size_t size)
{
    return (size + 7) & ~(size_t)7;
}
static inline char *leaf_value(struct row *entry)
{
    return (char *)entry + sizeof *entry;
}
static inline struct str leaf_key(const struct ordered_table *table, const struct row *entry)
{
    return (struct str){(const char *)entry + sizeof *entry + table->value_size, entry->ttl};
}
static inline size_t leaf_size(const struct ordered_table *table, size_t key_size)
{
    return sizeof(struct row) + table->value_size + padded8(key_size);
}
static inline bool leaf_is_live(const struct row *entry)
{
    return (entry->mark & MARK_DEAD) == 0;
}

// ordered_node.c
struct page *ordered_node_new(struct ordered_table *table, uint32_t kind);
// AGAIN: a page is missing and asked for.
enum status ordered_node_descend(struct ordered_table *table, struct str key,
                                 struct ordered_path *path);
// Makes room for an entry at the path's end; the entry, its header, value and key set, mark 0. The
// path is of no use afterwards.
struct row *ordered_node_insert(struct ordered_table *table, struct ordered_path *path,
                                struct str key, uint64_t hash);
void ordered_node_erase(struct ordered_table *table, struct page *leaf, uint32_t slot);
// Takes out the empty leaf at the path's end.
void ordered_node_unlink(struct ordered_table *table, struct ordered_path *path);
// To the first slot of the leaf behind (the last of the one before). END: there is none.
enum status ordered_node_sibling(struct ordered_table *table, struct ordered_path *path,
                                 bool backward);

// ordered_table.c: for the restore.
enum status ordered_table_check_image(const struct state_table *base, const struct row *image,
                                      size_t size, struct err *err);
enum status ordered_table_apply_image(struct state_table *base, const struct row *image,
                                      bool is_gone, uint32_t segment, struct err *err);
