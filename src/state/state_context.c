// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "base/assert.h"
#include "state/state_table_int.h"

struct state_context *state_context_new(const struct state_context_options *options)
{
    struct state_context *context = mem_zalloc(sizeof *context);
    context->pool = options->pool;
    context->operator_id = mem_alloc(options->operator_id.size + 1);
    if (options->operator_id.size > 0) {
        memcpy(context->operator_id, options->operator_id.ptr, options->operator_id.size);
    }
    context->operator_id[options->operator_id.size] = '\0';
    context->key_group_from = options->key_group_from;
    context->key_group_to = options->key_group_to;
    context->segment_bytes_max = options->segment_bytes_max;
    context->mark_now = MARK_DIRTY0;
    delta_writer_init(&context->writer);
    return context;
}

void state_context_free(struct state_context *context)
{
    if (context == NULL) {
        return;
    }
    state_restore_end(context);
    for (uint32_t i = 0; i < context->tables.count; i++) {
        if (context->tables.items[i] != NULL) {
            context->tables.items[i]->free(context->tables.items[i]);
        }
    }
    delta_writer_release(&context->writer);
    VEC_RELEASE(&context->tables);
    VEC_RELEASE(&context->declared);
    VEC_RELEASE(&context->declared_ordered);
    VEC_RELEASE(&context->rebuilds);
    VEC_RELEASE(&context->drops);
    VEC_RELEASE(&context->segments);
    VEC_RELEASE(&context->fresh);
    mem_free(context->operator_id);
    mem_free(context);
}

uint64_t state_context_rows(const struct state_context *context)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < context->tables.count; i++) {
        const struct state_table *table = context->tables.items[i];
        rows += table == NULL || table->is_derived || table->is_zombie ? 0 : table->rows;
    }
    return rows;
}

uint64_t state_context_bytes(const struct state_context *context)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < context->tables.count; i++) {
        const struct state_table *table = context->tables.items[i];
        bytes += table == NULL || table->is_derived || table->is_zombie ? 0 : table->bytes;
    }
    return bytes;
}

static int compare_slices(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

uint32_t state_context_slices(struct state_context *context, uint32_t id, struct arena *arena,
                              int64_t **slices)
{
    uint32_t count = 0;
    *slices = arena_new_array(arena, int64_t, context->tables.count + 1);
    for (uint32_t i = 0; i < context->tables.count; i++) {
        const struct state_table *table = context->tables.items[i];
        if (table != NULL && table->id == id && !table->is_zombie) {
            (*slices)[count++] = table->slice;
        }
    }
    qsort(*slices, count, sizeof **slices, compare_slices);
    return count;
}
