// SPDX-License-Identifier: Apache-2.0
//
// Rows that go into one image give what they give one by one, whatever the form of the column.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/bits.h"
#include "data/batch.h"
#include "expr/aggregate.h"

enum { IMAGE_MAX = 64, ROWS = 300, OFFSET = 3, ENTRIES = 5 };

struct values {
    struct column column;
    struct column dict;
    _Alignas(16) char bytes[ROWS * 16];
    uint64_t valid[BATCH_WORDS_MAX];
    uint16_t codes[ROWS];
};

static uint64_t random_next(void)
{
    static uint64_t seed = 3;
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return seed >> 20;
}

static void fill(struct values *out, enum physical physical, enum encoding encoding, bool has_nulls)
{
    size_t width = physical_width(physical);
    *out = (struct values){0};
    for (uint32_t i = 0; i < ROWS; i++) {
        int64_t number = (int64_t)random_next() % 100000 - 50000;
        double real = (double)number / 7;
        const void *value = physical == PHYSICAL_F64 ? (const void *)&real : (const void *)&number;
        memcpy(out->bytes + (size_t)i * width, value, width);
        out->codes[i] = (uint16_t)(random_next() % ENTRIES);
        if (random_next() % 3 != 0) {
            bits_set(out->valid, i);
        }
    }
    out->dict = (struct column){.physical = physical, .row_count = ENTRIES, .values = out->bytes};
    out->column = (struct column){.physical = physical,
                                  .encoding = encoding,
                                  .row_count = ROWS,
                                  .valid = has_nulls ? out->valid : NULL,
                                  .values = out->bytes,
                                  .codes = out->codes,
                                  .dict = &out->dict};
}

struct feeding {
    const struct aggregate *aggregate;
    const struct column *column; // NULL: COUNT(*)
    const uint64_t *active;
};

// Two batches into one image, the second of fewer rows.
static void feed(const struct feeding *feeding, bool is_one, char image[IMAGE_MAX + OFFSET])
{
    static const uint32_t counts[] = {ROWS, 77};
    char *images[ROWS];
    memset(image, 0, IMAGE_MAX + OFFSET);
    for (uint32_t i = 0; i < ROWS; i++) {
        images[i] = image;
    }
    for (uint32_t i = 0; i < 2; i++) {
        const struct aggregate_rows rows = {.images = images,
                                            .offset = OFFSET,
                                            .row_count = counts[i],
                                            .is_one = is_one,
                                            .active = feeding->active};
        assert_int_equal(aggregate_accumulate(feeding->aggregate, feeding->column, &rows, NULL),
                         STATUS_OK);
    }
}

static void check(struct arena *arena, const char *name, const struct type *type,
                  const struct values *values)
{
    static const uint64_t masks[][BATCH_WORDS_MAX] = {
        {0}, {UINT64_MAX, 0, UINT64_MAX, 0x5555, UINT64_MAX}};
    struct feeding feeding = {.column = type != NULL ? &values->column : NULL};
    assert_int_equal(aggregate_resolve(arena, str_from(name), type, &feeding.aggregate, NULL),
                     STATUS_OK);
    for (uint32_t i = 0; i < 3; i++) {
        char one_by_one[IMAGE_MAX + OFFSET];
        char at_once[IMAGE_MAX + OFFSET];
        feeding.active = i < 2 ? masks[i] : NULL;
        feed(&feeding, false, one_by_one);
        feed(&feeding, true, at_once);
        assert_memory_equal(at_once, one_by_one, sizeof at_once);
    }
}

static void test_one_image_for_all_rows(void **state)
{
    (void)state;
    static const struct type decimal = {.kind = TYPE_DECIMAL, .length = 10, .scale = 2};
    static const struct {
        const struct type *type;
        enum physical physical;
    } forms[] = {{&type_int, PHYSICAL_I32},
                 {&type_bigint, PHYSICAL_I64},
                 {&decimal, PHYSICAL_I64},
                 {&type_double, PHYSICAL_F64}};
    static const char *const names[] = {"COUNT", "SUM", "$SUM0", "AVG", "MIN", "MAX"};
    static const enum encoding encodings[] = {ENCODING_FLAT, ENCODING_CONST, ENCODING_DICT};
    for (uint32_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        for (uint32_t j = 0; j < 6; j++) {
            struct values values;
            struct arena arena;
            arena_init(&arena);
            fill(&values, forms[i].physical, encodings[j / 2], j % 2 != 0);
            for (uint32_t k = 0; k < sizeof names / sizeof names[0]; k++) {
                check(&arena, names[k], forms[i].type, &values);
            }
            check(&arena, "COUNT", NULL, &values);
            arena_release(&arena);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_image_for_all_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
