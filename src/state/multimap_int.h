// SPDX-License-Identifier: Apache-2.0
//
// multimap_int: the inside of multimaps.
//
// rows   by all columns; extra: struct row_extra. Each row of it is in the list of its key.
//        Of a map that only grows: a bag without extra; the hash of a row is that of its key.
// keys   by the key columns, derived; extra: struct key_extra
// lists  chunks of row ids, derived, reached by id only: a chain from the youngest to the oldest
//
// A row whose count falls to 0 leaves its list at once where it is found near the end; otherwise it
// stays as a dead one, and when a list has many of those it is written anew (multimap_list.c).
#pragma once

#include "state/hash_table_int.h"
#include "state/multimap.h"

enum {
    INLINE_IDS = 2,
    CHUNK_IDS_MIN = 6,
    CHUNK_IDS_MAX = 510,
    UNLIST_LOOKS = 64, // how far from the end a row is looked for
    DEAD_FREE = 32,    // dead ones that no list minds
};

struct row_extra {
    int64_t count;
    uint64_t key_hash;
};

struct key_extra {
    uint64_t listed; // ids in the list
    uint64_t dead;   // of those: rows with count 0
    row_id chunk;    // the youngest; 0: none
    row_id ids[INLINE_IDS];
    uint32_t id_count; // of `ids`
    uint32_t is_to_clean;
};

struct chunk {
    struct row head;
    row_id previous;
    uint32_t count;
    uint32_t capacity;
    row_id ids[];
};

struct multimap {
    struct state_context *context;
    struct arena arena; // layouts
    struct hash_table *rows;
    struct hash_table *keys;
    struct hash_table *lists;
    const struct row_layout *layout;
    uint32_t column_count;
    uint32_t key_count;
    uint32_t *key_columns;
    bool is_append;

    // A change in preparation.
    const void *prepare_source;
    uint32_t prepare_from;
    uint32_t stage; // 0: begin; 1: rows, 2: keys are ready
    uint32_t rows_ready;
    uint32_t keys_ready;
    uint32_t ids_done;                   // of `ids`: prepared
    uint64_t row_hashes[BATCH_ROWS_MAX]; // with the key group of the key
    struct column *key_views;            // key_count: the key columns of the input
    struct row *found[BATCH_ROWS_MAX];
    row_id ids[BATCH_ROWS_MAX];
    uint16_t id_owners[BATCH_ROWS_MAX]; // index of the key whose chunk ids[i] is

    // A probing in progress.
    struct hash_keys probe;
    uint32_t probe_at;    // key
    uint32_t probe_ready; // keys from there on whose rows are in probe_rows
    uint32_t probe_base;  // the key of probe_rows[0]
    bool probe_begun;     // lists are not changed from here on
    bool probe_inline;    // the inline ids of the key at hand are done
    row_id probe_chunk;   // of the key at hand; 0: none left
    uint32_t probe_index; // next id in the chunk
    bool probe_waits;     // for the rows of match_ids
    uint32_t match_count;
    uint32_t match_done;
    struct row *probe_rows[BATCH_ROWS_MAX];
    row_id match_ids[MULTIMAP_PAIRS_MAX];
    uint16_t match_probe[MULTIMAP_PAIRS_MAX];

    // Lists to be written anew: ids of key rows.
    VEC(row_id) to_clean;
    bool is_cleaning;      // the first of them is under way:
    row_id clean_chunk;    // next chunk to read
    VEC(row_id) clean_ids; // read so far, freed from their chunks
    uint32_t clean_at;     // of those: looked at
    uint32_t clean_kept;

    // After a restore.
    struct hash_table_scan scan;
    struct multimap_input *rebuild; // a window of rows; NULL: the next one is to be read
    struct arena rebuild_arena;
    uint32_t rebuild_from;
    row_id *rebuild_ids;
};

static inline struct row_extra *row_extra_of(const struct multimap *map, struct row *row)
{
    return (struct row_extra *)(void *)row_extra(map->layout, row);
}
static inline struct key_extra *key_extra_of(const struct multimap *map, struct row *row)
{
    return (struct key_extra *)(void *)row_extra(map->keys->layout, row);
}

// multimap_list.c
void multimap_list_add(struct multimap *map, struct row *key, row_id id);
// False: it is not near the end of the list.
bool multimap_list_remove(struct multimap *map, struct row *key, row_id id);
// Whether the list has so many dead ids that it should be written anew.
void multimap_list_note_dead(struct multimap *map, struct row *key);
// Writes lists anew that were noted. AGAIN, OK.
enum status multimap_list_clean(struct multimap *map, struct err *err);
