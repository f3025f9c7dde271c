// SPDX-License-Identifier: Apache-2.0
//
// The tables against a plain model: an array over a small space of keys. Every test runs in four
// configurations: all in memory, hardly any memory, and both with all hashes 0.
#include "state/hash_table.h"

#include "state/state_testing.h"

enum { KEYS = 3000, BATCH = 300, TEXT_MAX = 5000 };

struct model_row {
    bool exists;
    uint64_t count;
    uint32_t text; // seed of its text; 0: null
};

struct model {
    struct model_row rows[KEYS];
    uint32_t live;
};

static const struct testing_config configs[] = {
    {"in memory", SIZE_MAX, 0, false},
    {"tiny", 0, 24, false},
    {"all hashes 0", SIZE_MAX, 0, true},
    {"tiny, all hashes 0", 0, 24, true},
};

// Keys are (BIGINT, STRING): some strings are short, some long, some null.
struct keys {
    struct arena arena;
    struct column columns[2];
    uint64_t hashes[BATCH];
    struct hash_keys keys;
};

static size_t key_text_size(uint32_t key)
{
    return key % 7 == 0 ? 0 : key % 5 == 0 ? 40 + key % 100 : key % 11;
}

static void keys_make(struct keys *keys, const uint32_t *numbers, uint32_t count)
{
    arena_init(&keys->arena);
    int64_t *ints = arena_new_array(&keys->arena, int64_t, count + 1);
    struct strview *texts = arena_new_array(&keys->arena, struct strview, count + 1);
    uint64_t *valid = arena_new_array(&keys->arena, uint64_t, bits_words(count) + 1);
    for (uint32_t i = 0; i < count; i++) {
        ints[i] = numbers[i] / 3;
        size_t size = key_text_size(numbers[i]);
        char *text = arena_alloc(&keys->arena, size + 1);
        memset(text, 'a' + (int)(numbers[i] % 3), size + 1);
        if (size > 0) {
            bits_set(valid, i);
            texts[i] = strview_make(text, size);
        } else { // null: told apart by the number alone
            ints[i] = -(int64_t)numbers[i] - 1;
        }
        keys->hashes[i] = hash_word(numbers[i]);
    }
    keys->columns[0] = (struct column){
        .physical = PHYSICAL_I64, .encoding = ENCODING_FLAT, .row_count = count, .values = ints};
    keys->columns[1] = (struct column){.physical = PHYSICAL_STRING,
                                       .encoding = ENCODING_FLAT,
                                       .row_count = count,
                                       .valid = valid,
                                       .values = texts};
    keys->keys = (struct hash_keys){keys->columns, 2, keys->hashes, NULL, count};
}

static uint32_t key_of(const struct row_layout *layout, const struct row *row)
{
    int64_t number;
    memcpy(&number, (const char *)row + layout->fields[0].offset, sizeof number);
    if (row_is_null(layout, row, 1)) {
        return (uint32_t)(-number - 1);
    }
    return (uint32_t)number * 3 + (uint32_t)(row_string(layout, row, 1).ptr[0] - 'a');
}

static struct column text_column(struct arena *arena, uint32_t seed)
{
    size_t size = seed % 10 == 0 ? seed % TEXT_MAX : seed % 30;
    struct strview *view = arena_new(arena, struct strview);
    uint64_t *valid = arena_new(arena, uint64_t);
    if (seed != 0) {
        char *text = arena_alloc(arena, size + 1);
        memset(text, 'A' + (int)(seed % 26), size + 1);
        *view = strview_make(text, size);
        *valid = 1;
    }
    return (struct column){.physical = PHYSICAL_STRING,
                           .encoding = ENCODING_FLAT,
                           .row_count = 1,
                           .valid = valid,
                           .values = view};
}

static const struct row_layout *make_layout(struct arena *arena)
{
    static const struct type *const types[] = {&type_bigint, &type_string, &type_string};
    return row_layout_new(arena, types, 2, 3, 16);
}

static struct hash_table *make_table(struct state_context *context, const struct row_layout *layout)
{
    return hash_table_new(context, &(struct hash_table_options){.layout = layout, .id = 1});
}

static enum status prepare(struct testing *testing, struct hash_table *table,
                           const struct hash_keys *keys, uint32_t from, uint32_t *ready,
                           struct err *err)
{
    enum status status;
    while ((status = hash_table_prepare(table, keys, from, ready, err)) == STATUS_AGAIN) {
        testing_wait(testing);
    }
    return status;
}

static void check_row(const struct row_layout *layout, struct row *row,
                      const struct model_row *model)
{
    uint64_t count;
    memcpy(&count, row_extra(layout, row), sizeof count);
    assert_int_equal(count, model->count);
    assert_int_equal(row_is_null(layout, row, 2), model->text == 0);
    if (model->text != 0) {
        struct arena arena;
        arena_init(&arena);
        struct column expected = text_column(&arena, model->text);
        struct str text = row_string(layout, row, 2);
        assert_true(str_equal(text, strview_str(expected.values)));
        arena_release(&arena);
    }
}

// One window of changes: counts go up, texts are set, some rows are removed, some of those come
// back.
static void change_window(struct testing *testing, struct hash_table *table, struct model *model,
                          struct keys *keys, const uint32_t *numbers, uint32_t from, uint32_t count,
                          uint64_t *seed)
{
    const struct row_layout *layout = hash_table_layout(table);
    struct row *rows[BATCH];
    uint64_t is_new[(BATCH + 63) / 64];
    (void)testing;
    hash_table_upsert(table, &keys->keys, from, count, rows, is_new);
    for (uint32_t i = 0; i < count; i++) {
        struct model_row *expected = &model->rows[numbers[from + i]];
        bool is_first = !expected->exists;
        assert_int_equal(bits_get(is_new, i), is_first);
        if (is_first) {
            *expected = (struct model_row){.exists = true};
            model->live++;
        }
        rows[i] = hash_table_row_now(table, rows[i]);
        assert_int_equal(key_of(layout, rows[i]), numbers[from + i]);
        uint64_t value;
        memcpy(&value, row_extra(layout, rows[i]), sizeof value);
        assert_int_equal(value, expected->count);
        value += i + 1;
        expected->count = value;
        memcpy(row_extra(layout, rows[i]), &value, sizeof value);
        if (testing_random(seed) % 3 == 0) {
            struct arena arena;
            arena_init(&arena);
            expected->text = (uint32_t)(testing_random(seed) % 100000);
            struct column text = text_column(&arena, expected->text);
            rows[i] = hash_table_set(table, rows[i], 2, &text, 0);
            arena_release(&arena);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        struct model_row *expected = &model->rows[numbers[from + i]];
        if (testing_random(seed) % 4 == 0 && expected->exists) {
            hash_table_remove(table, rows[i]);
            *expected = (struct model_row){0};
            model->live--;
        }
    }
    hash_table_find(table, &keys->keys, from, count, rows);
    for (uint32_t i = 0; i < count; i++) {
        struct model_row *expected = &model->rows[numbers[from + i]];
        assert_int_equal(rows[i] != NULL, expected->exists);
        if (expected->exists) {
            check_row(layout, rows[i], expected);
        }
    }
}

static void change(struct testing *testing, struct hash_table *table, struct model *model,
                   uint64_t *seed)
{
    struct keys keys;
    struct err err;
    uint32_t numbers[BATCH];
    uint32_t count = 1 + (uint32_t)(testing_random(seed) % BATCH);
    uint32_t base = (uint32_t)(testing_random(seed) % KEYS);
    bool is_local = testing_random(seed) % 4 == 0; // many of one key
    for (uint32_t i = 0; i < count; i++) {
        uint32_t random = (uint32_t)(testing_random(seed) % (is_local ? 20 : KEYS));
        numbers[i] = is_local ? (base + random) % KEYS : random;
    }
    keys_make(&keys, numbers, count);
    uint32_t ready;
    for (uint32_t from = 0; from < count; from += ready) {
        TESTING_OK(prepare(testing, table, &keys.keys, from, &ready, &err), err);
        assert_true(ready >= 1 && ready <= count - from);
        change_window(testing, table, model, &keys, numbers, from, ready, seed);
    }
    hash_table_done(table);
    assert_int_equal(hash_table_count(table), model->live);
    arena_release(&keys.arena);
}

static void check_all(struct testing *testing, struct hash_table *table, const struct model *model)
{
    const struct row_layout *layout = hash_table_layout(table);
    static bool seen[KEYS];
    struct hash_table_scan scan = {0};
    struct row *rows[64];
    uint32_t count, total = 0;
    struct err err;
    enum status status;
    memset(seen, 0, sizeof seen);
    for (;;) {
        status = hash_table_scan_next(table, &scan, rows, 64, &count, &err);
        if (status == STATUS_AGAIN) {
            testing_wait(testing);
            continue;
        }
        if (status == STATUS_END) {
            break;
        }
        TESTING_OK(status, err);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t key = key_of(layout, rows[i]);
            assert_true(key < KEYS && !seen[key] && model->rows[key].exists);
            seen[key] = true;
            check_row(layout, rows[i], &model->rows[key]);
            total++;
        }
    }
    hash_table_done(table);
    assert_int_equal(total, model->live);
    assert_int_equal(hash_table_count(table), model->live);
}

static struct model model, frozen;

static void test_agrees_with_a_model(void **state)
{
    const struct testing_config *config = *state;
    struct testing testing;
    struct arena arena;
    uint64_t seed = 1;
    arena_init(&arena);
    testing_init(&testing, config);
    memset(&model, 0, sizeof model);
    struct hash_table *table = make_table(testing.context, make_layout(&arena));
    for (int round = 0; round < 120; round++) {
        change(&testing, table, &model, &seed);
        if (round % 30 == 29) {
            check_all(&testing, table, &model);
        }
    }
    check_all(&testing, table, &model);
    assert_int_equal(spill_bytes(testing.spill) > 0, config->budget_bytes == 0);
    testing_release(&testing);
    arena_release(&arena);
}

// What comes back from the last checkpoint, as two instances with half the key groups each.
static void check_restore_halves(const struct testing_config *config, struct state_context *context,
                                 const struct testing_segments *segments,
                                 const struct row_layout *layout)
{
    struct testing_former former;
    static struct model half;
    testing_former_make(&former, context, segments);
    for (uint32_t i = 0; i < 2; i++) {
        struct testing testing;
        testing_init(&testing, config);
        state_context_free(testing.context);
        testing.context = testing_context(&testing, i * 2048, i * 2048 + 2048);
        half = frozen;
        for (uint32_t key = 0; key < KEYS; key++) {
            bool is_ours = (hash_word(key) >> 63) == i;
            if (!is_ours && half.rows[key].exists) {
                half.rows[key] = (struct model_row){0};
                half.live--;
            }
        }
        struct hash_table *table = make_table(testing.context, layout);
        testing_run_restore(&testing, testing.context, &former.former, 1, 1000);
        check_all(&testing, table, &half);
        testing_release(&testing);
    }
    arena_release(&former.arena);
}

// The same instance goes on: its segments stay, later checkpoints build on them.
static struct hash_table *restart(struct testing *testing, const struct testing_config *config,
                                  const struct testing_segments *segments,
                                  const struct row_layout *layout)
{
    struct testing_former former;
    testing_former_make(&former, testing->context, segments);
    uint64_t number = segments->items.items[segments->items.count - 1]->segment.number;
    testing_release(testing);
    testing_init(testing, config);
    former.former.same_instance = true;
    struct hash_table *table = make_table(testing->context, layout);
    testing_run_restore(testing, testing->context, &former.former, 1, number);
    arena_release(&former.arena);
    return table;
}

static void test_restores_what_the_barrier_saw(void **state)
{
    const struct testing_config *config = *state;
    struct testing testing;
    struct testing_segments segments;
    struct arena arena;
    uint64_t seed = 7;
    arena_init(&arena);
    const struct row_layout *layout = make_layout(&arena);
    testing_init(&testing, config);
    testing_segments_init(&segments);
    memset(&model, 0, sizeof model);
    struct hash_table *table = make_table(testing.context, layout);
    for (int round = 0; round < 24; round++) {
        for (uint64_t n = testing_random(&seed) % 5; n-- > 0;) {
            change(&testing, table, &model, &seed);
        }
        state_checkpoint_begin(testing.context, &segments.sink);
        frozen = model;
        bool waiting;
        struct err err;
        enum status status = STATUS_AGAIN;
        for (uint64_t n = testing_random(&seed) % 12; n-- > 0 && status == STATUS_AGAIN;) {
            status = state_checkpoint_step(testing.context, 4096, &waiting, &err);
            assert_true(status == STATUS_OK || status == STATUS_AGAIN);
            testing_wait(&testing);
            change(&testing, table, &model, &seed);
        }
        if (status == STATUS_AGAIN) {
            testing_finish(&testing, 4096);
        }
        if (round % 6 == 5) {
            check_restore_halves(config, testing.context, &segments, layout);
        }
        if (round % 8 == 7) {
            table = restart(&testing, config, &segments, layout);
            model = frozen;
            check_all(&testing, table, &model);
        }
    }
    testing_release(&testing);
    testing_segments_release(&segments);
    arena_release(&arena);
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
        IN_ALL_CONFIGS(test_agrees_with_a_model),
        IN_ALL_CONFIGS(test_restores_what_the_barrier_saw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
