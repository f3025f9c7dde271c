// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_gather.h"

#include "base/int128.h"

#define GATHER(c_type)                                                                             \
    do {                                                                                           \
        const c_type *in = values;                                                                 \
        c_type *to = out;                                                                          \
        for (uint32_t i = 0; i < count; i++) {                                                     \
            to[i] = in[places[i]];                                                                 \
        }                                                                                          \
    } while (0)

void parquet_gather(void *out, const void *values, size_t width, const uint32_t *places,
                    uint32_t count)
{
    switch (width) {
    case 1: GATHER(uint8_t); break;
    case 2: GATHER(uint16_t); break;
    case 4: GATHER(uint32_t); break;
    case 8: GATHER(uint64_t); break;
    default: GATHER(int128); break;
    }
}
