// SPDX-License-Identifier: Apache-2.0
#include "base/nearest.h"

#include "base/err.h"

struct nearest nearest_to(struct str wanted)
{
    return (struct nearest){.wanted = wanted, .distance = (uint32_t)wanted.size / 3 + 2};
}

void nearest_try(struct nearest *nearest, struct str name)
{
    uint32_t distance = str_distance(nearest->wanted, name);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->best = name;
    }
}

bool nearest_hint(const struct nearest *nearest, struct err *err)
{
    if (nearest->best.size > 0) {
        err_hint(err, "did you mean '%.*s'?", STR_ARGS(nearest->best));
    }
    return nearest->best.size > 0;
}
