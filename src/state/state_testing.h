// SPDX-License-Identifier: Apache-2.0
//
// state_testing: what the tests of this layer share: a pool with a spill file and no thread, and a
// place for segments. Test programs only.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/hash.h"
#include "base/vec.h"
#include "state/spill.h"
#include "state/state.h"

struct testing_config {
    const char *name;
    size_t budget_bytes;
    uint32_t pages_min;
    bool hashes_zero;
};

struct testing {
    struct budget budget;
    struct spill *spill;
    struct state_pool *pool;
    struct state_context *context;
    uint64_t waits; // answers of AGAIN
};

#define TESTING_OK(status, err)                                                                    \
    do {                                                                                           \
        if ((status) != STATUS_OK) {                                                               \
            fail_msg("%s:%d: %s", __FILE__, __LINE__, (err).text);                                 \
        }                                                                                          \
    } while (0)

static inline struct state_context *testing_context(struct testing *testing, uint32_t from,
                                                    uint32_t to)
{
    return state_context_new(&(struct state_context_options){
        .pool = testing->pool,
        .operator_id = STR_LIT("test"),
        .key_group_from = from,
        .key_group_to = to,
        .segment_bytes_max = 64 << 10,
    });
}

static inline void testing_init(struct testing *testing, const struct testing_config *config)
{
    struct err err;
    memset(testing, 0, sizeof *testing);
    budget_init(&testing->budget, NULL, config->budget_bytes);
    TESTING_OK(spill_new(&(struct spill_options){.directory = "/tmp"}, &testing->spill, &err), err);
    testing->pool = state_pool_new(&(struct state_pool_options){
        .budget = &testing->budget,
        .spill = testing->spill,
        .pages_min = config->pages_min,
        .hashes_zero = config->hashes_zero,
    });
    testing->context = testing_context(testing, 0, 4096);
}

static inline void testing_release(struct testing *testing)
{
    state_context_free(testing->context);
    state_pool_free(testing->pool);
    spill_free(testing->spill);
    assert_int_equal(testing->budget.used, 0);
}

// After an answer of AGAIN: what it waits for is done. A livelock shows as a failure.
static inline void testing_wait(struct testing *testing)
{
    bool any = false;
    while (spill_run_one(testing->spill)) {
        any = true;
    }
    (void)any;
    assert_true(++testing->waits < 50000000);
}

// splitmix64
static inline uint64_t testing_random(uint64_t *seed)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    return hash_word(*seed);
}

// --- segments ----------------------------------------------------------------------------------

struct testing_segment {
    struct byte_sink_memory memory;
    struct state_segment segment;
    bool is_sealed;
};

struct testing_segments {
    struct state_segment_sink sink;
    VEC(struct testing_segment *) items;
    uint64_t bytes_written;
};

static inline enum status testing_open(struct state_segment_sink *sink, uint64_t number,
                                       struct byte_sink **out, struct err *err)
{
    struct testing_segments *segments = (struct testing_segments *)sink;
    struct testing_segment *segment = mem_zalloc(sizeof *segment);
    (void)err;
    byte_sink_memory_init(&segment->memory, SIZE_MAX / 2);
    segment->segment.number = number;
    VEC_PUSH(&segments->items, segment);
    *out = &segment->memory.sink;
    return STATUS_OK;
}

static inline enum status testing_seal(struct state_segment_sink *sink, struct state_segment sealed,
                                       struct err *err)
{
    struct testing_segments *segments = (struct testing_segments *)sink;
    struct testing_segment *segment = segments->items.items[segments->items.count - 1];
    (void)err;
    assert_int_equal(segment->segment.number, sealed.number);
    assert_int_equal(segment->memory.size, sealed.size);
    segment->segment = sealed;
    segment->is_sealed = true;
    segments->bytes_written += sealed.size;
    return STATUS_OK;
}

static inline void testing_segments_init(struct testing_segments *segments)
{
    *segments = (struct testing_segments){.sink = {testing_open, testing_seal}};
}

static inline void testing_segments_release(struct testing_segments *segments)
{
    for (uint32_t i = 0; i < segments->items.count; i++) {
        byte_sink_memory_release(&segments->items.items[i]->memory);
        mem_free(segments->items.items[i]);
    }
    VEC_RELEASE(&segments->items);
}

// Runs a checkpoint that was begun to its end.
static inline void testing_finish(struct testing *testing, size_t slice)
{
    struct err err;
    enum status status;
    bool waiting;
    while ((status = state_checkpoint_step(testing->context, slice, &waiting, &err)) ==
           STATUS_AGAIN) {
        if (waiting) {
            testing_wait(testing);
        }
    }
    TESTING_OK(status, err);
}

static inline void testing_run_restore(struct testing *testing, struct state_context *context,
                                       const struct state_former *formers, uint32_t count,
                                       uint64_t number_from)
{
    struct err err;
    enum status status;
    bool waiting;
    state_restore_begin(context, formers, count, number_from);
    while ((status = state_restore_step(context, 10000, &waiting, &err)) == STATUS_AGAIN) {
        if (waiting) {
            testing_wait(testing);
        }
    }
    TESTING_OK(status, err);
}

// A former instance made of the segments that the context's last checkpoint lists.
struct testing_former {
    struct arena arena;
    struct state_former former;
    uint64_t bytes;
};

static inline void testing_former_make(struct testing_former *former,
                                       const struct state_context *context,
                                       const struct testing_segments *segments)
{
    struct state_segment *list;
    arena_init(&former->arena);
    uint32_t count = state_checkpoint_segments(context, &former->arena, &list);
    struct byte_source **sources = arena_new_array(&former->arena, struct byte_source *, count + 1);
    former->bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct byte_source_memory *memory = arena_new(&former->arena, struct byte_source_memory);
        for (uint32_t j = 0; j < segments->items.count; j++) {
            const struct testing_segment *segment = segments->items.items[j];
            if (segment->segment.number == list[i].number) {
                assert_true(segment->is_sealed);
                byte_source_memory_init(memory, byte_sink_memory_bytes(&segment->memory));
                sources[i] = &memory->source;
            }
        }
        assert_non_null(sources[i]);
        former->bytes += list[i].size;
    }
    former->former =
        (struct state_former){.segment_count = count, .segments = list, .sources = sources};
}
