// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "codec/avro_reader.h"
#include "iceberg/scan_int.h"
#include "store/store.h"

enum { WORTH_BYTES = 1 << 20 }; // of manifests: less is decoded before a thread has started

struct work {
    const struct manifest_files_request *requests;
    struct manifest_files **out;
    const uint32_t *missing;
    uint32_t missing_count;
    _Atomic uint32_t next;
    _Atomic bool stop;
};

struct half {
    struct work *work;
    struct avro_schema_cache cache;
    enum status status;
    struct err err;
};

static void *run(void *context)
{
    struct half *half = context;
    struct work *work = half->work;
    uint32_t at;
    while (half->status == STATUS_OK && !atomic_load(&work->stop) &&
           (at = atomic_fetch_add(&work->next, 1)) < work->missing_count) {
        struct manifest_files_request request = work->requests[work->missing[at]];
        request.cache = &half->cache;
        half->status = manifest_files_get(&request, &work->out[work->missing[at]], &half->err);
    }
    if (half->status != STATUS_OK) {
        atomic_store(&work->stop, true);
    }
    return NULL;
}

static bool is_worth_a_thread(const struct work *work)
{
    int64_t bytes = 0;
    for (uint32_t i = 0; i < work->missing_count; i++) {
        bytes += work->requests[work->missing[i]].file->length;
    }
    // The stores of the simulator are not for several threads, and answer at once.
    return work->missing_count > 1 && bytes >= WORTH_BYTES &&
           strcmp(work->requests[0].store->ops->name, "file") == 0 &&
           sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

static enum status decode_missing(struct work *work, struct err *err)
{
    struct half halves[2] = {{.work = work}, {.work = work}};
    pthread_t thread;
    bool has_thread =
        is_worth_a_thread(work) && pthread_create(&thread, NULL, run, &halves[1]) == 0;
    run(&halves[0]);
    if (has_thread) {
        pthread_join(thread, NULL);
    }
    for (int i = 0; i < 2; i++) {
        avro_schema_cache_release(&halves[i].cache);
    }
    const struct half *failed = halves[0].status != STATUS_OK ? &halves[0] : &halves[1];
    if (failed->status != STATUS_OK && err != NULL) {
        *err = failed->err;
    }
    return failed->status;
}

enum status scan_decode(const struct manifest_files_request *requests, uint32_t count,
                        struct manifest_files **out, struct err *err)
{
    uint32_t missing[SCAN_AT_ONCE];
    struct work work = {.requests = requests, .out = out, .missing = missing};
    for (uint32_t i = 0; i < count; i++) {
        out[i] = manifest_files_find(&requests[i]);
        if (out[i] == NULL) {
            missing[work.missing_count++] = i;
        }
    }
    enum status status = work.missing_count > 0 ? decode_missing(&work, err) : STATUS_OK;
    for (uint32_t i = 0; status != STATUS_OK && i < count; i++) {
        manifest_files_unref(out[i]);
    }
    return status;
}
