// SPDX-License-Identifier: Apache-2.0
#include "data/batch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"

static void test_settled_batch_outlives_its_input_and_charges_its_size(void **state)
{
    (void)state;
    char text[] = "a text of more than twelve bytes";
    struct strview view = strview_make(text, sizeof text - 1);
    int64_t number = 7;
    struct column columns[] = {
        {.physical = PHYSICAL_STRING, .row_count = 1, .values = &view},
        {.physical = PHYSICAL_I64, .row_count = 1, .values = &number},
    };
    int8_t kind = CHANGE_DELETE;
    char name[] = "topic clicks partition 3";
    struct batch_origin origin = {.name = {name, sizeof name - 1}, .unit = "offset", .first = 42};
    struct batch in = {
        .row_count = 1, .column_count = 2, .columns = columns, .kinds = &kind, .origin = &origin};
    struct budget budget;
    budget_init(&budget, NULL, SIZE_MAX);
    struct batch *batch = batch_settle(&in, &budget);
    memset(text, '#', sizeof text - 1);
    memset(name, '#', sizeof name - 1);
    number = 0;
    kind = 0;
    assert_int_equal(budget.used, batch->owner->size);
    assert_int_equal(batch_check(batch, NULL), STATUS_OK);
    assert_memory_equal(strview_ptr(batch->columns[0].values), "a text of more than twelve bytes",
                        sizeof text - 1);
    assert_int_equal(*(const int64_t *)batch->columns[1].values, 7);
    assert_int_equal(batch->kinds[0], CHANGE_DELETE);
    assert_int_equal(batch->origin->first, 42);
    assert_memory_equal(batch->origin->name.ptr, "topic clicks partition 3", sizeof name - 1);
    batch_drop(batch);
    assert_int_equal(budget.used, 0);
    batch_drop(NULL);
}

static void test_slices_and_gathers_carry_kinds_watermarks_and_places(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    const int32_t values[] = {1, 2, 3, 4};
    const struct column column = {.physical = PHYSICAL_I32, .row_count = 4, .values = values};
    const int8_t kinds[] = {0, 1, 2, 3};
    const int64_t row_watermarks[] = {100, 200, 300, 400};
    const struct batch_origin origin = {.unit = "line", .first = 10};
    struct batch in = {.row_count = 4,
                       .column_count = 1,
                       .columns = &column,
                       .kinds = kinds,
                       .row_watermarks = row_watermarks,
                       .origin = &origin};
    struct batch slice = batch_slice(&arena, &in, 1, 2);
    assert_int_equal(slice.kinds[1], CHANGE_UPDATE_AFTER);
    assert_int_equal(slice.row_watermarks[0], 200);
    assert_int_equal(slice.origin->first, 11);
    struct batch gathered = batch_gather(&arena, &slice, (const uint16_t[]){1, 0}, 2);
    assert_int_equal(*(const int32_t *)column_value(&gathered.columns[0], 0), 3);
    assert_int_equal(gathered.kinds[0], CHANGE_UPDATE_AFTER);
    assert_int_equal(gathered.origin->places[0], 12);
    assert_int_equal(gathered.origin->places[1], 11);
    arena_release(&arena);
}

static void test_changes_have_names_and_signs(void **state)
{
    (void)state;
    assert_string_equal(change_name(CHANGE_INSERT), "+I");
    assert_string_equal(change_name(CHANGE_UPDATE_BEFORE), "-U");
    assert_string_equal(change_name(CHANGE_UPDATE_AFTER), "+U");
    assert_string_equal(change_name(CHANGE_DELETE), "-D");
    assert_false(change_is_retraction(CHANGE_UPDATE_AFTER));
    assert_true(change_is_retraction(CHANGE_UPDATE_BEFORE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settled_batch_outlives_its_input_and_charges_its_size),
        cmocka_unit_test(test_slices_and_gathers_carry_kinds_watermarks_and_places),
        cmocka_unit_test(test_changes_have_names_and_signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
