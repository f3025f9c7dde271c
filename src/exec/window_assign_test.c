// SPDX-License-Identifier: Apache-2.0
#include "exec/window_assign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "exec/op.h"
#include "expr/expr.h"

enum { MS = 1000 };
static const int64_t hour_ms = 3600000;

static struct window_assigner make(enum plan_window_kind kind, int64_t size_ms, int64_t slide_ms,
                                   int64_t offset_ms)
{
    struct window_assigner assigner;
    struct plan_window_spec spec = {
        .kind = kind, .size_ms = size_ms, .slide_ms = slide_ms, .offset_ms = offset_ms};
    struct op_context context = {0};
    window_assigner_init(&assigner, &spec, &type_timestamp3, &context);
    return assigner;
}

static void expect(const struct window_assigner *assigner, int64_t time_ms, uint32_t index,
                   int64_t start_ms, int64_t end_ms)
{
    struct window_range range;
    assert_true(window_assign(assigner, time_ms * MS, index, &range));
    assert_int_equal(range.start_us, start_ms * MS);
    assert_int_equal(range.end_us, end_ms * MS);
}

static void expect_no_more(const struct window_assigner *assigner, int64_t time_ms, uint32_t index)
{
    struct window_range range;
    assert_false(window_assign(assigner, time_ms * MS, index, &range));
}

static void test_tumble_includes_its_start_and_not_its_end(void **state)
{
    (void)state;
    struct window_assigner assigner = make(PLAN_WINDOW_TUMBLE, 10000, 0, 0);
    expect(&assigner, 0, 0, 0, 10000);
    expect(&assigner, 9999, 0, 0, 10000);
    expect(&assigner, 10000, 0, 10000, 20000);
    expect_no_more(&assigner, 5000, 1);
}

static void test_windows_align_to_the_epoch_for_negative_times(void **state)
{
    (void)state;
    struct window_assigner assigner = make(PLAN_WINDOW_TUMBLE, 10000, 0, 0);
    expect(&assigner, -1, 0, -10000, 0);
    expect(&assigner, -10000, 0, -10000, 0);
    expect(&assigner, -10001, 0, -20000, -10000);
}

static void test_offset_moves_the_windows(void **state)
{
    (void)state;
    struct window_assigner assigner = make(PLAN_WINDOW_TUMBLE, 10000, 0, 3000);
    expect(&assigner, 2999, 0, -7000, 3000);
    expect(&assigner, 3000, 0, 3000, 13000);
}

static void test_hop_gives_the_latest_window_first(void **state)
{
    (void)state;
    struct window_assigner assigner = make(PLAN_WINDOW_HOP, 6000, 2000, 0);
    expect(&assigner, 5000, 0, 4000, 10000);
    expect(&assigner, 5000, 1, 2000, 8000);
    expect(&assigner, 5000, 2, 0, 6000);
    expect_no_more(&assigner, 5000, 3);
}

static void test_cumulate_grows_by_steps(void **state)
{
    (void)state;
    struct window_assigner assigner = make(PLAN_WINDOW_CUMULATE, 15000, 5000, 0);
    expect(&assigner, 6000, 0, 0, 10000);
    expect(&assigner, 6000, 1, 0, 15000);
    expect_no_more(&assigner, 6000, 2);
}

// New York in 2024: 02:00 to 03:00 of March 10 does not come, 01:00 to 02:00 of November 3 twice.
static void test_windows_of_a_local_clock(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct err err;
    struct expr_settings settings = {0};
    assert_int_equal(zone_load(&arena, STR_LIT("America/New_York"), &settings.zone, &err),
                     STATUS_OK);
    struct op_context context = {.expr_settings = &settings};
    struct plan_window_spec spec = {.kind = PLAN_WINDOW_TUMBLE, .size_ms = hour_ms};
    struct window_assigner assigner;
    window_assigner_init(&assigner, &spec, &type_timestamp_ltz3, &context);
    const int64_t gap = 1710054000000;   // 2024-03-10T07:00:00Z, when it is 03:00
    const int64_t twice = 1730610000000; // 2024-11-03T05:00:00Z, when it is 01:00 the first time
    // 06:59:59Z is 01:59:59 local; its window is complete when 03:00 is reached.
    int64_t local = window_local_us(&assigner, (gap - 1000) * MS);
    assert_int_equal(local, (gap - 1000 - 5 * hour_ms) * MS);
    expect(&assigner, local / MS, 0, gap - 6 * hour_ms, gap - 5 * hour_ms);
    assert_int_equal(window_complete_us(&assigner, (gap - 5 * hour_ms) * MS), (gap - 1) * MS);
    // Both hours from 01:00 are one window, complete when the second is over.
    int64_t first = window_local_us(&assigner, twice * MS);
    assert_int_equal(window_local_us(&assigner, (twice + hour_ms) * MS), first);
    int64_t end = first + hour_ms * MS;
    assert_int_equal(window_complete_us(&assigner, end), (twice + 2 * hour_ms - 1) * MS);
    assert_int_equal(window_time_us(&assigner, end), (twice + hour_ms - 1) * MS);
    int64_t least = (twice + hour_ms - 1) * MS;
    int64_t greatest = (twice + hour_ms) * MS;
    assert_false(window_local_range(&assigner, &least, &greatest));
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tumble_includes_its_start_and_not_its_end),
        cmocka_unit_test(test_windows_align_to_the_epoch_for_negative_times),
        cmocka_unit_test(test_offset_moves_the_windows),
        cmocka_unit_test(test_hop_gives_the_latest_window_first),
        cmocka_unit_test(test_cumulate_grows_by_steps),
        cmocka_unit_test(test_windows_of_a_local_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
