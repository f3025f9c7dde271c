// SPDX-License-Identifier: Apache-2.0
#include "data/wkb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

enum { BYTES_MAX = 2048 };

struct shape {
    char bytes[BYTES_MAX];
    size_t size;
};

static void put(struct shape *shape, const void *bytes, size_t size)
{
    memcpy(shape->bytes + shape->size, bytes, size);
    shape->size += size;
}

static void head(struct shape *shape, uint32_t code)
{
    put(shape, "\1", 1);
    put(shape, &code, sizeof code);
}

static void count(struct shape *shape, uint32_t number)
{
    put(shape, &number, sizeof number);
}

static void numbers(struct shape *shape, uint32_t number)
{
    static const double zero = 0;
    for (uint32_t i = 0; i < number; i++) {
        put(shape, &zero, sizeof zero);
    }
}

// Valid whole, and at no other length.
static void check(const struct shape *shape)
{
    for (size_t size = 0; size <= shape->size; size++) {
        assert_int_equal(wkb_is_valid((struct str){shape->bytes, size}), size == shape->size);
    }
    struct shape longer = *shape;
    put(&longer, "\0", 1);
    assert_false(wkb_is_valid((struct str){longer.bytes, longer.size}));
}

static void knows_shapes(void **state)
{
    (void)state;
    static const uint32_t dimensions[] = {2, 3, 3, 4};
    for (uint32_t extra = 0; extra < 4; extra++) {
        struct shape point = {.size = 0};
        head(&point, extra * 1000 + 1);
        numbers(&point, dimensions[extra]);
        check(&point);
        struct shape polygon = {.size = 0};
        head(&polygon, extra * 1000 + 3);
        count(&polygon, 2);
        for (int ring = 0; ring < 2; ring++) {
            count(&polygon, 3);
            numbers(&polygon, 3 * dimensions[extra]);
        }
        check(&polygon);
        struct shape points = {.size = 0};
        head(&points, extra * 1000 + 4);
        count(&points, 2);
        put(&points, point.bytes, point.size);
        put(&points, point.bytes, point.size);
        check(&points);
        struct shape both = {.size = 0};
        head(&both, 7);
        count(&both, 2);
        put(&both, polygon.bytes, polygon.size);
        put(&both, points.bytes, points.size);
        check(&both);
    }
    static const char big[] = "\0\0\0\0\2\0\0\0\1AAAAAAAABBBBBBBB";
    assert_true(wkb_is_valid((struct str){big, sizeof big - 1}));
}

static void refuses_others(void **state)
{
    (void)state;
    struct shape line = {.size = 0};
    head(&line, 2);
    count(&line, UINT32_MAX); // more than there can be
    assert_false(wkb_is_valid((struct str){line.bytes, line.size}));
    struct shape wrong = {.size = 0};
    head(&wrong, 4);
    count(&wrong, 1);
    head(&wrong, 2); // a line among points
    count(&wrong, 0);
    assert_false(wkb_is_valid((struct str){wrong.bytes, wrong.size}));
    struct shape deep = {.size = 0};
    for (int i = 0; i < 100; i++) {
        head(&deep, 7);
        count(&deep, 1);
    }
    head(&deep, 2);
    count(&deep, 0);
    assert_false(wkb_is_valid((struct str){deep.bytes, deep.size}));
    assert_false(wkb_is_valid((struct str){"POINT (1 2)", 11}));
    assert_false(wkb_is_valid((struct str){"", 0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_shapes),
        cmocka_unit_test(refuses_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
