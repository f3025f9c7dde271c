// SPDX-License-Identifier: Apache-2.0
//
// fuzz_snappy: our decoder of Snappy's format against the library's: both take a block or neither
// does, what they make of it is the same, and no step makes less than it was asked for. The first
// byte says how long the steps are.
#include <snappy-c.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "codec/snappy_decode.h"

enum { SIZE_MAX_TRIED = 1 << 20 };

static bool decode_in_steps(struct str block, char *out, size_t size, size_t step)
{
    struct snappy_decode decode;
    bool is_right = snappy_decode_begin(&decode, block, out, size) && decode.size == size;
    for (size_t wanted = 0; is_right && wanted < size;) {
        wanted = decode.done + step;
        is_right = snappy_decode_until(&decode, wanted);
        ASSERT(!is_right || decode.done >= (wanted < size ? wanted : size));
    }
    return is_right && snappy_decode_until(&decode, SIZE_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t plain;
    if (size == 0) {
        return 0;
    }
    size_t step = (size_t)data[0] * data[0] + 1;
    struct str block = str_make((const char *)data + 1, size - 1);
    if (snappy_uncompressed_length(block.ptr, block.size, &plain) != SNAPPY_OK) {
        struct snappy_decode decode;
        char none;
        ASSERT(!snappy_decode_begin(&decode, block, &none, 0) || decode.size == 0);
        return 0;
    }
    if (plain > SIZE_MAX_TRIED) {
        return 0;
    }
    char *theirs = mem_zalloc(plain + 1);
    char *ours = mem_zalloc(plain + (plain == 0));
    size_t got = plain;
    bool is_right = snappy_uncompress(block.ptr, block.size, theirs, &got) == SNAPPY_OK;
    ASSERT(decode_in_steps(block, ours, plain, step) == is_right);
    ASSERT(!is_right || memcmp(ours, theirs, plain) == 0);
    mem_free(ours);
    mem_free(theirs);
    return 0;
}
