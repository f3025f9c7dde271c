// SPDX-License-Identifier: Apache-2.0
#include "codec/compress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"

static const enum compress_codec all[] = {COMPRESS_NONE,    COMPRESS_SNAPPY,  COMPRESS_GZIP,
                                          COMPRESS_BROTLI,  COMPRESS_LZ4,     COMPRESS_ZSTD,
                                          COMPRESS_LZ4_RAW, COMPRESS_DEFLATE, COMPRESS_LZ4_FRAME,
                                          COMPRESS_BZIP2,   COMPRESS_XZ};

enum { CODECS = sizeof all / sizeof all[0] };

// Text that compresses, bytes that do not behind it.
static struct str sample(size_t size)
{
    char *bytes = mem_alloc(size);
    uint32_t seed = 1;
    for (size_t i = 0; i < size; i++) {
        seed = seed * 1664525 + 1013904223;
        bytes[i] = i < size / 2 ? "the quick brown fox "[i % 20] : (char)(seed >> 24);
    }
    return str_make(bytes, size);
}

static struct str packed(struct compress *compress, enum compress_codec codec, struct str plain)
{
    size_t size;
    char *out = mem_alloc(compress_bound(codec, plain.size));
    assert_int_equal(
        compress_block(compress, codec, COMPRESS_LEVEL_DEFAULT, plain, out, &size, NULL),
        STATUS_OK);
    assert_true(size <= compress_bound(codec, plain.size));
    char *exact = mem_alloc(size); // so that the address sanitizer sees the end
    memcpy(exact, out, size);
    mem_free(out);
    return str_make(exact, size);
}

static void drop(struct str bytes)
{
    mem_free((void *)(uintptr_t)bytes.ptr);
}

static void test_every_codec_gives_back_what_it_got(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 100, 70000};
    struct compress *compress = compress_new();
    for (uint32_t i = 0; i < CODECS; i++) {
        for (uint32_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++) {
            struct str plain = sample(sizes[j]);
            struct str bytes = packed(compress, all[i], plain);
            char *back = mem_alloc(plain.size);
            assert_int_equal(compress_unblock(compress, all[i], bytes, back, plain.size, NULL),
                             STATUS_OK);
            assert_memory_equal(back, plain.ptr, plain.size);
            struct buf *buf;
            assert_int_equal(compress_unblock_unknown(compress, all[i], bytes, 1 << 20, &buf, NULL),
                             STATUS_OK);
            assert_int_equal(buf->size, plain.size);
            assert_memory_equal(buf->ptr, plain.ptr, plain.size);
            buf_unref(buf);
            mem_free(back);
            drop(bytes);
            drop(plain);
        }
    }
    compress_free(compress);
}

static void test_a_kind_changes_the_work_and_not_the_format(void **state)
{
    (void)state;
    static const enum compress_kind kinds[] = {COMPRESS_NUMBERS, COMPRESS_NUMBERS_STEPPED,
                                               COMPRESS_NOISE, COMPRESS_BYTES};
    struct compress *compress = compress_new();
    struct str plain = sample(300000); // several of zstd's blocks
    char *back = mem_alloc(plain.size);
    for (uint32_t i = 0; i < CODECS; i++) {
        for (uint32_t j = 0; j < sizeof kinds / sizeof kinds[0]; j++) {
            compress_set_kind(compress, kinds[j]);
            struct str bytes = packed(compress, all[i], plain);
            assert_int_equal(compress_unblock(compress, all[i], bytes, back, plain.size, NULL),
                             STATUS_OK);
            assert_memory_equal(back, plain.ptr, plain.size);
            drop(bytes);
        }
    }
    mem_free(back);
    drop(plain);
    compress_free(compress);
}

static void test_another_size_than_announced_is_damage(void **state)
{
    (void)state;
    struct compress *compress = compress_new();
    struct str plain = sample(1000);
    char *back = mem_alloc(1001);
    for (uint32_t i = 0; i < CODECS; i++) {
        struct str bytes = packed(compress, all[i], plain);
        assert_int_equal(compress_unblock(compress, all[i], bytes, back, 999, NULL),
                         STATUS_INVALID_DATA);
        assert_int_equal(compress_unblock(compress, all[i], bytes, back, 1001, NULL),
                         STATUS_INVALID_DATA);
        drop(bytes);
    }
    mem_free(back);
    drop(plain);
    compress_free(compress);
}

static void test_flipped_and_cut_blocks_never_write_behind_the_output(void **state)
{
    (void)state;
    struct compress *compress = compress_new();
    struct str plain = sample(600);
    char *back = mem_alloc(600);
    for (uint32_t i = 1; i < CODECS; i++) {
        struct str bytes = packed(compress, all[i], plain);
        char *damaged = (char *)(uintptr_t)bytes.ptr;
        for (size_t at = 0; at < bytes.size; at++) {
            damaged[at] ^= 0x55; // what comes of it does not matter, only where it goes
            enum status status = compress_unblock(compress, all[i], bytes, back, 600, NULL);
            assert_true(status == STATUS_OK || status == STATUS_INVALID_DATA);
            damaged[at] ^= 0x55;
            struct str cut = str_slice(bytes, 0, at);
            assert_int_equal(compress_unblock(compress, all[i], cut, back, 600, NULL),
                             STATUS_INVALID_DATA);
        }
        drop(bytes);
    }
    mem_free(back);
    drop(plain);
    compress_free(compress);
}

// "hello hello hello\n" by gzip(1) of Debian 12, twice.
static const char gzip_hello[] =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x90\x5c"
    "\x00\x3b\x7c\x8a\xdf\x12\x00\x00\x00";

static void test_gzip_members_stand_behind_one_another(void **state)
{
    (void)state;
    struct compress *compress = compress_new();
    char two[2 * (sizeof gzip_hello - 1)];
    memcpy(two, gzip_hello, sizeof gzip_hello - 1);
    memcpy(two + sizeof gzip_hello - 1, gzip_hello, sizeof gzip_hello - 1);
    char back[36];
    assert_int_equal(
        compress_unblock(compress, COMPRESS_GZIP, str_make(two, sizeof two), back, 36, NULL),
        STATUS_OK);
    assert_memory_equal(back, "hello hello hello\nhello hello hello\n", 36);
    compress_free(compress);
}

static void test_hadoop_framing_has_two_sizes_in_front(void **state)
{
    (void)state;
    struct compress *compress = compress_new();
    size_t size;
    char out[64];
    assert_int_equal(compress_block(compress, COMPRESS_LZ4, 0, STR_LIT("abc"), out, &size, NULL),
                     STATUS_OK);
    // 3 bytes, of which 4 were made: a token (3 literals) and them.
    assert_int_equal(size, 12);
    assert_memory_equal(out,
                        "\0\0\0\3\0\0\0\4\x30"
                        "abc",
                        12);
    char back[3];
    struct str bare = str_make(out + 8, 4); // as other writers had it
    assert_int_equal(compress_unblock(compress, COMPRESS_LZ4, bare, back, 3, NULL), STATUS_OK);
    assert_memory_equal(back, "abc", 3);
    compress_free(compress);
}

static void test_a_bomb_is_stopped_at_the_limit(void **state)
{
    (void)state;
    struct compress *compress = compress_new();
    char *zeros = mem_zalloc(8 << 20);
    for (uint32_t i = 1; i < CODECS; i++) {
        struct str bytes = packed(compress, all[i], str_make(zeros, 8 << 20));
        struct buf *buf;
        enum status status = compress_unblock_unknown(compress, all[i], bytes, 1 << 20, &buf, NULL);
        assert_int_equal(status, STATUS_LIMIT);
        drop(bytes);
    }
    mem_free(zeros);
    compress_free(compress);
}

// A stream of several members, given and taken in pieces of any size.
static void check_stream(enum compress_codec codec, struct str bytes, size_t in_step,
                         size_t out_step, struct str expected)
{
    struct compress_stream *stream;
    char out[256];
    size_t have = 0;
    struct str piece = {bytes.ptr, 0};
    assert_int_equal(compress_stream_new(codec, &stream, NULL), STATUS_OK);
    for (;;) {
        size_t produced;
        enum status status =
            compress_stream_read(stream, &piece, out + have, out_step, &produced, NULL);
        have += produced;
        assert_true(have <= expected.size);
        if (status == STATUS_END && piece.ptr + piece.size == bytes.ptr + bytes.size) {
            break;
        }
        assert_true(status == STATUS_OK || status == STATUS_END);
        if (piece.size == 0) {
            size_t left = (size_t)(bytes.ptr + bytes.size - piece.ptr);
            piece.size = left < in_step ? left : in_step;
        }
    }
    assert_int_equal(have, expected.size);
    assert_memory_equal(out, expected.ptr, have);
    compress_stream_free(stream);
}

static void test_streams_are_read_in_pieces(void **state)
{
    (void)state;
    char two[2 * (sizeof gzip_hello - 1)];
    memcpy(two, gzip_hello, sizeof gzip_hello - 1);
    memcpy(two + sizeof gzip_hello - 1, gzip_hello, sizeof gzip_hello - 1);
    struct str expected = STR_LIT("hello hello hello\nhello hello hello\n");
    struct compress *compress = compress_new();
    struct str frame = packed(compress, COMPRESS_ZSTD, STR_LIT("hello hello hello\n"));
    char *frames = mem_alloc(frame.size * 2);
    memcpy(frames, frame.ptr, frame.size);
    memcpy(frames + frame.size, frame.ptr, frame.size);
    for (size_t in = 1; in < 40; in += 6) {
        for (size_t out = 1; out < 40; out += 7) {
            check_stream(COMPRESS_GZIP, str_make(two, sizeof two), in, out, expected);
            check_stream(COMPRESS_ZSTD, str_make(frames, frame.size * 2), in, out, expected);
        }
    }
    mem_free(frames);
    drop(frame);
    compress_free(compress);
}

static void test_names_are_found_whatever_their_case(void **state)
{
    (void)state;
    enum compress_codec codec;
    assert_true(compress_find(STR_LIT("ZSTD"), &codec));
    assert_int_equal(codec, COMPRESS_ZSTD);
    assert_true(compress_find(STR_LIT("uncompressed"), &codec));
    assert_int_equal(codec, COMPRESS_NONE);
    assert_false(compress_find(STR_LIT("lzo"), &codec));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_codec_gives_back_what_it_got),
        cmocka_unit_test(test_a_kind_changes_the_work_and_not_the_format),
        cmocka_unit_test(test_another_size_than_announced_is_damage),
        cmocka_unit_test(test_flipped_and_cut_blocks_never_write_behind_the_output),
        cmocka_unit_test(test_gzip_members_stand_behind_one_another),
        cmocka_unit_test(test_hadoop_framing_has_two_sizes_in_front),
        cmocka_unit_test(test_a_bomb_is_stopped_at_the_limit),
        cmocka_unit_test(test_streams_are_read_in_pieces),
        cmocka_unit_test(test_names_are_found_whatever_their_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
