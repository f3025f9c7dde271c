// SPDX-License-Identifier: Apache-2.0
//
// The encoder of parquet_rle.c for values of type T; NAME(x) makes the symbols.

// Packs whole groups of eight, and the rest padded with zeros. The width is a constant where it is
// small, so that the compiler unrolls the shifts.
ALWAYS_INLINE char *NAME(pack_groups)(char *out, const T *values, uint32_t groups, uint32_t width)
{
    for (uint32_t i = 0; i < groups; i++, values += 8, out += width) {
        uint64_t low = 0;
        uint64_t high = 0;
        for (uint32_t j = 0; j < 4; j++) {
            low |= (uint64_t)values[j] << (j * width);
            high |= (uint64_t)values[j + 4] << (j * width);
        }
        uint128 all = (uint128)low | (uint128)high << (4 * width);
        memcpy(out, &all, 16); // the room behind is reserved
    }
    return out;
}

static void NAME(pack_literals)(struct bytebuf *out, const T *values, uint32_t count,
                                uint32_t width)
{
    uint32_t groups = count / 8;
    uint32_t rest = count % 8;
    bytebuf_add_varint(out, (uint64_t)(groups + (rest > 0)) << 1 | 1);
    char *start = bytebuf_reserve(out, (size_t)(groups + 1) * width + 16);
    char *at = start;
    switch (width) {
#define CASE(w)                                                                                    \
    case w: at = NAME(pack_groups)(at, values, groups, w); break;
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
#undef CASE
    default: at = pack_wide_groups(at, (const uint32_t *)(const void *)values, groups, width);
    }
    if (rest > 0) {
        uint32_t last[8] = {0};
        for (uint32_t i = 0; i < rest; i++) {
            last[i] = values[groups * 8 + i];
        }
        at = pack_wide_groups(at, last, 1, width);
    }
    out->size += (size_t)(at - start);
}

static inline bool NAME(is_run)(const T *values)
{
    T other = 0;
    for (uint32_t i = 1; i < RUN_MIN; i++) {
        other |= values[i] ^ values[0];
    }
    return other == 0;
}

void NAME(parquet_rle_encode)(struct bytebuf *out, const T *values, uint32_t count, uint32_t width)
{
    uint32_t literals = 0; // where those begin that are not written yet
    uint32_t at = 0;
    while (at < count) {
        uint32_t end = at;
        if (at == 0 || (count - at >= RUN_MIN && NAME(is_run)(values + at))) {
            while (end < count && values[end] == values[at]) {
                end++;
            }
        }
        if (end - at >= RUN_MIN || (at == 0 && end == count)) {
            if (at > literals) {
                NAME(pack_literals)(out, values + literals, at - literals, width);
            }
            put_run(out, values[at], end - at, width);
            at = end;
            literals = end;
        } else {
            at = at + 8 < count ? at + 8 : count;
        }
    }
    if (count > literals) {
        NAME(pack_literals)(out, values + literals, count - literals, width);
    }
}
