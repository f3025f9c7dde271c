// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/checkpoint_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "store/store.h"
#include "store/store_memory.h"

static const uint64_t seed[2] = {0x1122334455667788, 0x99aabbccddeeff00};

static struct checkpoint sample(uint64_t run, uint64_t number, struct str uuid)
{
    static const struct checkpoint_operator operators[] = {{{"a", 1}, 2}};
    static const struct snapshot_entry entries[] = {
        {{"source", 6}, 1, {"split/x-3", 9}, {"12\0034", 5}}};
    static const struct checkpoint_segment segments[] = {{{"a", 1}, 0, 4, 99, {"f.segment", 9}}};
    return (struct checkpoint){.pipeline_name = STR_LIT("p"),
                               .pipeline_uuid = uuid,
                               .lineage = uuid,
                               .epoch = {run, number},
                               .kind = BARRIER_COMMIT,
                               .wall_us = 1700000000000000,
                               .plan_digest = STR_LIT("d"),
                               .operator_count = 1,
                               .operators = operators,
                               .entry_count = 1,
                               .entries = entries,
                               .segment_count = 1,
                               .segments = segments};
}

static void test_manifest_is_read_back_as_it_was(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct strbuf bytes;
    struct err err;
    struct checkpoint in = sample(3, 9, STR_LIT("u"));
    struct checkpoint out;
    strbuf_init(&bytes, 1 << 20);
    assert_int_equal(checkpoint_encode(&in, &bytes, &err), STATUS_OK);
    assert_int_equal(checkpoint_decode(strbuf_str(&bytes), &arena, &out, &err), STATUS_OK);
    assert_int_equal(out.epoch.run, 3);
    assert_int_equal(out.epoch.number, 9);
    assert_int_equal(out.kind, BARRIER_COMMIT);
    assert_int_equal(out.wall_us, 1700000000000000);
    assert_int_equal(out.operators[0].parallelism, 2);
    assert_true(str_is(out.entries[0].key, "split/x-3"));
    assert_int_equal(out.entries[0].bytes.size, 5);
    assert_int_equal(out.segments[0].size, 99);
    assert_true(str_is(out.segments[0].file, "f.segment"));
    strbuf_release(&bytes);
    arena_release(&arena);
}

static void test_every_damaged_byte_is_noticed(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct strbuf bytes;
    struct err err;
    struct checkpoint in = sample(1, 1, STR_LIT("u"));
    struct checkpoint out;
    strbuf_init(&bytes, 1 << 20);
    assert_int_equal(checkpoint_encode(&in, &bytes, &err), STATUS_OK);
    for (size_t at = 0; at < bytes.size; at++) {
        bytes.ptr[at] ^= 0x40;
        enum status status = checkpoint_decode(strbuf_str(&bytes), &arena, &out, &err);
        assert_int_not_equal(status, STATUS_OK);
        bytes.ptr[at] ^= 0x40;
        assert_int_not_equal(
            checkpoint_decode(str_slice(strbuf_str(&bytes), 0, at), &arena, &out, &err), STATUS_OK);
    }
    strbuf_release(&bytes);
    arena_release(&arena);
}

static struct checkpoint_store *open_store(struct store *store)
{
    struct err err;
    struct checkpoint_store *checkpoints;
    assert_int_equal(checkpoint_store_open(store, STR_LIT("ck/p"), seed, false, &checkpoints, &err),
                     STATUS_OK);
    return checkpoints;
}

static void write(struct checkpoint_store *checkpoints, uint64_t run, uint64_t number)
{
    struct err err;
    struct checkpoint checkpoint =
        sample(run, number, checkpoint_store_identity(checkpoints)->pipeline_uuid);
    checkpoint.segment_count = 0;
    assert_int_equal(checkpoint_store_write(checkpoints, &checkpoint, &err), STATUS_OK);
}

static void test_run_numbers_rise_with_each_start(void **state)
{
    (void)state;
    struct store *store = store_memory_new(NULL);
    for (uint64_t run = 1; run <= 3; run++) {
        struct checkpoint_store *checkpoints = open_store(store);
        assert_int_equal(checkpoint_store_identity(checkpoints)->run, run);
        assert_true(str_is(checkpoint_store_identity(checkpoints)->pipeline_uuid,
                           "11223344-5566-4788-99aa-bbccddeeff00"));
        checkpoint_store_close(checkpoints);
    }
    store_free(store);
}

static void test_the_highest_epoch_counts(void **state)
{
    (void)state;
    struct store *store = store_memory_new(NULL);
    struct arena arena = {0};
    struct err err;
    struct checkpoint out;
    struct checkpoint_store *checkpoints = open_store(store);
    assert_int_equal(checkpoint_store_load(checkpoints, &arena, &out, &err), STATUS_NOT_FOUND);
    write(checkpoints, 1, 10);
    write(checkpoints, 2, 1);
    write(checkpoints, 1, 9);
    assert_int_equal(checkpoint_store_load(checkpoints, &arena, &out, &err), STATUS_OK);
    assert_int_equal(out.epoch.run, 2);
    assert_int_equal(out.epoch.number, 1);
    arena_release(&arena);
    checkpoint_store_close(checkpoints);
    store_free(store);
}

static void test_clean_keeps_what_the_checkpoint_names(void **state)
{
    (void)state;
    struct store *store = store_memory_new(NULL);
    struct arena arena = {0};
    struct err err;
    struct store_object *objects;
    size_t count;
    struct checkpoint_store *checkpoints = open_store(store);
    write(checkpoints, 1, 1);
    write(checkpoints, 1, 2);
    assert_int_equal(store_put(store, STR_LIT("ck/p/state/f.segment"), STR_LIT("x"), 0, &err),
                     STATUS_OK);
    assert_int_equal(store_put(store, STR_LIT("ck/p/state/old.segment"), STR_LIT("x"), 0, &err),
                     STATUS_OK);
    struct checkpoint kept = sample(1, 2, checkpoint_store_identity(checkpoints)->pipeline_uuid);
    checkpoint_store_clean(checkpoints, &kept);
    assert_int_equal(store_list(store, STR_LIT("ck/p/"), &arena, &objects, &count, &err),
                     STATUS_OK);
    assert_int_equal(count, 3); // identity, the manifest, one segment
    arena_release(&arena);
    checkpoint_store_close(checkpoints);
    store_free(store);
}

static void test_a_damaged_newest_manifest_stops_the_start(void **state)
{
    (void)state;
    struct store *store = store_memory_new(NULL);
    struct arena arena = {0};
    struct err err;
    struct checkpoint out;
    struct checkpoint_store *checkpoints = open_store(store);
    write(checkpoints, 1, 1);
    assert_int_equal(store_put(store,
                               STR_LIT("ck/p/00000000000000000001-00000000000000000002.checkpoint"),
                               STR_LIT("not a manifest"), 0, &err),
                     STATUS_OK);
    assert_int_equal(checkpoint_store_load(checkpoints, &arena, &out, &err), STATUS_INVALID_DATA);
    assert_non_null(strstr(err.text, "00000000000000000002.checkpoint"));
    assert_non_null(strstr(err.hint, "--fresh"));
    arena_release(&arena);
    checkpoint_store_close(checkpoints);
    store_free(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_manifest_is_read_back_as_it_was),
        cmocka_unit_test(test_every_damaged_byte_is_noticed),
        cmocka_unit_test(test_run_numbers_rise_with_each_start),
        cmocka_unit_test(test_the_highest_epoch_counts),
        cmocka_unit_test(test_clean_keeps_what_the_checkpoint_names),
        cmocka_unit_test(test_a_damaged_newest_manifest_stops_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
