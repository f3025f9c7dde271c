// SPDX-License-Identifier: Apache-2.0
//
// MIN and MAX under retraction: the values of each group, with signed counts, in an ordered table
// under (group, value); the extreme is the first (last) entry of the group whose count is positive.
#include <string.h>

#include "base/bits.h"
#include "exec/aggregate_set_int.h"
#include "exec/key_hash.h"
#include "kernel/hash_columns.h"
#include "kernel/order.h"
#include "state/ordered_key.h"
#include "state/ordered_table.h"

static const struct order_column ascending = {.is_descending = false, .nulls_first = true};

static enum status encode(struct arena *arena, const struct column *columns, uint32_t count,
                          struct order_keys *out, struct err *err)
{
    struct order_column *orders = arena_new_array(arena, struct order_column, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        orders[i] = ascending;
    }
    struct order_spec spec = {orders, count};
    return order_encode(arena, columns, &spec, out, err);
}

static struct str key_at(const struct order_keys *keys, uint32_t at)
{
    return str_make((const char *)keys->bytes + keys->offsets[at],
                    keys->offsets[at + 1] - keys->offsets[at]);
}

enum status aggregate_ordered_encode(const struct aggregate_set *set,
                                     const struct aggregate_window *window,
                                     const struct column *argument,
                                     struct aggregate_ordered_keys *out, struct err *err)
{
    struct arena *scratch = window->scratch;
    uint32_t count = window->count;
    struct column *columns = arena_new_array(scratch, struct column, set->key_count + 1);
    for (uint32_t i = 0; i < set->key_count; i++) {
        columns[i] = aggregate_window_column(window, &window->keys[i]);
    }
    columns[set->key_count] = *argument;
    struct order_keys prefixes = {0};
    struct order_keys whole;
    if (set->key_count > 0) {
        TRY(encode(scratch, columns, set->key_count, &prefixes, err));
    }
    TRY(encode(scratch, columns, set->key_count + 1, &whole, err));
    out->prefixes = arena_new_array(scratch, struct str, count + 1);
    out->keys = arena_new_array(scratch, struct str, count + 1);
    out->hashes = arena_alloc(scratch, (count + 1) * sizeof *out->hashes);
    for (uint32_t i = 0; i < count; i++) {
        out->prefixes[i] = set->key_count > 0 ? key_at(&prefixes, i) : STR_LIT("");
        out->keys[i] = key_at(&whole, i);
        out->hashes[i] = window->hashes[aggregate_window_position(window, i)];
    }
    return STATUS_OK;
}

static struct column argument_of(const struct aggregate_set *set,
                                 const struct aggregate_window *window, uint32_t call)
{
    return aggregate_window_column(window, &window->batch->columns[set->calls[call].argument]);
}

// Where the search for the extreme of the group `prefix` begins; in `arena`.
static struct str search_from(struct str prefix, bool is_max, struct arena *arena)
{
    char *bound = arena_alloc(arena, prefix.size + 1);
    if (prefix.size > 0) {
        memcpy(bound, prefix.ptr, prefix.size);
    }
    struct str from = str_make(bound, prefix.size);
    if (is_max) {
        // Behind the last key of the group; without a prefix, behind all.
        size_t size = prefix.size == 0 ? 0 : ordered_key_successor(bound, prefix.size);
        bound[prefix.size] = '\xff';
        from.size = size > 0 ? size : prefix.size + 1;
    }
    return from;
}

// The key of the extreme of the group `prefix`, in `arena`; empty where the group has no value.
// Entries with a negative count (retracted before added) are passed over, and the first `skip`
// others.
static enum status find_extreme(struct ordered_table *table, bool is_max, struct str prefix,
                                uint32_t skip, struct arena *arena, struct str *out,
                                struct err *err)
{
    struct ordered_entry entry;
    *out = (struct str){0};
    enum status status =
        ordered_table_seek(table, search_from(prefix, is_max, arena), is_max, &entry, err);
    while (status == STATUS_OK) {
        if (entry.key.size < prefix.size ||
            (prefix.size > 0 && memcmp(entry.key.ptr, prefix.ptr, prefix.size) != 0)) {
            return STATUS_OK;
        }
        int64_t count;
        memcpy(&count, entry.value, sizeof count);
        struct str key = arena_str(arena, entry.key);
        if (count > 0 && skip-- == 0) {
            *out = key;
            return STATUS_OK;
        }
        status = ordered_table_next(table, key, is_max, &entry, err);
    }
    return status == STATUS_END ? STATUS_OK : status;
}

static bool is_max(const struct aggregate_set *set, uint32_t call)
{
    return set->calls[call].plan->function->kind == AGGREGATE_MAX;
}

static uint32_t count_retractions(const struct aggregate_window *window)
{
    uint32_t count = 0;
    for (uint32_t i = 0; window->batch->kinds != NULL && i < window->count; i++) {
        count += change_is_retraction(window->batch->kinds[aggregate_window_position(window, i)]);
    }
    return count;
}

// Where pages are missing: brings in all that the extremes can become while the window's rows are
// added, since a row must not be waited for when others have changed the table already.
static enum status reach_extremes(struct aggregate_set *set, struct aggregate_tables *tables,
                                  struct aggregate_window *window, uint32_t call,
                                  const struct aggregate_ordered_keys *keys, struct err *err)
{
    struct ordered_table *table = tables->ordereds[set->calls[call].table];
    if (ordered_table_is_whole(table)) {
        return STATUS_OK;
    }
    enum status status = STATUS_OK;
    uint32_t retractions = count_retractions(window);
    for (uint32_t i = 0; i < window->count; i++) {
        struct str ignored;
        enum status one = find_extreme(table, is_max(set, call), keys->prefixes[i], retractions,
                                       window->scratch, &ignored, err);
        if (one != STATUS_OK && one != STATUS_AGAIN) {
            return one;
        }
        status = one == STATUS_AGAIN ? one : status; // all are asked for together
    }
    return status;
}

enum { REACH_ROWS_MAX = 64 };

enum status aggregate_ordered_prepare(struct aggregate_set *set, struct aggregate_tables *tables,
                                      struct aggregate_window *window, uint32_t call,
                                      uint32_t *ready, struct err *err)
{
    struct aggregate_ordered_keys keys;
    struct ordered_table *table = tables->ordereds[set->calls[call].table];
    struct column argument = argument_of(set, window, call);
    TRY(aggregate_ordered_encode(set, window, &argument, &keys, err));
    struct ordered_keys ordered = {keys.keys, keys.hashes, window->count};
    for (uint32_t i = 0; i < window->count; i++) {
        if (keys.keys[i].size > ORDERED_KEY_MAX) {
            return ERR(err, STATUS_LIMIT,
                       "%s over a changing input: a value of more than about %d bytes",
                       aggregate_name(set->calls[call].plan->function->kind), ORDERED_KEY_MAX);
        }
    }
    TRY(ordered_table_prepare(table, &ordered, 0, ready, err));
    if (!ordered_table_is_whole(table) && *ready > REACH_ROWS_MAX) {
        *ready = REACH_ROWS_MAX;
    }
    window->count = *ready < window->count ? *ready : window->count;
    return reach_extremes(set, tables, window, call, &keys, err);
}

static void change_count(struct ordered_table *table, struct str key, uint64_t hash, int64_t change)
{
    bool is_new;
    char *value = ordered_table_upsert(table, key, hash, &is_new);
    int64_t count;
    memcpy(&count, value, sizeof count);
    count += change;
    if (count == 0) {
        ordered_table_remove(table, key);
    } else {
        memcpy(value, &count, sizeof count);
    }
}

static bool counts(const struct aggregate_feed *feed, uint32_t at)
{
    return (feed->active == NULL || bits_get(feed->active, at)) &&
           !column_is_null(&feed->argument, at);
}

static int64_t change_of(const struct aggregate_feed *feed, uint32_t at)
{
    return feed->kinds != NULL && change_is_retraction(feed->kinds[at]) ? -1 : 1;
}

enum status aggregate_ordered_add(struct aggregate_set *set, struct aggregate_tables *tables,
                                  struct aggregate_window *window, uint32_t call,
                                  const struct aggregate_feed *feed, struct err *err)
{
    struct aggregate_ordered_keys keys;
    TRY(aggregate_ordered_encode(set, window, &feed->argument, &keys, err));
    struct ordered_table *table = tables->ordereds[set->calls[call].table];
    for (uint32_t i = 0; i < window->count; i++) {
        if (counts(feed, i)) {
            change_count(table, keys.keys[i], keys.hashes[i], change_of(feed, i));
        }
    }
    return STATUS_OK;
}

// The values at the end of keys whose prefixes are given; an empty key is NULL.
static enum status decode(const struct aggregate_set *set, uint32_t call, const struct str *keys,
                          const size_t *offsets, uint32_t count, struct arena *arena,
                          struct column *out, struct err *err)
{
    const struct type *type = set->calls[call].plan->function->type;
    struct str *present = arena_new_array(arena, struct str, count + 1);
    size_t *present_offsets = arena_new_array(arena, size_t, count + 1);
    uint16_t *rows = arena_zalloc(arena, (count + 1) * sizeof *rows);
    uint64_t *valid = arena_zalloc(arena, (bits_words(count) + 1) * sizeof *valid);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (keys[i].size > 0) {
            rows[i] = (uint16_t)found;
            present_offsets[found] = offsets[i];
            present[found++] = keys[i];
            bits_set(valid, i);
        }
    }
    if (found == 0) {
        struct column like = {.physical = type_physical(type)};
        *out = column_null(arena, &like, count);
        return STATUS_OK;
    }
    struct column values;
    TRY(ordered_key_decode(present, present_offsets, found, type_physical(type), ascending, arena,
                           &values, err));
    *out = column_gather(arena, &values, rows, count);
    if (found < count) {
        // Rows without a value took the first one: they are made null, with a zero below.
        struct column flat = column_flatten(arena, out);
        size_t width = physical_width(flat.physical);
        char *copy = arena_alloc64(arena, width * count);
        memcpy(copy, flat.values, width * count);
        for (uint32_t i = 0; i < count; i++) {
            if (!bits_get(valid, i)) {
                memset(copy + width * i, 0, width);
            }
        }
        flat.values = copy;
        flat.valid = valid;
        *out = flat;
    }
    return STATUS_OK;
}

enum status aggregate_ordered_step(struct aggregate_set *set, struct aggregate_tables *tables,
                                   struct aggregate_window *window, uint32_t call,
                                   const struct aggregate_feed *feed, struct column *before,
                                   struct column *after, struct err *err)
{
    struct arena *scratch = window->scratch;
    struct ordered_table *table = tables->ordereds[set->calls[call].table];
    struct aggregate_ordered_keys keys;
    TRY(aggregate_ordered_encode(set, window, &feed->argument, &keys, err));
    struct str *old = arena_new_array(scratch, struct str, window->count);
    struct str *new = arena_new_array(scratch, struct str, window->count);
    size_t *offsets = arena_new_array(scratch, size_t, window->count);
    for (uint32_t i = 0; i < window->count; i++) {
        offsets[i] = keys.prefixes[i].size;
        TRY(find_extreme(table, is_max(set, call), keys.prefixes[i], 0, scratch, &old[i], err));
        new[i] = old[i];
        if (counts(feed, i)) {
            change_count(table, keys.keys[i], keys.hashes[i], change_of(feed, i));
            TRY(find_extreme(table, is_max(set, call), keys.prefixes[i], 0, scratch, &new[i], err));
        }
    }
    TRY(decode(set, call, old, offsets, window->count, scratch, before, err));
    return decode(set, call, new, offsets, window->count, scratch, after, err);
}

enum status aggregate_ordered_result(const struct aggregate_set *set,
                                     struct aggregate_tables *tables, uint32_t call,
                                     struct row *const *rows, uint32_t count, struct arena *arena,
                                     struct column *out, struct err *err)
{
    struct column *columns = arena_new_array(arena, struct column, set->key_count + 1);
    for (uint32_t i = 0; i < set->key_count; i++) {
        columns[i] = row_layout_column(set->layout, i, rows, count, arena);
    }
    struct order_keys prefixes = {0};
    ordered_table_done(tables->ordereds[set->calls[call].table]);
    if (set->key_count > 0) {
        TRY(encode(arena, columns, set->key_count, &prefixes, err));
    }
    struct str *found = arena_new_array(arena, struct str, count + 1);
    size_t *offsets = arena_new_array(arena, size_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct str prefix = set->key_count > 0 ? key_at(&prefixes, i) : STR_LIT("");
        offsets[i] = prefix.size;
        TRY(find_extreme(tables->ordereds[set->calls[call].table], is_max(set, call), prefix, 0,
                         arena, &found[i], err));
    }
    return decode(set, call, found, offsets, count, arena, out, err);
}
