// SPDX-License-Identifier: Apache-2.0
#include "exec/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/mem.h"
#include "sys/waker.h"

enum { CHANNELS = 2 };

// A gate of one port over two rings whose senders have said that they are active.
struct fixture {
    struct waker waker;
    struct ring_pool pool;
    struct ring *rings[CHANNELS];
    struct gate_channel channels[CHANNELS];
    struct gate gate;
};

static void send(struct fixture *fixture, int ring, struct item item)
{
    assert_true(ring_push_marker(fixture->rings[ring], &item));
}

static void send_rows(struct fixture *fixture, int ring, const int64_t *values, uint32_t count)
{
    struct column column = {
        .physical = PHYSICAL_I64, .row_count = count, .values = values};
    struct batch batch = {.row_count = count, .column_count = 1, .columns = &column};
    assert_true(ring_has_credit(fixture->rings[ring]));
    ring_push_batch(fixture->rings[ring], batch_settle(&batch, NULL));
}

static void send_watermark(struct fixture *fixture, int ring, int64_t watermark)
{
    send(fixture, ring, (struct item){.kind = ITEM_WATERMARK, .watermark = watermark});
}

static void send_barrier(struct fixture *fixture, int ring, uint64_t number)
{
    send(fixture, ring, (struct item){.kind = ITEM_BARRIER, .barrier = {{1, number}, 0}});
}

static int set_up(void **state)
{
    struct fixture *fixture = mem_zalloc(sizeof *fixture);
    fixture->waker.fd = -1;
    atomic_init(&fixture->pool.free, 2);
    for (int i = 0; i < CHANNELS; i++) {
        fixture->rings[i] = mem_aligned(64, sizeof(struct ring));
        ring_init(fixture->rings[i], &fixture->pool, &fixture->waker, &fixture->waker);
        fixture->channels[i] = (struct gate_channel){.ring = fixture->rings[i]};
    }
    gate_init(&fixture->gate, fixture->channels, CHANNELS, 1);
    assert_false(gate_begin(&fixture->gate));
    for (int i = 0; i < CHANNELS; i++) {
        send(fixture, i, (struct item){.kind = ITEM_ACTIVE});
    }
    assert_true(gate_begin(&fixture->gate));
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    gate_release(&fixture->gate);
    for (int i = 0; i < CHANNELS; i++) {
        ring_release(fixture->rings[i]);
        mem_free(fixture->rings[i]);
    }
    mem_free(fixture);
    return 0;
}

static struct item next(struct fixture *fixture)
{
    struct item item;
    assert_true(gate_next(&fixture->gate, UINT32_MAX, &item));
    return item;
}

static void expect_nothing(struct fixture *fixture)
{
    struct item item;
    assert_false(gate_next(&fixture->gate, UINT32_MAX, &item));
}

static void test_watermark_is_the_least_of_the_channels(void **state)
{
    struct fixture *fixture = *state;
    send_watermark(fixture, 0, 500);
    expect_nothing(fixture);
    send_watermark(fixture, 1, 300);
    assert_int_equal(next(fixture).watermark, 300);
    send_watermark(fixture, 1, 900);
    assert_int_equal(next(fixture).watermark, 500);
}

static void test_idle_channel_holds_nobody_back(void **state)
{
    struct fixture *fixture = *state;
    send_watermark(fixture, 0, 500);
    send(fixture, 1, (struct item){.kind = ITEM_IDLE});
    assert_int_equal(next(fixture).watermark, 500);
    // It comes back behind the others: the watermark does not fall.
    send(fixture, 1, (struct item){.kind = ITEM_ACTIVE});
    send_watermark(fixture, 1, 100);
    expect_nothing(fixture);
}

static void test_all_idle_is_told_once_and_taken_back(void **state)
{
    struct fixture *fixture = *state;
    send(fixture, 0, (struct item){.kind = ITEM_IDLE});
    send(fixture, 1, (struct item){.kind = ITEM_IDLE});
    assert_int_equal(next(fixture).kind, ITEM_IDLE);
    expect_nothing(fixture);
    send(fixture, 0, (struct item){.kind = ITEM_ACTIVE});
    assert_int_equal(next(fixture).kind, ITEM_ACTIVE);
}

static void test_barrier_waits_for_the_other_channel_and_blocks_its_own(void **state)
{
    struct fixture *fixture = *state;
    const int64_t before[] = {1};
    const int64_t behind[] = {2};
    send_barrier(fixture, 0, 7);
    send_rows(fixture, 0, behind, 1);
    send_rows(fixture, 1, before, 1);
    struct item item = next(fixture);
    assert_int_equal(item.kind, ITEM_BATCH);
    assert_int_equal(*(const int64_t *)column_value(&item.batch->columns[0], 0), 1);
    batch_drop(item.batch);
    expect_nothing(fixture); // the row behind the barrier stays in its ring
    send_barrier(fixture, 1, 7);
    item = next(fixture);
    assert_int_equal(item.kind, ITEM_BARRIER);
    assert_int_equal(item.barrier.epoch.number, 7);
    item = next(fixture);
    assert_int_equal(*(const int64_t *)column_value(&item.batch->columns[0], 0), 2);
    batch_drop(item.batch);
}

static void test_ended_channel_counts_as_aligned(void **state)
{
    struct fixture *fixture = *state;
    send(fixture, 0, (struct item){.kind = ITEM_END});
    send_barrier(fixture, 1, 3);
    assert_int_equal(next(fixture).kind, ITEM_BARRIER);
    send(fixture, 1, (struct item){.kind = ITEM_END});
    bool port_end = false;
    struct item item;
    while (gate_next(&fixture->gate, UINT32_MAX, &item)) {
        port_end = port_end || item.kind == ITEM_PORT_END;
    }
    assert_true(port_end);
    assert_int_equal(item.kind, ITEM_END);
}

static void test_restored_watermark_is_announced_and_is_a_floor(void **state)
{
    struct fixture *fixture = *state;
    gate_restore(&fixture->gate, 1000);
    assert_int_equal(next(fixture).watermark, 1000);
    send_watermark(fixture, 0, 400);
    send_watermark(fixture, 1, 400);
    expect_nothing(fixture);
}

static void test_a_ring_without_credit_gets_it_back_when_it_is_read(void **state)
{
    struct fixture *fixture = *state;
    const int64_t row[] = {1};
    uint32_t pushed = 0;
    while (ring_has_credit(fixture->rings[0])) {
        send_rows(fixture, 0, row, 1);
        pushed++;
    }
    assert_int_equal(pushed, RING_BATCHES_OWN + 2); // its own, and all of the pool
    assert_true(ring_has_credit(fixture->rings[1])); // the other still has its own
    struct item item = next(fixture);
    batch_drop(item.batch);
    assert_true(ring_has_credit(fixture->rings[0]));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_watermark_is_the_least_of_the_channels),
        TEST(test_idle_channel_holds_nobody_back),
        TEST(test_all_idle_is_told_once_and_taken_back),
        TEST(test_barrier_waits_for_the_other_channel_and_blocks_its_own),
        TEST(test_ended_channel_counts_as_aligned),
        TEST(test_restored_watermark_is_announced_and_is_a_floor),
        TEST(test_a_ring_without_credit_gets_it_back_when_it_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
