// SPDX-License-Identifier: Apache-2.0
//
// fuzz_wkb: any bytes as a shape. One that is whole is none with a byte more or less.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "data/wkb.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = malloc(size + 1); // its own block: what is read behind the end is found
    if (bytes == NULL) {
        return 0;
    }
    memcpy(bytes, data, size);
    bytes[size] = 0;
    if (wkb_is_valid((struct str){bytes, size})) {
        ASSERT(!wkb_is_valid((struct str){bytes, size + 1}));
        ASSERT(!wkb_is_valid((struct str){bytes, size - 1}));
    }
    free(bytes);
    return 0;
}
