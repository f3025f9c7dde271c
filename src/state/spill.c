// SPDX-License-Identifier: Apache-2.0
#include "state/spill.h"

#include <pthread.h>

#include "base/assert.h"
#include "base/mem.h"
#include "base/vec.h"
#include "sys/scratch_file.h"
#include "sys/waker.h"

enum { SLOT_SIZE = 16384 };

struct run {
    uint64_t slot;
    uint32_t count;
};

struct spill {
    struct scratch_file file;
    uint64_t size_max;
    bool has_thread;
    pthread_t thread;

    // The mutex guards all below and the queues' lists.
    pthread_mutex_t mutex;
    pthread_cond_t work; // a request came, or is_stopping
    pthread_cond_t done; // a request was answered
    struct spill_request *first;
    struct spill_request **last;
    bool is_stopping;
    uint64_t slot_count; // in the file
    VEC(uint64_t) free_slots;
    VEC(struct run) free_runs; // of more than one slot; their bytes are discarded
};

struct spill_queue {
    struct spill *spill;
    struct waker *waker;
    struct spill_request *first; // answers, oldest first
    struct spill_request **last;
    uint32_t waiting; // submitted, not answered
    struct err err;   // of the first failure
};

static void *run_thread(void *context)
{
    struct spill *spill = context;
    for (;;) {
        if (spill_run_one(spill)) {
            continue;
        }
        pthread_mutex_lock(&spill->mutex);
        while (spill->first == NULL && !spill->is_stopping) {
            pthread_cond_wait(&spill->work, &spill->mutex);
        }
        bool stop = spill->first == NULL;
        pthread_mutex_unlock(&spill->mutex);
        if (stop) {
            return NULL;
        }
    }
}

enum status spill_new(const struct spill_options *options, struct spill **out, struct err *err)
{
    struct scratch_file file;
    TRY(scratch_file_open(options->directory, &file, err));
    struct spill *spill = mem_zalloc(sizeof *spill);
    spill->file = file;
    spill->size_max = options->size_max;
    spill->last = &spill->first;
    pthread_mutex_init(&spill->mutex, NULL);
    pthread_cond_init(&spill->work, NULL);
    pthread_cond_init(&spill->done, NULL);
    if (options->has_thread) {
        spill->has_thread = pthread_create(&spill->thread, NULL, run_thread, spill) == 0;
        if (!spill->has_thread) {
            spill_free(spill);
            return ERR(err, STATUS_LIMIT, "no thread for the spill file could be started");
        }
    }
    *out = spill;
    return STATUS_OK;
}

void spill_free(struct spill *spill)
{
    if (spill == NULL) {
        return;
    }
    if (spill->has_thread) {
        pthread_mutex_lock(&spill->mutex);
        spill->is_stopping = true;
        pthread_cond_signal(&spill->work);
        pthread_mutex_unlock(&spill->mutex);
        pthread_join(spill->thread, NULL);
    }
    pthread_cond_destroy(&spill->work);
    pthread_cond_destroy(&spill->done);
    pthread_mutex_destroy(&spill->mutex);
    VEC_RELEASE(&spill->free_slots);
    VEC_RELEASE(&spill->free_runs);
    scratch_file_close(&spill->file);
    mem_free(spill);
}

uint64_t spill_bytes(struct spill *spill)
{
    pthread_mutex_lock(&spill->mutex);
    uint64_t bytes = spill->slot_count * SLOT_SIZE;
    pthread_mutex_unlock(&spill->mutex);
    return bytes;
}

struct spill_queue *spill_queue_new(struct spill *spill, struct waker *waker)
{
    struct spill_queue *queue = mem_zalloc(sizeof *queue);
    queue->spill = spill;
    queue->waker = waker;
    queue->last = &queue->first;
    return queue;
}

void spill_queue_free(struct spill_queue *queue)
{
    if (queue == NULL) {
        return;
    }
    struct spill *spill = queue->spill;
    pthread_mutex_lock(&spill->mutex);
    while (queue->waiting > 0) {
        if (spill->has_thread) {
            pthread_cond_wait(&spill->done, &spill->mutex);
        } else {
            pthread_mutex_unlock(&spill->mutex);
            spill_run_one(spill);
            pthread_mutex_lock(&spill->mutex);
        }
    }
    pthread_mutex_unlock(&spill->mutex);
    mem_free(queue);
}

// A run of exactly `slot_count` free slots, or none.
static bool take_free(struct spill *spill, uint32_t slot_count, uint64_t *slot)
{
    if (slot_count == 1 && spill->free_slots.count > 0) {
        *slot = spill->free_slots.items[--spill->free_slots.count];
        return true;
    }
    for (uint32_t i = 0; slot_count > 1 && i < spill->free_runs.count; i++) {
        if (spill->free_runs.items[i].count == slot_count) {
            *slot = spill->free_runs.items[i].slot;
            spill->free_runs.items[i] = spill->free_runs.items[--spill->free_runs.count];
            return true;
        }
    }
    return false;
}

enum status spill_take(struct spill *spill, uint32_t slot_count, uint64_t *slot, struct err *err)
{
    enum status status = STATUS_OK;
    pthread_mutex_lock(&spill->mutex);
    if (!take_free(spill, slot_count, slot)) {
        uint64_t size = (spill->slot_count + slot_count) * SLOT_SIZE;
        if (spill->size_max != 0 && size > spill->size_max) {
            status = ERR(err, STATUS_LIMIT, "the spill file is full: %llu bytes",
                         (unsigned long long)spill->size_max);
        } else {
            *slot = spill->slot_count;
            spill->slot_count += slot_count;
        }
    }
    pthread_mutex_unlock(&spill->mutex);
    return status;
}

void spill_give(struct spill *spill, uint64_t slot, uint32_t slot_count)
{
    pthread_mutex_lock(&spill->mutex);
    if (slot_count == 1) {
        VEC_PUSH(&spill->free_slots, slot);
    } else {
        VEC_PUSH(&spill->free_runs, ((struct run){slot, slot_count}));
        scratch_file_discard(&spill->file, slot * SLOT_SIZE, (uint64_t)slot_count * SLOT_SIZE);
    }
    pthread_mutex_unlock(&spill->mutex);
}

void spill_submit(struct spill_queue *queue, struct spill_request *request)
{
    struct spill *spill = queue->spill;
    request->queue = queue;
    request->next = NULL;
    pthread_mutex_lock(&spill->mutex);
    bool was_empty = spill->first == NULL;
    *spill->last = request;
    spill->last = &request->next;
    queue->waiting++;
    if (was_empty && spill->has_thread) {
        pthread_cond_signal(&spill->work);
    }
    pthread_mutex_unlock(&spill->mutex);
}

struct spill_request *spill_answer(struct spill_queue *queue)
{
    pthread_mutex_lock(&queue->spill->mutex);
    struct spill_request *request = queue->first;
    if (request != NULL) {
        queue->first = request->next;
        if (queue->first == NULL) {
            queue->last = &queue->first;
        }
    }
    pthread_mutex_unlock(&queue->spill->mutex);
    return request;
}

enum status spill_error(struct spill_queue *queue, struct err *err)
{
    pthread_mutex_lock(&queue->spill->mutex);
    enum status status = queue->err.status;
    if (status != STATUS_OK && err != NULL) {
        *err = queue->err;
    }
    pthread_mutex_unlock(&queue->spill->mutex);
    return status;
}

static void answer(struct spill *spill, struct spill_request *request, const struct err *err)
{
    struct spill_queue *queue = request->queue;
    pthread_mutex_lock(&spill->mutex);
    request->next = NULL;
    *queue->last = request;
    queue->last = &request->next;
    if (request->status != STATUS_OK && queue->err.status == STATUS_OK) {
        queue->err = *err;
    }
    // One wake for all that was asked for; before the asker may see `waiting` at 0 and go away with
    // its waker.
    if (queue->waker != NULL && queue->waiting == 1) {
        waker_wake(queue->waker);
    }
    queue->waiting--;
    pthread_cond_broadcast(&spill->done);
    pthread_mutex_unlock(&spill->mutex);
}

bool spill_run_one(struct spill *spill)
{
    pthread_mutex_lock(&spill->mutex);
    struct spill_request *request = spill->first;
    if (request != NULL) {
        spill->first = request->next;
        if (spill->first == NULL) {
            spill->last = &spill->first;
        }
    }
    pthread_mutex_unlock(&spill->mutex);
    if (request == NULL) {
        return false;
    }
    struct err err = {0};
    uint64_t offset = request->slot * SLOT_SIZE;
    request->status =
        request->is_write
            ? scratch_file_write(&spill->file, offset, request->bytes, request->size, &err)
            : scratch_file_read(&spill->file, offset, request->bytes, request->size, &err);
    answer(spill, request, &err);
    return true;
}
