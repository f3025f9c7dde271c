// SPDX-License-Identifier: Apache-2.0
//
// hash_search: finding the rows of many keys where all pages are in memory.
//
// Keys are taken in turns that go through three stages: locate (asks the processor for the
// directory's line), candidates (reads it, asks for the row), compare. While one turn is compared
// the next has its rows on the way and the one after that its directory lines, so that no stage
// waits for memory.
#include "base/assert.h"
#include "state/hash_table_int.h"

// The entries of the directory page of `hash`; its home among them is on the way.
ALWAYS_INLINE const uint64_t *locate(const struct hash_table *table, uint64_t hash)
{
    const struct state_pool *pool = table->base.owner.pool;
    const uint64_t *entries = directory_entries(state_pool_page(pool, directory_page(table, hash)));
    __builtin_prefetch(entries + directory_home(hash));
    return entries;
}

// The first row on the directory page that may be of the key, on the way; NULL: there is none.
ALWAYS_INLINE struct row *candidate(const struct hash_table *table, uint64_t hash,
                                    const uint64_t *entries)
{
    uint64_t wanted = (uint64_t)directory_tag(hash) << 6; // {tag, distance}
    uint32_t slot = directory_home(hash);
    for (;;) {
        uint64_t entry = entries[slot];
        if (entry >> ROW_ID_BITS == wanted && entry != 0) {
            struct row *row = row_at(table, entry & ROW_ID_MASK);
            __builtin_prefetch(row);
            __builtin_prefetch((char *)row + table->layout->fixed_size - 1);
            return row;
        }
        if (entry == 0 || (wanted & DISTANCE_MAX) == DISTANCE_MAX) {
            return NULL;
        }
        wanted++;
        slot = slot + 1 == DIRECTORY_SLOTS ? 0 : slot + 1;
    }
}

static void turn_locate(struct hash_search *run)
{
    const struct hash_table *table = run->table;
    const struct hash_keys *keys = run->keys;
    struct hash_turn *turn = &run->turns[run->next_locate++ % HASH_SEARCH_STAGES];
    uint32_t left = run->count - run->located;
    turn->count = left < HASH_TURN_KEYS ? left : HASH_TURN_KEYS;
    for (uint32_t i = 0; i < turn->count; i++) {
        uint32_t position = hash_key_position(keys, run->from + run->located + i);
        turn->positions[i] = (uint16_t)position;
        turn->hashes[i] = keys->hashes[position] & table->hash_mask;
        turn->entries[i] = locate(table, turn->hashes[i]);
    }
    run->located += turn->count;
}

// The first candidate of each key on its directory page. What has none there, or another key behind
// it, is left to the slow search.
static void turn_candidates(struct hash_search *run)
{
    struct hash_turn *turn = &run->turns[run->next_candidates++ % HASH_SEARCH_STAGES];
    uint32_t found = 0;
    for (uint32_t i = 0; i < turn->count; i++) {
        struct row *row = candidate(run->table, turn->hashes[i], turn->entries[i]);
        turn->rows[found] = row;
        turn->at[found] = (uint16_t)i;
        found += row != NULL;
    }
    turn->found = found;
}

// out[i]: the row, DEAD ones too; NULL where the first candidate was not it.
static uint32_t turn_compare(struct hash_search *run, struct row **out)
{
    struct hash_turn *turn = &run->turns[run->next_compare++ % HASH_SEARCH_STAGES];
    uint16_t positions[HASH_TURN_KEYS];
    memset(out, 0, turn->count * sizeof *out);
    for (uint32_t i = 0; i < turn->found; i++) {
        uint32_t at = turn->at[i];
        positions[i] = turn->positions[at];
        turn->equal[i] = turn->rows[i]->hash == turn->hashes[at];
    }
    struct row_match match = {positions, turn->equal, turn->found};
    row_compare_many(run->table->layout, turn->rows, run->keys->columns, &match);
    for (uint32_t i = 0; i < turn->found; i++) {
        if (turn->equal[i] != 0) {
            out[turn->at[i]] = turn->rows[i];
        }
    }
    return turn->count;
}

void hash_search_begin(struct hash_search *run, struct hash_table *table,
                       const struct hash_keys *keys, uint32_t from, uint32_t count)
{
    run->table = table;
    run->keys = keys;
    run->from = from;
    run->count = count;
    run->located = 0;
    run->next_locate = run->next_candidates = run->next_compare = 0;
    turn_locate(run);
    turn_locate(run);
    turn_candidates(run);
}

uint32_t hash_search_turn(struct hash_search *run, struct row **out)
{
    turn_locate(run);
    turn_candidates(run);
    return turn_compare(run, out);
}

struct row *hash_search_one(struct hash_table *table, const struct hash_key *key)
{
    struct hash_probe probe = {0};
    row_id id;
    while (hash_directory_next(table, key->hash, &probe, &id) == 1) {
        struct row *row = row_at(table, id);
        if (hash_key_equal(table, row, key)) {
            return row;
        }
    }
    return NULL;
}

void hash_search_warm(const struct hash_table *table, struct row *const *images, uint32_t count)
{
    const uint64_t *entries[HASH_WARM_MAX];
    ASSERT(count <= HASH_WARM_MAX);
    for (uint32_t i = 0; i < count; i++) {
        entries[i] = locate(table, images[i]->hash);
        __builtin_prefetch((const char *)entries[i] - PAGE_HEAD); // most are added
    }
    for (uint32_t i = 0; i < count; i++) {
        (void)candidate(table, images[i]->hash, entries[i]);
    }
}
