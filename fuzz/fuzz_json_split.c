// SPDX-License-Identifier: Apache-2.0
//
// fuzz_json_split: any bytes cut into records. Whether they come whole or piece by piece, the same
// records must come out, each within the bytes, and the same must be wrong.
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "codec/json_split.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RECORDS = 16 };

struct outcome {
    uint64_t hash; // of the records
    uint64_t count;
    bool is_good;
};

static struct outcome split_all(enum json_split_layout layout, struct str whole, size_t step)
{
    struct outcome out = {.is_good = true};
    struct json_split split;
    struct err err;
    size_t begin = 0;
    json_split_init(&split, layout);
    for (size_t end = step < whole.size ? step : whole.size;;) {
        struct str records[RECORDS];
        uint32_t count = RECORDS;
        size_t used;
        bool is_last = end == whole.size;
        struct str bytes = str_slice(whole, begin, end);
        enum status status = json_split_next(&split, bytes, is_last, records, &count, &used, &err);
        ASSERT(used <= bytes.size && count <= RECORDS);
        for (uint32_t i = 0; i < count; i++) {
            ASSERT(records[i].size > 0 && records[i].ptr >= bytes.ptr &&
                   records[i].ptr + records[i].size <= bytes.ptr + bytes.size);
            out.hash = hash_combine(out.hash, hash_bytes(records[i].ptr, records[i].size, 0));
            out.count++;
        }
        begin += used;
        bool is_done = is_last && begin == whole.size;
        if (status == STATUS_OK && is_done) {
            status = json_split_finish(&split, &err);
        }
        if (status != STATUS_OK || is_done) {
            out.is_good = status == STATUS_OK;
            return out;
        }
        ASSERT(!is_last || used > 0);
        end = whole.size - end > step ? end + step : whole.size;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = str_make((const char *)data, size);
    enum json_split_layout layout = json_split_layout(bytes);
    if (layout == JSON_SPLIT_LINES) {
        layout = JSON_SPLIT_RECORDS;
    }
    struct outcome whole = split_all(layout, bytes, size + 1);
    for (size_t step = 1; step < 20; step += 6) {
        struct outcome parts = split_all(layout, bytes, step);
        ASSERT(parts.is_good == whole.is_good);
        ASSERT(!whole.is_good || (parts.count == whole.count && parts.hash == whole.hash));
    }
    return 0;
}
