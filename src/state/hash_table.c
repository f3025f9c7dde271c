// SPDX-License-Identifier: Apache-2.0
#include "state/hash_table.h"

#include "base/assert.h"
#include "base/hash.h"
#include "state/hash_table_int.h"
#include "state/row_value.h"

// --- life --------------------------------------------------------------------------------------

static void free_table(struct state_table *base)
{
    struct hash_table *table = (struct hash_table *)base;
    hash_directory_release(table);
    VEC_RELEASE(&table->emptied);
    VEC_RELEASE(&table->leftover);
    mem_free(table->window);
    state_table_release(base);
    mem_free(table);
}

static void clear_table(struct state_table *base)
{
    struct hash_table *table = (struct hash_table *)base;
    hash_directory_release(table);
    for (uint32_t i = 0; i < base->owner.pages.count; i++) {
        state_pool_free_page(&base->owner, base->owner.pages.items[i]);
    }
    base->owner.pages.count = 0;
    table->emptied.count = 0;
    table->leftover.count = 0;
    table->fill = 0;
    table->waste = 0;
    table->depth = 0;
    base->rows = 0;
    base->bytes = 0;
    hash_directory_init(table, 0);
}

struct hash_table *hash_table_new(struct state_context *context,
                                  const struct hash_table_options *options)
{
    struct hash_table *table = mem_zalloc(sizeof *table);
    bool is_bag = (options->flags & HASH_TABLE_BAG) != 0;
    table->layout = options->layout;
    table->base.id = options->id;
    table->base.slice = options->slice;
    table->base.flags = options->flags;
    table->base.form = is_bag ? DELTA_FORM_BAG : DELTA_FORM_HASH;
    table->base.layout_id = options->layout->id;
    table->base.is_derived = (options->flags & HASH_TABLE_DERIVED) != 0;
    table->base.free = free_table;
    table->base.clear = clear_table;
    table->base.write_page = hash_rows_write_page;
    state_table_init(&table->base, context);
    table->hash_mask = context->pool->hash_mask;
    hash_directory_init(table, options->rows_expected);
    return table;
}

void hash_table_free(struct hash_table *table)
{
    if (table != NULL && state_table_leave(&table->base)) {
        free_table(&table->base);
    }
}

void hash_table_declare(struct state_context *context, const struct hash_table_options *options)
{
    VEC_PUSH(&context->declared, *options);
}

struct hash_table *hash_table_open(struct state_context *context, uint32_t id, int64_t slice)
{
    struct state_table *table = state_table_find(context, id, slice);
    ASSERT(table == NULL || table->form != DELTA_FORM_ORDERED);
    return (struct hash_table *)table;
}

uint64_t hash_table_count(const struct hash_table *table)
{
    return table->base.rows;
}

const struct row_layout *hash_table_layout(const struct hash_table *table)
{
    return table->layout;
}

// --- windows -----------------------------------------------------------------------------------

static struct hash_key key_at(const struct hash_table *table, const struct hash_keys *keys,
                              uint32_t at)
{
    uint32_t position = hash_key_position(keys, at);
    return (struct hash_key){keys->hashes[position] & table->hash_mask, keys->columns, position,
                             NULL};
}

void hash_table_done(struct hash_table *table)
{
    hash_rows_end_window(table);
    page_owner_close(&table->base.owner);
    if (table->window != NULL) {
        table->window->is_waiting = false;
    }
}

// Begins a window in which rows of `bytes` may be added. AGAIN: there is no room yet. *whole: all
// pages are in memory.
static enum status begin_window(struct hash_table *table, size_t bytes, bool *whole,
                                struct err *err)
{
    struct page_owner *owner = &table->base.owner;
    hash_table_done(table);
    TRY(state_pool_check(owner->pool, err));
    if (!state_pool_room(owner->pool, hash_rows_pages(table, bytes))) {
        state_table_await(&table->base);
        return STATUS_AGAIN;
    }
    page_owner_open(owner);
    owner->whole = owner->absent == 0;
    *whole = owner->whole;
    return STATUS_OK;
}

static struct hash_window *window_of(struct hash_table *table)
{
    if (table->window == NULL) {
        table->window = mem_zalloc(sizeof *table->window);
    }
    return table->window;
}

// A request is known again by how it ends and by its hashes: the caller may have made its columns
// anew.
static uint64_t request_id(const struct hash_keys *keys, uint32_t from)
{
    uint64_t id = hash_combine(keys->count, from);
    for (uint32_t i = from; i < keys->count && i < from + WINDOW_KEYS_MAX; i++) {
        id = id * 31 + keys->hashes[hash_key_position(keys, i)];
    }
    return id;
}

// The window that a former call began for the same request, or NULL.
static struct hash_window *continued(struct hash_table *table, uint64_t request)
{
    struct hash_window *window = table->window;
    return window != NULL && window->is_waiting && window->request == request ? window : NULL;
}

static bool is_waiting(const struct hash_table *table)
{
    return table->window != NULL && table->window->is_waiting;
}

// `count` keys stand in the window's list.
static enum status prepare_slow(struct hash_table *table, uint64_t request, uint32_t from,
                                uint32_t count, uint32_t *ready, struct err *err)
{
    struct hash_window *window = table->window;
    window->request = request;
    window->from = from;
    state_pool_poll(table->base.owner.pool);
    TRY(state_pool_check(table->base.owner.pool, err));
    if (window->is_waiting && table->base.owner.pool->reading > 0) {
        return STATUS_AGAIN; // what was asked for together comes together
    }
    enum status status = hash_window_prepare(table, count, ready);
    if (status == STATUS_AGAIN) {
        state_table_await(&table->base);
    }
    return status;
}

static size_t rows_bytes(const struct hash_table *table, const struct hash_keys *keys,
                         uint32_t from, uint32_t count)
{
    size_t bytes = (size_t)count * table->layout->fixed_size;
    if (table->layout->has_variable) {
        bytes = 0;
        for (uint32_t i = from; i < from + count; i++) {
            bytes += row_layout_size(table->layout, keys->columns, keys->column_count,
                                     hash_key_position(keys, i));
        }
    }
    return bytes;
}

enum status hash_table_prepare(struct hash_table *table, const struct hash_keys *keys,
                               uint32_t from, uint32_t *ready, struct err *err)
{
    uint32_t count = keys->count - from;
    *ready = 0;
    if (count == 0) {
        hash_table_done(table);
        return STATUS_OK;
    }
    if (table->base.form == DELTA_FORM_BAG) { // there is nothing to look for
        bool whole;
        count = table->base.owner.absent > 0 && count > WINDOW_KEYS_MAX ? WINDOW_KEYS_MAX : count;
        TRY(begin_window(table, rows_bytes(table, keys, from, count), &whole, err));
        *ready = count;
        return STATUS_OK;
    }
    // Only a table with pages missing ever waits.
    uint64_t request =
        is_waiting(table) || table->base.owner.absent > 0 ? request_id(keys, from) : 0;
    if (continued(table, request) == NULL) {
        bool whole;
        TRY(begin_window(table, rows_bytes(table, keys, from, count), &whole, err));
        if (whole) {
            *ready = count;
            return STATUS_OK;
        }
    }
    count = count > WINDOW_KEYS_MAX ? WINDOW_KEYS_MAX : count;
    struct hash_window *window = window_of(table);
    for (uint32_t i = 0; i < count; i++) {
        window->keys[i] = key_at(table, keys, from + i);
    }
    return prepare_slow(table, request_id(keys, from), from, count, ready, err);
}

// --- finding -----------------------------------------------------------------------------------

static void find_whole(struct hash_table *table, const struct hash_keys *keys, uint32_t from,
                       uint32_t count, struct row **out)
{
    struct hash_search run;
    hash_search_begin(&run, table, keys, from, count);
    uint32_t size;
    for (uint32_t begin = 0; begin < count; begin += size) {
        size = hash_search_turn(&run, out + begin);
        for (uint32_t i = 0; i < size; i++) {
            if (out[begin + i] == NULL) {
                struct hash_key key = key_at(table, keys, from + begin + i);
                out[begin + i] = hash_search_one(table, &key);
            }
        }
    }
}

// The row of a key of the window, also when it was removed and added again within it.
static struct row *window_row(struct hash_table *table, uint32_t at, const struct hash_key *key)
{
    struct row *row = hash_window_row(table, at);
    if (row != NULL) {
        row = hash_table_row_now(table, row);
        row = row_is_in_limbo(row) ? NULL : row;
    }
    return row != NULL || table->window->new_count == 0 ? row : hash_window_new_row(table, key);
}

static void find_window(struct hash_table *table, const struct hash_keys *keys, uint32_t from,
                        uint32_t count, struct row **out)
{
    for (uint32_t i = 0; i < count; i++) {
        struct hash_key key = key_at(table, keys, from + i);
        out[i] = window_row(table, from - table->window->from + i, &key);
    }
}

void hash_table_find(struct hash_table *table, const struct hash_keys *keys, uint32_t from,
                     uint32_t count, struct row **out)
{
    if (table->base.owner.whole) {
        find_whole(table, keys, from, count, out);
    } else {
        find_window(table, keys, from, count, out);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (out[i] != NULL) {
            out[i] = hash_table_row_now(table, out[i]);
            out[i] = row_is_live(out[i]) ? out[i] : NULL;
        }
    }
}

// --- adding ------------------------------------------------------------------------------------

// A new row without a mark: it counts as changed in this epoch.
static struct row *add_row(struct hash_table *table, size_t size, uint64_t hash)
{
    struct row *row = hash_rows_alloc(table, size);
    row->hash = hash;
    table->base.rows++;
    table->base.bytes += size;
    if (*table->base.mark_now != 0) {
        state_table_touch(&table->base, page_of(row), row, size);
    }
    return row;
}

static struct row *insert(struct hash_table *table, const struct hash_keys *keys, uint32_t at,
                          uint64_t hash)
{
    uint32_t position = hash_key_position(keys, at);
    size_t size = row_layout_size(table->layout, keys->columns, keys->column_count, position);
    struct row *row = add_row(table, size, hash);
    row_layout_write(table->layout, keys->columns, keys->column_count, position, row);
    hash_directory_add(table, hash, row_id_of(row));
    return row;
}

// `fresh` becomes what `row` was; `row` leads to it until the window ends.
static void take_place_of(struct hash_table *table, struct row *row, struct row *fresh)
{
    fresh->hash = row->hash;
    fresh->mark = row->mark;
    fresh->ttl = row->ttl;
    struct page_entry *entry = &table->base.owner.pool->entries.items[page_of(fresh)->number];
    uint32_t segment = row->mark & MARK_SEGMENT;
    if (segment != 0 && segment < entry->oldest) {
        entry->oldest = segment;
    }
    if (*table->base.mark_now != 0) {
        state_table_note_page(&table->base, page_of(fresh));
    }
    bool done = table->base.form == DELTA_FORM_BAG ||
                hash_directory_replace(table, row->hash, row_id_of(row), row_id_of(fresh));
    ASSERT(done); // its page is prepared
    row->mark = MARK_MOVED;
    row->hash = row_id_of(fresh);
    VEC_PUSH(&table->leftover, row);
}

// A removed row whose tombstone is not written yet comes back, as new.
static struct row *revive(struct hash_table *table, const struct hash_keys *keys, uint32_t at,
                          struct row *row)
{
    uint32_t position = hash_key_position(keys, at);
    size_t size = row_layout_size(table->layout, keys->columns, keys->column_count, position);
    hash_table_touch_fast(table, row);
    row->mark &= ~MARK_DEAD;
    table->base.rows++;
    if (size <= row_size(row)) {
        table->base.bytes += row_size(row);
        row_layout_write(table->layout, keys->columns, keys->column_count, position, row);
        return row;
    }
    struct row *fresh = hash_rows_alloc(table, size);
    row_layout_write(table->layout, keys->columns, keys->column_count, position, fresh);
    table->base.bytes += size;
    take_place_of(table, row, fresh);
    return fresh;
}

// Rows found: touched; removed ones revived. Returns whether the row is new.
static inline bool take_found(struct hash_table *table, const struct hash_keys *keys, uint32_t at,
                              struct row **row)
{
    if (__builtin_expect(((*row)->mark & (MARK_DEAD | MARK_FREE)) != 0, 0)) {
        *row = hash_table_row_now(table, *row);
        if (((*row)->mark & MARK_DEAD) != 0) {
            *row = revive(table, keys, at, *row);
            return true;
        }
    }
    hash_table_touch_fast(table, *row);
    return false;
}

static inline void note_new(uint64_t *is_new, uint32_t at)
{
    if (is_new != NULL) {
        bits_set(is_new, at);
    }
}

static void upsert_whole(struct hash_table *table, const struct hash_keys *keys, uint32_t from,
                         uint32_t count, struct row **out, uint64_t *is_new)
{
    struct hash_search run;
    table->base.owner.is_blind = true;
    // What is added meanwhile may move directory entries that were located already: a key that is
    // not found where it was expected is searched for again.
    hash_search_begin(&run, table, keys, from, count);
    uint32_t size;
    for (uint32_t begin = 0; begin < count; begin += size) {
        size = hash_search_turn(&run, out + begin);
        for (uint32_t i = 0; i < size; i++) {
            struct row **row = &out[begin + i];
            uint32_t at = from + begin + i;
            if (*row == NULL) {
                struct hash_key key = key_at(table, keys, at);
                *row = hash_search_one(table, &key);
                if (*row == NULL) {
                    *row = insert(table, keys, at, key.hash);
                    note_new(is_new, begin + i);
                    continue;
                }
            }
            if (take_found(table, keys, at, row)) {
                note_new(is_new, begin + i);
            }
        }
    }
}

static void upsert_window(struct hash_table *table, const struct hash_keys *keys, uint32_t from,
                          uint32_t count, struct row **out, uint64_t *is_new)
{
    for (uint32_t i = 0; i < count; i++) {
        struct hash_key key = key_at(table, keys, from + i);
        out[i] = window_row(table, from - table->window->from + i, &key);
        if (out[i] == NULL) {
            out[i] = insert(table, keys, from + i, key.hash);
            hash_window_add(table, key.hash, out[i]);
            note_new(is_new, i);
        } else if (take_found(table, keys, from + i, &out[i])) {
            note_new(is_new, i);
        }
        state_pool_changed(page_of(out[i]));
    }
}

void hash_table_upsert(struct hash_table *table, const struct hash_keys *keys, uint32_t from,
                       uint32_t count, struct row **out, uint64_t *is_new)
{
    if (is_new != NULL) {
        memset(is_new, 0, bits_words(count) * sizeof *is_new);
    }
    if (table->base.owner.whole) {
        upsert_whole(table, keys, from, count, out, is_new);
    } else {
        upsert_window(table, keys, from, count, out, is_new);
    }
}

void hash_table_add(struct hash_table *table, const struct hash_keys *keys, uint32_t from,
                    uint32_t count, struct row **out)
{
    ASSERT(table->base.form == DELTA_FORM_BAG);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = hash_key_position(keys, from + i);
        size_t size = row_layout_size(table->layout, keys->columns, keys->column_count, at);
        out[i] = add_row(table, size, keys->hashes[at]);
        row_layout_write(table->layout, keys->columns, keys->column_count, at, out[i]);
    }
}

// --- changing ----------------------------------------------------------------------------------

struct row *hash_table_row_now(struct hash_table *table, struct row *row)
{
    while ((row->mark & MARK_MOVED) == MARK_MOVED && row->hash != 0) {
        row = row_at(table, row->hash);
    }
    return row;
}

static void mark_changed(struct hash_table *table, struct row *row)
{
    if (table->base.owner.whole) {
        table->base.owner.is_blind = true;
    } else {
        state_pool_changed(page_of(row));
    }
}

void hash_table_touch(struct hash_table *table, struct row *row)
{
    mark_changed(table, row);
    hash_table_touch_fast(table, row);
}

// In limbo until the window ends: pointers to it may still be looked at.
static void free_later(struct hash_table *table, struct row *row)
{
    row->mark = MARK_MOVED;
    row->hash = 0;
    VEC_PUSH(&table->leftover, row);
}

void hash_table_remove(struct hash_table *table, struct row *row)
{
    row = hash_table_row_now(table, row);
    if (!row_is_live(row)) {
        return;
    }
    hash_table_touch(table, row);
    size_t size = row_size(row);
    table->base.rows--;
    table->base.bytes -= size;
    bool is_bag = table->base.form == DELTA_FORM_BAG;
    if ((row->mark & MARK_SEGMENT) == 0 &&
        (is_bag || hash_directory_replace(table, row->hash, row_id_of(row), 0))) {
        free_later(table, row); // no segment knows it
    } else {
        row->mark |= MARK_DEAD;
    }
}

// A field as a column of one row, for writing it again.
static size_t field_bytes(const struct row_layout *layout, uint32_t field,
                          const struct column *column, uint32_t at)
{
    if (column_is_null(column, at)) {
        return 0;
    }
    const struct row_field *to = &layout->fields[field];
    return to->is_nested ? row_value_size(column, at)
                         : ((const struct strview *)column_value(column, at))->size;
}

struct row *hash_table_set(struct hash_table *table, struct row *row, uint32_t field,
                           const struct column *column, uint32_t at)
{
    const struct row_layout *layout = table->layout;
    row = hash_table_row_now(table, row);
    hash_table_touch(table, row);
    if (row_layout_set(layout, row, field, column, at)) {
        return row;
    }
    // Some room more than needed, so that a value that grows does not move its row each time.
    size_t room = field_bytes(layout, field, column, at);
    room += room / 4;
    size_t size = row_layout_move(layout, row, field, room, NULL);
    struct row *moved = hash_rows_alloc(table, size);
    row_layout_move(layout, row, field, room, moved);
    bool fits = row_layout_set(layout, moved, field, column, at);
    ASSERT(fits);
    table->base.bytes += size - row_size(row);
    take_place_of(table, row, moved);
    return moved;
}

// --- ids ---------------------------------------------------------------------------------------

row_id hash_table_id(const struct hash_table *table, const struct row *row)
{
    (void)table;
    return row_id_of(row);
}

struct row *hash_table_row(struct hash_table *table, row_id id)
{
    return row_at(table, id);
}

enum status hash_table_prepare_ids(struct hash_table *table, const row_id *ids, uint32_t count,
                                   uint32_t *ready, struct err *err)
{
    struct page_owner *owner = &table->base.owner;
    uint64_t request = hash_combine(count, count > 0 ? ids[0] : 0);
    struct hash_window *window = continued(table, request);
    *ready = 0;
    if (window == NULL) {
        bool whole;
        TRY(begin_window(table, 0, &whole, err));
        if (whole) {
            *ready = count;
            return STATUS_OK;
        }
        window = window_of(table);
        window->planned = 0;
        window->new_count = 0;
    }
    window->request = request;
    window->from = UINT32_MAX;
    state_pool_poll(owner->pool);
    TRY(state_pool_check(owner->pool, err));
    uint32_t pages_max = state_pool_window_pages(owner->pool);
    bool is_missing = false;
    uint32_t at = 0;
    for (; at < count && (at == 0 || owner->pinned < pages_max); at++) {
        is_missing |= state_pool_want(owner, (uint32_t)(ids[at] >> 11)) == NULL;
    }
    window->is_waiting = is_missing;
    if (is_missing) {
        state_table_await(&table->base);
        return STATUS_AGAIN;
    }
    *ready = at;
    return STATUS_OK;
}

// --- scans -------------------------------------------------------------------------------------

enum status hash_table_scan_next(struct hash_table *table, struct hash_table_scan *scan,
                                 struct row **out, uint32_t max, uint32_t *count, struct err *err)
{
    struct page_owner *owner = &table->base.owner;
    *count = 0;
    hash_table_done(table);
    state_pool_poll(owner->pool);
    TRY(state_pool_check(owner->pool, err));
    page_owner_open(owner);
    // From the last page to the first: pages that go meanwhile are replaced by the last one.
    uint32_t pages = owner->pages.count;
    scan->pages = scan->is_started && scan->pages < pages ? scan->pages : pages;
    scan->is_started = true;
    while (scan->pages > 0 && *count == 0) {
        struct page *page = state_pool_want(owner, owner->pages.items[scan->pages - 1]);
        if (page == NULL) {
            state_table_await(&table->base);
            return STATUS_AGAIN;
        }
        size_t at = scan->offset == 0 ? PAGE_HEAD : scan->offset;
        size_t end = hash_rows_end(page);
        while (at < end && *count < max) {
            struct row *row = (struct row *)(void *)((char *)page + at);
            if (row_is_live(row)) {
                out[(*count)++] = row;
            }
            at += hash_rows_step(page, row);
        }
        scan->offset = (uint32_t)at;
        if (at >= end) {
            scan->pages--;
            scan->offset = 0;
        }
    }
    return *count == 0 ? STATUS_END : STATUS_OK;
}

// --- restore -----------------------------------------------------------------------------------

enum status hash_table_prepare_images(struct hash_table *table, struct row *const *images,
                                      uint32_t count, uint32_t *ready, struct err *err)
{
    *ready = 0;
    count = count > WINDOW_KEYS_MAX ? WINDOW_KEYS_MAX : count;
    uint64_t request = hash_combine((uint64_t)(uintptr_t)images, count);
    if (continued(table, request) == NULL) {
        size_t bytes = 0;
        bool whole;
        for (uint32_t i = 0; i < count; i++) {
            bytes += (size_t)images[i]->units * 8;
        }
        TRY(begin_window(table, bytes, &whole, err));
        if (whole) {
            *ready = count;
            return STATUS_OK;
        }
    }
    struct hash_window *window = window_of(table);
    for (uint32_t i = 0; i < count; i++) {
        window->keys[i] = (struct hash_key){images[i]->hash, NULL, 0, images[i]};
    }
    return prepare_slow(table, request, 0, count, ready, err);
}

static struct row *find_image(struct hash_table *table, const struct row *image, uint32_t at)
{
    struct hash_key key = {image->hash, NULL, 0, image};
    struct row *row;
    if (table->base.owner.whole) {
        row = hash_search_one(table, &key);
    } else {
        row = window_row(table, at, &key);
    }
    return row;
}

void hash_table_drop_image(struct hash_table *table, const struct row *image, uint32_t at)
{
    struct row *row = find_image(table, image, at);
    if (row == NULL || !row_is_live(row)) {
        return;
    }
    mark_changed(table, row);
    table->base.rows--;
    table->base.bytes -= row_size(row);
    state_context_count_live(table->base.context, row->mark & MARK_SEGMENT,
                             -(int64_t)row_size(row));
    bool done = hash_directory_replace(table, row->hash, row_id_of(row), 0);
    ASSERT(done); // its page is prepared
    free_later(table, row);
}

void hash_table_put_image(struct hash_table *table, const struct row *image, size_t size,
                          uint32_t at, uint32_t segment)
{
    struct row *row = table->base.form == DELTA_FORM_BAG ? NULL : find_image(table, image, at);
    if (row != NULL && (!row_is_live(row) || row_size(row) != size)) {
        hash_table_drop_image(table, image, at);
        row = NULL;
    }
    if (row == NULL) {
        row = hash_rows_alloc(table, size);
        row->hash = image->hash;
        table->base.rows++;
        table->base.bytes += size;
        if (table->base.form != DELTA_FORM_BAG) {
            hash_directory_add(table, image->hash, row_id_of(row));
            if (!table->base.owner.whole) {
                hash_window_add(table, image->hash, row);
            }
        }
    }
    state_context_count_live(table->base.context, row->mark & MARK_SEGMENT, -(int64_t)size);
    mark_changed(table, row);
    memcpy((char *)row + sizeof *row, (const char *)image + sizeof *row, size - sizeof *row);
    row->ttl = image->ttl;
    row->mark = segment;
    struct page_entry *entry = &table->base.owner.pool->entries.items[page_of(row)->number];
    if (segment == 0) { // of another instance: it has to be written under our own numbers
        row->mark = *table->base.mark_now;
        state_table_note_page(&table->base, page_of(row));
    } else if (segment < entry->oldest) {
        entry->oldest = segment;
    }
}
