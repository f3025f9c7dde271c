// SPDX-License-Identifier: Apache-2.0
//
// Nested columns to levels, a whole batch a step: a frame holds for each slot of a node its levels
// and where its value stands in the node's column (NO_PLACE: the slot ended above, by a null or an
// empty list). Going down, an optional node ends slots, a row copies the frame for each child, and
// a list makes a longer frame with a slot for each element (Dremel, "Finding the levels").
#include "base/assert.h"
#include "codec/parquet_writer_int.h"
#include "data/column.h"
#include "data/variant.h"

#define NO_PLACE UINT32_MAX

struct frame {
    uint8_t *def;
    uint8_t *rep;
    uint32_t *places;
    uint32_t count;
};

struct shredder {
    struct parquet_writer *writer;
    uint32_t rows;
};

// Room for `count` slots at this depth. Valid until the same depth is asked for again.
static struct frame frame_at(struct shredder *shredder, uint32_t depth, uint32_t count)
{
    struct bytebuf *bufs = shredder->writer->encoder->frames[depth];
    for (uint32_t i = 0; i < 3; i++) {
        bufs[i].size = 0;
    }
    return (struct frame){
        .def = (uint8_t *)bytebuf_reserve(&bufs[0], count + 1),
        .rep = (uint8_t *)bytebuf_reserve(&bufs[1], count + 1),
        .places = (uint32_t *)(void *)bytebuf_reserve(&bufs[2], (count + 1) * sizeof(uint32_t)),
        .count = count};
}

// Nulls end their slots; what goes on reaches the node's own level.
static enum status end_nulls(const struct parquet_node *node, const struct column *column,
                             struct frame *frame, struct err *err)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        if (frame->places[i] == NO_PLACE) {
            continue;
        }
        if (!column_is_null(column, frame->places[i])) {
            frame->def[i] = node->def_level;
        } else if (node->required) {
            return ERR(err, STATUS_INVALID_DATA, "field %.*s is required and a row has no value",
                       STR_ARGS(node->name));
        } else {
            frame->places[i] = NO_PLACE;
        }
    }
    return STATUS_OK;
}

static enum status shred(struct shredder *shredder, const struct parquet_node *node,
                         const struct column *column, const struct frame *outer, uint32_t depth,
                         struct err *err);

// Where an element of a list stands in its children: behind the view of the list's own place.
static enum status shred_list(struct shredder *shredder, const struct parquet_node *node,
                              const struct column *column, const struct frame *frame,
                              uint32_t depth, struct err *err)
{
    const struct column *holder = column_holder(column);
    const struct list_view *views = holder->values;
    uint64_t count = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        uint32_t place = frame->places[i];
        uint32_t length = place == NO_PLACE ? 0 : views[column_at(column, place)].length;
        count += length > 0 ? length : 1;
    }
    if (count >= UINT32_MAX / 8) {
        return ERR(err, STATUS_LIMIT, "field %.*s: a batch has %llu elements", STR_ARGS(node->name),
                   (unsigned long long)count);
    }
    struct frame inner = frame_at(shredder, depth + 1, (uint32_t)count);
    uint32_t at = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        uint32_t place = frame->places[i];
        struct list_view view = {0};
        if (place != NO_PLACE) {
            view = views[column_at(column, place)];
        }
        inner.rep[at] = frame->rep[i];
        if (view.length == 0) {
            inner.def[at] = frame->def[i];
            inner.places[at++] = NO_PLACE;
            continue;
        }
        for (uint32_t j = 0; j < view.length; j++, at++) {
            inner.rep[at] = j == 0 ? frame->rep[i] : (uint8_t)(node->rep_level + 1);
            inner.def[at] = node->element_def;
            inner.places[at] = view.offset + j;
        }
    }
    ASSERT(holder->child_count == node->child_count);
    for (uint32_t i = 0; i < node->child_count; i++) {
        TRY(shred(shredder, &node->children[i], &holder->children[i], &inner, depth + 1, err));
    }
    return STATUS_OK;
}

static enum status shred_row(struct shredder *shredder, const struct parquet_node *node,
                             const struct column *column, struct frame *frame, uint32_t depth,
                             struct err *err)
{
    const struct column *holder = column_holder(column);
    ASSERT(holder->child_count == node->child_count);
    if (column->encoding != ENCODING_FLAT) { // the children are those of the dictionary or constant
        for (uint32_t i = 0; i < frame->count; i++) {
            if (frame->places[i] != NO_PLACE) {
                frame->places[i] = column_at(column, frame->places[i]);
            }
        }
    }
    for (uint32_t i = 0; i < node->child_count; i++) {
        TRY(shred(shredder, &node->children[i], &holder->children[i], frame, depth, err));
    }
    return STATUS_OK;
}

// Both parts of each variant as columns, and these as the children of a row.
static enum status shred_variant(struct shredder *shredder, const struct parquet_node *node,
                                 const struct column *column, struct frame *frame, uint32_t depth,
                                 struct err *err)
{
    struct bytebuf *bufs = shredder->writer->encoder->variants;
    struct strview *parts[2];
    for (uint32_t i = 0; i < 2; i++) {
        bufs[i].size = 0;
        parts[i] = (struct strview *)(void *)bytebuf_reserve(&bufs[i], (size_t)(frame->count + 1) *
                                                                           sizeof *parts[i]);
    }
    for (uint32_t i = 0; i < frame->count; i++) {
        struct variant_names names;
        if (frame->places[i] == NO_PLACE) {
            continue;
        }
        struct str held = strview_str(column_value(column, frame->places[i]));
        if (!variant_names_read(held, &names)) {
            return ERR(err, STATUS_INVALID_DATA, "field %.*s: a variant is damaged",
                       STR_ARGS(node->name));
        }
        parts[0][i] = strview_make(held.ptr, names.size);
        parts[1][i] = strview_make(held.ptr + names.size, held.size - names.size);
        frame->places[i] = i;
    }
    for (uint32_t i = 0; i < 2; i++) {
        const struct column part = {
            .physical = PHYSICAL_STRING, .row_count = frame->count, .values = parts[i]};
        TRY(shred(shredder, &node->children[i], &part, frame, depth, err));
    }
    return STATUS_OK;
}

// Rows are kept together, so pages end before a slot of repetition 0.
static enum status append_leaf(struct shredder *shredder, const struct parquet_node *node,
                               const struct column *column, const struct frame *frame,
                               struct err *err)
{
    struct parquet_writer *writer = shredder->writer;
    struct parquet_leaf *leaf = &writer->leaves[node->leaf_first];
    struct bytebuf *live = &writer->encoder->live;
    live->size = 0;
    uint32_t *places = (uint32_t *)(void *)bytebuf_reserve(live, frame->count * sizeof *places);
    for (uint32_t from = 0; from < frame->count;) {
        uint32_t room = writer->options.page_rows - leaf->rows;
        uint32_t rows = 0;
        uint32_t values = 0;
        uint32_t at = from;
        for (; at < frame->count; at++) {
            if (frame->rep[at] == 0 && rows++ == room) {
                rows--;
                break;
            }
            if (frame->places[at] != NO_PLACE) {
                places[values++] = column_at(column, frame->places[at]);
            }
        }
        struct parquet_slots slots = {.count = at - from,
                                      .rows = rows,
                                      .def = frame->def + from,
                                      .rep = node->rep_level > 0 ? frame->rep + from : NULL,
                                      .places = places,
                                      .values = values};
        TRY(parquet_leaf_append(writer, leaf, column, 0, &slots, err));
        from = at;
    }
    return STATUS_OK;
}

static enum status shred(struct shredder *shredder, const struct parquet_node *node,
                         const struct column *column, const struct frame *outer, uint32_t depth,
                         struct err *err)
{
    ASSERT(column->physical == node->physical);
    // A copy, since the siblings start from the same frame.
    struct frame frame = frame_at(shredder, depth + 1, outer->count);
    memcpy(frame.def, outer->def, outer->count);
    memcpy(frame.rep, outer->rep, outer->count);
    memcpy(frame.places, outer->places, outer->count * sizeof *frame.places);
    TRY(end_nulls(node, column, &frame, err));
    switch (node->kind) {
    case PARQUET_NODE_LEAF: return append_leaf(shredder, node, column, &frame, err);
    case PARQUET_NODE_VARIANT: return shred_variant(shredder, node, column, &frame, depth + 1, err);
    case PARQUET_NODE_ROW: return shred_row(shredder, node, column, &frame, depth + 1, err);
    case PARQUET_NODE_LIST:
    case PARQUET_NODE_MAP: return shred_list(shredder, node, column, &frame, depth + 1, err);
    }
    UNREACHABLE("node");
}

enum status parquet_shred_column(struct parquet_writer *writer, const struct parquet_node *node,
                                 const struct column *column, struct err *err)
{
    struct shredder shredder = {.writer = writer, .rows = column->row_count};
    struct frame frame = frame_at(&shredder, 0, column->row_count);
    memset(frame.def, 0, frame.count);
    memset(frame.rep, 0, frame.count);
    for (uint32_t i = 0; i < frame.count; i++) {
        frame.places[i] = i;
    }
    return shred(&shredder, node, column, &frame, 0, err);
}
