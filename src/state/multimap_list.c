// SPDX-License-Identifier: Apache-2.0
//
// multimap_list: the lists of row ids of a multimap's keys.
#include "base/assert.h"
#include "state/multimap_int.h"

// The chunk, where its page is in memory.
static struct chunk *chunk_here(struct multimap *map, row_id id)
{
    struct page_owner *owner = &map->lists->base.owner;
    if (id == 0 || !page_entry_in_memory(&owner->pool->entries.items[id >> 11])) {
        return NULL;
    }
    return (struct chunk *)(void *)row_at(map->lists, id);
}

static struct chunk *new_chunk(struct multimap *map, uint64_t listed, row_id previous)
{
    // About as many as there are, so that a list of n ids has about log n chunks until they are
    // big.
    uint32_t capacity = CHUNK_IDS_MIN;
    while (capacity < listed && capacity < CHUNK_IDS_MAX) {
        capacity = capacity * 4 + 6;
    }
    capacity = capacity > CHUNK_IDS_MAX ? CHUNK_IDS_MAX : capacity;
    struct chunk *chunk = (struct chunk *)(void *)hash_rows_alloc(
        map->lists, sizeof *chunk + capacity * sizeof(row_id));
    chunk->previous = previous;
    chunk->count = 0;
    chunk->capacity = capacity;
    return chunk;
}

void multimap_list_add(struct multimap *map, struct row *key, row_id id)
{
    struct key_extra *extra = key_extra_of(map, key);
    extra->listed++;
    if (extra->id_count < INLINE_IDS) {
        extra->ids[extra->id_count++] = id;
        return;
    }
    struct chunk *chunk = chunk_here(map, extra->chunk);
    if (chunk == NULL || chunk->count == chunk->capacity) {
        chunk = new_chunk(map, extra->listed, extra->chunk);
        extra->chunk = row_id_of(&chunk->head);
    }
    chunk->ids[chunk->count++] = id;
    state_pool_changed(page_of(chunk));
}

bool multimap_list_remove(struct multimap *map, struct row *key, row_id id)
{
    struct key_extra *extra = key_extra_of(map, key);
    for (uint32_t i = 0; i < extra->id_count; i++) {
        if (extra->ids[i] == id) {
            extra->ids[i] = extra->ids[--extra->id_count];
            extra->listed--;
            return true;
        }
    }
    struct chunk *chunk = chunk_here(map, extra->chunk);
    uint32_t looks = chunk == NULL ? 0 : chunk->count < UNLIST_LOOKS ? chunk->count : UNLIST_LOOKS;
    for (uint32_t i = 0; i < looks; i++) {
        uint32_t at = chunk->count - 1 - i;
        if (chunk->ids[at] != id) {
            continue;
        }
        chunk->ids[at] = chunk->ids[--chunk->count];
        extra->listed--;
        state_pool_changed(page_of(chunk));
        if (chunk->count == 0) {
            extra->chunk = chunk->previous;
            hash_rows_free(map->lists, &chunk->head);
        }
        return true;
    }
    return false;
}

void multimap_list_note_dead(struct multimap *map, struct row *key)
{
    struct key_extra *extra = key_extra_of(map, key);
    if (extra->dead > extra->listed / 2 + DEAD_FREE && extra->is_to_clean == 0) {
        extra->is_to_clean = 1;
        VEC_PUSH(&map->to_clean, row_id_of(key));
    }
}

// --- writing anew ------------------------------------------------------------------------------

static enum status prepare_one(struct hash_table *table, const row_id *id, struct err *err)
{
    uint32_t ready;
    return hash_table_prepare_ids(table, id, 1, &ready, err);
}

// Takes the ids out of the chunks, which go.
static enum status read_chunks(struct multimap *map, struct err *err)
{
    while (map->clean_chunk != 0) {
        TRY(prepare_one(map->lists, &map->clean_chunk, err));
        struct chunk *chunk = (struct chunk *)(void *)row_at(map->lists, map->clean_chunk);
        for (uint32_t i = 0; i < chunk->count; i++) {
            VEC_PUSH(&map->clean_ids, chunk->ids[i]);
        }
        map->clean_chunk = chunk->previous;
        hash_rows_free(map->lists, &chunk->head);
    }
    return STATUS_OK;
}

// Keeps the ids whose rows are alive, removes the other rows.
static enum status sort_out(struct multimap *map, struct err *err)
{
    while (map->clean_at < map->clean_ids.count) {
        uint32_t ready;
        row_id *ids = map->clean_ids.items;
        TRY(hash_table_prepare_ids(map->rows, ids + map->clean_at,
                                   map->clean_ids.count - map->clean_at, &ready, err));
        for (uint32_t i = 0; i < ready; i++) {
            row_id id = ids[map->clean_at + i];
            struct row *row = row_at(map->rows, id);
            if (row_extra_of(map, row)->count != 0) {
                ids[map->clean_kept++] = id;
            } else {
                hash_table_remove(map->rows, row);
            }
        }
        map->clean_at += ready;
    }
    return STATUS_OK;
}

static enum status begin_cleaning(struct multimap *map, struct row *key)
{
    struct key_extra *extra = key_extra_of(map, key);
    map->is_cleaning = true;
    map->clean_chunk = extra->chunk;
    map->clean_ids.count = 0;
    map->clean_at = 0;
    map->clean_kept = 0;
    for (uint32_t i = 0; i < extra->id_count; i++) {
        VEC_PUSH(&map->clean_ids, extra->ids[i]);
    }
    return STATUS_OK;
}

static void end_cleaning(struct multimap *map, struct row *key)
{
    struct key_extra *extra = key_extra_of(map, key);
    hash_table_touch(map->keys, key);
    *extra = (struct key_extra){0};
    hash_table_done(map->rows);
    for (uint32_t i = 0; i < map->clean_kept; i++) {
        multimap_list_add(map, key, map->clean_ids.items[i]);
    }
    map->is_cleaning = false;
    map->to_clean.items[0] = map->to_clean.items[--map->to_clean.count];
}

enum status multimap_list_clean(struct multimap *map, struct err *err)
{
    while (map->to_clean.count > 0) {
        TRY(prepare_one(map->keys, &map->to_clean.items[0], err));
        struct row *key = row_at(map->keys, map->to_clean.items[0]);
        if (!map->is_cleaning) {
            TRY(begin_cleaning(map, key));
        }
        TRY(read_chunks(map, err));
        TRY(sort_out(map, err));
        end_cleaning(map, key);
    }
    return STATUS_OK;
}
