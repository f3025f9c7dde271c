// SPDX-License-Identifier: Apache-2.0
#include "state/row_shuffle.h"

#include "state/state_testing.h"

enum { BYTES_MAX = 128 * 70 };

static void test_planes_and_back(void **state)
{
    static char rows[BYTES_MAX], planes[BYTES_MAX], back[BYTES_MAX];
    uint64_t seed = 3;
    (void)state;
    for (size_t i = 0; i < BYTES_MAX; i++) {
        rows[i] = (char)testing_random(&seed);
    }
    for (size_t size = 8; size <= 128; size += 8) {
        for (size_t count = 1; count <= 70; count += count < 20 ? 1 : 25) {
            row_shuffle(rows, size, count, planes);
            for (size_t row = 0; row < count; row++) {
                for (size_t byte = 0; byte < size; byte++) {
                    assert_int_equal(planes[byte * count + row], rows[row * size + byte]);
                }
            }
            row_shuffle_back(planes, size, count, back);
            assert_memory_equal(back, rows, size * count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planes_and_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
