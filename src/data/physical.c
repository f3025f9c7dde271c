// SPDX-License-Identifier: Apache-2.0
#include "data/physical.h"

int strview_compare(const struct strview *a, const struct strview *b)
{
    size_t common = a->size < b->size ? a->size : b->size;
    int order = common == 0 ? 0 : memcmp(strview_ptr(a), strview_ptr(b), common);
    if (order != 0) {
        return order;
    }
    return (a->size > b->size) - (a->size < b->size);
}
