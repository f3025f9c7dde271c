// SPDX-License-Identifier: Apache-2.0
#include "state/sorter.h"

#include "state/state_testing.h"

enum { COLUMNS = 4 };

// Row i: a key of few values with nulls, i itself, a text that is long for some, a row of both.
struct row {
    bool is_null;
    int32_t key;
    int64_t number;
};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static struct str text_of(const struct row *row, char *buffer, size_t size)
{
    int length = snprintf(buffer, size, "%lld%s", (long long)row->number,
                          row->number % 3 == 0 ? " and a text that is not short" : "");
    return str_make(buffer, (size_t)length);
}

static struct batch make_batch(struct arena *arena, const struct row *rows, uint32_t count)
{
    struct column *columns = arena_new_array(arena, struct column, COLUMNS);
    int32_t *keys = arena_new_array(arena, int32_t, count);
    int64_t *numbers = arena_new_array(arena, int64_t, count);
    struct strview *texts = arena_new_array(arena, struct strview, count);
    uint64_t *valid = arena_new_array(arena, uint64_t, bits_words(count));
    for (uint32_t i = 0; i < count; i++) {
        char buffer[80];
        struct str text = arena_str(arena, text_of(&rows[i], buffer, sizeof buffer));
        keys[i] = rows[i].is_null ? 0 : rows[i].key;
        numbers[i] = rows[i].number;
        texts[i] = strview_make(text.ptr, text.size);
        valid[i / 64] |= (uint64_t)!rows[i].is_null << (i % 64);
    }
    columns[0] = (struct column){
        .physical = PHYSICAL_I32, .row_count = count, .valid = valid, .values = keys};
    columns[1] = (struct column){.physical = PHYSICAL_I64, .row_count = count, .values = numbers};
    columns[2] = (struct column){.physical = PHYSICAL_STRING, .row_count = count, .values = texts};
    columns[3] = (struct column){
        .physical = PHYSICAL_ROW, .row_count = count, .children = columns + 1, .child_count = 2};
    return (struct batch){.row_count = count, .column_count = COLUMNS, .columns = columns};
}

// Keys descending, nulls last; equal ones by number.
static int compare_rows(const void *a, const void *b)
{
    const struct row *left = a;
    const struct row *right = b;
    if (left->is_null != right->is_null) {
        return left->is_null ? 1 : -1;
    }
    if (!left->is_null && left->key != right->key) {
        return left->key > right->key ? -1 : 1;
    }
    return left->number < right->number ? -1 : 1;
}

static void check_row(const struct batch *batch, uint32_t at, const struct row *want)
{
    char buffer[80];
    struct str text = text_of(want, buffer, sizeof buffer);
    const struct column *nested = batch->columns[3].children;
    assert_int_equal(column_is_null(&batch->columns[0], at), want->is_null);
    if (!want->is_null) {
        assert_int_equal(*(const int32_t *)column_value(&batch->columns[0], at), want->key);
    }
    assert_int_equal(*(const int64_t *)column_value(&batch->columns[1], at), want->number);
    assert_true(str_equal(strview_str(column_value(&batch->columns[2], at)), text));
    assert_int_equal(*(const int64_t *)column_value(&nested[0], at), want->number);
    assert_true(str_equal(strview_str(column_value(&nested[1], at)), text));
}

struct config {
    uint32_t rows;
    uint32_t keys;
    uint64_t limit;
    size_t memory;
    uint32_t runs_max;
    bool with_spill;
    uint64_t runs_least;
};

static void wait(struct spill *spill)
{
    assert_true(spill_run_one(spill));
}

static void add_all(struct sorter *sorter, struct spill *spill, const struct row *rows,
                    uint32_t count)
{
    struct arena arena;
    struct err err;
    arena_init(&arena);
    for (uint32_t at = 0; at < count;) {
        uint32_t part = 1 + at % 1999 < count - at ? 1 + at % 1999 : count - at;
        struct batch batch = make_batch(&arena, rows + at, part);
        enum status status;
        while ((status = sorter_add(sorter, &batch, &err)) == STATUS_AGAIN) {
            wait(spill);
        }
        TESTING_OK(status, err);
        at += part;
        arena_reset(&arena);
    }
    arena_release(&arena);
}

static void check_all(struct sorter *sorter, struct spill *spill, const struct row *want,
                      uint64_t count)
{
    struct arena arena;
    struct batch batch;
    struct err err;
    uint64_t seen = 0;
    arena_init(&arena);
    for (;;) {
        arena_reset(&arena);
        enum status status = sorter_next(sorter, &arena, BATCH_ROWS_MAX, &batch, &err);
        if (status == STATUS_AGAIN) {
            wait(spill);
            continue;
        }
        if (status == STATUS_END) {
            break;
        }
        TESTING_OK(status, err);
        assert_in_range(batch.row_count, 1, BATCH_ROWS_MAX);
        TESTING_OK(batch_check(&batch, &err), err);
        for (uint32_t i = 0; i < batch.row_count; i++) {
            check_row(&batch, i, &want[seen + i]);
        }
        seen += batch.row_count;
    }
    assert_int_equal(seen, count);
    arena_release(&arena);
}

static void run(const struct config *config)
{
    static const struct order_column orders[] = {{.is_descending = true}};
    static const uint32_t keys[] = {0};
    struct row *rows = calloc(config->rows + 1, sizeof *rows);
    struct budget budget;
    struct spill *spill = NULL;
    struct err err;
    uint64_t random = config->rows;
    for (uint32_t i = 0; i < config->rows; i++) {
        rows[i] = (struct row){next_random(&random) % 50 == 0,
                               (int32_t)(next_random(&random) % config->keys) - 7, i};
    }
    if (config->with_spill) {
        struct spill_options spill_options = {.directory = "."};
        TESTING_OK(spill_new(&spill_options, &spill, &err), err);
    }
    budget_init(&budget, NULL, config->memory);
    struct sorter_options options = {.spec = {orders, 1},
                                     .keys = keys,
                                     .limit = config->limit,
                                     .budget = &budget,
                                     .spill = spill,
                                     .runs_max = config->runs_max};
    struct sorter *sorter = sorter_new(&options);
    add_all(sorter, spill, rows, config->rows);
    qsort(rows, config->rows, sizeof *rows, compare_rows);
    check_all(sorter, spill, rows, config->rows < config->limit ? config->rows : config->limit);
    assert_true(sorter_figures(sorter).runs >= config->runs_least);
    sorter_free(sorter);
    assert_int_equal(atomic_load(&budget.used), 0);
    spill_free(spill);
    free(rows);
}

static void test_rows_in_memory(void **state)
{
    (void)state;
    run(&(struct config){.rows = 0, .keys = 1, .limit = UINT64_MAX, .memory = SIZE_MAX});
    run(&(struct config){.rows = 1, .keys = 1, .limit = UINT64_MAX, .memory = SIZE_MAX});
    run(&(struct config){.rows = 30000, .keys = 9, .limit = UINT64_MAX, .memory = SIZE_MAX});
    run(&(struct config){.rows = 30000, .keys = 30000, .limit = 3000, .memory = SIZE_MAX});
    run(&(struct config){.rows = 30000, .keys = 5, .limit = 7, .memory = 4 << 20});
}

static void test_rows_in_runs(void **state)
{
    (void)state;
    struct config config = {.rows = 60000,
                            .keys = 40,
                            .limit = UINT64_MAX,
                            .memory = 2 << 20,
                            .with_spill = true,
                            .runs_least = 4};
    run(&config);
    config.keys = 1 << 30;
    run(&config);
    config.limit = 20000;
    run(&config);
}

static void test_many_runs_become_one_on_the_way(void **state)
{
    (void)state;
    struct config config = {.rows = 90000,
                            .keys = 1000,
                            .limit = UINT64_MAX,
                            .memory = 1 << 20,
                            .runs_max = 3,
                            .with_spill = true,
                            .runs_least = 12};
    run(&config);
    config.limit = 40000;
    run(&config);
}

static void test_no_spill_file_is_a_limit(void **state)
{
    (void)state;
    static const struct order_column orders[] = {{0}};
    static const uint32_t keys[] = {1};
    struct budget budget;
    struct arena arena;
    static const struct row rows[2048];
    struct err err;
    arena_init(&arena);
    budget_init(&budget, NULL, 1 << 20);
    struct sorter_options options = {
        .spec = {orders, 1}, .keys = keys, .limit = UINT64_MAX, .budget = &budget};
    struct sorter *sorter = sorter_new(&options);
    struct batch batch = make_batch(&arena, rows, 2048);
    enum status status = STATUS_OK;
    for (int i = 0; i < 100 && status == STATUS_OK; i++) {
        status = sorter_add(sorter, &batch, &err);
    }
    assert_int_equal(status, STATUS_LIMIT);
    assert_string_equal(err.hint, "add a LIMIT, or raise 'memory.limit'");
    sorter_free(sorter);
    assert_int_equal(atomic_load(&budget.used), 0);
    arena_release(&arena);
}

static void test_an_end_in_the_middle_gives_all_back(void **state)
{
    (void)state;
    static const struct order_column orders[] = {{0}};
    static const uint32_t keys[] = {1};
    struct spill_options spill_options = {.directory = "."};
    struct spill *spill;
    struct budget budget;
    struct arena arena;
    struct batch batch;
    static const struct row rows[2048];
    struct err err;
    arena_init(&arena);
    TESTING_OK(spill_new(&spill_options, &spill, &err), err);
    for (int rounds = 0; rounds < 40; rounds++) {
        budget_init(&budget, NULL, 1 << 20);
        struct sorter_options options = {.spec = {orders, 1},
                                         .keys = keys,
                                         .limit = UINT64_MAX,
                                         .budget = &budget,
                                         .spill = spill,
                                         .runs_max = 4};
        struct sorter *sorter = sorter_new(&options);
        // However far it has come: a call that waits is not made again.
        for (int i = 0; i < rounds; i++) {
            batch = make_batch(&arena, rows, 2048);
            while (sorter_add(sorter, &batch, &err) == STATUS_AGAIN && spill_run_one(spill)) {
            }
        }
        for (int i = 0; i < rounds % 7; i++) {
            enum status status = sorter_next(sorter, &arena, 100, &batch, &err);
            assert_true(status == STATUS_OK || status == STATUS_AGAIN || status == STATUS_END);
        }
        sorter_free(sorter);
        assert_int_equal(atomic_load(&budget.used), 0);
        arena_reset(&arena);
    }
    uint64_t bytes = spill_bytes(spill);
    assert_true(bytes < 64 << 20); // slots were given back
    spill_free(spill);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_in_memory),
        cmocka_unit_test(test_rows_in_runs),
        cmocka_unit_test(test_many_runs_become_one_on_the_way),
        cmocka_unit_test(test_no_spill_file_is_a_limit),
        cmocka_unit_test(test_an_end_in_the_middle_gives_all_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
