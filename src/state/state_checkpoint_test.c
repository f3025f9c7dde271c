// SPDX-License-Identifier: Apache-2.0
//
// What checkpoints cost, and tables that come and go while they are written.
#include "state/hash_table.h"

#include "state/state_testing.h"

enum { ROWS = 30000, BATCH = 300, SLICES = 12, SLICE_KEYS = 500 };

static const struct testing_config in_memory = {"in memory", SIZE_MAX, 0, false};
static const struct testing_config tiny = {"tiny", 0, 24, false};

static const struct row_layout *make_layout(struct arena *arena)
{
    static const struct type *const types[] = {&type_bigint};
    return row_layout_new(arena, types, 1, 1, 48);
}

// Adds `by` to the counts of keys from a to b.
static void add(struct testing *testing, struct hash_table *table, const int64_t *numbers,
                uint32_t count, int64_t by)
{
    uint64_t hashes[BATCH];
    struct row *rows[BATCH];
    struct err err;
    uint32_t ready;
    struct column column = {.physical = PHYSICAL_I64, .row_count = count, .values = numbers};
    struct hash_keys keys = {&column, 1, hashes, NULL, count};
    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = hash_word((uint64_t)numbers[i]);
    }
    for (uint32_t from = 0; from < count; from += ready) {
        enum status status;
        while ((status = hash_table_prepare(table, &keys, from, &ready, &err)) == STATUS_AGAIN) {
            testing_wait(testing);
        }
        TESTING_OK(status, err);
        hash_table_upsert(table, &keys, from, ready, rows, NULL);
        for (uint32_t i = 0; i < ready; i++) {
            int64_t value;
            memcpy(&value, row_extra(hash_table_layout(table), rows[i]), sizeof value);
            value += by;
            memcpy(row_extra(hash_table_layout(table), rows[i]), &value, sizeof value);
        }
    }
    hash_table_done(table);
}

static uint64_t sum(struct testing *testing, struct hash_table *table, uint64_t *rows_met)
{
    struct hash_table_scan scan = {0};
    struct row *rows[128];
    uint32_t count;
    struct err err;
    uint64_t total = 0;
    *rows_met = 0;
    for (;;) {
        enum status status = hash_table_scan_next(table, &scan, rows, 128, &count, &err);
        if (status == STATUS_AGAIN) {
            testing_wait(testing);
            continue;
        }
        if (status == STATUS_END) {
            break;
        }
        for (uint32_t i = 0; i < count; i++) {
            uint64_t value;
            memcpy(&value, row_extra(hash_table_layout(table), rows[i]), sizeof value);
            total += value;
            (*rows_met)++;
        }
    }
    hash_table_done(table);
    return total;
}

static void checkpoint(struct testing *testing, struct testing_segments *segments)
{
    state_checkpoint_begin(testing->context, &segments->sink);
    testing_finish(testing, 100000);
}

// 1 % random updates an epoch: bytes written at most 3 times the changed rows, old segments cleaned
// included; what a restore reads at most 1.5 times the state (and a megabyte that nobody cleans).
static void test_writes_and_restores_stay_in_proportion(void **state)
{
    (void)state;
    struct testing testing;
    struct testing_segments segments;
    struct arena arena;
    int64_t numbers[BATCH];
    uint64_t seed = 1;
    arena_init(&arena);
    testing_init(&testing, &in_memory);
    testing_segments_init(&segments);
    const struct row_layout *layout = make_layout(&arena);
    struct hash_table *table =
        hash_table_new(testing.context, &(struct hash_table_options){.layout = layout});
    for (int64_t at = 0; at < ROWS; at += BATCH) {
        for (uint32_t i = 0; i < BATCH; i++) {
            numbers[i] = at + i;
        }
        add(&testing, table, numbers, BATCH, 1);
    }
    checkpoint(&testing, &segments);
    uint64_t loaded = segments.bytes_written;
    uint64_t changed = 0;
    for (int epoch = 0; epoch < 300; epoch++) {
        for (uint32_t i = 0; i < BATCH; i++) {
            numbers[i] = (int64_t)(testing_random(&seed) % ROWS);
        }
        add(&testing, table, numbers, BATCH, 1);
        changed += (uint64_t)BATCH * layout->fixed_size;
        checkpoint(&testing, &segments);
        struct testing_former former;
        testing_former_make(&former, testing.context, &segments);
        assert_true(former.bytes <= state_context_bytes(testing.context) * 3 / 2 + (1 << 20));
        arena_release(&former.arena);
    }
    assert_true(segments.bytes_written - loaded <= 3 * changed);
    struct testing_former former;
    struct testing second;
    testing_former_make(&former, testing.context, &segments);
    testing_init(&second, &in_memory);
    struct hash_table *copy =
        hash_table_new(second.context, &(struct hash_table_options){.layout = layout});
    testing_run_restore(&second, second.context, &former.former, 1, 10000);
    uint64_t rows;
    assert_int_equal(sum(&second, copy, &rows), ROWS + 300 * BATCH);
    assert_int_equal(rows, ROWS);
    arena_release(&former.arena);
    testing_release(&second);
    testing_release(&testing);
    testing_segments_release(&segments);
    arena_release(&arena);
}

// Windows: slices open, fill, close, also in the middle of a checkpoint and again under a name used
// before; a restore finds those that were open at the barrier, with the sums that they had.
struct slices {
    struct hash_table *tables[SLICES];
    uint64_t sums[SLICES];
};

static void change_slices(struct testing *testing, struct slices *slices,
                          const struct row_layout *layout, uint64_t *seed)
{
    int64_t numbers[BATCH];
    for (int n = 0; n < 3; n++) {
        uint64_t at = testing_random(seed) % SLICES;
        if (slices->tables[at] != NULL && testing_random(seed) % 3 == 0) {
            hash_table_free(slices->tables[at]);
            slices->tables[at] = NULL;
            slices->sums[at] = 0;
            continue;
        }
        if (slices->tables[at] == NULL) {
            slices->tables[at] = hash_table_new(
                testing->context,
                &(struct hash_table_options){.layout = layout, .id = 5, .slice = (int64_t)at});
        }
        for (uint32_t i = 0; i < BATCH; i++) {
            numbers[i] = (int64_t)(testing_random(seed) % SLICE_KEYS);
        }
        add(testing, slices->tables[at], numbers, BATCH, 2);
        slices->sums[at] += 2 * BATCH;
    }
}

static void check_slices(const struct testing_config *config, struct testing *from,
                         const struct testing_segments *segments, const struct slices *expected,
                         const struct row_layout *layout)
{
    struct testing_former former;
    struct testing testing;
    int64_t *open;
    testing_former_make(&former, from->context, segments);
    testing_init(&testing, config);
    hash_table_declare(testing.context, &(struct hash_table_options){.layout = layout, .id = 5});
    testing_run_restore(&testing, testing.context, &former.former, 1, 10000);
    uint32_t count = state_context_slices(testing.context, 5, &former.arena, &open);
    uint32_t at = 0;
    for (uint32_t i = 0; i < SLICES; i++) {
        if (expected->sums[i] == 0) {
            continue;
        }
        assert_true(at < count && open[at] == i);
        uint64_t rows;
        assert_int_equal(sum(&testing, hash_table_open(testing.context, 5, open[at]), &rows),
                         expected->sums[i]);
        at++;
    }
    assert_int_equal(at, count);
    arena_release(&former.arena);
    testing_release(&testing);
}

static void test_slices_come_back_as_they_were_open(void **state)
{
    const struct testing_config *config = *state;
    struct testing testing;
    struct testing_segments segments;
    struct arena arena;
    struct slices slices = {0};
    uint64_t seed = 9;
    arena_init(&arena);
    testing_init(&testing, config);
    testing_segments_init(&segments);
    const struct row_layout *layout = make_layout(&arena);
    for (int round = 0; round < 60; round++) {
        change_slices(&testing, &slices, layout, &seed);
        state_checkpoint_begin(testing.context, &segments.sink);
        struct slices frozen = slices;
        struct err err;
        bool waiting;
        enum status status = STATUS_AGAIN;
        for (int i = 0; i < 3 && status == STATUS_AGAIN; i++) {
            status = state_checkpoint_step(testing.context, 10000, &waiting, &err);
            testing_wait(&testing);
            change_slices(&testing, &slices, layout, &seed);
        }
        if (status == STATUS_AGAIN) {
            testing_finish(&testing, 10000);
        }
        check_slices(config, &testing, &segments, &frozen, layout);
    }
    testing_release(&testing);
    testing_segments_release(&segments);
    arena_release(&arena);
}

// Two former instances had the same window, and only one had closed it when the checkpoint was
// taken (its watermark was ahead): the rows of the other stay.
static void test_a_window_that_one_instance_closed_stays_open_for_the_other(void **state)
{
    const struct testing_config *config = *state;
    enum { AHEAD, BEHIND, FORMERS };
    struct testing testings[FORMERS];
    struct testing_segments segments[FORMERS];
    struct testing_former formers[FORMERS];
    struct arena arena;
    int64_t numbers[BATCH];
    arena_init(&arena);
    const struct row_layout *layout = make_layout(&arena);
    for (int i = 0; i < FORMERS; i++) {
        testing_init(&testings[i], config);
        testing_segments_init(&segments[i]);
        struct hash_table *table =
            hash_table_new(testings[i].context,
                           &(struct hash_table_options){.layout = layout, .id = 5, .slice = 3});
        for (uint32_t k = 0; k < BATCH; k++) {
            numbers[k] = i * BATCH + (int64_t)k;
        }
        add(&testings[i], table, numbers, BATCH, 2);
        checkpoint(&testings[i], &segments[i]);
        if (i == AHEAD) {
            hash_table_free(table);
            checkpoint(&testings[i], &segments[i]);
        }
        testing_former_make(&formers[i], testings[i].context, &segments[i]);
    }
    for (int order = 0; order < 2; order++) {
        struct testing testing;
        uint64_t rows;
        const struct state_former both[] = {formers[order].former, formers[1 - order].former};
        testing_init(&testing, config);
        hash_table_declare(testing.context,
                           &(struct hash_table_options){.layout = layout, .id = 5});
        testing_run_restore(&testing, testing.context, both, FORMERS, 10);
        struct hash_table *table = hash_table_open(testing.context, 5, 3);
        assert_non_null(table);
        assert_int_equal(sum(&testing, table, &rows), 2 * BATCH);
        assert_int_equal(rows, BATCH);
        testing_release(&testing);
    }
    for (int i = 0; i < FORMERS; i++) {
        arena_release(&formers[i].arena);
        testing_release(&testings[i]);
        testing_segments_release(&segments[i]);
    }
    arena_release(&arena);
}

// A sink that is not ready now and then changes nothing but the time.
static int refusals;

static enum status reluctant_open(struct state_segment_sink *sink, uint64_t number,
                                  struct byte_sink **out, struct err *err)
{
    return ++refusals % 3 != 0 ? STATUS_AGAIN : testing_open(sink, number, out, err);
}

static void test_waits_for_a_sink_that_is_not_ready(void **state)
{
    (void)state;
    struct testing testing;
    struct testing_segments segments;
    struct arena arena;
    int64_t numbers[BATCH];
    arena_init(&arena);
    testing_init(&testing, &in_memory);
    testing_segments_init(&segments);
    segments.sink.open = reluctant_open;
    struct hash_table *table = hash_table_new(
        testing.context, &(struct hash_table_options){.layout = make_layout(&arena)});
    for (uint32_t i = 0; i < BATCH; i++) {
        numbers[i] = i;
    }
    add(&testing, table, numbers, BATCH, 1);
    checkpoint(&testing, &segments);
    assert_true(refusals >= 3);
    assert_int_equal(segments.items.count, 1);
    testing_release(&testing);
    testing_segments_release(&segments);
    arena_release(&arena);
}

static void test_memory_stays_within_the_budget(void **state)
{
    (void)state;
    struct testing testing;
    struct testing_segments segments;
    struct arena arena;
    int64_t numbers[BATCH];
    uint64_t seed = 3;
    struct testing_config config = {"1 MiB", 1 << 20, 0, false};
    arena_init(&arena);
    testing_init(&testing, &config);
    testing_segments_init(&segments);
    struct hash_table *table = hash_table_new(
        testing.context, &(struct hash_table_options){.layout = make_layout(&arena)});
    for (int round = 0; round < 500; round++) {
        for (uint32_t i = 0; i < BATCH; i++) {
            numbers[i] = (int64_t)(testing_random(&seed) % 100000);
        }
        add(&testing, table, numbers, BATCH, 1);
        assert_true(testing.budget.used <= config.budget_bytes);
        if (round % 100 == 99) {
            checkpoint(&testing, &segments);
            assert_true(testing.budget.used <= config.budget_bytes);
        }
    }
    uint64_t rows;
    assert_int_equal(sum(&testing, table, &rows), 500 * BATCH);
    assert_true(state_context_bytes(testing.context) > 3 * config.budget_bytes);
    assert_true(testing.budget.peak <= config.budget_bytes);
    testing_release(&testing);
    testing_segments_release(&segments);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writes_and_restores_stay_in_proportion),
        {"slices in memory", test_slices_come_back_as_they_were_open, NULL, NULL,
         (void *)(uintptr_t)&in_memory},
        {"slices tiny", test_slices_come_back_as_they_were_open, NULL, NULL,
         (void *)(uintptr_t)&tiny},
        {"a window that one instance closed stays open for the other",
         test_a_window_that_one_instance_closed_stays_open_for_the_other, NULL, NULL,
         (void *)(uintptr_t)&in_memory},
        cmocka_unit_test(test_waits_for_a_sink_that_is_not_ready),
        cmocka_unit_test(test_memory_stays_within_the_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
