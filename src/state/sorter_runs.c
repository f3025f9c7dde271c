// SPDX-License-Identifier: Apache-2.0
//
// Sorted runs in the spill file. A run is a list of blocks; a merge holds the block at hand of each
// run and reads the next one meanwhile. Batches that come out of it end where a block ends, so that
// what they borrow is there until the next call.
#include "state/sorter_int.h"

#include <string.h>

#include "base/budget.h"
#include "base/mem.h"
#include "base/strbuf.h"

enum { SLOT_BYTES = 16 << 10, ON_THEIR_WAY_MAX = 4 << 20 };

struct sorter_write {
    struct spill_request request; // the first member
    struct strbuf bytes;
    struct sorter_write **at; // what points to it: the list of all
    struct sorter_write *next;
};

void sorter_runs_init(struct sorter_runs *runs, const struct sorter_options *options)
{
    *runs = (struct sorter_runs){.options = options};
    if (options->spill != NULL) {
        runs->queue = spill_queue_new(options->spill, options->waker);
    }
    runs->payload = mem_zalloc(sizeof *runs->payload);
    strbuf_init(runs->payload, BLOCK_PAYLOAD_MAX);
}

static void free_run(struct sorter_runs *runs, struct sorter_run *run, uint32_t from)
{
    for (uint32_t i = from; i < run->pieces.count; i++) {
        spill_give(runs->options->spill, run->pieces.items[i].slot,
                   run->pieces.items[i].slot_count);
    }
    VEC_RELEASE(&run->pieces);
}

static void free_bytes(struct sorter_runs *runs, struct sorter_cursor *cursor)
{
    if (cursor->bytes != NULL) {
        budget_give(runs->options->budget, cursor->request.size);
        mem_free(cursor->bytes);
        cursor->bytes = NULL;
    }
}

static void free_cursor(struct sorter_runs *runs, struct sorter_cursor *cursor)
{
    // The piece whose bytes are here is not read to its end.
    free_run(runs, &cursor->run, cursor->next_piece - (cursor->bytes != NULL));
    free_bytes(runs, cursor);
    batch_drop(cursor->ahead);
    batch_drop(cursor->batch);
    arena_release(&cursor->arena);
    mem_free(cursor);
}

static void end_write(struct sorter_runs *runs, struct sorter_write *write)
{
    *write->at = write->next;
    if (write->next != NULL) {
        write->next->at = write->at;
    }
    runs->bytes_on_their_way -= write->bytes.size;
    budget_give(runs->options->budget, write->bytes.size);
    strbuf_release(&write->bytes);
    mem_free(write);
}

static enum status end_read(struct sorter_runs *runs, struct sorter_cursor *cursor, struct err *err)
{
    struct sorter_piece *piece = &cursor->run.pieces.items[cursor->next_piece - 1];
    struct block block;
    size_t used;
    cursor->is_reading = false;
    enum status status =
        block_read(str_make(cursor->bytes, piece->size), NULL, NULL, &block, &used, err);
    if (status == STATUS_OK) {
        status = block_take_batch(block.payload, runs->options->budget, &cursor->ahead, err);
    }
    spill_give(runs->options->spill, piece->slot, piece->slot_count);
    free_bytes(runs, cursor);
    return status;
}

// Takes what the disk has done.
static enum status take_answers(struct sorter_runs *runs, struct err *err)
{
    enum status status = spill_error(runs->queue, err);
    for (struct spill_request *request; (request = spill_answer(runs->queue)) != NULL;) {
        if (request->is_write) {
            end_write(runs, (struct sorter_write *)(void *)request);
        } else if (status == STATUS_OK && request->status == STATUS_OK) {
            status = end_read(runs, (struct sorter_cursor *)(void *)request, err);
        } else {
            ((struct sorter_cursor *)(void *)request)->is_reading = false;
        }
    }
    return status == STATUS_OK ? spill_error(runs->queue, err) : status;
}

void sorter_runs_release(struct sorter_runs *runs)
{
    if (runs->queue != NULL) {
        spill_queue_free(runs->queue);
    }
    while (runs->writes != NULL) {
        end_write(runs, runs->writes);
    }
    for (uint32_t i = 0; i < runs->cursors.count; i++) {
        free_cursor(runs, runs->cursors.items[i]);
    }
    for (uint32_t i = 0; i < runs->runs.count; i++) {
        free_run(runs, &runs->runs.items[i], 0);
    }
    free_run(runs, &runs->writing, 0);
    VEC_RELEASE(&runs->cursors);
    VEC_RELEASE(&runs->runs);
    mem_free(runs->heap);
    strbuf_release(runs->payload);
    mem_free(runs->payload);
}

// --- writing -----------------------------------------------------------------------------------

enum status sorter_runs_ready(struct sorter_runs *runs, struct err *err)
{
    TRY(take_answers(runs, err));
    return runs->bytes_on_their_way < ON_THEIR_WAY_MAX ? STATUS_OK : STATUS_AGAIN;
}

enum status sorter_runs_append(struct sorter_runs *runs, const struct batch *batch, struct err *err)
{
    struct sorter_piece piece;
    strbuf_reset(runs->payload);
    TRY(block_add_batch(runs->payload, batch, err));
    struct sorter_write *write = mem_zalloc(sizeof *write);
    strbuf_init(&write->bytes, BLOCK_PAYLOAD_MAX + BLOCK_HEADER_SIZE);
    struct block block = {.payload = strbuf_str(runs->payload)};
    enum status status = block_write(&write->bytes, &block, COMPRESS_NONE, NULL, err);
    piece.size = (uint32_t)write->bytes.size;
    piece.slot_count = (piece.size + SLOT_BYTES - 1) / SLOT_BYTES;
    if (status == STATUS_OK) {
        status = spill_take(runs->options->spill, piece.slot_count, &piece.slot, err);
    }
    if (status != STATUS_OK) {
        strbuf_release(&write->bytes);
        mem_free(write);
        return status;
    }
    VEC_PUSH(&runs->writing.pieces, piece);
    write->request = (struct spill_request){
        .is_write = true, .slot = piece.slot, .bytes = write->bytes.ptr, .size = write->bytes.size};
    write->at = &runs->writes;
    write->next = runs->writes;
    if (write->next != NULL) {
        write->next->at = &write->next;
    }
    runs->writes = write;
    budget_force(runs->options->budget, write->bytes.size);
    runs->bytes_on_their_way += write->bytes.size;
    runs->figures.spilled_rows += batch->row_count;
    spill_submit(runs->queue, &write->request);
    return STATUS_OK;
}

void sorter_runs_end(struct sorter_runs *runs)
{
    VEC_PUSH(&runs->runs, runs->writing);
    runs->writing = (struct sorter_run){0};
    runs->figures.runs++;
}

// --- merging -----------------------------------------------------------------------------------

// Requests are done in order, so what is read has been written by then.
static void read_ahead(struct sorter_runs *runs, struct sorter_cursor *cursor)
{
    if (cursor->is_reading || cursor->ahead != NULL ||
        cursor->next_piece == cursor->run.pieces.count) {
        return;
    }
    struct sorter_piece *piece = &cursor->run.pieces.items[cursor->next_piece++];
    cursor->is_reading = true;
    cursor->bytes = mem_alloc(piece->size);
    cursor->request =
        (struct spill_request){.slot = piece->slot, .bytes = cursor->bytes, .size = piece->size};
    budget_force(runs->options->budget, piece->size);
    spill_submit(runs->queue, &cursor->request);
}

void sorter_runs_merge(struct sorter_runs *runs)
{
    for (uint32_t i = 0; i < runs->runs.count; i++) {
        struct sorter_cursor *cursor = mem_zalloc(sizeof *cursor);
        cursor->run = runs->runs.items[i];
        arena_init(&cursor->arena);
        VEC_PUSH(&runs->cursors, cursor);
        read_ahead(runs, cursor);
    }
    runs->runs.count = 0;
    mem_free(runs->heap);
    runs->heap = mem_alloc((runs->cursors.count + 1) * sizeof *runs->heap);
    runs->heap_count = 0;
}

static bool is_less(const struct sorter_runs *runs, uint32_t a, uint32_t b)
{
    const struct sorter_cursor *left = runs->cursors.items[a];
    const struct sorter_cursor *right = runs->cursors.items[b];
    const uint32_t *left_at = left->keys.offsets + left->row;
    const uint32_t *right_at = right->keys.offsets + right->row;
    uint32_t left_size = left_at[1] - left_at[0];
    uint32_t right_size = right_at[1] - right_at[0];
    int order = memcmp(left->keys.bytes + left_at[0], right->keys.bytes + right_at[0],
                       left_size < right_size ? left_size : right_size);
    return order != 0 ? order < 0 : a < b; // no key is a prefix of another
}

// The root may be out of place.
static void sift_down(struct sorter_runs *runs)
{
    uint32_t *heap = runs->heap;
    for (uint32_t at = 0;;) {
        uint32_t least = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2; child++) {
            if (child < runs->heap_count && is_less(runs, heap[child], heap[least])) {
                least = child;
            }
        }
        if (least == at) {
            return;
        }
        uint32_t moved = heap[at];
        heap[at] = heap[least];
        heap[least] = moved;
        at = least;
    }
}

static void push(struct sorter_runs *runs, uint32_t cursor)
{
    uint32_t *heap = runs->heap;
    uint32_t at = runs->heap_count++;
    for (; at > 0 && is_less(runs, cursor, heap[(at - 1) / 2]); at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = cursor;
}

enum status sorter_keys(const struct sorter_options *options, struct arena *arena,
                        const struct batch *batch, struct order_keys *out, struct err *err)
{
    struct column *columns = arena_new_array(arena, struct column, options->spec.count);
    for (uint32_t i = 0; i < options->spec.count; i++) {
        columns[i] = batch->columns[options->keys[i]];
    }
    return order_encode(arena, columns, &options->spec, out, err);
}

// Every cursor that is at the end of its block gets the next one, and a place in the heap.
static enum status refill(struct sorter_runs *runs, struct err *err)
{
    bool waits = false;
    for (uint32_t i = 0; i < runs->cursors.count; i++) {
        struct sorter_cursor *cursor = runs->cursors.items[i];
        if (cursor->batch != NULL && cursor->row < cursor->batch->row_count) {
            continue;
        }
        batch_drop(cursor->batch);
        cursor->batch = cursor->ahead;
        cursor->ahead = NULL;
        read_ahead(runs, cursor);
        if (cursor->batch == NULL) {
            waits |= cursor->is_reading;
            continue;
        }
        cursor->row = 0;
        arena_reset(&cursor->arena);
        TRY(sorter_keys(runs->options, &cursor->arena, cursor->batch, &cursor->keys, err));
        push(runs, i);
    }
    return waits ? STATUS_AGAIN : STATUS_OK;
}

// Rows in order up to the end of the first block that ends.
static uint32_t take_rows(struct sorter_runs *runs, struct column_place *places, uint32_t rows_max)
{
    uint32_t count = 0;
    while (count < rows_max && runs->heap_count > 0) {
        uint32_t at = runs->heap[0];
        struct sorter_cursor *cursor = runs->cursors.items[at];
        places[count++] = (struct column_place){at, cursor->row++};
        if (cursor->row == cursor->batch->row_count) {
            runs->heap[0] = runs->heap[--runs->heap_count];
            sift_down(runs);
            return count;
        }
        sift_down(runs);
    }
    return count;
}

static void free_cursors(struct sorter_runs *runs)
{
    for (uint32_t i = 0; i < runs->cursors.count; i++) {
        free_cursor(runs, runs->cursors.items[i]);
    }
    runs->cursors.count = 0;
}

enum status sorter_runs_next(struct sorter_runs *runs, struct arena *arena, uint32_t rows_max,
                             struct batch *out, struct err *err)
{
    TRY(take_answers(runs, err));
    TRY(refill(runs, err));
    struct column_place *places = arena_new_array(arena, struct column_place, rows_max);
    uint32_t count = take_rows(runs, places, rows_max);
    if (count == 0) {
        free_cursors(runs);
        return STATUS_END;
    }
    struct column *columns = arena_new_array(arena, struct column, runs->column_count);
    struct column *parts = arena_new_array(arena, struct column, runs->cursors.count);
    for (uint32_t c = 0; c < runs->column_count; c++) {
        for (uint32_t i = 0; i < runs->cursors.count; i++) {
            const struct batch *batch = runs->cursors.items[i]->batch;
            // A run that is at its end has no rows among the places.
            parts[i] = batch != NULL ? batch->columns[c]
                                     : runs->cursors.items[places[0].part]->batch->columns[c];
        }
        columns[c] = column_pick(arena, parts, runs->cursors.count, places, count);
    }
    *out =
        (struct batch){.row_count = count, .column_count = runs->column_count, .columns = columns};
    return STATUS_OK;
}

enum status sorter_runs_replace(struct sorter_runs *runs, struct err *err)
{
    TRY(take_answers(runs, err));
    for (uint32_t i = 0; i < runs->cursors.count; i++) {
        if (runs->cursors.items[i]->is_reading) {
            return STATUS_AGAIN;
        }
    }
    free_cursors(runs);
    sorter_runs_end(runs);
    return STATUS_OK;
}
