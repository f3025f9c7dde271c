// SPDX-License-Identifier: Apache-2.0
//
// Puffin files of other writers (fixtures), read and written again byte for byte; every codec there
// and back; damage.
#include "codec/puffin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/byte_source.h"
#include "codec/deletion_vector.h"
#include "codec/fixture_testing.h"
#include "codec/roaring.h"

enum { BLOB_BYTES_MAX = 1 << 20 };

// Reads a file; where no blob is compressed (other libraries compress otherwise) it is written
// again and must be the same.
static void expect_file(const char *name, uint32_t blobs, const char *const *contents)
{
    struct bytebuf bytes = fixture_read(name);
    struct byte_source_memory memory;
    struct arena arena = {0};
    struct puffin_file file;
    struct puffin_writer writer;
    struct err err;
    struct str again;
    bool is_plain = true;
    byte_source_memory_init(&memory, bytebuf_str(&bytes));
    if (puffin_read(&memory.source, &arena, &file, &err) != STATUS_OK) {
        fail_msg("%s: %s", name, err.text);
    }
    assert_int_equal(file.blob_count, blobs);
    puffin_writer_init(
        &writer, &(struct puffin_writer_options){file.property_count, file.properties, false});
    for (uint32_t i = 0; i < file.blob_count; i++) {
        struct buf *blob;
        struct puffin_blob copy = file.blobs[i];
        assert_int_equal(
            puffin_read_blob(&memory.source, &file.blobs[i], BLOB_BYTES_MAX, &blob, &err),
            STATUS_OK);
        if (contents != NULL && contents[i] != NULL) {
            assert_true(blob->size >= strlen(contents[i]));
            assert_memory_equal(blob->ptr, contents[i], strlen(contents[i]));
        }
        if (str_is(copy.type, "deletion-vector-v1")) {
            struct roaring set = {0};
            const struct str *cardinality =
                puffin_property(copy.properties, copy.property_count, "cardinality");
            int64_t count;
            assert_int_equal(deletion_vector_read(str_make(blob->ptr, blob->size), &set, &err),
                             STATUS_OK);
            assert_non_null(cardinality);
            assert_true(str_to_i64(*cardinality, &count));
            assert_int_equal(count, roaring_cardinality(&set));
            roaring_release(&set);
        }
        is_plain = is_plain && copy.codec == COMPRESS_NONE;
        assert_int_equal(puffin_writer_add(&writer, &copy, str_make(blob->ptr, blob->size), &err),
                         STATUS_OK);
        buf_unref(blob);
    }
    assert_int_equal(puffin_writer_finish(&writer, &again, &err), STATUS_OK);
    if (is_plain) {
        assert_int_equal(again.size, bytes.size);
        assert_memory_equal(again.ptr, bytes.ptr, bytes.size);
    }
    puffin_writer_release(&writer);
    arena_release(&arena);
    bytebuf_release(&bytes);
}

static void files_of_others(void **state)
{
    (void)state;
    static const char *const samples[] = {"abcdefghi", "some blob "};
    static const char java[] =
        "apache-iceberg/core/src/test/resources/org/apache/iceberg/puffin/v1/";
    char path[200];
    snprintf(path, sizeof path, "%sempty-puffin-uncompressed.bin", java);
    expect_file(path, 0, NULL);
    snprintf(path, sizeof path, "%ssample-metric-data-uncompressed.bin", java);
    expect_file(path, 2, samples);
    snprintf(path, sizeof path, "%ssample-metric-data-compressed-zstd.bin", java);
    expect_file(path, 2, samples);
    expect_file("apache-iceberg-go/table/dv/testdata/deletes/single-blob-dv.puffin", 1, NULL);
    expect_file("apache-iceberg-go/table/dv/testdata/deletes/multi-blob-dv.puffin", 2, NULL);
    expect_file("apache-iceberg-go/puffin/testdata/deletion-vector-v1.puffin", 1, NULL);
}

static struct str write_all(struct puffin_writer *writer, bool compress_footer)
{
    static const enum compress_codec codecs[] = {COMPRESS_NONE, COMPRESS_ZSTD, COMPRESS_LZ4_FRAME};
    static const int32_t fields[] = {1, 2147483645};
    static const struct puffin_property property = {{"a \"b\"", 5}, {"\xc3\xa4\n", 3}};
    struct err err;
    struct str bytes;
    char text[5000];
    puffin_writer_init(writer, &(struct puffin_writer_options){1, &property, compress_footer});
    for (int i = 0; i < 3; i++) {
        struct puffin_blob blob = {.type = {"t", 1},
                                   .field_count = (uint32_t)i,
                                   .fields = fields,
                                   .snapshot_id = INT64_MAX,
                                   .sequence_number = -1,
                                   .codec = codecs[i],
                                   .property_count = i == 1,
                                   .properties = &property};
        memset(text, 'a' + i, sizeof text);
        assert_int_equal(puffin_writer_add(writer, &blob, str_make(text, sizeof text), &err),
                         STATUS_OK);
    }
    assert_int_equal(puffin_writer_finish(writer, &bytes, &err), STATUS_OK);
    return bytes;
}

static void every_codec_there_and_back(void **state)
{
    (void)state;
    for (int compressed = 0; compressed < 2; compressed++) {
        struct puffin_writer writer;
        struct byte_source_memory memory;
        struct arena arena = {0};
        struct puffin_file file;
        struct err err;
        byte_source_memory_init(&memory, write_all(&writer, compressed != 0));
        assert_int_equal(puffin_read(&memory.source, &arena, &file, &err), STATUS_OK);
        assert_int_equal(file.blob_count, 3);
        assert_true(str_is(*puffin_property(file.properties, file.property_count, "a \"b\""),
                           "\xc3\xa4\n"));
        for (uint32_t i = 0; i < 3; i++) {
            struct buf *blob;
            const struct puffin_blob *meta = &file.blobs[i];
            assert_int_equal(puffin_read_blob(&memory.source, meta, BLOB_BYTES_MAX, &blob, &err),
                             STATUS_OK);
            assert_int_equal(blob->size, 5000);
            assert_true(blob->ptr[0] == 'a' + (char)i && blob->ptr[4999] == 'a' + (char)i);
            assert_int_equal(meta->field_count, i);
            assert_int_equal(meta->snapshot_id, INT64_MAX);
            assert_int_equal(meta->sequence_number, -1);
            assert_int_equal(meta->property_count, i == 1);
            buf_unref(blob);
            assert_int_equal(puffin_read_blob(&memory.source, meta, 4999, &blob, &err),
                             STATUS_LIMIT);
        }
        arena_release(&arena);
        puffin_writer_release(&writer);
    }
}

// Any byte changed, any length: an answer or an error, and every blob within the file.
static void damage_is_survived(void **state)
{
    (void)state;
    for (int compressed = 0; compressed < 2; compressed++) {
        struct puffin_writer writer;
        struct str good = write_all(&writer, compressed != 0);
        uint32_t refused = 0;
        for (size_t i = 0; i < 2 * good.size; i++) {
            struct byte_source_memory memory;
            struct arena arena = {0};
            struct puffin_file file;
            struct err err;
            size_t size = i < good.size ? good.size : i - good.size;
            char *bytes = mem_alloc(good.size);
            memcpy(bytes, good.ptr, good.size);
            bytes[i % good.size] = (char)(bytes[i % good.size] ^ 0x81);
            byte_source_memory_init(&memory, str_make(bytes, size));
            if (puffin_read(&memory.source, &arena, &file, &err) != STATUS_OK) {
                refused++;
            } else {
                for (uint32_t j = 0; j < file.blob_count; j++) {
                    assert_true(file.blobs[j].offset + file.blobs[j].length <= size);
                }
            }
            arena_release(&arena);
            mem_free(bytes);
        }
        assert_true(refused >= good.size); // each one cut short, and more
        puffin_writer_release(&writer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_others),
        cmocka_unit_test(every_codec_there_and_back),
        cmocka_unit_test(damage_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
