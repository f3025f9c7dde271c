// SPDX-License-Identifier: Apache-2.0
#include "connect/split_positions.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "exec/op.h"

#define POSITIONS_PREFIX "split/"

static int positions_compare(const void *a, const void *b)
{
    const struct split_position *left = a;
    const struct split_position *right = b;
    return str_compare(left->name, right->name);
}

void split_positions_read(struct arena *arena, const struct op_context *context,
                          struct split_positions *out)
{
    const struct snapshot_reader *restore = context->restore;
    *out = (struct split_positions){.is_restored = restore != NULL};
    if (restore == NULL) {
        return;
    }
    struct split_position *items =
        arena_new_array(arena, struct split_position, restore->entry_count + 1);
    for (uint32_t i = 0; i < restore->entry_count; i++) {
        const struct snapshot_entry *entry = &restore->entries[i];
        if (!str_starts(entry->key, POSITIONS_PREFIX) ||
            !str_equal(entry->operator_id, context->operator_id)) {
            continue;
        }
        struct str name = str_slice(entry->key, sizeof POSITIONS_PREFIX - 1, entry->key.size);
        items[out->count++] = (struct split_position){.name = arena_str(arena, name),
                                                      .position = arena_str(arena, entry->bytes)};
    }
    qsort(items, out->count, sizeof *items, positions_compare);
    out->items = items;
}

const struct str *split_positions_find(const struct split_positions *positions, struct str name)
{
    uint32_t from = 0;
    uint32_t to = positions->count;
    while (from < to) {
        uint32_t middle = (from + to) / 2;
        int order = str_compare(positions->items[middle].name, name);
        if (order == 0) {
            return &positions->items[middle].position;
        }
        if (order < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return NULL;
}

void split_positions_put(struct snapshot_writer *writer, const struct op_context *context,
                         struct str name, struct str position)
{
    struct strbuf key;
    strbuf_init(&key, 1 << 16);
    strbuf_add_text(&key, POSITIONS_PREFIX);
    strbuf_add(&key, name);
    writer->put(writer, context->operator_id, context->instance, strbuf_str(&key), position);
    strbuf_release(&key);
}
