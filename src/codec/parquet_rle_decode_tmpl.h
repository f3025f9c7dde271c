// SPDX-License-Identifier: Apache-2.0
//
// The decoder of parquet_rle.c for values of type T; NAME(x) makes the symbols.

// Groups of eight values; reads 8 bytes at a time, so the last groups of the input go another way.
ALWAYS_INLINE void NAME(unpack_groups)(const uint8_t *in, T *out, uint32_t groups, uint32_t width)
{
    uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    for (uint32_t i = 0; i < groups; i++, in += width, out += 8) {
        for (uint32_t j = 0; j < 8; j++) {
            uint64_t word;
            memcpy(&word, in + j * width / 8, 8);
            out[j] = (T)(word >> (j * width % 8) & mask);
        }
    }
}

// Values [from, from + count) of the packed ones at `in`, one by one.
static void NAME(unpack_single)(const uint8_t *in, const uint8_t *end, uint32_t width,
                                uint32_t from, struct NAME(span) span)
{
    for (uint32_t i = 0; i < span.count; i++) {
        span.out[i] = (T)packed_value(in, end, width, from + i);
    }
}

static void NAME(unpack)(const uint8_t *in, const uint8_t *end, uint32_t width, uint32_t from,
                         struct NAME(span) span)
{
    uint32_t head = (8 - from % 8) % 8;
    head = head < span.count ? head : span.count;
    NAME(unpack_single)(in, end, width, from, (struct NAME(span)){span.out, head});
    from += head;
    T *out = span.out + head;
    uint32_t count = span.count - head;
    const uint8_t *at = in + (size_t)from / 8 * width;
    size_t left = (size_t)(end - at);
    uint32_t groups = count / 8;
    uint64_t safe =
        left < 8 ? 0 : (left - 8) / (width > 0 ? width : 1); // groups with 8 bytes behind
    groups = groups < safe ? groups : (uint32_t)safe;
    switch (width) {
#define CASE(w)                                                                                    \
    case w: NAME(unpack_groups)(at, out, groups, w); break;
        CASE(1)
        CASE(2)
        CASE(3)
        CASE(4)
        CASE(5)
        CASE(6)
        CASE(7)
        CASE(8)
        CASE(9)
        CASE(10)
        CASE(11)
        CASE(12)
        CASE(13)
        CASE(14)
        CASE(15)
        CASE(16)
        CASE(17)
        CASE(18)
        CASE(19)
        CASE(20)
#undef CASE
    default:
        if (width <= 56) {
            NAME(unpack_groups)(at, out, groups, width);
        } else {
            groups = 0;
        }
    }
    uint32_t done = groups * 8;
    NAME(unpack_single)(in, end, width, from + done, (struct NAME(span)){out + done, count - done});
}

bool NAME(parquet_rle_decode)(struct parquet_rle *rle, T *out, uint32_t count)
{
    while (count > 0) {
        if (rle->run > 0) {
            uint32_t take = rle->run < count ? rle->run : count;
            for (uint32_t i = 0; i < take; i++) {
                out[i] = (T)rle->value;
            }
            rle->run -= take;
            out += take;
            count -= take;
        } else if (rle->literals > 0) {
            uint32_t take = rle->literals < count ? rle->literals : count;
            NAME(unpack)
            (rle->packed, rle->end, rle->width, rle->packed_at, (struct NAME(span)){out, take});
            rle->packed_at += take;
            rle->literals -= take;
            out += take;
            count -= take;
        } else if (!next_run(rle)) {
            return false;
        }
    }
    return true;
}
