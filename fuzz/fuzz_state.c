// SPDX-License-Identifier: Apache-2.0
//
// fuzz_state: segments of state out of arbitrary bytes. Checksums would stop nearly every input,
// so the input is a list of blocks, {u8 kind, u8 form, u16 size, payload}, from which a segment
// with right checksums is made; the first byte says whether it is that or a whole segment as it
// stands. What is restored is read and put into a checkpoint.
#include <string.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/byte_sink.h"
#include "base/byte_source.h"
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
    } head = {1, 0, 1};
    add_block(out, &count, DELTA_HEAD, str_make((const char *)&head, sizeof head));
    while (input.size >= 4) {
        uint8_t kind = (uint8_t)input.ptr[0];
        uint8_t form = (uint8_t)input.ptr[1];
        size_t size = (uint8_t)input.ptr[2] | (size_t)(uint8_t)input.ptr[3] << 8;
        input = str_slice(input, 4, input.size);
        size = size < input.size ? size : input.size;
        add_table(out, &count, tables, form);
        if (kind % 16 != DELTA_TABLE) {
            add_block(out, &count, kind % 16, str_slice(input, 0, size));
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

static void restore(struct tables *tables, struct str bytes)
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
        return;
    }
    read_hash(tables, tables->hash);
    read_hash(tables, tables->bag);
    read_ordered(tables->ordered);
    state_checkpoint_begin(tables->context, &tables->sink);
    do {
        status = state_checkpoint_step(tables->context, 1 << 20, &waiting, &err);
    } while (status == STATUS_AGAIN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tables tables;
    struct strbuf segment;
    if (size == 0) {
        return 0;
    }
    struct str input = str_make((const char *)data + 1, size - 1);
    tables_init(&tables);
    strbuf_init(&segment, (size_t)1 << 28);
    if (data[0] % 2 == 0) {
        strbuf_add(&segment, input);
    } else {
        make_segment(&segment, &tables, input);
    }
    restore(&tables, strbuf_str(&segment));
    strbuf_release(&segment);
    tables_release(&tables);
    return 0;
}
