// SPDX-License-Identifier: Apache-2.0
#include "codec/block.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/mem.h"
#include "base/strbuf.h"

static struct strview views_flat[3];
static const uint64_t valid_101[] = {5};
static const int64_t ints[] = {7, 0, -9};
static const uint16_t codes[] = {1, 0, 1};
static const struct list_view lists[] = {{0, 2}, {0, 0}, {2, 1}};
static const int32_t elements[] = {10, 20, 30};
static const int8_t kinds[] = {CHANGE_INSERT, CHANGE_UPDATE_BEFORE, CHANGE_UPDATE_AFTER};

static const char long_text[] = "a string of more than twelve bytes";

// FLAT with nulls, CONST, DICT over long strings, a list and a row of them.
static void make_batch(struct batch *batch, struct column columns[5], struct column inner[3])
{
    views_flat[0] = strview_make("short", 5);
    views_flat[1] = strview_make(long_text, sizeof long_text - 1);
    inner[0] = (struct column){.physical = PHYSICAL_STRING, .row_count = 2, .values = views_flat};
    inner[1] = (struct column){.physical = PHYSICAL_I32, .row_count = 3, .values = elements};
    columns[0] = (struct column){
        .physical = PHYSICAL_I64, .row_count = 3, .valid = valid_101, .values = ints};
    columns[1] = (struct column){
        .physical = PHYSICAL_I64, .encoding = ENCODING_CONST, .row_count = 3, .values = ints};
    columns[2] = (struct column){.physical = PHYSICAL_STRING,
                                 .encoding = ENCODING_DICT,
                                 .row_count = 3,
                                 .codes = codes,
                                 .dict = &inner[0]};
    columns[3] = (struct column){.physical = PHYSICAL_LIST,
                                 .row_count = 3,
                                 .values = lists,
                                 .children = &inner[1],
                                 .child_count = 1};
    columns[4] = (struct column){
        .physical = PHYSICAL_ROW, .row_count = 3, .children = columns, .child_count = 3};
    *batch = (struct batch){.row_count = 3, .column_count = 5, .columns = columns, .kinds = kinds};
}

static void check_columns(const struct column *columns)
{
    assert_int_equal(*(const int64_t *)column_value(&columns[0], 2), -9);
    assert_true(column_is_null(&columns[0], 1));
    assert_int_equal(columns[1].encoding, ENCODING_CONST);
    assert_int_equal(*(const int64_t *)column_value(&columns[1], 2), 7);
    assert_int_equal(columns[2].encoding, ENCODING_DICT);
    assert_true(str_equal(strview_str(column_value(&columns[2], 0)), str_from(long_text)));
    assert_true(str_equal(strview_str(column_value(&columns[2], 1)), STR_LIT("short")));
}

static void test_a_batch_of_all_encodings_comes_back(void **state)
{
    (void)state;
    struct batch batch;
    struct column columns[5], inner[3];
    struct batch *back;
    struct strbuf out;
    struct budget budget;
    struct err err;
    budget_init(&budget, NULL, SIZE_MAX);
    strbuf_init(&out, 1 << 20);
    make_batch(&batch, columns, inner);
    assert_int_equal(block_add_batch(&out, &batch, &err), STATUS_OK);
    assert_int_equal(block_take_batch(strbuf_str(&out), &budget, &back, &err), STATUS_OK);
    strbuf_release(&out); // what came back does not lean on it
    assert_int_equal(back->row_count, 3);
    assert_memory_equal(back->kinds, kinds, 3);
    check_columns(back->columns);
    check_columns(back->columns[4].children);
    const struct list_view *view = column_value(&back->columns[3], 2);
    assert_int_equal(view->length, 1);
    assert_int_equal(((const int32_t *)back->columns[3].children[0].values)[view->offset], 30);
    assert_true(budget.used > 0);
    batch_drop(back);
    assert_int_equal(budget.used, 0);
}

static void test_blocks_follow_one_another_with_and_without_compression(void **state)
{
    (void)state;
    struct strbuf out;
    struct arena arena;
    struct err err;
    struct compress *compress = compress_new();
    char zeros[1000] = {0};
    static const enum compress_codec codecs[] = {COMPRESS_NONE, COMPRESS_LZ4_RAW, COMPRESS_ZSTD};
    strbuf_init(&out, 1 << 20);
    arena_init(&arena);
    for (uint8_t i = 0; i < 3; i++) {
        struct block block = {i, 100u + i, str_make(zeros, sizeof zeros)};
        assert_int_equal(block_write(&out, &block, codecs[i], compress, &err), STATUS_OK);
    }
    assert_true(out.size < 1500); // two of the three became small
    struct str rest = strbuf_str(&out);
    for (uint8_t i = 0; i < 3; i++) {
        struct block block;
        size_t used;
        uint64_t size;
        assert_int_equal(block_size(rest, &size, &err), STATUS_OK);
        assert_int_equal(block_read(rest, compress, &arena, &block, &used, &err), STATUS_OK);
        assert_int_equal(size, used);
        assert_int_equal(block.kind, i);
        assert_int_equal(block.tag, 100 + i);
        assert_int_equal(block.payload.size, sizeof zeros);
        assert_memory_equal(block.payload.ptr, zeros, sizeof zeros);
        rest = str_slice(rest, used, rest.size);
    }
    assert_int_equal(rest.size, 0);
    compress_free(compress);
    arena_release(&arena);
    strbuf_release(&out);
}

static void test_every_flipped_bit_and_every_cut_is_noticed(void **state)
{
    (void)state;
    struct strbuf out;
    struct arena arena;
    struct err err;
    struct block block = {1, 2, STR_LIT("the payload of this block")};
    size_t used;
    strbuf_init(&out, 1 << 20);
    arena_init(&arena);
    assert_int_equal(block_write(&out, &block, COMPRESS_NONE, NULL, &err), STATUS_OK);
    size_t end = BLOCK_HEADER_SIZE + block.payload.size; // the padding behind is not covered
    for (size_t bit = 0; bit < end * 8; bit++) {
        out.ptr[bit / 8] ^= (char)(1 << (bit % 8));
        enum status status = block_read(strbuf_str(&out), NULL, &arena, &block, &used, &err);
        assert_true(status == STATUS_INVALID_DATA || status == STATUS_UNSUPPORTED);
        out.ptr[bit / 8] ^= (char)(1 << (bit % 8));
    }
    for (size_t size = 0; size < out.size; size++) {
        assert_int_equal(block_read(str_make(out.ptr, size), NULL, &arena, &block, &used, &err),
                         STATUS_INVALID_DATA);
    }
    arena_release(&arena);
    strbuf_release(&out);
}

static void test_damaged_batches_are_refused_and_never_crash(void **state)
{
    (void)state;
    struct batch batch;
    struct column columns[5], inner[3];
    struct strbuf out;
    struct err err;
    uint32_t refused = 0;
    strbuf_init(&out, 1 << 20);
    make_batch(&batch, columns, inner);
    assert_int_equal(block_add_batch(&out, &batch, &err), STATUS_OK);
    for (size_t bit = 0; bit < out.size * 8; bit++) {
        struct batch *back = NULL;
        char *copy = memcpy(mem_alloc(out.size), out.ptr, out.size);
        copy[bit / 8] ^= (char)(1 << (bit % 8));
        if (block_take_batch(str_make(copy, out.size), NULL, &back, &err) == STATUS_OK) {
            batch_drop(back);
        } else {
            refused++;
        }
        mem_free(copy);
    }
    assert_true(refused > 300);
    strbuf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_batch_of_all_encodings_comes_back),
        cmocka_unit_test(test_blocks_follow_one_another_with_and_without_compression),
        cmocka_unit_test(test_every_flipped_bit_and_every_cut_is_noticed),
        cmocka_unit_test(test_damaged_batches_are_refused_and_never_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
