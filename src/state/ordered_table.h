// SPDX-License-Identifier: Apache-2.0
//
// ordered_table: entries in the order of their keys, which are bytes compared as memcmp does: a B+
// tree on the pages of state (state.h says how tables are used). Keys are made with ordered_key.h,
// so that their order is that of (key columns, order columns, sequence). MIN and MAX under
// retraction, Top-N, timers.
//
// The hash of an entry decides its key group: give the hash of the group's columns.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct state_context;
struct ordered_table;

enum {
    ORDERED_TABLE_DERIVED = 1,
    ORDERED_KEY_MAX = 3000, // bytes of a key; longer ones are the caller's to refuse
    ORDERED_VALUE_MAX = 256,
};

struct ordered_table_options {
    uint32_t id;
    int64_t slice;
    uint32_t value_size; // fixed, a multiple of 8; new entries are zero
    int flags;
};

MUST_USE struct ordered_table *ordered_table_new(struct state_context *context,
                                                 const struct ordered_table_options *options);
void ordered_table_free(struct ordered_table *table); // NULL is allowed
// As hash_table_declare(): slices that a restore finds are made with these options.
void ordered_table_declare(struct state_context *context,
                           const struct ordered_table_options *options);
struct ordered_table *ordered_table_open(struct state_context *context, uint32_t id, int64_t slice);
uint64_t ordered_table_layout_id(const struct ordered_table *table); // as segments have it
uint64_t ordered_table_count(const struct ordered_table *table);

struct ordered_keys {
    const struct str *keys;
    const uint64_t *hashes;
    uint32_t count;
};

// As hash_table_prepare(): keys from, ..., from + *ready - 1 can be read, added and removed.
MUST_USE enum status ordered_table_prepare(struct ordered_table *table,
                                           const struct ordered_keys *keys, uint32_t from,
                                           uint32_t *ready, struct err *err);
void ordered_table_done(struct ordered_table *table);
// Whether the last prepare found all pages in memory, where they stay until the next: nothing
// answers AGAIN.
bool ordered_table_is_whole(const struct ordered_table *table);

// Values are in place until the next call that adds or removes, or the next prepare. NULL: no
// entry.
char *ordered_table_find(struct ordered_table *table, struct str key);
char *ordered_table_upsert(struct ordered_table *table, struct str key, uint64_t hash,
                           bool *is_new);
void ordered_table_touch(struct ordered_table *table, struct str key); // before its value changes
void ordered_table_remove(struct ordered_table *table, struct str key);

// The first entry at or behind `from`, or the last one at or before it (`backward`).
struct ordered_entry {
    struct str key; // in place as values are
    const char *value;
};
// OK, AGAIN (pages are being read), END (none). Calls for several keys in a row keep all their
// pages in place until ordered_table_done() or the next prepare.
MUST_USE enum status ordered_table_seek(struct ordered_table *table, struct str from, bool backward,
                                        struct ordered_entry *entry, struct err *err);
// The neighbour of `key`, strictly behind (before) it.
MUST_USE enum status ordered_table_next(struct ordered_table *table, struct str key, bool backward,
                                        struct ordered_entry *entry, struct err *err);
