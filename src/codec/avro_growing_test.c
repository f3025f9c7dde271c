// SPDX-License-Identifier: Apache-2.0
//
// A file of segments, with restores between them, has the rows of one written at once; damage in a
// segment is found.
#include "codec/avro_growing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/mem.h"
#include "codec/avro_file.h"
#include "codec/compress.h"
#include "data/batch.h"
#include "data/column_builder.h"

enum { ROWS = 1000, BATCHES = 40, SEGMENTS_MAX = 20 };

struct world {
    struct arena arena;
    struct avro_column column;
    struct avro_growing_options options;
    struct budget budget;
    struct byte_sink_memory segments[SEGMENTS_MAX];
    struct byte_source_memory sources[SEGMENTS_MAX];
    struct byte_source *pointers[SEGMENTS_MAX];
    uint32_t segment_count;
};

static void begin(struct world *world, enum avro_codec codec)
{
    *world = (struct world){0};
    budget_init(&world->budget, NULL, SIZE_MAX);
    world->column =
        (struct avro_column){.name = STR_LIT("n"), .id = 3, .required = true, .type = &type_bigint};
    world->options = (struct avro_growing_options){.columns = &world->column,
                                                   .column_count = 1,
                                                   .record_name = STR_LIT("table"),
                                                   .codec = codec,
                                                   .compress = compress_new(),
                                                   .budget = &world->budget};
    memset(world->options.sync, 7, sizeof world->options.sync);
}

static void end(struct world *world)
{
    for (uint32_t i = 0; i < world->segment_count; i++) {
        byte_sink_memory_release(&world->segments[i]);
    }
    assert_int_equal(world->budget.used, 0);
    compress_free(world->options.compress);
    arena_release(&world->arena);
}

static void append(struct world *world, struct avro_growing *file, int64_t from)
{
    struct err err;
    struct column_builder *builder = column_builder_new(&world->arena, &type_bigint, ROWS);
    for (int64_t i = from; i < from + ROWS; i++) {
        column_builder_i64(builder, i);
    }
    struct column column = column_builder_finish(builder);
    struct batch batch = {.row_count = ROWS, .column_count = 1, .columns = &column};
    assert_int_equal(avro_growing_append(file, &batch, &err), STATUS_OK);
}

static void take(struct world *world, struct avro_growing *file)
{
    struct err err;
    uint64_t size;
    uint32_t at = world->segment_count;
    byte_sink_memory_init(&world->segments[at], SIZE_MAX);
    assert_int_equal(avro_growing_take(file, &world->segments[at].sink, &size, &err), STATUS_OK);
    assert_int_equal(size, world->segments[at].size);
    if (size > 0) {
        byte_source_memory_init(&world->sources[at], byte_sink_memory_bytes(&world->segments[at]));
        world->sources[at].source.name = STR_LIT("a segment");
        world->pointers[at] = &world->sources[at].source;
        world->segment_count++;
    }
}

static void check_rows(struct str bytes, int64_t count)
{
    struct byte_source_memory memory;
    struct avro_file *file;
    struct batch batch;
    struct err err;
    enum status status;
    int64_t next = 0;
    byte_source_memory_init(&memory, bytes);
    memory.source.name = STR_LIT("a file");
    assert_int_equal(avro_file_open(&memory.source, NULL, &file, &err), STATUS_OK);
    assert_int_equal(avro_file_schema(file)->fields[0].id, 3);
    while ((status = avro_file_next(file, &batch, &err)) == STATUS_OK) {
        for (uint32_t i = 0; i < batch.row_count; i++) {
            assert_int_equal(*(const int64_t *)column_value(&batch.columns[0], i), next++);
        }
    }
    assert_int_equal(status, STATUS_END);
    assert_int_equal(next, count);
    avro_file_free(file);
}

// A segment each seventh batch, a restore every other time; in between blocks leave unsealed.
static struct avro_growing *grow(struct world *world)
{
    struct avro_growing *file;
    struct err err;
    assert_int_equal(avro_growing_new(&world->options, &file, &err), STATUS_OK);
    for (int64_t i = 0; i < BATCHES; i++) {
        append(world, file, i * ROWS);
        if (i % 7 == 3) {
            take(world, file); // whole blocks only
        }
        if (i % 7 != 6) {
            continue;
        }
        assert_int_equal(avro_growing_seal(file, i % 2 == 0, &err), STATUS_OK);
        take(world, file);
        if (i % 2 == 0) {
            avro_growing_free(file);
            assert_int_equal(avro_growing_restore(&world->options, world->pointers,
                                                  world->segment_count, &file, &err),
                             STATUS_OK);
        }
        assert_int_equal(avro_growing_rows(file), (i + 1) * ROWS);
    }
    return file;
}

static void grows_over_checkpoints(void **state)
{
    (void)state;
    for (int codec = AVRO_CODEC_DEFLATE; codec <= AVRO_CODEC_ZSTANDARD; codec++) {
        struct world world;
        struct err err;
        struct byte_sink_memory whole;
        begin(&world, (enum avro_codec)codec);
        struct avro_growing *file = grow(&world);
        byte_sink_memory_init(&whole, SIZE_MAX);
        assert_int_equal(
            avro_growing_close(file, world.pointers, world.segment_count, &whole.sink, &err),
            STATUS_OK);
        check_rows(byte_sink_memory_bytes(&whole), (int64_t)BATCHES * ROWS);
        byte_sink_memory_release(&whole);
        avro_growing_free(file);
        end(&world);
    }
}

static void has_a_header_without_rows(void **state)
{
    (void)state;
    struct world world;
    struct err err;
    struct byte_sink_memory whole;
    struct avro_growing *file;
    begin(&world, AVRO_CODEC_DEFLATE);
    assert_int_equal(avro_growing_new(&world.options, &file, &err), STATUS_OK);
    assert_int_equal(avro_growing_seal(file, true, &err), STATUS_OK);
    take(&world, file);
    assert_int_equal(world.segment_count, 0);
    byte_sink_memory_init(&whole, SIZE_MAX);
    assert_int_equal(avro_growing_close(file, NULL, 0, &whole.sink, &err), STATUS_OK);
    check_rows(byte_sink_memory_bytes(&whole), 0);
    byte_sink_memory_release(&whole);
    byte_sink_memory_release(&world.segments[0]);
    avro_growing_free(file);
    end(&world);
}

static void finds_damage(void **state)
{
    (void)state;
    struct world world;
    struct err err;
    struct byte_sink_memory whole;
    struct avro_growing *other;
    begin(&world, AVRO_CODEC_NULL);
    struct avro_growing *file = grow(&world);
    byte_sink_memory_init(&whole, SIZE_MAX);
    world.segments[1].ptr[100] ^= 1;
    assert_int_equal(
        avro_growing_close(file, world.pointers, world.segment_count, &whole.sink, &err),
        STATUS_INVALID_DATA);
    assert_int_equal(avro_growing_close(file, world.pointers, 1, &whole.sink, &err),
                     STATUS_INVALID_DATA);
    byte_sink_memory_release(&whole);
    avro_growing_free(file);
    world.segments[1].ptr[world.segments[1].size - 1] ^= 1;
    assert_int_equal(
        avro_growing_restore(&world.options, world.pointers, world.segment_count, &other, &err),
        STATUS_INVALID_DATA);
    byte_source_memory_init(&world.sources[0], STR_LIT("short"));
    assert_int_equal(avro_growing_restore(&world.options, world.pointers, 1, &other, &err),
                     STATUS_INVALID_DATA);
    end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_over_checkpoints),
        cmocka_unit_test(has_a_header_without_rows),
        cmocka_unit_test(finds_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
