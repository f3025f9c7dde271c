// SPDX-License-Identifier: Apache-2.0
//
// fuzz_state: segments of state out of arbitrary bytes. Checksums would stop nearly every input,
// so the first byte chooses: a whole segment as it stands; a list of blocks, {u8 kind, u8 form, u16
// size, payload}, from which a segment with right checksums is made; rows, whose checkpoint must
// come back; rows, in whose checkpoint bytes are changed before the checksums are made. What is
// restored is read and put into a checkpoint.
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/budget.h"
#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "data/column_builder.h"
#include "kernel/hash_columns.h"
#include "state/delta.h"
#include "state/hash_table.h"
#include "state/ordered_table.h"
#include "state/state.h"

static enum status sink_open(struct state_segment_sink *sink, uint64_t number,
                             struct byte_sink **out, struct err *err);
static enum status sink_seal(struct state_segment_sink *sink, struct state_segment segment,
                             struct err *err);

struct tables {
    struct budget budget;
    struct state_pool *pool;
    struct state_context *context;
    struct arena arena;
    const struct row_layout *layout;
    struct hash_table *hash;
    struct hash_table *bag;
    struct ordered_table *ordered;
    struct state_segment_sink sink;
    struct byte_sink_memory written;
};

static void tables_init(struct tables *tables)
{
    memset(tables, 0, sizeof *tables);
    arena_init(&tables->arena);
    budget_init(&tables->budget, NULL, SIZE_MAX);
    tables->pool = state_pool_new(&(struct state_pool_options){.budget = &tables->budget});
    tables->context = state_context_new(&(struct state_context_options){
        .pool = tables->pool, .operator_id = STR_LIT("fuzz"), .key_group_to = 4096});
    const struct type *types[] = {&type_bigint, &type_string,
                                  type_array(&tables->arena, &type_string, true), &type_boolean};
    tables->layout = row_layout_new(&tables->arena, types, 2, 4, 8);
    tables->hash = hash_table_new(tables->context,
                                  &(struct hash_table_options){.layout = tables->layout, .id = 0});
    tables->bag = hash_table_new(
        tables->context,
        &(struct hash_table_options){.layout = tables->layout, .id = 1, .flags = HASH_TABLE_BAG});
    tables->ordered = ordered_table_new(tables->context,
                                        &(struct ordered_table_options){.id = 2, .value_size = 8});
    hash_table_declare(tables->context,
                       &(struct hash_table_options){.layout = tables->layout, .id = 0});
    ordered_table_declare(tables->context,
                          &(struct ordered_table_options){.id = 2, .value_size = 8});
    tables->sink = (struct state_segment_sink){sink_open, sink_seal};
    byte_sink_memory_init(&tables->written, SIZE_MAX / 2);
}

static void tables_release(struct tables *tables)
{
    state_context_free(tables->context);
    state_pool_free(tables->pool);
    byte_sink_memory_release(&tables->written);
    arena_release(&tables->arena);
}

static enum status sink_open(struct state_segment_sink *sink, uint64_t number,
                             struct byte_sink **out, struct err *err)
{
    struct tables *tables = (struct tables *)(void *)((char *)sink - offsetof(struct tables, sink));
    (void)number;
    (void)err;
    byte_sink_memory_release(&tables->written);
    byte_sink_memory_init(&tables->written, SIZE_MAX / 2);
    *out = &tables->written.sink;
    return STATUS_OK;
}

static enum status sink_seal(struct state_segment_sink *sink, struct state_segment segment,
                             struct err *err)
{
    (void)sink;
    (void)segment;
    (void)err;
    return STATUS_OK;
}

// --- segments ----------------------------------------------------------------------------------

static void add_block(struct strbuf *out, uint64_t *count, uint8_t kind, struct str payload)
{
    struct block block = {kind, (*count)++, payload};
    struct err err;
    (void)!block_write(out, &block, COMPRESS_NONE, NULL, &err);
}

static void add_table(struct strbuf *out, uint64_t *count, struct tables *tables, uint8_t form)
{
    // The layout ids are what a checkpoint of these tables says; found by asking for one.
    struct delta_table table = {
        .id = form % 3u,
        .slice = form / 3 % 3, // but for 0, tables that only a segment names
        .form = form % 3 == 2   ? DELTA_FORM_ORDERED
                : form % 3 == 1 ? DELTA_FORM_BAG
                                : DELTA_FORM_HASH,
        .layout_id = form % 3 == 2 ? ordered_table_layout_id(tables->ordered) : tables->layout->id};
    add_block(out, count, DELTA_TABLE, str_make((const char *)&table, sizeof table));
}

static void make_segment(struct strbuf *out, struct tables *tables, struct str input)
{
    uint64_t count = 0;
    struct {
        uint32_t version, zero;
        uint64_t number;
    } head = {DELTA_VERSION, 0, 1};
    add_block(out, &count, DELTA_HEAD, str_make((const char *)&head, sizeof head));
    while (input.size >= 4) {
        uint8_t kind = (uint8_t)input.ptr[0];
        uint8_t form = (uint8_t)input.ptr[1];
        size_t size = (uint8_t)input.ptr[2] | (size_t)(uint8_t)input.ptr[3] << 8;
        input = str_slice(input, 4, input.size);
        size = size < input.size ? size : input.size;
        add_table(out, &count, tables, form);
        if (kind % 32 != DELTA_TABLE) {
            add_block(out, &count, kind % 32, str_slice(input, 0, size));
        }
        input = str_slice(input, size, input.size);
    }
    uint64_t blocks = count;
    add_block(out, &count, DELTA_END, str_make((const char *)&blocks, sizeof blocks));
}

static void read_hash(struct tables *tables, struct hash_table *table)
{
    struct hash_table_scan scan = {0};
    struct row *rows[64];
    uint32_t count;
    struct err err;
    while (hash_table_scan_next(table, &scan, rows, 64, &count, &err) == STATUS_OK) {
        for (uint32_t field = 0; field < tables->layout->field_count; field++) {
            struct column column =
                row_layout_column(tables->layout, field, rows, count, &tables->arena);
            (void)!column_check(&column, &err);
        }
    }
    hash_table_done(table);
}

static void read_ordered(struct ordered_table *table)
{
    struct ordered_entry entry;
    struct err err;
    enum status status = ordered_table_seek(table, STR_LIT(""), false, &entry, &err);
    while (status == STATUS_OK) {
        status = ordered_table_next(table, entry.key, false, &entry, &err);
    }
    ordered_table_done(table);
}

static void write_checkpoint(struct tables *tables)
{
    struct err err;
    enum status status;
    bool waiting;
    state_checkpoint_begin(tables->context, &tables->sink);
    do {
        status = state_checkpoint_step(tables->context, 1 << 20, &waiting, &err);
    } while (status == STATUS_AGAIN);
    ASSERT(status == STATUS_OK);
}

static bool restore(struct tables *tables, struct str bytes)
{
    struct byte_source_memory memory;
    struct byte_source *source = &memory.source;
    struct state_segment segment = {.number = 1, .size = bytes.size};
    struct state_former former = {1, &segment, &source, true};
    struct err err;
    enum status status;
    bool waiting;
    byte_source_memory_init(&memory, bytes);
    state_restore_begin(tables->context, &former, 1, 1);
    do {
        status = state_restore_step(tables->context, 1 << 20, &waiting, &err);
    } while (status == STATUS_AGAIN);
    if (status != STATUS_OK) {
        return false;
    }
    read_hash(tables, tables->hash);
    read_hash(tables, tables->bag);
    read_ordered(tables->ordered);
    return true;
}

// --- rows ----------------------------------------------------------------------------------------

enum { ROWS_MAX = 200 };

// A row for each byte: its low bits are the key, so that some come again.
static void fill_hash(struct tables *tables, struct str input, uint32_t count)
{
    const struct type *types[] = {&type_bigint, &type_string,
                                  type_array(&tables->arena, &type_string, true), &type_boolean};
    struct column_builder *builders[4];
    struct column columns[4];
    uint64_t hashes[ROWS_MAX];
    struct row *rows[ROWS_MAX];
    struct err err;
    uint32_t ready;
    for (uint32_t i = 0; i < 4; i++) {
        builders[i] = column_builder_new(&tables->arena, types[i], ROWS_MAX);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint8_t byte = (uint8_t)input.ptr[i];
        column_builder_i64(builders[0], byte % 32);
        column_builder_string(builders[1], str_slice(input, 0, byte % 32));
        column_builder_list_begin(builders[2]);
        if (byte > 128) {
            column_builder_string(column_builder_child(builders[2], 0),
                                  str_slice(input, i, i + 20));
        }
        column_builder_list_end(builders[2]);
        column_builder_bool(builders[3], byte % 2 == 0);
    }
    for (uint32_t i = 0; i < 4; i++) {
        columns[i] = column_builder_finish(builders[i]);
    }
    hash_columns(columns, 2, count, hashes);
    struct hash_keys keys = {columns, 4, hashes, NULL, count};
    for (uint32_t from = 0; from < count; from += ready) {
        ASSERT(hash_table_prepare(tables->hash, &keys, from, &ready, &err) == STATUS_OK);
        hash_table_upsert(tables->hash, &keys, from, ready, rows, NULL);
        if ((uint8_t)input.ptr[from] % 5 == 0) {
            hash_table_remove(tables->hash, rows[0]);
        }
    }
    hash_table_done(tables->hash);
}

static void fill_ordered(struct tables *tables, struct str input, uint32_t count)
{
    struct str keys[ROWS_MAX];
    uint64_t hashes[ROWS_MAX];
    struct ordered_keys window = {keys, hashes, count};
    struct err err;
    uint32_t ready;
    bool is_new;
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = str_slice(input, i, i + 1 + (size_t)(input.ptr[i] & 31));
        hashes[i] = (uint64_t)(uint8_t)input.ptr[i] << 56;
    }
    for (uint32_t from = 0; from < count; from += ready) {
        ASSERT(ordered_table_prepare(tables->ordered, &window, from, &ready, &err) == STATUS_OK);
        for (uint32_t i = from; i < from + ready; i++) {
            char *value = ordered_table_upsert(tables->ordered, keys[i], hashes[i], &is_new);
            memcpy(value, &i, sizeof i);
            if (input.ptr[i] % 7 == 3) {
                ordered_table_remove(tables->ordered, keys[i]);
            }
        }
    }
    ordered_table_done(tables->ordered);
}

// The segment again, block by block, without compression; with `changes`, {u8 block, u8 at, u8
// value}, in the payloads.
static void change_segment(struct strbuf *out, struct str segment, struct str changes)
{
    struct compress *compress = compress_new();
    struct arena arena;
    struct block block;
    struct err err;
    size_t used;
    arena_init(&arena);
    for (uint32_t i = 0; segment.size > 0; i++) {
        ASSERT(block_read(segment, compress, &arena, &block, &used, &err) == STATUS_OK);
        segment = str_slice(segment, used, segment.size);
        char *payload = arena_alloc(&arena, block.payload.size + 1);
        if (block.payload.size > 0) {
            memcpy(payload, block.payload.ptr, block.payload.size);
        }
        for (size_t at = 0; at + 3 <= changes.size; at += 3) {
            if ((uint8_t)changes.ptr[at] % 8 == i && block.payload.size > 0) {
                payload[(uint8_t)changes.ptr[at + 1] % block.payload.size] = changes.ptr[at + 2];
            }
        }
        block.payload.ptr = payload;
        ASSERT(block_write(out, &block, COMPRESS_NONE, NULL, &err) == STATUS_OK);
    }
    arena_release(&arena);
    compress_free(compress);
}

// One byte of how many are changes, these, rows.
static void try_rows(struct str input, bool is_changed)
{
    struct tables first;
    struct tables second;
    struct strbuf segment;
    if (input.size < 2) {
        return;
    }
    size_t size = (size_t)((uint8_t)input.ptr[0] % 16) * 3;
    struct str changes = str_slice(input, 1, 1 + (is_changed ? size : 0));
    input = str_slice(input, 1 + changes.size, input.size);
    uint32_t count = input.size < ROWS_MAX ? (uint32_t)input.size : ROWS_MAX;
    tables_init(&first);
    tables_init(&second);
    strbuf_init(&segment, (size_t)1 << 28);
    fill_hash(&first, input, count);
    fill_ordered(&first, input, count);
    write_checkpoint(&first);
    if (first.written.size > 0) {
        change_segment(&segment, byte_sink_memory_bytes(&first.written), changes);
        bool good = restore(&second, strbuf_str(&segment));
        ASSERT(good || changes.size > 0);
        ASSERT(changes.size > 0 ||
               (hash_table_count(second.hash) == hash_table_count(first.hash) &&
                ordered_table_count(second.ordered) == ordered_table_count(first.ordered)));
        if (good) {
            write_checkpoint(&second);
        }
    }
    strbuf_release(&segment);
    tables_release(&second);
    tables_release(&first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tables tables;
    struct strbuf segment;
    if (size == 0) {
        return 0;
    }
    struct str input = str_make((const char *)data + 1, size - 1);
    if (data[0] % 4 >= 2) {
        try_rows(input, data[0] % 4 == 3);
        return 0;
    }
    tables_init(&tables);
    strbuf_init(&segment, (size_t)1 << 28);
    if (data[0] % 4 == 0) {
        strbuf_add(&segment, input);
    } else {
        make_segment(&segment, &tables, input);
    }
    if (restore(&tables, strbuf_str(&segment))) {
        write_checkpoint(&tables);
    }
    strbuf_release(&segment);
    tables_release(&tables);
    return 0;
}
