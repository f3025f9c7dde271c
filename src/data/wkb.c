// SPDX-License-Identifier: Apache-2.0
#include "data/wkb.h"

#include <stdint.h>
#include <string.h>

enum shape {
    SHAPE_ANY, // of a collection
    SHAPE_POINT,
    SHAPE_LINE,
    SHAPE_POLYGON,
    SHAPE_POINTS,
    SHAPE_LINES,
    SHAPE_POLYGONS,
    SHAPE_COLLECTION,
};

struct reader {
    const char *at;
    const char *end;
};

static bool take_u32(struct reader *in, bool is_little, uint32_t *out)
{
    if ((size_t)(in->end - in->at) < sizeof *out) {
        return false;
    }
    memcpy(out, in->at, sizeof *out);
    *out = is_little ? *out : __builtin_bswap32(*out);
    in->at += sizeof *out;
    return true;
}

static bool skip_points(struct reader *in, uint32_t count, uint32_t dimensions)
{
    uint64_t size = (uint64_t)count * dimensions * sizeof(double);
    if (size > (uint64_t)(in->end - in->at)) {
        return false;
    }
    in->at += size;
    return true;
}

static bool skip_rings(struct reader *in, bool is_little, uint32_t dimensions)
{
    uint32_t rings;
    bool is_whole = take_u32(in, is_little, &rings);
    for (uint32_t i = 0; is_whole && i < rings; i++) {
        uint32_t count;
        is_whole = take_u32(in, is_little, &count) && skip_points(in, count, dimensions);
    }
    return is_whole;
}

// One shape, of kind `wanted` unless any will do.
static bool skip_shape(struct reader *in, enum shape wanted, int depth)
{
    static const enum shape parts[] = {[SHAPE_POINTS] = SHAPE_POINT,
                                       [SHAPE_LINES] = SHAPE_LINE,
                                       [SHAPE_POLYGONS] = SHAPE_POLYGON,
                                       [SHAPE_COLLECTION] = SHAPE_ANY};
    uint32_t code;
    uint32_t count;
    if (depth > WKB_DEPTH_MAX || in->at == in->end || (unsigned char)*in->at > 1) {
        return false;
    }
    bool is_little = *in->at++ == 1;
    if (!take_u32(in, is_little, &code)) {
        return false;
    }
    uint32_t shape = code % 1000;
    uint32_t extra = code / 1000; // 1: Z, 2: M, 3: both
    uint32_t dimensions = extra == 3 ? 4 : extra > 0 ? 3 : 2;
    if (extra > 3 || shape < SHAPE_POINT || shape > SHAPE_COLLECTION ||
        (wanted != SHAPE_ANY && shape != wanted)) {
        return false;
    }
    if (shape == SHAPE_POINT) {
        return skip_points(in, 1, dimensions);
    }
    if (shape == SHAPE_LINE) {
        return take_u32(in, is_little, &count) && skip_points(in, count, dimensions);
    }
    if (shape == SHAPE_POLYGON) {
        return skip_rings(in, is_little, dimensions);
    }
    bool is_whole = take_u32(in, is_little, &count);
    for (uint32_t i = 0; is_whole && i < count; i++) {
        is_whole = skip_shape(in, parts[shape], depth + 1);
    }
    return is_whole;
}

bool wkb_is_valid(struct str bytes)
{
    struct reader in = {bytes.ptr, bytes.ptr + bytes.size};
    return bytes.size > 0 && skip_shape(&in, SHAPE_ANY, 0) && in.at == in.end;
}
