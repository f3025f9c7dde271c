// SPDX-License-Identifier: Apache-2.0
#include "data/batch.h"

#include "base/arena.h"
#include "base/buf.h"
#include "data/column_copy.h"

const char *change_name(int8_t kind)
{
    static const char *const names[] = {"+I", "-U", "+U", "-D"};
    return names[kind & 3];
}

static const void *copy_array(struct column_copy_place *place, const void *items, size_t size)
{
    if (items == NULL) {
        return NULL;
    }
    void *copy = column_copy_take(place, size);
    return copy == NULL || size == 0 ? copy : memcpy(copy, items, size);
}

static const struct batch_origin *copy_origin(struct column_copy_place *place,
                                              const struct batch_origin *origin, uint32_t row_count)
{
    if (origin == NULL) {
        return NULL;
    }
    struct batch_origin *copy = column_copy_take(place, sizeof *copy);
    const void *name = copy_array(place, origin->name.ptr, origin->name.size);
    const void *places =
        copy_array(place, origin->places, sizeof *origin->places * (size_t)row_count);
    if (copy != NULL) {
        *copy = *origin;
        copy->name.ptr = name;
        copy->places = places;
    }
    return copy;
}

// Returns NULL while measuring. The batch comes first, so that it stands where the heap starts.
static struct batch *copy_batch(struct column_copy_place *place, const struct batch *in)
{
    struct batch *out = column_copy_take(place, sizeof *out);
    struct column *columns = column_copy_take(place, sizeof *columns * in->column_count);
    struct column_run all = {0, in->row_count};
    for (uint32_t i = 0; i < in->column_count; i++) {
        column_copy_rows(place, &in->columns[i], &all, 1, columns == NULL ? NULL : &columns[i]);
    }
    const void *kinds = copy_array(place, in->kinds, in->row_count);
    const void *row_watermarks =
        copy_array(place, in->row_watermarks, sizeof *in->row_watermarks * (size_t)in->row_count);
    const struct batch_origin *origin = copy_origin(place, in->origin, in->row_count);
    if (out != NULL) {
        *out = (struct batch){.row_count = in->row_count,
                              .column_count = in->column_count,
                              .columns = columns,
                              .kinds = kinds,
                              .row_watermarks = row_watermarks,
                              .origin = origin,
                              .split = in->split};
    }
    return out;
}

struct batch *batch_settle(const struct batch *in, struct budget *budget)
{
    struct column_copy_place place = {0};
    (void)copy_batch(&place, in);
    struct buf *heap = buf_new(place.used, budget);
    place = (struct column_copy_place){.base = heap->ptr};
    struct batch *out = copy_batch(&place, in);
    out->owner = heap;
    return out;
}

void batch_drop(struct batch *batch)
{
    if (batch != NULL) {
        buf_unref(batch->owner);
    }
}

struct batch batch_slice(struct arena *arena, const struct batch *in, uint32_t from, uint32_t count)
{
    struct column *columns = arena_new_array(arena, struct column, in->column_count);
    for (uint32_t i = 0; i < in->column_count; i++) {
        columns[i] = column_slice(arena, &in->columns[i], from, count);
    }
    struct batch out = {.row_count = count,
                        .column_count = in->column_count,
                        .columns = columns,
                        .split = in->split};
    out.kinds = in->kinds == NULL ? NULL : in->kinds + from;
    out.row_watermarks = in->row_watermarks == NULL ? NULL : in->row_watermarks + from;
    if (in->origin != NULL) {
        struct batch_origin *origin = arena_copy(arena, in->origin, sizeof *origin);
        origin->first += from;
        origin->places = origin->places == NULL ? NULL : origin->places + from;
        out.origin = origin;
    }
    return out;
}

static const struct batch_origin *gather_origin(struct arena *arena,
                                                const struct batch_origin *origin,
                                                const uint16_t *rows, uint32_t count)
{
    struct batch_origin *out = arena_copy(arena, origin, sizeof *out);
    uint64_t *places = arena_alloc(arena, sizeof *places * count);
    for (uint32_t i = 0; i < count; i++) {
        places[i] = origin->places == NULL ? origin->first + rows[i] : origin->places[rows[i]];
    }
    out->places = places;
    return out;
}

struct batch batch_gather(struct arena *arena, const struct batch *in, const uint16_t *rows,
                          uint32_t count)
{
    struct column *columns = arena_new_array(arena, struct column, in->column_count);
    for (uint32_t i = 0; i < in->column_count; i++) {
        columns[i] = column_gather(arena, &in->columns[i], rows, count);
    }
    struct batch out = {.row_count = count,
                        .column_count = in->column_count,
                        .columns = columns,
                        .split = in->split};
    if (in->kinds != NULL) {
        int8_t *kinds = arena_alloc(arena, count);
        for (uint32_t i = 0; i < count; i++) {
            kinds[i] = in->kinds[rows[i]];
        }
        out.kinds = kinds;
    }
    if (in->row_watermarks != NULL) {
        int64_t *row_watermarks = arena_alloc(arena, sizeof *row_watermarks * count);
        for (uint32_t i = 0; i < count; i++) {
            row_watermarks[i] = in->row_watermarks[rows[i]];
        }
        out.row_watermarks = row_watermarks;
    }
    if (in->origin != NULL) {
        out.origin = gather_origin(arena, in->origin, rows, count);
    }
    return out;
}

size_t batch_bytes(const struct batch *batch)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < batch->column_count; i++) {
        bytes += column_bytes(&batch->columns[i]);
    }
    return bytes;
}

enum status batch_check(const struct batch *batch, struct err *err)
{
    if (batch->row_count > BATCH_ROWS_MAX) {
        return ERR(err, STATUS_INVALID_DATA, "batch of %u rows", batch->row_count);
    }
    for (uint32_t i = 0; i < batch->column_count; i++) {
        if (batch->columns[i].row_count != batch->row_count) {
            return ERR(err, STATUS_INVALID_DATA, "column %u has %u rows, the batch %u", i,
                       batch->columns[i].row_count, batch->row_count);
        }
        enum status status = column_check(&batch->columns[i], err);
        if (status != STATUS_OK) {
            err_context(err, "column %u", i);
            return status;
        }
    }
    for (uint32_t row = 0; batch->kinds != NULL && row < batch->row_count; row++) {
        if (batch->kinds[row] < CHANGE_INSERT || batch->kinds[row] > CHANGE_DELETE) {
            return ERR(err, STATUS_INVALID_DATA, "row %u has change kind %d", row,
                       batch->kinds[row]);
        }
    }
    return STATUS_OK;
}
