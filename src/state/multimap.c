// SPDX-License-Identifier: Apache-2.0
#include "state/multimap.h"

#include "base/assert.h"
#include "state/multimap_int.h"

enum {
    KEYS_ID = 1,
    LISTS_ID = 2,
    STAGE_BEGIN = 0,
    STAGE_ROWS,
    STAGE_KEYS,
    REBUILD_ROWS = 1024,
    TURN_ROWS = BATCH_ROWS_MAX / 4,
};

#define KEY_GROUP_BITS (UINT64_C(0xfff) << 52)

static enum status rebuild_step(void *object, size_t size, bool *waiting, struct err *err);

// --- life --------------------------------------------------------------------------------------

static struct hash_table *open_table(struct multimap *map, const struct row_layout *layout,
                                     uint32_t id, int flags)
{
    return hash_table_new(map->context,
                          &(struct hash_table_options){.layout = layout, .id = id, .flags = flags});
}

struct multimap *multimap_new(struct state_context *context, const struct multimap_options *options)
{
    struct multimap *map = mem_zalloc(sizeof *map);
    arena_init(&map->arena);
    arena_init(&map->rebuild_arena);
    map->context = context;
    map->column_count = options->column_count;
    map->key_count = options->key_count;
    map->key_columns =
        arena_copy(&map->arena, options->keys, options->key_count * sizeof *options->keys);
    map->key_views = arena_new_array(&map->arena, struct column, options->key_count + 1);
    const struct type **key_types =
        arena_new_array(&map->arena, const struct type *, options->key_count + 1);
    for (uint32_t i = 0; i < options->key_count; i++) {
        key_types[i] = options->types[options->keys[i]];
    }
    map->is_append = options->is_append;
    map->layout =
        row_layout_new(&map->arena, options->types, map->is_append ? 0 : options->column_count,
                       options->column_count, map->is_append ? 0 : sizeof(struct row_extra));
    const struct row_layout *key_layout = row_layout_new(
        &map->arena, key_types, options->key_count, options->key_count, sizeof(struct key_extra));
    const struct row_layout *list_layout = row_layout_new(&map->arena, NULL, 0, 0, 0);
    map->rows = open_table(map, map->layout, options->id, map->is_append ? HASH_TABLE_BAG : 0);
    map->keys = open_table(map, key_layout, options->id + KEYS_ID, HASH_TABLE_DERIVED);
    map->lists =
        open_table(map, list_layout, options->id + LISTS_ID, HASH_TABLE_DERIVED | HASH_TABLE_BAG);
    VEC_PUSH(&context->rebuilds, ((struct state_rebuild){rebuild_step, map}));
    return map;
}

void multimap_free(struct multimap *map)
{
    if (map == NULL) {
        return;
    }
    for (uint32_t i = 0; i < map->context->rebuilds.count; i++) {
        if (map->context->rebuilds.items[i].object == map) {
            map->context->rebuilds.items[i] =
                map->context->rebuilds.items[--map->context->rebuilds.count];
        }
    }
    hash_table_free(map->rows);
    hash_table_free(map->keys);
    hash_table_free(map->lists);
    VEC_RELEASE(&map->to_clean);
    VEC_RELEASE(&map->clean_ids);
    arena_release(&map->rebuild_arena);
    arena_release(&map->arena);
    mem_free(map);
}

const struct row_layout *multimap_layout(const struct multimap *map)
{
    return map->layout;
}

uint64_t multimap_count(const struct multimap *map)
{
    return hash_table_count(map->rows);
}

void multimap_done(struct multimap *map)
{
    hash_table_done(map->rows);
    hash_table_done(map->keys);
    hash_table_done(map->lists);
    map->stage = STAGE_BEGIN;
}

// --- changing ----------------------------------------------------------------------------------

static struct hash_keys row_keys(const struct multimap *map, const struct multimap_input *input)
{
    const uint64_t *hashes = map->is_append ? input->key_hashes : map->row_hashes;
    return (struct hash_keys){input->columns, map->column_count, hashes, input->rows, input->count};
}

static struct hash_keys key_keys(const struct multimap *map, const struct multimap_input *input)
{
    return (struct hash_keys){map->key_views, map->key_count, input->key_hashes, input->rows,
                              input->count};
}

static inline uint32_t position(const struct multimap_input *input, uint32_t at)
{
    return input->rows == NULL ? at : input->rows[at];
}

// A row belongs to the instance of its key: its hash has the key's group.
static void begin_prepare(struct multimap *map, const struct multimap_input *input, uint32_t from)
{
    for (uint32_t i = 0; i < map->key_count; i++) {
        map->key_views[i] = input->columns[map->key_columns[i]];
    }
    for (uint32_t i = from; !map->is_append && i < input->count; i++) {
        uint32_t at = position(input, i);
        map->row_hashes[at] =
            (input->row_hashes[at] & ~KEY_GROUP_BITS) | (input->key_hashes[at] & KEY_GROUP_BITS);
    }
    map->prepare_source = input->columns;
    map->prepare_from = from;
    map->stage = STAGE_BEGIN;
}

// The chunks at the ends of the lists of keys that exist.
static void list_chunks(struct multimap *map, const struct multimap_input *input)
{
    struct hash_keys keys = key_keys(map, input);
    hash_table_find(map->keys, &keys, map->prepare_from, map->keys_ready, map->found);
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->keys_ready; i++) {
        row_id chunk = map->found[i] == NULL ? 0 : key_extra_of(map, map->found[i])->chunk;
        if (chunk != 0) {
            map->ids[count] = chunk;
            map->id_owners[count++] = (uint16_t)i;
        }
    }
    map->ids_done = count;
}

static enum status prepare_stages(struct multimap *map, const struct multimap_input *input,
                                  uint32_t from, struct err *err)
{
    struct hash_keys rows = row_keys(map, input);
    struct hash_keys keys = key_keys(map, input);
    if (map->stage == STAGE_BEGIN) {
        TRY(hash_table_prepare(map->rows, &rows, from, &map->rows_ready, err));
        map->stage = STAGE_ROWS;
    }
    if (map->stage == STAGE_ROWS) {
        // As many as there are rows, or fewer.
        keys.count = from + map->rows_ready;
        TRY(hash_table_prepare(map->keys, &keys, from, &map->keys_ready, err));
        map->stage = STAGE_KEYS;
        list_chunks(map, input);
    }
    uint32_t ready = map->ids_done;
    if (map->ids_done > 0) {
        TRY(hash_table_prepare_ids(map->lists, map->ids, map->ids_done, &ready, err));
    } else {
        hash_table_done(map->lists); // what the last window made is not pinned for ever
    }
    if (ready < map->ids_done) {
        map->keys_ready = map->id_owners[ready]; // the first whose chunk is not there
    }
    map->stage = STAGE_BEGIN;
    return STATUS_OK;
}

enum status multimap_prepare(struct multimap *map, const struct multimap_input *input,
                             uint32_t from, uint32_t *ready, struct err *err)
{
    *ready = 0;
    TRY(multimap_list_clean(map, err));
    if (from == input->count) {
        return STATUS_OK;
    }
    if (map->stage == STAGE_BEGIN || map->prepare_source != input->columns ||
        map->prepare_from != from) {
        begin_prepare(map, input, from);
    }
    TRY(prepare_stages(map, input, from, err));
    *ready = map->keys_ready;
    return STATUS_OK;
}

// Rows that count 0 leave the list and the table; keys without rows leave, too.
static void drop_zero(struct multimap *map, struct row *row, struct row *key)
{
    struct key_extra *extra = key_extra_of(map, key);
    if (row_is_live(row) && row_extra_of(map, row)->count == 0 &&
        multimap_list_remove(map, key, row_id_of(row))) {
        extra->dead--;
        hash_table_remove(map->rows, row);
    }
    if (row_is_live(key) && extra->listed == 0 && extra->is_to_clean == 0) {
        hash_table_remove(map->keys, key);
    } else if (row_is_live(key)) {
        multimap_list_note_dead(map, key);
    }
}

static void append_turn(struct multimap *map, const struct multimap_input *input, uint32_t from,
                        uint32_t count)
{
    struct hash_keys rows = row_keys(map, input);
    struct hash_keys keys = key_keys(map, input);
    struct row *own[TURN_ROWS];
    struct row *parents[TURN_ROWS];
    hash_table_add(map->rows, &rows, from, count, own);
    hash_table_upsert(map->keys, &keys, from, count, parents, NULL);
    for (uint32_t i = 0; i < count; i++) {
        DASSERT(input->kinds == NULL || input->kinds[position(input, from + i)] == CHANGE_INSERT);
        multimap_list_add(map, parents[i], row_id_of(own[i]));
    }
}

static void count_turn(struct multimap *map, const struct multimap_input *input, uint32_t from,
                       uint32_t count)
{
    struct hash_keys rows = row_keys(map, input);
    struct hash_keys keys = key_keys(map, input);
    struct row *own[TURN_ROWS];
    struct row *parents[TURN_ROWS];
    uint64_t is_new[TURN_ROWS / 64];
    bool any_zero = false;
    hash_table_upsert(map->rows, &rows, from, count, own, is_new);
    hash_table_upsert(map->keys, &keys, from, count, parents, NULL);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = position(input, from + i);
        struct row_extra *extra = row_extra_of(map, own[i]);
        if (bits_get(is_new, i)) {
            extra->key_hash = input->key_hashes[at];
            multimap_list_add(map, parents[i], row_id_of(own[i]));
        } else if (extra->count == 0) {
            key_extra_of(map, parents[i])->dead--;
        }
        bool is_minus = input->kinds != NULL && change_is_retraction(input->kinds[at]);
        extra->count += is_minus ? -1 : 1;
        if (extra->count == 0) {
            key_extra_of(map, parents[i])->dead++;
            any_zero = true;
        }
    }
    for (uint32_t i = 0; any_zero && i < count; i++) {
        drop_zero(map, own[i], parents[i]);
    }
}

void multimap_change(struct multimap *map, const struct multimap_input *input, uint32_t from,
                     uint32_t count)
{
    for (uint32_t begin = 0; begin < count; begin += TURN_ROWS) {
        uint32_t size = count - begin < TURN_ROWS ? count - begin : TURN_ROWS;
        if (map->is_append) {
            append_turn(map, input, from + begin, size);
        } else {
            count_turn(map, input, from + begin, size);
        }
    }
}

// --- matching ----------------------------------------------------------------------------------

void multimap_match(struct multimap *map, const struct hash_keys *keys)
{
    map->probe = *keys;
    map->probe_begun = false;
    map->probe_at = 0;
    map->probe_ready = 0;
    map->probe_base = 0;
    map->probe_inline = false;
    map->probe_chunk = 0;
    map->match_count = 0;
    map->match_done = 0;
    map->probe_waits = false;
}

static void add_ids(struct multimap *map, const row_id *ids, uint32_t count)
{
    uint16_t probe =
        (uint16_t)(map->probe.rows == NULL ? map->probe_at : map->probe.rows[map->probe_at]);
    for (uint32_t i = 0; i < count; i++) {
        map->match_ids[map->match_count] = ids[i];
        map->match_probe[map->match_count++] = probe;
    }
}

static void next_key(struct multimap *map)
{
    map->probe_at++;
    map->probe_ready--;
    map->probe_inline = false;
}

// Adds the ids of the key at hand, as far as there is room. OK: all; LIMIT: no room; AGAIN.
static enum status collect_key(struct multimap *map, uint32_t max, struct err *err)
{
    struct row *key = map->probe_rows[map->probe_at - map->probe_base];
    if (key == NULL) {
        return STATUS_OK;
    }
    if (!map->probe_inline) {
        const struct key_extra *extra = key_extra_of(map, key);
        if (map->match_count + INLINE_IDS > max && map->match_count > 0) {
            return STATUS_LIMIT;
        }
        add_ids(map, extra->ids, extra->id_count);
        map->probe_inline = true;
        map->probe_chunk = extra->chunk;
        map->probe_index = 0;
    }
    while (map->probe_chunk != 0) {
        uint32_t ready;
        if (map->match_count >= max) {
            return STATUS_LIMIT;
        }
        TRY(hash_table_prepare_ids(map->lists, &map->probe_chunk, 1, &ready, err));
        const struct chunk *chunk =
            (const struct chunk *)(const void *)row_at(map->lists, map->probe_chunk);
        uint32_t left = chunk->count - map->probe_index;
        uint32_t room = max - map->match_count;
        uint32_t count = left < room ? left : room;
        add_ids(map, chunk->ids + map->probe_index, count);
        map->probe_index += count;
        if (map->probe_index == chunk->count) {
            map->probe_chunk = chunk->previous;
            map->probe_index = 0;
        }
    }
    return STATUS_OK;
}

// Fills match_ids from the keys. END: there are no keys left.
static enum status collect(struct multimap *map, uint32_t max, struct err *err)
{
    while (map->probe_at < map->probe.count && map->match_count < max) {
        if (map->probe_ready == 0) {
            TRY(hash_table_prepare(map->keys, &map->probe, map->probe_at, &map->probe_ready, err));
            map->probe_base = map->probe_at;
            hash_table_find(map->keys, &map->probe, map->probe_at, map->probe_ready,
                            map->probe_rows);
        }
        enum status status = collect_key(map, max, err);
        if (status == STATUS_LIMIT) {
            return STATUS_OK;
        }
        TRY(status);
        next_key(map);
    }
    return map->match_count == 0 ? STATUS_END : STATUS_OK;
}

static void fill_pairs(struct multimap *map, uint32_t count, struct multimap_pairs *pairs)
{
    const row_id *ids = map->match_ids + map->match_done;
    const uint16_t *probe = map->match_probe + map->match_done;
    uint32_t filled = 0;
    for (uint32_t i = 0; i < count; i++) {
        pairs->rows[i] = row_at(map->rows, ids[i]);
        __builtin_prefetch(pairs->rows[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct row *row = pairs->rows[i];
        int64_t times = map->is_append ? 1 : row_extra_of(map, row)->count;
        pairs->rows[filled] = row;
        pairs->counts[filled] = times;
        pairs->probe[filled] = probe[i];
        filled += times != 0;
    }
    pairs->count = filled;
    map->match_done += count;
}

enum status multimap_next(struct multimap *map, uint32_t max, struct multimap_pairs *pairs,
                          struct err *err)
{
    max = max > MULTIMAP_PAIRS_MAX - INLINE_IDS ? MULTIMAP_PAIRS_MAX - INLINE_IDS : max;
    pairs->count = 0;
    if (!map->probe_begun) {
        TRY(multimap_list_clean(map, err));
        map->probe_begun = true;
    }
    while (pairs->count == 0) {
        uint32_t ready;
        if (map->match_done == map->match_count && !map->probe_waits) {
            map->match_done = 0;
            map->match_count = 0;
        }
        if (map->match_done == 0 && !map->probe_waits) {
            TRY(collect(map, max, err));
        }
        map->probe_waits = true;
        TRY(hash_table_prepare_ids(map->rows, map->match_ids + map->match_done,
                                   map->match_count - map->match_done, &ready, err));
        map->probe_waits = false;
        fill_pairs(map, ready, pairs);
    }
    return STATUS_OK;
}

// --- after a restore ---------------------------------------------------------------------------

// The next window of rows: their key columns and hashes, copied. END: there are none left.
static enum status read_rows(struct multimap *map, struct err *err)
{
    struct row **rows = map->found;
    uint32_t count;
    arena_reset(&map->rebuild_arena);
    TRY(hash_table_scan_next(map->rows, &map->scan, rows, REBUILD_ROWS, &count, err));
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (map->is_append || row_extra_of(map, rows[i])->count != 0) {
            rows[kept++] = rows[i];
        } else {
            hash_table_remove(map->rows, rows[i]);
        }
    }
    struct arena *arena = &map->rebuild_arena;
    struct column *columns = arena_new_array(arena, struct column, map->column_count + 1);
    uint64_t *hashes = arena_new_array(arena, uint64_t, kept + 1);
    row_id *ids = arena_new_array(arena, row_id, kept + 1);
    for (uint32_t i = 0; i < map->key_count; i++) {
        uint32_t at = map->key_columns[i];
        columns[at] = row_layout_column(map->layout, at, rows, kept, arena);
        map->key_views[i] = columns[at];
    }
    for (uint32_t i = 0; i < kept; i++) {
        hashes[i] = map->is_append ? rows[i]->hash : row_extra_of(map, rows[i])->key_hash;
        ids[i] = row_id_of(rows[i]);
    }
    struct multimap_input *input = arena_new(arena, struct multimap_input);
    *input = (struct multimap_input){.columns = columns, .key_hashes = hashes, .count = kept};
    map->rebuild = input;
    map->rebuild_ids = ids;
    map->rebuild_from = 0;
    return STATUS_OK;
}

static enum status rebuild_window(struct multimap *map, struct err *err)
{
    const struct multimap_input *input = map->rebuild;
    struct hash_keys keys = key_keys(map, input);
    while (map->rebuild_from < input->count) {
        uint32_t ready;
        TRY(hash_table_prepare(map->keys, &keys, map->rebuild_from, &ready, err));
        hash_table_upsert(map->keys, &keys, map->rebuild_from, ready, map->probe_rows, NULL);
        for (uint32_t i = 0; i < ready; i++) {
            // A chunk that is not in memory gets a younger one in front of it.
            multimap_list_add(map, map->probe_rows[i], map->rebuild_ids[map->rebuild_from + i]);
        }
        hash_table_done(map->lists);
        map->rebuild_from += ready;
    }
    map->rebuild = NULL;
    return STATUS_OK;
}

static enum status rebuild_step(void *object, size_t size, bool *waiting, struct err *err)
{
    struct multimap *map = object;
    enum status status = STATUS_OK;
    *waiting = false;
    for (size_t done = 0; done < size && status == STATUS_OK; done += PAGE_SIZE) {
        if (map->rebuild == NULL) {
            status = read_rows(map, err);
        }
        if (status == STATUS_OK) {
            status = rebuild_window(map, err);
        }
    }
    *waiting = status == STATUS_AGAIN;
    if (status != STATUS_END) {
        return status == STATUS_OK ? STATUS_AGAIN : status;
    }
    arena_reset(&map->rebuild_arena);
    multimap_done(map);
    return STATUS_OK;
}
