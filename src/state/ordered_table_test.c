// SPDX-License-Identifier: Apache-2.0
//
// The tree against a plain model: an array over a small space of keys, in their order.
#include "state/ordered_table.h"

#include "state/state_testing.h"

enum { KEYS = 4000, BATCH = 200 };

struct model {
    bool exists[KEYS];
    uint64_t value[KEYS];
    uint32_t live;
};

static const struct testing_config configs[] = {
    {"in memory", SIZE_MAX, 0, false},
    {"tiny", 0, 10, false},
};

// Ascending with the number; sizes from 6 to some hundreds, with long common starts.
static struct str key_make(struct arena *arena, uint32_t number)
{
    size_t extra = number % 50 == 0 ? 600 : number % 9;
    char *bytes = arena_alloc(arena, 6 + extra);
    memcpy(bytes, "ab", 2);
    for (int i = 0; i < 4; i++) {
        bytes[2 + i] = (char)(number >> (24 - 8 * i));
    }
    memset(bytes + 6, 'x', extra);
    return str_make(bytes, 6 + extra);
}

static uint32_t key_number(struct str key)
{
    uint32_t number = 0;
    for (int i = 0; i < 4; i++) {
        number = number << 8 | (uint8_t)key.ptr[2 + i];
    }
    return number;
}

static struct ordered_table *make_table(struct state_context *context)
{
    return ordered_table_new(context, &(struct ordered_table_options){.id = 3, .value_size = 16});
}

static void change_one(struct ordered_table *table, struct model *model, struct str key,
                       uint64_t *seed)
{
    uint32_t number = key_number(key);
    char *value = ordered_table_find(table, key);
    assert_int_equal(value != NULL, model->exists[number]);
    if (value != NULL && testing_random(seed) % 2 == 0) {
        ordered_table_remove(table, key);
        assert_null(ordered_table_find(table, key));
        model->exists[number] = false;
        model->live--;
        return;
    }
    bool is_new;
    value = ordered_table_upsert(table, key, hash_word(number), &is_new);
    assert_int_equal(is_new, !model->exists[number]);
    uint64_t stored;
    memcpy(&stored, value, sizeof stored);
    assert_int_equal(stored, is_new ? 0 : model->value[number]);
    model->live += is_new;
    model->exists[number] = true;
    model->value[number] = testing_random(seed);
    memcpy(value, &model->value[number], sizeof stored);
}

enum action { CHANGE, ADD, REMOVE };

static void do_one(struct ordered_table *table, struct model *model, struct str key,
                   enum action action, uint64_t *seed)
{
    bool exists = model->exists[key_number(key)];
    // What change_one() draws is not asked for: again, until it is there or gone.
    do {
        change_one(table, model, key, seed);
        exists = model->exists[key_number(key)];
    } while (action != CHANGE && exists != (action == ADD));
}

static void act(struct testing *testing, struct ordered_table *table, struct model *model,
                const struct str *keys, uint32_t count, enum action action, uint64_t *seed)
{
    struct ordered_keys list = {keys, NULL, count};
    uint32_t ready;
    struct err err;
    for (uint32_t from = 0; from < count; from += ready) {
        enum status status;
        while ((status = ordered_table_prepare(table, &list, from, &ready, &err)) == STATUS_AGAIN) {
            testing_wait(testing);
        }
        TESTING_OK(status, err);
        assert_true(ready >= 1);
        for (uint32_t i = 0; i < ready; i++) {
            do_one(table, model, keys[from + i], action, seed);
        }
    }
    ordered_table_done(table);
    assert_int_equal(ordered_table_count(table), model->live);
}

static void change(struct testing *testing, struct ordered_table *table, struct model *model,
                   uint64_t *seed)
{
    struct arena arena;
    struct str keys[BATCH];
    uint32_t count = 1 + (uint32_t)(testing_random(seed) % BATCH);
    uint32_t first = (uint32_t)(testing_random(seed) % KEYS);
    bool is_run = testing_random(seed) % 3 == 0;
    arena_init(&arena);
    for (uint32_t i = 0; i < count; i++) {
        keys[i] =
            key_make(&arena, is_run ? (first + i) % KEYS : (uint32_t)(testing_random(seed) % KEYS));
    }
    act(testing, table, model, keys, count, CHANGE, seed);
    arena_release(&arena);
}

// Keys first, first + 1, ... below `end`.
static void act_on_range(struct testing *testing, struct ordered_table *table, struct model *model,
                         uint32_t first, uint32_t end, enum action action, uint64_t *seed)
{
    struct arena arena;
    struct str keys[BATCH];
    arena_init(&arena);
    while (first < end) {
        uint32_t count = 0;
        for (; count < BATCH && first < end; first++) {
            keys[count++] = key_make(&arena, first);
        }
        act(testing, table, model, keys, count, action, seed);
    }
    arena_release(&arena);
}

static enum status look(struct testing *testing, struct ordered_table *table, struct str key,
                        bool backward, bool strictly, struct ordered_entry *entry)
{
    struct err err;
    enum status status;
    for (;;) {
        status = strictly ? ordered_table_next(table, key, backward, entry, &err)
                          : ordered_table_seek(table, key, backward, entry, &err);
        if (status != STATUS_AGAIN) {
            break;
        }
        testing_wait(testing);
    }
    if (status != STATUS_END) {
        TESTING_OK(status, err);
    }
    return status;
}

static void check_walk(struct testing *testing, struct ordered_table *table,
                       const struct model *model, bool backward)
{
    struct arena arena;
    arena_init(&arena);
    int64_t number = backward ? KEYS : -1;
    struct str key = backward ? STR_LIT("b") : STR_LIT("");
    struct ordered_entry entry;
    uint32_t met = 0;
    while (look(testing, table, key, backward, true, &entry) == STATUS_OK) {
        do {
            number += backward ? -1 : 1;
        } while (!model->exists[number]);
        assert_int_equal(key_number(entry.key), number);
        uint64_t stored;
        memcpy(&stored, entry.value, sizeof stored);
        assert_int_equal(stored, model->value[number]);
        key = arena_str(&arena, entry.key);
        ordered_table_done(table);
        met++;
    }
    ordered_table_done(table);
    assert_int_equal(met, model->live);
    arena_release(&arena);
}

static void check_seek(struct testing *testing, struct ordered_table *table,
                       const struct model *model, uint32_t number, bool backward)
{
    struct arena arena;
    struct ordered_entry entry;
    arena_init(&arena);
    int64_t expected = number;
    while (expected >= 0 && expected < KEYS && !model->exists[expected]) {
        expected += backward ? -1 : 1;
    }
    struct str key = key_make(&arena, number);
    enum status status = look(testing, table, key, backward, false, &entry);
    if (expected < 0 || expected >= KEYS) {
        assert_int_equal(status, STATUS_END);
    } else {
        assert_int_equal(status, STATUS_OK);
        assert_int_equal(key_number(entry.key), expected);
    }
    ordered_table_done(table);
    arena_release(&arena);
}

static struct model model, frozen;

static void test_agrees_with_a_model_in_both_directions(void **state)
{
    struct testing testing;
    uint64_t seed = 3;
    testing_init(&testing, *state);
    memset(&model, 0, sizeof model);
    struct ordered_table *table = make_table(testing.context);
    for (int round = 0; round < 200; round++) {
        change(&testing, table, &model, &seed);
        check_seek(&testing, table, &model, (uint32_t)(testing_random(&seed) % KEYS), round % 2);
    }
    check_walk(&testing, table, &model, false);
    check_walk(&testing, table, &model, true);
    testing_release(&testing);
}

static void remove_all(struct testing *testing, struct ordered_table *table)
{
    struct arena arena;
    struct ordered_entry entry;
    arena_init(&arena);
    while (look(testing, table, STR_LIT(""), false, false, &entry) == STATUS_OK) {
        struct str key = arena_str(&arena, entry.key);
        struct ordered_keys list = {&key, NULL, 1};
        uint32_t ready;
        struct err err;
        while (ordered_table_prepare(table, &list, 0, &ready, &err) == STATUS_AGAIN) {
            testing_wait(testing);
        }
        ordered_table_remove(table, key);
        ordered_table_done(table);
    }
    arena_release(&arena);
}

static void test_is_small_again_when_all_entries_are_gone(void **state)
{
    struct testing testing;
    uint64_t seed = 5;
    testing_init(&testing, *state);
    memset(&model, 0, sizeof model);
    struct ordered_table *table = make_table(testing.context);
    for (int round = 0; round < 100; round++) {
        change(&testing, table, &model, &seed);
    }
    remove_all(&testing, table);
    memset(&model, 0, sizeof model);
    check_walk(&testing, table, &model, false);
    assert_int_equal(state_context_bytes(testing.context), 0);
    change(&testing, table, &model, &seed);
    check_walk(&testing, table, &model, false);
    testing_release(&testing);
}

static void check_restore(const struct testing_config *config, struct state_context *context,
                          const struct testing_segments *segments)
{
    struct testing_former former;
    struct testing testing;
    testing_former_make(&former, context, segments);
    testing_init(&testing, config);
    struct ordered_table *table = make_table(testing.context);
    testing_run_restore(&testing, testing.context, &former.former, 1, 1000);
    check_walk(&testing, table, &frozen, false);
    testing_release(&testing);
    arena_release(&former.arena);
}

static void test_restores_what_the_barrier_saw(void **state)
{
    struct testing testing;
    struct testing_segments segments;
    uint64_t seed = 11;
    testing_init(&testing, *state);
    testing_segments_init(&segments);
    memset(&model, 0, sizeof model);
    struct ordered_table *table = make_table(testing.context);
    for (int round = 0; round < 30; round++) {
        for (uint64_t n = testing_random(&seed) % 4; n-- > 0;) {
            change(&testing, table, &model, &seed);
        }
        state_checkpoint_begin(testing.context, &segments.sink);
        frozen = model;
        enum status status = STATUS_AGAIN;
        for (uint64_t n = testing_random(&seed) % 10; n-- > 0 && status == STATUS_AGAIN;) {
            struct err err;
            bool waiting;
            status = state_checkpoint_step(testing.context, 3000, &waiting, &err);
            testing_wait(&testing);
            change(&testing, table, &model, &seed);
        }
        if (status == STATUS_AGAIN) {
            testing_finish(&testing, 3000);
        }
        check_restore(*state, testing.context, &segments);
    }
    testing_release(&testing);
    testing_segments_release(&segments);
}

// Between two slices of a checkpoint leaves become empty and leave, and others split: each leaf
// stays in the list of pages once.
static void test_leaves_that_go_and_split_during_a_checkpoint(void **state)
{
    struct testing testing;
    struct testing_segments segments;
    uint64_t seed = 17;
    testing_init(&testing, *state);
    testing_segments_init(&segments);
    memset(&model, 0, sizeof model);
    struct ordered_table *table = make_table(testing.context);
    for (uint32_t round = 0; round < 12; round++) {
        uint32_t middle = KEYS / 8 * (1 + round % 7);
        struct err err;
        bool waiting;
        act_on_range(&testing, table, &model, 0, KEYS / 2, ADD, &seed);
        state_checkpoint_begin(testing.context, &segments.sink);
        frozen = model;
        enum status status = STATUS_AGAIN;
        for (uint32_t slice = 0; slice <= round % 3 && status == STATUS_AGAIN; slice++) {
            status = state_checkpoint_step(testing.context, 2000, &waiting, &err);
            testing_wait(&testing);
        }
        act_on_range(&testing, table, &model, 0, middle, REMOVE, &seed);
        act_on_range(&testing, table, &model, middle, KEYS, ADD, &seed);
        if (status == STATUS_AGAIN) {
            testing_finish(&testing, 2000);
        }
        check_restore(*state, testing.context, &segments);
        check_walk(&testing, table, &model, false);
        act_on_range(&testing, table, &model, KEYS / 2, KEYS, REMOVE, &seed);
    }
    testing_release(&testing);
    testing_segments_release(&segments);
}

#define IN_ALL_CONFIGS(test)                                                                       \
    {#test " in memory", test, NULL, NULL, (void *)(uintptr_t)&configs[0]},                        \
    {                                                                                              \
#test " tiny", test, NULL, NULL, (void *)(uintptr_t)&configs[1]                            \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ALL_CONFIGS(test_agrees_with_a_model_in_both_directions),
        IN_ALL_CONFIGS(test_is_small_again_when_all_entries_are_gone),
        IN_ALL_CONFIGS(test_restores_what_the_barrier_saw),
        IN_ALL_CONFIGS(test_leaves_that_go_and_split_during_a_checkpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
