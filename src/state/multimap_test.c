// SPDX-License-Identifier: Apache-2.0
//
// The multimap against a plain model: counts of (key, payload) pairs, in four configurations. Maps
// that only grow are given no retractions, and hand out each row with a count of 1.
#include "state/multimap.h"

#include "state/state_testing.h"

enum { KEYS = 40, PAYLOADS = 150, BATCH = 200 };

struct model {
    bool only_grows;
    int count[KEYS][PAYLOADS];
};

static const struct testing_config configs[] = {
    {"in memory", SIZE_MAX, 0, false},
    {"tiny", 0, 16, false},
    {"all hashes 0", SIZE_MAX, 0, true},
    {"tiny, all hashes 0", 0, 16, true},
};

// Rows are (STRING payload, BIGINT key). Key 0 has many rows, the others few.
struct batch_of {
    struct arena arena;
    struct column columns[2];
    uint64_t row_hashes[BATCH];
    uint64_t key_hashes[BATCH];
    int8_t kinds[BATCH];
    uint32_t keys[BATCH];
    uint32_t payloads[BATCH];
    struct multimap_input input;
};

static void batch_columns(struct batch_of *batch, uint32_t count)
{
    int64_t *keys = arena_new_array(&batch->arena, int64_t, count + 1);
    struct strview *texts = arena_new_array(&batch->arena, struct strview, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        size_t size = 1 + batch->payloads[i] % 200;
        char *text = arena_alloc(&batch->arena, size);
        memset(text, 'a' + (int)(batch->payloads[i] / 10), size);
        texts[i] = strview_make(text, size);
        keys[i] = batch->keys[i];
        batch->key_hashes[i] = hash_word(batch->keys[i] + 77);
        batch->row_hashes[i] = hash_word(batch->keys[i] * 1000 + batch->payloads[i]);
    }
    batch->columns[0] =
        (struct column){.physical = PHYSICAL_STRING, .row_count = count, .values = texts};
    batch->columns[1] =
        (struct column){.physical = PHYSICAL_I64, .row_count = count, .values = keys};
    batch->input = (struct multimap_input){
        batch->columns, batch->row_hashes, batch->key_hashes, batch->kinds, NULL, count};
}

static uint32_t payload_of(const struct row_layout *layout, const struct row *row)
{
    struct str text = row_string(layout, row, 0);
    uint32_t tens = (uint32_t)(text.ptr[0] - 'a') * 10;
    // The size is 1 + payload % 200, so it gives the payload itself below 200.
    assert_int_equal((text.size - 1) / 10 * 10, tens);
    return (uint32_t)text.size - 1;
}

static void change(struct testing *testing, struct multimap *map, struct model *model,
                   uint64_t *seed)
{
    static struct batch_of batch;
    struct err err;
    uint32_t count = 1 + (uint32_t)(testing_random(seed) % BATCH);
    bool is_shrinking = testing_random(seed) % 3 == 0;
    arena_init(&batch.arena);
    for (uint32_t i = 0; i < count; i++) {
        batch.keys[i] = testing_random(seed) % 2 ? 0 : (uint32_t)(testing_random(seed) % KEYS);
        batch.payloads[i] = (uint32_t)(testing_random(seed) % (batch.keys[i] == 0 ? PAYLOADS : 4));
        int *counted = &model->count[batch.keys[i]][batch.payloads[i]];
        bool is_minus = *counted > 0 ? is_shrinking || testing_random(seed) % 3 == 0
                                     : testing_random(seed) % 20 == 0;
        is_minus = is_minus && !model->only_grows;
        batch.kinds[i] = is_minus ? CHANGE_DELETE : CHANGE_INSERT;
        *counted += is_minus ? -1 : 1;
    }
    batch_columns(&batch, count);
    uint32_t ready;
    for (uint32_t from = 0; from < count; from += ready) {
        enum status status;
        while ((status = multimap_prepare(map, &batch.input, from, &ready, &err)) == STATUS_AGAIN) {
            testing_wait(testing);
        }
        TESTING_OK(status, err);
        assert_true(ready >= 1);
        multimap_change(map, &batch.input, from, ready);
    }
    multimap_done(map);
    arena_release(&batch.arena);
}

static struct multimap_pairs pairs;

// Probes with every key, the first of them twice, and compares all that comes with the model.
static void check(struct testing *testing, struct multimap *map, const struct model *model,
                  uint32_t max)
{
    static int met[KEYS + 1][PAYLOADS];
    static struct batch_of probe;
    struct err err;
    uint32_t last = 0;
    enum status status;
    memset(met, 0, sizeof met);
    arena_init(&probe.arena);
    for (uint32_t i = 0; i <= KEYS; i++) {
        probe.keys[i] = i == KEYS ? 0 : i;
        probe.payloads[i] = 0;
    }
    batch_columns(&probe, KEYS + 1);
    struct hash_keys keys = {&probe.columns[1], 1, probe.key_hashes, NULL, KEYS + 1};
    multimap_match(map, &keys);
    for (;;) {
        status = multimap_next(map, max, &pairs, &err);
        if (status == STATUS_AGAIN) {
            testing_wait(testing);
            continue;
        }
        if (status == STATUS_END) {
            break;
        }
        TESTING_OK(status, err);
        assert_true(pairs.count > 0 && pairs.count <= max);
        for (uint32_t i = 0; i < pairs.count; i++) {
            uint32_t payload = payload_of(multimap_layout(map), pairs.rows[i]);
            assert_true(pairs.probe[i] >= last);
            last = pairs.probe[i];
            assert_true(model->only_grows ? pairs.counts[i] == 1 : met[last][payload] == 0);
            met[last][payload] += (int)pairs.counts[i];
        }
    }
    for (uint32_t i = 0; i <= KEYS; i++) {
        assert_memory_equal(met[i], model->count[probe.keys[i]], sizeof met[i]);
    }
    multimap_done(map);
    arena_release(&probe.arena);
}

static struct multimap *make_map(struct state_context *context, bool is_append)
{
    static const struct type *const types[] = {&type_string, &type_bigint};
    static const uint32_t keys[] = {1};
    return multimap_new(context, &(struct multimap_options){.types = types,
                                                            .column_count = 2,
                                                            .keys = keys,
                                                            .key_count = 1,
                                                            .id = 10,
                                                            .is_append = is_append});
}

static struct model model, frozen;

static void run_matches(const struct testing_config *config, bool only_grows)
{
    struct testing testing;
    uint64_t seed = 21;
    testing_init(&testing, config);
    model = (struct model){.only_grows = only_grows};
    struct multimap *map = make_map(testing.context, only_grows);
    for (int round = 0; round < 150; round++) {
        change(&testing, map, &model, &seed);
        if (round % 10 == 9) {
            check(&testing, map, &model, round % 20 == 9 ? 7 : 2000);
        }
    }
    multimap_free(map);
    testing_release(&testing);
}

static void test_matches_what_a_model_holds(void **state)
{
    run_matches(*state, false);
}

static void test_matches_where_it_only_grows(void **state)
{
    run_matches(*state, true);
}

// -U and +U of one key for ever: the list must not grow with the changes.
static void test_churn_without_matches_does_not_grow(void **state)
{
    static struct batch_of batch;
    struct testing testing;
    struct err err;
    testing_init(&testing, *state);
    struct multimap *map = make_map(testing.context, false);
    uint64_t seed = 1;
    uint64_t rows_max = 0;
    uint32_t present[100];
    for (uint32_t i = 0; i < 100; i++) {
        present[i] = i;
    }
    for (int round = 0; round < 60; round++) {
        arena_init(&batch.arena);
        for (uint32_t i = 0; i < BATCH; i += 2) {
            uint32_t slot = (uint32_t)(testing_random(&seed) % 100);
            batch.keys[i] = batch.keys[i + 1] = 0;
            batch.payloads[i] = present[slot];
            batch.kinds[i] = CHANGE_UPDATE_BEFORE;
            present[slot] = (present[slot] + 37) % PAYLOADS;
            batch.payloads[i + 1] = present[slot];
            batch.kinds[i + 1] = CHANGE_UPDATE_AFTER;
        }
        batch_columns(&batch, BATCH);
        uint32_t ready;
        for (uint32_t from = 0; from < BATCH; from += ready) {
            enum status status;
            while ((status = multimap_prepare(map, &batch.input, from, &ready, &err)) ==
                   STATUS_AGAIN) {
                testing_wait(&testing);
            }
            TESTING_OK(status, err);
            multimap_change(map, &batch.input, from, ready);
        }
        rows_max = multimap_count(map) > rows_max ? multimap_count(map) : rows_max;
        arena_release(&batch.arena);
    }
    assert_true(rows_max <= 2 * PAYLOADS);
    multimap_free(map);
    testing_release(&testing);
}

static void run_restores(const struct testing_config *config, bool only_grows)
{
    struct testing testing;
    struct testing_segments segments;
    uint64_t seed = 5;
    testing_init(&testing, config);
    testing_segments_init(&segments);
    model = (struct model){.only_grows = only_grows};
    struct multimap *map = make_map(testing.context, only_grows);
    for (int round = 0; round < 12; round++) {
        for (int i = 0; i < 4; i++) {
            change(&testing, map, &model, &seed);
        }
        state_checkpoint_begin(testing.context, &segments.sink);
        frozen = model;
        struct err err;
        bool waiting;
        enum status status = STATUS_AGAIN;
        for (int i = 0; i < 3 && status == STATUS_AGAIN; i++) {
            status = state_checkpoint_step(testing.context, 2000, &waiting, &err);
            testing_wait(&testing);
            change(&testing, map, &model, &seed);
        }
        if (status == STATUS_AGAIN) {
            testing_finish(&testing, 2000);
        }
        struct testing_former former;
        struct testing second;
        testing_former_make(&former, testing.context, &segments);
        testing_init(&second, config);
        struct multimap *copy = make_map(second.context, only_grows);
        testing_run_restore(&second, second.context, &former.former, 1, 1000);
        check(&second, copy, &frozen, 2000);
        change(&second, copy, &frozen, &seed);
        check(&second, copy, &frozen, 2000);
        multimap_free(copy);
        testing_release(&second);
        arena_release(&former.arena);
    }
    multimap_free(map);
    testing_release(&testing);
    testing_segments_release(&segments);
}

static void test_restores_what_the_barrier_saw(void **state)
{
    run_restores(*state, false);
}

static void test_restores_what_only_grows(void **state)
{
    run_restores(*state, true);
}

#define IN_ALL_CONFIGS(test)                                                                       \
    {#test " in memory", test, NULL, NULL, (void *)(uintptr_t)&configs[0]},                        \
        {#test " tiny", test, NULL, NULL, (void *)(uintptr_t)&configs[1]},                         \
        {#test " zero", test, NULL, NULL, (void *)(uintptr_t)&configs[2]},                         \
    {                                                                                              \
#test " tiny zero", test, NULL, NULL, (void *)(uintptr_t)&configs[3]                       \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ALL_CONFIGS(test_matches_what_a_model_holds),
        IN_ALL_CONFIGS(test_churn_without_matches_does_not_grow),
        IN_ALL_CONFIGS(test_restores_what_the_barrier_saw),
        IN_ALL_CONFIGS(test_matches_where_it_only_grows),
        IN_ALL_CONFIGS(test_restores_what_only_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
